//! The trees of many meshes without their kind: the seam between the search of a pair, which is compiled for
//! each kind of tree, and all that is above it, which is compiled once.

use std::cell::OnceCell;
use std::sync::OnceLock;

use glam::DMat3;

use super::cache::SavedModel;
use super::moving::{MovingShapes, Shape, StretchQuestion};
use super::pairs_on_device::{PairAsked, PairsOnDevice, Touching};
use super::posed_model::{Model, PosedBounds, PosedModel, PosedTree};
use super::static_pair::{StaticPair, answer};
use super::{Hierarchy, Tell};
use crate::continuous::method::Boxes;
use crate::gpu::Device;
use crate::narrow::{Nearest, Work};
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Topology;
use closefit_geometry::parallel;

/// The models of many meshes, with trees of one kind. Each is named by its place, and built once.
pub trait Trees: Send + Sync {
    /// Builds the model at a place: the tree, for poses with a linear part if there is one, and takes its
    /// topology. Any thread may call it, for another place each.
    fn build(&self, model: usize, mesh: &Mesh, linear: Option<DMat3>, topology: Topology, tell: Tell);

    /// Makes the model at a place of what was saved of it, instead of building it. Returns false if that is
    /// of no such model.
    fn restore(&self, model: usize, mesh: &Mesh, linear: Option<DMat3>, saved: SavedModel) -> bool;

    /// Returns a model as [`restore`](Self::restore) takes it. `None` if its tree cannot be saved.
    fn saved(&self, model: usize) -> Option<SavedModel>;

    /// Returns the memory of all trees in bytes.
    fn bytes(&self) -> usize;

    /// Returns the topology of a model.
    fn topology(&self, model: usize) -> &Topology;

    /// Returns the bytes of a body.
    fn body_bytes(&self) -> usize;

    /// Places models, on all threads.
    fn bodies<'a>(&'a self, placed: &[Option<PlacedModel<'a>>]) -> Box<dyn Bodies + 'a>;

    /// Places models on all threads, and keeps them placed. Others can be added for some pairs.
    fn crowd<'a>(&'a self, staying: &[PlacedModel<'a>]) -> Box<dyn Crowd<'a> + 'a>;

    /// Returns two models, to be searched through time.
    fn moving<'a>(&'a self, models: [usize; 2], meshes: [&'a Mesh; 2]) -> Box<dyn MovingShapes + 'a>;

    /// Returns the search of many pairs through time, on a device if there is one.
    fn stretches<'a>(&'a self, device: Option<Device>) -> Box<dyn StretchesOfAll + 'a>;

    /// Returns what an executor finds of two posed models: all triangles in contact or, without contact, the
    /// closest two that are within the limit.
    fn found(
        &self,
        models: [usize; 2],
        posed: [(&Mesh, &Pose); 2],
        limit: f64,
        executor: Executor,
    ) -> (Vec<[u32; 2]>, Option<Nearest>);

    /// Puts a fault into the tree of a model. Returns false if it has no such part.
    #[cfg(any(test, feature = "testing"))]
    fn inject(&mut self, model: usize, fault: super::faults::Fault, at: u64) -> bool;
}

/// A model to be placed.
#[derive(Clone, Copy, Debug)]
pub struct PlacedModel<'a> {
    /// The place of the model.
    pub model: usize,
    /// Its mesh.
    pub mesh: &'a Mesh,
    /// World from mesh.
    pub pose: Pose,
    /// Box of the posed vertices.
    pub bounds: PosedBounds,
    /// True if its open components are declared surfaces.
    pub is_surface: bool,
}

/// Returns the pose of the body at a place, which has been moved, and bounds of it there.
pub type Moved<'m> = dyn Fn(usize) -> (Pose, PosedBounds) + 'm;

/// Bodies with trees of one kind, each named by its place.
pub trait Bodies: Send + Sync {
    /// Returns a body.
    ///
    /// # Panics
    /// Panics if no model was placed there.
    fn body(&self, at: usize) -> &PosedModel<'_>;

    /// Calls `ask` with a pair of bodies.
    fn with_pair(&self, pair: [usize; 2], ask: &mut dyn FnMut(&dyn StaticPair));

    /// Returns the search of many pairs at once, on a device if there is one.
    fn all_pairs(&self, device: Option<Device>) -> Box<dyn PairsOfAll + '_>;

    /// Returns the bodies with some of them, named by their places in ascending order, at other poses. A body
    /// is posed when a pair first needs it.
    fn moved<'s>(&'s self, places: &'s [usize], to: &'s Moved) -> Box<dyn MovedBodies + 's>;
}

