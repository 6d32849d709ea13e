//! Oriented boxes that barely meet or barely miss along one of fifteen axes, checked with rational
//! arithmetic.

use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::arena::push_block;
use closefit::internals::bvh::wide_obb::on_device::columns::{BoxItem, GUEST_BIT, Pair};
use closefit::internals::bvh::wide_obb::on_device::kernels::{ASK_GROUP, ASK_OCTETS, BOX_BOX};
use closefit::internals::bvh::wide_obb::{Block, Child};
use closefit::internals::gpu::Kernel;
use closefit_testing::rational::rational;
use closefit_testing::rng::Rng;
use glam::{DMat3, DQuat, DVec3, Vec3};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::kernels::{OfGroups, open_blocks, open_blocks_by_groups, pair};
use crate::perturbed::{Rounding, with_rounding};

/// A box in world coordinates: centre, and axes scaled by the half extents.
pub type Placed = (DVec3, [DVec3; 3]);

/// Returns a lane's box after the map; the third axis is the cross product of the others.
pub fn placed(block: &Block, lane: usize, map: DMat3, shift: DVec3) -> Placed {
    let at = |columns: &[[f32; 8]; 3]| Vec3::from_array(columns.map(|c| c[lane])).as_dvec3();
    let center = Vec3::from_array(block.origin).as_dvec3() + at(&block.center);
    let [a, b] = [at(&block.axes[0]), at(&block.axes[1])];
    let half = at(&block.half);
    (map * center + shift, [map * a * half.x, map * b * half.y, map * a.cross(b) * half.z])
}

/// Returns the gap between two boxes along a direction; negative if they overlap.
fn gap(n: DVec3, a: &Placed, b: &Placed) -> f64 {
    let radius = |of: &Placed| of.1.iter().map(|axis| n.dot(*axis).abs()).sum::<f64>();
    n.dot(b.0 - a.0).abs() - radius(a) - radius(b)
}

/// Returns the fifteen directions that may separate two boxes, of unit length or zero.
pub fn directions(a: &Placed, b: &Placed) -> Vec<DVec3> {
    let faces = |of: &Placed| {
        [0, 1, 2].map(|i| of.1[(i + 1) % 3].normalize_or_zero().cross(of.1[(i + 2) % 3].normalize_or_zero()))
    };
    let mut found = [faces(a), faces(b)].concat();
    found.extend(a.1.iter().flat_map(|x| b.1.map(|y| x.normalize_or_zero().cross(y.normalize_or_zero()))));
    found.into_iter().map(DVec3::normalize_or_zero).collect()
}

/// A vector in rational numbers.
pub type Exact = [BigRational; 3];

/// The exact centre, axes and half extents of a box.
pub type ExactBox = (Exact, [Exact; 3], Exact);

pub fn exactly(p: [f64; 3]) -> Exact {
    p.map(rational)
}

pub fn dot(a: &Exact, b: &Exact) -> BigRational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

pub fn cross(a: &Exact, b: &Exact) -> Exact {
    std::array::from_fn(|i| &a[(i + 1) % 3] * &b[(i + 2) % 3] - &a[(i + 2) % 3] * &b[(i + 1) % 3])
}

/// Returns the exact centre, unit axes and half extents of a lane's box.
pub fn exact_box(block: &Block, lane: usize, map: &[Exact; 3], shift: &Exact) -> ExactBox {
    let at = |columns: &[[f32; 8]; 3]| exactly(columns.map(|c| f64::from(c[lane])));
    let origin = exactly(block.origin.map(f64::from));
    let center: Exact = std::array::from_fn(|i| &origin[i] + &at(&block.center)[i]);
    let mapped = |v: &Exact| -> Exact { std::array::from_fn(|i| dot(&map[i], v)) };
    let [a, b] = [at(&block.axes[0]), at(&block.axes[1])];
    let third = cross(&a, &b);
    let center = mapped(&center);
    (
        std::array::from_fn(|i| &center[i] + &shift[i]),
        [mapped(&a), mapped(&b), mapped(&third)],
        at(&block.half),
    )
}

