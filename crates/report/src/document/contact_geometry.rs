//! The geometry of a contact: a row of a pair.

use serde::{Deserialize, Serialize};

use super::PairRow;
use closefit::{ContactGeometry, ContactPatch};

/// The points, curves and regions that triangles in contact share, and the patches that these form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeometryRow {
    /// The point, the ends of the segment or the corners of the polygon that each pair of triangles
    /// shares, in the order of the pairs.
    pub shared: Vec<Vec<[f64; 3]>>,
    /// The patches, ordered by their first pairs.
    pub patches: Vec<PatchRow>,
}

/// A connected part of a contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchRow {
    /// The places of its pairs in the list of pairs of triangles.
    pub pairs: Vec<usize>,
    /// Lowest and highest corner of its box.
    #[serde(rename = "box")]
    pub bounds: [[f64; 3]; 2],
    /// The length of its curves.
    pub length: f64,
    /// True if its curves have no end.
    pub closed: bool,
    /// The area of its regions.
    pub area: f64,
    /// The unit normal from the first part to the second, where it is known.
    pub normal: Option<[f64; 3]>,
    /// A few of its points, far from each other.
    pub points: Vec<[f64; 3]>,
}

impl GeometryRow {
    fn new(found: &ContactGeometry) -> Self {
        let shared =
            (0..found.triangles.len()).map(|pair| found.shared(pair).iter().map(|p| p.to_array()).collect());
        let mut patches: Vec<PatchRow> = found.patches.iter().map(PatchRow::new).collect();
        for (pair, &patch) in found.patch_of.iter().enumerate() {
            patches[patch as usize].pairs.push(pair);
        }
        Self { shared: shared.collect(), patches }
    }
}

impl PatchRow {
    fn new(patch: &ContactPatch) -> Self {
        Self {
            pairs: Vec::new(),
            bounds: patch.bounds.map(|corner| corner.to_array()),
            length: patch.length,
            closed: patch.closed,
            area: patch.area,
            normal: patch.normal.map(|normal| normal.to_array()),
            points: patch.points.iter().map(|p| p.to_array()).collect(),
        }
    }
}

impl PairRow {
    /// Returns the row with the geometry that was found.
    pub fn with_contact_geometry(mut self, found: Option<&ContactGeometry>) -> Self {
        if let Some(found) = found {
            self.more.geometry = Some(Box::new(GeometryRow::new(found)));
        }
        self
    }
}
