//! Movements of the vertices of one part that may take it out of the other, all by at most one length.
//!
//! - All vertices move against the normals around them. This frees a part of mating faces on all sides, such
//!   as a drawer, by a good half of the length.
//! - All move along the way out of the deepest point, which frees what has been pressed in.
//! - Vertices of faces that are pressed against the other part move against the normals of these faces alone.
//!   This frees a pin in its bore, or gears, by nearly all of the length: a vertex at the rim of a pin need
//!   not move along its axis.
//! - All move against the normals of faces that do not only turn in their own plane, or are at the ends of
//!   what slides: mating faces, and faces that lie wholly inside the other part.

use std::cell::OnceCell;

use glam::DVec3;

use super::node::spread;
use crate::bvh::posed_model::PosedModel;
use crate::query::depth::Corner;
use crate::query::pair_sweep::PairSweep;
use crate::query::stage_work::StageWork;

/// Number of times at which mating faces are looked for.
const LOOKS: u32 = 256;

/// Cosine of the angle between two faces' normals, the one turned around, from which on they mate.
const MATING: f64 = 0.7;

/// Cosine of the angle to the axis from which on a face only turns in its own plane, or is at an end of what
/// slides.
const ACROSS: f64 = 0.9;

/// Cosine of the angle of two normals from which on they are the same, where all of the length matters.
const SAME: f64 = 0.9999;

/// A movement of the vertices of one part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    /// Against all normals.
    Inset,
    /// Against the normals of mating faces; where there are none, as [`Field::Across`].
    Mating,
    /// Against the normals of faces that do not only turn in their own plane, or are at the ends of what
    /// slides.
    Across,
    /// Along a way.
    Shift(DVec3),
}

impl Field {
    /// True for a movement of mating faces.
    pub fn needs_mates(self) -> bool {
        matches!(self, Self::Mating | Self::Across)
    }

    /// Returns the steps of a part's posed vertices, given the mating faces that are known of it; `None` if
    /// there are none.
    pub fn steps(self, body: &PosedModel, length: f64, mating: Option<MatesOf>) -> Option<Vec<DVec3>> {
        match self {
            Self::Shift(way) => Some(vec![way.try_normalize()? * length; body.mesh.vertices().len()]),
            Self::Inset if body.has_solid() => Some(inset(body, length, Corner::add, |_, _| true)),
            Self::Mating | Self::Across if body.has_solid() => {
                let MatesOf { is_mating, axis } = mating?;
                let add = |corner: &mut Corner, normal| corner.add_apart(normal, SAME);
                let across = inset(body, length, add, |_, normal| normal.dot(axis).abs() < ACROSS);
                if matches!(self, Self::Across) {
                    return Some(across);
                }
                // A face that lies inside as a whole meets no other.
                let mut steps = inset(body, length, add, |triangle, _| is_mating[triangle as usize]);
                for (step, across) in steps.iter_mut().zip(across) {
                    if *step == DVec3::ZERO {
                        *step = across;
                    }
                }
                Some(steps)
            }
            Self::Inset | Self::Mating | Self::Across => None,
        }
    }
}

/// Returns the steps that take the corners of a solid inwards, against the normals of those faces around
/// them that count.
fn inset(
    body: &PosedModel,
    length: f64,
    add: impl Fn(&mut Corner, DVec3),
    counts: impl Fn(u32, DVec3) -> bool,
) -> Vec<DVec3> {
    let mut corners: Vec<Corner> =
        body.mesh.vertices().iter().map(|&vertex| Corner::new(body.pose.apply(vertex))).collect();
    let step = length * side_of_normals(body);
    for triangle in 0..body.len() {
        if let Some(normal) = normal(body, triangle).filter(|&normal| counts(triangle, normal)) {
            for v in body.mesh.triangles()[triangle as usize] {
                add(&mut corners[v as usize], normal);
            }
        }
    }
    corners.iter().map(|corner| corner.inset(step) - corner.at()).collect()
}

fn normal(body: &PosedModel, triangle: u32) -> Option<DVec3> {
    let [p, q, r] = body.oriented(triangle);
    (q - p).cross(r - p).try_normalize()
}

/// Returns 1 if the normals of a solid point outwards, and -1 if they point inwards.
fn side_of_normals(body: &PosedModel) -> f64 {
    let middle = body.bounds().lo;
    let closed = (0..body.len()).filter(|&triangle| body.is_closed(triangle));
    let volumes = closed.map(|triangle| {
        let [p, q, r] = body.oriented(triangle).map(|p| p - middle);
        p.dot(q.cross(r))
    });
    if volumes.sum::<f64>() < 0.0 { -1.0 } else { 1.0 }
}

/// The faces of both parts that are pressed against each other at some times.
#[derive(Debug)]
struct Mates {
    is_mating: [Vec<bool>; 2],
    axis: DVec3,
}

/// The mating faces of a stretch, which are looked for when they are first needed.
#[derive(Debug)]
pub(super) struct LateMates {
    stretch: [f64; 2],
    at: f64,
    found: OnceCell<Mates>,
}

impl LateMates {
    /// The faces that mate during a stretch; `at` is the time at which vertices will be moved.
    pub fn new(stretch: [f64; 2], at: f64) -> Self {
        Self { stretch, at, found: OnceCell::new() }
    }

    /// Returns the mating faces of one part.
    pub fn of(&self, side: usize, sweep: &PairSweep, work: &mut StageWork) -> MatesOf<'_> {
        self.found.get_or_init(|| Mates::find(sweep, self.stretch, self.at, work)).of(side)
    }
}

/// The faces of one part that are pressed against the other's.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatesOf<'m> {
    is_mating: &'m [bool],
    /// The direction of the axis about which the parts turn, or in which they slide; zero if they stand.
    axis: DVec3,
}

impl Mates {
    /// Looks for mating faces at times of a stretch; `at` is the one at which vertices will be moved.
    fn find(sweep: &PairSweep, stretch: [f64; 2], at: f64, work: &mut StageWork) -> Self {
        let mut is_mating = sweep.meshes().map(|mesh| vec![false; mesh.triangles().len()]);
        let sides: f64 = sweep.ask_at(at, |pair| pair.bodies().into_iter().map(side_of_normals).product());
        for time in spread(stretch, LOOKS) {
            sweep.ask_unbounded_at(time, |pair| {
                let [a, b] = pair.bodies();
                for [s, t] in work.contacts.on(|work| pair.contacts(work)) {
                    let normals = [normal(a, s), normal(b, t)];
                    if let [Some(m), Some(n)] = normals
                        && m.dot(n) * sides < -MATING
                    {
                        (is_mating[0][s as usize], is_mating[1][t as usize]) = (true, true);
                    }
                }
            });
        }
        let [turn, slide] = sweep.velocity_at(at);
        Self { is_mating, axis: turn.try_normalize().unwrap_or(slide.normalize_or_zero()) }
    }

    fn of(&self, side: usize) -> MatesOf<'_> {
        MatesOf { is_mating: &self.is_mating[side], axis: self.axis }
    }
}
