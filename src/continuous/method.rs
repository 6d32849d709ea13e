//! How the search through time goes about it: the tests and the optimisations of Redon et al. 2002 (sections 4
//! and 6), each with and without. No answer depends on them.
//!
//! Two of the paper's have no switch. The *current collision time* is always passed on: time is searched in
//! order, and no further than the first hit. *Tables of sines* have nothing to look up: a pose is made
//! once for a stretch, not for each pair of boxes.

use std::fmt;
use std::str::FromStr;

/// A way to search. The default is the fastest measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Method {
    /// What tells moving boxes apart.
    pub boxes: Boxes,
    /// What tells moving triangles apart.
    pub triangles: Triangles,
    /// Along which axes boxes are told apart ("partial tests": only faces).
    pub axes: Axes,
    /// Boxes that all meet in the middle of a stretch are looked at over all of it along the axes of faces only
    /// ("discrete tests"; the paper looks at both ends, for which each stretch would need two more poses).
    pub discrete_first: bool,
    /// Of boxes that are opened, those whose centres are nearest come first ("directional traversal").
    pub near_first: bool,
    /// Halves of a stretch begin with what was not told apart over all of it ("coherence tables"), not
    /// with the trees' roots.
    pub fronts: bool,
}

/// What tells moving boxes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boxes {
    /// A bound of the way along each axis: `swept_boxes`.
    #[default]
    Swept,
    /// The paper's interval test, and its subdivision test: `interval_boxes`.
    Interval,
}

/// What tells moving triangles apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Triangles {
    /// Directions that part them as wholes: [`moving_triangles`](super::moving_triangles).
    #[default]
    Directions,
    /// The paper's fifteen tests of edges, vertices and faces: [`elementary`](super::elementary).
    Elementary,
}

/// Axes along which boxes may be told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Axes {
    /// All fifteen.
    #[default]
    All,
    /// The six normals of faces.
    Faces,
}

impl Axes {
    /// Both.
    pub const ALL: [Self; 2] = [Self::All, Self::Faces];
}

impl Method {
    /// The default.
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

/// No test is called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown method '{0}': use swept or interval")]
pub struct UnknownMethod(String);

impl Boxes {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Swept, Self::Interval];

    /// As typed and printed.
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
