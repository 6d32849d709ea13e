//! The only list of the kinds of trees.

use std::fmt;
use std::str::FromStr;

use super::Hierarchy;
use super::box_tree::{self, BoxTree};
use super::obb2::Obb2;
use super::obb8::Obb8;
use super::octree::{Median, Octree, Uniform};
use super::volumes::{Kdop, Sphere, VolumeTree};
use crate::continuous::method::Boxes;
use crate::executor::Executor;

/// Work that can be done with trees of any kind.
pub trait WithTrees {
    /// The result.
    type Output;

    /// Does the work with trees of kind `T`.
    fn run<T: Hierarchy>(self) -> Self::Output;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $tree:ty),+ $(,)?) => {
        /// A kind of tree. No answer depends on it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum TreeKind {
            $($(#[$doc])* $kind),+
        }

        impl TreeKind {
            /// All of them, the default first.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// Does some work with trees of this kind.
            pub fn run<W: WithTrees>(self, work: W) -> W::Output {
                match self {
                    $(Self::$kind => work.run::<$tree>()),+
                }
            }
        }
    };
}

kinds! {
    /// Oriented boxes, eight to a block, in f32.
    #[default]
    Obb => Obb8,
    /// RAPID's binary tree of oriented boxes, in f64: the independent reference.
    Rapid => Obb2,
    /// Spheres, eight to a block, in f32.
    Sphere => VolumeTree<Sphere>,
    /// Boxes along the coordinate axes, eight to a block, in f32.
    Kdop6 => VolumeTree<Kdop<3>>,
    /// Polytopes with 14 planes: those of boxes and across their corners.
    Kdop14 => VolumeTree<Kdop<7>>,
    /// Polytopes with 18 planes: those of boxes and across their edges.
    Kdop18 => VolumeTree<Kdop<9>>,
    /// Polytopes with 26 planes: those of boxes, across their corners and across their edges.
    Kdop26 => VolumeTree<Kdop<13>>,
    /// Zachmann's BoxTree: boxes along the coordinate axes, cut in two, over edges and over triangles.
    Box => BoxTree<box_tree::Balanced>,
    /// The octree of Ponamgi, Manocha and Lin: boxes along the coordinate axes over cells cut into equal parts.
    Octree => Octree<Uniform>,
    /// Their octree over cells cut into parts with equally many vertices.
    OctreeMedian => Octree<Median>,
    /// Each edge against each triangle, behind tests of boxes, with no tree: for small meshes only.
    Simple => BoxTree<box_tree::Uncut>,
}

/// The facts that a kind states about itself.
struct Facts {
    name: &'static str,
    executors: &'static [Executor],
    on_device: bool,
    moving_boxes: &'static [Boxes],
    has_box_options: bool,
    is_quadratic: bool,
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
        }
    }
}

impl TreeKind {
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
