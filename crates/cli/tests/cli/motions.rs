//! Motions of scenes: manifests and glTF animations. The poses of parts at a time are computed here
//! independently, from the file's own numbers.

use std::f64::consts::FRAC_PI_2;
use std::process::Command;

use closefit::Pose;
use closefit::scene::Scene;
use closefit_scene::read::{Format, Motions, ReadOptions, read, read_bytes};
use closefit_testing::command::program_path;
use closefit_testing::fixtures::*;
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};

fn manifest(parts: Value) -> Scene {
    let folder = Folder::new();
    folder.put("bolt.stl", tetrahedron_stl());
    read_one(folder.put("asm.json", json!({ "parts": parts }).to_string())).unwrap()
}

fn turned(axis: DVec3, angle: f64) -> [f64; 4] {
    DQuat::from_axis_angle(axis, angle).to_array()
}

#[test]
fn a_manifest_moves_parts_and_their_children() {
    let scene = manifest(json!([
        { "name": "base", "pose": { "translation": [1, 2, 3] } },
        { "name": "arm", "parent": "base", "motion": { "keyframes": [
            { "time": 1 },
            { "time": 3, "rotation": turned(DVec3::Z, FRAC_PI_2), "translation": [2, 0, 0] } ] } },
        { "name": "hand", "parent": "arm", "mesh": "bolt.stl", "pose": { "translation": [0, 1, 0] } },
        { "name": "crane", "mesh": "bolt.stl", "motion": { "between": "linear", "keyframes": [
            { "time": -1, "translation": [0, 0, 1] },
            { "time": 3, "rotation": turned(DVec3::X, 1.0), "translation": [0, 0, 5] } ] } },
        { "name": "post", "mesh": "bolt.stl", "pose": { "translation": [9, 0, 0] } },
    ]));
    assert_eq!(scene.time_range(), Some([-1.0, 3.0]));
    assert_eq!(scene.parts.iter().map(|p| p.frame.is_some()).collect::<Vec<_>>(), [true, true, false]);
    for (time, s) in [(0.0, 0.0), (1.0, 0.0), (1.5, 0.25), (2.0, 0.5), (3.0, 1.0), (7.0, 1.0)] {
        // About the axis through (1, 1): both keyframes are turns about it.
        let about = DMat4::from_translation(DVec3::new(1.0, 1.0, 0.0))
            * DMat4::from_rotation_z(s * FRAC_PI_2)
            * DMat4::from_translation(DVec3::new(-1.0, -1.0, 0.0));
        let hand =
            DMat4::from_translation(DVec3::new(1.0, 2.0, 3.0)) * about * DMat4::from_translation(DVec3::Y);
        assert_near(&at(&scene, "hand", time), hand, 1e-14, "hand");
    }
    for (time, s) in [(-2.0, 0.0), (0.0, 0.25), (1.0, 0.5), (4.0, 1.0)] {
        let crane = DMat4::from_translation(DVec3::Z * (1.0 + 4.0 * s)) * DMat4::from_rotation_x(s);
        assert_near(&at(&scene, "crane", time), crane, 1e-14, "crane");
    }
    assert_eq!(at(&scene, "post", 2.0), Pose::translation([9.0, 0.0, 0.0]));
    // Without a time, every part is at the start of its motion.
    for (part, started) in scene.parts.iter().zip(&scene.at(-1.0).parts) {
        assert_eq!(part.pose, started.pose);
    }
}

#[test]
fn scenes_together_keep_their_motions() {
    let folder = Folder::new();
    folder.put("bolt.stl", tetrahedron_stl());
    let moving = |name: &str, x: f64| {
        let keyframes =
            json!([{ "time": 0, "translation": [x, 0, 0] }, { "time": x, "translation": [0, x, 0] }]);
        let parts = json!([{ "name": name, "mesh": "bolt.stl", "motion": { "keyframes": keyframes } }]);
        folder.put(format!("{name}.json"), json!({ "unit": "mm", "parts": parts }).to_string())
    };
    let scene = read(&[moving("a", 2.0), moving("b", 4.0)], &ReadOptions::default()).unwrap();
    assert_eq!(scene.time_range(), Some([0.0, 4.0]));
    assert_eq!(at(&scene, "a", 1.0), Pose::translation([1.0, 1.0, 0.0]));
    assert_eq!(at(&scene, "b", 1.0), Pose::translation([3.0, 1.0, 0.0]));
}

