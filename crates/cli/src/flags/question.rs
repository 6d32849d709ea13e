//! Flags of a check of parts at rest.

use clap::{Args, ValueEnum};

/// Arguments of every command that checks scenes at rest.
#[derive(Debug, Args)]
pub struct QuestionFlags {
    /// List pairs that are no farther apart than this length
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Largest depth of overlap that counts as contact, not clash [default: the smallest power
    /// of ten, in scene units, that is at least 1e-6 of the scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub tolerance: Option<String>,
    /// Detail of depths, see below
    #[arg(long, value_name = "DETAIL", value_enum, default_value = "full")]
    pub depth: DepthArg,
    /// Find a way out of every clash: a short shift of the smaller part that separates the two
    #[arg(long)]
    pub way_out: bool,
    /// List every pair of triangles in contact in the report; with =geometry, also what each pair shares, and
    /// the curves and regions that this forms
    #[arg(long, value_name = "DETAIL", value_enum, num_args = 0..=1, require_equals = true,
        default_missing_value = "list")]
    pub contacts: Option<ContactsArg>,
    /// Find the volume that the parts of each pair share, and its centroid
    #[arg(long)]
    pub volume: bool,
    /// Find contacts of each part with itself: pairs of its triangles that share more than their common
    /// vertices and edges
    #[arg(id = "self", long = "self")]
    pub self_contacts: bool,
}

/// The detail of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ContactsArg {
    List,
    Geometry,
}

/// The detail of depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DepthArg {
    Full,
    Verdict,
    None,
}
