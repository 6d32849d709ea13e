//! Verdicts on claims, by rules that are written down before anything is measured.

use std::fmt;

use serde::{Serialize, Serializer};

/// The rule by which a claim is decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Every reading is at least this.
    AtLeast(f64),
    /// Every reading is at most this.
    AtMost(f64),
    /// More than half of the readings are at most this.
    MostlyAtMost(f64),
    /// Every reading is less than this.
    Below(f64),
    /// Every reading is between these, or one of them.
    Within(f64, f64),
    /// The claim cannot be decided here, for this reason.
    NotComparable(&'static str),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, "at least {least}"),
            Self::AtMost(most) => write!(f, "at most {most}"),
            Self::MostlyAtMost(most) => write!(f, "at most {most} in more than half of the cases"),
            Self::Below(limit) => write!(f, "below {limit}"),
            Self::Within(least, most) => write!(f, "{least} to {most}"),
            Self::NotComparable(why) => f.write_str(why),
        }
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Rule {
    /// True for a reading that agrees with the rule. A NaN never does.
    fn admits(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) | Self::MostlyAtMost(most) => value <= most,
            Self::Below(limit) => value < limit,
            Self::Within(least, most) => (least..=most).contains(&value),
            Self::NotComparable(_) => false,
        }
    }

    /// Returns the outcome of readings.
    fn decide(self, readings: &[Reading]) -> Verdict {
        let agreeing = readings.iter().filter(|reading| reading.agrees).count();
        let holds = match self {
            Self::NotComparable(_) => return Verdict::NotComparable,
            _ if readings.is_empty() => return Verdict::NotComparable,
            Self::MostlyAtMost(_) => 2 * agreeing > readings.len(),
            Self::AtLeast(_) | Self::AtMost(_) | Self::Below(_) | Self::Within(..) => {
                agreeing == readings.len()
            }
        };
        if holds { Verdict::Confirmed } else { Verdict::Contradicted }
    }
}

/// The outcome of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The readings agree as the rule asks: all, or more than half.
    Confirmed,
    /// Too few readings do.
    Contradicted,
    /// Nothing was read, or the paper's job is another one.
    NotComparable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confirmed => "confirmed",
            Self::Contradicted => "contradicted",
            Self::NotComparable => "not comparable",
        })
    }
}

/// A number that a claim is decided by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// The thing it was read from.
    pub of: String,
    /// The number.
    pub value: f64,
    /// True if it agrees with the rule.
    pub agrees: bool,
}

/// A sentence of a paper, with what it says and what is found here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// The claim's short name, such as `Z1`.
    pub id: &'static str,
    /// The claim, and in quotation marks the paper's own words.
    pub text: &'static str,
    /// The paper's number.
    pub paper: &'static str,
    /// The rule.
    pub rule: Rule,
    /// The readings, in the order of the rows.
    pub today: Vec<Reading>,
    /// The outcome.
    pub verdict: Verdict,
}

impl Claim {
    /// Decides a claim by readings: what each is of, and the number.
    pub fn judged(
        id: &'static str,
        text: &'static str,
        paper: &'static str,
        rule: Rule,
        readings: impl IntoIterator<Item = (String, f64)>,
    ) -> Self {
        let today: Vec<Reading> = readings
            .into_iter()
            .map(|(of, value)| Reading { of, value, agrees: rule.admits(value) })
            .collect();
        let verdict = rule.decide(&today);
        Self { id, text, paper, rule, today, verdict }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rule: Rule, values: &[f64]) -> Verdict {
        Claim::judged("X", "", "", rule, values.iter().map(|&value| (String::new(), value))).verdict
    }

    #[test]
    fn thresholds_belong_to_their_rules() {
        use Verdict::{Confirmed, Contradicted, NotComparable};
        for (rule, values, expected) in [
            (Rule::AtLeast(2.0), &[2.0, 3.0][..], Confirmed),
            (Rule::AtLeast(2.0), &[2.0, 2.0_f64.next_down()], Contradicted),
            (Rule::AtMost(1.15), &[1.15, -4.0], Confirmed),
            (Rule::AtMost(1.15), &[1.15_f64.next_up()], Contradicted),
            (Rule::MostlyAtMost(1.0), &[0.9, 1.1, 1.0], Confirmed),
            (Rule::MostlyAtMost(1.0), &[0.9, 1.1], Contradicted),
            (Rule::MostlyAtMost(1.0), &[0.9, 1.1, 1.2], Contradicted),
            (Rule::MostlyAtMost(1.0), &[], NotComparable),
            (Rule::Below(1.0), &[1.0_f64.next_down()], Confirmed),
            (Rule::Below(1.0), &[1.0], Contradicted),
            (Rule::Within(1.5, 2.5), &[1.5, 2.5], Confirmed),
            (Rule::Within(1.5, 2.5), &[1.5_f64.next_down()], Contradicted),
            (Rule::Within(1.5, 2.5), &[2.5_f64.next_up()], Contradicted),
            (Rule::Within(1.5, 2.5), &[f64::NAN], Contradicted),
            (Rule::AtMost(1.0), &[], NotComparable),
            (Rule::NotComparable("another job"), &[1.0], NotComparable),
        ] {
            assert_eq!(verdict(rule, values), expected, "{rule} {values:?}");
        }
    }
}
