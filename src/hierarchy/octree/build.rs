//! Decides which triangles share a box: cells of vertices, cut until they are small, and the triangles of which those are
//! the lowest vertices.

use crate::hierarchy::wide_topology::{Child, LEAF, NormalFrame, Partition};
use crate::ids::to_u32;
use crate::lanes::LANES;
use crate::mesh::Mesh;

use super::cells::{Cells, Holder};

/// Number of vertices up to which a cell is not cut. The paper gives none.
const THRESHOLD: usize = 8;

/// Number of cuts after which a cell is not cut again. Boxes in f32 cannot tell smaller cells apart.
const DEEPEST: u32 = 64;

/// A block without boxes.
const EMPTY: [u32; LANES] = [Child::None.code(); LANES];

/// Partitions a mesh by cells. Their parts that hold no triangles are left out.
pub fn partition<C: Cells>(mesh: &Mesh, frame: &NormalFrame) -> Partition {
    let held = Held::of(mesh);
    let mut holders: Vec<Holder> = (0..)
        .zip(mesh.vertices())
        .filter(|&(vertex, _)| !held.by(vertex).is_empty())
        .map(|(vertex, &v)| Holder { at: frame.enter(v), vertex })
        .collect();
    let triangles = Vec::with_capacity(mesh.triangles().len());
    let mut growing = Growing { held, children: vec![EMPTY], triangles };
    growing.children[0][0] = growing.cell::<C>(&mut holders, 0);
    Partition { children: growing.children, triangles: growing.triangles }
}

/// The triangles of each vertex: those of which it is the lowest.
struct Held {
    /// Triangles by their lowest vertices.
    triangles: Vec<u32>,
    /// The number of triangles before those of each vertex, and of all.
    before: Vec<u32>,
}

impl Held {
    fn of(mesh: &Mesh) -> Self {
        let lowest = |[a, b, c]: [u32; 3]| a.min(b).min(c) as usize;
        let mut before = vec![0; mesh.vertices().len() + 1];
        for &corners in mesh.triangles() {
            before[lowest(corners) + 1] += 1;
        }
        for vertex in 1..before.len() {
            before[vertex] += before[vertex - 1];
        }
        let mut next = before.clone();
        let mut triangles = vec![0; mesh.triangles().len()];
        for (triangle, &corners) in (0..).zip(mesh.triangles()) {
            let place = &mut next[lowest(corners)];
            triangles[*place as usize] = triangle;
            *place += 1;
        }
        Self { triangles, before }
    }

    fn by(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.triangles[self.before[vertex] as usize..self.before[vertex + 1] as usize]
    }
}

/// A partition that grows depth first.
struct Growing {
    held: Held,
    children: Vec<[u32; LANES]>,
    triangles: Vec<u32>,
}

impl Growing {
    /// Adds a cell after `cuts` cuts, and returns its code.
    fn cell<C: Cells>(&mut self, holders: &mut [Holder], cuts: u32) -> u32 {
        if holders.len() <= THRESHOLD || cuts == DEEPEST {
            return self.leaf(holders);
        }
        let parts = C::cut(holders);
        if parts.contains(&holders.len()) {
            return self.leaf(holders); // equal vertices cannot be cut
        }
        let block = self.children.len();
        self.children.push(EMPTY);
        let mut rest = holders;
        for (lane, count) in parts.into_iter().filter(|&count| count > 0).enumerate() {
            let (part, after) = rest.split_at_mut(count);
            rest = after;
            self.children[block][lane] = self.cell::<C>(part, cuts + 1);
        }
        Child::Block(to_u32(block)).code()
    }

    /// Adds the triangles of a cell that is not cut.
    fn leaf(&mut self, holders: &mut [Holder]) -> u32 {
        holders.sort_unstable_by_key(|holder| holder.vertex);
        let first = self.triangles.len();
        for holder in holders {
            self.triangles.extend_from_slice(self.held.by(holder.vertex));
        }
        self.share(to_u32(first), to_u32(self.triangles.len() - first))
    }

    /// Adds boxes over a cell's triangles, which are in the list already: one for every two triangles in a row, and
    /// boxes around those where there are more than a block has room for.
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
