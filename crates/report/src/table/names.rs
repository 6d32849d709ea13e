//! Names of parts as a table shows them: short, and never two alike.
//!
//! Exporters put numbers behind names, such as `Basic Wall:Interior - Partition:138584` (Revit) or
//! `bracket#1:57:54` (STEP). They return only where two parts of the table would read the same.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use unicode_width::UnicodeWidthStr;

use super::fit::elided;
use crate::document::PartRow;
use closefit_geometry::parallel;
use closefit_geometry::text::printable;

/// Returns a name without the numbers that exporters put behind it, and without a repetition before them:
/// `Basic Wall:Exterior` of `Basic Wall:Exterior:138062`, `Door:Single` of `Door:Single:Single:146596`, and
/// `bracket` of `bracket#1:57:54`.
pub fn brief(name: &str) -> &str {
    let (stem, numbers) = split(name);
    let repeated = stem.rsplit_once(':').filter(|(front, last)| front.rsplit(':').next() == Some(*last));
    repeated.filter(|_| !numbers.is_empty()).map_or(stem, |(front, _)| front)
}

/// Returns the numbers that an exporter put behind a name, such as `:138062`; nothing if there are none.
pub fn number_behind(name: &str) -> &str {
    split(name).1
}

/// Returns a name as people say it, which is how pages show it: `Panelboard 575479` of
/// `M_Lighting:Panelboard:575479`, `Range 760 x 650mm 575492` of `M_Range:760 x 650mm:575492`. Other names
/// are brief.
pub fn spoken(name: &str) -> String {
    let number = number_behind(name).strip_prefix(':').filter(|number| !number.is_empty());
    let Some(number) = number else { return brief(name).to_owned() };
    let mut segments = brief(name).split(':').map(str::trim).filter(|segment| !segment.is_empty());
    let (kind, last) = (segments.next().unwrap_or_default(), segments.next_back());
    match last {
        // A size says nothing alone.
        Some(size) if size.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{} {size} {number}", kind.strip_prefix("M_").unwrap_or(kind))
        }
        last => format!("{} {number}", last.unwrap_or(kind)),
    }
}

/// Returns the name of one part for a line of text, no wider than the number given to the function returned:
/// as people say it, with the index of the part if another is called the same.
pub(super) fn alone(part: usize, parts: &[PartRow]) -> impl Fn(usize) -> String {
    let own = spoken(&parts[part].name);
    let is_same = |other: usize| usize::from(spoken(&parts[other].name) == own);
    let same = parallel::reduce(parts.len(), parallel::SMALL, is_same, |a, b| a + b).unwrap_or(0);
    let name = Name { model: None, stem: printable(&own), number: String::new(), repeated: false };
    let is_clear = same == 1 && !own.is_empty();
    move |widest| if is_clear { name.label(widest) } else { name.indexed(part, widest) }
}

/// Splits a name into what people wrote and the numbers that an exporter put behind it, which may be none.
fn split(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '#'));
    let tail = &name[stem.len()..];
    let chain = tail.find('#').filter(|&start| tail[start..].contains(':'));
    let id = tail.rfind(':').filter(|&start| tail.len() - start > DIGITS);
    match chain.or(id) {
        Some(start) if stem.len() + start > 0 => name.split_at(stem.len() + start),
        _ => (name, ""),
    }
}

/// The digits that an id behind a colon has at least: shorter numbers are sizes and counts.
const DIGITS: usize = 4;

/// A part in a column: its *side*, which counts the columns with parts, and the index of the part.
pub(super) type Place = (usize, usize);

/// The names of the parts at all places of a table, as they are shown.
pub(super) type Labels = BTreeMap<Place, String>;

/// The names of the parts of a table.
pub(super) struct Names {
    of_place: BTreeMap<Place, Name>,
    /// The model of each side that has only one, where the table has several.
    pub model_of_side: BTreeMap<usize, String>,
}

struct Name {
    /// The model, if its side has several and the name is not the model's.
    model: Option<String>,
    /// The text that is always shown.
    stem: String,
    /// The text behind it, shown if `stem` is another part's, too.
    number: String,
    /// True if others in the scene have the same name.
    repeated: bool,
}

