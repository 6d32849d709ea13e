//! The selection and the order of the pairs that a table shows.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::display::counted;
use super::fit::elided;
use crate::document::word::Word;
use crate::document::{Finding, PartRow, Sides};
use crate::groups::GroupRow;
use closefit::Verdict;
use closefit_geometry::parallel;
use closefit_geometry::text::printable;

/// A selection of the pairs of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The mildest verdict shown; `None` for all but [`Verdict::Contact`].
    pub mildest: Option<Verdict>,
    /// The most rows; `None` for all.
    pub rows: Option<usize>,
    /// The order of the rows.
    pub sort: Sort,
    /// The parts whose pairs are shown; `None` for all.
    pub only: Option<Only>,
}

impl Default for View {
    fn default() -> Self {
        Self { mildest: None, rows: Some(40), sort: Sort::Worst, only: None }
    }
}

/// An order of rows. Rows that it leaves equal are in the order `Worst`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Order by verdict, then the deepest, earliest or closest first.
    #[default]
    Worst,
    /// The deepest first, and pairs without a depth last.
    Depth,
    /// The closest first.
    Distance,
    /// Order by the names of the parts.
    Name,
    /// Order by the types of the parts, and parts without a type last.
    Type,
}

/// A selection of parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Only {
    /// The parts, as the user names them.
    pub named: String,
    /// Their ids.
    pub parts: BTreeSet<u32>,
    /// True if both parts of a pair have to be among them; otherwise, one suffices.
    pub both: bool,
    /// The keys of the pairs, if the view shows a pair or a group, and not parts.
    pub keys: Option<BTreeSet<String>>,
}

impl Only {
    fn shows(&self, sides: &Sides) -> bool {
        if let Some(keys) = &self.keys {
            return keys.contains(&*sides.key);
        }
        let [a, b] = sides.ids.map(|id| self.parts.contains(&id));
        if self.both { a && b } else { a || b }
    }
}

/// A pair as the order of a table sees it.
pub trait Ordered: Finding + Sync {
    /// Orders pairs of one verdict, the worst first.
    fn worse(&self, other: &Self) -> Ordering;
    /// Returns a certified depth, below 0 if there is none.
    fn depth(&self) -> f64;
    /// Returns the smallest distance that is known.
    fn distance(&self) -> f64;
}

/// The rows of a table, and what it leaves out.
pub(super) struct Shown<'r, P> {
    pub rows: Vec<&'r P>,
    /// Pairs beyond the number of rows.
    more: usize,
    /// Pairs of milder verdicts, or in contact.
    unlisted: BTreeMap<Verdict, usize>,
    /// The mildest verdict of the rows, with those beyond their number.
    mildest: Option<Verdict>,
    /// A line on the selection of parts.
    only: Option<String>,
}

impl View {
    /// Returns the view with the pairs of a group, if its key is the one to show.
    pub(super) fn with_groups(&self, groups: &[GroupRow]) -> Self {
        let mut view = self.clone();
        if let Some(keys) = view.only.as_mut().and_then(|only| only.keys.as_mut()) {
            let meant = groups.iter().filter(|group| keys.contains(&group.key));
            let pairs: Vec<String> =
                meant.flat_map(|group| group.pairs.iter().map(|key| key.to_string())).collect();
            keys.extend(pairs);
        }
        view
    }

    /// Selects and sorts the pairs that no waiver accepts.
    pub(super) fn of<'r, P: Ordered>(&self, parts: &[PartRow], pairs: &'r [P]) -> Shown<'r, P> {
        let asked = |pair: &&P| self.only.as_ref().is_none_or(|only| only.shows(pair.sides()));
        let all = pairs.len();
        let pairs = pairs.iter().filter(|pair| !pair.is_accepted());
        let mut rows: Vec<&P> = pairs.filter(asked).collect();
        let only = self.only.as_ref().map(|only| {
            let named = elided(&printable(&only.named), 40);
            let all = counted(all as u64, "pair", "pairs");
            format!("--only {named}: {} of {all} that are not clear\n", rows.len())
        });
        let mut unlisted = BTreeMap::new();
        rows.retain(|pair| {
            let verdict = pair.verdict();
            let listed = self.lists(verdict);
            *unlisted.entry(verdict).or_default() += usize::from(!listed);
            listed
        });
        unlisted.retain(|_, n| *n > 0);
        let mildest = rows.iter().map(|pair| pair.verdict()).max();
        let order = |p: &&P, q: &&P| self.sort.order(parts, *p, *q);
        let more = rows.len().saturating_sub(self.rows.unwrap_or(usize::MAX));
        if more > 0 {
            let shown = rows.len() - more;
            let worst = |mut rows: Vec<&'r P>| {
                if shown < rows.len() {
                    rows.select_nth_unstable_by(shown, order);
                    rows.truncate(shown);
                }
                rows
            };
            // The worst of all are among the worst of each run.
            let of_runs = parallel::map_runs(rows.len(), parallel::TINY, |run| worst(rows[run].to_vec()));
            rows = worst(of_runs.concat());
        }
        rows.sort_by(order);
        Shown { rows, more, unlisted, mildest, only }
    }

    fn lists(&self, verdict: Verdict) -> bool {
        self.mildest.map_or(verdict != Verdict::Contact, |mildest| verdict <= mildest)
    }
}

