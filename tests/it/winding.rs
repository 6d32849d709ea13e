//! Repaired winding, closed seams, and the unknowns about open parts.

use std::collections::BTreeSet;

use closefit::internals::bvh::posed_model::{Model, PosedModel};
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::engine::check;
use closefit::internals::query::{open_shells, winding};
use closefit::{
    Aabb, CheckRequest, CheckResult, Executor, Location, PairRecord, Pose, Unobserved, Verdict, Winding,
};
use closefit_geometry::mesh::health::Health;
use closefit_geometry::mesh::topology::Topology;
use closefit_testing::meshes::{
    Piece, Soup, ball, cuboid, moved, octahedron, prism, reversed, scene, square_ring,
};
use closefit_testing::rational::{self, Triangle};
use closefit_testing::rng::Rng;
use closefit_testing::solid;
use glam::DVec3;

fn request(tolerance: f64) -> CheckRequest {
    CheckRequest::default().clearance(0.25).tolerance(tolerance).list_contacts()
}

fn run(pieces: &[Piece], request: &CheckRequest) -> CheckResult {
    check(&scene(pieces), request, &Unobserved).expect("admissible")
}

fn health(soup: &Soup) -> Health {
    Health::of(&scene(&[Piece::new("mesh", soup.clone())]).meshes[0], Winding::Repaired)
}

/// Returns the mesh with the chosen triangles reversed.
fn flipped(soup: &[Triangle], turn: impl Fn(usize) -> bool) -> Soup {
    let turned = |(i, &[a, b, c]): (usize, &Triangle)| if turn(i) { [a, c, b] } else { [a, b, c] };
    soup.iter().enumerate().map(turned).collect()
}

/// The same rows, but that brackets of the depth need only overlap: where a patch is cut first follows the
/// order in which a file has the corners of a triangle.
fn assert_alike(row: &PairRecord, other: &PairRecord) {
    let [p, q] = [row, other].map(|row| row.depth.expect("a solid"));
    assert!(p.at_least <= q.at_most && q.at_least <= p.at_most, "{p:?} {q:?}");
    let but_depth = |row: &PairRecord| {
        let mut row = row.clone();
        row.depth = None;
        row.location = row.location.map(|l| Location { point: DVec3::ZERO, way_out: None, ..l });
        row
    };
    assert_eq!(but_depth(row), but_depth(other));
}

/// A cube with any triangles turned is that cube: alone, inside and around another, flush with one and
/// through one.
#[test]
fn a_cube_with_any_triangles_turned_is_that_cube() {
    let cube = cuboid([0.0; 3], [1.0; 3]);
    let others = [
        ("around", cuboid([-1.0; 3], [2.0; 3])),
        ("within", cuboid([0.25; 3], [0.75; 3])),
        ("flush", cuboid([1.0, 0.0, 0.0], [2.0, 1.0, 1.0])),
        ("through", cuboid([0.5, 0.25, -1.0], [0.75, 0.5, 2.0])),
    ];
    let rows = |cube: Soup| -> Vec<PairRecord> {
        let others = others.iter().map(|(name, soup)| Piece::new(name, soup.clone()));
        let pieces: Vec<Piece> = std::iter::once(Piece::new("cube", cube)).chain(others).collect();
        let result = run(&pieces, &request(1e-6));
        result.pairs.into_iter().filter(|row| row.ids[0].0 == 0).collect()
    };
    let expected = rows(cube.clone());
    let verdicts: Vec<Verdict> = expected.iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::Clash, Verdict::Clash, Verdict::Contact, Verdict::Clash]);
    for subset in 0..1u32 << cube.len() {
        let soup = flipped(&cube, |i| subset >> i & 1 == 1);
        let found = health(&soup);
        assert_eq!((found.closed_components, found.open_edges), (1, 0), "{subset:#b}");
        assert_eq!(found.volume.abs(), 1.0, "{subset:#b}");
        // Three quarters of the area keep their winding, so the cube may stay inside out.
        let is_consistent = subset == 0 || subset + 1 == 1 << cube.len();
        assert_eq!(found.turned_components, u32::from(!is_consistent), "{subset:#b}");
        assert_eq!(found.volume < 0.0, subset.count_ones() >= 9, "{subset:#b}");
        let found = rows(soup);
        assert_eq!(found.len(), expected.len(), "{subset:#b}");
        found.iter().zip(&expected).for_each(|(found, expected)| assert_alike(found, expected));
    }
}

