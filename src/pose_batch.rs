//! One question about two meshes at many poses: the library's interface for sampled paths, configurations of
//! a robot, and poses that a sensor or a search proposes.
//!
//! ```
//! use closefit::{Mesh, Pose, PoseBatch, PoseBatchError, CollisionMesh, Unobserved};
//!
//! let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let mesh = CollisionMesh::build(&Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
//!
//! // One fixed mesh, and another at a thousand poses.
//! let mut poses: Vec<Pose> =
//!     (0..1000).map(|step| Pose::translation([f64::from(step) / 256.0, 0.0, 0.0])).collect();
//! let rows = PoseBatch::new((&mesh, &[Pose::IDENTITY]), (&mesh, &poses))?;
//! let touching = rows.intersects(&Unobserved)?;
//! assert_eq!(touching.iter().filter(|&&touching| touching).count(), 257);
//! assert_eq!(rows.distance(&Unobserved)?[320].distance, 0.25);
//!
//! // A wrong pose is an error that names its row, before any query runs.
//! poses[17].rows[0][3] = f64::NAN;
//! let refused = PoseBatch::new((&mesh, &[Pose::IDENTITY]), (&mesh, &poses)).map(|_| ());
//! assert!(matches!(refused, Err(PoseBatchError::Pose { row: 17, side: 'b', .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bvh::kind::types::{Kind, Obb};
#[cfg(feature = "gpu")]
use crate::bvh::wide_obb::search::question::Question;
use crate::collide::Distance;
use crate::collision_mesh::{CollisionMesh, PoseError};
use crate::engine::{Observer, Stage};
#[cfg(feature = "gpu")]
use crate::gpu::DeviceError;
#[cfg(feature = "gpu")]
use crate::narrow::SLACK;
#[cfg(feature = "gpu")]
use crate::pair_batch::{PairAnswer, Session, pair_answer};
use crate::posed_mesh::PosedMesh;
use crate::query::{CheckRequest, PairRecord};
use crate::{collide, verdict};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::parallel;
use closefit_geometry::pool::on_threads;

