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
use closefit_geometry::scene::Scene;
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

/// A heat map with its distances.
pub struct FoundHeatMap {
    asked: HeatMapAsked,
    clearance: f64,
    distances: Vec<f64>,
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
    /// Finds the distances.
    pub fn found(
        self,
        job: &Job,
        request: &CheckRequest,
        observer: &dyn Observer,
    ) -> anyhow::Result<FoundHeatMap> {
        let distances = job.vertex_distances(self.part, self.other, request.winding, observer);
        let distances = distances.map_err(refusal)?;
        Ok(FoundHeatMap { asked: self, clearance: request.clearance, distances })
    }
}

impl FoundHeatMap {
    /// Returns the heat map.
    pub fn map(&self) -> HeatMap<'_> {
        let HeatMapAsked { part, other, .. } = self.asked;
        HeatMap { part, other, clearance: self.clearance, distances: &self.distances }
    }

    /// Makes the file.
    pub fn file(&self, scene: &Scene) -> anyhow::Result<(PathBuf, Vec<u8>)> {
        let path = &self.asked.path;
        let bytes = self.map().glb(scene).map_err(|why| anyhow!("--heatmap {}: {why}", path.display()))?;
        Ok((path.clone(), bytes))
    }
}
