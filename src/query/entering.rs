//! Containment by open shells over a motion: a part may move into an open part through its hole, without a
//! contact, and out again.
//!
//! Each span of the motion is halved, long stretches first. A stretch is passed when the boxes of no open
//! component and the other part can overlap by more than the tolerance in it, or where the shells are
//! [proven](super::open_margin) to hold nothing throughout. In any other stretch, containment is decided at
//! the middle, where it may be undecidable. Otherwise the stretch is halved, until no point moves by more
//! than half the precision in it: what is not proven even then counts as undecidable. So no moment is missed
//! at which containment is undecidable, and moments are found that come so near to it.

use std::collections::VecDeque;

use super::Containment;
use super::containment::{containment, may_enclose};
use super::leeway::{Leeway, Reach, Relative};
use super::open_margin::{boxes_may_overlap, unproven};
use super::pair_sweep::PairSweep;
use closefit_geometry::motion::cells::{Cells, FINEST, Stretch};
use closefit_geometry::motion::span::PairSpan;

/// Largest number of poses at which containment is decided in a span of a motion, or of configurations in a
/// box of joint values. Then it counts as undecidable.
pub const MOST_POSES: u32 = 1 << 8;

/// Returns the first containment found in a stretch of time in which the parts are not in contact:
/// undecidable, unless closed components hold a part. [`Containment::None`] if no open shell might hold
/// anything at any time of the stretch.
pub fn entered(sweep: &PairSweep, within: [f64; 2], tolerance: f64) -> Containment {
    if !sweep.has_incomplete_solid() {
        return Containment::None;
    }
    let alone = [0, 1].map(|side| sweep.alone(side));
    for span in 0..sweep.spans() {
        let cells = sweep.cells(span);
        let in_world = alone.each_ref().map(|part| part.span(cells.from, cells.to));
        let found = SpanSearch { sweep, span, cells, in_world: &in_world, tolerance }.first(within);
        if found != Containment::None {
            return found;
        }
    }
    Containment::None
}

/// The search in one span.
struct SpanSearch<'a> {
    sweep: &'a PairSweep<'a>,
    span: usize,
    cells: &'a Cells,
    /// The two parts' own motion in the span, as seen from the world.
    in_world: &'a [PairSpan<'a>; 2],
    tolerance: f64,
}

impl SpanSearch<'_> {
    /// Returns the first containment found in the part of the span that is within a stretch of time.
    fn first(&self, [from, to]: [f64; 2]) -> Containment {
        let mut waiting = VecDeque::from([Stretch::WHOLE]);
        let mut asked = 0;
        while let Some(stretch) = waiting.pop_front() {
            let [start, end] = self.ends(stretch);
            if end <= from || to <= start {
                continue;
            }
            let is_within = from <= start && end <= to;
            if is_within || stretch.level == FINEST {
                let leeway = self.leeway(stretch);
                if !self.may_overlap(stretch, &leeway) {
                    continue;
                }
                asked += 1;
                let is_last = stretch.level == FINEST || asked == MOST_POSES;
                match self.throughout(stretch, &leeway, is_last) {
                    Some(Containment::None) => continue,
                    Some(found) => return found,
                    None => {}
                }
            }
            waiting.extend(stretch.halves());
        }
        Containment::None
    }

    /// Returns the start and the end of a stretch.
    fn ends(&self, stretch: Stretch) -> [f64; 2] {
        let next = Stretch { index: stretch.index + 1, ..stretch };
        let is_last = next.index == 1 << next.level;
        [self.cells.start(stretch), if is_last { self.cells.to } else { self.cells.start(next) }]
    }

    /// Returns how far the points of the parts may be from their places at the middle of a stretch.
    fn leeway(&self, stretch: Stretch) -> Leeway {
        let (time, half) = (self.cells.middle(stretch), self.cells.half_with_borders(stretch));
        let moment = self.sweep.moment_around(self.span, time, half);
        Leeway {
            in_world: Some(self.in_world.each_ref().map(|part| Reach::of(&part.moment(time, half), 1))),
            relative: [0, 1].map(|side| Relative::Framed(Reach::of(&moment, side))),
        }
    }

    /// True if the boxes of an open component and of the other part might overlap during a stretch.
    fn may_overlap(&self, stretch: Stretch, leeway: &Leeway) -> bool {
        self.sweep.ask_unbounded_at(self.cells.middle(stretch), |pair| {
            boxes_may_overlap(pair.bodies(), self.tolerance, leeway)
        })
    }

    /// Returns the containment during a stretch; `None` if its halves have to decide, but never for the
    /// last stretch.
    fn throughout(&self, stretch: Stretch, leeway: &Leeway, is_last: bool) -> Option<Containment> {
        self.sweep.ask_at(self.cells.middle(stretch), |pair| {
            let [a, b] = pair.bodies();
            let Some((outer, component)) = unproven([a, b], self.tolerance, leeway) else {
                return Some(Containment::None);
            };
            let found = containment(a, b, self.tolerance);
            if found != Containment::None {
                return Some(found);
            }
            let is_short = || leeway.most([a.bounds(), b.bounds()]) <= self.sweep.unit();
            (is_last || is_short()).then(|| may_enclose([a, b], outer, component))
        })
    }
}
