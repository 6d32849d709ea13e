//! TOML as a tree.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Key, Node, Value};
use crate::fault::Fault;

/// Parses a document.
pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    match DeTable::parse(text) {
        Ok(document) => Ok(Node { value: table(document.into_inner()), at: 0 }),
        Err(error) => {
            let at = error.span().map_or(text.len(), |span| span.start);
            Err(Fault::new(at, error.message().to_owned()))
        }
    }
}

fn node(value: Spanned<DeValue>) -> Node {
    let at = value.span().start;
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => Value::Number(number.to_string()),
        DeValue::Float(number) => Value::Number(number.to_string()),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(_) => Value::Other,
        DeValue::Array(list) => Value::List(list.into_iter().map(node).collect()),
        DeValue::Table(entries) => table(entries),
    };
    Node { value, at }
}

fn table(entries: DeTable) -> Value {
    let entry = |(key, value): (Spanned<_>, Spanned<DeValue>)| {
        let at = key.span().start;
        let name: std::borrow::Cow<str> = key.into_inner();
        (Key { name: name.into_owned(), at }, node(value))
    };
    let mut entries: Vec<(Key, Node)> = entries.into_iter().map(entry).collect();
    entries.sort_by_key(|(key, _)| key.at);
    Value::Table(entries)
}
