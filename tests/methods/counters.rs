//! The counters of work tell the methods apart: no two kinds of trees, broad phases or filters by hulls count
//! alike, and each counts its own units where it must, and only there.

use std::sync::Arc;

use closefit::{Assembly, Between, BroadPhase, DVec3, HullFilter, Motion, Pose, Strategy, TreeKind, Work};
use closefit_testing::meshes::{Soup, ball, mesh};
use closefit_testing::methods::Case;
use closefit_testing::motions::{STRAIGHT, key, torus};
use closefit_testing::over_time::{Pair, Path};

fn ring() -> Soup {
    torus(24, 12, 0.25)
}

/// A ring and another one, through which it goes or which is next to it.
fn rings(rotation: [f64; 4], x: f64) -> Case {
    let mesh = mesh(&ring());
    let pose = Pose::from_trs(rotation, [1.0; 3], [x, 0.1, 0.05]).expect("a rotation");
    Case { meshes: [mesh.clone(), mesh], poses: [Pose::IDENTITY, pose] }
}

const TURNED: [f64; 4] = [0.6, 0.2, -0.3, 0.7];

/// Returns the work of every kind of tree for contacts, distance and a sweep, each on a scene of its own.
fn costs(rotation: [f64; 4]) -> Vec<(Strategy, [Work; 3])> {
    let [linked, apart] = [0.4, 2.9].map(|x| rings(rotation, x));
    let work = |strategy: Strategy| {
        let (found, [(_, to_contacts), _]) = linked.found_by(strategy);
        assert!(!found.contacts.is_empty());
        let (found, [_, (_, to_nearest)]) = apart.found_by(strategy);
        assert!(found.nearest.is_some());
        [to_contacts, to_nearest, motion(rotation).answer(strategy).expect("a precision that f64 can tell").1]
    };
    closefit_methods::strategies().map(|strategy| (strategy, work(strategy))).collect()
}

/// A ring that passes another one and turns meanwhile.
fn motion(rotation: [f64; 4]) -> Pair {
    let keys = vec![key(0.0, STRAIGHT, DVec3::X * 4.0), key(1.0, rotation, DVec3::new(2.4, 0.5, 1.5))];
    Pair {
        joints: vec![(None, Path::Keys(keys, Between::Linear))],
        soups: [ring(), ring()],
        on: [None, Some(0)],
        range: [0.0, 1.0],
        precision: 1e-2,
    }
}

/// Checks that a list has no two equal entries.
fn assert_different<N: std::fmt::Display, W: PartialEq + std::fmt::Debug>(what: &str, works: &[(N, W)]) {
    for (i, (name, work)) in works.iter().enumerate() {
        for (other, same) in &works[..i] {
            assert!(work != same, "{what}: {name} and {other} both count {work:?}");
        }
    }
}

#[test]
fn no_two_kinds_of_trees_count_alike() {
    let costs = costs(TURNED);
    for (i, what) in ["contacts", "distance", "sweep"].into_iter().enumerate() {
        let best: Vec<(TreeKind, Work)> = costs
            .iter()
            .filter(|(strategy, _)| strategy.executor() == strategy.tree().executors()[0])
            .map(|(strategy, cost)| (strategy.tree(), cost[i]))
            .collect();
        assert_eq!(best.len(), closefit_methods::ALL.len());
        for (kind, work) in &best {
            println!("{what:<8} {kind:<14} {work:?}");
            assert!(work.box_tests > 0 && work.triangle_tests > 0, "{what}: {kind} counts {work:?}");
            assert!(work.exact_tests <= work.triangle_tests);
        }
        assert_different(what, &best);
        // What a kind counts does not depend on its executor: scalar kernels are the twins of those in lanes.
        for (strategy, cost) in &costs {
            let (_, expected) = best.iter().find(|(kind, _)| *kind == strategy.tree()).expect("one of all");
            assert_eq!(cost[i], *expected, "{what}: {strategy}");
        }
    }
}

/// Octrees alone sort lists. They and polytopes are updated, if axes do not turn into axes. `box` and
/// `simple` test edges against triangles, all exactly.
#[test]
fn each_kind_of_tree_counts_its_own_units() {
    use closefit_methods::{BOX, KDOP6, KDOP14, KDOP18, KDOP26, OCTREE, OCTREE_MEDIAN, SIMPLE};
    // The last one takes each axis to the next, exactly.
    for (rotation, is_turned) in [(TURNED, true), (STRAIGHT, false), ([0.5; 4], false)] {
        for (strategy, [to_contacts, to_nearest, _]) in costs(rotation) {
            let kind = strategy.tree();
            let is_octree = [OCTREE, OCTREE_MEDIAN].contains(&kind);
            let is_updated = is_turned && (is_octree || [KDOP6, KDOP14, KDOP18, KDOP26].contains(&kind));
            let at = format!("{strategy}, turned {rotation:?}: {to_contacts:?} {to_nearest:?}");
            assert_eq!([to_contacts.updates > 0, to_nearest.updates > 0], [is_updated; 2], "{at}");
            assert_eq!(to_contacts.exchanges.iter().sum::<u64>() > 0, is_octree, "{at}");
            assert_eq!(to_contacts.overlaps > 0, is_octree, "{at}");
            let all_exact = to_contacts.exact_tests == to_contacts.triangle_tests;
            assert_eq!(all_exact, [BOX, SIMPLE].contains(&kind), "{at}");
        }
    }
}

