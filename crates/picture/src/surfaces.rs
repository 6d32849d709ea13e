//! The surfaces of parts in a picture, with their colours and the colours of their edges.

use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use glam::DVec3;

use crate::camera::{Camera, Sloped};
use crate::clusters::reach;
use crate::colours::{self, CONTEXT, CONTEXT_EDGE, FIRST, INK, Rgb, SECOND};
use crate::finding::Finding;
use crate::layer::{Facet, Layer, Role};
use crate::lens::Lens;
use crate::raster::Area;
use crate::stage::Stage;
use crate::view::Plane;

/// Adds the surfaces of parts to a layer: all of them, or what lies behind a plane.
///
/// The nearest parts come first, so that most of what they hide is left out.
pub fn add_surfaces(
    layer: &mut Layer,
    stage: &Stage,
    parts: impl Iterator<Item = (PartId, Role)>,
    camera: &Camera,
    plane: Option<&Plane>,
) {
    let limit = plane.map_or(Sloped::NOWHERE, |plane| camera.depth_of(plane));
    let is_cut_away =
        |points: &[DVec3]| plane.is_some_and(|plane| points.iter().all(|&p| plane.is_behind(p)));
    let lens = Lens::of(camera, plane, &Pose::IDENTITY, reach(stage.all_bounds()));
    let found = parts.filter_map(|(part, role)| {
        lens.area(&stage.bounds(part))?;
        let corners = stage.bounds(part).corners();
        let area = camera.area(&corners);
        (!area.is_empty() && !is_cut_away(&corners)).then_some((area, part, role))
    });
    let mut found: Vec<(Area, PartId, Role)> = found.collect();
    found.sort_by(|(p, ..), (q, ..)| q.nearest.total_cmp(&p.nearest));
    for (area, part, role) in found {
        if layer.hides(&area) {
            continue;
        }
        for near in stage.posed(part).near(camera, plane) {
            if layer.hides(&near.area) {
                continue;
            }
            near.triangles(camera, |corners, points| {
                let area = Area::of_triangle(corners, camera.size());
                if area.is_empty() || layer.hides(&area) || is_cut_away(&points) {
                    return;
                }
                layer.add(corners, limit, || facet(role, normal(points), camera));
            });
        }
    }
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
