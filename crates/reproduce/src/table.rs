//! The table of an experiment, as data.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::machine::processor;
use crate::motion::Motion;
use crate::papers::Source;
use crate::picture::Picture;
use crate::verdict::{Claim, TimedClaim};
use crate::{Effort, Run};
use closefit_geometry::parallel;

/// The outcome of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The experiment's name.
    pub table: &'static str,
    /// A line that describes it.
    pub title: &'static str,
    /// The place in the paper.
    pub source: Source,
    /// The amount of work.
    pub effort: Effort,
    /// The scene and its parameters.
    pub settings: Vec<Setting>,
    /// The columns: keys of counts, and headings.
    #[serde(serialize_with = "as_map")]
    pub columns: Vec<(&'static str, &'static str)>,
    /// The rows, each row of the paper before the row of closefit to compare with it.
    pub rows: Vec<Row>,
    /// The claims with their verdicts.
    pub claims: Vec<Claim>,
    /// The BLAKE3 digest of all poses at which methods were queried, if parts move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The plot, where the paper has one.
    #[serde(skip)]
    pub picture: Option<Picture>,
    /// The motions, if they are wanted and the table has some.
    #[serde(skip)]
    pub motions: Vec<Motion>,
    /// Everything that differs from run to run.
    pub this_machine: Machine,
}

/// A parameter of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// Tells who set it: the paper, or we where the paper is silent.
    pub by: Author,
    /// The parameter and its value.
    pub text: String,
}

/// The author of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Author {
    /// The paper says so.
    Paper,
    /// Our choice.
    Us,
}

/// The paper says so.
pub fn paper(text: impl Into<String>) -> Setting {
    Setting { by: Author::Paper, text: text.into() }
}

/// Our choice.
pub fn ours(text: impl Into<String>) -> Setting {
    Setting { by: Author::Us, text: text.into() }
}

/// A row of a table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Tells whose numbers these are.
    pub of: Author,
    /// The name of the row.
    pub name: String,
    /// The numbers by the keys of their columns.
    #[serde(serialize_with = "as_map")]
    pub counts: Vec<(&'static str, Value)>,
}

impl Row {
    /// Makes an empty row of the paper.
    pub fn of_paper(name: impl Into<String>) -> Self {
        Self { of: Author::Paper, name: name.into(), counts: Vec::new() }
    }

    /// Makes an empty row of closefit.
    pub fn new(name: impl Into<String>) -> Self {
        Self { of: Author::Us, name: name.into(), counts: Vec::new() }
    }

    /// Adds a number.
    pub fn with(mut self, column: &'static str, value: impl Into<Value>) -> Self {
        self.counts.push((column, value.into()));
        self
    }
}

/// An entry of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// Another number.
    Number(f64),
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// The machine and the seconds, which are no part of the counts.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor.
    pub processor: String,
    /// Number of threads.
    pub threads: usize,
    /// Seconds that the experiment took.
    pub seconds: f64,
    /// Seconds of single rows, by their names.
    pub rows: Vec<Seconds>,
    /// Claims about seconds, which have no verdict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<TimedClaim>,
}

/// The seconds of something.
#[derive(Clone, Debug, Serialize)]
pub struct Seconds {
    /// The thing that was timed.
    pub of: String,
    /// The seconds.
    pub seconds: f64,
}

impl Table {
    /// Makes a table without settings, rows and claims.
    pub(crate) fn new(run: &Run, table: &'static str, title: &'static str, source: Source) -> Self {
        let threads = parallel::threads();
        Self {
            table,
            title,
            source,
            effort: run.effort,
            settings: Vec::new(),
            columns: Vec::new(),
            rows: Vec::new(),
            claims: Vec::new(),
            path: None,
            picture: None,
            motions: Vec::new(),
            this_machine: Machine {
                processor: processor(),
                threads,
                seconds: 0.0,
                rows: Vec::new(),
                claims: Vec::new(),
            },
        }
    }
}

impl Table {
    /// Keeps a motion if that is wanted.
    pub(crate) fn keep(&mut self, run: &Run, motion: impl FnOnce() -> Motion) {
        if run.keeps_motions {
            self.motions.push(motion());
        }
    }
}

/// Tables as a document of their format.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "closefit-reproduce")]
    format: u32,
    tables: &'a [Table],
}

/// Returns tables as JSON text, with a line feed at its end.
pub fn json(tables: &[Table]) -> String {
    let document = Document { format: 1, tables };
    let mut text = serde_json::to_string_pretty(&document).expect("numbers and texts can be written");
    text.push('\n');
    text
}

fn as_map<S: Serializer, V: Serialize>(
    entries: &[(&'static str, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(entries.len()))?;
    for (key, value) in entries {
        map.serialize_entry(key, value)?;
    }
    map.end()
}
