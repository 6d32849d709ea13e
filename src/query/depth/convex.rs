//! The depth of two convex solids with few triangles, by linear programs.
//!
//! The depth of a point in a convex solid is the least of its depths below the planes of the solid's faces. A
//! point of a triangle is a weighted mean of the corners, and so are its depths. The largest depth of a
//! triangle is therefore the value of a matrix game: the first player picks a corner, the second a plane, and
//! the first gets the depth of the corner below the plane.
//!
//! Nothing depends on how well a game is played. Any weights of the planes prove a bound: no point of the
//! triangle lies deeper than the weighted mean of the depths of one of its corners. And any weights of the
//! corners give a point, whose depth is computed. If the bounds are too far apart, the search over patches
//! takes the pair.

use glam::DVec3;

use super::part::Part;
use super::{Deepest, DepthQuestion, Found};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::SPLIT;
use closefit_geometry::math::pose::{SMALLEST, flush_tiny};

/// Buffers of this stage.
#[derive(Default)]
pub struct ConvexMemory {
    /// The depths of each side's vertices.
    sides: [Depths; 2],
    /// Triangles that may hold the deepest point.
    open: Vec<OpenTriangle>,
    /// The tableau of a game.
    columns: Vec<Column>,
}

/// The depths of a surface's vertices in the other part's solid.
#[derive(Default)]
struct Depths {
    /// The depths of all vertices below the first plane, then below the next, and so on.
    below_planes: Vec<f64>,
    /// Each vertex's least depth.
    least: Vec<f64>,
}

/// A triangle that may hold the deepest point.
#[derive(Clone, Copy)]
struct OpenTriangle {
    /// An upper bound of the depth of its points.
    at_most: f64,
    side: u8,
    triangle: u32,
}

/// Returns the depth of two parts, or `None` unless both are convex solids with few triangles and the bounds
/// are close.
pub fn depth(parts: &[Part; 2], question: DepthQuestion, memory: &mut ConvexMemory) -> Option<Found> {
    let is_plain =
        |part: &Part| part.is_convex() && !part.body.has_open() && part.body.seam_triangles().is_empty();
    if !parts.iter().all(is_plain) {
        return None;
    }
    let ConvexMemory { sides, open, columns } = memory;
    let mut search = ConvexDepth { parts, question, at_least: 0.0, at_most: 0.0, deepest: None };
    let common = search.common();
    let mut bounds = [0, 1].map(|side: u8| match question.measured[side as usize] {
        true => search.solid(side).way_out_of_box(&common),
        false => 0.0,
    });
    for ((side, depths), bound) in (0..).zip(&mut *sides).zip(&mut bounds) {
        if *bound > search.limit() {
            *bound = bound.min(search.try_vertices(side, depths));
        }
    }
    open.clear();
    for ((side, depths), bound) in (0..).zip(&*sides).zip(bounds) {
        if bound <= search.limit() {
            search.discard(bound);
        } else {
            search.open(side, depths, open);
        }
    }
    open.sort_unstable_by(|x, y| {
        y.at_most.total_cmp(&x.at_most).then(x.side.cmp(&y.side)).then(x.triangle.cmp(&y.triangle))
    });
    for &OpenTriangle { at_most, side, triangle } in &*open {
        if at_most <= search.limit() {
            search.discard(at_most);
            break;
        }
        search.play(side, triangle, &sides[side as usize], columns);
    }
    search.found()
}

/// A search in progress. Side 0 measures the surface of the first part against the solid of the second, side
/// 1 the reverse.
struct ConvexDepth<'a> {
    parts: &'a [Part<'a>; 2],
    question: DepthQuestion,
    /// The depth of the deepest point so far, if its solid has an inside.
    at_least: f64,
    /// The largest upper bound of all points that have been discarded.
    at_most: f64,
    /// That point, with the side that measures it.
    deepest: Option<(u8, DVec3)>,
}

impl<'a> ConvexDepth<'a> {
    /// Returns the part whose points a side measures.
    fn surface(&self, side: u8) -> &'a Part<'a> {
        &self.parts[side as usize]
    }

