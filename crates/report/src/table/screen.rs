//! What a table is drawn for: a number of columns, with colours or without.

/// The place where a table is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// The width of lines, if it is known.
    pub width: Option<usize>,
    /// True to colour verdicts by escape sequences.
    pub has_colours: bool,
}

impl From<Option<usize>> for Screen {
    fn from(width: Option<usize>) -> Self {
        Self { width, has_colours: false }
    }
}

/// Returns the number of the colour of a verdict, as terminals know it; `None` for what needs no attention.
fn colour(word: &str) -> Option<u8> {
    const RED: u8 = 31;
    const YELLOW: u8 = 33;
    const CYAN: u8 = 36;
    match word {
        "clash" | "meets" | "always" => Some(RED),
        "undecided" | "sometimes" | "unknown" => Some(YELLOW),
        "clearance" => Some(CYAN),
        _ => None,
    }
}

/// Returns a line that begins with a blank and a verdict, with the verdict in bold and in its colour.
pub(super) fn coloured(line: &str, word: &str) -> String {
    let rest = line.strip_prefix(' ').and_then(|line| line.strip_prefix(word));
    match (colour(word), rest) {
        (Some(colour), Some(rest)) => format!(" \x1b[1;{colour}m{word}\x1b[0m{rest}"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::coloured;

    #[test]
    fn verdicts_are_coloured_and_nothing_else() {
        assert_eq!(coloured(" clash  a  b", "clash"), " \u{1b}[1;31mclash\u{1b}[0m  a  b");
        for (line, word) in [(" contact  a", "contact"), (" cla…", "clash"), (" b  x", "b")] {
            assert_eq!(coloured(line, word), line);
        }
    }
}
