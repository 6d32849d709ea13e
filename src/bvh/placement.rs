//! A tree's frame at a pose: where its normal coordinates lie in the world, and in the frame of another tree.
//!
//! Volumes are compared in f32 through similarities alone. A pose that is one but for the rounding of f32
//! numbers, such as a product of several f32 matrices, is replaced by the similarity next to it, about the
//! middle of the tree, and the distance by which that moves a vertex is part of [`Placement::error`]. So
//! every pair of frames has a room of its own, all bounds that hold for similarities hold as they stand, and
//! poses that are similarities pay nothing.

use glam::{DMat3, DVec3};

use super::wide_topology::NormalFrame;
use super::world_box;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::error_bounds::{PLACED, RELATIVE};
use closefit_geometry::math::pose::{Pose, SMALLEST, stretch};

/// Largest deviation from orthonormal, after scaling to unit size, of a linear part through which volumes are
/// compared in f32: the sum for two placements.
pub const SKEW_LIMIT: f64 = 1.0 / (1 << 20) as f64;

/// Largest deviation of a placement: half of [`SKEW_LIMIT`], so that any two can be compared. One f32
/// rotation matrix stays below it.
const RIGID_LIMIT: f64 = 0.5 * SKEW_LIMIT;

/// Largest deviation of a linear part that is replaced by the similarity next to it: the deviation of a
/// product of dozens of f32 matrices.
const SIMILAR_LIMIT: f64 = 1.0 / (1 << 17) as f64;

/// Largest ratio of the scales of two trees that are compared in f32, and a quarter of the largest ratio of
/// a distance to a scale: squares stay below 2^128.
const LARGEST_RATIO: f64 = (1u64 << 60) as f64;

/// Margin that covers products too small for f32, in normal units.
const TINY: f64 = 1e-30;

/// Relative error of conversions between units of f64 and f32: 16 roundings of f32 and the poses' skew.
pub const ROOM: f32 = 1.0 / (1 << 18) as f32;

/// A tree's frame at a pose.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// World from part.
    pub pose: Pose,
    /// Linear part of world from normal coordinates; a similarity if [`Placement::is_rigid`].
    pub linear: DMat3,
    /// Translation of world from normal coordinates: the world position of the normal origin.
    pub origin: DVec3,
    /// Approximate world length of a normal length of 1.
    pub scale: f64,
    /// Deviation of the linear part from a similarity: the largest row sum of `|L^T L / scale^2 - I|`.
    pub skew: f64,
    /// Bound of the distance between a posed vertex and its image by `linear` and `origin`.
    pub error: f64,
}

impl Placement {
    /// Places a frame. `own` is the linear part that its coordinates include, if any. Volumes can be compared
    /// if what remains of the pose's linear part after that map is nearly a similarity.
    pub fn new(frame: &NormalFrame, own: Option<&DMat3>, largest_coordinate: f64, pose: &Pose) -> Self {
        let Rest { part, reach, off } = Rest::of(&pose.linear(), own);
        let shift = pose.shift();
        let (scale, skew) = scale_and_skew(&part);
        let size = reach * largest_coordinate + gain(&part) * frame.unit + shift.abs().max_element();
        let placement = Self {
            pose: *pose,
            linear: part * frame.unit,
            origin: part * frame.center + shift,
            scale: scale * frame.unit,
            skew,
            error: PLACED * size + off * largest_coordinate + 8.0 * SMALLEST,
        };
        if (RIGID_LIMIT..SIMILAR_LIMIT).contains(&skew) { placement.straightened() } else { placement }
    }

    /// Replaces the linear part by the similarity next to it. With `X = L / scale` and `X^T X = I + D`, the
    /// step of Newton's iteration `Y = X (3 I - X^T X) / 2` has `Y^T Y = I - 3/4 D^2 + 1/4 D^3`: for D below
    /// 2^-17, it is orthonormal within 2^-34. A vertex, with normal coordinates of at most 1, moves by no
    /// more than the columns of the difference together are long; [`PLACED`] has room for rounding it.
    fn straightened(self) -> Self {
        let unit = self.linear * self.scale.recip();
        let turn = unit * (DMat3::IDENTITY * 3.0 - unit.transpose() * unit) * 0.5;
        let linear = turn * self.scale;
        let moved = self.linear - linear;
        let moved = moved.x_axis.length() + moved.y_axis.length() + moved.z_axis.length();
        let (scale, skew) = scale_and_skew(&linear);
        Self { linear, scale, skew, error: self.error + moved, ..self }
    }

