//! The edges of a mesh that a drawing shows.

use closefit_geometry::mesh::Mesh;
use glam::DVec3;

/// The cosine of 18 degrees: faces that meet at less look like one.
const SMOOTH: f64 = 0.951_056_516_295_153_5;

/// Returns the edges at which faces end or meet at an angle, in ascending order. Triangles without area have
/// no say.
pub fn edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    let mut sides: Vec<Side> = Vec::with_capacity(3 * mesh.triangles().len());
    for corners in mesh.triangles() {
        let normal = normal(corners.map(|corner| mesh.vertices()[corner as usize]));
        for [from, to] in [[0, 1], [1, 2], [2, 0]].map(|side| side.map(|k: usize| corners[k])) {
            // A side that is run through backwards belongs to a face seen from the other side.
            let normal = if from < to { normal } else { -normal };
            sides.push(Side { ends: [from.min(to), from.max(to)], normal });
        }
    }
    sides.sort_by_key(|side| side.ends);
    let of_edge = sides.chunk_by(|p, q| p.ends == q.ends);
    of_edge.filter(|sides| is_shown(sides)).map(|sides| sides[0].ends).collect()
}

/// A side of a triangle.
struct Side {
    /// The lower end, and the higher one.
    ends: [u32; 2],
    /// The unit normal of the triangle, as if it ran from the lower end to the higher one.
    normal: DVec3,
}

/// True if an edge of some triangles is shown.
fn is_shown(sides: &[Side]) -> bool {
    let [first, second] = sides else { return sides[0].ends[0] != sides[0].ends[1] };
    // Two faces of one surface run through their edge in opposite directions.
    let cosine = -first.normal.dot(second.normal);
    let is_flat = [first, second].iter().any(|side| side.normal == DVec3::ZERO);
    cosine < SMOOTH && !is_flat
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUADS: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

    /// A box of two triangles a side. `is_first_turned` turns its first triangle around.
    fn cube(is_first_turned: bool) -> Mesh {
        let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
        let corners: Vec<DVec3> = (0..8).map(corner).collect();
        let mut triangles: Vec<[u32; 3]> =
            QUADS.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        if is_first_turned {
            triangles[0].swap(0, 1);
        }
        Mesh::new(&corners, &triangles).unwrap()
    }

    /// The diagonals of its sides are no edges, whichever way they wind.
    #[test]
    fn a_box_has_twelve_edges() {
        for is_first_turned in [false, true] {
            let mesh = cube(is_first_turned);
            let shown = edges(&mesh);
            assert_eq!(shown.len(), 12);
            for [p, q] in shown.iter().map(|ends| ends.map(|end| mesh.vertices()[end as usize])) {
                assert_eq!((q - p).abs().element_sum(), 1.0, "along an axis");
            }
        }
    }

    #[test]
    fn a_round_body_has_only_its_borders() {
        let around = |i: u32| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 64.0).sin_cos();
            [DVec3::new(cos, sin, 0.0), DVec3::new(cos, sin, 1.0)]
        };
        let corners: Vec<DVec3> = (0..64).flat_map(around).collect();
        let quad = |i: u32| {
            let [a, b, c, d] = [2 * i, 2 * (i + 1) % 128, 2 * (i + 1) % 128 + 1, 2 * i + 1];
            [[a, b, c], [a, c, d]]
        };
        let tube = Mesh::new(&corners, &(0..64).flat_map(quad).collect::<Vec<_>>()).unwrap();
        assert_eq!(edges(&tube).len(), 128);
    }
}
