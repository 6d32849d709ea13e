//! Tests the triangles of two leaves. These functions know no volumes, so they are compiled once for all
//! kinds of trees whose searches call them.

use glam::DVec3;

use closefit::Work;
pub use closefit::internals::bvh::leaf::{Leaf, all_lanes};
use closefit::internals::continuous::kernels::MovingKernels;
use closefit::internals::narrow::kernels::{LaneDistances, LeafKernels};
use closefit::internals::narrow::posed_leaf::Side;
use closefit::method::Triangles;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::executor::{Executor, execute};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::moment::Moment;

/// The triangles of a posed tree.
#[derive(Clone, Copy, Debug)]
pub struct PosedTriangles<'a> {
    /// World from part.
    pub pose: &'a Pose,
    /// Corners in the order of the leaves, as indices into `vertices`.
    pub corners: &'a [[u32; 3]],
    /// The vertices.
    pub vertices: &'a [DVec3],
}

impl PosedTriangles<'_> {
    /// Returns the posed corners of a triangle, given by its place.
    pub fn triangle(&self, place: u32) -> Triangle {
        self.corners[place as usize].map(|v| self.pose.apply(self.vertices[v as usize]))
    }

    #[inline(always)]
    fn leaf<K: LeafKernels>(&self, kernels: K, columns: &K::Columns, leaf: Leaf, side: Side) -> K::Leaf {
        kernels.leaf(columns, self.vertices, leaf.of(self.corners), side)
    }
}

/// The triangles of two posed trees, and the executor of their tests.
#[derive(Clone, Copy, Debug)]
pub struct TrianglePairs<'a> {
    /// The triangles of both trees.
    pub sides: [PosedTriangles<'a>; 2],
    /// The executor.
    pub executor: Executor,
}

/// Some lanes of the four pairs of triangles of two leaves, and the leaves.
pub type LeafPair = (u32, [Leaf; 2]);

