//! Bounds the distance of boxes along the 15 axes: three of the first box, three of the second, and nine
//! perpendicular to an edge of each (Lin et al. 1997, section 4.2.2). Eight pairs at a time.

use super::cuts::Extents;
use closefit::internals::bvh::placement::{FrameMap, ROOM};
use closefit_geometry::executor::{Executor, Lanes, Scalar, execute};
use closefit_geometry::lanes::{LANES, Simd, SimdBase, f32x8};
use closefit_geometry::math::error_bounds::F32_AXES;

/// Squared length of the cross products of edges that are used as axes. The rounding of shorter ones would
/// count for more than the bound has room for.
const LONG: f64 = 0.25;

/// Factor of squared gaps that covers the rounding of squares, sums and quotients, and poses' skew.
const NEARER: f32 = 1.0 - ROOM;

/// The second tree's frame as seen from the first, prepared for the comparison of boxes.
#[derive(Clone, Copy, Debug)]
pub struct AxesFrame {
    /// Unit axes of the second frame, as columns.
    turn: [[f32; 3]; 3],
    ratio: f32,
    shift: [f32; 3],
    /// Reciprocal squared lengths of the cross products of the first box's edges with the second's; 0 for one
    /// that is no axis.
    shorter: [[f32; 3]; 3],
    /// Amount subtracted from every gap.
    margin: f32,
}

/// Eight pairs of boxes, by coordinate and lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoxPairs {
    middles: [[[f32; LANES]; 3]; 2],
    halves: [[[f32; LANES]; 3]; 2],
}

impl BoxPairs {
    /// Puts a pair into a lane.
    #[inline(always)]
    pub fn put(&mut self, lane: usize, boxes: [Extents; 2]) {
        for (side, Extents { lo, hi }) in boxes.into_iter().enumerate() {
            for k in 0..3 {
                self.middles[side][k][lane] = 0.5 * (lo[k] + hi[k]);
                self.halves[side][k][lane] = 0.5 * (hi[k] - lo[k]);
            }
        }
    }
}

/// The kernel, with a form for every executor.
pub trait AxesKernels: Copy {
    /// Returns lower bounds of the squared distances, in normal units of the first tree: 0 where boxes may
    /// meet.
    fn squared_gaps(self, frame: &AxesFrame, pairs: &BoxPairs) -> [f32; LANES];
}

/// Returns lower bounds of the squared distances of pairs of boxes, in normal units of the first tree; 0
/// where f32 cannot tell.
pub fn squared_gaps(executor: Executor, frame: Option<&AxesFrame>, pairs: &BoxPairs) -> [f32; LANES] {
    frame.map_or([0.0; LANES], |frame| execute!(executor, kernels => kernels.squared_gaps(frame, pairs)))
}

impl AxesFrame {
    /// Prepares a map. `reach` is what the boxes' content may reach beyond them, in all.
    pub fn new(map: &FrameMap, reach: f64) -> Self {
        let FrameMap { linear, shift, ratio, margin } = *map;
        let columns = [linear.x_axis, linear.y_axis, linear.z_axis].map(|column| column / ratio);
        let turn = [0, 1, 2].map(|i| columns.map(|column| column[i]));
        let shorter = turn.map(|row| {
            row.map(|entry| {
                let squared = 1.0 - entry * entry;
                if squared < LONG { 0.0 } else { (1.0 / squared) as f32 }
            })
        });
        let size = 1.0 + 3.0 * ratio + shift.abs().max_element();
        let margin = ((reach + margin + F32_AXES * size) as f32).next_up();
        let turn = turn.map(|row| row.map(|entry| entry as f32));
        Self { turn, ratio: ratio as f32, shift: shift.as_vec3().to_array(), shorter, margin }
    }
}

impl AxesKernels for Scalar {
    fn squared_gaps(self, frame: &AxesFrame, pairs: &BoxPairs) -> [f32; LANES] {
        std::array::from_fn(|lane| {
            let of_lane = |columns: &[[f32; LANES]; 3]| columns.map(|column| column[lane]);
            let (middles, halves) =
                (pairs.middles.each_ref().map(of_lane), pairs.halves.each_ref().map(of_lane));
            squared_gap(frame, middles, halves)
        })
    }
}

