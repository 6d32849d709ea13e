//! The volume of what two solids share.
//!
//! Let `v` and `w` be the winding numbers of both bodies, with the sign that makes most of each body 1. If
//! they were 0 or 1 everywhere, the volume would be the integral of `v w`, which [`columns`] finds. An
//! integer `w` has `w (w - 1) >= 0`, which is 0 for 0 and 1 alone, and otherwise at least 2. So with `Q` the
//! sum of its integrals for both bodies, the points with another winding number have a volume of at most
//! `Q / 2`. There `|v w| <= (v^2 + w^2) / 2` and `w^2 <= 2 w (w - 1) + 1`, so the integral of `v w` over them
//! is at most `Q + Q / 2`, and their volume is at most `Q / 2`: the integral is off by `2 Q` at most. Faces
//! that touch, seams that the rounding of a pose opens and slivers that fold over give a `Q` of rounding, and
//! need no care.

mod columns;

use std::fmt;

use glam::DVec3;

use super::open_shells::open_edges;
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::parallel;
use columns::{Face, Frame, Sum};

/// The volume of what two solids share, as a bracket, and its centroid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapVolume {
    /// The volume is no smaller than this.
    pub at_least: f64,
    /// The volume is no larger than this.
    pub at_most: f64,
    /// The centroid. `None` unless the volume is certainly positive.
    pub centroid: Option<DVec3>,
}

/// A reason why an overlap has no known volume. The number is 0 for the first body and 1 for the second.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VolumeUnknown {
    /// The body has no closed component.
    NoSolid(usize),
    /// An open component might hold a part of the other body if it were whole. With what is open.
    Open(usize, String),
    /// Closed components cross themselves or each other, or one lies in another, near the other body.
    Crosses(usize),
}

impl VolumeUnknown {
    /// Writes the reason with the names of the bodies.
    pub fn with_names(&self, names: [&str; 2]) -> String {
        match self {
            Self::NoSolid(side) => format!("{} has no solid", names[*side]),
            Self::Open(side, edges) => format!("{} is open: {edges}", names[*side]),
            Self::Crosses(side) => format!("{} fills space more than once", names[*side]),
        }
    }
}

impl fmt::Display for VolumeUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_names(["the first mesh", "the second mesh"]))
    }
}

impl std::error::Error for VolumeUnknown {}

/// The number of faces that a thread takes at a time.
const RUN: usize = 16;

/// The share of the solid near the other one that may have another winding number than 1 by rounding.
const CROSSED: f64 = 1.0 / (1 << 30) as f64;

const NOTHING: OverlapVolume = OverlapVolume { at_least: 0.0, at_most: 0.0, centroid: None };

/// Returns the volume of the points that lie in the solids of both bodies.
///
/// # Errors
/// [`VolumeUnknown`].
pub fn overlap_volume(bodies: [&PosedModel; 2]) -> Result<OverlapVolume, VolumeUnknown> {
    let [a, b] = bodies.map(|body| *body.bounds());
    for (side, body) in bodies.into_iter().enumerate() {
        if !body.has_solid() {
            return Err(VolumeUnknown::NoSolid(side));
        }
        let open = open_near(body, &[b, a][side]);
        if !open.is_empty() {
            return Err(VolumeUnknown::Open(side, open_edges(body, open)));
        }
    }
    let common = Aabb { lo: a.lo.max(b.lo), hi: a.hi.min(b.hi) };
    if common.lo.cmpge(common.hi).any() {
        return Ok(NOTHING);
    }
    let frame = Frame::new(common);
    let sides = bodies.map(|body| Side::of(body, &frame));
    let solids = [sides[0].solid(&frame), sides[1].solid(&frame)];
    let smaller = solids[0].volume.min(solids[1].volume);
    let is_crossed = |solid: &Solid| solid.excess > 4.0 * solid.error && solid.excess > CROSSED * smaller;
    if let Some(side) = solids.iter().position(is_crossed) {
        return Err(VolumeUnknown::Crosses(side));
    }
    // The order of the bodies does not matter, not even for rounding.
    let is_swapped = (sides[1].faces.len(), b.lo.to_array()) < (sides[0].faces.len(), a.lo.to_array());
    let [few, many] = if is_swapped { [&sides[1], &sides[0]] } else { [&sides[0], &sides[1]] };
    let shared = few.with(&frame, |f| many.faces_in(&frame, f));
    let excess = solids.iter().map(|solid| 2.0 * (solid.excess.max(0.0) + solid.error)).sum::<f64>();
    Ok(bracket(&frame, &shared, solids[0].sign * solids[1].sign, excess))
}