/// Writes a node `bolt` with channels: path, interpolation, times and values.
fn animated(channels: &[(&str, &str, &[f32], &[f32])], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut json, mut bytes) = (tetrahedron_json(), tetrahedron_bytes());
    let mut animation = json!({ "name": "go", "channels": [], "samplers": [] });
    let mut add = |json: &mut Value, values: &[f32], shape: &str, width: usize| {
        let views = json["bufferViews"].as_array_mut().unwrap();
        views.push(json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * values.len() }));
        let view = views.len() - 1;
        bytes.extend(f32s(values.iter().copied()));
        let accessors = json["accessors"].as_array_mut().unwrap();
        accessors.push(json!({
            "bufferView": view, "componentType": 5126, "count": values.len() / width, "type": shape,
        }));
        accessors.len() - 1
    };
    for (i, &(path, interpolation, times, values)) in channels.iter().enumerate() {
        let (shape, width) = if path == "rotation" { ("VEC4", 4) } else { ("VEC3", 3) };
        let input = add(&mut json, times, "SCALAR", 1);
        let output = add(&mut json, values, shape, width);
        animation["channels"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "sampler": i, "target": { "node": 0, "path": path } }));
        animation["samplers"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
    json["buffers"][0]["byteLength"] = json!(bytes.len());
    json["animations"] = json!([animation]);
    change(&mut json);
    glb(&json.to_string(), &bytes)
}

fn gltf(channels: &[(&str, &str, &[f32], &[f32])], change: impl FnOnce(&mut Value)) -> Scene {
    read_bytes(Format::Gltf, "a.glb", &animated(channels, change)).unwrap()
}

/// Returns the quaternion of a turn about z.
fn about_z(angle: f64) -> [f32; 4] {
    [0.0, 0.0, (angle / 2.0).sin() as f32, (angle / 2.0).cos() as f32]
}

