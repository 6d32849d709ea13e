//! Errors of a run in one line: the flag and the files that they concern.

use std::fmt;
use std::path::PathBuf;

use anyhow::anyhow;

use closefit_geometry::text::printable;
use closefit_job::{JobError, files_line};

/// The flag that an error concerns, as a context of the error.
#[derive(Debug)]
struct Flag(String);

impl fmt::Display for Flag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Adds to an error the flag that it concerns; [`naming_files`] adds the files of the scene.
pub fn of_flag(error: impl Into<anyhow::Error>, flag: impl fmt::Display) -> anyhow::Error {
    error.into().context(Flag(flag.to_string()))
}

/// Adds the files of a scene to an error that concerns a flag.
pub fn naming_files<T>(scenes: &[PathBuf], done: anyhow::Result<T>) -> anyhow::Result<T> {
    done.map_err(|error| if error.is::<Flag>() { error.context(files_line(scenes)) } else { error })
}

/// Returns the error of a job; of one that would find nothing, with the flag that accepts it.
pub fn refusal(error: JobError) -> anyhow::Error {
    match error {
        JobError::Nothing { .. } => accepted_by_flag(&error.to_string()),
        error => error.into(),
    }
}

/// Returns an error that `--allow-empty` would accept.
pub fn accepted_by_flag(why: &str) -> anyhow::Error {
    anyhow!("{why} (--allow-empty accepts that)")
}

/// Joins an error and its causes, without causes that the text already ends with.
pub fn in_one_line(error: &anyhow::Error) -> String {
    // As it is printed, since errors of the library are that already and a cause may not be.
    error.chain().map(|cause| printable(&cause.to_string())).fold(String::new(), |text, cause| {
        match text.as_str() {
            "" => cause,
            told if told.ends_with(&cause) => text,
            _ => format!("{text}: {cause}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_flag_names_the_files_of_the_scene() {
        let scenes = ["a.obj", "b.obj"].map(PathBuf::from);
        let named =
            |error: anyhow::Error| in_one_line(&naming_files(&scenes, Err::<(), _>(error)).unwrap_err());
        assert_eq!(
            named(of_flag(anyhow!("no such part"), "--only 'x'")),
            "a.obj, b.obj: --only 'x': no such part"
        );
        let deeper = of_flag(anyhow!("no number"), "--at").context("row 3");
        assert_eq!(named(deeper), "a.obj, b.obj: row 3: --at: no number");
        assert_eq!(named(anyhow!("c.obj: cannot be read")), "c.obj: cannot be read");
    }
}
