//! The exact pieces of a triangle that lie inside a solid.
//!
//! Within the triangle's plane, every triangle of the solid's surface that meets it cuts along a line. Lines
//! are integer coefficients of homogeneous plane coordinates, and a cell's corners are intersections of its
//! lines, so numbers do not grow with the number of cuts. At the end, no surface triangle passes through
//! the interior of a cell: each cell is all inside, all outside, or on the surface.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::rc::Rc;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Zero};

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::grid::{Grid, Vector, cross, dot, round_quotient, sign, sub};
use closefit_geometry::math::predicates::{self, Projection};
use closefit_geometry::math::rational_point::RationalPoint;

/// `A x + B y + C = 0` in the plane's two kept coordinates, positive on one side.
type Line = Vector;

struct Corner {
    /// Homogeneous coordinates `(x w, y w, w)` in the plane, with `w > 0`.
    homogeneous: Vector,
    /// The point in space, correctly rounded: rounding keeps the order, so comparisons with f64 hold up to
    /// equality.
    rounded: DVec3,
}

/// A convex piece of the triangle, counterclockwise in the plane's projection.
#[derive(Clone)]
pub struct Cell {
    /// Each corner with the line on which the edge to the next corner lies.
    ring: Vec<(Rc<Corner>, Rc<Line>)>,
}

impl Cell {
    fn bounds(&self) -> Aabb {
        Aabb::of(self.ring.iter().map(|(corner, _)| corner.rounded))
    }
}

/// The plane of a triangle with an area, as the frame of its cells.
pub struct Section {
    grid: Grid,
    /// The triangle's first corner; all vectors are relative to it.
    origin: Vector,
    normal: Vector,
    /// The two kept coordinates, then the dropped one.
    axes: [usize; 3],
    corners: [Vector; 3],
}

/// A surface triangle as seen from the section's plane.
struct Cutter {
    /// The line in which its plane cuts; `None` when it lies in the section's plane.
    line: Option<Rc<Line>>,
    /// The lines of its edges, positive on the inner side.
    edges: [Rc<Line>; 3],
    bounds: Aabb,
}

impl Section {
    /// The section of a triangle, or `None` if the triangle has no area. `others` are the triangles that will
    /// cut it.
    pub fn of(t: &Triangle, others: &[Triangle]) -> Option<Self> {
        let projection = predicates::projection_of(t[0], t[1], t[2])?;
        let axes = match projection {
            Projection::X => [1, 2, 0],
            Projection::Y => [2, 0, 1],
            Projection::Z => [0, 1, 2],
        };
        let grid = Grid::of(t.iter().chain(others.iter().flatten()));
        let origin = grid.vector(t[0]);
        let corners = t.map(|p| sub(&grid.vector(p), &origin));
        let normal = cross(&corners[1], &corners[2]);
        Some(Self { grid, origin, normal, axes, corners })
    }

    /// Returns the cells of the triangle that no cutter covers or passes through.
    pub fn cells(&self, cutters: &[Triangle]) -> Vec<Cell> {
        let mut cells = vec![self.whole()];
        for cutter in cutters.iter().filter_map(|t| self.cutter(t)) {
            let mut next = Vec::with_capacity(cells.len() + 4);
            for cell in cells {
                if !cell.bounds().meets(&cutter.bounds) {
                    next.push(cell);
                } else if let Some(line) = &cutter.line {
                    self.cut_through(cell, line, &cutter.edges, &mut next);
                } else {
                    self.cut_out(cell, &cutter.edges, &mut next);
                }
            }
            cells = next;
        }
        cells
    }

    /// Returns the cells of what the triangle shares with another in its plane, without what cutters in that
    /// plane cover.
    pub fn cells_within(&self, other: &Triangle, cutters: &[Triangle]) -> Vec<Cell> {
        let Some(around) = self.cutter(other) else { return Vec::new() };
        let mut inner = self.whole();
        for edge in &around.edges {
            match self.split(&inner, edge) {
                Some(halves) => inner = halves.positive,
                None if outside_of(edge, &inner) => return Vec::new(),
                None => {}
            }
        }
        let mut cells = vec![inner];
        for cutter in cutters.iter().filter_map(|t| self.cutter(t)) {
            let mut next = Vec::with_capacity(cells.len() + 2);
            cells.into_iter().for_each(|cell| self.cut_out(cell, &cutter.edges, &mut next));
            cells = next;
        }
        cells
    }

