//! Proves, on a compute device, in which stretches of time many pairs stay apart, before any of them is
//! searched.
//!
//! All pairs are asked about together: first about each span as a whole, then about the halves of the
//! stretches in which nothing was proven, and so on. A search on the CPU then skips what is proven. So
//! answers do not depend on it. Parts that are near each other most of the time gain nothing and are given up
//! after a few levels.

use std::ops::Range;

use super::clearance::largest_compared;
use super::pair_sweep::PairSweep;
use crate::bvh::moving::StretchQuestion;
use crate::bvh::trees::StretchesOfAll;
use crate::continuous::known_apart::KnownApart;
use crate::continuous::method::Boxes;
use crate::narrow::Work;
use closefit_geometry::motion::cells::Stretch;
use closefit_geometry::parallel;

/// Number of questions asked at once.
const TOGETHER: usize = 1 << 14;

/// Level of the stretches from which on a span is given up if less than a quarter of its stretches were
/// proven. Around a single time at which parts are near, half of each level's are.
const TRIED: u32 = 3;

/// Level of the shortest stretches asked about.
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

/// A stretch of a pair's span.
#[derive(Clone, Copy)]
struct Open {
    pair: usize,
    span: usize,
    seen_from: usize,
    stretch: Stretch,
    /// Index of the stretch of which this is a half, if it was among those asked about last.
    parent: Option<u32>,
}

/// Returns, for each pair, what a test of boxes tells of each of its spans, and the work done. No search for
/// contact or for the pair's clearance has a larger limit than those that are proven.
pub fn known_apart(
    device: &mut dyn StretchesOfAll,
    pairs: &[AskedPair],
    boxes: Boxes,
) -> (Vec<Vec<KnownApart>>, Work) {
    let limit = |pair: usize| {
        let AskedPair { sweep, clearance, .. } = &pairs[pair];
        sweep.near().max(largest_compared(*clearance, sweep.unit()))
    };
    let mut free: Vec<Vec<Vec<Range<u64>>>> =
        pairs.iter().map(|pair| vec![Vec::new(); pair.sweep.spans()]).collect();
    let whole = |pair: usize| {
        let sweep = &pairs[pair].sweep;
        (0..sweep.spans()).map(move |span| Open {
            pair,
            span,
            seen_from: sweep.seen_from(span),
            stretch: Stretch::WHOLE,
            parent: None,
        })
    };
    let mut waiting = together((0..pairs.len()).flat_map(whole).collect());
    let mut work = Work::default();
    while let Some(open) = waiting.pop() {
        let questions = parallel::map_items(&open, parallel::SMALL, |one| {
            question(&pairs[one.pair], one, limit(one.pair))
        });
        let Some((proven, done)) = device.stay_beyond(boxes, &questions) else { break };
        work += done;
        let numbered = (0..).zip(open).map(|(number, one)| Open { parent: Some(number), ..one });
        let answered: Vec<(Open, bool)> = numbered.zip(proven).collect();
        let mut halves = Vec::new();
        for of_span in answered.chunk_by(|(a, _), (b, _)| (a.pair, a.span) == (b.pair, b.span)) {
            let (Open { pair, span, stretch, .. }, _) = of_span[0];
            let cells = pairs[pair].sweep.cells(span);
            let proven = of_span.iter().filter(|(_, is_proven)| *is_proven);
            free[pair][span].extend(proven.clone().map(|(one, _)| cells.range(one.stretch)));
            let is_worth_it = stretch.level < TRIED || 4 * proven.count() >= of_span.len();
            if stretch.level < cells.level.min(FINEST) && is_worth_it {
                let left = of_span.iter().filter(|(_, is_proven)| !is_proven);
                let both = |one: Open| one.stretch.halves().map(|stretch| Open { stretch, ..one });
                halves.extend(left.flat_map(|(one, _)| both(*one)));
            }
        }
        waiting.extend(together(halves));
    }
    let known = |(pair, spans): (usize, Vec<Vec<Range<u64>>>)| {
        spans.into_iter().map(|ranges| KnownApart::beyond(limit(pair), ranges)).collect()
    };
    (free.into_iter().enumerate().map(known).collect(), work)
}

/// Cuts a list into parts that are asked about at once. The last part is next; others have no parents among
/// the last questions.
fn together(open: Vec<Open>) -> Vec<Vec<Open>> {
    let mut parts: Vec<Vec<Open>> = open.chunks(TOGETHER).map(<[Open]>::to_vec).collect();
    parts.iter_mut().rev().skip(1).flatten().for_each(|one| one.parent = None);
    parts
}

fn question(pair: &AskedPair, one: &Open, limit: f64) -> StretchQuestion<usize> {
    let &Open { span, seen_from, stretch, parent, .. } = one;
    let moment = pair.sweep.moment(span, stretch);
    let [first, second] = pair.models;
    match seen_from {
        0 => StretchQuestion { trees: [first, second], moment, limit, parent },
        _ => StretchQuestion { trees: [second, first], moment: moment.flipped(), limit, parent },
    }
}
