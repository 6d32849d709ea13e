//! Assemblies of parts: the library's interface to everything that the command line does.
//!
//! ```
//! use closefit::{Assembly, DVec3, Mesh, Pose, Verdict};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = std::sync::Arc::new(Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
//! let mut assembly = Assembly::default();
//! let a = assembly.add("a", &mesh, Pose::IDENTITY);
//! let b = assembly.add("b", &mesh, Pose::translation([1.25, 0.0, 0.0]));
//! let c = assembly.add("c", &mesh, Pose::translation([0.1, 0.1, 0.1]));
//! assembly.exclude(a, c, "welded together");
//! assert_eq!([assembly.part(1), assembly.part(3)], [Some(b), None]);
//!
//! let request = assembly.check_request()?.clearance(0.5);
//! let found = assembly.check(&request)?;
//! assert_eq!(found.ledger.excluded["welded together"], 1);
//! let near = found.pairs.iter().find(|pair| pair.ids == [a, b]).expect("they come close");
//! assert_eq!((near.verdict, near.distance), (Verdict::Clearance, 0.25));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::bvh::kind::TreeKind;
use crate::engine::{
    self, CheckError, CheckResult, EncounterRecord, JointBoxRequest, NoJournal, Observer, PairJournal,
    PosedBoxes, Separation, SharedVolume, SlackError, SlackRequest, SlackResult, SweepError, SweepResult,
    Unobserved,
};
use crate::query::contact_geometry::ContactGeometry;
use crate::query::moving_pair::{MovingPairRecord, SweepRequest};
use crate::query::{CheckRequest, PairRecord};
use closefit_geometry::ids::{MeshId, PartId, to_u32};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::{Joint, Motion};
use closefit_geometry::pool::on_threads;
use closefit_geometry::scene::{Part, Robot, Scene};
use closefit_geometry::units::Unit;

/// The company of a check or a sweep: an observer that follows it, and a journal that keeps its pairs. By
/// default there is neither.
///
/// ```
/// use closefit::{Assembly, Mesh, Observer, Pose, Run};
///
/// struct Impatient;
/// impl Observer for Impatient {
///     fn cancelled(&self) -> bool {
///         true
///     }
/// }
///
/// let mut assembly = Assembly::default();
/// assert_eq!(assembly.check(&assembly.check_request()?)?.ledger.pairs, 0);
///
/// let triangle = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let triangle = std::sync::Arc::new(triangle);
/// assembly.add("a", &triangle, Pose::IDENTITY);
/// assembly.add("b", &triangle, Pose::IDENTITY);
/// let request = assembly.check_request()?;
/// assert!(assembly.check_with(&request, Run::default().observer(&Impatient)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Run<'a, R> {
    observer: &'a dyn Observer,
    journal: &'a dyn PairJournal<R>,
}

impl<R> std::fmt::Debug for Run<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").finish_non_exhaustive()
    }
}

impl<R> Default for Run<'_, R> {
    fn default() -> Self {
        Self { observer: &Unobserved, journal: &NoJournal }
    }
}

impl<'a, R> Run<'a, R> {
    /// Returns the run with an observer, which is informed and may stop it.
    pub fn observer(self, observer: &'a dyn Observer) -> Self {
        Self { observer, ..self }
    }

    /// Returns the run with a journal: only pairs that it does not know or leave to others are decided, and
    /// each is handed on to it as soon as it is.
    pub fn journal(self, journal: &'a dyn PairJournal<R>) -> Self {
        Self { journal, ..self }
    }
}

/// Parts at rest or moving, and excluded pairs.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    scene: Scene,
    /// The meshes of the scene by their address: parts with the same one share its tree.
    meshes: HashMap<usize, MeshId>,
    /// The boxes of the parts, for the first settings.
    posed: OnceLock<PosedBoxes>,
}

impl Assembly {
    /// Sets the unit of all lengths, for reports.
    pub fn in_unit(mut self, unit: Unit) -> Self {
        self.scene.unit = Some(unit);
        self
    }

    /// Adds a part at rest. Parts with the same `Arc` share the mesh and its tree.
    pub fn add(&mut self, name: &str, mesh: &Arc<Mesh>, pose: Pose) -> PartId {
        let mesh = self.mesh(mesh);
        self.push(Part::new(name, mesh, pose))
    }

