use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

use super::*;
use crate::bvh::moving::Shape;
use crate::bvh::posed_model::Model;
use crate::bvh::wide_obb::WideObb;
use crate::continuous::method::Method;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::Stream;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::{Between, FrameId, Frames, Joint, Keyframe, Motion};

/// A line, and two directions perpendicular to it.
#[derive(Clone, Copy, Debug)]
struct Line {
    point: DVec3,
    direction: DVec3,
}

impl Line {
    /// Returns the point at a radius, an angle and a height.
    fn at(&self, radius: f64, angle: f64, height: f64) -> DVec3 {
        let (x, y) = self.direction.any_orthonormal_pair();
        self.point + (x * angle.cos() + y * angle.sin()) * radius + self.direction * height
    }
}

/// Facets of a surface of revolution through places of radius and height.
fn ring(line: &Line, places: &[[f64; 2]], facets: u32, phase: f64) -> Vec<Triangle> {
    let mut triangles = Vec::new();
    for pair in places.windows(2) {
        for facet in 0..facets {
            let corner = |k: u32, [radius, height]: [f64; 2]| {
                line.at(radius, TAU * (f64::from(facet + k) + phase) / f64::from(facets), height)
            };
            let [p, q] = [pair[0], pair[1]];
            triangles.push([corner(0, p), corner(1, p), corner(1, q)]);
            triangles.push([corner(0, p), corner(1, q), corner(0, q)]);
        }
    }
    triangles
}

/// Returns triangles in awkward places: across the axis, on it, along it, without area, and large ones.
fn awkward(stream: &mut Stream, line: &Line) -> Triangle {
    let mut near = || line.point + stream.point();
    let (p, q, r) = (near(), near(), near());
    match stream.below(6) {
        0 => [p, p, p],
        1 => [p, q, q],
        2 => [line.point, p, q],
        3 => [line.at(0.0, 0.0, -0.3), line.at(0.0, 0.0, 0.4), p],
        4 => [line.point, line.at(0.0, 0.0, 0.1), line.at(0.0, 0.0, 0.7)],
        _ => [p, q, r],
    }
}

fn mesh(triangles: &[Triangle]) -> Mesh {
    let indices: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(triangles.as_flattened(), &indices).unwrap()
}

/// A turn about a line over one second.
fn turn(
    frames: &mut Frames,
    above: Option<FrameId>,
    line: &Line,
    [angle, slide]: [f64; 2],
    hinge: bool,
) -> FrameId {
    let Line { point, direction } = *line;
    if hinge {
        let hub = frames.add(above, Joint::Fixed(Pose::translation(point.to_array())));
        let joint = Motion::about(direction, &[0.0, 1.0], &[0.0, angle]).unwrap();
        let turned = frames.add(Some(hub), Joint::Moving(joint));
        return frames.add(Some(turned), Joint::Fixed(Pose::translation((-point).to_array())));
    }
    let end = DQuat::from_axis_angle(direction, angle);
    let keys = [(0.0, DQuat::IDENTITY, DVec3::ZERO), (1.0, end, point - end * point + direction * slide)]
        .map(|(time, q, translation)| Keyframe { time, rotation: q.to_array(), translation });
    frames.add(above, Joint::Moving(Motion::through(&keys, Between::Screw, [1.0; 3]).unwrap()))
}

/// Two parts and their frames.
struct Case {
    meshes: [Mesh; 2],
    frames: Frames,
    on: [Option<FrameId>; 2],
}

impl Case {
    /// Calls `ask` with the proof for about `2^level` cells, the distance in the middle of each, and the
    /// axis.
    fn with<R>(&self, level: u32, ask: impl FnOnce(&mut CoaxialProof, &[f64], Option<&Coaxial>) -> R) -> R {
        let models = self
            .meshes
            .each_ref()
            .map(|mesh| Model::<WideObb>::of(mesh, Executor::Scalar, Default::default()));
        let shapes = [0, 1].map(|side| Shape { mesh: &self.meshes[side], model: &models[side] });
        let placed =
            [0, 1].map(|side| PlacedPart::of(Pose::IDENTITY, self.on[side], self.meshes[side].vertices()));
        let motion = PairMotion::new(&self.frames, placed);
        let span = motion.span(0.0, 1.0);
        let precision = 2.0 * span.speed() / f64::from(1u32 << level) + 1e-5;
        let cells = span.cells(precision).unwrap();
        let pair = MovingPair {
            shapes: &shapes,
            motion: &span,
            cells: &cells,
            method: Method::default(),
            hulls: None,
            known: None,
        };
        let distances: Vec<f64> =
            (0..cells.count()).map(|i| self.distance(&motion.poses(cells.middle(cells.cell(i))))).collect();
        ask(&mut CoaxialProof::new(&pair, &mut Patience::default()), &distances, span.coaxial().as_ref())
    }

