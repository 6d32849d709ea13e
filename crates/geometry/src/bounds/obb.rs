//! Oriented bounding boxes. They contain what they bound in exact arithmetic, whatever the rounding of their
//! axes.

use glam::DVec3;

use crate::math::error_bounds::{EXTENT, EXTENT_PER_SKEW, SKEW};

/// The set `center + sum x_i axes_i` with `|x_i| <= half_i`, in real arithmetic on the stored numbers.
///
/// The axes `A` are orthonormal only up to their skew `d`, an upper bound on the largest row sum of
/// `|A^T A - I|`; [`Obb::around`] keeps `d <= 1/2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Centre of the box.
    pub center: DVec3,
    /// Columns, close to orthonormal.
    pub axes: [DVec3; 3],
    /// Half extents along the axes; infinite where f64 cannot bound the contents.
    pub half: DVec3,
}

impl Obb {
    /// The coordinate axes.
    pub const COORDINATE_AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

    /// Returns a tight box along `axes` that contains every point. Axes too far from orthonormal (or not
    /// finite) are replaced by the coordinate axes. Without points, the box is the origin.
    ///
    /// Proof of containment: with `d = p - c` and `y = A^T d`, the exact box coordinates of `p` are
    /// `x = (A^T A)^-1 y`, so `|x_i| <= |y_i| + skew / (1 - skew) * max |y|`. The slack added to the extents
    /// bounds that term together with the rounding of `d` and `y`.
    pub fn around(points: impl Iterator<Item = DVec3> + Clone, axes: [DVec3; 3]) -> Self {
        let (axes, skew) = match skew(&axes) {
            skew if skew <= 0.5 => (axes, skew), // NaN goes to the coordinate axes
            _ => (Self::COORDINATE_AXES, SKEW),
        };
        let Some(origin) = points.clone().next() else {
            return Self { center: DVec3::ZERO, axes, half: DVec3::ZERO };
        };
        let (mut lo, mut hi) = (DVec3::ZERO, DVec3::ZERO);
        for p in points.clone() {
            let y = project(&axes, p - origin);
            (lo, hi) = (lo.min(y), hi.max(y));
        }
        let middle = 0.5 * lo + 0.5 * hi;
        let center = origin + (axes[0] * middle.x + axes[1] * middle.y + axes[2] * middle.z);
        let center = if center.is_finite() { center } else { origin };
        let (mut half, mut span) = (DVec3::ZERO, 0.0);
        for p in points {
            let d = p - center;
            half = half.max(project(&axes, d).abs());
            span = d.abs().max_element().max(span);
        }
        // Below this limit no projection overflows; above it the box contains everything.
        let half = if span < f64::MAX / 8.0 { half + slack(span, skew) } else { DVec3::INFINITY };
        Self { center, axes, half }
    }

    /// Returns a tight box around a polygon that is nearly flat. Its axes are the longest edge from the first
    /// corner, the normal, and the direction across. A polygon without area has a box along the coordinate
    /// axes. The skew of the axes is below 2^-30.
    ///
    /// The cross product of two vectors is off by at most 3 u of the product of their lengths. The normal is
    /// longer than 2^-20 of that product, and therefore perpendicular to both within 2^-31.
    pub fn around_face(corners: &[DVec3]) -> Self {
        let points = corners.iter().copied();
        Self::around(points, frame_of(corners).unwrap_or(Self::COORDINATE_AXES))
    }

    /// True only if the box contains `p` in exact arithmetic; true for every point that [`Obb::around`] was
    /// given.
    pub fn contains(&self, p: DVec3) -> bool {
        let d = p - self.center;
        let reach = project(&self.axes, d).abs() + slack(d.abs().max_element(), skew(&self.axes));
        self.half == DVec3::INFINITY || reach.cmple(self.half).all() // NaN: not proven
    }

    /// True if the skew of the axes is at most 2^-20.
    pub fn has_frame(&self) -> bool {
        skew(&self.axes) <= FRAME
    }

    /// Returns an eighth of the surface area.
    pub fn area(&self) -> f64 {
        let h = self.half;
        h.x * h.y + h.y * h.z + h.z * h.x
    }
}

