//! What is wrong with each mesh, and what it bounds: components, closed or open.
//!
//! Both questions are asked of one sorted array of edge uses (three per triangle): sorting keeps the
//! order of every answer fixed and is kinder to memory than a hash map.

use glam::DVec3;

use super::Mesh;
use crate::bounds::aabb::Aabb;
use crate::ids::to_u32;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::pose::Pose;
use crate::math::predicates::collinear;

/// A set of triangles that connect across shared edges (welded by exact position).
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// How many triangles.
    pub triangles: u32,
    /// Every directed edge occurs as often as its reverse, and the triangles do not merely cancel in
    /// opposite pairs: the component bounds a solid.
    pub closed: bool,
    /// Undirected edges whose two directions do not occur equally often.
    pub open_edges: u32,
}

/// The components of a mesh, in the order of their lowest triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// Component of each triangle.
    pub component_of: Vec<u32>,
    /// All components.
    pub components: Vec<Component>,
}

/// What `inspect` says of a mesh, in its own frame and unit.
///
/// The kinds of edges may overlap: an edge where two triangles run the same way is both inconsistent and
/// open, since its directions do not balance.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// How many triangles, degenerate and duplicate ones included.
    pub triangles: u32,
    /// How many distinct positions.
    pub vertices: u32,
    /// Lowest and highest corner, unposed.
    pub bounds: [DVec3; 2],
    /// Components that bound a solid.
    pub closed_components: u32,
    /// Components that do not.
    pub open_components: u32,
    /// Undirected edges whose two directions do not occur equally often.
    pub open_edges: u32,
    /// Edges of more than two triangles (those with a repeated corner not counted).
    pub non_manifold_edges: u32,
    /// Edges of exactly two triangles that run along them in the same direction.
    pub inconsistent_edges: u32,
    /// Triangles whose corners are exactly collinear.
    pub degenerate_triangles: u32,
    /// Triangles with the same three corners, in any order, as an earlier one.
    pub duplicate_triangles: u32,
    /// Signed volume of the closed components together, summed in f64: negative when inside out.
    pub volume: f64,
    /// Surface area of all triangles, summed in f64.
    pub area: f64,
}

impl Topology {
    /// Finds the components of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        Self::from_edges(mesh, &edge_uses(mesh))
    }

    /// Memory of the components and of the list that names each triangle's.
    pub fn bytes(&self) -> usize {
        size_of_val(self.component_of.as_slice()) + size_of_val(self.components.as_slice())
    }

    fn from_edges(mesh: &Mesh, edges: &[EdgeUse]) -> Self {
        let mut sets = DisjointSets::new(mesh.triangles().len());
        for uses in edges.chunk_by(EdgeUse::same_edge) {
            for pair in uses.windows(2) {
                sets.join(pair[0].triangle, pair[1].triangle);
            }
        }
        let mut topology = components_of(sets);
        for uses in edges.chunk_by(EdgeUse::same_edge) {
            if 2 * forward_uses(uses) != uses.len() {
                topology.component_at(uses[0].triangle).open_edges += 1;
            }
        }
        // Triangles on the same three corners share edges, so a group lies in one component.
        for group in corner_sets(mesh).chunk_by(CornerSet::same_corners) {
            let even = group.iter().filter(|t| t.even).count();
            if !group[0].repeats_a_corner() && 2 * even != group.len() {
                topology.component_at(group[0].triangle).closed = true;
            }
        }
        for component in &mut topology.components {
            component.closed &= component.open_edges == 0;
        }
        topology
    }

    fn component_at(&mut self, triangle: u32) -> &mut Component {
        &mut self.components[self.component_of[triangle as usize] as usize]
    }
}