    /// Returns the part whose solid contains them.
    fn solid(&self, side: u8) -> &'a Part<'a> {
        &self.parts[1 - side as usize]
    }

    /// Returns a box that contains all points of one surface inside the other's solid.
    fn common(&self) -> Aabb {
        let [s, t] = self.parts.each_ref().map(|part| *part.body.bounds());
        Aabb { lo: s.lo.max(t.lo), hi: s.hi.min(t.hi) }
    }

    /// Returns the largest bound that changes nothing.
    fn limit(&self) -> f64 {
        self.question.limit(self.at_least)
    }

    /// Discards points with this bound.
    fn discard(&mut self, at_most: f64) {
        self.at_most = self.at_most.max(at_most);
    }

    /// Records a point within some drift of a surface, and its depth.
    fn raise(&mut self, side: u8, depth: f64, point: DVec3, drift: f64) {
        let at_least = depth - 2.0 * self.solid(side).error - drift;
        if at_least > self.at_least {
            self.at_least = at_least;
            self.deepest = Some((side, point));
        }
    }

    /// Finds the depths of all vertices of a surface. Returns an upper bound of the depth of all its points:
    /// the least largest depth below a plane.
    fn try_vertices(&mut self, side: u8, depths: &mut Depths) -> f64 {
        let vertices = self.surface(side).vertices();
        let Depths { below_planes, least } = depths;
        below_planes.clear();
        least.clear();
        least.resize(vertices.len(), f64::INFINITY);
        let mut bound = f64::INFINITY;
        for plane in self.solid(side).planes_of_faces() {
            let mut deepest = f64::NEG_INFINITY;
            for (&p, least) in vertices.iter().zip(&mut *least) {
                let depth = -plane.height(p);
                *least = if depth < *least { depth } else { *least };
                deepest = if depth > deepest { depth } else { deepest };
                below_planes.push(depth);
            }
            bound = if deepest < bound { deepest } else { bound };
        }
        for (&p, &depth) in vertices.iter().zip(&*least) {
            self.raise(side, depth, p, 0.0);
        }
        bound + self.solid(side).error
    }

    /// Lists the triangles of a surface with points that may lie deeper than what is known, by the plane that
    /// bounds them best.
    fn open(&mut self, side: u8, depths: &Depths, open: &mut Vec<OpenTriangle>) {
        let error = self.solid(side).error;
        let limit = self.limit();
        for (triangle, corners) in (0..).zip(self.surface(side).body.mesh.triangles()) {
            let mut at_most = f64::INFINITY;
            for depths in depths.below_planes.chunks_exact(depths.least.len()) {
                let [a, b, c] = corners.map(|v| depths[v as usize]);
                let deepest = largest([a, b, c]) + error;
                at_most = if deepest < at_most { deepest } else { at_most };
                if at_most <= limit {
                    break;
                }
            }
            if at_most <= limit {
                self.discard(at_most);
            } else {
                open.push(OpenTriangle { at_most, side, triangle });
            }
        }
    }

    /// Finds the deepest point of a triangle, and discards the triangle.
    fn play(&mut self, side: u8, triangle: u32, depths: &Depths, columns: &mut Vec<Column>) {
        let corners = self.surface(side).body.mesh.triangles()[triangle as usize];
        let below_planes = depths.below_planes.chunks_exact(depths.least.len());
        let error = self.solid(side).error;
        let game = Game::solve(
            || below_planes.clone().map(|depths| corners.map(|v| depths[v as usize])),
            self.limit() - error,
            columns,
        );
        // The error has room for the rounding of a weighted mean: 9 u times the largest depth, sqrt(3) times
        // the span, beside the 32 u of a height.
        let at_most = game.value + error;
        if at_most > self.limit() {
            let (point, drift) = weighted(&self.surface(side).triangle(triangle), game.corners);
            let planes = self.solid(side).planes_of_faces().iter();
            let depth = planes.fold(f64::INFINITY, |least, plane| least.min(-plane.height(point)));
            self.raise(side, depth, point, drift);
        }
        self.discard(at_most);
    }

