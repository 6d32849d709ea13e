//! The line that says the worst first.

use unicode_width::UnicodeWidthStr;

use super::names::alone;
use super::pairs::Printed;
use crate::document::Report;
use closefit::Verdict;

/// The columns of a headline that names leave to the rest.
const REST: usize = 36;
/// The least width of a name, and the largest.
const NARROWEST: usize = 16;
const WIDEST: usize = 100;

/// Returns one line with the number of findings of the worst verdict and the worst of them, such as `11
/// clashes. Worst: Panelboard 575479 in Wall 138237, 146.1 mm`; nothing if parts touch at most. Pairs that
/// a waiver accepts do not count. Names are shortened to fit a line of `width` columns.
pub fn headline<P: Printed>(report: &Report<P::Settings, P>, width: usize) -> Option<String> {
    let open = || report.pairs.iter().filter(|pair| !pair.is_accepted());
    let verdict = open().map(P::verdict).min().filter(|verdict| *verdict != Verdict::Contact)?;
    let all: Vec<&P> = open().filter(|pair| pair.verdict() == verdict).collect();
    let worst = all.iter().copied().min_by(|p, q| p.worse(q).then(p.sides().ids.cmp(&q.sides().ids)))?;
    let count = match (all.len(), verdict) {
        (1, Verdict::Clash) => "1 clash".to_owned(),
        (n, Verdict::Clash) => format!("{n} clashes"),
        (1, Verdict::Meets) => "1 pair meets".to_owned(),
        (n, Verdict::Meets) => format!("{n} pairs meet"),
        (1, Verdict::Undecided) => "1 pair is undecided".to_owned(),
        (n, Verdict::Undecided) => format!("{n} pairs are undecided"),
        (1, _) => "1 pair is too close".to_owned(),
        (n, _) => format!("{n} pairs are too close"),
    };
    let [name_a, name_b] = worst.sides().ids.map(|id| alone(id as usize, &report.parts));
    let [a, b] = [&name_a, &name_b].map(|name| name(WIDEST).width());
    let space = width.saturating_sub(REST).max(2 * NARROWEST);
    // A short name leaves its space to a long one.
    let share = |own: usize, other: usize| own.min((space / 2).max(space.saturating_sub(other)));
    let names = [name_a(share(a, b)), name_b(share(b, a))];
    Some(format!("{count}. {}", worst.told(report, names)))
}
