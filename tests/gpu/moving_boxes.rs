//! Oriented boxes, one of them moving, that barely meet or barely miss at an end of a part of a stretch
//! along one of fifteen axes, checked with rational arithmetic.

use bytemuck::Zeroable;
use closefit::Device;
use closefit::internals::bvh::moving::LEVELS;
use closefit::internals::bvh::wide_obb::on_device::arena::push_block;
use closefit::internals::bvh::wide_obb::on_device::columns::{GUEST_BIT, Pair};
use closefit::internals::bvh::wide_obb::on_device::kernels::{INTERVAL_BOXES, SWEPT_BOXES};
use closefit::internals::bvh::wide_obb::on_device::motions::Motion;
use closefit::internals::bvh::wide_obb::{Block, Child};
use closefit::internals::gpu::Kernel;
use closefit_testing::rng::Rng;
use glam::{DMat3, DQuat, DVec3};

use crate::boxes::{
    Exact, ExactBox, Placed, block, directions, dot, exact_box, exactly, frame, meet, placed,
};
use crate::kernels::{LeftOfStretch, pair, resume_stretches};
use crate::perturbed::{Rounding, with_rounding};

/// A kernel of moving boxes.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    pub source: &'static str,
    /// The ways to move of its cases.
    pub ways: &'static [Moves],
}

/// The two kernels.
pub const KINDS: [Kind; 2] = [
    Kind { name: "swept_boxes", source: SWEPT_BOXES, ways: &[Moves::Straight] },
    Kind {
        name: "interval_boxes",
        source: INTERVAL_BOXES,
        ways: &[Moves::Straight, Moves::StraightBack, Moves::AboutItself, Moves::Rigidly],
    },
];

/// A way in which the mover moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moves {
    /// The box moves by `way + turn x p`, without deviation. The kernel is told nothing of how the other box
    /// moves as seen from the mover.
    Straight,
    /// The same, but the kernel is told that the other part moves, and how it is seen from there.
    StraightBack,
    /// As `Straight`, about a point so near the box that its centre moves little.
    AboutItself,
    /// The box rotates. The kernel is told both deviations.
    Rigidly,
}

/// A deviation with which a kernel excludes nothing.
const FAR: f32 = 1e6;

/// Two boxes, each in lane 0 of a block, and a motion in the coordinates of the opened block's side. A point
/// `p` of the mover moves by `way + change p`; then it may move by `more`, which is no longer than `limit`.
struct Case {
    blocks: [Block; 2],
    map: DMat3,
    shift: DVec3,
    opened: usize,
    mover: usize,
    moves: Moves,
    way: DVec3,
    turn: DVec3,
    change: DMat3,
    limit: f32,
    /// In home coordinates.
    more: DVec3,
    pair: Pair,
    /// The part of the stretch that a kernel tests: it begins or ends at the end of the motion.
    part: u32,
    /// True if time runs backwards in the stretch, so that the motion ends at its beginning.
    backwards: bool,
}

impl Case {
    fn new(rng: &mut Rng, kind: Kind) -> Self {
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
        let limit = [0.0, (size * rng.unit().abs()) as f32, rng.unit().abs() as f32][rng.index(3)];
        let moves = kind.ways[rng.index(kind.ways.len())];
        let cross = |v: DVec3| DMat3::from_cols(v.cross(DVec3::X), v.cross(DVec3::Y), v.cross(DVec3::Z));
        let change = match moves {
            Moves::Rigidly => DMat3::from_quat(DQuat::from_scaled_axis(turn)) - DMat3::IDENTITY,
            _ => cross(turn),
        };
        let mut case = Self {
            blocks,
            map,
            shift,
            opened,
            mover,
            moves,
            way,
            turn,
            change,
            limit,
            more: DVec3::ZERO,
            pair: pair(map, shift),
            part: 1,
            backwards: rng.coin(),
        };
        let level = rng.int(0, i64::from(LEVELS)) as u32;
        case.part = if case.backwards { 1 << level } else { (2 << level) - 1 };
        // As long as a box, or as what a turn adds to the limit.
        let longest = [size * rng.power_of_two(-12, 0), 2.0 * f64::from(limit) * turn.length_squared()];
        let path = rng.point() * longest[rng.index(2)];
        case.lay(rng, path, size, turns);
        case
    }

