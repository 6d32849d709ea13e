//! The executor of kernels. No answer depends on it.
//!
//! A search is written once, over the kernels that it calls. A kernel has a form for every executor: a
//! reading copy, one pair at a time, and a form in lanes. [`execute!`] picks the form at run time.

use std::fmt;
use std::str::FromStr;

use crate::lanes;

/// The executor of kernels. All make the same tests and differ in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Executor {
    /// The reading copies: one box and one pair of triangles at a time.
    Scalar,
    /// Vector instructions: several boxes or triangles in one step.
    #[default]
    Simd,
}

/// The executor's name is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown backend '{0}': use scalar or simd")]
pub struct UnknownExecutor(String);

impl Executor {
    /// All executors.
    pub const ALL: [Self; 2] = [Self::Scalar, Self::Simd];

    /// Returns the name as typed and printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Simd => "simd",
        }
    }
}

impl fmt::Display for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Executor {
    type Err = UnknownExecutor;

    fn from_str(text: &str) -> Result<Self, UnknownExecutor> {
        let named = Self::ALL.into_iter().find(|executor| executor.name() == text);
        named.ok_or_else(|| UnknownExecutor(text.to_owned()))
    }
}

/// Runs kernels one pair at a time.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

/// Runs kernels in lanes, for the instruction set `S`.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<S: lanes::Simd>(pub S);

/// Evaluates `$body` with `$kernels` bound to an executor's kernels: [`Scalar`], or [`Lanes`] with this CPU's
/// instruction set. The body is compiled for each.
#[macro_export]
macro_rules! execute {
    ($executor:expr, $kernels:ident => $body:expr) => {
        match $executor {
            $crate::executor::Executor::Scalar => {
                let $kernels = $crate::executor::Scalar;
                $body
            }
            $crate::executor::Executor::Simd => $crate::in_lanes!(simd => {
                let $kernels = $crate::executor::Lanes(simd);
                $body
            }),
        }
    };
}
pub use crate::execute;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for executor in Executor::ALL {
            assert_eq!(executor.to_string().parse(), Ok(executor));
        }
        assert_eq!("Simd".parse::<Executor>(), Err(UnknownExecutor("Simd".to_owned())));
    }
}
