//! A tree with its mesh and the mesh's topology, shared by the library's interfaces for verdicts and motions.

use crate::collide::Tree;
use crate::hierarchy::body;
use crate::hierarchy::obb8::Obb8;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::{Topology, Winding};
use closefit_geometry::motion::pair::PlacedPart;

/// A [`Tree`] with its mesh and its topology. Clones share them, and share the tree with all its clones.
///
/// So one tree answers everything about a pair: whatever takes a [`Placed`](crate::Placed) tree, and
/// verdicts and times of contact as well.
///
/// ```
/// use closefit::{CheckRequest, Mesh, Model, Pose, Tree, Verdict, distance, verdict};
///
/// let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tree = Tree::build(&Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
/// let beside = Pose::translation([1.25, 0.0, 0.0]);
/// assert_eq!(distance(&tree.at(&Pose::IDENTITY)?, &tree.at(&beside)?).distance, 0.25);
///
/// let model = tree.model();
/// let found = verdict(&model.at(&Pose::IDENTITY)?, &model.at(&beside)?, &CheckRequest::default());
/// assert_eq!(found.verdict, Verdict::Clear);
/// assert_eq!(model.tree().triangles(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model(Tree);

/// All that a model has beside its tree.
#[derive(Debug)]
pub(crate) struct Solid {
    pub(crate) mesh: Mesh,
    /// The boxes of the tree, with the topology.
    pub(crate) model: body::Model<Obb8>,
    /// The mesh in a frame of its own.
    pub(crate) placed: PlacedPart,
    pub(crate) bounds: Aabb,
}

impl Solid {
    fn of(mesh: Mesh, boxes: &Obb8, winding: Winding) -> Self {
        let topology = Topology::of(&mesh, winding);
        Self {
            model: body::Model::new(boxes.clone(), Executor::default(), topology),
            placed: PlacedPart::of(Pose::IDENTITY, None, mesh.vertices()),
            bounds: Aabb::of(mesh.vertices().iter().copied()),
            mesh,
        }
    }
}

impl Tree {
    /// Returns the model of the tree: that from which the tree [was taken](Model::tree), or else one with
    /// [`Winding::Repaired`], found on first use.
    pub fn model(&self) -> Model {
        let model = Model(self.clone());
        model.solid();
        model
    }
}

impl Model {
    /// Builds tree and topology, on the threads of the current [pool](crate::Pool). Shells with
    /// inconsistently oriented triangles are turned to a consistent winding, and straight seams are closed.
    pub fn build(mesh: &Mesh) -> Self {
        Self::build_with(mesh, Winding::Repaired)
    }

    /// Builds tree and topology, with the winding repaired or left as it is.
    pub fn build_with(mesh: &Mesh, winding: Winding) -> Self {
        let tree = Tree::build(mesh);
        tree.solid_or(|held| Solid::of(mesh.clone(), held.boxes(), winding));
        Self(tree)
    }

    pub(crate) fn solid(&self) -> &Solid {
        self.0.solid_or(|held| Solid::of(held.mesh(), held.boxes(), Winding::Repaired))
    }

    /// Returns the tree. Its clones, which cost next to nothing, are of this model.
    pub fn tree(&self) -> &Tree {
        &self.0
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.solid().mesh
    }

    /// True when every component of the mesh is closed, so that all of it bounds a solid.
    pub fn is_closed(&self) -> bool {
        self.solid().model.topology.components.iter().all(|component| component.closed)
    }
}