    fn distance(&self, poses: &[Pose; 2]) -> f64 {
        let [a, b] = [0, 1].map(|side: usize| {
            let mesh = &self.meshes[side];
            let posed = |t| mesh.corners(t).map(|v| poses[side].apply(v));
            (0..mesh.triangles().len() as u32).map(posed).collect::<Vec<_>>()
        });
        a.iter().flat_map(|p| b.iter().map(|q| distance(p, q))).fold(f64::INFINITY, f64::min)
    }
}

/// Draws two parts about a line: rings and awkward triangles, turned, slid, mirrored, far away, carried
/// together.
fn case(stream: &mut Stream) -> Case {
    let direction = if stream.below(2) == 0 { DVec3::Z } else { (stream.point() + 1e-3).normalize() };
    let line = Line { point: stream.point() * stream.pick(&[0.0, 1.0, 1e3, 1e6]), direction };
    let [inner, outer] = [0.3 + 0.2 * stream.signed(), 0.9 + 0.3 * stream.signed()];
    let places = |stream: &mut Stream, radius: f64| {
        [0, 1, 2].map(|k| [radius + 0.1 * stream.signed(), f64::from(k) * 0.4 + 0.1 * stream.signed()])
    };
    let mut soups = [inner, outer].map(|radius| {
        let facets = 3 + stream.below(4) as u32;
        ring(&line, &places(stream, radius), facets, stream.signed())
    });
    for soup in &mut soups {
        if stream.below(3) == 0 {
            let mut one = awkward(stream, &line);
            if stream.below(2) == 0 {
                one = one.map(|p| p + direction * 3.0);
            }
            soup.push(one);
        }
    }
    if stream.below(8) == 0 {
        // Off the axis.
        soups[0].iter_mut().for_each(|t| *t = t.map(|p| p + DVec3::splat(0.05)));
    }
    let mut frames = Frames::default();
    let scale = stream.pick(&[1.0, 0.5, -2.0]);
    let mut stem = frames.add(None, Joint::Fixed(Pose::scaling([scale, scale.abs(), scale.abs()])));
    if stream.below(4) == 0 {
        let other = Line { point: stream.point(), direction: DVec3::X };
        stem = turn(&mut frames, Some(stem), &other, [1.0, 0.2], false);
    }
    let angle = stream.pick(&[3.0, 1.0, 0.1, 1e-6]);
    let slide = stream.pick(&[0.0, 0.0, 0.3]);
    let hinge = stream.below(2) == 0;
    let of_b = turn(&mut frames, Some(stem), &line, [if hinge { 4.0 * angle } else { angle }, slide], hinge);
    let of_a = match stream.below(3) {
        0 => turn(&mut frames, Some(stem), &line, [-0.7 * angle, 0.0], false),
        _ => stem,
    };
    let mut on = [Some(of_a), Some(of_b)];
    if stream.below(2) == 0 {
        soups.swap(0, 1);
        on.swap(0, 1);
    }
    Case { meshes: soups.map(|soup| mesh(&soup)), frames, on }
}

