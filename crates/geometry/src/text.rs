//! Text from files, escaped so that it is safe to show; and lists of names.

use std::borrow::Cow;
use std::fmt;

/// Escapes control characters, line breaks, marks that turn the direction of writing, and invisible
/// characters, so that no name from a file can break a line, drive a terminal, or look like another name.
pub fn printable(text: &str) -> String {
    shown(text).into_owned()
}

/// Returns the text as [`printable`] does, borrowed if nothing is escaped.
pub fn shown(text: &str) -> Cow<'_, str> {
    // Most names are plain ASCII, in which only control characters need an escape. Without an early end, the
    // loop takes many bytes at a time.
    if text.bytes().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~')) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let needed = is_joiner(c) && before.is_some_and(joins) && rest.clone().next().is_some_and(joins);
        if c.is_control() || is_hidden(c) && !needed {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
        before = Some(c);
    }
    shown.into()
}

/// Returns text, without what follows its first 80 characters, so that a message can quote it.
pub fn clip(text: &str) -> String {
    clip_to(text, 80)
}

/// Returns text, without what follows its first characters.
pub fn clip_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Returns text as a message quotes it: [`printable`], without what follows its first 80 characters.
pub fn quotable(text: &str) -> String {
    printable(&clip(text))
}

/// Escapes text for a spreadsheet cell, as [`printable`] does. Text that begins like a formula would be run
/// as one, so it gets an apostrophe in front, which makes it text.
pub fn inert(text: &str) -> Cow<'_, str> {
    let shown = shown(text);
    if begins_formula(&shown) { format!("'{shown}").into() } else { shown }
}

/// True for text that a spreadsheet would run as a formula.
pub fn begins_formula(text: &str) -> bool {
    // Most texts begin with a letter or a digit, which takes one look.
    let begins_word = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    // Asian versions of spreadsheets treat the full-width forms alike.
    !begins_word && text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

/// True for marks that have no glyph of their own: they turn, join or separate what is around them, or tag
/// it.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// True for the zero width non-joiner and joiner.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// True for characters next to which a joiner changes the appearance of text and so may stay: scripts whose
/// letters join (Arabic and its kin to Myanmar, Khmer, Mongolian) and pictographs. Between other letters a
/// joiner is only invisible.
fn joins(c: char) -> bool {
    matches!(c,
        '\u{620}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{2190}'..='\u{2bff}' | '\u{fe0f}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Lists names for a message: "a, b or c".
pub fn list(names: &[impl fmt::Display]) -> String {
    match names {
        [] => "none".to_owned(),
        [only] => only.to_string(),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("{} or {last}", first.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_breaks_a_line_is_escaped() {
        assert_eq!(printable("ü 軸 a\"b"), "ü 軸 a\"b");
        assert_eq!(printable("a\nb\u{1b}[2J\u{2028}\u{202e}"), r"a\nb\u{1b}[2J\u{2028}\u{202e}");
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        for hidden in ['\u{ad}', '\u{61c}', '\u{200b}', '\u{2060}', '\u{feff}', '\u{e0001}', '\u{e007f}'] {
            let escaped: String = hidden.escape_default().collect();
            assert_eq!(printable(&format!("bo{hidden}lt")), format!("bo{escaped}lt"));
        }
        // Variation selectors belong to Japanese names.
        assert_eq!(printable("辻\u{e0100}"), "辻\u{e0100}");
    }

    #[test]
    fn a_quoted_text_is_short() {
        assert_eq!(quotable("a\nb"), r"a\nb");
        assert_eq!(quotable(&"ü".repeat(80)), "ü".repeat(80));
        assert_eq!(quotable(&"ü".repeat(81)), format!("{}…", "ü".repeat(80)));
    }

    #[test]
    fn joiners_stay_where_they_show() {
        for name in ["می\u{200c}خواهم", "ක්\u{200d}ෂ", "क्\u{200d}ष", "👩\u{200d}🚒", "❤\u{fe0f}\u{200d}🔥"]
        {
            assert_eq!(printable(name), name);
        }
        assert_eq!(printable("bo\u{200d}lt\u{200c}"), r"bo\u{200d}lt\u{200c}");
        assert_eq!(printable("می\u{200c}\u{200c}خ"), "می\\u{200c}\\u{200c}خ");
        assert_eq!(printable("می\u{200c}"), r"می\u{200c}");
    }

    #[test]
    fn formulas_become_text() {
        for name in ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "＝1+1", "-5"] {
            assert_eq!(inert(name), format!("'{name}"));
        }
        for (name, cell) in [
            ("bolt", "bolt"),
            ("", ""),
            ("a=1", "a=1"),
            ("\t=1+1", r"\t=1+1"),
            ("\r=1", r"\r=1"),
            ("\u{200b}=1", r"\u{200b}=1"),
            ("a\nb\u{7}", r"a\nb\u{7}"),
        ] {
            assert_eq!(inert(name), cell);
        }
    }
}
