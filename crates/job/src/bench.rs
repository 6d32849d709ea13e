//! The cost of each method for the same answers about a scene.

use closefit_geometry::clock::Instant;
use std::time::Duration;

use closefit::internals::engine::SlowPair;
use closefit::internals::narrow::thread_clock;
use closefit::method::Boxes;
use closefit::{BroadPhase, CheckRequest, Counters, Method, Observer, PartId, Stage, Strategy, SweepRequest};
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::parallel;
use closefit_report::BenchReport;
use closefit_report::document::{
    BenchSettings, ChoiceWord, MachineRow, MethodRow, MethodWork, QuestionWord, SecondsRow, SlowPairRow, Word,
};

use crate::error::JobError;
use crate::job::Job;
use crate::rows::{RowOptions, RowSource};

/// The question that all methods answer.
pub enum BenchQuestion<'a> {
    /// A check of parts at rest.
    Rest(CheckRequest),
    /// A sweep over a motion.
    Motion(SweepRequest),
    /// A check at many poses, with what opens their list.
    Poses(CheckRequest, &'a dyn Fn() -> Result<RowSource, JobError>),
}

/// The settings of a comparison.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// The number of rounds, in which the methods take turns. The one with the least CPU time counts.
    pub rounds: u32,
    /// A method that takes longer than this is stopped, and not run again.
    pub limit: Duration,
    /// The name of the processor, for the document.
    pub processor: String,
}

/// An observer that also hears which method is in progress.
pub trait BenchObserver: Observer {
    /// A method begins, in a round; rounds count from 1.
    fn asks(&self, _method: &str, _round: u32) {}
}

/// A method: the choice in which it differs from the default, its name, and the settings with it.
struct Variant<R> {
    choice: ChoiceWord,
    name: String,
    request: R,
}

/// The answer of one run, and its cost.
struct Run<A> {
    answer: A,
    work: Option<MethodWork>,
    seconds: SecondsRow,
    /// A pair that took far longer than the median pair.
    slow: Option<SlowPair>,
}

/// The answer that all methods give, and the cost of each.
struct Compared<A> {
    answer: A,
    methods: Vec<MethodRow>,
    seconds: Vec<Option<SecondsRow>>,
    /// A pair on which the default took far longer than on the median pair.
    slow: Option<SlowPair>,
}

/// Asks the question once, with some settings.
type Ask<'a, R, A> = dyn Fn(&R, &dyn Observer) -> Result<Run<A>, JobError> + 'a;

impl Job {
    /// Asks a question by every method, and returns the cost of each. All must give the same answer.
    ///
    /// # Errors
    /// [`JobError`]; [`JobError::MethodsDiffer`] if two answers are not the same.
    pub fn bench(
        &self,
        question: &BenchQuestion,
        options: &BenchOptions,
        observer: &dyn BenchObserver,
    ) -> Result<BenchReport, JobError> {
        let compare = Comparison { job: self, options, observer };
        match question {
            BenchQuestion::Rest(request) => compare.at_rest(request),
            BenchQuestion::Motion(request) => compare.over_time(request),
            BenchQuestion::Poses(request, open) => compare.at_poses(request, *open),
        }
    }
}

/// A comparison of methods.
struct Comparison<'a> {
    job: &'a Job,
    options: &'a BenchOptions,
    observer: &'a dyn BenchObserver,
}

