//! Keys: names of parts that stay the same from run to run, whatever their ids.
//!
//! A key does not depend on the order of the files, on their folder or on geometry, so keys identify the same
//! pair in two runs.

use std::borrow::Cow;
use std::sync::Arc;

use closefit_geometry::parallel;
use closefit_geometry::scene::{Part, Scene};

/// The keys of a scene's parts, all different.
pub struct PartKeys {
    /// A key for each part, in the scene's order.
    pub of_part: Vec<Arc<str>>,
    /// Keys that several parts would have without a suffix, ascending.
    pub shared: Vec<Arc<str>>,
}

impl PartKeys {
    /// Finds the key of every part: its guid, else its model and path. Among parts that share a key, ordered
    /// by model and then as in the scene, each after the first gets the next suffix `~k`, from k = 2, that
    /// gives no key in use.
    pub fn of(scene: &Scene) -> Self {
        let mut of_part: Vec<Arc<str>> = parallel::map_items(&scene.parts, parallel::SMALL, own_key);
        let mut order: Vec<usize> = (0..of_part.len()).collect();
        let place = |&part: &usize| (&of_part[part], &scene.parts[part].model, part);
        parallel::sort_unstable_by(&mut order, |p, q| place(p).cmp(&place(q)));

        let own = |part: usize| &of_part[part];
        let in_use = |key: &str| order.binary_search_by(|&part| own(part).as_ref().cmp(key)).is_ok();
        let (mut shared, mut renamed) = (Vec::new(), Vec::new());
        for group in order.chunk_by(|&p, &q| own(p) == own(q)).filter(|group| group.len() > 1) {
            let key = own(group[0]);
            let suffixed = (2_u64..).map(|k| format!("{key}~{k}")).filter(|key| !in_use(key));
            renamed.extend(group[1..].iter().copied().zip(suffixed));
            shared.push(key.clone());
        }
        for (part, key) in renamed {
            of_part[part] = key.into();
        }
        Self { of_part, shared }
    }
}

/// Returns the key of a part before any suffix.
fn own_key(part: &Part) -> Arc<str> {
    match &part.guid {
        Some(guid) => match escaped(guid) {
            Cow::Borrowed(_) => guid.clone(),
            Cow::Owned(key) => key.into(),
        },
        None => shortened(escaped(&[&part.model[..], &part.path].concat())).into(),
    }
}

/// The longest key of a part without a guid, in bytes. Beyond it, a hash stands for the end: names may take a
/// kilobyte, and reports have both name and path besides.
const LONGEST_KEY: usize = 200;

fn shortened(key: Cow<'_, str>) -> Cow<'_, str> {
    if key.len() <= LONGEST_KEY {
        return key;
    }
    let kept = (0..=LONGEST_KEY / 2).rev().find(|&end| key.is_char_boundary(end)).unwrap_or(0);
    format!("{}…{:016x}", &key[..kept], fnv(key.as_bytes())).into()
}

/// Returns the 64-bit FNV-1a hash, which is the same on every machine. Parts whose hashes are equal get a
/// suffix, as parts with one path do.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Escapes control characters: a key is one line that can be copied, and has no NUL, which separates keys
/// in hashes.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let mut key = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            key.extend(c.escape_default());
        } else {
            key.push(c);
        }
    }
    key.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::ids::MeshId;
    use closefit_geometry::math::pose::Pose;

    fn keys(parts: &[(&str, &str, Option<&str>)]) -> Vec<String> {
        let part = |&(model, name, guid): &(&str, &str, Option<&str>)| Part {
            model: model.into(),
            guid: guid.map(Arc::from),
            ..Part::new(name, MeshId(0), Pose::IDENTITY)
        };
        let scene = Scene { parts: parts.iter().map(part).collect(), ..Scene::default() };
        PartKeys::of(&scene).of_part.iter().map(|key| key.to_string()).collect()
    }

    #[test]
    fn a_key_is_the_guid_or_model_and_path() {
        let guid = "2O2Fr$t4X7Zf8NOew3FNtn";
        assert_eq!(keys(&[("a", "wall", Some(guid)), ("a", "bolt", None)]), [guid, "a/bolt"]);
        assert_eq!(keys(&[("", "a\nb\0", None), ("", "", Some("\u{85}"))]), ["/a\\nb\\u{0}", "\\u{85}"]);
    }

    #[test]
    fn long_keys_end_in_a_hash() {
        // The published test vectors of FNV-1a.
        assert_eq!([fnv(b""), fnv(b"foobar")], [0xcbf2_9ce4_8422_2325, 0x8594_4171_f739_67e8]);
        let long = |end: &str| format!("{}{end}", "ü".repeat(500));
        let found = keys(&[("a", &long("1"), None), ("a", &long("2"), None), ("a", &long("1"), None)]);
        assert!(
            found.iter().all(|key| key.len() < 130 && key.starts_with("a/üü") && key.contains('…')),
            "{found:?}"
        );
        assert_ne!(found[0], found[1]);
        assert_eq!(found[2], format!("{}~2", found[0]));
        assert_eq!(keys(&[("a", &"n".repeat(198), None)]), [format!("a/{}", "n".repeat(198))]);
    }

    #[test]
    fn parts_that_share_a_key_are_numbered() {
        let bolt = ("a", "bolt", None);
        assert_eq!(
            keys(&[bolt, bolt, ("b", "bolt", None), bolt]),
            ["a/bolt", "a/bolt~2", "b/bolt", "a/bolt~3"]
        );
        // A suffix that gives another part's key is skipped, wherever that part is.
        assert_eq!(keys(&[bolt, bolt, ("a", "bolt~2", None)]), ["a/bolt", "a/bolt~3", "a/bolt~2"]);
        let twice = ("a", "bolt~2", None);
        assert_eq!(keys(&[twice, bolt, twice, bolt]), ["a/bolt~2", "a/bolt", "a/bolt~2~2", "a/bolt~3"]);
    }

    #[test]
    fn the_order_of_files_changes_no_key() {
        let (a, b) = (("a", "x", Some("g")), ("b", "y", Some("g")));
        assert_eq!(keys(&[a, b, b]), ["g", "g~2", "g~3"]);
        assert_eq!(keys(&[b, b, a]), ["g~2", "g~3", "g"]);
    }

    #[test]
    fn shared_keys_are_counted_once_each() {
        let part = |name| Part::new(name, MeshId(0), Pose::IDENTITY);
        let parts = ["y", "x", "y", "z", "x", "x"].map(part).to_vec();
        let shared = PartKeys::of(&Scene { parts, ..Scene::default() }).shared;
        assert_eq!(shared.iter().map(|key| &key[..]).collect::<Vec<_>>(), ["/x", "/y"]);
    }
}