/// Two meshes at rows of poses: row after row the next pose of each, or its only one in every row.
///
/// Rows are answered on the threads of the current [pool](crate::Pool), each as by the function that
/// asks one pair, and come in order. An observer follows them, as items of [`Stage::Deciding`], and may stop
/// them.
#[derive(Clone, Copy, Debug)]
pub struct PoseBatch<'a, K: Kind = Obb> {
    meshes: [&'a CollisionMesh<K>; 2],
    poses: [&'a [Pose]; 2],
    len: usize,
}

/// The reason why rows have no answers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseBatchError {
    /// The meshes have different numbers of poses, and neither has one for all rows.
    #[error("{a} poses of a and {b} of b are not rows: as many of both, or one of either")]
    Lengths {
        /// The number of poses of a.
        a: usize,
        /// The number of poses of b.
        b: usize,
    },
    /// A pose is inadmissible for its mesh. It is the first such of a, or else of b.
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
    /// The compute device failed. The CPU still answers.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl<'a, K: Kind> PoseBatch<'a, K> {
    /// Checks the poses of two meshes: as many of both, or one of either for all rows.
    ///
    /// # Errors
    /// [`PoseBatchError`] for numbers that do not go together, or the first inadmissible pose.
    pub fn new(
        a: (&'a CollisionMesh<K>, &'a [Pose]),
        b: (&'a CollisionMesh<K>, &'a [Pose]),
    ) -> Result<Self, PoseBatchError> {
        let len = match [a.1.len(), b.1.len()] {
            [1, rows] | [rows, 1] => rows,
            [rows, others] if rows == others => rows,
            [a, b] => return Err(PoseBatchError::Lengths { a, b }),
        };
        for (side, (mesh, poses)) in [('a', a), ('b', b)] {
            let check =
                |(row, pose)| mesh.check(pose).map_err(|error| PoseBatchError::Pose { row, side, error });
            poses.iter().enumerate().try_for_each(check)?;
        }
        Ok(Self { meshes: [a.0, b.0], poses: [a.1, b.1], len })
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
    /// [`PoseBatchError::Interrupted`].
    pub fn intersects(&self, observer: &dyn Observer) -> Result<Vec<bool>, PoseBatchError> {
        self.ask(observer, collide::intersects)
    }

    /// Returns [`contact_triangles`](fn@crate::contact_triangles) of each row.
    ///
    /// # Errors
    /// [`PoseBatchError::Interrupted`].
    pub fn contact_triangles(&self, observer: &dyn Observer) -> Result<Vec<Vec<[u32; 2]>>, PoseBatchError> {
        self.ask(observer, collide::contact_triangles)
    }

    /// Returns [`distance`](fn@crate::distance) of each row.
    ///
    /// # Errors
    /// [`PoseBatchError::Interrupted`].
    pub fn distance(&self, observer: &dyn Observer) -> Result<Vec<Distance>, PoseBatchError> {
        self.ask(observer, collide::distance)
    }

    /// Returns [`intersects_within`](fn@crate::intersects_within) of each row.
    ///
    /// # Errors
    /// [`PoseBatchError::Interrupted`].
    pub fn intersects_within(
        &self,
        limit: f64,
        observer: &dyn Observer,
    ) -> Result<Vec<bool>, PoseBatchError> {
        self.ask(observer, |a, b| collide::intersects_within(a, b, limit))
    }

    /// Answers row by row. A mesh that has a single pose is posed once.
    fn ask<T: Send>(
        &self,
        observer: &dyn Observer,
        ask: impl Fn(&PosedMesh<'a, K>, &PosedMesh<'a, K>) -> T + Sync,
    ) -> Result<Vec<T>, PoseBatchError> {
        let fixed = self.fixed();
        let row = |row: usize| {
            let moved = |side: usize| self.meshes[side].posed(&self.poses[side][row]);
            match [&fixed[0], &fixed[1]] {
                [Some(a), Some(b)] => ask(a, b),
                [Some(a), None] => ask(a, &moved(1)),
                [None, Some(b)] => ask(&moved(0), b),
                [None, None] => ask(&moved(0), &moved(1)),
            }
        };
        observer.begin(Stage::Deciding, self.len as u64);
        on_threads(|| in_chunks(self.len, observer, row)).ok_or(PoseBatchError::Interrupted)
    }

    /// Returns the meshes that have a single pose, placed there.
    fn fixed(&self) -> [Option<PosedMesh<'a, K>>; 2] {
        [0, 1].map(|side| match self.poses[side] {
            [pose] => Some(self.meshes[side].posed(pose)),
            _ => None,
        })
    }
}

impl PoseBatch<'_> {
    /// Returns [`verdict`](fn@crate::verdict) of each row.
    ///
    /// # Errors
    /// [`PoseBatchError::Interrupted`].
    pub fn verdict(
        &self,
        request: &CheckRequest,
        observer: &dyn Observer,
    ) -> Result<Vec<PairRecord>, PoseBatchError> {
        // Found once, before many threads want it.
        self.meshes.iter().for_each(|mesh| _ = mesh.solid());
        self.ask(observer, |a, b| verdict::verdict(a, b, request))
    }
}

