//! Checks all pairs of parts at their poses.

use std::ops::Range;
use std::sync::Arc;

use super::candidates::Candidates;
use super::clock::Clock;
use super::crowd::{CheckBodies, Slots};
use super::device::{settled, workload};
use super::driver::Driver;
use super::hull_filter::HullPair;
use super::hulls::Hulls;
use super::journal::{NoJournal, PairJournal};
use super::ledger::{Counters, Ledger};
use super::memory_forecast::refuse_coincident;
use super::models::Models;
use super::pair_request::{is_candidate, largest_reach, request_of};
use super::{CheckError, Observer, PosedBoxes, most_kept, take_scene, tolerance_of, too_many_kept};
use crate::broad::counts::Counts;
use crate::broad::frames::{Frame, Frames};
use crate::bvh::static_pair::StaticPair;
use crate::bvh::trees::{Bodies, PairsOfAll};
use crate::gpu::Asked;
use crate::narrow::{Nearest, Spent};
use crate::query::pair::{Known, decide_by};
use crate::query::stage_work::StageWork;
use crate::query::{CheckRequest, PairRecord};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::topology::Repairs;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CheckResult {
    /// The settings used: the tolerance resolved, and the device, if one was opened.
    pub request: CheckRequest,
    /// The count of all pairs by outcome.
    pub ledger: Ledger,
    /// Every pair that is not clear, sorted by ids.
    pub pairs: Vec<PairRecord>,
    /// The repairs to each mesh of the scene.
    pub repairs: Vec<Repairs>,
    /// Work done.
    pub counters: Counters,
}

/// Returns the default tolerance of the posed scene, by the diagonal of its box.
///
/// # Errors
/// [`CheckError::OutOfRange`] if a part cannot be posed.
pub fn default_tolerance(scene: &Scene) -> Result<f64, CheckError> {
    Ok(tolerance_of(scene, PosedBoxes::new(scene, None)?.diagonal()))
}

/// Decides every pair of a scene. The result does not depend on the number of threads.
///
/// # Errors
/// [`CheckError`].
pub fn check(
    scene: &Scene,
    request: &CheckRequest,
    observer: &dyn Observer,
) -> Result<CheckResult, CheckError> {
    check_posed(scene, &PosedBoxes::new(scene, None)?, request, observer, &NoJournal)
}

/// Decides every pair of a scene whose parts have been posed as the scene gives them, but those that a
/// journal knows or leaves to others.
///
/// # Errors
/// [`CheckError`].
pub fn check_posed(
    scene: &Scene,
    posed: &PosedBoxes,
    request: &CheckRequest,
    observer: &dyn Observer,
    journal: &dyn PairJournal<PairRecord>,
) -> Result<CheckResult, CheckError> {
    let memory = MemoryAccount::new(request.memory);
    take_scene(&memory, scene)?;
    Check { scene, boxes: &posed.boxes, request, memory: &memory, observer, journal }.run()
}

/// Bytes of a pair of triangles in a list of contacts, which grows by doubling and is put together from
/// several.
const CONTACT_BYTES: usize = 3 * size_of::<[u32; 2]>();

/// The sorted pairs of triangles in contact of a pair of parts, and the work of finding them.
type Contacts = (Vec<[u32; 2]>, Spent);

/// The search of many pairs at once, where all bodies are placed.
type AllPairs<'b> = Option<Box<dyn PairsOfAll + 'b>>;

/// A pair before it is decided. Thousands wait together, so a pair holds the work of stages that few pairs
/// have in a box.
struct Prepared<'b> {
    /// The bodies of the pairs that are decided together, and the places of the pair's two.
    bodies: Arc<dyn Bodies + 'b>,
    places: [usize; 2],
    /// Facts about the pair, once its hulls or its triangles have been searched.
    known: Option<Known>,
    /// The work of finding its contacts.
    contacts: Spent,
    /// The work of other stages: of hulls, and of a device.
    others: Option<Box<StageWork>>,
}

impl Prepared<'_> {
    /// Decides the pair. Returns its record, and the work of all stages.
    fn decide(self, ids: [PartId; 2], request: &CheckRequest) -> (PairRecord, StageWork) {
        let Self { bodies, places, known, contacts, others } = self;
        let mut work = others.map_or_else(StageWork::default, |others| *others);
        work.contacts += contacts;
        let known = known.expect("every pair that hulls leave open is searched");
        let decide = |pair: &dyn StaticPair| decide_by(ids, pair, known, request, &mut work);
        (bodies.ask(places, decide), work)
    }
}

/// A check of a scene.
#[derive(Clone, Copy)]
struct Check<'a> {
    scene: &'a Scene,
    boxes: &'a [Aabb],
    request: &'a CheckRequest,
    memory: &'a MemoryAccount,
    observer: &'a dyn Observer,
    journal: &'a dyn PairJournal<PairRecord>,
}

