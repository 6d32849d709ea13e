//! The text of a rules file as a tree of values with their places. TOML and JSON give the same tree, so all
//! that follows knows neither.

mod json;
mod toml;

use std::path::Path;

use crate::fault::{Fault, quoted};
use closefit_scene::similar_names::did_you_mean;

/// A value and the byte at which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub at: usize,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    /// A number, as it is written.
    Number(String),
    Bool(bool),
    List(Vec<Node>),
    /// A table, in the order of the text.
    Table(Vec<(Key, Node)>),
    /// A date, or null.
    Other,
}

/// A key of a table and the byte at which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub name: String,
    pub at: usize,
}

/// Parses a text as JSON, if that is the extension of its file, or else as TOML.
pub(crate) fn parse(file: &Path, text: &str) -> Result<Node, Fault> {
    let is_json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if is_json { json::parse(text) } else { toml::parse(text) }
}

impl Node {
    /// Appends the value as text, which is the same however the file is laid out. `keeps` chooses entries of
    /// tables by their key.
    pub fn write_plainly(&self, out: &mut String, keeps: &impl Fn(&str) -> bool) {
        match &self.value {
            Value::Text(text) => out.push_str(&format!("{text:?}")),
            Value::Number(number) => out.push_str(number),
            Value::Bool(value) => out.push_str(&value.to_string()),
            Value::List(list) => {
                out.push('[');
                for node in list {
                    node.write_plainly(out, keeps);
                    out.push(',');
                }
                out.push(']');
            }
            Value::Table(entries) => {
                let mut kept: Vec<_> = entries.iter().filter(|(key, _)| keeps(&key.name)).collect();
                kept.sort_by_key(|(key, _)| &key.name);
                out.push('{');
                for (key, node) in kept {
                    out.push_str(&format!("{:?}:", key.name));
                    node.write_plainly(out, keeps);
                    out.push(',');
                }
                out.push('}');
            }
            Value::Other => out.push('?'),
        }
    }

    pub fn text(&self) -> Result<&str, Fault> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.is_no("a text")),
        }
    }

    pub fn bool(&self) -> Result<bool, Fault> {
        match self.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.is_no("true or false")),
        }
    }

    pub fn list(&self) -> Result<&[Node], Fault> {
        match &self.value {
            Value::List(list) => Ok(list),
            _ => Err(self.is_no("a list")),
        }
    }

    pub fn table(&self) -> Result<&[(Key, Node)], Fault> {
        match &self.value {
            Value::Table(entries) => Ok(entries),
            _ => Err(self.is_no("a table")),
        }
    }

    /// Returns the value with one of a few words.
    pub fn word<T: Copy>(&self, words: &[(T, &'static str)]) -> Result<T, Fault> {
        let text = self.text()?;
        let names: Vec<&str> = words.iter().map(|&(_, word)| word).collect();
        let known = words.iter().find(|&&(_, word)| word == text).map(|&(value, _)| value);
        known.ok_or_else(|| {
            let why = format!("{} is not {}", quoted(text), closefit_geometry::text::list(&names));
            Fault::new(self.at, why)
        })
    }

    /// Returns the elements of a list, or a value that stands for a list of one.
    pub fn one_or_more(&self) -> Result<&[Node], Fault> {
        match &self.value {
            Value::List(list) if list.is_empty() => Err(Fault::new(self.at, "the list is empty")),
            Value::List(list) => Ok(list),
            _ => Ok(std::slice::from_ref(self)),
        }
    }

    fn is_no(&self, expected: &str) -> Fault {
        let found = match &self.value {
            Value::Text(text) => format!("the text {}", quoted(text)),
            Value::Number(number) => format!("the number {}", quoted(number)),
            Value::Bool(value) => format!("{value}"),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
            Value::Other => "a date or null".to_owned(),
        };
        Fault::new(self.at, format!("expected {expected}, found {found}"))
    }
}

/// The entries of a table, taken key by key: what is left at the end is unknown.
pub(crate) struct Fields<'n> {
    what: &'static str,
    at: usize,
    entries: Vec<&'n (Key, Node)>,
    known: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    pub fn of(what: &'static str, node: &'n Node) -> Result<Self, Fault> {
        Ok(Self { what, at: node.at, entries: node.table()?.iter().collect(), known: Vec::new() })
    }

    /// Returns the value of a key, if the table has it.
    pub fn take(&mut self, name: &'static str) -> Option<&'n Node> {
        self.known.push(name);
        let at = self.entries.iter().position(|(key, _)| key.name == name)?;
        Some(&self.entries.remove(at).1)
    }

    /// Returns the value of a key that the table must have.
    pub fn require(&mut self, name: &'static str) -> Result<&'n Node, Fault> {
        let (at, what) = (self.at, self.what);
        self.take(name).ok_or_else(|| Fault::new(at, format!("{what} needs '{name}'")))
    }

    /// Refuses what has not been taken.
    pub fn finish(self) -> Result<(), Fault> {
        let Some((key, _)) = self.entries.first() else { return Ok(()) };
        let similar = did_you_mean(&key.name, self.known);
        Err(Fault::new(key.at, format!("unknown key {} in {}{similar}", quoted(&key.name), self.what)))
    }
}
