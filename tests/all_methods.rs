//! Every kind of tree, by every executor, finds what brute force finds, which rational arithmetic confirms: contacts,
//! closest triangles, and triangles within a distance, also after a clip by the contact region.
//!
//! `CLOSEFIT_CASES` sets the number of random, grid and degenerate pairs of small meshes: 1 000 000 take half an hour on two
//! cores.

mod support;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use closefit::internals::exact::contact::triangles_meet;
use closefit::internals::exact::distance::distance;
use closefit::internals::executor::Executor;
use closefit::internals::hierarchy::Hierarchy;
use closefit::internals::hierarchy::clipped::Few;
use closefit::internals::hierarchy::contact_region::ContactRegion;
use closefit::internals::hierarchy::kind::WithTrees;
use closefit::internals::hierarchy::mesh_hull::{MeshHull, separation};
use closefit::internals::hierarchy::strategy::Strategy;
use closefit::internals::hull::closest_features::HullWork;
use closefit::internals::hull::contact_region::RegionWork;
use closefit::internals::math::Triangle;
use closefit::internals::narrow::{Nearest, SLACK, Work};
use closefit::{DVec3, Mesh, Pose};
use glam::DMat3;
use rayon::prelude::*;
use support::meshes::mesh;
use support::rational;
use support::rng::Rng;
use support::triangles::{CATEGORIES, pair};

/// The share of pairs that rational arithmetic confirms: it takes as long as all methods.
const CONFIRMED: u64 = 4;

/// Two meshes at poses.
struct Case {
    meshes: [Mesh; 2],
    poses: [Pose; 2],
}

/// Poses that leave triangles where they are, or turn, mirror, stretch or flatten them.
fn pose(rng: &mut Rng) -> Pose {
    let scale = match rng.index(6) {
        0 => [1.0, 2.0, 0.25],
        1 => [-1.0, 1.0, 1.0],
        2 => [1.0, 1.0, 0.0],
        _ => [1.0; 3],
    };
    let rotation = if rng.coin() { rng.quaternion() } else { [0.0, 0.0, 0.0, 1.0] };
    let at = if rng.coin() { DVec3::ZERO } else { rng.point() };
    Pose::from_trs(rotation, scale, at.to_array()).expect("a rotation")
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new("all methods", seed);
        let poses = if rng.index(3) == 0 { [pose(&mut rng), pose(&mut rng)] } else { [Pose::IDENTITY; 2] };
        let meshes = match rng.index(3) {
            // Random triangles, small or large beside their distances.
            0 => {
                let size = [0.05, 0.3, 1.0][rng.index(3)];
                let mut triangle = || {
                    let at = rng.point();
                    array(|| at + size * rng.point())
                };
                [(); 2].map(|()| mesh(&(0..5).map(|_| triangle()).collect::<Vec<_>>()))
            }
            // Lattice triangles: coincident, coplanar, degenerate.
            1 => {
                let count = 1 + rng.index(5);
                let reach = 1 + rng.int(0, 2);
                [(); 2].map(|()| mesh(&(0..count).map(|_| array(|| rng.lattice(reach))).collect::<Vec<_>>()))
            }
            // Pairs that are hard to tell, touching or not, tiny, huge, far away, without area.
            _ => {
                let category = &CATEGORIES[rng.index(CATEGORIES.len())];
                let pairs: Vec<_> = (0..=rng.int(0, 2)).map(|_| pair(category, rng.bits())).collect();
                [0, 1].map(|side| mesh(&pairs.iter().map(|pair| pair[side]).collect::<Vec<_>>()))
            }
        };
        Self { meshes, poses }
    }

    fn triangles(&self, side: usize) -> Vec<Triangle> {
        let corners = |triangle| self.meshes[side].corners(triangle).map(|v| self.poses[side].apply(v));
        (0..).take(self.meshes[side].triangles().len()).map(corners).collect()
    }

    fn linear(&self, side: usize) -> DMat3 {
        self.poses[side].linear()
    }
}

fn array(mut corner: impl FnMut() -> DVec3) -> Triangle {
    [(); 3].map(|()| corner())
}

/// The answers to all questions.
#[derive(Clone, Debug, PartialEq)]
struct Answers {
    contacts: Vec<[u32; 2]>,
    /// The closest triangles of a pair without contact.
    nearest: Option<Nearest>,
}

/// Tests each triangle against each.
fn by_brute_force(case: &Case) -> Answers {
    let [a, b] = [0, 1].map(|side| case.triangles(side));
    let pairs = || (0..).zip(&a).flat_map(|(i, s)| (0..).zip(&b).map(move |(j, t)| ([i, j], s, t)));
    let contacts: Vec<[u32; 2]> = pairs().filter(|(_, s, t)| triangles_meet(s, t)).map(|of| of.0).collect();
    let nearest = contacts.is_empty().then(|| {
        let all = pairs().map(|(triangles, s, t)| Nearest { distance: distance(s, t), triangles });
        all.reduce(|best, next| if next.is_before(&best) { next } else { best }).expect("triangles")
    });
    Answers { contacts, nearest }
}

