//! Resolved settings of a run. Commands see these, and no flag.
//!
//! Lengths wait for the unit of the scene, and names of parts for its parts: a command resolves them once it
//! has read the scene.

pub mod exports;
pub mod fail_on;
pub mod groups;
pub mod heat_map;
pub mod input;
pub mod length;
pub mod long_run;
pub mod pair_run;
pub mod pairs;
pub mod question;
pub mod scene_exports;
pub mod search;
pub mod table;
pub mod written;
