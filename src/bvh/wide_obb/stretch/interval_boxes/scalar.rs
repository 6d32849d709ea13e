//! The reading copy: one box of the block at a time.

use super::{IntervalFrame, Terms};
use crate::bvh::wide_obb::Block;
use crate::bvh::wide_obb::box_box::Single;
use crate::bvh::wide_obb::box_box::scalar::{cross, dot, sum_of_sizes};
use crate::continuous::method::Axes;
use closefit_geometry::lanes::LANES;

/// Two boxes, the second in the axes of the first. Names are as in the module's notes, with primes written
/// `_path`.
struct BoxPair {
    ha: [f32; 3],
    hb: [f32; 3],
    /// `c[j][i]`: axis j of the second along axis i of the first.
    c: [[f32; 3]; 3],
    c_path: [[f32; 3]; 3],
    /// Absolute values of `c`, at most, over the stretch.
    r: [[f32; 3]; 3],
    ta: [f32; 3],
    ta_path: [f32; 3],
    tb: [f32; 3],
    tb_path: [f32; 3],
}

impl BoxPair {
    fn of(one: &Single, block: &Block, lane: usize, over: &IntervalFrame, terms: &Terms) -> Self {
        let t = std::array::from_fn(|k| block.center[k][lane] - one.center[k]);
        let along = |v: [f32; 3]| one.axes.map(|axis| dot(axis, v));
        let [first, second] = block.axes.map(|axis| along(axis.map(|column| column[lane])));
        let c = [first, second, cross(first, second)];
        let c_path = c.map(|column| cross(column, terms.turn));
        let ta = along(t);
        let carried = cross(ta, terms.turn);
        let hb = block.half.map(|column| column[lane]);
        let ta_path: [f32; 3] = std::array::from_fn(|i| carried[i] - terms.shift[i]);
        Self {
            ha: one.half,
            hb,
            c,
            c_path,
            r: std::array::from_fn(|j| {
                std::array::from_fn(|i| c[j][i].abs() + (c_path[j][i].abs() + over.parallel))
            }),
            ta,
            ta_path,
            tb: c.map(|column| dot(ta, column)),
            tb_path: c.map(|column| dot(terms.shift, column)),
        }
    }

    fn separated_along_first(&self, i: usize, terms: &Terms) -> bool {
        let Self { ha, hb, r, .. } = self;
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        self.ta[i].abs() - self.ta_path[i].abs() > radius + terms.own_face
    }

    fn separated_along_second(&self, j: usize, terms: &Terms) -> bool {
        let Self { ha, hb, r, .. } = self;
        let radius = ha[2].mul_add(r[j][2], ha[1].mul_add(r[j][1], ha[0].mul_add(r[j][0], hb[j])));
        self.tb[j].abs() - self.tb_path[j].abs() > radius + terms.face
    }

    /// Returns the terms that all edge axes add.
    fn edge(&self, over: &IntervalFrame, terms: &Terms) -> f32 {
        let half = self.hb[0] + self.hb[1] + self.hb[2];
        let of_size = over.per_size.mul_add(half, terms.edge);
        sum_of_sizes(self.ta_path)
            .mul_add(over.per_path, sum_of_sizes(self.ta).mul_add(over.per_distance, of_size))
    }

    fn separated_by_edges(&self, i: usize, j: usize, edge: f32) -> bool {
        let Self { ha, hb, c, c_path, r, ta, ta_path, .. } = self;
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let distance = ta[i2].mul_add(c[j][i1], -(ta[i1] * c[j][i2])).abs();
        let by_turn = ta[i2].mul_add(c_path[j][i1], -(ta[i1] * c_path[j][i2]));
        let path = ta_path[i2].mul_add(c[j][i1], -ta_path[i1].mul_add(c[j][i2], -by_turn)).abs();
        let from_first = ha[i1].mul_add(r[j][i2], ha[i2].mul_add(r[j][i1], edge));
        distance - path > hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_first))
    }
}

/// Returns the given lanes whose box no tried axis keeps farther than a limit from the single one throughout.
pub fn meeting(
    one: &Single,
    (block, lanes): (&Block, u32),
    (over, limit): (&IntervalFrame, f32),
    tried: Axes,
) -> u32 {
    let terms = Terms::new(one, &block.origin, over, limit);
    let apart = |lane: usize| {
        let pair = BoxPair::of(one, block, lane, over, &terms);
        let edge = pair.edge(over, &terms);
        pair.hb[0] < 0.0 // a lane without a box
            || (0..3).any(|i| pair.separated_along_first(i, &terms))
            || (0..3).any(|j| pair.separated_along_second(j, &terms))
            || (tried == Axes::All && (0..9).any(|k| pair.separated_by_edges(k / 3, k % 3, edge)))
    };
    (0..LANES).filter(|&lane| lanes >> lane & 1 == 1 && !apart(lane)).map(|lane| 1 << lane).sum()
}

/// Returns a mask in which bit i is set where the path is long for both boxes, so that halving the stretch
/// may tell more (the subdivision test; it proves nothing).
pub fn subdivide(one: &Single, block: &Block, over: &IntervalFrame) -> u32 {
    let terms = Terms::new(one, &block.origin, over, 0.0);
    let [path, extent, flat] = terms.own(one, over);
    let halve = |lane: usize| {
        let pair = BoxPair::of(one, block, lane, over, &terms);
        let along = pair.tb_path.map(|x| x.abs() + flat);
        path > over.k.value() * (dot(pair.hb, along) + extent) && pair.hb[0] >= 0.0
    };
    (0..LANES).filter(|&lane| halve(lane)).map(|lane| 1 << lane).sum()
}
