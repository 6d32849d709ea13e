//! Questions about two meshes at rest.

use closefit::{CheckRequest, CollisionMesh, Containment, Mesh, PairRecord, Pose, PosedMesh};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Refusal;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/**
 * Where a mesh is: a matrix of 3 or 4 rows with 4 numbers each, row after row, that takes its own coordinates to the
 * world's. `undefined` leaves it where it is.
 */
export type Pose = ArrayLike<number>;
"#;

/// A mesh that is ready for questions: its triangles, and a bounding volume hierarchy over them.
#[wasm_bindgen]
pub struct Tree(CollisionMesh);

#[wasm_bindgen]
impl Tree {
    /// Builds the hierarchy. `vertices` has three coordinates for each vertex, and `triangles` three indices
    /// of vertices for each triangle. Throws an Error for an index out of range, a coordinate that is not
    /// finite, or no triangles.
    #[wasm_bindgen(constructor)]
    pub fn new(vertices: &[f64], triangles: &[u32]) -> Result<Self, Refusal> {
        let (points, []) = vertices.as_chunks::<3>() else {
            return Err(Refusal::of(
                "vertices",
                format!("{} numbers are not three for each", vertices.len()),
            ));
        };
        let (corners, []) = triangles.as_chunks::<3>() else {
            return Err(Refusal::of(
                "triangles",
                format!("{} indices are not three for each", triangles.len()),
            ));
        };
        let mesh = Mesh::new(points, corners).map_err(|error| Refusal::of("mesh", error))?;
        Ok(Self(CollisionMesh::build(&mesh)))
    }

    /// Number of triangles.
    #[wasm_bindgen(getter)]
    pub fn triangles(&self) -> usize {
        self.0.triangles()
    }

    /// True when every component of the mesh is closed, so that all of it bounds a solid.
    #[wasm_bindgen(getter, js_name = isClosed)]
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

impl Tree {
    /// Returns the mesh as the library has it.
    pub fn shape(&self) -> &CollisionMesh {
        &self.0
    }

    /// Returns the mesh at a pose; `key` names the argument.
    fn at(&self, pose: Option<Vec<f64>>, key: &str) -> Result<PosedMesh<'_>, Refusal> {
        self.0.at(&pose_of(pose.as_deref(), key)?).map_err(|error| Refusal::of(key, error))
    }
}

/// Makes a pose of 12 or 16 numbers.
fn pose_of(entries: Option<&[f64]>, key: &str) -> Result<Pose, Refusal> {
    let Some(entries) = entries else { return Ok(Pose::IDENTITY) };
    let (rows, []) = entries.as_chunks::<4>() else {
        return Err(Refusal::of(key, format!("{} numbers are neither 12 nor 16", entries.len())));
    };
    match *rows {
        [a, b, c] | [a, b, c, [0.0, 0.0, 0.0, 1.0]] => Ok(Pose { rows: [a, b, c] }),
        [_, _, _, last] => Err(Refusal::of(key, format!("the last row is {last:?}, not [0, 0, 0, 1]"))),
        _ => Err(Refusal::of(key, format!("{} numbers are neither 12 nor 16", entries.len()))),
    }
}

/// Tells whether the surfaces of two meshes share a point. Exact. One solid inside another, without contact
/// of their surfaces, does not count.
#[wasm_bindgen]
pub fn intersects(
    a: &Tree,
    #[wasm_bindgen(js_name = poseA, unchecked_param_type = "Pose | undefined")] pose_a: Option<Vec<f64>>,
    b: &Tree,
    #[wasm_bindgen(js_name = poseB, unchecked_param_type = "Pose | undefined")] pose_b: Option<Vec<f64>>,
) -> Result<bool, Refusal> {
    Ok(closefit::intersects(&a.at(pose_a, "poseA")?, &b.at(pose_b, "poseB")?))
}

/// Tells whether the distance of two surfaces is at most a limit. Exact, and cheaper than the distance.
#[wasm_bindgen(js_name = intersectsWithin)]
pub fn intersects_within(
    a: &Tree,
    #[wasm_bindgen(js_name = poseA, unchecked_param_type = "Pose | undefined")] pose_a: Option<Vec<f64>>,
    b: &Tree,
    #[wasm_bindgen(js_name = poseB, unchecked_param_type = "Pose | undefined")] pose_b: Option<Vec<f64>>,
    limit: f64,
) -> Result<bool, Refusal> {
    let limit = checked_limit(limit)?;
    Ok(closefit::intersects_within(&a.at(pose_a, "poseA")?, &b.at(pose_b, "poseB")?, limit))
}

