//! Proofs that no depth exceeds a length during stretches of time.
//!
//! Move the vertices of one part by at most that length each, and its whole surface moves by no more. If the
//! two parts are then apart, and neither lies in the other, no point was deeper before: on the way from the
//! one surface to the other, each point that was in a solid has been met by the solid's surface, or has met
//! it itself. The moved part is another shape on the same way, so the search over time finds the stretches
//! in which the two are apart, as for any pair. See [`field`](super::field) for the movements that are
//! tried.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::field::{Field, LateMates};
use super::node::Node;
use crate::bvh::moving::Memory;
use crate::query::Containment;
use crate::query::containment::containment;
use crate::query::pair_sweep::{PairSweep, SweepSearch};
use crate::query::stage_work::StageWork;

/// Share of the length by which vertices move at most, so that no rounding of poses and no frame that is not
/// quite a similarity makes it longer.
const SHARE: f64 = 1.0 - 1.0 / (1u64 << 16) as f64;

/// The pair, the stretch and the limit that the proofs are about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'m> {
    /// The depth that is not to be exceeded.
    pub limit: f64,
    /// True if that is the smallest bound that is needed, and no depth is known to be near it.
    pub is_floor: bool,
    /// The time of the deepest pose so far.
    pub at: f64,
    /// The way out of the deepest point there, for one of the parts.
    pub way: Option<(usize, DVec3)>,
    /// The triangles that are pressed against the other part's, once they may be looked for.
    pub mates: Option<&'m LateMates>,
    /// Stretches longer than this, in seconds, are halved to find parts of them that are free.
    pub long: f64,
    pub tolerance: f64,
}

impl Fields<'_> {
    /// Returns the stretches, or parts of them, for which nothing is proven, and whether anything is.
    pub fn left(
        &self,
        sweep: &PairSweep,
        mut nodes: Vec<Node>,
        searched: &mut SweepSearch,
    ) -> (Vec<Node>, bool) {
        let mut has_proven = false;
        for (side, field) in self.tried(sweep) {
            if nodes.is_empty() {
                break;
            }
            let Some(vertices) = self.moved(sweep, (side, field), &mut searched.work) else { continue };
            let left = sweep.with_vertices(side, vertices, self.precision(sweep), |moved| {
                let mut proof = Proof {
                    moved,
                    fields: self,
                    searched: moved.searched(),
                    memory: Memory::default(),
                    left: Vec::new(),
                };
                let mut has_proven = false;
                for &node in &nodes {
                    has_proven |= proof.halve(node, None);
                }
                searched.work += proof.searched.work;
                (proof.left, has_proven)
            });
            if let Some((left, proven)) = left {
                nodes = left;
                has_proven |= proven;
            }
        }
        (nodes, has_proven)
    }

    /// Returns what is tried, on the part with fewer triangles first.
    fn tried(&self, sweep: &PairSweep) -> Vec<(usize, Field)> {
        let [a, b] = sweep.meshes().map(|mesh| mesh.triangles().len());
        let sides = if a <= b { [0, 1] } else { [1, 0] };
        let may_cancel = |side: &usize| {
            sweep.ask_at(self.at, |pair| {
                let body = pair.bodies()[*side];
                !body.has_incomplete_solid() && body.seam_triangles().is_empty()
            })
        };
        if !sides.iter().all(may_cancel) {
            return Vec::new();
        }
        let shifts = self.way.into_iter().flat_map(|(on, way)| {
            sides.map(|side| (side, Field::Shift(if side == on { way } else { -way })))
        });
        match self.mates {
            None => {
                let insets = sides.map(|side| (side, Field::Inset)).into_iter().filter(|_| self.is_floor);
                insets.chain(shifts).collect()
            }
            Some(_) => {
                let of_faces = [Field::Mating, Field::Across];
                shifts.chain(of_faces.into_iter().flat_map(|field| sides.map(|side| (side, field)))).collect()
            }
        }
    }

    /// Returns a precision of the search that distinguishes the moved part from the other.
    fn precision(&self, sweep: &PairSweep) -> f64 {
        let share = if self.is_floor { 0.125 } else { 1.0 / 256.0 };
        (share * self.limit).min(2.0 * sweep.unit())
    }

    /// Returns the moved vertices of a part; `None` if a field moves none of them, or rounding moves one too
    /// far.
    fn moved(
        &self,
        sweep: &PairSweep,
        (side, field): (usize, Field),
        work: &mut StageWork,
    ) -> Option<Vec<DVec3>> {
        let length = SHARE * (self.limit - 4.0 * sweep.rounding());
        if length <= 0.0 {
            return None;
        }
        let mates = self.mates.filter(|_| field.needs_mates()).map(|mates| mates.of(side, sweep, work));
        sweep.ask_at(self.at, |pair| {
            let body = pair.bodies()[side];
            let steps = field.steps(body, length, mates)?;
            let linear = body.pose.linear();
            let back = linear.inverse();
            let moved = (body.mesh.vertices().iter().zip(&steps))
                .map(|(&v, &step)| step_of(v, step, &linear, &back, length));
            moved.collect()
        })
    }
}

