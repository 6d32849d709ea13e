//! Proves, on a compute device, in which stretches of time many pairs stay apart, before any of them is
//! searched.
//!
//! The device gets all pairs together: first each span, then the earliest parts of it for which nothing was
//! proven, and so on, in finer and finer parts. The device halves each stretch [`LEVELS`] times by itself,
//! with the poses in its middle: a turn bends paths by the square of the time, so shorter stretches need
//! poses of their own. A span is done at the first of the shortest parts for which nothing is proven: there
//! the pair may touch, and a search on the CPU continues. That search skips what is proven, so answers do
//! not depend on the device. A pair that is near most of the time gains nothing and is given up.

use std::ops::Range;

use super::clearance::largest_compared;
use super::pair_sweep::PairSweep;
use crate::bvh::moving::{LEVELS, StretchQuestion};
use crate::bvh::trees::StretchesOfAll;
use crate::continuous::known_apart::KnownApart;
use crate::continuous::method::Boxes;
use crate::narrow::Work;
use closefit_geometry::motion::cells::{Cells, Stretch};
use closefit_geometry::parallel;

/// Number of questions in one call of the device.
const TOGETHER: usize = 1 << 14;

/// Number of open stretches of a span in one call: the earliest, as many as the device makes of one.
/// With fewer, there are more calls; with more, time is searched that comes after a contact.
const EARLIEST: usize = 1 << LEVELS;

/// Level of the stretches from which on a span is given up if less than a quarter of their parts were
/// proven. Around a single time at which a pair is near, at least half are: one part of a stretch that
/// holds that time is not, or one of each of two stretches if the time lies between them.
const TRIED: u32 = 3;

/// Level of the shortest parts to search.
const FINEST: u32 = 10;

/// A pair on its way, with the places of its models.
pub struct AskedPair<'p> {
    /// The pair.
    pub sweep: PairSweep<'p>,
    /// The models of its parts.
    pub models: [usize; 2],
    /// The clearance.
    pub clearance: f64,
}

/// A span of a pair, and what nothing is proven of.
struct Asked {
    pair: usize,
    span: usize,
    seen_from: usize,
    /// Level of the shortest parts.
    finest: u32,
    /// Open stretches in order, the earliest last.
    open: Vec<Stretch>,
    /// The cells of what is proven.
    proven: Vec<Range<u64>>,
}

/// Returns, for each pair, what a test of boxes proves for each of its spans, and the work done. No search
/// for contact or for the pair's clearance has a larger limit than the proven ones.
pub fn known_apart(
    device: &mut dyn StretchesOfAll,
    pairs: &[AskedPair],
    boxes: Boxes,
) -> (Vec<Vec<KnownApart>>, Work) {
    let limit = |pair: usize| {
        let AskedPair { sweep, clearance, .. } = &pairs[pair];
        sweep.near().max(largest_compared(*clearance, sweep.unit()))
    };
    let span = |pair: usize, span: usize| {
        let sweep = &pairs[pair].sweep;
        Asked {
            pair,
            span,
            seen_from: sweep.seen_from(span),
            finest: sweep.cells(span).level.min(FINEST),
            open: vec![Stretch::WHOLE],
            proven: Vec::new(),
        }
    };
    let spans = |pair: usize| (0..pairs[pair].sweep.spans()).map(move |number| span(pair, number));
    let mut all: Vec<Asked> = (0..pairs.len()).flat_map(spans).collect();
    let mut work = Work::default();
    loop {
        let asked: Vec<(usize, Stretch)> = (0..all.len())
            .flat_map(|number| all[number].open.iter().rev().take(EARLIEST).map(move |&one| (number, one)))
            .collect();
        let mut answers = Vec::with_capacity(asked.len());
        for some in asked.chunks(TOGETHER) {
            let questions = parallel::map_items(some, parallel::SMALL, |&(number, stretch)| {
                let of = &all[number];
                question(&pairs[of.pair], of, stretch, limit(of.pair))
            });
            let Some((found, done)) = device.open_parts(boxes, &questions) else { break };
            work += done;
            answers.extend(found);
        }
        if answers.is_empty() {
            break;
        }
        let answered: Vec<((usize, Stretch), u32)> = asked.into_iter().zip(answers).collect();
        for of_span in answered.chunk_by(|((a, _), _), ((b, _), _)| a == b) {
            let one = &mut all[of_span[0].0.0];
            one.take_up(
                pairs[one.pair].sweep.cells(one.span),
                of_span.iter().map(|&((_, stretch), bits)| (stretch, bits)),
            );
        }
    }
    let mut known: Vec<Vec<KnownApart>> =
        pairs.iter().map(|pair| Vec::with_capacity(pair.sweep.spans())).collect();
    for one in all {
        known[one.pair].push(KnownApart::beyond(limit(one.pair), one.proven));
    }
    (known, work)
}

impl Asked {
    /// Returns how often the device halves a stretch.
    fn levels(&self, stretch: Stretch) -> u32 {
        LEVELS.min(self.finest - stretch.level)
    }

