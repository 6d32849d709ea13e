//! Triangles that barely meet or barely miss. Most have coordinates that are exact in f64, so exact
//! predicates give the true answer.

use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::columns::{LeafItem, Pair};
use closefit::internals::bvh::wide_obb::on_device::fixed_point::{ONE, fixed, words};
use closefit::internals::bvh::wide_obb::on_device::kernels::{ASK_GROUP, ASK_OCTETS, TRIANGLE_TRIANGLE};
use closefit::internals::gpu::Kernel;
use closefit::internals::gpu::error_bounds::PLACED;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_testing::rng::Rng;
use glam::{DMat3, DQuat, DVec3};

use crate::kernels::{OfGroups, pair, test_leaves, test_leaves_by_groups};
use crate::perturbed::{Rounding, with_rounding};

type Triangle = [DVec3; 3];

/// A home triangle, and a guest triangle in its own and in home coordinates.
pub struct Case {
    pub home: Triangle,
    pub guest: Triangle,
    pub placed: Triangle,
    /// The position of the guest's origin.
    pub shift: DVec3,
    pub pair: Pair,
    /// The answer, if it is known; `placed` is then rounded.
    pub meet: Option<bool>,
}

/// Rounds to the nearest multiples of 2^-bits.
pub fn rounded(p: DVec3, bits: i32) -> DVec3 {
    (p * 2f64.powi(bits)).round() * 2f64.powi(-bits)
}

/// Returns a map close to a rotation, with entries of 20 bits, so that its products with coordinates of 28
/// bits are exact.
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
    pub fn new(rng: &mut Rng) -> Self {
        match rng.index(6) {
            0 => Self::wide(rng),
            1 => Self::tiny(rng),
            2 => Self::flat(rng),
            _ => Self::any(rng),
        }
    }

    /// Returns a triangle that fills its box, and another with a corner just beyond it. The products of a
    /// determinant are nearly as large as the box and cancel, so that rounding matters most.
    fn wide(rng: &mut Rng) -> Self {
        let (map, shift) = turn(rng);
        let size = 0.495 * rng.power_of_two(-5, -1);
        let flip = DVec3::from_array([0; 3].map(|_| if rng.coin() { 1.0 } else { -1.0 }));
        let at = rng.point() * 0.4;
        let guest = [0.0, 0.2, 0.25].map(|by| map.inverse() * ((rng.point() * 0.01 + by) * flip * size) + at);
        let guest = guest.map(|p| rounded(p, 28));
        let placed = guest.map(|p| map * p + shift);
        let corners = [(-1.0, -1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0)].map(DVec3::from);
        let corners = corners.map(|p| p * (DVec3::ONE - rng.point().abs() * 0.1) * flip * size);
        let [u, v] = [0, 1].map(|_| 0.45 + 0.02 * rng.unit());
        let foot = corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
        let by = placed[0] - foot + flip * size * rng.power_of_two(-40, -30);
        let home = corners.map(|p| rounded(p + by, 47));
        Self { home, guest, placed, shift, pair: pair(map, shift), meet: None }
    }

    /// Returns triangles so small that the errors of placing a corner matter: a corner is a few steps of the
    /// fixed point above or below a triangle. All 48 bits of coordinates and map are used, and f64 places the
    /// triangle within a third of a step.
    fn tiny(rng: &mut Rng) -> Self {
        let [x, y, z, w] = rng.quaternion();
        let map = DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize()) * (1.0 - 2f64.powi(-40));
        let map = DMat3::from_cols_array(&map.to_cols_array().map(|x| (x * ONE).round() / ONE));
        let shift = rounded(rng.point() * 0.5, 48);
        let size = rng.power_of_two(-33, -30);
        let at = rng.point() * 0.5;
        let guest = [0; 3].map(|_| rounded(at + rng.point() * size, 48));
        let placed = guest.map(|p| map * p + shift);
        let [e, f] = [placed[1] - placed[0], placed[2] - placed[0]];
        let up = e.cross(f).normalize_or(DVec3::Z);
        let steps = [2, 3, 4, 6, 8, 12][rng.index(6)] as f64 * if rng.coin() { 1.0 } else { -1.0 };
        let foot = placed[0] + (e + f) * 0.3;
        let side = if rng.coin() { 1.0 } else { -1.0 };
        let tip = foot + up * (side * steps / ONE);
        let home = [tip, tip + (e + up * side * size) * 0.5, tip + (f + up * side * size) * 0.5];
        // Not a case if the corner may lie beside the triangle.
        let is_thick = e.cross(f).length() > 0.2 * size * size;
        let meet = Some(is_thick && steps < 0.0);
        let home = if is_thick { home } else { home.map(|p| p + up * (side * size)) };
        Self { home: home.map(|p| rounded(p, 48)), guest, placed, shift, pair: pair(map, shift), meet }
    }

    /// Returns triangles that are almost flat and parallel to two axes: a corner is less than a step of the
    /// common grid above or below the other triangle, so that rounding to the grid matters.
    fn flat(rng: &mut Rng) -> Self {
        let reach = rng.power_of_two(-4, -1);
        let step = reach * 2f64.powi(-29);
        let up = rng.index(3);
        let turned = |x: f64, y: f64, z: f64| {
            let mut p = [x, y, z];
            p.rotate_right(2 - up);
            DVec3::from_array(p)
        };
        let side = if rng.coin() { 1.0 } else { -1.0 };
        let mut height = |steps: f64| (steps + (rng.unit() * 512.0).round() / 512.0) * step * side;
        let [far, other] = [height(30.0), height(40.0)];
        let heights = [height(0.0), height(0.0), height(0.0), height(0.0)];
        let spread = |rng: &mut Rng, x: f64, y: f64| [x, y].map(|x| (x + 0.05 * rng.unit()) * reach);
        let mut at = |x: f64, y: f64, z: f64| {
            let [x, y] = spread(rng, x, y);
            rounded(turned(x, y, z), 44)
        };
        let guest = [at(0.1, 0.1, heights[0]), at(0.4, 0.1, heights[1]), at(0.1, 0.4, heights[2])];
        // The tip is the second corner: positions are relative to the first one of the home leaf.
        let home = [at(0.9, 0.5, far), at(0.2, 0.2, heights[3]), at(0.5, 0.9, other)];
        let shift = DVec3::ZERO;
        Self { home, guest, placed: guest, shift, pair: pair(DMat3::IDENTITY, shift), meet: None }
    }

    fn any(rng: &mut Rng) -> Self {
        let (map, shift) = turn(rng);
        let size = rng.power_of_two(-12, -1);
        let at = rng.point() * 0.4;
        let flat = rng.coin();
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
            // A corner near the other triangle's plane, edges or corners; its other two corners anywhere
            // beyond.
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
        let mut home = home.map(|p| rounded(p, 47));
        // Some triangles are segments or points.
        if rng.index(8) == 0 {
            home[2] = home[1];
            home[1] = home[rng.index(2)];
        }
        Self { home, guest, placed, shift, pair: pair(map, shift), meet: None }
    }

    fn meets(&self) -> bool {
        let found = triangles_meet(&self.home, &self.placed);
        assert!(self.meet.is_none_or(|meet| meet == found));
        found
    }
}

