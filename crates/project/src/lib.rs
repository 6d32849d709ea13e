//! The rules of a project: which parts are checked against which, how near they may come, and what is
//! excluded, accepted or claimed. [`RulesFile`] reads a rules file; [`compile()`] makes the
//! [`PairRules`](closefit_geometry::scene::PairRules) of one scene from it and from the sides that a user
//! chooses. The engine knows no more than these.

mod append;
mod claims;
mod compile;
mod exclusions;
mod fault;
mod glob;
mod groups;
mod parts;
mod rules;
mod selector;
mod sides;
mod source;
mod waive;

pub use append::{NewWaiver, WithWaivers, with_waivers};
pub use claims::{Asks, CompiledClaim, Over};
pub use compile::{Compiled, CompiledExclude, CompiledRule, compile};
pub use exclusions::exclusions;
pub use fault::RulesError;
pub use parts::SceneFile;
pub use rules::{Fail, RulesFile, Severity};
pub use sides::{NOT_SELECTED, SAME_SIDE, SetError, SetText, Sides};
pub use waive::{CompiledWaiver, Waiver, Waivers};
