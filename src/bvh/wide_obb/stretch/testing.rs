//! Boxes that move past a block, and meshes on joints, for the tests of box tests.

use glam::{DQuat, DVec3};

use crate::bvh::wide_obb::box_box::Single;
use crate::bvh::wide_obb::{Block, Child, NOTHING};
use crate::continuous::method::{Axes, K};
use closefit_geometry::lanes::{LANES, Level, Simd, dispatch, is_fused, level};
use closefit_geometry::math::error_bounds::F32_EXTENT;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::{Stream, cases};
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::frames::{FrameId, Frames};
use closefit_geometry::motion::joint::{Between, Joint, Keyframe, Motion};

/// A box in f64, roughly as a lane holds it.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    center: DVec3,
    axes: [DVec3; 3],
    half: [f64; 3],
}

impl Solid {
    fn widened(&self) -> [f32; 3] {
        let sum: f64 = self.half.iter().sum();
        self.half.map(|half| (half + F32_EXTENT * (sum + self.center.length()) + 1e-30) as f32)
    }

    fn nearest(&self, p: DVec3) -> DVec3 {
        let along = |k: usize| (p - self.center).dot(self.axes[k]).clamp(-self.half[k], self.half[k]);
        self.center + (0..3).map(|k| self.axes[k] * along(k)).sum::<DVec3>()
    }

    /// Returns the distance of two nearly closest points of the boxes.
    fn distance(&self, other: &Self) -> f64 {
        let mut q = other.center;
        for _ in 0..40 {
            q = other.nearest(self.nearest(q));
        }
        q.distance(self.nearest(q))
    }

    fn moved(&self, motion: &Screw, tau: f64) -> Self {
        let turn = motion.turn(tau);
        Self {
            center: motion.place(self.center, tau),
            axes: self.axes.map(|axis| turn * axis),
            half: self.half,
        }
    }

    fn radius(&self) -> f64 {
        self.half.iter().map(|h| h * h).sum::<f64>().sqrt()
    }
}

/// A screw motion with the velocity field `v + w x p` in the middle, for tau from -1 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Screw {
    pub velocity: DVec3,
    pub angular: DVec3,
}

impl Screw {
    fn at(&self, p: DVec3) -> DVec3 {
        self.velocity + self.angular.cross(p)
    }

    fn turn(&self, tau: f64) -> DQuat {
        DQuat::from_scaled_axis(self.angular * tau)
    }

    fn place(&self, p: DVec3, tau: f64) -> DVec3 {
        let square = self.angular.length_squared();
        if square == 0.0 {
            return p + self.velocity * tau;
        }
        let slide = self.angular * (self.angular.dot(self.velocity) / square);
        let pivot = self.angular.cross(self.velocity) / square;
        pivot + self.turn(tau) * (p - pivot) + slide * tau
    }

    /// Returns a bound of half the acceleration of a box's points.
    fn deviation(&self, solid: &Solid) -> f64 {
        let w = self.angular.length();
        0.5 * w * (self.at(solid.center).length() + w * solid.radius())
    }
}

fn solid(stream: &mut Stream, spread: f64) -> Solid {
    let turn = if stream.below(4) == 0 {
        DQuat::IDENTITY
    } else {
        DQuat::from_rotation_arc(DVec3::X, stream.point().normalize())
            * DQuat::from_rotation_x(stream.signed())
    };
    let axes = [turn * DVec3::X, turn * DVec3::Y, turn * DVec3::Z];
    let half = [0; 3].map(|_| stream.signed().abs() * stream.pick(&[0.0, 1e-3, 0.3, 1.0]));
    Solid { center: stream.point() * spread, axes, half }
}

/// A box, the eight of a block, and the motion of the one as seen from the others.
pub struct Case {
    one: Solid,
    block_of: Vec<Option<Solid>>,
    pub motion: Screw,
    /// Bounds of how far a point of the box, or of the block's boxes as seen from it, leaves its straight
    /// path.
    pub deviations: [f64; 2],
    pub limit: f64,
    /// The constant of the subdivision test.
    pub k: K,
    pub single: Single,
    pub single_is_leaf: bool,
    pub block: Block,
    /// The lanes that a test looks at.
    pub asked: u32,
}

impl Case {
    pub fn new(stream: &mut Stream) -> Self {
        let spread = stream.pick(&[0.5, 2.0, 4.0]);
        let one = solid(stream, spread);
        let origin = stream.point() * 0.5;
        let origin = DVec3::from_array(origin.to_array().map(|x| f64::from(x as f32)));
        let block_of: Vec<_> =
            (0..LANES).map(|_| (stream.below(8) != 0).then(|| solid(stream, spread))).collect();
        let turn = stream.pick(&[0.0, 1e-3, 0.03, 0.3, 1.5, 5.0]);
        let slide = stream.pick(&[0.0, 1e-3, 0.1, 1.0]);
        let mut motion = Screw { velocity: stream.point() * slide, angular: stream.point() * turn };
        if stream.below(3) == 0 {
            // A turn about the box's own centre, or nearly.
            motion.velocity -= motion.angular.cross(one.center + origin);
        }
        let limit = stream.pick(&[0.0, 1e-4, 0.1]);
        let half = one.widened();
        let f32s = |v: DVec3| v.as_vec3().to_array();
        let single = Single { center: f32s(one.center), axes: one.axes.map(f32s), half };
        let mut block = Block { origin: f32s(origin), ..Block::EMPTY };
        let shifted = |solid: &Solid| Solid { center: solid.center + origin, ..*solid };
        let mut deviation_back: f64 = 0.0;
        for (lane, solid) in block_of.iter().enumerate() {
            let Some(solid) = solid else { continue };
            deviation_back = deviation_back.max(motion.deviation(&shifted(solid)));
            let child = if lane % 2 == 0 { Child::Leaf { first: 0, count: 1 } } else { Child::Block(0) };
            block.child[lane] = child.code();
            for k in 0..3 {
                block.center[k][lane] = solid.center[k] as f32;
                block.axes[0][k][lane] = solid.axes[0][k] as f32;
                block.axes[1][k][lane] = solid.axes[1][k] as f32;
                block.half[k][lane] = solid.widened()[k];
            }
        }
        let deviations = [motion.deviation(&shifted(&one)), deviation_back];
        let block_of = block_of.into_iter().map(|solid| solid.as_ref().map(shifted)).collect();
        let asked = if stream.below(4) == 0 { stream.below(256) as u32 } else { 0xff };
        let single_is_leaf = half[0].to_bits().is_multiple_of(2);
        let k = K::new(stream.pick(&[0.01, 0.2, 1.0])).expect("above 0");
        let one = shifted(&one);
        Self { one, block_of, motion, deviations, limit, k, single, single_is_leaf, block, asked }
    }