impl Comparison<'_> {
    fn at_rest(&self, request: &CheckRequest) -> Result<BenchReport, JobError> {
        let job = self.job;
        let run = |request: &CheckRequest, observer: &dyn Observer| {
            let result = job.assembly().check_with(request, closefit::Run::default().observer(observer));
            let result = result.map_err(|error| job.refused(error, job.scene()))?;
            job.refuse_empty(&result.ledger, false)?;
            Ok(Run::counted((result.ledger, result.pairs), &result.counters))
        };
        let trees = trees().map(|tree| tree.map(|strategy| request.strategy(strategy)));
        let broad = broad_phases().map(|broad| broad.map(|broad| request.broad(broad)));
        let hulls = hull_filters(&HullFilter::ALL).map(|hull| hull.map(|hull| request.hull(hull)));
        let found = self.compared(&trees.chain(broad).chain(hulls).collect::<Vec<_>>(), &run)?;
        Ok(self.report(found, settings(QuestionWord::Rest, [request.clearance, request.tolerance])))
    }

    fn over_time(&self, request: &SweepRequest) -> Result<BenchReport, JobError> {
        let job = self.job;
        let run = |request: &SweepRequest, observer: &dyn Observer| {
            let result = job.assembly().sweep_with(request, closefit::Run::default().observer(observer));
            let result = result.map_err(|error| job.refused_sweep(error, job.scene()))?;
            job.refuse_empty(&result.ledger, job.assembly().time_range().is_none())?;
            Ok(Run::counted((result.ledger, result.pairs), &result.counters))
        };
        let has_motion = |tree: &Variant<Strategy>| tree.request.check_moving(&request.method).is_ok();
        let trees = trees().filter(has_motion).map(|tree| tree.map(|strategy| request.strategy(strategy)));
        let methods = methods().map(|method| method.map(|method| request.method(method)));
        let broad = broad_phases().map(|broad| broad.map(|broad| request.broad(broad)));
        let hulls = hull_filters(&[HullFilter::Off, HullFilter::ClosestFeatures]);
        let hulls = hulls.map(|hull| hull.map(|hull| request.hull(hull)));
        let variants: Vec<_> = trees.chain(methods).chain(broad).chain(hulls).collect();
        let found = self.compared(&variants, &run)?;
        let settings = settings(QuestionWord::Motion, [request.clearance, request.tolerance]);
        Ok(self.report(found, BenchSettings { precision: Some(request.precision), ..settings }))
    }

    fn at_poses(
        &self,
        request: &CheckRequest,
        open: &dyn Fn() -> Result<RowSource, JobError>,
    ) -> Result<BenchReport, JobError> {
        let job = self.job;
        let run = |request: &CheckRequest, observer: &dyn Observer| {
            let (mut rows, mut lines, start) = (open()?, blake3::Hasher::new(), Instant::now());
            let asked = (request, &RowOptions::default());
            let summary = job.check_rows(&mut rows, asked, &|_, _| false, observer, &mut lines)?;
            let seconds = SecondsRow { decide: start.elapsed().as_secs_f64(), ..SecondsRow::default() };
            match summary.first_refused {
                Some((row, why)) => {
                    Err(JobError::File { file: job.files(), why: format!("row {row}: {why}") })
                }
                None => Ok(Run { answer: (summary.rows, lines.finalize()), work: None, seconds, slow: None }),
            }
        };
        let trees = trees().map(|tree| tree.map(|strategy| request.strategy(strategy)));
        let found = self.compared(&trees.collect::<Vec<_>>(), &run)?;
        let poses = Some(found.answer.0);
        let settings = settings(QuestionWord::Poses, [request.clearance, request.tolerance]);
        Ok(self.report(found, BenchSettings { poses, ..settings }))
    }

    /// Asks all methods, round after round, each time from another one on: whatever comes first finds caches
    /// that hold something else. The first is the default. Its answer is the expected one, of a run that is
    /// not counted: it finds nothing in any cache.
    fn compared<R, A: PartialEq>(
        &self,
        variants: &[Variant<R>],
        run: &Ask<R, A>,
    ) -> Result<Compared<A>, JobError> {
        let mut best: Vec<Option<Run<A>>> = variants.iter().map(|_| None).collect();
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); variants.len()];
        let mut stopped = vec![false; variants.len()];
        let expected = run(&variants[0].request, &Limited { within: self.observer, until: None })?.answer;
        for round in 1..=self.options.rounds {
            for place in places(variants.len(), [round, self.options.rounds]) {
                let variant = &variants[place];
                if stopped[place] {
                    continue;
                }
                self.observer.asks(&format!("{} {}", variant.choice.word(), variant.name), round);
                // The default is waited for: all others are compared with it.
                let until = (place > 0).then(|| Instant::now() + self.options.limit);
                let limited = Limited { within: self.observer, until };
                let start = cpu_time();
                let mut found = match run(&variant.request, &limited) {
                    Err(JobError::Interrupted) if !self.observer.cancelled() => {
                        (stopped[place], best[place]) = (true, None);
                        continue;
                    }
                    found => found?,
                };
                if found.answer != expected {
                    let names = [0, place].map(|place| variants[place].name.clone());
                    return Err(JobError::MethodsDiffer { files: self.job.files(), names });
                }
                found.seconds.cpu = (cpu_time() - start).as_secs_f64();
                times[place].push(found.seconds.cpu);
                if best[place].as_ref().is_none_or(|best| found.seconds.cpu < best.seconds.cpu) {
                    best[place] = Some(found);
                }
            }
        }
        let slow = best[0].as_ref().and_then(|run| run.slow);
        let methods = variants.iter().zip(&best).zip(&stopped).map(|((variant, best), &stopped)| MethodRow {
            choice: variant.choice,
            name: variant.name.clone(),
            work: best.as_ref().and_then(|run| run.work.clone()),
            stopped,
        });
        let methods = methods.collect();
        let seconds = |(run, times): (&Option<Run<A>>, Vec<f64>)| {
            let seconds = run.as_ref()?.seconds;
            Some(SecondsRow { spread: times.into_iter().fold(0.0, f64::max) - seconds.cpu, ..seconds })
        };
        let seconds = best.iter().zip(times).map(seconds).collect();
        Ok(Compared { answer: expected, methods, seconds, slow })
    }

    fn report<A>(&self, found: Compared<A>, settings: BenchSettings) -> BenchReport {
        let Compared { methods, seconds, slow, .. } = found;
        let &BenchOptions { rounds, ref processor, .. } = self.options;
        let scene = self.job.scene();
        let machine = MachineRow {
            processor: processor.clone(),
            threads: parallel::threads(),
            rounds,
            seconds,
            slow_pair: slow.map(|slow| SlowPairRow::new(slow, scene)),
        };
        BenchReport::new(scene, settings, methods, machine)
    }
}

