//! Flags of every command that decides pairs.

use std::path::PathBuf;

use clap::Args;

use super::help::OUTPUT;
use super::values::{backend, threads, tree};
use crate::settings::fail_on::FailOn;
use crate::settings::search::Backend;
use closefit::{BroadPhase, TreeKind};
use closefit_geometry::hull::filter::HullFilter;

/// Arguments of every command that decides pairs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Performance (without effect on answers)")]
pub struct RunFlags {
    /// Write report.json, pairs.csv, issues.csv and run.json to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Exit with status 1 if any pair has this verdict or a worse one
    #[arg(long, value_name = "VERDICT", default_value = "undecided", help_heading = OUTPUT)]
    pub fail_on: FailOn,
    /// Accept a scene of which no pair is to be checked, instead of exit status 2
    #[arg(long, help_heading = OUTPUT)]
    pub allow_empty: bool,
    /// Executor of the kernels: auto, scalar, simd, or gpu (a compute device helps)
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend)]
    pub backend: Backend,
    /// Compute adapter of --backend gpu: a part of its name, or its number [default: 0]
    #[arg(long, value_name = "ADAPTER")]
    pub adapter: Option<String>,
    /// Kind of tree: auto (obb, the fastest of them), obb, rapid (scalar only), sphere, kdop6, kdop14,
    /// kdop18, kdop26, box (10 to 100 times slower than obb), octree, octree-median, or simple (no tree: its
    /// time grows with the product of the triangles of two parts). Parameters may follow, as in
    /// rapid:as-printed, box:depth=7,empty=0.2 or octree:cuts=3-2-2/2-2-2
    #[arg(long, value_name = "TREE", default_value = "auto", value_parser = tree)]
    pub tree: TreeKind,
    /// Broad phase, which finds the pairs of parts to decide: sweep-and-prune, grid, recursive-grid, lists,
    /// or brute (lists and brute take long for many thousands of parts)
    #[arg(long, value_name = "METHOD", default_value_t)]
    pub broad: BroadPhase,
    /// Filter by convex hulls, which may prove pairs apart before their trees are searched: off,
    /// closest-features, or contact-region, which also asks which triangles meet the intersection of the
    /// hulls (check only)
    #[arg(long, value_name = "FILTER", default_value_t)]
    pub hull: HullFilter,
    /// Keep the trees of large meshes in this directory, and take them from there when they are needed again
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<u16>,
}
