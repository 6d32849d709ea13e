//! Titles that say what kinds of parts a group is about: families of names, and types.

use crate::document::{Finding, PartRow};

/// The type of a part for grouping: its type or else its tags, if it has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type<'r> {
    /// Neither type nor tags.
    Unknown,
    /// The type that its file gives.
    Kind(&'r str),
    /// The tags of a part without a type.
    Tags(&'r [String]),
}

impl<'r> Type<'r> {
    pub fn of(part: &'r PartRow) -> Self {
        match &part.kind {
            Some(kind) => Self::Kind(kind),
            None if part.tags.is_empty() => Self::Unknown,
            None => Self::Tags(&part.tags),
        }
    }

    /// Returns the text that stands for the type in keys.
    pub fn subject(self) -> String {
        match self {
            Self::Unknown => String::new(),
            Self::Kind(kind) => format!("type {kind}"),
            Self::Tags(tags) => format!("tags {}", tags.join("\n")),
        }
    }

    /// Returns the text that stands for the type in titles.
    pub fn title(self) -> String {
        match self {
            Self::Unknown => "any".to_owned(),
            Self::Kind(kind) => kind.to_owned(),
            Self::Tags(tags) => tags.join(", "),
        }
    }
}

/// The mark of the metric families of a library of building parts.
const METRIC: &str = "M_";

/// Returns the title of a host's group, such as `Basic Wall:Party Wall x 4 Duplex Receptacle`: the host's
/// family, the number of others, and their family, else their type if they share one.
pub(super) fn of(host: &PartRow, pairs: &[&impl Finding], parts: &[PartRow]) -> String {
    let others: Vec<&PartRow> = pairs
        .iter()
        .filter_map(|pair| pair.sides().parts(parts).into_iter().find(|part| part.id != host.id))
        .collect();
    let common = |text: fn(&PartRow) -> Option<&str>| {
        let first = others.first().and_then(|part| text(part))?;
        others.iter().all(|part| text(part) == Some(first)).then_some(first)
    };
    let family_of_all = common(|part| Some(family(&part.name))).map(without_repeats);
    let what = family_of_all.or_else(|| common(|part| part.kind.as_deref()).map(str::to_owned));
    let count = if others.len() == 1 { String::new() } else { format!("{} ", others.len()) };
    let host = without_repeats(family(&host.name));
    format!("{host} x {count}{}", what.as_deref().unwrap_or("others"))
}

/// Returns a family without the words that exporters repeat: `Duplex Receptacle` of `M_Duplex
/// Receptacle:Duplex Receptacle:Duplex Receptacle`.
fn without_repeats(family: &str) -> String {
    let mut segments: Vec<&str> = family.strip_prefix(METRIC).unwrap_or(family).split(':').collect();
    segments.dedup_by_key(|segment| segment.trim());
    segments.join(":")
}

/// Returns a name without the numbers at its end that tell copies apart, as in `Basic Wall:Party:139234`,
/// `bolt_front_4` and `usb#1:57:54`. Digits that belong to a word stay, as in `M8`.
pub(super) fn family(name: &str) -> &str {
    let is_separator = |c: char| c.is_whitespace() || ":_#.~-([{/".contains(c);
    let mut family = name;
    loop {
        let unclosed = family.strip_suffix([')', ']', '}']).unwrap_or(family);
        let without_digits = unclosed.trim_end_matches(|c: char| c.is_ascii_digit());
        let shorter = without_digits.trim_end_matches(is_separator);
        // The digits have to be there, and to stand for themselves.
        let is_number = without_digits.len() < unclosed.len() && shorter.len() < without_digits.len();
        if shorter.is_empty() || !is_number {
            return family;
        }
        family = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_a_name_without_the_number_of_the_copy() {
        for (name, expected) in [
            ("Basic Wall:Party Wall:139234", "Basic Wall:Party Wall"),
            ("bolt_front_4", "bolt_front"),
            ("usb#1:57:54:56:55", "usb"),
            ("bolt[3]", "bolt"),
            ("plate (2)", "plate"),
            ("M8", "M8"),
            ("W410X60", "W410X60"),
            ("case (left)", "case (left)"),
            ("Partition (92 mm Stud):138", "Partition (92 mm Stud)"),
            ("12", "12"),
            ("_7", "_7"),
            ("", ""),
            ("Wand ß 7", "Wand ß"),
        ] {
            assert_eq!(family(name), expected);
        }
    }
}
