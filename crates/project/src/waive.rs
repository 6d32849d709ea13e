//! Waivers: findings that are accepted as long as they are no worse.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use crate::fault::{Fault, quoted};
use crate::rules::{GivenLength, sides, visible};
use crate::selector::{GroupNames, Selector};
use crate::source::{Fields, Node};
use closefit_geometry::units::Unit;

/// An accepted finding.
#[derive(Clone, Debug)]
pub struct Waiver {
    /// The pairs, by their keys; empty if it is about two sides.
    pub pairs: Vec<String>,
    /// The digests of both parts with which it was accepted.
    pub digests: Option<[String; 2]>,
    /// True if it holds only while the parts have these digests.
    pub pinned: bool,
    /// The reason.
    pub reason: String,
    /// The sides, if it is not about single pairs.
    pub(crate) sides: Option<[Selector; 2]>,
    /// The largest depth that is accepted.
    pub(crate) up_to: GivenLength,
}

impl Waiver {
    pub(crate) fn read(node: &Node, unit: Option<Unit>, groups: &GroupNames) -> Result<Self, Fault> {
        Self::of(node, unit, groups).map_err(|fault| fault.of("waive"))
    }

    fn of(node: &Node, unit: Option<Unit>, groups: &GroupNames) -> Result<Self, Fault> {
        let mut fields = Fields::of("a waive", node)?;
        let pairs = fields.take("pairs").map(|node| hashes(node, 20)).transpose()?.unwrap_or_default();
        let sides = sides(&mut fields, groups)?;
        if pairs.is_empty() == sides.is_none() {
            return Err(Fault::new(node.at, "it needs either 'pairs', or 'a' and perhaps 'b'"));
        }
        let up_to = GivenLength::read(fields.require("up_to")?, unit)?;
        let reason = visible(fields.require("reason")?)?;
        let pinned = fields.take("pinned").map(Node::bool).transpose()?.unwrap_or(false);
        let digests = fields.take("digests").map(two_digests).transpose()?;
        if pinned && (digests.is_none() || pairs.len() != 1) {
            return Err(Fault::new(node.at, "pinned = true needs the 'digests' of the parts of one pair"));
        }
        fields.finish()?;
        Ok(Self { pairs, digests, pinned, reason, sides, up_to })
    }

    /// Returns all that it says, if it is about single pairs: two of them with equal contents are the same.
    /// `None` if it is about two sides.
    pub(crate) fn contents(&self) -> Option<impl Eq + Hash> {
        let said = || (&self.pairs, &self.digests, self.pinned, &self.reason, self.up_to.size.to_string());
        self.sides.is_none().then(said)
    }
}

fn two_digests(node: &Node) -> Result<[String; 2], Fault> {
    let digests = hashes(node, 64)?;
    digests.try_into().map_err(|_| Fault::new(node.at, "'digests' are two, one of each part"))
}

/// Reads hashes of a number of hexadecimal digits.
fn hashes(node: &Node, digits: usize) -> Result<Vec<String>, Fault> {
    let hash = |node: &Node| {
        let text = node.text()?;
        let is_hash = text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let refused = || Fault::new(node.at, format!("{} is not {digits} hexadecimal digits", quoted(text)));
        is_hash.then(|| text.to_owned()).ok_or_else(refused)
    };
    node.one_or_more()?.iter().map(hash).collect()
}

/// A waiver for one scene.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledWaiver {
    /// The reason.
    pub reason: String,
    /// The largest depth that it accepts, in the scene's unit.
    pub up_to: f64,
    /// That depth as it is written.
    pub shown: String,
    /// The digests of both parts, if it holds only while these are as they were.
    pub pinned: Option<[String; 2]>,
    /// The digests of both parts with which it was accepted, if they are known.
    digests: Option<[String; 2]>,
    /// The pairs, by their keys; empty if it is about two sides.
    pairs: Vec<String>,
    /// True for each part of either side, if it is about two sides.
    sides: Option<[Vec<bool>; 2]>,
}

