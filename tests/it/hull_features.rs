//! Hull features, concavities, loops and caps: known shapes, brute force on random ones, and the cubic method
//! of Ponamgi, Manocha and Lin (1995, 4.4) as the oracle of caps.
//!
//! `CLOSEFIT_CASES` sets the number of random meshes.

use std::collections::{BTreeMap, BTreeSet};

use closefit::{DVec3, Mesh};
use closefit_geometry::hull::caps::{Cap, Caps};
use closefit_geometry::hull::features::Features;
use closefit_geometry::hull::features::loops::{Loop, loops};
use closefit_geometry::hull::features::nesting::{Piece, pieces};
use closefit_testing::cases;
use closefit_testing::rng::{Rng, power_of_two};

/// Everything about a mesh.
struct Found {
    features: Features,
    loops: Vec<Loop>,
    pieces: Vec<Piece>,
    caps: Caps,
}

fn found(mesh: &Mesh) -> Found {
    let features = Features::of(mesh).expect("within 2^200");
    let loops = loops(&features);
    let (pieces, caps) = (pieces(&features, &loops), Caps::of(&features));
    validate(&features, &loops, &caps);
    Found { features, loops, pieces, caps }
}

impl Found {
    /// The numbers of triangles of the hull subsets and of the concavity subsets.
    fn sizes(&self) -> [Vec<u32>; 2] {
        [true, false].map(|on| {
            let alike = self.features.subsets.iter().filter(|subset| subset.is_on_hull == on);
            alike.map(|subset| subset.triangles).collect()
        })
    }

    fn areas(&self) -> Vec<f64> {
        self.caps.caps.iter().map(|cap| cap.area).collect()
    }

    fn colours(&self) -> [usize; 3] {
        [self.caps.red, self.caps.green, self.caps.mixed]
    }

    fn depths(&self) -> Vec<Option<u32>> {
        self.pieces.iter().map(|piece| piece.depth).collect()
    }
}

/// A mesh of polygons, cut into fans.
fn mesh(points: &[[f64; 3]], polygons: &[&[u32]]) -> Mesh {
    let points: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
    let fans = polygons.iter().flat_map(|p| p.windows(2).skip(1).map(|edge| [p[0], edge[0], edge[1]]));
    Mesh::new(&points, &fans.collect::<Vec<_>>()).expect("valid")
}

/// The corners of a square, counterclockwise.
fn square(lo: f64, hi: f64, z: f64) -> [[f64; 3]; 4] {
    [[lo, lo, z], [hi, lo, z], [hi, hi, z], [lo, hi, z]]
}

/// A block from 0 to 4 with a pocket from above, from 1 to 3 and down to 1; or through the block.
fn cup(is_through: bool) -> Mesh {
    let floor = if is_through { 0.0 } else { 1.0 };
    let rings =
        [square(0.0, 4.0, 0.0), square(0.0, 4.0, 4.0), square(1.0, 3.0, 4.0), square(1.0, 3.0, floor)];
    let mut polygons: Vec<Vec<u32>> = Vec::new();
    let mut between = |a: u32, b: u32| {
        polygons.extend((0..4).map(|i| vec![a + i, a + (i + 1) % 4, b + (i + 1) % 4, b + i]));
    };
    between(0, 4);
    between(4, 8);
    between(8, 12);
    if is_through {
        between(12, 0);
    } else {
        polygons.extend([vec![12, 13, 14, 15], vec![3, 2, 1, 0]]);
    }
    mesh(&rings.concat(), &polygons.iter().map(|p| &p[..]).collect::<Vec<_>>())
}

/// An open surface over an n x n grid, cut along one diagonal or the other.
fn field(n: u32, height: impl Fn(u32, u32) -> f64, is_rising: impl Fn(u32, u32) -> bool) -> Mesh {
    let points = (0..n * n).map(|i| DVec3::new(f64::from(i % n), f64::from(i / n), height(i % n, i / n)));
    let cells = (0..(n - 1) * (n - 1)).map(|i| (i % (n - 1), i / (n - 1)));
    let triangles = cells.flat_map(|(x, y)| {
        let [a, b, c, d] = [y * n + x, y * n + x + 1, (y + 1) * n + x + 1, (y + 1) * n + x];
        if is_rising(x, y) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    });
    Mesh::new(&points.collect::<Vec<_>>(), &triangles.collect::<Vec<_>>()).expect("valid")
}

