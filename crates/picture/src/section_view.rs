//! The choice of a section: the plane that shows most of an overlap, or both sides of a gap.

use closefit_geometry::bounds::aabb::Aabb;
use glam::DVec3;

use crate::camera::Camera;
use crate::cut::Cut;
use crate::finding::{Finding, Kind};
use crate::posed::Posed;
use crate::stage::Stage;
use crate::view::{Detail, Mode, PLAN, Plane, View, up_seen_from, upright};

/// The size of the pictures in which candidates are compared.
const TRIAL: [usize; 2] = [96, 72];

/// Returns the best section through an overlap or a measured gap; `None` if there is neither, or if the
/// inside of a part cannot be determined there.
pub fn best(stage: &Stage, finding: &Finding) -> Option<View> {
    let place = Place::of(stage, finding)?;
    let parts = finding.parts.map(|part| stage.posed(part));
    let trial = |view: &View| Trial::of(&parts, view);
    let mut best: Option<(f64, Candidate)> = None;
    for candidate in place.candidates() {
        let Some(tried) = trial(&place.view(&candidate, place.height(candidate.normal), 1.0)) else {
            continue;
        };
        let score = tried.shown(place.kind) as f64 * candidate.weight;
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, candidate));
        }
    }
    let (_, candidate) = best?;
    let height = place.height(candidate.normal);
    if place.kind != Kind::Overlap {
        return Some(place.view(&candidate, height, 1.0));
    }
    // Nearer to the end of the dimension, the cut shows more of its length, but may coincide with a face.
    let mut nearest: Option<(usize, View)> = None;
    for share in [1.0, 0.5, 0.2, 0.05] {
        let view = place.view(&candidate, height, share);
        let Some(tried) = trial(&view) else { continue };
        let along = tried.along(place.on_plane(&view));
        if nearest.as_ref().is_none_or(|(most, _)| along > *most) {
            nearest = Some((along, tried.closer(place.on_plane(&view), view)));
        }
    }
    nearest.map(|(_, view)| view)
}

/// A small picture of a candidate.
struct Trial {
    cut: Cut,
    camera: Camera,
}

impl Trial {
    /// Tries a view; `None` if a part is open there.
    fn of(parts: &[Posed; 2], view: &View) -> Option<Self> {
        let camera = Camera::new([view.direction, view.up], view.centre, view.height, TRIAL);
        let cut = Cut::of(parts, &view.plane?, &camera);
        (!cut.is_open()).then_some(Self { cut, camera })
    }

    /// Returns how much it shows of the overlap or, for a gap, of the part that it shows less of.
    fn shown(&self, kind: Kind) -> usize {
        let [first, second, both] = self.cut.areas();
        if kind == Kind::Overlap { both } else { first.min(second) }
    }

    /// Returns how many of a few points of a line lie in both parts.
    fn along(&self, line: [DVec3; 2]) -> usize {
        let point = |i: i32| line[0].lerp(line[1], (f64::from(i) + 0.5) / 16.0);
        (0..16).filter(|&i| self.at(point(i)).is_some_and(|at| self.cut.at(at) == 3)).count()
    }

    /// Returns the sample at a point, if it lies in the picture.
    fn at(&self, point: DVec3) -> Option<[usize; 2]> {
        let place = self.camera.place(point);
        let is_in = (0..2).all(|k| place[k] >= 0.0 && place[k] < TRIAL[k] as f64);
        is_in.then(|| place.map(|samples| samples as usize))
    }

    /// Returns a closer view, if the overlap and the dimension fill little of this one.
    fn closer(&self, line: [DVec3; 2], view: View) -> View {
        let ends = line.map(|point| self.camera.place(point));
        let mut lo = [0, 1].map(|k| ends[0][k].min(ends[1][k]));
        let mut hi = [0, 1].map(|k| ends[0][k].max(ends[1][k]));
        for y in 0..TRIAL[1] {
            for x in (0..TRIAL[0]).filter(|&x| self.cut.at([x, y]) == 3) {
                for (k, c) in [x, y].into_iter().enumerate() {
                    lo[k] = lo[k].min(c as f64);
                    hi[k] = hi[k].max(c as f64 + 1.0);
                }
            }
        }
        let filled = (0..2).map(|k| (hi[k] - lo[k]) / TRIAL[k] as f64).fold(0.0, f64::max);
        if filled >= FILLED {
            return view;
        }
        let middle = [0, 1].map(|k| 0.5 * (lo[k] + hi[k]));
        let height = view.height * (filled / FILLED).max(0.2);
        let detail = view.detail.filter(|_| line[0].distance(line[1]) < height * SHORTEST);
        View { centre: self.camera.point(middle), height, detail, ..view }
    }
}

/// The least share of a picture's width or height that the overlap and the dimension should fill.
const FILLED: f64 = 0.45;

/// The place of a finding, and what the choice depends on.
struct Place {
    kind: Kind,
    /// The ends of the dimension.
    measure: [DVec3; 2],
    /// The box around the place, with both ends.
    bounds: Aabb,
    /// The box of the smaller part.
    smaller: Aabb,
    up: DVec3,
}

/// A plane through the place, by its normal and the direction that is up in its picture.
struct Candidate {
    normal: DVec3,
    up: DVec3,
    /// A factor of its score: a view from above is preferred to one from below, and both to a plan.
    weight: f64,
}

