//! The only list of the kinds of trees: as values, and as types for library users.

use std::fmt::{self, Debug};
use std::hash::Hash;
use std::str::FromStr;

use glam::DMat3;

use super::Hierarchy;
use super::box_tree::{self, BoxTree};
use super::held::{Held, Refitted};
use super::obb2::Obb2;
use super::obb8::Obb8;
use super::octree::{Median, Octree, Uniform};
use super::trees::{Trees, TreesOf};
use super::volumes::{Kdop, Sphere, VolumeTree};
use crate::continuous::method::Boxes;
use closefit_geometry::executor::Executor;

/// Work that can be done with trees of any kind.
pub trait WithTrees {
    /// The result.
    type Output;

    /// Does the work with trees of kind `T`.
    fn run<T: Hierarchy>(self) -> Self::Output;
}

/// A kind of tree as a type, for [`Tree`](crate::Tree), [`World`](crate::World) and whatever else holds
/// trees. No answer depends on it.
///
/// It has no size, and cannot be implemented elsewhere.
pub trait Kind: sealed::Sealed + Copy + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// The same kind as a value.
    const KIND: TreeKind;
}

/// A kind whose trees can be fitted anew to a mesh that has changed its shape: see
/// [`Tree::refit`](crate::Tree::refit).
pub trait Refit: Kind + sealed::Sealed<Held: Refitted> {}

/// Work that is written once for all kinds of trees; see [`TreeKind::with`].
pub trait WithKind {
    /// The result.
    type Output;

    /// Does the work with trees of a kind.
    fn run<K: Kind>(self, kind: K) -> Self::Output;
}

pub(crate) mod sealed {
    use super::{Held, Hierarchy};

    /// The types behind a kind.
    pub trait Sealed {
        /// The tree, of which queries hold a mesh beside it.
        type Tree: Hierarchy<Held = Self::Held>;
        /// The tree as library users hold it.
        type Held: Held;
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $tree:ty $([$can:ident])?),+ $(,)?) => {
        /// A kind of tree. No answer depends on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum TreeKind {
            $($(#[$doc])* $kind),+
        }

        /// The kinds of trees as types: `Tree<kind::Octree>` is a [`Tree`](crate::Tree) that is an octree.
        ///
        /// Bodies meet bodies with trees of the same kind. All kinds give the same answers, to the last bit,
        /// so the default, [`Obb`](types::Obb), is the one to use: it is the quickest. Others serve to
        /// compare and to check.
        ///
        /// ```
        /// use closefit::kind::{self, Kind, WithKind};
        /// use closefit::{DVec3, Mesh, Pose, Tree, TreeKind, distance};
        ///
        /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        /// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
        ///
        /// let tree = Tree::build_as(&mesh, kind::Octree);
        /// let (a, b) = (tree.at(&Pose::IDENTITY)?, tree.at(&Pose::translation([1.25, 0.0, 0.0]))?);
        /// assert_eq!(distance(&a, &b).distance, 0.25);
        ///
        /// // A kind that is known only at run time.
        /// struct Apart<'a>(&'a Mesh);
        /// impl WithKind for Apart<'_> {
        ///     type Output = Result<f64, closefit::PoseError>;
        ///
        ///     fn run<K: Kind>(self, kind: K) -> Self::Output {
        ///         let tree = Tree::build_as(self.0, kind);
        ///         let (a, b) = (tree.at(&Pose::IDENTITY)?, tree.at(&Pose::translation([1.25, 0.0, 0.0]))?);
        ///         Ok(distance(&a, &b).distance)
        ///     }
        /// }
        /// assert_eq!("kdop18".parse::<TreeKind>()?.with(Apart(&mesh))?, 0.25);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub mod types {
            pub use super::{Kind, Refit, WithKind};

            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
                pub struct $kind;
            )+
        }

        $(
            impl sealed::Sealed for types::$kind {
                type Tree = $tree;
                type Held = <$tree as Hierarchy>::Held;
            }

            impl Kind for types::$kind {
                const KIND: TreeKind = TreeKind::$kind;
            }

            $(impl $can for types::$kind {})?
        )+

        impl TreeKind {
            /// All of them, the default first.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// Does some work with trees of this kind, as a type; [`kind`](crate::kind) has an example.
            pub fn with<W: WithKind>(self, work: W) -> W::Output {
                match self {
                    $(Self::$kind => work.run(types::$kind)),+
                }
            }
        }
    };
}

