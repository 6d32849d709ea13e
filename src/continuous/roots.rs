//! The elementary tests of two moving leaves, each solved for its first root (Redon et al. 2002, sections 4.2
//! and 4.3).
//!
//! *In*: the triangles of two leaves, and a cell at whose middle they are farther apart than a limit. *Out*:
//! the first later cell not proven to be so as well. The cell within the limit may be later still, so a
//! distance has to decide.
//!
//! Equations 9 and 10, and the check that the contact lies on both features, are the two proofs of each test
//! in [`feature_times`]. No test searches beyond the first root of those before it, the *current collision
//! time*. The stretches of a root leave no time between them, unlike the stretches of the search through
//! time, which cover the middles of cells only: triangles that are apart at first cannot come to pierce
//! each other unseen.

use std::ops::Range;

use glam::DVec3;

use super::feature_times;
use super::kernels::MovingKernels;
use super::root::{finest, first_root};
use crate::narrow::Work;
use crate::narrow::posed_leaf::Side;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::{Executor, execute};
use closefit_geometry::math::Triangle;
use closefit_geometry::motion::cells::{Cells, Stretch};
use closefit_geometry::motion::moment::Moment;
use closefit_geometry::motion::span::PairSpan;

/// One or two triangles of a part, in its own coordinates.
#[derive(Clone, Copy, Debug)]
pub struct UnposedLeaf<'a> {
    /// The part's vertices.
    pub vertices: &'a [DVec3],
    /// The triangles.
    pub triangles: &'a [[u32; 3]],
}

impl UnposedLeaf<'_> {
    /// Returns a triangle as a moment poses its part.
    fn posed(&self, triangle: usize, moment: &Moment, side: usize) -> Triangle {
        self.triangles[triangle].map(|v| moment.poses[side].apply(self.vertices[v as usize]))
    }
}

/// Pairs of triangles of two leaves.
#[derive(Clone, Copy, Debug)]
pub struct UnposedLeaves<'a> {
    /// The leaves, in the order of the search.
    pub leaves: [UnposedLeaf<'a>; 2],
    /// The pairs: bit `2 i + j` for triangle i of the first leaf and triangle j of the second.
    pub lanes: u32,
    /// The executor of the tests.
    pub executor: Executor,
}

impl UnposedLeaves<'_> {
    /// True only if all pairs are farther apart than a limit along one of some axes, at all times at which
    /// each coordinate along it lies between those at two moments.
    pub fn are_apart_between(&self, moments: &[Moment; 2], axes: [bool; 3], limit: f64) -> bool {
        let [a, b] = [0, 1].map(|side| {
            let leaf = &self.leaves[side];
            let around = |triangle: usize| {
                let [first, last] = moments.each_ref().map(|at| Aabb::of(leaf.posed(triangle, at, side)));
                first.union(last)
            };
            let (first, last) = (around(0), around(leaf.triangles.len() - 1));
            [first, last]
        });
        (0..4).filter(|lane| self.lanes >> lane & 1 == 1).all(|lane| {
            let (a, b) = (&a[lane / 2], &b[lane % 2]);
            let gaps = (a.lo - b.hi).max(b.lo - a.hi);
            (0..3).any(|axis| axes[axis] && gaps[axis] > limit)
        })
    }

    /// True only if one elementary test proves all pairs to be beyond a limit throughout a moment.
    fn are_beyond(&self, test: usize, moment: &Moment, limit: f64) -> bool {
        execute!(self.executor, kernels => self.are_beyond_by(kernels, test, moment, limit))
    }

    #[inline(always)]
    fn are_beyond_by(&self, kernels: impl MovingKernels, test: usize, moment: &Moment, limit: f64) -> bool {
        let [a, b] = &self.leaves;
        let [columns_a, columns_b] = moment.poses.each_ref().map(|pose| kernels.columns(pose));
        let mut posed_a = kernels.leaf(&columns_a, a.vertices, a.triangles, Side::A);
        let posed_b = kernels.leaf(&columns_b, b.vertices, b.triangles, Side::B);
        kernels.keep(&mut posed_a, self.lanes);
        self.lanes & !kernels.feature_stays_beyond(&posed_a, &posed_b, test, moment, limit) == 0
    }

    /// Returns the level of equation 11 for one elementary test: no vertex that moves in it, in any of the
    /// pairs, goes farther in such a stretch than any point of the parts may go in a cell.
    fn finest(&self, test: usize, cells: &Cells, moment: &Moment) -> u32 {
        let precision = moment.speed * cells.width();
        let (side, corners) = feature_times::moving_corners(test);
        let leaf = &self.leaves[side];
        let triangles = (0..leaf.triangles.len()).map(|triangle| leaf.posed(triangle, moment, side));
        let levels = triangles.map(|corner| {
            let vertices = corners.each_ref().map(|&k| corner[k]);
            finest(cells, moment, side, &vertices, precision)
        });
        levels.max().unwrap_or(cells.level)
    }
}

