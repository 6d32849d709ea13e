//! OFF, and mesh files that are divided into their objects.

use std::path::Path;

use closefit_geometry::scene::Scene;
use closefit_scene::read::{Format, InMemory, MeshFormat, ReadError, ReadOptions, read_bytes, read_from};

fn off(text: &str) -> Result<Scene, String> {
    read_bytes(Format::Mesh(MeshFormat::Off), "a.off", text.as_bytes()).map_err(|error| error.to_string())
}

const SQUARE: &str = "OFF # a comment
4 2 0

0 0 0 # the first
1 0 0
1 1 0
0 1 0
3 0 1 2 255 0 0
4 0 1 2 3 0.5 0.5 0.5 1
";

#[test]
fn polygons_are_read_with_or_without_colours() {
    let expected = [[0, 1, 2], [0, 1, 2], [0, 2, 3]];
    let triangles = |text: &str| off(text).unwrap().meshes[0].triangles().to_vec();
    assert_eq!(triangles(SQUARE), expected);
    for header in ["COFF\n4 2 0", "OFF 4 2 0", "OFF4 2 0", "STCNOFF\r\n4 2", "\u{feff}OFF\n# none\n4 2 0"] {
        assert_eq!(triangles(&SQUARE.replace("OFF # a comment\n4 2 0", header)), expected, "{header}");
    }
    let with_line = off(&SQUARE.replace("4 0 1 2 3 0.5", "2 0 1 0.5")).unwrap();
    assert_eq!(with_line.notes, ["faces of fewer than three corners left out (no surface): 1"]);
    let same = off(SQUARE).unwrap();
    let points: Vec<[f64; 3]> = same.meshes[0].vertices().iter().map(|p| p.to_array()).collect();
    assert_eq!(points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
}

/// The keyword without colours says that a vertex is three numbers, wherever lines end.
#[test]
fn vertices_may_share_lines() {
    let vertices = "\n0 0 0 # the first\n1 0 0\n1 1 0\n0 1 0\n";
    let points = |text: &str| off(text).map(|scene| scene.meshes[0].vertices().to_vec());
    let expected = points(SQUARE).unwrap();
    for lines in ["0 0 0 1 0 0\n1 1 0 0 1 0", "0 0 0 1 0 0 1 1 0 0 1 0", "0 0\n0 1 0 0 1 1\n\n0 0 1 0 # all"]
    {
        assert_eq!(
            points(&SQUARE.replace(vertices, &format!("{lines}\n"))).as_ref(),
            Ok(&expected),
            "{lines}"
        );
    }
    // Neither reading is whole.
    for (keyword, lines) in [
        ("OFF", "0 0 0 1 0 0\n1 1 0 0 1 0 5"),
        ("COFF", "0 0 0 1 0 0\n1 1 0 0 1 0"),
        ("OFF", "0 0 0 1 0 0\n1 1 0"),
    ] {
        let text = SQUARE.replace(vertices, &format!("{lines}\n")).replacen("OFF", keyword, 1);
        let expected = "a.off: end of file: face 0 of 2 should follow: the file is cut short";
        assert_eq!(points(&text).unwrap_err(), expected);
    }
}

#[test]
fn what_is_wrong_is_named() {
    let with = |from: &str, to: &str| SQUARE.replacen(from, to, 1);
    for (text, says) in [
        (with("OFF", "OOF"), "line 1: 'OOF' where 'OFF' should be"),
        (with("OFF # a comment", "OFF BINARY"), "line 1: binary OFF is not read: save it as text"),
        (with("OFF", "4OFF"), "line 1: '4OFF' has points of another dimension than three"),
        (with("4 2 0", "4"), "line 2: the number of faces is missing"),
        (with("4 2 0", "-4 2 0"), "line 2: '-4' is not a count"),
        (with("4 2 0", "99999999999 2"), "line 8: '3 0 1 2 255 0 0' where vertex"),
        (with("1 1 0", "1 nan 0"), "line 6: 'nan' is not a finite number"),
        (with("1 1 0", "1 1"), "line 6: only 2 of 3 coordinates"),
        (with("3 0 1 2", "3 0 1 4"), "line 8: the vertex index 4, but there are 4 vertices"),
        (with("3 0 1 2 255 0 0", "3 0 1"), "line 8: only 2 of 3 corners"),
        (with("4 2 0", "4 3 0"), "end of file: face 2 of 3 should follow: the file is cut short"),
        (with("4 2 0", "4 1 0"), "line 9: '4 0 1 2 3 0.5 0.5 0.5 1' after the last of 1 faces"),
        ("OFF\n1 0 0\n0 0 0\n".to_owned(), "it has points only"),
        ("OFF".to_owned(), "end of file: the counts should follow: the file is cut short"),
    ] {
        if says.ends_with("where vertex") {
            // A count that lies takes no memory: faces are read as vertices until the file ends.
            assert!(off(&text).unwrap_err().contains("vertex 6 of 99999999999 should follow"), "{text}");
            continue;
        }
        assert_eq!(off(&text).unwrap_err(), format!("a.off: {says}"));
    }
}

fn try_split(file: &str, text: &str) -> Result<Scene, ReadError> {
    let mut files = InMemory::default();
    files.insert(file, text.as_bytes()).unwrap();
    let options = ReadOptions { split: true, ..ReadOptions::default() };
    read_from(&files, &[Path::new(file)], &options)
}

fn split(file: &str, text: &str) -> Scene {
    try_split(file, text).unwrap()
}

/// Returns the name and the path of each part, and the corners of its triangles.
fn pieces(scene: &Scene) -> Vec<(&str, &str, Vec<[f64; 3]>)> {
    let piece = scene.parts.iter().map(|part| {
        let mesh = &scene.meshes[part.mesh.0 as usize];
        let corners = mesh.triangles().iter().flatten().map(|&v| mesh.vertices()[v as usize].to_array());
        (&*part.name, &*part.path, corners.collect())
    });
    piece.collect()
}

#[test]
fn objects_of_an_obj_and_solids_of_an_stl_are_parts() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let [p, x, y, z] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let objects = format!("{vertices}f 1 2 3\no lid\ng skin\nf 1 2 4\nf 4 2 1\no empty\no lid\nf 1 3 4\n");
    let expected = [
        ("box", "/box/box", vec![p, x, y]),
        ("lid", "/box/lid", vec![p, x, z, z, x, p]),
        ("lid", "/box/lid", vec![p, y, z]),
    ];
    assert_eq!(pieces(&split("box.obj", &objects)), expected);
    // Without objects, groups of the same name are one part.
    let groups = format!("{vertices}g a b\nf 1 2 3\ng\nf 1 2 4\ng a b\nf 1 3 4\n");
    let expected = [("a b", "/box/a b", vec![p, x, y, p, y, z]), ("box", "/box/box", vec![p, x, z])];
    assert_eq!(pieces(&split("box.obj", &groups)), expected);
    let solids = format!("{0}{0}", super::STL.replace("solid a\n", "solid a cap\n"));
    let expected = ("a cap", "/s/a cap", vec![p, x, y]);
    assert_eq!(pieces(&split("s.stl", &solids)), [expected.clone(), expected]);
    // Formats without objects stay one part.
    assert_eq!(split("a.off", SQUARE).parts.len(), 1);
}

#[test]
fn a_vertex_that_is_not_there_is_refused_before_it_is_split() {
    let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let ply = format!("{header}0 0 0\n1 0 0\n0 1 0\n3 0 1 9\n");
    let told = try_split("m.ply", &ply).unwrap_err().to_string();
    assert!(
        told.starts_with("m.ply: ") && told.ends_with("triangle 0 uses vertex 9, but there are 3 vertices"),
        "{told}"
    );
}