/// Confirms the brute force in rational arithmetic.
fn confirm(case: &Case, answers: &Answers) {
    let [a, b] = [0, 1].map(|side| case.triangles(side));
    for (i, s) in (0..).zip(&a) {
        for (j, t) in (0..).zip(&b) {
            let is_listed = answers.contacts.binary_search(&[i, j]).is_ok();
            assert_eq!(rational::triangles_meet(s, t), is_listed, "{s:?} {t:?}");
            if let Some(nearest) = &answers.nearest {
                let distance = rational::distance(s, t);
                assert!(distance >= nearest.distance);
                assert!(nearest.triangles != [i, j] || distance == nearest.distance);
            }
        }
    }
}

/// Asks one kind of tree, with one executor, and compares.
struct Compare<'a> {
    case: &'a Case,
    executor: Executor,
    expected: &'a Answers,
    region: Option<&'a ContactRegion>,
}

impl WithTrees for Compare<'_> {
    type Output = ();

    fn run<T: Hierarchy>(self) {
        let Self { case, executor, expected, region } = self;
        let trees = [0, 1].map(|side| {
            let (mesh, linear) = (&case.meshes[side], case.linear(side));
            if T::is_built_for(&linear) { T::build_for(mesh, linear) } else { T::build(mesh) }
        });
        let posed = [0, 1].map(|side| trees[side].place(&case.meshes[side], &case.poses[side], executor));
        let [a, b] = &posed;
        let mut work = Work::default();
        let at = || format!("{} {executor}", T::NAME);
        assert_eq!(T::contacts(a, b, usize::MAX, &mut work), expected.contacts, "{}", at());
        assert_eq!(T::touches(a, b, &mut work), !expected.contacts.is_empty(), "{}", at());
        if let Some(nearest) = expected.nearest {
            // All triangles, exactly as near, and just not.
            for limit in [f64::INFINITY, nearest.distance, nearest.distance.next_down()] {
                let found = (nearest.distance <= limit).then_some(nearest);
                assert_eq!(T::nearest(a, b, limit, &mut work), found, "{} within {limit:e}", at());
                let within = T::within(a, b, limit, &mut work);
                assert_eq!(within.is_some(), found.is_some(), "{} within {limit:e}", at());
            }
        }
        let Some(region) = region else { return };
        let few = |reach: f64, work: &mut Work| Few::of::<T>([a, b], [0, 1], region, reach, work);
        let few_in_contact = few(0.0, &mut work).expect("few triangles");
        let contacts = few_in_contact.contacts::<T>([a, b], usize::MAX, &mut work);
        assert_eq!(contacts.as_ref(), Some(&expected.contacts), "{} clipped", at());
        if let Some(nearest) = expected.nearest {
            for limit in [nearest.distance, nearest.distance.next_down()] {
                let few_near = few(limit * SLACK, &mut work).expect("few triangles");
                let found = (nearest.distance <= limit).then_some(nearest);
                assert_eq!(few_near.nearest::<T>([a, b], limit, &mut work), found, "{} clipped", at());
            }
        }
    }
}

/// Checks the distance that the hulls of a pair prove, and returns its contact region.
fn by_hulls(case: &Case, expected: &Answers) -> Option<ContactRegion> {
    let hulls = [0, 1].map(|side| {
        let linear = Some(case.linear(side)).filter(MeshHull::is_built_for);
        MeshHull::of(&case.meshes[side], linear)
    });
    let [Some(a), Some(b)] = &hulls else { return None };
    let posed = [a.at(&case.poses[0]), b.at(&case.poses[1])];
    let bound = separation([&posed[0], &posed[1]], Executor::default(), &mut HullWork::default());
    assert!(bound <= expected.nearest.map_or(0.0, |nearest| nearest.distance), "apart by {bound:e}");
    ContactRegion::of([&posed[0], &posed[1]], Executor::default(), &mut RegionWork::default())
}

/// Compares all methods on a pair. Returns whether it is in contact, and whether it has a contact region.
fn compared(seed: u64) -> (bool, bool) {
    let case = Case::new(seed);
    let asked = std::panic::catch_unwind(|| {
        let expected = by_brute_force(&case);
        if seed.is_multiple_of(CONFIRMED) {
            confirm(&case, &expected);
        }
        let region = by_hulls(&case, &expected);
        for strategy in Strategy::all() {
            let executor = strategy.executor();
            let compare = Compare { case: &case, executor, expected: &expected, region: region.as_ref() };
            strategy.tree().run(compare);
        }
        (!expected.contacts.is_empty(), region.is_some())
    });
    asked.unwrap_or_else(|_| panic!("pair {seed} differs"))
}

#[test]
fn all_methods_find_what_brute_force_finds() {
    let (touching, regions) = (AtomicU64::new(0), AtomicU64::new(0));
    let cases = support::cases(3000);
    (0..cases).into_par_iter().for_each(|seed| {
        let (is_touching, has_region) = compared(seed);
        touching.fetch_add(u64::from(is_touching), Relaxed);
        regions.fetch_add(u64::from(has_region), Relaxed);
    });
    let [touching, regions] = [touching, regions].map(AtomicU64::into_inner);
    println!("{cases} pairs, {touching} in contact, {regions} with a contact region: no method differs");
    assert!(5 * touching > cases && 4 * touching < 3 * cases && 2 * regions > cases);
}

/// A ball around a needle was so large that f32 overflowed, and it was dropped.
#[test]
fn all_methods_agree_on_pairs_that_once_differed() {
    assert_eq!(compared(598_424), (true, true));
}
