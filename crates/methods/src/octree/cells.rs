//! The two ways of Ponamgi, Manocha and Lin (1995, section 4.5) to cut a cell of vertices into parts, some
//! along each axis.

use std::fmt::Debug;

use closefit_geometry::bounds::aabb::Aabb;

use glam::DVec3;

/// A vertex of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Its normal coordinates.
    pub at: DVec3,
    /// Its index in the mesh.
    pub index: u32,
}

/// A part of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The number of its vertices.
    pub count: usize,
    /// Its share of the cell's region, without the lower sides. The parts' shares cover the region.
    pub region: Aabb,
}

/// A rule that cuts cells.
pub trait Cells: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Name of the kind of tree as typed and printed.
    const NAME: &'static str;

    /// Sorts the vertices of a cell by its parts, and returns these in order: so many along each axis, or
    /// fewer if the rule finds fewer.
    fn cut(vertices: &mut [Vertex], region: &Aabb, parts: [u32; 3]) -> Vec<Part>;
}

/// Equal parts: evenly spaced planes through the box of the cell's vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform;

impl Cells for Uniform {
    const NAME: &'static str = "octree";

    /// Parts along x come first, then those along y.
    fn cut(vertices: &mut [Vertex], region: &Aabb, parts: [u32; 3]) -> Vec<Part> {
        let Aabb { lo, hi } = Aabb::of(vertices.iter().map(|vertex| vertex.at));
        let plane = |axis: usize, k: u32| {
            let share = f64::from(k) / f64::from(parts[axis]);
            lo[axis] * (1.0 - share) + hi[axis] * share
        };
        let [nx, ny, nz] = parts;
        let part = |vertex: &Vertex| {
            let [x, y, z] = [0, 1, 2]
                .map(|axis| (1..parts[axis]).filter(|&k| vertex.at[axis] > plane(axis, k)).count() as u32);
            (x + nx * (y + ny * z)) as usize
        };
        vertices.sort_by_cached_key(part);
        let side = |axis: usize, k: u32| match k {
            0 => region.lo[axis],
            k if k == parts[axis] => region.hi[axis],
            k => plane(axis, k),
        };
        let corner = |at: [u32; 3]| DVec3::from_array([0, 1, 2].map(|axis| side(axis, at[axis])));
        let region = |i: u32| {
            let at = [i % nx, i / nx % ny, i / nx / ny];
            Aabb { lo: corner(at), hi: corner(at.map(|k| k + 1)) }
        };
        let mut found: Vec<Part> = (0..nx * ny * nz).map(|i| Part { count: 0, region: region(i) }).collect();
        vertices.iter().for_each(|vertex| found[part(vertex)].count += 1);
        found
    }
}

/// Parts with equally many vertices: quantiles in x, within each of these in y, within each of those in z.
/// Among equal coordinates the lower vertex comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Median;

impl Cells for Median {
    const NAME: &'static str = "octree-median";

    /// Parts along z come first, then those along y. None is without vertices.
    fn cut(vertices: &mut [Vertex], region: &Aabb, parts: [u32; 3]) -> Vec<Part> {
        let mut found = Vec::new();
        for (in_x, region) in quantiles(vertices, region, 0, parts[0]) {
            for (in_y, region) in quantiles(in_x, &region, 1, parts[1]) {
                let in_z = quantiles(in_y, &region, 2, parts[2]).into_iter();
                found.extend(in_z.map(|(part, region)| Part { count: part.len(), region }));
            }
        }
        found
    }
}

/// Cuts vertices and their region along an axis into parts with equally many vertices, the first ones one
/// more if need be. Planes pass through the first vertex after them. There are no more parts than vertices.
fn quantiles<'v>(
    vertices: &'v mut [Vertex],
    region: &Aabb,
    axis: usize,
    parts: u32,
) -> Vec<(&'v mut [Vertex], Aabb)> {
    let all = vertices.len();
    let parts = all.min(parts as usize);
    // Adding 0 makes -0 equal to it.
    let along = |vertex: &Vertex| vertex.at[axis] + 0.0;
    let (mut rest, mut region) = (vertices, *region);
    let mut found = Vec::with_capacity(parts);
    for k in 1..parts {
        let count = (all * k).div_ceil(parts) - (all - rest.len());
        rest.select_nth_unstable_by(count, |p, q| along(p).total_cmp(&along(q)).then(p.index.cmp(&q.index)));
        let (part, after) = rest.split_at_mut(count);
        let mut lower = region;
        lower.hi[axis] = along(&after[0]);
        region.lo[axis] = lower.hi[axis];
        found.push((part, lower));
        rest = after;
    }
    found.push((rest, region));
    found
}
