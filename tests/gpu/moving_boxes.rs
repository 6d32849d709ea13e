//! Oriented boxes, one of them moving, that barely meet or barely miss at the end of a stretch along one of fifteen axes,
//! checked with rational arithmetic.

use closefit::internals::gpu::{Device, Kernel};
use closefit::internals::hierarchy::obb8::on_device::arena::push_block;
use closefit::internals::hierarchy::obb8::on_device::columns::{BoxItem, GUEST_BIT, Pair};
use closefit::internals::hierarchy::obb8::on_device::kernels::SWEPT_BOXES;
use closefit::internals::hierarchy::obb8::on_device::motions::Motion;
use closefit::internals::hierarchy::obb8::{Block, Child};
use glam::{DMat3, DVec3};

use crate::boxes::{
    Exact, ExactBox, Placed, block, cross, directions, dot, exact_box, exactly, frame, meet, placed,
};
use crate::kernels::{open_moving, pair};
use crate::perturbed::{Rounding, with_rounding};
use crate::support::rng::Rng;

/// Two boxes, each in lane 0 of a block, and a motion in the coordinates of the opened block's side. A point `p` of the
/// mover moves by `way + turn x p`; then it may move by `more`, which is no longer than `added`.
struct Case {
    blocks: [Block; 2],
    map: DMat3,
    shift: DVec3,
    opened: usize,
    mover: usize,
    way: DVec3,
    turn: DVec3,
    added: f32,
    /// In home coordinates.
    more: DVec3,
    pair: Pair,
}

impl Case {
    fn new(rng: &mut Rng) -> Self {
        let turned = frame(rng).to_cols_array().map(|x| (x * 2f64.powi(30)).round() / 2f64.powi(30));
        let (map, shift) =
            (DMat3::from_cols_array(&turned), (rng.point() * 2f64.powi(30)).round() / 2f64.powi(30));
        let size = rng.power_of_two(-16, -4);
        let other_size = size * [1.0, 0.1, 4.0][rng.index(3)];
        let at = rng.point() * 0.3;
        let alone = |block: Block| Block {
            child: std::array::from_fn(|lane| if lane == 0 { block.child[0] } else { Child::None.code() }),
            ..block
        };
        let blocks = [alone(block(rng, size, map * at + shift)), alone(block(rng, other_size, at))];
        let single = |v: DVec3| v.as_vec3().as_dvec3();
        let (opened, mover) = (rng.index(2), rng.index(2));
        let way = single(rng.point() * [rng.power_of_two(-3, 1), size][rng.index(2)]);
        // A home box in the guest's coordinates has no exact image there, so it does not turn.
        let turns = rng.coin() && (opened, mover) != (1, 0);
        let turn = single(rng.point() * if turns { rng.power_of_two(-10, -1) } else { 0.0 });
        let added = [0.0, (size * rng.unit().abs()) as f32, rng.unit().abs() as f32][rng.index(3)];
        let mut case = Self {
            blocks,
            map,
            shift,
            opened,
            mover,
            way,
            turn,
            added,
            more: DVec3::ZERO,
            pair: pair(map, shift),
        };
        case.lay(rng, size, turns);
        case
    }

    /// Moves the opened block so that its box and the other barely meet at the end of the stretch.
    fn lay(&mut self, rng: &mut Rng, size: f64, turns: bool) {
        let middle = [0, 1].map(|side| self.placed(side));
        let directions = directions(&middle[0], &middle[1]);
        // If the mover turns, its image is still tangent to faces of the other box.
        let standing = 1 - self.mover;
        let n = directions[if turns { 3 * standing + rng.index(3) } else { rng.index(15) }];
        let units = [rng.index(4), rng.index(65)][rng.index(2)] as f64 * if rng.coin() { 1.0 } else { -1.0 };
        let places = [0, 1].map(|_| rng.point() * 0.9);
        for _ in 0..4 {
            let [home, guest] = [0, 1].map(|side| self.placed(side));
            let images = [0, 1].map(|side| self.image(side, if side == 0 { &home } else { &guest }));
            // The path of the guest relative to home; it ends on the side from which it comes.
            let path = (images[1].0 - guest.0) - (images[0].0 - home.0);
            let towards = if n.dot(path) > 0.0 { -n } else { n };
            // Touching points, relative to the centres: anywhere on a face or an edge perpendicular to the direction.
            let farthest = |side: usize, way: f64| -> DVec3 {
                let axes = images[side].1.iter().zip(places[side].to_array());
                axes.map(|(&axis, place)| {
                    let along = towards.dot(axis) * way;
                    axis * if along.abs() < 1e-6 * axis.length() { place } else { along.signum() }
                })
                .sum()
            };
            let unit = (path.length() + size) * 2f64.powi(-24);
            let gap = f64::from(self.added) + units * unit;
            let wanted = farthest(0, 1.0) - farthest(1, -1.0) + towards * gap;
            self.more =
                towards * if self.mover == 1 { -1.0 } else { 1.0 } * (f64::from(self.added) * (1.0 - 1e-15));
            let by = (wanted - (images[1].0 - images[0].0)) * if self.opened == 1 { 1.0 } else { -1.0 };
            let by = if self.opened == 1 { self.map.transpose() * by } else { by };
            let block = &mut self.blocks[self.opened];
            for k in 0..3 {
                let at = f64::from(block.origin[k]) + f64::from(block.center[k][0]) + by[k];
                block.origin[k] = at as f32;
                block.center[k][0] = (at - f64::from(at as f32)) as f32;
            }
        }
    }

