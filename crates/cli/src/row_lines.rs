//! The lines of a run that has one for each row: where they go, and how the run ends.

use std::io::{self, Write};
use std::path::Path;

use anyhow::bail;

use crate::terminal;
use closefit_job::{JobError, RowSummary};
use closefit_report::document::Word;
use closefit_report::files::NewFile;
use closefit_report::table::counted;

/// Lets `write` write lines to stdout, or to `rows.jsonl` in the claimed directory, which appears only if
/// that succeeds. Returns what `write` does, and nothing if the reader of stdout has seen enough.
pub fn written<T: Send>(
    out: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<T, JobError> + Send,
) -> anyhow::Result<Result<Option<T>, JobError>> {
    let mut found = Ok(None);
    let keep = |lines: &mut dyn Write| match write(lines) {
        Ok(rows) => {
            found = Ok(Some(rows));
            Ok(())
        }
        // The writer has failed, and says why itself.
        Err(JobError::Output(error)) => Err(error),
        Err(error) => {
            let failed = io::Error::other(error.to_string());
            found = Err(error);
            Err(failed)
        }
    };
    let printed = match out {
        None => terminal::print_by(keep),
        Some(_) => {
            let file: NewFile = ("rows.jsonl".to_owned(), Box::new(keep));
            terminal::write_output(vec![file]).map_err(anyhow::Error::from)
        }
    };
    match found {
        Ok(rows) => printed.map(|()| Ok(rows)),
        Err(error) => Ok(Err(error)),
    }
}

/// Refuses a run some of whose rows are wrong, with the first of them; `file` has the rows, if a file has.
pub fn refuse_wrong(file: Option<&Path>, summary: &RowSummary) -> anyhow::Result<()> {
    if let Some((row, why)) = &summary.first_refused {
        let file = file.map_or_else(String::new, |file| format!("{}: ", file.display()));
        match summary.refused {
            1 => bail!("{file}1 of {} rows is wrong, row {row}: {why}", summary.rows),
            refused => {
                bail!("{file}{refused} of {} rows are wrong, the first row {row}: {why}", summary.rows)
            }
        }
    }
    Ok(())
}

/// Returns the numbers of rows, of all and by their worst verdicts.
pub fn counts(summary: &RowSummary) -> String {
    let counts = summary.by_verdict.iter().map(|(verdict, rows)| format!("{rows} {}", verdict.word()));
    format!("{}: {}", counted(summary.rows, "row", "rows"), counts.collect::<Vec<_>>().join(", "))
}
