//! Text shortened or folded to fit a number of columns.

use unicode_width::UnicodeWidthStr;

/// Returns a text, or both ends of it with `…` between them if it is wider than `widest` columns.
pub fn elided(text: &str, widest: usize) -> String {
    if text.width() <= widest {
        return text.to_owned();
    }
    let room = widest.saturating_sub(1);
    let tail = last_within(text, room / 2);
    let reversed: String = text.chars().rev().collect();
    let head = last_within(&reversed, room - tail.width());
    head.chars().rev().chain(['…']).chain(tail.chars()).collect()
}

/// Returns the longest end of `text` that is no wider than `widest`.
fn last_within(text: &str, widest: usize) -> &str {
    // From the end: a name may have 64 kB, and its width takes as long.
    let ends = text.char_indices().rev().map(|(start, _)| &text[start..]);
    ends.take_while(|end| end.width() <= widest).last().unwrap_or("")
}

/// Folds a line after commas, semicolons and colons, so that no line is wider than `widest` columns if
/// possible. Lines after the first are indented.
pub fn folded(line: &str, widest: usize) -> String {
    let ends_phrase = |word: &str| word.ends_with([',', ';', ':']);
    let words: Vec<&str> = line.split(' ').collect();
    let (mut lines, mut width) = (String::new(), 0);
    for phrase in words.chunk_by(|word, _| !ends_phrase(word)).map(|words| words.join(" ")) {
        if width > 0 && width + 1 + phrase.width() > widest {
            lines += "\n  ";
            width = 2;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines += &phrase;
        width += phrase.width();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_both_ends() {
        assert_eq!(elided("", 40), "");
        assert_eq!(elided("abcdefgh", 8), "abcdefgh");
        assert_eq!(elided("abcdefghi", 8), "abcd…ghi");
        // Wide characters count twice.
        assert_eq!(elided("軸軸軸軸軸軸", 8), "軸軸…軸");
        assert_eq!(elided("abc", 0), "…");
    }

    #[test]
    fn lines_are_folded_between_phrases() {
        assert_eq!(folded("a: 1 m, 2 m; 3 m", 80), "a: 1 m, 2 m; 3 m");
        assert_eq!(folded("a: 1 m, 2 m; 3 m", 11), "a: 1 m,\n  2 m; 3 m");
        assert_eq!(folded("endless, 1 m", 3), "endless,\n  1 m");
        assert_eq!(folded("", 3), "");
    }
}
