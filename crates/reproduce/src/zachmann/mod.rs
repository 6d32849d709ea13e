//! The experiments of Zachmann 1997: two equal bodies in a cage, and BoxTrees by several rules.

pub mod build;
pub mod depth;
pub mod empty;
mod operations;
pub mod simple;

use closefit::{CollisionMesh, Mesh, Pose};
use closefit_generate::shapes::Shape;
use closefit_methods::internals::box_tree::{BoxRule, BoxTree};
use closefit_methods::internals::counted::Operations;

use crate::Motion;
use crate::simulate::{Path, cage};
use closefit_geometry::parallel;

/// The frames of several flights, and those at which methods are run.
#[derive(Clone, Copy, Debug)]
struct Frames {
    runs: u64,
    frames: usize,
    /// One frame in so many is examined.
    every: usize,
}

impl Frames {
    /// Returns a text about our choice.
    fn text(&self) -> String {
        let Self { runs, frames, every } = self;
        format!("{runs} flights of {frames} frames; methods are asked at one frame in {every}")
    }
}

/// A solid that meets a copy of itself.
struct Bodies {
    name: String,
    shape: Shape,
    /// Number of triangles.
    size: u32,
    mesh: Mesh,
    poses: Vec<[Pose; 2]>,
    /// Share of frames with a contact.
    contact_share: f64,
}

impl Bodies {
    /// Lets two solids of a number of triangles fly about; all poses are added to the digest.
    fn new(shape: Shape, triangles: u32, frames: Frames, digest: &mut blake3::Hasher) -> Self {
        let mesh = shape.mesh(triangles);
        let size = mesh.triangles().len() as u32;
        let radius = mesh.vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
        let tree = CollisionMesh::build(&mesh);
        let paths: Vec<Path> = parallel::map(frames.runs as usize, 1, |seed| {
            cage::flight([&tree; 2], radius, seed as u64, frames.frames)
        });
        paths.iter().for_each(|path| path.digest(digest));
        let poses = paths.iter().flat_map(|path| path.sampled(frames.every)).collect();
        let contact_share = paths.iter().map(Path::contact_share).sum::<f64>() / paths.len() as f64;
        Self { name: format!("{} {size}", shape.name()), shape, size, mesh, poses, contact_share }
    }

    /// Returns the motion: the frames at which methods are run.
    fn motion(&self) -> Motion {
        Motion::equal(self.name.clone(), &self.mesh, self.poses.iter().map(|poses| poses.to_vec()).collect())
    }

    /// Returns the operations that a tree by a rule takes to tell if the bodies are in contact, at all poses.
    fn operations(&self, rule: &BoxRule) -> Operations {
        let tree = BoxTree::build_as(&self.mesh, rule);
        let asked = |pose: usize| operations::of_asking(&tree, &self.mesh, &self.poses[pose]);
        let plus = |mut sum: Operations, one| {
            sum += one;
            sum
        };
        parallel::reduce(self.poses.len(), 1, asked, plus).unwrap_or(Operations::NONE)
    }

    /// Returns the mean number of operations at a pose.
    fn mean_operations(&self, rule: &BoxRule) -> f64 {
        self.operations(rule).total() as f64 / self.poses.len() as f64
    }
}