/// Compares with definitions read off naively.
fn validate(features: &Features, loops: &[Loop], caps: &Caps) {
    let mesh = &features.mesh;
    let corners = |t: u32| mesh.triangles()[t as usize];
    let mut borders: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
    let mut neighbours: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for t in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = corners(t);
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if from != to {
                neighbours.entry([from.min(to), from.max(to)]).or_default().push(t);
            }
        }
    }
    for (edge, around) in &neighbours {
        for pair in around.windows(2) {
            let is_alike = features.is_on_hull(pair[0]) == features.is_on_hull(pair[1]);
            assert!(
                !is_alike || features.subset_of[pair[0] as usize] == features.subset_of[pair[1] as usize]
            );
        }
        let proper = around.iter().filter(|t| around.iter().filter(|u| u == t).count() == 1);
        let (on, off): (Vec<u32>, Vec<u32>) = proper.copied().partition(|&t| features.is_on_hull(t));
        if !on.is_empty() && !off.is_empty() {
            borders.insert(*edge, [off.len() as u32, 0]);
        }
    }
    for (place, subset) in features.subsets.iter().enumerate() {
        let members = (0u32..).zip(&features.subset_of).filter(|(_, of)| **of as usize == place);
        assert!(members.clone().all(|(t, _)| features.is_on_hull(t) == subset.is_on_hull));
        let members: Vec<u32> = members.map(|(t, _)| t).collect();
        assert_eq!((members.len() as u32, members[0]), (subset.triangles, subset.first));
    }
    for one in loops {
        assert!(!features.subsets[one.subset as usize].is_on_hull);
        for [a, b] in one.edges() {
            borders.get_mut(&[a.min(b), a.max(b)]).expect("a boundary edge")[1] += 1;
        }
    }
    assert!(
        borders.values().all(|[beside, met]| beside == met),
        "each once per concavity triangle: {borders:?}"
    );
    let faces = features.on_hull.faces.iter().filter(|face| face.len() > 2).count();
    assert_eq!(caps.red + caps.green + caps.mixed, faces);
    for cap in &caps.caps {
        assert!(cap.subsets.iter().all(|&subset| !features.subsets[subset as usize].is_on_hull));
        assert!(cap.triangles.iter().flatten().all(|&v| features.on_hull.faces_of(v).contains(&cap.face)));
    }
}

#[test]
fn a_pocket_has_one_loop_and_one_cap() {
    let Found { features, loops, caps, .. } = &found(&cup(false));
    let of = found(&cup(false));
    assert_eq!(of.sizes(), [vec![18], vec![10]]);
    assert_eq!((loops.len(), loops[0].is_closed, loops[0].vertices.len()), (1, true, 4));
    assert_eq!(of.depths(), [Some(0)]);
    assert_eq!((of.areas(), &caps.caps[0].subsets), (vec![4.0], &vec![loops[0].subset]));
    assert_eq!((of.colours(), features.hull_vertices(), features.red_edges().len()), ([5, 0, 1], 8, 12));
}

#[test]
fn a_hole_has_a_cap_at_either_end() {
    let of = found(&cup(true));
    assert_eq!(of.sizes(), [vec![24], vec![8]]);
    assert_eq!((of.loops.len(), of.depths()), (2, vec![Some(0), Some(0)]));
    assert_eq!((of.areas(), of.colours()), (vec![4.0, 4.0], [4, 0, 2]));
    assert!(of.caps.caps.iter().all(|cap| cap.subsets == [of.loops[0].subset]));
}

