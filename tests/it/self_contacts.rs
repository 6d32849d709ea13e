//! Contacts of a mesh with itself against brute force in rational arithmetic. `CLOSEFIT_CASES` sets the
//! number of meshes.

use closefit::{CollisionMesh, Pose, self_contacts};
use closefit_geometry::exact::shared_set::shares_more;
use closefit_testing::meshes::{ball, cuboid, mesh, moved, prism, square_ring};
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
    let cases: [(&str, [Triangle; 2], bool); 7] = [
        ("a common edge", [[o, x, y], [o, y, z]], false),
        ("a common edge, in one plane", [[o, x, y], [x, x + y, y]], false),
        ("folded back", [[o, x, y], [o, x, y * 0.5]], true),
        ("the same", [[o, x, y], [y, x, o]], true),
        ("a common vertex", [[o, x, y], [o, z, z - x]], false),
        ("a common vertex, and through", [[o, x, y], [o, x + y + z, x + y - z]], true),
        ("an edge that ends on another", [[o, x * 2.0, y], [x, x - y, z]], true),
    ];
    for (name, soup, expected) in cases {
        assert_eq!(!found(&soup, &Pose::IDENTITY).is_empty(), expected, "{name}");
    }
}
