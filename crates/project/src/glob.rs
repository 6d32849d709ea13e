//! Patterns of texts: `*` stands for any text, `?` for any character, `[a-c]` for one of some. A backslash
//! takes a character for itself.

use std::collections::HashSet;

use glob::Pattern;

use crate::fault::{Fault, quoted};
use crate::source::Node;

/// One or more patterns. A text must match one of them.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    /// The patterns that only one text matches, as that text.
    plain: HashSet<String>,
    globs: Vec<Pattern>,
    /// The patterns as they are written, for messages.
    pub texts: Vec<String>,
}

impl Patterns {
    /// Reads a pattern or a list of them.
    pub fn read(node: &Node) -> Result<Self, Fault> {
        let nodes = node.one_or_more()?;
        let texts = nodes.iter().map(|node| Ok((node.at, node.text()?.to_owned())));
        Self::of(texts.collect::<Result<Vec<_>, Fault>>()?)
    }

    /// Makes patterns of texts with their places.
    pub fn of(texts: Vec<(usize, String)>) -> Result<Self, Fault> {
        let (mut plain, mut globs) = (HashSet::new(), Vec::new());
        for (at, text) in &texts {
            let refused =
                |why: String| Fault::new(*at, format!("the pattern {} is wrong: {why}", quoted(text)));
            let glob = translated(text).map_err(|why| refused(why.to_owned()))?;
            match glob.contains(['*', '?', '[']) {
                true => globs.push(Pattern::new(&glob).map_err(|error| refused(error.to_string()))?),
                false => drop(plain.insert(glob)),
            }
        }
        Ok(Self { plain, globs, texts: texts.into_iter().map(|(_, text)| text).collect() })
    }

    /// True if a text matches one of the patterns.
    pub fn matches(&self, text: &str) -> bool {
        self.plain.contains(text) || self.globs.iter().any(|glob| glob.matches(text))
    }
}

/// Returns a pattern as the library writes it: without backslashes and repeated stars.
fn translated(pattern: &str) -> Result<String, &'static str> {
    let mut translated = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next().ok_or("a backslash ends it")? {
                c @ ('*' | '?' | '[') => translated.extend(['[', c, ']']),
                c => translated.push(c),
            },
            '*' if chars.peek() == Some(&'*') => {}
            '[' => {
                translated.push(c);
                translated.extend(class(&mut chars)?);
            }
            _ => translated.push(c),
        }
    }
    Ok(translated)
}

/// Takes a class from behind its bracket, and returns it with the bracket that closes it.
fn class(chars: &mut impl Iterator<Item = char>) -> Result<Vec<char>, &'static str> {
    let mut class = Vec::new();
    loop {
        let c = chars.next().ok_or("a bracket is not closed")?;
        // A bracket at the beginning is one of the characters.
        let is_first = matches!(class[..], [] | ['!']);
        class.push(c);
        if c == ']' && !is_first {
            break;
        }
    }
    let mut rest = class.strip_prefix(&['!']).unwrap_or(&class);
    loop {
        rest = match rest {
            [from, '-', to, _, ..] if from > to => return Err("a range ends before it begins"),
            [_, '-', _, after @ ..] if !after.is_empty() => after,
            [_, after @ ..] => after,
            [] => return Ok(class),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Patterns::of(vec![(0, pattern.to_owned())]).unwrap().matches(text)
    }

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text) in [
            ("IfcWall*", "IfcWallStandardCase"),
            ("*/temporary/*", "/site/temporary/a/b"),
            ("**/b", "/a/b"),
            ("a**b", "a/x/b"),
            ("*", ".hidden/a"),
            ("M?", "M8"),
            ("a?b", "a/b"),
            ("[A-C]1", "B1"),
            ("[]x]", "]"),
            ("[!]]", "x"),
            ("[a-]", "-"),
            ("Door {3}", "Door {3}"),
            ("2O2Fr$t4X7Zf8NOew3FNtn", "2O2Fr$t4X7Zf8NOew3FNtn"),
            (r"\*", "*"),
            (r"a\[1\]", "a[1]"),
            (r"a\\*", r"a\b"),
            ("", ""),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("Wall", "IfcWall"),
            ("wall", "Wall"),
            ("M?", "M10"),
            ("{a,b}", "a"),
            (r"\*", "x"),
            (r"[\*]", "a"),
            ("", "a"),
            ("[!a-c]", "b"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_character_is_one_in_any_script() {
        for pattern in ["T?r", "T[ü]r", "T[a-zäöüß]r", "T[!a]r", "T[à-ý]r", "*ür", r"T\ür"] {
            assert!(matches(pattern, "Tür"), "{pattern}");
        }
        assert!(!matches("T??r", "Tür") && !matches("T[!ü]r", "Tür") && matches("日?", "日本"));
    }

    #[test]
    fn a_pattern_that_does_not_parse_is_refused() {
        for wrong in ["[", "[]", "[!]", "[z-a]", "[a-cz-a]", "a\\"] {
            let fault = Patterns::of(vec![(7, wrong.to_owned())]).unwrap_err();
            assert!(fault.at == 7 && fault.why.starts_with(&format!("the pattern '{wrong}' is wrong: ")));
        }
    }
}
