//! The published schema accepts what is read, and refuses what is refused.

use serde_json::{Value, json};

use super::*;

/// Returns a TOML document as JSON, by the library's own parser.
fn as_json(text: &str) -> Value {
    fn of(value: toml::de::DeValue) -> Value {
        use toml::de::DeValue;
        match value {
            DeValue::String(text) => json!(text),
            DeValue::Integer(number) => serde_json::from_str(number.as_str()).unwrap(),
            DeValue::Float(number) => serde_json::from_str(number.as_str()).unwrap(),
            DeValue::Boolean(is) => json!(is),
            DeValue::Array(list) => list.into_iter().map(|one| of(one.into_inner())).collect(),
            DeValue::Table(table) => {
                let entry = |(key, one): (toml::Spanned<_>, toml::Spanned<_>)| {
                    let key: std::borrow::Cow<str> = key.into_inner();
                    (key.into_owned(), of(one.into_inner()))
                };
                Value::Object(table.into_iter().map(entry).collect())
            }
            DeValue::Datetime(_) => Value::Null,
        }
    }
    of(toml::de::DeValue::Table(toml::de::DeTable::parse(text).unwrap().into_inner()))
}

fn validator() -> jsonschema::Validator {
    let schema = include_str!("../../../../schema/rules.schema.json");
    jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
}

#[test]
fn the_examples_are_what_the_schema_says() {
    let validator = validator();
    for text in [ALL, DUPLEX] {
        let document = as_json(text);
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        read(text).unwrap();
        // The same as JSON.
        RulesFile::read(Path::new("r.json"), &document.to_string()).unwrap();
    }
}

/// Editors show the descriptions. Some know no `unevaluatedProperties`, and would let a misspelled key pass.
#[test]
fn editors_have_a_text_for_every_key_and_see_misspelled_ones() {
    fn walk(schema: &Value, at: &str, silent: &mut Vec<String>) {
        let Value::Object(entries) = schema else { return };
        for (key, one) in entries {
            let at = format!("{at}/{key}");
            if let ("properties", Value::Object(properties)) = (&key[..], one) {
                let without = properties.iter().filter(|(_, property)| property["description"].is_null());
                silent.extend(without.map(|(name, _)| format!("{at}/{name}")));
            }
            assert_ne!(key, "unevaluatedProperties", "{at}");
            match one {
                Value::Array(list) => list.iter().for_each(|one| walk(one, &at, silent)),
                one => walk(one, &at, silent),
            }
        }
    }
    let schema = include_str!("../../../../schema/rules.schema.json");
    let mut silent = Vec::new();
    walk(&serde_json::from_str(schema).unwrap(), "", &mut silent);
    silent.retain(|at| !at.contains("/anyOf/properties/"));
    assert!(silent.is_empty(), "{silent:?}");
    for (wrong, is_valid) in [
        (json!({"closefit-rules": 1, "groups": {"g": {"nmae": "b*"}}}), false),
        (json!({"closefit-rules": 1, "groups": {"g": {"name": "b*", "zone": true}}}), true),
        (json!({"closefit-rules": 1, "rule": [{"id": "r", "a": {"nmae": "b*"}}]}), false),
        (json!({"closefit-rules": 1, "rule": [{"id": "r", "a": {"name": "b*", "zone": true}}]}), false),
    ] {
        assert_eq!(validator().is_valid(&wrong), is_valid, "{wrong}");
    }
}

/// Removes, changes or adds something everywhere in a document: each change is refused by both or by none.
#[test]
fn the_schema_and_the_reader_agree_about_changed_documents() {
    let validator = validator();
    let all = as_json(ALL);
    let mut pointers = Vec::new();
    fn walk(value: &Value, at: String, found: &mut Vec<String>) {
        found.push(at.clone());
        let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
        match value {
            Value::Object(entries) => {
                entries.iter().for_each(|(key, one)| walk(one, format!("{at}/{}", escaped(key)), found));
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(i, one)| walk(one, format!("{at}/{i}"), found));
            }
            _ => {}
        }
    }
    walk(&all, String::new(), &mut pointers);
    let others = [
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!(-1),
        json!("\u{7}"),
        json!("  "),
        json!({"x": 1}),
    ];
    for pointer in pointers.iter().filter(|pointer| !pointer.is_empty()) {
        for other in &others {
            let mut changed = all.clone();
            *changed.pointer_mut(pointer).unwrap() = other.clone();
            agree(&validator, &changed, pointer);
        }
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let mut less = all.clone();
        if let Value::Object(entries) = less.pointer_mut(parent).unwrap() {
            entries.remove(key);
            agree(&validator, &less, pointer);
        }
    }
}

/// Refusals beyond a schema: names that must be defined, rows that must be as long as the matrix asks.
const BEYOND: [&str; 10] = [
    "is not defined",
    "is not one of 'groups'",
    "has no row",
    "is in 'groups' twice",
    "it needs",
    "define each other",
    "there are two rules",
    "pinned = true needs",
    "the control character",
    "is wrong",
];

fn agree(validator: &jsonschema::Validator, document: &Value, pointer: &str) {
    let read = RulesFile::read(Path::new("r.json"), &document.to_string());
    match (validator.is_valid(document), read) {
        (true, Ok(_)) | (false, Err(_)) => {}
        (true, Err(error)) => {
            let told = error.to_string();
            assert!(
                BEYOND.iter().any(|beyond| told.contains(beyond)),
                "{pointer}: only refused by the reader: {told}"
            );
        }
        (false, Ok(_)) => panic!("{pointer}: only refused by the schema: {document}"),
    }
}