impl Names {
    /// Makes the names of the parts at some places of a table.
    pub fn of<P: Borrow<PartRow>>(parts: &[P], places: &BTreeSet<Place>) -> Self {
        let parts: Vec<&PartRow> = parts.iter().map(Borrow::borrow).collect();
        let models = Models::of(&parts, places);
        let called = |part: usize| (&*parts[part].model, &*parts[part].name);
        let uses: HashMap<_, AtomicU32> =
            places.iter().map(|&(_, part)| (called(part), AtomicU32::new(0))).collect();
        parallel::for_each(parts.len(), parallel::SMALL, &|part| {
            if let Some(uses) = uses.get(&called(part)) {
                uses.fetch_add(1, Relaxed);
            }
        });
        let name = |&(side, part): &Place| Name {
            model: models.in_front(side, parts[part]),
            repeated: uses[&called(part)].load(Relaxed) > 1,
            ..Name::of(&parts[part].name)
        };
        let mut of_place: BTreeMap<Place, Name> = places.iter().map(|place| (*place, name(place))).collect();
        let mut parts_called: HashMap<(&str, String), BTreeSet<usize>> = HashMap::new();
        for (&(_, part), name) in &of_place {
            parts_called.entry((&parts[part].model, name.stem.clone())).or_default().insert(part);
        }
        for (&(_, part), name) in &mut of_place {
            if parts_called[&(&*parts[part].model, name.stem.clone())].len() == 1 {
                name.number.clear();
            }
        }
        Self { of_place, model_of_side: models.of_whole_sides() }
    }

    /// Returns the names for people, no wider than `widest` says for each side if possible, and with the
    /// index if a name as shown is ambiguous, as in `bolt #3`.
    pub fn labels(&self, widest: impl Fn(usize) -> usize) -> Labels {
        let label = |(&place, name): (&Place, &Name)| (place, name.label(widest(place.0)));
        let mut labels: Labels = self.of_place.iter().map(label).collect();
        let mut parts_called: HashMap<&str, BTreeSet<usize>> = HashMap::new();
        for (&(_, part), label) in &labels {
            parts_called.entry(label).or_default().insert(part);
        }
        let unclear = |place: &&Place| {
            let name = &self.of_place[*place];
            name.repeated || name.stem.is_empty() || parts_called[&labels[*place][..]].len() > 1
        };
        let unclear: Vec<Place> = labels.keys().filter(unclear).copied().collect();
        for place in unclear {
            labels.insert(place, self.of_place[&place].indexed(place.1, widest(place.0)));
        }
        labels
    }
}

impl Name {
    fn of(name: &str) -> Self {
        let (stem, number) = (brief(name), split(name).1);
        // One number is an id that people look for; a chain of them is not.
        let number = if number.starts_with(':') { printable(number) } else { String::new() };
        Self { model: None, stem: printable(stem), number, repeated: false }
    }

    /// Returns the name, no wider than `widest`, with the number behind it if something of the name is left.
    fn label(&self, widest: usize) -> String {
        match widest.checked_sub(self.number.width()) {
            Some(room) if room >= NARROWEST => self.without_number(room) + &self.number,
            _ => self.without_number(widest),
        }
    }

    /// Returns the name with the index of the part instead of a number.
    fn indexed(&self, part: usize, widest: usize) -> String {
        let index = format!(" #{part}");
        let room = widest.saturating_sub(index.len());
        let name = if room == 0 { String::new() } else { self.without_number(room) };
        (name + &index).trim_start().to_owned()
    }

    fn without_number(&self, widest: usize) -> String {
        let Some(model) = &self.model else { return elided(&self.stem, widest) };
        let whole = format!("{model}:{}", self.stem);
        if whole.width() <= widest || widest < 2 * NARROWEST {
            return elided(&whole, widest);
        }
        // The width that the name leaves, but at least a third.
        let model = elided(model, (widest / 3).max(widest.saturating_sub(self.stem.width() + 1)));
        let name = elided(&self.stem, widest.saturating_sub(model.width() + 1));
        format!("{model}:{name}")
    }
}

