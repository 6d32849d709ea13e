//! Views through parts: the larger part faint, the smaller one solid.

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use glam::DVec3;

use crate::camera::Camera;
use crate::canvas::{Canvas, FINE};
use crate::colours::{self, CONTEXT_EDGE, INK, PAPER, Rgb, SHARED, WHITE};
use crate::dimension::{self, PIXEL};
use crate::finding::{Finding, Kind};
use crate::label;
use crate::layer::{Facet, Layer};
use crate::picture::Picture;
use crate::raster::cover;
use crate::stage::Stage;
use crate::surfaces::{add_surfaces, edge, role};
use crate::view::{Mode, View, up_seen_from, upright};

/// Returns the view of a finding from outside: across the dimension, if there is one, and from above.
pub fn view(stage: &Stage, finding: &Finding) -> View {
    let [lo, hi] = finding.bounds;
    let place = finding.measure.into_iter().flatten().fold(Aabb { lo, hi }, Aabb::with);
    let [a, b] = finding.parts.map(|part| stage.bounds(part).diagonal());
    let extent = place.diagonal().max(0.25 * a.min(b)).min(0.9 * a.max(b)).max(f64::MIN_POSITIVE);
    let along = finding.measure.map(|[p, q]| (q - p).normalize_or_zero()).unwrap_or_default();
    let up = stage.up();
    let toward = best_direction(along, up);
    let up = upright(toward, up_seen_from(toward, up));
    let centre = 0.5 * (place.lo + place.hi);
    View { mode: Mode::XRay, plane: None, direction: -toward, up, centre, height: 2.5 * extent, detail: None }
}

/// Returns the direction to the viewer: of the corners and the sides of a cube, from above rather than from
/// below, and across a line rather than along it.
fn best_direction(along: DVec3, up: DVec3) -> DVec3 {
    let signs = [1.0, 0.0, -1.0];
    let all = signs.iter().flat_map(|&x| signs.iter().flat_map(move |&y| signs.map(|z| DVec3::new(x, y, z))));
    let mut best = (f64::NEG_INFINITY, up);
    for direction in all {
        let axes = direction.abs().element_sum();
        let kind = if axes == 3.0 { 1.0 } else { 0.75 };
        if axes != 3.0 && axes != 1.0 {
            continue;
        }
        let toward = direction.normalize();
        let below = if toward.dot(up) < 0.0 { 0.6 } else { 1.0 };
        let across = 0.25 + 0.75 * toward.cross(along).length();
        let score = kind * below * if along == DVec3::ZERO { 1.0 } else { across };
        if score > best.0 {
            best = (score, toward);
        }
    }
    best.1
}

/// Draws a view through the larger part. The size is in pixels.
pub fn draw(stage: &Stage, finding: &Finding, view: &View, size: [u32; 2]) -> Picture {
    let samples = size.map(|pixels| pixels as usize * FINE);
    let camera = Camera::new([view.direction, view.up], view.centre, view.height, samples);
    let [a, b] = finding.parts.map(|part| stage.bounds(part).diagonal());
    let (solid, faint) = if a <= b { (0, 1) } else { (1, 0) };
    let parts = [finding.parts[solid], finding.parts[faint]];
    let add = |layer: &mut Layer, parts: &mut dyn Iterator<Item = PartId>| {
        add_surfaces(layer, stage, parts.map(|part| (part, role(finding, part))), &camera, None);
    };
    let layers = parts.map(|part| {
        let mut layer = Layer::new(samples);
        add(&mut layer, &mut [part].into_iter());
        layer
    });
    // Other parts are edges around the smaller one, and nothing in front of it.
    let mut context = layers[0].beside();
    add(&mut context, &mut stage.parts().filter(|part| !finding.parts.contains(part)));
    let shared = match finding.kind {
        Kind::Overlap => Some(inside(stage, &camera, parts[1], &layers[0])),
        Kind::Gap | Kind::Meeting => None,
    };
    let mut canvas = Canvas::new(samples, PAPER);
    compose(&mut canvas, &camera, &layers, &context, shared.as_deref());
    finish(&mut canvas, &camera, finding)
}

/// Returns, per sample, whether the surface of a layer lies inside a part: an odd number of the part's
/// surfaces lies behind it, and in front of it.
fn inside(stage: &Stage, camera: &Camera, part: PartId, layer: &Layer) -> Vec<bool> {
    let [width, height] = camera.size();
    let mut odd = vec![[false; 2]; width * height];
    stage.posed(part).triangles(camera, |corners| {
        cover(corners, [width, height], |span| {
            for (k, depth) in span.depths().enumerate() {
                if let Some((_, surface)) = layer.at([span.column + k, span.row]) {
                    let side = usize::from(depth >= surface);
                    odd[span.samples.start + k][side] ^= true;
                }
            }
        });
    });
    odd.into_iter().map(|[behind, in_front]| behind && in_front).collect()
}

/// The opacity of the larger part.
const FAINT: f64 = 0.34;

fn compose(
    canvas: &mut Canvas,
    camera: &Camera,
    [solid, faint]: &[Layer; 2],
    context: &Layer,
    shared: Option<&[bool]>,
) {
    let [width, height] = camera.size();
    let step = camera.height() / 50.0;
    for y in 1..height {
        for x in 1..width {
            let (here, before) = ([x, y], [[x - 1, y], [x, y - 1]]);
            let is_edge = |layer: &Layer| before.iter().any(|&at| layer.is_edge(here, at, step));
            let mut colour = if is_edge(context) { colours::mix(CONTEXT_EDGE, PAPER, 0.5) } else { PAPER };
            if let Some(found) = solid.at(here) {
                let is_shared = shared.is_some_and(|shared| shared[x + width * y]);
                colour = if is_shared { SHARED } else { found.0.colour };
            }
            if is_edge(solid) {
                colour = edge(solid, [here, before[0], before[1]]);
            }
            colour = through(faint.at(here), solid.at(here), colour);
            if is_edge(faint) {
                let line = edge(faint, [here, before[0], before[1]]);
                colour = colours::mix(colour, line, 0.5);
            }
            canvas.put(here, colour);
        }
    }
}

/// Returns a colour seen through a faint surface, unless it lies in front of it. Yellow stays yellow.
fn through(faint: Option<(&Facet, f64)>, solid: Option<(&Facet, f64)>, colour: Rgb) -> Rgb {
    let Some((veil, depth)) = faint else { return colour };
    let is_behind = solid.is_none_or(|(_, surface)| surface < depth);
    match is_behind && colour != SHARED {
        true => colours::mix(colour, veil.colour, FAINT),
        false => colour,
    }
}

/// Draws the dimension and its label, or a ring around the place where the parts meet.
fn finish(canvas: &mut Canvas, camera: &Camera, finding: &Finding) -> Picture {
    let [lo, hi] = finding.bounds;
    let place = camera.place(0.5 * (lo + hi));
    let ends = finding.measure.map(|measure| measure.map(|point| camera.place(point)));
    match ends {
        Some(ends) => dimension::draw(canvas, ends),
        None => {
            canvas.ring(place, 14.0 * PIXEL, 5.0 * PIXEL, WHITE);
            canvas.ring(place, 14.0 * PIXEL, 2.0 * PIXEL, INK);
        }
    }
    let mut picture = Picture::of(canvas);
    label::write(&mut picture, &finding.label, ends.unwrap_or([place; 2]));
    picture
}