impl<A> Run<A> {
    fn counted(answer: A, counters: &Counters) -> Self {
        let &Counters { ref work, ref trees, hull_bytes, broad_s, build_s, decide_s, .. } = counters;
        let work = Some(MethodWork::of(&work.total().tests, trees.bytes + hull_bytes));
        let seconds =
            SecondsRow { broad: broad_s, build: build_s, decide: decide_s, ..SecondsRow::default() };
        Self { answer, work, seconds, slow: counters.slow }
    }
}

impl<R> Variant<R> {
    fn map<S>(self, request: impl FnOnce(R) -> S) -> Variant<S> {
        Variant { choice: self.choice, name: self.name, request: request(self.request) }
    }
}

fn settings(question: QuestionWord, [clearance, tolerance]: [f64; 2]) -> BenchSettings {
    BenchSettings { question, clearance, tolerance, precision: None, poses: None }
}

/// Returns the time that all threads of the pool have had a core since the first call. Load by other
/// processes lengthens it far less than it does the time that passes.
fn cpu_time() -> Duration {
    parallel::on_each_thread(thread_clock::now).into_iter().sum()
}

/// Returns the places of some methods in the order in which a round asks them. The rounds begin at places
/// that are evenly spread.
fn places(count: usize, [round, rounds]: [u32; 2]) -> impl Iterator<Item = usize> {
    let first = count as u64 * u64::from(round - 1) / u64::from(rounds);
    let first = usize::try_from(first).expect("less than their number");
    (first..count).chain(0..first)
}

/// Returns all kinds of trees with their executors, the default first.
fn trees() -> impl Iterator<Item = Variant<Strategy>> {
    let variant = |strategy: Strategy| Variant {
        choice: ChoiceWord::Tree,
        name: strategy.to_string(),
        request: strategy,
    };
    closefit_methods::strategies().map(variant)
}

/// Returns the broad phases but the default.
fn broad_phases() -> impl Iterator<Item = Variant<BroadPhase>> {
    let others = BroadPhase::ALL.iter().copied().filter(|&broad| broad != BroadPhase::default());
    others.map(|broad| Variant { choice: ChoiceWord::Broad, name: broad.to_string(), request: broad })
}

/// Returns some of the filters by hulls, but the default.
fn hull_filters(filters: &[HullFilter]) -> impl Iterator<Item = Variant<HullFilter>> {
    let others = filters.iter().copied().filter(|&hull| hull != HullFilter::default());
    others.map(|hull| Variant { choice: ChoiceWord::Hull, name: hull.to_string(), request: hull })
}

/// Returns the named methods of the search over time but the default.
fn methods() -> impl Iterator<Item = Variant<Method>> {
    let interval = Method { boxes: Boxes::Interval, ..Method::FASTEST };
    [interval, Method::REDON].into_iter().map(|method| Variant {
        choice: ChoiceWord::Method,
        name: method.to_string(),
        request: method,
    })
}

/// An observer that also stops a run at a time.
struct Limited<'a> {
    within: &'a dyn Observer,
    until: Option<Instant>,
}

impl Observer for Limited<'_> {
    fn begin(&self, stage: Stage, total: u64) {
        self.within.begin(stage, total);
    }

    fn advance_by(&self, items: u64) {
        self.within.advance_by(items);
    }

    fn enter(&self, pair: [PartId; 2]) {
        self.within.enter(pair);
    }

    fn leave(&self, pair: [PartId; 2]) {
        self.within.leave(pair);
    }

    fn cancelled(&self) -> bool {
        self.within.cancelled() || self.until.is_some_and(|until| Instant::now() >= until)
    }
}
