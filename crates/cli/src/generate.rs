//! `closefit generate`: benchmark scenes as files.

use anyhow::ensure;

use super::args::{Format, GenerateArgs};
use super::progress::Progress;
use super::{Outcome, terminal};
use closefit::internals::engine::{Observer, Stage};
use closefit_generate::{Request, generate, names, write};
use closefit_report::files::ready;
use closefit_report::{table::scene_line, triangle_count};

pub fn run(args: &GenerateArgs) -> anyhow::Result<Outcome> {
    let Some(name) = &args.name else {
        let width = names().iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let list: String = names().iter().map(|(name, about)| format!("{name:width$}  {about}\n")).collect();
        terminal::print(list.as_bytes())?;
        return Ok(Outcome::Pass);
    };
    let request = Request { name: name.clone(), size: args.size, seed: args.seed, soup: args.soup };
    let scene = generate(&request)?;
    let moves = scene.time_range().is_some();
    let format = args.format.unwrap_or(if moves { Format::Manifest } else { Format::Glb });
    ensure!(
        format == Format::Manifest || !moves,
        "scene '{name}': glTF has no screws and keeps keyframes in f32: use --format manifest"
    );
    let (dir, files, written) = match format {
        Format::Glb => {
            let file = format!("{name}.glb");
            let path = args.out.join(&file);
            (args.out.clone(), vec![ready(file, write::glb(&scene))], path)
        }
        Format::Manifest => {
            let dir = args.out.join(name);
            let files = write::manifest(&scene).into_iter().map(|(file, contents)| ready(file, contents));
            (dir.clone(), files.collect(), dir)
        }
    };
    let progress = Progress::new(args.quiet);
    progress.begin(Stage::Writing, 0);
    terminal::write_files(&dir, files)?;
    drop(progress);
    if !args.quiet {
        let line = scene_line(scene.unit, scene.up, scene.parts.len(), triangle_count(&scene));
        let line = format!("{}: {line}\n", written.display());
        terminal::print(line.as_bytes())?;
    }
    Ok(Outcome::Pass)
}
