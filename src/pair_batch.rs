//! Answers many questions about pairs of posed meshes at once: the library's interface for thousands of
//! pairs.
//!
//! ```
//! use closefit::{CollisionMesh, DVec3, PairAnswer, PairBatch, Pose};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let shape = CollisionMesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//!
//! let fixed = shape.at(&Pose::IDENTITY)?;
//! let mut batch = PairBatch::default();
//! for step in 0..1000 {
//!     let moved = shape.at(&Pose::translation([f64::from(step) / 256.0, 0.0, 0.0]))?;
//!     batch.intersects(&fixed, &moved);
//!     batch.distance_up_to(&fixed, &moved, 0.5);
//! }
//! let found = batch.ask();
//! assert_eq!(found.len(), 2000);
//! assert_eq!(found[0], PairAnswer::Intersects(true));
//! let PairAnswer::Distance(Some(near)) = found[2 * 320 + 1] else { panic!("it is near") };
//! assert_eq!(near.distance, 0.25);
//! assert_eq!(found[1999], PairAnswer::Distance(None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bvh::placement::Placement;
#[cfg(feature = "gpu")]
use crate::bvh::wide_obb::on_device::{Limits, Residence};
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::search::question::{Answer, Question};
use crate::collide::{Closest, Distance};
use crate::collision_mesh::CollisionMesh;
#[cfg(feature = "gpu")]
use crate::gpu::{Device, DeviceError};
use crate::narrow::{Work, witness};
use crate::posed_mesh::PosedMesh;
use closefit_geometry::parallel;
#[cfg(feature = "gpu")]
use closefit_geometry::pool::on_threads;

/// Questions about pairs of posed meshes, answered together and in order. It shares the trees with the
/// caller's clones of them, so it may outlive those.
#[derive(Clone, Debug, Default)]
pub struct PairBatch {
    questions: Vec<(OwnPosed, OwnPosed, Question)>,
}

/// A posed mesh that is not borrowed.
#[derive(Clone, Debug)]
struct OwnPosed(CollisionMesh, Placement);

impl OwnPosed {
    fn of(posed: &PosedMesh) -> Self {
        Self(posed.mesh().clone(), *posed.posed)
    }

    fn posed(&self) -> PosedWideObb<'_> {
        PosedWideObb::placed(self.0.boxes(), self.1)
    }
}

/// The answer to one question of a [`PairBatch`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PairAnswer {
    /// The answer of [`intersects`](fn@crate::intersects).
    Intersects(bool),
    /// The answer of [`contact_triangles`](fn@crate::contact_triangles).
    ContactTriangles(Vec<[u32; 2]>),
    /// The answer of [`distance`](fn@crate::distance), if it is at most the limit.
    Distance(Option<Distance>),
}

impl PairBatch {
    /// Asks whether some triangles share a point.
    pub fn intersects(&mut self, a: &PosedMesh, b: &PosedMesh) {
        self.push(a, b, Question::Touches);
    }

    /// Asks for all pairs of triangles that share a point.
    pub fn contact_triangles(&mut self, a: &PosedMesh, b: &PosedMesh) {
        self.push(a, b, Question::Contacts);
    }

    /// Asks for the distance, if it is at most `limit`.
    pub fn distance_up_to(&mut self, a: &PosedMesh, b: &PosedMesh, limit: f64) {
        self.push(a, b, Question::Within(limit));
    }

    fn push(&mut self, a: &PosedMesh, b: &PosedMesh, question: Question) {
        self.questions.push((OwnPosed::of(a), OwnPosed::of(b), question));
    }

    /// Returns the number of questions.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// True when there are no questions.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// Answers all questions, in order, on the threads of the current [pool](crate::Pool). Each question gets
    /// a search of its own, which is quickest on a CPU.
    pub fn ask(&self) -> Vec<PairAnswer> {
        let ask = |(a, b, question): &(OwnPosed, OwnPosed, Question)| {
            let pair = [&a.posed(), &b.posed()];
            pair_answer(question.ask(pair[0], pair[1], &mut Work::default()), pair)
        };
        parallel::map_items(&self.questions, 1, ask)
    }

    /// Answers all questions, in order: a compute device searches for contacts and distances, and this thread
    /// pool decides what the device cannot. The answers equal [`PairBatch::ask`]'s. A GPU is faster for
    /// thousands of questions about a few trees. A tree is sent to the device once per session.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails; [`PairBatch::ask`] still works then.
    #[cfg(feature = "gpu")]
    pub fn ask_on(&self, session: &mut Session) -> Result<Vec<PairAnswer>, DeviceError> {
        let posed = self.posed();
        let questions: Vec<_> = posed.iter().map(|(a, b, question)| (a, b, *question)).collect();
        let answers = on_threads(|| session.ask(&questions))?;
        Ok(pair_answers(answers, &posed))
    }

    #[cfg(feature = "gpu")]
    fn posed(&self) -> Vec<Posed<'_>> {
        self.questions.iter().map(|(a, b, question)| (a.posed(), b.posed(), *question)).collect()
    }
}

/// The trees that a device holds, from one [`PairBatch::ask_on`] to the next. The memory of a tree is not
/// freed before the device makes room, or the session ends.
#[cfg(feature = "gpu")]
#[derive(Debug)]
pub struct Session(Residence);

#[cfg(feature = "gpu")]
impl Session {
    /// Begins a session without trees.
    pub fn new(device: Device) -> Self {
        Self(Residence::new(device, device.limits()))
    }

    /// Limits the device memory for trees, in bytes; by default it is 2 GiB. When another tree would exceed
    /// it, all trees make room. A pair of larger trees is sent all the same.
    pub fn memory(self, trees: u64) -> Self {
        let Self(residence) = self;
        let device = residence.device();
        Self(Residence::new(device, Limits { trees, ..device.limits() }))
    }

    /// Answers questions about posed trees, in order.
    pub(crate) fn ask(
        &mut self,
        questions: &[(&PosedWideObb, &PosedWideObb, Question)],
    ) -> Result<Vec<Answer>, DeviceError> {
        Ok(self.0.ask(questions)?.0)
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        self.0.device()
    }

    /// Returns the number of bytes that the trees take on the device.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// A question about two trees.
#[cfg(feature = "gpu")]
type Posed<'a> = (PosedWideObb<'a>, PosedWideObb<'a>, Question);

#[cfg(feature = "gpu")]
fn pair_answers(answers: Vec<Answer>, asked: &[Posed]) -> Vec<PairAnswer> {
    answers.into_iter().zip(asked).map(|(answer, (a, b, _))| pair_answer(answer, [a, b])).collect()
}

/// Returns the answer of the library's interface.
pub(crate) fn pair_answer(answer: Answer, [a, b]: [&PosedWideObb; 2]) -> PairAnswer {
    match answer {
        Answer::Touches(found) => PairAnswer::Intersects(found),
        Answer::Contacts(found) => PairAnswer::ContactTriangles(found),
        Answer::Within(found) => PairAnswer::Distance(found.map(|(nearest, [place_a, place_b])| Distance {
            distance: nearest.distance,
            closest: (nearest.distance > 0.0).then(|| Closest {
                triangles: nearest.triangles,
                points: witness(&a.triangle(place_a), &b.triangle(place_b)),
            }),
        })),
    }
}
