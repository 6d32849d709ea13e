use glam::DVec3;

use super::*;
use crate::ids::to_u32;
use crate::mesh::health::Health;

type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

/// Returns an axis-aligned cube, oriented outwards. Corner `i` has bit 0 for x, bit 1 for y, bit 2 for z.
fn cube(at: DVec3, side: f64) -> Soup {
    let corner = |i: u32| at + DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) * side;
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

fn join(soups: &[Soup]) -> Soup {
    let mut out = (Vec::new(), Vec::new());
    for (vertices, triangles) in soups {
        let base = to_u32(out.0.len());
        out.0.extend(vertices);
        out.1.extend(triangles.iter().map(|t| t.map(|v| v + base)));
    }
    out
}

fn health((vertices, triangles): &Soup) -> Health {
    Health::of(&Mesh::new(vertices, triangles).unwrap(), Winding::AsFound)
}

fn topology((vertices, triangles): &Soup) -> Topology {
    Topology::of(&Mesh::new(vertices, triangles).unwrap(), Winding::AsFound)
}

fn reversed((vertices, triangles): &Soup) -> Soup {
    (vertices.clone(), triangles.iter().map(|&[a, b, c]| [a, c, b]).collect())
}

#[test]
fn a_cube_is_one_solid() {
    let h = health(&cube(DVec3::new(1.0, 2.0, 3.0), 2.0));
    let expected = Health {
        triangles: 12,
        vertices: 8,
        bounds: [DVec3::new(1.0, 2.0, 3.0), DVec3::new(3.0, 4.0, 5.0)],
        closed_components: 1,
        open_components: 0,
        turned_components: 0,
        seams: 0,
        open_edges: 0,
        non_manifold_edges: 0,
        inconsistent_edges: 0,
        degenerate_triangles: 0,
        duplicate_triangles: 0,
        volume: 8.0,
        area: 24.0,
    };
    assert_eq!((h.volume * 1e9).round(), 8e9);
    assert_eq!(Health { volume: 8.0, ..h }, expected);
    assert!(expected.closed());
}

#[test]
fn inside_out_is_closed_with_negative_volume() {
    let h = health(&reversed(&cube(DVec3::ZERO, 1.0)));
    assert!(h.closed());
    assert!((h.volume + 1.0).abs() < 1e-12);
}

#[test]
fn a_flipped_face_opens_the_cube() {
    let mut soup = cube(DVec3::ZERO, 1.0);
    for t in &mut soup.1[..2] {
        t.swap(0, 1);
    }
    let h = health(&soup);
    assert_eq!((h.closed_components, h.open_components), (0, 1));
    assert_eq!((h.open_edges, h.inconsistent_edges, h.non_manifold_edges), (4, 4, 0));
    assert_eq!(h.volume, 0.0);
}

#[test]
fn a_missing_face_leaves_four_open_edges() {
    let mut soup = cube(DVec3::ZERO, 1.0);
    soup.1.drain(..2);
    let h = health(&soup);
    assert_eq!((h.open_components, h.open_edges, h.inconsistent_edges), (1, 4, 0));
    let t = topology(&soup);
    assert_eq!(t.components, [Component { triangles: 10, closed: false, turned: false, open_edges: 4 }]);
}

#[test]
fn a_doubled_sheet_is_open_without_open_edges() {
    let sheet = cube(DVec3::ZERO, 1.0);
    let sheet = (sheet.0, sheet.1[..2].to_vec());
    let h = health(&join(&[sheet.clone(), reversed(&sheet)]));
    assert_eq!((h.closed_components, h.open_components, h.open_edges), (0, 1, 0));
    assert_eq!((h.duplicate_triangles, h.volume), (2, 0.0));
    // With the other diagonal on the back, triangles do not cancel one by one: closed, without volume.
    let back = (sheet.0.clone(), vec![[0, 1, 2], [1, 3, 2]]);
    let h = health(&join(&[sheet, back]));
    assert_eq!((h.closed_components, h.duplicate_triangles, h.volume), (1, 0, 0.0));
}

