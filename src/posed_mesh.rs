//! Meshes at a pose.

use std::str::FromStr;
use std::sync::OnceLock;

use crate::bvh::held::Held;
use crate::bvh::kind::types::{Kind, Obb};
use crate::bvh::mesh_hull::PosedHull;
use crate::bvh::posed_model;
use crate::bvh::wide_obb::WideObb;
use crate::collision_mesh::{CollisionMesh, HeldOf, Solid};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;

pub(crate) type PosedOf<'a, K> = <HeldOf<K> as Held>::Posed<'a>;

/// A [`CollisionMesh`] at a pose, made by [`CollisionMesh::at`].
///
/// It costs next to nothing, so every frame can make its own. It keeps what [`verdict`](crate::verdict)
/// learns about it: for verdicts, make it once for all its pairs.
#[derive(Clone, Debug)]
pub struct PosedMesh<'a, K: Kind = Obb> {
    mesh: &'a CollisionMesh<K>,
    pub(crate) posed: PosedOf<'a, K>,
    is_surface: bool,
    /// The mesh as verdicts see it; made by the first. Of default trees only.
    body: OnceLock<Box<PosedBody<'a>>>,
}

type PosedBody<'a> = posed_model::PosedModel<'a, posed_model::PosedTree<'a, WideObb>>;

impl<'a> PosedMesh<'a> {
    /// Declares the mesh a surface: its open components are then no solids with something missing.
    pub fn declared_surface(self) -> Self {
        Self { is_surface: true, body: OnceLock::new(), ..self }
    }

    /// Returns the mesh as verdicts see it.
    pub(crate) fn body(&self) -> &PosedBody<'a> {
        self.body.get_or_init(|| {
            let Solid { mesh, model, .. } = self.mesh.solid();
            let pose = *self.pose();
            let body = if pose.keeps_in_range(model.tree.largest_coordinate) {
                posed_model::PosedModel::within(mesh, model, pose, |posed| posed.bounds())
            } else {
                // The box around the tree may reach beyond 2^200 where no vertex does.
                posed_model::PosedModel::new(mesh, model, pose, mesh.posed_bounds(&pose))
            };
            Box::new(body.declared_surface(self.is_surface))
        })
    }
}

impl<'a, K: Kind> PosedMesh<'a, K> {
    pub(crate) fn new(mesh: &'a CollisionMesh<K>, posed: PosedOf<'a, K>) -> Self {
        Self { mesh, posed, is_surface: false, body: OnceLock::new() }
    }

    pub(crate) fn mesh(&self) -> &'a CollisionMesh<K> {
        self.mesh
    }

    pub(crate) fn hull(&self) -> Option<PosedHull<'a>> {
        Some(PosedHull { polytope: self.mesh.hull()?, placement: *self.posed })
    }

    /// True when spheres around the trees prove that they are farther apart than `limit`: the cheapest test,
    /// and the last one for most pairs of a robot.
    pub(crate) fn is_farther(&self, other: &PosedMesh<'_, K>, limit: f64) -> bool {
        self.posed.is_farther(self.mesh.radius(), (&other.posed, other.mesh.radius()), limit)
    }

    /// Returns the pose: world from mesh.
    pub fn pose(&self) -> &Pose {
        &self.posed.pose
    }

    /// Returns a box around all posed vertices: not the tightest, but found without visiting them.
    pub fn bounds(&self) -> Aabb {
        HeldOf::<K>::bounds(&self.posed)
    }

    /// Returns a box of a kind around all posed vertices.
    pub fn bounds_of(&self, kind: BodyBounds) -> Aabb {
        let around = match kind {
            BodyBounds::Oriented => None,
            BodyBounds::Cube => Some(self.posed.cube(self.mesh.radius())),
            BodyBounds::Tight => self.hull().map(|hull| hull.bounds(Executor::default())),
        };
        let margin = self.mesh.margin_in_world(self.pose());
        let around = around.map(|Aabb { lo, hi }| Aabb { lo: lo - margin, hi: hi + margin });
        // An overflow bounds nothing.
        around.filter(|b| b.lo.is_finite() && b.hi.is_finite()).unwrap_or_else(|| self.bounds())
    }
}

/// A kind of world-aligned box around a body (Lin et al. 1997, section 3). No answer depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BodyBounds {
    /// Around the root of the body's tree, an oriented box unless the tree is of [another kind](crate::kind):
    /// nearly tight, and found in constant time.
    #[default]
    Oriented,
    /// A cube around a sphere that contains the body: the paper's fixed-size box. It keeps its size however
    /// the body turns, and its place if the body turns about its middle.
    Cube,
    /// The smallest, around the extreme vertices of the convex hull: the paper's dynamically-sized box. All
    /// vertices of the hull are looked at, eight at a time, in every frame in which the body moves.
    Tight,
}

impl BodyBounds {
    /// All kinds, the default first.
    pub const ALL: [Self; 3] = [Self::Oriented, Self::Cube, Self::Tight];

    /// Returns the name: `oriented`, `cube` or `tight`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oriented => "oriented",
            Self::Cube => "cube",
            Self::Tight => "tight",
        }
    }
}

/// The name of the kind of box is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of box '{0}': use oriented, cube or tight")]
pub struct UnknownBodyBounds(String);

impl FromStr for BodyBounds {
    type Err = UnknownBodyBounds;

    fn from_str(text: &str) -> Result<Self, UnknownBodyBounds> {
        let named = Self::ALL.into_iter().find(|bounds| bounds.name() == text);
        named.ok_or_else(|| UnknownBodyBounds(text.to_owned()))
    }
}
