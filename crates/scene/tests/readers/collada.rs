//! COLLADA as a scene, and as the mesh of a robot.

use std::path::Path;

use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::{Scene, Up};
use closefit_geometry::units::Unit;
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use glam::DVec3;
use proptest::prelude::*;

/// A square of two triangles, a quadrilateral and a strip over the same points, and lines; placed three
/// times.
const SCENE: &str = r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit name="inch" meter="0.5"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries>
  <geometry id="g"><mesh>
   <source id="p"><float_array id="p-array" count="15">0 0 0 9 1 0 0 9 1 1 0 9 0 1 0</float_array>
    <technique_common><accessor source="#p-array" count="4" stride="4"/></technique_common></source>
   <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
   <triangles count="9"><input semantic="NORMAL" source="#n" offset="1"/><input semantic="VERTEX" source="#v" offset="0"/>
    <p>0 7 1 7 2 7 0 7 2 7 3 7</p></triangles>
   <polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
   <tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 3 2</p></tristrips>
   <polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></polygons>
   <trifans count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></trifans>
   <lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>
  </mesh></geometry>
  <geometry id="h"><mesh>
   <source id="p"><float_array id="p-array" count="9">5 0 0 6 0 0 5 1 0</float_array></source>
   <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
   <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
  </mesh></geometry>
 </library_geometries>
 <library_nodes><node id="bolt" name="Bolt"><instance_geometry url="#h"/></node></library_nodes>
 <library_visual_scenes><visual_scene id="s">
  <node id="frame" name="Frame">
   <translate>1 2 3</translate><rotate>0 0 2 90</rotate><scale>2 2 2</scale>
   <instance_geometry url="#g"/>
   <node id="inner"><matrix>1 0 0 10 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"/>
    <instance_node url="#bolt"/></node>
  </node>
  <node id="skin"><instance_controller url="#x"/></node>
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"##;

fn read(files: &[(&str, &[u8])]) -> Result<Scene, String> {
    let mut all = InMemory::default();
    for (path, bytes) in files {
        all.insert(path, *bytes).unwrap();
    }
    let options = ReadOptions { memory: Some(1 << 28), ..ReadOptions::default() };
    read_from(&all, &[Path::new(files[0].0)], &options).map_err(|error| error.to_string())
}

fn read_text(text: &str) -> Result<Scene, String> {
    read(&[("a.dae", text.as_bytes())])
}

#[test]
fn instances_of_the_node_tree_are_parts() {
    let scene = read_text(SCENE).unwrap();
    let names: Vec<(&str, &str)> = scene.parts.iter().map(|part| (&*part.name, &*part.path)).collect();
    assert_eq!(names, [("Frame", "/Frame"), ("inner", "/Frame/inner"), ("Bolt", "/Frame/inner/Bolt")]);
    assert_eq!((scene.unit, scene.up, scene.meshes.len()), (Some(Unit::M), Some(Up::Z), 2));
    let triangles = scene.meshes[0].triangles();
    assert_eq!(triangles.len(), 2 + 2 + 2 + 1 + 2);
    assert_eq!(triangles[4..6], [[0, 1, 3], [3, 1, 2]], "the second of a strip is turned");
    let jumps = read_text(&SCENE.replace("<p>0 1 3 2</p></tristrips>", "<p>0 1 3 3 1 1 3 2</p></tristrips>"))
        .unwrap();
    assert_eq!(jumps.meshes[0].triangles(), triangles, "a strip jumps by repeated corners");
    let notes = [
        "a.dae: nodes with a skin or morph targets left out: 1",
        "a.dae: lists of lines left out (no surface): 1",
    ];
    assert_eq!(scene.notes, notes);
    // Of p in the file: half of (1, 2, 3) + a quarter turn about z of 2 p.
    let at = |part: usize, p: DVec3| scene.parts[part].pose.apply(p);
    let expected = |p: DVec3| 0.5 * (DVec3::new(1.0, 2.0, 3.0) + 2.0 * DVec3::new(-p.y, p.x, p.z));
    for p in [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -2.0, 7.0)] {
        assert!(at(0, p).distance(expected(p)) < 1e-12);
        assert!(at(2, p).distance(expected(p + 10.0 * DVec3::X)) < 1e-12);
    }
    let turned = read_text(&SCENE.replace("Z_UP", "X_UP")).unwrap();
    let (x, up) = (turned.parts[0].pose.apply(DVec3::ZERO), turned.up);
    assert!(x.distance(0.5 * DVec3::new(-2.0, 1.0, 3.0)) < 1e-12 && up == Some(Up::Y));
}

