//! The only list of the broad phases.

use std::fmt;
use std::str::FromStr;

macro_rules! methods {
    ($($(#[$doc:meta])* $method:ident = $name:literal),+ $(,)?) => {
        /// A broad phase. All find the same candidate pairs, so no answer depends on it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum BroadPhase {
            $($(#[$doc])* $method),+
        }

        impl BroadPhase {
            /// All of them, the default first.
            pub const ALL: &'static [Self] = &[$(Self::$method),+];

            /// Returns the name as typed and printed.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$method => $name),+
                }
            }
        }
    };
}

methods! {
    /// Boxes sorted along one axis and swept, in strips across another: the fastest for a single frame.
    #[default]
    SweepAndPrune = "sweep-and-prune",
    /// A uniform grid, sorted again in each frame: the fastest for boxes that all move.
    Grid = "grid",
    /// A grid whose crowded cells are grids in turn (Sanna and Milani 2004): the fastest for few boxes that
    /// move among many that stand still.
    RecursiveGrid = "recursive-grid",
    /// Three lists of ends, sorted by insertion and kept (Lin et al. 1997): for few or slow boxes.
    Lists = "lists",
    /// Every pair of boxes: the reference.
    Brute = "brute",
}

/// The name of the broad phase is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown broad phase '{name}': use {}", names())]
pub struct UnknownBroadPhase {
    name: String,
}

/// Lists all names for a message.
fn names() -> String {
    let names: Vec<&str> = BroadPhase::ALL.iter().map(|method| method.name()).collect();
    let (last, others) = names.split_last().expect("not empty");
    format!("{} or {last}", others.join(", "))
}

impl fmt::Display for BroadPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BroadPhase {
    type Err = UnknownBroadPhase;

    fn from_str(text: &str) -> Result<Self, UnknownBroadPhase> {
        let named = Self::ALL.iter().copied().find(|method| method.name() == text);
        named.ok_or_else(|| UnknownBroadPhase { name: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for &method in BroadPhase::ALL {
            assert_eq!(method.to_string().parse(), Ok(method));
        }
        let unknown = "Grid".parse::<BroadPhase>().unwrap_err().to_string();
        let named = "unknown broad phase 'Grid': use sweep-and-prune, grid, recursive-grid, lists or brute";
        assert_eq!((unknown.as_str(), BroadPhase::ALL[0]), (named, BroadPhase::default()));
    }
}
