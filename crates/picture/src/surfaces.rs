//! The surfaces of parts in a picture, with their colours and those of their edges.

use closefit_geometry::ids::PartId;
use glam::DVec3;

use crate::camera::{Camera, Sloped};
use crate::colours::{self, CONTEXT, CONTEXT_EDGE, FIRST, INK, Rgb, SECOND};
use crate::finding::Finding;
use crate::layer::{Facet, Layer, Role};
use crate::raster::cover;
use crate::stage::{Stage, corners_of};
use crate::view::Plane;

/// Returns the surfaces of parts with their roles: all of them, or what lies behind a plane.
pub fn surfaces(
    stage: &Stage,
    parts: impl Iterator<Item = (PartId, Role)>,
    camera: &Camera,
    plane: Option<&Plane>,
) -> Layer {
    let limit = plane.map_or(Sloped::NOWHERE, |plane| camera.depth_of(plane));
    let mut layer = Layer::new(camera.size());
    let is_cut_away =
        |points: &[DVec3]| plane.is_some_and(|plane| points.iter().all(|&p| plane.is_behind(p)));
    for (part, role) in parts {
        if is_cut_away(&corners_of(stage.bounds(part))) {
            continue;
        }
        stage.triangles(part, camera, |corners, points| {
            if is_cut_away(&points) {
                return;
            }
            let mut has_begun = false;
            cover(corners, camera.size(), |span| {
                if !has_begun {
                    layer.begin(facet(role, normal(points), camera));
                    has_begun = true;
                }
                layer.put(span, limit);
            });
        });
    }
    layer
}

/// Returns the role of a part.
pub fn role(finding: &Finding, part: PartId) -> Role {
    match finding.parts {
        [first, _] if first == part => Role::First,
        [_, second] if second == part => Role::Second,
        _ => Role::Other(part.0),
    }
}

/// Returns a facet in the light of a camera.
fn facet(role: Role, normal: DVec3, camera: &Camera) -> Facet {
    Facet { role, normal, colour: colours::lit(base(role), normal, camera.light()) }
}

/// Returns the colour of a part in full light.
fn base(role: Role) -> Rgb {
    match role {
        Role::First => FIRST,
        Role::Second => SECOND,
        Role::Other(_) => CONTEXT,
    }
}

/// Returns the unit normal of a triangle, or zero if it has none.
fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

/// Returns the colour of an edge between samples: dark at a part of the finding, pale elsewhere.
pub fn edge(layer: &Layer, samples: [[usize; 2]; 3]) -> Rgb {
    let nearest = samples.iter().filter_map(|&at| layer.at(at)).max_by(|a, b| a.1.total_cmp(&b.1));
    match nearest {
        Some((Facet { role: Role::Other(_), .. }, _)) | None => CONTEXT_EDGE,
        Some((facet, _)) => colours::mix(base(facet.role), INK, 0.75),
    }
}
