use glam::{DMat3, DVec3};
use num_rational::BigRational;

use super::*;
use crate::bvh::testing::{pose, shapes, soup};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::stretch;
use closefit_geometry::math::testing::Stream;
use closefit_geometry::mesh::Mesh;

/// Returns small squares along a path.
fn squares(places: impl Iterator<Item = DVec3>) -> Mesh {
    let square = |at: DVec3| {
        let [a, b, c, d] =
            [[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]].map(|[x, y]| at + DVec3::new(x, 0.1 * x, y));
        [[a, b, c], [a, c, d]]
    };
    soup(&places.flat_map(square).collect::<Vec<Triangle>>())
}

/// Returns a bar, an L, a ring, one triangle, one point often, a needle, and a mesh far from its origin.
fn meshes() -> Vec<Mesh> {
    let step = |i: u32| f64::from(i) * 0.5;
    let ring = |i: u32| DVec3::new((0.1 * f64::from(i)).cos(), (0.1 * f64::from(i)).sin(), 0.0) * 10.0;
    let bar = || (0..60).map(|i| DVec3::X * step(i));
    vec![
        squares(bar()),
        squares((0..30).flat_map(|i| [DVec3::X * step(i), DVec3::Y * step(i)])),
        squares((0..63).map(ring)),
        soup(&[[DVec3::X, DVec3::Y, DVec3::Z]]),
        soup(&[[DVec3::ONE; 3]; 20]),
        soup(&[[DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y * 1e-12], [DVec3::X, DVec3::X * 2.0, DVec3::X]]),
        squares(bar().map(|at| at + 1e9)),
        soup(&[
            [DVec3::ZERO, DVec3::X, DVec3::Y * 1e-200],
            [DVec3::ZERO, DVec3::Z * 1e-200, DVec3::Y * 1e-250],
        ]),
    ]
}

fn counts(counts: &[usize]) -> SphereCounts {
    SphereCounts::new(counts).expect("they rise from 1")
}

fn levels(mesh: &Mesh, numbers: &[usize]) -> SphereLevels {
    SphereLevels::of(mesh.vertices(), mesh.triangles(), &counts(numbers))
}

/// Returns the number of spheres of each level.
fn sizes(levels: &SphereLevels) -> Vec<usize> {
    let (mut sizes, mut level) = (Vec::new(), 0..1);
    while !level.is_empty() {
        sizes.push(level.len());
        level = levels.parts(level.start).start..levels.parts(level.end - 1).end;
    }
    sizes
}

fn is_inside(sphere: &Sphere, p: DVec3) -> bool {
    let exact = |x: f64| BigRational::from_float(x).expect("finite");
    let squared = |x: BigRational| &x * &x;
    let along = |k: usize| squared(exact(p[k]) - exact(sphere.center[k]));
    along(0) + along(1) + along(2) <= squared(exact(sphere.radius))
}

/// True if a posed triangle lies in spheres of all levels from this one on, each a part of the one before,
/// exactly.
fn is_covered(levels: &SphereLevels, posed: &PosedSpheres, sphere: usize, triangle: &Triangle) -> bool {
    let mut parts = levels.parts(sphere);
    triangle.iter().all(|&p| is_inside(&posed.sphere(sphere), p))
        && (parts.is_empty() || parts.any(|part| is_covered(levels, posed, part, triangle)))
}

fn is_valid(levels: &SphereLevels, mesh: &Mesh) -> bool {
    levels.validate(mesh.vertices(), mesh.triangles()).is_ok()
}

#[test]
fn every_triangle_is_in_a_sphere_of_each_level() {
    let mut stream = Stream(1);
    for mesh in meshes().into_iter().chain((0..50).map(|_| shapes(&mut stream))) {
        for numbers in [&[1][..], &[1, 9], &[1, 2, 3, 50], &[1, 8, 64]] {
            let levels = levels(&mesh, numbers);
            assert!(is_valid(&levels, &mesh));
            let sizes = sizes(&levels);
            assert!(sizes.iter().zip(numbers).all(|(size, most)| size <= most), "{sizes:?} {numbers:?}");
            assert_eq!(sizes.iter().sum::<usize>(), levels.spheres.len());
        }
    }
}

