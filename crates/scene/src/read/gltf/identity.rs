//! Identities of nodes: name, type and GlobalId, from their extras or from the names that converters give
//! them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::super::check_text;
use super::super::error::Fault;
use super::document::{Document, GltfNode};
use closefit_geometry::parallel;

/// Type, GlobalId and tags of a node. Texts are no longer than a name may be.
#[derive(Clone, Default)]
pub(super) struct Identity {
    pub kind: Option<Arc<str>>,
    pub guid: Option<Arc<str>>,
    pub tags: Arc<[String]>,
    /// The name of the product, where the node's own is the id of an occurrence. Only the part's name takes
    /// it: paths, and so keys, stay as they are.
    pub product: Option<Arc<str>>,
}

impl Identity {
    /// True for a group of the nodes in one storey of a building.
    pub fn is_storey(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| kind.eq_ignore_ascii_case("IfcBuildingStorey"))
    }
}

/// Returns the name and the identity of each node. The name is the one in its extras, else its own (a UUID
/// from a converter is shown as the GlobalId that people know), else the name of its mesh, else its number.
/// Each type, and each name of a mesh, is stored once.
///
/// # Errors
/// A fault that names its node.
pub(super) fn identities(
    nodes: &[GltfNode],
    document: &Document,
) -> Result<(Vec<Arc<str>>, Vec<Identity>), Fault> {
    let read = |index: usize| {
        let node = &nodes[index];
        let named =
            |fault: Fault| fault.in_part(node.name.as_deref().unwrap_or(""), &format!("nodes[{index}]"));
        Texts::read(index, node, document).map_err(named)
    };
    let found = parallel::map(nodes.len(), parallel::SMALL, read);
    let mut known = Shared::default();
    let (mut names, mut identities) = (Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
    for texts in found {
        let Texts { name, kind, guid, tags, product } = texts?;
        names.push(match name {
            Name::Own(name) => name,
            Name::OfMesh(name) => known.shared(name),
        });
        let [kind, product] = [kind.as_deref(), product].map(|text| text.map(|text| known.shared(text)));
        identities.push(Identity { kind, guid, tags, product });
    }
    Ok((names, identities))
}

/// The texts of a node.
struct Texts<'a> {
    name: Name<'a>,
    kind: Option<String>,
    guid: Option<Arc<str>>,
    tags: Arc<[String]>,
    product: Option<&'a str>,
}

enum Name<'a> {
    Own(Arc<str>),
    OfMesh(&'a str),
}

impl<'a> Texts<'a> {
    fn read(index: usize, node: &GltfNode, document: &'a Document) -> Result<Self, Fault> {
        let extras = Extras::of(node);
        let own = node.name.as_deref().filter(|name| !name.is_empty());
        let of_mesh = || document.meshes.get(node.mesh?)?.name.as_deref().filter(|name| !name.is_empty());
        let of_product = own.and_then(guid_of_product);
        let name = match (extras.text(&["name"])?, of_product.as_deref().or(own)) {
            (Some(name), _) => Name::Own(name.into()),
            (None, Some(name)) => Name::Own(name.into()),
            (None, None) => match of_mesh() {
                Some(name) => Name::OfMesh(name),
                None => Name::Own(format!("node{index}").into()),
            },
        };
        let text = match &name {
            Name::Own(name) => &**name,
            Name::OfMesh(name) => name,
        };
        check_text("name", text)?;
        let kind = extras.text(&["ifctype", "type", "class"])?;
        let guid = extras.text(&["globalid", "guid"])?.or(of_product).or_else(|| guid_in(own?));
        let product = of_mesh().filter(|of_mesh| is_occurrence_id(text) && !is_occurrence_id(of_mesh));
        product.map(|product| check_text("name", product)).transpose()?;
        let tags = extras.tags()?;
        // An empty list is not on the heap.
        let tags = if tags.is_empty() { Arc::default() } else { tags.into() };
        Ok(Self { name, kind, guid: guid.map(Arc::from), tags, product })
    }
}

/// Texts that are stored once.
#[derive(Default)]
struct Shared(HashSet<Arc<str>>);

impl Shared {
    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.0.insert(new.clone());
        new
    }
}

/// The keys of extras whose texts are tags with the key in front, as in `layer:M-Duct`.
const TAGGED: [&str; 4] = ["classification", "layer", "material", "system"];

/// The entries of a node's extras; none if the extras are not an object.
struct Extras<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Extras<'a> {
    fn of(node: &GltfNode<'a>) -> Self {
        Self(node.extras.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default())
    }

    /// Returns the first text under one of these keys, in their order, ignoring case.
    fn text(&self, keys: &[&str]) -> Result<Option<String>, Fault> {
        for key in keys {
            let entries = self.0.iter().filter(|(name, _)| name.eq_ignore_ascii_case(key));
            let mut texts =
                entries.filter_map(|(name, raw)| Some((name, serde_json::from_str(raw.get()).ok()?)));
            let found = texts.find(|(_, text): &(&String, String)| !text.trim().is_empty());
            if let Some((name, text)) = found {
                check_text(&format!("extras.{name}"), &text)?;
                return Ok(Some(text));
            }
        }
        Ok(None)
    }
}

