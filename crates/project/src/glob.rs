//! Patterns of texts: `*` stands for any text, `?` for any character, `[a-c]` for one of some. A backslash
//! takes a character for itself.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::fault::{Fault, quoted};
use crate::source::Node;

/// One or more patterns, of which a text must match one.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    globs: GlobSet,
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
        let mut globs = GlobSetBuilder::new();
        for (at, text) in &texts {
            let refused = |error: globset::Error| {
                Fault::new(*at, format!("the pattern {} is wrong: {}", quoted(text), error.kind()))
            };
            globs.add(GlobBuilder::new(&plain(text)).backslash_escape(true).build().map_err(refused)?);
        }
        let at = texts.first().map_or(0, |(at, _)| *at);
        let globs =
            globs.build().map_err(|error| Fault::new(at, format!("the patterns are wrong: {error}")))?;
        Ok(Self { globs, texts: texts.into_iter().map(|(_, text)| text).collect() })
    }

    /// True if a text matches one of the patterns.
    pub fn matches(&self, text: &str) -> bool {
        self.globs.is_match(text)
    }
}

/// Takes the meaning from what the library knows beyond our patterns: braces and repeated stars.
fn plain(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.extend(std::iter::once(c).chain(chars.next())),
            '{' | '}' => plain.extend(['\\', c]),
            '*' if chars.peek() == Some(&'*') => {}
            _ => plain.push(c),
        }
    }
    plain
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
            ("M?", "M8"),
            ("[A-C]1", "B1"),
            ("Door {3}", "Door {3}"),
            ("2O2Fr$t4X7Zf8NOew3FNtn", "2O2Fr$t4X7Zf8NOew3FNtn"),
            (r"\*", "*"),
            (r"a\[1\]", "a[1]"),
            ("", ""),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("Wall", "IfcWall"), ("wall", "Wall"), ("M?", "M10"), ("{a,b}", "a"), (r"\*", "x"), ("", "a")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_that_does_not_parse_is_refused() {
        for wrong in ["[", "[z-a]", "a\\"] {
            let fault = Patterns::of(vec![(7, wrong.to_owned())]).unwrap_err();
            assert!(fault.at == 7 && fault.why.starts_with(&format!("the pattern '{wrong}' is wrong: ")));
        }
    }
}
