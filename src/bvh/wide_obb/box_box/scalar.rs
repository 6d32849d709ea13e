//! The reading copy: one box of the block at a time.

use super::{FAR, PARALLEL, SHORT, Single, TURNED};
use crate::bvh::wide_obb::Block;
use closefit_geometry::lanes::LANES;

/// Returns the scalar product.
pub(crate) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// Returns the sum of the absolute coordinates.
#[inline(always)]
pub(crate) fn sum_of_sizes(v: [f32; 3]) -> f32 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

/// Gives the gaps along axes the signs of the offset between the centres.
pub(crate) fn toward(gaps: [f32; 3], t: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|i| gaps[i].copysign(t[i]))
}

/// Returns the direction of the gaps, no longer than 1, along the single box's axes. The signed gaps are
/// those along its axes if `by_one`, otherwise those along the block's, which `c` places.
pub(crate) fn direction(c: &[[f32; 3]; 3], [d, e]: [[f32; 3]; 2], by_one: bool) -> [f32; 3] {
    let across = |i: usize| e[2].mul_add(c[2][i], e[1].mul_add(c[1][i], e[0] * c[0][i]));
    let n = if by_one { d } else { [0, 1, 2].map(across) };
    let scale = 1.0 / dot(n, n).max(SHORT).sqrt();
    n.map(|x| x * scale)
}

/// Returns the cross product.
pub(crate) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        a[i1].mul_add(b[i2], -(a[i2] * b[i1]))
    })
}

/// Two boxes, the second in the axes of the first.
struct BoxPair {
    ha: [f32; 3],
    hb: [f32; 3],
    /// `c[j][i]`: axis j of the second along axis i of the first.
    c: [[f32; 3]; 3],
    /// Absolute values of `c`, plus `PARALLEL`.
    r: [[f32; 3]; 3],
    /// Offset from the first's centre to the second's, along the axes of the first and of the second.
    ta: [f32; 3],
    tb: [f32; 3],
}

impl BoxPair {
    fn of(one: &Single, block: &Block, lane: usize) -> Self {
        let t = std::array::from_fn(|k| block.center[k][lane] - one.center[k]);
        let along = |v: [f32; 3]| one.axes.map(|axis| dot(axis, v));
        let [first, second] = block.axes.map(|axis| along(axis.map(|column| column[lane])));
        let c = [first, second, cross(first, second)];
        let ta = along(t);
        Self {
            ha: one.half,
            hb: block.half.map(|column| column[lane]),
            c,
            r: c.map(|column| column.map(|x| x.abs() + PARALLEL)),
            ta,
            tb: c.map(|column| dot(ta, column)),
        }
    }

    /// Returns the sum of both boxes' radii along face axis i of the first.
    fn radius_along_first(&self, i: usize) -> f32 {
        let Self { ha, hb, r, .. } = self;
        hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])))
    }

    fn radius_along_second(&self, j: usize) -> f32 {
        let Self { ha, hb, r, .. } = self;
        ha[2].mul_add(r[j][2], ha[1].mul_add(r[j][1], ha[0].mul_add(r[j][0], hb[j])))
    }

    fn separated_by_edges(&self, i: usize, j: usize) -> bool {
        let Self { ha, hb, c, r, ta, .. } = self;
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let distance = ta[i2].mul_add(c[j][i1], -(ta[i1] * c[j][i2])).abs();
        let from_first = ha[i1].mul_add(r[j][i2], ha[i2] * r[j][i1]);
        distance > hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_first))
    }
}

/// Bit i is set unless box i of the block is apart from the single one.
pub fn meeting(one: &Single, block: &Block) -> u32 {
    let apart = |lane: usize| {
        let pair = BoxPair::of(one, block, lane);
        pair.hb[0] < 0.0 // a lane without a box
            || (0..3).any(|i| pair.ta[i].abs() > pair.radius_along_first(i))
            || (0..3).any(|j| pair.tb[j].abs() > pair.radius_along_second(j))
            || (0..9).any(|k| pair.separated_by_edges(k / 3, k % 3))
    };
    (0..LANES).filter(|&lane| !apart(lane)).map(|lane| 1 << lane).sum()
}

