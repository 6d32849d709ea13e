//! A pair of parts on its way through a sweep: the spans of its motion, divided into the cells on which every
//! answer is defined.

use glam::DVec3;

use super::stage_work::StageWork;
use crate::bvh::mesh_hull::MeshHull;
use crate::bvh::moving::{HullSearch, Memory, MovingPair, MovingShapes, Scratch};
use crate::bvh::posed_model::PosedModel;
use crate::bvh::static_pair::StaticPair;
use crate::bvh::world_box;
use crate::continuous::known_apart::KnownApart;
use crate::continuous::method::Method;
use crate::narrow::{Nearest, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::cells::{Cells, Stretch};
use closefit_geometry::motion::moment::Moment;
use closefit_geometry::motion::pair::PairMotion;
use closefit_geometry::motion::span::PairSpan;

/// Two shapes, their motion from one time to another, and the precision.
#[derive(Clone, Debug)]
pub struct PairSweep<'a> {
    shapes: &'a dyn MovingShapes,
    motion: &'a PairMotion<'a>,
    spans: Vec<(PairSpan<'a>, Cells)>,
    /// Times after the start at which the pose jumps, in order.
    jumps: Vec<f64>,
    /// Half the precision, the unit of clearances.
    unit: f64,
    /// The distance up to which the parts count as near.
    near: f64,
    method: Method,
    hulls: Option<[&'a MeshHull; 2]>,
    /// The cells of each span that need no search; empty if none are known.
    known: Vec<KnownApart>,
    /// True for a part that is declared a surface.
    declared_surfaces: [bool; 2],
}

/// Scratch space of the search for a pair's answers, and the work of each stage.
pub struct SweepSearch<'a> {
    /// Scratch space of the searches over cells.
    pub scratch: Scratch<'a>,
    /// The work of each stage.
    pub work: StageWork,
}

impl SweepSearch<'_> {
    /// Counts the walks over hulls among the work.
    pub fn count_hulls(&mut self) {
        let HullSearch { spent, walks, .. } = std::mem::take(&mut self.scratch.hulls);
        self.work.hull += spent;
        self.work.walks += walks;
    }
}

impl<'a> PairSweep<'a> {
    /// The pair from one time to a later one.
    ///
    /// # Errors
    /// The approximate smallest possible precision, if `precision` is smaller.
    pub fn new(
        shapes: &'a dyn MovingShapes,
        motion: &'a PairMotion<'a>,
        range: [f64; 2],
        precision: f64,
    ) -> Result<Self, f64> {
        let unit = 0.5 * precision;
        Ok(Self {
            shapes,
            motion,
            spans: motion.spans(range, precision)?,
            jumps: motion.jumps(range),
            unit,
            near: unit,
            method: Method::default(),
            hulls: None,
            known: Vec::new(),
            declared_surfaces: [false; 2],
        })
    }

    /// Returns the pair with another distance that counts as near, or half the precision if that is larger.
    pub fn within(self, near: f64) -> Self {
        Self { near: self.unit.max(near), ..self }
    }

    /// Returns the pair with another search method.
    pub fn by(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Returns the pair with the convex hulls of its parts, for a filter, or without.
    pub fn with_hulls(self, hulls: Option<[&'a MeshHull; 2]>) -> Self {
        Self { hulls, ..self }
    }

    /// Returns the pair with what is known of each span before any search; an empty list if nothing is.
    pub fn with_known(self, known: Vec<KnownApart>) -> Self {
        Self { known, ..self }
    }

    /// Returns the pair with its parts declared surfaces or not.
    pub fn declared(self, surfaces: [bool; 2]) -> Self {
        Self { declared_surfaces: surfaces, ..self }
    }

    /// Returns scratch space for its searches.
    pub fn searched(&self) -> SweepSearch<'a> {
        SweepSearch { scratch: Scratch::of(self.shapes), work: StageWork::default() }
    }

    /// Returns half the precision: within a cell, no distance changes by more.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Returns the distance that counts as near: half the precision, unless set to more.
    pub fn near(&self) -> f64 {
        self.near
    }

    /// Returns the start time.
    pub fn from(&self) -> f64 {
        self.spans[0].1.from
    }

    /// Returns the end time.
    pub fn to(&self) -> f64 {
        self.spans[self.spans.len() - 1].1.to
    }

    /// Returns the number of spans.
    pub fn spans(&self) -> usize {
        self.spans.len()
    }

    /// Returns the cells of a span.
    pub fn cells(&self, span: usize) -> &Cells {
        &self.spans[span].1
    }

    /// Returns the pair in a span, for searches over its cells.
    pub fn moving(&self, span: usize) -> MovingPair<'_> {
        let (motion, cells) = &self.spans[span];
        MovingPair {
            shapes: self.shapes,
            motion,
            cells,
            method: self.method,
            hulls: self.hulls,
            known: self.known.get(span),
        }
    }

    /// Returns the part as seen from which a search regards the other in a span: 0 for the first, 1 for the
    /// second.
    pub fn seen_from(&self, span: usize) -> usize {
        self.spans[span].0.steadier()
    }

    /// Returns the moment of a stretch of a span.
    pub fn moment(&self, span: usize, stretch: Stretch) -> Moment {
        let (motion, cells) = &self.spans[span];
        motion.over(cells, stretch)
    }

    /// Returns the relative motion in a span around a time, `half` seconds to either side.
    pub fn moment_around(&self, span: usize, time: f64, half: f64) -> Moment {
        self.spans[span].0.moment(time, half)
    }

    /// Returns the relative angular velocity at a time, and the relative velocity at the origin.
    pub fn velocity_at(&self, time: f64) -> [DVec3; 2] {
        let moment = self.spans[self.span_at(time)].0.moment(time, 0.0);
        [moment.angular, moment.velocity]
    }