impl Place {
    fn of(stage: &Stage, finding: &Finding) -> Option<Self> {
        let [lo, hi] = finding.bounds;
        let measure = match finding.kind {
            Kind::Overlap => finding.measure.unwrap_or([0.5 * (lo + hi); 2]),
            Kind::Gap => finding.measure?,
            Kind::Meeting => return None,
        };
        let bounds = measure.into_iter().fold(Aabb { lo, hi }, Aabb::with);
        let [a, b] = finding.parts.map(|part| stage.bounds(part));
        let smaller = if a.diagonal() <= b.diagonal() { a } else { b };
        Some(Self { kind: finding.kind, measure, bounds, smaller, up: stage.up() })
    }

    /// Returns the length of the dimension.
    fn length(&self) -> f64 {
        self.measure[0].distance(self.measure[1])
    }

    /// Returns planes that contain the dimension line, so that its length is true in the picture.
    fn candidates(&self) -> Vec<Candidate> {
        let along = (self.measure[1] - self.measure[0]).normalize_or_zero();
        let mut normals: Vec<DVec3> = vec![DVec3::X, DVec3::Y, DVec3::Z];
        for [a, b] in [[DVec3::X, DVec3::Y], [DVec3::Y, DVec3::Z], [DVec3::Z, DVec3::X]] {
            normals.extend([a + b, a - b].map(DVec3::normalize));
        }
        let in_plane = |normal: DVec3| normal - along * along.dot(normal);
        let lasting = normals.into_iter().map(in_plane).filter(|normal| normal.length() > 0.5);
        let both = lasting.map(DVec3::normalize).flat_map(|normal| [normal, -normal]);
        both.map(|normal| self.candidate(normal)).collect()
    }

    fn candidate(&self, normal: DVec3) -> Candidate {
        let height = normal.dot(self.up);
        let weight = if height > PLAN {
            0.8
        } else if height < -PLAN {
            0.48
        } else if height < -0.05 {
            0.6
        } else {
            1.0
        };
        Candidate { normal, up: up_seen_from(normal, self.up), weight }
    }

    /// Returns the dimension, moved onto the plane of a view.
    fn on_plane(&self, view: &View) -> [DVec3; 2] {
        let Some(Plane { point, normal }) = view.plane else { return self.measure };
        self.measure.map(|end| end - normal * normal.dot(end - point))
    }

    /// Returns the view of a candidate, with a plane that is moved by a share of what it may be.
    fn view(&self, candidate: &Candidate, height: f64, share: f64) -> View {
        let Candidate { normal, up, .. } = *candidate;
        let of_extent = if self.kind == Kind::Overlap { 0.2 } else { 0.1 };
        let nudge = share * self.nudge(normal, of_extent * height / 3.0);
        let plane = Plane { point: self.measure[0] + normal * nudge, normal };
        let up = upright(normal, up);
        let toward = (normal + TILT[0] * up + TILT[1] * up.cross(normal)).normalize();
        let up = upright(toward, up);
        let extent = height / 3.0;
        let centre = self.centre(extent);
        let is_short = self.length() > 0.0 && self.length() < height * SHORTEST;
        let detail = is_short.then(|| self.detail(normal, share));
        let centre = centre - normal * normal.dot(centre - plane.point);
        View { mode: Mode::Section, plane: Some(plane), direction: -toward, up, centre, height, detail }
    }

    /// Returns the height of the picture: three times the place as it appears in the plane, within limits
    /// given by the dimension and the smaller part.
    fn height(&self, normal: DVec3) -> f64 {
        let flat = self.bounds.corners().map(|corner| corner - normal * normal.dot(corner));
        let box_of_flat = Aabb::of(flat);
        let (seen, part, length) = (box_of_flat.diagonal(), self.smaller.diagonal(), self.length());
        let extent = match self.kind {
            _ if length == 0.0 => seen.min(0.9 * part),
            Kind::Overlap => seen.min(14.0 * length).max(2.2 * length).max(0.08 * part).min(0.9 * part),
            Kind::Gap | Kind::Meeting => seen.min(0.8 * part).max(6.0 * length).max(0.25 * part),
        };
        3.0 * extent.max(f64::MIN_POSITIVE)
    }

    /// Returns how far the plane is moved along its normal, up to `most`: through an end of the dimension
    /// itself it might coincide with a face.
    fn nudge(&self, normal: DVec3, most: f64) -> f64 {
        let goal = match self.kind {
            Kind::Overlap => middle(self.bounds),
            Kind::Gap | Kind::Meeting => middle(self.smaller),
        };
        normal.dot(goal - self.measure[0]).clamp(-most, most)
    }

    /// Returns the middle of the picture: of the place or, where it is larger than what is shown, of the
    /// dimension.
    fn centre(&self, extent: f64) -> DVec3 {
        let is_whole = self.bounds.diagonal() <= 1.5 * extent;
        if is_whole { middle(self.bounds) } else { 0.5 * (self.measure[0] + self.measure[1]) }
    }

    /// Returns a closer look, at a plane of its own: the plane of the picture may lie beyond the dimension.
    fn detail(&self, normal: DVec3, share: f64) -> Detail {
        let length = self.length();
        let nudge = self.nudge(normal, 0.5 * share * length);
        let plane = Plane { point: self.measure[0] + normal * nudge, normal };
        let centre = 0.5 * (self.measure[0] + self.measure[1]) + normal * nudge;
        Detail { plane, centre, diameter: 3.4 * length }
    }
}

/// The tilt of the direction of view against the normal of the plane, up and to the right: it gives depth,
/// and hardly distorts.
const TILT: [f64; 2] = [0.28, 0.22];

/// The share of the height of a picture from which a dimension is seen without a closer look.
const SHORTEST: f64 = 0.047;

/// Returns the middle of a box.
fn middle(bounds: Aabb) -> DVec3 {
    0.5 * (bounds.lo + bounds.hi)
}