    /// Adds a moving part, in the frame of a part added before (the carrier) or, without one, in the world. A
    /// carrier at rest contributes its pose.
    ///
    /// # Panics
    /// Panics if the carrier is not in the assembly.
    pub fn add_moving(
        &mut self,
        name: &str,
        mesh: &Arc<Mesh>,
        motion: Motion,
        carrier: Option<PartId>,
    ) -> PartId {
        let mesh = self.mesh(mesh);
        let parent = carrier.map(|part| {
            let Part { frame, pose, .. } = self.scene.parts[part.index()];
            frame.unwrap_or_else(|| self.scene.frames.add(None, Joint::Fixed(pose)))
        });
        let frame = self.scene.frames.add(parent, Joint::Moving(motion));
        let start = self.scene.frames.time_range().map_or(0.0, |[first, _]| first);
        let pose = self.scene.frames.pose(frame, start);
        self.push(Part { frame: Some(frame), ..Part::new(name, mesh, pose) })
    }

    /// Declares a part a surface: its open components then do not count as incomplete solids.
    ///
    /// # Panics
    /// Panics if the part is not in the assembly.
    pub fn declare_surface(&mut self, part: PartId) {
        self.scene.parts[part.index()].is_surface = true;
    }

    /// Excludes a pair from all checks and sweeps. The summary of pairs counts it under the reason; the first
    /// reason is kept.
    ///
    /// # Panics
    /// Panics for a part and itself, and for parts that are not in the assembly.
    pub fn exclude(&mut self, a: PartId, b: PartId, reason: impl Into<Cow<'static, str>>) {
        assert!(a.max(b).index() < self.scene.parts.len(), "both parts are in the assembly");
        self.scene.excluded.exclude(a, b, reason);
    }

    /// Returns the id of a part by the number of parts that were added before it; `None` if there are not so
    /// many.
    pub fn part(&self, index: usize) -> Option<PartId> {
        (index < self.scene.parts.len()).then(|| PartId(to_u32(index)))
    }

