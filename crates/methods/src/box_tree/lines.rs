//! Tells two boxes apart by their edges (Zachmann 1997, "A single traversal step").
//!
//! If two boxes are no farther apart than a reach, then some edge of one comes within the reach of the other.
//! Therefore each of the 24 edges is clipped against the three slabs of the other box, widened by the reach.
//! An edge is a piece of a line, and where a line crosses the planes of the slabs stays known while boxes are
//! cut: a cut gives each of the other box's 12 lines a crossing with the new plane, and its own box four new
//! lines. That takes 63 multiplications and 71 additions for both parts of the box; the paper states 72 of
//! each. Everything else is comparisons.
//!
//! The line's parameter is the coordinate along it in its own box's frame. Parameters are f32 and never NaN:
//! origins and planes are finite, and so are reciprocals.

use std::ops::{Add, Mul, Sub};

use super::cuts::Extents;
use closefit_geometry::executor::{Lanes, Scalar};
use closefit_geometry::lanes::{Simd, SimdBase, f32x4};

/// The numbers of a state: f32, or numbers that count.
pub trait Number:
    Copy + From<f32> + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}

impl<N> Number for N where
    N: Copy + From<f32> + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}

/// The lines of one tree's boxes as seen from the other tree.
#[derive(Clone, Copy, Debug)]
pub struct LineFrame<N = f32> {
    /// The linear part of there from here, indexed by coordinate there, then by direction of the line.
    pub linear: [[N; 3]; 3],
    /// The reciprocals of those entries; entries near 0 are replaced.
    pub inverse: [[N; 3]; 3],
    /// The origin of this frame, in the other.
    pub shift: [N; 3],
    /// Amount by which slabs there are widened, for the reach and all rounding.
    pub reach: N,
}

impl LineFrame {
    /// Returns the same in numbers of another type.
    pub fn to_numbers<N: Number>(self) -> LineFrame<N> {
        LineFrame {
            linear: self.linear.map(|row| row.map(N::from)),
            inverse: self.inverse.map(|row| row.map(N::from)),
            shift: self.shift.map(N::from),
            reach: N::from(self.reach),
        }
    }
}

/// A box, and where its 12 lines cross the other box's slabs. The four lines of a direction differ in the
/// ends of the next axis (bit 0 of their index) and of the one after (bit 1).
#[derive(Clone, Copy, Debug)]
struct Lined<N> {
    lo: [N; 3],
    hi: [N; 3],
    /// The lines' points with parameter 0, indexed by direction, then by coordinate there.
    origins: [[[N; 4]; 3]; 3],
    /// The lines' parameters at the lower and at the upper plane of each slab, indexed by direction, then by
    /// slab.
    crossings: [[[[N; 4]; 2]; 3]; 3],
}

/// Two boxes with all crossings of their lines.
#[derive(Clone, Copy, Debug)]
pub struct Lines<N = f32>([Lined<N>; 2]);

/// The kernels, with a form for every executor.
pub trait LineKernels<N: Number>: Copy {
    /// Returns `(plane - origin) * inverse` for four lines.
    fn crossings(self, plane: N, origins: &[N; 4], inverses: &[N; 4]) -> [N; 4];

    /// True if any of four lines has a parameter in a range at which it is in all three slabs.
    fn any_inside(self, range: [N; 2], crossings: &[[[N; 4]; 2]; 3]) -> bool;
}

fn lesser<N: PartialOrd>(x: N, y: N) -> N {
    if y < x { y } else { x }
}

fn greater<N: PartialOrd>(x: N, y: N) -> N {
    if y > x { y } else { x }
}

impl<N: Number> LineKernels<N> for Scalar {
    fn crossings(self, plane: N, origins: &[N; 4], inverses: &[N; 4]) -> [N; 4] {
        std::array::from_fn(|line| (plane - origins[line]) * inverses[line])
    }

    fn any_inside(self, [lo, hi]: [N; 2], crossings: &[[[N; 4]; 2]; 3]) -> bool {
        (0..4).any(|line| {
            let (mut enter, mut exit) = (lo, hi);
            for [lower, upper] in crossings {
                enter = greater(enter, lesser(lower[line], upper[line]));
                exit = lesser(exit, greater(lower[line], upper[line]));
            }
            enter <= exit
        })
    }
}

impl<S: Simd> LineKernels<f32> for Lanes<S> {
    #[inline(always)]
    fn crossings(self, plane: f32, origins: &[f32; 4], inverses: &[f32; 4]) -> [f32; 4] {
        let origins = f32x4::load_array_ref(self.0, origins);
        let inverses = f32x4::load_array_ref(self.0, inverses);
        ((f32x4::splat(self.0, plane) - origins) * inverses).to_array()
    }

    #[inline(always)]
    fn any_inside(self, [lo, hi]: [f32; 2], crossings: &[[[f32; 4]; 2]; 3]) -> bool {
        let (mut enter, mut exit) = (f32x4::splat(self.0, lo), f32x4::splat(self.0, hi));
        for [lower, upper] in crossings {
            let lower = f32x4::load_array_ref(self.0, lower);
            let upper = f32x4::load_array_ref(self.0, upper);
            enter = enter.max(lower.min(upper));
            exit = exit.min(lower.max(upper));
        }
        let (enter, exit) = (enter.to_array(), exit.to_array());
        (0..4).any(|line| enter[line] <= exit[line])
    }
}

