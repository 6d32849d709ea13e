//! The findings of a report in their scene: what pictures, pages and issue files show of each, by one rule.
//!
//! A report has rows, a scene has meshes. [`Views`] brings both together: for each row the
//! [`Finding`](closefit_picture::Finding) that is drawn, with its kind, its dimension and its label, the view
//! that shows it, and the picture; and for the whole scene a view with a dot per finding. A finding of a
//! sweep is shown at its time. All outputs take their views from here, so they agree.
//!
//! ```
//! use closefit_geometry::{ids::MeshId, math::pose::Pose, mesh::Mesh};
//! use closefit_geometry::scene::{Part, Scene};
//! use closefit_views::Views;
//! use glam::DVec3;
//!
//! // Two tetrahedra that share 0.5 along x.
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let mut scene = Scene { meshes: vec![mesh.into()], ..Scene::default() };
//! for (name, x) in [("a", 0.0), ("b", 0.5)] {
//!     scene.parts.push(Part::new(name, MeshId(0), Pose::translation([x, 0.0, 0.0])));
//! }
//! let result = closefit::Assembly::from(scene.clone()).check(&Default::default())?;
//! let report = closefit_report::CheckReport::new(&scene, result);
//!
//! let views = Views::of(&scene, &report);
//! let clash = &report.pairs[0];
//! let picture = views.picture(clash, [400, 300]);
//! assert_eq!(&picture.png()[1..4], b"PNG");
//! let whole = views.whole_picture([400, 300]);
//! assert_eq!(whole.size(), [400, 300]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod glb;
mod gltf;
mod heat_map;
mod moving;
mod shown;
mod sides;
mod standing;
mod views;

pub use gltf::TooLarge;
pub use heat_map::HeatMap;
pub use shown::Shown;
pub use sides::sides;
pub use views::Views;