impl Sort {
    fn order<P: Ordered>(self, parts: &[PartRow], p: &P, q: &P) -> Ordering {
        let of_both = || [p, q].map(|pair| pair.sides().parts(parts));
        let order = match self {
            Self::Worst => Ordering::Equal,
            Self::Depth => q.depth().total_cmp(&p.depth()),
            Self::Distance => p.distance().total_cmp(&q.distance()),
            Self::Name => {
                let [of_p, of_q] = of_both().map(|pair| pair.map(|part| &part.name));
                of_p.cmp(&of_q)
            }
            Self::Type => {
                let [of_p, of_q] = of_both().map(|pair| pair.map(by_type));
                of_p.cmp(&of_q)
            }
        };
        let order = order.then(p.verdict().cmp(&q.verdict())).then_with(|| p.worse(q));
        order.then_with(|| p.sides().ids.cmp(&q.sides().ids))
    }
}

/// Returns a key that sorts parts by type, those without one last.
fn by_type(part: &PartRow) -> (bool, Option<&str>) {
    (part.kind.is_none(), part.kind.as_deref())
}

impl<P> Shown<'_, P> {
    /// Returns the line instead of a table, if no pair has a row even without a limit of rows.
    pub fn instead_of_rows(&self) -> String {
        // The line below says what '--only' leaves out.
        if self.more > 0 || self.only.is_some() { String::new() } else { "no findings\n".to_owned() }
    }

    /// Returns the lines below the table: what it leaves out, and how to see it.
    pub fn below(&self) -> String {
        let mut lines = self.only.clone().unwrap_or_default();
        if self.more > 0 {
            lines += &format!("and {} more: --rows all shows them\n", self.more);
        }
        if let Some(mildest) = self.unlisted.keys().next_back() {
            let counts: Vec<String> =
                self.unlisted.iter().map(|(verdict, n)| format!("{n} {}", verdict.word())).collect();
            // With `--list contact`, rows of clearances would go.
            let list = if self.mildest > Some(*mildest) { "all" } else { mildest.word() };
            lines += &format!("and {}: --list {list} shows them\n", counts.join(", "));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{DepthRow, PairRow};
    use crate::testing;

    const VERDICTS: [Verdict; 5] =
        [Verdict::Clash, Verdict::Meets, Verdict::Undecided, Verdict::Contact, Verdict::Clearance];

    fn pair((ids, verdict, depth, distance): ([u32; 2], usize, u8, u8)) -> PairRow {
        let [depth, distance] = [depth, distance].map(f64::from);
        let depth = Some(DepthRow { at_least: depth, at_most: depth });
        let pair = testing::pair_row(&testing::parts(), ids.map(|id| id as usize), 0.0, None);
        PairRow { verdict: VERDICTS[verdict], depth, distance, ..pair }
    }

    fn view() -> impl Strategy<Value = View> {
        let sort =
            prop::sample::select(vec![Sort::Worst, Sort::Depth, Sort::Distance, Sort::Name, Sort::Type]);
        let only = (prop::collection::btree_set(0_u32..4, 1..4), any::<bool>())
            .prop_map(|(parts, both)| Only { named: "x".into(), parts, both, keys: None });
        let mildest = prop::option::of(prop::sample::select(VERDICTS.to_vec()));
        (mildest, prop::option::of(0_usize..9), sort, prop::option::of(only))
            .prop_map(|(mildest, rows, sort, only)| View { mildest, rows, sort, only })
    }

    proptest! {
        /// Every pair is shown or counted below the table, rows are in order, and no row is worse than one
        /// left out by their number.
        #[test]
        fn nothing_is_lost(
            pairs in prop::collection::vec(([0_u32..4, 0_u32..4], 0_usize..5, 0_u8..4, 0_u8..4), 0..20),
            view in view(),
        ) {
            let pairs: Vec<PairRow> = pairs.into_iter().map(pair).collect();
            let parts = testing::parts();
            let shown = view.of(&parts, &pairs);
            let of_parts = |pair: &&PairRow| match &view.only {
                None => true,
                Some(Only { parts, both: true, .. }) => pair.sides.ids.iter().all(|id| parts.contains(id)),
                Some(Only { parts, both: false, .. }) => pair.sides.ids.iter().any(|id| parts.contains(id)),
            };
            let unlisted: usize = shown.unlisted.values().sum();
            prop_assert_eq!(shown.rows.len() + shown.more + unlisted, pairs.iter().filter(of_parts).count());
            prop_assert!(shown.rows.iter().all(of_parts));
            prop_assert!(shown.rows.len() <= view.rows.unwrap_or(usize::MAX));
            prop_assert!(shown.rows.iter().all(|pair| !shown.unlisted.contains_key(&pair.verdict)));
            let depth = |pair: &PairRow| pair.depth.map(|depth| depth.at_least);
            let in_order = |p: &&PairRow, q: &&PairRow| match view.sort {
                Sort::Worst => (p.verdict, depth(q)) <= (q.verdict, depth(p)),
                Sort::Depth => depth(p) >= depth(q),
                Sort::Distance => p.distance <= q.distance,
                Sort::Name => p.sides.ids.map(|id| &*parts[id as usize].name) <= q.sides.ids.map(|id| &*parts[id as usize].name),
                Sort::Type => {
                    let untyped = |pair: &PairRow| pair.sides.ids.map(|id| id != 0); // the bolt alone has a type
                    untyped(p) <= untyped(q)
                }
            };
            prop_assert!(shown.rows.is_sorted_by(in_order));
        }
    }

    #[test]
    fn the_worst_of_a_crowd_are_shown() {
        // Depths that are all over the list; the parts of equal ones differ.
        let all = 3 * parallel::TINY + 5;
        let pairs: Vec<PairRow> = (0..all)
            .map(|i| {
                let ids = [i as u32, all as u32];
                let depth = DepthRow { at_least: (i * 7919 % 5003) as f64, at_most: 1e9 };
                let pair = pair(([0, 1], 0, 0, 0));
                PairRow { sides: Sides { ids, ..pair.sides.clone() }, depth: Some(depth), ..pair }
            })
            .collect();
        let mut expected: Vec<&PairRow> = pairs.iter().collect();
        expected.sort_by(|p, q| p.worse(q).then(p.sides.ids.cmp(&q.sides.ids)));
        for rows in [0, 1, 40, all - 1, all] {
            let view = View { rows: Some(rows), ..View::default() };
            let shown = view.of(&testing::parts(), &pairs);
            assert!(
                shown.rows.iter().map(|pair| pair.sides.ids).eq(expected[..rows].iter().map(|p| p.sides.ids))
            );
            assert_eq!(shown.more, all - rows);
        }
    }

    #[test]
    fn what_is_left_out_is_told_with_the_flag_that_shows_it() {
        let pairs = [0, 2, 3, 3, 4].map(|verdict| pair(([0, 1], verdict, 0, 0)));
        let parts = testing::parts();
        let below = |view: View| view.of(&parts, &pairs).below();
        assert_eq!(below(View::default()), "and 2 contact: --list all shows them\n");
        let few = &pairs[..3];
        let told = View::default().of(&parts, few).below();
        assert_eq!(told, "and 1 contact: --list contact shows them\n", "no row is milder");
        let clash = View { mildest: Some(Verdict::Clash), rows: Some(0), ..View::default() };
        let told = "and 1 more: --rows all shows them\n\
                    and 1 undecided, 2 contact, 1 clearance: --list clearance shows them\n";
        assert_eq!(below(clash), told);
        let only = Only { named: "b\no".into(), parts: [3].into(), both: false, keys: None };
        let only = View { only: Some(only), mildest: Some(Verdict::Clearance), ..View::default() };
        assert_eq!(below(only), "--only b\\no: 0 of 5 pairs that are not clear\n");
    }
}
