//! The fate of each pair from one report to another.

use std::collections::HashMap;

use super::DiffError;
use super::change::{apart, change};
use super::parts::PartMatches;
use super::review::{Review, ReviewRow, ReviewStatus};
use super::row::{Change, DiffRow, FoundRow, Status};
use super::rules::{self, Lengths};
use super::settings::{Limits, SettingRow, differences};
use super::sizes::KnownParts;
use crate::document::{Finding, PartRow, Report, pair_key};
use closefit::Verdict;

/// Two reports with their parts matched.
pub(super) struct Comparison<'r, S, P> {
    pub old: &'r Report<S, P>,
    pub new: &'r Report<S, P>,
    pub parts: PartMatches,
    pub settings: Vec<SettingRow>,
    /// The lengths of the pairs of both.
    lengths: [Lengths<'r>; 2],
    /// True if both have the same rules.
    same_rules: bool,
    /// True if both runs exclude the same pairs of parts that are labelled alike in both.
    same_exclusions: bool,
    review: &'r Review,
    /// The groups of each pair of either report, by the pair's key.
    groups: HashMap<&'r str, Vec<&'r str>>,
}

impl<'r, S: Limits, P: Finding> Comparison<'r, S, P> {
    pub fn of(old: &'r Report<S, P>, new: &'r Report<S, P>, review: &'r Review) -> Self {
        let mut groups: HashMap<&str, Vec<&str>> = HashMap::new();
        for group in new.groups.iter().chain(&old.groups) {
            group.pairs.iter().for_each(|pair| groups.entry(pair).or_default().push(&group.key));
        }
        let [before, after] = [old, new].map(|report| &report.ledger.excluded_by);
        let rules = rules::difference(old, new);
        Self {
            old,
            new,
            lengths: [Lengths::of(old), Lengths::of(new)],
            same_rules: old.rules.is_some() && rules.is_none(),
            parts: PartMatches::of(&KnownParts::of(old), &KnownParts::of(new)),
            settings: differences(&old.settings, &new.settings).into_iter().chain(rules).collect(),
            same_exclusions: before.is_some() && before == after,
            review,
            groups,
        }
    }

    /// Returns the rows of all pairs, those that need a look first.
    ///
    /// # Errors
    /// [`DiffError::Unexplained`].
    pub fn rows(&self) -> Result<Vec<DiffRow>, DiffError> {
        let ids = |ids: [u32; 2], of: &[Option<usize>]| -> Option<[u32; 2]> {
            let [a, b] = ids.map(|id| of[id as usize].and_then(|id| u32::try_from(id).ok()));
            let (a, b) = (a?, b?);
            Some([a.min(b), a.max(b)])
        };
        let mut listed: HashMap<[u32; 2], &P> =
            self.old.pairs.iter().map(|pair| (pair.sides().ids, pair)).collect();
        let mut rows = Vec::new();
        for pair in &self.new.pairs {
            let before = ids(pair.sides().ids, &self.parts.of_new);
            let old = before.and_then(|ids| listed.remove(&ids));
            rows.push(match (old, pair.left_open(), old.and_then(Finding::left_open)) {
                (_, Some(why), _) => self.not_looked_at(old, pair, why),
                (Some(old), None, None) => self.active(old, pair),
                (_, None, left_open) => self.appeared(pair, old, (before.is_some(), left_open))?,
            });
        }
        for pair in self.old.pairs.iter().filter(|pair| listed.contains_key(&pair.sides().ids)) {
            let after = ids(pair.sides().ids, &self.parts.of_old);
            rows.push(self.vanished(pair, after)?);
        }
        rows.sort_by(order);
        Ok(rows)
    }

