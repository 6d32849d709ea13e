//! The result of a command, and the exit status that it gives.

/// The result of a command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No pair at or above `--fail-on`.
    Pass,
    /// Some pair at or above `--fail-on`.
    Fail,
    /// Trees disagree under `--cross-check`.
    Disagreement,
}

/// The exit status after wrong usage, bad input or a panic.
pub const USAGE_OR_INPUT: u8 = 2;

impl Outcome {
    /// Returns the worse of two outcomes of decided pairs.
    pub fn worse(self, other: Self) -> Self {
        if self == Self::Pass { other } else { self }
    }

    /// Returns the exit status of the program.
    pub fn status(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::Disagreement => 3,
        }
    }
}