/// Returns a lower bound of the squared distance of two boxes, given by their middles and half extents.
fn squared_gap(frame: &AxesFrame, middles: [[f32; 3]; 2], halves: [[f32; 3]; 2]) -> f32 {
    let AxesFrame { turn, ratio, shift, shorter, margin } = frame;
    let middle = middles[1].map(|x| x * ratio);
    let [ha, hb] = [halves[0], halves[1].map(|x| x * ratio)];
    let t: [f32; 3] = std::array::from_fn(|i| {
        turn[i][0] * middle[0] + turn[i][1] * middle[1] + turn[i][2] * middle[2] + shift[i] - middles[0][i]
    });
    let size = turn.map(|row| row.map(f32::abs));
    let [mut first, mut second, mut crossed] = [0.0f32; 3];
    for i in 0..3 {
        let gap =
            t[i].abs() - ha[i] - (size[i][0] * hb[0] + size[i][1] * hb[1] + size[i][2] * hb[2]) - margin;
        first += gap.max(0.0) * gap.max(0.0);
    }
    for j in 0..3 {
        let along = turn[0][j] * t[0] + turn[1][j] * t[1] + turn[2][j] * t[2];
        let gap =
            along.abs() - hb[j] - (size[0][j] * ha[0] + size[1][j] * ha[1] + size[2][j] * ha[2]) - margin;
        second += gap.max(0.0) * gap.max(0.0);
    }
    for i in 0..3 {
        let [i1, i2] = [(i + 1) % 3, (i + 2) % 3];
        for j in 0..3 {
            let [j1, j2] = [(j + 1) % 3, (j + 2) % 3];
            let along = t[i2] * turn[i1][j] - t[i1] * turn[i2][j];
            let of_a = ha[i1] * size[i2][j] + ha[i2] * size[i1][j];
            let of_b = hb[j1] * size[i][j2] + hb[j2] * size[i][j1];
            let gap = (along.abs() - of_a - of_b - margin).max(0.0);
            crossed = crossed.max(gap * gap * shorter[i][j]);
        }
    }
    first.max(second).max(crossed) * NEARER
}

impl<S: Simd> AxesKernels for Lanes<S> {
    #[inline(always)]
    fn squared_gaps(self, frame: &AxesFrame, pairs: &BoxPairs) -> [f32; LANES] {
        gaps_in_lanes(self.0, frame, pairs)
    }
}

#[inline(always)]
fn gaps_in_lanes<S: Simd>(simd: S, frame: &AxesFrame, pairs: &BoxPairs) -> [f32; LANES] {
    let AxesFrame { turn, ratio, shift, shorter, margin } = frame;
    let zero = f32x8::splat(simd, 0.0);
    let [mut middle, mut ha, mut hb, mut t] = [[zero; 3]; 4];
    for k in 0..3 {
        middle[k] = f32x8::load_array_ref(simd, &pairs.middles[1][k]) * *ratio;
        ha[k] = f32x8::load_array_ref(simd, &pairs.halves[0][k]);
        hb[k] = f32x8::load_array_ref(simd, &pairs.halves[1][k]) * *ratio;
    }
    let mut size = [[0.0f32; 3]; 3];
    for i in 0..3 {
        t[i] = middle[0] * turn[i][0] + middle[1] * turn[i][1] + middle[2] * turn[i][2] + shift[i]
            - f32x8::load_array_ref(simd, &pairs.middles[0][i]);
        for j in 0..3 {
            size[i][j] = turn[i][j].abs();
        }
    }
    let [mut first, mut second, mut crossed] = [zero; 3];
    for i in 0..3 {
        let gap =
            t[i].abs() - ha[i] - (hb[0] * size[i][0] + hb[1] * size[i][1] + hb[2] * size[i][2]) - *margin;
        let gap = gap.max(0.0);
        first += gap * gap;
    }
    for j in 0..3 {
        let along = t[0] * turn[0][j] + t[1] * turn[1][j] + t[2] * turn[2][j];
        let gap =
            along.abs() - hb[j] - (ha[0] * size[0][j] + ha[1] * size[1][j] + ha[2] * size[2][j]) - *margin;
        let gap = gap.max(0.0);
        second += gap * gap;
    }
    for i in 0..3 {
        let [i1, i2] = [(i + 1) % 3, (i + 2) % 3];
        for j in 0..3 {
            let [j1, j2] = [(j + 1) % 3, (j + 2) % 3];
            let along = t[i2] * turn[i1][j] - t[i1] * turn[i2][j];
            let of_a = ha[i1] * size[i2][j] + ha[i2] * size[i1][j];
            let of_b = hb[j1] * size[i][j2] + hb[j2] * size[i][j1];
            let gap = (along.abs() - of_a - of_b - *margin).max(0.0);
            crossed = crossed.max(gap * gap * shorter[i][j]);
        }
    }
    (first.max(second).max(crossed) * NEARER).to_array()
}
