//! The geometry of a contact: what each pair of triangles shares, and the patches that these sets form.
//!
//! Points are exact until they are reported: sets belong together where they share an exact point, and
//! lengths and areas count once what several pairs share.

mod joined;
mod manifold;
mod measure;
mod numbered;
mod overlapping;

use glam::DVec3;

use crate::bvh::posed_model::PosedModel;
use closefit_geometry::exact::shared_point::SharedPoint;
use closefit_geometry::exact::shared_set::shared_set;
use closefit_geometry::ids::to_u32;
use closefit_geometry::parallel;
use numbered::Numbered;

/// The geometry of the contact of two surfaces. Answers are the same on every machine and with any number of
/// threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactGeometry {
    /// The pairs of triangles in contact (of a, of b), sorted.
    pub triangles: Vec<[u32; 2]>,
    /// The patch of each pair.
    pub patch_of: Vec<u32>,
    /// The number of points before each pair, and at last the number of all.
    pub offsets: Vec<u32>,
    /// The points of all pairs; see [`ContactGeometry::shared`].
    pub points: Vec<DVec3>,
    /// The patches, ordered by their first pairs.
    pub patches: Vec<ContactPatch>,
}

impl ContactGeometry {
    /// Returns what a pair of triangles shares: one point; the two ends of a segment, the lower one first
    /// by x, then y, then z; or the three to six corners of a convex polygon, from the lowest on,
    /// counterclockwise as seen from the side to which the normal of a's triangle points. Each coordinate
    /// is the f64 nearest to the exact one.
    pub fn shared(&self, pair: usize) -> &[DVec3] {
        &self.points[self.offsets[pair] as usize..self.offsets[pair + 1] as usize]
    }
}

/// A connected part of a contact: the sets of pairs that are linked by exact points that they share.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPatch {
    /// A box around it, by its lowest and highest corner.
    pub bounds: [DVec3; 2],
    /// The length of all segments that pairs share; what several share counts once.
    pub length: f64,
    /// True if it has segments, and every point is the end of an even number of them, those that overlap
    /// counted as one: a curve without ends.
    pub closed: bool,
    /// The area of all polygons that pairs share; what several share counts once.
    pub area: f64,
    /// The unit normal from a to b: of a's faces outwards, weighted by the area that they share. `None`
    /// without such an area, or where it cancels.
    pub normal: Option<DVec3>,
    /// Points for a solver, as many as were requested or as there are: the first of the first pair, then
    /// each time the one farthest from those chosen, in a tie the first.
    pub points: Vec<DVec3>,
}

/// Returns the geometry of a contact, from its pairs of triangles, sorted, with at most `most` points for a
/// solver in each patch.
pub fn contact_geometry([a, b]: [&PosedModel; 2], contacts: Vec<[u32; 2]>, most: usize) -> ContactGeometry {
    let sets = Sets::of([a, b], contacts);
    let (leaders, patch_of) = joined::patches(&sets, [a, b]);
    let mut patches: Vec<ContactPatch> = vec![EMPTY; leaders];
    measure::add_bounds(&mut patches, &sets, &patch_of);
    measure::add_lengths(&mut patches, &sets, &patch_of);
    measure::add_areas(&mut patches, &sets, &patch_of, [a, b]);
    manifold::add_points(&mut patches, &sets, &patch_of, most);
    let counts = sets.sets.iter().map(|set| to_u32(set.len()));
    let offsets = std::iter::once(0).chain(counts.scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    ContactGeometry {
        offsets: offsets.collect(),
        points: sets.sets.iter().flatten().map(|&id| sets.point(id).rounded()).collect(),
        triangles: sets.triangles,
        patch_of,
        patches,
    }
}

const EMPTY: ContactPatch = ContactPatch {
    bounds: [DVec3::INFINITY, DVec3::NEG_INFINITY],
    length: 0.0,
    closed: false,
    area: 0.0,
    normal: None,
    points: Vec::new(),
};

/// The number of pairs of triangles that a thread takes at a time.
const RUN: usize = 64;

/// The sets that pairs of triangles share.
struct Sets {
    triangles: Vec<[u32; 2]>,
    /// The corners of each set, by the numbers of their exact points.
    sets: Vec<Vec<u32>>,
    /// The exact points, each once, in ascending order.
    points: Vec<SharedPoint>,
}

impl Sets {
    fn of([a, b]: [&PosedModel; 2], triangles: Vec<[u32; 2]>) -> Self {
        let corners =
            parallel::map_items(&triangles, RUN, |&[ta, tb]| shared_set(&a.triangle(ta), &b.triangle(tb)));
        let Numbered { sets, points } = Numbered::of(corners);
        Self { triangles, sets, points }
    }

    fn point(&self, id: u32) -> &SharedPoint {
        &self.points[id as usize]
    }
}