impl Check<'_> {
    fn run(self) -> Result<CheckResult, CheckError> {
        let Self { scene, request, memory, observer, journal, .. } = self;
        let mut clock = Clock::start();
        refuse_coincident::<PairRecord>(scene, memory)?;
        let mut frames = Frames::new(request.broad, largest_reach(scene, request))
            .keeping(most_kept(memory))
            .on(request.strategy.device());
        let frame = frames.next(self.boxes).map_err(|_| too_many_kept(memory))?;
        let mut candidates = standing_candidates(scene, self.boxes, request, &frame, observer)?;
        journal.begin(candidates.total);
        let broad_s = clock.lap();

        // The whole run decides, whatever its share here.
        let work = workload(Asked::Check, scene, candidates.total, &candidates.is_in_pair);
        let strategy = settled(request.strategy, &work, observer);
        let request = &CheckRequest { strategy, ..*request };
        let only_settled = candidates.restrict(journal)?;
        let linear = |part: PartId| scene.parts[part.index()].pose.linear();
        let how = (request.strategy, request.winding);
        let models = Models::of(scene, &candidates.is_in_pair, linear, how, memory, observer)?;
        let hulls = Hulls::of(request.hull, scene, &candidates.is_in_pair, linear, memory)?;
        let build_s = clock.lap();
        let mut counters = Counters { broad_s, ..Counters::of(scene, strategy.tree(), &models, build_s) };

        let (ledger, pairs) =
            Check { request, ..self }.decide(&models, &hulls, &candidates, &mut counters)?;
        counters.broad = frame.work();
        counters.work.broad.box_tests = counters.broad.box_tests;
        counters.hull_bytes = hulls.bytes() as u64;
        let repairs = models.repairs(scene, &only_settled, request.winding);
        drop((models, hulls, candidates));
        drop(frame);
        counters.decide_s = clock.lap();
        Ok(CheckResult { request: *request, ledger, pairs, repairs, counters })
    }
}

/// Returns the candidate pairs of a scene's parts where they stand. They are found in the frame of their
/// boxes.
///
/// # Errors
/// [`CheckError::OutOfMemory`].
pub(super) fn standing_candidates<'a>(
    scene: &'a Scene,
    boxes: &'a [Aabb],
    request: &'a CheckRequest,
    frame: &'a Frame<'_>,
    observer: &dyn Observer,
) -> Result<Candidates<'a>, CheckError> {
    let keep = move |pair| is_candidate(scene, request, boxes, pair);
    let find = move |lower: Range<u32>, _: &dyn Observer| Ok(frame.near_pairs(lower, keep));
    let count = |counts: &Counts| {
        frame.count(counts, keep);
        Ok(())
    };
    Candidates::new(scene.parts.len(), count, find, (observer, 0))
}

