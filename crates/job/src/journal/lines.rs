//! The journal of a run that has a line for each row: of a stopped run, the first rows of its share.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::iter;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use closefit::Verdict;
use serde::{Deserialize, Serialize};

use super::format::{Blocks, Contents, Header, Place, encoded};
use super::run::Journal;
use super::settings::short;
use super::shard::{Items, Shard};
use crate::error::JobError;

/// The line of a row, and what it adds to the summary of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowAnswer {
    /// The line, with its end.
    pub line: String,
    /// The worst verdict of the row, or the reason why it cannot be checked.
    pub verdict: Result<Verdict, String>,
    /// True if the row fails.
    pub fails: bool,
}

/// Receives the answers of rows in their order.
type Take<'a> = &'a mut dyn FnMut(RowAnswer) -> Result<(), JobError>;

/// The journal of a run with a line for each row, and the caller's settings on which lines depend.
#[derive(Clone, Debug)]
pub struct RowJournal {
    journal: Arc<Journal>,
    settings: Vec<(String, String)>,
}

impl RowJournal {
    /// Makes the journal of a run whose lines depend on settings, each a name and a value, and on a text.
    pub fn new(journal: Arc<Journal>, settings: &[(&str, String)], (name, text): (&str, &str)) -> Self {
        let text = (name.to_owned(), short(blake3::hash(text.as_bytes())));
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Self { journal, settings: settings.chain([text]).collect() }
    }

    /// Begins a run of so many rows, with these settings as well; there is no number if the rows cannot be
    /// read twice. Passes the answers that are known to `take`, unless the run is a shard, and returns the
    /// rows that are left to be checked, in order.
    ///
    /// # Errors
    /// [`JobError::File`] if the file is of another run, or cannot be read or written.
    pub(crate) fn begin(
        &self,
        settings: Vec<(String, String)>,
        count: Option<u64>,
        take: Take,
    ) -> Result<Vec<Range<u64>>, JobError> {
        let journal = &*self.journal;
        let Some(count) = count else {
            return match journal.is_wanted() {
                true => Err(JobError::File {
                    file: journal.dir().display().to_string(),
                    why: "rows come through a pipe, which cannot be read again".to_owned(),
                }),
                false => Ok(iter::once(0..u64::MAX).collect()),
            };
        };
        let settings = [settings, self.settings.clone()].concat();
        let header = Header { settings, items: Items::Rows, count, shard: journal.shard() };
        let earlier = journal.take_earlier();
        for (path, contents) in &earlier {
            header.refuse_other(path, &contents.header)?;
        }
        let (known, whole) =
            earlier.first().map_or((0, Place::default()), |(_, found)| (found.records, found.whole));
        journal.begin(&header, (known, &[]), whole)?;
        if let (Some((path, found)), None) = (earlier.into_iter().next(), journal.shard()) {
            JournaledLines::new(path, &found).each(0..known, take)?;
        }
        Ok(left(journal.shard(), count, known))
    }

    /// Keeps the answer of the next row that was left to be checked.
    ///
    /// # Errors
    /// [`JobError::File`] if it cannot be written; [`JobError::Interrupted`] if the run has been stopped.
    pub fn keep(&self, answer: &RowAnswer) -> Result<(), JobError> {
        self.journal.keep(&encoded(answer));
        match self.journal.is_closed() {
            true => Err(self.journal.failure().unwrap_or(JobError::Interrupted)),
            false => Ok(()),
        }
    }
}

/// Returns the rows of a share after the first ones.
fn left(shard: Option<Shard>, count: u64, mut known: u64) -> Vec<Range<u64>> {
    let share = shard.map_or_else(|| iter::once(0..count).collect(), |shard| shard.places(count).collect());
    let after = |range: Range<u64>| {
        let skipped = known.min(range.end - range.start);
        known -= skipped;
        range.start + skipped..range.end
    };
    Vec::into_iter(share).map(after).filter(|range| !range.is_empty()).collect()
}

/// The answers in a rows file, read block by block.
#[derive(Debug)]
struct JournaledLines {
    path: PathBuf,
    /// A block, by its place in the file and the number of answers before it.
    place: Place,
    before: u64,
}

impl JournaledLines {
    fn new(path: PathBuf, contents: &Contents) -> Self {
        Self { path, place: contents.start, before: 0 }
    }

    /// Passes on some answers, which come after those that were passed on before.
    fn each(&mut self, answers: Range<u64>, take: Take) -> Result<(), JobError> {
        let refused = |why: String| JobError::File { file: self.path.display().to_string(), why };
        let unread = |error: std::io::Error| refused(format!("cannot be read: {error}"));
        let damaged = || refused("it has been changed meanwhile".to_owned());
        let mut file = File::open(&self.path).map_err(unread)?;
        file.seek(SeekFrom::Start(self.place.at)).map_err(unread)?;
        let mut blocks = Blocks::new(BufReader::new(file), self.place);
        let mut at = answers.start;
        while at < answers.end {
            let block = blocks.next_block().map_err(unread)?.ok_or_else(damaged)?;
            let mut rest = &block.contents[..];
            let own = self.before..self.before.saturating_add(block.records);
            for number in own.start..own.end.min(answers.end) {
                if at >= own.end {
                    break;
                }
                let (answer, after) = postcard::take_from_bytes(rest).map_err(|_| damaged())?;
                rest = after;
                if number == at {
                    take(answer)?;
                    at += 1;
                }
            }
            if at >= own.end {
                (self.place, self.before) = (blocks.place, own.end);
            }
        }
        Ok(())
    }
}