/// The largest skew of axes that are a frame.
const FRAME: f64 = 1.0 / (1 << 20) as f64;

/// The least share of the longest edge, to the fourth power, that the square of a normal must have: 2^-40.
const FLATTEST: f64 = 1.0 / (1_u64 << 40) as f64;

/// The least square of a normal: products below it may be rounded by more than u.
const SMALLEST: f64 = f64::MIN_POSITIVE / (f64::EPSILON * f64::EPSILON);

/// Returns unit axes along a polygon's longest edge from the first corner, across it, and along its normal;
/// `None` for one without area, or of a size at which squares underflow or overflow.
fn frame_of(corners: &[DVec3]) -> Option<[DVec3; 3]> {
    let (&first, others) = corners.split_first()?;
    let edges = others.iter().map(|&p| p - first);
    let along = edges.clone().max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()))?;
    let normals = edges.clone().map(|edge| along.cross(edge));
    let normal = normals.max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()))?;
    // No edge from the first corner is longer.
    let (squared, longest) = (normal.length_squared(), along.length_squared());
    let clear = squared > longest * longest * FLATTEST && squared > SMALLEST;
    let [along, normal] = [along, normal].map(DVec3::normalize);
    (clear && squared.is_finite() && longest.is_finite()).then(|| [along, normal.cross(along), normal])
}

fn project(axes: &[DVec3; 3], d: DVec3) -> DVec3 {
    DVec3::new(axes[0].dot(d), axes[1].dot(d), axes[2].dot(d))
}

/// Returns an upper bound on the largest row sum of `|A^T A - I|`; infinite for axes that are far from a
/// frame, or NaN.
fn skew(axes: &[DVec3; 3]) -> f64 {
    let [a, b, c] = *axes;
    let (ab, bc, ca) = (a.dot(b).abs(), b.dot(c).abs(), c.dot(a).abs());
    let [aa, bb, cc] = [a, b, c].map(|v| (v.dot(v) - 1.0).abs());
    let [x, y, z] = [aa + ab + ca, bb + ab + bc, cc + bc + ca];
    // A NaN in one row shows up in the sum but not in a maximum, so the sum is tested.
    if x + y + z <= 1.5 { x.max(y).max(z) + SKEW } else { f64::INFINITY }
}

