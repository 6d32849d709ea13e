//! Faults of a rules file, and their places in it.

use closefit_geometry::text::printable;

/// A fault at a byte of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub at: usize,
    pub why: String,
}

impl Fault {
    pub fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into() }
    }

    /// Adds, in front, what the fault is about, such as a rule.
    pub fn of(self, what: &str) -> Self {
        Self { why: format!("{what}: {}", self.why), ..self }
    }

    /// Returns the fault for people.
    pub fn in_file(self, file: &str, text: &str) -> RulesError {
        let end = (0..=self.at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let before = &text[..end];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
        RulesError { file: file.to_owned(), line, column, why: self.why }
    }
}

/// The reason why a rules file was refused, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {}", printable(.file), clipped(.why))]
pub struct RulesError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The reason.
    pub why: String,
}

/// Number of characters of a reason that are shown: it may quote a value of any length.
const MOST: usize = 400;

fn clipped(why: &str) -> String {
    let shown: String = printable(why).chars().take(MOST + 1).collect();
    match shown.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

/// Shortens a value so that a message can quote it.
pub(crate) fn quoted(value: &str) -> String {
    match value.char_indices().nth(80) {
        Some((end, _)) => format!("'{}…'", &value[..end]),
        None => format!("'{value}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let place = |at: usize| {
            let RulesError { line, column, .. } = Fault::new(at, "why").in_file("f", "äb\ncd\n");
            (line, column)
        };
        assert_eq!(
            [place(0), place(2), place(4), place(7), place(99)],
            [(1, 1), (1, 2), (2, 1), (3, 1), (3, 1)]
        );
        assert_eq!(place(1), (1, 1), "inside a character");
        let told =
            Fault::new(0, format!("a\nb{}", "x".repeat(1000))).of("rule 'r'").in_file("f\n", "").to_string();
        assert!(told.starts_with(r"f\n:1:1: rule 'r': a\nbxx") && told.chars().count() < 420, "{told}");
    }
}
