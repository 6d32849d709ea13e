//! The search through time finds the cells that follow from the distances at the middles of all cells.

use std::ops::Range;

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::moving::{MovingPair, Scratch, Shape};
use closefit::internals::bvh::posed_model::Model;
use closefit::internals::continuous::lowest::steps_of;
use closefit::method::{Axes, Boxes, Discrete, K, Order, Subdivision, Triangles};
use closefit::{Between, Executor, Keyframe, Mesh, Method, Motion, Pose, Work};
use closefit_geometry::exact::distance::distance;
use closefit_geometry::math::testing::{points, quaternions};
use closefit_geometry::motion::cells::Cells;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::span::PairSpan;
use closefit_geometry::motion::{Frames, Joint};
use closefit_methods::internals::octree::{Octree, Trimmed, Uniform};
use closefit_methods::kind::{self, WithTrees};
use glam::DVec3;
use proptest::prelude::*;

/// A joint's motion over one second: far or near, fast or slow, along a coordinate axis or any direction.
fn joint() -> impl Strategy<Value = Joint> {
    let between = prop_oneof![Just(Between::Screw), Just(Between::Linear)];
    let end = prop_oneof![Just(0), Just(1), Just(2), Just(3)];
    (quaternions(), quaternions(), points(1.5), points(1.5), between, end).prop_map(
        |(q0, q1, t0, t1, between, end)| {
            let (q1, t1) = match end {
                0 => (q1, t1),
                1 => (q0, t1),
                2 => (std::array::from_fn(|i| q0[i] + 1e-3 * q1[i]), t0 + 1e-3 * t1),
                _ => (q1, t0),
            };
            let keys = [(0.0, q0, t0), (1.0, q1, t1)].map(|(time, rotation, translation)| Keyframe {
                time,
                rotation,
                translation,
            });
            Joint::Moving(Motion::through(&keys, between, [1.0; 3]).unwrap())
        },
    )
}

/// Triangles of all sizes: needles, points and slabs among them.
fn mesh() -> impl Strategy<Value = Mesh> {
    let triangle = (
        points(0.6),
        prop::array::uniform3(points(1.0)),
        prop_oneof![Just(0.5), Just(0.1), Just(1e-3)],
        0..6,
    );
    prop::collection::vec(triangle, 1..14).prop_map(|triangles| {
        let corners: Vec<DVec3> = triangles
            .iter()
            .flat_map(|(at, t, size, kind)| {
                let [p, q, r] = t.map(|p| *at + p * *size);
                match kind {
                    0 => [p, q, q],
                    1 => [p, q, r].map(|p| DVec3::new(p.x, p.y, at.z)),
                    _ => [p, q, r],
                }
            })
            .collect();
        let count = u32::try_from(triangles.len()).unwrap();
        Mesh::new(&corners, &(0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>()).unwrap()
    })
}

fn method() -> impl Strategy<Value = Method> {
    let boxes = prop_oneof![Just(Boxes::Swept), Just(Boxes::Interval), Just(Boxes::Natural)];
    let triangles =
        prop_oneof![Just(Triangles::Directions), Just(Triangles::Elementary), Just(Triangles::Roots)];
    let axes = prop_oneof![Just(Axes::All), Just(Axes::Faces)];
    let order = prop_oneof![Just(Order::TimeFirst), Just(Order::SpaceFirst)];
    let discrete = prop_oneof![Just(Discrete::Off), Just(Discrete::Middle), Just(Discrete::Ends)];
    let subdivision = prop_oneof![
        3 => Just(Subdivision::Extents),
        1 => Just(Subdivision::Printed),
        1 => Just(Subdivision::Never),
        1 => Just(Subdivision::Always),
    ];
    let k = prop_oneof![Just(0.2f32), 0.01..1.0f32, Just(1.0), Just(f32::MIN_POSITIVE)];
    let subdivision = (subdivision, k.prop_map(|k| K::new(k).unwrap()));
    let tests = (boxes, triangles, axes, discrete);
    (tests, subdivision, order, any::<[bool; 3]>()).prop_map(|(tests, (subdivision, k), order, with)| {
        let ((boxes, triangles, axes, discrete), [near_first, fronts, collision_time]) = (tests, with);
        Method { boxes, triangles, axes, discrete, subdivision, k, near_first, fronts, collision_time, order }
    })
}

fn brute(meshes: &[Mesh; 2], poses: &[Pose; 2]) -> f64 {
    let posed = [0, 1].map(|side: usize| {
        let mesh = &meshes[side];
        (0..mesh.triangles().len() as u32).map(move |t| mesh.corners(t).map(|v| poses[side].apply(v)))
    });
    let [of_a, of_b] = posed;
    let of_b: Vec<_> = of_b.collect();
    of_a.flat_map(|a| of_b.iter().map(move |b| distance(&a, b)).collect::<Vec<_>>())
        .fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(closefit_testing::cases(12)))]

    #[test]
    fn cells_are_those_of_all_cells(
        method in method(),
        meshes in [mesh(), mesh()],
        joints in [prop::collection::vec(joint(), 0..2), prop::collection::vec(joint(), 1..3)],
        level in 0u32..9,
        (start, end) in (0.0..1.0f64, 0.0..1.0f64),
    ) {
        let mut frames = Frames::default();
        let ends = joints.map(|joints| joints.into_iter().fold(None, |above, joint| Some(frames.add(above, joint))));
        let placed_parts = [0, 1].map(|side| PlacedPart::of(Pose::IDENTITY, ends[side], meshes[side].vertices()));
        let motion = PairMotion::new(&frames, placed_parts);
        let span = motion.span(0.0, 1.0);
        let precision = 2.0 * span.speed() / f64::from(1u32 << level) + 1e-9;
        let cells = span.cells(precision).unwrap();
        let unit = 0.5 * precision;
        let all: Vec<f64> = (0..cells.count())
            .map(|cell| brute(&meshes, &motion.poses(cells.middle(cells.cell(cell)))))
            .collect();
        let range = [start, end].map(|s| (s * cells.count() as f64) as u64);
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let expected = Expected { all, least, unit };
        for strategy in closefit_methods::strategies() {
            for method in [Method::default(), method] {
                let ranges = [0..cells.count(), range[0]..cells.count(), range[0]..range[1].max(range[0])];
                let time = (&span, &cells);
                let executor = strategy.executor();
                let compared = Compared { meshes: &meshes, time, method, executor, ranges, expected: &expected };
                if strategy.tree() == closefit_methods::OCTREE {
                    compared.clone().run::<Octree<Uniform, Trimmed>>()?;
                }
                kind::run(strategy.tree(), compared)?;
            }
        }
    }
}

