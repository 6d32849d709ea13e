//! The features of a mesh with respect to its convex hull, as `inspect --features` reports them.

use serde::{Deserialize, Serialize};

use super::word::{self, Word};
use closefit_geometry::hull::caps::Caps;
use closefit_geometry::hull::features::Features;
use closefit_geometry::hull::features::loops::{Loop, loops};
use closefit_geometry::hull::features::nesting::{Piece, pieces};
use closefit_geometry::hull::volume::Volumes;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::{Topology, Winding};

/// The features of a mesh, in its own frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeaturesRow {
    /// The convex hull.
    pub hull: HullRow,
    /// The volume of the hull less the volume of the solid; `None` if the mesh is not closed.
    pub pocket_volume: Option<f64>,
    /// Connected sets of triangles, on the hull or off it.
    pub subsets: Vec<SubsetRow>,
    /// The loops around concavities, on the hull.
    pub loops: Vec<LoopRow>,
    /// The parts of the hull that the mesh does not cover.
    pub caps: Vec<CapRow>,
}

/// A convex hull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HullRow {
    /// Its vertices.
    pub vertices: ColoursRow,
    /// Its edges.
    pub edges: ColoursRow,
    /// Its faces.
    pub faces: FaceColoursRow,
    /// The volume.
    pub volume: f64,
}

/// The vertices or edges of a hull by colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColoursRow {
    /// The number of those that the mesh has too.
    pub red: usize,
    /// The number of those that only the hull has.
    pub green: usize,
}

/// The faces of a hull by colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaceColoursRow {
    /// The number of those that the mesh covers whole.
    pub red: usize,
    /// The number of those that it does not cover.
    pub green: usize,
    /// The number of those that it covers in part.
    pub mixed: usize,
}

/// The place of a set of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Triangles on the faces of the hull.
    Hull,
    /// Off the faces of the hull.
    Concavity,
}

impl Word for Side {
    const WORDS: &[(Self, &str)] = &[(Self::Hull, "hull"), (Self::Concavity, "concavity")];
}

/// Triangles that are connected across shared edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubsetRow {
    /// Its index in the list.
    pub id: usize,
    /// Its place.
    #[serde(with = "word")]
    pub side: Side,
    /// The number of triangles.
    pub triangles: u32,
    /// The lowest triangle.
    pub first: u32,
}

/// A loop of edges between a concavity and triangles on the hull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopRow {
    /// Its index in the list.
    pub id: usize,
    /// The concavity.
    pub subset: u32,
    /// The number of vertices.
    pub vertices: usize,
    /// False if it ends where the mesh is open or not manifold.
    pub closed: bool,
    /// The hull faces on which it lies, whole or in segments.
    pub faces: Vec<u32>,
    /// The number of loops around it on its face; `None` if it leaves the face or is not closed.
    pub depth: Option<u32>,
}

/// A connected part of a hull face that the mesh does not cover.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapRow {
    /// Its index in the list.
    pub id: usize,
    /// The hull face.
    pub face: u32,
    /// The concavities that it closes.
    pub subsets: Vec<u32>,
    /// The number of its triangles.
    pub triangles: usize,
    /// The area.
    pub area: f64,
    /// False if edges of the mesh cross on the face. The cap is then the whole face.
    pub exact: bool,
}

impl FeaturesRow {
    /// Finds the features of a mesh. Returns `None` if a coordinate is larger than 2^200 in magnitude.
    pub(super) fn of(mesh: &Mesh, winding: Winding) -> Option<Self> {
        let features = Features::of(mesh)?;
        let loops = loops(&features);
        let pieces = pieces(&features, &loops);
        let caps = Caps::of(&features);
        let volumes = Volumes::of(&features, &Topology::of(&features.mesh, winding));
        let (vertices, edges) = (features.hull_vertices(), features.on_hull.edges.len());
        let red = features.red_edges().len();
        let subsets = features.subsets.iter().enumerate().map(|(id, subset)| SubsetRow {
            id,
            side: if subset.is_on_hull { Side::Hull } else { Side::Concavity },
            triangles: subset.triangles,
            first: subset.first,
        });
        let hull = HullRow {
            vertices: ColoursRow { red: vertices, green: 0 },
            edges: ColoursRow { red, green: edges - red },
            faces: FaceColoursRow { red: caps.red, green: caps.green, mixed: caps.mixed },
            volume: volumes.hull,
        };
        Some(Self {
            hull,
            pocket_volume: volumes.pockets,
            subsets: subsets.collect(),
            loops: LoopRow::all(&loops, pieces),
            caps: CapRow::all(&caps),
        })
    }
}

impl LoopRow {
    fn all(loops: &[Loop], mut pieces: Vec<Piece>) -> Vec<Self> {
        pieces.sort_by_key(|piece| piece.of); // faces stay ascending
        let mut pieces = pieces.chunk_by(|a, b| a.of == b.of);
        let row = |(id, one): (usize, &Loop)| {
            let pieces = pieces.next().unwrap_or_default(); // every loop lies on some face
            let mut faces: Vec<u32> = pieces.iter().map(|piece| piece.face).collect();
            faces.dedup();
            Self {
                id,
                subset: one.subset,
                vertices: one.vertices.len(),
                closed: one.is_closed,
                faces,
                depth: pieces.iter().find_map(|piece| piece.depth),
            }
        };
        loops.iter().enumerate().map(row).collect()
    }
}

impl CapRow {
    fn all(caps: &Caps) -> Vec<Self> {
        let row = |(id, cap): (usize, &closefit_geometry::hull::caps::Cap)| Self {
            id,
            face: cap.face,
            subsets: cap.subsets.clone(),
            triangles: cap.triangles.len(),
            area: cap.area,
            exact: cap.is_exact,
        };
        caps.caps.iter().enumerate().map(row).collect()
    }
}