/// The smallest width of a name that still says something.
const NARROWEST: usize = 4;

/// The models of a table's parts.
struct Models<'a> {
    /// The models of each side: the name, and whether the file has one part, such as an STL, whose name says
    /// the model already.
    of_side: BTreeMap<usize, BTreeSet<(&'a str, bool)>>,
    /// The length of the prefix that all names of models share.
    shared: usize,
    /// True if there is more than one model.
    are_several: bool,
}

impl<'a> Models<'a> {
    fn of(parts: &[&'a PartRow], places: &BTreeSet<Place>) -> Self {
        let mut of_side: BTreeMap<usize, BTreeSet<(&str, bool)>> = BTreeMap::new();
        for &(side, part) in places {
            let PartRow { model, name, .. } = parts[part];
            of_side.entry(side).or_default().insert((model, model == name));
        }
        let all: BTreeSet<&str> = of_side.values().flatten().map(|&(model, _)| model).collect();
        Self { shared: shared_beginning(&all), are_several: all.len() > 1, of_side }
    }

    /// Returns the model to put in front of the name of a part on this side, if any.
    fn in_front(&self, side: usize, part: &PartRow) -> Option<String> {
        let several = self.of_side[&side].len() > 1;
        (several && part.model != part.name).then(|| self.shown(&part.model))
    }

    /// Returns the model of each side that has only one, if the table has several.
    fn of_whole_sides(&self) -> BTreeMap<usize, String> {
        let only = |models: &BTreeSet<(&str, bool)>| match models.first() {
            Some((model, false)) if models.len() == 1 && self.are_several => Some(self.shown(model)),
            _ => None,
        };
        self.of_side.iter().filter_map(|(&side, models)| Some((side, only(models)?))).collect()
    }

    fn shown(&self, model: &str) -> String {
        printable(&model[self.shared..])
    }
}

/// Returns the length of what several models all begin with, up to the last separator that leaves something
/// of each.
fn shared_beginning(models: &BTreeSet<&str>) -> usize {
    let (Some(first), Some(last)) = (models.first(), models.last()) else { return 0 };
    // What the lowest and the highest share, all do.
    let same = first.char_indices().zip(last.chars()).take_while(|((_, c), d)| c == d);
    let ends = same.filter(|((_, c), _)| matches!(c, '_' | '-' | '.' | ' ' | '/'));
    let longest = ends.map(|((start, _), _)| start + 1).last().unwrap_or(0);
    if models.len() > 1 && models.iter().all(|model| model.len() > longest) { longest } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn labels(parts: &[PartRow], widest: usize) -> Vec<String> {
        let places = (0..parts.len()).map(|part| (0, part)).collect();
        Names::of(parts, &places).labels(|_| widest).into_values().collect()
    }

    fn named(names: [&str; 4]) -> Vec<PartRow> {
        let mut parts = testing::parts();
        for (part, name) in parts.iter_mut().zip(names) {
            part.name = name.into();
        }
        parts
    }

    #[test]
    fn numbers_of_exporters_are_left_out() {
        for (name, expected) in [
            (
                "Basic Wall:Interior - Partition (92mm Stud):138584",
                "Basic Wall:Interior - Partition (92mm Stud)",
            ),
            ("M_Single-Flush:1250mm x 2010mm:1250mm x 2010mm:146596", "M_Single-Flush:1250mm x 2010mm"),
            ("Floor:127:143106", "Floor:127"),
            ("satellite_back#1:5:2:4:3", "satellite_back"),
            ("part1#1:5", "part1"),
        ] {
            assert_eq!(brief(name), expected);
        }
        for name in
            ["", "M8", "bolt#12", "#4", "1:75", "138062", ":138062", "#1:5", "level:3", "a:a", "x2024"]
        {
            assert_eq!(brief(name), name);
        }
    }

    #[test]
    fn numbers_return_where_two_parts_would_read_the_same() {
        let walls = ["Wall:Brick:138062", "Wall:Brick:138063", "Wall:Stud:139143", "bracket#1:5:2"];
        assert_eq!(
            labels(&named(walls), 40),
            ["Wall:Brick:138062", "Wall:Brick:138063", "Wall:Stud", "bracket"]
        );
        assert_eq!(labels(&named(walls), 15)[..2], ["Wall…ick:138062", "Wall…ick:138063"]);
        assert_eq!(labels(&named(walls), 9)[..3], ["Wal…ck #0", "Wal…ck #1", "Wall:Stud"]);
        // A chain of numbers says nothing to anybody.
        let brackets = ["bracket#1:5:2", "bracket#1:5:3", "bracket", "x"];
        assert_eq!(labels(&named(brackets), 40), ["bracket #0", "bracket #1", "bracket #2", "x"]);
    }

    #[test]
    fn labels_tell_parts_apart() {
        let mut parts = testing::parts();
        assert_eq!(labels(&parts, 40), ["bolt #0", "nut", "bolt #2", "a,\"b\"\\n"]);
        parts[1].name = "".into();
        assert_eq!(labels(&parts, 40)[1], "#1");
        let long = ["1", "2", "3", "4"].map(|end| format!("{}{end}{}", "x".repeat(25), "y".repeat(25)));
        assert_eq!(labels(&named([&long[0], &long[1], &long[2], &long[3]]), 12)[3], "xxxx…yyyy #3");
    }

    #[test]
    fn a_name_alone_is_as_people_say_it() {
        for (name, expected) in [
            ("M_Range:760 x 650mm:760 x 650mm:575492", "Range 760 x 650mm 575492"),
            ("Basic Wall:Exterior - Brick:138237", "Exterior - Brick 138237"),
            ("Wall:138237", "Wall 138237"),
            ("bolt_front_4", "bolt_front_4"),
            ("Floor:127:143106", "Floor 127 143106"),
        ] {
            assert_eq!(spoken(name), expected);
        }
        let parts = named(["Basic Wall:Brick:138062", "bracket#1:5:2", "bracket#1:5:3", "nut"]);
        let names: Vec<String> = (0..4).map(|part| alone(part, &parts)(60)).collect();
        assert_eq!(names, ["Brick 138062", "bracket #1", "bracket #2", "nut"]);
        assert_eq!(alone(0, &parts)(8), "Bric…062");
    }

    #[test]
    fn models_are_in_front_where_a_side_has_several() {
        let mut parts = named(["bolt", "a", "bolt", "a name of thirty characters ..."]);
        for (part, model) in parts.iter_mut().zip(["A", "a", "B_revision_12", "B_revision_12"]) {
            part.model = model.into(); // the second is a file of one part
        }
        assert_eq!(labels(&parts, 60)[..3], ["A:bolt", "a", "B_revision_12:bolt"]);
        assert_eq!(labels(&parts, 15), ["A:bolt", "a", "B_rev…n_12:bolt", "B_…12:a na… ..."]);
        parts[2].model = "A".into();
        assert_eq!(labels(&parts, 60)[..3], ["A:bolt #0", "a", "A:bolt #2"]);
        let names = Names::of(&parts, &[(0, 0), (0, 2), (1, 3), (2, 1)].into());
        assert_eq!(names.labels(|_| 60)[&(1, 3)], "a name of thirty characters ...");
        assert_eq!(names.model_of_side, [(0, "A".to_owned()), (1, "B_revision_12".to_owned())].into());
    }

    #[test]
    fn models_lose_what_they_all_begin_with() {
        let shared = |models: &[&str]| shared_beginning(&models.iter().copied().collect());
        assert_eq!(shared(&["Duplex_A", "Duplex_E"]), "Duplex_".len());
        assert_eq!(shared(&["Duplex_A_1", "Duplex_Electric"]), "Duplex_".len());
        for models in [&["Duplex_A"][..], &["ab", "ac"], &["a_", "a_b"], &[]] {
            assert_eq!(shared(models), 0);
        }
    }
}
