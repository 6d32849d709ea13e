//! Lower bounds of the distance between a world point and the oriented boxes of a posed tree. They are
//! measured in the part's frame: the point is carried there once, instead of every box into the world.

use glam::DVec3;

use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::math::pose::Pose;

/// The length below which squares may have lost digits to underflow.
const SMALLEST_SQUARE: f64 = f64::from_bits((1023 - 900) << 52); // 2^-900

/// A pose and its approximate inverse. The error of the inverse is computed for each point.
#[derive(Clone, Copy, Debug)]
pub struct PartFrame {
    rows: [DVec3; 3],
    shift: DVec3,
    /// Columns of the inverse, up to rounding; not finite where there is none.
    inverse: [DVec3; 3],
    /// Lower bound of the factor by which the pose scales any length.
    shrink: f64,
    /// Bound of the distance, per coordinate, between a posed vertex and its exact image.
    margin: f64,
}

impl PartFrame {
    /// Prepares a pose that rounds its vertices by at most `margin` per coordinate.
    pub fn of(pose: &Pose, margin: f64) -> Self {
        let rows @ [x, y, z] = pose.rows.map(|m| DVec3::new(m[0], m[1], m[2]));
        let determinant = x.dot(y.cross(z));
        let inverse = [y.cross(z), z.cross(x), x.cross(y)].map(|column| column / determinant);
        Self { rows, shift: pose.shift(), inverse, shrink: smallest_stretch(&rows, determinant), margin }
    }
}

/// Returns a lower bound of the smallest singular value, or 0 where f64 cannot tell. It takes the better of
/// two bounds. First, the square is an eigenvalue of the Gram matrix of the columns and lies in one of its
/// Gershgorin discs, which is sharp for any rotation and scale. Second, for shears, the value is the
/// determinant divided by the product of the other two singular values, which is at most half the sum of all
/// squares.
fn smallest_stretch(rows: &[DVec3; 3], determinant: f64) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|j| DVec3::new(rows[0][j], rows[1][j], rows[2][j]));
    let [aa, bb, cc] = [a, b, c].map(|v| v.length_squared());
    let (ab, bc, ca) = (a.dot(b).abs(), b.dot(c).abs(), c.dot(a).abs());
    let largest = aa.max(bb).max(cc);
    // Three roundings for a product and two for the sum, of terms no larger than the largest square: 11 u.
    let disc = (aa - ab - ca).min(bb - bc - ab).min(cc - ca - bc) - 8.0 * f64::EPSILON * largest;
    // Five roundings for each of six terms and their sum.
    let lengths: f64 = rows.iter().map(|row| row.length()).product();
    let volume = determinant.abs() - 16.0 * f64::EPSILON * lengths;
    let bound = disc.max(0.0).sqrt().max(2.0 * volume / (aa + bb + cc)) * (1.0 - 8.0 * f64::EPSILON);
    // A NaN is not a bound.
    if aa.min(bb).min(cc) >= SMALLEST_SQUARE && bound > 0.0 { bound } else { 0.0 }
}

/// A world point in a part's frame.
pub struct PointBound {
    /// Approximate position in the part's frame.
    q: DVec3,
    shrink: f64,
    /// Bound of the error of the world position of `q`, plus the error of a posed vertex.
    slack: f64,
}

impl PointBound {
    /// Carries a world point into a part's frame.
    pub fn new(frame: &PartFrame, p: DVec3) -> Self {
        let offset = p - frame.shift;
        let [x, y, z] = frame.inverse;
        let q = x * offset.x + y * offset.y + z * offset.z;
        let posed = DVec3::from_array(frame.rows.map(|row| row.dot(q))) + frame.shift;
        let size = frame.rows.map(|row| row.abs().dot(q.abs()));
        let size =
            size[0].max(size[1]).max(size[2]) + frame.shift.abs().max_element() + p.abs().max_element();
        // At most five roundings of numbers no larger than `size`. The factor 2 exceeds the diagonal of a
        // cube.
        let off = (p - posed).abs().max_element() + 4.0 * f64::EPSILON * size;
        Self { q, shrink: frame.shrink, slack: 2.0 * (off + frame.margin) }
    }

