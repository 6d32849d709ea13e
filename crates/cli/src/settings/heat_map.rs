//! A part whose vertices are coloured by their distance from other parts.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::errors::{of_flag, refusal};
use closefit::{CheckRequest, Observer};
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use closefit_job::{Job, part_or_two_named};
use closefit_views::HeatMap;

/// The file of a heat map.
#[derive(Clone, Debug)]
pub struct HeatMapFile {
    /// The part, and perhaps the one from which distances are measured, as the user names them.
    pub parts: String,
    pub path: PathBuf,
}

/// A heat map whose parts are known.
pub struct HeatMapParts<'f> {
    file: &'f HeatMapFile,
    part: PartId,
    other: Option<PartId>,
}

/// A heat map with its distances.
pub struct FoundHeatMap<'f> {
    parts: HeatMapParts<'f>,
    clearance: f64,
    distances: Vec<f64>,
}

impl HeatMapFile {
    /// Finds the parts in the scene.
    pub fn parts(&self, job: &Job, request: &CheckRequest) -> anyhow::Result<HeatMapParts<'_>> {
        let refused = |why: String| of_flag(anyhow!(why), format!("--heatmap {}", self.parts));
        if request.clearance == 0.0 {
            return Err(refused("it needs a --clearance, which separates its colours".to_owned()));
        }
        let (part, other) = part_or_two_named(job.scene(), &self.parts).map_err(refused)?;
        Ok(HeatMapParts { file: self, part, other })
    }
}

impl<'f> HeatMapParts<'f> {
    /// Finds the distances.
    pub fn found(
        self,
        job: &Job,
        request: &CheckRequest,
        observer: &dyn Observer,
    ) -> anyhow::Result<FoundHeatMap<'f>> {
        let distances = job.vertex_distances(self.part, self.other, request.winding, observer);
        let distances = distances.map_err(refusal)?;
        Ok(FoundHeatMap { parts: self, clearance: request.clearance, distances })
    }
}

impl FoundHeatMap<'_> {
    /// Returns the heat map.
    pub fn map(&self) -> HeatMap<'_> {
        let HeatMapParts { part, other, .. } = self.parts;
        HeatMap { part, other, clearance: self.clearance, distances: &self.distances }
    }

    /// Makes the file.
    pub fn file(&self, scene: &Scene) -> anyhow::Result<(PathBuf, Vec<u8>)> {
        let path = &self.parts.file.path;
        let bytes = self.map().glb(scene).map_err(|why| anyhow!("--heatmap {}: {why}", path.display()))?;
        Ok((path.clone(), bytes))
    }
}
