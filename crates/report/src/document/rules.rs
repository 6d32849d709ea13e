//! Rules in a report: what each decided.

use std::collections::BTreeMap;
use std::sync::Arc;

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::part::hexadecimal;
use super::word::Word;
use closefit::internals::query::Verdict;

/// The rules of a run, and what they decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesRow {
    /// The digest of the rules file.
    #[serde(with = "hexadecimal")]
    pub digest: Hash,
    /// The rules, in the order in which they decide.
    pub rules: Vec<RuleRow>,
    /// The exclusions, in order.
    pub excludes: Vec<ExcludeRow>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleRow {
    /// The id.
    pub id: Arc<str>,
    /// The number of parts of its first side.
    pub parts_a: u64,
    /// The number of parts of its second side.
    pub parts_b: u64,
    /// The clearance of its pairs.
    pub clearance: f64,
    /// The tolerance of its pairs.
    pub tolerance: f64,
    /// How severe its findings are, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Arc<str>>,
    /// The number of pairs that it decides.
    pub pairs: u64,
    /// The listed pairs among them, by verdict. The others are clear.
    pub by_verdict: BTreeMap<String, u64>,
}

/// An exclusion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcludeRow {
    /// The reason.
    pub reason: String,
    /// The number of pairs that it excludes.
    pub pairs: u64,
}

/// The rule of a listed pair; absent from JSON if there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleOfPair {
    /// The id of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Arc<str>>,
    /// How severe its findings are, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Arc<str>>,
}

impl RulesRow {
    /// Makes the rows of a rules file, whose verdicts are not counted yet.
    pub fn new(file: &[u8], rules: Vec<RuleRow>, excludes: Vec<ExcludeRow>) -> Self {
        Self { digest: blake3::hash(file), rules, excludes }
    }

    /// Counts the verdict of a listed pair of a rule, by its index.
    fn count(&mut self, rule: usize, verdict: Verdict) {
        *self.rules[rule].by_verdict.entry(verdict.word().to_owned()).or_default() += 1;
    }
}

/// A listed pair, as far as rules are concerned.
pub trait RuledRow {
    /// Returns the indices of the parts.
    fn ids(&self) -> [u32; 2];

    /// Returns the verdict.
    fn verdict(&self) -> Verdict;

    /// Returns the place of its rule.
    fn rule(&mut self) -> &mut RuleOfPair;
}

impl<S, P: RuledRow> super::Report<S, P> {
    /// Returns the report with rules, if there are any; `rule_of` says which one, by its index, decides a pair.
    pub fn with_rules(
        mut self,
        rules: Option<RulesRow>,
        rule_of: impl Fn([u32; 2]) -> Option<usize>,
    ) -> Self {
        let Some(mut rules) = rules else { return self };
        for pair in &mut self.pairs {
            if let Some(index) = rule_of(pair.ids()) {
                let RuleRow { id, severity, .. } = &rules.rules[index];
                *pair.rule() = RuleOfPair { rule: Some(id.clone()), severity: severity.clone() };
                rules.count(index, pair.verdict());
            }
        }
        Self { rules: Some(rules), ..self }
    }
}
