//! Parts that cannot be read: all in one line, or left out; and joints that stand elsewhere than at 0.

use std::path::Path;

use closefit_geometry::scene::{LeftOut, Scene};
use closefit_scene::read::{InMemory, Motions, ReadOptions, read_from};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

fn read(files: &[(&str, &str)], options: &ReadOptions) -> Result<Scene, String> {
    let mut all = InMemory::default();
    for (path, text) in files {
        all.insert(path, *text).unwrap();
    }
    read_from(&all, &[Path::new(files[0].0)], options).map_err(|error| error.to_string())
}

fn leaving_out() -> ReadOptions {
    ReadOptions { allow_missing: true, ..ReadOptions::default() }
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.parts.iter().map(|part| &*part.name).collect()
}

#[test]
fn all_meshes_of_a_manifest_that_cannot_be_read_are_told() {
    let manifest = r#"{ "parts": [ { "name": "a", "mesh": "none.obj" }, { "name": "b", "mesh": "good.obj" },
        { "name": "c", "mesh": "bad.obj" }, { "name": "d", "mesh": "bad.obj" }, { "name": "e", "mesh": "good.obj" } ] }"#;
    let files = [("s.json", manifest), ("good.obj", TRIANGLE), ("bad.obj", "v 0 0\n")];
    let missing = "part 'a' (parts[0]): none.obj: cannot be read: No such file or directory (os error 2)";
    let [c, d] = [("c", 2), ("d", 3)]
        .map(|(name, at)| format!("part '{name}' (parts[{at}]): bad.obj: line 1: only 2 of 3 coordinates"));
    let all = format!("3: {missing}; {c}; {d}");
    assert_eq!(
        read(&files, &ReadOptions::default()).unwrap_err(),
        format!("s.json: parts that cannot be read: {all} (--allow-missing leaves them out)")
    );
    let scene = read(&files, &leaving_out()).unwrap();
    assert_eq!((names(&scene), scene.meshes.len()), (vec!["b", "e"], 1));
    assert_eq!(scene.left_out, LeftOut { parts: 3, ..LeftOut::default() });
    assert_eq!(scene.notes, [format!("s.json: parts left out, since they cannot be read: {all}")]);
    let one = [("s.json", r#"{ "parts": [ { "name": "a", "mesh": "none.obj" } ] }"#)];
    assert_eq!(
        read(&one, &ReadOptions::default()).unwrap_err(),
        format!("s.json: {missing} (--allow-missing leaves it out)")
    );
    let told = "s.json: it has no part with a surface: 1 cannot be read";
    assert_eq!(read(&one, &leaving_out()).unwrap_err(), told);
    // A scene that another places is read by the same rules.
    let placed =
        [&[("p.json", r#"{ "parts": [ { "name": "p", "scene": "s.json" } ] }"#)], &files[..]].concat();
    assert_eq!(read(&placed, &leaving_out()).unwrap().left_out.parts, 3);
}

#[test]
fn all_meshes_of_a_robot_that_cannot_be_read_are_told() {
    let link = |name: &str, mesh: &str| {
        format!(
            "<link name='{name}'><visual><geometry><mesh filename='{mesh}'/></geometry></visual></link>\n"
        )
    };
    let joint = |to: &str| {
        format!("<joint name='j{to}' type='fixed'><parent link='a'/><child link='{to}'/></joint>\n")
    };
    let links = [link("a", "good.obj"), link("b", "x.fbx"), link("c", "none.stl"), link("d", "good.obj")];
    let robot =
        format!("<robot name='r'>\n{}{}</robot>", links.concat(), ["b", "c", "d"].map(joint).concat());
    let files = [("r.urdf", &robot[..]), ("good.obj", TRIANGLE)];
    let all = "2: part 'b' (link, line 3): x.fbx: FBX is not read; convert the mesh to .stl, .obj or .ply; \
               part 'c' (link, line 4): none.stl: cannot be read: No such file or directory (os error 2)";
    assert_eq!(
        read(&files, &ReadOptions::default()).unwrap_err(),
        format!("r.urdf: parts that cannot be read: {all} (--allow-missing leaves them out)")
    );
    let scene = read(&files, &leaving_out()).unwrap();
    assert_eq!((names(&scene), scene.left_out.parts), (vec!["a/good", "d/good"], 2));
    assert_eq!(scene.robots[0].parts.len(), 2);
    assert_eq!(scene.notes, [format!("r.urdf: parts left out, since they cannot be read: {all}")]);
}

/// A document of nodes whose mesh is one triangle; the second and all below it, and the fourth, have scales
/// that change.
fn animated() -> String {
    // Three corners, two times, two scales.
    let numbers: [f32; 17] = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 1., 1., 1., 1., 2., 2., 2.];
    let bytes: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        let letters = (0..=three.len()).map(|i| char::from(digits[(bits >> (18 - 6 * i) & 63) as usize]));
        text.extend(letters);
    }
    format!(
        r#"{{ "asset": {{ "version": "2.0" }},
        "nodes": [ {{ "name": "a", "mesh": 0 }}, {{ "name": "b", "mesh": 0, "children": [2] }},
            {{ "name": "c", "mesh": 0 }}, {{ "name": "d", "mesh": 0 }} ],
        "meshes": [ {{ "primitives": [ {{ "attributes": {{ "POSITION": 0 }} }} ] }} ],
        "animations": [ {{ "samplers": [ {{ "input": 1, "output": 2 }} ], "channels": [
            {{ "sampler": 0, "target": {{ "node": 1, "path": "scale" }} }},
            {{ "sampler": 0, "target": {{ "node": 3, "path": "scale" }} }} ] }} ],
        "accessors": [ {{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }},
            {{ "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR" }},
            {{ "bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3" }} ],
        "bufferViews": [ {{ "buffer": 0, "byteLength": 36 }}, {{ "buffer": 0, "byteOffset": 36, "byteLength": 8 }},
            {{ "buffer": 0, "byteOffset": 44, "byteLength": 24 }} ],
        "buffers": [ {{ "byteLength": 68, "uri": "data:application/octet-stream;base64,{text}=" }} ] }}"#
    )
}

