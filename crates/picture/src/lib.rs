//! Pictures of findings: sections through clashes and gaps, views through parts, and whole models.
//!
//! A picture of two opaque parts shows no overlap. A section through the deepest point does: both parts are
//! cut by a plane and hatched, what they share is yellow, and a dimension line has its true length. A
//! [`View`] says from where and where the cut lies; it is made once per finding, so that all outputs agree.
//!
//! ```
//! use closefit_geometry::{ids::PartId, math::pose::Pose, mesh::Mesh};
//! use closefit_geometry::scene::{Part, Scene};
//! use closefit_picture::{Finding, Kind, Stage};
//! use glam::DVec3;
//!
//! // Two tetrahedra that share 0.5 along x.
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let mut scene = Scene { meshes: vec![mesh.into()], ..Scene::default() };
//! for (name, x) in [("a", 0.0), ("b", 0.5)] {
//!     scene.parts.push(Part::new(name, closefit_geometry::ids::MeshId(0), Pose::translation([x, 0.0,
//!     0.0])));
//! }
//! let finding = Finding {
//!     parts: [PartId(0), PartId(1)],
//!     kind: Kind::Overlap,
//!     measure: Some([DVec3::new(0.5, 0.1, 0.1), DVec3::new(0.8, 0.1, 0.1)]),
//!     bounds: [DVec3::new(0.5, 0.0, 0.0), DVec3::new(1.0, 0.5, 0.5)],
//!     label: "0.3 m".to_owned(),
//! };
//! let stage = Stage::new(&scene);
//! let view = stage.view(&finding);
//! let picture = stage.draw(&finding, &view, [400, 300]);
//! assert_eq!(&picture.png()[1..4], b"PNG");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod buffer;
mod camera;
mod canvas;
mod clusters;
mod colours;
mod cut;
mod dimension;
mod finding;
mod label;
mod layer;
mod lens;
mod nearest;
mod picture;
mod posed;
mod raster;
mod runs;
mod section;
mod section_view;
mod slope;
mod stage;
mod strip;
mod surfaces;
mod view;
mod whole;
mod xray;

pub use finding::{Finding, Kind};
pub use picture::Picture;
pub use stage::Stage;
pub use view::{Detail, Mode, Plane, View};
pub use whole::Dot;