#[test]
fn gltf_channels_have_times_of_their_own() {
    let turns = [about_z(0.0), about_z(1.0), about_z(-1.0)].concat();
    let scene = gltf(
        &[
            ("translation", "LINEAR", &[1.0, 3.0], &[0.0, 0.0, 0.0, 4.0, 0.0, 8.0]),
            ("rotation", "LINEAR", &[0.0, 2.0, 4.0], &turns),
        ],
        |json| json["nodes"][0]["scale"] = json!([1, 2, 3]),
    );
    assert!(scene.notes.is_empty(), "{:?}", scene.notes);
    assert_eq!(scene.time_range(), Some([0.0, 4.0]));
    for (time, x, angle) in [
        (-1.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
        (0.5, 0.0, 0.25),
        (1.5, 1.0, 0.75),
        (2.0, 2.0, 1.0),
        (2.5, 3.0, 0.5),
        (3.5, 4.0, -0.5),
        (9.0, 4.0, -1.0),
    ] {
        let expected = DMat4::from_translation(DVec3::new(x, 0.0, 2.0 * x))
            * DMat4::from_rotation_z(angle)
            * DMat4::from_scale(DVec3::new(1.0, 2.0, 3.0));
        assert_near(&at(&scene, "bolt", time), expected, 5e-7, &format!("at {time}"));
    }
    // Without a time, the part has the pose of its node.
    assert_eq!(scene.parts[0].pose.rows, [[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]]);
}

#[test]
fn gltf_steps_jump_at_their_keyframe() {
    let scene = gltf(
        &[
            ("translation", "STEP", &[0.0, 1.0, 2.0], &[0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 7.0, 0.0, 0.0]),
            ("rotation", "LINEAR", &[0.0, 2.0], &[about_z(0.0), about_z(1.0)].concat()),
        ],
        |_| {},
    );
    for (time, x) in [(0.0_f64, 0.0), (0.999, 0.0), (1.0, 5.0), (1.999, 5.0), (2.0, 7.0), (3.0, 7.0)] {
        let expected = DMat4::from_translation(DVec3::X * x) * DMat4::from_rotation_z(time.min(2.0) / 2.0);
        assert_near(&at(&scene, "bolt", time), expected, 5e-7, &format!("at {time}"));
    }
}

#[test]
fn gltf_splines_are_followed_and_said_to_be() {
    // In-tangent, value, out-tangent: from 0 to 1 and back, with x a cubic of known coefficients.
    let values = [[0.0; 3], [0.0; 3], [0.0, 2.0, 0.0], [0.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0; 3]].concat();
    let scene = gltf(&[("translation", "CUBICSPLINE", &[0.0, 1.0], &values)], |_| {});
    let [note] = &scene.notes[..] else { panic!("{:?}", scene.notes) };
    assert!(note.contains("cubic splines") && note.contains("1 as ") && note.contains("e-6 m"), "{note}");
    for i in 0..=1000 {
        let s = f64::from(i) / 1000.0;
        let pose = at(&scene, "bolt", s);
        let (x, y) = (pose.rows[0][3], pose.rows[1][3]);
        assert!(
            (x - (3.0 * s * s - 2.0 * s * s * s)).abs() < 2.5e-6 && (y - 2.0 * s).abs() < 2.5e-6,
            "{x} {y}"
        );
    }
}

#[test]
fn gltf_instances_and_children_move_with_their_node() {
    let scene =
        gltf(&[("rotation", "LINEAR", &[0.0, 1.0], &[about_z(0.0), about_z(1.0)].concat())], |json| {
            json["nodes"] = json!([
                { "name": "arm", "children": [1], "translation": [0, 0, 1] },
                { "name": "bolt", "mesh": 0, "translation": [2, 0, 0], "scale": [1, 1, -3] },
            ]);
        });
    let expected = DMat4::from_translation(DVec3::Z)
        * DMat4::from_rotation_z(0.5)
        * DMat4::from_translation(DVec3::X * 2.0)
        * DMat4::from_scale(DVec3::new(1.0, 1.0, -3.0));
    assert_near(&at(&scene, "bolt", 0.5), expected, 5e-7, "bolt");
}

/// Similar to Khronos' BrainStem: a mesh with a skin beside its joints, all of which move, grow and shrink.
fn skinned(channels: &[(&str, &str, &[f32], &[f32])]) -> Vec<u8> {
    animated(channels, |json| {
        json["nodes"] = json!([
            { "name": "hip", "children": [1], "translation": [0, 0.9, 0], "scale": [1, 2, 1] },
            { "name": "shin" },
            { "name": "body", "mesh": 0, "skin": 0 },
            { "name": "y up", "children": [0, 2], "matrix": [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1] },
            { "name": "left out", "mesh": 0 },
        ]);
        json["skins"] = json!([{ "joints": [0, 1] }]);
        json["scenes"][0]["nodes"] = json!([3]);
        let channels = json["animations"][0]["channels"].as_array_mut().unwrap();
        let (shin, outside) = (channels.clone(), channels.clone());
        for (node, more) in [(1, shin), (4, outside)] {
            channels.extend(more.into_iter().map(|mut channel| {
                channel["target"]["node"] = json!(node);
                channel
            }));
        }
    })
}

#[test]
fn gltf_joints_that_carry_no_part_refuse_nothing() {
    let ends = &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0][..];
    let growing = &[1.0, 1.0, 1.0, 1.0, 2.0, 1.0][..];
    let bytes =
        skinned(&[("translation", "LINEAR", &[0.0, 1.0], ends), ("scale", "LINEAR", &[0.0, 1.0], growing)]);
    let scene = read_bytes(Format::Gltf, "a.glb", &bytes).unwrap();
    assert_eq!(
        scene.notes,
        [
            "animation channels left out (they move no part): 6",
            "nodes taken without their skin: 1",
            "nodes left out (not in the scene that is read): 1",
        ]
    );
    assert_eq!(scene.time_range(), None);
    assert_eq!(scene.parts.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["body"]);
    assert_eq!(scene.parts[0].pose.rows, [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, -1.0, 0.0, 0.0]]);
    let folder = Folder::new();
    let path = folder.put("a.glb", bytes);
    for command in ["check", "inspect", "sweep"] {
        let mut program = Command::new(program_path());
        let empty = (command != "inspect").then_some("--allow-empty");
        let output = program.arg(command).arg(&path).args(empty).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), told.lines().count()), (Some(0), 3), "{told}");
    }
}

#[test]
fn gltf_motions_matter_to_those_who_ask_for_them() {
    let growing = &[1.0, 1.0, 1.0, 1.0, 2.0, 1.0][..];
    let (ends, times) = (&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0][..], &[0.0, 1.0][..]);
    let scale = ("scale", "LINEAR", times, growing);
    let still = |json: &mut Value| json["nodes"][0]["translation"] = json!([0, 0, 3]);
    let squeezed = |json: &mut Value| {
        json["nodes"] = json!([{ "name": "bolt", "mesh": 0 }, { "children": [0], "scale": [1, 2, 1] }]);
        json["scenes"][0]["nodes"] = json!([1]);
    };
    let nowhere = |json: &mut Value| json["animations"][0]["channels"][0]["target"]["node"] = json!(7);
    let folder = Folder::new();
    for (bytes, why) in [
        (animated(&[scale, scale], still), "the scale changes from [1.0, 1.0, 1.0]"),
        (animated(&[("translation", "LINEAR", times, ends)], squeezed), "scaled unevenly"),
        (animated(&[("translation", "WAVE", times, ends)], still), "unknown interpolation 'WAVE'"),
        (animated(&[("translation", "LINEAR", times, ends)], nowhere), "node 7, but there are 1"),
    ] {
        let path = folder.put("a.glb", bytes);
        let run = |arguments: &[&str]| {
            let mut program = Command::new(program_path());
            let output = program.args(arguments).arg(&path).output().unwrap();
            (output.status.code(), String::from_utf8(output.stderr).unwrap())
        };
        for command in [&["check", "--allow-empty"][..], &["inspect"]] {
            let (code, told) = run(command);
            assert_eq!(code, Some(0), "{told}");
            assert!(
                told.starts_with("note: a.glb: motions left out, since they cannot be followed: "),
                "{told}"
            );
            assert!(told.contains(why), "{told}");
        }
        for arguments in [&["check", "--at", "0"][..], &["sweep"]] {
            let (code, told) = run(arguments);
            assert_eq!((code, told.lines().count()), (Some(2), 1), "{told}");
            assert!(told.contains(why), "{told}");
        }
        let options = ReadOptions { motions: Motions::Noted, ..ReadOptions::default() };
        let scene = read(&[path], &options).unwrap();
        assert_eq!(scene.time_range(), None);
    }
}