    /// Returns the bracket if it is narrow.
    fn found(&self) -> Option<Found> {
        let found =
            Found { at_least: 0.0, at_most: self.at_most, deepest: None, decided: true, ended_early: false };
        if self.at_most <= self.question.tolerance {
            return Some(found);
        }
        let (side, point) = self.deepest?;
        if self.at_least <= self.question.tolerance || self.at_most > self.limit() {
            return None;
        }
        // A doubled sheet has planes with everything behind them, and no inside.
        let deepest = self.solid(side).winds_around(point).then_some(Deepest { point, on: side.into() })?;
        let at_most = self.at_most.max(self.at_least);
        Some(Found { at_least: self.at_least, at_most, deepest: Some(deepest), ..found })
    }
}

/// Returns the largest of three numbers. Comparisons cost less than `max`, which looks for NaN.
fn largest([a, b, c]: [f64; 3]) -> f64 {
    let ab = if a > b { a } else { b };
    if ab > c { ab } else { c }
}

/// Returns the point of a triangle with the given weights of its corners, and a bound of its distance from
/// the triangle.
fn weighted([a, b, c]: &Triangle, weights: [f64; 3]) -> (DVec3, f64) {
    let exact = a + (b - a) * weights[1] + (c - a) * weights[2];
    let point = flush_tiny(exact);
    let tiny = if point == exact { 0.0 } else { 2.0 * SMALLEST };
    (point, 2.0 * SPLIT * a.abs().max(b.abs()).max(c.abs()).max_element() + tiny)
}

/// The largest number of exchanges in a game.
const MOST_EXCHANGES: usize = 24;

/// Numbers up to this are taken as rounding. It affects only how well a game is played.
const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

/// The outcome of a game of three corners and some planes.
struct Game {
    /// An upper bound of the depth of all points of the triangle.
    value: f64,
    /// The weights of the corners in a point that lies that deep, nearly, unless the value is within the
    /// limit.
    corners: [f64; 3],
}

impl Game {
    /// Plays until the value is found or is within the limit.
    fn solve<I: Iterator<Item = [f64; 3]>>(
        below_planes: impl Fn() -> I,
        limit: f64,
        columns: &mut Vec<Column>,
    ) -> Self {
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut best = (f64::INFINITY, 0);
        for (plane, depths) in below_planes().enumerate() {
            let deepest = largest(depths);
            lo = depths.iter().fold(lo, |lo, &depth| if depth < lo { depth } else { lo });
            hi = if deepest > hi { deepest } else { hi };
            best = if deepest < best.0 { (deepest, plane) } else { best };
        }
        // Depths from 1 to 2 make all values positive, as a linear program needs.
        let span = hi - lo;
        let shares = below_planes().map(|depths| depths.map(|depth| 1.0 + (depth - lo) / span));
        let mut tableau = Tableau::new(shares, columns);
        let mut entering = Some(best.1);
        for _ in 0..MOST_EXCHANGES {
            let Some(column) = entering else { break };
            let Some(row) = tableau.leaving(column) else { break };
            tableau.exchange(column, row);
            if lo + (tableau.value() - 1.0) * span <= limit {
                break;
            }
            entering = tableau.entering();
        }
        let mut value = best.0;
        if let Some(weights) = normalized(tableau.weights_of_planes()) {
            let mut mean = [0.0; 3];
            for (&plane, weight) in tableau.basis.iter().zip(weights) {
                if weight > 0.0 {
                    let depths = below_planes().nth(plane as usize).expect("a plane");
                    mean = [0, 1, 2].map(|corner| mean[corner] + weight * depths[corner]);
                }
            }
            value = value.min(largest(mean));
        }
        Self { value, corners: normalized(tableau.weights_of_corners()).unwrap_or([1.0, 0.0, 0.0]) }
    }
}

/// Returns shares with a sum of 1, within rounding, if the numbers have any.
fn normalized(numbers: [f64; 3]) -> Option<[f64; 3]> {
    let positive = numbers.map(|number| number.max(0.0));
    let sum: f64 = positive.iter().sum();
    (sum > 0.0 && sum < f64::INFINITY).then(|| positive.map(|number| number / sum))
}

