//! Groups around hosts: the part in most pairs takes all of these, then the part in most of the rest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::Group;
use super::cut::cut;
use super::title::{self, Type};
use crate::document::word::Word;
use crate::document::{Finding, PartRow};
use closefit::Verdict;

/// The properties that all pairs of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell<'r> {
    pub verdict: Verdict,
    /// The rule that decided the pairs.
    pub rule: Option<&'r str>,
    /// The types of their parts, the lower first. Undecided pairs have one cause, an open shell, whatever
    /// lies in it, so theirs are left out.
    pub types: [Type<'r>; 2],
}

impl<'r> Cell<'r> {
    pub fn of(pair: &'r impl Finding, parts: &'r [PartRow]) -> Self {
        let mut types = match pair.verdict() {
            Verdict::Undecided => [Type::Unknown; 2],
            _ => pair.sides().parts(parts).map(Type::of),
        };
        types.sort_unstable();
        Self { verdict: pair.verdict(), rule: pair.rule_id(), types }
    }
}

/// Returns the groups of the pairs of a cell, by host.
pub(super) fn groups<'r, P: Finding>(
    cell: &Cell<'r>,
    pairs: &[&'r P],
    parts: &'r [PartRow],
    extent: Option<f64>,
) -> Vec<Group<'r, P>> {
    let extent = extent.filter(|_| cell.verdict != Verdict::Undecided);
    let mut found = Vec::new();
    for (host, members) in hosted(pairs, parts) {
        let host = &parts[host as usize];
        let other = match cell.types {
            [a, b] if a == Type::of(host) => b,
            [a, _] => a,
        };
        for (ordinal, members) in (0..).zip(cut(members, extent)) {
            let ordinal: u32 = ordinal;
            let subject = [
                "host",
                cell.rule.unwrap_or(""),
                cell.verdict.word(),
                &host.key,
                &other.subject(),
                &ordinal.to_string(),
            ];
            let title = title::of(host, &members, parts);
            found.push(Group::new(title, cell.rule, &subject, members));
        }
    }
    found
}

/// Deals pairs out to hosts: the part with most pairs that have no host yet, of equals the one with the
/// lowest key, takes them all; and again.
fn hosted<'r, P: Finding>(pairs: &[&'r P], parts: &[PartRow]) -> Vec<(u32, Vec<&'r P>)> {
    let mut open: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (index, pair) in pairs.iter().enumerate() {
        for host in possible_hosts(*pair) {
            open.entry(host).or_default().insert(index);
        }
    }
    let rank = |part: u32, count: usize| (count, Reverse(&parts[part as usize].key), part);
    let mut queue: BinaryHeap<_> = open.iter().map(|(&part, pairs)| rank(part, pairs.len())).collect();
    let mut hosts = Vec::new();
    while let Some((count, _, host)) = queue.pop() {
        let left = open.get(&host).map_or(0, BTreeSet::len);
        if left < count {
            // Other hosts have taken some of its pairs since it was queued.
            queue.extend((left > 0).then(|| rank(host, left)));
            continue;
        }
        let taken = open.remove(&host).unwrap_or_default();
        for &index in &taken {
            for other in possible_hosts(pairs[index]).filter(|&part| part != host) {
                open.get_mut(&other).map(|pairs| pairs.remove(&index));
            }
        }
        hosts.push((host, taken.into_iter().map(|index| pairs[index]).collect()));
    }
    hosts
}

/// Returns the parts that a pair can be put down to: both, but only the open ones where openness leaves it
/// undecided.
fn possible_hosts(pair: &impl Finding) -> impl Iterator<Item = u32> {
    let undecided = pair.unknown().filter(|_| pair.verdict() == Verdict::Undecided);
    let blamed = ["a", "b"].map(|side| undecided.is_some_and(|why| blames(why, side)));
    let any = blamed.contains(&true);
    pair.sides().ids.into_iter().zip(blamed).filter(move |&(_, blamed)| blamed || !any).map(|(id, _)| id)
}

/// True if a reason, in the words of the engine, names this side as open.
fn blames(why: &str, side: &str) -> bool {
    let shell = format!("a shell of {side} that ");
    why.starts_with(&shell) || why.split("; ").any(|part| part.starts_with(&format!("{side} is open: ")))
}