#[test]
fn gltf_animations_that_cannot_be_followed_are_refused_or_noted() {
    let ends = &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0][..];
    let move_it = ("translation", "LINEAR", &[0.0, 1.0][..], ends);
    let refused = |channels: &[(&str, &str, &[f32], &[f32])], change: &dyn Fn(&mut Value), says: &[&str]| {
        let bytes = animated(channels, change);
        let error = read_bytes(Format::Gltf, "a.glb", &bytes).unwrap_err().to_string();
        for word in [&["a.glb", "'bolt'"], says].concat() {
            assert!(error.contains(word), "no '{word}' in: {error}");
        }
        assert_eq!(error.lines().count(), 1);
    };
    let same = |_: &mut Value| {};
    let scale = |values: &'static [f32]| ("scale", "LINEAR", &[0.0, 1.0][..], values);
    refused(&[scale(&[1.0, 1.0, 1.0, 1.0, 2.0, 1.0])], &same, &["the scale changes", "[1.0, 2.0, 1.0]"]);
    refused(&[("translation", "LINEAR", &[0.0, 0.0], ends)], &same, &["'go'", "keyframe 1", "the time 0"]);
    refused(&[("translation", "LINEAR", &[0.0, f32::NAN], ends)], &same, &["keyframe 1", "NaN"]);
    refused(&[("translation", "LINEAR", &[0.0], ends)], &same, &["1 times, but 2 values"]);
    refused(&[("translation", "CUBICSPLINE", &[0.0, 1.0], ends)], &same, &["2 times, but 2 values"]);
    refused(&[("translation", "WAVE", &[0.0, 1.0], ends)], &same, &["interpolation 'WAVE'"]);
    refused(&[("rotation", "LINEAR", &[0.0], &[0.0; 4])], &same, &["quaternion [0.0, 0.0, 0.0, 0.0]"]);
    refused(&[("translation", "STEP", &[0.0], &[0.0, f32::INFINITY, 0.0])], &same, &["inf is not"]);
    let matrix = json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    refused(&[move_it], &|json| json["nodes"][0]["matrix"] = matrix.clone(), &["matrix", "animation"]);
    refused(&[move_it], &|json| json["animations"][0]["channels"][0]["sampler"] = json!(7), &["sampler 7"]);
    refused(
        &[move_it],
        &|json| {
            json["nodes"] = json!([{ "name": "bolt", "mesh": 0 }, { "children": [0], "scale": [1, 2, 1] }]);
            json["scenes"][0]["nodes"] = json!([1]);
        },
        &["motion", "scaled unevenly"],
    );
    let error = read_bytes(
        Format::Gltf,
        "a.glb",
        &animated(&[move_it], |json| {
            json["animations"][0]["channels"][0]["target"]["node"] = json!(7);
        }),
    );
    assert!(error.unwrap_err().to_string().contains("node 7, but there are 1"));

    let scene = gltf(&[move_it, scale(&[2.0, 2.0, 2.0, 2.0, 2.0, 2.000_000_2]), move_it], |json| {
        json["nodes"][0]["scale"] = json!([2, 2, 2]);
        json["animations"][0]["channels"].as_array_mut().unwrap().extend([
            json!({ "sampler": 9, "target": { "path": "translation" } }),
            json!({ "sampler": 0, "target": { "node": 0, "path": "weights" } }),
        ]);
    });
    assert_eq!(
        scene.notes,
        [
            "animation channels left out (an earlier animation moves the same property): 1",
            "animation channels left out (neither translation, rotation nor scale of a node): 2",
            "animated scales taken as constant (they change by less than 1e-6): 1",
        ]
    );
    assert_eq!(at(&scene, "bolt", 0.5).rows[0], [2.0, 0.0, 0.0, 0.5]);
}