    /// True when the tree's volumes can be compared in f32.
    pub fn is_rigid(&self) -> bool {
        self.skew < RIGID_LIMIT
    }

    /// Returns world from the coordinates of the tree's boxes before they were made normal, and a bound of
    /// the rounding error, per coordinate, of a box that is computed in the world by it: see [`world_box`].
    /// `own` and `largest_coordinate` are as in [`Placement::new`].
    pub fn of_boxes(&self, own: Option<&DMat3>, largest_coordinate: f64) -> (Pose, f64) {
        let linear = self.pose.linear();
        match own {
            None => (self.pose, world_box::margin(&self.pose, largest_coordinate)),
            Some(own) if *own == linear => {
                let shift = Pose::translation(self.pose.shift().to_array());
                (shift, world_box::margin(&self.pose, largest_coordinate))
            }
            Some(own) => {
                let Rest { part, off, .. } = Rest::of(&linear, Some(own));
                let rows = [0, 1, 2].map(|i| part.row(i).extend(self.pose.rows[i][3]).to_array());
                let rest = Pose { rows };
                let mapped = gain(own) * largest_coordinate;
                (rest, world_box::margin(&rest, mapped) + off * largest_coordinate)
            }
        }
    }

    /// Returns an upper bound of the radius in the world of a ball with a radius in normal units.
    pub fn radius(&self, radius: f64) -> f64 {
        stretch(&self.linear) * radius
    }

    /// Returns the cube around a sphere about the normal origin, of a radius in normal units, with all
    /// vertices inside.
    pub fn cube(&self, radius: f64) -> Aabb {
        let half = self.radius(radius) + self.error;
        Aabb { lo: self.origin - half, hi: self.origin + half }
    }

    /// True when balls about the normal origins prove that all vertices of two trees, and what lies between
    /// them, are farther apart than `limit`. The radii, in normal units, reach the farthest vertices.
    ///
    /// A similarity but for a skew below 2^-21 lengthens by less than 1 + 2^-22 times its scale. The
    /// roundings of the scales, of the sum and of the length are far smaller than what remains of
    /// [`SKEW_LIMIT`].
    #[inline]
    pub fn is_farther(&self, radius: f64, (other, radius_of_other): (&Self, f64), limit: f64) -> bool {
        let radii = self.scale * radius + other.scale * radius_of_other;
        let reach = (radii + self.error + other.error + limit) * (1.0 + SKEW_LIMIT);
        let squared = (other.origin - self.origin).length_squared();
        // A square that underflows is off by less than the smallest normal number. A NaN proves nothing.
        self.is_rigid() && other.is_rigid() && squared > reach * reach + f64::MIN_POSITIVE
    }

    /// Carries a world point into normal coordinates.
    #[inline]
    pub fn enter(&self, p: DVec3) -> DVec3 {
        self.linear.inverse() * (p - self.origin)
    }

    /// Returns a bound, in normal units, of the error of a point and of the tree's vertices. The point has
    /// normal coordinates `place` and world coordinates of the size of `p`. `None` where f32 cannot tell.
    pub fn margin(&self, place: DVec3, p: DVec3) -> Option<f64> {
        let size = 1.0 + place.abs().max_element() + (p.abs() + self.origin.abs()).max_element() / self.scale;
        let known = self.is_rigid() && size < f64::from(f32::MAX).sqrt() / 4.0;
        known.then_some(RELATIVE * size + self.error / self.scale * (1.0 + SKEW_LIMIT))
    }
}

/// The map that remains of a pose's linear part after a tree's own.
struct Rest {
    /// The map that remains.
    part: DMat3,
    /// Bound of the coordinates of a vertex, mapped step by step, per unit of its largest coordinate.
    reach: f64,
    /// Bound of the distance between a vertex mapped by both and by the pose's linear part, per unit of its
    /// largest coordinate. [`PLACED`] covers rounding beyond it.
    off: f64,
}

