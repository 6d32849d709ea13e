//! Text from files made safe to show.

/// Control characters, line breaks and marks that turn the direction of writing as escapes, so that no name
/// from a file can break a line or drive a terminal.
pub fn printable(text: &str) -> String {
    let breaks = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let escape = |c: char| if breaks(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_breaks_a_line_is_escaped() {
        assert_eq!(printable("ü 軸 a\"b"), "ü 軸 a\"b");
        assert_eq!(printable("a\nb\u{1b}[2J\u{2028}\u{202e}"), r"a\nb\u{1b}[2J\u{2028}\u{202e}");
    }
}
