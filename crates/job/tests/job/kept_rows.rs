//! Rows files and plans that somebody has changed: a resumed run and a merge give the answers of an
//! uninterrupted run, or one line that says why not.
//!
//! `CLOSEFIT_CASES` sets the number of changed files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use closefit::scene::{Part, Scene};
use closefit::{CheckRequest, DVec3, Mesh, Pose, SweepRequest, Unobserved, Verdict};
use closefit_geometry::ids::MeshId;
use closefit_geometry::motion::{Between, Joint, Keyframe, Motion};
use closefit_job::{
    Budget, CheckOptions, Job, JobError, Journal, JournalOptions, Merge, Project, RowJournal, RowOptions,
    RowSource, Start, SweepOptions,
};
use closefit_report::json;
use proptest::prelude::*;

/// The bytes of the mark of a rows file, and of the head of a block: two numbers and a checksum.
const MARK: usize = 16;
const HEAD: usize = 32;
const CHECKSUM: usize = 16;

/// The number of shards.
const SHARDS: u32 = 3;

/// A run whose rows are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    Check,
    Sweep,
    /// A check at many poses, with a line for each.
    Lines,
}

/// The scenes and tables of all runs.
struct Asked {
    job: Job,
    poses: (Job, PathBuf),
}

/// The pairs that a run decides before it is stopped, in each of several runs; 0 for all that are left.
const STOPS: [u64; 4] = [5, 9, 3, 0];

impl Asked {
    /// A row of tetrahedra, each of which meets the next ones or comes near them; every sixth one comes from
    /// afar.
    fn new(folder: &Path) -> Self {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("valid");
        let mut scene = Scene { meshes: vec![Arc::new(mesh)], ..Scene::default() };
        for i in 0..16_u32 {
            let at = DVec3::new(0.55 * f64::from(i), 0.1 * f64::from(i % 5), 0.0);
            let mut part = Part::new(&*format!("part {i}"), MeshId(0), Pose::translation(at.into()));
            if i % 6 == 5 {
                let keys = [(0.0, 3.0 * DVec3::Y), (1.0, DVec3::ZERO)].map(|(time, translation)| Keyframe {
                    time,
                    rotation: [0.0, 0.0, 0.0, 1.0],
                    translation,
                });
                let motion = Motion::through(&keys, Between::Linear, [1.0; 3]).expect("a motion");
                part.frame = Some(scene.frames.add(None, Joint::Moving(motion)));
            }
            scene.parts.push(part);
        }
        let table = folder.join("poses.csv");
        let rows: String = (0..24).map(|i| format!("0,0,0,1,{},0.2,0\n", 0.1 * f64::from(i) - 1.2)).collect();
        fs::write(&table, format!("qx,qy,qz,qw,tx,ty,tz\n{rows}")).expect("written");
        let two = Scene { parts: scene.parts[1..3].to_vec(), ..scene.clone() };
        let job = |scene: Scene| Job::new(scene.into(), Project::default()).expect("no rules");
        Self { job: job(scene), poses: (job(two), table) }
    }

