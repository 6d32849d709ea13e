use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::document::{PairKey, PairRow, PartRow};
use crate::json;
use crate::testing::{pair_row, part_row, report_of};

/// Returns a report of parts of a few types and these clashes between them.
fn clashes(types: &[u8], pairs: &[(usize, usize, u8)], order: impl Fn(usize) -> usize) -> CheckReport {
    let n = types.len();
    let mut parts: Vec<PartRow> = (0..n)
        .map(|i| {
            part_row(order(i), &format!("p{i}"), ["Wall", "Pipe", "Slab"].get(types[i] as usize).copied())
        })
        .collect();
    parts.sort_by_key(|part| part.id);
    let different: BTreeSet<(usize, usize)> =
        pairs.iter().map(|&(a, b, _)| (a % n, b % n)).filter(|(a, b)| a < b).collect();
    let rows = different.into_iter().map(|(a, b)| {
        let depth = pairs.iter().find(|p| (p.0 % n, p.1 % n) == (a, b)).map_or(1, |p| p.2);
        let at = (depth % 7 != 6).then_some([f64::from(depth), (a * b) as f64, b as f64]);
        pair_row(&parts, [order(a), order(b)], f64::from(depth) - 4.0, at)
    });
    let rows = rows.collect();
    report_of(parts, rows)
}

fn by_host(extent: Option<f64>) -> Grouping {
    Grouping { settings: GroupSettings { extent, ..GroupSettings::default() }, ..Grouping::default() }
}

