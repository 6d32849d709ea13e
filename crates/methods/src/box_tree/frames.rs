//! The frames in which boxes of two trees are compared.

use glam::DVec3;

use super::axes::AxesFrame;
use super::cuts::Extents;
use super::lines::LineFrame;
use closefit::internals::bvh::placement::{FrameMap, Placement, ROOM};
use closefit_geometry::math::error_bounds::{F32_LINE, LEAST_ENTRY};

/// The maps between the frames of two trees.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    /// The second tree's frame as seen from the first.
    first: FrameMap,
    /// The first tree's frame as seen from the second.
    second: FrameMap,
    /// Distance that the thickness of both trees' cuts adds, in normal units of the first tree.
    thickness: f64,
    /// World length of a normal unit of the first tree.
    scale: f64,
}

/// The second tree's boxes in the frame of the first, where both have parallel edges.
#[derive(Clone, Copy, Debug)]
pub struct AlignedFrame {
    /// The axis of the first tree for each of the second, and the factor and the shift of coordinates.
    axes: [(usize, f32, f32); 3],
    /// Amount by which the second tree's boxes are widened.
    reach: f32,
}

/// Boxes of both trees in the frame of the first, the second's widened by the reach.
pub type AlignedBoxes = [Extents; 2];

impl Frames {
    /// Returns `None` where f32 cannot tell; nothing may be excluded then. `thicknesses` are half the
    /// thicknesses of the cuts of both trees, in their own units.
    pub fn new(a: &Placement, b: &Placement, thicknesses: [f32; 2]) -> Option<Self> {
        let (first, second) = (FrameMap::new(b, a)?, FrameMap::new(a, b)?);
        // Content reaches past a cut by its thickness along each axis. 1.74 exceeds the square root of 3.
        let thickness = 1.74 * (f64::from(thicknesses[0]) + f64::from(thicknesses[1]) * first.ratio);
        Some(Self { first, second, thickness, scale: a.scale })
    }

    /// Returns the distance in normal units of the first tree up to which boxes count as meeting, before the
    /// rounding of comparisons.
    fn normal(&self, reach: f64) -> f64 {
        reach / self.scale * (1.0 + f64::from(ROOM)) + self.thickness
    }

    /// Prepares the comparison of edges with slabs, up to a distance in the world; `None` if that is too
    /// large.
    pub fn lines(&self, reach: f64) -> Option<[LineFrame; 2]> {
        let normal = self.normal(reach);
        // The maps are exact inverses of each other but for what their margins cover.
        let of_second = line_frame(&self.first, normal)?;
        let of_first = line_frame(&self.second, normal * self.second.ratio * (1.0 + f64::from(ROOM)))?;
        Some([of_first, of_second])
    }

    /// Prepares comparison of intervals, if the edges of both trees' boxes are parallel.
    pub fn aligned(&self, reach: f64) -> Option<AlignedFrame> {
        let FrameMap { linear, shift, ratio, margin } = self.first;
        let normal = self.normal(reach);
        let rounding = F32_LINE * (1.0 + ratio + shift.abs().max_element() + normal);
        let reach = ((normal + margin + rounding) as f32).next_up();
        let mut axes = [(0, 0.0, 0.0); 3];
        for (axis, column) in axes.iter_mut().zip([linear.x_axis, linear.y_axis, linear.z_axis]) {
            let i = (0..3).find(|&i| column[i] != 0.0)?;
            if column != DVec3::AXES[i] * column[i] {
                return None;
            }
            *axis = (i, column[i] as f32, shift[i] as f32);
        }
        reach.is_finite().then_some(AlignedFrame { axes, reach })
    }

    /// Prepares the comparison along axes.
    pub fn axes(&self) -> AxesFrame {
        AxesFrame::new(&self.first, self.thickness)
    }
}

fn line_frame(map: &FrameMap, reach: f64) -> Option<LineFrame> {
    let FrameMap { linear, shift, ratio, margin } = *map;
    let size = 1.0 + 3.0 * ratio + shift.abs().max_element() + reach;
    let reach = ((reach + margin + F32_LINE * size) as f32).next_up();
    if !reach.is_finite() {
        return None;
    }
    let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let least = LEAST_ENTRY * ratio;
    let inverse = |x: f64| (1.0 / if x.abs() < least { least } else { x }) as f32;
    Some(LineFrame {
        linear: [0, 1, 2].map(|i| columns.map(|column| column[i] as f32)),
        inverse: [0, 1, 2].map(|i| columns.map(|column| inverse(column[i]))),
        shift: shift.as_vec3().to_array(),
        reach,
    })
}

impl AlignedFrame {
    /// Returns two boxes in the frame of the first.
    pub fn boxes(&self, [a, b]: [Extents; 2]) -> AlignedBoxes {
        let mut seen = Extents::EMPTY;
        for (axis, (i, factor, shift)) in self.axes.into_iter().enumerate() {
            let [p, q] = [b.lo[axis] * factor + shift, b.hi[axis] * factor + shift];
            (seen.lo[i], seen.hi[i]) = (p.min(q) - self.reach, p.max(q) + self.reach);
        }
        [a, seen]
    }

    /// Returns both parts of a pair whose box of one side is cut.
    pub fn cut(&self, [a, b]: &AlignedBoxes, (side, axis, at): (usize, usize, f32)) -> [AlignedBoxes; 2] {
        if side == 0 {
            return a.cut(axis, at).map(|part| [part, *b]);
        }
        let (i, factor, shift) = self.axes[axis];
        let plane = at * factor + shift;
        let [mut low, mut high] = [*b; 2];
        (low.hi[i], high.lo[i]) = (plane + self.reach, plane - self.reach);
        let [below, above] = if factor < 0.0 { [high, low] } else { [low, high] };
        [[*a, below], [*a, above]]
    }
}

/// True unless the boxes are proven farther apart than the reach: six comparisons.
pub fn aligned_meet([a, b]: &AlignedBoxes) -> bool {
    (0..3).all(|i| a.lo[i] <= b.hi[i] && b.lo[i] <= a.hi[i])
}
