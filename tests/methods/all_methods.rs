//! Every kind of tree, by every executor, finds what brute force finds, which rational arithmetic confirms:
//! contacts, closest triangles, and triangles within a distance, also after a clip by the contact region.
//!
//! `CLOSEFIT_CASES` sets the number of random, grid and degenerate pairs of small meshes: 1 000 000 take 40
//! minutes on two cores.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use closefit::{DVec3, Pose};
use closefit_geometry::math::Triangle;
use closefit_geometry::parallel;
use closefit_testing::meshes::mesh;
use closefit_testing::methods::Case;
use closefit_testing::motions::f32_chain;
use closefit_testing::rng::Rng;
use closefit_testing::triangles::{CATEGORIES, pair};

/// The share of pairs that rational arithmetic confirms: it takes as long as all methods.
const CONFIRMED: u64 = 4;

/// The share of pairs at products of f32 rotations.
const CHAINS: u64 = 8;

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

/// Returns a random, grid or degenerate pair of small meshes.
fn case(seed: u64) -> Case {
    let mut rng = Rng::new("all methods", seed);
    let poses = if rng.index(3) == 0 { [pose(&mut rng), pose(&mut rng)] } else { [Pose::IDENTITY; 2] };
    let meshes = match rng.index(3) {
        // Random triangles, small or large compared with their distances.
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
    let chain = |rng: &mut Rng| {
        let (count, at) = (1 + rng.index(8), if rng.coin() { DVec3::ZERO } else { rng.point() });
        f32_chain(rng, count, at)
    };
    let poses = if seed % CHAINS == CONFIRMED { [chain(&mut rng), chain(&mut rng)] } else { poses };
    Case { meshes, poses }
}

fn array(mut corner: impl FnMut() -> DVec3) -> Triangle {
    [(); 3].map(|()| corner())
}

/// Compares all methods on a pair. Returns whether it is in contact, and whether it has a contact region.
fn compared(seed: u64) -> (bool, bool) {
    let case = case(seed);
    let asked = std::panic::catch_unwind(|| {
        let expected = case.by_brute_force();
        if seed.is_multiple_of(CONFIRMED) {
            case.confirm(&expected);
        }
        let region = case.by_hulls(&expected);
        for strategy in closefit_methods::strategies() {
            case.ask(strategy, &expected, region.as_ref());
        }
        (!expected.contacts.is_empty(), region.is_some())
    });
    asked.unwrap_or_else(|_| panic!("pair {seed} differs"))
}

#[test]
fn all_methods_find_what_brute_force_finds() {
    let (touching, regions) = (AtomicU64::new(0), AtomicU64::new(0));
    let cases = closefit_testing::cases(400);
    parallel::for_each(cases as usize, 1, &|seed| {
        let (is_touching, has_region) = compared(seed as u64);
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
