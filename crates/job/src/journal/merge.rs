//! Puts shards together: all their rows, once it is certain that none is missing.

use std::fs::{self, File};
use std::io::BufReader;
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::SHARD_MISSING;
use super::format::Contents;
use super::lines::MergedRows;
use super::plan::Plan;
use super::run::Journal;
use super::shard::Shard;
use crate::error::JobError;

/// The shards of a run.
#[derive(Debug)]
pub struct Merge {
    /// The plan that all of them follow.
    pub plan: Plan,
    /// The numbers of the shards that are not complete.
    pub missing: Vec<u32>,
    found: Vec<(PathBuf, Contents)>,
}

impl Merge {
    /// Reads the rows of all shards in some directories, each of which has the plan of the run.
    ///
    /// # Errors
    /// [`JobError::File`] for a directory without a plan, or with the plan of another run, and for a file
    /// that belongs to another run or cannot be read.
    pub fn read(dirs: &[PathBuf]) -> Result<Self, JobError> {
        let mut plan: Option<Plan> = None;
        let mut found: Vec<(PathBuf, Contents)> = Vec::new();
        for dir in dirs {
            let own = Plan::read(dir)?.ok_or_else(|| JobError::File {
                file: dir.display().to_string(),
                why: "it has no plan.json, which the first shard writes".to_owned(),
            })?;
            if let Some(plan) = &plan {
                plan.refuse_other_run(&own, dir)?;
            }
            let plan = plan.get_or_insert(own);
            for path in rows_files(dir)? {
                found.extend(read_rows(&path, plan)?.map(|contents| (path, contents)));
            }
        }
        let plan = plan.expect("there is a directory");
        let missing = missing(&plan, &found);
        Ok(Self { plan, missing, found })
    }

    /// Makes the journal of a run that writes to a directory. Pairs of missing shards stay undecided.
    pub fn into_journal(self, out: &Path) -> Journal {
        let why = (!self.missing.is_empty()).then_some(SHARD_MISSING);
        Journal::of_shards(out, self.found, why)
    }

    /// Returns the answers of a run that has a line for each row.
    pub fn into_lines(self) -> MergedRows {
        MergedRows::of(self.plan.count(), self.found)
    }
}

/// Returns the rows files of a directory, in the order of their names.
fn rows_files(dir: &Path) -> Result<Vec<PathBuf>, JobError> {
    let refused = |error: std::io::Error| JobError::File {
        file: dir.display().to_string(),
        why: format!("cannot be read: {error}"),
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.extension().is_some_and(|extension| extension == "cfr") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads the rows of a shard, which may have any number of other shards.
fn read_rows(path: &Path, plan: &Plan) -> Result<Option<Contents>, JobError> {
    let refused = |why: String| JobError::File { file: path.display().to_string(), why };
    let file = File::open(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
    let found = Contents::read(BufReader::new(file)).map_err(|why| refused(why.to_string()))?;
    if let Some(found) = &found {
        plan.header(found.header.shard).refuse_other(path, &found.header)?;
    }
    Ok(found)
}

/// Returns the shards whose items are not all in complete files.
fn missing(plan: &Plan, found: &[(PathBuf, Contents)]) -> Vec<u32> {
    let count = plan.count();
    let places = |contents: &Contents| -> Vec<Range<u64>> {
        match contents.header.shard {
            Some(shard) if contents.done() >= shard.items(count) => shard.places(count).collect(),
            None if contents.done() >= count => iter::once(0..count).collect(),
            _ => Vec::new(),
        }
    };
    let covered = joined(found.iter().flat_map(|(_, contents)| places(contents)).collect());
    let is_covered = |place: Range<u64>| {
        let at = covered.partition_point(|range| range.end < place.end);
        covered.get(at).is_some_and(|range| range.start <= place.start)
    };
    let shards = (1..=plan.shards).filter_map(|number| Shard::new(number, plan.shards).ok());
    shards.filter(|shard| !shard.places(count).all(is_covered)).map(Shard::number).collect()
}

/// Returns ranges in order, those that touch as one.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// Returns ascending numbers as ranges, as schedulers take them: `3,17-18`.
pub fn missing_in_words(numbers: &[u32]) -> String {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => ranges.push([number; 2]),
        }
    }
    let words = ranges.iter().map(|[first, last]| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::attempt::Attempt;
    use super::super::format::{Header, Place};
    use super::super::shard::Items;
    use super::*;

    const NEAR: u64 = 1119;

    /// The rows of a shard, complete or not.
    fn rows(shard: &str, is_complete: bool) -> (PathBuf, Contents) {
        let shard: Shard = shard.parse().unwrap();
        let header =
            Header { settings: Vec::new(), items: Items::NearPairs, count: NEAR, shard: Some(shard) };
        let records = shard.items(NEAR) - u64::from(!is_complete);
        let (entries, attempt) = (Vec::new(), Attempt::default());
        (
            PathBuf::new(),
            Contents { header, start: Place::default(), records, whole: Place::default(), entries, attempt },
        )
    }

    fn missing_of(of: u32, found: &[(PathBuf, Contents)]) -> String {
        let header = Header { settings: Vec::new(), items: Items::NearPairs, count: NEAR, shard: None };
        let plan = Plan::of(&header, Shard::new(1, of).unwrap(), Vec::new());
        missing_in_words(&missing(&plan, found))
    }

    #[test]
    fn missing_shards_are_those_without_all_pairs() {
        let all: Vec<_> = (1..=7).map(|number| rows(&format!("{number}/7"), true)).collect();
        assert_eq!(missing_of(7, &all), "");
        assert_eq!(missing_of(7, &all[..2]), "3-7");
        assert_eq!(missing_of(7, &[&all[1..3], &all[4..5]].concat()), "1,4,6-7");
        assert_eq!(missing_of(7, &[&all[..6], &[rows("7/7", false)]].concat()), "7");
    }

    #[test]
    fn shards_of_another_number_serve_as_well() {
        assert_eq!(missing_of(7, &[rows("1/2", true), rows("2/2", true)]), "");
        assert_eq!(missing_of(7, &[rows("1/1", true)]), "");
        // Half of the pairs, and the shards that have the other half.
        let some: Vec<_> = (1..=7).map(|number| rows(&format!("{number}/7"), number < 7)).collect();
        assert_eq!(missing_of(7, &[&some[..], &[rows("1/2", true)]].concat()), "7");
        assert_eq!(missing_of(2, &[&some[..], &[rows("1/2", true)]].concat()), "2");
    }
}