/// Returns the most by which the exact box coordinates of a point may exceed its computed projections, for
/// `|p - c| <= span` in every coordinate. The smallest normal number covers products that underflow.
fn slack(span: f64, skew: f64) -> f64 {
    if span == 0.0 { 0.0 } else { (EXTENT + EXTENT_PER_SKEW * skew) * span + f64::MIN_POSITIVE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::jacobi::eigenvectors;
    use num_rational::BigRational;
    use num_traits::Signed;
    use proptest::prelude::*;

    fn exact(x: f64) -> BigRational {
        BigRational::from_float(x).expect("finite")
    }

    fn determinant(m: &[[BigRational; 3]; 3]) -> BigRational {
        let minor = |i: usize, j: usize| &m[1][i] * &m[2][j] - &m[1][j] * &m[2][i];
        &m[0][0] * minor(1, 2) - &m[0][1] * minor(0, 2) + &m[0][2] * minor(0, 1)
    }

    /// Tests containment by Cramer's rule in rational arithmetic.
    fn contains_exactly(obb: &Obb, p: DVec3) -> bool {
        if obb.half == DVec3::INFINITY {
            return true;
        }
        let columns = obb.axes.map(|a| a.to_array().map(exact));
        let d: [BigRational; 3] = std::array::from_fn(|k| exact(p[k]) - exact(obb.center[k]));
        let det = determinant(&columns).abs();
        (0..3).all(|i| {
            let mut replaced = columns.clone();
            replaced[i] = d.clone();
            determinant(&replaced).abs() <= exact(obb.half[i]) * &det
        })
    }

    /// Coordinates of all magnitudes: zeros, a shared scale, and the extremes of f64.
    fn wild() -> impl Strategy<Value = Vec<DVec3>> {
        let coordinate = prop_oneof![
            6 => (-1.0..1.0f64).boxed(),
            1 => Just(0.0).boxed(),
            1 => (-4..4i32).prop_map(f64::from).boxed(),
            1 => prop::num::f64::NORMAL.boxed(),
            1 => prop::num::f64::SUBNORMAL.boxed(),
        ];
        let point = prop::array::uniform3(coordinate).prop_map(DVec3::from_array);
        (prop::collection::vec(point, 1..9), -210..210i32, -60..60i32, any::<bool>()).prop_map(
            |(points, power, far, flat)| {
                let scale = 2f64.powi(power);
                let offset = DVec3::new(1.0, -3.0, 0.7) * 2f64.powi(power + far.max(-40));
                let place = |p: DVec3| {
                    let p = if flat { DVec3::new(p.x, p.y, p.x * 0.3 - p.y) } else { p };
                    p * scale + if far > 0 { offset } else { DVec3::ZERO }
                };
                let placed: Vec<DVec3> = points.iter().map(|&p| place(p)).collect();
                if placed.iter().all(|p| p.is_finite()) { placed } else { points }
            },
        )
    }

    fn frames() -> impl Strategy<Value = [DVec3; 3]> {
        (
            prop::array::uniform6(-1.0..1.0f64),
            prop_oneof![Just(0.0), Just(1e-9), Just(0.05), Just(1.0)],
            0..9usize,
        )
            .prop_map(|([a, b, c, d, e, f], noise, entry)| {
                let mut axes = eigenvectors([[a, b, c], [b, d, e], [c, e, f]]);
                axes[entry / 3][entry % 3] += noise;
                axes
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn contains_what_it_bounds_exactly(points in wild(), axes in frames()) {
            let obb = Obb::around(points.iter().copied(), axes);
            for &p in &points {
                prop_assert!(contains_exactly(&obb, p), "{obb:?} misses {p}");
                prop_assert!(obb.contains(p), "{obb:?} does not prove {p}");
            }
        }

        #[test]
        fn contains_the_face_it_is_made_for(points in wild()) {
            let obb = Obb::around_face(&points);
            prop_assert!(skew(&obb.axes) <= 2f64.powi(-30), "{obb:?}");
            for &p in &points {
                prop_assert!(contains_exactly(&obb, p), "{obb:?} misses {p}");
            }
        }

        #[test]
        fn says_inside_only_of_points_inside(points in wild(), axes in frames(), t in prop::array::uniform3(-1.01..1.01f64)) {
            let obb = Obb::around(points.iter().copied(), axes);
            prop_assume!(obb.half.is_finite());
            let p = obb.center + (0..3).map(|i| obb.axes[i] * obb.half[i] * t[i]).sum::<DVec3>();
            prop_assume!(p.is_finite());
            prop_assert!(!obb.contains(p) || contains_exactly(&obb, p));
        }
    }

    #[test]
    fn is_tight() {
        let corners = (0..8)
            .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1) * 2.0, f64::from(i >> 2) * 3.0));
        let obb = Obb::around(corners, Obb::COORDINATE_AXES);
        assert!((obb.half - DVec3::new(0.5, 1.0, 1.5)).abs().max_element() < 1e-13);
        let single = Obb::around(std::iter::once(DVec3::splat(1e60)), Obb::COORDINATE_AXES);
        assert_eq!((single.center, single.half), (DVec3::splat(1e60), DVec3::ZERO));
    }

    #[test]
    fn contains_everything_when_extents_overflow() {
        let ends = [DVec3::splat(f64::MAX), DVec3::splat(-f64::MAX)];
        let obb = Obb::around(ends.into_iter(), Obb::COORDINATE_AXES);
        assert_eq!(obb.half, DVec3::INFINITY);
        assert!(ends.into_iter().all(|p| obb.contains(p)));
    }

    #[test]
    fn axes_that_are_no_frame_are_replaced() {
        for bad in [[DVec3::NAN; 3], [DVec3::ZERO; 3], [DVec3::X; 3], [DVec3::X, DVec3::Y, DVec3::INFINITY]] {
            let obb = Obb::around([DVec3::ONE, DVec3::ZERO].into_iter(), bad);
            assert_eq!(obb.axes, Obb::COORDINATE_AXES);
        }
    }
}
