//! Contacts of a mesh with itself against brute force in rational arithmetic. `CLOSEFIT_CASES` sets the
//! number of meshes.

use closefit::{CollisionMesh, Pose, Work, self_contacts};
use closefit_geometry::exact::shared_set::shares_more;
use closefit_testing::meshes::{Soup, ball, cuboid, mesh, moved, prism, square_ring};
use closefit_testing::rational::{Triangle, rational};
use closefit_testing::rng::Rng;
use closefit_testing::shared::shared;
use closefit_testing::triangles::{CATEGORIES, pair};
use glam::DVec3;

/// True if two triangles share a corner of their common set that is no corner of both, or repeat each other.
fn share_more(a: &Triangle, b: &Triangle) -> bool {
    // Of a triangle without an area, the corner between the ends is a vertex, too.
    let [of_a, of_b] = [a, b].map(|t| t.map(|p| p.to_array().map(rational)));
    let set = shared(&[*a, *b]);
    set.iter().any(|p| !(of_a.contains(p) && of_b.contains(p))) || set.len() > 2
}

fn found(soup: &[Triangle], pose: &Pose) -> Vec<[u32; 2]> {
    self_contacts(&CollisionMesh::build(&mesh(soup)).at(pose).expect("admissible"))
}

fn brute_force(soup: &[Triangle]) -> Vec<[u32; 2]> {
    let count = soup.len() as u32;
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
    pairs.filter(|[i, j]| share_more(&soup[*i as usize], &soup[*j as usize])).collect()
}

#[test]
fn pairs_of_triangles_are_told_exactly() {
    let mut counts = [0, 0];
    for category in CATEGORIES {
        for seed in 0..closefit_testing::cases(60) {
            let [a, b] = pair(category, seed);
            let expected = share_more(&a, &b);
            counts[usize::from(expected)] += 1;
            assert_eq!(shares_more(&a, &b), expected, "{} #{seed}: {a:?} {b:?}", category.0);
            assert_eq!(shares_more(&b, &a), expected, "{} #{seed}, swapped", category.0);
        }
    }
    println!("{} pairs share no more, {} do", counts[0], counts[1]);
}

/// Meshes with few vertices have many common ones, triangles that repeat, and triangles without an area.
#[test]
fn soups_are_those_of_brute_force() {
    let mut pairs = 0;
    for seed in 0..closefit_testing::cases(60) {
        let mut rng = Rng::new("self contacts", seed);
        let vertices: Vec<DVec3> = (0..9).map(|_| rng.lattice(2)).collect();
        let mut corner = || vertices[rng.index(9)];
        let soup: Vec<Triangle> = (0..12).map(|_| [corner(), corner(), corner()]).collect();
        let expected = brute_force(&soup);
        pairs += expected.len();
        assert_eq!(found(&soup, &Pose::IDENTITY), expected, "#{seed}: {soup:?}");
    }
    println!("{pairs} pairs");
}