/// Returns all pairs of triangles that share a point, a triangle of a and one of b after each other, sorted.
/// Exact.
#[wasm_bindgen(js_name = contactTriangles)]
pub fn contact_triangles(
    a: &Tree,
    #[wasm_bindgen(js_name = poseA, unchecked_param_type = "Pose | undefined")] pose_a: Option<Vec<f64>>,
    b: &Tree,
    #[wasm_bindgen(js_name = poseB, unchecked_param_type = "Pose | undefined")] pose_b: Option<Vec<f64>>,
) -> Result<Vec<u32>, Refusal> {
    let found = closefit::contact_triangles(&a.at(pose_a, "poseA")?, &b.at(pose_b, "poseB")?);
    Ok(found.into_flattened())
}

/// The distance of two surfaces.
#[wasm_bindgen]
pub struct Distance(closefit::Distance);

#[wasm_bindgen]
impl Distance {
    /// Smallest distance of any two points, correctly rounded: 0 in contact, and only there.
    #[wasm_bindgen(getter)]
    pub fn distance(&self) -> f64 {
        self.0.distance
    }

    /// Closest triangles, one of a and one of b; undefined in contact.
    #[wasm_bindgen(getter)]
    pub fn triangles(&self) -> Option<Vec<u32>> {
        self.0.closest.map(|closest| closest.triangles.to_vec())
    }

    /// A point on each, in world coordinates: six numbers; undefined in contact.
    #[wasm_bindgen(getter)]
    pub fn points(&self) -> Option<Vec<f64>> {
        self.0.closest.map(|closest| closest.points.map(|point| point.to_array()).as_flattened().to_vec())
    }
}

/// Returns the distance of two surfaces, with the closest triangles and points; undefined if it exceeds the
/// limit, which makes it cheaper to find that it is larger.
#[wasm_bindgen]
pub fn distance(
    a: &Tree,
    #[wasm_bindgen(js_name = poseA, unchecked_param_type = "Pose | undefined")] pose_a: Option<Vec<f64>>,
    b: &Tree,
    #[wasm_bindgen(js_name = poseB, unchecked_param_type = "Pose | undefined")] pose_b: Option<Vec<f64>>,
    limit: Option<f64>,
) -> Result<Option<Distance>, Refusal> {
    let (a, b) = (a.at(pose_a, "poseA")?, b.at(pose_b, "poseB")?);
    Ok(match limit.map(checked_limit).transpose()? {
        None => Some(Distance(closefit::distance(&a, &b))),
        Some(limit) => closefit::distance_up_to(&a, &b, limit).map(Distance),
    })
}

/// Refuses a limit of distances that is no number. Below 0 nothing is within it.
fn checked_limit(limit: f64) -> Result<f64, Refusal> {
    if limit.is_nan() { Err(Refusal::of("limit", "NaN is no distance")) } else { Ok(limit) }
}

/// A bracket of how deep two solids overlap.
#[wasm_bindgen(getter_with_clone)]
pub struct Depth {
    /// Some point lies at least this deep; undefined if the depth is unknown.
    #[wasm_bindgen(readonly, js_name = atLeast)]
    pub at_least: Option<f64>,
    /// No point lies deeper; undefined if the depth is unknown.
    #[wasm_bindgen(readonly, js_name = atMost)]
    pub at_most: Option<f64>,
    /// Deepest point found, or a shared point of parts that only touch; undefined if they are apart.
    #[wasm_bindgen(readonly)]
    pub point: Option<Vec<f64>>,
    /// Reason why the depth is unknown, or only partly known; undefined if it is known.
    #[wasm_bindgen(readonly)]
    pub unknown: Option<String>,
}

impl From<PairRecord> for Depth {
    fn from(record: PairRecord) -> Self {
        let is_apart = record.contacts == 0 && record.contained == Containment::None;
        let zero = closefit::Depth { at_least: 0.0, at_most: 0.0 };
        let bracket = record.depth.or(is_apart.then_some(zero));
        let unknown = match record.contained {
            Containment::Undecidable(why) => Some(why),
            _ => record.depth_unknown,
        };
        Self {
            at_least: bracket.map(|bracket| bracket.at_least),
            at_most: bracket.map(|bracket| bracket.at_most),
            point: record.location.map(|location| location.point.to_array().to_vec()),
            unknown,
        }
    }
}

/// Returns how deep two solids overlap: the largest distance from a point of one's surface inside the
/// other's solid to that solid's surface. The bracket is no wider than 1 %, or within the tolerance.
#[wasm_bindgen]
pub fn depth(
    a: &Tree,
    #[wasm_bindgen(js_name = poseA, unchecked_param_type = "Pose | undefined")] pose_a: Option<Vec<f64>>,
    b: &Tree,
    #[wasm_bindgen(js_name = poseB, unchecked_param_type = "Pose | undefined")] pose_b: Option<Vec<f64>>,
    tolerance: Option<f64>,
) -> Result<Depth, Refusal> {
    let tolerance = tolerance.unwrap_or_default();
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(Refusal::of("tolerance", format!("{tolerance} is no length")));
    }
    let request = CheckRequest::default().tolerance(tolerance);
    Ok(closefit::verdict(&a.at(pose_a, "poseA")?, &b.at(pose_b, "poseB")?, &request).into())
}
