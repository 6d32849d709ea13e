//! Identifiers that last: the same key gives the same one in every export.

/// Returns the UUID of a thing of a kind, such as the topic of a group: a hash of both, in the form of
/// version 8 (RFC 9562), in lower case.
pub fn of(kind: &str, key: &str) -> String {
    let hash = blake3::hash(["bcf/1", kind, key].join("\0").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guid_is_a_function_of_kind_and_key() {
        let guid = of("topic", "8be9bc86b7d73450ab75");
        assert_eq!(guid, of("topic", "8be9bc86b7d73450ab75"));
        assert_ne!(guid, of("comment", "8be9bc86b7d73450ab75"));
        assert_ne!(guid, of("topic", "8be9bc86b7d73450ab76"));
        let parts: Vec<usize> = guid.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert!(guid.chars().all(|c| c == '-' || c.is_ascii_digit() || ('a'..='f').contains(&c)), "{guid}");
        assert_eq!((&guid[14..15], "89ab".contains(&guid[19..20])), ("8", true));
    }
}
