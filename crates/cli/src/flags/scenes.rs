//! Flags of the commands that look at a scene without deciding its pairs: inspect and verify.

use std::path::PathBuf;

use clap::Args;

use super::help::{INSPECT, VERIFY};
use super::scene::InputFlags;

#[derive(Debug, Args)]
#[command(after_help = INSPECT)]
pub struct InspectFlags {
    /// Show where each mesh differs from its convex hull, see below
    #[arg(long)]
    pub features: bool,
    /// Count pairs of triangles of each mesh that share more than their common vertices and edges
    #[arg(id = "self", long = "self")]
    pub self_contacts: bool,
    #[command(flatten)]
    pub input: InputFlags,
}

#[derive(Debug, Args)]
#[command(after_help = VERIFY)]
pub struct VerifyFlags {
    /// Certificate that a check or a sweep has written
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// Rules file with the claims
    #[arg(long, value_name = "FILE")]
    pub rules: PathBuf,
    /// SRDF of the run
    #[arg(long, value_name = "FILE")]
    pub srdf: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputFlags,
}
