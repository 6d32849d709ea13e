//! Building the tree, by the paper's recipe (Lin et al. 1997, section 4.2.1) or a variation of it.

use std::ops::RangeInclusive;

use glam::DVec3;

use super::{BinaryObb, ObbNode};
use closefit::internals::bvh::largest_coordinate;
use closefit::internals::bvh::spread::Spread;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::hull::convex_hull::Hull;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;
use closefit_geometry::mesh::Mesh;

/// The alignment of boxes and the split of groups of triangles. No answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The directions of a box.
    pub fit: Fit,
    /// Aligns groups of every size with their hull, if [`fit`](Self::fit) says so. Otherwise the groups of a
    /// few triangles, and of very many, are aligned with their own surface.
    pub every_hull: bool,
    /// Takes the box along the coordinate axes where it has less surface: the covariance of a cube has no
    /// direction of its own.
    pub aligned_if_smaller: bool,
    /// The plane between two children.
    pub split: Split,
    /// The largest number of triangles in a leaf.
    pub leaf: u32,
    /// Halves groups that no plane splits by position in the list. Otherwise they stay in one leaf, which
    /// makes the time of a search grow with the square of their size.
    pub halves: bool,
}

/// The points whose covariance aligns a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The surface of the triangles.
    Triangles,
    /// The vertices of their convex hull, as the paper's formula has it.
    HullVertices,
    /// The surface of their convex hull, as the paper's text has it.
    HullSurface,
}

/// The place, along an axis of a group's box, of the plane that splits it. Triangles go by their centres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Split at the mean of the centres.
    Mean,
    /// Midway between the least and the greatest centre.
    MinMax,
    /// The one of 32 evenly spaced planes whose larger child is smallest: the surface of its box along the
    /// parent's axes.
    LargerChild,
}

impl Recipe {
    /// The recipe of `--tree rapid`: the tightest boxes.
    pub const DEFAULT: Self = Self {
        fit: Fit::HullSurface,
        every_hull: false,
        aligned_if_smaller: true,
        split: Split::Mean,
        leaf: 2,
        halves: true,
    };

    /// The recipe as the paper prints it.
    pub const PRINTED: Self = Self {
        fit: Fit::HullVertices,
        every_hull: true,
        aligned_if_smaller: false,
        split: Split::Mean,
        leaf: 1,
        halves: false,
    };
}

/// Groups deeper than this are halved by position in the list, if at all. Splitting at the mean peels off
/// single triangles where sizes grow geometrically; halving bounds the depth by this plus 32.
pub(super) const DEEPEST_SPLIT: u32 = 64;

/// Sizes of groups that are aligned with their hull unless all are. A few triangles have no inside that could
/// mislead, and the hull of very many takes long.
const HULL_SIZES: RangeInclusive<usize> = 8..=100_000;

/// Number of planes that [`Split::LargerChild`] tries along an axis.
const PLANES: usize = 32;

impl BinaryObb {
    /// Builds the tree by a recipe. The same mesh and recipe give the same tree.
    pub fn build_as(mesh: &Mesh, recipe: &Recipe) -> Self {
        let count = to_u32(mesh.triangles().len());
        let mut triangles: Vec<u32> = (0..count).collect();
        // A node holds its group's range until it is processed.
        let pending = |first, count| {
            let obb = Obb { center: DVec3::ZERO, axes: Obb::COORDINATE_AXES, half: DVec3::ZERO };
            ObbNode { obb, first, count }
        };
        let mut nodes = vec![pending(0, count)];
        let mut stack = vec![(0, 0)];
        let mut group = Group::new(mesh);
        while let Some((index, depth)) = stack.pop() {
            let ObbNode { first, count, .. } = nodes[index];
            let members = &mut triangles[first as usize..(first + count) as usize];
            group.gather(members, to_u32(index));
            let obb = group.fit(recipe);
            let left = if count <= recipe.leaf {
                None
            } else {
                group.split(members, &obb, depth, recipe).map(to_u32)
            };
            let children = to_u32(nodes.len());
            nodes[index] = match left {
                None => ObbNode { obb, first, count },
                Some(left) => {
                    nodes.push(pending(first, left));
                    nodes.push(pending(first + left, count - left));
                    let left_child = children as usize;
                    stack.extend([(left_child + 1, depth + 1), (left_child, depth + 1)]);
                    ObbNode { obb, first: children, count: 0 }
                }
            };
        }
        nodes.shrink_to_fit();
        let largest_coordinate = largest_coordinate(mesh.vertices());
        Self { nodes, triangles, largest_coordinate }
    }
}

/// The triangles of one node and their distinct vertices; reused from node to node.
struct Group<'m> {
    mesh: &'m Mesh,
    /// 1 + the last node that gathered a vertex, by vertex.
    gathered: Vec<u32>,
    points: Vec<DVec3>,
    corners: Vec<[DVec3; 3]>,
}

impl<'m> Group<'m> {
    fn new(mesh: &'m Mesh) -> Self {
        Self { mesh, gathered: vec![0; mesh.vertices().len()], points: Vec::new(), corners: Vec::new() }
    }

