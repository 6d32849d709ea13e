//! Rules in a report: what each decided.

use std::sync::Arc;

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::Finding;
use super::WaiverRow;
use super::part::hexadecimal;
use super::rarely::Usual;
use super::word::{self, Word};
use closefit::Verdict;

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
    /// The waivers, in order; absent from JSON if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<WaiverRow>,
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
    /// The volume up to which overlaps of its pairs are accepted, if it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_at_most: Option<f64>,
    /// The severity of its findings, if it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Arc<str>>,
    /// The number of pairs that it decides.
    pub pairs: u64,
    /// The listed pairs among them, by verdict. The others are clear.
    pub by_verdict: ByVerdict,
}

/// Numbers of listed pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByVerdict {
    /// Clashes.
    pub clash: u64,
    /// Pairs that meet, if no depths were requested; absent from JSON if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub meets: u64,
    /// Undecided pairs.
    pub undecided: u64,
    /// Contacts.
    pub contact: u64,
    /// Pairs within the clearance.
    pub clearance: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ByVerdict {
    /// Counts a pair. Clear ones are not listed.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Clash => self.clash += 1,
            Verdict::Meets => self.meets += 1,
            Verdict::Undecided => self.undecided += 1,
            Verdict::Contact => self.contact += 1,
            Verdict::Clearance => self.clearance += 1,
            Verdict::Clear => {}
        }
    }
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
    /// The severity of its findings, if it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Arc<str>>,
    /// The kind of the finding, if it is a special one.
    #[serde(default, with = "word::optional", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
}

/// A special kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part in a zone, which is to be free.
    Zone,
}

impl Usual for RuleOfPair {
    const USUAL: &'static Self = &Self { rule: None, severity: None, kind: None };
}

impl Word for Kind {
    const WORDS: &[(Self, &str)] = &[(Self::Zone, "zone")];
}

impl RulesRow {
    /// Makes the rows of a rules file, whose verdicts are not counted yet.
    pub fn new(file: &[u8], rules: Vec<RuleRow>, excludes: Vec<ExcludeRow>) -> Self {
        Self { digest: blake3::hash(file), rules, excludes, waivers: Vec::new() }
    }
}

impl<S, P: Finding> super::Report<S, P> {
    /// Returns the report with rules, if there are any; `rule_of` says which one, by its index, decides a
    /// pair.
    pub fn with_rules(
        mut self,
        rules: Option<RulesRow>,
        rule_of: impl Fn([u32; 2]) -> Option<usize>,
    ) -> Self {
        let Some(mut rules) = rules else { return self };
        for pair in &mut self.pairs {
            if let Some(index) = rule_of(pair.sides().ids) {
                let RuleRow { id, severity, .. } = &rules.rules[index];
                *pair.rule_mut() =
                    RuleOfPair { rule: Some(id.clone()), severity: severity.clone(), kind: None };
                rules.rules[index].by_verdict.add(pair.verdict());
            }
        }
        Self { rules: Some(rules), ..self }
    }

    /// Returns the report with the digest of a text that says what excludes pairs. The text is made only if
    /// more than motion excludes some.
    pub fn with_exclusions(mut self, text: impl FnOnce() -> String) -> Self {
        if self.ledger.excludes_some_by_choice() {
            self.ledger.excluded_by = Some(blake3::hash(text().as_bytes()).to_hex().to_string());
        }
        self
    }

    /// Returns the report with the clashes of zones marked as such; `is_zone` is said of a part.
    pub fn with_zones(mut self, is_zone: impl Fn(u32) -> bool) -> Self {
        for pair in &mut self.pairs {
            if pair.verdict() == Verdict::Clash && pair.sides().ids.into_iter().any(&is_zone) {
                pair.rule_mut().kind = Some(Kind::Zone);
            }
        }
        self
    }
}
