//! The values of a record's arguments.

use ifc_lite_core::decode_ifc_string;

use crate::records::number;

/// Returns the arguments of a record, as the text between the commas outside parentheses and quotes.
pub fn arguments(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut depth, mut quoted) = (0_usize, false);
        let end = text.iter().position(|&byte| {
            match byte {
                b'\'' => quoted = !quoted,
                _ if quoted => {}
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => return true,
                _ => {}
            }
            false
        });
        rest = end.map(|end| &text[end + 1..]);
        Some(text[..end.unwrap_or(text.len())].trim_ascii())
    })
}

/// Returns the argument at a place, or nothing.
pub fn argument(text: &[u8], place: usize) -> &[u8] {
    arguments(text).nth(place).unwrap_or_default()
}

/// Returns the record that an argument such as `#12` refers to.
pub fn reference(argument: &[u8]) -> Option<u32> {
    number(argument.strip_prefix(b"#")?)
}

/// Returns all records that a text refers to, however deep.
pub fn references(text: &[u8]) -> impl Iterator<Item = u32> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = text.get(at) {
            at += 1;
            match byte {
                b'\'' => {
                    at += text[at..].iter().position(|&byte| byte == b'\'').map_or(text.len(), |end| end + 1)
                }
                b'#' => {
                    let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let found = number(&text[at..at + digits]);
                    at += digits;
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
        }
        None
    })
}

/// Returns the text of an argument such as `'a ''b'' \X2\00E4\X0\'`; `None` without one or if it is blank.
pub fn text(argument: &[u8]) -> Option<String> {
    // A value of a select type has its type's name in front.
    let argument = match argument.iter().position(|&byte| byte == b'(') {
        Some(open) if !argument.starts_with(b"'") => argument[open + 1..].strip_suffix(b")")?.trim_ascii(),
        _ => argument,
    };
    let inner = argument.strip_prefix(b"'")?.strip_suffix(b"'")?;
    let raw = match std::str::from_utf8(inner) {
        Ok(text) => text.replace("''", "'"),
        // Files before UTF-8 have Latin-1 in their texts.
        Err(_) => inner.iter().map(|&byte| char::from(byte)).collect::<String>().replace("''", "'"),
    };
    let decoded = decode_ifc_string(&raw);
    let decoded = decoded.trim();
    (!decoded.is_empty()).then(|| decoded.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parted_at_commas_outside() {
        let shown = |text: &'static str| {
            arguments(text.as_bytes()).map(|one| std::str::from_utf8(one).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(shown("#1, $,'a,''(b',(1,(2,3)), .T."), ["#1", "$", "'a,''(b'", "(1,(2,3))", ".T."]);
        assert_eq!(shown(""), [""]);
        assert_eq!(shown(")),'"), ["))", "'"]);
    }

    #[test]
    fn texts_are_decoded() {
        for (argument, expected) in [
            ("'it''s'", Some("it's")),
            (r"'Chim\X2\00E9\X0\ney \S\d'", Some("Chiméney ä")),
            (r"IFCLABEL('x')", Some("x")),
            ("'  '", None),
            ("$", None),
            ("'", None),
        ] {
            assert_eq!(text(argument.as_bytes()).as_deref(), expected, "{argument}");
        }
        assert_eq!(text(b"'N\xf6rth'").as_deref(), Some("Nörth"));
    }

    #[test]
    fn references_are_found_outside_texts() {
        assert_eq!(references(b"#1,('#2',((#3,#)),#99999999999)").collect::<Vec<_>>(), [1, 3]);
        assert_eq!((reference(b"#12"), reference(b"12"), reference(b"#12a")), (Some(12), None, None));
    }
}
