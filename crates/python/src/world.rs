//! Many bodies that move from frame to frame.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use closefit::{
    AdvanceError, AdvanceRequest, BodyGroups, BodyId, ContactChange, DVec3, GridRule, Pose, WorldWork,
};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays::vectors;
use crate::collision_mesh::CollisionMesh;
use crate::error::Refusal;
use crate::many::arrays;
use crate::motion::TimeOfImpact;
use crate::pair;
use crate::poses::{Poses, pose};
use crate::sizes;
use crate::work;

/// Many bodies that move from frame to frame: which are in contact, or near each other, in each.
///
/// Fixed bodies are never tested against each other. Bodies are known by their number in the order in which
/// they were added, from 0.
#[pyclass(frozen, module = "closefit")]
pub struct World(pub(crate) Arc<Mutex<Bodies>>);

type Bodies = closefit::World;

#[pymethods]
impl World {
    /// Create an empty world.
    ///
    /// No answer depends on the options, only the time.
    ///
    /// Parameters
    /// ----------
    /// broad : str
    ///     How candidate pairs are found: 'recursive-grid', 'sweep-and-prune', 'grid', 'lists' or 'brute'.
    /// bounds : str
    ///     The boxes around bodies: 'oriented', 'cube' or 'tight'.
    /// hull : str
    ///     The filter by convex hulls: 'off', 'closest-features' or 'contact-region'.
    /// sphere_levels : sequence of int, optional
    ///     The numbers of spheres around each moving body, level by level: 1 and then more, such as
    ///     (1, 8, 64).
    /// grid : tuple of (int, int), optional
    ///     The rule of the recursive grid: cells with more boxes than the first number are cut into as many
    ///     cells along each axis as the second one says. The default is (8, 4).
    ///
    /// Raises
    /// ------
    /// ClosefitError
    ///     If the value of an option is not valid.
    #[new]
    #[pyo3(signature = (
        *, broad = "recursive-grid", bounds = "oriented", hull = "off", sphere_levels = None, grid = None
    ))]
    fn new(
        broad: &str,
        bounds: &str,
        hull: &str,
        sphere_levels: Option<Vec<usize>>,
        grid: Option<(usize, u32)>,
    ) -> Result<Self, Refusal> {
        let broad = broad.parse().map_err(|error| Refusal::of("broad", error))?;
        let bounds = bounds.parse().map_err(|error| Refusal::of("bounds", error))?;
        let hull = hull.parse().map_err(|error| Refusal::of("hull", error))?;
        let mut world = Bodies::with_broad_phase(broad).with_bounds(bounds).with_hulls(hull);
        if let Some(counts) = sphere_levels {
            world = world.with_sphere_levels(&counts).map_err(|error| Refusal::of("sphere_levels", error))?;
        }
        if let Some((threshold, cells)) = grid {
            let rule = GridRule::new(threshold, cells).map_err(|error| Refusal::of("grid", error))?;
            world = world.with_grid_rule(rule);
        }
        Ok(Self(Arc::new(Mutex::new(world))))
    }

    /// Add a body.
    ///
    /// Parameters
    /// ----------
    /// mesh : CollisionMesh
    ///     Its mesh.
    /// pose : array_like of shape (3, 4) or (4, 4)
    ///     Where it is.
    /// fixed : bool
    ///     Whether it is never tested against other fixed bodies. It may still be moved.
    /// group : tuple of (int, int), optional
    ///     Bits of the groups that it belongs to, and of those that it meets. Two bodies meet if each is in
    ///     a group that the other meets; by default every body meets every other.
    ///
    /// Returns
    /// -------
    /// int
    ///     Its number, which is never reused.
    #[pyo3(signature = (mesh, pose, *, fixed = false, group = None))]
    fn add(
        &self,
        py: Python<'_>,
        mesh: &Bound<'_, CollisionMesh>,
        pose: &Bound<'_, PyAny>,
        fixed: bool,
        #[pyo3(from_py_with = sizes::group)] group: Option<(u32, u32)>,
    ) -> PyResult<usize> {
        let (mesh, pose) = (mesh.get(), self::pose(pose, "pose")?);
        self.with(py, |bodies| {
            let added =
                if fixed { bodies.add_fixed(mesh.shape(), &pose) } else { bodies.add(mesh.shape(), &pose) };
            let id = added.map_err(|error| Refusal::of("pose", error))?;
            if let Some((memberships, filter)) = group {
                let groups = BodyGroups { memberships, filter };
                bodies.set_groups(id, groups).map_err(|error| Refusal::of("group", error))?;
            }
            Ok(id.index())
        })
    }

    /// Set the pose of a body.
    fn set_pose(&self, py: Python<'_>, body: i64, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = self::pose(pose, "pose")?;
        self.with(py, |bodies| {
            let moved = bodies.set_pose(id(bodies, body, "body")?, &pose);
            moved.map_err(|error| Refusal::of("pose", error))
        })
    }

    /// Set the poses of all bodies. If a pose is an error, those before it have been moved.
    ///
    /// Parameters
    /// ----------
    /// poses : array_like of shape (n, 3, 4) or (n, 4, 4)
    ///     A pose for each body, in the order of their numbers, without those that were removed.
    fn set_poses(&self, py: Python<'_>, poses: &Bound<'_, PyAny>) -> PyResult<()> {
        let poses = Poses::read(poses, "poses")?;
        self.with(py, |bodies| {
            for (index, (id, pose)) in poses_of_all(bodies, &poses)?.iter().enumerate() {
                bodies.set_pose(*id, pose).map_err(|error| Refusal::of(poses.name(index), error))?;
            }
            Ok(())
        })
    }

    /// Move all bodies to their next poses, and return the contacts that began, ended, or were there only
    /// between. Nothing is missed, however fast bodies move and however thin they are.
    ///
    /// Each body moves by the screw between its two poses, over the times 0 to 1. Pairs in contact before and
    /// after the step make no event. If the step is an error, no body has moved.
    ///
    /// Parameters
    /// ----------
    /// poses : array_like of shape (n, 3, 4) or (n, 4, 4)
    ///     The next pose of each body, in the order of their numbers, without those that were removed.
    /// precision : float
    ///     A length: between the poses, contact counts within half of it.
    /// budget : int, optional
    ///     Number of tests of boxes and triangles after which no further pair is looked at.
    ///
    /// Returns
    /// -------
    /// Step
    #[pyo3(signature = (poses, precision, *, budget = None))]
    fn advance(
        &self,
        py: Python<'_>,
        poses: &Bound<'_, PyAny>,
        precision: f64,
        #[pyo3(from_py_with = sizes::budget)] budget: Option<u64>,
    ) -> PyResult<Step> {
        let poses = Poses::read(poses, "poses")?;
        let request = AdvanceRequest::default().precision(precision).budget(budget);
        let step = self.asked(py, move |bodies| {
            let next = poses_of_all(bodies, &poses)?;
            bodies.advance(&next, &request).map_err(|error| match error {
                AdvanceError::Precision { .. } | AdvanceError::TooFine { .. } => {
                    Refusal::of("precision", error)
                }
                _ => Refusal::of("poses", error),
            })
        })??;
        let event = |event: &closefit::ContactEvent| {
            let bodies = event.bodies.map(BodyId::index).into();
            let time = Py::new(py, TimeOfImpact::of(py, &event.times)?)?;
            Py::new(
                py,
                ContactEvent { bodies, change: change(event.change), time, precision: event.precision },
            )
        };
        let events = step.events.iter().map(event).collect::<PyResult<_>>()?;
        Ok(Step { events, open: numbers(py, step.open)?.unbind() })
    }

    /// Fit a body to a mesh that has changed its shape. Other bodies with the same mesh keep theirs.
    ///
    /// Parameters
    /// ----------
    /// body : int
    ///     The body.
    /// vertices : array_like of shape (n, 3)
    ///     The new position of each vertex, in the order of `mesh.mesh.vertices` of the body's mesh. That
    ///     is not always the order of the vertices it was made of: equal ones are one there.
    fn refit(&self, py: Python<'_>, body: i64, vertices: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = vectors::<3>(vertices, "vertices")?;
        let vertices: Vec<DVec3> =
            rows.entries().as_chunks().0.iter().map(|&v| DVec3::from_array(v)).collect();
        self.with(py, |bodies| {
            let id = id(bodies, body, "body")?;
            bodies.refit(id, &vertices).map_err(|error| Refusal::of("vertices", error))
        })
    }

    /// Remove a body.
    fn remove(&self, py: Python<'_>, body: i64) -> PyResult<()> {
        self.with(py, |bodies| {
            let id = id(bodies, body, "body")?;
            bodies.remove(id).map_err(|error| Refusal::of("body", error))
        })
    }

    /// Put a body into groups, and choose the groups that it meets.
    ///
    /// Parameters
    /// ----------
    /// body : int
    ///     The body.
    /// memberships, filter : int
    ///     Bits of the groups that it belongs to, and of those that it meets. Two bodies meet if each is in
    ///     a group that the other meets.
    fn set_groups(
        &self,
        py: Python<'_>,
        body: i64,
        #[pyo3(from_py_with = sizes::memberships)] memberships: u32,
        #[pyo3(from_py_with = sizes::filter)] filter: u32,
    ) -> PyResult<()> {
        self.with(py, |bodies| {
            let groups = BodyGroups { memberships, filter };
            bodies.set_groups(id(bodies, body, "body")?, groups).map_err(|error| Refusal::of("body", error))
        })
    }

    /// Return the groups of a body: bits of those that it belongs to, and of those that it meets.
    fn groups(&self, py: Python<'_>, body: i64) -> PyResult<(u32, u32)> {
        self.with(py, |bodies| {
            let known = bodies.groups(id(bodies, body, "body")?);
            let groups = known.map_err(|error| Refusal::of("body", error))?;
            Ok((groups.memberships, groups.filter))
        })
    }

    /// Return the work so far.
    fn work(&self, py: Python<'_>) -> PyResult<Work> {
        self.with(py, |bodies| Ok(Work::of(&bodies.work())))
    }

    /// Exclude a pair: it is never tested, and not returned.
    fn exclude(&self, py: Python<'_>, a: i64, b: i64) -> PyResult<()> {
        self.with(py, |bodies| {
            let (a, b) = (id(bodies, a, "a")?, id(bodies, b, "b")?);
            bodies.exclude(a, b).map_err(|error| Refusal::of("b", error))
        })
    }

    /// Undo `exclude`.
    fn include(&self, py: Python<'_>, a: i64, b: i64) -> PyResult<()> {
        self.with(py, |bodies| {
            let (a, b) = (id(bodies, a, "a")?, id(bodies, b, "b")?);
            bodies.include(a, b).map_err(|error| Refusal::of("b", error))
        })
    }

    /// Return the pose of a body, as a matrix of shape (3, 4).
    fn pose<'py>(&self, py: Python<'py>, body: i64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let pose = self.with(py, |bodies| {
            let known = bodies.pose(id(bodies, body, "body")?);
            known.copied().map_err(|error| Refusal::of("body", error))
        })?;
        PyArray1::from_slice(py, pose.rows.as_flattened()).reshape([3, 4])
    }

    /// Return the candidate pairs: those whose boxes meet, of bodies that may meet.
    ///
    /// They include all pairs in contact, and all pairs in which one solid contains the other.
    ///
    /// Returns
    /// -------
    /// ndarray of int64, shape (k, 2)
    ///     Numbers of two bodies in each row, sorted.
    fn candidate_pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let found = self.asked_soon(py, closefit::World::candidate_pairs)?;
        numbers(py, found)
    }

    /// Return the pairs in contact.
    ///
    /// Returns
    /// -------
    /// ndarray of int64, shape (k, 2)
    ///     Numbers of two bodies in each row, sorted.
    fn intersecting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let found = self.asked_soon(py, closefit::World::intersecting)?;
        numbers(py, found)
    }

    /// Return the pairs in contact with their triangles.
    ///
    /// Returns
    /// -------
    /// list of (int, int, ndarray of uint32, shape (k, 2))
    ///     Numbers of two bodies, and what `contact_triangles` says of them.
    #[allow(clippy::type_complexity)] // a tuple of Python's, which the stub spells out
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Vec<(usize, usize, Bound<'py, PyArray2<u32>>)>> {
        let found = self.asked(py, closefit::World::contacts)?;
        let row = |found: closefit::BodyContacts| {
            let [a, b] = found.bodies.map(BodyId::index);
            Ok((a, b, pair::pairs(py, &found.triangles)?))
        };
        found.into_iter().map(row).collect()
    }

    /// Return the pairs at most a distance apart, including those in contact.
    ///
    /// Parameters
    /// ----------
    /// limit : float
    ///     The distance.
    ///
    /// Returns
    /// -------
    /// Pairs
    fn pairs_within(&self, py: Python<'_>, limit: f64) -> PyResult<Pairs> {
        let limit = pair::checked_limit(limit)?;
        let found = self.asked_soon(py, move |world| world.pairs_within(limit))?;
        let (bodies, distances): (Vec<_>, Vec<_>) =
            found.into_iter().map(|found| (found.bodies, found.distance)).unzip();
        let (distances, triangles, points) = arrays(py, &distances)?;
        Ok(Pairs {
            bodies: numbers(py, bodies)?.unbind(),
            distances: distances.unbind(),
            triangles: triangles.unbind(),
            points: points.unbind(),
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |bodies| Ok(bodies.len()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("World({} bodies)", self.__len__(py)?))
    }
}

impl World {
    /// Does short work on the bodies.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Bodies) -> Result<T, Refusal> + Send,
    ) -> PyResult<T> {
        Ok(work::brief_on(py, &self.0, work)??)
    }

    /// Asks about contact or distance: on this thread if there is one pair at most, since that is short.
    fn asked_soon<T: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut Bodies) -> T + Send + 'static,
    ) -> PyResult<T> {
        let tried = work::brief_on(py, &self.0, |bodies| match bodies.len() {
            0..=2 => Ok(question(bodies)),
            _ => Err(question),
        })?;
        tried.or_else(|question| self.asked(py, question))
    }

    /// Asks about all bodies, on closefit's own threads.
    fn asked<T: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut Bodies) -> T + Send + 'static,
    ) -> PyResult<T> {
        let bodies = Arc::clone(&self.0);
        work::long(py, 0, move |_| question(&mut locked(&bodies)))
    }
}

