//! Asks several kinds of trees, each with every executor that it has, what they find of every candidate pair
//! of a scene: all triangles in contact or, without contact, the closest two. All answers must be
//! the same, bit by bit, and agree with the records of a check, which may come from trees of a cache, from a
//! device, or from an earlier run.

#[cfg(any(test, feature = "testing"))]
pub mod injected;
#[cfg(any(test, feature = "testing"))]
pub mod marked;

use glam::DMat3;

use super::candidates::Candidates;
use super::check::standing_candidates;
use super::models::Wanted;
use super::pair_request::{largest_reach, request_of};
use super::reduce::reduced;
use super::{BuiltTrees, CheckError, Observer, PosedBoxes, Stage, most_kept, take_scene, too_many_kept};
use crate::broad::frames::Frames;
use crate::bvh::kind::TreeKind;
use crate::bvh::strategy::Strategy;
use crate::bvh::trees::Trees;
use crate::narrow::Nearest;
use crate::query::{CheckRequest, PairRecord, Verdict};
use closefit_geometry::executor::Executor;
use closefit_geometry::ids::{MeshId, PartId};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::memory::{MemoryAccount, OutOfMemory};
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Topology;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// The outcome of [`cross_check`].
#[derive(Clone, Debug, PartialEq)]
pub struct CrossChecked {
    /// The strategies, the request's first, and the number of pairs about which each agrees with it and
    /// with the records.
    pub agreed: Vec<(Strategy, u64)>,
    /// The first pair about which some do not agree. Later pairs are not compared.
    pub disagreement: Option<Disagreement>,
    /// The trees that were built, kind by kind.
    pub built: Vec<BuiltTrees>,
}

/// A strategy that does not agree about a pair with the request's strategy, or with the records.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// The parts.
    pub parts: [PartId; 2],
    /// The strategy of the request, `None` for the records of the check, and one that found something else.
    pub strategies: (Option<Strategy>, Strategy),
    /// The findings of both, in words.
    pub found: [String; 2],
    /// Some of each part's triangles, few, about which the two strategies still do not agree; the parts' own
    /// if a record does not.
    pub meshes: [Mesh; 2],
    /// The parts' poses.
    pub poses: [Pose; 2],
}

/// The share of trees in the record of a pair.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    contacts: Vec<[u32; 2]>,
    nearest: Option<Nearest>,
}

impl Answer {
    /// Asks two posed models of trees.
    fn of(
        trees: &dyn Trees,
        models: [usize; 2],
        posed: [(&Mesh, &Pose); 2],
        limit: f64,
        executor: Executor,
    ) -> Self {
        let (contacts, nearest) = trees.found(models, posed, limit, executor);
        Self { contacts, nearest }
    }

    fn in_words(&self) -> String {
        match (self.contacts.len() as u64, &self.nearest) {
            (0, Some(Nearest { distance, triangles: [a, b] })) => {
                format!("triangles {a} and {b} closest at {distance:e}")
            }
            (0, None) => NOTHING.to_owned(),
            (count, _) => contacts_in_words(count),
        }
    }
}

const NOTHING: &str = "nothing within the limit";

fn contacts_in_words(count: u64) -> String {
    if count == 1 { "1 contact".to_owned() } else { format!("{count} contacts") }
}

/// The records of a check that are compared: of all its pairs that are not clear.
struct Records<'a> {
    scene: &'a Scene,
    request: &'a CheckRequest,
    /// Sorted by ids.
    pairs: &'a [PairRecord],
    /// The distance up to which strategies search.
    limit: f64,
}

impl Records<'_> {
    fn of(&self, ids: [PartId; 2]) -> Option<&PairRecord> {
        self.pairs.binary_search_by_key(&ids, |record| record.ids).ok().map(|at| &self.pairs[at])
    }

    /// True if the record of a pair, or that it has none, is what an answer says.
    fn agree(&self, ids: [PartId; 2], Answer { contacts, nearest }: &Answer) -> bool {
        let Some(record) = self.of(ids) else {
            let reach = request_of(self.scene, self.request, ids).reach();
            return contacts.is_empty() && nearest.is_none_or(|nearest| nearest.distance > reach);
        };
        // Of a pair that was left open there is nothing to compare.
        let is_open = record.verdict == Verdict::Undecided && record.distance.is_infinite();
        let same_contacts = record.contacts == contacts.len() as u64
            && record.triangles.as_ref().is_none_or(|triangles| triangles == contacts);
        let same_distance = match nearest {
            _ if !contacts.is_empty() => record.distance == 0.0,
            Some(nearest) => record.distance == nearest.distance,
            // A contained pair has a record at any distance.
            None => record.distance > self.limit,
        };
        is_open || same_contacts && same_distance
    }

    fn in_words(&self, ids: [PartId; 2]) -> String {
        match self.of(ids) {
            None => NOTHING.to_owned(),
            Some(PairRecord { contacts: 0, distance, .. }) => format!("a distance of {distance:e}"),
            Some(record) => contacts_in_words(record.contacts),
        }
    }
}

