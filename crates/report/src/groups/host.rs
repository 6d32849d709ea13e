//! Groups around hosts: the part in most pairs takes all of these, then the part in most of the rest.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;

use super::Group;
use super::cut::cut;
use super::title::{self, Type};
use crate::document::word::Word;
use crate::document::{Finding, PartRow};
use closefit::Verdict;
use closefit_geometry::ids::to_u32;
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
fn hosted<'r, P: Finding + Sync>(pairs: &[&'r P], parts: &[PartRow]) -> Vec<(u32, Vec<&'r P>)> {
    // The pairs of each part that may be a host, as (part, index of the pair).
    let mut entries: Vec<(u32, u32)> = parallel::gather(pairs.len(), parallel::TINY, |indices, entries| {
        let hosts_of = |index: usize| possible_hosts(pairs[index]).map(move |host| (host, to_u32(index)));
        entries.extend(indices.flat_map(hosts_of));
    });
    parallel::sort_unstable_by_key(&mut entries, |&entry| entry);
    // In the order of their keys, so that numbers are compared from here on: texts are all over the memory.
    let mut open: Vec<&[(u32, u32)]> = entries.chunk_by(|p, q| p.0 == q.0).collect();
    parallel::sort_unstable_by_key(&mut open, |own| (&parts[own[0].0 as usize].key, Reverse(own[0].0)));
    let mut hosts_of = vec![[None; 2]; pairs.len()];
    for (host, own) in (0..).zip(&open) {
        for &(_, index) in *own {
            let [first, second] = &mut hosts_of[index as usize];
            *if first.is_none() { first } else { second } = Some(host);
        }
    }
    // The number of pairs of each that have no host yet.
    let mut left: Vec<usize> = open.iter().map(|own| own.len()).collect();
    // Hosts by what was left to them when they were queued.
    let mut queue: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (host, &count) in (0..).zip(&left) {
        queue.entry(count).or_default().push(host);
    }
    let mut hosts = Vec::new();
    while let Some((count, mut equal)) = queue.pop_last() {
        equal.sort_unstable();
        for host in equal {
            let (own, now) = (open[host as usize], left[host as usize]);
            if now < count {
                // Other hosts have taken some of its pairs since it was queued.
                if now > 0 {
                    queue.entry(now).or_default().push(host);
                }
                continue;
            }
            let mut taken = Vec::with_capacity(count);
            for &(_, index) in own {
                let of_pair = mem::take(&mut hosts_of[index as usize]);
                if of_pair[0].is_some() {
                    taken.push(pairs[index as usize]);
                }
                of_pair.into_iter().flatten().for_each(|host: u32| left[host as usize] -= 1);
            }
            hosts.push((own[0].0, taken));
        }
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