    /// Returns a lower bound of the distance to the hull of all vertices in a box of the part's tree.
    pub fn separation(&self, obb: &Obb) -> f64 {
        let offset = self.q - obb.center;
        let [a, b, c] = &obb.axes;
        let half = obb.half;
        // The offset from the point of the box that would be nearest if the axes were orthonormal. Any
        // direction proves a bound, and this one is nearly the best.
        let clamped = |axis: &DVec3, half: f64| *axis * offset.dot(*axis).clamp(-half, half);
        let towards = offset - clamped(a, half.x) - clamped(b, half.y) - clamped(c, half.z);
        let length = towards.length();
        let radius =
            towards.dot(*a).abs() * half.x + towards.dot(*b).abs() * half.y + towards.dot(*c).abs() * half.z;
        // 7 u of the offset for itself and its product with a unit vector, 22 u of the half extents, whose
        // axes are no longer than 1.23, and 4 u of both for the quotient.
        let rounding = 32.0 * f64::EPSILON * (offset.abs().max_element() + half.max_element());
        let apart = (towards.dot(offset) - radius) / length - rounding;
        let bound = apart * self.shrink - self.slack;
        // A NaN proves nothing, nor does a direction so short that its square underflows.
        if length * length > SMALLEST_SQUARE && apart > 0.0 {
            bound.max(f64::NEG_INFINITY)
        } else {
            f64::NEG_INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary_obb::BinaryObb;
    use closefit::internals::bvh::posed_model::{Model, PosedModel};
    use closefit_generate::{Request, generate};
    use closefit_geometry::executor::Executor;

    /// Rotated, mirrored, scaled, sheared, flattened and distant poses: near triangles are visited, most
    /// others are not.
    #[test]
    fn everything_near_is_visited_and_little_else() {
        let request = Request { name: "tori".to_owned(), size: Some(400), seed: 0, soup: false };
        let scene = generate(&request).expect("a scene");
        let mesh = &scene.meshes[0];
        let model = Model::<BinaryObb>::of(mesh, Executor::Scalar, Default::default());
        let turn = [0.1, -0.5, 0.3, 0.8];
        let pose = |scale, shift| Pose::from_trs(turn, scale, shift).expect("not of length 0");
        let mut sheared = pose([1.0; 3], [1.0, 2.0, 3.0]);
        sheared.rows[0][1] += 3.0;
        let tiny = libm::ldexp(1.0, -180);
        let poses = [
            (Pose::IDENTITY, true),
            (pose([1.0; 3], [0.0; 3]), true),
            (pose([-2.0, 2.0, 2.0], [5.0, -7.0, 1.0]), true),
            (pose([1.0, 0.3, 4.0], [1.0, 2.0, 3.0]), true),
            (pose([tiny; 3], [0.0; 3]), true),
            (pose([1.0; 3], [1e12, 1e12, 0.0]), true),
            (sheared, true),
            (pose([1.0, 1.0, 0.0], [0.0; 3]), false),
        ];
        for (pose, prunes) in poses {
            let bounds = mesh.posed_bounds(&pose);
            let body = PosedModel::new(mesh, &model, pose, bounds);
            let mut fewest = usize::MAX;
            for k in 0..60 {
                let part = |n: u32| f64::from(k * n % 61) / 40.0 - 0.25;
                let p = bounds.lo + (bounds.hi - bounds.lo) * DVec3::new(part(7), part(11), part(17));
                let reach = bounds.diagonal() * [0.0, 0.01, 0.1][k as usize % 3];
                let mut visited = vec![false; body.len() as usize];
                body.near_point(p, reach, &mut |t, _| {
                    visited[t as usize] = true;
                    reach
                });
                for t in 0..body.len() {
                    let near = body.triangle(t).iter().any(|corner| p.distance(*corner) <= reach);
                    assert!(visited[t as usize] || !near, "{pose:?} {p} {t}");
                }
                fewest = fewest.min(visited.iter().filter(|&&visited| visited).count());
            }
            assert!(!prunes || fewest < 20, "{pose:?}: {fewest} of {}", body.len());
        }
    }
}