/// A kind of triangles that meet at the origin: its name, and one of so many.
type Star = (&'static str, fn(&mut Rng, i64) -> Triangle);

/// Returns a lattice point on the sides of a square around the origin, counted counterclockwise.
fn on_square(place: i64) -> DVec3 {
    let (along, x) = (place.rem_euclid(40), place.rem_euclid(10) as f64);
    match along / 10 {
        0 => DVec3::new(5.0, x - 5.0, 0.0),
        1 => DVec3::new(5.0 - x, 5.0, 0.0),
        2 => DVec3::new(-5.0, 5.0 - x, 0.0),
        _ => DVec3::new(x - 5.0, -5.0, 0.0),
    }
}

const STARS: [Star; 9] = [
    ("a fan", |_, k| [DVec3::ZERO, on_square(k), on_square(k + 1)]),
    ("a fan that folds", |rng, k| {
        [DVec3::ZERO, on_square(k), on_square(k + if rng.index(4) == 0 { 2 } else { 1 })]
    }),
    ("a fan twice, differently cut", |_, k| match k % 3 {
        0 => [DVec3::ZERO, on_square(k / 3 * 2), on_square(k / 3 * 2 + 2)],
        k3 => [DVec3::ZERO, on_square(k / 3 * 2 + k3 - 1), on_square(k / 3 * 2 + k3)],
    }),
    ("cones in each other", |_, k| {
        let up = DVec3::Z * [1.0, 5.0, -1.0][(k % 3) as usize];
        [DVec3::ZERO, on_square(k / 3 * 3) + up, on_square(k / 3 * 3 + 3) + up]
    }),
    ("cones through each other", |rng, k| {
        let up = DVec3::new(rng.int(-1, 1) as f64, 0.0, 2.0);
        [DVec3::ZERO, on_square(k) + up, on_square(k + 1) + up]
    }),
    ("a book", |rng, _| {
        let out = on_square(rng.int(0, 39)) * [1.0, 2.0][rng.index(2)];
        [DVec3::ZERO, DVec3::Z * 4.0, out + DVec3::Z * rng.int(-3, 6) as f64]
    }),
    ("two books", |rng, k| {
        let spine = [DVec3::Z, DVec3::new(1.0, 0.0, 4.0)][(k % 2) as usize];
        [DVec3::ZERO, spine, on_square(rng.int(0, 39))]
    }),
    ("slivers", |_, k| {
        let at = |k: i64| DVec3::new(1048576.0, k as f64, (k / 7) as f64);
        [DVec3::ZERO, at(k), at(k + 1)]
    }),
    ("anything", |rng, _| [DVec3::ZERO, rng.lattice(3), rng.lattice(3)]),
];

/// Returns triangles at a vertex, and some that need not be, in a random frame of the lattice, mixed.
fn star_and_others(rng: &mut Rng, star: Star, count: i64) -> Soup {
    let mut soup: Soup = (0..count).map(|k| star.1(rng, k)).collect();
    for _ in 0..rng.index(6) {
        let (p, q) = (rng.lattice(4), rng.lattice(4));
        let flat = [[p; 3], [DVec3::ZERO, p, p * 2.0], [p, DVec3::ZERO, -p], [DVec3::ZERO, DVec3::ZERO, q]];
        soup.push(if rng.coin() { [p, q, rng.lattice(4)] } else { flat[rng.index(4)] });
    }
    let [x, y, at] = [rng.lattice(2), rng.lattice(2), rng.lattice(9)];
    let z = if rng.coin() { x.cross(y) } else { rng.lattice(2) };
    for triangle in &mut soup {
        *triangle = triangle.map(|p| at + x * p.x + y * p.y + z * p.z);
        triangle.rotate_left(rng.index(3));
        if rng.coin() {
            triangle.swap(0, 1);
        }
    }
    for k in (1..soup.len()).rev() {
        soup.swap(k, rng.index(k + 1));
    }
    soup
}

/// Many triangles at one vertex are compared by directions from it, and by their order around its edges.
#[test]
fn stars_are_those_of_brute_force() {
    for star in STARS {
        let mut pairs = 0;
        for seed in 0..closefit_testing::cases(2) {
            let soup = star_and_others(&mut Rng::new(star.0, seed), star, 36);
            let expected = brute_force(&soup);
            pairs += expected.len();
            assert_eq!(found(&soup, &Pose::IDENTITY), expected, "{} #{seed}: {soup:?}", star.0);
        }
        println!("{}: {pairs} pairs", star.0);
    }
}

/// Where rounding moves corners, all pairs of posed triangles are the oracle. Stars lie next to each other,
/// so that some share corners other than their middles.
#[test]
fn turned_stars_are_those_of_all_pairs() {
    let mut pairs = 0;
    for seed in 0..closefit_testing::cases(40) {
        let mut rng = Rng::new("turned stars", seed);
        let soup: Soup = (0..2 + rng.index(3))
            .flat_map(|_| {
                let star = STARS[rng.index(STARS.len())];
                let (count, by) = (rng.int(34, 80), rng.lattice(3));
                moved(&star_and_others(&mut rng, star, count), by)
            })
            .collect();
        let turn = [rng.unit(), rng.unit(), rng.unit(), 1.0];
        let scale = [1.0, rng.unit() + 2.0, 1.0];
        let pose = Pose::from_trs(turn, scale, [0.1, 7.0, rng.unit()]).expect("a pose");
        let posed: Soup = soup.iter().map(|triangle| triangle.map(|p| pose.apply(p))).collect();
        let count = posed.len() as u32;
        let all = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
        let expected: Vec<[u32; 2]> =
            all.filter(|[i, j]| shares_more(&posed[*i as usize], &posed[*j as usize])).collect();
        pairs += expected.len();
        assert_eq!(found(&soup, &pose), expected, "#{seed}");
    }
    println!("{pairs} pairs");
}

/// A fan and a book of 250 triangles have 31 125 pairs each.
#[test]
fn few_pairs_of_fans_and_books_are_compared() {
    let at = |k: u32, z: f64| {
        let (sin, cos) = libm::sincos(f64::from(k) * std::f64::consts::TAU / 250.0);
        DVec3::new(cos, sin, z)
    };
    let fan: Soup = (0..250).map(|k| [DVec3::ZERO, at(k, 0.5), at(k + 1, 0.5)]).collect();
    let book: Soup = (0..250).map(|k| [DVec3::ZERO, DVec3::Z, at(k, f64::from(k % 7))]).collect();
    for (soup, most) in [(fan, 2500), (book, 0)] {
        let mut work = Work::NONE;
        assert_eq!(work.ask(|| found(&soup, &Pose::IDENTITY)), [] as [[u32; 2]; 0]);
        assert!(work.exact_tests <= most, "{work:?}");
    }
}

#[test]
fn whole_surfaces_have_none() {
    let bodies = [
        cuboid([0.0; 3], [1.0, 2.0, 3.0]),
        ball(DVec3::ZERO, 1.0, 4),
        square_ring(1.0, 2.0, 0.0, 1.0),
        prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.25], [0.0, 1.0]], 0.0, 1.0),
    ];
    for (k, body) in bodies.iter().enumerate() {
        assert_eq!(found(body, &Pose::IDENTITY), [] as [[u32; 2]; 0], "body {k}");
    }
}

