//! Parts as people name them: by a name, a key or an id, or as a table, a page or a file prints them.

use std::collections::{BTreeSet, HashMap};

use crate::document::{PartRow, pair_key};
use crate::table::{brief, number_behind, spoken};
use closefit_geometry::ids::to_u32;
use closefit_geometry::scene::Scene;
use closefit_geometry::text::printable;
use closefit_scene::keys::PartKeys;
use closefit_scene::similar_names::did_you_mean;

/// The number of hexadecimal digits of the key of a pair or a group.
const KEY_DIGITS: usize = 20;

/// True if a text looks like the key of a pair or a group.
pub fn is_key(text: &str) -> bool {
    text.len() == KEY_DIGITS && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The parts of a scene or of a report, which people name.
#[derive(Clone, Debug)]
pub struct NamedParts<'n> {
    parts: Vec<Named<'n>>,
}

#[derive(Clone, Debug)]
struct Named<'n> {
    model: &'n str,
    name: &'n str,
    key: &'n str,
}

impl<'n> NamedParts<'n> {
    /// Makes the names of a scene's parts, which have these keys.
    pub fn of_scene(scene: &'n Scene, keys: &'n PartKeys) -> Self {
        let named = scene.parts.iter().zip(&keys.of_part);
        Self { parts: named.map(|(part, key)| Named { model: &part.model, name: &part.name, key }).collect() }
    }

    /// Makes the names of a report's parts.
    pub fn of_report(parts: &'n [PartRow]) -> Self {
        let named = |part: &'n PartRow| Named { model: &part.model, name: &part.name, key: &part.key };
        Self { parts: parts.iter().map(named).collect() }
    }

    /// Returns the index of the part that a text names: by its name, its key, its id as `7` or `#7`, or its
    /// name as tables show it, such as `bolt`, `bolt #7` or `Bas…ior #7`.
    ///
    /// # Errors
    /// The reason in one line, if it names no part, or several.
    pub fn one(&self, text: &str) -> Result<usize, String> {
        let text = text.trim_matches(' ');
        let named = || self.indices(|part| part.name == text);
        let keyed = || self.indices(|part| part.key == text);
        let numbered = || self.numbered(text).into_iter().collect();
        let ways: [&dyn Fn() -> Vec<usize>; 4] = [&named, &keyed, &numbered, &|| self.shown(text)];
        match &ways.iter().map(|way| way()).find(|found| !found.is_empty()).unwrap_or_default()[..] {
            [] => Err(self.unknown(text)),
            [one] => Ok(*one),
            _ => Err(format!("several parts are called '{text}': give keys or ids, as the report does")),
        }
    }

    /// Returns the two parts of `A,B`, or of `A x B` as files print it, or of a pair's key. If names contain
    /// commas, the first comma with a part on both sides separates them.
    ///
    /// # Errors
    /// The problem with the first way to separate them.
    pub fn two(&self, text: &str) -> Result<[usize; 2], String> {
        let split = |separator: &'static str| {
            let places = text.match_indices(separator);
            places.map(move |(at, _)| [&text[..at], &text[at + separator.len()..]])
        };
        let mut refusal = None;
        let most = self.most_commas();
        let is_short = |text: &str| text.matches(',').count() <= most;
        for (place, [a, b]) in split(",").chain(split(" x ")).enumerate() {
            // The first way is the one whose problem is named.
            if place > 0 && !(is_short(a) && is_short(b)) {
                continue;
            }
            match (self.one(a), self.one(b)) {
                (Ok(a), Ok(b)) if a == b => {
                    refusal.get_or_insert_with(|| "it needs two different parts".to_owned());
                }
                (Ok(a), Ok(b)) => return Ok([a, b]),
                (Err(error), _) | (_, Err(error)) => {
                    refusal.get_or_insert(error);
                }
            }
        }
        let of_key = self.pair_of_key(text.trim());
        of_key.ok_or_else(|| refusal.unwrap_or_else(|| "it needs two parts: A,B".to_owned()))
    }

    /// Returns the ids of the parts of `A,B,...`, and how many names there are. A name stands for all parts
    /// that have it, in full or as tables show it; of names with commas, the longest are taken.
    ///
    /// # Errors
    /// A name that no part has.
    pub fn list(&self, text: &str) -> Result<(BTreeSet<u32>, usize), String> {
        let mut called: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, part) in self.parts.iter().enumerate() {
            let of_part = BTreeSet::from([part.name, brief(part.name), part.key]);
            of_part.into_iter().for_each(|name| called.entry(name).or_default().push(index));
        }
        let known = |name: &str| match called.get(name) {
            Some(parts) => parts.clone(),
            None => self.numbered(name).into_iter().collect(),
        };
        let most = self.most_commas();
        let (mut found, mut names, mut rest) = (BTreeSet::new(), 0, Some(text));
        while let Some(text) = rest {
            let commas = text.match_indices(',').map(|(comma, _)| comma);
            let ends: Vec<usize> = commas.chain([text.len()]).take(most + 1).collect();
            let first_of = |parts: &dyn Fn(&str) -> Vec<usize>| {
                let mut longest_first = ends.iter().rev().map(|&end| (end, parts(&text[..end])));
                longest_first.find(|(_, parts)| !parts.is_empty())
            };
            let shown = |name: &str| self.shown(name.trim());
            let found_here = first_of(&known).or_else(|| first_of(&shown));
            let refused = || self.unknown(&text[..text.find(',').unwrap_or(text.len())]);
            let (end, parts) = found_here.ok_or_else(refused)?;
            found.extend(parts.into_iter().map(to_u32));
            names += 1;
            rest = text.get(end + 1..);
        }
        Ok((found, names))
    }

    /// Returns the largest number of commas in a text that names a part.
    fn most_commas(&self) -> usize {
        let texts = self.parts.iter().map(|part| [part.model, part.name, part.key]);
        texts.map(|texts| texts.iter().map(|text| text.matches(',').count()).sum()).max().unwrap_or(0)
    }

    fn indices(&self, is_meant: impl Fn(&Named) -> bool) -> Vec<usize> {
        (0..self.parts.len()).filter(|&index| is_meant(&self.parts[index])).collect()
    }

    /// Returns the part with the id `7` or `#7`.
    fn numbered(&self, text: &str) -> Option<usize> {
        text.trim_start_matches('#').parse().ok().filter(|&id| id < self.parts.len())
    }

    /// Returns the parts that tables may show as this text.
    fn shown(&self, text: &str) -> Vec<usize> {
        let with_id = text.rsplit_once(" #").and_then(|(label, id)| Some((label, self.numbered(id)?)));
        match with_id.filter(|&(label, id)| self.parts[id].is_shown_as(label)) {
            Some((_, id)) => vec![id],
            None => self.indices(|part| part.is_shown_as(text)),
        }
    }

    /// Returns the two parts whose pair has a key.
    fn pair_of_key(&self, key: &str) -> Option<[usize; 2]> {
        if !is_key(key) {
            return None;
        }
        let mut all = (0..self.parts.len()).flat_map(|a| (0..a).map(move |b| [b, a]));
        all.find(|&[a, b]| *pair_key(self.parts[a].key, self.parts[b].key) == *key)
    }

    fn unknown(&self, text: &str) -> String {
        let names = self.parts.iter().map(|part| part.name);
        let known = names.chain(self.parts.iter().map(|part| part.key));
        format!("there is no part '{text}'{}", did_you_mean(text, known))
    }
}

