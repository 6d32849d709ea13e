//! The two sides of a run without a rules file: files against files, or sets of parts.

use std::fmt;
use std::str::FromStr;

use crate::fault::quoted;
use crate::glob::Patterns;
use crate::parts::Parts;
use crate::selector::{Field, Selector, field};

/// The reason for pairs of one side.
pub const SAME_SIDE: &str = "same side";

/// The reason for pairs with a part of no set.
pub const NOT_SELECTED: &str = "not selected";

/// The pairs that a user asks for.
#[derive(Clone, Debug)]
pub enum Sides {
    /// The pairs of one of the first so many parts and one of the others.
    Against(usize),
    /// The pairs within a set.
    Within(SetText),
    /// The pairs of one part of each set.
    Between([SetText; 2]),
}

/// A set of parts as the user types it: `type=IfcPipe*,model=A`. All keys must match, and of values for one
/// key any.
#[derive(Clone, Debug)]
pub struct SetText {
    text: String,
    selector: Selector,
}

/// The reason why a set was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetError(String);

/// Returns the terms of a set, which end at commas. A backslash before a comma keeps it in the pattern.
fn terms(text: &str) -> impl Iterator<Item = &str> {
    let mut is_escaped = false;
    text.split(move |c| {
        let ends = c == ',' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })
}

impl fmt::Display for SetText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.text)
    }
}

impl FromStr for SetText {
    type Err = SetError;

    fn from_str(text: &str) -> Result<Self, SetError> {
        let mut fields: Vec<(Field, Vec<(usize, String)>)> = Vec::new();
        for term in terms(text) {
            let (key, pattern) = term.split_once('=').ok_or_else(|| {
                SetError(format!("{} is no KEY=PATTERN, such as type=IfcPipe*", quoted(term)))
            })?;
            let field = field(key.trim(), 0).map_err(|fault| SetError(fault.why))?;
            let pattern = (0, pattern.trim().to_owned());
            match fields.iter_mut().find(|(known, _)| *known == field) {
                Some((_, patterns)) => patterns.push(pattern),
                None => fields.push((field, vec![pattern])),
            }
        }
        let all =
            fields.into_iter().map(|(field, patterns)| Ok(Selector::Field(field, Patterns::of(patterns)?)));
        let all = all.collect::<Result<_, crate::fault::Fault>>().map_err(|fault| SetError(fault.why))?;
        Ok(Self { text: text.to_owned(), selector: Selector::All(all) })
    }
}

/// Pairs of two sets that are not in the scope, and the reason.
pub(crate) type Unasked = ([Vec<bool>; 2], &'static str);

impl Sides {
    /// Returns the pairs of a scene that are not in the scope, and notes on sides without parts.
    pub(crate) fn unasked(&self, parts: &Parts, count: usize) -> (Vec<Unasked>, Vec<String>) {
        let within = |set: Vec<bool>| ([set.clone(), set], SAME_SIDE);
        let but = |set: Vec<bool>| ([set, vec![true; count]], NOT_SELECTED);
        let select = |set: &SetText| parts.selected(&set.selector, &[]);
        let note = |set: &SetText, found: &[bool]| {
            let is_empty = !found.contains(&true);
            is_empty.then(|| format!("--set {} matches no part of the scene", quoted(&set.text)))
        };
        match self {
            Self::Against(first) => {
                let side_a: Vec<bool> = (0..count).map(|part| part < *first).collect();
                let side_b = side_a.iter().map(|is_in| !is_in).collect();
                (vec![within(side_a), within(side_b)], Vec::new())
            }
            Self::Within(set) => {
                let found = select(set);
                let notes = note(set, &found).into_iter().collect();
                (vec![but(found.into_iter().map(|is_in| !is_in).collect())], notes)
            }
            Self::Between(sets) => {
                let [a, b] = sets.each_ref().map(select);
                let notes = note(&sets[0], &a).into_iter().chain(note(&sets[1], &b)).collect();
                let both = |keep: fn(bool, bool) -> bool| {
                    a.iter().zip(&b).map(|(&in_a, &in_b)| keep(in_a, in_b)).collect::<Vec<bool>>()
                };
                let only_a = both(|in_a, in_b| in_a && !in_b);
                let only_b = both(|in_a, in_b| in_b && !in_a);
                let neither = both(|in_a, in_b| !in_a && !in_b);
                (vec![but(neither), within(only_a), within(only_b)], notes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_keys_with_patterns() {
        let refused = |text: &str| text.parse::<SetText>().unwrap_err().to_string();
        assert!("type=IfcPipe*,type=IfcDuct*, model = A".parse::<SetText>().is_ok());
        assert!(r"name=nut\, M8,type=IfcPipe*".parse::<SetText>().is_ok(), "a comma in a name");
        assert_eq!(refused(r"name=nut\\, M8"), "' M8' is no KEY=PATTERN, such as type=IfcPipe*");
        assert_eq!(refused("walls"), "'walls' is no KEY=PATTERN, such as type=IfcPipe*");
        assert_eq!(refused("typ=x"), "unknown key 'typ' in a selector: did you mean 'type'?");
        assert!(refused("name=[").starts_with("the pattern '[' is wrong"));
    }
}
