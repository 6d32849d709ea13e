//! The engines of closefit, and a pair of meshes before one of them: the only place that knows how each is
//! built and asked.

use std::cell::RefCell;

use closefit::backend::Backend;
use closefit::bounds::aabb::Aabb;
use closefit::continuous;
use closefit::hierarchy::body::{Body, Model};
use closefit::hierarchy::obb8::Obb8;
use closefit::hierarchy::obb8::posed::Posed;
use closefit::hierarchy::tree::Tree;
use closefit::math::pose::{LARGEST, Pose};
use closefit::mesh::Mesh;
use closefit::mesh::topology::Topology;
use closefit::motion::pair::{Mover, PairMotion};
use closefit::motion::{Frames, Joint, Motion};
use closefit::narrow::tree_tree::wide::coherence::Coherence;
use closefit::narrow::tree_tree::wide::{contacts, nearest};
use closefit::narrow::tree_tree::{self, Work};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Two meshes ready for questions: the first stands at the origin, each question poses the second. `None`
/// answers where the pose takes the second mesh out of the admissible range.
pub trait Pair {
    /// Is any triangle of one in contact with one of the other?
    fn touches(&self, pose: &Pose) -> Option<bool>;
    /// All pairs of triangles in contact, sorted.
    fn contacts(&self, pose: &Pose) -> Option<Vec<[u32; 2]>>;
    /// The smallest distance, 0 in contact.
    fn distance(&self, pose: &Pose) -> Option<f64>;
    /// When the second mesh, along a motion from time 0 to 1, first comes within half a precision of the
    /// first: `Some(None)` for never.
    fn time_of_contact(&self, _motion: &Motion, _precision: f64) -> Option<Option<f64>> {
        None
    }
}

/// The pair for the engine that a harness calls by this name: `scalar`, the reference; `simd` or `closefit`,
/// the default; `coherent`, the default with its memory of the last query.
pub fn build(kind: &str, meshes: [Mesh; 2]) -> Option<Box<dyn Pair>> {
    match kind {
        "scalar" => Some(Box::new(Reference::build(meshes))),
        "simd" | "closefit" => Some(Box::new(Wide::build(&meshes))),
        "coherent" => Some(Box::new(Coherent::build(&meshes))),
        _ => None,
    }
}

/// Binary trees, one box and one triangle at a time.
struct Reference {
    meshes: [Mesh; 2],
    models: [Model; 2],
    fixed: Aabb,
}

impl Reference {
    fn build(meshes: [Mesh; 2]) -> Self {
        // No question here is about solids, so components are not looked for.
        let model = |mesh| Model::new(Tree::build(mesh, Backend::Scalar), Topology::default());
        let models = meshes.each_ref().map(model);
        let fixed = meshes[0].posed_bounds(&Pose::IDENTITY);
        Self { meshes, models, fixed }
    }

    fn ask<T>(&self, pose: &Pose, question: impl FnOnce(&Body, &Body) -> T) -> Option<T> {
        let [fixed, moved] = &self.meshes;
        // The exact box of every posed vertex, as parts of a scene have it: linear time for each question.
        let bounds = moved.posed_bounds(pose);
        let reach = bounds.lo.abs().max(bounds.hi.abs()).max_element();
        (pose.is_finite() && reach <= LARGEST).then(|| {
            let a = Body::new(fixed, &self.models[0], Pose::IDENTITY, self.fixed);
            let b = Body::new(moved, &self.models[1], *pose, bounds);
            question(&a, &b)
        })
    }
}

impl Pair for Reference {
    fn touches(&self, pose: &Pose) -> Option<bool> {
        self.ask(pose, |a, b| tree_tree::touches(a, b, &mut Work::default()))
    }

    fn contacts(&self, pose: &Pose) -> Option<Vec<[u32; 2]>> {
        self.ask(pose, |a, b| tree_tree::contacts(a, b, &mut Work::default()))
    }

    fn distance(&self, pose: &Pose) -> Option<f64> {
        self.ask(pose, |a, b| {
            let work = &mut Work::default();
            if tree_tree::touches(a, b, work) {
                return 0.0;
            }
            let nearest = tree_tree::nearest(a, b, f64::INFINITY, work);
            nearest.expect("no distance exceeds infinity").distance
        })
    }
}