impl Extras<'_> {
    /// Returns the tags: the texts under `tags`, and then the keys that are tags themselves.
    fn tags(&self) -> Result<Vec<String>, Fault> {
        let mut tags = self.texts("tags")?;
        for key in TAGGED {
            tags.extend(self.texts(key)?.into_iter().map(|text| format!("{key}:{text}")));
        }
        Ok(tags)
    }

    /// Returns all texts under a key, ignoring case: a text, or a list of texts.
    fn texts(&self, key: &str) -> Result<Vec<String>, Fault> {
        let mut texts = Vec::new();
        for (name, raw) in self.0.iter().filter(|(name, _)| name.eq_ignore_ascii_case(key)) {
            let one = serde_json::from_str(raw.get()).map(|text: String| vec![text]);
            let found: Vec<String> = one.or_else(|_| serde_json::from_str(raw.get())).unwrap_or_default();
            for text in found.into_iter().filter(|text| !text.trim().is_empty()) {
                check_text(&format!("extras.{name}"), &text)?;
                texts.push(text);
            }
        }
        Ok(texts)
    }
}

/// True for what converters from STEP call a node whose occurrence has no name: the id of an entity, such as
/// `NAUO5`, or the address of a label, such as `=>[0:1:1:2]`.
fn is_occurrence_id(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let label = name.strip_prefix("=>[").and_then(|rest| rest.strip_suffix(']'));
    name.strip_prefix("NAUO").is_some_and(is_number)
        || label.is_some_and(|label| label.split(':').all(is_number))
}

/// Returns the GlobalId in a node's name, alone or with a number as in `2O2Fr$t4X7Zf8NOew3FNtn:2`.
fn guid_in(name: &str) -> Option<String> {
    let (guid, number) = name.split_once(':').unwrap_or((name, "0"));
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && is_global_id(guid)).then(|| guid.to_owned())
}

/// Returns the GlobalId of a UUID in the names of IfcConvert, such as
/// `product-40b86270-3c8b-44a2-87ad-7b3f4c84c407-body`.
fn guid_of_product(name: &str) -> Option<String> {
    compressed(name.strip_prefix("product-")?.strip_suffix("-body")?)
}

/// The digits of a GlobalId, which is a number of 128 bits.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$";

/// True for 22 digits. The first encodes only two bits, so it is 0 to 3.
fn is_global_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 22 && bytes[0] <= b'3' && bytes.iter().all(|byte| DIGITS.contains(byte))
}

/// Returns the GlobalId that a UUID stands for.
fn compressed(uuid: &str) -> Option<String> {
    let groups: Vec<&str> = uuid.split('-').collect();
    let hexadecimal = groups.iter().all(|group| group.bytes().all(|b| b.is_ascii_hexdigit()));
    if !hexadecimal || !groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) {
        return None;
    }
    let number = u128::from_str_radix(&groups.concat(), 16).ok()?;
    let digit = |place: u32| char::from(DIGITS[(number >> (6 * place)) as usize % 64]);
    Some((0..22).rev().map(digit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_have_tags() {
        let tags = |json: &str| Extras(serde_json::from_str(json).unwrap()).tags();
        assert_eq!(
            tags(r#"{"Layer": "M-Duct", "tags": ["a", " ", "b"], "SYSTEM": ["air", "smoke"], "name": "n"}"#)
                .unwrap(),
            ["a", "b", "layer:M-Duct", "system:air", "system:smoke"]
        );
        assert_eq!(tags(r#"{"tags": "one", "material": 7, "layer": ["x", 7]}"#).unwrap(), ["one"]);
        let long = tags(&format!(r#"{{"layer": "{}"}}"#, "x".repeat(2000))).unwrap_err().to_string();
        assert!(long.starts_with("extras.layer: ") && long.contains("has 2000 bytes"), "{long}");
    }

    #[test]
    fn occurrence_ids_are_told_from_names() {
        for name in ["NAUO1", "NAUO1024", "=>[0:1:1:2]", "=>[3]"] {
            assert!(is_occurrence_id(name), "{name}");
        }
        for name in ["", "NAUO", "NAUO1a", "nauo1", "NAUO 1", "MY_NAUO1", "=>[]", "=>[0:]", "=>[0:1", "[0:1]"]
        {
            assert!(!is_occurrence_id(name), "{name}");
        }
    }

    #[test]
    fn global_ids_are_found_in_names() {
        for (name, expected) in [
            ("2O2Fr$t4X7Zf8NOew3FNtn", Some("2O2Fr$t4X7Zf8NOew3FNtn")),
            ("2O2Fr$t4X7Zf8NOew3FNtn:17", Some("2O2Fr$t4X7Zf8NOew3FNtn")),
            // The names that IfcConvert writes for one product, without and with --use-element-guids.
            ("product-40b86270-3c8b-44a2-87ad-7b3f4c84c407-body", Some("10k69mF8j4eeUjUpzCXCG7")),
            ("product-ffffffff-ffff-ffff-ffff-ffffffffffff-body", Some("3$$$$$$$$$$$$$$$$$$$$$")),
            ("product-00000000-0000-0000-0000-000000000000-body", Some("0000000000000000000000")),
            ("product-40b862703c8b44a287ad7b3f4c84c407-body", None),
            ("product-+0b86270-3c8b-44a2-87ad-7b3f4c84c407-body", None),
            ("2O2Fr$t4X7Zf8NOew3FNtn:", None),
            ("2O2Fr$t4X7Zf8NOew3FNtn:1a", None),
            ("2O2Fr$t4X7Zf8NOew3FNt", None),
            ("4O2Fr$t4X7Zf8NOew3FNtn", None), // more than 128 bits
            ("2O2Fr-t4X7Zf8NOew3FNtn", None),
            ("", None),
        ] {
            let found = guid_of_product(name).or_else(|| guid_in(name));
            assert_eq!(found.as_deref(), expected, "{name}");
        }
    }
}