#[test]
fn files_with_other_axes_up_are_noted() {
    let mut all = InMemory::default();
    for (path, up) in [("z.dae", "Z_UP"), ("also.dae", "Z_UP"), ("y.dae", "Y_UP")] {
        all.insert(path, SCENE.replace("Z_UP", up)).unwrap();
    }
    // Of robots, z is.
    let link = "<link name='a'><visual><geometry><mesh filename='z.dae'/></geometry></visual></link>";
    all.insert("r.urdf", format!("<robot name='r'>{link}</robot>")).unwrap();
    let read = |paths: &[&str]| {
        let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
        let scene = read_from(&all, &paths, &ReadOptions::default()).unwrap();
        (scene.up, scene.notes.into_iter().find(|note| note.contains("up")))
    };
    assert_eq!(read(&["z.dae", "also.dae"]), (Some(Up::Z), None));
    let note = "y.dae: y is up, but z before it: nothing is turned".to_owned();
    assert_eq!(read(&["z.dae", "y.dae"]), (Some(Up::Z), Some(note.clone())));
    assert_eq!(read(&["r.urdf", "y.dae"]), (Some(Up::Z), Some(note)));
    let note = "r.urdf: z is up, but y before it: nothing is turned".to_owned();
    assert_eq!(read(&["y.dae", "r.urdf"]), (Some(Up::Y), Some(note)));
}

#[test]
fn a_file_is_one_mesh_of_a_robot() {
    let link =
        "<link name='a'><visual><geometry><mesh filename='a.dae' scale='2 2 2'/></geometry></visual></link>";
    let robot = format!("<robot name='r'>{link}</robot>");
    let alone = read_text(SCENE).unwrap();
    for up in ["Z_UP", "X_UP"] {
        let text = SCENE.replace("Z_UP", up);
        let scene = read(&[("r.urdf", robot.as_bytes()), ("a.dae", text.as_bytes())]).unwrap();
        assert_eq!((&*scene.parts[0].name, scene.parts.len(), scene.meshes.len()), ("a/a", 1, 1));
        assert_eq!(scene.meshes[0].triangles().len(), 9 + 9 + 1);
        let all = alone.parts.iter().map(|part| alone.meshes[part.mesh.index()].posed_bounds(&part.pose));
        let bounds = all.reduce(|a, b| a.union(b)).unwrap();
        assert_eq!(scene.meshes[0].posed_bounds(&Pose::IDENTITY), bounds, "along the axes of the file");
        assert!(
            scene.notes.iter().any(|note| note.starts_with("r.urdf: a.dae: lists of lines")),
            "{:?}",
            scene.notes
        );
    }
}

#[test]
fn a_library_without_a_scene_is_taken() {
    let text =
        SCENE.replace("instance_geometry url", "nothing url").replace("instance_controller", "nothing");
    let scene = read_text(&text).unwrap();
    assert_eq!(scene.parts.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["g", "h"]);
    assert_eq!(scene.notes[0], "a.dae: its scene has no geometry, so the library's are taken");
}

