//! `closefit inspect`: what a scene holds, and what is wrong with each mesh.

use super::args::InspectArgs;
use super::{Outcome, read_scene, terminal, with_file};
use crate::engine;
use crate::report::{Inspection, json};

pub fn run(args: &InspectArgs) -> anyhow::Result<Outcome> {
    let scene = read_scene(&args.input)?;
    let tolerance =
        engine::default_tolerance(&scene).map_err(|error| with_file(error, &scene, &args.input))?;
    let inspection = Inspection::new(&scene, tolerance, args.input.winding());
    if args.input.json {
        terminal::print(&json::document(&inspection))?;
    } else if !args.input.quiet {
        terminal::print(inspection.table(&scene, terminal::width()).as_bytes())?;
    }
    Ok(Outcome::Pass)
}
