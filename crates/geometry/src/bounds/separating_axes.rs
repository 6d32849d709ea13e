//! Separating-axis test of two posed oriented bounding boxes (Lin et al. 1997, section 4.2.2), for any affine
//! poses.
//!
//! A posed box is a parallelepiped with centre `L c + t` and edges `L a_i`. Any vector `n` proves a distance
//! of at least `(|n . D| - r) / |n|`, where `D` joins the centres and
//! `r = sum h_i |n . W_i| + sum k_j |n . V_j|`. The direction itself therefore needs no error bound; only the
//! numbers projected onto it do. Their error divided by `|n|` is below [`AXIS`]` S` with
//! `S = l (|c| + sum h) + |t|` summed over both boxes, where `l` is the largest row sum of `|L|`, and `|c|`
//! and `|t|` are the largest coordinates.

use glam::DVec3;

use super::obb::Obb;
use crate::math::error_bounds::{AXIS, POSED, QUOTIENT};
use crate::math::pose::{Pose, SMALLEST};

/// Directions shorter than this, such as cross products of parallel edges, prove nothing, because their
/// products could underflow. Between unit vectors, anything this short is rounding noise.
pub(super) const SHORTEST: f64 = f64::EPSILON * f64::EPSILON;

/// Linear parts larger than this, or smaller than its inverse, are not filtered at all.
const LARGEST_GAIN: f64 = 1e150;

/// Two poses prepared for comparing the boxes of two parts.
///
/// Distances are between the contents of the boxes, posed as by [`Pose::apply`]: rounded, and 0 below 2^-200.
#[derive(Clone, Copy, Debug)]
pub struct PosedBoxes {
    a: ScaledPose,
    b: ScaledPose,
    /// Rounding error that does not depend on the boxes.
    margin: f64,
}

/// A pose with its linear part divided by a power of two, so that directions have about unit length.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScaledPose {
    pose: Pose,
    directions: [DVec3; 3],
    scale: f64,
    /// Largest row sum of the linear part.
    gain: f64,
}

/// A posed box in the world; its edges are `half_i * directions_i`.
#[derive(Clone, Copy, Debug)]
pub struct Parallelepiped {
    /// Centre.
    pub center: DVec3,
    /// Edges per unit of extent.
    pub directions: [DVec3; 3],
    /// Half extents along the directions.
    pub half: DVec3,
    /// The distance by which rounding may place the contents beyond the box.
    pub(super) slack: f64,
}

impl PosedBoxes {
    /// Prepares boxes of a part at `pose_a` and of a part at `pose_b`. `reach_a` and `reach_b` bound the
    /// magnitude of every vertex coordinate of the parts' unposed meshes.
    pub fn new(pose_a: &Pose, reach_a: f64, pose_b: &Pose, reach_b: f64) -> Self {
        let (a, b) = (ScaledPose::new(pose_a), ScaledPose::new(pose_b));
        // Flushing to 0 moves a vertex or centre by up to sqrt(3) 2^-200; the factor also covers underflow.
        let margin = 8.0 * SMALLEST + a.margin(reach_a) + b.margin(reach_b);
        Self { a, b, margin }
    }

    /// Returns a proven lower bound of the distance between the contents of box `a` of the first part and of
    /// box `b` of the second; 0 or less when no axis separates them.
    pub fn separation(&self, a: &Obb, b: &Obb) -> f64 {
        let (a, b) = (self.a.place(a), self.b.place(b));
        let slack = self.margin + a.slack + b.slack;
        let mut widest = f64::NEG_INFINITY;
        any_axis(&a, &b, |n| {
            widest = widest.max(gap(n, &a, &b));
            false
        });
        let bound = widest * (1.0 - QUOTIENT) - slack;
        bound.max(f64::NEG_INFINITY) // a NaN becomes minus infinity
    }

    /// True only if the distance between the contents of the boxes exceeds `bound`. Proves the same as
    /// [`PosedBoxes::separation`], but stops at the first axis that suffices.
    pub fn separated_by_more_than(&self, a: &Obb, b: &Obb, bound: f64) -> bool {
        let (a, b) = (self.a.place(a), self.b.place(b));
        let slack = self.margin + a.slack + b.slack;
        any_axis(&a, &b, |n| gap(n, &a, &b) * (1.0 - QUOTIENT) - slack > bound) // NaN: not separated
    }

