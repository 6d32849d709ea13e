//! One question about two trees at many poses: the library's interface for sampled paths, configurations of a
//! robot, and poses that a sensor or a search proposes.
//!
//! ```
//! use closefit::{Mesh, Pose, Rows, RowsError, Tree, Unobserved};
//!
//! let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let tree = Tree::build(&Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
//!
//! // One fixed tree, and another at a thousand poses.
//! let mut poses: Vec<Pose> =
//!     (0..1000).map(|step| Pose::translation([f64::from(step) / 256.0, 0.0, 0.0])).collect();
//! let rows = Rows::new((&tree, &[Pose::IDENTITY]), (&tree, &poses))?;
//! let touching = rows.intersects(&Unobserved)?;
//! assert_eq!(touching.iter().filter(|&&touching| touching).count(), 257);
//! assert_eq!(rows.distances(&Unobserved)?[320].distance, 0.25);
//!
//! // A pose that is wrong is refused by its row, before anything is asked.
//! poses[17].rows[0][3] = f64::NAN;
//! let refused = Rows::new((&tree, &[Pose::IDENTITY]), (&tree, &poses)).map(|_| ());
//! assert!(matches!(refused, Err(RowsError::Pose { row: 17, side: 'b', .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::collide::{Distance, Placed, PoseError, Tree};
use crate::engine::{Observer, Stage};
use crate::hierarchy::kind::types::{Kind, Obb};
use crate::query::{CheckRequest, PairRecord};
use crate::{collide, verdict};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::parallel;
use closefit_geometry::pool::on_threads;

/// Two trees at rows of poses: row after row the next pose of each, or its only one in every row.
///
/// Rows are answered on the threads of the current [pool](crate::Pool), each as by the function that asks one
/// pair, and come in order. An observer follows them, as items of [`Stage::Deciding`], and may stop them.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, K: Kind = Obb> {
    trees: [&'a Tree<K>; 2],
    poses: [&'a [Pose]; 2],
    len: usize,
}

/// The reason why rows have no answers.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RowsError {
    /// The trees have different numbers of poses, and neither has one for all rows.
    #[error("{a} poses of a and {b} of b are not rows: as many of both, or one of either")]
    Lengths {
        /// The number of poses of a.
        a: usize,
        /// The number of poses of b.
        b: usize,
    },
    /// A pose is inadmissible for its tree. It is the first such of a, or else of b.
    #[error("row {row} of {side}: {error}")]
    Pose {
        /// Its index among the poses of that side.
        row: usize,
        /// `a` or `b`.
        side: char,
        /// The reason.
        error: PoseError,
    },
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl<'a, K: Kind> Rows<'a, K> {
    /// Checks the poses of two trees: as many of both, or one of either for all rows.
    ///
    /// # Errors
    /// [`RowsError`] for numbers that do not go together, or the first inadmissible pose.
    pub fn new(a: (&'a Tree<K>, &'a [Pose]), b: (&'a Tree<K>, &'a [Pose])) -> Result<Self, RowsError> {
        let len = match [a.1.len(), b.1.len()] {
            [1, rows] | [rows, 1] => rows,
            [rows, others] if rows == others => rows,
            [a, b] => return Err(RowsError::Lengths { a, b }),
        };
        for (side, (tree, poses)) in [('a', a), ('b', b)] {
            let check = |(row, pose)| tree.check(pose).map_err(|error| RowsError::Pose { row, side, error });
            poses.iter().enumerate().try_for_each(check)?;
        }
        Ok(Self { trees: [a.0, b.0], poses: [a.1, b.1], len })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns [`intersects`](fn@crate::intersects) of each row.
    ///
    /// # Errors
    /// [`RowsError::Interrupted`].
    pub fn intersects(&self, observer: &dyn Observer) -> Result<Vec<bool>, RowsError> {
        self.ask(observer, collide::intersects)
    }

    /// Returns [`contacts`](fn@crate::contacts) of each row.
    ///
    /// # Errors
    /// [`RowsError::Interrupted`].
    pub fn contacts(&self, observer: &dyn Observer) -> Result<Vec<Vec<[u32; 2]>>, RowsError> {
        self.ask(observer, collide::contacts)
    }

    /// Returns [`distance`](fn@crate::distance) of each row.
    ///
    /// # Errors
    /// [`RowsError::Interrupted`].
    pub fn distances(&self, observer: &dyn Observer) -> Result<Vec<Distance>, RowsError> {
        self.ask(observer, collide::distance)
    }

    /// Returns [`within`](fn@crate::within) of each row.
    ///
    /// # Errors
    /// [`RowsError::Interrupted`].
    pub fn within(&self, limit: f64, observer: &dyn Observer) -> Result<Vec<bool>, RowsError> {
        self.ask(observer, |a, b| collide::within(a, b, limit))
    }

    fn ask<T: Send>(
        &self,
        observer: &dyn Observer,
        ask: impl Fn(&Placed<'a, K>, &Placed<'a, K>) -> T + Sync,
    ) -> Result<Vec<T>, RowsError> {
        self.each(observer, |side, pose| self.trees[side].placed(pose), ask)
    }

    /// Answers row by row. `place` poses a tree, by its side; one that has a single pose is posed once.
    fn each<P: Sync, T: Send>(
        &self,
        observer: &dyn Observer,
        place: impl Fn(usize, &Pose) -> P + Sync,
        ask: impl Fn(&P, &P) -> T + Sync,
    ) -> Result<Vec<T>, RowsError> {
        let fixed = [0, 1].map(|side| match self.poses[side] {
            [pose] => Some(place(side, pose)),
            _ => None,
        });
        let row = |row: usize| {
            let moved = |side: usize| place(side, &self.poses[side][row]);
            match [&fixed[0], &fixed[1]] {
                [Some(a), Some(b)] => ask(a, b),
                [Some(a), None] => ask(a, &moved(1)),
                [None, Some(b)] => ask(&moved(0), b),
                [None, None] => ask(&moved(0), &moved(1)),
            }
        };
        observer.begin(Stage::Deciding, self.len as u64);
        on_threads(|| in_chunks(self.len, observer, row)).ok_or(RowsError::Interrupted)
    }
}

impl Rows<'_> {
    /// Returns [`verdict`](fn@crate::verdict) of each row, of the [models](Tree::model) of the trees.
    ///
    /// # Errors
    /// [`RowsError::Interrupted`].
    pub fn verdicts(
        &self,
        request: &CheckRequest,
        observer: &dyn Observer,
    ) -> Result<Vec<PairRecord>, RowsError> {
        let models = self.trees.map(Tree::model);
        let place = |side: usize, pose: &Pose| models[side].at(pose).expect("the pose is checked");
        self.each(observer, place, |a, b| verdict::verdict(a, b, request))
    }
}

/// Rows that a thread answers before it tells the observer.
const CHUNK: usize = 64;

/// Returns the answers of `ask` for each number below `len`, in order; `None` if the observer stops them.
fn in_chunks<T: Send>(
    len: usize,
    observer: &dyn Observer,
    ask: impl Fn(usize) -> T + Sync,
) -> Option<Vec<T>> {
    let chunks = parallel::map_runs(len, CHUNK, |rows| {
        let answers = rows.map(|row| (!observer.cancelled()).then(|| ask(row)));
        let answers: Vec<T> = answers.collect::<Option<_>>()?;
        observer.advance_by(answers.len() as u64);
        Some(answers)
    });
    Some(chunks.into_iter().collect::<Option<Vec<Vec<T>>>>()?.into_iter().flatten().collect())
}
