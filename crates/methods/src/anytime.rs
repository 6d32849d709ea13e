//! Searches that can be interrupted at any time: the library's interface for a fixed budget of work.
//!
//! A search makes as many steps as the caller allows. What it has found until then is right, and it reports
//! what is still open. Later it continues from there. Therefore a simulation can spend the same amount of
//! work in every frame (Zachmann 1997, section 1). The answer at the end is the answer of
//! [`intersects`](fn@closefit::intersects), [`contacts`](fn@closefit::contact_triangles) and
//! [`distance`](closefit::distance).
//!
//! ```
//! use closefit_methods::anytime::{BoxTree, DistanceSearch, Progress};
//! use closefit::{DVec3, Mesh, Pose};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let tree = BoxTree::build(&mesh);
//! let a = tree.at(&Pose::IDENTITY)?;
//! let b = tree.at(&Pose::translation([1.25, 0.0, 0.0]))?;
//!
//! let mut search = DistanceSearch::between(&a, &b);
//! while search.run(1) == Progress::More {
//!     let [at_least, at_most] = search.bounds();
//!     assert!(at_least <= 0.25 && 0.25 <= at_most);
//! }
//! assert_eq!(search.finish().distance, 0.25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use crate::box_tree::{self, ContactRun, Contacts, NearestRun, PosedBoxTree};
use closefit::internals::bvh::Hierarchy;
use closefit::{Closest, Distance, PoseError, Work};
use closefit_geometry::exact::distance::witness;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// Zachmann's BoxTree over a mesh, with the mesh. Clones share it.
#[derive(Clone, Debug)]
pub struct BoxTree(Arc<Built>);

#[derive(Debug)]
struct Built {
    mesh: Mesh,
    boxes: box_tree::BoxTree,
}

impl BoxTree {
    /// Builds the tree, on the threads of the current [pool](closefit::Pool).
    pub fn build(mesh: &Mesh) -> Self {
        Self(Arc::new(Built { mesh: mesh.clone(), boxes: box_tree::BoxTree::build(mesh) }))
    }

    /// Returns the tree at a pose. With shears and non-uniform scales no boxes are compared: bake such a map
    /// into the mesh.
    ///
    /// # Errors
    /// [`PoseError`] for a pose that is not finite, or may take a vertex beyond 2^200.
    pub fn at(&self, pose: &Pose) -> Result<PlacedBoxes<'_>, PoseError> {
        let Built { mesh, boxes } = &*self.0;
        PoseError::check(pose, boxes.largest_coordinate())?;
        Ok(PlacedBoxes(boxes.place(mesh, pose, Executor::default())))
    }
}

/// A [`BoxTree`] at a pose, made by [`BoxTree::at`].
#[derive(Clone, Copy, Debug)]
pub struct PlacedBoxes<'a>(PosedBoxTree<'a>);

/// The state of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Something is left to search.
    More,
    /// The search is over.
    Done,
}

impl Progress {
    fn of(is_done: bool) -> Self {
        if is_done { Self::Done } else { Self::More }
    }
}

/// A search for all triangles in contact.
#[derive(Clone, Debug)]
pub struct ContactSearch<'a> {
    run: ContactRun<'a>,
    found: Contacts,
}

impl<'a> ContactSearch<'a> {
    /// Prepares a search.
    pub fn between(a: &PlacedBoxes<'a>, b: &PlacedBoxes<'a>) -> Self {
        let run = ContactRun::new(&a.0, &b.0, &mut Work::default());
        Self { run, found: Contacts::up_to(usize::MAX) }
    }

    /// Opens at most `steps` pairs of boxes.
    pub fn run(&mut self, steps: u64) -> Progress {
        let Self { run, found } = self;
        let all = run.run(steps, &mut Work::default(), &mut |triangles| found.add(triangles));
        assert!(all.is_continue());
        Progress::of(run.is_done())
    }

    /// Returns the contacts found so far: pairs of triangles (of a, of b, by their indices in the meshes),
    /// sorted.
    pub fn contacts(&self) -> Vec<[u32; 2]> {
        self.found.clone().sorted()
    }

    /// Returns the number of pairs of boxes that are left. There may be further contacts only in those.
    pub fn boxes_left(&self) -> usize {
        self.run.boxes_left()
    }
}

/// A search for the distance of two surfaces.
#[derive(Debug)]
pub struct DistanceSearch<'a> {
    run: NearestRun<'a>,
    sides: [PosedBoxTree<'a>; 2],
    /// The best lower bound so far.
    at_least: f64,
}

impl<'a> DistanceSearch<'a> {
    /// Prepares a search.
    pub fn between(a: &PlacedBoxes<'a>, b: &PlacedBoxes<'a>) -> Self {
        Self { run: NearestRun::within(&a.0, &b.0, f64::INFINITY), sides: [a.0, b.0], at_least: 0.0 }
    }

    /// Opens at most `steps` pairs of boxes, the nearest first, and the next nearest with them.
    pub fn run(&mut self, steps: u64) -> Progress {
        self.run.run(steps, &mut Work::default());
        self.at_least = self.at_least.max(self.run.bounds()[0]);
        Progress::of(self.run.is_done())
    }

    /// Returns an interval that certainly contains the distance. It shrinks from step to step; both ends are
    /// 0 as soon as a contact is found.
    pub fn bounds(&self) -> [f64; 2] {
        [self.at_least, self.run.bounds()[1]]
    }

    /// Runs the search to its end and returns the distance.
    pub fn finish(mut self) -> Distance {
        self.run(u64::MAX);
        if self.run.touching().is_some() {
            return Distance { distance: 0.0, closest: None };
        }
        let nearest = self.run.settle(&mut Work::default()).expect("no distance exceeds infinity");
        let [a, b] = nearest.triangles;
        let points = witness(&self.sides[0].triangle(a), &self.sides[1].triangle(b));
        let closest = Some(Closest { triangles: nearest.triangles, points });
        Distance { distance: nearest.distance, closest }
    }
}