#[test]
fn faults_name_the_element_and_the_value() {
    for (from, to, says) in [
        ("<COLLADA", "<scene><COLLADA", "XML"),
        ("#s\"/></scene>", "#gone\"/></scene>", "there is no <visual_scene> 'gone'"),
        ("url=\"#h\"", "url=\"#gone\"", "part 'Bolt' (node, line 23): url: there is no <geometry> 'gone'"),
        ("url=\"#h\"", "url=\"b.dae#h\"", "'b.dae#h' is in another file, which is not read"),
        ("0 0 0 9 1", "0 0 zero 9 1", "source 'p': 'zero' is not a number"),
        ("0 0 0 9 1", "0 0 nan 9 1", "source 'p': 'nan' is not a finite number"),
        ("0 1 0</float_array>", "0 1</float_array>", "source 'p': its last point is cut short"),
        ("stride=\"4\"", "stride=\"2\"", "source 'p': its points have 2 coordinates"),
        ("stride=\"4\"", "stride=\"-4\"", "stride: '-4' is not a count"),
        ("0 7 2 7 3 7", "0 7 2 7 4 7", "p: vertex 4, but there are 4"),
        ("0 7 2 7 3 7", "0 7 2 7 4294967296 7", "p: vertex 4294967296, but there are 4"),
        ("0 7 2 7 3 7", "0 7 2 7", "p: 5 corners are not three for each triangle"),
        ("0 7 2 7 3 7", "0 7 2 7 3", "p: 11 indices are not 2 for each corner"),
        ("<vcount>4", "<vcount>5", "vcount: a polygon has 5 corners, but 4 are left"),
        ("<vcount>4", "<vcount>99999999999999999999", "'99999999999999999999' is not a count"),
        ("offset=\"1\"", "offset=\"4000000000\"", "offset: 4000000000; the limit is 1024"),
        ("<p>0 1 2</p>", "<ph><p>0 1 2</p><h>0 1 2</h></ph>", "a polygon with holes (<ph>) is not supported"),
        ("semantic=\"POSITION\"", "semantic=\"COLOR\"", "vertices: it has no input POSITION"),
        ("<translate>1 2 3", "<translate>1 2", "translate: it has 2 numbers instead of 3"),
        ("<translate>1 2 3", "<translate>1,5 2 3", "translate: '1,5' is not a number"),
        ("<rotate>0 0 2", "<rotate>0 0 0", "rotate: the axis [0, 0, 0] has no direction"),
        ("<rotate>0 0 2", "<rotate>0 0 1e-200", "rotate: the axis [0, 0, 1e-200] has no direction"),
        ("0 0 0 1</matrix>", "0 0 1 1</matrix>", "matrix: its last row is"),
        ("meter=\"0.5\"", "meter=\"0\"", "unit: 0 m is no length"),
        ("meter=\"0.5\"", "meter=\"1e400\"", "'1e400' is not a finite number"),
        ("<scale>2 2 2", "<scale>2e300 2 2e300", "the world matrix has the entry"),
        ("</library_nodes>", "<node id=\"loop\"><instance_node url=\"#loop\"/></node></library_nodes>", ""),
        (
            "<instance_geometry url=\"#h\"/>",
            "<instance_node url=\"#bolt\"/>",
            "the node 'bolt' is part of itself",
        ),
    ] {
        assert!(SCENE.contains(from), "{from}");
        let text = SCENE.replacen(from, to, 1);
        let text = if to.contains("1e300") || to.contains("2e300") {
            text.replace("10 0 1 0", "1e300 0 1 0").replace("meter=\"0.5\"", "meter=\"1e300\"")
        } else {
            text
        };
        match read_text(&text) {
            Ok(_) => assert_eq!(says, "", "{to}"),
            Err(told) => {
                assert!(!says.is_empty() && told.contains(says), "{to}: {told}");
                assert_eq!(told.lines().count(), 1);
            }
        }
    }
}

/// A file in which each node stands for two of the next.
fn doubling(levels: usize) -> String {
    let node = |level: usize| {
        let next = level + 1;
        format!("<node id='n{level}'><instance_node url='#n{next}'/><instance_node url='#n{next}'/></node>")
    };
    let nodes: String = (0..levels).map(node).collect();
    let last = format!("<node id='n{levels}'><instance_geometry url='#g'/></node>");
    SCENE.replace("<library_nodes>", &format!("<library_nodes>{nodes}{last}")).replace("#bolt", "#n0")
}

#[test]
fn hostile_files_end_in_one_line() {
    let told = read_text(&doubling(40)).unwrap_err();
    assert!(told.contains("memory") || told.contains("more than"), "{told}");
    assert!(read_text(&doubling(64)).unwrap_err().contains("within each other"));
    assert_eq!(read_text(&doubling(3)).unwrap().parts.len(), 2 + 8);
    for depth in [1000, 200_000] {
        let text = SCENE.replace(
            "<node id=\"inner\">",
            &format!("<node id=\"inner\">{}{}", "<node>".repeat(depth), "</node>".repeat(depth)),
        );
        if let Err(told) = read_text(&text) {
            assert_eq!(told.lines().count(), 1);
        }
    }
    for tenth in 0..10 {
        let told = read(&[("a.dae", &SCENE.as_bytes()[..SCENE.len() * tenth / 10])]).unwrap_err();
        assert_eq!(told.lines().count(), 1, "{told}");
    }
    let huge = SCENE
        .replace("count=\"15\"", "count=\"4000000000000\"")
        .replace("count=\"9\"", "count=\"1000000000\"");
    assert!(read_text(&huge).is_ok(), "counts decide nothing");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1000), ..ProptestConfig::default() })]
    #[test]
    fn damaged_files_end_in_one_line(at in 0..SCENE.len(), byte: u8, more in 0..SCENE.len(), cut in 0..40_usize) {
        let bytes = crate::damaged(SCENE, (at, byte), (more, cut));
        if let Err(told) = read(&[("a.dae", &bytes)]) {
            prop_assert_eq!(told.lines().count(), 1);
        }
    }
}
