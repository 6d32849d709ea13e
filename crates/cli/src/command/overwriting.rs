//! Refuses an output that would replace a file of the same run: an input, or another output.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};

use crate::settings::written::WrittenFile;

/// The arguments whose last value is a file to write.
const WRITTEN: [&str; 8] = ["bcf", "glb", "heatmap", "html", "junit", "markdown", "picture", "write_srdf"];
/// The files that commands write to the directory of `--out`.
const IN_OUT: [&str; 15] = [
    "audit.json",
    "bench.json",
    "bench.svg",
    "certificate.json",
    "diff.json",
    "intervals.csv",
    "issues.csv",
    "joint-box.json",
    "pairs.csv",
    "report.json",
    "rows.jsonl",
    "run.json",
    "slack.csv",
    "slack.json",
    "trace.csv",
];

/// Returns the files that the arguments of a command let it write.
///
/// # Errors
/// The first two arguments that name the same file.
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
    let in_out: Vec<PathBuf> = directory.map_or_else(Vec::new, |directory| {
        IN_OUT.iter().filter_map(|name| file_at(&Path::new(directory).join(name))).collect()
    });
    for (place, (id, path, file)) in written.iter().enumerate() {
        let conflict = |why: String| {
            let line = format!("{} {}: {why}\n", flag(id), Path::new(path).display());
            Err(clap::Error::raw(ErrorKind::ArgumentConflict, line))
        };
        if let Some((other, ..)) = written[..place].iter().find(|(_, _, other)| other == file) {
            return conflict(format!("{} writes this file: choose another", flag(other)));
        }
        if in_out.contains(file) {
            return conflict("--out writes this file: choose another".to_owned());
        }
        let read = ids.iter().filter(|id| !WRITTEN.contains(id) && **id != "out");
        let mut paths = read.flat_map(|id| values(id)).flat_map(|value| [Some(value), after_name(value)]);
        if file.exists()
            && paths.any(|value| value.and_then(|value| file_at(Path::new(value))).as_ref() == Some(file))
        {
            return conflict("the run reads this file: choose another".to_owned());
        }
    }
    let named = |flag: &str, value: &OsStr| format!("{flag} {}", Path::new(value).display());
    let files = written.into_iter().map(|(id, value, path)| (named(&flag(id), value), path));
    let of_out = directory.map(|directory| named("--out", directory)).into_iter();
    let in_out = of_out.flat_map(|flag| in_out.iter().map(move |path| (flag.clone(), path.clone())));
    Ok(files.chain(in_out).map(|(flag, path)| WrittenFile { flag, path }).collect())
}

/// Returns the flag of an argument.
fn flag(id: &str) -> String {
    format!("--{}", id.replace('_', "-"))
}

/// Returns the file of `NAME=FILE`.
fn after_name(value: &OsStr) -> Option<&OsStr> {
    value.to_str()?.split_once('=').map(|(_, file)| OsStr::new(file))
}

/// Returns where a path leads, if a file is there or could be: without links, and from the root.
fn file_at(path: &Path) -> Option<PathBuf> {
    if let Ok(file) = path.canonicalize() {
        return file.is_file().then_some(file);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(path.file_name()?))
}
