//! Sections: both parts of a finding cut by a plane and hatched, and what they share in yellow.

use glam::DVec3;

use crate::camera::Camera;
use crate::canvas::{Canvas, FINE};
use crate::colours::{self, FIRST, INK, PAPER, Rgb, SECOND, SHARED, WHITE};
use crate::cut::Cut;
use crate::dimension::{self, PIXEL};
use crate::finding::{Finding, Kind};
use crate::label;
use crate::layer::Layer;
use crate::picture::Picture;
use crate::runs;
use crate::stage::Stage;
use crate::surfaces::{add_surfaces, edge, role};
use crate::view::{Plane, View};

/// Draws a section of a finding. The size is in pixels.
pub fn draw(stage: &Stage, finding: &Finding, view: &View, plane: Plane, size: [u32; 2]) -> Picture {
    let samples = size.map(|pixels| pixels as usize * FINE);
    let axes = [view.direction, view.up];
    let camera = Camera::new(axes, view.centre, view.height, samples);
    let parts = finding.parts.map(|part| stage.posed(part));
    let open = |plane: &Plane, camera: &Camera| {
        cut_open(stage, finding, &Cut::of(&parts, plane, camera), plane, camera)
    };
    let mut canvas = open(&plane, &camera);
    let Some(measure) = finding.measure else {
        let mut picture = Picture::of(&canvas);
        label::write(&mut picture, &finding.label, [camera.place(view.centre); 2]);
        return picture;
    };
    let ends = on_plane(&camera, &plane, measure);
    let ends = match view.detail {
        Some(detail) => {
            let circle = Closer::beside(&canvas, ends);
            let camera = Camera::new(axes, detail.centre, detail.diameter, [circle.side(); 2]);
            let mut close = open(&detail.plane, &camera);
            let ends = on_plane(&camera, &detail.plane, measure);
            dimension::draw(&mut close, ends);
            circle.draw(&close, &mut canvas);
            ends.map(|end| [0, 1].map(|k| end[k] + circle.corner()[k] as f64))
        }
        None => {
            dimension::draw(&mut canvas, ends);
            ends
        }
    };
    let mut picture = Picture::of(&canvas);
    label::write(&mut picture, &finding.label, ends);
    picture
}

/// Returns where the ends of a dimension line lie in the picture, moved onto the plane of the section.
fn on_plane(camera: &Camera, plane: &Plane, measure: [DVec3; 2]) -> [[f64; 2]; 2] {
    measure.map(|p| camera.place(p - plane.normal * plane.normal.dot(p - plane.point)))
}

/// Draws everything behind a plane, and the cut through both parts of a finding.
fn cut_open(stage: &Stage, finding: &Finding, cut: &Cut, plane: &Plane, camera: &Camera) -> Canvas {
    // Nothing is seen behind the cut itself.
    let mut layer = Layer::behind(camera.size(), cut.samples());
    let parts = stage.parts().map(|part| (part, role(finding, part)));
    add_surfaces(&mut layer, stage, parts, camera, Some(plane));
    let mut canvas = Canvas::uncoloured(camera.size());
    fill(&mut canvas, cut, &layer, finding.kind);
    lines(&mut canvas, cut, &layer, camera);
    canvas
}

/// Colours the cut, and the surfaces that are seen behind it.
fn fill(canvas: &mut Canvas, cut: &Cut, layer: &Layer, kind: Kind) {
    let [first, second] = [FIRST, SECOND].map(|part| [colours::cut(part), colours::hatching(part)]);
    let [width, height] = canvas.size();
    let hatched = |colours: [Rgb; 2]| -> Vec<Rgb> {
        (0..width + HATCH).map(|along| colours[usize::from(along % HATCH < HATCH_LINE)]).collect()
    };
    let [first, second] = [first, second].map(hatched);
    for y in 0..height {
        let (cut, facets, row) = (cut.row(y), layer.row(y), canvas.row(y));
        let mut x = 0;
        while x < width {
            let mut end = runs::end(cut, x);
            if cut[x] == 0 {
                end = runs::end(&facets[..end], x);
            }
            let run = &mut row[x..end];
            // The two parts are hatched in opposite directions.
            match cut[x] {
                2 => run.copy_from_slice(&second[x + (HATCH - 1) * y % HATCH..][..end - x]),
                3 if kind == Kind::Overlap => runs::fill(run, SHARED),
                1 | 3 => run.copy_from_slice(&first[x + y % HATCH..][..end - x]),
                _ => runs::fill(run, layer.colour(facets[x]).unwrap_or(PAPER)),
            }
            x = end;
        }
    }
}