impl Health {
    /// Examines a mesh in its own frame.
    pub fn of(mesh: &Mesh) -> Self {
        let edges = edge_uses(mesh);
        let topology = Topology::from_edges(mesh, &edges);
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        let closed = to_u32(topology.components.iter().filter(|c| c.closed).count());
        let mut health = Self {
            triangles: to_u32(mesh.triangles().len()),
            vertices: to_u32(mesh.vertices().len()),
            bounds: [bounds.lo, bounds.hi],
            closed_components: closed,
            open_components: to_u32(topology.components.len()) - closed,
            open_edges: topology.components.iter().map(|c| c.open_edges).sum(),
            non_manifold_edges: 0,
            inconsistent_edges: 0,
            degenerate_triangles: 0,
            duplicate_triangles: 0,
            volume: 0.0,
            area: 0.0,
        };
        for uses in edges.chunk_by(EdgeUse::same_edge) {
            let uses: Vec<_> =
                uses.iter().filter(|u| !repeats_a_corner(mesh.triangles()[u.triangle as usize])).collect();
            health.non_manifold_edges += u32::from(uses.len() > 2);
            health.inconsistent_edges += u32::from(uses.len() == 2 && uses[0].forward == uses[1].forward);
        }
        for group in corner_sets(mesh).chunk_by(CornerSet::same_corners) {
            health.duplicate_triangles += to_u32(group.len() - 1);
        }
        // Measured from the middle of the box, where volumes far from the origin lose least.
        let origin = bounds.lo + (bounds.hi - bounds.lo) * 0.5;
        for (triangle, component) in topology.component_of.iter().enumerate() {
            let corners = mesh.corners(to_u32(triangle));
            let [a, b, c] = corners.map(|p| p - origin);
            health.area += (b - a).cross(c - a).length() * 0.5;
            if topology.components[*component as usize].closed {
                health.volume += a.dot(b.cross(c)) / 6.0;
            }
            // The identity pose flushes what is too small for the predicates, as `check` would.
            let [a, b, c] = corners.map(|p| Pose::IDENTITY.apply(p));
            health.degenerate_triangles += u32::from(collinear(a, b, c));
        }
        health
    }

    /// True when every component bounds a solid.
    pub fn closed(&self) -> bool {
        self.open_components == 0
    }
}

/// One triangle's use of an edge. Sorts by edge, then triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeUse {
    /// The lower vertex first.
    edge: [u32; 2],
    triangle: u32,
    /// The triangle runs from the lower vertex to the higher.
    forward: bool,
}

impl EdgeUse {
    fn same_edge(&self, other: &Self) -> bool {
        self.edge == other.edge
    }
}

fn forward_uses(uses: &[EdgeUse]) -> usize {
    uses.iter().filter(|u| u.forward).count()
}

/// All edge uses, sorted. A repeated corner gives no edge from a vertex to itself: that is a point, and
/// components do not connect across points; its two other sides are one edge, used both ways.
fn edge_uses(mesh: &Mesh) -> Vec<EdgeUse> {
    let mut uses = Vec::with_capacity(3 * mesh.triangles().len());
    for (triangle, &[a, b, c]) in mesh.triangles().iter().enumerate() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if from != to {
                uses.push(EdgeUse {
                    edge: [from.min(to), from.max(to)],
                    triangle: to_u32(triangle),
                    forward: from < to,
                });
            }
        }
    }
    uses.sort_unstable();
    uses
}

/// A triangle by its corners in ascending order. Sorts by corners, then triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CornerSet {
    corners: [u32; 3],
    triangle: u32,
    /// The triangle runs through its corners in ascending order, up to rotation.
    even: bool,
}

impl CornerSet {
    fn same_corners(&self, other: &Self) -> bool {
        self.corners == other.corners
    }

    fn repeats_a_corner(&self) -> bool {
        repeats_a_corner(self.corners)
    }
}

fn corner_sets(mesh: &Mesh) -> Vec<CornerSet> {
    let mut sets: Vec<_> = mesh
        .triangles()
        .iter()
        .enumerate()
        .map(|(triangle, &[a, b, c])| {
            let mut corners = [a, b, c];
            corners.sort_unstable();
            let falls = u8::from(a > b) + u8::from(b > c) + u8::from(c > a);
            CornerSet { corners, triangle: to_u32(triangle), even: falls == 1 }
        })
        .collect();
    sets.sort_unstable();
    sets
}