    fn gather(&mut self, members: &[u32], node: u32) {
        self.points.clear();
        self.corners.clear();
        for &triangle in members {
            let vertices = self.mesh.triangles()[triangle as usize];
            for v in vertices.map(|v| v as usize) {
                if self.gathered[v] != node + 1 {
                    self.gathered[v] = node + 1;
                    self.points.push(self.mesh.vertices()[v]);
                }
            }
            self.corners.push(vertices.map(|v| self.mesh.vertices()[v as usize]));
        }
    }

    fn fit(&self, recipe: &Recipe) -> Obb {
        let around = |axes| Obb::around(self.points.iter().copied(), axes);
        let fitted = around(self.axes(recipe));
        if !recipe.aligned_if_smaller {
            return fitted;
        }
        let aligned = around(Obb::COORDINATE_AXES);
        if fitted.area() < aligned.area() { fitted } else { aligned }
    }

    fn axes(&self, Recipe { fit, every_hull, .. }: &Recipe) -> [DVec3; 3] {
        let origin = self.points[0];
        let with = |spread: Spread, t: Triangle| spread.with(Spread::of_triangle(t.map(|p| p - origin)));
        let of_points = |points: &mut dyn Iterator<Item = DVec3>| {
            points.map(|p| Spread::of_point(p - origin)).fold(Spread::NONE, Spread::with)
        };
        let is_wanted = *every_hull || HULL_SIZES.contains(&self.corners.len());
        // No hull beyond the range of exact predicates.
        let hull = if *fit == Fit::Triangles || !is_wanted { None } else { Hull::of(&self.points) };
        let spread = match (fit, hull) {
            (Fit::HullVertices, Some(hull)) => {
                let mut corners = hull.triangles().concat();
                corners.sort_unstable();
                corners.dedup();
                of_points(&mut corners.into_iter().map(|v| self.points[v as usize]))
            }
            (_, Some(hull)) => {
                let faces = hull.triangles().into_iter().map(|face| face.map(|v| self.points[v as usize]));
                faces.fold(Spread::NONE, with)
            }
            (_, None) => self.corners.iter().copied().fold(Spread::NONE, with),
        };
        // Triangles without area have the spread of their points.
        let spread = if spread.weight > 0.0 { spread } else { of_points(&mut self.points.iter().copied()) };
        spread.axes()
    }

    /// Moves the triangles whose centres lie below a plane to the front. Returns their number, which is
    /// neither 0 nor all; `None` if no plane splits them.
    fn split(&self, members: &mut [u32], obb: &Obb, depth: u32, recipe: &Recipe) -> Option<usize> {
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| obb.half[j].total_cmp(&obb.half[i]));
        for axis in order.into_iter().filter(|_| depth < DEEPEST_SPLIT || !recipe.halves) {
            let along = |triangle: u32| {
                let [p, q, r] = self.mesh.corners(triangle).map(|p| (p - obb.center).dot(obb.axes[axis]));
                p + q + r
            };
            let plane = match recipe.split {
                Split::Mean => members.iter().map(|&t| along(t)).sum::<f64>() / members.len() as f64,
                Split::MinMax => {
                    let [least, most] = range(members.iter().map(|&t| along(t)));
                    0.5 * least + 0.5 * most
                }
                Split::LargerChild => self.plane_of_smallest_children(members, obb, along),
            };
            let mut left = 0;
            for i in 0..members.len() {
                if along(members[i]) < plane {
                    members.swap(i, left);
                    left += 1;
                }
            }
            if left > 0 && left < members.len() {
                return Some(left);
            }
        }
        recipe.halves.then_some(members.len() / 2)
    }

    /// Returns the plane of [`Split::LargerChild`]; NaN if none has triangles on both sides.
    fn plane_of_smallest_children(&self, members: &[u32], obb: &Obb, along: impl Fn(u32) -> f64) -> f64 {
        let centers: Vec<f64> = members.iter().map(|&t| along(t)).collect();
        let [least, most] = range(centers.iter().copied());
        let corners: Vec<[DVec3; 3]> = (members.iter())
            .map(|&t| self.mesh.corners(t).map(|p| obb.axes.map(|axis| (p - obb.center).dot(axis)).into()))
            .collect();
        let mut best = (f64::INFINITY, f64::NAN);
        for k in 1..=PLANES {
            let plane = least + (most - least) * (k as f64 / (PLANES + 1) as f64);
            let mut sides = [[DVec3::INFINITY, DVec3::NEG_INFINITY]; 2];
            for (t, &center) in corners.iter().zip(&centers) {
                let [lo, hi] = &mut sides[usize::from(center >= plane)];
                for &p in t {
                    (*lo, *hi) = (lo.min(p), hi.max(p));
                }
            }
            // A side without triangles has a box of infinite surface.
            let larger = sides.map(|[lo, hi]| surface(hi - lo)).into_iter().fold(0.0, f64::max);
            if larger < best.0 {
                best = (larger, plane);
            }
        }
        best.1
    }
}

/// Returns the least and the greatest of some numbers.
fn range(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], x| [least.min(x), most.max(x)])
}

/// Returns half the surface of a box with these sides; infinity if they are inverted.
fn surface(sides: DVec3) -> f64 {
    let DVec3 { x, y, z } = sides;
    if x < 0.0 { f64::INFINITY } else { x * y + y * z + z * x }
}
