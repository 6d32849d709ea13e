//! Sinks: every pair is handed on once, and what a journal knows or leaves to others changes no answer.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

use closefit::{
    Assembly, CheckError, CheckRequest, KnownPair, Ledger, MovingPairRecord, PairJournal, PairRecord,
    PairState, PartId, Pool, Run, SweepRequest, Verdict,
};
use closefit_generate::{Request, generate};

/// A record with its ids and verdict.
trait Kept: Clone + Send + Sync + PartialEq + std::fmt::Debug {
    fn of(&self) -> ([PartId; 2], Verdict);
}

impl Kept for PairRecord {
    fn of(&self) -> ([PartId; 2], Verdict) {
        (self.ids, self.verdict)
    }
}

impl Kept for MovingPairRecord {
    fn of(&self) -> ([PartId; 2], Verdict) {
        (self.ids, self.verdict)
    }
}

/// A journal that remembers the records that it gets, and decides tasks by a function of a pair's place.
struct Memory<R> {
    near: Mutex<Option<u64>>,
    told: Mutex<BTreeMap<[PartId; 2], R>>,
    /// The records of a run before.
    known: BTreeMap<[PartId; 2], R>,
    task: fn(u64) -> PairState,
    /// Number of pairs after which no other is begun, and after which the run stops.
    most: [usize; 2],
    /// The largest number of pairs that may be decided together, and those that were begun last.
    together: Option<u64>,
    begun: Mutex<Range<u64>>,
}

impl<R> Memory<R> {
    fn new(known: BTreeMap<[PartId; 2], R>, task: fn(u64) -> PairState) -> Self {
        let (near, told, begun) = Default::default();
        Self { near, told, known, task, most: [usize::MAX; 2], together: None, begun }
    }

    fn count(&self) -> usize {
        self.told.lock().unwrap().len()
    }
}

impl<R: Kept> PairJournal<R> for Memory<R> {
    fn begin(&self, near: u64) {
        assert_eq!(self.near.lock().unwrap().replace(near), None, "it begins once");
    }

    fn is_selective(&self) -> bool {
        true
    }

    fn state(&self, at: u64, _: [PartId; 2]) -> PairState {
        assert!(at < self.near.lock().unwrap().expect("it has begun"));
        (self.task)(at)
    }

    fn known(&self, _: u64, pair: [PartId; 2]) -> KnownPair<R> {
        match self.known.get(&pair) {
            None => KnownPair::Undecided("not asked"),
            Some(record) if record.of().1 == Verdict::Clear => KnownPair::Clear,
            Some(record) => KnownPair::Listed(record.clone()),
        }
    }

    fn together(&self, _: u64) -> Option<u64> {
        self.together
    }

    fn begins(&self, places: Range<u64>) {
        let before = std::mem::replace(&mut *self.begun.lock().unwrap(), places.clone());
        assert!(before.end <= places.start && !places.is_empty(), "{before:?}, {places:?}");
        if let Some(together) = self.together {
            assert!(places.end - places.start <= together);
            let open = (0..places.start).filter(|&at| (self.task)(at) == PairState::Pending);
            assert_eq!(self.count(), open.count(), "all before are decided");
        }
    }

    fn ended(&self) -> Option<&'static str> {
        (self.count() >= self.most[0]).then_some("enough")
    }

    fn decided(&self, record: &R) {
        let before = self.told.lock().unwrap().insert(record.of().0, record.clone());
        assert_eq!(before, None, "a pair is decided once");
    }

    fn stopped(&self) -> bool {
        self.count() >= self.most[1]
    }
}

fn assembly(name: &str, size: u32) -> Assembly {
    generate(&Request { name: name.to_owned(), size: Some(size), seed: 3, soup: false })
        .expect("a scene")
        .into()
}

/// The ledger and the records of a run.
type Found<R> = (Ledger, Vec<R>);

/// Runs with a journal.
type Ask<'a, R> = &'a dyn Fn(&Memory<R>) -> Found<R>;

fn is_adding_up(ledger: &Ledger) -> bool {
    let excluded: u64 = ledger.excluded.values().sum();
    ledger.pairs == excluded + ledger.apart + ledger.decided + ledger.undecided + ledger.elsewhere
}

/// Any split of the pairs into known, open and left ones gives the rows of a run without a journal.
fn every_split_gives_the_same<R: Kept>(plain: Found<R>, ask: Ask<R>) {
    let all = Memory::new(BTreeMap::new(), |_| PairState::Pending);
    assert!(ask(&all) == plain, "a journal that only listens");
    let near = all.near.lock().unwrap().unwrap();
    let told = all.told.into_inner().unwrap();
    assert!(near > 20 && told.len() as u64 == near);
    let listed: Vec<R> = told.values().filter(|record| record.of().1 != Verdict::Clear).cloned().collect();
    assert_eq!(listed, plain.1);
    let tasks: [fn(u64) -> PairState; 4] = [
        |_| PairState::Known,
        |at| if at.is_multiple_of(3) { PairState::Pending } else { PairState::Known },
        |at| if at < 7 { PairState::Known } else { PairState::Pending },
        |at| if (at / 5).is_multiple_of(2) { PairState::Known } else { PairState::Pending },
    ];
    for task in tasks {
        let memory = Memory::new(told.clone(), task);
        assert!(ask(&memory) == plain);
        for together in [1, 7] {
            let few = Memory { together: Some(together), ..Memory::new(told.clone(), task) };
            assert!(ask(&few) == plain);
        }
        assert_eq!(memory.count(), (0..near).filter(|&at| task(at) == PairState::Pending).count());
    }
    shares_add_up(near, &plain, &told, ask);
}

