//! The arguments about what is asked of each pair at rest.

use anyhow::anyhow;
use clap::{Args, ValueEnum};

use super::args::{Input, RunArgs};
use super::{FlagLength, decide, of_flag};
use closefit::internals::hierarchy::strategy::Strategy;
use closefit::internals::query::{CheckRequest, DepthDetail};
use closefit_job::Job;

/// Arguments of every command that checks scenes at rest.
#[derive(Debug, Args)]
pub struct QuestionArgs {
    /// List pairs no farther apart than this length
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Largest depth of overlap that counts as contact, not clash [default: the smallest power
    /// of ten, in scene units, that is at least 1e-6 of the scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub tolerance: Option<String>,
    /// Detail of depths, see below
    #[arg(long, value_name = "DETAIL", value_enum, default_value = "full")]
    pub depth: DepthArg,
    /// Find the way out of every clash: a short shift of the smaller part that parts the two
    #[arg(long)]
    pub way_out: bool,
    /// List every pair of triangles in contact in the report
    #[arg(long)]
    pub contacts: bool,
}

/// The detail of depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DepthArg {
    Full,
    Verdict,
    None,
}

impl From<DepthArg> for DepthDetail {
    fn from(arg: DepthArg) -> Self {
        match arg {
            DepthArg::Full => Self::Full,
            DepthArg::Verdict => Self::Verdict,
            DepthArg::None => Self::None,
        }
    }
}

/// The questions with their lengths and strategy, before the unit of a scene is known.
pub(super) struct Asked<'a> {
    question: &'a QuestionArgs,
    run: &'a RunArgs,
    clearance: FlagLength,
    tolerance: Option<FlagLength>,
    pub strategy: Strategy,
}

impl<'a> Asked<'a> {
    /// Checks the arguments, and opens the compute device if there is to be one.
    pub fn of(question: &'a QuestionArgs, run: &'a RunArgs, input: &Input) -> anyhow::Result<Self> {
        let asked = Self {
            question,
            run,
            clearance: FlagLength::of("--clearance", &question.clearance, input)?,
            tolerance: FlagLength::of_optional("--tolerance", question.tolerance.as_ref(), input)?,
            strategy: decide::on_device(decide::strategy(run, input)?, run, input)?,
        };
        if question.way_out && question.depth == DepthArg::None {
            let why = anyhow!("it needs depths, which --depth none leaves out");
            return Err(of_flag(why, "--way-out", input));
        }
        Ok(asked)
    }

    /// Returns the settings of the check of a scene, with lengths in its unit.
    pub fn request(&self, input: &Input, job: &Job) -> anyhow::Result<CheckRequest> {
        let scene = job.scene();
        let request = match &self.tolerance {
            Some(tolerance) => CheckRequest::default().tolerance(tolerance.in_unit(scene, input)?),
            None => job.check_request()?,
        };
        let request = if self.question.contacts { request.list_contacts() } else { request };
        let clearance = self.clearance.in_unit(scene, input)?;
        let request = request.clearance(clearance).depth(self.question.depth.into());
        let request = request
            .strategy(self.strategy)
            .broad(self.run.broad)
            .hull(self.run.hull)
            .winding(input.winding())
            .memory(input.memory());
        Ok(request)
    }
}