/// Compares the request's strategy with the strategies of some kinds of trees, in their order, for every
/// candidate pair, at the parts' poses; and all of them with the sorted records of all pairs that the
/// request does not find clear, decided before. The result does not depend on the number of threads.
///
/// # Errors
/// [`CheckError`].
pub fn cross_check(
    scene: &Scene,
    posed: &PosedBoxes,
    (request, pairs): (&CheckRequest, &[PairRecord]),
    kinds: &[TreeKind],
    observer: &dyn Observer,
) -> Result<CrossChecked, CheckError> {
    let memory = MemoryAccount::new(request.memory);
    take_scene(&memory, scene)?;
    let limit = largest_reach(scene, request);
    let mut frames = Frames::new(request.broad, limit).keeping(most_kept(&memory));
    let frame = frames.next(&posed.boxes).map_err(|_| too_many_kept(&memory))?;
    let candidates = standing_candidates(scene, &posed.boxes, request, &frame, observer)?;
    let own = request.strategy.tree();
    let kinds = each_once(own, kinds);
    let built = kinds
        .iter()
        .map(|&kind| Compared::build(kind, (scene, &candidates.is_in_pair), limit, &memory, observer));
    let built: Vec<Compared> = built.collect::<Result<_, _>>()?;
    let mut strategies: Vec<(Strategy, &Compared)> = kinds
        .iter()
        .zip(&built)
        .flat_map(|(&kind, built)| Strategy::all_of(kind).map(move |strategy| (strategy, built)))
        .collect();
    let is_own =
        |strategy: Strategy| strategy.tree() == own && strategy.executor() == request.strategy.executor();
    strategies.sort_by_key(|&(strategy, _)| !is_own(strategy));
    let built =
        kinds.iter().zip(&built).map(|(&kind, of)| BuiltTrees::of(kind, of.count, &*of.trees)).collect();
    let records = Records { scene, request, pairs, limit };
    Ok(CrossChecked { built, ..compare(&candidates, &strategies, &records, observer)? })
}

/// Returns the kinds to be built, in the order given, each once. The kind of the request comes first if it
/// is not among them.
fn each_once(own: TreeKind, kinds: &[TreeKind]) -> Vec<TreeKind> {
    let own = Some(own).filter(|own| !kinds.contains(own));
    let mut once = Vec::new();
    for kind in own.into_iter().chain(kinds.iter().copied()) {
        if !once.contains(&kind) {
            once.push(kind);
        }
    }
    once
}

fn compare(
    candidates: &Candidates,
    strategies: &[(Strategy, &Compared)],
    records: &Records,
    observer: &dyn Observer,
) -> Result<CrossChecked, CheckError> {
    observer.begin(Stage::CrossChecking, candidates.total);
    let mut agreed: Vec<(Strategy, u64)> = strategies.iter().map(|&(strategy, _)| (strategy, 0)).collect();
    let mut differing = None;
    candidates.for_each(|pairs| {
        if differing.is_some() {
            return Ok(());
        }
        // The strategy that disagrees about a pair, by its place in the list: the first one disagrees with a
        // record.
        let ask = |&(a, b): &(PartId, PartId)| {
            if observer.cancelled() {
                return Err(CheckError::Interrupted);
            }
            let (own, others) = strategies.split_first().expect("that of the request");
            let answer = own.1.ask([a, b], own.0.executor());
            let disagrees =
                |(strategy, trees): &(Strategy, &Compared)| trees.ask([a, b], strategy.executor()) != answer;
            let other = others.iter().position(disagrees).map(|place| place + 1);
            observer.advance();
            Ok(other.or_else(|| (!records.agree([a, b], &answer)).then_some(0)))
        };
        let others =
            parallel::map_items(pairs, 1, ask).into_iter().collect::<Result<Vec<Option<usize>>, _>>()?;
        let first = others.iter().position(Option::is_some);
        let before = first.unwrap_or(pairs.len());
        agreed.iter_mut().for_each(|(_, pairs)| *pairs += before as u64);
        differing = first.and_then(|at| Some((pairs[at], others[at]?)));
        Ok(())
    })?;
    let disagreement = differing.map(|((a, b), place)| {
        let Records { scene, limit, .. } = *records;
        let [own, other] = [strategies[0], strategies[place]];
        let in_words =
            |(strategy, trees): (Strategy, &Compared)| trees.ask([a, b], strategy.executor()).in_words();
        let parts = [a, b].map(|part| &scene.parts[part.index()]);
        let meshes = parts.map(|part| &*scene.meshes[part.mesh.index()]);
        let poses = parts.map(|part| part.pose);
        let (with, found, meshes) = match place {
            0 => (None, [records.in_words([a, b]), in_words(own)], meshes.map(Mesh::clone)),
            _ => {
                let still = |meshes: [&Mesh; 2]| disagree(meshes, &poses, [own.0, other.0], limit);
                (Some(own.0), [own, other].map(in_words), reduced(meshes, still))
            }
        };
        Disagreement { parts: [a, b], strategies: (with, other.0), found, meshes, poses }
    });
    Ok(CrossChecked { agreed, disagreement, built: Vec::new() })
}

