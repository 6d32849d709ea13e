//! The same, box by box: the reading copy.

use super::{FAR, PARALLEL, Single};
use crate::hierarchy::wide_tree::Block;
use crate::lanes::LANES;

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        a[i1].mul_add(b[i2], -(a[i2] * b[i1]))
    })
}

/// Two boxes, one of them as the other sees it.
struct Pair {
    ha: [f32; 3],
    hb: [f32; 3],
    /// `c[j][i]`: axis j of the second along axis i of the first.
    c: [[f32; 3]; 3],
    /// Their sizes, and a little more.
    r: [[f32; 3]; 3],
    /// From the first's centre to the second's, along the first's axes and the second's.
    ta: [f32; 3],
    tb: [f32; 3],
}

impl Pair {
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

    /// Half the extent of both along face axis i of the first.
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
        let pair = Pair::of(one, block, lane);
        pair.hb[0] < 0.0 // a lane without a box
            || (0..3).any(|i| pair.ta[i].abs() > pair.radius_along_first(i))
            || (0..3).any(|j| pair.tb[j].abs() > pair.radius_along_second(j))
            || (0..9).any(|k| pair.separated_by_edges(k / 3, k % 3))
    };
    (0..LANES).filter(|&lane| !apart(lane)).map(|lane| 1 << lane).sum()
}

/// Squared distances of the single box's centre from those of the block's.
pub fn between_centers(one: &Single, block: &Block) -> [f32; LANES] {
    std::array::from_fn(|lane| {
        let t = std::array::from_fn(|k| block.center[k][lane] - one.center[k]);
        dot(t, t)
    })
}

/// Proven lower bounds of the squared distances between the single box and the block's.
pub fn distances(one: &Single, block: &Block) -> [f32; LANES] {
    std::array::from_fn(|lane| {
        let pair = Pair::of(one, block, lane);
        if pair.hb[0] < 0.0 {
            return f32::INFINITY;
        }
        let slack = (pair.ta[0].abs() + pair.ta[1].abs() + pair.ta[2].abs()) * FAR;
        // Of a NaN and 0, the maximum is 0.
        let squared = |sum: f32, gap: f32| gap.max(0.0).mul_add(gap.max(0.0), sum);
        let from_first = |sum, i: usize| squared(sum, pair.ta[i].abs() - pair.radius_along_first(i) - slack);
        let from_second =
            |sum, j: usize| squared(sum, pair.tb[j].abs() - pair.radius_along_second(j) - slack);
        (0..3).fold(0.0, from_first).max((0..3).fold(0.0, from_second)) * (1.0 - FAR)
    })
}
