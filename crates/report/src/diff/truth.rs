//! Random pairs of reports, made from a list of events, with the row that each event must get.
//!
//! Each event happens to two parts of its own, a kilometre from all others, so what becomes of it follows
//! from the event alone.

use proptest::prelude::*;

use super::*;
use crate::document::{BUDGET, CRASHED, ContainedRow, DepthRow, PairRow, PartRow, SHARD_MISSING};
use crate::json;
use crate::testing::{pair_row, part_row, report_of};

/// The finding about two unit cubes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Found {
    /// A clash of this depth, in tenths.
    Clash(u8),
    /// A clash whose depth is not known.
    ClashOfAnyDepth,
    Contact,
    /// A distance in tenths.
    Near(u8),
    /// Looked at, and not decided.
    Undecided,
    /// The same, and the surfaces are farther apart than the clearance: one may lie in the other.
    UndecidedApart,
    /// Not looked at, for one of three reasons.
    Open(u8),
    /// Not listed.
    Clear,
}

/// An event: two parts, as both runs find them.
#[derive(Clone, Copy, Debug)]
struct Event {
    old: Found,
    new: Found,
    /// The second part has another key in the new scene.
    renamed: bool,
    /// The second part is this far from its old place, in tenths. A cube is known to be 10 large at least if
    /// a finding has a point of a face.
    moved: u8,
    /// The second part is in one scene alone: in the old one, or in the new one.
    only_in: Option<Which>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Which {
    Old,
    New,
}

fn found() -> impl Strategy<Value = Found> {
    prop_oneof![
        (1..6_u8).prop_map(Found::Clash),
        Just(Found::ClashOfAnyDepth),
        Just(Found::Contact),
        (1..5_u8).prop_map(Found::Near),
        Just(Found::Undecided),
        Just(Found::UndecidedApart),
        (0..3_u8).prop_map(Found::Open),
        Just(Found::Clear),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let only_in = prop_oneof![8 => Just(None), 1 => Just(Some(Which::Old)), 1 => Just(Some(Which::New))];
    (found(), found(), any::<bool>(), prop_oneof![Just(0), 1..30_u8], only_in).prop_map(
        |(old, new, renamed, moved, only_in)| {
            // What one run lists and the other finds clear must have moved.
            let listed = [old, new].map(|found| found != Found::Clear);
            let moved = if listed[0] == listed[1] { moved } else { moved.max(1) };
            Event { old, new, renamed, moved, only_in }
        },
    )
}

/// Returns the report of one side of some events.
fn report(events: &[Event], which: Which) -> CheckReport {
    let mut parts: Vec<PartRow> = Vec::new();
    let mut ids: Vec<[Option<usize>; 2]> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let is_there = event.only_in.is_none_or(|only| only == which);
        let moved = if which == Which::New { f64::from(event.moved) / 10.0 } else { 0.0 };
        let place = [1e6 * index as f64, 1.0 + moved, 0.0];
        let renamed = event.renamed && which == Which::New;
        let key = if renamed { format!("m/other {index}") } else { format!("m/b {index}") };
        let mut add = |key: String, at: [f64; 3], mesh: &[u8]| {
            let pose_digest = blake3::hash(at.map(f64::to_le_bytes).concat().as_slice());
            let row = part_row(parts.len(), &key, None);
            parts.push(PartRow { mesh_digest: blake3::hash(mesh), pose_digest, at, ..row });
            parts.len() - 1
        };
        let a = add(format!("m/a {index}"), [place[0], 0.0, 0.0], &index.to_le_bytes());
        // All second parts have one mesh: only their places tell them apart.
        let b = is_there.then(|| add(key, place, b"b"));
        ids.push([Some(a), b]);
    }
    let pairs: Vec<PairRow> = events
        .iter()
        .zip(&ids)
        .filter_map(|(event, ids)| {
            let found = if which == Which::Old { event.old } else { event.new };
            row_of(&parts, [ids[0]?, ids[1]?], found)
        })
        .collect();
    let mut report = report_of(parts, pairs);
    report.settings.clearance = 1.0;
    report
}

/// Returns the row of a finding about two parts, with a point of a face of each.
fn row_of(parts: &[PartRow], ids: [usize; 2], found: Found) -> Option<PairRow> {
    let overlap = match found {
        Found::Clash(depth) => f64::from(depth) / 10.0,
        Found::Near(distance) => -f64::from(distance) / 10.0,
        Found::Clear => return None,
        _ => 0.0,
    };
    let faces = ids.map(|id| [parts[id].at[0] + 0.5, parts[id].at[1], 0.0]);
    let row = PairRow { points: Some(Box::new(faces)), ..pair_row(parts, ids, overlap, None) };
    let unknown = |verdict, why: &str| {
        let contained = Some(ContainedRow::Unknown { undecidable: why.to_owned() });
        PairRow { verdict, contained: contained.map(Box::new), points: None, ..row.clone() }
    };
    Some(match found {
        Found::ClashOfAnyDepth => PairRow {
            verdict: Verdict::Clash,
            depth: None,
            depth_unknown: Some("neither part has a solid".into()),
            ..row
        },
        Found::Contact => {
            let depth = Some(DepthRow { at_least: 0.0, at_most: 0.0 });
            PairRow { verdict: Verdict::Contact, depth, ..row }
        }
        Found::Undecided => unknown(Verdict::Undecided, "a is open: 3 edges"),
        Found::UndecidedApart => {
            PairRow { distance: 2.0, ..unknown(Verdict::Undecided, "a is open: 3 edges") }
        }
        Found::Open(why) => unknown(Verdict::Undecided, [BUDGET, SHARD_MISSING, CRASHED][usize::from(why)]),
        Found::Clash(_) | Found::Near(_) | Found::Clear => row,
    })
}

/// A row that a comparison must have: its status, its change, and whether it fails on new and on worse.
type Expected = (Status, Option<Change>, [bool; 2]);

/// Returns the rows that the event must get.
fn expected(event: &Event) -> Vec<Expected> {
    let Event { old, new, renamed, moved, only_in } = *event;
    // A renamed part that has not moved is known by its digests; else a finding must show that it is as large
    // as it is far.
    let shows_size = |found: Found| {
        use Found::{Clear, Open, Undecided, UndecidedApart};
        !matches!(found, Undecided | UndecidedApart | Open(_) | Clear)
    };
    let is_followed = !renamed || moved == 0 || moved <= 10 && (shows_size(old) || shows_size(new));
    let gone = (old != Found::Clear).then_some((Status::PartGone, None, [false; 2]));
    let came = (new != Found::Clear).then(|| match new {
        Found::Open(_) => (Status::NotChecked, None, [true; 2]),
        _ => (Status::New, None, [new != Found::Contact; 2]),
    });
    match only_in {
        Some(Which::Old) => return gone.into_iter().collect(),
        Some(Which::New) => return came.into_iter().collect(),
        None if !is_followed => return gone.into_iter().chain(came).collect(),
        None => {}
    }
    let active = |change: Option<Change>| {
        let fails = matches!(change, Some(Change::Worse | Change::Unknown));
        Some((Status::Active, change, [false, fails]))
    };
    let row = match (old, new) {
        (Found::Clear, Found::Clear) => None,
        (Found::Open(_) | Found::Undecided | Found::UndecidedApart | Found::Clear, Found::Open(_)) => {
            Some((Status::NotChecked, None, [true; 2]))
        }
        (_, Found::Open(_)) => Some((Status::NotChecked, None, [false, true])),
        (Found::Open(_), Found::Clear) => Some((Status::NotChecked, None, [false; 2])),
        (Found::Open(_) | Found::Clear, new) => Some((Status::New, None, [new != Found::Contact; 2])),
        (_, Found::Clear) => Some((Status::Resolved, None, [false; 2])),
        (old, new) if old == new => active(None),
        (Found::Undecided | Found::UndecidedApart, Found::Undecided | Found::UndecidedApart) => active(None),
        (_, Found::Undecided | Found::UndecidedApart) => active(Some(Change::Unknown)),
        (Found::Clash(_), Found::ClashOfAnyDepth) => active(Some(Change::Unknown)),
        (Found::ClashOfAnyDepth, Found::Clash(_)) => active(None),
        (old, new) => active(Some(if badness(new) > badness(old) { Change::Worse } else { Change::Better })),
    };
    row.into_iter().collect()
}

/// Returns how bad a decided finding is.
fn badness(found: Found) -> i32 {
    match found {
        Found::Clash(depth) => 1000 + i32::from(depth),
        Found::ClashOfAnyDepth => 1000,
        Found::Undecided | Found::UndecidedApart => 500,
        Found::Contact => 100,
        Found::Near(distance) => 50 - i32::from(distance),
        Found::Open(_) | Found::Clear => unreachable!("it is not decided"),
    }
}

/// Returns the number of cases: 300, or `CLOSEFIT_CASES`.
fn cases() -> u32 {
    std::env::var("CLOSEFIT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn each_event_gets_its_row(events in prop::collection::vec(event(), 1..12)) {
        let [old, new] = [Which::Old, Which::New].map(|which| report(&events, which));
        let read = |report: &CheckReport| Document::read(&json::document(report)).unwrap();
        let diff = Diff::of(&read(&old), &read(&new), &Review::default()).unwrap();
        let mut rows: Vec<Vec<Expected>> = vec![Vec::new(); events.len()];
        for row in &diff.pairs {
            let index: usize = row.a["m/a ".len()..].parse().unwrap();
            let fails = [FailOnDiff::New, FailOnDiff::Worse].map(|fail_on| row.fails(fail_on));
            rows[index].push((row.status, row.change, fails));
        }
        for (event, mut rows) in events.iter().zip(rows) {
            let mut expected = expected(event);
            rows.sort();
            expected.sort();
            prop_assert_eq!(rows, expected, "{:?}", event);
        }
        let changed = |change| diff.pairs.iter().filter(|row| row.change == Some(change)).count();
        prop_assert_eq!(diff.counts.unknown_now, changed(Change::Unknown));
        prop_assert_eq!(diff.counts.better, changed(Change::Better));
    }
}
