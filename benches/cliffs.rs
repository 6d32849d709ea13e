//! Pairs of meshes on which a search once left its line: milliseconds of their distance, trees built, with
//! the tests that it takes. Faces cut finely that lie parallel, rods that cross, gaps alike on all sides, and
//! faces that a mesh has several times.

use std::f64::consts::TAU;
use std::time::Instant;

use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::nearest::{self, nearest_apart, within};
use closefit::{DVec3, Mesh, Pose, Work};

const ROUNDS: usize = 3;

/// Returns a closed rod along z; its ends are fans about a middle vertex.
fn rod(facets: u32, radius: f64, bottom: f64, top: f64) -> Mesh {
    let ring = |z: f64| {
        (0..facets).map(move |i| {
            let (sin, cos) = libm::sincos(f64::from(i) * TAU / f64::from(facets));
            DVec3::new(radius * cos, radius * sin, z)
        })
    };
    let middles = [bottom, top].map(|z| DVec3::new(0.0, 0.0, z));
    let points: Vec<DVec3> = ring(bottom).chain(ring(top)).chain(middles).collect();
    let triangles = (0..facets).flat_map(|i| {
        let (k, n) = ((i + 1) % facets, facets);
        [[i, k, k + n], [i, k + n, i + n], [2 * n, k, i], [2 * n + 1, i + n, k + n]]
    });
    Mesh::new(&points, &triangles.collect::<Vec<_>>()).expect("a rod")
}

/// Returns a square of side 1 at a height, cut into cells.
fn sheet(cells: u32, z: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let at = |i: u32| f64::from(i) / f64::from(cells) - 0.5;
    let n = cells + 1;
    let points = (0..n * n).map(|i| DVec3::new(at(i / n), at(i % n), z)).collect();
    let corner = |i: u32, j: u32| i * n + j;
    let triangles = (0..cells * cells).map(|k| (k / cells, k % cells)).flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    (points, triangles.collect())
}

fn plate(cells: u32) -> Mesh {
    let (points, triangles) = sheet(cells, 0.0);
    Mesh::new(&points, &triangles).expect("a plate")
}

/// Returns a plate whose triangles are there so many times.
fn copied(cells: u32, copies: usize) -> Mesh {
    let (points, triangles) = sheet(cells, 0.0);
    Mesh::new(&points, &triangles.repeat(copies)).expect("a plate")
}

/// Returns a cube whose sides are cut into cells.
fn cube(cells: u32, side: f64) -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for z in [-0.5, 0.5] {
        let (flat, cut) = sheet(cells, z);
        for axis in 0..3 {
            let first = points.len() as u32;
            points.extend(flat.iter().map(|p| match axis {
                0 => *p * side,
                1 => DVec3::new(p.y, p.z, p.x) * side,
                _ => DVec3::new(p.z, p.x, p.y) * side,
            }));
            triangles.extend(cut.iter().map(|t| t.map(|i| i + first)));
        }
    }
    Mesh::new(&points, &triangles).expect("a cube")
}

fn turned(axis: DVec3, degrees: f64, shift: [f64; 3]) -> Pose {
    let (sin, cos) = libm::sincos(degrees.to_radians() / 2.0);
    let v = axis.normalize() * sin;
    Pose::from_trs([v.x, v.y, v.z, cos], [1.0; 3], shift).expect("a pose")
}

fn measure(name: &str, meshes: [&Mesh; 2], poses: [Pose; 2]) {
    let trees = meshes.map(WideObb::build);
    let [a, b] = [0, 1].map(|i| PosedWideObb::new(&trees[i], &poses[i]));
    let (mut least, mut found, mut work) = (f64::INFINITY, None, Work::default());
    for _ in 0..ROUNDS {
        work = Work::default();
        let start = Instant::now();
        found = nearest_apart(&a, &b, f64::INFINITY, &mut nearest::Scratch::default(), &mut work);
        least = least.min(start.elapsed().as_secs_f64());
        if least > 5.0 {
            break;
        }
    }
    let found = found.expect("no bound");
    let start = Instant::now();
    let is_within = within(&a, &b, found.distance, &mut nearest::Scratch::default(), &mut Work::default());
    let exactly = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let closer =
        within(&a, &b, found.distance.next_down(), &mut nearest::Scratch::default(), &mut Work::default());
    assert!(is_within.is_some() && closer.is_none());
    println!(
        "{name:<28} {:>9.2} {:>9.2} {:>9.2} {:>10} {:>10} {:>8}  {:e} {:?}",
        1e3 * least,
        1e3 * exactly,
        1e3 * start.elapsed().as_secs_f64(),
        work.box_tests,
        work.triangle_tests,
        work.exact_tests,
        found.distance,
        found.triangles,
    );
}

