//! Flags of every command that decides pairs.

use std::path::PathBuf;

use clap::Args;

use super::help::{METHODS, OUTPUT};
use super::values::{backend, threads, tree};
use crate::settings::fail_on::FailOn;
use crate::settings::search::Backend;
use closefit::{BroadPhase, TreeKind};
use closefit_geometry::hull::filter::HullFilter;

/// Arguments of every command that decides pairs.
#[derive(Debug, Args)]
#[command(next_help_heading = METHODS)]
pub struct RunFlags {
    /// Write report.json, pairs.csv, issues.csv and run.json to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT, display_order = 0)]
    pub out: Option<PathBuf>,
    /// Exit with status 1 if any pair has this verdict or a worse one
    #[arg(long, value_name = "VERDICT", default_value = "undecided", help_heading = OUTPUT, display_order = 0)]
    pub fail_on: FailOn,
    /// Accept a scene without a pair to check, instead of ending with exit status 2
    #[arg(long, help_heading = OUTPUT, display_order = 0)]
    pub allow_empty: bool,
    /// Hardware to use: auto, scalar, simd (vector instructions) or gpu
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend)]
    pub backend: Backend,
    /// GPU for --backend gpu: a part of its name, or its number [default: 0]
    #[arg(long, value_name = "ADAPTER")]
    pub adapter: Option<String>,
    /// Kind of tree: auto (obb, the fastest), obb, rapid (scalar only), sphere, kdop6, kdop14,
    /// kdop18, kdop26, box (10 to 100 times slower than obb), octree, octree-median, or simple (no tree: the
    /// time grows with the product of the triangles of two parts). Parameters may follow, as in
    /// rapid:as-printed, box:depth=7,empty=0.2 or octree:cuts=3-2-2/2-2-2
    #[arg(long, value_name = "TREE", default_value = "auto", value_parser = tree)]
    pub tree: TreeKind,
    /// Broad phase, which finds the candidate pairs: sweep-and-prune, grid, recursive-grid, lists, or brute
    /// (lists and brute are slow for many thousands of parts)
    #[arg(long, value_name = "METHOD", default_value_t)]
    pub broad: BroadPhase,
    /// Filter by convex hulls, which may prove pairs apart before their trees are searched: off,
    /// closest-features, or contact-region, which also finds the triangles that meet the intersection of the
    /// hulls (check only)
    #[arg(long, value_name = "FILTER", default_value_t)]
    pub hull: HullFilter,
    /// Keep the trees of large meshes in this folder, and reuse them in later runs
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<u16>,
}