/// Bodies that stay placed, to which others can be added for some pairs.
pub trait Crowd<'a>: Send + Sync {
    /// Places as many more models as `count` says, on all threads. They have the places after the bodies that
    /// stay.
    fn with(&self, count: usize, placed: &(dyn Fn(usize) -> PlacedModel<'a> + Sync)) -> Box<dyn Bodies + '_>;
}

/// Bodies. Some have been moved.
pub trait MovedBodies {
    /// Calls `ask` with a pair of bodies.
    fn with_pair(&self, pair: [usize; 2], ask: &mut dyn FnMut(&dyn StaticPair));
}

impl dyn MovedBodies + '_ {
    /// Returns what a pair of bodies answers.
    pub fn ask<R>(&self, pair: [usize; 2], ask: impl FnOnce(&dyn StaticPair) -> R) -> R {
        answer(ask, |ask| self.with_pair(pair, ask))
    }
}

impl dyn Bodies + '_ {
    /// Returns what a pair of bodies answers.
    pub fn ask<R>(&self, pair: [usize; 2], ask: impl FnOnce(&dyn StaticPair) -> R) -> R {
        answer(ask, |ask| self.with_pair(pair, ask))
    }
}

/// The search of many pairs of bodies at once. A device keeps the trees from one call to the next.
pub trait PairsOfAll: Send {
    /// See [`PairsOnDevice::contacts_of_all`].
    fn contacts(&mut self, pairs: &[[usize; 2]], most: usize) -> Option<Vec<(Vec<[u32; 2]>, Work)>>;

    /// Returns whether and where bodies touch at poses of their own: see
    /// [`PairsOnDevice::touching_of_all`]. `posed` has a body and a pose at each place, and pairs name these
    /// places.
    fn touching(
        &mut self,
        posed: &[(usize, Pose)],
        pairs: &[PairAsked<usize>],
        most: usize,
    ) -> Option<Vec<Touching>>;

    /// See [`PairsOnDevice::nearest_of_all`].
    fn nearest(&mut self, pairs: &[[usize; 2]], bound: f64) -> Option<Vec<(Option<Option<Nearest>>, Work)>>;
}

/// The search of many pairs of models through time. A device keeps the trees from one call to the next.
pub trait StretchesOfAll: Send {
    /// See [`PairsOnDevice::open_parts_of_all`].
    fn open_parts(&mut self, boxes: Boxes, questions: &[StretchQuestion<usize>]) -> Option<(Vec<u32>, Work)>;
}

/// Builds a tree of a mesh, for poses with a linear part if there is one.
pub(super) type Build<T> = dyn Fn(&Mesh, Option<DMat3>) -> T + Send + Sync;

/// Models with trees of one kind, which have one executor.
pub(super) struct TreesOf<T: 'static> {
    models: Vec<OnceLock<Model<T>>>,
    executor: Executor,
    /// Builds trees by a recipe, if they are not to be as usual.
    recipe: Option<&'static Build<T>>,
}

impl<T: Hierarchy> TreesOf<T> {
    /// Makes room for a number of models.
    pub fn new(count: usize, executor: Executor, recipe: Option<&'static Build<T>>) -> Self {
        Self { models: (0..count).map(|_| OnceLock::new()).collect(), executor, recipe }
    }

    fn model(&self, at: usize) -> &Model<T> {
        self.models[at].get().expect("the model is built")
    }

    /// Places as many models as `count` says, on all threads; none where `placed` returns none.
    fn place_all<'a>(
        &'a self,
        count: usize,
        placed: impl Fn(usize) -> Option<PlacedModel<'a>> + Sync,
    ) -> Vec<Body<'a, T>> {
        let bodies: Vec<Body<T>> = (0..count).map(|_| OnceLock::new()).collect();
        in_parallel(count, &|at| {
            if let Some(PlacedModel { model, mesh, pose, bounds, is_surface }) = placed(at) {
                let body = || PosedModel::bounded(mesh, self.model(model), pose, bounds);
                bodies[at].get_or_init(|| body().declared_surface(is_surface));
            }
        });
        bodies
    }

    fn set(&self, at: usize, tree: T, topology: Topology) {
        let is_first = self.models[at].set(Model::new(tree, self.executor, topology)).is_ok();
        assert!(is_first, "a model is built once");
    }
}

impl<T: Hierarchy> Trees for TreesOf<T> {
    fn build(&self, model: usize, mesh: &Mesh, linear: Option<DMat3>, topology: Topology, tell: Tell) {
        let tree = match (self.recipe, linear) {
            (Some(build), _) => build(mesh, linear),
            (None, None) => T::build_told(mesh, tell),
            (None, Some(linear)) => T::build_for(mesh, linear),
        };
        self.set(model, tree, topology);
    }

