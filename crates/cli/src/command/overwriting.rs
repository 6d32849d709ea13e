//! Refuses an output that would replace a file of the same run: an input, or another output.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};

use crate::settings::written::{OF_RUNS, WrittenFile, file_at};

/// The arguments whose last value is a file to write.
const WRITTEN: [&str; 8] = ["bcf", "glb", "heatmap", "html", "junit", "markdown", "picture", "write_srdf"];
/// The files that some commands write to the directory of `--out`.
const IN_OUT: [(&str, &[&str]); 5] = [
    ("audit", &["audit.json"]),
    ("bench", &["bench.json", "bench.svg"]),
    ("diff", &["diff.json"]),
    ("joint-box", &["joint-box.json"]),
    ("slack", &["slack.csv", "slack.json"]),
];
/// The extension of the files there that hold the progress of a run.
const JOURNAL: &str = "cfr";
/// The argument whose file a run may replace if it is the report of the run before, and the name of that.
const BASELINE: [&str; 2] = ["baseline", "report.json"];

/// Returns the files that the arguments of a command let it write.
///
/// # Errors
/// The first output that is another output, or an input.
pub fn written(command: &Command, matches: &ArgMatches) -> Result<Vec<WrittenFile>, clap::Error> {
    let ids: Vec<&str> = command.get_arguments().map(|argument| argument.get_id().as_str()).collect();
    let values =
        |id: &str| -> Vec<&OsStr> { matches.try_get_raw(id).ok().flatten().into_iter().flatten().collect() };
    let written: Vec<(&str, &OsStr, PathBuf)> = WRITTEN
        .into_iter()
        .filter(|id| ids.contains(id))
        .filter_map(|id| values(id).last().and_then(|path| Some((id, *path, file_at(Path::new(path))?))))
        .collect();
    let directory = if ids.contains(&"out") { values("out").first().copied() } else { None };
    let names = IN_OUT.iter().find(|(name, _)| *name == command.get_name());
    let names = names.map_or(&OF_RUNS[..], |(_, names)| names);
    let in_out: Vec<PathBuf> = directory.map_or_else(Vec::new, |directory| {
        names.iter().filter_map(|name| file_at(&Path::new(directory).join(name))).collect()
    });
    let is_in_out = |file: &PathBuf| {
        in_out.contains(file) || directory.is_some_and(|directory| is_of_journal(file, directory))
    };
    let is_read = |id: &&str| !WRITTEN.contains(id) && *id != "out";
    let mut read: Vec<(&str, &OsStr, PathBuf)> = Vec::new();
    for id in ids.iter().copied().filter(is_read) {
        for value in values(id).into_iter().flat_map(|value| [Some(value), after_name(value)]).flatten() {
            read.extend(file_at(Path::new(value)).filter(|file| file.exists()).map(|file| (id, value, file)));
        }
    }
    for (place, (id, path, file)) in written.iter().enumerate() {
        let conflict = |why: String| {
            let line = format!("{} {}: {why}\n", flag(id), Path::new(path).display());
            Err(clap::Error::raw(ErrorKind::ArgumentConflict, line))
        };
        if let Some((other, ..)) = written[..place].iter().find(|(_, _, other)| other == file) {
            return conflict(format!("{} writes this file: choose another", flag(other)));
        }
        if is_in_out(file) {
            return conflict("--out writes this file: choose another".to_owned());
        }
        if read.iter().any(|(.., input)| input == file) {
            return conflict("the run reads this file: choose another".to_owned());
        }
    }
    let is_baseline = |id: &str, file: &Path| id == BASELINE[0] && file.ends_with(BASELINE[1]);
    let replaced = read.iter().find(|(id, _, file)| !is_baseline(id, file) && is_in_out(file));
    if let Some((directory, (_, value, _))) = directory.zip(replaced) {
        let [directory, value] = [directory, value].map(|path| Path::new(path).display());
        let line =
            format!("--out {directory}: it would replace {value}, which the run reads: choose another\n");
        return Err(clap::Error::raw(ErrorKind::ArgumentConflict, line));
    }
    let named = |flag: &str, value: &OsStr| format!("{flag} {}", Path::new(value).display());
    let files = written.into_iter().map(|(id, value, path)| (named(&flag(id), value), path));
    let of_out = directory.map(|directory| named("--out", directory)).into_iter();
    let in_out = of_out.flat_map(|flag| in_out.iter().map(move |path| (flag.clone(), path.clone())));
    Ok(files.chain(in_out).map(|(flag, path)| WrittenFile { flag, path }).collect())
}

/// True for a file that holds the progress of a run, in its directory.
fn is_of_journal(file: &Path, directory: &OsStr) -> bool {
    file.extension().is_some_and(|extension| extension == JOURNAL)
        && file_at(&Path::new(directory).join(file.file_name().unwrap_or_default())).as_deref() == Some(file)
}

/// Returns the flag of an argument.
fn flag(id: &str) -> String {
    format!("--{}", id.replace('_', "-"))
}

/// Returns the file of `NAME=FILE`.
fn after_name(value: &OsStr) -> Option<&OsStr> {
    value.to_str()?.split_once('=').map(|(_, file)| OsStr::new(file))
}