    /// Returns the answers of a run, with the ones that its journal had. A shard returns none. `most` is
    /// the largest number of bytes of lines.
    fn answers(&self, run: Run, journal: Option<&Arc<Journal>>, most: usize) -> Result<Vec<u8>, JobError> {
        let of_shard = journal.filter(|journal| journal.shard().is_some());
        let check = CheckRequest::default().tolerance(1e-6).clearance(0.2);
        match run {
            Run::Check => {
                let options = CheckOptions { journal: journal.cloned(), ..CheckOptions::default() };
                if let Some(journal) = of_shard {
                    return self.job.decide_shard(&check, journal, false, &Unobserved).map(|()| Vec::new());
                }
                self.job.check(&check, &options, &Unobserved).map(|found| json::document(&found.report))
            }
            Run::Sweep => {
                let request = SweepRequest::default().tolerance(1e-6).precision(0.02).clearance(0.2);
                let request = request.between(0.0, 1.0);
                let options = SweepOptions { journal: journal.cloned(), ..SweepOptions::default() };
                if let Some(journal) = of_shard {
                    return self.job.decide_shard(&request, journal, false, &Unobserved).map(|()| Vec::new());
                }
                self.job.sweep(&request, &options, &Unobserved).map(|found| json::document(&found.report))
            }
            Run::Lines => {
                let (job, table) = &self.poses;
                let mut source = RowSource::poses(table, job.scene())?;
                let journal =
                    journal.map(|journal| RowJournal::new(Arc::clone(journal), &[], ("rules file", "")));
                let options = RowOptions { journal, ..RowOptions::default() };
                let fails = |_: [u32; 2], verdict: Verdict| verdict == Verdict::Clash;
                let mut lines = Limited { lines: Vec::new(), most };
                job.check_rows(&mut source, (&check, &options), &fails, &Unobserved, &mut lines)?;
                Ok(lines.lines)
            }
        }
    }

    /// Makes the rows file of a directory, by several runs that are stopped.
    fn keep(&self, run: Run, dir: &Path, shard: Option<u32>) {
        for (at, stop) in STOPS.into_iter().enumerate() {
            // A shard of lines has no lines of which there may be too many: it is kept at once.
            let is_stopped = stop > 0 && !(run == Run::Lines && shard.is_some());
            let options = JournalOptions {
                start: Start::Resume,
                budget: (is_stopped && run != Run::Lines).then_some(Budget::Pairs(stop)),
                shard: shard
                    .map(|number| (format!("{number}/{SHARDS}").parse().expect("a shard"), Vec::new())),
            };
            let journal = Arc::new(Journal::open(dir, options).expect("it is sound"));
            let most = if is_stopped { 300 + 700 * at } else { usize::MAX };
            let found = self.answers(run, Some(&journal), most);
            assert!(found.is_ok() || is_stopped && run == Run::Lines, "{run:?}: {:?}", found.err());
            // A run that has everything removes its file, which a stopped one does not.
            journal.stop();
        }
    }

    /// Returns what a resumed run answers, or its refusal.
    fn resumed(&self, run: Run, dir: &Path) -> Result<Vec<u8>, String> {
        let options = JournalOptions { start: Start::Resume, ..JournalOptions::default() };
        let journal = Journal::open(dir, options).map_err(|error| error.to_string())?;
        self.answers(run, Some(&Arc::new(journal)), usize::MAX).map_err(|error| error.to_string())
    }

    /// Returns what a merge answers, or its refusal.
    fn merged(&self, run: Run, dir: &Path) -> Result<Vec<u8>, String> {
        let merge = Merge::read(&[dir.to_owned()]).map_err(|error| error.to_string())?;
        if !merge.missing.is_empty() {
            return Err("shards are missing".to_owned());
        }
        if run != Run::Lines {
            let journal = Arc::new(merge.into_journal(&dir.join("merged")));
            return self.answers(run, Some(&journal), usize::MAX).map_err(|error| error.to_string());
        }
        let mut lines = Vec::new();
        let missing = merge.into_lines().each(&mut |answer| {
            lines.extend(answer.map_or_else(Vec::new, |answer| answer.line.into_bytes()));
            Ok(())
        });
        match missing.map_err(|error| error.to_string())?.is_empty() {
            true => Ok(lines),
            false => Err("rows are missing".to_owned()),
        }
    }
}