/// Returns the axis that is neither of two.
#[inline(always)]
fn third(i: usize, j: usize) -> usize {
    3 - i - j
}

/// Returns the bit of a line's index that says at which end of an axis it lies.
#[inline(always)]
fn bit(direction: usize, axis: usize) -> usize {
    (axis + 2 - direction) % 3
}

impl<N: Number> Lines<N> {
    /// Prepares two boxes.
    #[inline(always)]
    pub fn new(kernels: impl LineKernels<N>, boxes: [Extents; 2], frames: &[LineFrame<N>; 2]) -> Self {
        let zero = N::from(0.0);
        let lined = |Extents { lo, hi }: Extents| Lined {
            lo: [N::from(lo[0]), N::from(lo[1]), N::from(lo[2])],
            hi: [N::from(hi[0]), N::from(hi[1]), N::from(hi[2])],
            origins: [[[zero; 4]; 3]; 3],
            crossings: [[[[zero; 4]; 2]; 3]; 3],
        };
        let mut all = Self([lined(boxes[0]), lined(boxes[1])]);
        for side in 0..2 {
            for axis in 0..3 {
                // The lines at both ends of one axis include all of two directions.
                for end in 0..2 {
                    let at = if end == 0 { all.0[side].lo[axis] } else { all.0[side].hi[axis] };
                    let lines = all.lines_at(kernels, frames, side, axis, at);
                    all.0[side].put(&lines, axis, end);
                }
            }
        }
        all
    }

    /// Returns both parts of a pair whose box of one side is cut.
    #[inline(always)]
    pub fn cut(
        &self,
        kernels: impl LineKernels<N>,
        frames: &[LineFrame<N>; 2],
        (side, axis, at): (usize, usize, f32),
    ) -> [Self; 2] {
        let at = N::from(at);
        let [mut below, mut above] = [*self; 2];
        below.0[side].hi[axis] = at;
        above.0[side].lo[axis] = at;
        let seen = &frames[1 - side];
        let [upper, lower] = [at + seen.reach, at - seen.reach];
        for direction in 0..3 {
            let origins = &self.0[1 - side].origins[direction][axis];
            let inverses = [seen.inverse[axis][direction]; 4];
            below.0[1 - side].crossings[direction][axis][1] = kernels.crossings(upper, origins, &inverses);
            above.0[1 - side].crossings[direction][axis][0] = kernels.crossings(lower, origins, &inverses);
        }
        let lines = self.lines_at(kernels, frames, side, axis, at);
        below.0[side].put(&lines, axis, 1);
        above.0[side].put(&lines, axis, 0);
        [below, above]
    }

    /// True unless the boxes are proven farther apart than the reach.
    #[inline(always)]
    pub fn meet(&self, kernels: impl LineKernels<N>) -> bool {
        self.0.iter().any(|lined| lined.enters(kernels))
    }

    /// Returns the four lines of a box's side across an axis: two of the next direction, at the ends of the
    /// one after, and two of that direction.
    #[inline(always)]
    fn lines_at(
        &self,
        kernels: impl LineKernels<N>,
        frames: &[LineFrame<N>; 2],
        side: usize,
        axis: usize,
        at: N,
    ) -> NewLines<N> {
        let (own, there, frame) = (&self.0[side], &self.0[1 - side], &frames[side]);
        let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
        let mut lines = NewLines { origins: [[at; 4]; 3], crossings: [[[at; 4]; 2]; 3] };
        for i in 0..3 {
            let base = frame.linear[i][axis] * at + frame.shift[i];
            lines.origins[i] = [
                base + frame.linear[i][last] * own.lo[last],
                base + frame.linear[i][last] * own.hi[last],
                base + frame.linear[i][next] * own.lo[next],
                base + frame.linear[i][next] * own.hi[next],
            ];
            let [to_next, to_last] = [frame.inverse[i][next], frame.inverse[i][last]];
            let inverses = [to_next, to_next, to_last, to_last];
            let planes = [there.lo[i] - frame.reach, there.hi[i] + frame.reach];
            lines.crossings[i][0] = kernels.crossings(planes[0], &lines.origins[i], &inverses);
            lines.crossings[i][1] = kernels.crossings(planes[1], &lines.origins[i], &inverses);
        }
        lines
    }
}

/// Four lines, by coordinate.
struct NewLines<N> {
    origins: [[N; 4]; 3],
    crossings: [[[N; 4]; 2]; 3],
}

impl<N: Number> Lined<N> {
    /// Puts new lines in the place of those at one end of an axis.
    #[inline(always)]
    fn put(&mut self, lines: &NewLines<N>, axis: usize, end: usize) {
        let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
        for (direction, first) in [(next, 0), (last, 2)] {
            let other = third(axis, direction);
            for at in 0..2 {
                let line = end << bit(direction, axis) | at << bit(direction, other);
                for i in 0..3 {
                    self.origins[direction][i][line] = lines.origins[i][first + at];
                    self.crossings[direction][i][0][line] = lines.crossings[i][0][first + at];
                    self.crossings[direction][i][1][line] = lines.crossings[i][1][first + at];
                }
            }
        }
    }

    /// True if any edge comes within the reach of the other box.
    #[inline(always)]
    fn enters(&self, kernels: impl LineKernels<N>) -> bool {
        (0..3).any(|direction| {
            kernels.any_inside([self.lo[direction], self.hi[direction]], &self.crossings[direction])
        })
    }
}