thread_local! {
    /// The calling thread.
    static ALONE: ThreadPool = ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build()
        .expect("a pool of this thread");
}

/// Does some work on the calling thread alone, so that its clock shows all of it.
pub fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    ALONE.with(|alone| alone.install(work))
}

fn tree(mesh: &Mesh) -> Obb8 {
    alone(|| Obb8::build(mesh))
}

/// Wide trees in lanes.
struct Wide {
    trees: [Obb8; 2],
    movers: [Mover; 2],
    scratch: RefCell<(contacts::Scratch, nearest::Scratch)>,
    over_time: RefCell<continuous::Scratch>,
}

impl Wide {
    fn build(meshes: &[Mesh; 2]) -> Self {
        let trees = meshes.each_ref().map(tree);
        let movers = trees.each_ref().map(mover);
        Self { trees, movers, scratch: RefCell::default(), over_time: RefCell::default() }
    }

    fn ask<T>(
        &self,
        pose: &Pose,
        question: impl FnOnce(&Posed, &Posed, &mut contacts::Scratch, &mut nearest::Scratch) -> T,
    ) -> Option<T> {
        let [a, b] = &self.trees;
        let (contacts, nearest) = &mut *self.scratch.borrow_mut();
        let (a, b) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pose));
        b.is_admissible().then(|| question(&a, &b, contacts, nearest))
    }
}

/// A mesh of a tree, as its motion sees it.
fn mover(tree: &Obb8) -> Mover {
    Mover::of(Pose::IDENTITY, None, &tree.vertices)
}

impl Pair for Wide {
    fn time_of_contact(&self, motion: &Motion, precision: f64) -> Option<Option<f64>> {
        let mut frames = Frames::default();
        let frame = Some(frames.add(None, Joint::Moving(motion.clone())));
        let [a, b] = self.movers;
        let pair = PairMotion::new(&frames, [a, Mover { frame, ..b }]);
        let span = pair.span(0.0, 1.0);
        let cells = span.cells(precision).ok()?;
        let [a, b] = &self.trees;
        let (scratch, work) = (&mut *self.over_time.borrow_mut(), &mut Work::default());
        let range = 0..cells.count();
        let found =
            continuous::wide_first_within([a, b], (&span, &cells), range, 0.5 * precision, scratch, work);
        Some(found.map(|cell| cells.middle(cells.cell(cell))))
    }

    fn touches(&self, pose: &Pose) -> Option<bool> {
        self.ask(pose, |a, b, scratch, _| contacts::touches(a, b, scratch, &mut Work::default()))
    }

    fn contacts(&self, pose: &Pose) -> Option<Vec<[u32; 2]>> {
        self.ask(pose, |a, b, scratch, _| contacts::contacts(a, b, scratch, &mut Work::default()))
    }

    fn distance(&self, pose: &Pose) -> Option<f64> {
        self.ask(pose, |a, b, _, scratch| {
            let nearest = nearest::nearest(a, b, f64::INFINITY, scratch, &mut Work::default());
            nearest.expect("no distance exceeds infinity").distance
        })
    }
}

/// Wide trees, and what the last queries found.
struct Coherent {
    wide: Wide,
    coherence: RefCell<Coherence>,
}

impl Coherent {
    fn build(meshes: &[Mesh; 2]) -> Self {
        Self { wide: Wide::build(meshes), coherence: RefCell::default() }
    }
}

impl Pair for Coherent {
    fn touches(&self, pose: &Pose) -> Option<bool> {
        let coherence = &mut *self.coherence.borrow_mut();
        self.wide.ask(pose, |a, b, _, scratch| coherence.touches(a, b, scratch, &mut Work::default()))
    }

    fn contacts(&self, _pose: &Pose) -> Option<Vec<[u32; 2]>> {
        None
    }

    fn distance(&self, pose: &Pose) -> Option<f64> {
        let coherence = &mut *self.coherence.borrow_mut();
        self.wide.ask(pose, |a, b, _, scratch| {
            let nearest = coherence.nearest(a, b, f64::INFINITY, scratch, &mut Work::default());
            nearest.expect("no distance exceeds infinity").distance
        })
    }
}
