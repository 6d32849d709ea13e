//! `closefit generate`: benchmark scenes as files.

#[cfg(feature = "reproduce")]
mod of_papers;

use std::path::PathBuf;

use anyhow::ensure;

use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::terminal;
use closefit::{Observer, Stage};
use closefit_generate::{Request, generate, names, write};
use closefit_report::files::ready;
use closefit_report::{table::scene_line, triangle_count};

/// A scene to generate.
#[derive(Clone, Debug)]
pub struct GeneratePlan {
    /// The scene; `None` to list all.
    pub request: Option<Request>,
    pub format: Option<Format>,
    /// The directory in which the scene is written.
    pub out: PathBuf,
    pub quiet: bool,
}

/// The file format of a generated scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Glb,
    Manifest,
}

/// Writes a scene, or lists all.
pub fn run(plan: &GeneratePlan) -> anyhow::Result<Outcome> {
    let Some(request) = &plan.request else {
        let all = all_names();
        let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let list: String = all.iter().map(|(name, about)| format!("{name:width$}  {about}\n")).collect();
        terminal::print(list.as_bytes())?;
        return Ok(Outcome::Pass);
    };
    let name = &request.name;
    #[cfg(feature = "reproduce")]
    if of_papers::write(plan, request)? {
        return Ok(Outcome::Pass);
    }
    let scene = generate(request)?;
    let moves = scene.time_range().is_some();
    let format = plan.format.unwrap_or(if moves { Format::Manifest } else { Format::Glb });
    ensure!(
        format == Format::Manifest || !moves,
        "scene '{name}': glTF has no screws and keeps keyframes in f32: use --format manifest"
    );
    let (dir, files, written) = match format {
        Format::Glb => {
            let file = format!("{name}.glb");
            let path = plan.out.join(&file);
            (plan.out.clone(), vec![ready(file, write::glb(&scene))], path)
        }
        Format::Manifest => {
            let dir = plan.out.join(name);
            let files = write::manifest(&scene).into_iter().map(|(file, contents)| ready(file, contents));
            (dir.clone(), files.collect(), dir)
        }
    };
    let progress = Progress::new(plan.quiet);
    progress.begin(Stage::Writing, 0);
    terminal::write_files(&dir, files)?;
    drop(progress);
    if !plan.quiet {
        let line = scene_line(scene.unit, scene.up, scene.parts.len(), triangle_count(&scene));
        let line = format!("{}: {line}\n", written.display());
        terminal::print(line.as_bytes())?;
    }
    Ok(Outcome::Pass)
}

/// Returns the names of all scenes, each with a line that describes it.
#[cfg_attr(not(feature = "reproduce"), expect(unused_mut, reason = "this build has no motions of papers"))]
fn all_names() -> Vec<(&'static str, &'static str)> {
    let mut all = names().to_vec();
    #[cfg(feature = "reproduce")]
    all.extend(of_papers::names());
    all
}