/// Returns the parts that are connected to a part by pairs of its report.
fn cluster(report: &CheckReport, start: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::from([start.to_owned()]);
    loop {
        let before = found.len();
        for pair in &report.pairs {
            let keys = pair.sides.parts(&report.parts).map(|part| part.key.to_string());
            if keys.iter().any(|key| found.contains(key)) {
                found.extend(keys);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn scene() -> impl Strategy<Value = (Vec<u8>, Vec<(usize, usize, u8)>)> {
    (2..14_usize).prop_flat_map(|n| {
        let types = prop::collection::vec(0..4_u8, n);
        (types, prop::collection::vec((0..n, 0..n, 1..20_u8), 0..40))
    })
}

proptest! {
    #[test]
    fn every_pair_is_in_one_group((types, pairs) in scene(), extent in 0.0..40.0) {
        let report = clashes(&types, &pairs, |i| i);
        for by in [GroupBy::Host, GroupBy::Type] {
            let settings = GroupSettings { by, extent: Some(extent) };
            let grouping = Grouping { settings, ..Grouping::default() };
            let groups = groups(&report, &grouping);
            let members = || groups.iter().flat_map(|group| &group.pairs);
            prop_assert_eq!(members().count(), report.pairs.len());
            prop_assert_eq!(members().collect::<BTreeSet<_>>().len(), report.pairs.len());
            let keys: BTreeSet<_> = groups.iter().map(|group| &group.key).collect();
            prop_assert_eq!(keys.len(), groups.len());
        }
    }

    #[test]
    fn the_order_of_parts_changes_nothing((types, pairs) in scene(), extent in 0.0..40.0) {
        let n = types.len();
        let grouping = by_host(Some(extent));
        let text = |report: &CheckReport| json::document(&groups(report, &grouping));
        let expected = text(&clashes(&types, &pairs, |i| i));
        prop_assert_eq!(&text(&clashes(&types, &pairs, |i| n - 1 - i)), &expected);
        prop_assert_eq!(&text(&clashes(&types, &pairs, |i| (i + 1) % n)), &expected);
    }

    #[test]
    fn a_part_that_goes_leaves_the_groups_it_has_nothing_to_do_with((types, pairs) in scene(), gone: prop::sample::Index) {
        let whole = clashes(&types, &pairs, |i| i);
        let gone = gone.index(types.len());
        let near = cluster(&whole, &format!("p{gone}"));
        let of = |report: &CheckReport| -> BTreeSet<String> {
            let far = |key: &PairKey| {
                let pair = report.pairs.iter().find(|pair| pair.sides.key == *key).unwrap();
                !pair.sides.parts(&report.parts).iter().any(|part| near.contains(&part.key[..]))
            };
            let groups = groups(report, &by_host(Some(10.0))).into_iter();
            groups.filter(|group| group.pairs.iter().any(&far)).map(|group| group.key).collect()
        };
        let pairs: Vec<_> = pairs.into_iter().filter(|p| p.0 != gone && p.1 != gone).collect();
        prop_assert_eq!(of(&whole), of(&clashes(&types, &pairs, |i| i)));
    }
}

#[test]
fn a_host_takes_all_its_pairs_and_another_clash_keeps_the_key() {
    let types = [0, 1, 1, 1, 1];
    let star = [(0, 1, 9), (0, 2, 8), (0, 3, 10)];
    let one = groups(&clashes(&types, &star, |i| i), &by_host(None));
    assert_eq!(one.len(), 1);
    assert_eq!((&one[0].title[..], one[0].pairs.len()), ("p0 x 3 Pipe", 3));
    let two = groups(&clashes(&types, &[&star[..], &[(0, 4, 11)]].concat(), |i| i), &by_host(None));
    assert_eq!((&two[0].key, two[0].pairs.len()), (&one[0].key, 4));
    // The worst pair comes first, and the group is where it is.
    assert_eq!(one[0].at, Some([10.0, 0.0, 3.0]));
    assert_eq!(one[0].bounds, Some([[8.0, 0.0, 1.0], [10.0, 0.0, 3.0]]));
}

#[test]
fn long_groups_are_cut_at_the_widest_gap() {
    let parts: Vec<PartRow> = (0..8).map(|i| part_row(i, &format!("p{i}"), None)).collect();
    let along = [0.0, 1.0, 2.0, 9.0, 10.0, 11.0, 11.5];
    let rows: Vec<PairRow> =
        (1..8).map(|i| pair_row(&parts, [0, i], 1.0, Some([along[i - 1], 0.0, 0.0]))).collect();
    let report = report_of(parts, rows);
    let lengths = |extent| {
        let mut lengths: Vec<usize> =
            groups(&report, &by_host(extent)).iter().map(|g| g.pairs.len()).collect();
        lengths.sort_unstable();
        lengths
    };
    assert_eq!(lengths(None), [7]);
    assert_eq!(lengths(Some(5.0)), [3, 4]);
    assert_eq!(lengths(Some(1.5)), [1, 2, 2, 2]);
    assert_eq!(lengths(Some(0.0)), [1; 7]);
}

#[test]
fn undecided_pairs_belong_to_the_open_shell() {
    let kinds = [Some("Wall"), Some("Sky"), Some("Pipe"), None];
    let parts: Vec<PartRow> =
        kinds.iter().enumerate().map(|(i, kind)| part_row(i, &format!("p{i}"), *kind)).collect();
    let undecided = |ids: [usize; 2], why: &str| PairRow {
        verdict: Verdict::Undecided,
        depth_unknown: Some(why.into()),
        ..pair_row(&parts, ids, 1.0, Some([100.0 * ids[0] as f64, 0.0, 0.0]))
    };
    let enclosing = |ids: [usize; 2], side: &str| PairRow {
        contained: Some(Box::new(crate::document::ContainedRow::Unknown {
            undecidable: format!("a shell of {side} that encloses it is not closed: 26 edges"),
        })),
        depth_unknown: None,
        ..undecided(ids, "")
    };
    let rows = vec![
        enclosing([0, 1], "b"),
        enclosing([1, 2], "a"),
        undecided([1, 3], "a is open: 26 edges"),
        undecided([0, 2], "search ended early"),
    ];
    let report = report_of(parts, rows);
    let groups = groups(&report, &by_host(Some(1.0)));
    let titles: Vec<(&str, usize)> = groups.iter().map(|g| (&g.title[..], g.pairs.len())).collect();
    assert_eq!(titles, [("p1 x 3 others", 3), ("p0 x p2", 1)]);
}

#[test]
fn the_users_groups_win() {
    let report = clashes(&[0, 1, 1, 1], &[(0, 1, 9), (0, 2, 8), (0, 3, 10)], |i| i);
    let key = &report.pairs[1].sides.key;
    let named = NamedGroups::read(format!("{{\"stairs\": [\"{key}\", \"{}\"]}}", "0".repeat(20)).as_bytes());
    let grouping = Grouping { named: named.unwrap(), ..by_host(None) };
    assert_eq!(grouping.named.unused(&report), 1);
    let found = groups(&report, &grouping);
    let sizes: Vec<(&str, usize)> = found.iter().map(|g| (&g.title[..], g.pairs.len())).collect();
    assert_eq!(sizes, [("p0 x 2 Pipe", 2), ("stairs", 1)]);
}

#[test]
fn each_of_100_000_clashes_is_in_one_group() {
    let parts: Vec<PartRow> = (0..20_000)
        .map(|i| part_row(i, &format!("p{i}"), ["Wall", "Pipe", "Slab"].get(i % 4).copied()))
        .collect();
    let rows = (0..100_000_usize).map(|k| {
        let (a, b) = (k % 97 * (k % 3 + 1), 300 + (k * 7919) % 19_700);
        let at = [(k % 317) as f64, (k / 317) as f64, (k % 11) as f64];
        pair_row(&parts, [a, b], 0.5 + (k % 13) as f64, Some(at))
    });
    let mut rows: Vec<PairRow> = rows.collect();
    rows.sort_by_key(|pair| pair.sides.ids);
    rows.dedup_by_key(|pair| pair.sides.ids);
    let report = report_of(parts, rows);
    let mut all: Vec<PairKey> = report.pairs.iter().map(|pair| pair.sides.key.clone()).collect();
    all.sort_unstable();
    for extent in [None, Some(5.0)] {
        let mut grouped: Vec<PairKey> =
            groups(&report, &by_host(extent)).into_iter().flat_map(|group| group.pairs).collect();
        grouped.sort_unstable();
        assert!(grouped == all, "{extent:?}: {} of {}", grouped.len(), all.len());
    }
}