impl Rest {
    fn of(linear: &DMat3, own: Option<&DMat3>) -> Self {
        match own {
            None => Self { part: *linear, reach: gain(linear), off: 0.0 },
            Some(own) if own == linear => Self { part: DMat3::IDENTITY, reach: gain(linear), off: 0.0 },
            Some(own) => {
                let part = *linear * own.inverse();
                // 1.74 exceeds the square root of 3.
                let off = 1.74 * gain(&(part * *own - *linear));
                Self { part, reach: gain(&part) * gain(own), off }
            }
        }
    }
}

/// True when a linear part is near enough to a similarity for a tree without a linear part of its own.
pub fn is_similarity(linear: &DMat3) -> bool {
    scale_and_skew(linear).1 < SIMILAR_LIMIT
}

/// True when a tree with a linear part of its own serves poses with another: after its own, what remains is
/// near enough to a similarity.
pub fn serves(own: &DMat3, linear: &DMat3) -> bool {
    own == linear || is_similarity(&Rest::of(linear, Some(own)).part)
}

/// Returns a number by which most linear parts differ if no tree [`serves`] both. If one tree does, their
/// numbers are about equal: the squares of lengths, as a share of their sum, stay the same when a similarity
/// follows.
pub fn shape_sum(linear: &DMat3) -> f64 {
    let square = linear.transpose() * *linear;
    let [x, y, z] = [square.x_axis, square.y_axis, square.z_axis];
    // Weights without a simple ratio.
    let sum = 0.31 * x.x + 0.83 * y.y + 1.57 * z.z + 0.47 * x.y + 0.71 * x.z + 1.13 * y.z;
    sum / (x.x + y.y + z.z)
}

/// Returns the approximate factor by which lengths grow, and [`Placement::skew`].
fn scale_and_skew(linear: &DMat3) -> (f64, f64) {
    let square = linear.transpose() * *linear;
    let scale_squared = (square.x_axis.x + square.y_axis.y + square.z_axis.z) / 3.0;
    let off = square * scale_squared.recip() - DMat3::IDENTITY;
    let row_sum = |v: DVec3| v.abs().element_sum();
    // A maximum would lose a NaN; the sum of all rows is as good a bound.
    (scale_squared.sqrt(), row_sum(off.x_axis) + row_sum(off.y_axis) + row_sum(off.z_axis))
}

/// Returns the largest coordinate to which coordinates of at most 1 are mapped.
pub(super) fn gain(linear: &DMat3) -> f64 {
    let sums = linear.x_axis.abs() + linear.y_axis.abs() + linear.z_axis.abs();
    sums.max_element()
}

/// The map from the normal coordinates of one tree to another's.
#[derive(Clone, Copy, Debug)]
pub struct FrameMap {
    /// Linear part: maps directions.
    pub linear: DMat3,
    /// Image of the normal origin.
    pub shift: DVec3,
    /// Approximate length of the image of a length of 1.
    pub ratio: f64,
    /// Bound of the distance between vertices and their images by the frames, in normal units of the second.
    pub margin: f64,
}

impl FrameMap {
    /// Maps coordinates of `of` to coordinates of `to`. Returns `None` where f32 cannot tell: for a pose
    /// with shear or uneven scale, or sizes that differ too much. Nothing may be excluded then.
    pub fn new(of: &Placement, to: &Placement) -> Option<Self> {
        let ratio = of.scale / to.scale;
        let rigid = of.skew + to.skew < SKEW_LIMIT;
        let inverse = to.linear.inverse();
        let linear = inverse * of.linear;
        let shift = inverse * (of.origin - to.origin);
        let comparable = (1.0 / LARGEST_RATIO..LARGEST_RATIO).contains(&ratio);
        if !(rigid && comparable && shift.abs().max_element() < 4.0 * LARGEST_RATIO) {
            return None; // a NaN as well
        }
        let error = (of.error + to.error) / to.scale * (1.0 + SKEW_LIMIT);
        Some(Self { linear, shift, ratio, margin: error + rounding(of, to) })
    }