/// Returns the squared distances between the single box's centre and the block's; infinite for lanes without
/// a box.
pub fn between_centers(one: &Single, block: &Block) -> [f32; LANES] {
    std::array::from_fn(|lane| {
        let t = std::array::from_fn(|k| block.center[k][lane] - one.center[k]);
        if block.half[0][lane] < 0.0 { f32::INFINITY } else { dot(t, t) }
    })
}

/// Returns proven lower bounds of the squared distances between a ball around a point and the block's boxes.
pub fn point_distances(center: &[f32; 3], radius: f32, block: &Block) -> [f32; LANES] {
    std::array::from_fn(|lane| {
        if block.half[0][lane] < 0.0 {
            return f32::INFINITY;
        }
        let t: [f32; 3] = std::array::from_fn(|k| block.center[k][lane] - center[k]);
        let [first, second] = block.axes.map(|axis| axis.map(|column| column[lane]));
        let along = [dot(t, first), dot(t, second), dot(t, cross(first, second))];
        let slack = sum_of_sizes(along).mul_add(FAR, radius);
        let squared = (0..3).fold(0.0, |sum: f32, k| {
            let gap = (along[k].abs() - block.half[k][lane] - slack).max(0.0);
            gap.mul_add(gap, sum)
        });
        squared * (1.0 - FAR)
    })
}

/// Returns proven lower bounds of the squared distances between the single box and the block's. Each is the
/// larger of the bounds along the axes of either box. Unless all of these exceed `limit`, the direction of
/// the gaps may raise it.
pub fn distances(one: &Single, block: &Block, limit: f32) -> [f32; LANES] {
    let seen: [FaceGaps; LANES] = std::array::from_fn(|lane| BoxPair::of(one, block, lane).along_axes());
    if seen.iter().all(|seen| seen.bound > limit) {
        return seen.map(|seen| seen.bound);
    }
    std::array::from_fn(|lane| BoxPair::of(one, block, lane).along_the_way(&seen[lane]))
}

/// The gaps of two boxes along their face axes.
struct FaceGaps {
    /// Lower bound of the squared distance.
    bound: f32,
    slack: f32,
    /// Gaps along the axes of either box, from the first to the second, and the sums of their squares.
    gaps: [[f32; 3]; 2],
    squared: [f32; 2],
}

impl BoxPair {
    fn along_axes(&self) -> FaceGaps {
        let slack = (self.ta[0].abs() + self.ta[1].abs() + self.ta[2].abs()) * FAR;
        // The maximum of NaN and 0 is 0.
        let first = [0, 1, 2].map(|i| (self.ta[i].abs() - self.radius_along_first(i) - slack).max(0.0));
        let second = [0, 1, 2].map(|j| (self.tb[j].abs() - self.radius_along_second(j) - slack).max(0.0));
        let squared = [first, second].map(|gaps| gaps.iter().fold(0.0, |sum, gap| gap.mul_add(*gap, sum)));
        let bound = squared[0].max(squared[1]) * (1.0 - FAR);
        FaceGaps {
            bound: if self.hb[0] < 0.0 { f32::INFINITY } else { bound },
            slack,
            gaps: [toward(first, self.ta), toward(second, self.tb)],
            squared,
        }
    }

    fn along_the_way(&self, seen: &FaceGaps) -> f32 {
        let Self { ha, hb, c, ta, .. } = self;
        let n = direction(c, seen.gaps, seen.squared[0] >= seen.squared[1]);
        let m = c.map(|column| dot(column, n).abs() + (PARALLEL + PARALLEL));
        let radius = dot(*hb, m) + dot(*ha, n.map(f32::abs));
        let gap = (dot(n, *ta).abs() - radius - seen.slack).max(0.0);
        if self.hb[0] < 0.0 { f32::INFINITY } else { seen.bound.max(gap * gap * (1.0 - TURNED)) }
    }
}