/// The rows of shards, in the order of the whole run.
#[derive(Debug)]
pub struct MergedRows {
    count: u64,
    /// Rows, each in one file at least, in the order of their first ones; the file of each, and the number of
    /// answers before them there.
    ranges: Vec<(Range<u64>, usize, u64)>,
    files: Vec<JournaledLines>,
}

impl MergedRows {
    /// The rows of files of a run that has so many.
    pub(super) fn of(count: u64, found: Vec<(PathBuf, Contents)>) -> Self {
        let mut ranges = Vec::new();
        for (file, (_, contents)) in found.iter().enumerate() {
            let all = || iter::once(0..count).collect::<Vec<_>>();
            let share = contents.header.shard.map_or_else(all, |shard| shard.places(count).collect());
            let mut before = 0;
            for range in share {
                let known = (contents.records - before).min(range.end - range.start);
                ranges.push((range.start..range.start + known, file, before));
                before += known;
            }
        }
        ranges.retain(|(range, ..)| !range.is_empty());
        ranges.sort_by_key(|(range, file, _)| (range.start, *file));
        let files = found.into_iter().map(|(path, contents)| JournaledLines::new(path, &contents)).collect();
        Self { count, ranges, files }
    }

    /// Passes on each row's answer, or `None` for a row that is missing, in the order of rows. Returns the
    /// missing rows.
    ///
    /// # Errors
    /// [`JobError::File`] if a file cannot be read or has been changed; errors of `take`.
    pub fn each(
        mut self,
        take: &mut dyn FnMut(Option<RowAnswer>) -> Result<(), JobError>,
    ) -> Result<Vec<Range<u64>>, JobError> {
        let (mut at, mut missing) = (0, Vec::new());
        let end = (self.count..self.count, 0, 0);
        for (range, file, before) in self.ranges.into_iter().chain(iter::once(end)) {
            if at < range.start {
                missing.push(at..range.start);
                (at..range.start).try_for_each(|_| take(None))?;
                at = range.start;
            }
            // What another file had already is the same here.
            let wanted = before + at.max(range.start) - range.start..before + range.end - range.start;
            if wanted.start < wanted.end {
                self.files[file].each(wanted, &mut |answer| take(Some(answer)))?;
                at = range.end;
            }
        }
        Ok(missing)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::attempt::Attempt;
    use super::*;

    const COUNT: u64 = 100;

    fn answer(row: u64) -> RowAnswer {
        RowAnswer { line: format!("{row}\n"), verdict: Ok(Verdict::Clear), fails: false }
    }

    /// Writes the first rows of a shard, in blocks of seven.
    fn file(dir: &Path, shard: &str, most: usize) -> (PathBuf, Contents) {
        let shard: Shard = shard.parse().unwrap();
        let header = Header { settings: Vec::new(), items: Items::Rows, count: COUNT, shard: Some(shard) };
        let mut bytes = Vec::new();
        let mut place = header.write(&mut bytes).unwrap();
        let rows: Vec<u64> = shard.places(COUNT).flatten().take(most).collect();
        for some in rows.chunks(7) {
            let answers: Vec<u8> = some.iter().flat_map(|&row| encoded(&answer(row))).collect();
            place = place.write(&mut bytes, some.len() as u64, &answers).unwrap();
            place = place.write(&mut bytes, 0, &encoded(&Attempt::default())).unwrap();
        }
        let path = dir.join(format!("{}-{}.cfr", shard.number(), shard.of()));
        std::fs::write(&path, &bytes).unwrap();
        (path, Contents::read(&bytes[..]).unwrap().unwrap())
    }

    /// Returns the rows that are passed on, and the missing ones.
    fn merged(found: Vec<(PathBuf, Contents)>) -> (Vec<Option<String>>, Vec<u64>) {
        let mut rows = Vec::new();
        let missing = MergedRows::of(COUNT, found).each(&mut |answer| {
            rows.push(answer.map(|answer| answer.line));
            Ok(())
        });
        (rows, missing.unwrap().into_iter().flatten().collect())
    }

    #[test]
    fn rows_of_any_shards_come_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let whole: Vec<_> = (0..COUNT).map(|row| Some(answer(row).line)).collect();
        for shards in
            [&["1/1"][..], &["2/3", "1/3", "3/3"], &["1/2", "1/6", "2/6", "3/6", "4/6", "5/6", "6/6"]]
        {
            let found = shards.iter().map(|shard| file(dir.path(), shard, 100)).collect();
            assert_eq!(merged(found), (whole.clone(), Vec::new()), "{shards:?}");
        }
    }

    #[test]
    fn rows_that_no_file_has_are_missing() {
        let dir = tempfile::tempdir().unwrap();
        for most in [0, 1, 7, 8, 20, 33] {
            let shard: Shard = "2/3".parse().unwrap();
            let lacks: Vec<u64> = shard.places(COUNT).flatten().skip(most).collect();
            let found = [("1/3", 100), ("2/3", most), ("3/3", 100)];
            let (rows, missing) = merged(found.map(|(shard, most)| file(dir.path(), shard, most)).into());
            assert_eq!(missing, lacks);
            for (number, row) in (0..).zip(&rows) {
                let expected = (!lacks.contains(&number)).then(|| answer(number).line);
                assert_eq!(*row, expected, "{most}");
            }
            let known = most as u64;
            let open: Vec<u64> = left(Some(shard), COUNT, known).into_iter().flatten().collect();
            assert_eq!(open, lacks);
        }
        let whole = |known| left(None, 5, known).into_iter().flatten().collect::<Vec<_>>();
        assert_eq!([whole(2), whole(5)], [vec![2, 3, 4], vec![]]);
    }
}
