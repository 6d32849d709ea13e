//! Groups around hosts: the part in most pairs takes all of these, then the part in most of the rest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Group;
use super::cut::cut;
use super::title::{self, Type};
use crate::document::word::Word;
use crate::document::{Finding, PartRow};
use closefit::Verdict;
use closefit_geometry::parallel;

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
pub(super) fn groups<'r, P: Finding + Sync>(
    cell: &Cell<'r>,
    pairs: &[&'r P],
    parts: &'r [PartRow],
    extent: Option<f64>,
) -> Vec<Group<'r, P>> {
    let extent = extent.filter(|_| cell.verdict != Verdict::Undecided);
    let of_host = |(host, members): (u32, Vec<&'r P>)| {
        let host = &parts[host as usize];
        let other = match cell.types {
            [a, b] if a == Type::of(host) => b,
            [a, _] => a,
        };
        let group = |(ordinal, members): (u32, Vec<&'r P>)| {
            let subject = [
                "host",
                cell.rule.unwrap_or(""),
                cell.verdict.word(),
                &host.key,
                &other.subject(),
                &ordinal.to_string(),
            ];
            let title = title::of(host, &members, parts);
            Group::new(title, cell.rule, &subject, members)
        };
        (0..).zip(cut(members, extent)).map(group).collect::<Vec<_>>()
    };
    let found = parallel::map_owned(hosted(pairs, parts), parallel::SMALL, |_, hosted| of_host(hosted));
    found.into_iter().flatten().collect()
}

/// Deals pairs out to hosts: the part with most pairs that have no host yet, of equals the one with the
/// lowest key, takes them all; and again.
fn hosted<'r, P: Finding>(pairs: &[&'r P], parts: &[PartRow]) -> Vec<(u32, Vec<&'r P>)> {
    let hosts_of = |index: usize| possible_hosts(pairs[index]).map(move |host| (host, index));
    // The pairs of each part that may be a host, sorted by part.
    let mut entries: Vec<(u32, usize)> = (0..pairs.len()).flat_map(hosts_of).collect();
    entries.sort_unstable();
    let mut open: Vec<Open> = entries.chunk_by(|p, q| p.0 == q.0).map(Open::new).collect();
    let at = |open: &[Open], host: u32| open.binary_search_by_key(&host, |open| open.host);
    let rank = |open: &Open, at: usize| (open.left, Reverse(&parts[open.host as usize].key), at);
    let mut queue: BinaryHeap<_> = open.iter().enumerate().map(|(at, open)| rank(open, at)).collect();
    let mut is_taken = vec![false; pairs.len()];
    let mut hosts = Vec::new();
    while let Some((count, _, host)) = queue.pop() {
        let Open { host: part, left, pairs: own } = open[host];
        if left < count {
            // Other hosts have taken some of its pairs since it was queued.
            queue.extend((left > 0).then(|| rank(&open[host], host)));
            continue;
        }
        let mut taken = Vec::with_capacity(left);
        for &(_, index) in own {
            if std::mem::replace(&mut is_taken[index], true) {
                continue;
            }
            taken.push(pairs[index]);
            for other in possible_hosts(pairs[index]).filter(|&other| other != part) {
                if let Ok(at) = at(&open, other) {
                    open[at].left -= 1;
                }
            }
        }
        hosts.push((part, taken));
    }
    hosts
}

/// A part that may be a host.
#[derive(Clone, Copy)]
struct Open<'e> {
    host: u32,
    /// The number of its pairs that have no host yet.
    left: usize,
    /// All of its pairs, as (part, index of the pair).
    pairs: &'e [(u32, usize)],
}

impl<'e> Open<'e> {
    fn new(pairs: &'e [(u32, usize)]) -> Self {
        Self { host: pairs[0].0, left: pairs.len(), pairs }
    }
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
