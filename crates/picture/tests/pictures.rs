//! Pictures of made scenes, measured.

use closefit_geometry::ids::{MeshId, PartId};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::{Part, Scene};
use closefit_picture::{Dot, Finding, Kind, Mode, Picture, Stage};
use glam::DVec3;

const SHARED: [u8; 3] = [0xff, 0xdd, 0x28];

/// The triangles of a box from 0 to 1, outwards.
const CUBE: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

fn cube(triangles: &[[u32; 3]]) -> Mesh {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
    Mesh::new(&(0..8).map(corner).collect::<Vec<_>>(), triangles).expect("a cube")
}

fn block(size: [f64; 3], at: [f64; 3]) -> Pose {
    let row = |k: usize| {
        let mut row = [0.0, 0.0, 0.0, at[k]];
        row[k] = size[k];
        row
    };
    Pose { rows: [row(0), row(1), row(2)] }
}

fn scene(meshes: Vec<Mesh>, parts: &[(usize, Pose)]) -> Scene {
    let part = |&(mesh, pose): &(usize, Pose)| Part::new("block", MeshId(mesh as u32), pose);
    Scene {
        meshes: meshes.into_iter().map(Into::into).collect(),
        parts: parts.iter().map(part).collect(),
        ..Scene::default()
    }
}

/// A block of 4 x 4 x 4 with a bar of 1 x 1 across that reaches 2 into it.
fn bar_in_block() -> (Scene, Finding) {
    let scene = scene(
        vec![cube(&CUBE)],
        &[(0, block([4.0; 3], [0.0; 3])), (0, block([5.0, 1.0, 1.0], [-3.0, 1.5, 1.5]))],
    );
    let finding = Finding {
        parts: [PartId(0), PartId(1)],
        kind: Kind::Overlap,
        measure: Some([DVec3::new(2.0, 2.5, 2.5), DVec3::new(2.0, 4.0, 2.5)]),
        bounds: [DVec3::new(0.0, 1.5, 1.5), DVec3::new(2.0, 2.5, 2.5)],
        label: "1.5 m".to_owned(),
    };
    (scene, finding)
}

fn count(picture: &Picture, colour: [u8; 3]) -> usize {
    picture.pixels().iter().filter(|&&pixel| pixel == colour).count()
}

/// The area of what is yellow is that of the overlap in the plane of the section, as it appears in the view.
#[test]
fn a_section_shows_the_overlap_in_its_size() {
    let (scene, finding) = bar_in_block();
    let stage = Stage::new(&scene);
    let view = stage.view(&finding);
    assert_eq!((view.mode, view.detail), (Mode::Section, None));
    let plane = view.plane.expect("a section has a plane");
    // The dimension lies in the plane, or parallel to it.
    assert!(plane.normal.dot(DVec3::Y).abs() < 1e-12);
    let picture = stage.draw(&finding, &view, [800, 600]);
    let pixel = view.height / 600.0;
    // The bar is 2 long and 1 wide; an end face shows 1 by 1.
    let along = plane.normal.dot(DVec3::X).abs();
    let area = if along > 0.99 { 1.0 } else { 2.0 };
    let seen = area * plane.normal.dot(view.direction).abs();
    let drawn = count(&picture, SHARED) as f64 * pixel * pixel;
    // The dimension line and pixels on the outline are not yellow.
    assert!(drawn < seen * 1.01 && drawn > seen * 0.8, "{drawn} of {seen}");
}

#[test]
fn nothing_is_yellow_but_an_overlap() {
    let (scene, finding) = bar_in_block();
    let stage = Stage::new(&scene);
    for kind in [Kind::Gap, Kind::Meeting] {
        let finding = Finding { kind, ..finding.clone() };
        let picture = stage.draw(&finding, &stage.view(&finding), [400, 300]);
        assert_eq!(count(&picture, SHARED), 0, "{kind:?}");
    }
}

#[test]
fn a_gap_shows_both_parts() {
    let scene =
        scene(vec![cube(&CUBE)], &[(0, block([4.0; 3], [0.0; 3])), (0, block([3.0; 3], [4.25, 0.5, 0.5]))]);
    let ends = [DVec3::new(4.0, 1.0, 1.0), DVec3::new(4.25, 1.0, 1.0)];
    let finding = Finding {
        parts: [PartId(0), PartId(1)],
        kind: Kind::Gap,
        measure: Some(ends),
        bounds: ends,
        label: "0.25 m".to_owned(),
    };
    let stage = Stage::new(&scene);
    let view = stage.view(&finding);
    assert_eq!(view.mode, Mode::Section);
    let picture = stage.draw(&finding, &view, [400, 300]);
    let orange = picture.pixels().iter().filter(|p| p[0] > p[2].saturating_add(40)).count();
    let blue = picture.pixels().iter().filter(|p| p[2] > p[0].saturating_add(40)).count();
    assert!(orange > 2_000 && blue > 2_000, "{orange} and {blue} of 120000 pixels");
}

