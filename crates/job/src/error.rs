//! Errors of jobs: each is one line that names the file, the part or key, and the value.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use closefit::internals::engine::Disagreement;
use closefit::{CheckError, SlackError, SweepError};
use closefit_geometry::scene::Scene;
use closefit_geometry::text::printable;
use closefit_project::RulesError;
use closefit_scene::read::{Fault, ReadError};

/// The reason why a job has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A file of the scene cannot be read.
    #[error(transparent)]
    Scene(#[from] ReadError),
    /// Another file cannot be read.
    #[error("{}: {why}", printable(.file))]
    File {
        /// The file.
        file: String,
        /// The reason.
        why: String,
    },
    /// The rules have a fault, or do not fit the scene.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A part cannot be posed, or there is too little memory.
    #[error("{}", after(.file, .error))]
    Check {
        /// The file of the part, or the files of the scene.
        file: String,
        /// The reason.
        error: CheckError,
    },
    /// The settings of a sweep do not fit the scene.
    #[error("{}", after(.files, .error))]
    Sweep {
        /// The files of the scene.
        files: String,
        /// The reason.
        error: SweepError,
    },
    /// A joint of a certificate is none of the scene's robot.
    #[error("{}", after(.files, .why))]
    Joint {
        /// The files of the scene.
        files: String,
        /// The reason.
        why: String,
    },
    /// The settings of a question about room do not fit the scene.
    #[error("{}", after(.files, .error))]
    Slack {
        /// The files of the scene.
        files: String,
        /// The reason.
        error: SlackError,
    },
    /// No pair would be checked, so that the job would find nothing whatever is wrong.
    #[error("{}", after(.files, &format!("nothing would be checked: {why}")))]
    Nothing {
        /// The files of the scene.
        files: String,
        /// The reason.
        why: NothingAsked,
    },
    /// The rows cannot be written.
    #[error("{0}")]
    Output(#[from] std::io::Error),
    /// Two methods do not give the same answer: closefit has an error.
    #[error("{}", after(.files, &format!("{} and {} do not give the same answer", .names[0], .names[1])))]
    MethodsDiffer {
        /// The files of the scene.
        files: String,
        /// The names of the methods.
        names: [String; 2],
    },
    /// Two kinds of trees do not agree: closefit has an error.
    #[error(transparent)]
    Disagreement(Box<Disagreed>),
}

/// Returns an error on one line, after the files if there are any.
fn after(files: &str, error: &dyn fmt::Display) -> String {
    printable(&if files.is_empty() { error.to_string() } else { format!("{files}: {error}") })
}

impl JobError {
    /// Returns the file that the error is about, or all files of the scene.
    pub fn file(&self) -> Option<&str> {
        let file = match self {
            Self::Scene(ReadError { file, .. }) | Self::File { file, .. } | Self::Check { file, .. } => file,
            Self::Rules(error) => &error.file,
            Self::Sweep { files, .. }
            | Self::Joint { files, .. }
            | Self::Slack { files, .. }
            | Self::Nothing { files, .. }
            | Self::MethodsDiffer { files, .. } => files,
            Self::Disagreement(found) => &found.files,
            Self::Interrupted | Self::Output(_) => return None,
        };
        Some(&file[..]).filter(|file| !file.is_empty())
    }

    /// Returns the part that the error is about.
    pub fn part(&self) -> Option<&str> {
        match self {
            Self::Scene(ReadError { fault, .. }) => part_of(fault),
            Self::Check { error: CheckError::OutOfRange { name, .. }, .. }
            | Self::Sweep { error: SweepError::Check(CheckError::OutOfRange { name, .. }), .. } => Some(name),
            Self::Disagreement(found) => Some(&found.names[0]),
            _ => None,
        }
    }

    /// Returns the place in the file that the error is about, or the setting.
    pub fn key(&self) -> Option<String> {
        match self {
            Self::Scene(ReadError { fault, .. }) => place_of(fault).map(str::to_owned),
            Self::Rules(error) => Some(format!("{}:{}", error.line, error.column)),
            Self::Slack { error: SlackError::Precision { .. }, .. } => Some("precision".to_owned()),
            Self::Sweep { error, .. } => match error {
                SweepError::Unavailable(_) => Some("method".to_owned()),
                SweepError::NoTime { .. } => Some("from, to".to_owned()),
                SweepError::Precision { .. }
                | SweepError::TooManyCells { .. }
                | SweepError::TooManyIntervals { .. } => Some("precision".to_owned()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns the flag of the program that an error of a sweep concerns, and the reason; `is_given` is true if
/// the precision is no default.
pub fn sweep_refusal(error: &SweepError, is_given: bool) -> (&'static str, String) {
    match error {
        SweepError::Unavailable(error) => ("--method", error.to_string()),
        SweepError::Precision { asked, smallest } if !is_given => {
            let why = format!(
                "the default precision of {asked:e} is too fine for f64 here: the smallest possible is {smallest:e}"
            );
            ("--precision", why)
        }
        SweepError::TooManyCells { .. } => {
            let why =
                format!("{error}: a larger precision has fewer cells, and one that is given has no limit");
            ("--precision", why)
        }
        SweepError::Precision { .. } | SweepError::TooManyIntervals { .. } => {
            ("--precision", error.to_string())
        }
        error => ("--from, --to", error.to_string()),
    }
}

fn part_of(fault: &Fault) -> Option<&str> {
    match fault {
        Fault::Part { part, .. } => Some(part),
        Fault::File { fault, .. } => part_of(fault),
        // Several may be listed: the first stands for them.
        Fault::Missing(faults) => faults.first().and_then(part_of),
        _ => None,
    }
}

fn place_of(fault: &Fault) -> Option<&str> {
    match fault {
        Fault::Content { at, .. } => Some(at),
        Fault::Part { fault, .. } | Fault::File { fault, .. } => place_of(fault),
        Fault::Missing(faults) => faults.first().and_then(place_of),
        _ => None,
    }
}

/// The reason why there is no pair to decide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NothingAsked {
    /// There is no second part.
    #[error("the scene has one part")]
    OnePart,
    /// It is about one part, and no other is checked against it.
    #[error("no other part is asked against '{}'", printable(.0))]
    NoOther(String),
    /// It is a sweep, and no part moves.
    #[error("nothing moves")]
    NothingMoves,
    /// Sides or groups have no part.
    #[error("{0}")]
    NoParts(String),
    /// A table has a header and nothing else.
    #[error("{} has no row", printable(.0))]
    NoRow(String),
    /// The rules are claims and nothing else, and this run asks none of them.
    #[error("the rules have only claims: {0}")]
    NoClaim(String),
    /// All pairs are excluded: their numbers by reason.
    #[error("every pair is excluded: {}", by_reason(.0))]
    Excluded(BTreeMap<String, u64>),
}

fn by_reason(excluded: &BTreeMap<String, u64>) -> String {
    let counts = excluded.iter().map(|(reason, pairs)| format!("{pairs} as '{}'", printable(reason)));
    counts.collect::<Vec<_>>().join(", ")
}

/// Two kinds of trees that do not agree about a pair, or one and the report.
#[derive(Debug, thiserror::Error)]
#[error("disagreement: {}", after(.files, &self.in_words()))]
pub struct Disagreed {
    /// The files of the scene.
    pub files: String,
    /// The names of the parts.
    pub names: [String; 2],
    /// The two, and what they find.
    pub found: Disagreement,
}

impl Disagreed {
    /// A disagreement about two parts of a scene.
    pub(crate) fn new(files: String, scene: &Scene, found: Disagreement) -> Self {
        let names = found.parts.map(|part| scene.parts[part.index()].name.to_string());
        Self { files, names, found }
    }

    fn in_words(&self) -> String {
        let ([a, b], Disagreement { strategies: (own, other), found: [first, second], .. }) =
            (&self.names, &self.found);
        let first = match own {
            Some(own) => format!("{own} finds {first}"),
            None => format!("the report has {first}"),
        };
        format!("'{a}' and '{b}': {first}, {other} finds {second}")
    }
}

/// Adds to the engine's error about a scene the file of the part, and the scene's files if they do not
/// include it.
pub fn with_file(error: CheckError, scene: &Scene, paths: &[PathBuf]) -> JobError {
    let files = files_line(paths);
    let part = match &error {
        CheckError::OutOfRange { part, .. } => part,
        CheckError::Interrupted => return JobError::Interrupted,
        _ => return JobError::Check { file: files, error },
    };
    let file = &*scene.parts[*part as usize].file;
    let own = paths.iter().find(|path| path.ends_with(file));
    let file = match own {
        Some(own) => own.display().to_string(),
        None => [&files[..], file].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": "),
    };
    JobError::Check { file, error }
}

/// Returns the files of a scene; if there are more than three, the first one and the number of others.
pub fn files_line(scenes: &[PathBuf]) -> String {
    let names: Vec<_> = scenes.iter().map(|path| printable(&path.display().to_string())).collect();
    match names.as_slice() {
        [first, rest @ ..] if rest.len() > 2 => format!("{first} and {} more files", rest.len()),
        few => few.join(", "),
    }
}
