//! Parts that pass all the way through each other: the thickness of solids, against formulas and random
//! points inside, and the depths that it bounds, against the depths at many single poses.
//!
//! `CLOSEFIT_CASES` sets the number of random solids.

use std::f64::consts::TAU;

use closefit::internals::bvh::posed_model::{Model, PosedModel};
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::engine::{check, sweep};
use closefit::internals::query::depth::thickness;
use closefit::internals::query::winding::inside;
use closefit::scene::Scene;
use closefit::{
    Between, CheckRequest, DVec3, Executor, Mesh, Motion, Pose, SweepRequest, Unobserved, Winding,
};
use closefit_geometry::exact::distance::distance;
use closefit_geometry::motion::Joint;
use closefit_testing::cases;
use closefit_testing::meshes::{self, Piece, Soup, ball, cuboid, mesh, prism};
use closefit_testing::motions::key;
use closefit_testing::rng::Rng;

fn ask<R>(mesh: &Mesh, pose: Pose, ask: impl FnOnce(&PosedModel) -> R) -> R {
    let model = Model::<WideObb>::of(mesh, Executor::default(), Winding::Repaired);
    ask(&PosedModel::new(mesh, &model, pose, mesh.posed_bounds(&pose)))
}

fn regular(corners: u32, radius: f64) -> Vec<[f64; 2]> {
    let at = |k: u32| TAU * f64::from(k) / f64::from(corners);
    (0..corners).map(|k| [radius * libm::cos(at(k)), radius * libm::sin(at(k))]).collect()
}