impl Check<'_> {
    fn decide(
        &self,
        models: &Models,
        hulls: &Hulls,
        candidates: &Candidates,
        counters: &mut Counters,
    ) -> Result<(Ledger, Vec<PairRecord>), CheckError> {
        let Self { scene, request, memory, observer, journal, .. } = *self;
        let device = request.strategy.device();
        let overlaps = device.is_some();
        let bodies = &CheckBodies::new(scene, self.boxes, models, (memory, overlaps))?;
        let driver = Driver { scene, memory, observer, journal, overlaps };
        let of_pair = |ids| request_of(scene, request, ids);
        counters.work += driver.look_ahead(candidates, |ids @ [a, b], work| {
            // No two of their points are farther apart; the diagonal is rounded six times.
            let diagonal = self.boxes[a.index()].union(self.boxes[b.index()]).diagonal();
            if diagonal * (1.0 + 8.0 * f64::EPSILON) <= of_pair(ids).reach() {
                return true;
            }
            let (bodies, pair) = bodies.of_pair((a, b));
            let hulls = hulls.of_pair(ids);
            let by_hulls = hulls.and_then(|hulls| {
                let bodies = pair.map(|at| bodies.body(at));
                HullPair { hulls, bodies, request: &of_pair(ids) }.touches(work)
            });
            by_hulls.unwrap_or_else(|| bodies.ask(pair, |pair| pair.touches(&mut work.contacts)))
        })?;
        let counted = scene.count_pairs(None);
        let mut all_pairs = bodies.all().map(|all| all.all_pairs(device));
        let mut slots = Slots::default();
        let prepare = |near: &[(PartId, PartId)]| {
            let most = self.room(near.len());
            let (bodies, places) = bodies.of_pairs(near, &mut slots);
            let by_hull = parallel::map(near.len(), parallel::SMALL, |at| {
                let (ids, places, bodies) = ([near[at].0, near[at].1], places[at], Arc::clone(&bodies));
                let contacts = Spent::default();
                let Some(hulls) = hulls.of_pair(ids) else {
                    return Prepared { bodies, places, known: None, contacts, others: None };
                };
                let request = &of_pair(ids);
                let pair = HullPair { hulls, bodies: places.map(|at| bodies.body(at)), request };
                let (known, work) = pair.known(most);
                Prepared { bodies, places, known, contacts, others: Some(Box::new(work)) }
            });
            self.known_of_all(near, by_hull, &*bodies, &mut all_pairs)
        };
        driver.run(candidates, counted, counters, prepare, |ids, prepared: Prepared| {
            Some(prepared.decide(ids, &of_pair(ids)))
        })
    }

    /// Adds the contacts of pairs, and the closest triangles of those without contact that a device searches.
    /// Pairs whose hulls are apart are not searched for contacts.
    fn known_of_all<'b>(
        &self,
        near: &[(PartId, PartId)],
        mut all: Vec<Prepared<'b>>,
        bodies: &dyn Bodies,
        all_pairs: &mut AllPairs,
    ) -> Result<Vec<Prepared<'b>>, CheckError> {
        let open = near.iter().zip(&all).filter(|(_, prepared)| prepared.known.is_none());
        let (ids, places): (Vec<_>, Vec<_>) = open.map(|(&ids, prepared)| (ids, prepared.places)).unzip();
        let found = self.contacts_of_all((&ids, &places), bodies, all_pairs)?;
        let open = all.iter_mut().filter(|prepared| prepared.known.is_none());
        for (prepared, (contacts, spent)) in open.zip(found) {
            prepared.known = Some(Known::of(contacts));
            prepared.contacts = spent;
        }
        if self.request.strategy.device().is_some() {
            let is_unknown = |known: &Known| known.contacts.is_empty() && known.nearest.is_none();
            let is_apart = |prepared: &Prepared| prepared.known.as_ref().is_some_and(is_unknown);
            let apart = near.iter().zip(&all).filter(|(_, prepared)| is_apart(prepared));
            let (apart, asked): (Vec<&(PartId, PartId)>, Vec<[usize; 2]>) =
                apart.map(|(pair, prepared)| (pair, prepared.places)).unzip();
            let reach = largest_reach(self.scene, self.request);
            let found = all_pairs.as_mut().and_then(|all| all.nearest(&asked, reach)).unwrap_or_default();
            let unknown = all.iter_mut().filter(|prepared| is_apart(prepared));
            for ((prepared, &&(a, b)), (nearest, work)) in unknown.zip(&apart).zip(found) {
                let own_reach = request_of(self.scene, self.request, [a, b]).reach();
                let is_within = |nearest: &Nearest| nearest.distance <= own_reach;
                if let Some(known) = &mut prepared.known {
                    known.nearest = nearest.map(|nearest| nearest.filter(is_within));
                }
                *prepared.others.get_or_insert_default().distance += work;
            }
        }
        Ok(all)
    }

    /// Returns the number of contacts of each of some pairs for which memory has room. With a device, as many
    /// pairs wait to be decided meanwhile.
    fn room(&self, pairs: usize) -> usize {
        let pairs = pairs.max(1) * (1 + usize::from(self.request.strategy.device().is_some()));
        usize::try_from(self.memory.left()).unwrap_or(usize::MAX) / CONTACT_BYTES / pairs
    }

    /// Returns the contacts of many pairs, searched together as far as memory has room for the answers.
    fn contacts_of_all(
        &self,
        (ids, near): (&[(PartId, PartId)], &[[usize; 2]]),
        bodies: &dyn Bodies,
        all_pairs: &mut AllPairs,
    ) -> Result<Vec<Contacts>, CheckError> {
        if near.is_empty() {
            return Ok(Vec::new());
        }
        let most = self.room(near.len());
        let on_device = all_pairs.as_mut().and_then(|all| all.contacts(near, most));
        let found: Vec<Contacts> = match on_device {
            Some(found) => found.into_iter().map(|(contacts, work)| (contacts, work.into())).collect(),
            None => parallel::map_items(near, 1, |&pair| contacts(bodies, pair, most)),
        };
        let Some(at) = found.iter().position(|(contacts, _)| contacts.len() > most) else { return Ok(found) };
        drop(found);
        if near.len() == 1 {
            let names = [ids[at].0, ids[at].1].map(|part| self.scene.parts[part.index()].name.clone());
            let cause =
                || format!("more than {most} contacts of triangles of '{}' and '{}'", names[0], names[1]);
            self.memory.take(most + 1, CONTACT_BYTES, cause)?;
        }
        let middle = near.len() / 2;
        let mut all = self.contacts_of_all((&ids[..middle], &near[..middle]), bodies, all_pairs)?;
        all.extend(self.contacts_of_all((&ids[middle..], &near[middle..]), bodies, all_pairs)?);
        Ok(all)
    }
}

/// Searches the contacts of a pair. There are none where the exact boxes of both are apart.
fn contacts(bodies: &dyn Bodies, pair: [usize; 2], most: usize) -> Contacts {
    let mut spent = Spent::default();
    let [a, b] = pair.map(|at| bodies.body(at).bounds());
    if !a.meets(b) {
        spent.box_tests += 1;
        return (Vec::new(), spent);
    }
    (spent.on(|work| bodies.ask(pair, |pair| pair.contacts_up_to(most, work))), spent)
}