/// Lines, and an error where they are too many.
struct Limited {
    lines: Vec<u8>,
    most: usize,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.lines.len() + bytes.len() > self.most {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.lines.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A change of a file. Places are fractions of what there is.
#[derive(Clone, Debug)]
enum Damage {
    Flipped(Vec<(prop::sample::Index, u8)>),
    Cut(prop::sample::Index),
    Longer(Vec<u8>),
    /// The place of a number, and what is put there.
    Number(prop::sample::Index, u64),
    /// A block is left out, comes twice, or changes places with another one.
    Dropped(prop::sample::Index),
    Doubled(prop::sample::Index),
    Swapped([prop::sample::Index; 2]),
    /// A block of another file takes the place of one.
    Foreign(prop::sample::Index, [prop::sample::Index; 2]),
}

fn damage() -> impl Strategy<Value = Damage> {
    use prop::sample::Index;
    let number = prop_oneof![Just(0), Just(u64::MAX), 0..100_u64, any::<u64>()];
    prop_oneof![
        3 => prop::collection::vec((any::<Index>(), 0..8_u8), 1..6).prop_map(Damage::Flipped),
        1 => any::<Index>().prop_map(Damage::Cut),
        1 => prop::collection::vec(any::<u8>(), 1..200).prop_map(Damage::Longer),
        2 => (any::<Index>(), number).prop_map(|(at, number)| Damage::Number(at, number)),
        1 => any::<Index>().prop_map(Damage::Dropped),
        1 => any::<Index>().prop_map(Damage::Doubled),
        1 => any::<[Index; 2]>().prop_map(Damage::Swapped),
        1 => (any::<Index>(), any::<[Index; 2]>()).prop_map(|(at, of)| Damage::Foreign(at, of)),
    ]
}

/// Returns the blocks of a rows file, the first of which has the mark as well.
fn blocks(file: &[u8]) -> Vec<Vec<u8>> {
    let mut blocks = Vec::new();
    let (mut from, mut head) = (0, MARK);
    while let Some(length) = file.get(head..head + 8) {
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
        let end = head + HEAD + usize::try_from(length).expect("it is sound");
        blocks.push(file[from..end].to_vec());
        (from, head) = (end, end);
    }
    blocks
}

/// Returns a file whose blocks have checksums that fit.
fn signed(file: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    let (mut head, mut before) = (MARK, [0_u8; CHECKSUM]);
    while let Some(length) = bytes.get(head..head + 8) {
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
        let end = usize::try_from(length).ok().and_then(|length| (head + HEAD).checked_add(length));
        let Some(contents) = end.and_then(|end| bytes.get(head + HEAD..end)) else { break };
        let numbers = &bytes[head..head + HEAD - CHECKSUM];
        let hash = blake3::Hasher::new().update(&before).update(numbers).update(contents).finalize();
        before.copy_from_slice(&hash.as_bytes()[..CHECKSUM]);
        bytes[head + HEAD - CHECKSUM..head + HEAD].copy_from_slice(&before);
        head = end.unwrap_or(usize::MAX);
    }
    bytes
}

/// Damages a file, of which there are others.
fn damaged(file: &[u8], others: &[Vec<u8>], damage: &Damage) -> Vec<u8> {
    let mut bytes = file.to_vec();
    match damage {
        Damage::Flipped(bits) => bits.iter().for_each(|(at, bit)| bytes[at.index(file.len())] ^= 1 << bit),
        Damage::Cut(at) => bytes.truncate(at.index(file.len())),
        Damage::Longer(more) => bytes.extend(more),
        Damage::Number(at, number) => {
            let at = at.index(file.len() - 8);
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        _ => bytes = rearranged(blocks(file), others, damage),
    }
    bytes
}

/// Changes the order of blocks, or puts one of another file among them.
fn rearranged(mut all: Vec<Vec<u8>>, others: &[Vec<u8>], damage: &Damage) -> Vec<u8> {
    match damage {
        Damage::Dropped(at) => _ = all.remove(at.index(all.len())),
        Damage::Doubled(at) => {
            let at = at.index(all.len());
            all.insert(at, all[at].clone());
        }
        Damage::Swapped(places) => {
            let [a, b] = places.map(|at| at.index(all.len()));
            all.swap(a, b);
        }
        Damage::Foreign(at, [file, block]) => {
            let other = blocks(&others[file.index(others.len())]);
            let at = at.index(all.len());
            all[at].clone_from(&other[block.index(other.len())]);
        }
        _ => unreachable!("it leaves blocks as they are"),
    }
    all.concat()
}

/// Returns the files of a directory that a run reads, with their bytes.
fn files_in(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(dir).expect("it is there").map(|entry| entry.expect("readable").path());
    let mut files: Vec<_> = files.map(|file| (file.clone(), fs::read(file).expect("readable"))).collect();
    files.sort();
    files
}

/// Damages the files of a run that `make` makes, and compares what `read` reads with an uninterrupted run.
/// With checksums that fit, other answers are what the file says.
fn unchanged(
    (run, is_signed): (Run, bool),
    make: impl Fn(&Asked, &Path),
    read: impl Fn(&Asked, &Path) -> Result<Vec<u8>, String>,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = Asked::new(folder.path());
    let expected = asked.answers(run, None, usize::MAX).expect("in range");
    let dir = folder.path().join("rows");
    make(&asked, &dir);
    let files = files_in(&dir);
    let restore = || files.iter().for_each(|(file, whole)| fs::write(file, whole).expect("written"));
    assert_eq!(read(&asked, &dir).as_ref(), Ok(&expected), "{run:?}");
    restore();
    let others: Vec<Vec<u8>> = files
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|it| it == "cfr"))
        .map(|(_, whole)| whole.clone())
        .collect();
    let cases = closefit_geometry::math::testing::cases(60);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let outcomes = RefCell::new(BTreeMap::<String, u32>::new());
    proptest!(config, |(which in any::<prop::sample::Index>(), damage in damage())| {
        let (file, whole) = which.get(&files);
        let is_plan = file.extension().is_some_and(|it| it == "json");
        let bytes = match damage {
            Damage::Dropped(at) | Damage::Doubled(at) | Damage::Swapped([at, _]) | Damage::Foreign(at, _)
                if is_plan =>
            {
                whole[..at.index(whole.len())].to_vec()
            }
            _ => damaged(whole, &others, &damage),
        };
        fs::write(file, if is_signed && !is_plan { signed(&bytes) } else { bytes }).expect("written");
        let found = read(&asked, &dir);
        restore();
        let outcome = match &found {
            Ok(answers) => {
                prop_assert!(is_signed || *answers == expected, "{}", String::from_utf8_lossy(answers));
                if *answers == expected { "the same answers" } else { "what it says" }
            }
            Err(why) => {
                prop_assert!(why.lines().count() == 1 && !why.chars().any(char::is_control), "{:?}", why);
                "refused"
            }
        };
        let class = if is_plan { "plan".to_owned() } else { format!("{damage:?}") };
        let class = class.split(['(', ' ']).next().unwrap_or_default().to_owned();
        *outcomes.borrow_mut().entry(format!("{class}: {outcome}")).or_default() += 1;
    });
    let sums = if is_signed { "checksums that fit" } else { "checksums as they are" };
    println!("{run:?}, {sums}, {cases} cases: {:#?}", outcomes.into_inner());
}

const RUNS: [Run; 3] = [Run::Check, Run::Sweep, Run::Lines];

fn resumed_runs(is_signed: bool) {
    for run in RUNS {
        let make = |asked: &Asked, dir: &Path| asked.keep(run, dir, None);
        unchanged((run, is_signed), make, |asked, dir| asked.resumed(run, dir));
    }
}

fn merges(is_signed: bool) {
    for run in RUNS {
        let make = |asked: &Asked, dir: &Path| (1..=SHARDS).for_each(|n| asked.keep(run, dir, Some(n)));
        unchanged((run, is_signed), make, |asked, dir| asked.merged(run, dir));
    }
}

#[test]
fn a_changed_rows_file_changes_no_answer_of_a_resumed_run() {
    resumed_runs(false);
}

#[test]
fn a_changed_shard_changes_no_answer_of_a_merge() {
    merges(false);
}

/// Nothing that a file says ends the process, if somebody has made its checksums fit.
#[test]
fn rows_that_are_made_up_are_read_or_refused() {
    resumed_runs(true);
    merges(true);
}
