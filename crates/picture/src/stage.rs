//! The scene that pictures show.

use std::sync::OnceLock;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::{Part, Scene, Up};
use glam::DVec3;

use crate::clusters::Clusters;
use crate::finding::Finding;
use crate::picture::Picture;
use crate::posed::Posed;
use crate::view::{Mode, View};
use crate::whole::Dot;
use crate::{section, section_view, whole, xray};

/// A scene at rest that pictures show.
pub struct Stage<'s> {
    scene: &'s Scene,
    /// The box of each part.
    boxes: Vec<Aabb>,
    /// The box of all parts.
    bounds: Aabb,
    /// The clusters of each mesh, made when a picture first needs them.
    clusters: Vec<OnceLock<Clusters>>,
}

impl<'s> Stage<'s> {
    /// Creates the stage of a scene, with its parts where they are.
    pub fn new(scene: &'s Scene) -> Self {
        let posed = |id| scene.mesh(PartId(id)).posed_bounds(&scene.parts[id as usize].pose);
        let boxes: Vec<Aabb> = (0..scene.parts.len() as u32).map(posed).collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, &part| all.union(part));
        Self { scene, boxes, bounds, clusters: scene.meshes.iter().map(|_| OnceLock::new()).collect() }
    }

    /// Returns the scene.
    pub fn scene(&self) -> &'s Scene {
        self.scene
    }

    /// Returns the view of a finding: a section through an overlap or a gap if both parts are closed where
    /// it matters, a view through the larger part otherwise.
    pub fn view(&self, finding: &Finding) -> View {
        section_view::best(self, finding).unwrap_or_else(|| xray::view(self, finding))
    }

    /// Returns the view of the whole scene.
    pub fn whole_view(&self) -> View {
        whole::view(self)
    }

    /// Draws a finding. The size is in pixels, width and height.
    pub fn draw(&self, finding: &Finding, view: &View, size: [u32; 2]) -> Picture {
        match (view.mode, view.plane) {
            (Mode::Section, Some(plane)) => section::draw(self, finding, view, plane, size),
            (Mode::Whole, _) => self.draw_whole(view, &[], size),
            _ => xray::draw(self, finding, view, size),
        }
    }

    /// Draws the whole scene, pale, with a dot at each finding. The size is in pixels, width and height.
    pub fn draw_whole(&self, view: &View, dots: &[Dot], size: [u32; 2]) -> Picture {
        whole::draw(self, view, dots, size)
    }

    /// Returns the direction that is up in the scene.
    pub(crate) fn up(&self) -> DVec3 {
        match self.scene.up {
            Some(Up::Y) => DVec3::Y,
            Some(Up::Z) | None => DVec3::Z,
        }
    }

    /// Returns the ids of all parts.
    pub(crate) fn parts(&self) -> impl Iterator<Item = PartId> + use<> {
        (0..self.boxes.len() as u32).map(PartId)
    }

    /// Returns the box of a part.
    pub(crate) fn bounds(&self, part: PartId) -> Aabb {
        self.boxes[part.index()]
    }

    /// Returns the box of all parts.
    pub(crate) fn all_bounds(&self) -> Aabb {
        self.bounds
    }

    /// Returns a part in its place.
    pub(crate) fn posed(&self, part: PartId) -> Posed<'_> {
        let (mesh, Part { mesh: id, pose, .. }) = (self.scene.mesh(part), &self.scene.parts[part.index()]);
        let clusters = self.clusters[id.index()].get_or_init(|| Clusters::of(mesh));
        Posed { mesh, clusters, pose }
    }
}