    /// Returns the lanes that hold a box.
    pub fn used(&self) -> u32 {
        (0..LANES).filter(|&lane| self.block_of[lane].is_some()).map(|lane| 1 << lane).sum()
    }
}

/// The result of a test: the lanes that may meet, by all axes and by face axes alone, and the lanes that ask
/// for shorter stretches.
pub type Said = ([u32; 2], u32);

/// A test of moving boxes, ready for a case.
pub trait BoxTest {
    fn new(case: &Case) -> Self;
    fn in_lanes<S: Simd>(&self, simd: S, case: &Case) -> Said;
    fn by_reading_copy(&self, case: &Case) -> Said;
}

pub fn lanes_say_what_the_reading_copy_says<T: BoxTest>() {
    let (mut stream, mut count) = (Stream(1), [0; 2]);
    for _ in 0..40_000 {
        let case = Case::new(&mut stream);
        let test = T::new(&case);
        let expected = test.by_reading_copy(&case);
        if is_fused() {
            assert_eq!(dispatch!(level(), simd => test.in_lanes(simd, &case)), expected);
        }
        let ([all, faces], longer) = expected;
        assert_eq!(all & faces, all);
        count[0] += all.count_ones();
        count[1] += longer.count_ones();
    }
    assert!(count.iter().all(|n| (20_000..300_000).contains(n)), "{count:?}");
}

/// Boxes that were left out are within the limit at no sampled time of the stretch; and, where little turns,
/// most of the boxes that stay apart are left out.
pub fn what_is_left_out_stays_apart<T: BoxTest>() {
    let (mut stream, mut apart, mut found) = (Stream(2), 0, 0);
    let cases = cases(3000);
    for _ in 0..cases {
        let case = Case::new(&mut stream);
        let test = T::new(&case);
        let masks = [level(), Level::baseline()]
            .map(|level| dispatch!(level, simd => test.in_lanes(simd, &case)).0[Axes::All as usize]);
        for lane in 0..LANES {
            let left_out = masks.map(|mask| mask >> lane & 1 == 0);
            let Some(solid) = &case.block_of[lane] else {
                assert!(left_out[0] && left_out[1] && case.block.half[0][lane] == NOTHING);
                continue;
            };
            if case.asked >> lane & 1 == 0 {
                assert!(left_out[0] && left_out[1]);
                continue;
            }
            let distance = (-8..=8)
                .map(|k| case.one.moved(&case.motion, f64::from(k) / 8.0).distance(solid))
                .fold(f64::INFINITY, f64::min);
            assert!(
                !(left_out[0] || left_out[1]) || distance > case.limit,
                "{distance} {} {:?} {solid:?} {:?}",
                case.limit,
                case.one,
                case.motion
            );
            if case.motion.angular.length() < 0.05 && distance > case.limit + 1e-3 {
                apart += 1;
                found += u32::from(left_out[0]);
            }
        }
    }
    assert!(6 * apart > 5 * cases && found as usize * 100 > apart * 95, "{found} of {apart}");
}

/// Returns a quaternion of any length.
fn quaternion(stream: &mut Stream) -> [f64; 4] {
    let (xyz, w) = (stream.point(), stream.signed());
    [xyz.x, xyz.y, xyz.z, w + 1.5]
}

/// Returns a mesh of small triangles.
pub fn mesh(stream: &mut Stream) -> Mesh {
    let vertices: Vec<DVec3> = (0..24)
        .flat_map(|_| {
            let middle = stream.point();
            [0; 3].map(|_| middle + stream.point() * 0.1)
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..24).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

/// Adds a frame that stands or moves, perhaps mirrored and scaled, from time 0 to 1.
pub fn frame(stream: &mut Stream, frames: &mut Frames, above: Option<FrameId>) -> FrameId {
    let joint = if stream.below(3) == 0 {
        let size = stream.pick(&[1.0, 0.5, 2.0]);
        let side = stream.pick(&[1.0, -1.0]);
        let (shift, uneven) = (stream.point().to_array(), stream.pick(&[0.0, 5e-7]));
        let scale = [size * side, size * (1.0 + uneven), size];
        Joint::Fixed(Pose::from_trs(quaternion(stream), scale, shift).unwrap())
    } else {
        let keys = [0.0, 1.0].map(|time| Keyframe {
            time,
            rotation: quaternion(stream),
            translation: stream.point() * 2.0,
        });
        let between = stream.pick(&[Between::Screw, Between::Linear]);
        Joint::Moving(Motion::through(&keys, between, [1.0; 3]).unwrap())
    };
    frames.add(above, joint)
}