/// Returns every body with its pose among poses of all.
fn poses_of_all(bodies: &Bodies, poses: &Poses) -> Result<Vec<(BodyId, Pose)>, Refusal> {
    let (given, expected) = (poses.all.len(), bodies.len());
    if given != expected {
        return Err(Refusal::of("poses", format!("{given} poses for {expected} bodies")));
    }
    // There are so many, so the search ends.
    let ids = (0..).filter_map(|number| bodies.body(number)).take(expected);
    Ok(ids.zip(poses.all.iter().copied()).collect())
}

/// Returns the name of a change.
pub fn change(change: ContactChange) -> &'static str {
    match change {
        ContactChange::Began => "began",
        ContactChange::Ended => "ended",
        ContactChange::Brief => "brief",
    }
}

/// Locks bodies. A panic leaves a world in which some body may be missing, but no broken one.
fn locked(bodies: &Mutex<Bodies>) -> MutexGuard<'_, Bodies> {
    bodies.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the id of a body by its number.
fn id(bodies: &Bodies, number: i64, key: &str) -> Result<BodyId, Refusal> {
    let known = usize::try_from(number).ok().and_then(|number| bodies.body(number));
    known.ok_or_else(|| Refusal::of(key, format!("there is no body {number} in the world")))
}

/// Pairs of bodies with their distances, one in each row of all arrays.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct Pairs {
    /// Numbers of the two bodies: an array of int64 of shape (k, 2), sorted.
    bodies: Py<PyArray2<i64>>,
    /// Their distances: 0 in contact, and only there.
    distances: Py<PyArray1<f64>>,
    /// Closest triangles: an array of uint32 of shape (k, 2); ``2**32 - 1`` in contact.
    triangles: Py<PyArray2<u32>>,
    /// A point on each: an array of shape (k, 2, 3); NaN in contact.
    points: Py<PyArray3<f64>>,
}

