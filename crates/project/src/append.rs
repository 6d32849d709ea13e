//! New waivers in the text of a rules file, whose comments and order stay.

use std::collections::HashSet;
use std::path::Path;

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use crate::fault::{Fault, RulesError};
use crate::rules::RulesFile;
use crate::waive::Waiver;

/// A waiver of one pair, to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWaiver {
    /// The key of the pair.
    pub pair: String,
    /// The largest depth that is accepted, as it is written.
    pub up_to: String,
    /// The digests of both parts, by which they are found again under other names.
    pub digests: Option<[String; 2]>,
    /// True if it holds only while the parts have these digests.
    pub pinned: bool,
    /// The reason.
    pub reason: String,
}

impl NewWaiver {
    fn table(&self) -> Table {
        let mut table = Table::new();
        table.insert("pairs", value(Array::from_iter([&self.pair])));
        // A bare number is in the file's unit, and is written as one.
        let bare = self.up_to.parse().ok().map(|length: f64| value(length));
        table.insert("up_to", bare.unwrap_or_else(|| value(&self.up_to)));
        if self.pinned {
            table.insert("pinned", value(true));
        }
        if let Some(digests) = &self.digests {
            table.insert("digests", value(Array::from_iter(digests)));
        }
        table.insert("reason", value(&self.reason));
        table
    }
}

/// A rules file with waivers added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithWaivers {
    /// Its text.
    pub text: String,
    /// True for each waiver that was added, and false if the file had the same one before.
    pub is_added: Vec<bool>,
}

/// Adds waivers to the text of a rules file, but none that it has: at the end of the text, or of a list in
/// brackets that holds those that it has.
///
/// # Errors
/// [`RulesError`] if the file is no TOML, if it is no rules file, or if it would not be one with the waivers.
pub fn with_waivers(file: &Path, text: &str, waivers: &[NewWaiver]) -> Result<WithWaivers, RulesError> {
    let known = RulesFile::read(file, text)?.waivers;
    // Read back, a number without a unit has the file's, like those before it.
    let all = RulesFile::read(file, &appended(file, text, waivers)?)?.waivers;
    let mut seen: HashSet<_> = known.iter().map(Waiver::contents).collect();
    let is_added: Vec<bool> =
        all[known.len()..].iter().map(|waiver| seen.insert(waiver.contents())).collect();
    let new = waivers.iter().zip(&is_added).filter(|(_, is_added)| **is_added);
    let new: Vec<NewWaiver> = new.map(|(waiver, _)| waiver.clone()).collect();
    let text = if new.is_empty() { text.to_owned() } else { appended(file, text, &new)? };
    Ok(WithWaivers { text, is_added })
}