fn repeats_a_corner([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Numbers the sets of triangles by their lowest members; no component is known to be closed yet.
fn components_of(mut sets: DisjointSets) -> Topology {
    let mut topology = Topology::default();
    for triangle in 0..sets.count() {
        let leader = sets.find(triangle);
        let component = if leader == triangle {
            topology.components.push(Component { triangles: 0, closed: false, open_edges: 0 });
            to_u32(topology.components.len() - 1)
        } else {
            topology.component_of[leader as usize]
        };
        topology.component_of.push(component);
        topology.components[component as usize].triangles += 1;
    }
    topology
}

#[cfg(test)]
mod tests {
    use super::*;

    type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

    /// An axis-aligned cube, outward: corner `i` has bit 0 for x, bit 1 for y, bit 2 for z.
    fn cube(at: DVec3, side: f64) -> Soup {
        let corner = |i: u32| at + DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) * side;
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }

    fn join(soups: &[Soup]) -> Soup {
        let mut out = (Vec::new(), Vec::new());
        for (vertices, triangles) in soups {
            let base = to_u32(out.0.len());
            out.0.extend(vertices);
            out.1.extend(triangles.iter().map(|t| t.map(|v| v + base)));
        }
        out
    }

    fn health((vertices, triangles): &Soup) -> Health {
        Health::of(&Mesh::new(vertices, triangles).unwrap())
    }

    fn topology((vertices, triangles): &Soup) -> Topology {
        Topology::of(&Mesh::new(vertices, triangles).unwrap())
    }

    fn reversed((vertices, triangles): &Soup) -> Soup {
        (vertices.clone(), triangles.iter().map(|&[a, b, c]| [a, c, b]).collect())
    }

    #[test]
    fn a_cube_is_one_solid() {
        let h = health(&cube(DVec3::new(1.0, 2.0, 3.0), 2.0));
        let expected = Health {
            triangles: 12,
            vertices: 8,
            bounds: [DVec3::new(1.0, 2.0, 3.0), DVec3::new(3.0, 4.0, 5.0)],
            closed_components: 1,
            open_components: 0,
            open_edges: 0,
            non_manifold_edges: 0,
            inconsistent_edges: 0,
            degenerate_triangles: 0,
            duplicate_triangles: 0,
            volume: 8.0,
            area: 24.0,
        };
        assert_eq!((h.volume * 1e9).round(), 8e9);
        assert_eq!(Health { volume: 8.0, ..h }, expected);
        assert!(expected.closed());
    }

    #[test]
    fn inside_out_is_closed_with_negative_volume() {
        let h = health(&reversed(&cube(DVec3::ZERO, 1.0)));
        assert!(h.closed());
        assert!((h.volume + 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_flipped_face_opens_the_cube() {
        let mut soup = cube(DVec3::ZERO, 1.0);
        for t in &mut soup.1[..2] {
            t.swap(0, 1);
        }
        let h = health(&soup);
        assert_eq!((h.closed_components, h.open_components), (0, 1));
        assert_eq!((h.open_edges, h.inconsistent_edges, h.non_manifold_edges), (4, 4, 0));
        assert_eq!(h.volume, 0.0);
    }

    #[test]
    fn a_missing_face_leaves_four_open_edges() {
        let mut soup = cube(DVec3::ZERO, 1.0);
        soup.1.drain(..2);
        let h = health(&soup);
        assert_eq!((h.open_components, h.open_edges, h.inconsistent_edges), (1, 4, 0));
        let t = topology(&soup);
        assert_eq!(t.components, [Component { triangles: 10, closed: false, open_edges: 4 }]);
    }

    #[test]
    fn a_doubled_sheet_is_open_without_open_edges() {
        let sheet = cube(DVec3::ZERO, 1.0);
        let sheet = (sheet.0, sheet.1[..2].to_vec());
        let h = health(&join(&[sheet.clone(), reversed(&sheet)]));
        assert_eq!((h.closed_components, h.open_components, h.open_edges), (0, 1, 0));
        assert_eq!((h.duplicate_triangles, h.volume), (2, 0.0));
        // The other diagonal on the back does not cancel triangle by triangle: closed, without volume.
        let back = (sheet.0.clone(), vec![[0, 1, 2], [1, 3, 2]]);
        let h = health(&join(&[sheet, back]));
        assert_eq!((h.closed_components, h.duplicate_triangles, h.volume), (1, 0, 0.0));
    }

    #[test]
    fn a_doubled_cube_is_still_a_solid() {
        let soup = cube(DVec3::ZERO, 1.0);
        let h = health(&join(&[soup.clone(), soup.clone()]));
        assert_eq!((h.closed_components, h.duplicate_triangles, h.non_manifold_edges), (1, 12, 18));
        assert!((h.volume - 2.0).abs() < 1e-12);
        assert!(!health(&join(&[soup.clone(), reversed(&soup)])).closed());
    }

    #[test]
    fn a_shared_edge_connects_and_a_shared_vertex_does_not() {
        let first = cube(DVec3::ZERO, 1.0);
        let edge = join(&[first.clone(), cube(DVec3::new(1.0, 1.0, 0.0), 1.0)]);
        let h = health(&edge);
        assert_eq!((h.vertices, h.closed_components, h.non_manifold_edges), (14, 1, 1));
        let vertex = join(&[first, cube(DVec3::ONE, 1.0)]);
        let t = topology(&vertex);
        let solid = Component { triangles: 12, closed: true, open_edges: 0 };
        assert_eq!(t.components, [solid.clone(), solid]);
        assert_eq!(t.component_of, [[0; 12], [1; 12]].concat());
    }

    #[test]
    fn degenerate_triangles_change_nothing_but_their_count() {
        let mut soup = cube(DVec3::ZERO, 1.0);
        soup.1.extend([[0, 0, 1], [0, 1, 1], [7, 7, 7]]);
        let h = health(&soup);
        assert_eq!((h.closed_components, h.open_components, h.open_edges), (1, 1, 0));
        assert_eq!((h.degenerate_triangles, h.non_manifold_edges, h.duplicate_triangles), (3, 0, 0));
        assert!((h.volume - 1.0).abs() < 1e-12);
        // The lone point is a component of its own: it has no edge.
        assert_eq!(topology(&soup).component_of[12..], [0, 0, 1]);
    }

    #[test]
    fn degenerate_triangles_alone_are_open() {
        let line = vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        assert_eq!(health(&(line.clone(), vec![[0, 0, 1], [1, 0, 1]])).closed_components, 0);
        // Three distinct collinear corners are an oriented triangle with three open edges.
        let h = health(&(line, vec![[0, 1, 2]]));
        assert_eq!((h.degenerate_triangles, h.open_edges), (1, 3));
    }

    #[test]
    fn a_moebius_strip_cannot_be_oriented() {
        let n = 9;
        let rim = |i: u32, side: f64| {
            let turn = f64::from(i) * std::f64::consts::TAU / f64::from(n);
            let radius = 2.0 + side * libm::cos(turn / 2.0);
            DVec3::new(radius * libm::cos(turn), radius * libm::sin(turn), side * libm::sin(turn / 2.0))
        };
        let vertices = (0..n).flat_map(|i| [rim(i, -0.5), rim(i, 0.5)]).collect();
        let triangles = (0..n)
            .flat_map(|i| {
                let (a, b) = (2 * i, 2 * i + 1);
                // The last piece joins the first with its sides exchanged.
                let (c, d) = if i + 1 == n { (1, 0) } else { (a + 2, b + 2) };
                [[a, b, c], [c, b, d]]
            })
            .collect();
        let h = health(&(vertices, triangles));
        assert_eq!((h.open_components, h.inconsistent_edges, h.non_manifold_edges), (1, 1, 0));
        assert_eq!(h.open_edges, 2 * n + 1);
    }

    #[test]
    fn a_cavity_takes_its_volume_away() {
        let inner = reversed(&cube(DVec3::ONE, 1.0));
        let h = health(&join(&[cube(DVec3::ZERO, 3.0), inner]));
        assert_eq!((h.closed_components, h.open_edges), (2, 0));
        assert!((h.volume - 26.0).abs() < 1e-12);
        assert!((h.area - 60.0).abs() < 1e-12);
    }

    #[test]
    fn duplicates_count_in_any_order_of_corners() {
        let (vertices, _) = cube(DVec3::ZERO, 1.0);
        let h = health(&(vertices, vec![[0, 1, 2], [2, 0, 1], [0, 2, 1], [3, 2, 1]]));
        assert_eq!(h.duplicate_triangles, 2);
    }
}
