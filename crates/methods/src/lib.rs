//! The kinds of trees that closefit is compared with: RAPID's tree of oriented boxes, trees of spheres and of
//! k-DOPs, Zachmann's BoxTree, and octrees.
//!
//! All kinds give the same answers as the default, to the last bit, and take more time. They serve to compare
//! methods, and to check one by another. Each is there in two forms:
//!
//! - as a type of [`kind`], for whatever holds trees: `CollisionMesh<kind::Octree>`;
//! - as a value, such as [`OCTREE`], for whatever takes a [`Strategy`](closefit::Strategy); [`ALL`] lists
//!   them, and [`parse`] finds one by its name.
//!
//! Trees with other parameters than usual are values too: [`recipe`]. The searches of [`anytime`] can be
//! interrupted.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod anytime;
mod binary_obb;
mod box_tree;
mod closest;
mod counted;
pub mod kind;
mod leaf_pairs;
mod moving_boxes;
mod octree;
pub mod recipe;
mod volumes;
mod with_mesh;

pub use kind::values::{
    ALL, BOX, KDOP6, KDOP14, KDOP18, KDOP26, OCTREE, OCTREE_MEDIAN, RAPID, SIMPLE, SPHERE,
};
pub use kind::{UnknownTree, parse, strategies};

/// The trees themselves, for this project's own crates, tests and benchmarks. They change without notice.
#[cfg(not(doc))]
#[doc(hidden)]
pub mod internals {
    macro_rules! rooms {
        ($($room:ident),+ $(,)?) => {
            $(#[allow(missing_docs)] pub mod $room { pub use crate::$room::*; })+
        };
    }
    rooms!(box_tree, counted, moving_boxes, binary_obb, octree, volumes);
}
