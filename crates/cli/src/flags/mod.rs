//! The flags of the command line, as clap parses them. Only the folder `command` names them: it turns them
//! into the plans of commands.
//!
//! Lengths, times and names stay text: their errors name the scene's files, which are known then.

pub mod audit;
pub mod batch;
pub mod bcf;
pub mod bench;
pub mod check;
#[cfg(feature = "gpu")]
pub mod devices;
pub mod exports;
pub mod files;
pub mod groups;
pub mod help;
pub mod joint_box;
pub mod long_run;
pub mod pages;
pub mod pairs;
pub mod question;
pub mod rows;
pub mod run;
pub mod scene;
pub mod scene_run;
pub mod scenes;
pub mod search;
pub mod slack;
pub mod sweep;
pub mod table;
pub mod values;
