//! Kinds of trees that find all contacts of two bodies, with their work in comparable units.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::search::contacts;
use closefit::{Mesh, Pose, Work};
use closefit_geometry::executor::Executor;
use closefit_methods::internals::binary_obb::{BinaryObb, Recipe};
use closefit_methods::internals::box_tree::BoxTree;
use closefit_methods::internals::octree::{Median, Octree, Uniform};
use closefit_methods::internals::volumes::{
    Kdop, LaneWork, PosedVolumes, Sphere, Volume, VolumeTree, count_contacts,
};

/// The work of finding all contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    pub work: Work,
    /// Number of boxes tested, without empty lanes.
    pub boxes: u64,
    /// Number of pairs of triangles in contact.
    pub contacts: u64,
}

impl Found {
    pub fn plus(mut self, other: Self) -> Self {
        self.work += other.work;
        Self { boxes: self.boxes + other.boxes, contacts: self.contacts + other.contacts, ..self }
    }
}

/// The trees of two bodies.
pub trait Trees: Sync {
    /// Finds all contacts at two poses.
    fn ask(&self, poses: [&Pose; 2]) -> Found;
}

/// A kind of tree: its name, and how it is built.
pub type Kind = (&'static str, fn(&[Mesh; 2]) -> Box<dyn Trees>);

/// RAPID's tree as the paper prints it.
pub const PRINTED: Kind = ("rapid", |meshes| {
    let trees = meshes.each_ref().map(|mesh| BinaryObb::build_as(mesh, &Recipe::PRINTED));
    Box::new(Of { trees, meshes: meshes.clone(), executor: Executor::Scalar, count: one_by_one::<BinaryObb> })
});

/// The other kinds.
pub const OTHERS: [Kind; 10] = [
    ("obb, plain code", |meshes| built::<WideObb>(meshes, Executor::Scalar, wide)),
    ("obb, lanes", |meshes| built::<WideObb>(meshes, Executor::default(), wide)),
    ("sphere", |meshes| built::<VolumeTree<Sphere>>(meshes, Executor::default(), lanes)),
    ("kdop6", |meshes| built::<VolumeTree<Kdop<3>>>(meshes, Executor::default(), lanes)),
    ("kdop14", |meshes| built::<VolumeTree<Kdop<7>>>(meshes, Executor::default(), lanes)),
    ("kdop18", |meshes| built::<VolumeTree<Kdop<9>>>(meshes, Executor::default(), lanes)),
    ("kdop26", |meshes| built::<VolumeTree<Kdop<13>>>(meshes, Executor::default(), lanes)),
    ("box", |meshes| built::<BoxTree>(meshes, Executor::default(), one_by_one::<BoxTree>)),
    ("octree", |meshes| built::<Octree<Uniform>>(meshes, Executor::default(), lanes)),
    ("octree-median", |meshes| built::<Octree<Median>>(meshes, Executor::default(), lanes)),
];

type Count<T> = fn(&<T as Hierarchy>::Posed<'_>, &<T as Hierarchy>::Posed<'_>, &mut Found);

/// Trees of a kind, and how their contacts are counted.
struct Of<T: Hierarchy> {
    trees: [T; 2],
    meshes: [Mesh; 2],
    executor: Executor,
    count: Count<T>,
}

fn built<T: Hierarchy>(meshes: &[Mesh; 2], executor: Executor, count: Count<T>) -> Box<dyn Trees> {
    Box::new(Of::<T> { trees: meshes.each_ref().map(T::build), meshes: meshes.clone(), executor, count })
}

impl<T: Hierarchy> Trees for Of<T> {
    fn ask(&self, poses: [&Pose; 2]) -> Found {
        let [a, b] = [0, 1].map(|i| self.trees[i].place(&self.meshes[i], poses[i], self.executor));
        let mut found = Found::default();
        (self.count)(&a, &b, &mut found);
        found
    }
}

fn one_by_one<T: Hierarchy>(a: &T::Posed<'_>, b: &T::Posed<'_>, found: &mut Found) {
    found.contacts = T::contacts(a, b, usize::MAX, &mut found.work).len() as u64;
    found.boxes = found.work.box_tests;
}

fn wide(a: &<WideObb as Hierarchy>::Posed<'_>, b: &<WideObb as Hierarchy>::Posed<'_>, found: &mut Found) {
    found.contacts = contacts::count(a, b, &mut found.work, &mut found.boxes);
}

/// Octrees are searched here as other trees of boxes are, not by sorted lists.
fn lanes<V: Volume>(a: &PosedVolumes<V>, b: &PosedVolumes<V>, found: &mut Found) {
    let mut lanes = LaneWork::default();
    found.contacts = count_contacts(a, b, &mut found.work, &mut lanes);
    found.boxes = lanes.tests;
}