/// The simplex method for a game with positive values. It finds the weights of the planes with the largest
/// sum that leave no corner a weighted sum of more than 1: the sum is 1 by the value.
struct Tableau<'a> {
    columns: &'a mut [Column],
    /// The sum of the weights, and the values of the variables of the rows.
    right: [f64; 4],
    /// The variables of the rows.
    basis: [u32; 3],
    /// The number of planes.
    planes: u32,
}

/// A variable that is 0, with its column of the tableau.
#[derive(Clone, Copy)]
struct Column {
    /// The reduced cost, and the entries of the three rows.
    entries: [f64; 4],
    /// A plane, or, after all planes, what a corner leaves of 1.
    variable: u32,
}

impl<'a> Tableau<'a> {
    /// The tableau before any exchange, when all weights are 0.
    fn new(planes: impl Iterator<Item = [f64; 3]>, columns: &'a mut Vec<Column>) -> Self {
        columns.clear();
        columns.extend(planes.zip(0..).map(|([a, b, c], variable)| {
            // A larger weight makes the sum larger by as much.
            Column { entries: [-1.0, a, b, c], variable }
        }));
        let planes = to_u32(columns.len());
        Self { columns, right: [0.0, 1.0, 1.0, 1.0], basis: [planes, planes + 1, planes + 2], planes }
    }

    /// Returns the value of the game for the present planes.
    fn value(&self) -> f64 {
        1.0 / self.right[0]
    }

    /// Returns the column that makes the sum larger fastest, or `None` if none does.
    fn entering(&self) -> Option<usize> {
        let mut least = (-ROUNDING, None);
        for (k, column) in self.columns.iter().enumerate() {
            if column.entries[0] < least.0 {
                least = (column.entries[0], Some(k));
            }
        }
        least.1
    }

    /// Returns the row with the variable that is 0 first when a column's variable grows, from 1 to 3.
    fn leaving(&self, column: usize) -> Option<usize> {
        let Column { entries, .. } = self.columns[column];
        let mut least = (f64::INFINITY, None);
        for (row, (&entry, right)) in entries.iter().zip(self.right).enumerate().skip(1) {
            if entry > ROUNDING && right < least.0 * entry {
                least = (right / entry, Some(row));
            }
        }
        least.1
    }

    /// Exchanges the variables of a column and a row.
    fn exchange(&mut self, column: usize, row: usize) {
        let Column { entries, variable } = self.columns[column];
        let pivot = 1.0 / entries[row];
        let without = |other: &mut [f64; 4]| {
            let share = other[row] * pivot;
            for (entry, of_column) in other.iter_mut().zip(&entries) {
                *entry -= of_column * share;
            }
            other[row] = share;
        };
        self.columns.iter_mut().for_each(|other| without(&mut other.entries));
        without(&mut self.right);
        let mut left = entries.map(|entry| -entry * pivot);
        left[row] = pivot;
        self.columns[column] = Column { entries: left, variable: self.basis[row - 1] };
        self.basis[row - 1] = variable;
    }

