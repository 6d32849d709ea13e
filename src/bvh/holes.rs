//! The holes of open components: their boundaries, loop by loop, and fans that close them.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use glam::DVec3;

use closefit_geometry::mesh::topology::open_shells::OpenShells;

/// The most by which the holes of a shell together may keep a winding number from an integer.
const HELD: f64 = 0.4;

/// Returns the distance at which fans of this area together change a winding number by 0.4, less than 1/2.
pub fn influence(area: f64) -> f64 {
    (area / (4.0 * PI * HELD)).sqrt()
}

/// A fan of triangles between the middle of a hole and its boundary.
#[derive(Clone, Copy, Debug)]
pub struct Fan {
    /// The mean of the boundary's vertices.
    pub middle: DVec3,
    /// The distance of the farthest vertex from the middle.
    pub radius: f64,
    /// The area of the triangles.
    pub area: f64,
}

impl Fan {
    /// Returns the fan of a hole from the edges of its boundary.
    pub fn of(boundary: impl Iterator<Item = [DVec3; 2]> + Clone) -> Self {
        let (sum, count) =
            boundary.clone().fold((DVec3::ZERO, 0.0), |(sum, count), [from, _]| (sum + from, count + 1.0));
        let middle = sum / count;
        let from_middle = boundary.map(|ends| ends.map(|end| end - middle));
        let (radius, area) = from_middle.fold((0.0, 0.0), |(radius, area): (f64, f64), [from, to]| {
            (radius.max(from.length()).max(to.length()), area + 0.5 * from.cross(to).length())
        });
        Self { middle, radius, area }
    }
}

/// The boundaries of the open components that have a consistent winding, cut into connected pieces. As
/// many edges enter a vertex as leave it, so that a piece is one loop or several with vertices in common.
/// `None` for other components.
#[derive(Clone, Debug)]
pub struct Holes(Vec<Option<Vec<Vec<[u32; 2]>>>>);

impl Holes {
    /// Finds the holes of so many components.
    pub fn of(shells: &OpenShells, components: usize) -> Self {
        let boundaries = (0..).take(components).map(|component| shells.boundary(component));
        Self(boundaries.map(|edges| edges.map(connected)).collect())
    }

    /// Returns the edges of each hole of an open component; `None` if it has no consistent winding.
    pub fn of_component(&self, component: u32) -> Option<&[Vec<[u32; 2]>]> {
        self.0[component as usize].as_deref()
    }
}

/// Cuts edges into those that are connected by vertices, in the order of their first edges.
fn connected(edges: &[[u32; 2]]) -> Vec<Vec<[u32; 2]>> {
    let mut roots: BTreeMap<u32, u32> = edges.as_flattened().iter().map(|&vertex| (vertex, vertex)).collect();
    fn root(roots: &mut BTreeMap<u32, u32>, mut vertex: u32) -> u32 {
        while roots[&vertex] != vertex {
            // Every other step of the way is left out, so that ways stay short.
            let above = roots[&roots[&vertex]];
            roots.insert(vertex, above);
            vertex = above;
        }
        vertex
    }
    for &[from, to] in edges {
        let (from, to) = (root(&mut roots, from), root(&mut roots, to));
        roots.insert(from.max(to), from.min(to));
    }
    let mut holes: Vec<Vec<[u32; 2]>> = Vec::new();
    let mut place: BTreeMap<u32, usize> = BTreeMap::new();
    for &edge in edges {
        let hole = *place.entry(root(&mut roots, edge[0])).or_insert(holes.len());
        if hole == holes.len() {
            holes.push(Vec::new());
        }
        holes[hole].push(edge);
    }
    holes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_with_those_that_they_are_connected_with() {
        assert_eq!(connected(&[]), Vec::<Vec<[u32; 2]>>::new());
        let edges = [[0, 5], [1, 2], [5, 9], [2, 3], [9, 0], [3, 1], [7, 8], [8, 7]];
        let expected = [vec![[0, 5], [5, 9], [9, 0]], vec![[1, 2], [2, 3], [3, 1]], vec![[7, 8], [8, 7]]];
        assert_eq!(connected(&edges), expected);
    }
}