/// Returns true if the boxes share a point. Parallelepipeds do unless one of fifteen directions separates
/// them.
pub fn meet(a: &ExactBox, b: &ExactBox) -> bool {
    let faces = |axes: &[Exact; 3]| [0, 1, 2].map(|i| cross(&axes[(i + 1) % 3], &axes[(i + 2) % 3]));
    let edges = a.1.iter().flat_map(|x| b.1.iter().map(move |y| cross(x, y)));
    let apart = |n: Exact| {
        let radius = |of: &ExactBox| (0..3).map(|i| dot(&n, &of.1[i]).abs() * &of.2[i]).sum::<BigRational>();
        let way: Exact = std::array::from_fn(|i| &b.0[i] - &a.0[i]);
        dot(&n, &way).abs() - radius(a) - radius(b) > BigRational::zero()
    };
    !faces(&a.1).into_iter().chain(faces(&b.1)).chain(edges).any(apart)
}

pub fn frame(rng: &mut Rng) -> DMat3 {
    let [x, y, z, w] = rng.quaternion();
    match rng.index(5) {
        0 => DMat3::IDENTITY,
        1 => DMat3::from_rotation_z(rng.unit() * 1e-3),
        _ => DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize()),
    }
}

/// Returns a block of eight boxes of about this size.
pub fn block(rng: &mut Rng, size: f64, origin: DVec3) -> Block {
    let mut block = Block { origin: origin.as_vec3().to_array(), ..Block::EMPTY };
    for lane in 0..8 {
        let axes = frame(rng);
        let center = rng.point() * size * [0.0, 1.0, 4.0][rng.index(3)];
        for k in 0..3 {
            block.center[k][lane] = center[k] as f32;
            block.axes[0][k][lane] = axes.x_axis[k] as f32;
            block.axes[1][k][lane] = axes.y_axis[k] as f32;
            block.half[k][lane] =
                (size * [1.0, rng.unit().abs(), rng.unit().abs() * 1e-3, 0.0][rng.index(4)]) as f32;
        }
        block.child[lane] = Child::Leaf { first: lane as u32, count: 1 }.code();
    }
    block
}

/// An item: the opened block, the other block and the lane of its box, and the guest's placement.
struct Case {
    blocks: [Block; 2],
    map: DMat3,
    shift: DVec3,
    side: usize,
    pair: Pair,
}

impl Case {
    fn new(rng: &mut Rng) -> Self {
        let turned = frame(rng).to_cols_array().map(|x| (x * 2f64.powi(30)).round() / 2f64.powi(30));
        let (map, shift) =
            (DMat3::from_cols_array(&turned), (rng.point() * 2f64.powi(30)).round() / 2f64.powi(30));
        let size = rng.power_of_two(-10, -2);
        let at = rng.point() * 0.3;
        let home = block(rng, size, map * at + shift);
        let other_size = size * [1.0, 0.1, 4.0][rng.index(3)];
        let guest = block(rng, other_size, at);
        let mut case = Self { blocks: [home, guest], map, shift, side: rng.index(2), pair: pair(map, shift) };
        for lane in 0..8 {
            let along = rng.index(3);
            let is_along = rng.index(3) == 0;
            if is_along {
                case.lay_along(rng, lane, along);
            }
            let [opened, other] = [case.side, 1 - case.side]
                .map(|side| case.placed(side, if side == case.side { lane } else { 0 }));
            // Move from near contact of one pair to near contact along a direction.
            let beside = (rng.point() * 0.2 * size, other.0 - opened.0);
            let opened = (opened.0 + beside.0 + beside.1, opened.1);
            let directions = directions(&opened, &other);
            let n = directions[if is_along { 6 + 4 * along } else { rng.index(15) }];
            let towards = n * n.dot(other.0 - opened.0).signum();
            // The farthest are beyond what the margins add.
            let units = [rng.index(4), rng.index(65), rng.index(1 << 13)][rng.index(3)] as f64
                * if rng.coin() { 1.0 } else { -1.0 };
            let by =
                towards * (gap(n, &opened, &other) - units * size * 2f64.powi(-24)) + beside.0 + beside.1;
            let touching = |of: &Placed, way: f64| {
                let towards_edge = |i: usize| of.1[i] * if n.dot(of.1[i]) < 0.0 { -way } else { way };
                (0..3).filter(|i| *i != along).map(towards_edge).sum::<DVec3>() + of.0
            };
            let by = if is_along {
                let opened = (opened.0 - beside.0 - beside.1, opened.1);
                touching(&other, -1.0) - touching(&opened, 1.0) - n * (units * size * 2f64.powi(-24))
            } else {
                by
            };
            let by = if case.side == 0 { by } else { case.map.transpose() * by };
            for k in 0..3 {
                case.blocks[case.side].center[k][lane] += by[k] as f32;
            }
        }
        if rng.index(4) == 0 {
            case.move_origin_to(rng.index(8));
        }
        case
    }

