//! The room of parts and the ways out of clashes are the same by all kinds of trees and executors, on any
//! number of threads.

use closefit::scene::Scene;
use closefit::{Assembly, PartId, Pool, Strategy, Unobserved};
use closefit_report::{CheckReport, SlackReport, csv, json};
use closefit_testing::small_scenes::small_scene;

/// Returns the documents of the room of the first part and of the ways out.
fn said(scene: &Scene, strategy: Strategy, threads: usize) -> String {
    let assembly = Assembly::from(scene.clone());
    let clearance = 1e-3 * assembly.diagonal(None).expect("in range");
    let ask = || {
        let request = assembly.slack_request().expect("in range").clearance(clearance).strategy(strategy);
        let request = request.precision(100.0 * request.precision);
        let slack =
            SlackReport::new(scene, &assembly.slack(&[PartId(0)], &request, &Unobserved).expect("in range"));
        let request = assembly.check_request().expect("in range").strategy(strategy);
        let found = assembly.check(&request).expect("in range");
        let ways = assembly.ways_out(&request, &found.pairs, &Unobserved).expect("in range");
        let check = CheckReport::new(scene, found).with_ways_out(&ways);
        let bytes = [json::document(&slack), csv::slack(&slack), json::document(&check), csv::pairs(&check)];
        String::from_utf8(bytes.concat()).expect("UTF-8")
    };
    Pool::of(threads).install(ask).expect("threads")
}

#[test]
fn no_tree_executor_or_thread_changes_a_byte() {
    for (name, parts) in [("boxes", 12), ("gearbox", 3)] {
        let mut scene = small_scene(name, 0, false);
        scene.parts.truncate(parts);
        let reference = said(&scene, Strategy::default(), 1);
        for strategy in closefit_methods::strategies().filter(|strategy| !strategy.tree().is_quadratic()) {
            let other = said(&scene, strategy, 1);
            assert!(other == reference, "{name} by {strategy}: {}", first_difference(&reference, &other));
        }
        for threads in [2, 7] {
            assert!(said(&scene, Strategy::default(), threads) == reference, "{name} on {threads} threads");
        }
    }
}

fn first_difference(a: &str, b: &str) -> String {
    let lines = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    lines.map_or_else(|| "lengths differ".to_owned(), |(a, b)| format!("{a}\n{b}"))
}
