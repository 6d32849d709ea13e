//! Trees with a fault, which tests put into them, over the mesh of a scene, and their cross-check with trees
//! that are in order.

use super::*;
use crate::broad::method::BroadPhase;
use crate::bvh::faults::Fault;
use crate::engine::Unobserved;
use crate::engine::check::check_posed;
use crate::engine::journal::NoJournal;

/// Trees of one kind over the first mesh of a scene, which all parts have.
pub struct FaultyTrees<'a> {
    kind: TreeKind,
    compared: Compared<'a>,
}

impl<'a> FaultyTrees<'a> {
    /// Builds the tree and puts a fault into it, if one is given, at a place that is picked by a number.
    /// Returns `None` if the tree has no such part. Distances beyond the limit are not looked for.
    pub fn build(scene: &'a Scene, kind: TreeKind, fault: Option<(Fault, u64)>, limit: f64) -> Option<Self> {
        let mut trees = build(kind, &[(&scene.meshes[0], None)], &|| ());
        if fault.is_some_and(|(fault, at)| !trees.inject(0, fault, at)) {
            return None;
        }
        let of_part = vec![Some(0); scene.parts.len()];
        Some(Self { kind, compared: Compared { scene, count: 1, trees, of_part, limit } })
    }

    /// Returns what an executor finds of a pair: its contacts or, without contact, the closest triangles.
    pub fn ask(&self, parts: [PartId; 2], executor: Executor) -> (Vec<[u32; 2]>, Option<Nearest>) {
        let Answer { contacts, nearest } = self.compared.ask(parts, executor);
        (contacts, nearest)
    }

    /// Compares trees of another kind, which are in order, with these for every candidate pair. Parts of all
    /// pairs are expected to be near.
    pub fn cross_check(&self, own: TreeKind) -> CrossChecked {
        let Compared { scene, limit, .. } = self.compared;
        let posed = PosedBoxes::new(scene, None).expect("in range");
        let mut frames = Frames::new(BroadPhase::default(), limit);
        let frame = frames.next(&posed.boxes).expect("no limit");
        let request = CheckRequest::default().clearance(limit);
        let candidates = standing_candidates(scene, &posed.boxes, &request, &frame, &Unobserved);
        let candidates = candidates.expect("no limit");
        let pairs = scene.parts.len() * (scene.parts.len() - 1) / 2;
        assert_eq!(candidates.total, pairs as u64);
        let memory = MemoryAccount::new(None);
        let of_pairs = (scene, &candidates.is_in_pair[..]);
        let built = Compared::build(own, of_pairs, limit, &memory, &Unobserved).expect("no limit");
        let own = Strategy::new(own, None).expect("it has an executor");
        let faulty = Strategy::all_of(self.kind).map(|strategy| (strategy, &self.compared));
        let strategies: Vec<(Strategy, &Compared)> = std::iter::once((own, &built)).chain(faulty).collect();
        let checked = check_posed(scene, &posed, &request, &Unobserved, &NoJournal).expect("no limit");
        let records = Records { scene, request: &request, pairs: &checked.pairs, limit };
        compare(&candidates, &strategies, &records, &Unobserved).expect("not stopped")
    }
}