#[test]
fn a_doubled_cube_is_still_a_solid() {
    let soup = cube(DVec3::ZERO, 1.0);
    let h = health(&join(&[soup.clone(), soup.clone()]));
    assert_eq!((h.closed_components, h.duplicate_triangles, h.non_manifold_edges), (1, 12, 18));
    assert!((h.volume - 2.0).abs() < 1e-12);
    assert!(!health(&join(&[soup.clone(), reversed(&soup)])).closed());
}

#[test]
fn a_shared_edge_connects_and_a_shared_vertex_does_not() {
    let first = cube(DVec3::ZERO, 1.0);
    let edge = join(&[first.clone(), cube(DVec3::new(1.0, 1.0, 0.0), 1.0)]);
    let h = health(&edge);
    assert_eq!((h.vertices, h.closed_components, h.non_manifold_edges), (14, 1, 1));
    let vertex = join(&[first, cube(DVec3::ONE, 1.0)]);
    let t = topology(&vertex);
    let solid = Component { triangles: 12, closed: true, turned: false, open_edges: 0 };
    assert_eq!(t.components, [solid.clone(), solid]);
    assert_eq!(t.component_of, [[0; 12], [1; 12]].concat());
}

#[test]
fn degenerate_triangles_change_nothing_but_their_count() {
    let mut soup = cube(DVec3::ZERO, 1.0);
    soup.1.extend([[0, 0, 1], [0, 1, 1], [7, 7, 7]]);
    let h = health(&soup);
    assert_eq!((h.closed_components, h.open_components, h.open_edges), (1, 1, 0));
    assert_eq!((h.degenerate_triangles, h.non_manifold_edges, h.duplicate_triangles), (3, 0, 0));
    assert!((h.volume - 1.0).abs() < 1e-12);
    // The triangle that is a point forms a component of its own, because it has no edge.
    assert_eq!(topology(&soup).component_of[12..], [0, 0, 1]);
}

#[test]
fn degenerate_triangles_alone_are_open() {
    let line = vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
    assert_eq!(health(&(line.clone(), vec![[0, 0, 1], [1, 0, 1]])).closed_components, 0);
    // Three distinct collinear corners are an oriented triangle with three open edges.
    let h = health(&(line, vec![[0, 1, 2]]));
    assert_eq!((h.degenerate_triangles, h.open_edges), (1, 3));
}

#[test]
fn a_moebius_strip_cannot_be_oriented() {
    let n = 9;
    let rim = |i: u32, side: f64| {
        let turn = f64::from(i) * std::f64::consts::TAU / f64::from(n);
        let radius = 2.0 + side * libm::cos(turn / 2.0);
        DVec3::new(radius * libm::cos(turn), radius * libm::sin(turn), side * libm::sin(turn / 2.0))
    };
    let vertices = (0..n).flat_map(|i| [rim(i, -0.5), rim(i, 0.5)]).collect();
    let triangles = (0..n)
        .flat_map(|i| {
            let (a, b) = (2 * i, 2 * i + 1);
            // The last piece joins the first with its sides exchanged.
            let (c, d) = if i + 1 == n { (1, 0) } else { (a + 2, b + 2) };
            [[a, b, c], [c, b, d]]
        })
        .collect();
    let h = health(&(vertices, triangles));
    assert_eq!((h.open_components, h.inconsistent_edges, h.non_manifold_edges), (1, 1, 0));
    assert_eq!(h.open_edges, 2 * n + 1);
}

#[test]
fn a_cavity_takes_its_volume_away() {
    let inner = reversed(&cube(DVec3::ONE, 1.0));
    let h = health(&join(&[cube(DVec3::ZERO, 3.0), inner]));
    assert_eq!((h.closed_components, h.open_edges), (2, 0));
    assert!((h.volume - 26.0).abs() < 1e-12);
    assert!((h.area - 60.0).abs() < 1e-12);
}

#[test]
fn duplicates_count_in_any_order_of_corners() {
    let (vertices, _) = cube(DVec3::ZERO, 1.0);
    let h = health(&(vertices, vec![[0, 1, 2], [2, 0, 1], [0, 2, 1], [3, 2, 1]]));
    assert_eq!(h.duplicate_triangles, 2);
}