fn main() {
    println!(
        "{:<28} {:>9} {:>9} {:>9} {:>10} {:>10} {:>8}",
        "milliseconds", "distance", "within it", "just less", "boxes", "triangles", "exact"
    );
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let measure = |name: &str, meshes: [&Mesh; 2], poses: [Pose; 2]| {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
            measure(name, meshes, poses);
        }
    };
    let still = Pose::IDENTITY;
    for facets in [64, 500, 2_000, 8_000] {
        let long = rod(facets, 0.01, -10.0, 10.0);
        measure(&format!("rods {facets}"), [&long; 2], [still, turned(DVec3::Y, 30.0, [0.0, 0.0205, 0.0])]);
    }
    let long = rod(2_000, 0.01, -10.0, 10.0);
    measure("rods 2000, parallel", [&long; 2], [still, Pose::translation([0.0, 0.0205, 0.0])]);
    // Faces across z, faces across x, and turned.
    let across = turned(DVec3::Y, 90.0, [0.0; 3]);
    let across_x =
        Pose { rows: across.rows.map(|row| [row[0].round(), row[1].round(), row[2].round(), row[3]]) };
    let askew = turned(DVec3::new(1.0, 2.0, 3.0), 37.0, [0.3, -0.2, 0.7]);
    let all = |name: &str, mesh: &Mesh, pose: Pose| {
        measure(name, [mesh; 2], [still, pose]);
        measure(&format!("{name}, x"), [mesh; 2], [across_x, Pose::compose(&across_x, &pose)]);
        measure(&format!("{name}, turned"), [mesh; 2], [askew, Pose::compose(&askew, &pose)]);
    };
    for facets in [300, 1_000, 3_000, 10_000, 50_000] {
        let disc = rod(facets, 1.0, 0.0, 0.1);
        let pose = turned(DVec3::Z, 0.1, [0.01, 0.0, 0.1005]);
        if facets < 10_000 || cfg!(not(debug_assertions)) {
            all(&format!("fans {facets}"), &disc, pose);
        }
    }
    let disc = rod(3_000, 1.0, 0.0, 0.1);
    all("fans 3000, same", &disc, Pose::translation([0.0, 0.0, 0.1005]));
    for cells in [100, 200] {
        all(&format!("plates {cells}"), &plate(cells), Pose::translation([0.0, 0.0, 0.0005]));
    }
    all("plates 100, shifted", &plate(100), Pose::translation([0.0031, 0.0047, 0.0005]));
    for (cells, copies) in [(100, 2), (10, 3), (30, 3), (100, 3), (30, 10), (1, 100)] {
        let plate = copied(cells, copies);
        all(&format!("plates {cells}, {copies} times"), &plate, Pose::translation([0.0, 0.0, 0.0005]));
    }
    for cells in [30, 60] {
        let cubes = [cube(cells, 1.0), cube(cells, 1.0 - 1.0 / 1024.0)];
        let cubes = cubes.each_ref();
        measure(&format!("cubes in cubes {cells}"), cubes, [still; 2]);
        measure(&format!("cubes in cubes {cells}, turned"), cubes, [askew; 2]);
    }
    let tubes = [rod(3_000, 1.0, -0.5, 0.5), rod(3_000, 1.0005, -0.6, 0.6)];
    measure("shaft in a hole 3000", tubes.each_ref(), [still; 2]);
    measure("shaft in a hole 3000, turned", tubes.each_ref(), [askew; 2]);
}