    /// Returns the weights of the planes in the rows, before they are normalized.
    fn weights_of_planes(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| if self.basis[k] < self.planes { self.right[k + 1] } else { 0.0 })
    }

    /// Returns the weights of the corners, before they are normalized: a corner counts by what the sum would
    /// gain if it were allowed more than 1.
    fn weights_of_corners(&self) -> [f64; 3] {
        let mut weights = [0.0; 3];
        for Column { entries, variable } in &*self.columns {
            if let Some(corner) = variable.checked_sub(self.planes) {
                weights[corner as usize] = entries[0];
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use closefit_testing::rng::Rng;

    use super::*;
    use crate::bvh::posed_model::{Model, PosedModel};
    use crate::bvh::wide_obb::WideObb;
    use crate::query::depth::part::PartMemory;
    use closefit_geometry::executor::Executor;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::mesh::Mesh;
    use closefit_geometry::mesh::topology::Winding;

    fn mean(values: [f64; 3], weights: [f64; 3]) -> f64 {
        values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
    }

    /// Returns the value of a game: the largest depth of all points where a solution may lie.
    fn value(columns: &[[f64; 3]]) -> f64 {
        let least = |point: [f64; 3]| {
            let inside = point.iter().all(|weight| *weight >= -1e-12);
            let depths = columns.iter().map(|&column| mean(column, point));
            if inside { depths.fold(f64::INFINITY, f64::min) } else { f64::NEG_INFINITY }
        };
        let mut best = f64::NEG_INFINITY;
        for corner in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            best = best.max(least(corner));
        }
        // Points with the weights x, y and 1 - x - y: depths are d.z + (d.x - d.z) x + (d.y - d.z) y.
        let line = |p: &[f64; 3], q: &[f64; 3]| {
            [(p[0] - p[2]) - (q[0] - q[2]), (p[1] - p[2]) - (q[1] - q[2]), p[2] - q[2]]
        };
        let mut lines = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 1.0]];
        for (k, p) in columns.iter().enumerate() {
            lines.extend(columns[..k].iter().map(|q| line(p, q)));
        }
        for (k, [a, b, c]) in lines.iter().enumerate() {
            for [d, e, f] in &lines[..k] {
                let area = a * e - b * d;
                let (x, y) = ((b * f - c * e) / area, (c * d - a * f) / area);
                if area != 0.0 {
                    best = best.max(least([x, y, 1.0 - x - y]));
                }
            }
        }
        best
    }

    #[test]
    fn games_have_the_value_of_their_best_vertex() {
        let mut rng = Rng::new("matrix games", 1);
        let mut memory = Vec::new();
        for case in 0..20_000 {
            let count = 1 + case % 9;
            // Small integers tie, as parallel and mirrored planes do.
            let mut entry = || match case % 2 {
                0 => rng.int(-3, 3) as f64,
                _ => 2.0 * rng.unit() - 1.0,
            };
            let columns: Vec<[f64; 3]> = (0..count).map(|_| [entry(), entry(), entry()]).collect();
            let game = Game::solve(|| columns.iter().copied(), f64::NEG_INFINITY, &mut memory);
            let depth =
                columns.iter().map(|&column| mean(column, game.corners)).fold(f64::INFINITY, f64::min);
            let expected = value(&columns);
            assert!((game.value - expected).abs() < 1e-9, "{columns:?}: {} for {expected}", game.value);
            assert!((depth - expected).abs() < 1e-9, "{columns:?}: a point {depth} deep for {expected}");
        }
    }

    /// Returns a box without the last few of its triangles.
    fn cuboid(lo: [f64; 3], hi: [f64; 3], without: usize) -> Mesh {
        let ends = [lo, hi];
        let corners: Vec<DVec3> =
            (0..8).map(|k| DVec3::from_array([0, 1, 2].map(|axis| ends[k >> axis & 1][axis]))).collect();
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> =
            sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Mesh::new(&corners, &triangles[..12 - without]).unwrap()
    }

    /// Returns the depth of two parts at a pose, if they are settled here.
    fn settled(meshes: [&Mesh; 2], pose: Pose, tolerance: f64) -> Option<Found> {
        let models = meshes.map(|mesh| Model::<WideObb>::of(mesh, Executor::Scalar, Winding::Repaired));
        let [a, b] =
            [0, 1].map(|i| PosedModel::new(meshes[i], &models[i], pose, meshes[i].posed_bounds(&pose)));
        let both = a.bounds().union(*b.bounds());
        let span = (both.hi - both.lo).max_element();
        let parts = [Part::new(&a, span, PartMemory::default()), Part::new(&b, span, PartMemory::default())];
        let question = DepthQuestion { tolerance, only_verdict: false, measured: [true; 2] };
        depth(&parts, question, &mut ConvexMemory::default())
    }

    #[test]
    fn boxes_are_settled_with_their_depth() {
        let mut rng = Rng::new("settled boxes", 1);
        let poses = [(); 4].map(|()| Pose::from_trs(rng.quaternion(), [1.0; 3], [0.3, -7.0, 0.1]).unwrap());
        let fixed = cuboid([0.0; 3], [4.0, 4.0, 2.0], 0);
        for (lo, hi, expected) in [
            // A corner dips in, an edge, and a face.
            ([3.5, 3.25, -1.0], [6.0, 6.0, 0.75], 0.5),
            ([3.5, -1.0, 1.75], [6.0, 5.0, 3.0], 0.25),
            ([1.0, 1.0, 1.5], [3.0, 3.0, 3.0], 0.5),
            // One lies inside: its middle edges are deepest.
            ([1.0, 1.0, 0.5], [3.0, 3.0, 1.5], 1.0),
            // A pole passes through, thick and thin: its sides are one deep in the plate, or they enclose it.
            ([1.5, 1.5, -9.0], [2.5, 2.5, 9.0], 1.0),
            ([-1.0, 1.0, -9.0], [5.0, 3.0, 9.0], 1.0),
            // The same box, one that touches, and one that is apart.
            ([0.0; 3], [4.0, 4.0, 2.0], 0.0),
            ([1.0, 1.0, 2.0], [3.0, 3.0, 3.0], 0.0),
            ([5.0; 3], [6.0; 3], 0.0),
        ] {
            let other = cuboid(lo, hi, 0);
            for pose in [Pose::IDENTITY, poses[0], poses[1], poses[2], poses[3]] {
                for meshes in [[&fixed, &other], [&other, &fixed]] {
                    let found = settled(meshes, pose, 1e-6).expect("boxes");
                    let Found { at_least, at_most, .. } = found;
                    let is_deep = at_least > 1e-6;
                    assert_eq!(is_deep, expected > 0.0, "{lo:?}: {found:?}");
                    assert!(at_least <= expected + 1e-12 && expected - 1e-12 <= at_most, "{lo:?}: {found:?}");
                    assert!(!is_deep || at_most <= 1.01 * at_least, "{lo:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn other_parts_are_left_to_the_search() {
        let fixed = cuboid([0.0; 3], [4.0, 4.0, 2.0], 0);
        let corners = |of: &Mesh, by: DVec3| of.vertices().iter().map(|&p| p + by).collect::<Vec<_>>();
        let joined = |a: &Mesh, b: &Mesh, turned: bool| {
            let second = b.triangles().iter().map(|t| t.map(|v| v + 8));
            let second = second.map(|[a, b, c]| if turned { [a, c, b] } else { [a, b, c] });
            let triangles: Vec<_> = a.triangles().iter().copied().chain(second).collect();
            Mesh::new(&[corners(a, DVec3::ZERO), corners(b, DVec3::ZERO)].concat(), &triangles).unwrap()
        };
        let dips_in = cuboid([3.0, 3.0, -1.0], [6.0, 6.0, 1.0], 0);
        let is_settled = |other: &Mesh| settled([&fixed, other], Pose::IDENTITY, 1e-6).is_some();
        assert!(is_settled(&dips_in));
        assert!(!is_settled(&cuboid([3.0, 3.0, -1.0], [6.0, 6.0, 1.0], 1)), "it is open");
        let cavity = cuboid([4.0, 4.0, -0.5], [5.0, 5.0, 0.5], 0);
        assert!(!is_settled(&joined(&dips_in, &cavity, true)), "it has a cavity");
        let beside = cuboid([7.0, 3.0, -1.0], [8.0, 6.0, 1.0], 0);
        assert!(!is_settled(&joined(&dips_in, &beside, false)), "it has two lumps");
        // A sheet, doubled: all planes have it behind them, and it holds nothing.
        let sheet =
            [[3.0, 3.0, -1.0], [6.0, 3.0, 0.0], [6.0, 6.0, 1.5], [3.0, 6.0, 0.5]].map(DVec3::from_array);
        let sheet = Mesh::new(&sheet, &[[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]]).unwrap();
        let found = settled([&fixed, &sheet], Pose::IDENTITY, 1e-6);
        assert!(found.is_none_or(|found| found.deepest.is_none_or(|deepest| deepest.on == 1)), "{found:?}");
    }
}
