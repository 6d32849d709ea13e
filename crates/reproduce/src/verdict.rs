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
    /// The median of the readings is between these, or one of them: for a claim that says "about" or
    /// "usually".
    Median(f64, f64),
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
            Self::Median(f64::NEG_INFINITY, most) => write!(f, "a median of at most {most}"),
            Self::Median(least, f64::INFINITY) => write!(f, "a median of at least {least}"),
            Self::Median(least, most) => write!(f, "a median of {least} to {most}"),
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
            Self::AtMost(most) => value <= most,
            Self::Below(limit) => value < limit,
            Self::Median(least, most) | Self::Within(least, most) => (least..=most).contains(&value),
            Self::NotComparable(_) => false,
        }
    }

    /// Returns the outcome of readings.
    fn decide(self, readings: &[Reading]) -> Verdict {
        let holds = match self {
            Self::NotComparable(_) => return Verdict::NotComparable,
            _ if readings.is_empty() => return Verdict::NotComparable,
            Self::Median(..) => self.admits(median(readings)),
            Self::AtLeast(_) | Self::AtMost(_) | Self::Below(_) | Self::Within(..) => {
                readings.iter().all(|reading| reading.agrees)
            }
        };
        if holds { Verdict::Confirmed } else { Verdict::Contradicted }
    }
}

/// Returns the median of readings, of an even number the mean of the two in the middle.
fn median(readings: &[Reading]) -> f64 {
    let mut values: Vec<f64> = readings.iter().map(|reading| reading.value).collect();
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

/// The outcome of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The readings agree with the rule.
    Confirmed,
    /// They do not, although the mechanism, the unit and the kind of scene are the paper's.
    Contradicted,
    /// They do not, and our tree, unit or scene is not the paper's.
    NotReproduced,
    /// Nothing was read, or the paper's job is another one.
    NotComparable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confirmed => "confirmed",
            Self::Contradicted => "contradicted",
            Self::NotReproduced => "not reproduced",
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
    /// The tree, the unit or the scene of ours that is not the paper's. Readings that disagree then say
    /// nothing about the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<&'static str>,
    /// The reason why readings could hardly have disagreed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cannot_fail: Option<&'static str>,
}

/// A sentence of a paper about seconds, with the readings on this machine. It has no verdict: seconds differ
/// from machine to machine and from run to run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimedClaim {
    /// The claim's short name.
    pub id: &'static str,
    /// The claim, and in quotation marks the paper's own words.
    pub text: &'static str,
    /// The paper's number.
    pub paper: &'static str,
    /// The readings, in the order of the rows.
    pub today: Vec<Timed>,
}

/// A number that follows from seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timed {
    /// The thing it was read from.
    pub of: String,
    /// The number.
    pub value: f64,
}

impl TimedClaim {
    /// Makes a claim with its readings: what each is of, and the number.
    pub fn new(
        id: &'static str,
        text: &'static str,
        paper: &'static str,
        readings: impl IntoIterator<Item = (String, f64)>,
    ) -> Self {
        let today = readings.into_iter().map(|(of, value)| Timed { of, value }).collect();
        Self { id, text, paper, today }
    }
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
        Self { id, text, paper, rule, today, verdict, differs: None, cannot_fail: None }
    }

    /// Says what of ours is not the paper's. Where the readings disagree, the claim is then not reproduced
    /// instead of contradicted.
    pub fn though(self, differs: &'static str) -> Self {
        let verdict = match self.verdict {
            Verdict::Contradicted => Verdict::NotReproduced,
            verdict => verdict,
        };
        Self { verdict, differs: Some(differs), ..self }
    }

    /// Says why the readings could hardly have disagreed.
    pub fn that_cannot_fail(self, why: &'static str) -> Self {
        Self { cannot_fail: Some(why), ..self }
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
            (Rule::Median(f64::NEG_INFINITY, 1.0), &[0.9, 1.1, 1.0], Confirmed),
            (Rule::Median(f64::NEG_INFINITY, 1.0), &[0.9, 1.2], Contradicted),
            (Rule::Median(f64::NEG_INFINITY, 1.0), &[0.75, 1.25], Confirmed),
            (Rule::Median(1.2, 1.6), &[9.0, 0.0, 1.5], Confirmed),
            (Rule::Median(1.2, 1.6), &[1.5, 1.0, 1.0], Contradicted),
            (Rule::Median(1.5, f64::INFINITY), &[1.0, 1.5, 1.25, 3.0, 3.0], Confirmed),
            (Rule::Median(1.5, f64::INFINITY), &[f64::NAN], Contradicted),
            (Rule::Median(1.5, f64::INFINITY), &[], NotComparable),
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

    #[test]
    fn what_differs_decides_nothing() {
        let judged = |value: f64| Claim::judged("X", "", "", Rule::AtMost(1.0), [(String::new(), value)]);
        assert_eq!(judged(2.0).though("our tree").verdict, Verdict::NotReproduced);
        assert_eq!(judged(1.0).though("our tree").verdict, Verdict::Confirmed);
        let none = Claim::judged("X", "", "", Rule::NotComparable("another job"), []);
        assert_eq!(none.though("our tree").verdict, Verdict::NotComparable);
    }
}