/// The distance of two lines of hatching along x, and the width of a line, in samples.
const HATCH: usize = 8 * FINE;
const HATCH_LINE: usize = 3;

/// Draws the edges of what is seen behind the cut, and over them its outline.
fn lines(canvas: &mut Canvas, cut: &Cut, layer: &Layer, camera: &Camera) {
    let step = camera.height() / 50.0;
    for y in 1..camera.size()[1] {
        let [above, row] = [cut.row(y - 1), cut.row(y)];
        layer.changes(y, |x| {
            let (here, before) = ([x, y], [[x - 1, y], [x, y - 1]]);
            let is_cut = (row[x], row[x - 1], above[x]) != (0, 0, 0);
            if !is_cut && before.iter().any(|&at| layer.is_edge(here, at, step)) {
                canvas.put(here, edge(layer, [here, before[0], before[1]]));
            }
        });
    }
    for y in 1..camera.size()[1] {
        runs::changes([cut.row(y - 1), cut.row(y)], |x| {
            // What is shared may be thin: the line lies next to it.
            let beside = [[x, y], [x - 1, y], [x, y - 1]].into_iter().filter(|&at| cut.at(at) != 3);
            beside.for_each(|at| canvas.put(at, INK));
        });
    }
}

/// A circle with a closer look at the dimension, in a corner of the picture. Lengths are in samples.
struct Closer {
    /// The middle of the dimension in the picture.
    place: [f64; 2],
    centre: [f64; 2],
    radius: f64,
}

impl Closer {
    /// Returns the circle in the corner that is farthest from a dimension.
    fn beside(canvas: &Canvas, [p, q]: [[f64; 2]; 2]) -> Self {
        let place = [0, 1].map(|k| 0.5 * (p[k] + q[k]));
        let size = canvas.size().map(|samples| samples as f64);
        let radius = 0.2 * size[0].min(size[1]);
        let margin = radius + 6.0 * PIXEL;
        let centre = [0, 1].map(|k| if place[k] < 0.5 * size[k] { size[k] - margin } else { margin });
        Self { place, centre, radius }
    }

    /// Returns the side of the square around the circle, in samples.
    fn side(&self) -> usize {
        2 * self.radius as usize
    }

    /// Returns the upper left corner of that square.
    fn corner(&self) -> [usize; 2] {
        self.centre.map(|c| (c - self.radius) as usize)
    }

    /// Draws the circle with what is seen in it, and a line to the place that it shows.
    fn draw(&self, close: &Canvas, canvas: &mut Canvas) {
        self.join(canvas);
        let (side, corner) = (self.side(), self.corner());
        let middle = 0.5 * side as f64;
        for y in 0..side {
            for x in 0..side {
                let off = [x, y].map(|c| c as f64 + 0.5 - middle);
                if off[0] * off[0] + off[1] * off[1] <= self.radius * self.radius {
                    canvas.put([corner[0] + x, corner[1] + y], close.at([x, y]));
                }
            }
        }
        canvas.ring(self.centre, self.radius, 5.0 * PIXEL, WHITE);
        canvas.ring(self.centre, self.radius, 2.0 * PIXEL, INK);
    }

    /// Draws a ring around the place, and a line to the circle.
    fn join(&self, canvas: &mut Canvas) {
        let ring = 0.07 * self.radius / 0.2;
        let off = [0, 1].map(|k| self.centre[k] - self.place[k]);
        let length = (off[0] * off[0] + off[1] * off[1]).sqrt().max(1.0);
        let start = [0, 1].map(|k| self.place[k] + off[k] * (ring / length).min(1.0));
        canvas.line([start, self.centre], PIXEL, INK);
        canvas.ring(self.place, ring, 4.0 * PIXEL, WHITE);
        canvas.ring(self.place, ring, 2.0 * PIXEL, INK);
    }
}
