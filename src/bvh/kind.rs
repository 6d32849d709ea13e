//! The kinds of trees: as values, and as types for library users.
//!
//! Only the default is here. A kind of another crate is a type that implements [`Kind`] over its own
//! [`Hierarchy`]; nothing here lists them.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use glam::DMat3;

use super::Hierarchy;
use super::held::{Held, Refitted};
use super::trees::{Build, Trees, TreesOf};
use super::wide_obb::WideObb;
use crate::continuous::method::Boxes;
use closefit_geometry::executor::Executor;
use closefit_geometry::mesh::Mesh;

/// A kind of tree as a type, for [`CollisionMesh`](crate::CollisionMesh), [`World`](crate::World) and
/// whatever else holds trees. No answer depends on it.
///
/// It has no size, and cannot be implemented elsewhere.
pub trait Kind: sealed::Sealed + Copy + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// The same kind as a value.
    const KIND: TreeKind;
}

/// A kind whose trees can be refitted to a mesh that has changed its shape: see
/// [`CollisionMesh::refit`](crate::CollisionMesh::refit).
pub trait Refit: Kind + sealed::Sealed<Held: Refitted> {}

/// The seal of [`Kind`]: only this project's crates implement it.
pub mod sealed {
    use super::{Held, Hierarchy};

    /// The types behind a kind.
    pub trait Sealed {
        /// The tree. Queries hold its mesh, too.
        type CollisionMesh: Hierarchy<Held = Self::Held>;
        /// The tree as library users hold it.
        type Held: Held;
    }
}

/// The kinds of trees as types: `CollisionMesh<kind::Obb>` is a [`CollisionMesh`](crate::CollisionMesh) of
/// oriented boxes.
///
/// Bodies meet bodies with trees of the same kind. All kinds give the same answers, to the last bit, so the
/// default, [`Obb`](types::Obb), is the one to use: it is the quickest. The crate `closefit-methods` has
/// others, to compare and to check.
///
/// ```
/// use closefit::kind::{Kind, Obb};
/// use closefit::{CollisionMesh, TreeKind};
///
/// assert_eq!(Obb::KIND, TreeKind::OBB);
/// assert_eq!(TreeKind::default().to_string(), "obb");
/// let _: fn(&closefit::Mesh) -> CollisionMesh<Obb> = CollisionMesh::build;
/// ```
pub mod types {
    use super::{WideObb, sealed};

    pub use super::{Kind, Refit};

    /// Oriented boxes, eight to a block, in f32.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Obb;

    impl sealed::Sealed for Obb {
        type CollisionMesh = WideObb;
        type Held = <WideObb as super::Hierarchy>::Held;
    }

    impl Kind for Obb {
        const KIND: super::TreeKind = super::TreeKind::OBB;
    }

    impl Refit for Obb {}
}

/// A kind of tree. No answer depends on it.
#[derive(Clone, Copy)]
pub struct TreeKind(&'static Facts);

/// The facts that a kind states about itself, and its trees without their type.
///
/// Keep them in a `static`: a constant would be copied into every crate that names the kind, and each copy
/// compiles its trees again.
#[doc(hidden)]
pub struct Facts {
    name: &'static str,
    executors: &'static [Executor],
    on_device: bool,
    moving_boxes: &'static [Boxes],
    has_box_options: bool,
    is_quadratic: bool,
    is_built_for: fn(&DMat3) -> bool,
    trees: &'static (dyn Fn(usize, Executor) -> Box<dyn Trees> + Send + Sync),
}

impl Facts {
    /// Returns the facts of a type of tree.
    pub const fn of<T: Hierarchy>() -> Self {
        Self {
            name: T::NAME,
            executors: T::EXECUTORS,
            on_device: T::ON_DEVICE,
            moving_boxes: T::MOVING_BOXES,
            has_box_options: T::HAS_BOX_OPTIONS,
            is_quadratic: T::IS_QUADRATIC,
            is_built_for: T::is_built_for,
            trees: &|count, executor| Box::new(TreesOf::<T>::new(count, executor, None)),
        }
    }
}

/// The facts of the default kind.
static OBB_FACTS: Facts = Facts::of::<WideObb>();

impl TreeKind {
    /// Oriented boxes, eight to a block, in f32: the default.
    pub const OBB: Self = Self(&OBB_FACTS);

    /// Returns the kind that states these facts.
    #[doc(hidden)]
    pub const fn new(facts: &'static Facts) -> Self {
        Self(facts)
    }

    /// Returns a kind of its own, whose trees `build` makes, for poses with a linear part if there is one. A
    /// name stands for one recipe: the first one is taken, and lives as long as the program.
    #[doc(hidden)]
    pub fn by_recipe<T: Hierarchy>(
        name: &str,
        build: impl Fn(&Mesh, Option<DMat3>) -> T + Send + Sync + 'static,
    ) -> Self {
        static MADE: Mutex<Vec<TreeKind>> = Mutex::new(Vec::new());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.iter().find(|kind| kind.name() == name) {
            return *known;
        }
        let build: &'static Build<T> = Box::leak(Box::new(build));
        let trees = move |count: usize, executor: Executor| -> Box<dyn Trees> {
            Box::new(TreesOf::<T>::new(count, executor, Some(build)))
        };
        let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
        let facts = Facts { name, trees: Box::leak(Box::new(trees)), ..Facts::of::<T>() };
        let kind = Self(Box::leak(Box::new(facts)));
        made.push(kind);
        kind
    }

    /// Returns the name as typed and printed.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// True if the time of a search grows with the product of the triangles of two meshes.
    pub fn is_quadratic(self) -> bool {
        self.0.is_quadratic
    }

    /// Returns the executors of its kernels, the best first.
    pub fn executors(self) -> &'static [Executor] {
        self.0.executors
    }

    /// Returns true if a compute device can search trees of this kind.
    pub fn is_on_device(self) -> bool {
        self.0.on_device
    }

    /// Returns true if the options of a method that concern boxes apply to it.
    pub fn has_box_options(self) -> bool {
        self.0.has_box_options
    }

    /// True when poses with this linear part need a tree of their own.
    pub fn is_built_for(self, linear: &DMat3) -> bool {
        (self.0.is_built_for)(linear)
    }

    /// Makes room for a number of models with trees of this kind, searched by an executor.
    pub fn trees(self, count: usize, executor: Executor) -> Box<dyn Trees> {
        (self.0.trees)(count, executor)
    }

    /// Returns the tests of moving boxes that it has.
    pub fn moving_boxes(self) -> &'static [Boxes] {
        self.0.moving_boxes
    }
}

impl Default for TreeKind {
    fn default() -> Self {
        Self::OBB
    }
}

/// Kinds are told apart by their names.
impl PartialEq for TreeKind {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for TreeKind {}

impl Hash for TreeKind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl Debug for TreeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for TreeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
