//! The scene of which pictures are drawn.

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::{Scene, Up};
use glam::DVec3;

use crate::camera::{Camera, Corner};
use crate::finding::Finding;
use crate::picture::Picture;
use crate::view::{Mode, View};
use crate::whole::Dot;
use crate::{section, section_view, whole, xray};

/// A scene at rest, of which pictures are drawn.
pub struct Stage<'s> {
    scene: &'s Scene,
    /// The box of each part.
    boxes: Vec<Aabb>,
}

impl<'s> Stage<'s> {
    /// Creates the stage of a scene, with its parts where they stand.
    pub fn new(scene: &'s Scene) -> Self {
        let posed = |id| scene.mesh(PartId(id)).posed_bounds(&scene.parts[id as usize].pose);
        Self { scene, boxes: (0..scene.parts.len() as u32).map(posed).collect() }
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
        self.boxes.iter().fold(Aabb::EMPTY, |all, &part| all.union(part))
    }

    /// True if a part may be seen in a picture.
    pub(crate) fn may_be_seen(&self, part: PartId, camera: &Camera) -> bool {
        let size = camera.size().map(|samples| samples as f64);
        let places = corners_of(self.bounds(part)).map(|corner| camera.place(corner));
        (0..2).all(|k| places.iter().any(|p| p[k] > -1.0) && places.iter().any(|p| p[k] < size[k] + 1.0))
    }

    /// Calls `found` with the corners of each triangle of a part in a picture, and where they are.
    pub(crate) fn triangles(
        &self,
        part: PartId,
        camera: &Camera,
        mut found: impl FnMut(&[Corner; 3], [DVec3; 3]),
    ) {
        let (mesh, pose) = (self.scene.mesh(part), &self.scene.parts[part.index()].pose);
        let points: Vec<DVec3> = mesh.vertices().iter().map(|&vertex| pose.apply(vertex)).collect();
        let corners: Vec<Corner> = points.iter().map(|&point| camera.corner(point)).collect();
        for triangle in mesh.triangles() {
            let [a, b, c] = triangle.map(|vertex| vertex as usize);
            found(&[corners[a], corners[b], corners[c]], [points[a], points[b], points[c]]);
        }
    }
}

/// Returns the corners of a box.
pub fn corners_of(Aabb { lo, hi }: Aabb) -> [DVec3; 8] {
    std::array::from_fn(|corner| {
        let choose = |axis: usize| if corner >> axis & 1 == 0 { lo[axis] } else { hi[axis] };
        DVec3::new(choose(0), choose(1), choose(2))
    })
}