#[pymethods]
impl Pairs {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.distances.bind(py).len()
    }
}

/// The events of a step of a world.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct Step {
    /// Contacts that began, ended, or were there only between, ordered by time of contact, then by bodies.
    events: Vec<Py<ContactEvent>>,
    /// Pairs that were not examined because the budget was spent: an array of int64 of shape (k, 2), sorted.
    open: Py<PyArray2<i64>>,
}

#[pymethods]
impl Step {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Step({} events, {} open pairs)", self.events.len(), self.open.bind(py).len()?))
    }
}

/// A contact that began, ended, or was there only between.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct ContactEvent {
    /// Numbers of the two bodies, the one added first in front.
    bodies: (usize, usize),
    /// 'began', 'ended', or 'brief': only between.
    change: &'static str,
    /// The time of contact, from 0 at the poses before the step to 1 at the next ones.
    time: Py<TimeOfImpact>,
    /// The precision of the time: the step's, or a finer one if the bodies are close at the start.
    precision: f64,
}

#[pymethods]
impl ContactEvent {
    fn __repr__(&self) -> String {
        let Self { bodies, change, .. } = self;
        format!("ContactEvent(bodies={bodies:?}, change={change:?})")
    }
}

/// The work of a world so far.
#[pyclass(frozen, get_all, name = "WorldWork", module = "closefit")]
pub struct Work {
    /// Bodies that were added or moved.
    placed: u64,
    /// Bodies whose box changed by more than rounding.
    updates: u64,
    /// Candidate pairs, once for each question.
    asked: u64,
    /// Tests of boxes around bodies, in the search for candidate pairs.
    body_tests: u64,
    /// Tests of boxes inside bodies.
    box_tests: u64,
    /// Tests of triangles.
    triangle_tests: u64,
    /// Those tests of triangles that exact arithmetic decided.
    exact_tests: u64,
}

impl Work {
    fn of(work: &WorldWork) -> Self {
        let tests = work.tests();
        Self {
            placed: work.placed,
            updates: work.updates,
            asked: work.asked,
            body_tests: work.broad.box_tests,
            box_tests: tests.box_tests,
            triangle_tests: tests.triangle_tests,
            exact_tests: tests.exact_tests,
        }
    }
}

fn numbers(py: Python<'_>, pairs: Vec<[BodyId; 2]>) -> PyResult<Bound<'_, PyArray2<i64>>> {
    let numbers = pairs.iter().flatten().map(|id| i64::from(id.0));
    PyArray1::from_iter(py, numbers).reshape([pairs.len(), 2])
}