    /// Returns how far any point of the first tree, with normal coordinates of at most 1, has moved from here
    /// to another frame: a bound, up to the roundings that
    /// [`KEPT`](closefit_geometry::math::error_bounds::KEPT) covers.
    pub fn farthest_move(&self, to: &Self) -> f64 {
        let turned = to.linear - self.linear;
        let columns = turned.x_axis.length() + turned.y_axis.length() + turned.z_axis.length();
        (to.shift - self.shift).length() + columns
    }
}

/// Returns a bound of how far a point is displaced by mapping normal coordinates of one tree to normal
/// coordinates of another, in f64 or f32. The point lies within `ratio` of the origin, in normal units
/// there. Both placements are within 2^-20 of similarities.
pub fn rounding(of: &Placement, to: &Placement) -> f64 {
    let shift = (of.origin - to.origin).abs().max_element() * 2.0 / to.scale;
    RELATIVE * (1.0 + of.scale / to.scale + shift) + TINY
}

/// Returns a squared distance, in units of `scale`, that no box nearer than `distance` in the world exceeds.
#[inline]
pub fn squared_limit(distance: f64, scale: f64) -> f32 {
    let normal = (distance / scale * (1.0 + f64::from(ROOM))) as f32 * (1.0 + ROOM);
    // Sums of squares near the limit of f32 may come out larger by this much.
    normal * normal * (1.0 + ROOM) + f32::MIN_POSITIVE
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::math::testing::{Stream, pose_of};

    /// Returns a frame around some vertices after a linear map, and the vertices.
    fn vertices(stream: &mut Stream, own: &DMat3) -> (NormalFrame, Vec<DVec3>) {
        let far = stream.point() * stream.pick(&[0.0, 1.0, 1e3]);
        let vertices: Vec<DVec3> = (0..8).map(|_| far + stream.point()).collect();
        (NormalFrame::of(Aabb::of(vertices.iter().map(|&v| *own * v))), vertices)
    }

    /// Returns a map that is a similarity but for a deviation of up to about `skew`.
    fn nearly_even(stream: &mut Stream, skew: f64) -> DMat3 {
        let turn = stream.f32_rotations(1) * stream.pick(&[1.0, -0.25, 3.0]);
        let mut off = || stream.point() * (0.1 * skew);
        turn * (DMat3::IDENTITY + DMat3::from_cols(off(), off(), off()))
    }

    #[test]
    fn vertices_are_as_near_their_images_as_the_error_says() {
        let (mut stream, mut replaced) = (Stream(21), 0);
        for _ in 0..20_000 {
            let scale = DVec3::new(1.0, stream.pick(&[1.0, 2.0, 0.1]), stream.pick(&[1.0, 1.3, 30.0]));
            let own = stream.f32_rotations(2) * DMat3::from_diagonal(scale) * stream.f32_rotations(1);
            let own = Some(own).filter(|_| stream.below(2) == 0);
            let skew = stream.pick(&[0.0, 1e-7, 1e-6, 3e-6]);
            let part = nearly_even(&mut stream, skew);
            let (frame, vertices) = vertices(&mut stream, &own.unwrap_or(DMat3::IDENTITY));
            let pose = pose_of(&(part * own.unwrap_or(DMat3::IDENTITY)), stream.point());
            let largest = vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
            let placement = Placement::new(&frame, own.as_ref(), largest, &pose);
            assert!(placement.is_rigid() && placement.skew < RIGID_LIMIT);
            let normal = |v: DVec3| frame.enter(own.map_or(v, |own| own * v));
            let (boxes, margin) = placement.of_boxes(own.as_ref(), largest);
            for &v in &vertices {
                let image = placement.linear * normal(v) + placement.origin;
                let off = image.distance(pose.apply(v));
                assert!(off <= placement.error, "{off:e} {:e}", placement.error);
                let off = boxes.apply(own.map_or(v, |own| own * v)) - pose.apply(v);
                assert!(off.abs().max_element() <= margin, "{off} {margin:e}");
            }
            replaced += u32::from(placement.error > 1e-7 * placement.scale);
            // No more room than the deviation calls for.
            let most = (2.0 * skew + 1e-6) * placement.scale;
            assert!(own.is_some() || placement.error <= most, "{:e} {most:e}", placement.error);
        }
        assert!(replaced > 3_000, "{replaced}");
    }

    /// Every two products of up to eight f32 rotations can be compared, and need no tree of their own.
    #[test]
    fn products_of_f32_rotations_can_be_compared() {
        let frame = NormalFrame { center: DVec3::ZERO, unit: 1.0 };
        let (mut stream, mut over) = (Stream(22), 0);
        for _ in 0..20_000 {
            let placed = [(); 2].map(|()| {
                let count = 1 + stream.below(8);
                let linear = stream.f32_rotations(count);
                assert!(is_similarity(&linear));
                over += u32::from(scale_and_skew(&linear).1 >= RIGID_LIMIT);
                Placement::new(&frame, None, 1.0, &pose_of(&linear, stream.point()))
            });
            let map = FrameMap::new(&placed[0], &placed[1]).expect("similar");
            // Turning a deviation can make its sum of entries three times as large.
            assert!(scale_and_skew(&map.linear).1 < 3.0 * SKEW_LIMIT && map.margin < 2e-5);
        }
        assert!(over > 2_000, "{over} were replaced");
    }

    /// The farthest vertices of two trees face each other, and the gap between them is a little more or less
    /// than the limit.
    #[test]
    fn balls_prove_only_what_is_farther() {
        let (mut stream, mut proven) = (Stream(23), 0);
        for _ in 0..20_000 {
            let size = stream.pick(&[1.0, 1e-50, 1e50]);
            let shapes = [(); 2].map(|()| {
                let (frame, vertices) = vertices(&mut stream, &DMat3::IDENTITY);
                let length = |v: DVec3| frame.enter(v).length();
                let radius = vertices.iter().map(|&v| length(v)).fold(0.0, f64::max);
                let farthest = vertices.iter().copied().max_by(|v, w| length(*v).total_cmp(&length(*w)));
                let largest = vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
                let skew = stream.pick(&[0.0, 1e-7, 3e-6]);
                let linear = nearly_even(&mut stream, skew) * size;
                (frame, farthest.expect("eight"), radius * (1.0 + 1e-12), largest, linear)
            });
            let at = |shape: usize, shift: DVec3| {
                let (frame, _, _, largest, linear) = &shapes[shape];
                let pose = pose_of(linear, shift);
                (pose, Placement::new(frame, None, *largest, &pose))
            };
            let limit = stream.pick(&[0.0, 1.0]) * size;
            let gap = limit + stream.pick(&[-1e-3, -1e-9, 0.0, 1e-9, 1e-4, 0.1]) * size;
            let (pose_a, a) = at(0, DVec3::ZERO);
            let facing = pose_a.apply(shapes[0].1);
            let direction = (facing - a.origin).normalize_or_zero();
            // The other one's farthest vertex looks the other way, up to where its own ball may reach.
            let (_, b) = at(1, DVec3::ZERO);
            let shift = facing + direction * (gap + b.scale * shapes[1].2) - b.origin;
            let (pose_b, b) = at(1, shift);
            let nearest = facing.distance(b.origin) - b.scale * shapes[1].2;
            let is_farther = a.is_farther(shapes[0].2, (&b, shapes[1].2), limit);
            assert!(!is_farther || nearest > limit, "{nearest:e} {limit:e}");
            assert!(!is_farther || facing.distance(pose_b.apply(shapes[1].1)) > limit);
            assert!(is_farther || gap < limit + 0.05 * size, "{gap:e} {limit:e}");
            assert_eq!(is_farther, b.is_farther(shapes[1].2, (&a, shapes[0].2), limit));
            proven += u32::from(is_farther);
        }
        assert!((3_000..12_000).contains(&proven), "{proven}");
    }

    #[test]
    fn shear_is_not_replaced() {
        let frame = NormalFrame { center: DVec3::ZERO, unit: 1.0 };
        let sheared = DMat3::from_diagonal(DVec3::new(1.0, 1.0 + 1e-5, 1.0));
        let [a, b] = [sheared, DMat3::IDENTITY].map(|linear| pose_of(&linear, DVec3::ZERO));
        let [a, b] = [a, b].map(|pose| Placement::new(&frame, None, 1.0, &pose));
        assert!(
            !is_similarity(&sheared) && FrameMap::new(&a, &b).is_none() && FrameMap::new(&b, &a).is_none()
        );
    }
}
