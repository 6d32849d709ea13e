//! Compressed bytes as text.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};

/// Returns bytes as gzip in base64. The same bytes give the same text: no time is in it.
pub fn packed(bytes: &[u8]) -> String {
    packed_at(Compression::best(), bytes)
}

/// Returns bytes as gzip in base64, as fast as can be: they do not become smaller.
pub fn stored(bytes: &[u8]) -> String {
    packed_at(Compression::none(), bytes)
}

fn packed_at(level: Compression, bytes: &[u8]) -> String {
    let mut encoder = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), level);
    encoder.write_all(bytes).expect("memory takes every byte");
    base64(&encoder.finish().expect("memory takes every byte"))
}

/// Returns bytes as base64.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packers differ in how small they make a text, and another crate of the same build may bring another
    /// one.
    #[test]
    fn the_packer_is_the_same_whatever_is_built_beside_it() {
        let text: String = (0..5_000).map(|i| format!("{} ", i * i)).collect();
        assert_eq!(packed(text.as_bytes()).len(), 24_256);
    }
}