/// The notch of an L leaves the hull over three faces. The mesh has only two edges of one of them.
#[test]
fn a_notch_is_capped_on_three_faces() {
    let l = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
    let points: Vec<[f64; 3]> = [0.0, 1.0].iter().flat_map(|&z| l.map(|[x, y]| [x, y, z])).collect();
    let sides: Vec<[u32; 4]> = (0..6).map(|i| [i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6]).collect();
    let mut polygons: Vec<&[u32]> = sides.iter().map(|side| &side[..]).collect();
    polygons.extend([&[3, 2, 1, 0][..], &[3, 0, 5, 4], &[9, 6, 7, 8], &[9, 10, 11, 6]]);
    let of = found(&mesh(&points, &polygons));
    assert_eq!(of.sizes(), [vec![16], vec![4]]);
    let mut areas = of.areas();
    areas.sort_by(f64::total_cmp);
    assert_eq!(areas, [18f64.sqrt(), 4.5, 4.5]);
    assert_eq!((of.colours(), of.features.red_edges().len()), ([4, 1, 2], 13));
    assert_eq!(of.features.on_hull.edges.len(), 15);
    assert!(of.caps.caps.iter().all(|cap| cap.subsets == [of.loops[0].subset]));
    // The loop leaves each face: two segments of two edges, and two of one on the slanted face.
    assert_eq!((of.loops.len(), of.loops[0].vertices.len()), (1, 6));
    let edges: Vec<u32> = of.pieces.iter().map(|piece| piece.edges).collect();
    assert_eq!(edges.iter().sum::<u32>(), 8, "two edges lie on two faces: {:?}", of.pieces);
    assert!(of.pieces.iter().all(|piece| piece.depth.is_none()));
}

/// The rims of grooves in one another, with a single vertex in the innermost.
#[test]
fn loops_are_nested() {
    let ring = |x: u32, y: u32| [x, y, 16 - x, 16 - y].into_iter().min().expect("four");
    let height = |x, y| if ring(x, y) % 4 < 2 { 1.0 } else { 0.0 };
    let of = found(&field(17, height, |x, y| (x < 8) == (y < 8)));
    let on_top = |v: u32| of.features.mesh.vertices()[v as usize].z == 1.0;
    let is_top = |face: u32| of.features.on_hull.faces.get(face).iter().all(|&v| on_top(v));
    let mut depths: Vec<_> = of.pieces.iter().filter(|p| is_top(p.face)).map(|p| p.depth).collect();
    depths.sort_unstable();
    assert_eq!(depths, [Some(0), Some(1), Some(2)]);
    let mut areas: Vec<f64> = of.caps.caps.iter().filter(|c| is_top(c.face)).map(|c| c.area).collect();
    areas.sort_by(f64::total_cmp);
    assert_eq!(areas, [36.0, 14.0 * 14.0 - 8.0 * 8.0]);
}

/// Two pits, each of six triangles, that share a vertex or not, as the cells are cut.
#[test]
fn loops_that_touch_do_not_cross() {
    for is_rising in [false, true] {
        let is_pit = |x: u32, y: u32| (x, y) == (2, 2) || (x, y) == (4, 4);
        let of = found(&field(7, |x, y| if is_pit(x, y) { 0.0 } else { 1.0 }, |_, _| is_rising));
        let touching = of.features.mesh.vertices().iter().position(|v| *v == DVec3::new(3.0, 3.0, 1.0));
        let touching = touching.expect("between the pits") as u32;
        assert_eq!(of.loops.len(), 2);
        for one in &of.loops {
            assert!(one.is_closed && one.vertices.len() == 6, "{one:?}");
            assert_eq!(one.vertices.contains(&touching), is_rising);
        }
        let closing: Vec<_> = of.caps.caps.iter().filter(|cap| cap.area == 3.0).collect();
        assert_eq!(closing.iter().map(|cap| cap.subsets.len()).collect::<Vec<_>>(), [1, 1]);
        assert_ne!(closing[0].subsets, closing[1].subsets);
    }
}

/// Read literally, "all its vertices on the hull" makes a hull feature of a triangle through the inside.
#[test]
fn a_triangle_through_the_inside_is_no_hull_feature() {
    let cube = [square(0.0, 1.0, 0.0), square(0.0, 1.0, 1.0)].concat();
    for bottom in [[0, 3, 2, 1], [3, 2, 1, 0]] {
        // With the second diagonal, an edge of the triangle crosses one of the bottom, which is covered all
        // the same.
        let of = found(&mesh(&cube, &[&bottom, &[4, 5, 6, 7], &[0, 2, 6]]));
        assert_eq!(of.sizes(), [vec![2, 2], vec![1]]);
        assert_eq!(of.colours(), [2, 4, 0]);
    }
}

