//! Pairs of triangles that stay together from the start, such as the two halves of a quadrilateral. They
//! halve the number of items to put into order and fill the leaves.

use closefit_geometry::ids::to_u32;
use closefit_geometry::mesh::Mesh;

/// Least squared cosine between the two triangles of a pair: flatter than 27 degrees.
const FLAT: f64 = 0.8;

/// Marks a missing triangle or vertex.
const NONE: u32 = u32::MAX;

/// Returns all triangles as pairs with a common edge that is the longest of both, so that one box has hardly
/// more area than two. A triangle without a partner is listed twice. Pairs are in the order of their first
/// triangle.
pub(super) fn pairs(mesh: &Mesh) -> Vec<[u32; 2]> {
    let mut partners = vec![NONE; mesh.triangles().len()];
    // For each vertex, the last triangle whose longest edge starts there, the end of that edge, and the third
    // corner.
    let mut waiting = vec![[NONE; 3]; mesh.vertices().len()];
    let mut count = partners.len();
    for triangle in 0..to_u32(mesh.triangles().len()) {
        let [start, end, third] = longest_edge(mesh, triangle);
        let slot = &mut waiting[start as usize];
        let [other, other_end, other_third] = *slot;
        if other_end == end && is_flat(mesh, [start, end], [other_third, third]) {
            partners[other as usize] = triangle;
            partners[triangle as usize] = other;
            *slot = [NONE; 3];
            count -= 1;
        } else {
            *slot = [triangle, end, third];
        }
    }
    let mut pairs = Vec::with_capacity(count);
    for (triangle, partner) in (0..).zip(partners) {
        if partner == NONE {
            pairs.push([triangle; 2]);
        } else if partner > triangle {
            pairs.push([triangle, partner]);
        }
    }
    pairs
}

/// Returns the vertices of a triangle's longest edge, sorted, and the third corner; the first such edge among
/// equals.
#[inline(always)]
fn longest_edge(mesh: &Mesh, triangle: u32) -> [u32; 3] {
    let corners = mesh.triangles()[triangle as usize];
    let [p, q, r] = mesh.corners(triangle);
    let lengths = [p.distance_squared(q), q.distance_squared(r), r.distance_squared(p)];
    let first = usize::from(lengths[1] > lengths[0]);
    let first = if lengths[2] > lengths[first] { 2 } else { first };
    let [a, b, third] = [0, 1, 2].map(|k| corners[(first + k) % 3]);
    [a.min(b), a.max(b), third]
}

/// True when two triangles, given by their third corners, lie on opposite sides of a common edge and nearly
/// in one plane.
#[inline(always)]
fn is_flat(mesh: &Mesh, edge: [u32; 2], third: [u32; 2]) -> bool {
    let [a, b] = edge.map(|v| mesh.vertices()[v as usize]);
    let [n, m] = third.map(|v| (b - a).cross(mesh.vertices()[v as usize] - a));
    let cosine = n.dot(m);
    cosine < 0.0 && cosine * cosine >= FLAT * (n.length_squared() * m.length_squared())
}

#[cfg(test)]
mod tests {
    use super::pairs;
    use closefit_geometry::mesh::Mesh;
    use glam::DVec3;

    fn mesh(corners: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
        let corners: Vec<DVec3> = corners.iter().copied().map(DVec3::from_array).collect();
        Mesh::new(&corners, triangles).expect("valid")
    }

    #[test]
    fn halves_of_a_quadrilateral_are_a_pair_and_a_fold_is_none() {
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let other = [5.0, 5.0, 5.0];
        let corners = [square[0], square[1], square[2], square[3], other];
        assert_eq!(pairs(&mesh(&corners, &[[0, 1, 2], [1, 2, 4], [2, 3, 0]])), [[0, 2], [1, 1]]);
        // Triangles folded along the diagonal, both on one side of it, and without area.
        let folded = [square[0], square[1], square[2], [0.0, 1.0, 0.5]];
        assert_eq!(pairs(&mesh(&folded, &[[0, 1, 2], [0, 2, 3]])), [[0, 0], [1, 1]]);
        let same_side = [square[0], square[1], square[2], [1.0, 0.5, 0.0]];
        assert_eq!(pairs(&mesh(&same_side, &[[0, 1, 2], [0, 2, 3]])), [[0, 0], [1, 1]]);
        assert_eq!(pairs(&mesh(&square[..1], &[[0, 0, 0], [0, 0, 0]])), [[0, 0], [1, 1]]);
    }

    #[test]
    fn every_triangle_is_in_one_pair() {
        let row = |y: f64| (0..20_u8).map(move |x| [f64::from(x), y, 0.0]);
        let corners: Vec<[f64; 3]> = row(0.0).chain(row(1.25)).collect();
        let quads = (0..19_u32).flat_map(|i| [[i, i + 1, i + 21], [i, i + 21, i + 20]]);
        let triangles: Vec<[u32; 3]> = quads.chain([[0, 0, 1], [0, 1, 1]]).collect();
        let pairs = pairs(&mesh(&corners, &triangles));
        let expected = (0..19).map(|i| [2 * i, 2 * i + 1]).chain([[38; 2], [39; 2]]);
        assert!(pairs.into_iter().eq(expected));
    }
}
