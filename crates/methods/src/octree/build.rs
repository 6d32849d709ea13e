//! Builds the partition: cells of vertices, cut by a recipe until they are small, and the triangles of each
//! cell.

use super::cells::{Cells, Vertex};
use super::faces::{Faces, Listed};
use super::recipe::Recipe;
use crate::volumes::{Contents, SharedOut};
use closefit::internals::bvh::wide_topology::{Child, LEAF, NormalFrame, Partition};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::hull::features::Features;
use closefit_geometry::ids::to_u32;
use closefit_geometry::lanes::LANES;
use closefit_geometry::mesh::Mesh;

use glam::DVec3;

/// A block without boxes.
const EMPTY: [u32; LANES] = [Child::None.code(); LANES];

/// All of space.
const EVERYWHERE: Aabb = Aabb { lo: DVec3::NEG_INFINITY, hi: DVec3::INFINITY };

/// Partitions a mesh by cells, by a valid recipe. Parts of cells that hold no triangles are left out.
pub fn partition<C: Cells, F: Faces>(mesh: &Mesh, frame: &NormalFrame, recipe: &Recipe) -> Contents {
    let cells = recipe.sorts_faces.then(Vec::new);
    let mut trees = Trees { recipe, frame, children: vec![EMPTY], listed: Listed::default(), cells };
    let code = match recipe.subsets.then(|| subsets(mesh)) {
        Some(subsets) if subsets.len() > 1 => trees.over::<C, F>(mesh, &subsets),
        _ => trees.tree::<C, F>(mesh),
    };
    trees.children[0][0] = code;
    let Trees { children, listed: Listed { triangles, pieces }, cells, .. } = trees;
    Contents { partition: Partition { children, triangles }, pieces, cells }
}

/// Returns the triangles of each part of the surface that is connected and lies on the hull, or off it
/// (Ponamgi, Manocha and Lin 1995, section 4.3), ascending. All are one part where there is no hull.
fn subsets(mesh: &Mesh) -> Vec<Vec<u32>> {
    let Some(features) = Features::of(mesh) else {
        return vec![(0..to_u32(mesh.triangles().len())).collect()];
    };
    let mut subsets = vec![Vec::new(); features.subsets.len()];
    for (triangle, &subset) in (0..).zip(&features.subset_of) {
        subsets[subset as usize].push(triangle);
    }
    subsets
}

/// Returns the mesh of some triangles, with their vertices in the same order.
fn part(mesh: &Mesh, triangles: &[u32]) -> Mesh {
    let corners = || triangles.iter().map(|&t| mesh.triangles()[t as usize]);
    let mut used: Vec<u32> = corners().flatten().collect();
    used.sort_unstable();
    used.dedup();
    let vertices: Vec<DVec3> = used.iter().map(|&v| mesh.vertices()[v as usize]).collect();
    let place = |v: u32| to_u32(used.binary_search(&v).expect("it is used"));
    let corners: Vec<[u32; 3]> = corners().map(|corners| corners.map(place)).collect();
    Mesh::new(&vertices, &corners).expect("part of a mesh")
}

/// Trees in one list of blocks.
struct Trees<'r> {
    recipe: &'r Recipe,
    frame: &'r NormalFrame,
    children: Vec<[u32; LANES]>,
    listed: Listed,
    cells: Option<Vec<SharedOut>>,
}

impl Trees<'_> {
    /// Adds a tree of a mesh, and returns the code of its root.
    fn tree<C: Cells, F: Faces>(&mut self, mesh: &Mesh) -> u32 {
        let (faces, all) = F::of(mesh, self.frame);
        let mut vertices: Vec<Vertex> = (0..)
            .zip(mesh.vertices())
            .filter(|&(index, _)| faces.counts(index))
            .map(|(index, &v)| Vertex { at: self.frame.enter(v), index })
            .collect();
        let (children, listed) = (std::mem::take(&mut self.children), std::mem::take(&mut self.listed));
        let cells = self.cells.take();
        let mut growing = Growing { recipe: self.recipe, faces, children, listed, cells };
        let whole = Cell { vertices: &mut vertices, region: EVERYWHERE, faces: all };
        let code = growing.cell::<C>(whole, 0);
        (self.children, self.listed, self.cells) = (growing.children, growing.listed, growing.cells);
        code
    }

    /// Adds boxes over trees of some triangles of a mesh each, and returns the code of their root.
    fn over<C: Cells, F: Faces>(&mut self, mesh: &Mesh, subsets: &[Vec<u32>]) -> u32 {
        if let [subset] = subsets {
            let before = self.listed.triangles.len();
            let code = self.tree::<C, F>(&part(mesh, subset));
            for triangle in &mut self.listed.triangles[before..] {
                *triangle = subset[*triangle as usize];
            }
            return code;
        }
        let block = self.children.len();
        self.children.push(EMPTY);
        let runs = subsets.len().min(LANES);
        for lane in 0..runs {
            let [from, to] = [lane, lane + 1].map(|lane| subsets.len() * lane / runs);
            self.children[block][lane] = self.over::<C, F>(mesh, &subsets[from..to]);
        }
        Child::Block(to_u32(block)).code()
    }
}

