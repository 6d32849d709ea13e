//! `closefit inspect`: the contents of a scene, and the defects of each mesh.

use super::args::InspectArgs;
use super::progress::Progress;
use super::{Outcome, read_scene, say_notes, terminal, with_file};
use crate::engine::{self, Observer, Stage};
use crate::report::{Inspection, json, table};
use crate::scene::read::Motions;

pub fn run(args: &InspectArgs) -> anyhow::Result<Outcome> {
    let progress = Progress::new(args.input.quiet);
    let scene = read_scene(&args.input, Motions::Noted, &progress)?;
    progress.begin(Stage::Inspecting, 0);
    let tolerance =
        engine::default_tolerance(&scene).map_err(|error| with_file(error, &scene, &args.input))?;
    let inspection = Inspection::new(&scene, tolerance, args.input.winding());
    drop(progress);
    if args.input.json {
        terminal::print(&json::document(&inspection))?;
    } else if !args.input.quiet {
        terminal::print(table::inspection(&inspection, terminal::width()).as_bytes())?;
    }
    say_notes(&args.input, &scene, &[]);
    Ok(Outcome::Pass)
}
