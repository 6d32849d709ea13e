//! Texts inside HTML, so that none ends the element that contains it.

use serde::Serialize;

/// Escapes text between tags or in an attribute.
pub fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns a value as JSON that may be in a script element: without `<`, which could end it, and without
/// the two line ends that JSON allows in strings and older JavaScript does not.
pub fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("strings, numbers and lists become JSON");
    // Outside of strings, JSON has none of these.
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_its_element() {
        let hostile = "</script><img src=x onerror=alert(1)>&'\"\u{2028}\u{2029}\0";
        let escaped = json(&hostile);
        assert!(!escaped.contains(['<', '\u{2028}', '\u{2029}', '\0']), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), hostile);
        assert!(!text(hostile).contains(['<', '>', '"', '\'']));
    }
}