impl Named<'_> {
    /// True if a table may show the part as this text: the name without the numbers of exporters, or with one
    /// of them, shortened, and with its model in front.
    fn is_shown_as(&self, text: &str) -> bool {
        let stem = printable(brief(self.name));
        let whole = printable(self.name);
        let numbered = format!("{stem}{}", printable(number_behind(self.name)));
        let spoken = printable(&spoken(self.name));
        // Tables leave out what the names of all models begin with.
        let with_model = format!("…{text}");
        let in_model =
            |name: &String| is_shortened(&format!("{}:{name}", printable(self.model)), &with_model);
        !text.is_empty()
            && ([&stem, &whole, &numbered, &spoken].iter().any(|name| is_shortened(name, text))
                || text.contains(':') && [&stem, &whole, &numbered].into_iter().any(in_model))
    }
}

/// True if a text is this one, or what is left of it where `…` stands for anything.
fn is_shortened(whole: &str, text: &str) -> bool {
    let Some((head, tail)) = text.split_once('…') else { return whole == text };
    let Some(mut rest) = whole.strip_prefix(head) else { return false };
    let pieces: Vec<&str> = tail.split('…').collect();
    let (last, between) = pieces.split_last().expect("a split has a piece");
    for piece in between {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<'n>(names: &[&'n str]) -> NamedParts<'n> {
        let part = |name: &&'n str| Named { model: "house", name, key: name };
        NamedParts { parts: names.iter().map(part).collect() }
    }

    const WALLS: [&str; 5] =
        ["Wall:Brick:138062", "Wall:Brick:138063", "dayton#1:192:190", "a,b", "case x lid"];

    #[test]
    fn what_a_table_prints_names_its_part() {
        let parts = named(&WALLS);
        for (text, expected) in [
            ("dayton", 2),
            ("Wall:Brick #1", 1),
            ("Wal…ick:138063", 1),
            ("Wa…k #0", 0),
            ("day…on", 2),
            ("house:dayton", 2),
            ("use:Wall:Brick:138063", 1),
            ("Brick 138063", 1),
            ("use:day…n", 2),
            (" dayton ", 2),
            ("#3", 3),
            ("a,b", 3),
        ] {
            assert_eq!(parts.one(text), Ok(expected), "{text}");
        }
        let several = "several parts are called 'Wall:Brick': give keys or ids, as the report does";
        assert_eq!(parts.one("Wall:Brick"), Err(several.to_owned()));
        for text in ["Wall", "", "…x", "Wall:Brick #2", "5", "day…on…z"] {
            assert!(parts.one(text).is_err(), "{text}");
        }
    }

    #[test]
    fn two_parts_are_separated_as_files_do() {
        let parts = named(&WALLS);
        let key = pair_key("a,b", "dayton#1:192:190");
        for text in ["dayton,a,b", "dayton, a,b", "dayton x a,b", "2,3", "dayt…n,#3"] {
            assert_eq!(parts.two(text), Ok([2, 3]), "{text}");
        }
        assert_eq!(parts.two(&key).map(BTreeSet::from), Ok(BTreeSet::from([2, 3])));
        assert_eq!(parts.two("case x lid x dayton"), Ok([4, 2]));
        assert_eq!(parts.two("dayton"), Err("it needs two parts: A,B".to_owned()));
        assert_eq!(parts.list("Wa…k #0,dayton"), Ok(([0, 2].into(), 2)));
        // As many ways to divide a list as it has commas would take minutes.
        let many = "dayton,".repeat(20_000) + "a,b";
        assert_eq!(parts.list(&many), Ok(([2, 3].into(), 20_001)));
        assert!(parts.two(&many).is_err());
    }
}
