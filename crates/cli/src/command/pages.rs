//! `closefit completions` and `closefit man`: what shells and manuals need, made from the flags themselves.
//! And `closefit licenses`.

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::cli::Cli;
use super::short::{Form, shaped};
use crate::flags::pages::{CompletionsFlags, ManFlags};
use crate::outcome::Outcome;
use crate::terminal;
use closefit_report::files::{NewFile, ready};

/// The name of the program.
const NAME: &str = "closefit";

/// The works that the program contains, and their licences, as `.ci/licenses` writes them.
const LICENSES: &str = include_str!("../../assets/licenses.txt");

/// Prints the script of a shell.
pub fn completions(flags: &CompletionsFlags) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut shaped(Cli::command(), Form::Whole), NAME, &mut script);
    terminal::print(&script)?;
    Ok(Outcome::Pass)
}

/// Prints the page of the program, or writes the pages of all commands into a folder.
pub fn man(flags: &ManFlags) -> anyhow::Result<Outcome> {
    // `build` gives the pages of commands the flags that all commands have.
    let mut command = shaped(Cli::command(), Form::Whole);
    command.build();
    let Some(dir) = &flags.dir else {
        terminal::print(&page(&command)?)?;
        return Ok(Outcome::Pass);
    };
    let mut files: Vec<NewFile> = vec![ready(format!("{NAME}.1"), page(&command)?)];
    for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
        let name = format!("{NAME}-{}", one.get_name());
        files.push(ready(format!("{name}.1"), page(one)?));
    }
    terminal::write_files(dir, files)?;
    Ok(Outcome::Pass)
}

/// Prints the licences of all that the program contains.
pub fn licenses() -> anyhow::Result<Outcome> {
    terminal::print(LICENSES.as_bytes())?;
    Ok(Outcome::Pass)
}

/// Returns a command's manual page.
fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