    /// True only if the distance between the contents of the boxes exceeds `bound`, and still does while the
    /// contents of the second box move. `way` receives the posed second box and returns a function that
    /// bounds that motion along an axis. `slack` is added to the slack of the boxes.
    pub fn separated_on_the_way<W: Fn(DVec3) -> f64>(
        &self,
        a: &Obb,
        b: &Obb,
        bound: f64,
        slack: f64,
        way: impl FnOnce(&Parallelepiped) -> W,
    ) -> bool {
        let (a, b) = (self.a.place(a), self.b.place(b));
        let slack = self.margin + a.slack + b.slack + slack;
        let way = way(&b);
        any_axis(&a, &b, |n| {
            let gap = gap(n, &a, &b) * (1.0 - QUOTIENT) - slack;
            gap > bound && gap - way(n) > bound
        })
    }

    /// Returns a proven lower bound of the distance between the contents of the boxes while the contents of
    /// the second move, as [`PosedBoxes::separated_on_the_way`] has it; 0 or less when no axis separates them
    /// all the while.
    pub fn separation_on_the_way<W: Fn(DVec3) -> f64>(
        &self,
        a: &Obb,
        b: &Obb,
        slack: f64,
        way: impl FnOnce(&Parallelepiped) -> W,
    ) -> f64 {
        let (a, b) = (self.a.place(a), self.b.place(b));
        let slack = self.margin + a.slack + b.slack + slack;
        let way = way(&b);
        let mut widest = f64::NEG_INFINITY;
        any_axis(&a, &b, |n| {
            let gap = gap(n, &a, &b) * (1.0 - QUOTIENT) - slack;
            widest = widest.max(gap - way(n));
            false
        });
        widest.max(f64::NEG_INFINITY) // a NaN becomes minus infinity
    }

    /// Returns the approximate size of two boxes: the sum of all half extents.
    pub fn size(&self, a: &Obb, b: &Obb) -> f64 {
        (a.half * self.a.scale).element_sum() + (b.half * self.b.scale).element_sum()
    }
}

impl ScaledPose {
    pub(super) fn new(pose: &Pose) -> Self {
        let row_sum = |m: &[f64; 4]| m[0].abs() + m[1].abs() + m[2].abs();
        let gain = pose.rows.iter().map(row_sum).fold(0.0, f64::max);
        let usable = (1.0 / LARGEST_GAIN..LARGEST_GAIN).contains(&gain);
        // The power of two at or below the gain is the gain with its mantissa cleared.
        let scale = if usable { f64::from_bits(gain.to_bits() & f64::INFINITY.to_bits()) } else { 1.0 };
        // The inverse of a power of two is exact.
        let directions = pose.rows.map(|m| DVec3::new(m[0], m[1], m[2]) * scale.recip());
        // An infinite gain makes every slack infinite or NaN, so nothing is separated.
        let gain = if usable || gain == 0.0 { gain } else { f64::INFINITY };
        Self { pose: *pose, directions, scale, gain }
    }

    /// Returns the rounding error of the posed vertices, and the part of the centres' error that the
    /// translation causes.
    pub(super) fn margin(&self, reach: f64) -> f64 {
        let shift = self.pose.rows.iter().map(|m| m[3].abs()).fold(0.0, f64::max);
        POSED * (self.gain * reach + shift) + AXIS * shift
    }

    pub(super) fn place(&self, obb: &Obb) -> Parallelepiped {
        let [x, y, z] = self.directions;
        Parallelepiped {
            center: self.pose.apply(obb.center),
            directions: obb.axes.map(|a| DVec3::new(x.dot(a), y.dot(a), z.dot(a))),
            half: obb.half * self.scale,
            slack: AXIS * self.gain * (obb.center.abs().max_element() + obb.half.element_sum()),
        }
    }
}

/// True as soon as `proves` holds for one of the candidate axes. The likeliest come first: the face normals
/// of both boxes, then the cross products of edges. The last axis joins the centres; it is no face or edge
/// axis, but detects a distance between corners.
pub(super) fn any_axis(
    a: &Parallelepiped,
    b: &Parallelepiped,
    mut proves: impl FnMut(DVec3) -> bool,
) -> bool {
    for [x, y, z] in [a.directions, b.directions] {
        if proves(y.cross(z)) || proves(z.cross(x)) || proves(x.cross(y)) {
            return true;
        }
    }
    for edge in a.directions {
        if b.directions.into_iter().any(|other| proves(edge.cross(other))) {
            return true;
        }
    }
    let centers = a.center - b.center;
    proves(centers / centers.abs().max_element())
}

