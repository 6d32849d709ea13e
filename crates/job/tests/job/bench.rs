//! The order in which methods are timed: none is always the first, which finds caches that hold something
//! else.

use std::sync::Mutex;
use std::time::Duration;

use closefit::{CheckRequest, Observer};
use closefit_job::{BenchObserver, BenchOptions, BenchQuestion, Job, Project};

use super::texts::scene;

/// Remembers which methods are asked, and in which rounds.
#[derive(Default)]
struct Asked(Mutex<Vec<(u32, String)>>);

impl Observer for Asked {}

impl BenchObserver for Asked {
    fn asks(&self, method: &str, round: u32) {
        self.0.lock().expect("no panic").push((round, method.to_owned()));
    }
}

/// Returns the methods of each round, in the order in which they are asked.
fn asked(rounds: u32) -> Vec<Vec<String>> {
    let job = Job::new(scene(), Project::default()).expect("no rules");
    let request = CheckRequest::default().tolerance(1e-6).clearance(0.01);
    let options = BenchOptions { rounds, limit: Duration::from_secs(600), processor: "P".to_owned() };
    let asked = Asked::default();
    job.bench(&BenchQuestion::Rest(request), &options, &asked).expect("all agree");
    let mut found = vec![Vec::new(); rounds as usize];
    for (round, method) in asked.0.into_inner().expect("no panic") {
        found[round as usize - 1].push(method);
    }
    found
}

#[test]
fn rounds_begin_with_methods_that_are_far_apart() {
    let rounds = asked(3);
    let count = rounds[0].len();
    for (round, methods) in rounds.iter().enumerate() {
        let mut turned = rounds[0].clone();
        turned.rotate_left(count * round / 3);
        assert_eq!(*methods, turned, "round {round}");
    }
    assert_eq!(rounds[0][0], "tree obb simd");
}
