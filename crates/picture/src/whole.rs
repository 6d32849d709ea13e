//! Whole scenes, with a dot at each finding.

use glam::DVec3;

use crate::camera::Camera;
use crate::canvas::{Canvas, FINE};
use crate::colours::{CONTEXT_EDGE, GAP, INK, PAPER, SHARED, UNDECIDED, WHITE};
use crate::dimension::PIXEL;
use crate::finding::Kind;
use crate::layer::{Layer, Role};
use crate::picture::Picture;
use crate::runs;
use crate::stage::Stage;
use crate::surfaces::add_surfaces;
use crate::view::{Mode, View, upright};

/// A finding in a picture of the whole scene.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    /// Its place.
    pub at: DVec3,
    /// Its kind, which gives the colour.
    pub kind: Kind,
}

/// Returns the view of all parts, from above and from the right.
pub fn view(stage: &Stage) -> View {
    let up = stage.up();
    let right = DVec3::X;
    let toward = (0.55 * right + 0.50 * up + 0.67 * right.cross(up)).normalize();
    let up = upright(toward, up);
    let bounds = stage.all_bounds();
    let centre = 0.5 * (bounds.lo + bounds.hi);
    let right = up.cross(toward);
    let reach =
        |axis: DVec3| bounds.corners().map(|p| (p - centre).dot(axis)).into_iter().fold(0.0, f64::max);
    // The picture may be as narrow as four to three.
    let height = 2.0 * reach(up).max(0.75 * reach(right)).max(f64::MIN_POSITIVE) * 1.08;
    View { mode: Mode::Whole, plane: None, direction: -toward, up, centre, height, detail: None }
}

/// Draws all parts, pale, and dots in front of them. The size is in pixels.
pub fn draw(stage: &Stage, view: &View, dots: &[Dot], size: [u32; 2]) -> Picture {
    let samples = size.map(|pixels| pixels as usize * FINE);
    let camera = Camera::new([view.direction, view.up], view.centre, view.height, samples);
    let mut layer = Layer::new(samples);
    let parts = stage.parts().map(|part| (part, Role::Other(part.0)));
    add_surfaces(&mut layer, stage, parts, &camera, None);
    let mut canvas = Canvas::new(samples, PAPER);
    let step = view.height / 50.0;
    for y in 1..samples[1] {
        let (facets, mut x) = (layer.row(y), 1);
        while x < samples[0] {
            let end = runs::end(facets, x);
            runs::fill(&mut canvas.row(y)[x..end], layer.colour(facets[x]).unwrap_or(PAPER));
            x = end;
        }
        layer.changes(y, |x| {
            let (here, before) = ([x, y], [[x - 1, y], [x, y - 1]]);
            if before.iter().any(|&at| layer.is_edge(here, at, step)) {
                canvas.put(here, CONTEXT_EDGE);
            }
        });
    }
    for dot in dots {
        put(&mut canvas, &camera, dot);
    }
    Picture::of(&canvas)
}

fn put(canvas: &mut Canvas, camera: &Camera, dot: &Dot) {
    let colour = match dot.kind {
        Kind::Overlap => SHARED,
        Kind::Gap => GAP,
        Kind::Meeting => UNDECIDED,
    };
    let place = camera.place(dot.at);
    for (radius, colour) in [(7.5, WHITE), (6.5, INK), (5.0, colour)] {
        canvas.disc(place, radius * PIXEL, colour);
    }
}
