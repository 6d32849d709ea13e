//! Relations between the objects of a file: what is in what, and what tags follow.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::records::{Record, Records};
use crate::values::{argument, reference, references, text};

/// The most records that are looked at for the materials of one relation.
const MOST_MATERIALS: usize = 64;
/// The longest text of a tag that is looked at, in bytes.
const LONGEST_TAG: usize = 4096;
/// The most tags of one object.
const MOST_TAGS: usize = 64;

/// The relations of a file.
#[derive(Default)]
pub struct Relations {
    /// The whole or the place that an object is in.
    pub parents: HashMap<u32, u32>,
    /// Lists of tags, each shared by the objects of a relation.
    tags: HashMap<u32, Vec<Arc<[String]>>>,
    types: HashMap<u32, u32>,
}

impl Relations {
    pub fn of(records: &Records) -> Self {
        let mut relations = Self::default();
        let mut contained = HashMap::new();
        for record in records.all() {
            let arguments = records.arguments(record);
            let one = |place| reference(argument(arguments, place));
            let many = |place| references(argument(arguments, place));
            match records.kind(record) {
                "IFCRELAGGREGATES" | "IFCRELNESTS" | "IFCRELDECOMPOSES" => {
                    for (part, whole) in many(5).filter_map(|part| Some((part, one(4)?))) {
                        relations.parents.entry(part).or_insert(whole);
                    }
                }
                "IFCRELCONTAINEDINSPATIALSTRUCTURE" => {
                    for (part, whole) in many(4).filter_map(|part| Some((part, one(5)?))) {
                        contained.entry(part).or_insert(whole);
                    }
                }
                "IFCRELDEFINESBYTYPE" => {
                    relations.types.extend(many(4).filter_map(|object| Some((object, one(5)?))));
                }
                "IFCRELASSOCIATESMATERIAL" => relations.add_tags(many(4), materials(records, one(5))),
                "IFCRELASSOCIATESCLASSIFICATION" => {
                    relations.add_tags(many(4), classification(records, one(5)));
                }
                "IFCRELASSIGNSTOGROUP" => relations.add_tags(many(4), system(records, one(6))),
                _ => {}
            }
        }
        for (part, whole) in contained {
            relations.parents.entry(part).or_insert(whole);
        }
        relations
    }

    fn add_tags(&mut self, objects: impl Iterator<Item = u32>, tags: Vec<String>) {
        if tags.is_empty() {
            return;
        }
        let tags: Arc<[String]> = tags.into();
        for object in objects {
            self.tags.entry(object).or_default().push(tags.clone());
        }
    }

    /// Returns the tags of an object, ascending: its own, and the materials of its type if it has none.
    pub fn tags(&self, object: u32) -> Vec<String> {
        let of = |object: &u32| self.tags.get(object).into_iter().flatten().flat_map(|tags| tags.iter());
        let is_material = |tag: &&String| tag.starts_with("material:");
        let own = of(&object);
        let of_type = self.types.get(&object).filter(|_| !of(&object).any(|tag| is_material(&tag)));
        let of_type = of_type.into_iter().flat_map(of).filter(is_material);
        let tags: BTreeSet<&String> = own.chain(of_type).take(MOST_TAGS).collect();
        tags.into_iter().cloned().collect()
    }
}

/// Returns the names of all materials below a record: of a list, of layers, of profiles or of constituents.
fn materials(records: &Records, top: Option<u32>) -> Vec<String> {
    let (mut names, mut seen, mut open) = (Vec::new(), HashSet::new(), Vec::from_iter(top));
    while let Some(record) = open.pop().and_then(|id| records.get(id)) {
        if !records.kind(record).starts_with("IFCMATERIAL") || !seen.insert(record.id) {
            continue;
        }
        if seen.len() > MOST_MATERIALS {
            break;
        }
        match records.kind(record) {
            "IFCMATERIAL" => names.extend(tag(records, record, "material", 0)),
            _ => {
                let below = references(records.arguments(record)).take(MOST_MATERIALS);
                open.extend(below.filter(|&id| records.get(id).is_some()));
            }
        }
    }
    names
}

fn classification(records: &Records, reference: Option<u32>) -> Vec<String> {
    let record = reference.and_then(|id| records.get(id));
    let code = record.filter(|&record| records.kind(record) == "IFCCLASSIFICATIONREFERENCE");
    let code = code.and_then(|record| {
        tag(records, record, "classification", 1).or_else(|| tag(records, record, "classification", 2))
    });
    code.into_iter().collect()
}

fn system(records: &Records, group: Option<u32>) -> Vec<String> {
    let record = group.and_then(|id| records.get(id));
    let system = record.filter(|&record| records.kind(record).ends_with("SYSTEM"));
    system.and_then(|record| tag(records, record, "system", 2)).into_iter().collect()
}

/// Returns a tag with the text of an argument.
fn tag(records: &Records, record: &Record, key: &str, place: usize) -> Option<String> {
    // Any number of relations may refer to a long one.
    let argument = Some(argument(records.arguments(record), place)).filter(|text| text.len() < LONGEST_TAG);
    argument.and_then(text).map(|text| format!("{key}:{text}"))
}