    fn restore(&self, model: usize, mesh: &Mesh, linear: Option<DMat3>, saved: SavedModel) -> bool {
        let SavedModel { tree, topology } = saved;
        if !topology.fits(mesh) {
            return false;
        }
        match T::restored(mesh, linear, &tree) {
            Some(tree) => self.set(model, tree, topology),
            None => return false,
        }
        true
    }

    fn saved(&self, model: usize) -> Option<SavedModel> {
        let model = self.model(model);
        Some(SavedModel { tree: model.tree.saved()?, topology: model.topology.clone() })
    }

    fn bytes(&self) -> usize {
        self.models.iter().filter_map(OnceLock::get).map(|model| model.tree.bytes()).sum()
    }

    fn topology(&self, model: usize) -> &Topology {
        &self.model(model).topology
    }

    fn body_bytes(&self) -> usize {
        size_of::<Body<T>>()
    }

    fn bodies<'a>(&'a self, placed: &[Option<PlacedModel<'a>>]) -> Box<dyn Bodies + 'a> {
        Box::new(BodiesOf { staying: &[], own: self.place_all(placed.len(), |at| placed[at]) })
    }

    fn crowd<'a>(&'a self, staying: &[PlacedModel<'a>]) -> Box<dyn Crowd<'a> + 'a> {
        let staying = self.place_all(staying.len(), |at| Some(staying[at]));
        Box::new(CrowdOf { trees: self, staying })
    }

    fn moving<'a>(&'a self, models: [usize; 2], meshes: [&'a Mesh; 2]) -> Box<dyn MovingShapes + 'a> {
        Box::new([0, 1].map(|side| Shape { mesh: meshes[side], model: self.model(models[side]) }))
    }

    fn stretches<'a>(&'a self, device: Option<Device>) -> Box<dyn StretchesOfAll + 'a> {
        Box::new(ResidentModels { trees: self, residence: device.and_then(T::Residence::on) })
    }

    fn found(
        &self,
        models: [usize; 2],
        posed: [(&Mesh, &Pose); 2],
        limit: f64,
        executor: Executor,
    ) -> (Vec<[u32; 2]>, Option<Nearest>) {
        let [a, b] = [0, 1].map(|side| {
            let (mesh, pose) = posed[side];
            self.model(models[side]).tree.place(mesh, pose, executor)
        });
        let mut work = Work::NONE;
        let contacts = T::contacts(&a, &b, usize::MAX, &mut work);
        let nearest = if contacts.is_empty() { T::nearest(&a, &b, limit, &mut work) } else { None };
        (contacts, nearest)
    }

    #[cfg(any(test, feature = "testing"))]
    fn inject(&mut self, model: usize, fault: super::faults::Fault, at: u64) -> bool {
        self.models[model].get_mut().expect("the model is built").tree.inject(fault, at)
    }
}

/// Number of bodies that are placed in less time than it takes to share them among threads.
const FEW: usize = 64;

/// Calls a function with each number below `count`, on the threads of the current pool if they are many.
fn in_parallel(count: usize, each: &(dyn Fn(usize) + Sync)) {
    parallel::for_each(count, FEW, each);
}

/// A body, once its model is placed.
type Body<'a, T> = OnceLock<PosedModel<'a, PosedTree<'a, T>>>;

struct CrowdOf<'a, T: Hierarchy> {
    trees: &'a TreesOf<T>,
    staying: Vec<Body<'a, T>>,
}

impl<'a, T: Hierarchy> Crowd<'a> for CrowdOf<'a, T> {
    fn with(&self, count: usize, placed: &(dyn Fn(usize) -> PlacedModel<'a> + Sync)) -> Box<dyn Bodies + '_> {
        let own = self.trees.place_all(count, |at| Some(placed(at)));
        Box::new(BodiesOf { staying: &self.staying, own })
    }
}

struct BodiesOf<'s, 'a, T: Hierarchy> {
    /// Bodies of a crowd, which have the first places.
    staying: &'s [Body<'a, T>],
    own: Vec<Body<'a, T>>,
}

impl<'a, T: Hierarchy> BodiesOf<'_, 'a, T> {
    fn at(&self, at: usize) -> &PosedModel<'a, PosedTree<'a, T>> {
        let body = match at.checked_sub(self.staying.len()) {
            None => &self.staying[at],
            Some(at) => &self.own[at],
        };
        body.get().expect("a model is placed there")
    }
}

