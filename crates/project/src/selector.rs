//! Selectors: what parts are meant, by what is known of them.

use std::collections::HashMap;

use crate::fault::{Fault, quoted};
use crate::glob::Patterns;
use crate::source::{Key, Node, Value};
use closefit_scene::similar_names::did_you_mean;

/// The text of a part that a key of a selector compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Model,
    Name,
    Type,
    Path,
    File,
    Storey,
    Guid,
    Key,
    /// Any of the tags that begin so, without that beginning.
    Tag(&'static str),
}

/// Every key with its field.
const FIELDS: [(&str, Field); 13] = [
    ("model", Field::Model),
    ("name", Field::Name),
    ("type", Field::Type),
    ("tag", Field::Tag("")),
    ("path", Field::Path),
    ("file", Field::File),
    ("storey", Field::Storey),
    ("guid", Field::Guid),
    ("key", Field::Key),
    ("layer", Field::Tag("layer:")),
    ("system", Field::Tag("system:")),
    ("material", Field::Tag("material:")),
    ("classification", Field::Tag("classification:")),
];

/// Parts, by what is known of them.
#[derive(Clone, Debug)]
pub(crate) enum Selector {
    /// The parts of a group, by its index.
    Group(usize),
    /// The parts of any of these.
    Any(Vec<Selector>),
    /// The parts of all of these: of every part if there are none.
    All(Vec<Selector>),
    /// All parts but these.
    Not(Box<Selector>),
    /// The parts with a field that matches a pattern.
    Field(Field, Patterns),
}

/// The names of all groups, with the index of each.
pub(crate) struct GroupNames<'n> {
    names: Vec<&'n str>,
    indices: HashMap<&'n str, usize>,
}

impl<'n> GroupNames<'n> {
    /// The names of groups in their order, all different.
    pub fn new(names: impl Iterator<Item = &'n str>) -> Self {
        let names: Vec<&str> = names.collect();
        let indices = names.iter().enumerate().map(|(index, &name)| (name, index)).collect();
        Self { names, indices }
    }

    fn index(&self, name: &str, at: usize) -> Result<usize, Fault> {
        self.indices.get(name).copied().ok_or_else(|| {
            let similar = did_you_mean(name, self.names.iter().copied());
            Fault::new(at, format!("group {} is not defined{similar}", quoted(name)))
        })
    }
}

impl Selector {
    /// Reads the name of a group, a table, or a list. A part matches a list if it matches any of its items.
    pub fn read(node: &Node, groups: &GroupNames) -> Result<Self, Fault> {
        match &node.value {
            Value::Text(name) => Ok(Self::Group(groups.index(name, node.at)?)),
            Value::Table(entries) => Self::all(entries, groups),
            Value::List(_) => {
                let read = |node| Self::read(node, groups);
                Ok(Self::Any(node.one_or_more()?.iter().map(read).collect::<Result<_, _>>()?))
            }
            _ => Err(Fault::new(
                node.at,
                "expected the name of a group, or a selector such as { type = \"IfcWall*\" }",
            )),
        }
    }

    /// Reads the keys of a selector, all of which must match.
    pub fn all<'n>(
        entries: impl IntoIterator<Item = &'n (Key, Node)>,
        groups: &GroupNames,
    ) -> Result<Self, Fault> {
        let read = |(key, node): &(Key, Node)| match &key.name[..] {
            "any" => Self::read(node, groups),
            "not" => Ok(Self::Not(Box::new(Self::read(node, groups)?))),
            _ => Ok(Self::Field(field(&key.name, key.at)?, Patterns::read(node)?)),
        };
        Ok(Self::All(entries.into_iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Adds the groups that it names to a list.
    pub fn add_groups(&self, found: &mut Vec<usize>) {
        match self {
            Self::Group(group) => found.push(*group),
            Self::Any(list) | Self::All(list) => list.iter().for_each(|one| one.add_groups(found)),
            Self::Not(one) => one.add_groups(found),
            Self::Field(..) => {}
        }
    }
}

/// Returns the field of a key.
pub(crate) fn field(name: &str, at: usize) -> Result<Field, Fault> {
    let known = FIELDS.iter().find(|(key, _)| *key == name).map(|(_, field)| *field);
    known.ok_or_else(|| {
        let similar = did_you_mean(name, FIELDS.iter().map(|(key, _)| *key).chain(["any", "not"]));
        Fault::new(at, format!("unknown key {} in a selector{similar}", quoted(name)))
    })
}