impl TrianglePairs<'_> {
    /// Returns the lanes, of those given, whose triangles are in contact.
    pub fn contacts(&self, (mask, leaves): LeafPair, work: &mut Work) -> u32 {
        if mask == 0 {
            return 0;
        }
        let found = execute!(self.executor, kernels => {
            let [a, b] = self.posed(kernels, leaves);
            kernels.contacts(&a, &b)
        });
        work.triangle_tests += u64::from(mask.count_ones());
        let mut meets = found.meets & mask;
        for (lane, [a, b]) in lanes(found.unsure & mask, leaves) {
            work.exact_tests += 1;
            let is_contact = triangles_meet(&self.sides[0].triangle(a), &self.sides[1].triangle(b));
            meets |= u32::from(is_contact) << lane;
        }
        meets
    }

    /// Returns the lanes, of those given, whose triangles are not proven farther apart than `bound`, with
    /// bounds of the distances.
    pub fn distances(
        &self,
        (mask, leaves): LeafPair,
        bound: f64,
        work: &mut Work,
    ) -> Option<(u32, LaneDistances)> {
        if mask == 0 {
            return None;
        }
        work.triangle_tests += u64::from(mask.count_ones());
        execute!(self.executor, kernels => {
            let [a, b] = self.posed(kernels, leaves);
            let left = !kernels.beyond(&a, &b, bound) & mask;
            (left != 0).then(|| (left, kernels.bounds(&a, &b)))
        })
    }

    /// Removes the pairs that stay farther apart than `limit` over a moment.
    pub fn retain_near(
        &self,
        pairs: &mut Vec<LeafPair>,
        (moment, limit): (&Moment, f64),
        method: Triangles,
        work: &mut Work,
    ) {
        if method.are_solved(moment) {
            return;
        }
        work.triangle_tests += tests(pairs);
        execute!(self.executor, kernels => self.retain_near_by(kernels, pairs, (moment, limit), method));
    }

    #[inline(always)]
    fn retain_near_by(
        &self,
        kernels: impl MovingKernels,
        pairs: &mut Vec<LeafPair>,
        (moment, limit): (&Moment, f64),
        method: Triangles,
    ) {
        // Feature tests prove only that triangles which are apart at some time remain apart.
        let tested = match method {
            Triangles::Directions | Triangles::Roots => *moment,
            Triangles::Elementary => moment.standing(),
        };
        let prepared = kernels.prepare(&tested, limit);
        let mut left = 0;
        for at in 0..pairs.len() {
            let (lanes, leaves) = pairs[at];
            let [a, b] = self.posed(kernels, leaves);
            let mut apart = kernels.stays_beyond(&a, &b, &prepared);
            if method == Triangles::Elementary {
                apart &= kernels.features_stay_beyond(&a, &b, moment, limit);
            }
            if lanes & !apart != 0 {
                pairs[left] = (lanes & !apart, leaves);
                left += 1;
            }
        }
        pairs.truncate(left);
    }

    /// Returns for how many seconds after the moment's middle, at most its half width, all pairs certainly
    /// stay farther apart than `limit`; `None` if one is within the limit now.
    pub fn free_time(
        &self,
        pairs: &[LeafPair],
        (moment, limit): (&Moment, f64),
        work: &mut Work,
    ) -> Option<f64> {
        work.triangle_tests += tests(pairs);
        let mut free = moment.half;
        let times = execute!(self.executor, kernels => self.free_times(kernels, pairs, (moment, limit)));
        for (&(mask, leaves), times) in pairs.iter().zip(times) {
            for (lane, places) in lanes(mask, leaves) {
                let time = times[lane as usize];
                if time == 0.0 && self.is_within(places, limit, work) {
                    return None;
                }
                free = free.min(time);
            }
        }
        Some(free)
    }

    #[inline(always)]
    fn free_times(
        &self,
        kernels: impl MovingKernels,
        pairs: &[LeafPair],
        (moment, limit): (&Moment, f64),
    ) -> Vec<[f64; 4]> {
        let prepared = kernels.prepare(moment, limit);
        let mut times = Vec::with_capacity(pairs.len());
        for &(_, leaves) in pairs {
            let [a, b] = self.posed(kernels, leaves);
            times.push(kernels.free_time(&a, &b, &prepared));
        }
        times
    }

    /// True when two triangles, given by their places, are within a limit, by exact arithmetic.
    pub fn is_within(&self, places: [u32; 2], limit: f64, work: &mut Work) -> bool {
        work.exact_tests += 1;
        distance(&self.sides[0].triangle(places[0]), &self.sides[1].triangle(places[1])) <= limit
    }

    /// True when two triangles of some leaves, in the lanes given, are within a limit, by exact arithmetic.
    pub fn any_is_within(&self, pairs: &[LeafPair], limit: f64, work: &mut Work) -> bool {
        let mut pairs = pairs.iter().flat_map(|&(mask, leaves)| lanes(mask, leaves));
        pairs.any(|(_, places)| self.is_within(places, limit, work))
    }

    #[inline(always)]
    fn posed<K: LeafKernels>(&self, kernels: K, [a, b]: [Leaf; 2]) -> [K::Leaf; 2] {
        let [of_a, of_b] = &self.sides;
        [
            of_a.leaf(kernels, &kernels.columns(of_a.pose), a, Side::A),
            of_b.leaf(kernels, &kernels.columns(of_b.pose), b, Side::B),
        ]
    }
}

/// Returns the number of pairs of triangles.
fn tests(pairs: &[LeafPair]) -> u64 {
    pairs.iter().map(|(_, [a, b])| u64::from(a.count * b.count)).sum()
}

/// Returns the set lanes, with the places of their triangles.
pub fn lanes(mask: u32, [a, b]: [Leaf; 2]) -> impl Iterator<Item = (u32, [u32; 2])> {
    let places = move |lane: u32| (lane, [a.first + lane / 2, b.first + lane % 2]);
    (0..4).filter(move |lane| mask >> lane & 1 == 1).map(places)
}