    /// Moves the origin of the opened block to the centre of a lane's box. What f32 cannot hold of it remains
    /// a centre.
    fn move_origin_to(&mut self, lane: usize) {
        let block = &mut self.blocks[self.side];
        for (origin, centers) in block.origin.iter_mut().zip(&mut block.center) {
            let before = f64::from(*origin);
            *origin = (before + f64::from(centers[lane])) as f32;
            let moved = f64::from(*origin) - before;
            centers.iter_mut().for_each(|center| *center = (f64::from(*center) - moved) as f32);
        }
    }

    /// Turns a lane's box so that one of its axes is almost parallel to the same axis of the other box.
    fn lay_along(&mut self, rng: &mut Rng, lane: usize, axis: usize) {
        let at = |columns: &[[f32; 8]; 3]| Vec3::from_array(columns.map(|c| c[0])).as_dvec3();
        let [a, b] = self.blocks[1 - self.side].axes.map(|columns| at(&columns));
        let other = DMat3::from_cols(a, b, a.cross(b));
        let map = if self.side == 0 { self.map } else { self.map.transpose() };
        let tilt = rng.point().normalize_or(DVec3::X) * rng.power_of_two(-22, -12);
        let mut twist = [0.0; 3];
        twist[axis] = rng.unit() * 3.0;
        let own = DMat3::from_quat(
            DQuat::from_scaled_axis(DVec3::from_array(twist)) * DQuat::from_scaled_axis(tilt),
        );
        let turned = map * other * own;
        for k in 0..3 {
            self.blocks[self.side].axes[0][k][lane] = turned.x_axis[k] as f32;
            self.blocks[self.side].axes[1][k][lane] = turned.y_axis[k] as f32;
        }
    }

    fn placed(&self, side: usize, lane: usize) -> Placed {
        let (map, shift) = if side == 0 { (DMat3::IDENTITY, DVec3::ZERO) } else { (self.map, self.shift) };
        placed(&self.blocks[side], lane, map, shift)
    }

    fn meets(&self, lane: usize) -> bool {
        let one = DMat3::IDENTITY;
        let exact = |side: usize, lane: usize| {
            let (map, shift) = if side == 0 { (one, DVec3::ZERO) } else { (self.map, self.shift) };
            let rows = [0, 1, 2].map(|i| exactly(map.row(i).to_array()));
            exact_box(&self.blocks[side], lane, &rows, &exactly(shift.to_array()))
        };
        let lanes = if self.side == 0 { [lane, 0] } else { [0, lane] };
        meet(&exact(0, lanes[0]), &exact(1, lanes[1]))
    }
}

/// What widens a box: per unit of the sum of its half extents, and of the largest coordinate of its centre.
pub type Widening = [f32; 2];