#[test]
fn levels_have_as_many_spheres_as_asked_if_there_are_triangles() {
    let meshes = meshes();
    for mesh in &meshes[..3] {
        assert_eq!(sizes(&levels(mesh, &[1, 8, 40])), [1, 8, 40]);
    }
    let tiny = 2;
    assert_eq!(sizes(&levels(&meshes[3], &[1, 8])), [1]);
    assert_eq!(sizes(&levels(&meshes[4], &[1, 8])), [1], "one point");
    assert_eq!(sizes(&levels(&meshes[5], &[1, 8, 64])), [1, tiny]);
}

/// Spheres of a bar become smaller in proportion to their number, and two heaps are told apart.
#[test]
fn spheres_follow_the_shape() {
    let meshes = meshes();
    let bar = levels(&meshes[0], &[1, 6, 30]);
    let radii = |range: Range<usize>| bar.spheres[range].iter().map(|s| s.radius).fold(0.0, f64::max);
    assert!(radii(1..7) < 0.25 * bar.spheres[0].radius && radii(7..37) < 0.06 * bar.spheres[0].radius);
    let mut stream = Stream(5);
    let heaps: Vec<Triangle> = (0..40)
        .map(|i| [(); 3].map(|()| stream.point() + DVec3::X * if i % 3 == 0 { 20.0 } else { 0.0 }))
        .collect();
    let heaps = levels(&soup(&heaps), &[1, 2]);
    assert!(heaps.spheres[1..].iter().all(|sphere| sphere.radius < 0.2), "{:?}", heaps.spheres);
}

#[test]
fn posed_spheres_contain_posed_vertices() {
    let mut stream = Stream(2);
    let far = [0.0, 1.0, 1e9];
    for mesh in meshes() {
        let levels = levels(&mesh, &[1, 4, 10]);
        for case in 0..20 {
            let mut at = match case {
                0 => Pose::scaling([0.0; 3]),
                1 => Pose::scaling([0.0, 1.0, -2.0]),
                _ => pose(&mut stream),
            };
            let (unit, by) = (2f64.powi(stream.pick(&[0, 0, -150, 100])), stream.pick(&far));
            if case % 5 == 4 {
                at.rows[0][1] += 3.0;
            }
            for row in &mut at.rows {
                row[3] += by * stream.signed();
                row.iter_mut().for_each(|x| *x *= unit);
            }
            let posed = levels.at(&at);
            let count = mesh.triangles().len() as u32;
            for triangle in (0..count).step_by(5).map(|t| mesh.corners(t).map(|v| at.apply(v))) {
                assert!(is_covered(&levels, &posed, 0, &triangle), "{at:?} {triangle:?}");
            }
            // Not much larger than the image can be.
            let size = Aabb::of(mesh.vertices().iter().map(|&v| at.apply(v))).diagonal();
            let [a, b, c] = at.rows.map(|m| m[0].abs() + m[1].abs() + m[2].abs());
            let most = 1.5 * size.max(a.max(b).max(c) * levels.spheres[0].radius * levels.frame.unit);
            let rounding =
                1e-13 * (at.shift().abs().max_element() + a.max(b).max(c) * levels.largest_coordinate);
            assert!(posed.sphere(0).radius <= most + rounding + 1e-58, "{at:?} {:?}", posed.sphere(0));
        }
    }
}

/// Sizes of meshes whose coordinates or poses are at the ends of the range.
#[test]
fn tiny_and_huge_meshes() {
    for (power, scale) in [(-150, 0), (150, 0), (-600, 500), (1000, -900), (-1000, 0)] {
        let unit = 2f64.powi(power);
        let bar = squares((0..20).map(|i| DVec3::X * f64::from(i)));
        let mesh = bar.moved(|v| v * unit);
        let levels = levels(&mesh, &[1, 5]);
        assert!(is_valid(&levels, &mesh));
        let at = Pose::scaling([2f64.powi(scale); 3]);
        let posed = levels.at(&at);
        for t in 0..mesh.triangles().len() as u32 {
            assert!(is_covered(&levels, &posed, 0, &mesh.corners(t).map(|v| at.apply(v))));
        }
    }
}