    /// Returns the row of a pair that both reports list.
    fn active(&self, old: &P, new: &P) -> DiffRow {
        let [of_old, of_new] = &self.lengths;
        let [[_, before], [_, after]] = [of_old.of_pair(old), of_new.of_pair(new)];
        let slack = before.max(after);
        let rule_changed = rules::changed(old, new);
        let mut row = self.of_both(Status::Active, old, new);
        let same_settings = self.settings.is_empty() && rule_changed.is_none();
        let changes = self.changes(self.new, new, &self.parts.of_new);
        // What was shallow may be deep once it has changed, if the new run had no request for depths.
        let had_depth = matches!(old.verdict(), Verdict::Clash | Verdict::Contact);
        let is_unknown = had_depth && new.verdict() == Verdict::Meets && !changes.is_empty();
        let change = if is_unknown { Some(Change::Unknown) } else { change(old, new, slack) };
        (row.change, row.why) = match change {
            // Whatever explains it, it is not known to be no worse.
            Some(Change::Unknown) => (Some(Change::Unknown), joined(changes, self.settings_in_words())),
            // Nothing excuses a part that has changed.
            Some(Change::Worse) if !changes.is_empty() => (Some(Change::Worse), changes),
            // The same overlap, and another verdict: so the settings explain it. That is no improvement.
            change
                if old.verdict() != new.verdict() && !same_settings && apart(old, new, slack).is_none() =>
            {
                (change.filter(|change| *change == Change::Worse), self.settings_in_words())
            }
            change => (change, changes),
        };
        if let Some(rule_changed) = rule_changed {
            row.why = joined(row.why, rule_changed);
        }
        self.reviewed(row, Some(old))
    }

    /// Returns the row of a pair that the new run did not look at.
    fn not_looked_at(&self, old: Option<&P>, new: &P, why: &str) -> DiffRow {
        let row = match old {
            Some(old) => self.of_both(Status::NotChecked, old, new),
            None => self.row(new, Status::NotChecked, [None, Some(FoundRow::of(new))]),
        };
        self.reviewed(DiffRow { why: format!("not looked at: {why}"), ..row }, old)
    }

    /// Returns the row of a finding of the new report, which the old one does not list or has not looked at:
    /// for that reason.
    fn appeared(
        &self,
        pair: &P,
        old: Option<&P>,
        (parts_were_there, left_open): (bool, Option<&str>),
    ) -> Result<DiffRow, DiffError> {
        let of_new = &self.parts.of_new;
        let changes = self.changes(self.new, pair, of_new);
        let (status, why) = if !parts_were_there {
            (Status::New, self.missing(self.new, pair, of_new, "new"))
        } else if let Some(why) = left_open {
            (Status::New, joined(changes, not_looked_at_before(why)))
        } else if self.may_be_excluded_by_other(self.new, pair, of_new) {
            let why = format!("perhaps not looked at before: {}", reasons(self.old));
            (Status::New, joined(changes, why))
        } else if !self.settings.is_empty() && self.is_out_of_old_reach(pair) {
            (Status::SettingsChanged, self.settings_in_words())
        } else if !changes.is_empty() {
            (Status::New, format!("looked at before: {changes}"))
        } else if !self.settings.is_empty() {
            (Status::SettingsChanged, self.settings_in_words())
        } else if self.may_have_another_rule(self.new, pair, of_new) {
            (Status::SettingsChanged, RENAMED.to_owned())
        } else {
            return Err(self.unexplained(pair, "new"));
        };
        let row = match old {
            Some(old) => self.of_both(status, old, pair),
            None => self.row(pair, status, [None, Some(FoundRow::of(pair))]),
        };
        Ok(self.reviewed(DiffRow { why, ..row }, old))
    }

    /// True if the old run lists no pair at the distance of this one of the new report, for its settings. A
    /// clash, or a pair in doubt, is listed at any distance.
    fn is_out_of_old_reach(&self, pair: &P) -> bool {
        let is_listed_for_distance = matches!(pair.verdict(), Verdict::Contact | Verdict::Clearance);
        let gap = pair.overlap().filter(|_| is_listed_for_distance).map_or(0.0, |[_, most]| -most);
        let old_parts = pair.sides().ids.map(|id| self.parts.of_new[id as usize]);
        let chords: f64 = old_parts.into_iter().flatten().map(|part| self.old.parts[part].chord).sum();
        gap > S::reach(self.lengths[0].most) + chords
    }

