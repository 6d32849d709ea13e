//! Polygons of OBJ and PLY files against exact areas and points in polygons, in rational numbers.
//!
//! `CLOSEFIT_CASES` sets the number of polygons.

use closefit_geometry::ids::PartId;
use closefit_geometry::math::testing::{Stream, cases};
use closefit_scene::read::{Format, MeshFormat, read_bytes};
use glam::{DQuat, DVec3};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

const CROSSED: &str =
    "polygons that cross themselves or have no area, cut as fans from their first corners: 1";

/// Returns an integer from `low` to `high`.
fn int(rng: &mut Stream, low: i64, high: i64) -> i64 {
    low + i64::try_from(rng.below(high.abs_diff(low) + 1)).unwrap()
}

fn index(rng: &mut Stream, count: usize) -> usize {
    usize::try_from(rng.below(count as u64)).unwrap()
}

fn coin(rng: &mut Stream) -> bool {
    rng.below(2) == 1
}

fn lattice(rng: &mut Stream, reach: i64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| int(rng, -reach, reach) as f64))
}

/// Corners on a grid of even integers, so that middles of edges are integers, too.
type Ring = Vec<[i64; 2]>;

fn area(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// True if two closed segments share a point.
fn meet([a, b]: [[i64; 2]; 2], [c, d]: [[i64; 2]; 2]) -> bool {
    let boxes = (0..2).all(|k| a[k].min(b[k]) <= c[k].max(d[k]) && c[k].min(d[k]) <= a[k].max(b[k]));
    let sides = |p, q, r, s| area(p, q, r).signum() * area(p, q, s).signum() <= 0;
    boxes && sides(a, b, c, d) && sides(c, d, a, b)
}

fn edge(ring: &Ring, i: usize) -> [[i64; 2]; 2] {
    [ring[i], ring[(i + 1) % ring.len()]]
}

/// True if edges meet in common corners only, and no corner turns back.
fn is_simple(ring: &Ring) -> bool {
    let n = ring.len();
    (0..n).all(|i| {
        let ([a, b], [_, c]) = (edge(ring, i), edge(ring, (i + 1) % n));
        let turns_back =
            area(a, b, c) == 0 && (0..2).map(|k| (b[k] - a[k]) * (c[k] - b[k])).sum::<i64>() <= 0;
        !turns_back && (i + 2..n).filter(|j| (j + 1) % n != i).all(|j| !meet(edge(ring, i), edge(ring, j)))
    })
}

/// A random ring that does not cross itself: random corners, untangled by reversing what lies between edges
/// that meet.
fn simple_ring(rng: &mut Stream) -> Ring {
    loop {
        let n = 4 + index(rng, 9);
        let mut ring: Ring = (0..n).map(|_| [(); 2].map(|()| 2 * int(rng, -9, 9))).collect();
        for _ in 0..200 {
            let tangled = (0..n)
                .flat_map(|i| (i + 2..n).map(move |j| [i, j]))
                .find(|&[i, j]| (j + 1) % n != i && meet(edge(&ring, i), edge(&ring, j)));
            let Some([i, j]) = tangled else { break };
            ring[i + 1..=j].reverse();
        }
        if is_simple(&ring) {
            return ring;
        }
    }
}

/// A ring around a square hole, which a doubled edge connects.
fn ring_with_hole(rng: &mut Stream) -> Ring {
    let at = |x: i64, y: i64| [2 * x, 2 * y];
    let (low, high) = (int(rng, 1, 3), int(rng, 4, 6));
    let mut outer = vec![at(0, 0), at(7, 0), at(7, 7), at(0, 7)];
    let mut hole = vec![at(low, low), at(low, high), at(high, high), at(high, low)];
    // Corners on one diagonal see each other.
    let (from, to) = if coin(rng) { (0, 0) } else { (2, 2) };
    outer.rotate_left(from);
    hole.rotate_left(to);
    outer.push(outer[0]);
    hole.push(hole[0]);
    [outer, hole].concat()
}

/// Adds middles of edges and repeated corners, begins anywhere, and goes either way round.
fn with_more_corners(mut ring: Ring, rng: &mut Stream) -> Ring {
    for _ in 0..index(rng, 4) {
        let i = index(rng, ring.len());
        let [a, b] = edge(&ring, i);
        let middle = [0, 1].map(|k| i64::midpoint(a[k], b[k]));
        let is_even = middle.iter().all(|x| x % 2 == 0);
        ring.insert(i + 1, if coin(rng) || !is_even { a } else { middle });
    }
    let first = index(rng, ring.len());
    ring.rotate_left(first);
    if coin(rng) {
        ring.reverse();
    }
    ring
}

/// Puts a ring onto a plane in space: exactly, which is true, or turned and rounded.
fn on_plane(ring: &Ring, rng: &mut Stream) -> (Vec<DVec3>, bool) {
    let [x, y, z, w] = [(); 4].map(|()| rng.signed());
    let turned = DQuat::from_xyzw(x, y, z, w).normalize();
    let origin = lattice(rng, 100);
    let (exact, plain) = (coin(rng), coin(rng));
    let [u, v] = loop {
        let [u, v] = [lattice(rng, 5), lattice(rng, 5)];
        if u.cross(v) != DVec3::ZERO {
            break if plain { [DVec3::X, DVec3::Z] } else { [u, v] };
        }
    };
    let place = |&[x, y]: &[i64; 2]| match exact {
        true => origin + u * x as f64 + v * y as f64,
        false => origin + turned * DVec3::new(x as f64, y as f64, 0.0),
    };
    (ring.iter().map(place).collect(), exact)
}

/// Reads a polygon from an OBJ or a PLY. Returns the corners of its triangles, and the notes.
fn read(corners: &[DVec3], is_ply: bool) -> (Vec<[DVec3; 3]>, Vec<String>) {
    let rows: Vec<String> = corners.iter().map(|p| format!("{} {} {}", p.x, p.y, p.z)).collect();
    let indices = |from: usize| (0..corners.len()).map(|i| format!(" {}", i + from)).collect::<String>();
    let (format, text) = match is_ply {
        false => (MeshFormat::Obj, format!("v {}\nf{}\n", rows.join("\nv "), indices(1))),
        true => {
            let (n, rows, indices) = (corners.len(), rows.join("\n"), indices(0));
            let numbers = ["x", "y", "z"].map(|name| format!("property double {name}\n")).concat();
            let lists = "element face 1\nproperty list uchar int vertex_indices\nend_header";
            let text = format!(
                "ply\nformat ascii 1.0\nelement vertex {n}\n{numbers}{lists}\n{rows}\n{n}{indices}\n"
            );
            (MeshFormat::Ply, text)
        }
    };
    let scene = read_bytes(Format::Mesh(format), "p", text.as_bytes()).unwrap();
    let mesh = scene.mesh(PartId(0));
    let triangles = (0..mesh.triangles().len()).map(|t| mesh.corners(u32::try_from(t).unwrap())).collect();
    (triangles, scene.notes)
}

type Flat = [BigRational; 2];

fn turn(a: &Flat, b: &Flat, c: &Flat) -> BigRational {
    (&b[0] - &a[0]) * (&c[1] - &a[1]) - (&b[1] - &a[1]) * (&c[0] - &a[0])
}

/// Returns how often a ring goes round a point that lies on no edge; `None` if it lies on one.
fn rounds(ring: &[&Flat], point: &Flat) -> Option<i32> {
    let mut count = 0;
    for (i, &a) in ring.iter().enumerate() {
        let b = ring[(i + 1) % ring.len()];
        let side = turn(a, b, point);
        let (low, high) = (a[1].clone().min(b[1].clone()), a[1].clone().max(b[1].clone()));
        let between = (0..2).all(|k| {
            let (low, high) = (a[k].clone().min(b[k].clone()), a[k].clone().max(b[k].clone()));
            low <= point[k] && point[k] <= high
        });
        if side.is_zero() && between {
            return None;
        }
        if low <= point[1] && point[1] < high {
            let upwards = a[1] < b[1];
            if upwards == side.is_positive() {
                count += if upwards { 1 } else { -1 };
            }
        }
    }
    Some(count)
}

/// The corners of a polygon and of its triangles, projected along the coordinate in which the polygon's
/// normal is largest, as integers.
struct Projected {
    corners: Vec<Flat>,
    triangles: Vec<[Flat; 3]>,
    area: BigRational,
    /// True if the fan from the first corner has a triangle with a normal against the polygon's.
    needs_cutting: bool,
}

impl Projected {
    fn of(corners: &[DVec3], triangles: &[[DVec3; 3]]) -> Self {
        let along = |drop: usize| {
            let exact = |p: DVec3, k: usize| BigRational::from_float(p[(drop + k) % 3]).unwrap();
            let flat = |&p: &DVec3| [exact(p, 1), exact(p, 2)];
            let corners: Vec<Flat> = corners.iter().map(flat).collect();
            let rest: Vec<Flat> = triangles.as_flattened().iter().map(flat).collect();
            let area = (1..corners.len() - 1).map(|i| turn(&corners[0], &corners[i], &corners[i + 1])).sum();
            let triangles = rest.as_chunks().0.to_vec();
            Self { corners, triangles, area, needs_cutting: false }
        };
        let all = [0, 1, 2].map(along);
        let fan = |i: usize| -> BigRational {
            all.iter()
                .map(|flat| turn(&flat.corners[0], &flat.corners[i], &flat.corners[i + 1]) * &flat.area)
                .sum()
        };
        let needs_cutting = (1..corners.len() - 1).any(|i| fan(i).is_negative());
        let larger = |best: Self, next: Self| if next.area.abs() > best.area.abs() { next } else { best };
        Self { needs_cutting, ..all.into_iter().reduce(larger).unwrap() }
    }

    /// Asserts that no triangle is reversed, and that they add up to the polygon.
    fn add_up(&self, what: &str) {
        let sign = self.area.signum();
        let areas: Vec<BigRational> = self.triangles.iter().map(|[a, b, c]| turn(a, b, c) * &sign).collect();
        assert!(areas.iter().all(|area| !area.is_negative()), "{what}");
        assert_eq!(areas.iter().sum::<BigRational>(), self.area.abs(), "{what}");
    }

    /// Asserts for random points that as many triangles contain them as the polygon goes round them.
    fn contain_alike(&self, rng: &mut Stream, what: &str) -> usize {
        let mut inside = 0;
        for _ in 0..20 {
            // A weighted mean of three corners.
            const ONE: i64 = 1 << 20;
            let weights = [int(rng, 1, ONE / 4), int(rng, 1, ONE / 4)];
            let weights = [weights[0], weights[1], ONE - weights[0] - weights[1]];
            let weights = weights.map(|weight| BigRational::new(weight.into(), ONE.into()));
            let of: [&Flat; 3] = std::array::from_fn(|_| &self.corners[index(rng, self.corners.len())]);
            let point: Flat = std::array::from_fn(|k| (0..3).map(|i| &of[i][k] * &weights[i]).sum());
            let Some(expected) = rounds(&self.corners.iter().collect::<Vec<_>>(), &point) else { continue };
            let found =
                self.triangles.iter().map(|t| rounds(&t.each_ref(), &point)).collect::<Option<Vec<_>>>();
            let Some(found) = found else { continue };
            assert_eq!(found.iter().sum::<i32>(), expected, "{what}");
            inside += usize::from(expected != 0);
        }
        inside
    }
}

fn is_fan(corners: &[DVec3], triangles: &[[DVec3; 3]]) -> bool {
    triangles.iter().enumerate().all(|(i, &t)| t == [corners[0], corners[i + 1], corners[i + 2]])
}

#[test]
fn polygons_become_triangles_that_cover_them_once() {
    let (mut rng, mut concave, mut inside) = (Stream(1), 0, 0);
    for case in 0..cases(600) {
        let ring = if index(&mut rng, 5) == 0 { ring_with_hole(&mut rng) } else { simple_ring(&mut rng) };
        let ring = with_more_corners(ring, &mut rng);
        let (corners, is_exact) = on_plane(&ring, &mut rng);
        let (triangles, notes) = read(&corners, coin(&mut rng));
        let what = format!("case {case}: {ring:?} as {corners:?}");
        assert_eq!((triangles.len(), notes.len()), (ring.len() - 2, 0), "{what}: {notes:?}");
        let projected = Projected::of(&corners, &triangles);
        assert!(projected.needs_cutting || is_fan(&corners, &triangles), "{what}");
        // Seen along an axis, thin triangles of a fan may be reversed where rounding has bent the polygon.
        if projected.needs_cutting || is_exact {
            projected.add_up(&what);
        }
        inside += projected.contain_alike(&mut rng, &what);
        concave += usize::from(projected.needs_cutting);
    }
    assert!(concave > 100 && inside > 2_000, "{concave} {inside}");
}

#[test]
fn polygons_that_cross_themselves_stay_fans_and_are_noted() {
    let (mut rng, mut crossed) = (Stream(2), 0);
    for case in 0..cases(400) {
        let n = 4 + index(&mut rng, 5);
        let ring: Ring = (0..n).map(|_| [(); 2].map(|()| 2 * int(&mut rng, -4, 4))).collect();
        let (corners, is_exact) = on_plane(&ring, &mut rng);
        let (triangles, notes) = read(&corners, coin(&mut rng));
        let projected = Projected::of(&corners, &triangles);
        let what = format!("case {case}: {ring:?} as {corners:?}");
        match notes.iter().any(|note| note == CROSSED) {
            true => {
                crossed += 1;
                assert!(is_fan(&corners, &triangles) && !is_simple(&ring), "{what}");
            }
            false if projected.needs_cutting || is_exact => projected.add_up(&what),
            false => assert!(is_fan(&corners, &triangles), "{what}"),
        }
    }
    assert!(crossed > 100, "{crossed}");
}

/// A U whose first corner sees none of its arms' ends: as a fan it covers the room between them.
#[test]
fn a_u_has_room_between_its_arms() {
    let corners = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [3, 2], [3, 3], [0, 3]]
        .map(|[x, y]: [i32; 2]| DVec3::new(f64::from(x), f64::from(y), 0.0));
    let (triangles, notes) = read(&corners, false);
    let place = |p: DVec3| corners.iter().position(|&corner| corner == p).unwrap();
    let places: Vec<_> = triangles.iter().map(|t| t.map(place)).collect();
    assert_eq!(places, [[0, 1, 2], [0, 2, 3], [0, 3, 7], [3, 4, 7], [4, 5, 7], [5, 6, 7]]);
    assert!(notes.is_empty());
}

#[test]
fn polygons_that_are_not_flat_are_counted() {
    let square = |height: f64| {
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, height], [0.0, 1.0, 0.0]].map(DVec3::from_array)
    };
    let notes = |height| read(&square(height), true).1;
    // Each corner is a quarter of the height from the plane, and the diagonal is the root of 2.
    assert!(notes(0.005).is_empty());
    let told = "polygons whose corners lie farther than a thousandth of their size from their plane: 1";
    assert_eq!(notes(0.006), [told]);
}

#[test]
fn one_polygon_of_many_corners_is_read() {
    let n: u32 = 20_000;
    let corners: Vec<DVec3> = (0..n)
        .map(|i| {
            let (angle, radius) = (f64::from(i) * std::f64::consts::TAU / f64::from(n), f64::from(1 + i % 2));
            DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
        })
        .collect();
    let (triangles, notes) = read(&corners, false);
    assert!(notes.is_empty());
    Projected::of(&corners, &triangles).add_up("a star");
}
