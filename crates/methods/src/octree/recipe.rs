//! The choices that building an octree leaves open.

/// Into how many parts cells are cut, and when no more. No answer depends on it.
///
/// The paper's table calls parts along x, y and z cuts: its 2-2-2 makes eight children, its 3-2-2 twelve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The parts along x, y and z into which the whole is cut, then those into which its parts are cut, and
    /// so on. The last ones repeat.
    pub parts: Vec<[u32; 3]>,
    /// The number of vertices up to which a cell is not cut.
    pub threshold: usize,
    /// The number of cuts, one inside the other, after which a cell is not cut again. No more than
    /// [`DEEPEST`] are made.
    pub levels: u32,
    /// Makes a tree for each part of the surface that is connected and lies on the mesh's convex hull, or off
    /// it, with boxes over all of them, as in the paper. Otherwise one tree holds the whole mesh.
    pub subsets: bool,
    /// Sorts the boxes of the faces of two cells that are not cut, and tests the faces whose boxes overlap,
    /// as in the paper. Otherwise each box holds two faces, and the faces of two boxes that meet are tested.
    /// Either way holds for the search for contacts alone.
    pub sorts_faces: bool,
}

/// Largest number of cuts, one inside the other. Boxes in f32 cannot tell smaller cells apart.
pub const DEEPEST: u32 = 64;

/// Largest number of parts of a cell.
const MOST_PARTS: u64 = 4096;

impl Default for Recipe {
    /// The recipe of `--tree octree` and `octree-median`: eight parts, two along each axis. The paper gives
    /// no threshold.
    fn default() -> Self {
        Self { parts: vec![[2; 3]], threshold: 8, levels: DEEPEST, subsets: false, sorts_faces: false }
    }
}

impl Recipe {
    /// Checks that cells can be cut by the recipe.
    ///
    /// # Errors
    /// The first level with an unusable number of parts.
    pub fn validate(&self) -> Result<(), RecipeError> {
        let product = |parts: &[u32; 3]| parts.iter().map(|&n| u64::from(n)).try_fold(1, u64::checked_mul);
        let is_usable = |parts| product(parts).is_some_and(|all| (1..=MOST_PARTS).contains(&all));
        match self.parts.iter().position(|parts| !is_usable(parts)) {
            _ if self.parts.is_empty() => Err(RecipeError::NoParts),
            Some(level) => Err(RecipeError::Parts { level: level + 1, parts: self.parts[level] }),
            None => Ok(()),
        }
    }

    /// Returns the parts into which a cell is cut that `cuts` cuts have made; `None` if it has few vertices
    /// or is deep.
    pub(super) fn parts_of(&self, vertices: usize, cuts: u32) -> Option<[u32; 3]> {
        if vertices <= self.threshold || cuts >= self.levels.min(DEEPEST) {
            return None;
        }
        self.parts.get(cuts as usize).or(self.parts.last()).copied()
    }
}

/// Cells cannot be cut by a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    /// The list of parts is empty.
    #[error("the recipe of an octree has no parts: give those of one level or more")]
    NoParts,
    /// A level has no parts along an axis, or too many.
    #[error(
        "level {level} of an octree has {}-{}-{} parts: use 1 or more along each axis and at most {MOST_PARTS} in all",
        .parts[0], .parts[1], .parts[2]
    )]
    Parts {
        /// The level, counted from 1.
        level: usize,
        /// Its parts along x, y and z.
        parts: [u32; 3],
    },
}