/// The motion of two parts as the tests see it.
pub struct Roots<'a> {
    motion: &'a PairSpan<'a>,
    cells: &'a Cells,
    /// The part that the first leaves belong to.
    seen_from: usize,
    /// The moments of the last two halves at each level. The tests of a pair ask for the same stretches in
    /// turn, and a pose takes longer than a test.
    moments: Vec<[Option<(u64, Moment)>; 2]>,
}

impl<'a> Roots<'a> {
    /// Prepares tests of leaves. The first of each pair belongs to the part `seen_from`.
    pub fn new((motion, cells): (&'a PairSpan<'a>, &'a Cells), seen_from: usize) -> Self {
        Self { motion, cells, seen_from, moments: Vec::new() }
    }

    /// Returns the motion over a stretch, borders included.
    fn moment(&mut self, stretch: Stretch) -> Moment {
        let Stretch { level, index } = stretch;
        if self.moments.is_empty() {
            self.moments.resize(self.cells.level as usize + 1, [None; 2]);
        }
        let kept = &mut self.moments[level as usize][(index % 2) as usize];
        match kept {
            Some((of, moment)) if *of == index => *moment,
            _ => {
                let (middle, half) = (self.cells.middle(stretch), self.cells.half_with_borders(stretch));
                let moment = self.motion.moment(middle, half);
                let moment = if self.seen_from == 0 { moment } else { moment.flipped() };
                *kept = Some((index, moment));
                moment
            }
        }
    }

    /// Returns the first cell of a stretch after the first of a range, and within that range, that is not
    /// proven beyond the limit. In the middle of the range's first cell all pairs must be beyond it. Roots
    /// are as precise as equation 11 asks, or as the cells are if `sharp`.
    pub fn first_after(
        &mut self,
        leaves: &UnposedLeaves,
        (within, range): (Stretch, Range<u64>),
        limit: f64,
        sharp: bool,
        work: &mut Work,
    ) -> Option<u64> {
        let moment = self.moment(within);
        let (cells, mut end) = (self.cells, range.end);
        for test in 0..feature_times::TESTS {
            let finest = if sharp { cells.level } else { leaves.finest(test, cells, &moment) };
            let mut excluded = |stretch| {
                let of = cells.range(stretch);
                of.end <= range.start || of.start >= end || {
                    work.triangle_tests += u64::from(leaves.lanes.count_ones());
                    leaves.are_beyond(test, &self.moment(stretch), limit)
                }
            };
            if let Some(root) = first_root(within, finest, &mut excluded) {
                end = end.min(cells.range(root).start.max(range.start + 1));
            }
        }
        (end < range.end).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::exact::distance::distance;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::Stream;
    use closefit_geometry::motion::frames::Frames;
    use closefit_geometry::motion::joint::{Between, Joint, Keyframe, Motion};
    use closefit_geometry::motion::pair::{PairMotion, PlacedPart};

    fn soup(stream: &mut Stream, size: f64) -> ([DVec3; 6], [[u32; 3]; 2]) {
        let middle = stream.point() * 0.1;
        ([0; 6].map(|_| middle + stream.point() * size), [[0, 1, 2], [3, 4, 5]])
    }

    /// Cells are so coarse that triangles pass through each other within one, and no cell before a root may
    /// be near.
    #[test]
    fn no_cell_before_a_root_is_within_the_limit() {
        let mut stream = Stream(17);
        let (mut roots, mut found, mut none, mut late) = (0, 0, 0, 0);
        for _ in 0..3_000 {
            let sizes = [0, 1].map(|_| stream.pick(&[1.0, 0.3]));
            let soups = sizes.map(|size| soup(&mut stream, size));
            let [end, turn] = [0, 1].map(|_| stream.point() * stream.pick(&[0.0, 0.3, 1.5]));
            let keys = [0.0, 1.0].map(|time| Keyframe {
                time,
                rotation: [turn.x * time, turn.y * time, turn.z * time, 1.0],
                translation: stream.point() * 0.3 + end * (2.0 * time - 1.0),
            });
            let mut frames = Frames::default();
            let motion = Motion::through(&keys, Between::Screw, [1.0; 3]).expect("two keys");
            let frame = frames.add(None, Joint::Moving(motion));
            let placed = [None, Some(frame)];
            let placed = [0, 1].map(|k| PlacedPart::of(Pose::IDENTITY, placed[k], &soups[k].0));
            let pair = PairMotion::new(&frames, placed);
            let span = pair.span(0.0, 1.0);
            let cells = span.cells(span.speed() * stream.pick(&[0.5, 0.1, 0.01]) + 1e-9).expect("coarse");
            let limit = stream.pick(&[0.0, 0.05]);
            let lanes = stream.pick(&[0b0001, 0b0110, 0b1111]);
            let near = |cell: u64| {
                let poses = pair.poses(cells.middle(cells.cell(cell)));
                let posed = |side: usize, t: usize| {
                    let (vertices, triangles) = &soups[side];
                    triangles[t].map(|v| poses[side].apply(vertices[v as usize]))
                };
                (0..4usize)
                    .filter(|lane| lanes >> lane & 1 == 1)
                    .any(|lane| distance(&posed(0, lane / 2), &posed(1, lane % 2)) <= limit)
            };
            let from = stream.below(cells.count());
            if near(from) {
                continue;
            }
            let expected = (from..cells.count()).find(|&cell| near(cell));
            for executor in Executor::ALL {
                let leaves =
                    soups.each_ref().map(|(vertices, triangles)| UnposedLeaf { vertices, triangles });
                for (seen_from, sharp) in [(0, true), (0, false), (1, true)] {
                    let order = [seen_from, 1 - seen_from];
                    let swapped = lanes & 0b1001 | (lanes & 0b0010) << 1 | (lanes & 0b0100) >> 1;
                    let leaves = UnposedLeaves {
                        leaves: order.map(|side| leaves[side]),
                        lanes: if seen_from == 0 { lanes } else { swapped },
                        executor,
                    };
                    let mut of_pair = Roots::new((&span, &cells), seen_from);
                    let within = (Stretch::WHOLE, from..cells.count());
                    let root = of_pair.first_after(&leaves, within, limit, sharp, &mut Work::default());
                    match (root, expected) {
                        (None, None) => none += 1,
                        (None, Some(_)) => panic!("a root is lost"),
                        (Some(root), first) => {
                            assert!(root > from && first.is_none_or(|first| root <= first));
                            roots += 1;
                            found += u32::from(first.is_some());
                            late += u32::from(first == Some(root));
                        }
                    }
                }
            }
        }
        assert!(none > 3_000 && found > 1_500 && late * 2 > found, "{roots} {found} {late} {none}");
    }
}