/// Returns the bracket of an integral, and the centroid.
fn bracket(frame: &Frame, shared: &Sum, sign: f64, excess: f64) -> OverlapVolume {
    let error = (shared.error + excess) * (1.0 + 8.0 * f64::EPSILON);
    let [volume, moments @ ..] = shared.moments.map(|moment| moment.high * sign);
    let size = frame.bounds.hi - frame.bounds.lo;
    let all = (size / frame.unit).element_product() * (1.0 + 4.0 * f64::EPSILON);
    let cube = frame.unit * frame.unit * frame.unit;
    // NaN bounds nothing: it gives 0 and the whole box.
    let at_least = (volume - error).next_down().max(0.0).min(all);
    let at_most = (volume + error).next_up().min(all).max(0.0);
    let is_positive = at_least > 0.0;
    let centroid = || {
        let of = DVec3::from_array(moments) / volume * frame.unit;
        (frame.bounds.lo + of).clamp(frame.bounds.lo, frame.bounds.hi)
    };
    let at_most = if shared.error == 0.0 && excess == 0.0 && volume == 0.0 { 0.0 } else { at_most };
    OverlapVolume { at_least: at_least * cube, at_most: at_most * cube, centroid: is_positive.then(centroid) }
}

/// Returns the open components that might hold a part of another body.
fn open_near(body: &PosedModel, other: &Aabb) -> Vec<u32> {
    if !body.has_incomplete_solid() {
        return Vec::new();
    }
    let components = (0..).zip(body.component_boxes().iter().zip(&body.topology.components));
    let near = components
        .filter(|(_, ((_, bounds), component))| component.may_hold() && bounds.overlaps_by_more(other, 0.0));
    near.map(|(index, _)| index).collect()
}

/// A body, and its oriented faces over the box.
struct Side<'a> {
    body: &'a PosedModel<'a>,
    faces: Vec<Triangle>,
}

/// The part of a solid in the box, in the units of the frame.
struct Solid {
    /// The winding number of most of it: 1 or -1.
    sign: f64,
    volume: f64,
    /// The integral of `w (w - 1)`, and its error.
    excess: f64,
    error: f64,
}

impl<'a> Side<'a> {
    fn of(body: &'a PosedModel<'a>, frame: &Frame) -> Self {
        let faces = triangles_in(body, &frame.column(&frame.bounds, body.bounds().hi.z));
        Self { body, faces }
    }

    /// Integrates the product of its winding number and another surface's. `others` returns the faces of
    /// the other surface over a face.
    fn with(&self, frame: &Frame, others: impl Fn(&Triangle) -> Vec<Face> + Sync) -> Sum {
        let terms = parallel::map_items(&self.faces, RUN, |t| {
            let mut sum = Sum::ZERO;
            if let Some(f) = frame.face(t) {
                others(t).iter().for_each(|g| frame.add_pair(&f, g, &mut sum));
            }
            sum
        });
        terms.into_iter().fold(Sum::ZERO, Sum::plus)
    }

    /// Returns its faces over a triangle, in the order of their numbers.
    fn faces_in(&self, frame: &Frame, t: &Triangle) -> Vec<Face> {
        let column = frame.column(&Aabb::of(*t), self.body.bounds().hi.z);
        triangles_in(self.body, &column).iter().filter_map(|t| frame.face(t)).collect()
    }

    fn solid(&self, frame: &Frame) -> Solid {
        let Aabb { lo, hi } = frame.bounds;
        let corner = |x: f64, y: f64| DVec3::new(x, y, hi.z);
        let [p, q, r, s] = [corner(lo.x, lo.y), corner(hi.x, lo.y), corner(hi.x, hi.y), corner(lo.x, hi.y)];
        let lid = || [[p, q, r], [p, r, s]].iter().filter_map(|t| frame.face(t)).collect();
        let once = self.with(frame, |_| lid());
        let twice = self.with(frame, |f| self.faces_in(frame, f));
        let sign = if once.moments[0].high < 0.0 { -1.0 } else { 1.0 };
        let volume = once.moments[0].high * sign;
        let difference =
            if sign < 0.0 { twice.moments[0] + once.moments[0] } else { twice.moments[0] - once.moments[0] };
        let error = (once.error + twice.error + f64::EPSILON * f64::EPSILON * volume.abs()) * 1.01;
        Solid { sign, volume, excess: difference.high, error }
    }
}

/// Returns the oriented triangles of closed components whose boxes meet a box, and the triangles of their
/// seams.
/// The tree must not decide which these are: a triangle next to the box adds to the bound of the error.
fn triangles_in(body: &PosedModel, bounds: &Aabb) -> Vec<Triangle> {
    let mut found: Vec<(u32, Triangle)> = Vec::new();
    body.walk(
        |around| around.meets(bounds),
        |number| {
            let t = body.triangle(number);
            if body.is_closed(number) && Aabb::of(t).meets(bounds) {
                found.push((number, body.turned_out(number, t)));
            }
        },
    );
    found.sort_unstable_by_key(|(number, _)| *number);
    let seams = body.seam_triangles().iter().filter(|t| Aabb::of(**t).meets(bounds));
    found.into_iter().map(|(_, t)| t).chain(seams.copied()).collect()
}