    /// Returns the corners of a cell.
    pub fn corners(&self, cell: &Cell) -> Vec<RationalPoint> {
        let lift = |corner: &Corner| {
            let (numerators, scale) = self.lift(&corner.homogeneous);
            RationalPoint::new(numerators, scale, self.grid)
        };
        cell.ring.iter().map(|(corner, _)| lift(corner)).collect()
    }

    /// Returns a point strictly inside a cell.
    pub fn interior_point(&self, cell: &Cell) -> RationalPoint {
        // Neighbouring edges lie on different lines, so three successive corners span a triangle.
        let [p, q, r] = [0, 1, 2].map(|i| &cell.ring[i].0.homogeneous);
        let weights = [&q[2] * &r[2], &p[2] * &r[2], &p[2] * &q[2]];
        let mix = |k: usize| &p[k] * &weights[0] + &q[k] * &weights[1] + &r[k] * &weights[2];
        let scale = &p[2] * &weights[0] * 3;
        let (numerators, scale) = self.lift(&[mix(0), mix(1), scale]);
        RationalPoint::new(numerators, scale, self.grid)
    }

    fn whole(&self) -> Cell {
        let [i, j, dropped] = self.axes;
        let flat = |p: &Vector| [p[i].clone(), p[j].clone(), BigInt::one()];
        let mut corners = self.corners.each_ref().map(flat);
        if sign(&self.normal[dropped]) == Less {
            corners.swap(1, 2);
        }
        let ring = (0..3).map(|k| {
            let line = cross(&corners[k], &corners[(k + 1) % 3]);
            (Rc::new(self.corner(corners[k].clone())), Rc::new(line))
        });
        Cell { ring: ring.collect() }
    }

    /// Returns a point of the plane as a point in space: numerators (not relative to the origin) and their
    /// denominator.
    fn lift(&self, flat: &Vector) -> (Vector, BigInt) {
        let [i, j, dropped] = self.axes;
        let n = &self.normal;
        let scale = &flat[2] * &n[dropped];
        let height = -(&n[i] * &flat[0] + &n[j] * &flat[1]);
        let mut point = [BigInt::zero(), BigInt::zero(), BigInt::zero()];
        point[i] = &flat[0] * &n[dropped];
        point[j] = &flat[1] * &n[dropped];
        point[dropped] = height;
        let flip = sign(&scale) == Less;
        let oriented = |x: BigInt| if flip { -x } else { x };
        let scale = oriented(scale);
        let mut k = 0;
        let point = point.map(|x| {
            let absolute = oriented(x) + &self.origin[k] * &scale;
            k += 1;
            absolute
        });
        (point, scale)
    }

    fn corner(&self, homogeneous: Vector) -> Corner {
        let (point, scale) = self.lift(&homogeneous);
        let rounded = point.map(|x| round_quotient(&x, &scale, self.grid.exponent));
        Corner { homogeneous, rounded: DVec3::from_array(rounded) }
    }

    /// Returns the line in which the plane `m . (x - through) = 0` cuts, positive on the side that `m` points
    /// to.
    fn line(&self, m: &Vector, through: &Vector) -> Line {
        let [i, j, dropped] = self.axes;
        let n = &self.normal;
        let line = [
            &m[i] * &n[dropped] - &m[dropped] * &n[i],
            &m[j] * &n[dropped] - &m[dropped] * &n[j],
            -dot(m, through) * &n[dropped],
        ];
        if sign(&n[dropped]) == Less { line.map(|x| -x) } else { line }
    }