/// The same questions, asked of a compute device.
///
/// A device searches the rows that spheres around the meshes do not exclude, and the CPU decides what remains
/// open. Answers equal the CPU's. A device is faster for tens of thousands of hard
/// rows, and slower than the CPU for easy ones; `docs/devices.md` has figures. The observer may stop them
/// once in 16 384 rows.
#[cfg(feature = "gpu")]
impl PoseBatch<'_> {
    /// Returns [`intersects`](Self::intersects) of each row.
    ///
    /// # Errors
    /// [`PoseBatchError::Interrupted`] or [`PoseBatchError::Device`].
    pub fn intersects_on(
        &self,
        session: &mut Session,
        observer: &dyn Observer,
    ) -> Result<Vec<bool>, PoseBatchError> {
        self.ask_on(session, observer, Question::Touches, |answer| {
            answer == Some(PairAnswer::Intersects(true))
        })
    }

    /// Returns [`contact_triangles`](Self::contact_triangles) of each row.
    ///
    /// # Errors
    /// [`PoseBatchError::Interrupted`] or [`PoseBatchError::Device`].
    pub fn contact_triangles_on(
        &self,
        session: &mut Session,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<[u32; 2]>>, PoseBatchError> {
        self.ask_on(session, observer, Question::Contacts, |answer| match answer {
            Some(PairAnswer::ContactTriangles(found)) => found,
            _ => Vec::new(),
        })
    }

    /// Returns [`distance`](Self::distance) of each row.
    ///
    /// # Errors
    /// [`PoseBatchError::Interrupted`] or [`PoseBatchError::Device`].
    pub fn distance_on(
        &self,
        session: &mut Session,
        observer: &dyn Observer,
    ) -> Result<Vec<Distance>, PoseBatchError> {
        self.ask_on(session, observer, Question::Within(f64::INFINITY), |answer| match answer {
            Some(PairAnswer::Distance(Some(found))) => found,
            _ => unreachable!("{}", collide::NO_LIMIT),
        })
    }

    /// Returns [`intersects_within`](Self::intersects_within) of each row.
    ///
    /// # Errors
    /// [`PoseBatchError::Interrupted`] or [`PoseBatchError::Device`].
    pub fn intersects_within_on(
        &self,
        limit: f64,
        session: &mut Session,
        observer: &dyn Observer,
    ) -> Result<Vec<bool>, PoseBatchError> {
        self.ask_on(session, observer, Question::Within(limit), |answer| {
            matches!(answer, Some(PairAnswer::Distance(Some(_))))
        })
    }

    /// Answers rows, some thousands together. `None` is the answer of a row that spheres exclude.
    fn ask_on<T: Send>(
        &self,
        session: &mut Session,
        observer: &dyn Observer,
        question: Question,
        take: impl Fn(Option<PairAnswer>) -> T + Sync,
    ) -> Result<Vec<T>, PoseBatchError> {
        let limit = match question {
            Question::Within(limit) => limit * SLACK,
            Question::Contacts | Question::Touches => 0.0,
        };
        let fixed = self.fixed();
        let posed = |side: usize, row: usize| match &fixed[side] {
            Some(posed) => posed.clone(),
            None => self.meshes[side].posed(&self.poses[side][row]),
        };
        observer.begin(Stage::Deciding, self.len as u64);
        let mut found = Vec::with_capacity(self.len);
        for begin in (0..self.len).step_by(TOGETHER) {
            if observer.cancelled() {
                return Err(PoseBatchError::Interrupted);
            }
            let count = TOGETHER.min(self.len - begin);
            let answers = on_threads(|| {
                let rows = parallel::map(count, parallel::SMALL, |place| {
                    let [a, b] = [0, 1].map(|side| posed(side, begin + place));
                    (!a.is_farther(&b, limit)).then_some([a.posed, b.posed])
                });
                let asked: Vec<_> = rows.iter().flatten().map(|[a, b]| (a, b, question)).collect();
                let mut answers = session.ask(&asked)?.into_iter();
                let answers =
                    rows.iter().map(|row| row.as_ref().and_then(|[a, b]| Some((answers.next()?, [a, b]))));
                let answers: Vec<_> = answers.collect();
                Ok::<_, DeviceError>(parallel::map_owned(answers, parallel::SMALL, |_, one| {
                    take(one.map(|(answer, pair)| pair_answer(answer, pair)))
                }))
            })?;
            observer.advance_by(count as u64);
            found.extend(answers);
        }
        Ok(found)
    }
}

/// Rows that a device gets together.
#[cfg(feature = "gpu")]
const TOGETHER: usize = 1 << 14;

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
