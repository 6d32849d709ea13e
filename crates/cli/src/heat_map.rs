//! `--heatmap`: a part whose vertices are coloured by their distance from other parts.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use super::args::Input;
use super::help::OUTPUT;
use super::{of_flag, refusal};
use closefit::{CheckRequest, Observer};
use closefit_geometry::ids::PartId;
use closefit_job::{Job, part_or_two_named};
use closefit_views::HeatMap;

/// Arguments of a heat map.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct HeatMapArgs {
    /// Colour part A by its distance from B, or from all parts, as binary glTF: closer than the clearance,
    /// up to twice as far, and beyond. Vertices have the numbers, too
    #[arg(long, value_names = ["A[,B]", "FILE"], num_args = 2)]
    heatmap: Option<Vec<OsString>>,
}

/// A heat map that is asked for.
pub struct HeatMapAsked {
    part: PartId,
    other: Option<PartId>,
    path: PathBuf,
}

impl HeatMapArgs {
    /// Returns the heat map that is asked for, if one is.
    pub fn of(
        &self,
        job: &Job,
        request: &CheckRequest,
        input: &Input,
    ) -> anyhow::Result<Option<HeatMapAsked>> {
        let Some([parts, path]) = self.heatmap.as_deref() else { return Ok(None) };
        let parts = parts.to_string_lossy();
        let refused = |why: String| of_flag(anyhow!(why), format!("--heatmap {parts}"), input);
        if request.clearance == 0.0 {
            return Err(refused("it needs a --clearance, which separates its colours".to_owned()));
        }
        let (part, other) = part_or_two_named(job.scene(), &parts).map_err(refused)?;
        Ok(Some(HeatMapAsked { part, other, path: path.into() }))
    }
}

impl HeatMapAsked {
    /// Makes the file.
    pub fn file(
        &self,
        job: &Job,
        request: &CheckRequest,
        observer: &dyn Observer,
    ) -> anyhow::Result<(PathBuf, Vec<u8>)> {
        let Self { part, other, ref path } = *self;
        let distances = job.vertex_distances(part, other, request.winding, observer).map_err(refusal)?;
        let map = HeatMap { part, other, clearance: request.clearance, distances: &distances };
        let bytes = map.glb(job.scene()).map_err(|why| anyhow!("--heatmap {}: {why}", path.display()))?;
        Ok((path.clone(), bytes))
    }
}