    fn cutter(&self, t: &Triangle) -> Option<Cutter> {
        let corners = t.map(|p| sub(&self.grid.vector(p), &self.origin));
        let normal = cross(&sub(&corners[1], &corners[0]), &sub(&corners[2], &corners[0]));
        if normal.iter().all(Zero::is_zero) {
            return None; // without area: nothing changes across it
        }
        let line = self.line(&normal, &corners[0]);
        let parallel = line[0].is_zero() && line[1].is_zero();
        if parallel && !line[2].is_zero() {
            return None;
        }
        let edges = [0, 1, 2].map(|k| {
            let along = sub(&corners[(k + 1) % 3], &corners[k]);
            Rc::new(self.line(&cross(&normal, &along), &corners[k]))
        });
        Some(Cutter { line: (!parallel).then(|| Rc::new(line)), edges, bounds: Aabb::of(*t) })
    }

    /// Splits a cell along a triangle that crosses the plane, if the triangle reaches the cell's interior.
    fn cut_through(&self, cell: Cell, line: &Rc<Line>, edges: &[Rc<Line>; 3], out: &mut Vec<Cell>) {
        match self.split(&cell, line) {
            None => out.push(cell),
            Some(halves) => {
                // The chord misses the triangle when an edge has all of it on its outer side. If the whole
                // chord lies on the edge's line, the triangle touches the plane along that edge, which is no
                // miss.
                let misses = |edge: &Rc<Line>| {
                    let sides = halves.chord.each_ref().map(|corner| side(edge, corner));
                    !sides.contains(&Greater) && sides.contains(&Less)
                };
                if edges.iter().any(misses) {
                    out.push(cell);
                } else {
                    out.extend([halves.positive, halves.negative]);
                }
            }
        }
    }

    /// Removes from a cell the area covered by a triangle in the plane, and keeps the rest.
    fn cut_out(&self, cell: Cell, edges: &[Rc<Line>; 3], out: &mut Vec<Cell>) {
        // If the whole cell lies on the outer side of an edge, nothing is covered.
        if edges.iter().any(|edge| outside_of(edge, &cell)) {
            out.push(cell);
            return;
        }
        let mut inner = cell;
        for edge in edges {
            if let Some(halves) = self.split(&inner, edge) {
                out.push(halves.negative);
                inner = halves.positive;
            } else if outside_of(edge, &inner) {
                out.push(inner);
                return;
            }
        }
    }

    /// Splits a cell along a line. `None` if the line misses the cell's interior.
    fn split(&self, cell: &Cell, line: &Rc<Line>) -> Option<Halves> {
        let sides: Vec<Ordering> = cell.ring.iter().map(|(corner, _)| side(line, corner)).collect();
        if !sides.contains(&Greater) || !sides.contains(&Less) {
            return None;
        }
        let (mut positive, mut negative, mut chord) = (Vec::new(), Vec::new(), Vec::new());
        for (k, (corner, edge)) in cell.ring.iter().enumerate() {
            let next = sides[(k + 1) % sides.len()];
            let keep = |ring: &mut Vec<_>, edge: &Rc<Line>| ring.push((Rc::clone(corner), Rc::clone(edge)));
            match sides[k] {
                Equal => {
                    keep(&mut positive, if next == Less { line } else { edge });
                    keep(&mut negative, if next == Greater { line } else { edge });
                    chord.push(Rc::clone(corner));
                }
                Greater => keep(&mut positive, edge),
                Less => keep(&mut negative, edge),
            }
            if sides[k] != Equal && next == sides[k].reverse() {
                let mut crossing = cross(edge, line);
                if sign(&crossing[2]) == Less {
                    crossing = crossing.map(|x| -x);
                }
                let crossing = Rc::new(self.corner(crossing));
                let entered = |side: Ordering| if next == side { edge } else { line };
                positive.push((Rc::clone(&crossing), Rc::clone(entered(Greater))));
                negative.push((Rc::clone(&crossing), Rc::clone(entered(Less))));
                chord.push(crossing);
            }
        }
        let chord = chord.try_into().ok()?;
        Some(Halves { positive: Cell { ring: positive }, negative: Cell { ring: negative }, chord })
    }
}

struct Halves {
    positive: Cell,
    negative: Cell,
    chord: [Rc<Corner>; 2],
}

fn side(line: &Line, corner: &Corner) -> Ordering {
    sign(&dot(line, &corner.homogeneous))
}

fn outside_of(edge: &Rc<Line>, cell: &Cell) -> bool {
    !cell.ring.iter().any(|(corner, _)| side(edge, corner) == Greater)
}