    /// Returns the parts with their meshes and motions.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Returns the default settings of a check: no clearance, and the tolerance that the command line takes
    /// by default, the smallest power of ten that is at least a millionth of the diagonal of all parts.
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`] for a part that cannot be posed.
    pub fn check_request(&self) -> Result<CheckRequest, CheckError> {
        Ok(CheckRequest::default().tolerance(engine::tolerance_of(&self.scene, self.diagonal(None)?)))
    }

    /// Returns the times of the first and the last keyframe, in seconds; `None` if no part moves.
    pub fn time_range(&self) -> Option<[f64; 2]> {
        engine::time_range(&self.scene)
    }

    /// Returns the default settings of a sweep between two times: no clearance, and the tolerance and
    /// precision that the command line takes by default, from the diagonal of all parts at the start. A
    /// motion that this precision cuts into more than 2^40 cells is an error; see
    /// [`SweepRequest::most_cells`].
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`] for a part that cannot be posed.
    pub fn sweep_request(&self, from: f64, to: f64) -> Result<SweepRequest, CheckError> {
        let diagonal = self.diagonal(Some(from))?;
        let request = SweepRequest::default().between(from, to).most_cells(engine::MOST_CELLS);
        Ok(request
            .tolerance(engine::tolerance_of(&self.scene, diagonal))
            .precision(engine::PRECISION * diagonal))
    }

    /// Returns the diagonal of the box of all parts at a time, or as they were added.
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`] for a part that cannot be posed.
    pub fn diagonal(&self, time: Option<f64>) -> Result<f64, CheckError> {
        Ok(on_threads(|| self.posed(time))?.diagonal())
    }

    /// Decides every pair of parts at rest, on the threads of the current [pool](crate::Pool).
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn check(&self, request: &CheckRequest) -> Result<CheckResult, CheckError> {
        self.check_with(request, Run::default())
    }

    /// Decides the pairs of parts at rest that the run's journal does not know or leave to others. The result
    /// has the pairs that the journal knows, too.
    ///
    /// # Errors
    /// [`CheckError`]; [`CheckError::Interrupted`] if the observer or the journal stops the run.
    pub fn check_with(
        &self,
        request: &CheckRequest,
        run: Run<PairRecord>,
    ) -> Result<CheckResult, CheckError> {
        let Run { observer, journal } = run;
        on_threads(|| engine::check_posed(&self.scene, &*self.posed(None)?, request, observer, journal))
    }

    /// Returns the ways out of the pairs that a check has found: for each that clashes and has a depth, a
    /// short translation of the smaller part that parts the two. `pairs` are all that the check with this
    /// request has listed.
    ///
    /// ```
    /// use closefit::{Assembly, DVec3, Mesh, Pose};
    ///
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let mesh = std::sync::Arc::new(mesh);
    /// let mut assembly = Assembly::default();
    /// assembly.add("a", &mesh, Pose::IDENTITY);
    /// let b = assembly.add("b", &mesh, Pose::translation([0.25, 0.25, 0.25]));
    ///
    /// let request = assembly.check_request()?;
    /// let found = assembly.check(&request)?;
    /// let ways = assembly.ways_out(&request, &found.pairs, &closefit::Unobserved)?;
    /// let way = ways[0].as_ref().expect("they clash");
    /// assert!(way.part == b && way.at_least <= way.at_most && way.meets.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn ways_out(
        &self,
        request: &CheckRequest,
        pairs: &[PairRecord],
        observer: &dyn Observer,
    ) -> Result<Vec<Option<Separation>>, CheckError> {
        on_threads(|| engine::separations(&self.scene, &*self.posed(None)?, request, pairs, observer))
    }

    /// Returns the geometry of the contacts that a check has found: for each pair in contact what its
    /// triangles share, in patches with at most `points` points for a solver. `pairs` are some that the
    /// check with this request has listed.
    ///
    /// ```
    /// use closefit::{Assembly, DVec3, Mesh, Pose, Unobserved};
    ///
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let mesh = std::sync::Arc::new(mesh);
    /// let mut assembly = Assembly::default();
    /// assembly.add("a", &mesh, Pose::IDENTITY);
    /// assembly.add("b", &mesh, Pose::translation([0.25, 0.25, 0.25]));
    ///
    /// let request = assembly.check_request()?;
    /// let found = assembly.check(&request)?;
    /// let contacts = assembly.contact_geometries(&request, &found.pairs, 4, &Unobserved)?;
    /// let patch = &contacts[0].as_ref().expect("they touch").patches[0];
    /// assert!(patch.closed && (patch.length - 3.0 * 0.125_f64.sqrt()).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn contact_geometries(
        &self,
        request: &CheckRequest,
        pairs: &[PairRecord],
        points: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<ContactGeometry>>, CheckError> {
        let asked = (pairs, points);
        on_threads(|| engine::contact_geometries(&self.scene, &*self.posed(None)?, request, asked, observer))
    }

    /// Returns the volume that each pair shares whose parts touch or contain each other, or the reason why
    /// there is none. `pairs` are some that the check with this request has listed.
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn overlap_volumes(
        &self,
        request: &CheckRequest,
        pairs: &[PairRecord],
        observer: &dyn Observer,
    ) -> Result<Vec<SharedVolume>, CheckError> {
        on_threads(|| engine::overlap_volumes(&self.scene, &*self.posed(None)?, request, pairs, observer))
    }

    /// Returns, for each part, the pairs of its triangles that share more than the vertices and edges
    /// that they have in common: the lower index first, sorted.
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn self_contacts(
        &self,
        request: &CheckRequest,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<[u32; 2]>>, CheckError> {
        on_threads(|| engine::self_contacts(&self.scene, &*self.posed(None)?, request, observer))
    }

    /// Returns the default settings of the question how much room parts have: no clearance, the tolerance of
    /// a check, the precision of a sweep, and the scene's axes.
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`] for a part that cannot be posed.
    pub fn slack_request(&self) -> Result<SlackRequest, CheckError> {
        let diagonal = self.diagonal(None)?;
        let request = SlackRequest::default().tolerance(engine::tolerance_of(&self.scene, diagonal));
        Ok(request.precision(engine::PRECISION * diagonal))
    }

    /// Returns how much room parts have: how far each, moved alone, can shift and turn before it comes nearer
    /// than the clearance to another.
    ///
    /// ```
    /// use closefit::{Assembly, DVec3, Mesh, Pose};
    ///
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let mesh = std::sync::Arc::new(mesh);
    /// let mut assembly = Assembly::default();
    /// let a = assembly.add("a", &mesh, Pose::IDENTITY);
    /// let b = assembly.add("b", &mesh, Pose::translation([1.25, 0.0, 0.0]));
    ///
    /// let request = assembly.slack_request()?;
    /// let found = assembly.slack(&[a], &request, &closefit::Unobserved)?;
    /// let [right, left, ..] = &found.parts[0].shifts;
    /// assert_eq!((right.stopped_by, left.stopped_by), (Some(b), None));
    /// assert!(right.at_least <= 0.25 && 0.25 <= right.at_most.unwrap() + request.precision);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SlackError`].
    ///
    /// # Panics
    /// Panics for parts that are not in the assembly.
    pub fn slack(
        &self,
        parts: &[PartId],
        request: &SlackRequest,
        observer: &dyn Observer,
    ) -> Result<SlackResult, SlackError> {
        on_threads(|| engine::slack(&self.scene, &*self.posed(None)?, parts, request, observer))
    }

    /// Decides, for each pair in the scope with a part of a robot, if the two can meet, over all values of
    /// its joints within ranges. Runs on the threads of the current [pool](crate::Pool).
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn encounters(
        &self,
        robot: &Robot,
        request: &CheckRequest,
        asked: &JointBoxRequest,
        observer: &dyn Observer,
    ) -> Result<Vec<EncounterRecord>, CheckError> {
        on_threads(|| engine::encounters(&self.scene, robot, request, asked, observer))
    }

    /// Compares the request's tree with other kinds for every candidate pair, and with the records of a
    /// check.
    #[doc(hidden)]
    pub fn cross_check(
        &self,
        (request, pairs): (&CheckRequest, &[PairRecord]),
        kinds: &[TreeKind],
        observer: &dyn Observer,
    ) -> Result<engine::CrossChecked, CheckError> {
        let of_posed = |posed: &_| engine::cross_check(&self.scene, posed, (request, pairs), kinds, observer);
        on_threads(|| of_posed(&*self.posed(None)?))
    }

    /// Decides every pair of parts over their motion, on the threads of the current [pool](crate::Pool).
    ///
    /// # Errors
    /// [`SweepError`].
    pub fn sweep(&self, request: &SweepRequest) -> Result<SweepResult, SweepError> {
        self.sweep_with(request, Run::default())
    }

    /// Decides the pairs of parts over their motion that the run's journal does not know or leave to others,
    /// as [`check_with`](Self::check_with) does for parts at rest.
    ///
    /// # Errors
    /// [`SweepError`].
    pub fn sweep_with(
        &self,
        request: &SweepRequest,
        run: Run<MovingPairRecord>,
    ) -> Result<SweepResult, SweepError> {
        let Run { observer, journal } = run;
        engine::check_times(&self.scene, request)?;
        let from = Some(request.from);
        on_threads(|| engine::sweep_posed(&self.scene, &*self.posed(from)?, request, observer, journal))
    }

    /// Returns the distance of two parts at about a thousand times of a sweep, as rows of time and distance.
    ///
    /// # Errors
    /// [`SweepError`].
    ///
    /// # Panics
    /// Panics for a part and itself, and for parts that are not in the assembly.
    pub fn distances_over_time(
        &self,
        pair: [PartId; 2],
        request: &SweepRequest,
    ) -> Result<Vec<[f64; 2]>, SweepError> {
        on_threads(|| engine::distances_over_time(&self.scene, pair, request))
    }

    fn mesh(&mut self, mesh: &Arc<Mesh>) -> MeshId {
        let scene = &mut self.scene;
        *self.meshes.entry(Arc::as_ptr(mesh).addr()).or_insert_with(|| scene.add_mesh(Arc::clone(mesh)))
    }

    /// Returns the boxes of the parts at a time, or as the scene gives them.
    fn posed(&self, time: Option<f64>) -> Result<Cow<'_, PosedBoxes>, CheckError> {
        if let Some(posed) = self.posed.get().filter(|posed| posed.time() == time) {
            return Ok(Cow::Borrowed(posed));
        }
        let posed = PosedBoxes::new(&self.scene, time)?;
        Ok(match self.posed.set(posed) {
            Ok(()) => Cow::Borrowed(self.posed.wait()),
            Err(posed) => Cow::Owned(posed),
        })
    }

    fn push(&mut self, part: Part) -> PartId {
        self.posed.take();
        self.scene.parts.push(part);
        PartId(to_u32(self.scene.parts.len() - 1))
    }
}

