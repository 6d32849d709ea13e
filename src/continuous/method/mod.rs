//! The method of the search through time: the tests and the optimisations of Redon et al. 2002 (sections 4 and 6),
//! each of which can be switched. No answer depends on them.
//!
//! Two of the paper's optimisations have no switch. The *current collision time* is always used: no time is searched
//! beyond the first hit so far. *Tables of sines* would gain nothing: a pose is computed once per stretch, not for each
//! pair of boxes.

mod text;

pub use text::UnknownMethod;

/// The tests and the optimisations of a search. The default is the fastest measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Method {
    /// The test of moving boxes.
    pub boxes: Boxes,
    /// The test of moving triangles.
    pub triangles: Triangles,
    /// The axes tested for boxes (only those of faces in the paper's "partial tests").
    pub axes: Axes,
    /// Tests boxes at the middle of a stretch first; if all overlap there, tests only the axes of faces over all of
    /// it ("discrete tests"; the paper tests both ends, for which each stretch would need two more poses).
    pub discrete_first: bool,
    /// Visits the children whose centres are nearest first ("directional traversal").
    pub near_first: bool,
    /// Starts the halves of a stretch from the pairs not proven apart over all of it ("coherence tables"), not from
    /// the trees' roots.
    pub fronts: bool,
    /// The order in which pairs of boxes and times are searched.
    pub order: Order,
}

/// A test that proves moving boxes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boxes {
    /// A bound on the movement along each axis: `swept_boxes`.
    #[default]
    Swept,
    /// The paper's interval test and its subdivision test: `interval_boxes`.
    Interval,
}

/// A test that proves moving triangles apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Triangles {
    /// Separating directions for whole triangles: [`moving_triangles`](super::moving_triangles).
    #[default]
    Directions,
    /// The paper's fifteen tests of edges, vertices and faces: [`elementary`](super::elementary).
    Elementary,
}

/// The axes along which boxes are tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Axes {
    /// All fifteen.
    #[default]
    All,
    /// The six normals of faces.
    Faces,
}

/// The order in which pairs of boxes and times are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// All pairs that were not proven apart over a stretch of time, over its earlier half, then over its later half.
    #[default]
    TimeFirst,
    /// One such pair after the other, each over both halves: the paper's recursion over pairs of boxes and intervals.
    /// A hit shortens the time that is searched for the pairs that follow.
    SpaceFirst,
}

impl Axes {
    /// Both sets of axes.
    pub const ALL: [Self; 2] = [Self::All, Self::Faces];
}

impl Method {
    /// The fastest method measured, which is the default.
    pub const FASTEST: Self = Self {
        boxes: Boxes::Swept,
        triangles: Triangles::Directions,
        axes: Axes::All,
        discrete_first: false,
        near_first: false,
        fronts: true,
        order: Order::TimeFirst,
    };

    /// The paper's method, as far as it is built. Unlike the paper's, it tests boxes at the middle of a stretch, not at
    /// its ends, and bounds motions by their derivatives instead of natural intervals.
    pub const REDON: Self = Self {
        boxes: Boxes::Interval,
        triangles: Triangles::Elementary,
        axes: Axes::All,
        discrete_first: true,
        near_first: true,
        fronts: true,
        order: Order::SpaceFirst,
    };
}

impl Default for Method {
    fn default() -> Self {
        Self::FASTEST
    }
}