/// Returns a vertex moved so that it is posed a step farther, or `None` if that is more than a length.
fn step_of(vertex: DVec3, step: DVec3, linear: &DMat3, back: &DMat3, length: f64) -> Option<DVec3> {
    let moved = vertex + *back * (step * SHARE);
    let gone = (*linear * (moved - vertex)).length();
    (moved.is_finite() && gone <= length).then_some(moved)
}

/// A search for the stretches in which a moved part is free.
struct Proof<'p, 'a> {
    moved: &'p PairSweep<'a>,
    fields: &'p Fields<'p>,
    searched: SweepSearch<'p>,
    /// Triangles that were near at other times.
    memory: Memory,
    left: Vec<Node>,
}

impl Proof<'_, '_> {
    /// Keeps a stretch that is not free, or halves it if it is long. `near` is the first cell in or after it
    /// at which the two are near, if that is known. Returns true if some part of it is free.
    fn halve(&mut self, node: Node, near: Option<u64>) -> bool {
        let Node { span, stretch, .. } = node;
        let cells = self.moved.cells(span);
        // A stretch shorter than a cell is free if the cell is.
        let beyond = stretch.level.saturating_sub(cells.level);
        let mut whole = stretch;
        (whole.level, whole.index) = (whole.level - beyond, whole.index >> beyond);
        let range = cells.range(whole);
        let (is_apart, first) = match near {
            Some(cell) if cell >= range.start => (!range.contains(&cell), near),
            _ if self.is_near_in_the_middle(span, &range) => (false, None),
            _ => {
                let first = self.first_near(span, &range);
                (first.is_none(), first)
            }
        };
        if is_apart && self.is_outside(&node) {
            return true;
        }
        let is_long = cells.half_with_borders(stretch) > 0.5 * self.fields.long;
        if is_apart || !is_long || stretch.level >= cells.level {
            self.left.push(node);
            return false;
        }
        let [early, late] = stretch.halves().map(|stretch| Node { stretch, is_asked: false, ..node });
        let is_early_free = self.halve(early, first);
        // What was known is in the early half, unless it is in the late one.
        let first = first.filter(|&cell| cell >= cells.range(late.stretch).start);
        self.halve(late, first) | is_early_free
    }

    /// Returns the first of some cells at which the two are near.
    fn first_near(&mut self, span: usize, range: &Range<u64>) -> Option<u64> {
        let SweepSearch { scratch, work: StageWork { continuous: work, .. } } = &mut self.searched;
        self.moved.moving(span).first_within(range.clone(), self.moved.unit(), scratch, work)
    }

    /// True if the two are near in the middle one of some cells, which takes no search over time.
    fn is_near_in_the_middle(&mut self, span: usize, range: &Range<u64>) -> bool {
        let cells = self.moved.cells(span);
        let time = cells.middle(cells.cell(range.start + (range.end - range.start) / 2));
        let work = &mut self.searched.work.continuous;
        self.moved.moving(span).is_within_still(time, self.moved.unit(), &mut self.memory, work)
    }

    /// True if neither part lies in the other at the middle of a stretch without contact.
    fn is_outside(&mut self, node: &Node) -> bool {
        let time = self.moved.cells(node.span).middle(node.stretch);
        let (moved, tolerance) = (self.moved, self.fields.tolerance);
        let contained = self.searched.work.containment.ask(|| {
            moved.ask_at(time, |pair| {
                let [a, b] = pair.bodies();
                containment(a, b, tolerance)
            })
        });
        contained == Containment::None
    }
}
