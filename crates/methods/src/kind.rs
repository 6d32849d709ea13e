//! The kinds of trees as types: `CollisionMesh<kind::Octree>` is a [`CollisionMesh`](closefit::CollisionMesh)
//! that is an octree.
//!
//! Bodies meet bodies with trees of the same kind.
//!
//! ```
//! use closefit::{DVec3, Mesh, Pose, CollisionMesh, distance};
//! use closefit_methods::kind::{self, Kind, WithKind};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//!
//! let tree = CollisionMesh::build_as(&mesh, kind::Octree);
//! let (a, b) = (tree.at(&Pose::IDENTITY)?, tree.at(&Pose::translation([1.25, 0.0, 0.0]))?);
//! assert_eq!(distance(&a, &b).distance, 0.25);
//!
//! // A kind that is known only at run time.
//! struct Apart<'a>(&'a Mesh);
//! impl WithKind for Apart<'_> {
//!     type Output = Result<f64, closefit::PoseError>;
//!
//!     fn run<K: Kind>(self, kind: K) -> Self::Output {
//!         let tree = CollisionMesh::build_as(self.0, kind);
//!         let (a, b) = (tree.at(&Pose::IDENTITY)?, tree.at(&Pose::translation([1.25, 0.0, 0.0]))?);
//!         Ok(distance(&a, &b).distance)
//!     }
//! }
//! assert_eq!(kind::with(closefit_methods::parse("kdop18")?, Apart(&mesh))?, 0.25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::kind::Facts;
use closefit::internals::bvh::kind::sealed::Sealed;
use closefit::{Strategy, TreeKind};
use closefit_geometry::text::list;

use crate::binary_obb::BinaryObb;
use crate::box_tree::{self, BoxTree};
use crate::octree::{Median, Uniform};
use crate::volumes::{self, VolumeTree};

pub use closefit::kind::{Kind, Obb, Refit};

/// Work that can be done with trees of any kind.
#[doc(hidden)]
pub trait WithTrees {
    /// The result.
    type Output;

    /// Does the work with trees of type `T`.
    fn run<T: Hierarchy>(self) -> Self::Output;
}

/// Work that is written once for all kinds of trees; see [`with`].
pub trait WithKind {
    /// The result.
    type Output;

    /// Does the work with trees of a kind.
    fn run<K: Kind>(self, kind: K) -> Self::Output;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:ident => $tree:ty $([$can:ident])?),+ $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $kind;

            impl Sealed for $kind {
                type CollisionMesh = $tree;
                type Held = <$tree as Hierarchy>::Held;
            }

            impl Kind for $kind {
                const KIND: TreeKind = {
                    static FACTS: Facts = Facts::of::<$tree>();
                    TreeKind::new(&FACTS)
                };
            }

            $(impl $can for $kind {})?
        )+

        /// The kinds as values.
        pub(crate) mod values {
            use closefit::TreeKind;
            use closefit::kind::Kind as _;

            $(
                $(#[$doc])*
                pub const $name: TreeKind = super::$kind::KIND;
            )+

            /// All kinds of trees, the default first.
            pub static ALL: &[TreeKind] = &[TreeKind::OBB, $($name),+];
        }

        /// Does some work with trees of a kind that is known only at run time; the [module](self) has an
        /// example.
        ///
        /// # Panics
        /// Panics for a kind that is not in [`ALL`](crate::ALL).
        pub fn with<W: WithKind>(kind: TreeKind, work: W) -> W::Output {
            if kind == TreeKind::OBB {
                return work.run(Obb);
            }
            $(
                if kind == values::$name {
                    return work.run($kind);
                }
            )+
            panic!("{kind} is not in the list of kinds");
        }
    };
}

kinds! {
    /// RAPID's binary tree of oriented boxes, in f64: the independent reference.
    Rapid RAPID => BinaryObb,
    /// Spheres, eight to a block, in f32.
    Sphere SPHERE => VolumeTree<volumes::Sphere>,
    /// Boxes along the coordinate axes, eight to a block, in f32.
    Kdop6 KDOP6 => VolumeTree<volumes::Kdop<3>> [Refit],
    /// 14-DOPs: boxes with their eight corners cut off.
    Kdop14 KDOP14 => VolumeTree<volumes::Kdop<7>> [Refit],
    /// 18-DOPs: boxes with their twelve edges cut off.
    Kdop18 KDOP18 => VolumeTree<volumes::Kdop<9>> [Refit],
    /// 26-DOPs: boxes with their corners and edges cut off.
    Kdop26 KDOP26 => VolumeTree<volumes::Kdop<13>> [Refit],
    /// Zachmann's BoxTree: boxes along the coordinate axes, cut in two, over edges and over triangles.
    Box BOX => BoxTree<box_tree::Balanced>,
    /// The octree of Ponamgi, Manocha and Lin: boxes along the coordinate axes over cells cut into equal
    /// parts.
    Octree OCTREE => crate::octree::Octree<Uniform> [Refit],
    /// Their octree over cells cut into parts with equally many vertices.
    OctreeMedian OCTREE_MEDIAN => crate::octree::Octree<Median> [Refit],
    /// Each edge against each triangle, behind tests of boxes, with no tree: for small meshes only.
    Simple SIMPLE => BoxTree<box_tree::Uncut>,
}

/// Work with trees, done with a kind.
struct OnTrees<W>(W);

impl<W: WithTrees> WithKind for OnTrees<W> {
    type Output = W::Output;

    fn run<K: Kind>(self, _kind: K) -> W::Output {
        self.0.run::<K::CollisionMesh>()
    }
}

/// Does some work with the trees of a kind, as a type.
///
/// # Panics
/// Panics for a kind that is not in [`ALL`](crate::ALL).
#[doc(hidden)]
pub fn run<W: WithTrees>(kind: TreeKind, work: W) -> W::Output {
    with(kind, OnTrees(work))
}

/// The tree's name is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown tree '{name}': use {}", list(values::ALL))]
pub struct UnknownTree {
    name: String,
}

/// Returns the kind of tree with a name.
///
/// # Errors
/// [`UnknownTree`].
pub fn parse(name: &str) -> Result<TreeKind, UnknownTree> {
    let named = values::ALL.iter().copied().find(|kind| kind.name() == name);
    named.ok_or_else(|| UnknownTree { name: name.to_owned() })
}

/// Returns all kinds with all executors of their kernels, kind by kind.
pub fn strategies() -> impl Iterator<Item = Strategy> {
    values::ALL.iter().copied().flat_map(Strategy::all_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for &kind in values::ALL {
            assert_eq!(parse(kind.name()), Ok(kind));
            assert!(!kind.executors().is_empty() && !kind.moving_boxes().is_empty());
        }
        let unknown = parse("Obb").unwrap_err().to_string();
        assert_eq!(
            unknown,
            "unknown tree 'Obb': use obb, rapid, sphere, kdop6, kdop14, kdop18, kdop26, box, octree, octree-median or simple"
        );
    }

    /// A refusal names the first of them as the kind to use.
    #[test]
    fn only_trees_of_oriented_boxes_have_box_options() {
        let kinds = values::ALL.iter().filter(|kind| kind.has_box_options());
        assert_eq!(kinds.copied().collect::<Vec<_>>(), [TreeKind::OBB, values::RAPID]);
    }
}
