//! The method of the search through time: the tests and the optimisations of Redon et al. 2002 (sections 4
//! and 6), each of which can be switched. No answer depends on them.
//!
//! One of the paper's optimisations has no switch. *Tables of sines* would gain nothing: a pose is computed
//! once per stretch, not for each pair of boxes.

mod text;

use closefit_geometry::motion::moment::Moment;

pub use text::UnknownMethod;

/// The tests and the optimisations of a search. The default is the fastest measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Method {
    /// The test of moving boxes.
    pub boxes: Boxes,
    /// The test of moving triangles.
    pub triangles: Triangles,
    /// The axes tested for boxes (only the axes of faces in the paper's "partial tests").
    pub axes: Axes,
    /// The times at which boxes are tested first, as if they stood still ("discrete tests"). Those that
    /// overlap then are not tested over the stretch.
    pub discrete: Discrete,
    /// The test that decides if time is halved before boxes are opened ("subdivision test").
    pub subdivision: Subdivision,
    /// The constant of the subdivision test.
    pub k: K,
    /// Visits the children whose centres are nearest first ("directional traversal").
    pub near_first: bool,
    /// Starts the halves of a stretch from the pairs not proven apart over all of it ("coherence tables"),
    /// not from the trees' roots.
    pub fronts: bool,
    /// Searches no time beyond the first hit ("current collision time"). Otherwise each pair of boxes is
    /// searched through all its time, and each pair of triangles up to its own first hit; pairs that are
    /// searched together, as by [`Order::TimeFirst`], end at the first hit anyway.
    pub collision_time: bool,
    /// The order in which pairs of boxes and times are searched.
    pub order: Order,
}

/// A test that proves moving boxes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boxes {
    /// A bound on the movement along each axis: `swept_boxes`.
    #[default]
    Swept,
    /// The paper's interval test, with intervals around derivatives: `interval_boxes`.
    Interval,
    /// The paper's interval test, with its intervals of coordinates: `natural_boxes`.
    Natural,
}

/// A test that proves moving triangles apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Triangles {
    /// Separating directions for whole triangles.
    #[default]
    Directions,
    /// The paper's fifteen tests of edges, vertices and faces.
    Elementary,
    /// The same tests, each solved for its first root as soon as two triangles are met.
    Roots,
}

impl Triangles {
    /// True if pairs of triangles are not tested over a moment: the search solves them as soon as it meets
    /// them.
    #[doc(hidden)]
    pub fn are_solved(self, moment: &Moment) -> bool {
        self == Self::Roots && moment.half > 0.0
    }
}

/// The times of the discrete tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Discrete {
    /// None.
    #[default]
    Off,
    /// The middle of the stretch.
    Middle,
    /// Both ends, as in the paper.
    Ends,
}

/// A subdivision test (section 4.1.2). None proves anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subdivision {
    /// Halves time if the path is long for the extents of the boxes that would be opened.
    #[default]
    Extents,
    /// The paper's formula as printed, which adds the path to one extent and compares that with `k` times the
    /// other. So it nearly always halves time for boxes of like sizes.
    Printed,
    /// Opens boxes down to the leaves before time is halved.
    Never,
    /// Halves time down to single cells before any box is opened.
    Always,
}

/// The constant k of the subdivision test: boxes that move farther than k times their extents are not opened
/// before time is halved. It is above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct K(
    /// The bits of the value, which can be compared and hashed.
    u32,
);

impl K {
    /// The paper's constant.
    pub const PAPER: Self = Self(0.2f32.to_bits());

    /// Returns the constant with a value; `None` if it is not above 0 or exceeds 1.
    pub fn new(value: f32) -> Option<Self> {
        (value > 0.0 && value <= 1.0).then_some(Self(value.to_bits()))
    }

    /// Returns the value.
    pub const fn value(self) -> f32 {
        f32::from_bits(self.0)
    }
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
    /// All pairs that were not proven apart over a stretch of time, over its earlier half, then over its
    /// later half.
    #[default]
    TimeFirst,
    /// One such pair after the other, each over both halves: the paper's recursion over pairs of boxes and
    /// intervals. A hit shortens the time that is searched for the pairs that follow.
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
        discrete: Discrete::Off,
        subdivision: Subdivision::Extents,
        k: K::PAPER,
        near_first: false,
        fronts: true,
        collision_time: true,
        order: Order::TimeFirst,
    };

    /// The paper's method, but for its subdivision test, which is misprinted ([`Subdivision::Printed`]).
    pub const REDON: Self = Self {
        boxes: Boxes::Natural,
        triangles: Triangles::Roots,
        axes: Axes::All,
        discrete: Discrete::Ends,
        subdivision: Subdivision::Extents,
        k: K::PAPER,
        near_first: true,
        fronts: true,
        collision_time: true,
        order: Order::SpaceFirst,
    };
}

impl Default for Method {
    fn default() -> Self {
        Self::FASTEST
    }
}