    /// Returns the motion of one part (0 the first, 1 the second) as seen from the world, which is the first
    /// of that pair. It has the spans of this one.
    pub fn alone(&self, side: usize) -> PairMotion<'a> {
        self.spans[0].0.alone(side)
    }

    /// Returns the moment of a stretch of a span, up to the borders of its neighbours.
    pub fn around(&self, span: usize, stretch: Stretch) -> Moment {
        let (motion, cells) = &self.spans[span];
        motion.moment(cells.middle(stretch), cells.half_with_borders(stretch))
    }

    /// Returns a bound on the rounding error of distances between posed vertices, compared with the intended
    /// motion.
    pub fn rounding(&self) -> f64 {
        self.spans.iter().map(|(motion, _)| motion.rounding()).fold(0.0, f64::max)
    }

    /// Returns the meshes of the two parts.
    pub fn meshes(&self) -> [&'a Mesh; 2] {
        self.shapes.meshes()
    }

    /// Returns what the pair answers with another precision, if f64 can resolve it. Nothing is known of its
    /// cells.
    pub fn with_precision(&self, precision: f64) -> Option<Self> {
        let finer = Self::new(self.shapes, self.motion, [self.from(), self.to()], precision).ok()?;
        Some(finer.by(self.method).with_hulls(self.hulls).declared(self.declared_surfaces))
    }

    /// Returns what the pair answers with another precision once the vertices of one part (0 or 1) have been
    /// moved; `None` if f64 cannot resolve the precision.
    pub fn with_vertices<R>(
        &self,
        side: usize,
        vertices: Vec<DVec3>,
        precision: f64,
        ask: impl FnOnce(&PairSweep) -> R,
    ) -> Option<R> {
        let moved = vertices.iter().zip(self.meshes()[side].vertices()).map(|(p, q)| (*p - *q).length());
        let motion = self.motion.with_margin(side, moved.fold(0.0, f64::max));
        let range = [self.from(), self.to()];
        let (mut ask, mut answer) = (Some(ask), None);
        self.shapes.with_vertices(side, vertices, &mut |shapes| {
            let sweep = PairSweep::new(shapes, &motion, range, precision).ok();
            let sweep = sweep.map(|sweep| sweep.by(self.method).declared(self.declared_surfaces));
            answer = sweep.and_then(|sweep| ask.take().map(|ask| ask(&sweep)));
        });
        answer
    }

    /// Returns the pair in the span that contains a time.
    pub fn moving_at(&self, time: f64) -> MovingPair<'_> {
        self.moving(self.span_at(time))
    }

    /// True when the pose jumps at this time.
    pub fn jumps_at(&self, time: f64) -> bool {
        let at = self.jumps.partition_point(|&jump| jump < time);
        self.jumps.get(at) == Some(&time)
    }

    /// Returns all jumps after the start, in order.
    pub fn jumps(&self) -> &[f64] {
        &self.jumps
    }

    /// Returns the jumps strictly inside a stretch of time.
    pub fn jumps_inside(&self, [from, to]: [f64; 2]) -> impl Iterator<Item = f64> + '_ {
        let after = self.jumps.partition_point(|&jump| jump <= from);
        self.jumps[after..].iter().copied().take_while(move |&jump| jump < to)
    }

    /// Returns what the two bodies answer at a time. They are ready for every question about standing parts.
    pub fn ask_at<R>(&self, time: f64, ask: impl FnOnce(&dyn StaticPair) -> R) -> R {
        let (poses, meshes) =
            (self.spans[self.span_at(time)].0.moment(time, 0.0).poses, self.shapes.meshes());
        let placed = [0, 1].map(|side| (poses[side], world_box::exact(meshes[side], &poses[side])));
        self.shapes.ask_at(placed, self.declared_surfaces, ask)
    }

    /// Returns what the two bodies answer at a time to a question that needs no boxes of their vertices.
    pub fn ask_unbounded_at<R>(&self, time: f64, ask: impl FnOnce(&dyn StaticPair) -> R) -> R {
        let poses = self.spans[self.span_at(time)].0.moment(time, 0.0).poses;
        self.shapes.ask_at(poses.map(|pose| (pose, Aabb::EMPTY)), self.declared_surfaces, ask)
    }

    /// True when a part has an open component that counts as a solid with something missing.
    pub fn has_incomplete_solid(&self) -> bool {
        self.ask_unbounded_at(self.from(), |pair| {
            pair.bodies().into_iter().any(PosedModel::has_incomplete_solid)
        })
    }

    /// Returns the closest pair of triangles at a time, if within `bound`; in contact, the lowest pair that
    /// touches.
    pub fn nearest(&self, time: f64, bound: f64, work: &mut Work) -> Option<Nearest> {
        self.moving_at(time).nearest(time, bound, work)
    }

    /// Returns the distance of the two parts at a time.
    pub fn distance(&self, time: f64, work: &mut Work) -> f64 {
        self.moving_at(time).distance(time, work)
    }

    /// True when the two parts are near at a time.
    pub fn is_near(&self, time: f64, work: &mut Work) -> bool {
        self.moving_at(time).is_within(time, self.near, work)
    }

    /// True when the two parts are near at a time. Triangles that were near at earlier times are tried first.
    pub fn is_still_near(&self, time: f64, memory: &mut Memory, work: &mut Work) -> bool {
        self.moving_at(time).is_within_still(time, self.near, memory, work)
    }

    fn span_at(&self, time: f64) -> usize {
        self.spans.partition_point(|(_, cells)| cells.to <= time).min(self.spans.len() - 1)
    }
}
