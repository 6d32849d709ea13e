//! Proves, on a compute device, in which stretches of time many pairs stay apart, before any of them is searched.
//!
//! All pairs are asked about together: first about each span as a whole, then about the halves of the stretches in which
//! nothing was proven, and so on. A search on the CPU then skips what is proven. So answers do not depend on it.
//! Parts that are near each other most of the time gain nothing and are given up after a few levels.

use std::ops::Range;

use rayon::prelude::*;

use super::clearance::largest_compared;
use super::passage::Passage;
use crate::continuous::known_apart::KnownApart;
use crate::continuous::method::Boxes;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::moving::StretchQuestion;
use crate::motion::cells::Stretch;
use crate::narrow::Work;

/// Number of questions asked at once.
const TOGETHER: usize = 1 << 14;

/// Level of the stretches from which on a span is given up if less than a quarter of its stretches were proven. Around a
/// single time at which parts are near, half of each level's are.
const TRIED: u32 = 3;

/// Level of the shortest stretches asked about.
const FINEST: u32 = 10;

/// A pair on its way, with its trees, which outlive it.
pub struct Watched<'p, 'a, T> {
    /// The pair.
    pub passage: Passage<'p, T>,
    /// The trees of its parts.
    pub trees: [&'a T; 2],
}

/// A stretch of a pair's span.
#[derive(Clone, Copy)]
struct Open {
    pair: usize,
    span: usize,
    seen_from: usize,
    stretch: Stretch,
}

/// Returns, for each pair, what a test of boxes tells of each of its spans, and the work done. No search for contact or for a
/// clearance up to `clearance` has a larger limit than those that are proven.
pub fn known_apart<'a, T: Hierarchy>(
    residence: &mut T::Residence<'a>,
    pairs: &[Watched<'_, 'a, T>],
    boxes: Boxes,
    clearance: f64,
) -> (Vec<Vec<KnownApart>>, Work) {
    let limit = |pair: usize| {
        let passage = &pairs[pair].passage;
        passage.near().max(largest_compared(clearance, passage.unit()))
    };
    let mut free: Vec<Vec<Vec<Range<u64>>>> =
        pairs.iter().map(|pair| vec![Vec::new(); pair.passage.spans()]).collect();
    let whole = |pair: usize| {
        let passage = &pairs[pair].passage;
        (0..passage.spans()).map(move |span| Open {
            pair,
            span,
            seen_from: passage.seen_from(span),
            stretch: Stretch::WHOLE,
        })
    };
    let mut open: Vec<Open> = (0..pairs.len()).flat_map(whole).collect();
    let mut work = Work::default();
    while !open.is_empty() {
        let ask = |one: &Open| question(&pairs[one.pair], one, limit(one.pair));
        let Some(proven) = asked::<T>((residence, boxes), &open, ask, &mut work) else { break };
        let answered: Vec<(Open, bool)> = open.iter().copied().zip(proven).collect();
        open.clear();
        for of_span in answered.chunk_by(|(a, _), (b, _)| (a.pair, a.span) == (b.pair, b.span)) {
            let (Open { pair, span, stretch, .. }, _) = of_span[0];
            let cells = pairs[pair].passage.cells(span);
            let proven = of_span.iter().filter(|(_, is_proven)| *is_proven);
            free[pair][span].extend(proven.clone().map(|(one, _)| cells.range(one.stretch)));
            let is_worth_it = stretch.level < TRIED || 4 * proven.count() >= of_span.len();
            if stretch.level < cells.level.min(FINEST) && is_worth_it {
                let left = of_span.iter().filter(|(_, is_proven)| !is_proven);
                let halves = |one: Open| one.stretch.halves().map(|stretch| Open { stretch, ..one });
                open.extend(left.flat_map(|(one, _)| halves(*one)));
            }
        }
    }
    let known = |(pair, spans): (usize, Vec<Vec<Range<u64>>>)| {
        spans.into_iter().map(|ranges| KnownApart::beyond(limit(pair), ranges)).collect()
    };
    (free.into_iter().enumerate().map(known).collect(), work)
}

/// Returns, for each stretch, whether the parts are proven to stay apart; `None` if the device fails.
fn asked<'a, T: Hierarchy>(
    (residence, boxes): (&mut T::Residence<'a>, Boxes),
    open: &[Open],
    ask: impl Fn(&Open) -> StretchQuestion<'a, T> + Sync,
    work: &mut Work,
) -> Option<Vec<bool>> {
    let mut proven = Vec::with_capacity(open.len());
    for together in open.chunks(TOGETHER) {
        let questions: Vec<_> = together.par_iter().map(&ask).collect();
        let (found, done) = T::stay_beyond_of_all(residence, boxes, &questions)?;
        *work += done;
        proven.extend(found);
    }
    Some(proven)
}

fn question<'a, T: Hierarchy>(pair: &Watched<'_, 'a, T>, one: &Open, limit: f64) -> StretchQuestion<'a, T> {
    let &Open { span, seen_from, stretch, .. } = one;
    let moment = pair.passage.moment(span, stretch);
    let [first, second] = pair.trees;
    match seen_from {
        0 => StretchQuestion { trees: [first, second], moment, limit },
        _ => StretchQuestion { trees: [second, first], moment: moment.flipped(), limit },
    }
}
