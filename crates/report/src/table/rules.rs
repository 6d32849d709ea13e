//! The lines about rules.

use super::display::counted;
use crate::document::{ByVerdict, RuleRow, RulesRow};
use closefit_geometry::text::printable;

/// Returns a line for each rule: its parts and pairs, and its listed pairs by verdict.
pub fn rules(rules: &RulesRow) -> String {
    let widest = rules.rules.iter().map(|rule| printable(&rule.id).chars().count()).max().unwrap_or(0);
    let line = |rule: &RuleRow| {
        let (id, pairs) = (printable(&rule.id), counted(rule.pairs, "pair", "pairs"));
        let found = found(rule.by_verdict);
        format!("{id:widest$}  {} x {} parts, {pairs}: {found}\n", rule.parts_a, rule.parts_b)
    };
    rules.rules.iter().map(line).collect()
}

fn found(ByVerdict { clash, meets, undecided, contact, clearance }: ByVerdict) -> String {
    let found = [
        (clash, "clash"),
        (meets, "meets"),
        (undecided, "undecided"),
        (contact, "contact"),
        (clearance, "clearance"),
    ];
    let found: Vec<String> =
        (found.iter().filter(|(n, _)| *n > 0)).map(|(n, word)| format!("{n} {word}")).collect();
    if found.is_empty() { "nothing listed".to_owned() } else { found.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_a_line() {
        let row = |id: &str, pairs: u64, by_verdict: ByVerdict| RuleRow {
            id: id.into(),
            parts_a: 103,
            parts_b: 215,
            clearance: 0.0,
            tolerance: 0.0,
            volume_at_most: None,
            severity: None,
            pairs,
            by_verdict,
        };
        let found = ByVerdict { clash: 11, contact: 46, ..ByVerdict::default() };
        let rows = vec![row("E-A", 22_145, found), row("long\n", 1, ByVerdict::default())];
        assert_eq!(
            rules(&RulesRow::new(b"", rows, Vec::new())),
            "E-A     103 x 215 parts, 22145 pairs: 11 clash, 46 contact\n\
             long\\n  103 x 215 parts, 1 pair: nothing listed\n"
        );
    }
}
