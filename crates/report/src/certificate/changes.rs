//! The changes between two certificates of one rules file.

use std::collections::BTreeMap;

use super::{Certificate, CertifiedPart};
use crate::document::Command;

impl Certificate {
    /// Returns what makes this certificate another one than before, in words: of the input, or else of the
    /// certificate itself. Empty if they are the same.
    pub fn changes(&self, before: &Self) -> Vec<String> {
        if self == before {
            return Vec::new();
        }
        let mut changes = Vec::new();
        if self.answers != before.answers {
            changes.push(format!(
                "its answers are version {}, and this closefit gives version {}",
                before.answers, self.answers
            ));
        }
        if self.unit != before.unit {
            changes.push("the unit changed".to_owned());
        }
        if self.rules != before.rules {
            changes.push("the rules changed".to_owned());
        }
        for claim in &self.claims {
            let known = before.claims.iter().find(|known| known.id == claim.id);
            if known.is_some_and(|known| known.excluded != claim.excluded) {
                changes.push(format!("the excluded pairs of '{}' changed", claim.id));
            }
        }
        let place = if self.command == Command::Sweep { "motion" } else { "pose" };
        changes.extend(changes_of_parts(&before.parts, &self.parts, place));
        if changes.is_empty() {
            changes.push("the scene has not changed, but this is not what closefit finds".to_owned());
        }
        changes
    }
}

fn changes_of_parts(before: &[CertifiedPart], after: &[CertifiedPart], place: &str) -> Vec<String> {
    let by_key = |parts: &'_ [CertifiedPart]| -> BTreeMap<String, CertifiedPart> {
        parts.iter().map(|part| (part.key.clone(), part.clone())).collect()
    };
    let (old, new) = (by_key(before), by_key(after));
    let gone = old.values().filter(|part| !new.contains_key(&part.key));
    let gone = gone.map(|part| format!("{} is gone", part.name));
    let changed = new.values().filter_map(|part| match old.get(&part.key) {
        None => Some(format!("{} is new", part.name)),
        Some(known) => change(known, part, place),
    });
    gone.chain(changed).collect()
}

fn change(before: &CertifiedPart, after: &CertifiedPart, place: &str) -> Option<String> {
    let name = &after.name;
    if before.mesh != after.mesh {
        Some(format!("{name}'s mesh changed"))
    } else if before.place != after.place {
        Some(format!("{name}'s {place} changed"))
    } else if before.surface != after.surface {
        Some(format!("{name} is {} a surface", if after.surface { "declared" } else { "no longer declared" }))
    } else {
        (before.name != after.name).then(|| format!("{} is now called {name}", before.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{ANSWERS, CertifiedSettings, rules_digest};

    fn part(key: &str, mesh: &str, place: &str) -> CertifiedPart {
        let [mesh, place] = [mesh, place].map(|text| rules_digest(text.as_bytes()));
        CertifiedPart { key: key.into(), name: key.to_uppercase(), surface: false, mesh, place }
    }

    #[test]
    fn changes_name_what_is_not_the_same() {
        let settings = CertifiedSettings {
            tolerance: 0.0,
            at: None,
            joints: None,
            sweep: None,
            joint: None,
            as_is: false,
        };
        let before = Certificate {
            closefit_certificate: Certificate::FORMAT,
            answers: ANSWERS,
            command: Command::Check,
            unit: None,
            settings,
            rules: rules_digest(b"r"),
            claims: Vec::new(),
            not_asked: Vec::new(),
            parts: vec![part("a", "m", "p"), part("b", "m", "p"), part("c", "m", "p")],
            cross_check: Vec::new(),
        };
        assert!(before.changes(&before).is_empty());
        let parts = vec![part("a", "n", "q"), part("b", "m", "q"), part("d", "m", "p")];
        let after = Certificate { parts, ..before.clone() };
        assert_eq!(after.changes(&before), ["C is gone", "A's mesh changed", "B's pose changed", "D is new"]);
        let after = Certificate { rules: rules_digest(b"s"), answers: 9, ..before.clone() };
        assert_eq!(after.changes(&before).len(), 2);
        let forged = Certificate { not_asked: vec!["x".into()], ..before.clone() };
        assert_eq!(
            before.changes(&forged),
            ["the scene has not changed, but this is not what closefit finds"]
        );
    }
}