impl From<Scene> for Assembly {
    fn from(scene: Scene) -> Self {
        let meshes = (0..).zip(&scene.meshes).map(|(id, mesh)| (Arc::as_ptr(mesh).addr(), MeshId(id)));
        Self { meshes: meshes.collect(), scene, posed: OnceLock::new() }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::query::Verdict;

    /// A wedge on the floor of a tray without a lid: they touch, unless the tray is a solid with a face
    /// missing.
    #[test]
    fn an_open_part_is_trusted_once_it_is_declared_a_surface() {
        let mut assembly = Assembly::default();
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let open = [[0, 2, 1], [0, 1, 3], [0, 3, 2]];
        let tray = Arc::new(Mesh::new(&corners, &open).expect("valid"));
        let whole = Arc::new(Mesh::new(&corners, &[&open[..], &[[1, 2, 3]]].concat()).expect("valid"));
        let tray = assembly.add("tray", &tray, Pose::IDENTITY);
        let wedge = assembly.add("wedge", &whole, Pose::translation([0.5, 0.0, 0.0]));
        let mut verdict = |is_surface: bool| {
            if is_surface {
                assembly.declare_surface(tray);
            }
            let request = assembly.check_request().expect("in range").tolerance(1e-6);
            let found = assembly.check(&request).expect("in range");
            assert_eq!(found.pairs.iter().map(|pair| pair.ids).collect::<Vec<_>>(), [[tray, wedge]]);
            (found.pairs[0].verdict, found.ledger.undecided)
        };
        assert_eq!(verdict(false), (Verdict::Undecided, 1));
        assert_eq!(verdict(true), (Verdict::Contact, 0));
        assert!(assembly.scene().parts[tray.index()].is_surface);
        assert!(!assembly.scene().parts[wedge.index()].is_surface);
    }
}
