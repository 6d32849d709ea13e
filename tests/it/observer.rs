//! Notifications of a run to its observer.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use closefit::internals::engine::{check, default_tolerance, sweep, time_range};
use closefit::scene::Scene;
use closefit::{CheckError, CheckRequest, Observer, PartId, Stage, SweepRequest};
use closefit_generate::{Request, generate};

/// An observer that records every notification.
#[derive(Default)]
struct Witness {
    /// Each stage with its announced total and its completed amount.
    stages: Mutex<Vec<(Stage, u64, u64)>>,
    open: Mutex<HashMap<ThreadId, Vec<[PartId; 2]>>>,
    decided: AtomicU64,
    /// Number of pairs after which to stop.
    most: Option<u64>,
}

impl Observer for Witness {
    fn begin(&self, stage: Stage, total: u64) {
        self.stages.lock().unwrap().push((stage, total, 0));
    }

    fn advance_by(&self, items: u64) {
        self.stages.lock().unwrap().last_mut().expect("a stage has begun").2 += items;
    }

    fn enter(&self, pair: [PartId; 2]) {
        self.open.lock().unwrap().entry(thread::current().id()).or_default().push(pair);
    }

    fn leave(&self, pair: [PartId; 2]) {
        let entered = self.open.lock().unwrap().entry(thread::current().id()).or_default().pop();
        assert_eq!(entered, Some(pair), "the pair entered last is the first to be left");
        self.decided.fetch_add(1, Ordering::Relaxed);
        self.advance();
    }

    fn cancelled(&self) -> bool {
        self.most.is_some_and(|most| self.decided.load(Ordering::Relaxed) >= most)
    }
}

impl Witness {
    /// Returns the stages in order, after checking that each is complete.
    fn stages(&self) -> Vec<Stage> {
        assert!(self.open.lock().unwrap().values().all(Vec::is_empty));
        let stages = self.stages.lock().unwrap();
        let whole = |&(_, total, done): &(Stage, u64, u64)| total == done;
        assert!(stages.iter().all(whole), "{stages:?}");
        stages.iter().map(|(stage, ..)| *stage).collect()
    }
}

fn scene(name: &str, size: u32) -> Scene {
    generate(&Request { name: name.to_owned(), size: Some(size), seed: 1, soup: false }).unwrap()
}

fn request(scene: &Scene) -> CheckRequest {
    CheckRequest::default().tolerance(default_tolerance(scene).unwrap())
}

#[test]
fn a_check_tells_its_stages_and_pairs() {
    let scene = scene("boxes", 200);
    let witness = Witness::default();
    let result = check(&scene, &request(&scene), &witness).unwrap();
    assert_eq!(witness.stages(), [Stage::Pairing, Stage::Building, Stage::Deciding]);
    let ledger = result.ledger;
    assert_eq!(witness.decided.into_inner(), ledger.decided + ledger.undecided);
}

#[test]
fn a_sweep_tells_its_stages_and_pairs() {
    let scene = scene("fast-plates", 4);
    let [from, to] = time_range(&scene).unwrap();
    let request = SweepRequest::default().tolerance(1e-6).precision(1e-3).between(from, to);
    let witness = Witness::default();
    let result = sweep(&scene, &request, &witness).unwrap();
    assert_eq!(witness.stages(), [Stage::Pairing, Stage::Building, Stage::Deciding]);
    let ledger = result.ledger;
    assert_eq!(witness.decided.into_inner(), ledger.decided + ledger.undecided);
}

#[test]
fn an_observer_stops_a_run() {
    let scene = scene("boxes", 200);
    let witness = Witness { most: Some(3), ..Witness::default() };
    assert_eq!(check(&scene, &request(&scene), &witness), Err(CheckError::Interrupted));
    assert!(witness.decided.into_inner() < 50);
}
