//! The method of the search through time: the tests and the optimisations of Redon et al. 2002 (sections 4 and 6),
//! each of which can be switched. No answer depends on them.
//!
//! Two of the paper's optimisations have no switch. The *current collision time* is always used: time is searched in
//! order, and no further than the first hit. *Tables of sines* would gain nothing: a pose is computed once per
//! stretch, not for each pair of boxes.

use std::fmt;
use std::str::FromStr;

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
    };
}

impl Default for Method {
    fn default() -> Self {
        Self::FASTEST
    }
}

/// The name of the test is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown method '{0}': use swept or interval")]
pub struct UnknownMethod(String);

impl Boxes {
    /// Both tests.
    pub const ALL: [Self; 2] = [Self::Swept, Self::Interval];

    /// Returns the name as typed and printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Swept => "swept",
            Self::Interval => "interval",
        }
    }
}

impl fmt::Display for Boxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Boxes {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        let named = Self::ALL.into_iter().find(|boxes| boxes.name() == text);
        named.ok_or_else(|| UnknownMethod(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for boxes in Boxes::ALL {
            assert_eq!(boxes.to_string().parse(), Ok(boxes));
        }
        assert_eq!("Swept".parse::<Boxes>(), Err(UnknownMethod("Swept".to_owned())));
    }
}