/// Appends a triangle to an arena, corners and then vertices. Returns its offset.
pub fn push_triangle(arena: &mut Vec<u32>, triangle: &Triangle) -> u32 {
    let at = arena.len() as u32;
    arena.extend([0, 1, 2]);
    for &p in triangle {
        arena.extend(p.to_array().map(|x| words(x.to_bits() as i64)).as_flattened());
    }
    at
}

/// Returns counts of a shader's answers: meeting pairs declared apart, separate pairs declared in contact,
/// and undecided pairs.
pub fn wrong(device: Device, source: &'static str, blur: f32, cases: u64, seed: u64) -> [usize; 3] {
    let mut rng = Rng::new("triangles", seed);
    let all: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
    let all: Vec<Case> =
        all.into_iter().filter(|case| case.home.iter().all(|p| p.abs().max_element() < 2.0)).collect();
    let (mut home, mut guest, mut pairs, mut leaves) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, case) in (0..).zip(&all) {
        let at = [push_triangle(&mut home, &case.home), push_triangle(&mut guest, &case.guest)];
        pairs.push(Pair { blur, corners: at, vertices: at.map(|at| at + 3), ..case.pair });
        leaves.push(LeafItem { pair: number, first: [0, 0], two: 0 });
        assert_eq!(case.home.map(fixed).map(|p| p.map(|x| x as f64 / ONE)), case.home.map(|p| p.to_array()));
    }
    let records = if let Some(kernel) = OfGroups::of(device, source) {
        test_leaves_by_groups(device, &kernel, &pairs, [&home, &guest], &leaves)
    } else {
        let kernel = Kernel::new(&device, "triangle_triangle", source).expect("compiled");
        test_leaves(device, &kernel, &pairs, &home, &guest, &leaves)
    };
    let mut found = vec![0; all.len()];
    for record in &records {
        found[record.pair as usize] = record.found;
    }
    let mut wrong = [0; 3];
    let mut met = 0;
    for (case, found) in all.iter().zip(found) {
        let meet = case.meets();
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
    for (source, default) in [(TRIANGLE_TRIANGLE, 4), (ASK_GROUP, 2), (ASK_OCTETS, 1)] {
        for seed in crate::seeds(60_000, default) {
            let [apart, met, _] = wrong(device, source, PLACED, 60_000, seed);
            assert_eq!([apart, met], [0, 0]);
        }
        for &rounding in Rounding::tested() {
            for seed in crate::seeds(60_000, 1) {
                let wrong = || wrong(device, source, PLACED, 60_000, seed);
                let [apart, met, _] = with_rounding(device, rounding, wrong);
                assert_eq!([apart, met], [0, 0], "{rounding:?}");
            }
        }
    }
}