#[test]
fn all_parts_with_an_animated_scale_are_told() {
    let text = animated();
    let files = [("a.gltf", &text[..])];
    let [b, d] = [("b", 0, 1), ("d", 1, 3)].map(|(name, channel, node)| {
        format!(
            "part '{name}' (nodes[{node}]): animation 0, channel {channel} (scale): the scale changes from \
             [1.0, 1.0, 1.0] to [2.0, 2.0, 2.0]: a part is rigid"
        )
    });
    assert_eq!(
        read(&files, &ReadOptions::default()).unwrap_err(),
        format!("a.gltf: parts that cannot be read: 2: {b}; {d} (--allow-missing leaves them out)")
    );
    let scene = read(&files, &leaving_out()).unwrap();
    assert_eq!((names(&scene), scene.left_out.parts), (vec!["a"], 3));
    assert_eq!(scene.notes, [format!("a.gltf: parts left out, since they cannot be read: 2: {b}; {d}")]);
    // Where nothing needs to move, all parts stand, with or without the option.
    for allow_missing in [false, true] {
        let options = ReadOptions { motions: Motions::Noted, allow_missing, ..ReadOptions::default() };
        let scene = read(&files, &options).unwrap();
        assert_eq!((names(&scene), scene.left_out.parts), (vec!["a", "b", "c", "d"], 0));
        assert_eq!(
            scene.notes,
            [format!("a.gltf: motions left out, since they cannot be followed: 2; the first: {b}")]
        );
    }
}