/// Returns the gap along `n` without allowing for rounding; minus infinity where `n` proves nothing.
pub(super) fn gap(n: DVec3, a: &Parallelepiped, b: &Parallelepiped) -> f64 {
    let radius = |p: &Parallelepiped| {
        let [x, y, z] = p.directions;
        p.half.x * n.dot(x).abs() + p.half.y * n.dot(y).abs() + p.half.z * n.dot(z).abs()
    };
    let gap = n.dot(a.center - b.center).abs() - (radius(a) + radius(b));
    // Overflow or NaN, in the direction or in the boxes, proves nothing either.
    if gap > 0.0 && gap < f64::INFINITY && n.abs().max_element() > SHORTEST {
        gap / n.length()
    } else {
        f64::NEG_INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::jacobi::eigenvectors;
    use num_rational::BigRational;
    use num_traits::{Signed, Zero};
    use proptest::prelude::*;

    fn exact(p: DVec3) -> [BigRational; 3] {
        p.to_array().map(|x| BigRational::from_float(x).expect("finite"))
    }

    /// Returns a point of the convex hull of posed vertices, from weights that add up to exactly one.
    fn mix(points: &[DVec3], weights: &[u32]) -> [BigRational; 3] {
        let total: u32 = points.iter().zip(weights).map(|(_, w)| w).sum();
        let mut sum: [BigRational; 3] = std::array::from_fn(|_| BigRational::zero());
        for (p, w) in points.iter().zip(weights) {
            for (s, x) in sum.iter_mut().zip(exact(*p)) {
                *s += x * BigRational::new((*w).into(), total.into());
            }
        }
        sum
    }

    fn points() -> impl Strategy<Value = Vec<DVec3>> {
        let coordinate = prop_oneof![4 => (-1.0..1.0f64).boxed(), 1 => Just(0.0).boxed(), 1 => (-1..2i32).prop_map(f64::from).boxed()];
        prop::collection::vec(prop::array::uniform3(coordinate).prop_map(DVec3::from_array), 1..6)
    }

    fn frame() -> impl Strategy<Value = [DVec3; 3]> {
        prop_oneof![
            prop::array::uniform6(-1.0..1.0f64).prop_map(|[a, b, c, d, e, f]| eigenvectors([
                [a, b, c],
                [b, d, e],
                [c, e, f]
            ])),
            Just(Obb::COORDINATE_AXES),
        ]
    }

    /// Poses that are rigid, scaled, mirrored, sheared or flattened, near and far.
    fn pose() -> impl Strategy<Value = Pose> {
        let linear = prop_oneof![
            frame(),
            prop::array::uniform9(-1.0..1.0f64).prop_map(|m| [0, 3, 6].map(|i| DVec3::new(
                m[i],
                m[i + 1],
                m[i + 2]
            ))),
            (prop::array::uniform3(-2.0..2.0f64), frame()).prop_map(|(s, f)| [
                f[0] * s[0],
                f[1] * s[1],
                f[2] * s[2]
            ]),
            (-1.0..1.0f64, frame()).prop_map(|(t, f)| [f[0], f[1], f[0] + f[1] * t * 1e-9]),
        ];
        let shift = (
            prop::array::uniform3(-4.0..4.0f64),
            prop_oneof![3 => Just(1.0), 1 => Just(1e-3), 1 => Just(1e6)],
        );
        (linear, shift).prop_map(|(l, (t, far))| Pose {
            rows: [0, 1, 2].map(|i| [l[0][i], l[1][i], l[2][i], t[i] * far]),
        })
    }

    fn reach(points: &[DVec3]) -> f64 {
        points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn never_exceeds_the_distance(
            sets in [points(), points()],
            axes in [frame(), frame()],
            poses in [pose(), pose()],
            same_place in any::<bool>(),
            far in prop_oneof![3 => Just(0.0), 1 => Just(1e7)],
            power in prop_oneof![4 => Just(0), 1 => -198..190i32],
            mesh_power in prop_oneof![4 => Just(0), 1 => -150..150i32],
            weights in prop::collection::vec((prop::array::uniform6(0..9u32), prop::array::uniform6(0..9u32)), 8),
        ) {
            let mesh_scale = 2f64.powi(mesh_power);
            let sets = sets.map(|set| set.into_iter().map(|p| (p + DVec3::splat(far)) * mesh_scale).collect::<Vec<_>>());
            let [mut pose_a, mut pose_b] = poses;
            for pose in [&mut pose_a, &mut pose_b] {
                for row in &mut pose.rows {
                    if same_place { row[3] = far; }
                    for x in row.iter_mut() { *x *= 2f64.powi(power); }
                    for x in &mut row[..3] { *x /= mesh_scale; }
                }
            }
            let boxes: Vec<Obb> = sets.iter().zip(axes).map(|(set, axes)| Obb::around(set.iter().copied(), axes)).collect();
            let pair = PosedBoxes::new(&pose_a, reach(&sets[0]), &pose_b, reach(&sets[1]));
            let bound = pair.separation(&boxes[0], &boxes[1]);
            prop_assert!(!bound.is_nan());
            prop_assert_eq!(pair.separated_by_more_than(&boxes[0], &boxes[1], 0.0), bound > 0.0);
            prop_assert!(!pair.separated_by_more_than(&boxes[0], &boxes[1], bound));
            if bound > 0.0 {
                let squared = exact(DVec3::splat(bound))[0].pow(2);
                let posed: [Vec<DVec3>; 2] = [(&sets[0], pose_a), (&sets[1], pose_b)]
                    .map(|(set, pose)| set.iter().map(|&p| pose.apply(p)).collect());
                let corners = (0..36).map(|i| {
                    let unit = |k: usize| std::array::from_fn(|j| u32::from(j == k));
                    (unit(i % 6 % posed[0].len()), unit(i / 6 % posed[1].len()))
                });
                for (v, w) in weights.into_iter().chain(corners) {
                    if v[..posed[0].len()].iter().sum::<u32>() == 0 || w[..posed[1].len()].iter().sum::<u32>() == 0 {
                        continue;
                    }
                    let (p, q) = (mix(&posed[0], &v), mix(&posed[1], &w));
                    let distance: BigRational = p.iter().zip(&q).map(|(p, q)| (p - q).abs().pow(2)).sum();
                    prop_assert!(squared <= distance, "{bound} exceeds the distance");
                }
            }
        }
    }

    fn shifted(x: f64, y: f64, z: f64) -> Pose {
        Pose { rows: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]] }
    }

    fn unit_cube() -> Obb {
        Obb::around([DVec3::NEG_ONE, DVec3::ONE].into_iter(), Obb::COORDINATE_AXES)
    }

    #[test]
    fn gaps_between_faces_edges_and_corners_are_seen() {
        let cube = unit_cube();
        let bound =
            |pose_b: &Pose| PosedBoxes::new(&Pose::IDENTITY, 1.0, pose_b, 1.0).separation(&cube, &cube);
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}")
        };
        close(bound(&shifted(5.0, 0.3, 0.2)), 3.0);
        close(bound(&shifted(5.0, 5.0, 5.0)), 3.0 * 3f64.sqrt());
        assert!(bound(&shifted(1.9, 0.0, 0.0)) <= 0.0);
        assert!(bound(&shifted(2.0, 0.0, 0.0)) <= 0.0, "touching is not apart");
        // Edge against edge: one cube turned by 45 degrees about x, the other about y.
        let h = 0.5f64.sqrt();
        let about_x = Pose { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, h, -h, 0.0], [0.0, h, h, 0.0]] };
        let about_y = Pose { rows: [[h, 0.0, h, 0.0], [0.0, 1.0, 0.0, 0.0], [-h, 0.0, h, 3.0]] };
        close(
            PosedBoxes::new(&about_x, 1.0, &about_y, 1.0).separation(&cube, &cube),
            3.0 - 2.0 * 2f64.sqrt(),
        );
    }

    #[test]
    fn hopeless_numbers_separate_nothing() {
        let cube = unit_cube();
        let everything = Obb { half: DVec3::INFINITY, ..cube };
        let far = PosedBoxes::new(&Pose::IDENTITY, 1.0, &shifted(1e6, 0.0, 0.0), 1.0);
        assert!(far.separation(&cube, &cube) > 0.0);
        assert!(far.separation(&everything, &cube) <= 0.0);
        assert!(!far.separated_by_more_than(&cube, &everything, 0.0));
        assert!(!far.separated_by_more_than(&cube, &cube, f64::NAN));
        let origin = Obb { half: DVec3::ZERO, ..cube };
        for size in [1e300, 1e-300, f64::MAX, f64::MIN_POSITIVE / 8.0] {
            let stretched = Pose {
                rows: shifted(1e6, 0.0, 0.0).rows.map(|[x, y, z, t]| [x * size, y * size, z * size, t]),
            };
            for (obb, reach) in [(cube, 1.0), (origin, 0.0)] {
                let pair = PosedBoxes::new(&Pose::IDENTITY, 1.0, &stretched, reach);
                assert!(pair.separation(&cube, &obb) <= 0.0);
            }
        }
    }
}
