//! Triangles that barely meet or barely miss. Their coordinates are exact in f64, so exact predicates give the true
//! answer.

use closefit::internals::exact::contact::triangles_meet;
use closefit::internals::gpu::{Device, Kernel};
use closefit::internals::hierarchy::obb8::on_device::columns::{LeafItem, Pair};
use closefit::internals::hierarchy::obb8::on_device::fixed_point::{ONE, fixed, words};
use closefit::internals::hierarchy::obb8::on_device::kernels::TRIANGLE_TRIANGLE;
use closefit::internals::math::error_bounds::device::PLACED;
use glam::{DMat3, DQuat, DVec3};

use crate::kernels::{pair, test_leaves};
use crate::support::rng::Rng;

type Triangle = [DVec3; 3];

/// A home triangle, and a guest triangle in its own and in home coordinates.
struct Case {
    home: Triangle,
    guest: Triangle,
    placed: Triangle,
    pair: Pair,
}

/// Rounds to the nearest multiples of 2^-bits.
fn rounded(p: DVec3, bits: i32) -> DVec3 {
    (p * 2f64.powi(bits)).round() * 2f64.powi(-bits)
}

/// Returns a map close to a rotation, with entries of 20 bits, so that its products with coordinates of 28 bits are
/// exact.
fn turn(rng: &mut Rng) -> (DMat3, DVec3) {
    let [x, y, z, w] = rng.quaternion();
    let map = if rng.index(4) == 0 {
        DMat3::IDENTITY
    } else {
        DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize())
    };
    let short = DMat3::from_cols_array(
        &map.to_cols_array().map(|x| (x * 2f64.powi(20) * (1.0 - 2f64.powi(-18))).trunc() / 2f64.powi(20)),
    );
    (short, rounded(rng.point(), 30))
}

impl Case {
    fn new(rng: &mut Rng) -> Self {
        let (map, shift) = turn(rng);
        let size = rng.power_of_two(-12, -1);
        let at = rng.point() * 0.4;
        let flat = rng.index(4) == 0;
        let mut corner = |around: DVec3, size: f64| {
            let p = rng.point() * size;
            around + if flat { p * DVec3::new(1.0, 1.0, 1e-4) } else { p }
        };
        let guest = [0; 3].map(|_| rounded(corner(at, size), 28));
        let placed = guest.map(|p| map * p + shift);
        // The expected answer is computed from these coordinates, so they must be exact.
        let far = size * 2.0;
        let others = [0; 4].map(|_| corner(placed[0], far));
        let normal = (placed[1] - placed[0]).cross(placed[2] - placed[0]);
        let gap = [0, 0, 1, 1, 2, 3, 5, 8, 13, 64][rng.index(10)] as f64
            * if rng.coin() { rng.power_of_two(-46, -18) } else { rng.power_of_two(-18, -4) }
            * size;
        let gap = if rng.coin() { gap } else { -gap };
        let weights = {
            let [a, b] = [rng.index(9) as f64 / 8.0, rng.index(9) as f64 / 8.0];
            if a + b > 1.0 { [1.0 - a, 1.0 - b] } else { [a, b] }
        };
        let home = match rng.index(3) {
            // A corner near the other triangle's plane, edges or corners; its other two corners anywhere beyond.
            0 | 1 => {
                let foot =
                    placed[0] + (placed[1] - placed[0]) * weights[0] + (placed[2] - placed[0]) * weights[1];
                let up = normal.normalize_or(DVec3::Z);
                let side = if rng.index(8) == 0 { -1.0 } else { 1.0 };
                let above = |p: DVec3| {
                    let height = (p - foot).dot(up);
                    p + up * (height.abs() * side - height)
                };
                [foot + up * gap, above(others[0]), above(others[1])]
            }
            // Two crossing edges.
            _ => {
                let through = placed[0] + (placed[1] - placed[0]) * weights[0];
                let along = others[0] - through;
                let up = along.cross(placed[1] - placed[0]).normalize_or(DVec3::Z);
                let inwards = (placed[2] - through).dot(up).signum();
                let ends = [through - along * 0.7, through + along * 0.6].map(|p| p - up * (inwards * gap));
                [ends[0], ends[1], through - up * inwards * (others[1] - through).length()]
            }
        };
        let home = home.map(|p| rounded(p, 47));
        Self { home, guest, placed, pair: pair(map, shift) }
    }
}

/// Returns counts of a shader's answers: meeting pairs declared apart, separate pairs declared in contact, and
/// undecided pairs.
pub fn wrong(device: Device, source: &'static str, blur: f32, cases: u64, seed: u64) -> [usize; 3] {
    let mut rng = Rng::new("triangles", seed);
    let all: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
    let all: Vec<Case> =
        all.into_iter().filter(|case| case.home.iter().all(|p| p.abs().max_element() < 2.0)).collect();
    let (mut home, mut guest, mut pairs, mut leaves) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, case) in (0..).zip(&all) {
        let push = |words_of: &mut Vec<u32>, triangle: &Triangle| {
            let at = words_of.len() as u32;
            words_of.extend([0, 1, 2]);
            for &p in triangle {
                words_of.extend(p.to_array().map(|x| words(x.to_bits() as i64)).as_flattened());
            }
            at
        };
        let at = [push(&mut home, &case.home), push(&mut guest, &case.guest)];
        pairs.push(Pair { blur, corners: at, vertices: at.map(|at| at + 3), ..case.pair });
        leaves.push(LeafItem { pair: number, first: [0, 0], two: 0 });
        assert_eq!(case.home.map(fixed).map(|p| p.map(|x| x as f64 / ONE)), case.home.map(|p| p.to_array()));
    }
    let kernel = Kernel::new(&device, "triangle_triangle", source).expect("compiled");
    let records = test_leaves(device, &kernel, &pairs, &home, &guest, &leaves);
    let mut found = vec![0; all.len()];
    for record in &records {
        found[record.pair as usize] = record.found;
    }
    let mut wrong = [0; 3];
    let mut met = 0;
    for (case, found) in all.iter().zip(found) {
        let meet = triangles_meet(&case.home, &case.placed);
        met += usize::from(meet);
        match (found >> 8 & 1, found >> 12 & 1) {
            (0, 0) => wrong[0] += usize::from(meet),
            (1, 0) => wrong[1] += usize::from(!meet),
            (0, 1) => wrong[2] += 1,
            _ => panic!("both met and unsure"),
        }
    }
    println!(
        "triangles: {} pairs, {met} meet, wrongly apart {}, wrongly met {}, unsure {}",
        all.len(),
        wrong[0],
        wrong[1],
        wrong[2]
    );
    assert!(met * 5 > all.len() && met * 5 < 4 * all.len() && wrong[2] * 10 < 9 * all.len());
    wrong
}

pub fn what_is_proven_of_triangles_is_so(device: Device) {
    for seed in 0..crate::support::cases(4) {
        let [apart, met, _] = wrong(device, TRIANGLE_TRIANGLE, PLACED, 60_000, seed);
        assert_eq!([apart, met], [0, 0]);
    }
}