    /// Takes up the answers about the earliest open stretches, in order.
    fn take_up(&mut self, cells: &Cells, answers: impl ExactSizeIterator<Item = (Stretch, u32)>) {
        self.open.truncate(self.open.len() - answers.len());
        let (mut left, mut tried, mut proven) = (Vec::new(), 0, 0);
        for (stretch, bits) in answers {
            let levels = self.levels(stretch);
            let all = 1 << levels;
            for i in 0..all {
                let part = part(stretch, levels, i);
                if bits >> i & 1 == 0 { self.proven.push(cells.range(part)) } else { left.push(part) }
            }
            if stretch.level >= TRIED {
                tried += all;
                proven += all - u64::from(bits.count_ones());
            }
        }
        if 4 * proven < tried {
            self.open.clear();
            return;
        }
        // Nothing after a shortest part without a proof is searched.
        if let Some(end) = left.iter().position(|part| part.level == self.finest) {
            self.open.clear();
            left.truncate(end);
        }
        self.open.extend(left.into_iter().rev());
    }
}

/// Returns a part of a stretch that is halved so many times.
///
/// The device cuts the time from the middle of the first cell of the stretch to the middle of its last cell
/// into equal parts. A part has the middles of its cells. Let a cell be 1 wide, and the stretch have n
/// cells. The part has the cells from a to b - 1. After the middle of the first cell, their middles come
/// from a to b - 1, and the device's part goes from a (n - 1) / n to b (n - 1) / n. Since b is at most n,
/// this is b - b / n and at least b - 1.
fn part(stretch: Stretch, levels: u32, i: u64) -> Stretch {
    Stretch { level: stretch.level + levels, index: (stretch.index << levels) + i }
}

fn question(pair: &AskedPair, one: &Asked, stretch: Stretch, limit: f64) -> StretchQuestion<usize> {
    let moment = pair.sweep.moment(one.span, stretch);
    let ([first, second], levels) = (pair.models, one.levels(stretch));
    match one.seen_from {
        0 => StretchQuestion { trees: [first, second], moment, limit, levels },
        _ => StretchQuestion { trees: [second, first], moment: moment.flipped(), limit, levels },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks a device that knows the cells in which a pair is near, until nothing is left to ask. Returns the
    /// cells that are proven free, and the number of calls.
    fn asked(cells: &Cells, near: &[u64]) -> (KnownApart, u32) {
        let finest = cells.level.min(FINEST);
        let mut one =
            Asked { pair: 0, span: 0, seen_from: 0, finest, open: vec![Stretch::WHOLE], proven: vec![] };
        for calls in 0.. {
            let earliest: Vec<Stretch> = one.open.iter().rev().take(EARLIEST).copied().collect();
            if earliest.is_empty() {
                return (KnownApart::beyond(0.0, one.proven), calls);
            }
            assert!(earliest.windows(2).all(|two| cells.range(two[0]).end <= cells.range(two[1]).start));
            let answers: Vec<(Stretch, u32)> = (earliest.into_iter())
                .map(|stretch| {
                    let levels = one.levels(stretch);
                    let is_near =
                        |i: u64| near.iter().any(|c| cells.range(part(stretch, levels, i)).contains(c));
                    (stretch, (0..1 << levels).filter(|&i| is_near(i)).map(|i| 1 << i).sum())
                })
                .collect();
            one.take_up(cells, answers.into_iter());
        }
        unreachable!("a span is done after a few calls")
    }

    #[test]
    fn what_comes_before_the_first_contact_is_proven() {
        for level in 0..13 {
            let cells = Cells { from: 0.0, to: 1.0, level };
            let width = 1 << level.saturating_sub(FINEST);
            for first in [0, 1, 5, 700, 4095].into_iter().filter(|&cell| cell < cells.count()) {
                for near in [vec![first], vec![first, cells.count() - 1]] {
                    let (known, calls) = asked(&cells, &near);
                    assert!(calls <= 4, "{level} {near:?}");
                    let free = |cell: u64| known.covers(&(cell..cell + 1), 0.0);
                    assert!(near.iter().all(|&cell| !free(cell)));
                    assert!((0..first / width * width).all(free), "{level} {near:?}");
                }
            }
            assert!((0..cells.count()).all(|cell| asked(&cells, &[]).0.covers(&(cell..cell + 1), 0.0)));
        }
    }

    #[test]
    fn a_pair_that_is_near_all_the_time_is_given_up() {
        let cells = Cells { from: 0.0, to: 1.0, level: 10 };
        let all: Vec<u64> = (0..cells.count()).collect();
        assert_eq!(asked(&cells, &all), (KnownApart::default(), 2));
    }

    /// The part of a stretch's time that a device takes for a part of its cells has the middles of all of
    /// them.
    #[test]
    fn parts_have_their_cells() {
        let cells = Cells { from: 3.0, to: 4.0, level: 8 };
        for level in 0..6 {
            let stretch = Stretch { level, index: 1 << level >> 1 };
            let (middle, half) = (cells.middle(stretch), cells.half_width(stretch));
            for levels in 0..=LEVELS.min(cells.level - level) {
                for i in 0..1u64 << levels {
                    let at = |i: u64| middle + half * (2.0 * i as f64 / f64::from(1 << levels) - 1.0);
                    let ends = at(i)..=at(i + 1);
                    let of_part = cells.range(part(stretch, levels, i));
                    assert!(
                        of_part.map(|cell| cells.middle(cells.cell(cell))).all(|time| ends.contains(&time))
                    );
                }
            }
        }
    }
}