/// Shares of the pairs have the rows of the whole, and their ledgers add up.
fn shares_add_up<R: Kept>(near: u64, plain: &Found<R>, told: &BTreeMap<[PartId; 2], R>, ask: Ask<R>) {
    let shares: [fn(u64) -> PairState; 2] = [
        |at| if at % 4 == 1 { PairState::Pending } else { PairState::OtherShard },
        |at| if at % 4 == 1 { PairState::OtherShard } else { PairState::Pending },
    ];
    let found = shares.map(|task| ask(&Memory::new(told.clone(), task)));
    for ((ledger, _), other) in found.iter().zip([3, 1]) {
        assert!(is_adding_up(ledger), "{ledger:?}");
        assert_eq!(ledger.elsewhere, (0..near).filter(|at| (at % 4 == 1) == (other == 1)).count() as u64);
    }
    let mut rows = found.map(|(_, rows)| rows).concat();
    rows.sort_by_key(|record| record.of().0);
    assert_eq!(rows, plain.1);
}

/// Unknown pairs stay undecided with their reason, and all others have the rows of a whole run.
fn what_is_not_asked_is_undecided<R: Kept>(plain: &Found<R>, ask: Ask<R>) {
    for (task, most) in [
        (
            (|at| if at < 9 { PairState::Pending } else { PairState::Known }) as fn(u64) -> PairState,
            usize::MAX,
        ),
        ((|_| PairState::Pending) as fn(u64) -> PairState, 9),
    ] {
        let memory = Memory { most: [most, usize::MAX], ..Memory::new(BTreeMap::new(), task) };
        let (ledger, rows) = ask(&memory);
        assert!(is_adding_up(&ledger));
        let decided = memory.told.lock().unwrap();
        assert!(decided.len() >= 9 && decided.len() < 9 + 8, "threads may be at some pairs");
        for row in rows {
            match decided.get(&row.of().0) {
                Some(record) => assert_eq!(&row, record),
                None => {
                    assert!(row.of().1 == Verdict::Undecided && format!("{row:?}").contains("Undecidable"))
                }
            }
        }
        for row in plain.1.iter().filter(|row| decided.contains_key(&row.of().0)) {
            assert_eq!(decided[&row.of().0], *row);
        }
    }
}

#[test]
fn checks_take_what_is_known() {
    let assembly = assembly("boxes", 60);
    let request = assembly.check_request().unwrap().clearance(0.2);
    let plain = assembly.check(&request).unwrap();
    let plain = (plain.ledger, plain.pairs);
    let ask = |memory: &Memory<PairRecord>| {
        let found = assembly.check_with(&request, Run::default().journal(memory)).unwrap();
        (found.ledger, found.pairs)
    };
    every_split_gives_the_same(plain.clone(), &ask);
    what_is_not_asked_is_undecided(&plain, &ask);
}

#[test]
fn sweeps_take_what_is_known() {
    let assembly = assembly("fast-plates", 40);
    let [from, to] = assembly.time_range().unwrap();
    let request: SweepRequest = assembly.sweep_request(from, to).unwrap().clearance(0.1).with_intervals();
    let plain = assembly.sweep(&request).unwrap();
    let plain = (plain.ledger, plain.pairs);
    let ask = |memory: &Memory<MovingPairRecord>| {
        let found = assembly.sweep_with(&request, Run::default().journal(memory)).unwrap();
        (found.ledger, found.pairs)
    };
    every_split_gives_the_same(plain.clone(), &ask);
    what_is_not_asked_is_undecided(&plain, &ask);
}

/// Notes on repairs are about the same meshes, however many of their pairs are known.
#[test]
fn repairs_do_not_depend_on_what_is_known() {
    let assembly = assembly("boxes", 30);
    let mut scene = assembly.scene().clone();
    for mesh in &mut scene.meshes {
        let triangles = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect::<Vec<_>>();
        *mesh = std::sync::Arc::new(closefit::Mesh::new(mesh.vertices(), &triangles).unwrap());
    }
    let assembly = Assembly::from(scene);
    let request: CheckRequest = assembly.check_request().unwrap().clearance(0.2);
    let plain = assembly.check(&request).unwrap();
    assert!(plain.repairs.iter().any(|repairs| *repairs != Default::default()));
    let memory =
        Memory::new(BTreeMap::new(), |at| if at < 2 { PairState::Pending } else { PairState::Known });
    assert_eq!(
        assembly.check_with(&request, Run::default().journal(&memory)).unwrap().repairs,
        plain.repairs
    );
}

#[test]
fn a_sink_stops_a_run() {
    let assembly = assembly("boxes", 60);
    let request = assembly.check_request().unwrap().clearance(0.2);
    let memory = Memory { most: [usize::MAX, 5], ..Memory::new(BTreeMap::new(), |_| PairState::Pending) };
    let found =
        Pool::of(2).install(|| assembly.check_with(&request, Run::default().journal(&memory))).unwrap();
    assert_eq!(found.err(), Some(CheckError::Interrupted));
    assert!((5..9).contains(&memory.count()));
}