/// True if two strategies find something else of two posed meshes.
fn disagree(meshes: [&Mesh; 2], poses: &[Pose; 2], strategies: [Strategy; 2], limit: f64) -> bool {
    let [own, other] = strategies.map(|strategy| {
        let (kind, executor) = (strategy.tree(), strategy.executor());
        let linear = |pose: &Pose| Some(pose.linear()).filter(|linear| kind.is_built_for(linear));
        let trees = build(kind, &[0, 1].map(|side| (meshes[side], linear(&poses[side]))), &|| ());
        Answer::of(&*trees, [0, 1], [0, 1].map(|side| (meshes[side], &poses[side])), limit, executor)
    });
    own != other
}

/// Builds trees over meshes, for linear parts of poses, and calls `tell` when each is built.
fn build(kind: TreeKind, models: &[(&Mesh, Option<DMat3>)], tell: &(dyn Fn() + Sync)) -> Box<dyn Trees> {
    let trees = kind.trees(models.len(), kind.executors()[0]);
    parallel::for_each(models.len(), 1, &|place| {
        let (mesh, linear) = models[place];
        trees.build(place, mesh, linear, Topology::default(), &|_| ());
        tell();
    });
    #[cfg(any(test, feature = "testing"))]
    let trees = marked::spoiled(trees, kind, models);
    trees
}

/// Trees of one kind for the parts of a scene.
struct Compared<'a> {
    scene: &'a Scene,
    count: usize,
    trees: Box<dyn Trees>,
    /// The place among `trees`, by part.
    of_part: Vec<Option<usize>>,
    limit: f64,
}

impl<'a> Compared<'a> {
    /// Builds the trees of a kind for all parts that are in a pair.
    fn build(
        kind: TreeKind,
        (scene, is_in_pair): (&'a Scene, &[bool]),
        limit: f64,
        memory: &MemoryAccount,
        observer: &dyn Observer,
    ) -> Result<Self, OutOfMemory> {
        let linear = |part: PartId| scene.parts[part.index()].pose.linear();
        let wanted = Wanted::of(|linear| kind.is_built_for(linear), scene, is_in_pair, linear);
        wanted.take(scene, memory)?;
        observer.begin(Stage::Building, wanted.models.len() as u64);
        let of_mesh = |&(mesh, linear): &(MeshId, _)| (&*scene.meshes[mesh.index()], linear);
        let models: Vec<_> = wanted.models.iter().map(of_mesh).collect();
        let trees = build(kind, &models, &|| observer.advance());
        Ok(Self { scene, count: models.len(), trees, of_part: wanted.of_part, limit })
    }

    /// Returns what a search by these trees finds of a pair.
    fn ask(&self, parts: [PartId; 2], executor: Executor) -> Answer {
        let places = parts.map(|part| self.of_part[part.index()].expect("it is in a candidate pair"));
        let posed = parts.map(|part| {
            let part = &self.scene.parts[part.index()];
            (&*self.scene.meshes[part.mesh.index()], &part.pose)
        });
        Answer::of(&*self.trees, places, posed, self.limit, executor)
    }
}