    /// Returns the row of a pair that only the old report lists; `after` are the ids of its parts in the new
    /// one, if both are there.
    fn vanished(&self, pair: &P, after: Option<[u32; 2]>) -> Result<DiffRow, DiffError> {
        let of_old = &self.parts.of_old;
        let changes = self.changes(self.old, pair, of_old);
        let (status, why) = if after.is_none() {
            (Status::PartGone, self.missing(self.old, pair, of_old, "gone"))
        } else if let Some(why) = pair.left_open() {
            // What was never found is not resolved.
            (Status::NotChecked, joined(changes, not_looked_at_before(why)))
        } else if self.may_be_excluded_by_other(self.old, pair, of_old) {
            (Status::NotChecked, format!("perhaps excluded now: {}", reasons(self.new)))
        } else if !self.covers(pair) {
            let renamed = self.settings.is_empty().then(|| RENAMED.to_owned());
            (Status::SettingsChanged, renamed.unwrap_or_else(|| self.settings_in_words()))
        } else if !changes.is_empty() {
            (Status::Resolved, changes)
        } else if !self.settings.is_empty() {
            (Status::SettingsChanged, self.settings_in_words())
        } else {
            return Err(self.unexplained(pair, "old"));
        };
        let mut row = DiffRow { why, ..self.row(pair, status, [Some(FoundRow::of(pair)), None]) };
        if let Some([a, b]) = after {
            let [a, b] = [a, b].map(|id| &self.new.parts[id as usize].key);
            let old_key = std::mem::replace(&mut row.key, pair_key(a, b).to_string());
            row.old_key = Some(old_key).filter(|key| *key != row.key);
        }
        Ok(self.reviewed(row, Some(pair)))
    }

    /// True if the new settings would have listed this old pair: clearance and tolerance are no smaller, and
    /// the times of the old run are among the times of the new one.
    fn covers(&self, pair: &P) -> bool {
        let covers = |new: [f64; 2], old: [f64; 2]| new[0] >= old[0] && new[1] >= old[1];
        let lengths = if self.same_rules && !self.may_have_another_rule(self.old, pair, &self.parts.of_old) {
            // The rule is the same. The lengths that it leaves open come from the run.
            covers(self.new.settings.lengths(), self.old.settings.lengths())
        } else {
            covers(self.lengths[1].least, self.lengths[0].of_pair(pair))
        };
        lengths && self.new.settings.covers_times(&self.old.settings)
    }

    /// Returns the report that is not this one of the two.
    fn other(&self, report: &Report<S, P>) -> &'r Report<S, P> {
        if std::ptr::eq(report, self.new) { self.old } else { self.new }
    }

    /// True if both reports have rules and a part of a pair of one of them is labelled otherwise in the
    /// other: rules go by labels.
    fn may_have_another_rule(&self, report: &Report<S, P>, pair: &P, of: &[Option<usize>]) -> bool {
        report.rules.is_some() && !self.is_labelled_alike(report, pair, of)
    }

    /// True unless the other run is known not to exclude a pair that one of them has looked at. It excludes
    /// no pair, or both exclude the same ones, and what selects the pair is the same in both. Which pairs a
    /// sweep excludes because they do not move is known by their number alone.
    fn may_be_excluded_by_other(&self, report: &Report<S, P>, pair: &P, of: &[Option<usize>]) -> bool {
        let ledger = &self.other(report).ledger;
        let is_sure = || self.same_exclusions && self.is_labelled_alike(report, pair, of);
        ledger.without_motion() > report.ledger.without_motion()
            || ledger.excludes_some_by_choice() && !is_sure()
    }

    /// True if whatever selects the parts of a pair is the same in both reports: their labels, and whether
    /// they have one mesh.
    fn is_labelled_alike(&self, report: &Report<S, P>, pair: &P, of: &[Option<usize>]) -> bool {
        let others = &self.other(report).parts;
        let parts = pair.sides().ids.map(|id| &report.parts[id as usize]);
        let [Some(a), Some(b)] = pair.sides().ids.map(|id| of[id as usize]) else { return false };
        let other = [&others[a], &others[b]];
        let [have_one, had_one] = [parts, other].map(|[a, b]| a.mesh_digest == b.mesh_digest);
        have_one == had_one && parts.into_iter().zip(other).all(|(part, other)| labels(part) == labels(other))
    }

    fn row(&self, pair: &P, status: Status, [old, new]: [Option<FoundRow>; 2]) -> DiffRow {
        let sides = pair.sides();
        DiffRow {
            key: sides.key.to_string(),
            old_key: None,
            a: sides.a.to_string(),
            b: sides.b.to_string(),
            status,
            change: None,
            why: String::new(),
            old,
            new,
            at: pair.at(),
            reopened: false,
            review: None,
        }
    }

    /// Returns a row of a pair that both reports list, with its key in the old one if that is another.
    fn of_both(&self, status: Status, old: &P, new: &P) -> DiffRow {
        let row = self.row(new, status, [old, new].map(|pair| Some(FoundRow::of(pair))));
        let old_key = Some(old.sides().key.to_string()).filter(|key| *key != row.key);
        DiffRow { old_key, ..row }
    }

    /// Adds the review of a pair, found by its own keys or by its groups' keys.
    fn reviewed(&self, mut row: DiffRow, old: Option<&P>) -> DiffRow {
        let own = old.map(|pair| &pair.sides().key[..]).into_iter().chain([&row.key[..]]);
        let groups = own.clone().flat_map(|key| self.groups.get(key)).flatten().copied();
        let review: Option<ReviewRow> = self.review.of(own.chain(groups)).cloned();
        let resolved = review.as_ref().is_some_and(|review| review.status == ReviewStatus::Resolved);
        if resolved && row.new.is_some() && row.status != Status::NotChecked {
            row.why = joined(row.why, "called resolved, and found again".to_owned());
            (row.status, row.change, row.reopened) = (Status::New, None, true);
        }
        row.review = review;
        row
    }

    /// Returns what has changed of the two parts of a pair of one report; empty if nothing has.
    fn changes(&self, report: &Report<S, P>, pair: &P, of: &[Option<usize>]) -> String {
        let others = &self.other(report).parts;
        let sides = ["a", "b"].into_iter().zip(pair.sides().ids);
        let told = sides.filter_map(|(side, id)| {
            let (part, other) = (&report.parts[id as usize], &others[of[id as usize]?]);
            changed(part, other).map(|how| format!("{side} {how}"))
        });
        told.collect::<Vec<_>>().join(", ")
    }

    /// Returns which parts of a pair the other report does not have.
    fn missing(&self, report: &Report<S, P>, pair: &P, of: &[Option<usize>], what: &str) -> String {
        let sides = ["a", "b"].into_iter().zip(pair.sides().ids);
        let missing = sides.filter(|&(_, id)| of[id as usize].is_none());
        let told = missing.map(|(side, id)| format!("{side} is {what}: {}", report.parts[id as usize].key));
        told.collect::<Vec<_>>().join(", ")
    }

    fn settings_in_words(&self) -> String {
        let in_words = |setting: &SettingRow| setting.in_words(self.new.scene.unit);
        self.settings.iter().map(in_words).collect::<Vec<_>>().join(", ")
    }

    fn unexplained(&self, pair: &P, which: &'static str) -> DiffError {
        DiffError::Unexplained { key: pair.sides().key.to_string(), which }
    }
}