/// The distances at the middles of all cells.
struct Expected {
    all: Vec<f64>,
    least: f64,
    unit: f64,
}

/// Searches of some ranges with one kind of tree, compared with the distances of all cells.
#[derive(Clone)]
struct Compared<'a> {
    meshes: &'a [Mesh; 2],
    time: (&'a PairSpan<'a>, &'a Cells),
    method: Method,
    executor: Executor,
    ranges: [Range<u64>; 3],
    expected: &'a Expected,
}

impl WithTrees for Compared<'_> {
    type Output = Result<(), TestCaseError>;

    fn run<T: Hierarchy>(self) -> Self::Output {
        let models =
            self.meshes.each_ref().map(|mesh| Model::<T>::of(mesh, self.executor, Default::default()));
        let shapes = [0, 1].map(|side| Shape { mesh: &self.meshes[side], model: &models[side] });
        let (motion, cells) = self.time;
        let pair =
            MovingPair { shapes: &shapes, motion, cells, method: self.method, hulls: None, known: None };
        let &Expected { ref all, least, unit } = self.expected;
        let (mut scratch, mut work) = (Scratch::of(&shapes), Work::default());
        for range in self.ranges {
            let seen = &all[range.start as usize..range.end as usize];
            for limit in [unit, least, least.next_down(), least * 1.5, 0.0, 0.3] {
                let expected = seen.iter().position(|d| *d <= limit).map(|i| range.start + i as u64);
                prop_assert_eq!(pair.first_within(range.clone(), limit, &mut scratch, &mut work), expected);
            }
            let fewest = seen.iter().map(|d| steps_of(*d, unit)).min();
            for below in [u64::MAX, 5, fewest.unwrap_or(0), fewest.unwrap_or(0) + 1] {
                let expected = fewest.filter(|fewest| *fewest < below).map(|fewest| {
                    let at = seen.iter().position(|d| *d <= fewest as f64 * unit).unwrap();
                    (fewest, range.start + at as u64)
                });
                prop_assert_eq!(pair.lowest(range.clone(), unit, below, &mut scratch, &mut work), expected);
            }
        }
        Ok(())
    }
}
