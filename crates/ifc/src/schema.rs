//! The schema of a file, by its header. The kernel takes any other for IFC4, and draws it.

use crate::error::Refused;
use crate::records::Records;
use crate::values::{arguments, text};

/// The schemas that are read.
const READ: [&str; 10] = [
    "IFC2X3",
    "IFC2X3_TC1",
    "IFC4",
    "IFC4_ADD1",
    "IFC4_ADD2",
    "IFC4_ADD2_TC1",
    "IFC4X3",
    "IFC4X3_TC1",
    "IFC4X3_ADD1",
    "IFC4X3_ADD2",
];

/// The beginnings of the names of drafts and withdrawn versions, and the schemas as which they are read.
const DRAFTS: [(&str, &str); 4] =
    [("IFC4RC", "IFC4"), ("IFC4X1", "IFC4X3"), ("IFC4X2", "IFC4X3"), ("IFC4X3_RC", "IFC4X3")];

/// The schema of a file, if it is a draft: its name, and the schema as which it is read.
pub type Draft = Option<(String, &'static str)>;

/// Checks the schema.
///
/// # Errors
/// If there is none, or another than those that are read.
pub fn of(records: &Records) -> Result<Draft, Refused> {
    let list = records.schema.trim_ascii();
    let list = list.strip_prefix(b"(").and_then(|list| list.strip_suffix(b")")).unwrap_or(list);
    let names: Vec<String> = arguments(list).filter_map(text).collect();
    let [name] = &names[..] else {
        return Err(Refused::at("FILE_SCHEMA", format!("it names {} schemas instead of one", names.len())));
    };
    let upper = name.to_ascii_uppercase();
    if READ.contains(&upper.as_str()) {
        return Ok(None);
    }
    if let Some((_, as_what)) = DRAFTS.iter().find(|(draft, _)| upper.starts_with(draft)) {
        return Ok(Some((upper, as_what)));
    }
    let shown: String = name.chars().take(40).collect();
    Err(Refused::file(format!("schema {shown} is not read (IFC2X3, IFC4 and IFC4X3 are)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_known_by_the_header_alone() {
        let of = |schema: &str| {
            let text = format!("ISO-10303-21;HEADER;FILE_SCHEMA({schema});ENDSEC;END-ISO-10303-21;");
            let draft = super::of(&Records::of(text.as_bytes()).unwrap());
            draft.map_err(|refused| refused.to_string()).map(|draft| draft.map(|(_, as_what)| as_what))
        };
        for read in READ {
            assert_eq!(of(&format!("('{read}')")), Ok(None));
        }
        assert_eq!(of("( 'ifc4' )"), Ok(None));
        assert_eq!(of("('IFC4RC4')"), Ok(Some("IFC4")));
        assert_eq!(of("('IFC4X3_RC2')"), Ok(Some("IFC4X3")));
        for refused in ["IFC2X_FINAL", "IFC2X2_FINAL", "IFC5", "IFC4X4", "AUTOMOTIVE_DESIGN"] {
            assert!(
                of(&format!("('{refused}')"))
                    .unwrap_err()
                    .starts_with(&format!("schema {refused} is not read"))
            );
        }
        assert_eq!(of("('IFC4','IFC2X3')").unwrap_err(), "FILE_SCHEMA: it names 2 schemas instead of one");
    }
}