/// The waivers of a rules file for one scene.
#[derive(Clone, Debug, Default)]
pub struct Waivers {
    /// All of them, in the order of the file.
    pub all: Vec<CompiledWaiver>,
    by_pair: HashMap<String, Vec<usize>>,
}

impl Waivers {
    /// Makes the waivers for a scene with this unit; `select` says which parts a selector means.
    pub(crate) fn new(
        waivers: &[Waiver],
        unit: Option<Unit>,
        mut select: impl FnMut(&Selector) -> Vec<bool>,
    ) -> Result<Self, Fault> {
        let mut made = Self::default();
        for (index, waiver) in waivers.iter().enumerate() {
            for pair in &waiver.pairs {
                made.by_pair.entry(pair.clone()).or_default().push(index);
            }
            made.all.push(CompiledWaiver {
                reason: waiver.reason.clone(),
                up_to: waiver.up_to.in_unit(unit).map_err(|fault| fault.of("waive: up_to"))?,
                shown: waiver.up_to.size.to_string(),
                pinned: waiver.digests.clone().filter(|_| waiver.pinned),
                digests: waiver.digests.clone(),
                pairs: waiver.pairs.clone(),
                sides: waiver.sides.as_ref().map(|sides| sides.each_ref().map(&mut select)),
            });
        }
        Ok(made)
    }

    /// Returns the waivers that are about a pair, by its key and the ids of its parts, in order.
    pub fn about(&self, key: &str, [a, b]: [u32; 2]) -> Vec<usize> {
        let [a, b] = [a as usize, b as usize];
        let meets = |waiver: &CompiledWaiver| {
            waiver.sides.as_ref().is_some_and(|[x, y]| x[a] && y[b] || x[b] && y[a])
        };
        let by_sides = self.all.iter().enumerate().filter(|(_, waiver)| meets(waiver)).map(|(at, _)| at);
        let mut found: Vec<usize> =
            self.by_pair.get(key).into_iter().flatten().copied().chain(by_sides).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Lets each waiver of one pair that is not listed follow its two parts under other names: it is then
    /// about the first listed pair of parts with its digests that no waiver names. Returns the number of
    /// waivers that do. `pins` gives the digests of the parts of a listed pair.
    pub fn follow<'k>(
        &mut self,
        listed: impl Iterator<Item = &'k str> + Clone,
        pins: impl Fn(usize) -> [String; 2],
    ) -> usize {
        let keys: HashSet<&str> = listed.clone().collect();
        let is_lost = |waiver: &CompiledWaiver| {
            waiver.digests.is_some() && waiver.pairs.len() == 1 && !keys.contains(&waiver.pairs[0][..])
        };
        let lost: Vec<usize> = (0..self.all.len()).filter(|&index| is_lost(&self.all[index])).collect();
        if lost.is_empty() {
            return 0;
        }
        let sorted = |mut pins: [String; 2]| {
            pins.sort_unstable();
            pins
        };
        let mut by_pins: HashMap<[String; 2], VecDeque<&str>> = HashMap::new();
        for (place, key) in listed.enumerate().filter(|(_, key)| !self.by_pair.contains_key(*key)) {
            by_pins.entry(sorted(pins(place))).or_default().push_back(key);
        }
        let (mut followed, mut now_called) = (0, HashMap::<String, &str>::new());
        for index in lost {
            let waiver = &self.all[index];
            let found = waiver.digests.clone().map(sorted).and_then(|digests| by_pins.get_mut(&digests));
            let old = &waiver.pairs[0];
            // Several waivers of one pair follow it together.
            let new = now_called.get(old).copied();
            let Some(new) = new.or_else(|| found.and_then(VecDeque::pop_front)) else { continue };
            now_called.insert(old.clone(), new);
            self.by_pair.remove(old);
            self.by_pair.entry(new.to_owned()).or_default().push(index);
            followed += 1;
        }
        followed
    }

