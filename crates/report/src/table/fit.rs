//! Text shortened or folded to fit a number of columns.

use unicode_width::UnicodeWidthStr;

/// Returns a text, or both ends of it with `…` between them if it is wider than `widest` columns.
pub fn elided(text: &str, widest: usize) -> String {
    if text.width() <= widest {
        return text.to_owned();
    }
    let room = widest.saturating_sub(1);
    let tail = last_within(text, room / 2);
    let head = first_within(text, room - tail.width());
    format!("{head}…{tail}")
}

/// Returns a line, or its beginning followed by `…` if it is wider than `widest` columns.
pub(super) fn cut(line: &str, widest: usize) -> String {
    if line.width() <= widest {
        return line.to_owned();
    }
    format!("{}…", first_within(line, widest.saturating_sub(1)))
}

/// The most characters of a text that are measured for each column. Marks without a width could go on for
/// kilobytes.
const CHARS_PER_COLUMN: usize = 8;

/// Returns the beginning of `text` that is no wider than `widest`.
fn first_within(text: &str, widest: usize) -> &str {
    let ends = text.char_indices().map(|(start, c)| start + c.len_utf8());
    let fitting = ends.take(CHARS_PER_COLUMN * widest).take_while(|&end| text[..end].width() <= widest);
    &text[..fitting.last().unwrap_or(0)]
}

/// Returns the end of `text` that is no wider than `widest`.
fn last_within(text: &str, widest: usize) -> &str {
    let starts = text.char_indices().rev().map(|(start, _)| start);
    let fitting = starts.take(CHARS_PER_COLUMN * widest).take_while(|&start| text[start..].width() <= widest);
    &text[fitting.last().unwrap_or(text.len())..]
}

/// Folds a line after commas, semicolons and colons, and at blanks where a line is too short for what is
/// between them, so that no line is wider than `widest` columns if possible. Lines after the first are
/// indented.
pub fn folded(line: &str, widest: usize) -> String {
    let ends_phrase = |word: &str| word.ends_with([',', ';', ':']);
    let words: Vec<&str> = line.split(' ').collect();
    let (mut lines, mut width) = (String::new(), 0);
    let mut add = |piece: &str| {
        if width > 0 && width + 1 + piece.width() > widest {
            lines += "\n  ";
            width = 2;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines += piece;
        width += piece.width();
    };
    for phrase in words.chunk_by(|word, _| !ends_phrase(word)) {
        let whole = phrase.join(" ");
        if 2 + whole.width() > widest {
            phrase.iter().for_each(|word| add(word));
        } else {
            add(&whole);
        }
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
        // An accent stays with its letter, and accents without end are not measured one by one.
        assert_eq!(elided("a\u{301}bcdefghi", 5), "a\u{301}b…hi");
        assert!(elided(&format!("abc{}", "\u{301}".repeat(1 << 20)), 2).len() < 200);
    }

    #[test]
    fn lines_are_cut_at_their_end() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("軸軸", 3), "軸…");
    }

    #[test]
    fn lines_are_folded_between_phrases() {
        assert_eq!(folded("a: 1 m, 2 m; 3 m", 80), "a: 1 m, 2 m; 3 m");
        assert_eq!(folded("a: 1 m, 2 m; 3 m", 11), "a: 1 m,\n  2 m; 3 m");
        assert_eq!(folded("endless, 1 m", 3), "endless,\n  1\n  m");
        assert_eq!(folded("1 m: bolt in nut of it", 10), "1 m: bolt\n  in nut\n  of it");
        assert_eq!(folded("", 3), "");
    }
}