#[test]
fn overlapping_triangles_make_the_whole_face_a_cap() {
    let points = [square(0.0, 4.0, 0.0), square(1.0, 5.0, 0.0)].concat();
    let of = found(&mesh(&points, &[&[0, 1, 2, 3], &[4, 5, 6, 7]]));
    let [cap] = &of.caps.caps[..] else { panic!("{:?}", of.caps) };
    assert!(!cap.is_exact);
    assert_eq!((cap.area, of.colours()), (16.0 + 16.0 - 9.0 + 1.0, [0, 0, 1]));
    // Squares in one another do not cross.
    let points = [square(0.0, 4.0, 0.0), square(1.0, 3.0, 0.0), square(0.0, 4.0, 1.0)].concat();
    let of = found(&mesh(&points, &[&[0, 1, 2, 3], &[4, 5, 6, 7], &[8, 9, 10]]));
    assert_eq!(of.colours(), [2, 5, 0]);
}

/// A spike under a face belongs to its cap although no edge of it lies on the face; so does the opening of a
/// shell, whose rim has no concavity, to none.
#[test]
fn caps_belong_to_what_they_close() {
    let open: Vec<&[u32]> = vec![&[3, 2, 1, 0], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
    let mut points = [square(0.0, 4.0, 0.0), square(0.0, 4.0, 4.0)].concat();
    let of = found(&mesh(&points, &open));
    assert_eq!((of.sizes(), of.areas()), ([vec![10], vec![]], vec![16.0]));
    assert!(of.caps.caps[0].subsets.is_empty() && of.loops.is_empty());
    points.extend([[2.0, 2.0, 4.0], [1.0, 1.0, 1.0], [3.0, 1.0, 1.0]]);
    let of = found(&mesh(&points, &[&open[..], &[&[8, 9, 10]]].concat()));
    assert_eq!((of.sizes(), of.areas()), ([vec![10], vec![1]], vec![16.0]));
    assert_eq!(of.caps.caps[0].subsets, [1]);
}

/// A point of a hull face, in integers.
type Flat = [i64; 2];

/// The projection of a hull face onto the plane of two axes.
fn flat(features: &Features, face: u32) -> impl Fn(u32) -> Flat + Copy + '_ {
    let vertices = features.mesh.vertices();
    let [a, b, c] = [0, 1, 2].map(|k| vertices[features.on_hull.faces.get(face)[k] as usize]);
    let normal = (b - a).cross(c - a);
    let drop = (0..3).find(|&k| normal[k] != 0.0).expect("a face has an area");
    move |v| {
        let p = vertices[v as usize].to_array();
        [p[(drop + 1) % 3] as i64, p[(drop + 2) % 3] as i64]
    }
}