impl<T: Hierarchy> Bodies for BodiesOf<'_, '_, T> {
    fn body(&self, at: usize) -> &PosedModel<'_> {
        self.at(at)
    }

    fn with_pair(&self, pair: [usize; 2], ask: &mut dyn FnMut(&dyn StaticPair)) {
        ask(&pair.map(|at| self.at(at)));
    }

    fn all_pairs(&self, device: Option<Device>) -> Box<dyn PairsOfAll + '_> {
        Box::new(ResidentBodies { bodies: self, residence: device.and_then(T::Residence::on) })
    }

    fn moved<'m>(&'m self, places: &'m [usize], to: &'m Moved) -> Box<dyn MovedBodies + 'm> {
        let posed = places.iter().map(|_| OnceCell::new()).collect();
        Box::new(MovedBodiesOf { still: self, places, to, posed })
    }
}

/// A moved body, once a pair has needed it.
type MovedBody<'a, T> = OnceCell<Box<PosedModel<'a, PosedTree<'a, T>>>>;

struct MovedBodiesOf<'s, 'a, T: Hierarchy> {
    still: &'s BodiesOf<'s, 'a, T>,
    /// The places of the bodies that have been moved, in ascending order.
    places: &'s [usize],
    to: &'s Moved<'s>,
    posed: Vec<MovedBody<'a, T>>,
}

impl<T: Hierarchy> MovedBodies for MovedBodiesOf<'_, '_, T> {
    fn with_pair(&self, pair: [usize; 2], ask: &mut dyn FnMut(&dyn StaticPair)) {
        ask(&pair.map(|place| match self.places.binary_search(&place) {
            Err(_) => self.still.at(place),
            Ok(moved) => &**self.posed[moved].get_or_init(|| {
                let (pose, bounds) = (self.to)(place);
                Box::new(self.still.at(place).at(pose, bounds))
            }),
        }));
    }
}

/// Bodies whose trees a device may hold.
struct ResidentBodies<'s, 'a, T: Hierarchy> {
    bodies: &'s BodiesOf<'s, 'a, T>,
    residence: Option<T::Residence>,
}

impl<'s, 'a, T: Hierarchy> ResidentBodies<'s, 'a, T> {
    fn posed(&self, pairs: &[[usize; 2]]) -> Vec<[&'s T::Posed<'a>; 2]> {
        let bodies = self.bodies;
        pairs.iter().map(|pair| pair.map(|at| &bodies.at(at).tree.0)).collect()
    }
}

impl<T: Hierarchy> PairsOfAll for ResidentBodies<'_, '_, T> {
    fn contacts(&mut self, pairs: &[[usize; 2]], most: usize) -> Option<Vec<(Vec<[u32; 2]>, Work)>> {
        let pairs = self.posed(pairs);
        self.residence.as_mut()?.contacts_of_all(&pairs, most)
    }

    fn touching(
        &mut self,
        posed: &[(usize, Pose)],
        pairs: &[PairAsked<usize>],
        most: usize,
    ) -> Option<Vec<Touching>> {
        let (bodies, residence) = (self.bodies, self.residence.as_mut()?);
        let posed = parallel::map_items(posed, parallel::SMALL, |(at, pose)| bodies.at(*at).tree_at(pose));
        let of =
            |&PairAsked { pair, any }: &PairAsked<usize>| PairAsked { pair: pair.map(|at| &posed[at]), any };
        residence.touching_of_all(&pairs.iter().map(of).collect::<Vec<_>>(), most)
    }

    fn nearest(&mut self, pairs: &[[usize; 2]], bound: f64) -> Option<Vec<(Option<Option<Nearest>>, Work)>> {
        let pairs = self.posed(pairs);
        self.residence.as_mut()?.nearest_of_all(&pairs, bound)
    }
}

/// Models whose trees a device may hold.
struct ResidentModels<'a, T: Hierarchy> {
    trees: &'a TreesOf<T>,
    residence: Option<T::Residence>,
}

impl<T: Hierarchy> StretchesOfAll for ResidentModels<'_, T> {
    fn open_parts(&mut self, boxes: Boxes, questions: &[StretchQuestion<usize>]) -> Option<(Vec<u32>, Work)> {
        let trees = self.trees;
        let of = |question: &StretchQuestion<usize>| question.of(|&model| &trees.model(model).tree);
        let questions: Vec<StretchQuestion<&T>> = questions.iter().map(of).collect();
        self.residence.as_mut()?.open_parts_of_all(boxes, &questions)
    }
}