fn appended(file: &Path, text: &str, waivers: &[NewWaiver]) -> Result<String, RulesError> {
    let parsed: Result<DocumentMut, _> = text.parse();
    let mut document = parsed.map_err(|error| {
        let why = format!("waivers can be written to TOML only: {}", error.message());
        let at = error.span().map_or(0, |span| span.start);
        Fault::new(at, why).in_file(&file.display().to_string(), text)
    })?;
    let tables = waivers.iter().map(NewWaiver::table);
    let written = match document.get_mut("waive").and_then(Item::as_array_mut) {
        Some(list) => {
            list.extend(tables.map(Table::into_inline_table));
            document.to_string()
        }
        None => {
            let mut added = DocumentMut::new();
            added.insert("waive", tables.collect::<ArrayOfTables>().into());
            let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            format!("{text}{end}\n{added}")
        }
    };
    // The library ends every line alike.
    let ends_in_two = text.contains("\r\n");
    Ok(if ends_in_two { written.replace("\r\n", "\n").replace('\n', "\r\n") } else { written })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str, waivers: &[NewWaiver]) -> String {
        let written = with_waivers(Path::new("r.toml"), text, waivers).unwrap();
        assert_eq!(written.is_added, vec![true; waivers.len()]);
        written.text
    }

    fn waiver(pair: &str, digests: Option<[String; 2]>) -> NewWaiver {
        let pinned = digests.is_some();
        NewWaiver { pair: pair.into(), up_to: "3.3mm".into(), digests, pinned, reason: "RFI \"88\"".into() }
    }

    #[test]
    fn comments_and_order_stay() {
        let text = "# ours\nclosefit-rules = 1 # first\n\n[[waive]] # old\npairs = [\"0123456789abcdef0123\"]\n\
            up_to = 1\nreason = \"old\"\n\n# groups\n[groups]\nall = { name = \"*\" } # everything\n# the end";
        let new = [
            waiver("00000000000000000001", None),
            waiver("00000000000000000002", Some(["1".repeat(64), "2".repeat(64)])),
        ];
        let written = added(text, &new);
        assert!(written.starts_with(text), "{written}");
        let read = RulesFile::read(Path::new("r.toml"), &written).unwrap();
        let pairs: Vec<&str> = read.waivers.iter().map(|waiver| &waiver.pairs[0][..]).collect();
        assert_eq!(pairs, ["0123456789abcdef0123", &new[0].pair, &new[1].pair]);
        assert_eq!(read.waivers[2].digests, new[1].digests);
        assert_eq!((read.waivers[2].pinned, &read.waivers[1].reason[..]), (true, "RFI \"88\""));
        let in_two = added(&text.replace('\n', "\r\n"), &new);
        assert_eq!(in_two, written.replace('\n', "\r\n"));
        // Another run adds to these.
        let again = added(&written, &[NewWaiver { reason: "RFI 90".into(), ..new[0].clone() }]);
        assert!(again.starts_with(&written) && again.matches("[[waive]]").count() == 4, "{again}");
    }

    #[test]
    fn a_waiver_that_is_there_is_not_added_again() {
        let path = Path::new("r.toml");
        let one = NewWaiver { up_to: "0.5".into(), ..waiver("00000000000000000001", None) };
        let in_list = format!(
            "closefit-rules = 1\nunit = \"mm\"\nwaive = [ # ours\n\
             \x20 {{ pairs = {:?}, up_to = \"0.5mm\", reason = 'RFI \"88\"' }},\n]\n",
            one.pair
        );
        for text in [in_list, added("closefit-rules = 1\nunit = \"mm\"\n", std::slice::from_ref(&one))] {
            let written = with_waivers(path, &text, std::slice::from_ref(&one)).unwrap();
            assert_eq!(written, WithWaivers { text: text.clone(), is_added: vec![false] });
            // What differs in anything is added, once.
            let digests = Some(["1".repeat(64), "2".repeat(64)]);
            let others = [
                NewWaiver { up_to: "0.6".into(), ..one.clone() },
                one.clone(),
                NewWaiver { reason: "RFI 90".into(), ..one.clone() },
                NewWaiver { digests: digests.clone(), ..one.clone() },
                NewWaiver { digests, pinned: true, ..one.clone() },
                NewWaiver { pair: "00000000000000000002".into(), ..one.clone() },
                NewWaiver { up_to: "0.6mm".into(), ..one.clone() },
            ];
            let written = with_waivers(path, &text, &others).unwrap();
            assert_eq!(written.is_added, [true, false, true, true, true, true, false]);
            assert_eq!(RulesFile::read(path, &written.text).unwrap().waivers.len(), 6);
        }
    }

    #[test]
    fn a_list_of_inline_tables_grows_too() {
        let text = "closefit-rules = 1\nunit = \"mm\"\nwaive = [ # ours\n\
            \x20 { pairs = \"0123456789abcdef0123\", up_to = 1, reason = \"old\" },\n]\n";
        let new = NewWaiver { up_to: "0.5".into(), ..waiver("00000000000000000001", None) };
        let written = added(text, &[new]);
        assert!(written.contains("# ours") && written.contains("up_to = 0.5"), "{written}");
        assert_eq!(RulesFile::read(Path::new("r.toml"), &written).unwrap().waivers.len(), 2);
    }

    #[test]
    fn what_would_not_be_a_rules_file_is_refused() {
        let refused = |name: &str, text: &str, reason: &str| {
            let new = NewWaiver { reason: reason.into(), ..waiver("00000000000000000001", None) };
            with_waivers(Path::new(name), text, &[new]).unwrap_err().to_string()
        };
        assert!(refused("r.toml", "closefit-rules = 2", "why").contains("made for a newer closefit"));
        assert!(refused("r.toml", "closefit-rules = 1", " ").contains("the text is empty"));
        let json = refused("r.json", "{\"closefit-rules\": 1}", "why");
        assert!(json.contains("waivers can be written to TOML only"), "{json}");
    }
}