/// Returns a closed torus of radius 1 around the z axis, with a tube of radius 0.35.
fn torus(around: u32, across: u32) -> Soup {
    let at = |i: u32, j: u32| {
        let angle = |k: u32, of: u32| TAU * f64::from(k % of) / f64::from(of);
        let (u, v) = (angle(i, around), angle(j, across));
        let out = 1.0 + 0.35 * libm::cos(v);
        DVec3::new(out * libm::cos(u), out * libm::sin(u), 0.35 * libm::sin(v))
    };
    let quads = (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let both = quads.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    both.collect()
}

/// Returns a random solid and its thickness.
fn solid(r: &mut Rng) -> (Soup, f64) {
    match r.index(4) {
        0 => {
            let half = DVec3::from_array(std::array::from_fn(|_| 0.02 + r.unit().abs()));
            (cuboid((-half).to_array(), half.to_array()), half.min_element())
        }
        1 | 2 => {
            let corners = 3 + u32::try_from(r.index(40)).expect("small");
            let (radius, half) = (0.1 + r.unit().abs(), 0.05 + r.unit().abs());
            let apothem = radius * libm::cos(0.5 * TAU / f64::from(corners));
            (prism(&regular(corners, radius), -half, half), apothem.min(half))
        }
        _ => {
            let radius = 0.1 + r.unit().abs();
            let soup = ball(DVec3::ZERO, radius, 2);
            let heights = soup.iter().map(|[a, b, c]| (b - a).cross(c - a).normalize().dot(*a).abs());
            let lowest = heights.fold(f64::INFINITY, f64::min);
            (soup, lowest)
        }
    }
}

#[test]
fn no_point_of_a_solid_is_farther_from_its_surface_than_its_thickness() {
    let mut r = Rng::new("thickness: solids", 51);
    let (mut inner, mut close, wanted) = (0, 0, cases(60));
    for case in 0..wanted {
        let (soup, expected) = solid(&mut r);
        let mesh = mesh(&soup);
        let pose =
            Pose::from_trs(r.quaternion(), [1.0; 3], (r.point() * 3.0).to_array()).expect("a rotation");
        ask(&mesh, pose, |body| {
            let found = thickness(body);
            let rounding = 1e-12;
            assert!(found >= expected - rounding, "{case}: {found} for {expected}");
            // Of a ball, the thickest place may be a little off the centre. A thin plate that is a fan of
            // slivers takes more boxes than the search has.
            close += u32::from(found <= 1.0125 * expected);
            let bounds = body.bounds();
            for _ in 0..40 {
                let share = DVec3::from_array(std::array::from_fn(|_| 0.5 + 0.5 * r.unit()));
                let p = bounds.lo + share * (bounds.hi - bounds.lo);
                if inside(body, &p) {
                    inner += 1;
                    let all = (0..body.len()).map(|t| distance(&[p; 3], &body.triangle(t)));
                    let nearest = all.fold(f64::INFINITY, f64::min);
                    assert!(nearest <= found + rounding, "{case}: {nearest} beyond {found}");
                }
            }
        });
    }
    println!("{inner} points inside, {close} of {wanted} bounds are close");
    assert!(4 * u64::from(close) > 3 * wanted);
}

#[test]
fn the_thickness_of_a_torus_is_that_of_its_tube() {
    let soup = torus(48, 24);
    let mesh = mesh(&soup);
    let found = ask(&mesh, Pose::IDENTITY, thickness);
    assert!((0.34..0.352).contains(&found), "{found}");
    // An open surface is no solid.
    let open = meshes::mesh(&soup[1..]);
    assert!(ask(&open, Pose::IDENTITY, thickness).abs() < f64::MIN_POSITIVE);
}

/// Rods across each other, all as thick, far longer than they are apart: the search has to cut between them.
#[test]
fn the_thickness_of_many_rods_is_that_of_one() {
    let rod = prism(&regular(16, 0.18), -3.0, 3.0);
    let rods = (0..24).flat_map(|k: u32| {
        let [row, column] = [k / 3 % 4, k / 12].map(|at| 1.5 * f64::from(at) - 2.25);
        let third = 0.5 * f64::from(k % 3);
        let place = move |p: DVec3| {
            let at = p + DVec3::new(row + third, column + third, 0.0);
            let [x, y, z] = at.to_array();
            [DVec3::new(x, y, z), DVec3::new(z, x, y), DVec3::new(y, z, x)][k as usize % 3]
        };
        rod.iter().map(move |triangle| triangle.map(place)).collect::<Vec<_>>()
    });
    let mesh = mesh(&rods.collect::<Soup>());
    let apothem = 0.18 * libm::cos(TAU / 32.0);
    let found = ask(&mesh, Pose::IDENTITY, thickness);
    assert!((apothem - 1e-12..1.05 * apothem).contains(&found), "{found} for {apothem}");
}

/// A part that stands and one that moves between two poses.
fn scene_of([still, moving]: [Soup; 2], [from, to]: [([f64; 4], DVec3); 2]) -> Scene {
    let mut scene = meshes::scene(&[Piece::new("still", still), Piece::new("moving", moving)]);
    let keys = [key(0.0, from.0, from.1), key(1.0, to.0, to.1)];
    let motion = Motion::through(&keys, Between::Linear, [1.0; 3]).expect("a motion");
    scene.parts[1].frame = Some(scene.frames.add(None, Joint::Moving(motion)));
    scene
}

/// Two tori that pass through each other, turning.
fn passing(r: &mut Rng) -> Scene {
    let (way, off) = (r.point().normalize(), r.point() * 0.5);
    let poses = [off - way * 3.0, off + way * 3.0].map(|at| (r.quaternion(), at));
    scene_of([torus(40, 20), torus(40, 20)], poses)
}

/// A slender wedge pierces a plate with its edge ahead, slanted, turning a little: it is as deep in the plate
/// as that is thick, and the plate hardly deep in the wedge, which is thicker.
fn piercing(r: &mut Rng) -> Scene {
    let plate = cuboid([-3.0, -3.0, -0.1], [3.0, 3.0, 0.1]);
    let wedge = prism(&[[0.0, 0.0], [4.0, -0.5], [4.0, 0.5]], -1.0, 1.0);
    // Its edge lies along z, and it reaches out along x.
    let down = |r: &mut Rng| {
        let slant = DVec3::Y * -std::f64::consts::FRAC_PI_2 + r.point() * 0.2;
        let [axis, half] = [slant.normalize(), DVec3::splat(0.5 * slant.length())];
        let [x, y, z] = (axis * libm::sin(half.x)).to_array();
        [x, y, z, libm::cos(half.x)]
    };
    let sink = 0.2 + 0.2 * r.unit().abs();
    let poses = [0.5, -sink].map(|z| (down(r), DVec3::new(0.3 * r.unit(), 0.3 * r.unit(), z)));
    scene_of([plate, wedge], poses)
}

#[test]
fn parts_that_pass_through_each_other_are_as_deep_as_many_poses_tell() {
    let mut r = Rng::new("thickness: passing tori", 52);
    let (mut saturated, mut pierced, mut poses) = (0, 0, 0);
    for case in 0..cases(8) {
        let are_tori = case % 2 == 0;
        let scene = if are_tori { passing(&mut r) } else { piercing(&mut r) };
        let request = SweepRequest::default().tolerance(1e-6).precision(1e-4).between(0.0, 1.0);
        let result = sweep(&scene, &request.with_intervals(), &Unobserved).expect("it can be swept");
        let Some(record) = result.pairs.first() else { continue };
        let found = record.intervals.as_ref().expect("they were asked for");
        for (interval, pressed) in found.contact.iter().zip(&found.pressed) {
            let pressed = pressed.as_ref().expect("both are closed");
            let depth_at = |time: f64| {
                let result = check(&scene.at(time), &CheckRequest::default().tolerance(1e-6), &Unobserved);
                let depth = result.expect("no limit").pairs.first().and_then(|pair| pair.depth);
                depth.map_or([0.0; 2], |depth| [depth.at_least, depth.at_most])
            };
            let [from, to] = [interval.enter[0], interval.leave[1]];
            let deepest = (0..=16).map(|k| depth_at(from + (to - from) * f64::from(k) / 16.0)[0]);
            let deepest = deepest.fold(0.0, f64::max);
            assert!(pressed.at_most >= deepest - 1e-12, "{case}: {pressed:?}, but {deepest}");
            let there = depth_at(pressed.at)[1];
            assert!(pressed.at_least <= there + 1e-12, "{case}: {pressed:?}, but {there} at that time");
            if pressed.at_least > if are_tori { 0.34 } else { 0.0985 } {
                *(if are_tori { &mut saturated } else { &mut pierced }) += 1;
                assert!(pressed.at_most <= 1.01 * pressed.at_least, "{case}: {pressed:?}");
            }
            poses += 17;
        }
    }
    println!("{saturated} as deep as both are thick, {pierced} as the plate is, {poses} poses");
    assert!(saturated > 0 && pierced > 0);
}
