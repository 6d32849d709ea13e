//! Words of a POSIX shell.

use std::borrow::Cow;

/// Returns a text as one word of a POSIX shell, in quotation marks where it needs them.
pub fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', "'\\''")).into()
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_or_expand_them() {
        for (text, expected) in [
            ("result/a.glb", "result/a.glb"),
            ("my part's", "'my part'\\''s'"),
            ("", "''"),
            ("*", "'*'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(word(text), expected);
        }
    }
}