#[test]
fn meshes_of_a_gltf_that_cannot_be_read_are_left_out() {
    let text = animated().replace(
        r#"] } ],
        "animations""#,
        r#"] }, { "primitives": [ { "attributes": {} } ] }, { "primitives": [ { "attributes": { "POSITION": 0 },
            "indices": 3 } ] } ],
        "animations""#,
    );
    let text = text.replace(r#""name": "b", "mesh": 0"#, r#""name": "b", "mesh": 1"#);
    let text = text.replace(r#""name": "d", "mesh": 0"#, r#""name": "d", "mesh": 2"#);
    let index = r#", { "bufferView": 2, "componentType": 5121, "count": 3, "type": "SCALAR" } ],
        "bufferViews""#;
    let text = text.replace(" ],\n        \"bufferViews\"", index);
    let options = ReadOptions { motions: Motions::Noted, ..leaving_out() };
    let scene = read(&[("a.gltf", &text[..])], &options).unwrap();
    assert_eq!((names(&scene), scene.meshes.len(), scene.left_out.parts), (vec!["a", "c"], 1, 2));
    let told =
        read(&[("a.gltf", &text[..])], &ReadOptions { motions: Motions::Noted, ..ReadOptions::default() });
    let told = told.unwrap_err();
    assert!(
        told.contains("part 'b' (nodes[1]): mesh 1, primitive 0: it has no POSITION; part 'd' (nodes[3])"),
        "{told}"
    );
}

#[test]
fn joints_stand_at_identity_or_at_the_limit_nearest_to_zero() {
    let robot = |kind: &str, limit: &str| {
        format!(
            "<robot name='r'><link name='a'><visual><geometry><mesh filename='t.obj'/></geometry></visual></link>
            <link name='b'><visual><geometry><mesh filename='t.obj'/></geometry></visual></link>
            <joint name='j' type='{kind}'><origin xyz='1 2 3'/><parent link='a'/><child link='b'/>{limit}</joint></robot>"
        )
    };
    let read = |kind: &str, limit: &str, trajectory: bool| {
        let robot = robot(kind, limit);
        let files = [("r.urdf", &robot[..]), ("t.obj", TRIANGLE), ("t.csv", "t_s,j\n0,1\n")];
        read(
            &files,
            &ReadOptions { trajectory: trajectory.then(|| "t.csv".into()), ..ReadOptions::default() },
        )
    };
    for kind in ["floating", "planar"] {
        let scene = read(kind, "", false).unwrap();
        assert_eq!(scene.parts[1].pose.shift().to_array(), [1.0, 2.0, 3.0]);
        assert_eq!(scene.notes, ["r.urdf: floating and planar joints that stand at identity: j"]);
        let told = read(kind, "", true).unwrap_err();
        assert_eq!(told, "r.urdf: t.csv: the header: the joint 'j' is floating or planar");
    }
    let shift = |limit: &str| {
        let scene = read("prismatic", limit, false).unwrap();
        let values = scene.robots[0].rest();
        let mut poses: Vec<_> = scene.parts.iter().map(|part| part.pose).collect();
        scene.robots[0].pose_parts(&values, &mut Vec::new(), &mut poses);
        assert_eq!(poses[1], scene.parts[1].pose, "every command poses it alike");
        (scene.parts[1].pose.shift().x - 1.0, scene.notes)
    };
    let told = |value: f64| vec![format!("r.urdf: the joint 'j' stands at {value}, its limit nearest to 0")];
    assert_eq!(shift("<limit lower='0.5' upper='2'/>"), (0.5, told(0.5)));
    assert_eq!(shift("<limit lower='-2' upper='-0.25'/>"), (-0.25, told(-0.25)));
    assert_eq!(shift("<limit lower='-2' upper='2'/>"), (0.0, Vec::new()));
    let moved = read("prismatic", "<limit lower='0.5' upper='2'/>", true).unwrap();
    assert_eq!((moved.parts[1].pose.shift().x, moved.notes.len()), (2.0, 0));
}

#[test]
fn visual_meshes_in_place_of_collision_geometry_are_told_apart() {
    let robot = |geometry: &str| {
        format!(
            "<robot name='r'><link name='a'><visual><geometry><mesh filename='good.obj'/></geometry></visual>{geometry}</link></robot>"
        )
    };
    let lacks = |geometry: &str, options: &ReadOptions| {
        let files = [("r.urdf", &*robot(geometry)), ("good.obj", TRIANGLE)];
        read(&files, options).unwrap().robots[0].lacks_collision
    };
    let collision = "<collision><geometry><mesh filename='good.obj'/></geometry></collision>";
    let asked = ReadOptions { collision_geometry: true, ..ReadOptions::default() };
    let if_any = ReadOptions { collision_if_any: true, ..ReadOptions::default() };
    assert!(lacks(collision, &ReadOptions::default()));
    assert!(!lacks(collision, &asked) && !lacks(collision, &if_any));
    assert!(!lacks("", &ReadOptions::default()) && !lacks("", &if_any));
}
