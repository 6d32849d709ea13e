//! JSON as a tree. Pieces of the text that are not looked into yet are borrowed from it, so that their
//! places in it are known.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Key, Node, Value};
use crate::fault::{Fault, quoted};

/// The deepest nesting of lists and tables.
const DEEPEST: usize = 32;

/// Parses a document.
pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| fault(text, 0, &error))?;
    Reader { text }.node(raw, 0)
}

/// Makes a fault of an error in a piece of the text that begins at a byte.
fn fault(piece: &str, begin: usize, error: &serde_json::Error) -> Fault {
    let reason = error.to_string();
    let reason = reason.rsplit_once(" at line ").map_or(&reason[..], |(reason, _)| reason);
    let line: usize = piece.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    Fault::new(begin + line + error.column().saturating_sub(1), reason)
}

struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    /// Returns the place of a piece that is borrowed from the text.
    fn place(&self, piece: &str) -> usize {
        piece.as_ptr().addr() - self.text.as_ptr().addr()
    }

    fn read<T: Deserialize<'t>>(&self, raw: &'t RawValue) -> Result<T, Fault> {
        serde_json::from_str(raw.get()).map_err(|error| fault(raw.get(), self.place(raw.get()), &error))
    }

    fn node(&self, raw: &'t RawValue, depth: usize) -> Result<Node, Fault> {
        let at = self.place(raw.get());
        if depth > DEEPEST {
            return Err(Fault::new(at, format!("lists and tables are nested deeper than {DEEPEST}")));
        }
        let value = match raw.get().as_bytes()[0] {
            b'"' => Value::Text(self.read(raw)?),
            b't' | b'f' => Value::Bool(self.read(raw)?),
            b'n' => Value::Other,
            b'[' => {
                let list: Vec<&RawValue> = self.read(raw)?;
                Value::List(list.into_iter().map(|raw| self.node(raw, depth + 1)).collect::<Result<_, _>>()?)
            }
            b'{' => {
                let Entries(entries) = self.read(raw)?;
                let mut table: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
                for (name, raw) in entries {
                    let node = self.node(raw, depth + 1)?;
                    let at = match &name {
                        Cow::Borrowed(name) => self.place(name).saturating_sub(1),
                        Cow::Owned(_) => node.at,
                    };
                    table.push((Key { name: name.into_owned(), at }, node));
                }
                refuse_repeated(&table)?;
                Value::Table(table)
            }
            _ => Value::Number(raw.get().to_owned()),
        };
        Ok(Node { value, at })
    }
}

fn refuse_repeated(table: &[(Key, Node)]) -> Result<(), Fault> {
    let mut keys: Vec<&Key> = table.iter().map(|(key, _)| key).collect();
    keys.sort_by_key(|key| (&key.name, key.at));
    match keys.windows(2).find(|pair| pair[0].name == pair[1].name) {
        Some(pair) => {
            Err(Fault::new(pair[1].at, format!("the key {} is given twice", quoted(&pair[1].name))))
        }
        None => Ok(()),
    }
}

/// The entries of an object, in order.
struct Entries<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'t> Deserialize<'t> for Entries<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

/// A key, borrowed from the text unless it has escapes.
#[derive(serde::Deserialize)]
struct Name<'t>(#[serde(borrow)] Cow<'t, str>);

struct InOrder;

impl<'t> Visitor<'t> for InOrder {
    type Value = Entries<'t>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'t>>(self, mut map: M) -> Result<Entries<'t>, M::Error> {
        let mut entries = Vec::new();
        while let Some((Name(name), raw)) = map.next_entry()? {
            entries.push((name, raw));
        }
        Ok(Entries(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_places() {
        let text = "{\n \"a\": [1.50, \"x\"],\n \"b\\n\": {\"c\": true}}";
        let Value::Table(entries) = parse(text).unwrap().value else { panic!("a table") };
        let (key, list) = &entries[0];
        assert_eq!((&key.name[..], key.at), ("a", 3));
        let Value::List(list) = &list.value else { panic!("a list") };
        assert_eq!(list[0], Node { value: Value::Number("1.50".into()), at: text.find("1.50").unwrap() });
        assert_eq!(list[1], Node { value: Value::Text("x".into()), at: text.find("\"x").unwrap() });
        assert_eq!(entries[1].0, Key { name: "b\n".into(), at: text.find("{\"c").unwrap() });
    }

    #[test]
    fn faults_have_places() {
        let place = |text: &str| {
            let error = parse(text).unwrap_err().in_file("r.json", text);
            (error.line, error.column, error.why)
        };
        assert_eq!(place("{\"a\": 1,\n \"a\": 2}"), (2, 2, "the key 'a' is given twice".to_owned()));
        assert_eq!(place("{\"a\": 1,\n  x}").0, 2);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(
            place(&deep).2.contains("nested") || place(&deep).2.contains("recursion"),
            "{}",
            place(&deep).2
        );
    }
}
