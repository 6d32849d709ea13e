//! Tests with an engine of their own: parts are unit cubes along a line, which overlap by one less their
//! distance.

use proptest::prelude::*;

use super::*;
use crate::document::{DepthRow, PairRow, PartOfPair, PartRow, RuleRow, RulesRow, WhereRow};
use crate::json;
use crate::testing::{pair_row, part_row, report_of};

/// A cube: its key, its shape, and where it is.
type Cube = (String, u8, f64);

const CLEARANCE: f64 = 0.5;

/// Returns the report of a check of cubes.
fn check(cubes: &[Cube], clearance: f64) -> CheckReport {
    let parts: Vec<PartRow> = cubes
        .iter()
        .enumerate()
        .map(|(id, (key, shape, x))| PartRow {
            mesh_digest: blake3::hash(&[*shape]),
            pose_digest: blake3::hash(&x.to_le_bytes()),
            at: [*x, 0.0, 0.0],
            ..part_row(id, key, None)
        })
        .collect();
    let mut pairs: Vec<PairRow> = Vec::new();
    for a in 0..cubes.len() {
        for b in a + 1..cubes.len() {
            let overlap = 1.0 - (cubes[a].2 - cubes[b].2).abs();
            if overlap >= -clearance {
                let middle = [(cubes[a].2 + cubes[b].2) / 2.0, 0.0, 0.0];
                let pair = pair_row(&parts, [a, b], overlap, Some(middle));
                pairs.push(with_surfaces(pair, [cubes[a].2, cubes[b].2]));
            }
        }
    }
    let mut report = report_of(parts, pairs);
    report.settings.clearance = clearance;
    report
}

/// Returns the pair of two cubes at these places with points of their faces.
fn with_surfaces(pair: PairRow, [a, b]: [f64; 2]) -> PairRow {
    let face = |from: f64, to: f64| [from + if from < to { 0.5 } else { -0.5 }, 0.0, 0.0];
    let faces = [face(a, b), face(b, a)];
    let location = |on, to| Some(WhereRow { point: faces[0], bounds: [faces[0]; 2], on, to });
    match pair.overlap() {
        Some([_, most]) if most < 0.0 => PairRow { points: Some(Box::new(faces)), ..pair },
        Some(_) => PairRow { location: location(Some(PartOfPair::A), Some(Box::new(faces[1]))), ..pair },
        None => PairRow { verdict: Verdict::Contact, contacts: 1, location: location(None, None), ..pair },
    }
}

fn row(n: usize) -> Vec<Cube> {
    (0..n).map(|i| (format!("m/cube {i}"), u8::try_from(i % 3).unwrap(), i as f64 * 0.75)).collect()
}

fn diff(old: &CheckReport, new: &CheckReport) -> Diff {
    diff_with(old, new, "{\"closefit-review\": 1, \"statuses\": {}}").unwrap()
}

fn diff_with(old: &CheckReport, new: &CheckReport, review: &str) -> Result<Diff, DiffError> {
    let [old, new] = [old, new].map(|report| Document::read(&json::document(report)).unwrap());
    Diff::of(&old, &new, &Review::read(review.as_bytes()).unwrap())
}

fn of_cubes(old: &[Cube], new: &[Cube]) -> Diff {
    diff(&check(old, CLEARANCE), &check(new, CLEARANCE))
}

/// Returns the numbers of new, worse, better, resolved, gone, not checked and settings.
fn numbers(diff: &Diff) -> [usize; 7] {
    let c = diff.counts;
    [c.new, c.worse, c.better, c.resolved, c.part_gone, c.not_checked, c.settings_changed]
}

#[test]
fn the_same_twice_has_no_changes() {
    let diff = of_cubes(&row(6), &row(6));
    assert_eq!((numbers(&diff), diff.counts.active), ([0; 7], 9));
    assert_eq!(diff.failing(FailOnDiff::Any).count(), 0);
}

