//! Sections: both parts of a finding cut by a plane and hatched, and what they share in yellow.

use closefit_geometry::ids::PartId;
use glam::DVec3;

use crate::camera::Camera;
use crate::canvas::{Canvas, FINE};
use crate::colours::{self, CONTEXT, CONTEXT_EDGE, FIRST, INK, PAPER, Rgb, SECOND, SHARED, WHITE};
use crate::cut::Cut;
use crate::dimension::{self, PIXEL};
use crate::finding::{Finding, Kind};
use crate::label;
use crate::layer::{Facet, Layer, Role};
use crate::picture::Picture;
use crate::raster::cover;
use crate::stage::{Stage, normal};
use crate::view::{Detail, Plane, View};

/// Draws a section of a finding. The size is in pixels.
pub fn draw(stage: &Stage, finding: &Finding, view: &View, plane: Plane, size: [u32; 2]) -> Picture {
    let samples = size.map(|pixels| pixels as usize * FINE);
    let axes = [view.direction, view.up];
    let camera = Camera::new(axes, view.centre, view.height, samples);
    let mut canvas = cut_open(stage, finding, &plane, &camera);
    let Some(measure) = finding.measure else { return Picture::of(&canvas) };
    let ends = on_plane(&camera, &plane, measure);
    let Some(detail) = view.detail else {
        dimension::draw(&mut canvas, ends);
        let mut picture = Picture::of(&canvas);
        write(&mut picture, finding, ends);
        return picture;
    };
    let closer = Closer::beside(&canvas, ends);
    let ends = closer.draw(stage, finding, axes, &detail, &mut canvas);
    let mut picture = Picture::of(&canvas);
    write(&mut picture, finding, ends);
    picture
}

/// Returns where the ends of a dimension line lie in the picture, moved onto the plane of the section.
fn on_plane(camera: &Camera, plane: &Plane, measure: [DVec3; 2]) -> [[f64; 2]; 2] {
    measure.map(|p| camera.place(p - plane.normal * plane.normal.dot(p - plane.point)))
}

fn write(picture: &mut Picture, finding: &Finding, [p, q]: [[f64; 2]; 2]) {
    let middle = [0, 1].map(|k| 0.5 * (p[k] + q[k]));
    label::write(picture, &finding.label, middle, &[p, q, middle]);
}

/// Returns the role of a part.
pub fn role(finding: &Finding, part: PartId) -> Role {
    match finding.parts {
        [first, _] if first == part => Role::First,
        [_, second] if second == part => Role::Second,
        _ => Role::Other(part.0),
    }
}

/// Draws everything behind a plane, and the cut.
fn cut_open(stage: &Stage, finding: &Finding, plane: &Plane, camera: &Camera) -> Canvas {
    let cut = Cut::of(stage, finding, plane, camera);
    let layer = behind(stage, finding, plane, camera);
    let mut canvas = Canvas::new(camera.size(), PAPER);
    let [width, height] = camera.size();
    for y in 0..height {
        for x in 0..width {
            canvas.put([x, y], colour(&cut, &layer, finding.kind, [x, y]));
        }
    }
    lines(&mut canvas, &cut, &layer, camera);
    canvas
}

/// Returns the surfaces of all parts behind a plane.
fn behind(stage: &Stage, finding: &Finding, plane: &Plane, camera: &Camera) -> Layer {
    let depth = camera.depth_of(plane);
    let mut layer = Layer::new(camera.size());
    for part in stage.parts().filter(|&part| stage.may_be_seen(part, camera)) {
        let role = role(finding, part);
        stage.triangles(part, camera, |corners, points| {
            let mut has_begun = false;
            cover(corners, camera.size(), |span| {
                if !has_begun {
                    layer.begin(facet(role, normal(points), camera));
                    has_begun = true;
                }
                layer.put_behind(span, depth);
            });
        });
    }
    layer
}

fn colour(cut: &Cut, layer: &Layer, kind: Kind, at: [usize; 2]) -> Rgb {
    let hatched = |part: Rgb, along: usize| {
        let is_line = along % HATCH < HATCH_LINE;
        if is_line { colours::hatching(part) } else { colours::cut(part) }
    };
    // The two parts are hatched in opposite directions.
    let [rising, falling] = [at[0] + at[1], at[0] + HATCH * at[1] - at[1]];
    match cut.at(at) {
        1 => hatched(FIRST, rising),
        2 => hatched(SECOND, falling),
        3 if kind == Kind::Overlap => SHARED,
        3 => hatched(FIRST, rising),
        _ => layer.at(at).map_or(PAPER, |(facet, _)| facet.colour),
    }
}

/// The distance of two lines of hatching along x, and the width of a line, in samples.
const HATCH: usize = 8 * FINE;
const HATCH_LINE: usize = 3;

/// Returns a facet in the light of a camera.
pub fn facet(role: Role, normal: DVec3, camera: &Camera) -> Facet {
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

/// Draws the outline of the cut, and the edges of what is seen behind it.
fn lines(canvas: &mut Canvas, cut: &Cut, layer: &Layer, camera: &Camera) {
    let [width, height] = camera.size();
    let step = camera.height() / 50.0;
    for y in 1..height {
        for x in 1..width {
            let (here, before) = ([x, y], [[x - 1, y], [x, y - 1]]);
            let parts = cut.at(here);
            if before.iter().any(|&at| cut.at(at) != parts) {
                // What is shared may be thin: the line lies beside it.
                [here, before[0], before[1]]
                    .into_iter()
                    .filter(|&at| cut.at(at) != 3)
                    .for_each(|at| canvas.put(at, INK));
            } else if parts == 0 && before.iter().any(|&at| layer.is_edge(here, at, step)) {
                canvas.put(here, edge(layer, [here, before[0], before[1]]));
            }
        }
    }
}

/// Returns the colour of an edge between samples: dark at a part of the finding, pale elsewhere.
pub fn edge(layer: &Layer, samples: [[usize; 2]; 3]) -> Rgb {
    let nearest = samples.iter().filter_map(|&at| layer.at(at)).max_by(|a, b| a.1.total_cmp(&b.1));
    match nearest {
        Some((Facet { role: Role::Other(_), .. }, _)) | None => CONTEXT_EDGE,
        Some((facet, _)) => colours::mix(base(facet.role), INK, 0.75),
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

    /// Draws the circle, and a line to the place that it shows. Returns the ends of the dimension in it.
    fn draw(
        &self,
        stage: &Stage,
        finding: &Finding,
        axes: [DVec3; 2],
        detail: &Detail,
        canvas: &mut Canvas,
    ) -> [[f64; 2]; 2] {
        let side = 2 * self.radius as usize;
        let camera = Camera::new(axes, detail.centre, detail.diameter, [side; 2]);
        let mut close = cut_open(stage, finding, &detail.plane, &camera);
        let within = finding.measure.map(|measure| on_plane(&camera, &detail.plane, measure));
        if let Some(ends) = within {
            dimension::draw(&mut close, ends);
        }
        self.join(canvas);
        let corner = self.centre.map(|c| (c - self.radius) as usize);
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
        let within = within.unwrap_or([[middle; 2]; 2]);
        within.map(|end| [0, 1].map(|k| end[k] + corner[k] as f64))
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