/// The inside of a block without a side cannot be told, so it is not cut.
#[test]
fn open_parts_are_seen_through_instead_of_cut() {
    let (mut scene, finding) = bar_in_block();
    scene.meshes.push(cube(&CUBE[2..]).into());
    scene.parts[0].mesh = MeshId(1);
    let stage = Stage::new(&scene);
    let view = stage.view(&finding);
    assert_eq!(view.mode, Mode::XRay);
    stage.draw(&finding, &view, [400, 300]);
}

/// A short dimension is shown in a circle, with yellow in it.
#[test]
fn a_short_dimension_gets_a_closer_look() {
    let scene = scene(
        vec![cube(&CUBE)],
        &[(0, block([4.0; 3], [0.0; 3])), (0, block([4.0, 4.0, 4.0], [3.99, 0.5, 0.5]))],
    );
    let finding = Finding {
        parts: [PartId(0), PartId(1)],
        kind: Kind::Overlap,
        measure: Some([DVec3::new(3.99, 2.0, 2.0), DVec3::new(4.0, 2.0, 2.0)]),
        bounds: [DVec3::new(3.99, 0.5, 0.5), DVec3::new(4.0, 4.0, 4.0)],
        label: "0.01 m".to_owned(),
    };
    let stage = Stage::new(&scene);
    let view = stage.view(&finding);
    assert!(view.detail.is_some());
    let picture = stage.draw(&finding, &view, [400, 300]);
    assert!(count(&picture, SHARED) > 600, "{}", count(&picture, SHARED));
}

/// A decoder reads the picture from the file, whose bytes are the same on every run.
#[test]
fn a_file_holds_the_picture() {
    let (scene, finding) = bar_in_block();
    let stage = Stage::new(&scene);
    let view = stage.view(&finding);
    let picture = stage.draw(&finding, &view, [400, 300]);
    let bytes = picture.png();
    assert_eq!(bytes, stage.draw(&finding, &view, [400, 300]).png());
    let mut decoder = png::Decoder::new(std::io::Cursor::new(&bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a header");
    let mut read = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut read).expect("the pixels");
    let distinct: std::collections::HashSet<_> = picture.pixels().iter().collect();
    assert!(distinct.len() <= 256, "{} colours", distinct.len());
    assert_eq!(read, picture.pixels().concat());
    assert!(bytes.len() < 6_000, "{} bytes", bytes.len());
}

#[test]
fn a_whole_scene_has_a_dot_per_finding() {
    let (scene, _) = bar_in_block();
    let stage = Stage::new(&scene);
    let view = stage.whole_view();
    let dots = [Dot { at: DVec3::new(1.0, 2.0, 2.0), kind: Kind::Overlap }];
    let with = stage.draw_whole(&view, &dots, [400, 300]);
    let without = stage.draw_whole(&view, &[], [400, 300]);
    assert_eq!(count(&without, SHARED), 0);
    // A disc with a radius of five pixels.
    assert!((60..90).contains(&count(&with, SHARED)), "{}", count(&with, SHARED));
    // The scene fits into the picture.
    let [width, height] = without.size();
    let paper = without.pixels()[0];
    let is_rim = |i: usize| {
        i.is_multiple_of(width) || i % width == width - 1 || i < width || i >= width * (height - 1)
    };
    assert!((0..width * height).filter(|&i| is_rim(i)).all(|i| without.pixels()[i] == paper));
}

/// Empty boxes, points instead of parts, and huge or tiny coordinates give pictures, not panics.
#[test]
fn degenerate_findings_are_drawn() {
    for scale in [1e-50, 1e-9, 1.0, 1e12, 1e50] {
        let pose = |x: f64| block([scale; 3], [x * scale, 0.0, 0.0]);
        let flat = block([scale, scale, 0.0], [0.0; 3]);
        let scene = scene(vec![cube(&CUBE)], &[(0, pose(0.0)), (0, pose(0.5)), (0, flat)]);
        let stage = Stage::new(&scene);
        let point = DVec3::splat(0.5 * scale);
        for kind in [Kind::Overlap, Kind::Gap, Kind::Meeting] {
            for measure in [None, Some([point; 2]), Some([point, point + DVec3::X * 0.5 * scale])] {
                for parts in [[PartId(0), PartId(1)], [PartId(1), PartId(2)]] {
                    let finding = Finding { parts, kind, measure, bounds: [point; 2], label: "?".to_owned() };
                    let view = stage.view(&finding);
                    assert!(view.height > 0.0 && view.direction.is_finite() && view.up.is_finite());
                    stage.draw(&finding, &view, [64, 48]);
                }
            }
        }
    }
}