#[test]
fn a_part_that_moves_in_and_out_and_in_again() {
    let out = [&row(3)[..], &[("m/far".into(), 7, 50.0)]].concat();
    let within = [&row(3)[..], &[("m/far".into(), 7, 1.6)]].concat();
    let there = of_cubes(&out, &within);
    assert_eq!(numbers(&there), [2, 0, 0, 0, 0, 0, 0]);
    assert!(there.pairs[0].why.starts_with("looked at before: b moved"), "{:?}", there.pairs[0]);
    assert_eq!([FailOnDiff::New, FailOnDiff::Worse].map(|on| there.failing(on).count()), [2, 2]);
    let back = of_cubes(&within, &out);
    assert_eq!(numbers(&back), [0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(back.pairs.iter().filter(|p| p.status == Status::Resolved && p.why == "b moved").count(), 2);
    let deeper = [&row(3)[..], &[("m/far".into(), 7, 1.55)]].concat();
    assert_eq!(numbers(&of_cubes(&within, &deeper)), [0, 2, 0, 0, 0, 0, 0]);
}

#[test]
fn what_is_not_there_is_not_resolved() {
    let mut without = row(5);
    without.remove(2);
    let deleted = of_cubes(&row(5), &without);
    assert_eq!(numbers(&deleted), [0, 0, 0, 0, 4, 0, 0]);
    assert_eq!(deleted.gone, ["m/cube 2"]);
    assert!(deleted.pairs.iter().any(|pair| pair.why == "a is gone: m/cube 2"));
    let added = of_cubes(&without, &row(5));
    assert_eq!(numbers(&added), [4, 0, 0, 0, 0, 0, 0]);
    // A model left out.
    let two_models =
        [&row(4)[..], &row(4).iter().map(|c| (c.0.replace('m', "n"), 9, c.2)).collect::<Vec<_>>()];
    let left_out = of_cubes(&two_models.concat(), two_models[0]);
    assert_eq!((left_out.counts.resolved, left_out.counts.new, left_out.counts.active), (0, 0, 5));
    assert!(left_out.counts.part_gone > 10);
}

#[test]
fn renamed_parts_are_followed() {
    let renamed = |n: usize, by: f64| -> Vec<Cube> {
        let cubes = row(6).into_iter().enumerate();
        cubes
            .map(|(i, (key, s, x))| if i < n { (format!("m/{}", 57 - i), s, x + by) } else { (key, s, x) })
            .collect()
    };
    let one = of_cubes(&row(6), &renamed(1, 0.0));
    assert_eq!((numbers(&one), one.renamed.len()), ([0; 7], 1));
    assert_eq!((&one.renamed[0].new[..], one.renamed[0].by), ("m/57", RecognisedBy::Digests));
    assert!(one.pairs.iter().any(|pair| pair.old_key.is_some()));
    // A round trip through STEP renames all.
    let all = of_cubes(&row(6), &renamed(6, 0.0));
    assert_eq!((numbers(&all), all.counts.active, all.renamed.len()), ([0; 7], 9, 6));
    // Renamed and moved a little, one deleted: the nearest of the same shape.
    let mut moved = renamed(6, 0.001);
    moved.remove(0);
    let moved = of_cubes(&row(6), &moved);
    assert_eq!((moved.gone.clone(), moved.renamed.len()), (vec!["m/cube 0".to_owned()], 5));
    assert_eq!((moved.counts.new, moved.counts.resolved), (0, 0));
    // As far away as no cube is large: another cube.
    let far = |by: f64| {
        let two = |key: &str, x: f64| vec![(key.to_owned(), 1, x), ("m/plate".to_owned(), 2, x + 0.75)];
        let mut plates = two("m/1", by);
        plates[1].2 = 0.75;
        of_cubes(&two("m/0", 0.0), &plates)
    };
    assert_eq!((numbers(&far(0.5)), far(0.5).renamed.len()), ([0, 1, 0, 0, 0, 0, 0], 1));
    let other = far(1.5);
    assert_eq!((numbers(&other), other.renamed.len()), ([1, 0, 0, 0, 1, 0, 0], 0), "{other:?}");
}

#[test]
fn copies_that_share_a_key_are_told_apart_by_place() {
    let bolts = |xs: &[f64]| -> Vec<Cube> {
        let key = |i: usize| if i == 0 { "m/bolt".to_owned() } else { format!("m/bolt~{}", i + 1) };
        xs.iter().enumerate().map(|(i, &x)| (key(i), 1, x)).chain([("m/plate".into(), 2, 10.5)]).collect()
    };
    let diff = of_cubes(&bolts(&[0.0, 10.0, 20.0]), &bolts(&[10.01, 20.0]));
    assert_eq!((numbers(&diff), diff.counts.active), ([0, 1, 0, 0, 0, 0, 0], 1));
    assert_eq!((diff.gone.len(), diff.renamed.len()), (1, 0));
}

#[test]
fn settings_explain_what_they_can() {
    let cubes = row(5);
    let [wide, narrow] = [0.6, 0.0].map(|clearance| check(&cubes, clearance));
    let fewer = diff(&wide, &narrow);
    assert_eq!(numbers(&fewer), [0, 0, 0, 0, 0, 0, 3]);
    assert_eq!(fewer.pairs.last().unwrap().why, "clearance changed: 0 mm, was 0.6 mm");
    assert_eq!(numbers(&diff(&narrow, &wide)), [0, 0, 0, 0, 0, 0, 3]);
    // A larger tolerance makes the same overlap a contact.
    let mut tolerant = check(&cubes, 0.6);
    tolerant.settings.tolerance = 0.3;
    for pair in tolerant.pairs.iter_mut().filter(|pair| pair.verdict == Verdict::Clash) {
        pair.verdict = Verdict::Contact;
    }
    let milder = diff(&wide, &tolerant);
    assert_eq!((numbers(&milder), milder.counts.active), ([0; 7], 7));
    assert!(milder.pairs.iter().any(|pair| pair.why == "tolerance changed: 0.3 mm, was 0.001 mm"));
    // A smaller one makes it a clash, which nobody has seen before.
    let stricter = diff(&tolerant, &wide);
    let worse: Vec<_> = stricter.pairs.iter().filter(|pair| pair.change == Some(Change::Worse)).collect();
    assert_eq!(worse.len(), wide.pairs.iter().filter(|pair| pair.verdict == Verdict::Clash).count());
    assert!(worse.iter().all(|pair| pair.why == "tolerance changed: 0.001 mm, was 0.3 mm"));
    // They explain no clash of a part that has moved, however little is known of the contact before.
    let (mut contacts, mut moved) = (check(&row(2), 0.6), cubes);
    contacts.pairs[0] = PairRow { verdict: Verdict::Contact, depth: None, ..contacts.pairs[0].clone() };
    moved.truncate(2);
    moved[1].2 = 0.5;
    let worse = diff(&contacts, &check(&moved, 0.5));
    assert_eq!((numbers(&worse), &worse.pairs[0].why[..]), ([0, 1, 0, 0, 0, 0, 0], "b moved"));
}

#[test]
fn contacts_within_the_tolerance_are_the_same() {
    let touching = |overlap: f64| {
        let mut report = check(&[row(1)[0].clone(), ("m/cube 1".to_owned(), 1, 1.0 - overlap)], CLEARANCE);
        let depth = (overlap == 0.0).then_some(DepthRow { at_least: 0.0, at_most: 0.0 });
        report.pairs.iter_mut().for_each(|pair| {
            (pair.verdict, pair.depth, pair.contacts) = (Verdict::Contact, depth, depth.is_some().into());
        });
        report
    };
    // A millionth apart, and not: the tolerance is a thousandth.
    for [old, new] in [[0.0, -1e-6], [-1e-6, 0.0], [-1e-6, -2e-6]] {
        let diff = diff(&touching(old), &touching(new));
        assert_eq!((numbers(&diff), diff.counts.active), ([0; 7], 1), "{old} {new}");
    }
}

#[test]
fn what_was_not_asked_for_depths_and_has_moved_is_unknown() {
    let [old, moved] = [row(2), vec![row(1)[0].clone(), ("m/cube 1".to_owned(), 1, 0.5)]];
    let met = |cubes: &[Cube]| {
        let mut report = check(cubes, CLEARANCE);
        report.pairs.iter_mut().for_each(|pair| (pair.verdict, pair.depth) = (Verdict::Meets, None));
        report
    };
    let changes = |new: &CheckReport| diff(&check(&old, CLEARANCE), new).pairs[0].change;
    assert_eq!(changes(&met(&old)), None, "the same pair, and no better known");
    assert_eq!(changes(&met(&moved)), Some(Change::Unknown));
}

#[test]
fn pairs_are_in_reach_as_far_as_their_chords_are() {
    let curved = |x: f64| {
        let mut report = check(&[row(1)[0].clone(), ("m/cube 1".to_owned(), 1, x)], CLEARANCE + 1.0);
        report.settings.clearance = CLEARANCE;
        report.parts[1].chord = 1.0;
        report
    };
    let mut old = curved(1.25);
    old.pairs.clear();
    let status = |new: &CheckReport| diff(&old, new).pairs[0].status;
    assert_eq!(status(&curved(2.25)), Status::New, "it has moved there");
}

#[test]
fn a_pair_that_may_be_excluded_is_not_resolved() {
    let (old, mut new) = (
        check(&row(3), CLEARANCE),
        check(&[&row(2)[..], &[(row(3)[2].0.clone(), 2, 9.0)]].concat(), CLEARANCE),
    );
    new.ledger.excluded.insert("adjacent links".into(), 1);
    new.ledger.apart -= 1;
    let diff = diff(&old, &new);
    assert_eq!(numbers(&diff), [0, 0, 0, 0, 0, 2, 0]);
    assert_eq!(diff.pairs.last().unwrap().why, "perhaps excluded now: adjacent links");
}

#[test]
fn exclusions_go_by_pair_and_not_by_number() {
    let moved = [&row(2)[..], &[(row(3)[2].0.clone(), 2, 9.0)]].concat();
    let excluding = |cubes: &[Cube], by: &str| {
        let mut report = check(cubes, CLEARANCE);
        report.ledger.excluded.insert("x".into(), 1);
        report.ledger.excluded_by = Some(by.to_owned());
        report.ledger.apart = report.ledger.apart.saturating_sub(1);
        report.ledger.pairs = report.ledger.apart + report.ledger.decided + 1;
        report
    };
    let statuses = |old: &CheckReport, new: &CheckReport| -> Vec<(Status, String)> {
        let changed = diff(old, new).pairs.into_iter().filter(|row| row.status != Status::Active);
        changed.map(|row| (row.status, row.why)).collect()
    };
    let [together, apart] = [row(3), moved].map(|cubes| excluding(&cubes, "same"));
    let all = |status, why: &str| vec![(status, why.to_owned()); 2];
    let of_moved = |report: &CheckReport| statuses(report, &apart)[0].1.clone();
    assert_eq!(statuses(&together, &apart), all(Status::Resolved, &of_moved(&together)));
    assert!(
        statuses(&apart, &together)
            .iter()
            .all(|(status, why)| { *status == Status::New && why.starts_with("looked at before: ") })
    );
    // The same number for the same reason, by another text.
    let other = excluding(&[&row(2)[..], &[(row(3)[2].0.clone(), 2, 9.0)]].concat(), "other");
    assert_eq!(statuses(&together, &other), all(Status::NotChecked, "perhaps excluded now: x"));
    let new = statuses(&other, &together);
    assert!(
        new.iter().all(|(status, why)| {
            *status == Status::New && why.ends_with("perhaps not looked at before: x")
        })
    );
    assert_eq!(new.len(), 2);
    // The same text, and a tag that it may select.
    let mut tagged = apart.clone();
    tagged.parts[2].tags = vec!["t".to_owned()].into();
    assert_eq!(statuses(&together, &tagged), all(Status::NotChecked, "perhaps excluded now: x"));
    // A report of an older version does not say what excludes.
    let mut older = together.clone();
    older.ledger.excluded_by = None;
    assert_eq!(statuses(&older, &apart), all(Status::NotChecked, "perhaps excluded now: x"));
}

/// Returns a report whose pairs are all of one rule.
fn ruled(mut report: CheckReport, id: &str, clearance: f64) -> CheckReport {
    let rule = RuleRow {
        id: id.into(),
        parts_a: report.parts.len() as u64,
        parts_b: report.parts.len() as u64,
        clearance,
        tolerance: report.settings.tolerance,
        volume_at_most: None,
        severity: None,
        pairs: report.ledger.pairs,
        by_verdict: Default::default(),
    };
    report.rules = Some(RulesRow::new(format!("{id} {clearance}").as_bytes(), vec![rule], Vec::new()));
    report.pairs.iter_mut().for_each(|pair| pair.rule.rule = Some(id.into()));
    report
}

#[test]
fn a_changed_rule_is_said_and_resolves_nothing() {
    let (old, moved) = (row(3), [&row(2)[..], &[(row(3)[2].0.clone(), 2, 9.0)]].concat());
    let before = ruled(check(&old, CLEARANCE), "E-A", CLEARANCE);
    let same = diff(&before, &ruled(check(&old, CLEARANCE), "MEP", CLEARANCE));
    assert_eq!((numbers(&same), same.counts.active), ([0; 7], before.pairs.len()));
    assert!(same.pairs.iter().all(|pair| pair.why == "rule changed E-A -> MEP"));
    // The part is out of the way: resolved, unless the rule of the new run may not have seen it there.
    let gone = diff(&before, &ruled(check(&moved, CLEARANCE), "E-A", CLEARANCE));
    assert_eq!(numbers(&gone)[3], 2, "{:?}", gone.pairs);
    let narrower = diff(&before, &ruled(check(&moved, CLEARANCE), "E-A", 0.0));
    assert_eq!(numbers(&narrower), [0, 0, 0, 0, 0, 0, 2]);
    assert_eq!(narrower.pairs.last().unwrap().why, "rules changed");
    let wider = diff(&before, &ruled(check(&moved, CLEARANCE), "MEP", 2.0 * CLEARANCE));
    assert_eq!(numbers(&wider)[3], 2, "{:?}", wider.pairs);
    // A pair of a zone has no rule: it may have been checked with the clearance of the run, which is less.
    let mut zones = ruled(check(&moved, CLEARANCE), "MEP", 2.0 * CLEARANCE);
    zones.settings.clearance = 0.0;
    assert_eq!(numbers(&diff(&before, &zones)), [0, 0, 0, 0, 0, 0, 2]);
}

#[test]
fn reports_that_contradict_each_other_are_refused() {
    let whole = check(&row(3), CLEARANCE);
    let mut less = whole.clone();
    let gone = less.pairs.remove(0);
    (less.ledger.apart, less.ledger.decided) = (less.ledger.apart + 1, less.ledger.decided - 1);
    let key = gone.sides.key;
    let review = "{\"closefit-review\": 1, \"statuses\": {}}";
    let expected = |which| Err(DiffError::Unexplained { key: key.to_string(), which });
    assert_eq!(diff_with(&whole, &less, review), expected("old"));
    assert_eq!(diff_with(&less, &whole, review), expected("new"));
    let mut other = whole.clone();
    other.scene.unit = None;
    let units = diff_with(&whole, &other, review).unwrap_err().to_string();
    assert_eq!(units, "the unit is mm in one and none in the other");
}

#[test]
fn a_review_stays_with_its_pair() {
    let old = check(&row(3), CLEARANCE);
    let new = check(&[&row(3)[..], &[("m/new".into(), 7, 1.6)]].concat(), CLEARANCE);
    let key = |report: &CheckReport, ids: [u32; 2]| {
        report.pairs.iter().find(|pair| pair.sides.ids == ids).unwrap().sides.key.clone()
    };
    let review = format!(
        "{{\"closefit-review\": 1, \"statuses\": {{\"{}\": {{\"status\": \"approved\", \"comment\": \"RFI 88\"}}, \
         \"{}\": {{\"status\": \"resolved\"}}, \"{}\": {{\"status\": \"open\"}}}}}}",
        key(&new, [2, 3]),
        key(&old, [0, 1]),
        "0".repeat(20),
    );
    let diff = diff_with(&old, &new, &review).unwrap();
    assert_eq!((diff.counts.new, diff.counts.reopened, diff.unused_reviews), (3, 1, 1));
    assert_eq!(diff.failing(FailOnDiff::New).count(), 2, "the approved one passes");
    let reopened = diff.pairs.iter().find(|pair| pair.reopened).unwrap();
    assert_eq!((&reopened.why[..], reopened.status), ("called resolved, and found again", Status::New));
    let approved = diff.pairs.iter().find(|pair| pair.is_approved()).unwrap();
    assert_eq!(approved.review.as_ref().unwrap().comment.as_deref(), Some("RFI 88"));
}

#[test]
fn a_review_of_a_group_is_of_its_pairs() {
    let report = check(&row(3), CLEARANCE).with_groups(&crate::groups::Grouping::default());
    let key = &report.groups[0].key;
    let review =
        format!("{{\"closefit-review\": 1, \"statuses\": {{\"{key}\": {{\"status\": \"approved\"}}}}}}");
    let diff = diff_with(&report, &report, &review).unwrap();
    assert_eq!(diff.pairs.iter().filter(|pair| pair.is_approved()).count(), report.groups[0].pairs.len());
    assert_eq!(diff.unused_reviews, 0);
}

fn cubes() -> impl Strategy<Value = Vec<Cube>> {
    prop::collection::btree_map(0..8_usize, (0..3_u8, 0..24_i8), 0..8).prop_map(|cubes| {
        let cube = |(key, (shape, x)): (usize, (u8, i8))| (format!("m/{key}"), shape, f64::from(x) / 4.0);
        cubes.into_iter().map(cube).collect()
    })
}

proptest! {
    #[test]
    fn there_and_back_are_opposites(old in cubes(), new in cubes()) {
        let (there, back) = (of_cubes(&old, &new), of_cubes(&new, &old));
        let [n, w, b, r, g, c, s] = numbers(&there);
        // What appears disappears again: resolved, or gone with a part.
        let [back_n, back_w, back_b, back_r, back_g, back_c, back_s] = numbers(&back);
        prop_assert_eq!((n, back_n), (back_r + back_g, r + g));
        prop_assert_eq!((w, b, c, s), (back_b, back_w, back_c, back_s));
        prop_assert_eq!(there.counts.active, back.counts.active);
        prop_assert_eq!(&there.gone, &back.added);
        // Each pair of each report is in one row.
        let [old, new] = [&old, &new].map(|cubes| check(cubes, CLEARANCE).pairs.len());
        prop_assert_eq!(there.pairs.iter().filter(|row| row.old.is_some()).count(), old);
        prop_assert_eq!(there.pairs.iter().filter(|row| row.new.is_some()).count(), new);
    }

    #[test]
    fn the_order_of_files_changes_nothing(old in cubes(), new in cubes()) {
        // Of parts that are alike and equally near, the first of the scene is taken: so here none are alike.
        let unlike = |cubes: Vec<Cube>| -> Vec<Cube> {
            cubes.into_iter().map(|(key, _, x)| { let shape = key.as_bytes()[2]; (key, shape, x) }).collect()
        };
        let (old, new) = (unlike(old), unlike(new));
        let swapped: Vec<Cube> = new.iter().rev().cloned().collect();
        prop_assert_eq!(numbers(&of_cubes(&old, &new)), numbers(&of_cubes(&old, &swapped)));
        prop_assert_eq!(numbers(&of_cubes(&new, &swapped)), [0; 7]);
    }

    #[test]
    fn damaged_files_are_refused_or_read(at: prop::sample::Index, byte: u8, length in 0..40_usize, of_review: bool) {
        let report = json::document(&check(&row(4), CLEARANCE));
        let key = &check(&row(4), CLEARANCE).pairs[0].sides.key;
        let review = format!("{{\"closefit-review\": 1, \"statuses\": {{\"{key}\": {{\"status\": \"open\"}}}}}}");
        let mut damaged = if of_review { review.clone().into_bytes() } else { report.clone() };
        let at = at.index(damaged.len());
        let end = (at + length).min(damaged.len());
        damaged.splice(at..end, [byte]);
        let (report, damaged_report) = (Document::read(&report).unwrap(), Document::read(&damaged));
        let review = Review::read(if of_review { &damaged } else { review.as_bytes() });
        match (damaged_report, review) {
            (Ok(old), Ok(review)) => drop(Diff::of(&old, &report, &review)),
            (Err(error), _) if !of_review => prop_assert!(!error.to_string().contains('\n')),
            (_, Err(error)) => prop_assert!(!error.to_string().contains('\n')),
            _ => {}
        }
    }
}