#[test]
fn bodies_in_one_mesh_touch_as_two_parts_do() {
    let (a, b) = (ball(DVec3::ZERO, 1.0, 3), moved(&ball(DVec3::ZERO, 1.0, 3), DVec3::new(0.7, 0.1, 0.3)));
    let [of_a, of_b] = [&a, &b].map(|soup| CollisionMesh::build(&mesh(soup)));
    let (posed_a, posed_b) =
        (of_a.at(&Pose::IDENTITY).expect("admissible"), of_b.at(&Pose::IDENTITY).expect("admissible"));
    let first = a.len() as u32;
    let expected: Vec<[u32; 2]> =
        closefit::contact_triangles(&posed_a, &posed_b).iter().map(|[ta, tb]| [*ta, first + tb]).collect();
    assert!(!expected.is_empty());
    assert_eq!(found(&[a, b].concat(), &Pose::IDENTITY), expected);
}

/// Faces that fold back on themselves share an edge and an area.
#[test]
fn folds_and_teeth_count() {
    let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let cases: [(&str, [Triangle; 2], bool); 9] = [
        ("a common edge", [[o, x, y], [o, y, z]], false),
        ("a common edge, in one plane", [[o, x, y], [x, x + y, y]], false),
        ("folded back", [[o, x, y], [o, x, y * 0.5]], true),
        ("the same", [[o, x, y], [y, x, o]], true),
        ("a common vertex", [[o, x, y], [o, z, z - x]], false),
        ("a common vertex, and through", [[o, x, y], [o, x + y + z, x + y - z]], true),
        ("segments that cross in a corner of both", [[x, o, -x], [y, o, -y]], false),
        ("segments that cross in a corner of one", [[x, o, -x], [y, y, -y]], true),
        ("an edge that ends on another", [[o, x * 2.0, y], [x, x - y, z]], true),
    ];
    for (name, soup, expected) in cases {
        assert_eq!(!found(&soup, &Pose::IDENTITY).is_empty(), expected, "{name}");
    }
}
