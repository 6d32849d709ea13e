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
    let what = common(|part| Some(family(&part.name))).or_else(|| common(|part| part.kind.as_deref()));
    let count = if others.len() == 1 { String::new() } else { format!("{} ", others.len()) };
    format!("{} x {count}{}", family(&host.name), what.unwrap_or("others"))
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
