//! The verdicts and changes with which a run fails.

use anyhow::bail;
use clap::ValueEnum;

use crate::outcome::Outcome;
use closefit::Verdict;
use closefit_job::Job;
use closefit_project::Fail;
use closefit_report::diff::FailOnDiff;

/// The mildest verdict with which a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Clash,
    Undecided,
    Contact,
    Clearance,
    Never,
    /// Only a check can have a baseline, so that other commands do not show it.
    #[value(hide = true)]
    New,
    #[value(hide = true)]
    Worse,
}

impl FailOn {
    /// Returns its word on the command line.
    pub fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns the outcome of a run whose rows were not all checked, since nobody reads them any more.
    /// Nothing says that they pass.
    pub fn of_unread_rows(self) -> Outcome {
        if self == Self::Never { Outcome::Pass } else { Outcome::Fail }
    }

    /// Returns the changes since the baseline with which the run fails, if it is these that count.
    pub fn of_changes(self) -> Option<FailOnDiff> {
        match self {
            Self::New => Some(FailOnDiff::New),
            Self::Worse => Some(FailOnDiff::Worse),
            _ => None,
        }
    }

    /// Returns the mildest verdict with which a pair fails: its rule's, or else this one.
    pub fn of_pair(self, job: &Job, ids: [u32; 2]) -> Self {
        match job.fail_of(ids) {
            None => self,
            Some(Fail::Clash) => Self::Clash,
            Some(Fail::Undecided) => Self::Undecided,
            Some(Fail::Contact) => Self::Contact,
            Some(Fail::Clearance) => Self::Clearance,
            Some(Fail::Never) => Self::Never,
        }
    }

    /// True when a pair with this verdict makes the run fail.
    pub fn fails(self, verdict: Verdict) -> bool {
        let mildest = match self {
            // Parts that meet may clash.
            Self::Clash => Verdict::Meets,
            Self::Undecided => Verdict::Undecided,
            Self::Contact => Verdict::Contact,
            Self::Clearance => Verdict::Clearance,
            Self::Never | Self::New | Self::Worse => return false,
        };
        verdict <= mildest
    }

    /// Refuses changes as the reason to fail where there is no report to compare with.
    pub fn refuse_changes(self) -> anyhow::Result<()> {
        if self.of_changes().is_some() {
            bail!(
                "--fail-on new and worse need a report to compare with: closefit check --baseline OLD/report.json"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_follows_severity() {
        let listed = [Verdict::Clash, Verdict::Undecided, Verdict::Contact, Verdict::Clearance];
        for (fail_on, failing) in [
            (FailOn::Clash, 1),
            (FailOn::Undecided, 2),
            (FailOn::Contact, 3),
            (FailOn::Clearance, 4),
            (FailOn::Never, 0),
            (FailOn::New, 0),
        ] {
            assert_eq!(listed.map(|v| fail_on.fails(v)).iter().filter(|f| **f).count(), failing);
            assert!(!fail_on.fails(Verdict::Clear));
        }
    }
}