/// Twice the signed area of three points.
fn turn([a, b, c]: [Flat; 3]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// True if two segments share a point that is not an end of both.
fn do_cross([a, b]: [Flat; 2], [c, d]: [Flat; 2]) -> bool {
    let between = |p: Flat, q: Flat, x: Flat| {
        turn([p, q, x]) == 0
            && x != p
            && x != q
            && (0..2).all(|k| (p[k].min(q[k])..=p[k].max(q[k])).contains(&x[k]))
    };
    let apart = |p, q, x, y| turn([p, q, x]).signum() * turn([p, q, y]).signum() < 0;
    (apart(a, b, c, d) && apart(c, d, a, b))
        || [(a, b, c), (a, b, d), (c, d, a), (c, d, b)].into_iter().any(|(p, q, x)| between(p, q, x))
        || ([a, b] == [c, d] || [a, b] == [d, c])
}

/// Twice the projected area of the caps of a face by the paper's cubic method: all pairs of vertices are new
/// edges, unless they cross an edge or lie on a face of the object. `None` if mesh edges cross.
fn caps_by_all_pairs(points: &[Flat], mesh_edges: &[[Flat; 2]], triangles: &[[Flat; 3]]) -> Option<i64> {
    let is_on = |p: Flat, q: Flat, x: Flat| x != p && x != q && do_cross([p, q], [x, x]);
    // Vertices divide the edges that they lie on.
    let mut edges: Vec<[Flat; 2]> = Vec::new();
    for &[a, b] in mesh_edges {
        let mut along: Vec<Flat> = points.iter().copied().filter(|&x| is_on(a, b, x)).chain([a, b]).collect();
        along.sort_unstable();
        edges.extend(along.windows(2).map(|pair| [pair[0], pair[1]]));
    }
    edges.sort_unstable();
    edges.dedup();
    let crossed = |edges: &[[Flat; 2]], edge| edges.iter().any(|&other| do_cross(edge, other));
    if edges.iter().enumerate().any(|(place, &edge)| crossed(&edges[..place], edge)) {
        return None;
    }
    // Doubled, so that the middle of a segment is a point of the grid.
    let is_covered = |sum: Flat, times: i64| {
        triangles.iter().any(|t| {
            let t = t.map(|p| p.map(|x| x * times));
            let turns = [turn([t[0], t[1], sum]), turn([t[1], t[2], sum]), turn([t[2], t[0], sum])];
            turns.iter().all(|&x| x > 0) || turns.iter().all(|&x| x < 0)
        })
    };
    let sum = |points: &[Flat]| [0, 1].map(|k| points.iter().map(|p| p[k]).sum());
    for (place, &a) in points.iter().enumerate() {
        for &b in &points[..place] {
            let is_free = !points.iter().any(|&x| is_on(a, b, x));
            if is_free && !crossed(&edges, [a, b]) && !is_covered(sum(&[a, b]), 2) {
                edges.push([a, b]);
            }
        }
    }
    let edges: BTreeSet<[Flat; 2]> = edges.into_iter().flat_map(|[a, b]| [[a, b], [b, a]]).collect();
    let mut area = 0;
    for (i, &a) in points.iter().enumerate() {
        for (j, &b) in points[..i].iter().enumerate() {
            for &c in &points[..j] {
                let is_cap = [[a, b], [b, c], [c, a]].iter().all(|edge| edges.contains(edge))
                    && !is_covered(sum(&[a, b, c]), 3)
                    && !points.iter().any(|&x| {
                        let turns = [turn([a, b, x]), turn([b, c, x]), turn([c, a, x])];
                        turns.iter().all(|&t| t > 0) || turns.iter().all(|&t| t < 0)
                    });
                area += if is_cap { turn([a, b, c]).abs() } else { 0 };
            }
        }
    }
    Some(area)
}

/// Compares the caps of every face with the cubic method. All coordinates are small integers. Returns the
/// number of faces compared that are covered in part.
fn compare_caps(found: &Found) -> usize {
    let Found { features, caps, .. } = found;
    let vertices = features.mesh.vertices();
    let mut compared = 0;
    for (face, polygon) in (0u32..).zip(features.on_hull.faces.iter()) {
        let [a, b, c, ..] = *polygon else { continue };
        let normal =
            (vertices[b as usize] - vertices[a as usize]).cross(vertices[c as usize] - vertices[a as usize]);
        let on = |v: u32| normal.dot(vertices[v as usize] - vertices[a as usize]) == 0.0;
        let numbers: Vec<u32> = (0..vertices.len() as u32).filter(|&v| on(v)).collect();
        assert!(numbers.iter().all(|&v| features.on_hull.faces_of(v).contains(&face)));
        let flat = flat(features, face);
        let points: Vec<Flat> = numbers.iter().map(|&v| flat(v)).collect();
        let all = features.mesh.triangles();
        let triangles: Vec<[Flat; 3]> =
            all.iter().filter(|t| t.iter().all(|&v| on(v))).map(|t| t.map(flat)).collect();
        let edges = all.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let edges: Vec<[Flat; 2]> =
            edges.filter(|e| e.iter().all(|&v| on(v)) && e[0] != e[1]).map(|e| e.map(flat)).collect();
        let ours: Vec<&Cap> = caps.caps.iter().filter(|cap| cap.face == face).collect();
        let area: i64 = ours.iter().flat_map(|cap| &cap.triangles).map(|t| turn(t.map(flat)).abs()).sum();
        if let Some(expected) = caps_by_all_pairs(&points, &edges, &triangles) {
            assert_eq!(area, expected, "face {polygon:?} of {:?}", features.mesh);
            assert!(ours.iter().all(|cap| cap.is_exact));
            compared += usize::from(area > 0 && !triangles.is_empty());
        }
        for cap in ours {
            for &[p, q, r] in &cap.triangles {
                let [p, q, r] = [p, q, r].map(|v| vertices[v as usize]);
                assert!((q - p).cross(r - p).dot(normal) > 0.0, "counterclockwise from outside");
            }
        }
    }
    compared
}

#[test]
fn caps_have_the_area_that_the_cubic_method_finds() {
    let mut compared = 0;
    for seed in 0..cases(300) {
        let mut rng = Rng::new("caps", seed);
        let n = 2 + rng.index(4) as u32;
        let heights: Vec<f64> = (0..n * n).map(|_| [0.0, 1.0, 1.0, 1.0, 3.0][rng.index(5)]).collect();
        let rising: Vec<bool> = (0..n * n).map(|_| rng.coin()).collect();
        let at = |x, y| (y * n + x) as usize;
        compared += compare_caps(&found(&field(n, |x, y| heights[at(x, y)], |x, y| rising[at(x, y)])));
        // Triangles at random on a small grid, which overlap and touch in every way.
        let points: Vec<DVec3> = (0..8).map(|_| rng.lattice(1)).collect();
        let corner = |rng: &mut Rng| rng.index(points.len()) as u32;
        let triangles: Vec<[u32; 3]> =
            (0..1 + rng.index(7)).map(|_| [0; 3].map(|_| corner(&mut rng))).collect();
        compared += compare_caps(&found(&Mesh::new(&points, &triangles).expect("valid")));
    }
    assert!(compared > 300, "{compared} faces covered in part");
}

/// True if the middle of an edge lies inside a polygon of edges, and `None` on one of them.
fn is_inside([p, q]: [Flat; 2], polygon: &[[Flat; 2]]) -> Option<bool> {
    let middle = [0, 1].map(|k| p[k] + q[k]);
    let mut is_inside = false;
    for edge in polygon {
        let [a, b] = edge.map(|p| p.map(|x| 2 * x));
        let side = turn([a, b, middle]);
        let is_beside = (0..2).all(|k| (a[k].min(b[k])..=a[k].max(b[k])).contains(&middle[k]));
        if side == 0 && is_beside {
            return None;
        }
        if (a[1] > middle[1]) != (b[1] > middle[1]) {
            is_inside ^= (side > 0) == (b[1] > a[1]);
        }
    }
    Some(is_inside)
}

/// The depths are those that the middles of edges have in the other loops.
#[test]
fn nesting_is_that_of_points() {
    let mut deepest = 0;
    for seed in 0..cases(60) {
        let mut rng = Rng::new("nesting", seed);
        let n = 17;
        let ring = |i: u32| [i % n, i / n, n - 1 - i % n, n - 1 - i / n].into_iter().min().expect("four");
        // Grooves in one another, with dents and bumps.
        let height = |i| if (ring(i) % 4 < 2) != (rng.index(12) == 0) { 1.0 } else { 0.0 };
        let heights: Vec<f64> = (0..n * n).map(height).collect();
        let rising: Vec<bool> = (0..n * n).map(|_| rng.coin()).collect();
        let at = |x, y| (y * n + x) as usize;
        let Found { features, loops, pieces, .. } =
            found(&field(n, |x, y| heights[at(x, y)], |x, y| rising[at(x, y)]));
        for on_face in pieces.chunk_by(|a, b| a.face == b.face) {
            let flat = flat(&features, on_face[0].face);
            let outline = |piece: &Piece| -> Vec<[Flat; 2]> {
                loops[piece.of as usize].edges().map(|edge| edge.map(&flat)).collect()
            };
            let whole: Vec<&Piece> = on_face.iter().filter(|piece| piece.depth.is_some()).collect();
            for piece in &whole {
                let own = outline(piece);
                let others = whole.iter().filter(|other| other.of != piece.of).map(|other| outline(other));
                let around =
                    others.filter(|other| own.iter().find_map(|&e| is_inside(e, other)) == Some(true));
                assert_eq!(piece.depth, Some(around.count() as u32), "seed {seed}");
                deepest = deepest.max(piece.depth.unwrap_or(0));
            }
        }
    }
    assert!(deepest > 0);
}

/// Cuts a rectangle into smaller ones.
fn tiles(rng: &mut Rng, [lo, hi]: [Flat; 2], all: &mut Vec<[Flat; 2]>) {
    let axis = rng.index(2);
    if hi[axis] - lo[axis] < 2 || rng.index(8) == 0 {
        return all.push([lo, hi]);
    }
    let cut = rng.int(lo[axis] + 1, hi[axis] - 1);
    let (mut below, mut above) = (hi, lo);
    (below[axis], above[axis]) = (cut, cut);
    tiles(rng, [lo, below], all);
    tiles(rng, [above, hi], all);
}

/// Corners of one tile on a side of another divide that side, on both sides of it or on one.
#[test]
fn tiles_with_corners_on_sides_are_subtracted() {
    for seed in 0..cases(300) {
        let mut rng = Rng::new("tiles", seed);
        let mut all = Vec::new();
        tiles(&mut rng, [[0, 0], [40, 40]], &mut all);
        all.retain(|_| rng.index(4) > 0);
        let covered: i64 = all.iter().map(|[lo, hi]| (hi[0] - lo[0]) * (hi[1] - lo[1])).sum();
        let corners =
            all.iter().flat_map(|[lo, hi]| [[lo[0], lo[1]], [hi[0], lo[1]], [hi[0], hi[1]], [lo[0], hi[1]]]);
        let points: Vec<[f64; 3]> = corners.map(|[x, y]| [x as f64, y as f64, 0.0]).collect();
        let polygons: Vec<[u32; 4]> =
            (0..all.len() as u32).map(|i| [0, 1, 2, 3].map(|k| 4 * i + k)).collect();
        if polygons.is_empty() {
            continue;
        }
        let of = found(&mesh(&points, &polygons.iter().map(|p| &p[..]).collect::<Vec<_>>()));
        let hull = of.features.on_hull.faces.get(0);
        let at = |v: u32| of.features.mesh.vertices()[v as usize].truncate();
        let area: f64 =
            hull.windows(2).map(|e| (at(e[0]) - at(hull[0])).perp_dot(at(e[1]) - at(hull[0])).abs()).sum();
        assert_eq!(of.areas().iter().sum::<f64>(), area / 2.0 - covered as f64, "seed {seed}");
        assert!(of.caps.caps.iter().all(|cap| cap.is_exact));
    }
}

#[test]
fn sizes_of_powers_of_two_change_nothing() {
    for exponent in [-120, 0, 150] {
        let scaled = |mesh: &Mesh| {
            let vertices: Vec<DVec3> = mesh.vertices().iter().map(|&v| v * power_of_two(exponent)).collect();
            Mesh::new(&vertices, mesh.triangles()).expect("valid")
        };
        let of = found(&scaled(&cup(false)));
        assert_eq!((of.colours(), of.caps.caps.len(), of.depths()), ([5, 0, 1], 1, vec![Some(0)]));
    }
    let far: Vec<DVec3> = cup(false).vertices().iter().map(|&v| v * power_of_two(250)).collect();
    assert!(Features::of(&Mesh::new(&far, cup(false).triangles()).expect("valid")).is_none());
}

/// Everything degenerate has an answer, and large flat meshes do not take quadratic time.
#[test]
fn degenerate_meshes_have_features() {
    let one = |points: &[[f64; 3]]| found(&mesh(points, &[&[0, 1, 2]]));
    let point = one(&[[1.0; 3]; 3]);
    assert_eq!(
        (point.sizes(), point.colours(), point.features.hull_vertices()),
        ([vec![1], vec![]], [0; 3], 1)
    );
    let segment = one(&[[0.0; 3], [1.0; 3], [2.0; 3]]);
    assert_eq!((segment.sizes(), segment.colours()), ([vec![1], vec![]], [0; 3]));
    assert_eq!((segment.features.hull_vertices(), segment.features.red_edges().len()), (2, 1));
    let triangle = one(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!((triangle.colours(), triangle.features.red_edges().len()), ([1, 0, 0], 3));
    let copies = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]; 1000]).expect("valid");
    assert_eq!((found(&copies).sizes(), found(&copies).colours()), ([vec![1000], vec![]], [1, 0, 0]));

    let flat = found(&field(225, |_, _| 0.5, |x, y| (x ^ y) % 3 == 0));
    assert_eq!((flat.sizes(), flat.colours()), ([vec![2 * 224 * 224], vec![]], [1, 0, 0]));
    assert_eq!((flat.features.red_edges().len(), flat.loops.len()), (4, 0));
    // A fan, whose middle is a corner of all triangles: the rim is a polygon on a parabola, so every vertex
    // is a corner.
    let n = 100_000u32;
    let rim = (0..n).map(|i| DVec3::new(f64::from(i), f64::from(i) * f64::from(i), 0.0));
    let points: Vec<DVec3> =
        rim.chain([DVec3::new(f64::from(n) / 2.0, f64::from(n) * f64::from(n), 0.0)]).collect();
    let fan: Vec<[u32; 3]> = (0..n - 1).map(|i| [i, i + 1, n]).collect();
    let fan = found(&Mesh::new(&points, &fan).expect("valid"));
    assert_eq!((fan.colours(), fan.features.red_edges().len()), ([1, 0, 0], n as usize + 1));
}