#[test]
fn what_is_farther_from_a_box_is_so_exactly() {
    let exact = |x: f64| BigRational::from_float(x).expect("finite");
    let mut stream = Stream(3);
    let mut farther = 0;
    for _ in 0..2000 {
        let unit = 2f64.powi(stream.pick(&[0, -150, 150]));
        let sphere = Sphere { center: stream.point() * unit, radius: stream.signed().abs() * unit };
        let corner = stream.point() * 3.0 * unit;
        let b = Aabb { lo: corner, hi: corner + (stream.point() + 1.0) * unit };
        // Reaches next to the distance of the two.
        let closest = sphere.center.max(b.lo).min(b.hi);
        let distance = (closest.distance(sphere.center) - sphere.radius).max(0.0);
        for reach in [0.0, distance, distance * (1.0 + 1e-15), distance * (1.0 - 1e-15), distance * 0.99] {
            let along = |k: usize| exact(closest[k]) - exact(sphere.center[k]);
            let squared: BigRational = (0..3).map(|k| along(k) * along(k)).sum();
            let within = exact(sphere.radius) + exact(reach);
            let is_farther = squared > &within * &within;
            assert!(!sphere.is_farther(&b, reach) || is_farther, "{sphere:?} {b:?} {reach}");
            farther += u32::from(sphere.is_farther(&b, reach));
        }
        assert!(distance == 0.0 || sphere.is_farther(&b, 0.999 * distance));
        assert!(!sphere.is_farther(&b, f64::INFINITY));
        for radius in [f64::INFINITY, f64::NAN] {
            assert!(!Sphere { radius, ..sphere }.is_farther(&b, 0.0));
        }
    }
    assert!(farther > 1000, "{farther}");
}

#[test]
fn no_length_grows_by_more_than_the_stretch() {
    let mut stream = Stream(4);
    for case in 0..500 {
        let unit = 2f64.powi(stream.pick(&[0, 0, -600, 190, -1060]));
        let is_sheared = case % 2 == 0;
        let linear = if is_sheared {
            DMat3::from_cols(stream.point(), stream.point() * stream.pick(&[0.0, 1.0, 1e-9]), stream.point())
        } else {
            pose(&mut stream).linear()
        } * unit;
        let bound = stretch(&linear);
        let exact = |x: f64| BigRational::from_float(x).expect("finite");
        for _ in 0..20 {
            let v = stream.point();
            let columns = columns_of(&linear).map(|column| column.to_array());
            let image = |i: usize| (0..3).map(|k| exact(columns[k][i]) * exact(v[k])).sum::<BigRational>();
            let squared: BigRational = (0..3).map(|i| image(i) * image(i)).sum();
            let length: BigRational = (0..3).map(|k| exact(v[k]) * exact(v[k])).sum();
            assert!(squared <= exact(bound) * exact(bound) * length, "{linear:?} {v:?}");
        }
        let longest = columns_of(&linear).map(DVec3::length).into_iter().fold(0.0, f64::max);
        assert!(unit < 1e-100 || bound <= 3f64.sqrt() * 3f64.sqrt() * longest * (1.0 + 1e-14));
    }
    assert_eq!(stretch(&DMat3::ZERO), 0.0);
    assert!(stretch(&DMat3::from_rotation_x(0.3)) < 1.0 + 1e-14, "tight for rotations");
}

fn columns_of(linear: &DMat3) -> [DVec3; 3] {
    [linear.x_axis, linear.y_axis, linear.z_axis]
}

/// A sphere that is too small, or elsewhere, is noticed, unless the spheres next to it contain its
/// triangles too.
#[test]
fn faults_are_found() {
    for mesh in &meshes()[..3] {
        let levels = levels(mesh, &[1, 8, 40]);
        let mut found = 0;
        for fault in 0..levels.spheres.len() {
            let mut shrunk = levels.clone();
            shrunk.spheres[fault].radius *= 0.5;
            let mut moved = levels.clone();
            moved.spheres[fault].center += 3.0;
            found += usize::from(!is_valid(&moved, mesh)) + usize::from(!is_valid(&shrunk, mesh));
        }
        assert!(10 * found > 8 * 2 * levels.spheres.len(), "{found} of {}", 2 * levels.spheres.len());
        for (place, first) in [(0, 0), (0, 2), (1, 50), (9, 50), (49, 48)] {
            let mut wrong = levels.clone();
            wrong.first_part[place] = first;
            assert!(!is_valid(&wrong, mesh), "{place} {first}");
        }
    }
}

#[test]
fn numbers_of_spheres_rise_from_one() {
    assert!([&[1][..], &[1, 2], &[1, 8, 64]].into_iter().all(|numbers| SphereCounts::new(numbers).is_ok()));
    let many: Vec<usize> = (1..=17).collect();
    for refused in [&[][..], &[0], &[2], &[1, 1], &[1, 8, 4], &many] {
        let error = SphereCounts::new(refused).expect_err("they do not").to_string();
        let expected =
            format!("numbers of spheres must rise from 1, in at most 16 levels: found {refused:?}");
        assert_eq!(error, expected);
    }
}