kinds! {
    /// Oriented boxes, eight to a block, in f32.
    Obb => Obb8 [Refit],
    /// RAPID's binary tree of oriented boxes, in f64: the independent reference.
    Rapid => Obb2,
    /// Spheres, eight to a block, in f32.
    Sphere => VolumeTree<Sphere>,
    /// Boxes along the coordinate axes, eight to a block, in f32.
    Kdop6 => VolumeTree<Kdop<3>> [Refit],
    /// 14-DOPs: boxes with their eight corners cut off.
    Kdop14 => VolumeTree<Kdop<7>> [Refit],
    /// 18-DOPs: boxes with their twelve edges cut off.
    Kdop18 => VolumeTree<Kdop<9>> [Refit],
    /// 26-DOPs: boxes with their corners and edges cut off.
    Kdop26 => VolumeTree<Kdop<13>> [Refit],
    /// Zachmann's BoxTree: boxes along the coordinate axes, cut in two, over edges and over triangles.
    Box => BoxTree<box_tree::Balanced>,
    /// The octree of Ponamgi, Manocha and Lin: boxes along the coordinate axes over cells cut into equal
    /// parts.
    Octree => Octree<Uniform> [Refit],
    /// Their octree over cells cut into parts with equally many vertices.
    OctreeMedian => Octree<Median> [Refit],
    /// Each edge against each triangle, behind tests of boxes, with no tree: for small meshes only.
    Simple => BoxTree<box_tree::Uncut>,
}

impl Default for TreeKind {
    fn default() -> Self {
        Self::ALL[0]
    }
}

/// Work with trees, done with a kind.
struct OnTrees<W>(W);

impl<W: WithTrees> WithKind for OnTrees<W> {
    type Output = W::Output;

    fn run<K: Kind>(self, _kind: K) -> W::Output {
        self.0.run::<K::Tree>()
    }
}

/// The facts that a kind states about itself.
struct Facts {
    name: &'static str,
    executors: &'static [Executor],
    on_device: bool,
    moving_boxes: &'static [Boxes],
    has_box_options: bool,
    is_quadratic: bool,
    is_built_for: fn(&DMat3) -> bool,
}

struct Ask;

impl WithTrees for Ask {
    type Output = Facts;

    fn run<T: Hierarchy>(self) -> Facts {
        Facts {
            name: T::NAME,
            executors: T::EXECUTORS,
            on_device: T::ON_DEVICE,
            moving_boxes: T::MOVING_BOXES,
            has_box_options: T::HAS_BOX_OPTIONS,
            is_quadratic: T::IS_QUADRATIC,
            is_built_for: T::is_built_for,
        }
    }
}

/// Makes room for trees.
struct Room {
    count: usize,
    executor: Executor,
}

impl WithTrees for Room {
    type Output = Box<dyn Trees>;

    fn run<T: Hierarchy>(self) -> Box<dyn Trees> {
        Box::new(TreesOf::<T>::new(self.count, self.executor))
    }
}

impl TreeKind {
    /// Does some work with trees of this kind.
    pub fn run<W: WithTrees>(self, work: W) -> W::Output {
        self.with(OnTrees(work))
    }

    /// Returns the name as typed and printed.
    pub fn name(self) -> &'static str {
        self.run(Ask).name
    }

    /// True if the time of a search grows with the product of the triangles of two meshes.
    pub fn is_quadratic(self) -> bool {
        self.run(Ask).is_quadratic
    }

    /// Returns the executors of its kernels, the best first.
    pub fn executors(self) -> &'static [Executor] {
        self.run(Ask).executors
    }

    /// Returns true if a compute device can search trees of this kind.
    pub fn is_on_device(self) -> bool {
        self.run(Ask).on_device
    }

    /// Returns true if the options of a method that concern boxes apply to it.
    pub fn has_box_options(self) -> bool {
        self.run(Ask).has_box_options
    }

    /// True when poses with this linear part need a tree of their own.
    pub fn is_built_for(self, linear: &DMat3) -> bool {
        (self.run(Ask).is_built_for)(linear)
    }

    /// Makes room for a number of models with trees of this kind, searched by an executor.
    pub fn trees(self, count: usize, executor: Executor) -> Box<dyn Trees> {
        self.run(Room { count, executor })
    }

    /// Returns the tests of moving boxes that it has.
    pub fn moving_boxes(self) -> &'static [Boxes] {
        self.run(Ask).moving_boxes
    }
}

/// The tree's name is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown tree '{name}': use {}", list(TreeKind::ALL))]
pub struct UnknownTree {
    name: String,
}

impl fmt::Display for TreeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TreeKind {
    type Err = UnknownTree;

    fn from_str(text: &str) -> Result<Self, UnknownTree> {
        let named = Self::ALL.iter().copied().find(|kind| kind.name() == text);
        named.ok_or_else(|| UnknownTree { name: text.to_owned() })
    }
}

/// Lists names for a message: "a, b or c".
pub(super) fn list(names: &[impl fmt::Display]) -> String {
    match names {
        [] => "none".to_owned(),
        [only] => only.to_string(),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("{} or {last}", first.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for &kind in TreeKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert!(!kind.executors().is_empty() && !kind.moving_boxes().is_empty());
        }
        let unknown = "Obb".parse::<TreeKind>().unwrap_err().to_string();
        assert_eq!(
            unknown,
            "unknown tree 'Obb': use obb, rapid, sphere, kdop6, kdop14, kdop18, kdop26, box, octree, octree-median or simple"
        );
    }
}