/// A cell.
struct Cell<'v, F: Faces> {
    vertices: &'v mut [Vertex],
    /// The space that belongs to it.
    region: Aabb,
    faces: F::InCell,
}

/// A partition that grows depth first.
struct Growing<'r, F> {
    recipe: &'r Recipe,
    faces: F,
    children: Vec<[u32; LANES]>,
    listed: Listed,
    cells: Option<Vec<SharedOut>>,
}

impl<F: Faces> Growing<'_, F> {
    /// Adds a cell after `cuts` cuts, and returns its code.
    fn cell<C: Cells>(&mut self, cell: Cell<F>, cuts: u32) -> u32 {
        let Cell { vertices, region, faces } = cell;
        let Some(along) = self.recipe.parts_of(vertices.len(), cuts) else {
            return self.leaf(vertices, faces);
        };
        let parts = C::cut(vertices, &region, along);
        if parts.iter().any(|part| part.count == vertices.len()) {
            return self.leaf(vertices, faces); // equal vertices cannot be cut
        }
        let sorted = match self.faces.sort(faces, &parts) {
            Ok(sorted) => sorted,
            Err(faces) => return self.leaf(vertices, faces),
        };
        let mut rest = vertices;
        let mut cells = Vec::with_capacity(parts.len());
        for (part, faces) in parts.into_iter().zip(sorted) {
            let (vertices, after) = rest.split_at_mut(part.count);
            rest = after;
            cells.extend(faces.map(|faces| Cell { vertices, region: part.region, faces }));
        }
        self.block::<C>(cells, cuts + 1)
    }

    /// Adds a block of cells. Where there are more cells than lanes, each lane has a run of them, about
    /// equally many, in a block of its own: as few runs as have room for all, or as many as there are lanes.
    /// Neighbours along the axis by which parts are ordered last stay together: the twelve parts of 3-2-2
    /// become two blocks of six.
    fn block<C: Cells>(&mut self, cells: Vec<Cell<F>>, cuts: u32) -> u32 {
        let block = self.children.len();
        self.children.push(EMPTY);
        let count = cells.len();
        let runs = if count <= LANES { count } else { count.div_ceil(LANES).min(LANES) };
        let mut cells = cells.into_iter();
        for lane in 0..runs {
            let length = count * (lane + 1) / runs - count * lane / runs;
            let run: Vec<Cell<F>> = cells.by_ref().take(length).collect();
            self.children[block][lane] = match <[_; 1]>::try_from(run) {
                Ok([cell]) => self.cell::<C>(cell, cuts),
                Err(run) => self.block::<C>(run, cuts),
            };
        }
        Child::Block(to_u32(block)).code()
    }

    /// Adds the triangles of a cell that is not cut.
    fn leaf(&mut self, vertices: &[Vertex], faces: F::InCell) -> u32 {
        let first = self.listed.triangles.len();
        self.faces.list(vertices, faces, &mut self.listed);
        let [first, count] = [first, self.listed.triangles.len() - first].map(to_u32);
        let code = self.share(first, count);
        if let (Some(cells), Child::Block(block)) = (&mut self.cells, Child::of(code)) {
            cells.push(SharedOut { block, first, count });
        }
        code
    }

    /// Adds boxes over a cell's triangles, which are in the list already: one for every two triangles in a
    /// row, and boxes around those where there are more than a block has room for.
    fn share(&mut self, first: u32, count: u32) -> u32 {
        if count <= LEAF {
            return Child::Leaf { first, count }.code();
        }
        let block = self.children.len();
        self.children.push(EMPTY);
        let leaves = count.div_ceil(LEAF);
        let shares = leaves.min(LANES as u32);
        let start = |lane: u32| (u64::from(leaves) * u64::from(lane) / u64::from(shares)) as u32 * LEAF;
        for lane in 0..shares {
            let (from, to) = (start(lane), start(lane + 1).min(count));
            self.children[block][lane as usize] = self.share(first + from, to - from);
        }
        Child::Block(to_u32(block)).code()
    }
}