/// Returns the half extents of all lanes, widened.
fn widened(block: &Block, [of_extents, of_center]: Widening) -> Vec<u32> {
    let of_lane = |k: usize, lane: usize| {
        let half = block.half.map(|column| f64::from(column[lane]));
        let center = block.center.map(|column| f64::from(column[lane]).abs());
        let far = center.into_iter().fold(0.0, f64::max);
        let more = f64::from(of_extents) * half.iter().sum::<f64>() + f64::from(of_center) * far;
        ((half[k] + more) as f32).to_bits()
    };
    (0..3).flat_map(|k| (0..8).map(move |lane| of_lane(k, lane))).collect()
}

/// Returns the number of boxes that a shader wrongly excludes, of boxes widened as the library does or in
/// another way.
pub fn wrong(
    device: Device,
    source: &'static str,
    widening: Option<Widening>,
    cases: usize,
    seed: u64,
) -> usize {
    let mut rng = Rng::new("boxes", seed);
    let all: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
    let (mut arenas, mut pairs, mut items) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
    for (number, case) in (0..).zip(&all) {
        let mut blocks = [0; 2];
        for side in 0..2 {
            blocks[side] = arenas[side].len() as u32;
            push_block(&mut arenas[side], &case.blocks[side], |lane| {
                Child::of(case.blocks[side].child[lane])
            })
            .expect("finite");
            if let Some(widening) = widening {
                let half = widened(&case.blocks[side], widening);
                arenas[side].splice(blocks[side] as usize + 72..blocks[side] as usize + 96, half);
            }
        }
        pairs.push(Pair { blocks, ..case.pair });
        let bit = if case.side == 0 { 0 } else { GUEST_BIT };
        items.push(BoxItem { pair: number, block: bit, other: 0 });
    }
    let left = if let Some(kernel) = OfGroups::of(device, source) {
        open_blocks_by_groups(device, &kernel, &pairs, arenas.each_ref().map(|arena| &arena[..]), &items)
    } else {
        let kernel = Kernel::new(&device, "box_box", source).expect("compiled");
        open_blocks(device, &kernel, &pairs, &arenas[0], &arenas[1], &items)
    };
    let mut survivors = vec![0u32; all.len()];
    for item in &left {
        survivors[item.pair as usize] |= 1 << item.first[all[item.pair as usize].side];
    }
    let (mut wrong, mut excluded, mut close) = (0, 0, 0);
    for (case, survivors) in all.iter().zip(survivors) {
        for lane in (0..8).filter(|lane| survivors >> lane & 1 == 0) {
            excluded += 1;
            let [opened, other] = [case.placed(case.side, lane), case.placed(1 - case.side, 0)];
            let size = opened.1.iter().chain(&other.1).map(|axis| axis.length()).sum::<f64>();
            let gaps = directions(&opened, &other).into_iter().map(|n| gap(n, &opened, &other));
            let widest = gaps.fold(f64::NEG_INFINITY, f64::max);
            close += usize::from(widest < 1e-3 * size);
            if widest <= 1e-9 * size {
                wrong += usize::from(case.meets(lane));
            }
        }
    }
    println!("boxes: {} pairs, {excluded} excluded, {close} of them close, {wrong} wrongly", 8 * all.len());
    assert!(4 * close > all.len() && excluded < 8 * all.len());
    wrong
}

pub fn what_is_excluded_of_boxes_is_apart(device: Device) {
    for (source, default) in [(BOX_BOX, 4), (ASK_GROUP, 2), (ASK_OCTETS, 2)] {
        for seed in crate::seeds(8 * 8_000, default) {
            assert_eq!(wrong(device, source, None, 8_000, seed), 0);
        }
    }
    for &rounding in Rounding::tested() {
        for seed in crate::seeds(8 * 8_000, 1) {
            let wrong = with_rounding(device, rounding, || wrong(device, BOX_BOX, None, 8_000, seed));
            assert_eq!(wrong, 0, "{rounding:?}");
        }
    }
}