/// The explanation of a pair that only one report lists although parts and settings are equal.
const RENAMED: &str = "a part has another name, type, tag or file, so another rule may decide the pair";

/// Returns the reasons by which a run excludes pairs.
fn reasons<S, P>(report: &Report<S, P>) -> String {
    report.ledger.excluded.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Returns what rules, sides and sets may select a part by.
fn labels(part: &PartRow) -> impl PartialEq + '_ {
    let PartRow { key, name, kind, guid, model, file, path, storey, tags, .. } = part;
    (key, name, kind, guid, model, file, path, storey, tags)
}

/// Returns how a part differs between two reports.
fn changed(part: &PartRow, other: &PartRow) -> Option<&'static str> {
    let moved = part.pose_digest != other.pose_digest;
    match (part.mesh_digest != other.mesh_digest, moved, part.surface != other.surface) {
        (true, false, _) => Some("changed"),
        (true, true, _) => Some("changed and moved"),
        (false, true, _) => Some("moved"),
        (false, false, true) => Some("is or was declared a surface"),
        (false, false, false) => None,
    }
}

fn not_looked_at_before(why: &str) -> String {
    format!("not looked at before: {why}")
}

fn joined(first: String, second: String) -> String {
    match (first.is_empty(), second.is_empty()) {
        (true, _) => second,
        (_, true) => first,
        _ => format!("{first}; {second}"),
    }
}

/// Orders rows: those that need a look first, and then the worst.
fn order(p: &DiffRow, q: &DiffRow) -> std::cmp::Ordering {
    let rank = |row: &DiffRow| (row.status, row.change.is_none(), row.change);
    let verdict = |row: &DiffRow| row.found().map(|found| found.verdict);
    let depth = |row: &DiffRow| row.found().and_then(|f| f.overlap).map_or(f64::NEG_INFINITY, |[low, _]| low);
    let order = rank(p).cmp(&rank(q)).then(verdict(p).cmp(&verdict(q)));
    order.then(depth(q).total_cmp(&depth(p))).then_with(|| (&p.key, &p.old_key).cmp(&(&q.key, &q.old_key)))
}
