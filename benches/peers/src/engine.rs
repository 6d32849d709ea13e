//! The engines of closefit, each as a pair of meshes to query. Only this file knows how an engine is built
//! and queried.

use std::cell::RefCell;

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::moving::{MovingPair, Scratch, Shape};
use closefit::internals::bvh::posed_model::{Model, PosedModel, PosedTree};
use closefit::internals::bvh::static_pair::StaticPair as _;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::coherence::Coherence;
use closefit::internals::bvh::wide_obb::search::{contacts, nearest};
use closefit::{Aabb, Executor, Mesh, Method, Motion, Pose, Work};
use closefit_geometry::math::pose::LARGEST;
use closefit_geometry::mesh::topology::Topology;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::{Frames, Joint};
use closefit_methods::internals::binary_obb::BinaryObb;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Two meshes ready for queries. The first is at the origin, and each query poses the second. The answer is
/// `None` if the pose takes the second mesh out of the admissible range.
pub trait Pair {
    /// Returns true if any triangle of one is in contact with one of the other.
    fn touches(&self, pose: &Pose) -> Option<bool>;
    /// Returns all pairs of triangles in contact, sorted.
    fn contacts(&self, pose: &Pose) -> Option<Vec<[u32; 2]>>;
    /// Returns the smallest distance, 0 in contact.
    fn distance(&self, pose: &Pose) -> Option<f64>;
    /// Returns the time at which the second mesh, along a motion from time 0 to 1, first comes within half a
    /// precision of the first; `Some(None)` if never.
    fn time_of_impact(&self, _motion: &Motion, _precision: f64) -> Option<Option<f64>> {
        None
    }
}

/// Creates the pair for the engine of this name: `scalar`, the reference; `simd` or `closefit`, the default;
/// `coherent`, the default with a memory of the last query.
pub fn build(kind: &str, meshes: [Mesh; 2]) -> Option<Box<dyn Pair>> {
    match kind {
        "scalar" => Some(Box::new(Reference::build(meshes))),
        "simd" | "closefit" => Some(Box::new(Wide::build(meshes))),
        "coherent" => Some(Box::new(Coherent::build(meshes))),
        _ => None,
    }
}

type Placed<'a> = PosedModel<'a, PosedTree<'a, BinaryObb>>;

/// Creates a model without topology, since no query here is about solids.
fn model<T: Hierarchy>(tree: T, executor: Executor) -> Model<T> {
    Model::new(tree, executor, Topology::default())
}

/// Binary trees, one box and one triangle at a time.
struct Reference {
    meshes: [Mesh; 2],
    models: [Model<BinaryObb>; 2],
    fixed: Aabb,
}

impl Reference {
    fn build(meshes: [Mesh; 2]) -> Self {
        let models = meshes.each_ref().map(|mesh| model(BinaryObb::build(mesh), Executor::Scalar));
        let fixed = meshes[0].posed_bounds(&Pose::IDENTITY);
        Self { meshes, models, fixed }
    }

    fn ask<T>(&self, pose: &Pose, question: impl FnOnce([&Placed; 2]) -> T) -> Option<T> {
        let [fixed, moved] = &self.meshes;
        // The exact box of all posed vertices, as the parts of a scene have: linear time for each query.
        let bounds = moved.posed_bounds(pose);
        let reach = bounds.lo.abs().max(bounds.hi.abs()).max_element();
        (pose.is_finite() && reach <= LARGEST).then(|| {
            let a = PosedModel::new(fixed, &self.models[0], Pose::IDENTITY, self.fixed);
            let b = PosedModel::new(moved, &self.models[1], *pose, bounds);
            question([&a, &b])
        })
    }
}

impl Pair for Reference {
    fn touches(&self, pose: &Pose) -> Option<bool> {
        self.ask(pose, |pair| pair.touches(&mut Work::default()))
    }

    fn contacts(&self, pose: &Pose) -> Option<Vec<[u32; 2]>> {
        self.ask(pose, |pair| pair.contacts(&mut Work::default()))
    }

    fn distance(&self, pose: &Pose) -> Option<f64> {
        self.ask(pose, |pair| {
            let work = &mut Work::default();
            if pair.touches(work) {
                return 0.0;
            }
            let nearest = pair.nearest(f64::INFINITY, work);
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

/// Runs some work on the calling thread alone, so that its clock covers all of it.
pub fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    ALONE.with(|alone| alone.install(work))
}

fn tree(mesh: &Mesh) -> WideObb {
    alone(|| WideObb::build(mesh))
}

/// Wide trees in lanes.
struct Wide {
    meshes: [Mesh; 2],
    models: [Model<WideObb>; 2],
    placed: [PlacedPart; 2],
    scratch: RefCell<(contacts::Scratch, nearest::Scratch)>,
}

impl Wide {
    fn build(meshes: [Mesh; 2]) -> Self {
        let models = meshes.each_ref().map(|mesh| model(tree(mesh), Executor::Simd));
        let placed = models.each_ref().map(|model| placed(&model.tree));
        Self { meshes, models, placed, scratch: RefCell::default() }
    }

    fn ask<T>(
        &self,
        pose: &Pose,
        question: impl FnOnce(&PosedWideObb, &PosedWideObb, &mut contacts::Scratch, &mut nearest::Scratch) -> T,
    ) -> Option<T> {
        let [a, b] = self.models.each_ref().map(|model| &model.tree);
        let (contacts, nearest) = &mut *self.scratch.borrow_mut();
        let (a, b) = (PosedWideObb::new(a, &Pose::IDENTITY), PosedWideObb::new(b, pose));
        pose.keeps_in_range(b.tree.largest_coordinate).then(|| question(&a, &b, contacts, nearest))
    }
}

/// Returns the extents of a tree's mesh, as its motion needs them.
fn placed(tree: &WideObb) -> PlacedPart {
    PlacedPart::of(Pose::IDENTITY, None, &tree.vertices)
}

impl Pair for Wide {
    fn time_of_impact(&self, motion: &Motion, precision: f64) -> Option<Option<f64>> {
        let mut frames = Frames::default();
        let frame = Some(frames.add(None, Joint::Moving(motion.clone())));
        let [a, b] = self.placed;
        let pair = PairMotion::new(&frames, [a, PlacedPart { frame, ..b }]);
        let span = pair.span(0.0, 1.0);
        let cells = span.cells(precision).ok()?;
        let shapes = [0, 1].map(|side| Shape { mesh: &self.meshes[side], model: &self.models[side] });
        let pair = MovingPair {
            shapes: &shapes,
            motion: &span,
            cells: &cells,
            method: Method::FASTEST,
            hulls: None,
            known: None,
        };
        let (scratch, work) = (&mut Scratch::of(&shapes), &mut Work::default());
        let found = pair.first_within(0..cells.count(), 0.5 * precision, scratch, work);
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

/// Wide trees with a memory of the last queries.
struct Coherent {
    wide: Wide,
    coherence: RefCell<Coherence>,
}

impl Coherent {
    fn build(meshes: [Mesh; 2]) -> Self {
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