/// Rings and balls in a row, in which each meets its neighbours, and balls next to them whose boxes are
/// near.
fn row() -> Assembly {
    let bodies = [ring(), ball(DVec3::ZERO, 0.6, 2)].map(|soup| Arc::new(mesh(&soup)));
    let mut assembly = Assembly::default();
    for i in 0..20 {
        let at = DVec3::X * (1.6 * f64::from(i));
        for (part, body, at) in
            [("a", &bodies[i as usize % 2], at), ("b", &bodies[1], at + DVec3::splat(1.05))]
        {
            let pose = Pose::from_trs(TURNED, [1.0; 3], at.to_array()).expect("a rotation");
            assembly.add(&format!("{part}{i}"), body, pose);
        }
    }
    assembly
}

/// A ball flies along the row.
#[test]
fn no_two_broad_phases_count_alike_and_each_counts_its_own_units() {
    let mut assembly = row();
    let keys =
        [key(0.0, STRAIGHT, DVec3::new(0.0, -1.5, 0.0)), key(1.0, STRAIGHT, DVec3::new(32.0, -1.5, 0.0))];
    let along = Motion::through(&keys, Between::Linear, [1.0; 3]).expect("a motion");
    assembly.add_moving("flying", &Arc::new(mesh(&ball(DVec3::ZERO, 0.6, 1))), along, None);
    let request = assembly.sweep_request(0.0, 1.0).expect("admissible").precision(0.1);
    let run = |broad| assembly.sweep(&request.broad(broad)).expect("admissible").counters.broad;
    let works: Vec<_> = BroadPhase::ALL.iter().map(|&broad| (broad, run(broad))).collect();
    for (broad, work) in &works {
        println!("{broad:<18} {work:?}");
        // The cells that the ball passes are empty, so the uniform grid, of the ball alone, has none to test.
        let tests = work.box_tests > 0 || *broad == BroadPhase::Grid;
        assert!(work.method == *broad && work.frames > 10 && tests, "{broad}: {work:?}");
        assert_eq!(work.exchanges != [0; 3], *broad == BroadPhase::Lists, "{broad}: {work:?}");
        let is_grid = *broad == BroadPhase::RecursiveGrid;
        assert_eq!(work.visits != Default::default(), is_grid, "{broad}: {work:?}");
        assert_eq!(work.shape != Default::default(), is_grid, "{broad}: {work:?}");
        // Of 41 bodies, one moves. Two that stand still are not tested where the method can tell.
        assert_eq!(work.fixed, 40);
        let pairs = work.frames * 40;
        match broad {
            BroadPhase::Brute => assert_eq!(work.box_tests, pairs),
            BroadPhase::SweepAndPrune => assert!(work.box_tests > pairs, "{work:?}"),
            _ => assert!(work.box_tests < pairs / 10, "{work:?}"),
        }
    }
    // The tests differ, not only the names of the methods.
    let tests: Vec<_> = works.iter().map(|(broad, work)| (*broad, work.box_tests)).collect();
    assert_different("broad phases", &tests);
}

#[test]
fn no_two_filters_by_hulls_count_alike_and_each_counts_its_own_units() {
    let assembly = row();
    let request = assembly.check_request().expect("admissible").clearance(0.1);
    let run = |hull| assembly.check(&request.hull(hull)).expect("admissible").counters.work;
    let works = HullFilter::ALL.map(|hull| (hull, run(hull)));
    for (hull, work) in &works {
        println!("{hull:<18} {:?} {:?}", work.walks, work.regions);
        let is_on = *hull != HullFilter::Off;
        assert_eq!([work.walks.walks > 0, work.walks.proven > 0], [is_on; 2], "{hull}: {:?}", work.walks);
        assert_eq!(work.regions.tried > 0, *hull == HullFilter::ContactRegion, "{hull}: {:?}", work.regions);
        assert!(work.regions.found <= work.regions.tried);
        assert!(work.contacts.tests != Work::NONE);
    }
    assert_different("filters by hulls", &works.map(|(hull, work)| (hull, (work.walks, work.regions))));
}

/// The binary tree has the options of the paper's method, each of which changes the work and no answer.
#[test]
fn options_of_a_method_change_the_work_of_a_binary_tree() {
    let strategy = Strategy::new(closefit_methods::RAPID, None).expect("it has an executor");
    let small = torus(12, 6, 0.25);
    let pair = Pair { soups: [small.clone(), small], ..motion(TURNED) };
    let options = [
        "swept",
        "axes=faces",
        "discrete=middle",
        "discrete=ends",
        "subdivision=always",
        "k=0.5",
        "boxes=natural",
        "boxes=natural,axes=faces",
        "boxes=natural,discrete=ends",
        "order=space-first",
        "redon",
        "redon,subdivision=printed",
    ];
    let found = options.map(|option| {
        let method = option.parse().expect("a method");
        assert_eq!(strategy.check_moving(&method), Ok(()), "{option}");
        (option, pair.answer_by(strategy, method).expect("a precision that f64 can tell"))
    });
    let answer = &found[0].1.0;
    assert!(found.iter().all(|(_, (other, _))| other == answer));
    assert_different("options", &found.each_ref().map(|(option, (_, work))| (*option, *work)));
}
