//! The lines about rules.

use super::display::counted;
use crate::document::word::Word;
use crate::document::{RuleRow, RulesRow};
use closefit::internals::query::Verdict;
use closefit_geometry::text::printable;

/// Returns a line for each rule: its parts and pairs, and its listed pairs by verdict.
pub fn rules(rules: &RulesRow) -> String {
    let widest = rules.rules.iter().map(|rule| printable(&rule.id).chars().count()).max().unwrap_or(0);
    let line = |rule: &RuleRow| {
        let shown =
            [Verdict::Clash, Verdict::Meets, Verdict::Undecided, Verdict::Contact, Verdict::Clearance];
        let count = |verdict: Verdict| rule.by_verdict.get(verdict.word()).map(|n| (verdict.word(), n));
        let found: Vec<String> =
            shown.into_iter().filter_map(count).map(|(word, n)| format!("{n} {word}")).collect();
        let found = if found.is_empty() { "nothing listed".to_owned() } else { found.join(", ") };
        let (id, pairs) = (printable(&rule.id), counted(rule.pairs, "pair", "pairs"));
        format!("{id:widest$}  {} x {} parts, {pairs}: {found}\n", rule.parts_a, rule.parts_b)
    };
    rules.rules.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_rule_has_a_line() {
        let row = |id: &str, pairs: u64, by_verdict: &[(&str, u64)]| RuleRow {
            id: id.into(),
            parts_a: 103,
            parts_b: 215,
            clearance: 0.0,
            tolerance: 0.0,
            severity: None,
            pairs,
            by_verdict: by_verdict.iter().map(|&(word, n)| (word.to_owned(), n)).collect::<BTreeMap<_, _>>(),
        };
        let found = [("contact", 46), ("clash", 11)];
        let rows = RulesRow::new(b"", vec![row("E-A", 22_145, &found), row("long\n", 1, &[])], Vec::new());
        assert_eq!(
            rules(&rows),
            "E-A     103 x 215 parts, 22145 pairs: 11 clash, 46 contact\n\
             long\\n  103 x 215 parts, 1 pair: nothing listed\n"
        );
    }
}
