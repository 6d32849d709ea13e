//! `closefit inspect`: the contents of a scene, and the defects of each mesh.

use super::args::InspectArgs;
use super::progress::Progress;
use super::{Outcome, read_scene, say_notes, terminal, with_file};
use crate::engine::{self, CheckError, Observer, PosedBoxes, Stage};
use crate::memory::MemoryAccount;
use crate::report::{Inspection, json, table};
use crate::scene::read::Motions;

pub fn run(args: &InspectArgs) -> anyhow::Result<Outcome> {
    let progress = Progress::new(args.input.quiet);
    let scene = read_scene(&args.input, Motions::Noted, &progress)?;
    progress.begin(Stage::Inspecting, 0);
    let memory = MemoryAccount::new(args.input.memory());
    let posed = engine::take_examined(&memory, &scene)
        .map_err(CheckError::from)
        .and_then(|()| PosedBoxes::new(&scene, None))
        .map_err(|error| with_file(error, &scene, &args.input))?;
    let inspection = Inspection::new(&scene, &posed, args.input.winding());
    drop(progress);
    if args.input.json {
        terminal::print_by(|stdout| json::write(stdout, &inspection))?;
    } else if !args.input.quiet {
        terminal::print(table::inspection(&inspection, terminal::width()).as_bytes())?;
    }
    say_notes(&args.input, &scene, &[]);
    Ok(Outcome::Pass)
}