#[test]
fn what_stays_beyond_is_beyond_in_every_cell() {
    let mut stream = Stream(21);
    let (mut asked, mut proven, mut touching) = (0, 0, 0);
    for _ in 0..150 {
        let case = case(&mut stream);
        case.with(6, |proof, distances, coaxial| {
            let coaxial = coaxial.expect("they turn");
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            if least == 0.0 {
                touching += 1;
            }
            let count = distances.len() as u64;
            let half = (count / 2) as usize;
            for share in [0.0, 0.5, 0.9, 0.99, 1.0 - 1e-6, 1.0 - 1e-15, 1.0, 1.1] {
                let limit = least * share;
                let mut work = Work::default();
                if proof.stays_beyond(0..count, limit, &mut work) {
                    assert!(least > limit, "{limit} {least} {coaxial:?}");
                    proven += u32::from(share == 0.5);
                }
                assert!(work.box_tests > 0);
                asked += u32::from(share == 0.5 && least > 0.0);
                // Half of the time has half of the slide.
                let later = distances[half..].iter().copied().fold(f64::INFINITY, f64::min) * share;
                if proof.stays_beyond(half as u64..count, later, &mut work) {
                    assert!(distances[half..].iter().all(|d| *d > later), "{later} {coaxial:?}");
                }
            }
        });
    }
    assert!(proven * 2 > asked && asked > 75 && touching > 3, "{proven} of {asked}, {touching} touching");
}

/// Over a full turn, nothing but rounding is lost, whatever the facets, and coordinates that do not change
/// are compared without rounding.
#[test]
fn a_full_turn_is_proven_up_to_the_distance() {
    let line = Line { point: DVec3::ZERO, direction: DVec3::Z };
    let tilted =
        Line { point: DVec3::new(0.3, -2.0, 1.0), direction: DVec3::new(1.0, 2.0, -1.5).normalize() };
    let inside = [[0.5, -0.5], [0.6, 0.0], [0.4, 0.5]];
    let around = [[0.8, -0.6], [0.7, 0.1], [0.9, 0.6]];
    let beside = [[0.2, 0.75], [0.8, 0.75]];
    for (line, of_b, facets, constant) in [
        (line, &around[..], 7, false),
        (line, &beside, 5, true),
        (tilted, &around, 7, false),
        (tilted, &beside, 6, false),
    ] {
        let soups = [ring(&line, &inside, 5, 0.1), ring(&line, of_b, facets, 0.0)];
        let mut frames = Frames::default();
        let of_a = turn(&mut frames, None, &line, [TAU, 0.0], true);
        let case = Case { meshes: soups.map(|soup| mesh(&soup)), frames, on: [Some(of_a), None] };
        case.with(10, |proof, distances, coaxial| {
            let coaxial = coaxial.expect("one turns");
            assert_eq!(coaxial.constant, (line.direction == DVec3::Z).then_some(2));
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let count = distances.len() as u64;
            let mut proves = |limit: f64| proof.stays_beyond(0..count, limit, &mut Work::default());
            // The cells' middles miss the least distance by little.
            assert!(proves(least - 1e-4), "{least} {coaxial:?}");
            assert_eq!(proves(least.next_down()), constant);
            assert!(!proves(least));
        });
    }
}

/// Parts without a common axis, or with more joints between them, are left to the search.
#[test]
fn other_motions_are_not_proven() {
    let line = Line { point: DVec3::ZERO, direction: DVec3::Z };
    let across = Line { point: DVec3::ZERO, direction: DVec3::X };
    let soups =
        [[[0.3, 0.0], [0.3, 0.5]], [[0.5, 0.0], [0.5, 0.5]]].map(|places| ring(&line, &places, 4, 0.0));
    let meshes = soups.map(|soup| mesh(&soup));
    let mut frames = Frames::default();
    let upper = turn(&mut frames, None, &line, [1.0, 0.0], true);
    let lower = turn(&mut frames, Some(upper), &line, [1.0, 0.0], true);
    let tilting = turn(&mut frames, None, &across, [1.0, 0.0], true);
    for (on, is_coaxial) in [([Some(lower), None], false), ([Some(upper), Some(tilting)], true)] {
        let case = Case { meshes: meshes.clone(), frames: frames.clone(), on };
        case.with(5, |proof, distances, coaxial| {
            assert_eq!(coaxial.is_some(), is_coaxial);
            assert!(coaxial.is_none_or(|coaxial| coaxial.slack > 0.3));
            assert!(!proof.stays_beyond(0..distances.len() as u64, 0.05, &mut Work::default()));
        });
    }
}
