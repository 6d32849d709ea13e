//! `closefit inspect`: the contents of a scene, the defects of each mesh, and what it leaves open of its
//! hull.

use crate::outcome::Outcome;
use crate::pair_commands::width;
use crate::progress::Progress;
use crate::settings::input::Input;
use crate::terminal;
use closefit::internals::engine::{self, PosedBoxes};
use closefit::{CheckError, Observer, Stage};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::scene::Scene;
use closefit_job::{files_line, with_file};
use closefit_report::document::NoFeatures;
use closefit_report::{Inspection, json, table};
use closefit_scene::read::Motions;

/// The details of meshes that take longer to find.
#[derive(Clone, Copy, Debug)]
pub struct Details {
    /// The features that they do not share with their convex hulls.
    pub features: bool,
    /// Their contacts with themselves.
    pub self_contacts: bool,
}

/// Shows a scene, with details of its meshes.
pub fn run(input: &Input, Details { features, self_contacts }: Details) -> anyhow::Result<Outcome> {
    let progress = Progress::new(input.quiet);
    let scene = input.scene(Motions::Noted, None, &progress)?.scene;
    progress.begin(Stage::Inspecting, 0);
    let memory = MemoryAccount::new(input.memory());
    let posed = engine::take_examined(&memory, &scene)
        .and_then(|()| if features { engine::take_features(&memory, &scene) } else { Ok(()) })
        .map_err(CheckError::from)
        .and_then(|()| PosedBoxes::new(&scene, None))
        .map_err(|error| with_file(error, &scene, &input.scenes))?;
    let mut inspection = Inspection::new(&scene, &posed, input.winding);
    if features {
        inspection = inspection.with_features(&scene).map_err(|error| of_mesh(error, &scene, input))?;
    }
    if self_contacts {
        inspection = inspection.with_self_contacts(&scene).map_err(|error| of_mesh(error, &scene, input))?;
    }
    drop(progress);
    if input.json {
        terminal::print_by(|stdout| json::write(stdout, &inspection))?;
    } else if !input.quiet {
        terminal::print(table::inspection(&inspection, Some(width())).as_bytes())?;
    }
    input.say_notes(&scene, &[]);
    Ok(Outcome::Pass)
}

/// Adds the file of the mesh's first part to an error, and the scene's files if they do not include it.
fn of_mesh(error: NoFeatures, scene: &Scene, input: &Input) -> anyhow::Error {
    let part = scene.parts.iter().find(|part| part.mesh.index() == error.mesh);
    match part.map(|part| part.file.to_string()) {
        Some(file) if !input.scenes.iter().any(|path| path.ends_with(&file)) => {
            anyhow::Error::new(error).context(file).context(files_line(&input.scenes))
        }
        _ => anyhow::Error::new(error).context(files_line(&input.scenes)),
    }
}
