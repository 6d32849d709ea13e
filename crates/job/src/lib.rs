//! Whole jobs: what the program does between its arguments and its output.
//!
//! [`read`] makes a scene of files, [`Job::new`] applies a [`Project`] to it, and [`Job::check`] or
//! [`Job::sweep`] asks: the report has rules, waivers, zones and groups, and there is a certificate if there
//! are claims. The report's JSON is the program's `report.json`, byte by byte.
//! [`Diff::since`](closefit_report::diff::Diff::since) compares it with an earlier one.
//!
//! `docs/library.md` has an example.

mod audit;
mod bench;
mod check;
mod claims;
mod decide;
mod disabled_links;
mod error;
mod finished;
mod groups;
mod job;
mod joint_box;
mod joints;
mod journal;
mod model_files;
mod named_parts;
mod pairs;
mod part_scene;
mod read;
mod rows;
mod scene_list;
mod slack;
mod sweep;
mod temporary;
mod unmoved;
mod vertex_distances;
mod waivers;

pub use audit::{Audit, AuditRequest, audit};
pub use bench::{BenchObserver, BenchOptions, BenchQuestion};
pub use check::CheckOptions;
pub use decide::Decide;
pub use error::{Disagreed, JobError, NothingAsked, files_line, sweep_refusal, with_file};
pub use finished::Finished;
pub use groups::GroupOptions;
pub use job::{Job, Project};
pub use joint_box::{collision_geometry, joint_ranges, others_note, whole_ranges};
pub use joints::{
    JointRange, at_joints_again, joint_named, joint_range, joint_values, limit_notes, robot_of, swept_again,
};
pub use journal::{
    BUDGET, Budget, CRASHED, Items, Journal, JournalOptions, JournalRecord, Merge, MergedRows, Plan,
    RowAnswer, RowJournal, SHARD_MISSING, Shard, Start, missing_in_words,
};
pub use model_files::{model_cache, unsaved_models};
pub use named_parts::{pair_named, part_or_two_named, parts_listed, parts_named};
pub use read::{ReadScene, read, read_from, read_rules, read_rules_from, text_of};
pub use rows::{FoundRow, RowOptions, RowSource, RowSummary, joint_values_in};
pub use scene_list::{ListedFiles, ListedScene, SceneList};
pub use sweep::SweepOptions;