    /// Moves the opened block so that its box and the other barely meet at the end of the stretch. `path` is
    /// that of the mover's centre if it moves about itself.
    fn lay(&mut self, rng: &mut Rng, path: DVec3, size: f64, turns: bool) {
        // Flat boxes keep all their directions.
        let images = [0, 1].map(|side| self.image(side, &self.placed(side)));
        let directions = directions(&images[0], &images[1]);
        let n = directions[self.direction(rng, turns)];
        // The farthest are beyond what the margins add.
        let units = [rng.index(4), rng.index(65), rng.index(1 << 14)][rng.index(3)] as f64
            * if rng.coin() { 1.0 } else { -1.0 };
        let places = [0, 1].map(|_| rng.point() * 0.9);
        let extents = self.blocks.each_ref().map(|block| block.half.map(|column| f64::from(column[0])));
        for _ in 0..4 {
            if self.moves == Moves::AboutItself {
                let (map, shift) = self.map_of(self.opened);
                let center = map.transpose() * (self.placed(self.mover).0 - shift);
                self.way = (path - self.turn.cross(center)).as_vec3().as_dvec3();
            }
            let [home, guest] = [0, 1].map(|side| self.placed(side));
            let images = [0, 1].map(|side| self.image(side, if side == 0 { &home } else { &guest }));
            // The path of the guest relative to home; it ends on the side from which it comes.
            let path = (images[1].0 - guest.0) - (images[0].0 - home.0);
            let towards = if n.dot(path) > 0.0 { -n } else { n };
            // Touching points, relative to the centres: anywhere on a face or an edge perpendicular to the
            // direction.
            let farthest = |side: usize, way: f64| -> DVec3 {
                let axes = images[side].1.iter().zip(extents[side]).zip(places[side].to_array());
                axes.map(|((&axis, half), place)| {
                    let along = towards.dot(axis) * way;
                    axis * half * if along.abs() < 1e-6 { place } else { along.signum() }
                })
                .sum()
            };
            let unit = (path.length() + size) * 2f64.powi(-24);
            let gap = f64::from(self.limit) + units * unit;
            let wanted = farthest(0, 1.0) - farthest(1, -1.0) + towards * gap;
            self.more =
                towards * if self.mover == 1 { -1.0 } else { 1.0 } * (f64::from(self.limit) * (1.0 - 1e-15));
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

    /// Returns the index of one of the directions that may separate the boxes at the end.
    fn direction(&self, rng: &mut Rng, turns: bool) -> usize {
        // If the mover turns, its image is still tangent to faces of the other box.
        let standing = 1 - self.mover;
        match (self.moves, turns) {
            (_, false) => rng.index(15),
            (Moves::Straight, true) if self.mover != self.opened => 3 * standing + rng.index(3),
            (Moves::AboutItself | Moves::Rigidly, true) => rng.index(15),
            // Edge axes turn with a block that moves.
            _ => [3 * standing + rng.index(3), 6 + rng.index(9)][rng.index(2)],
        }
    }

    /// Returns the centre and the unit axes of a box.
    fn placed(&self, side: usize) -> Placed {
        let (map, shift) = self.map_of(side);
        let unit = Block { half: [[1.0; 8]; 3], ..self.blocks[side] };
        placed(&unit, 0, map, shift)
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
        let turned = |v: DVec3| map * (self.change * (inverse * v));
        let path = map * self.way + turned(at.0 - shift);
        (at.0 + path, at.1.map(|axis| axis + turned(axis)))
    }

    /// Returns true if the boxes share a point at the end of the stretch.
    fn meets(&self) -> bool {
        let exact = |v: DVec3| exactly(v.to_array());
        let map = [0, 1, 2].map(|i| exact(self.map.row(i)));
        let (way, more) = (exact(self.way), exact(self.more));
        let change = [0, 1, 2].map(|i| exact(self.change.row(i)));
        let zero = exact(DVec3::ZERO);
        let identity = [DVec3::X, DVec3::Y, DVec3::Z].map(exact);
        let plus = |a: &Exact, b: &Exact| -> Exact { std::array::from_fn(|i| &a[i] + &b[i]) };
        let mapped = |v: &Exact| -> Exact { std::array::from_fn(|i| dot(&map[i], v)) };
        let changed = |v: &Exact| -> Exact { std::array::from_fn(|i| dot(&change[i], v)) };
        let at_end = |side: usize| -> ExactBox {
            let own = exact_box(&self.blocks[side], 0, &identity, &zero);
            let moved = |(center, axes, half): ExactBox| -> ExactBox {
                let path = plus(&way, &changed(&center));
                (plus(&center, &path), axes.map(|axis| plus(&axis, &changed(&axis))), half)
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

    /// Returns the motion that a kernel gets. As seen from the mover, the other part moves the
    /// opposite way, and so does the mover in time that runs backwards.
    fn told(&self) -> Motion {
        let up = |x: f64| (x as f32).next_up();
        let limit = f64::from(self.limit);
        let (mover, [added, added_back]) = match self.moves {
            Moves::Straight | Moves::AboutItself => (self.mover, [self.limit, FAR]),
            Moves::StraightBack => (1 - self.mover, [FAR, self.limit]),
            Moves::Rigidly => (self.mover, self.deviations().map(|deviation| up(limit + deviation))),
        };
        let sign = if self.backwards != (self.moves == Moves::StraightBack) { -1.0 } else { 1.0 };
        // Only the entries of the opened side are read.
        Motion {
            way: [(self.way * sign).as_vec3().to_array(); 2],
            turn: [(self.turn * sign).as_vec3().to_array(); 2],
            added: [added; 2],
            added_back: [added_back; 2],
            turned: up(self.turn.length() * (1.0 + 1e-7)),
            mover: mover as u32,
            levels: LEVELS,
            ..Motion::zeroed()
        }
    }

    /// Returns how far, at the end, points of the mover are from the ends of their straight paths, and points
    /// of the other box as seen from the mover, both rounded up.
    fn deviations(&self) -> [f64; 2] {
        let (map, shift) = self.map_of(self.opened);
        let inverse = map.transpose();
        let corners = |side: usize| {
            let ((center, axes), half) = (self.placed(side), self.blocks[side].half.map(|h| f64::from(h[0])));
            (0..8).map(move |corner| {
                let sign = |k: usize| if corner >> k & 1 == 1 { half[k] } else { -half[k] };
                inverse * (center + axes[0] * sign(0) + axes[1] * sign(1) + axes[2] * sign(2) - shift)
            })
        };
        let farthest = |all: &mut dyn Iterator<Item = DVec3>| all.map(DVec3::length).fold(0.0, f64::max);
        let Self { way, turn, change, .. } = *self;
        let of_mover = farthest(&mut corners(self.mover).map(|p| change * p - turn.cross(p)));
        let rotation = change + DMat3::IDENTITY;
        let back = |q: DVec3| rotation.transpose() * (q - way) - q + way + turn.cross(q);
        let of_other = farthest(&mut corners(1 - self.mover).map(back));
        // The map is a rotation within 2^-28.
        [of_mover, of_other].map(|deviation| deviation * (1.0 + 1e-7) + 1e-8 * turn.length() + 1e-14)
    }
}

/// Returns the number of pairs of boxes that a kernel excludes although they meet.
pub fn wrong(device: Device, kind: Kind, cases: usize, seed: u64) -> usize {
    let mut rng = Rng::new("moving boxes", seed);
    let all: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng, kind)).collect();
    let (mut arenas, mut pairs, mut motions, mut left) = ([Vec::new(), Vec::new()], vec![], vec![], vec![]);
    for case in &all {
        let mut blocks = [0; 2];
        for side in 0..2 {
            blocks[side] = arenas[side].len() as u32;
            let child = |lane: usize| Child::of(case.blocks[side].child[lane]);
            push_block(&mut arenas[side], &case.blocks[side], child).expect("finite");
        }
        pairs.push(Pair { blocks, ..case.pair });
        motions.push(case.told());
        let bit = if case.opened == 0 { 0 } else { GUEST_BIT };
        left.push(LeftOfStretch { words: [bit, 0], are_leaves: false, part: case.part });
    }
    let kernel = Kernel::new(&device, kind.name, kind.source).expect("compiled");
    let arenas = arenas.each_ref().map(|arena| &arena[..]);
    let open = resume_stretches(device, &kernel, (&pairs, &motions), arenas, &left, 1);
    let excluded: Vec<bool> = open.into_iter().map(|open| open == 0).collect();
    let met = all.iter().zip(&excluded).filter(|(case, is_excluded)| **is_excluded && case.meets()).count();
    for &moves in kind.ways {
        let of_way = all.iter().zip(&excluded).filter(|(case, _)| case.moves == moves);
        let found = of_way.filter(|(case, is_excluded)| **is_excluded && case.turn != DVec3::ZERO).count();
        println!("{moves:?}: {found} excluded that turn");
        assert!(found > 0);
    }
    let excluded = excluded.into_iter().filter(|is_excluded| *is_excluded).count();
    println!("{}: {cases} pairs, {excluded} excluded, {met} wrongly", kind.name);
    assert!(20 * excluded > cases && excluded < cases, "{excluded} of {cases}");
    met
}

/// The number of pairs that meet is large enough for the test to say something.
pub fn what_is_excluded_of_moving_boxes_stays_apart(device: Device) {
    for kind in KINDS {
        let mut rng = Rng::new("moving boxes", 0);
        let meeting = (0..400).filter(|_| Case::new(&mut rng, kind).meets()).count();
        println!("{}: {meeting} of 400 meet", kind.name);
        assert!((40..360).contains(&meeting), "{meeting}");
        for seed in crate::seeds(8_000, 6) {
            assert_eq!(wrong(device, kind, 8_000, seed), 0, "{}", kind.name);
        }
        for &rounding in Rounding::tested() {
            for seed in crate::seeds(8_000, 2) {
                let wrong = with_rounding(device, rounding, || wrong(device, kind, 8_000, seed));
                assert_eq!(wrong, 0, "{}, {rounding:?}", kind.name);
            }
        }
    }
}
