//! Decides which triangles share a box. Large groups are split eight wide from the top; groups that fit in
//! the cache first become binary trees, which are then cut into blocks at least cost.

use super::Child;
use super::binary::Binary;
use super::items::{Bounds, SplitItem, is_leaf, reframe};
use super::normal_frame::NormalFrame;
use super::pairs::pairs;
use super::surface_area::split;
use crate::bvh::Tell;
use closefit_geometry::ids::to_u32;
use closefit_geometry::lanes::LANES;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::parallel;

/// Largest group that becomes a binary tree.
const CHUNK: usize = 2048;

/// Groups smaller than this share of their frame get a frame of their own, so that f32 can tell their centres
/// apart.
const SMALL: f32 = 1.0 / 1024.0;

/// The tree before its boxes are fitted.
pub struct Partition {
    /// The children of each block, in depth-first order.
    pub children: Vec<[u32; LANES]>,
    /// Triangles in the order of the leaves.
    pub triangles: Vec<u32>,
}

/// Items that become one child.
struct Group<'a> {
    items: &'a mut [SplitItem],
    /// Number of the first item among all items.
    first: usize,
    /// Number of splits that led here.
    depth: u32,
    bounds: Bounds,
}

impl Partition {
    /// Decides which triangles of a mesh share a box. `frame` is the frame of the mesh's box. Tells how many
    /// triangles have their places.
    pub fn build(mesh: &Mesh, frame: &NormalFrame, tell: Tell) -> Self {
        let pairs = pairs(mesh);
        let mut items: Vec<SplitItem> = parallel::gather(pairs.len(), CHUNK, |run, items| {
            items.extend(pairs[run].iter().map(|&pair| SplitItem::of(mesh, frame, pair)));
        });
        let bounds = Bounds::of(&items);
        let below = Group { items: &mut items, first: 0, depth: 0, bounds }.build(mesh, tell);
        let mut root = [Child::None.code(); LANES];
        let mut children = vec![root];
        root[0] = append(&mut children, below);
        children[0] = root;
        let triangles = name_triangles(&mut children, &items, mesh.triangles().len());
        Self { children, triangles }
    }
}

/// A leaf, or blocks numbered from 0. Leaves count items.
enum Below {
    Leaf(u32),
    Blocks(Vec<[u32; LANES]>),
}

impl Group<'_> {
    fn build(self, mesh: &Mesh, tell: Tell) -> Below {
        let Self { items, first, depth, bounds } = self;
        if is_leaf(items) {
            return Below::Leaf(Child::Leaf { first: to_u32(first), count: to_u32(items.len()) }.code());
        }
        if bounds.size() < SMALL && Bounds::of(items.iter()).size() < SMALL {
            reframe(mesh, items); // the first bounds may be a sample's
        }
        let mut children = Vec::new();
        if items.len() <= CHUNK {
            Binary::grow(items, first, depth).cut(&mut children);
            tell(items.iter().map(|item| item.count() as usize).sum());
            return Below::Blocks(children);
        }
        let bounds = Bounds::of(items.iter().step_by(1 + items.len() / CHUNK));
        let mut groups = Vec::with_capacity(LANES);
        groups.push(Self { items, first, depth, bounds });
        while groups.len() < LANES {
            // The list has more than LANES * LEAF items, so there always is one to split.
            let splittable = (0..groups.len()).filter(|&i| !is_leaf(groups[i].items));
            let area = |i: usize| (groups[i].bounds.area(), groups[i].items.len());
            let larger = |&i: &usize, &j: &usize| {
                let (a, b) = (area(i), area(j));
                a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
            };
            let Some(i) = splittable.max_by(larger) else { break };
            let Self { items, first, depth, .. } = groups.remove(i);
            let mut halves = [Bounds::EMPTY; 2];
            let middle = split(items, depth, &mut halves);
            let [left, right] = halves;
            let (before, after) = items.split_at_mut(middle);
            let depth = depth + 1;
            groups.insert(i, Self { items: after, first: first + middle, depth, bounds: right });
            groups.insert(i, Self { items: before, first, depth, bounds: left });
        }
        let below = parallel::map_owned(groups, 1, |_, group| group.build(mesh, tell));
        let mut block = [Child::None.code(); LANES];
        children.push(block);
        for (lane, below) in block.iter_mut().zip(below) {
            *lane = append(&mut children, below);
        }
        children[0] = block;
        Below::Blocks(children)
    }
}

/// Renumbers leaves, which so far count items, to count triangles. Returns the triangles in the order of the
/// items.
fn name_triangles(children: &mut [[u32; LANES]], items: &[SplitItem], count: usize) -> Vec<u32> {
    let mut triangles = Vec::with_capacity(count);
    let mut before = Vec::with_capacity(items.len() + 1);
    before.push(0);
    for item in items {
        let [first, second] = item.pair();
        triangles.push(first);
        if first != second {
            triangles.push(second);
        }
        before.push(to_u32(triangles.len()));
    }
    for code in children.as_flattened_mut() {
        if let Child::Leaf { first, count } = Child::of(*code) {
            let [first, end] = [first, first + count].map(|item| before[item as usize]);
            *code = Child::Leaf { first, count: end - first }.code();
        }
    }
    triangles
}

/// Appends blocks and returns the code of their root.
fn append(children: &mut Vec<[u32; LANES]>, below: Below) -> u32 {
    let blocks = match below {
        Below::Leaf(code) => return code,
        Below::Blocks(blocks) => blocks,
    };
    let start = to_u32(children.len());
    children.extend(blocks.into_iter().map(|block| {
        block.map(|code| match Child::of(code) {
            Child::Block(child) => Child::Block(start + child).code(),
            _ => code,
        })
    }));
    Child::Block(start).code()
}
