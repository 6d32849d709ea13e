//! Matches the parts of two reports. Exporters renumber and rename: parts that no key
//! matches are followed by what they are and where they are.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use super::nearest::nearest;
use super::sizes::{KnownParts, square};
use crate::document::PartRow;
use crate::document::word::{self, Word};

/// A part with another key in each report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RenamedRow {
    /// Its key in the old report.
    pub old: String,
    /// Its key in the new report.
    pub new: String,
    /// The property by which it was recognised.
    #[serde(with = "word")]
    pub by: RecognisedBy,
}

/// The property by which a part with another key is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecognisedBy {
    /// The digests of its mesh and of its pose.
    Digests,
    /// The digest of its mesh, and the nearest place.
    Mesh,
}

impl Word for RecognisedBy {
    const WORDS: &[(Self, &str)] =
        &[(Self::Digests, "mesh and pose"), (Self::Mesh, "mesh and nearest place")];
}

/// The parts of two reports, matched one to one.
pub(super) struct PartMatches {
    /// The index of each old part among the new ones.
    pub of_old: Vec<Option<usize>>,
    /// The index of each new part among the old ones.
    pub of_new: Vec<Option<usize>>,
    /// The parts with other keys, by their indices.
    pub renamed: Vec<(usize, usize, RecognisedBy)>,
}

impl PartMatches {
    /// Matches parts by key, then the parts left over by the digests of mesh and pose, then by the digest of
    /// the mesh and by place, if one is no farther from the other than it is large.
    pub fn of(known_old: &KnownParts, known_new: &KnownParts) -> Self {
        let (old, new) = (known_old.rows, known_new.rows);
        let mut matches =
            Self { of_old: vec![None; old.len()], of_new: vec![None; new.len()], renamed: Vec::new() };
        for [olds, news] in by_key(old, new) {
            if olds.len() == 1 && news.len() == 1 {
                matches.join(olds[0], news[0]);
            } else {
                matches.join_equal(old, new, [&olds, &news], digests);
                matches.join_nearest(old, new, [&olds, &news], |_, _| f64::INFINITY);
            }
        }
        let [olds, news] = matches.left_over();
        for (p, q) in matches.join_equal(old, new, [&olds, &news], digests) {
            matches.renamed.push((p, q, RecognisedBy::Digests));
        }
        let size = |p: usize, q: usize| known_old.sizes[p].max(known_new.sizes[q]);
        for (olds, news) in by_mesh(old, new, matches.left_over()) {
            for (p, q) in matches.join_nearest(old, new, [&olds, &news], size) {
                matches.renamed.push((p, q, RecognisedBy::Mesh));
            }
        }
        matches.renamed.sort_unstable_by_key(|&(p, q, _)| (p, q));
        matches
    }

    fn join(&mut self, old: usize, new: usize) {
        (self.of_old[old], self.of_new[new]) = (Some(new), Some(old));
    }

    /// Matches the parts of both lists that have something in common, in the order of the scenes. Returns the
    /// matches.
    fn join_equal<K: Hash + Eq>(
        &mut self,
        old: &[PartRow],
        new: &[PartRow],
        [olds, news]: [&[usize]; 2],
        common: impl Fn(&PartRow) -> K,
    ) -> Vec<(usize, usize)> {
        let mut free: HashMap<K, VecDeque<usize>> = HashMap::new();
        for &q in news.iter().filter(|&&q| self.of_new[q].is_none()) {
            free.entry(common(&new[q])).or_default().push_back(q);
        }
        let mut found = Vec::new();
        for &p in olds.iter().filter(|&&p| self.of_old[p].is_none()) {
            found.extend(free.get_mut(&common(&old[p])).and_then(VecDeque::pop_front).map(|q| (p, q)));
        }
        found.iter().for_each(|&(p, q)| self.join(p, q));
        found
    }

    /// Matches some parts by place, if they are no farther apart than `farthest` allows. Returns the
    /// matches.
    fn join_nearest(
        &mut self,
        old: &[PartRow],
        new: &[PartRow],
        [olds, news]: [&[usize]; 2],
        farthest: impl Fn(usize, usize) -> f64,
    ) -> Vec<(usize, usize)> {
        let olds: Vec<usize> = olds.iter().copied().filter(|&p| self.of_old[p].is_none()).collect();
        let news: Vec<usize> = news.iter().copied().filter(|&q| self.of_new[q].is_none()).collect();
        let places = |parts: &[PartRow], some: &[usize]| -> Vec<[f64; 3]> {
            some.iter().map(|&part| parts[part].at).collect()
        };
        let found = nearest(&places(old, &olds), &places(new, &news));
        let found = found.into_iter().map(|(p, q)| (olds[p], news[q]));
        let is_near = |&(p, q): &(usize, usize)| square(old[p].at, new[q].at).sqrt() <= farthest(p, q);
        let found: Vec<_> = found.filter(is_near).collect();
        found.iter().for_each(|&(p, q)| self.join(p, q));
        found
    }

    /// Returns the old and the new parts that have no match yet.
    fn left_over(&self) -> [Vec<usize>; 2] {
        [&self.of_old, &self.of_new]
            .map(|found| (0..found.len()).filter(|&part| found[part].is_none()).collect())
    }
}

fn digests(part: &PartRow) -> (blake3::Hash, blake3::Hash) {
    (part.mesh_digest, part.pose_digest)
}

/// Returns the old and the new parts of each key. Keys that several parts would share differ by `~2`, `~3`
/// and so on. The suffixes do not say which part is which, so these keys count as one.
fn by_key(old: &[PartRow], new: &[PartRow]) -> Vec<[Vec<usize>; 2]> {
    let keys: HashSet<&str> = old.iter().chain(new).map(|part| &part.key[..]).collect();
    let shared = |key| match str::rsplit_once(key, '~') {
        Some((own, copy)) if keys.contains(own) && copy.bytes().all(|b| b.is_ascii_digit()) => own,
        _ => key,
    };
    let mut parts: BTreeMap<&str, [Vec<usize>; 2]> = BTreeMap::new();
    for (side, list) in [old, new].into_iter().enumerate() {
        for (index, part) in list.iter().enumerate() {
            parts.entry(shared(&part.key)).or_default()[side].push(index);
        }
    }
    parts.into_values().collect()
}

/// Returns the old and the new parts of each mesh that both have.
fn by_mesh(old: &[PartRow], new: &[PartRow], [olds, news]: [Vec<usize>; 2]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut parts: BTreeMap<&[u8; 32], (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for p in olds {
        parts.entry(old[p].mesh_digest.as_bytes()).or_default().0.push(p);
    }
    for q in news {
        parts.entry(new[q].mesh_digest.as_bytes()).or_default().1.push(q);
    }
    parts.into_values().filter(|(olds, news)| !olds.is_empty() && !news.is_empty()).collect()
}
