//! The motions of the papers' experiments, which `reproduce` runs.

use anyhow::ensure;

use super::{Format, GeneratePlan};
use crate::terminal;
use closefit_generate::Request;
use closefit_report::files::ready;
use closefit_reproduce::{MOVING_SCENES, Motion, moving_scene};

/// Returns the names of the motions, each with a line that describes it.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    MOVING_SCENES.iter().map(|scene| (scene.name, scene.about))
}

/// Writes the requested motion, if it is one of these: a folder with a manifest, the poses and the
/// meshes. Returns false if it is not.
pub fn write(plan: &GeneratePlan, request: &Request) -> anyhow::Result<bool> {
    let Some(motion) = moving_scene(request) else { return Ok(false) };
    let name = &request.name;
    ensure!(
        plan.format != Some(Format::Glb) && !request.soup,
        "scene '{name}': it is written as a manifest with its poses, without --format glb and --soup"
    );
    let motion: Motion = motion?;
    let dir = plan.out.join(name);
    let files = motion.files("generate").into_iter().map(|(file, text)| ready(file, text.into_bytes()));
    terminal::write_files(&dir, files.collect())?;
    if !plan.quiet {
        let (bodies, frames) = (motion.bodies.len(), motion.frames.len());
        let line = format!("{}: {bodies} bodies, {frames} frames\n", dir.display());
        terminal::print(line.as_bytes())?;
    }
    Ok(true)
}