    fn placed(&self, side: usize) -> Placed {
        let (map, shift) = self.map_of(side);
        placed(&self.blocks[side], 0, map, shift)
    }

    fn map_of(&self, side: usize) -> (DMat3, DVec3) {
        if side == 0 { (DMat3::IDENTITY, DVec3::ZERO) } else { (self.map, self.shift) }
    }

    /// Returns a box at the end of the stretch, without `more`.
    fn image(&self, side: usize, at: &Placed) -> Placed {
        if side != self.mover {
            return *at;
        }
        let (map, shift) = self.map_of(self.opened);
        let inverse = map.transpose();
        let turned = |v: DVec3| map * self.turn.cross(inverse * v);
        let path = map * self.way + turned(at.0 - shift);
        (at.0 + path, at.1.map(|axis| axis + turned(axis)))
    }

    /// Returns true if the boxes share a point at the end of the stretch.
    fn meets(&self) -> bool {
        let exact = |v: DVec3| exactly(v.to_array());
        let map = [0, 1, 2].map(|i| exact(self.map.row(i)));
        let (way, turn, more) = (exact(self.way), exact(self.turn), exact(self.more));
        let zero = exact(DVec3::ZERO);
        let identity = [DVec3::X, DVec3::Y, DVec3::Z].map(exact);
        let plus = |a: &Exact, b: &Exact| -> Exact { std::array::from_fn(|i| &a[i] + &b[i]) };
        let mapped = |v: &Exact| -> Exact { std::array::from_fn(|i| dot(&map[i], v)) };
        let at_end = |side: usize| -> ExactBox {
            let own = exact_box(&self.blocks[side], 0, &identity, &zero);
            let moved = |(center, axes, half): ExactBox| -> ExactBox {
                let path = plus(&way, &cross(&turn, &center));
                (plus(&center, &path), axes.map(|axis| plus(&axis, &cross(&turn, &axis))), half)
            };
            // Each moves in coordinates in which it is given, or, without a turn, by the image of the path.
            let own = if side == self.mover && self.opened == side { moved(own) } else { own };
            let (center, axes, half) = own;
            let (center, axes) = match side {
                0 => (center, axes),
                _ => (plus(&mapped(&center), &exact(self.shift)), axes.map(|axis| mapped(&axis))),
            };
            match side == self.mover {
                true if self.opened != side && side == 1 => {
                    let (center, axes, half) = moved((center, axes, half));
                    (plus(&center, &more), axes, half)
                }
                true if self.opened != side => (plus(&plus(&center, &mapped(&way)), &more), axes, half),
                true => (plus(&center, &more), axes, half),
                false => (center, axes, half),
            }
        };
        meet(&at_end(0), &at_end(1))
    }
}

/// Returns the number of pairs of boxes that the kernel excludes although they meet.
pub fn wrong(device: Device, source: &'static str, cases: usize, seed: u64) -> usize {
    let mut rng = Rng::new("moving boxes", seed);
    let all: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
    let (mut arenas, mut pairs, mut motions, mut items) = ([Vec::new(), Vec::new()], vec![], vec![], vec![]);
    for (number, case) in (0..).zip(&all) {
        let mut blocks = [0; 2];
        for side in 0..2 {
            blocks[side] = arenas[side].len() as u32;
            let child = |lane: usize| Child::of(case.blocks[side].child[lane]);
            push_block(&mut arenas[side], &case.blocks[side], child).expect("finite");
        }
        pairs.push(Pair { blocks, ..case.pair });
        // Only the entries of the opened side are read.
        motions.push(Motion {
            way: [case.way.as_vec3().to_array(); 2],
            turn: [case.turn.as_vec3().to_array(); 2],
            added: [case.added; 2],
            by_acceleration: [0.0; 2],
            mover: case.mover as u32,
        });
        let bit = if case.opened == 0 { 0 } else { GUEST_BIT };
        items.push(BoxItem { pair: number, block: bit, other: 0, unused: 0 });
    }
    let kernel = Kernel::new(&device, "swept_boxes", source).expect("compiled");
    let excluded = open_moving(device, &kernel, &pairs, &motions, [&arenas[0], &arenas[1]], &items);
    let met = all.iter().zip(&excluded).filter(|(case, is_excluded)| **is_excluded && case.meets()).count();
    let excluded = excluded.into_iter().filter(|is_excluded| *is_excluded).count();
    println!("moving boxes: {cases} pairs, {excluded} excluded, {met} wrongly");
    assert!(20 * excluded > cases && excluded < cases, "{excluded} of {cases}");
    met
}

/// The number of pairs that meet is large enough for the test to say something.
pub fn what_is_excluded_of_moving_boxes_stays_apart(device: Device) {
    let mut rng = Rng::new("moving boxes", 0);
    let meeting = (0..400).filter(|_| Case::new(&mut rng).meets()).count();
    println!("moving boxes: {meeting} of 400 meet");
    assert!((40..360).contains(&meeting), "{meeting}");
    for seed in crate::seeds(8_000, 4) {
        assert_eq!(wrong(device, SWEPT_BOXES, 8_000, seed), 0);
    }
    for &rounding in Rounding::tested() {
        for seed in crate::seeds(8_000, 2) {
            let wrong = with_rounding(device, rounding, || wrong(device, SWEPT_BOXES, 8_000, seed));
            assert_eq!(wrong, 0, "{rounding:?}");
        }
    }
}