    /// Returns a note for each waiver that is about no listed pair, of their keys and ids.
    pub fn idle<'k>(&self, listed: impl Iterator<Item = (&'k str, [u32; 2])>) -> Vec<String> {
        let mut is_idle = vec![true; self.all.len()];
        let mut missing: HashSet<&str> = self.by_pair.keys().map(|key| &key[..]).collect();
        for (key, ids) in listed {
            missing.remove(key);
            self.about(key, ids).into_iter().for_each(|waiver| is_idle[waiver] = false);
        }
        let note = |(waiver, is_idle): (&CompiledWaiver, bool)| {
            let reason = quoted(&waiver.reason);
            match waiver.pairs.iter().find(|pair| missing.contains(&pair[..])) {
                Some(pair) => Some(format!(
                    "waive {reason}: the pair {pair} is not listed: it is clear now, or its parts are gone"
                )),
                None => is_idle.then(|| format!("waive {reason} is about no listed pair")),
            }
        };
        self.all.iter().zip(is_idle).filter_map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waivers_are_about_keys_or_sides() {
        let waiver = |pairs: &[&str], sides: Option<[Vec<bool>; 2]>| CompiledWaiver {
            reason: "why".into(),
            up_to: 1.0,
            shown: "1".into(),
            pinned: None,
            digests: None,
            pairs: pairs.iter().map(|&pair| pair.to_owned()).collect(),
            sides,
        };
        let sides = Some([vec![true, false, false], vec![false, true, true]]);
        let all = vec![waiver(&["x", "y"], None), waiver(&[], sides), waiver(&["x"], None)];
        let by_pair = HashMap::from([("x".to_owned(), vec![0, 2]), ("y".to_owned(), vec![0])]);
        let waivers = Waivers { all, by_pair };
        assert_eq!(waivers.about("x", [0, 1]), [0, 1, 2]);
        assert_eq!(waivers.about("z", [1, 0]), [1], "either way round");
        assert!(waivers.about("z", [1, 2]).is_empty());
        let notes = waivers.idle([("x", [1, 2])].into_iter());
        assert_eq!(notes.len(), 2);
        assert!(notes[0].contains("the pair y is not listed") && notes[1].ends_with("no listed pair"));
        assert!(waivers.idle([("x", [0, 1]), ("y", [0, 1])].into_iter()).is_empty());
    }

    #[test]
    fn waivers_follow_parts_with_their_digests() {
        let waiver = |pair: &str, digests: [&str; 2]| CompiledWaiver {
            reason: pair.into(),
            up_to: 1.0,
            shown: "1".into(),
            pinned: None,
            digests: Some(digests.map(str::to_owned)),
            pairs: vec![pair.to_owned()],
            sides: None,
        };
        let all = vec![
            waiver("a", ["1", "2"]),
            waiver("b", ["2", "1"]),
            waiver("kept", ["3", "4"]),
            waiver("gone", ["5", "6"]),
            waiver("a", ["1", "2"]),
        ];
        let by_pair = [("a", vec![0, 4]), ("b", vec![1]), ("kept", vec![2]), ("gone", vec![3])];
        let by_pair = by_pair.map(|(key, waivers)| (key.to_owned(), waivers)).into();
        let mut waivers = Waivers { all, by_pair };
        let listed = [("new", ["2", "1"]), ("kept", ["3", "4"]), ("other", ["1", "2"]), ("more", ["5", "7"])];
        let keys = listed.map(|(key, _)| key);
        assert_eq!(waivers.follow(keys.into_iter(), |place| listed[place].1.map(str::to_owned)), 3);
        let about = keys.map(|key| waivers.about(key, [0, 0]));
        assert_eq!(about, [vec![0, 4], vec![2], vec![1], vec![]]);
        let notes = waivers.idle(keys.into_iter().map(|key| (key, [0, 0])));
        assert!(notes.len() == 1 && notes[0].contains("the pair gone is not listed"), "{notes:?}");
    }
}
