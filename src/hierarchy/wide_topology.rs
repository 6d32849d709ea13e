//! Which triangles share a box: binary splits by binned surface-area heuristic (Wald 2007), opened eight wide.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use super::wide_tree::{Child, LEAF};
use crate::ids::to_u32;
use crate::lanes::LANES;
use crate::scene::Mesh;

/// Groups deeper than this many splits are halved by position in the list; that bounds the depth, by this
/// and 32 more.
const DEEPEST_SAH_SPLIT: u32 = 64;

const BINS: usize = 16;

/// The tree without its boxes.
pub(super) struct Topology {
    /// Per block, in depth-first order.
    pub children: Vec<[u32; LANES]>,
    /// Triangles in the order of the leaves.
    pub triangles: Vec<u32>,
}

/// A triangle's box, in normal coordinates rounded to f32: topology decides no answer.
#[derive(Clone, Copy)]
struct Item {
    lo: Vec3,
    hi: Vec3,
    triangle: u32,
}

#[derive(Clone, Copy)]
struct Bounds {
    lo: Vec3,
    hi: Vec3,
}

/// A range of items that is to be a child.
#[derive(Clone, Copy)]
struct Group {
    first: usize,
    end: usize,
    depth: u32,
    area: f32,
}

impl Bounds {
    const EMPTY: Self = Self { lo: Vec3::INFINITY, hi: Vec3::NEG_INFINITY };

    fn with(self, lo: Vec3, hi: Vec3) -> Self {
        Self { lo: self.lo.min(lo), hi: self.hi.max(hi) }
    }

    /// Half of the surface area.
    fn area(self) -> f32 {
        let d = self.hi - self.lo;
        d.x * d.y + d.y * d.z + d.z * d.x
    }
}

impl Group {
    fn of(items: &[Item], first: usize, end: usize, depth: u32) -> Self {
        let bounds = items[first..end].iter().fold(Bounds::EMPTY, |b, item| b.with(item.lo, item.hi));
        Self { first, end, depth, area: bounds.area() }
    }

    /// By area, and then by number.
    fn larger(&self, other: &Self) -> Ordering {
        self.area.total_cmp(&other.area).then(self.len().cmp(&other.len()))
    }

    fn len(&self) -> usize {
        self.end - self.first
    }
}

impl Topology {
    /// Of a mesh, through its normal coordinates.
    pub(super) fn build(mesh: &Mesh, normal: impl Fn(DVec3) -> DVec3) -> Self {
        let mut items: Vec<Item> = (0..to_u32(mesh.triangles().len()))
            .map(|triangle| {
                let [a, b, c] = mesh.corners(triangle).map(|v| normal(v).as_vec3());
                Item { lo: a.min(b).min(c), hi: a.max(b).max(c), triangle }
            })
            .collect();
        let mut children = vec![[Child::None.code(); LANES]];
        let everything = Group::of(&items, 0, items.len(), 0);
        children[0][0] = child(&mut items, everything, &mut children);
        Self { children, triangles: items.iter().map(|item| item.triangle).collect() }
    }
}

/// Adds the blocks of a group, if it needs any, and returns its code.
fn child(items: &mut [Item], group: Group, children: &mut Vec<[u32; LANES]>) -> u32 {
    if group.len() <= LEAF as usize {
        return Child::Leaf { first: to_u32(group.first), count: to_u32(group.len()) }.code();
    }
    let block = children.len();
    children.push([Child::None.code(); LANES]);
    let mut groups = vec![group];
    while groups.len() < LANES {
        let splittable = (0..groups.len()).filter(|&i| groups[i].len() > LEAF as usize);
        let Some(i) = splittable.max_by(|&i, &j| Group::larger(&groups[i], &groups[j])) else { break };
        let Group { first, end, depth, .. } = groups[i];
        let middle = first + split(&mut items[first..end], depth);
        groups[i] = Group::of(items, first, middle, depth + 1);
        groups.insert(i + 1, Group::of(items, middle, end, depth + 1));
    }
    for (lane, group) in groups.into_iter().enumerate() {
        children[block][lane] = child(items, group, children);
    }
    Child::Block(to_u32(block)).code()
}

/// Reorders the items so that those before the returned number, neither 0 nor all, are one half.
fn split(items: &mut [Item], depth: u32) -> usize {
    let half = items.len() / 2;
    if depth >= DEEPEST_SAH_SPLIT {
        return half;
    }
    let twice_center = |item: &Item| item.lo + item.hi;
    let range = items.iter().fold(Bounds::EMPTY, |b, item| b.with(twice_center(item), twice_center(item)));
    let scale = (BINS as f32 * 0.999) / (range.hi - range.lo).max(Vec3::splat(f32::MIN_POSITIVE));
    let bin = |item: &Item, axis: usize| {
        (((twice_center(item) - range.lo)[axis] * scale[axis]) as usize).min(BINS - 1)
    };
    let mut bins = [[(Bounds::EMPTY, 0); BINS]; 3];
    for item in items.iter() {
        for (axis, bins) in bins.iter_mut().enumerate() {
            let (bounds, count) = &mut bins[bin(item, axis)];
            *bounds = bounds.with(item.lo, item.hi);
            *count += 1;
        }
    }
    let mut best = (f32::INFINITY, 0, 0);
    for (axis, bins) in bins.iter().enumerate() {
        let mut right = [0.0; BINS];
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        for i in (1..BINS).rev() {
            bounds = bounds.with(bins[i].0.lo, bins[i].0.hi);
            count += bins[i].1;
            right[i] = if count == 0 { f32::INFINITY } else { bounds.area() * count as f32 };
        }
        (bounds, count) = (Bounds::EMPTY, 0);
        for i in 1..BINS {
            bounds = bounds.with(bins[i - 1].0.lo, bins[i - 1].0.hi);
            count += bins[i - 1].1;
            let left = if count == 0 { f32::INFINITY } else { bounds.area() * count as f32 };
            if left + right[i] < best.0 {
                best = (left + right[i], axis, i);
            }
        }
    }
    let (cost, axis, first) = best;
    if cost == f32::INFINITY {
        return half;
    }
    let mut left = 0;
    for i in 0..items.len() {
        if bin(&items[i], axis) < first {
            items.swap(i, left);
            left += 1;
        }
    }
    left
}