/// Returns a grid of quads whose rows close on themselves. `next` maps a vertex of the last column to its
/// successor.
fn closed_strip(columns: u32, rows: u32, at: impl Fn(u32, u32) -> DVec3, next: impl Fn(u32) -> u32) -> Soup {
    let corner = |i: u32, j: u32| if i == columns { at(0, next(j)) } else { at(i, j) };
    let quads = (0..columns).flat_map(|i| (0..rows).map(move |j| (i, j)));
    quads
        .flat_map(|(i, j)| {
            let [a, b] = [corner(i, j), corner(i + 1, j)];
            let [c, d] = [corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

fn turn(i: u32, n: u32) -> f64 {
    f64::from(i % n) * std::f64::consts::TAU / f64::from(n)
}

fn torus() -> Soup {
    let at = |i: u32, j: u32| {
        let (u, v) = (turn(i, 12), turn(j, 8));
        let radius = 2.0 + libm::cos(v);
        DVec3::new(radius * libm::cos(u), radius * libm::sin(u), libm::sin(v))
    };
    closed_strip(12, 8, at, |j| j)
}

/// Returns the figure-eight immersion. It passes through itself, and its welded mesh has two triangles at
/// every edge.
fn klein_bottle() -> Soup {
    let at = |i: u32, j: u32| {
        let (u, v) = (turn(i, 12), turn(j, 8) + 0.1);
        let (x, y) = (libm::sin(v), libm::sin(2.0 * v));
        let (c, s) = (libm::cos(u / 2.0), libm::sin(u / 2.0));
        let radius = 2.0 + c * x - s * y;
        DVec3::new(radius * libm::cos(u), radius * libm::sin(u), s * x + c * y)
    };
    closed_strip(12, 8, at, |j| (8 + 4 - j) % 8)
}

fn moebius_strip() -> Soup {
    let at = |i: u32, j: u32| {
        let u = turn(i, 9);
        let side = f64::from(j) - 0.5;
        let radius = 2.0 + side * libm::cos(u / 2.0);
        DVec3::new(radius * libm::cos(u), radius * libm::sin(u), side * libm::sin(u / 2.0))
    };
    closed_strip(9, 1, at, |j| 1 - j)
}

/// Returns the record of a mesh next to a plate. The plate is so thin that nothing is deeper in it than the
/// tolerance, and thicker than the tolerance.
fn beside_a_plate(soup: Soup, is_surface: bool) -> PairRecord {
    let plate = cuboid([-4.0, -4.0, 0.25], [4.0, 4.0, 0.26]);
    let pieces = [Piece { is_surface, ..Piece::new("mesh", soup) }, Piece::new("plate", plate)];
    run(&pieces, &request(0.006)).pairs.into_iter().next().expect("listed")
}

/// A shell that cannot be wound consistently, or is incomplete, stays open, and the plate's depth in it is
/// unknown. A shell that can be oriented is the solid that it should have been.
#[test]
fn open_shells_are_named_and_undecided() {
    let cube = moved(&cuboid([0.0; 3], [1.0; 3]), DVec3::splat(-0.5));
    for (name, soup, edges) in [
        ("moebius strip", moebius_strip(), 19),
        ("klein bottle", klein_bottle(), 8),
        ("cube without a face", cube[2..].to_vec(), 4),
        ("cube without a triangle, one turned", flipped(&cube[1..], |i| i == 5), 6),
    ] {
        let found = health(&soup);
        assert_eq!((found.closed_components, found.open_edges), (0, edges), "{name}");
        let row = beside_a_plate(soup.clone(), false);
        assert_eq!(row.verdict, Verdict::Undecided, "{name}");
        assert_eq!(row.depth_unknown, Some(format!("a is open: {edges} edges")), "{name}");
        let declared = beside_a_plate(soup, true);
        assert_eq!((declared.verdict, declared.depth_unknown), (Verdict::Contact, None), "{name}");
    }
    let patch = flipped(&torus(), |i| (20..70).contains(&i));
    assert_eq!((health(&patch).turned_components, health(&patch).open_edges), (1, 0));
    assert_alike(&beside_a_plate(patch, false), &beside_a_plate(torus(), false));
    assert_eq!(beside_a_plate(torus(), false).verdict, Verdict::Clash);
}

/// A reversed shell is a cavity, also if some of its triangles disagree.
#[test]
fn a_reversed_shell_in_a_shell_is_a_cavity() {
    let outer = cuboid([0.0; 3], [4.0; 3]);
    let inner = cuboid([1.0; 3], [3.0; 3]);
    let beside = |inner: Soup| {
        let hollow = [outer.clone(), inner].concat();
        let pieces = [Piece::new("hollow", hollow), Piece::new("box", cuboid([1.5; 3], [2.5; 3]))];
        let rows = run(&pieces, &request(1e-6)).pairs;
        rows.into_iter().next().map(|row| row.verdict)
    };
    assert_eq!(beside(reversed(&inner)), None);
    assert_eq!(beside(inner.clone()), Some(Verdict::Clash));
    assert_eq!(beside(flipped(&reversed(&inner), |i| i == 3)), None);
    // Taken as found, the inner shell is open, and may be a cavity.
    let as_is = request(1e-6).winding(Winding::AsFound);
    let broken = [outer.clone(), flipped(&reversed(&inner), |i| i == 3)].concat();
    let pieces = [Piece::new("hollow", broken), Piece::new("box", cuboid([1.5; 3], [2.5; 3]))];
    assert_eq!(run(&pieces, &as_is).pairs[0].verdict, Verdict::Undecided);
}

/// Without repair, one turned triangle opens a cube.
#[test]
fn as_is_takes_meshes_as_they_are() {
    let cube = flipped(&cuboid([0.0; 3], [1.0; 3]), |i| i == 7);
    let pieces = [Piece::new("cube", cube), Piece::new("flush", cuboid([0.25; 3], [0.75, 0.75, 1.0]))];
    let as_is = request(1e-6).winding(Winding::AsFound);
    let row = &run(&pieces, &as_is).pairs[0];
    assert_eq!((row.verdict, row.depth_unknown.as_deref()), (Verdict::Undecided, Some("a is open: 3 edges")));
    let row = &run(&pieces, &request(1e-6)).pairs[0];
    assert_eq!((row.verdict, row.depth_unknown.as_deref()), (Verdict::Clash, None));
}

/// Returns a box whose top and bottom have extra corners on their edges, which the sides do not have.
fn seamed_box() -> Soup {
    with_lids(&[[0.75, 0.0], [1.0, 0.0], [1.0, 0.5], [1.0, 1.0], [0.25, 1.0], [0.0, 1.0], [0.0, 0.0]])
}

/// Returns the unit box whose top and bottom are fans over a square with extra corners.
fn with_lids(corners: &[[f64; 2]]) -> Soup {
    let whole = prism(corners, 0.0, 1.0);
    let is_lid = |t: &&Triangle| t.iter().all(|p| p.z == t[0].z);
    let lids = whole.iter().filter(is_lid).copied();
    let plain = cuboid([0.0; 3], [1.0; 3]);
    lids.chain(plain.iter().filter(|t| !is_lid(t)).copied()).collect()
}

/// Triangles that meet at a T are closed if the T is exactly straight, however the part is turned.
#[test]
fn straight_seams_are_closed() {
    let found = health(&seamed_box());
    assert_eq!((found.closed_components, found.seams, found.open_edges), (1, 6, 0));
    assert_eq!(found.volume, 1.0);
    // A fan from another corner has triangles without area along the edges.
    let needles = with_lids(&[[0.0, 0.0], [0.75, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.5]]);
    let found = health(&needles);
    assert_eq!((found.closed_components, found.seams, found.open_edges), (1, 4, 0));
    assert_eq!((found.volume, found.degenerate_triangles), (1.0, 4));
    let turned = flipped(&seamed_box(), |i| i % 3 == 0);
    assert_eq!((health(&turned).turned_components, health(&turned).seams), (1, 6));
    assert_eq!(health(&turned).volume, 1.0);
    // Off the line by one unit in the last place, it is a gap.
    let bent = |p: DVec3| if p.x == 0.75 { DVec3::new(0.75, f64::EPSILON, p.z) } else { p };
    let gaping: Soup = seamed_box().iter().map(|t| t.map(bent)).collect();
    assert_eq!((health(&gaping).closed_components, health(&gaping).seams), (0, 4));

    for seed in 0..40 {
        let mut rng = Rng::new("seams", seed);
        let pose = Pose::from_trs(rng.quaternion(), [1.0; 3], rng.point().to_array()).expect("a rotation");
        let other = moved(&ball(DVec3::splat(0.5), 0.4, 1), rng.point() * 0.6);
        let beside = |soup: Soup| {
            let pieces = [
                Piece { pose, ..Piece::new("box", soup) },
                Piece { pose, ..Piece::new("ball", other.clone()) },
            ];
            run(&pieces, &request(1e-9)).pairs.into_iter().next()
        };
        let (seamed, plain) = (beside(turned.clone()), beside(cuboid([0.0; 3], [1.0; 3])));
        assert_eq!(seamed.as_ref().map(|row| row.verdict), plain.as_ref().map(|row| row.verdict), "#{seed}");
        if let (Some(s), Some(p)) = (seamed.and_then(|r| r.depth), plain.and_then(|r| r.depth)) {
            assert!(s.at_least <= p.at_most && p.at_least <= s.at_most, "#{seed}: {s:?} {p:?}");
        }
    }
}

/// Triangles are repeatedly split at the middle of an edge while their neighbours are not. Every T is
/// straight, and the shell stays closed, whichever triangles are turned.
#[test]
fn shells_split_on_one_side_only_stay_closed() {
    for seed in 0..closefit_testing::cases(300) {
        let mut rng = Rng::new("splits", seed);
        let mut soup =
            if rng.coin() { cuboid([0.0; 3], [1.0, 2.0, 4.0]) } else { octahedron(DVec3::ZERO, 1.0) };
        let volume = health(&soup).volume;
        for _ in 0..rng.index(24) {
            // Splitting the same few triangles gives lines many corners.
            let i = rng.index(soup.len().min(4));
            let mut t = soup.swap_remove(i);
            t.rotate_left(rng.index(3));
            let middle = (t[0] + t[1]) * 0.5;
            soup.extend([[t[0], middle, t[2]], [middle, t[1], t[2]]]);
        }
        let turned: Vec<bool> = soup.iter().map(|_| rng.index(3) == 0).collect();
        for soup in [flipped(&soup, |i| turned[i]), soup] {
            let found = health(&soup);
            assert_eq!((found.closed_components, found.open_edges), (1, 0), "#{seed}");
            assert!((found.volume - volume).abs() < 1e-12, "#{seed}: {}", found.volume);
        }
    }
}

/// A pose that rounds turns seams into slivers. Winding numbers next to them are the winding numbers of the
/// mesh with the slivers, counted along rays in rational arithmetic.
#[test]
fn windings_beside_seams_count_their_slivers() {
    let soup = flipped(&seamed_box(), |i| i % 3 == 0);
    let mesh = scene(&[Piece::new("box", soup)]).meshes[0].clone();
    let topology = Topology::of(&mesh, Winding::Repaired);
    let model = Model::<WideObb>::of(&mesh, Executor::default(), Winding::Repaired);
    let mut slivers = 0;
    for seed in 0..closefit_testing::cases(20) {
        let mut rng = Rng::new("slivers", seed);
        let pose =
            Pose::from_trs(rng.quaternion(), [1.0; 3], (rng.point() * 10.0).to_array()).expect("turned");
        let at = |v: u32| pose.apply(mesh.vertices()[v as usize]);
        let oriented = (0u32..)
            .zip(mesh.triangles())
            .map(|(t, &[a, b, c])| if topology.is_turned(t) { [a, c, b] } else { [a, b, c] });
        let seams: Vec<Triangle> = topology.seam_triangles.iter().map(|s| s.corners.map(at)).collect();
        let closed: Vec<Triangle> = oriented.map(|t| t.map(at)).chain(seams.iter().copied()).collect();
        let bounds = mesh.posed_bounds(&pose);
        let body = PosedModel::new(&mesh, &model, pose, bounds);
        slivers += body.seam_triangles().len();
        for seam in &seams {
            for _ in 0..30 {
                let [x, y] = [rng.unit().abs(), rng.unit().abs()];
                let on = seam[0] + (seam[1] - seam[0]) * x + (seam[2] - seam[0]) * (y * (1.0 - x));
                let ulp = f64::EPSILON * on.abs().max_element();
                let p = on + rng.lattice(2) * ulp;
                let expected = rational::winding(p, &closed);
                assert_eq!(winding::winding_number(&body, &p), expected, "#{seed}: {p}");
            }
        }
    }
    assert!(slivers > 20, "{slivers}");
}

fn random_shape(rng: &mut Rng) -> Soup {
    let at = rng.lattice(3) * 0.5;
    let soup = match rng.index(5) {
        0 => cuboid([0.0; 3], [1.0, 1.5, 2.0]),
        1 => octahedron(DVec3::ZERO, 1.25),
        2 => ball(DVec3::ZERO, 1.0, 1),
        3 => square_ring(0.5, 1.0, 0.0, 0.75),
        _ => [cuboid([0.0; 3], [2.0; 3]), cuboid([0.5; 3], [1.5; 3])].concat(),
    };
    let (turned, missing) = (rng.index(4), rng.index(4));
    let turns: Vec<bool> = soup.iter().map(|_| turned > 1 && rng.index(3) == 0).collect();
    let mut soup = flipped(&soup, |i| turns[i]);
    if missing == 0 {
        for _ in 0..=rng.index(3) {
            soup.swap_remove(rng.index(soup.len()));
        }
    }
    if rng.index(8) == 0 {
        let [a, b, c] = soup[rng.index(soup.len())];
        soup.push(if rng.coin() { [a, b, c] } else { [a, c, b] });
    }
    if rng.index(4) == 0 {
        let [a, b, _] = soup[rng.index(soup.len())];
        soup.push([a, b, a]);
    }
    moved(&soup, at)
}

/// Returns, by brute force, the parts of a pair that are open where their boxes overlap by more than the
/// tolerance.
fn open_sides(soups: [&Soup; 2], tolerance: f64) -> BTreeSet<&'static str> {
    let tolerance = rational::rational(tolerance);
    let bounds = |soup: &[Triangle], axis: usize| {
        let at = || soup.as_flattened().iter().map(|p| p[axis]);
        (at().fold(f64::INFINITY, f64::min), at().fold(f64::NEG_INFINITY, f64::max))
    };
    let overlap = |a: &[Triangle], b: &[Triangle]| {
        (0..3).all(|axis| {
            let ((a_lo, a_hi), (b_lo, b_hi)) = (bounds(a, axis), bounds(b, axis));
            rational::rational(a_hi.min(b_hi)) - rational::rational(a_lo.max(b_lo)) > tolerance
        })
    };
    let is_open = |mine: &Soup, other: &Soup| {
        let repaired = solid::repaired(mine);
        solid::shells(&repaired).iter().filter(|shell| !shell.closed).any(|shell| {
            let shell: Soup = shell.members.iter().map(|&i| mine[i]).collect();
            overlap(&shell, other)
        })
    };
    let sides = [("a", soups[0], soups[1]), ("b", soups[1], soups[0])];
    sides.into_iter().filter(|(_, mine, other)| is_open(mine, other)).map(|(name, ..)| name).collect()
}

/// A pair that touches is `contact` only if its depth is known: after winding is repaired, no part of it is
/// open where the boxes overlap. Brute force determines the closed shells.
#[test]
fn no_contact_hides_an_unknown_depth() {
    let (mut contact, mut undecided, mut clash) = (0, 0, 0);
    for seed in 0..closefit_testing::cases(1700) {
        let mut rng = Rng::new("open", seed);
        let soups = [random_shape(&mut rng), random_shape(&mut rng)];
        for soup in &soups {
            let found = health(soup);
            let shells = solid::shells(&solid::repaired(soup));
            let closed = shells.iter().filter(|shell| shell.closed).count();
            assert_eq!(found.closed_components as usize, closed, "#{seed}");
            assert_eq!(found.open_components as usize, shells.len() - closed, "#{seed}");
        }
        let tolerance = [0.0, 1e-6, 0.3][rng.index(3)];
        let pieces = [Piece::new("a", soups[0].clone()), Piece::new("b", soups[1].clone())];
        let Some(row) = run(&pieces, &request(tolerance)).pairs.into_iter().next() else { continue };
        if row.contacts == 0 {
            continue;
        }
        let open = open_sides([&soups[0], &soups[1]], tolerance);
        let told = row.depth_unknown.unwrap_or_default();
        for side in ["a", "b"] {
            let is_told = told.contains(&format!("{side} is open"));
            assert_eq!(is_told, open.contains(side), "#{seed}: {told:?}");
        }
        match row.verdict {
            Verdict::Contact => contact += 1,
            Verdict::Undecided => undecided += 1,
            _ => clash += 1,
        }
        assert!(row.verdict != Verdict::Contact || open.is_empty(), "#{seed}");
        assert!(
            row.verdict != Verdict::Undecided || !open.is_empty(),
            "#{seed}: {told:?} {:?} {tolerance}",
            row.depth
        );
    }
    println!("{contact} contact, {undecided} undecided, {clash} clash");
    assert!(contact > 30 && undecided > 30 && clash > 100);
}

/// Returns the solid angle of triangles over 4 pi, one by one.
fn solid_angle(soup: &[Triangle], p: DVec3) -> f64 {
    let of = |t: &Triangle| {
        let [a, b, c] = t.map(|corner| (corner - p).normalize());
        2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    soup.iter().map(of).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// The winding number of an open shell is its solid angle, also if its triangles disagree or it is drawn from
/// both sides.
#[test]
fn open_shells_wind_by_their_solid_angle() {
    let mut seen = [0; 2];
    for seed in 0..closefit_testing::cases(300) {
        let mut rng = Rng::new("open winding", seed);
        let mut shell = match rng.index(4) {
            0 => cuboid([-1.0; 3], [1.0; 3]),
            1 => octahedron(DVec3::ZERO, 1.25),
            2 => ball(DVec3::ZERO, 1.0, 1),
            _ => square_ring(0.5, 1.0, -0.75, 0.75),
        };
        for _ in 0..=rng.index(shell.len() / 3) {
            shell.swap_remove(rng.index(shell.len()));
        }
        let turns: Vec<bool> = shell.iter().map(|_| rng.index(8) == 0).collect();
        let mut soup = flipped(&shell, |i| turns[i]);
        if rng.index(4) == 0 {
            soup.extend(reversed(&shell));
        }
        let mesh = scene(&[Piece::new("shell", soup)]).meshes[0].clone();
        let model = Model::<WideObb>::of(&mesh, Executor::default(), Winding::Repaired);
        let bounds = mesh.posed_bounds(&Pose::IDENTITY);
        let body = PosedModel::new(&mesh, &model, Pose::IDENTITY, bounds);
        let [component] = &model.topology.components[..] else { continue };
        if component.closed {
            continue;
        }
        for _ in 0..20 {
            let p = if rng.coin() { rng.point() } else { rng.lattice(3) * 0.25 };
            if solid::distance_of_point(p, &shell) == 0.0 || !bounds.strictly_contains(&Aabb::of([p])) {
                continue;
            }
            let expected = solid_angle(&shell, p);
            let found = open_shells::winding_of_open(&body, 0, &bounds, p).expect("consistent");
            // The sign follows the winding that most triangles have.
            assert!((found.abs() - expected.abs()).abs() < 1e-9, "#{seed}: {p} {found} {expected}");
            seen[usize::from(expected.abs() >= 0.5)] += 1;
        }
    }
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
}

/// Returns a shell that lacks random triangles: a ball, a part of one, a tube, or two balls that touch.
fn shell_with_holes(rng: &mut Rng) -> Soup {
    let mut shell = match rng.index(4) {
        0 => {
            let levels = if closefit_testing::is_full_run() { 4 } else { 3 };
            ball(DVec3::ZERO, 1.0, levels)
        }
        1 => {
            let top = rng.unit();
            ball(DVec3::ZERO, 1.0, 3).into_iter().filter(|t| t.iter().all(|p| p.z < top)).collect()
        }
        2 => {
            let at = |k: u32, z: f64| DVec3::new(libm::cos(turn(k, 40)), libm::sin(turn(k, 40)), z);
            let side = |k: u32| {
                [[at(k, -1.0), at(k + 1, -1.0), at(k + 1, 1.0)], [at(k, -1.0), at(k + 1, 1.0), at(k, 1.0)]]
            };
            (0..40).flat_map(side).collect()
        }
        _ => {
            [ball(DVec3::ZERO, 1.0, 2), moved(&ball(DVec3::ZERO, 1.0, 2), DVec3::new(2.0, 0.0, 0.0))].concat()
        }
    };
    for _ in 0..rng.index(shell.len() / 3) {
        shell.swap_remove(rng.index(shell.len()));
    }
    shell
}

/// Whether an open shell might hold a small part is what its solid angle at the part says.
#[test]
fn open_shells_hold_what_their_solid_angle_says() {
    let mut seen = [0; 2];
    for seed in 0..closefit_testing::cases(60) {
        let mut rng = Rng::new("held by open shells", seed);
        let shell = shell_with_holes(&mut rng);
        let scale = [1.0, 0.001][rng.index(2)];
        let turned = [rng.unit(), rng.unit(), rng.unit(), 1.0];
        let pose = Pose::from_trs(turned, [scale; 3], [0.0, 10.0, -0.25]).expect("a pose");
        let mesh = scene(&[Piece::new("shell", shell)]).meshes[0].clone();
        let model = Model::<WideObb>::of(&mesh, Executor::default(), Winding::Repaired);
        let outer = PosedModel::new(&mesh, &model, pose, mesh.posed_bounds(&pose));
        let soup: Soup = (0..outer.len()).map(|triangle| outer.triangle(triangle)).collect();
        for _ in 0..20 {
            let far = [0.3, 1.0, 1.5][rng.index(3)];
            let p = pose.apply(rng.point() * far);
            let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|step| p + step * 1e-9 * scale);
            let bit = scene(&[Piece::new("bit", vec![[p, x, y], [p, y, z]])]).meshes[0].clone();
            let bit_model = Model::<WideObb>::of(&bit, Executor::default(), Winding::Repaired);
            let inner = PosedModel::new(&bit, &bit_model, Pose::IDENTITY, bit.posed_bounds(&Pose::IDENTITY));
            // By components, since each counts alone.
            let expected: Vec<u32> = (0..)
                .zip(outer.component_boxes())
                .filter(|(component, (_, bounds))| {
                    let own: Soup = (0..outer.len())
                        .filter(|&t| model.topology.component_of[t as usize] == *component)
                        .map(|t| soup[t as usize])
                        .collect();
                    !model.topology.components[*component as usize].closed
                        && bounds.overlaps_by_more(inner.bounds(), 0.0)
                        && solid_angle(&own, p).abs() >= 0.5
                })
                .map(|(component, _)| component)
                .collect();
            if (solid_angle(&soup, p).abs() - 0.5).abs() < 1e-6 {
                continue;
            }
            let found = open_shells::around_any(&outer, &inner, 0.0);
            assert_eq!(found, expected, "#{seed}: {p}");
            let mut of_each: Vec<u32> = open_shells::around_components(&outer, &inner, 0.0)
                .into_iter()
                .map(|(_, shell)| shell.component)
                .collect();
            of_each.dedup();
            assert_eq!(found, of_each, "#{seed}: {p}");
            seen[usize::from(!found.is_empty())] += 1;
        }
    }
    println!("{seen:?}");
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
}
