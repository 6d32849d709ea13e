//! A pair of meshes before one of closefit's backends: the only place that knows how each is built and asked.

use closefit::backend::Backend;
use closefit::bounds::aabb::Aabb;
use closefit::hierarchy::body::{Body, Model};
use closefit::hierarchy::obb_tree::ObbTree;
use closefit::math::pose::{LARGEST, Pose};
use closefit::narrow::tree_tree::{self, Work};
use closefit::scene::Mesh;
use closefit::scene::check::Topology;

/// The path that a harness calls by this name: `scalar`, `simd`, or `closefit` for the default.
pub fn named(kind: &str) -> Option<Backend> {
    if kind == "closefit" { Some(Backend::default()) } else { kind.parse().ok() }
}

/// Two meshes ready for questions: the first stands at the origin, each question poses the second.
pub struct Pair {
    meshes: [Mesh; 2],
    models: [Model; 2],
    fixed: Aabb,
}

impl Pair {
    /// Builds what the backend needs of both.
    pub fn build(backend: Backend, meshes: [Mesh; 2]) -> Self {
        let model = |mesh| match backend {
            // The same so far. No question here is about solids, so components are not looked for.
            Backend::Scalar | Backend::Simd => {
                Model { tree: ObbTree::build(mesh), topology: Topology::default() }
            }
        };
        let models = meshes.each_ref().map(model);
        let fixed = Aabb::posed(&meshes[0], &Pose::IDENTITY);
        Self { meshes, models, fixed }
    }

    /// Is any triangle of one in contact with one of the other? `None` where the pose, as in every
    /// question, takes the second mesh out of the admissible range.
    pub fn touches(&self, pose: &Pose) -> Option<bool> {
        self.ask(pose, |a, b| tree_tree::touches(a, b, &mut Work::default()))
    }

    /// All pairs of triangles in contact, sorted.
    pub fn contacts(&self, pose: &Pose) -> Option<Vec<[u32; 2]>> {
        self.ask(pose, |a, b| tree_tree::contacts(a, b, &mut Work::default()))
    }

    /// The smallest distance, 0 in contact.
    pub fn distance(&self, pose: &Pose) -> Option<f64> {
        self.ask(pose, |a, b| {
            let work = &mut Work::default();
            if tree_tree::touches(a, b, work) {
                return 0.0;
            }
            let nearest = tree_tree::nearest(a, b, f64::INFINITY, work);
            nearest.expect("no distance exceeds infinity").distance
        })
    }

    fn ask<T>(&self, pose: &Pose, question: impl FnOnce(&Body, &Body) -> T) -> Option<T> {
        let [fixed, moved] = &self.meshes;
        // The exact box of every posed vertex, as parts of a scene have it: linear time for each question.
        let bounds = Aabb::posed(moved, pose);
        let reach = bounds.lo.abs().max(bounds.hi.abs()).max_element();
        (pose.is_finite() && reach <= LARGEST).then(|| {
            let a = Body::new(fixed, &self.models[0], Pose::IDENTITY, self.fixed);
            let b = Body::new(moved, &self.models[1], *pose, bounds);
            question(&a, &b)
        })
    }
}
