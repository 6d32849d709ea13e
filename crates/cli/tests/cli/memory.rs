//! Small files that ask for much memory: the program ends them with one line, or needs little for them. It
//! runs with an address space of 1 GB, beyond which an allocation would abort it.

use std::fmt::Write;
use std::process::{Command, Output};
use std::sync::Arc;

use closefit::internals::engine::ROW_BYTES;
use closefit::{Assembly, CheckError, DVec3, DepthDetail, Mesh, PairRecord, Pose};
use closefit_testing::fixtures::*;
use serde_json::{Value, json};

/// Runs the program with 1 GB, in the folder of its files.
fn run(folder: &Folder, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_closefit");
    let script = format!("ulimit -v 1000000 && exec {program} {arguments}");
    Command::new("sh").arg("-c").arg(script).current_dir(folder.path("")).output().unwrap()
}

/// Replaces numbers, which depend on the sizes of structures.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            '.' if out.ends_with('#') => {}
            _ => out.push(c),
        }
    }
    out
}

/// Expects that the program ends with status 2 and a line like this, with some number for each of its own.
fn refused_by(folder: &Folder, arguments: &str, line: &str) {
    let output = run(folder, arguments);
    let (stdout, stderr) = (output.stdout, String::from_utf8(output.stderr).unwrap());
    println!("{arguments}: {stderr}");
    assert_eq!(output.status.code(), Some(2), "{arguments}: {stderr}");
    assert_eq!(without_numbers(&stderr), format!("error: {}\n", without_numbers(line)));
    assert!(stdout.is_empty());
}

/// Expects that `check` and `inspect --json` end with status 2 and the same line.
fn refused(folder: &Folder, arguments: &str, line: &str) {
    for command in ["check --threads 2 --quiet", "inspect --json"] {
        refused_by(folder, &format!("{command} {arguments}"), line);
    }
}

/// Returns what `inspect --json` says, which must succeed.
fn inspected(folder: &Folder, arguments: &str) -> Value {
    let output = run(folder, &format!("inspect --json --quiet {arguments}"));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &stderr[..]), (Some(0), ""), "{arguments}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A GLB of the tetrahedron's accessors and more, with other meshes and nodes.
fn scene(change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> Vec<u8> {
    let (mut document, mut bytes) = (tetrahedron_json(), tetrahedron_bytes());
    document.as_object_mut().unwrap().remove("scenes");
    document.as_object_mut().unwrap().remove("scene");
    change(&mut document, &mut bytes);
    document["buffers"][0]["byteLength"] = bytes.len().into();
    glb(&document.to_string(), &bytes)
}

/// Adds an accessor of f32 values, and returns its index.
fn accessor(document: &mut Value, bytes: &mut Vec<u8>, shape: &str, values: &[f32]) -> usize {
    let components = match shape {
        "SCALAR" => 1,
        "VEC3" => 3,
        _ => 4,
    };
    let views = document["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * values.len() }));
    bytes.extend(f32s(values.iter().copied()));
    let (view, count) = (views.len() - 1, values.len() / components);
    let accessors = document["accessors"].as_array_mut().unwrap();
    accessors.push(json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape }));
    accessors.len() - 1
}

#[test]
fn coincident_instances() {
    let folder = Folder::new();
    folder
        .put("crowd.glb", scene(|document, _| document["nodes"] = vec![json!({ "mesh": 0 }); 20_000].into()));
    // They are 2e8 pairs, all of which clash.
    for limit in ["50.0 MB", "4.0 GB"] {
        let line = format!(
            "crowd.glb: 199990000 listed pairs of coincident parts would take memory to 200.0 GB, beyond the limit of \
             {limit}"
        );
        let arguments = format!("check --threads 2 --quiet --memory {} crowd.glb", limit.replace(' ', ""));
        refused_by(&folder, &arguments, &line);
    }
    assert_eq!(inspected(&folder, "crowd.glb")["parts"].as_array().unwrap().len(), 20_000);
}

#[test]
fn overlapping_instances() {
    let folder = Folder::new();
    // They are 2e8 near pairs, or 3e7, which are counted in a sixth of the time. As soon as enough of them
    // are found to touch, their depths need not be searched.
    let count: u32 = if closefit_testing::is_full_run() { 20_000 } else { 8_000 };
    let near = u64::from(count) * u64::from(count - 1) / 2;
    let node = |i: u32| json!({ "mesh": 0, "translation": [1e-5 * f64::from(i), 0, 0] });
    folder.put("crowd.glb", scene(|document, _| document["nodes"] = (0..count).map(node).collect()));
    let line = format!(
        "crowd.glb: more than 30000 listed pairs, of {near} near ones, would take memory to 50.0 MB, beyond the \
         limit of 50.0 MB"
    );
    refused_by(&folder, "check --threads 2 --quiet --memory 50MB crowd.glb", &line);
    // A clearance larger than the scene lists all pairs, too.
    let node = |i: u32| json!({ "mesh": 0, "translation": [3 * i, 0, 0] });
    folder.put("row.glb", scene(|document, _| document["nodes"] = (0..count).map(node).collect()));
    let line = line.replace("crowd", "row");
    refused_by(&folder, "check --threads 2 --quiet --memory 50MB --clearance 100000m row.glb", &line);
}

/// Returns a number of octahedra, one every `step` along the diagonal of the x and y axes.
fn octahedra(count: u32, step: f64) -> Assembly {
    let mut assembly = Assembly::default();
    let corners = [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let faces = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 3, 5]];
    let mesh = Arc::new(Mesh::new(&corners, &faces).unwrap());
    for i in 0..count {
        let x = step * f64::from(i);
        assembly.add("octahedron", &mesh, Pose::translation([x, x, 0.0]));
    }
    assembly
}

/// Returns the least limit of memory with which a hundred octahedra can be checked, and the number of pairs
/// listed.
fn least_memory(step: f64) -> (u64, usize) {
    let assembly = octahedra(100, step);
    let request = assembly.check_request().unwrap().tolerance(1e-6);
    let pairs = assembly.check(&request).unwrap().pairs.len();
    let (mut refused, mut enough) = (0, 1 << 40);
    while enough - refused > 1 {
        let limit = u64::midpoint(refused, enough);
        match assembly.check(&request.memory(limit)) {
            Ok(result) => {
                assert_eq!(result.pairs.len(), pairs);
                enough = limit;
            }
            Err(CheckError::OutOfMemory(_)) => refused = limit,
            Err(other) => panic!("{other}"),
        }
    }
    (enough, pairs)
}

#[test]
fn what_fits_is_never_refused() {
    // Boxes that overlap around surfaces that are apart: near pairs, none of them listed.
    let (without_rows, none) = least_memory(1.5);
    let row = (size_of::<PairRecord>() + ROW_BYTES) as u64;
    assert_eq!(none, 0);
    for (step, pairs) in [(1.0, 99), (0.5, 197), (0.25, 390)] {
        assert_eq!(least_memory(step), (without_rows + pairs * row, pairs as usize), "{step}");
    }
}

#[test]
fn a_crowd_of_small_parts_needs_no_body_for_each() {
    // Near pairs, none of them listed. A part takes 1.1 kB. Its body would take 0.8 kB more, so all of them
    // do not fit.
    let count = 40_000;
    let assembly = octahedra(count, 1.5);
    let request = assembly.check_request().unwrap().depth(DepthDetail::None);
    let found = assembly.check(&request.memory(u64::from(count) * 1600)).unwrap();
    assert_eq!((found.pairs.len(), found.ledger.decided), (0, u64::from(count) - 1));
}

#[test]
fn long_names_of_many_instances() {
    let folder = Folder::new();
    let named = |length: usize, count: usize| {
        scene(|document, bytes| {
            // An accessor without bytes of its own is as long as the file.
            bytes.resize(count, 0);
            document["accessors"]
                .as_array_mut()
                .unwrap()
                .push(json!({ "componentType": 5126, "count": count, "type": "VEC3" }));
            let attributes = json!({ "attributes": { "TRANSLATION": 2 } });
            let node = json!({ "mesh": 0, "extensions": { "EXT_mesh_gpu_instancing": attributes } });
            document["nodes"] = json!([node]);
            document["meshes"][0]["name"] = "n".repeat(length).into();
        })
    };
    folder.put("long.glb", named(1000, 400_000));
    let line = "long.glb: part 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…' \
                (nodes[0]): 342417 parts would take memory to 768.0 MB, beyond the limit of 768.0 MB";
    refused(&folder, "long.glb", line);
    folder.put(
        "longer.glb",
        scene(|document, _| {
            document["nodes"] = vec![json!({ "mesh": 0 }); 4000].into();
            document["meshes"][0]["name"] = "n".repeat(1_000_000).into();
        }),
    );
    let line = "longer.glb: part nodes[0]: name: 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…' has 1000000 bytes; the limit is 1024";
    refused(&folder, "longer.glb", line);
}

#[test]
fn shared_samplers() {
    let folder = Folder::new();
    let keys = 2000;
    let animated = |nodes: usize, own_places: bool| {
        scene(|document, bytes| {
            let times: Vec<f32> = (0..keys).map(|key| key as f32).collect();
            let input = accessor(document, bytes, "SCALAR", &times);
            let turns: Vec<f32> = (0..keys).flat_map(|key| [0.0, 0.0, 1.0, key as f32]).collect();
            let output = accessor(document, bytes, "VEC4", &turns);
            let place = |i: usize| if own_places { i } else { 0 };
            let node = |i: usize| json!({ "mesh": 0, "translation": [place(i), 0, 0] });
            let channel = |i: usize| json!({ "sampler": 0, "target": { "node": i, "path": "rotation" } });
            document["nodes"] = (0..nodes).map(node).collect();
            document["animations"] = json!([{
                "channels": (0..nodes).map(channel).collect::<Value>(),
                "samplers": [{ "input": input, "output": output }]
            }]);
        })
    };
    folder.put("shared.glb", animated(2000, false));
    assert_eq!(inspected(&folder, "shared.glb")["motion"]["joints"], 2000);
    folder.put("own.glb", animated(2000, true));
    let line = "own.glb: part 'tetra' (nodes[1049]): 2000 keyframes would take memory to 768.3 MB, beyond the limit of \
                768.0 MB";
    refused(&folder, "own.glb", line);
}

#[test]
fn shared_primitives() {
    let folder = Folder::new();
    let triangles = 20_000;
    let meshes = |count: usize, repeats: fn(usize) -> usize| {
        scene(|document, bytes| {
            let corners: Vec<f32> = (0..9 * triangles).map(|i: u64| (i * i % 1009) as f32).collect();
            let position = accessor(document, bytes, "VEC3", &corners);
            let primitive = json!({ "attributes": { "POSITION": position } });
            let mesh = |i: usize| json!({ "primitives": vec![primitive.clone(); repeats(i)] });
            document["meshes"] = (0..count).map(mesh).collect();
            let node = |i: usize| json!({ "mesh": i, "translation": [3000 * i, 0, 0] });
            document["nodes"] = (0..count).map(node).collect();
        })
    };
    folder.put("same.glb", meshes(500, |_| 1));
    let document = inspected(&folder, "same.glb");
    assert_eq!(
        (document["meshes"].as_array().unwrap().len(), &document["scene"]["triangles"]),
        (1, &json!(10_000_000))
    );
    folder.put("different.glb", meshes(30, |i| i + 1));
    let line = "different.glb: part 'node18' (nodes[18]): meshes of 3800000 triangles would take memory to 75.9 MB, \
                beyond the limit of 75.0 MB";
    refused(&folder, "--memory 75MB different.glb", line);
    // The meshes fit, but not what it takes to weld the largest.
    let line = "different.glb: welding meshes of 9300000 triangles would take memory to 292.3 MB, beyond the limit of \
                200.0 MB";
    refused(&folder, "--memory 200MB different.glb", line);
}

#[test]
fn joints_times_rows() {
    let folder = Folder::new();
    folder.put("tetra.stl", tetrahedron_stl());
    let (joints, rows) = (2000, 2000);
    let robot = |mimic: &str| {
        let mut text = "<robot name='r'><link name='l0'/>".to_owned();
        for i in 1..=joints {
            let visual = if i == joints {
                "<visual><geometry><mesh filename='tetra.stl'/></geometry></visual>"
            } else {
                ""
            };
            let mimic = if i > 1 { mimic } else { "" };
            let ends = format!("<parent link='l{}'/><child link='l{i}'/><axis xyz='0 0 1'/>", i - 1);
            write!(text, "<link name='l{i}'>{visual}</link>").unwrap();
            write!(text, "<joint name='j{i}' type='continuous'>{ends}{mimic}</joint>").unwrap();
        }
        text + "</robot>"
    };
    folder.put("still.urdf", robot(""));
    folder.put("mimics.urdf", robot("<mimic joint='j1'/>"));
    let values: String = (0..rows).map(|row| format!("{row},{}\n", row % 7)).collect();
    folder.put("rows.csv", format!("t_s,j1\n{values}"));
    let document = inspected(&folder, "--trajectory rows.csv still.urdf");
    assert_eq!((&document["motion"]["joints"], &document["motion"]["keyframes"]), (&json!(1), &json!(rows)));
    let line = "mimics.urdf: part 'j990' (joint): 2000 keyframes would take memory to 768.0 MB, beyond the limit of 768.0 \
                MB";
    refused(&folder, "--trajectory rows.csv mimics.urdf", line);
}

#[test]
fn contacts_of_many_triangles() {
    let folder = Folder::new();
    let copies = 15_000;
    folder.put(
        "stack.glb",
        scene(|document, bytes| {
            // The first triangle of the tetrahedron, again and again.
            let offset = bytes.len();
            bytes.extend(u16s([0, 2, 1].repeat(copies)));
            let views = document["bufferViews"].as_array_mut().unwrap();
            views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": 6 * copies }));
            let accessors = document["accessors"].as_array_mut().unwrap();
            accessors.push(
                json!({ "bufferView": 2, "componentType": 5123, "count": 3 * copies, "type": "SCALAR" }),
            );
            document["meshes"][0]["primitives"][0]["indices"] = 2.into();
            document["nodes"] = json!([{ "mesh": 0, "name": "a" }, { "mesh": 0, "name": "b" }]);
        }),
    );
    let line = "stack.glb: more than 4000000 contacts of triangles of 'a' and 'b' would take memory to 100.0 MB, beyond \
                the limit of 100.0 MB";
    refused_by(&folder, "check --threads 2 --quiet --memory 100MB stack.glb", line);
}

#[test]
fn files_larger_than_the_limit() {
    let folder = Folder::new();
    folder.put("a.stl", tetrahedron_stl());
    let line = "a.stl: a file of 284 bytes would take memory to 284 B, beyond the limit of 100 B";
    refused(&folder, "--memory 100 a.stl", line);
    let line =
        "a.stl: the mesh in a file of 284 bytes would take memory to 3.7 kB, beyond the limit of 1.0 kB";
    refused(&folder, "--memory 1kB a.stl", line);
    let line = "invalid value '0' for '--memory <LIMIT>': a size is like 2GB, 512MiB or 1000000000";
    refused(&folder, "--memory 0 a.stl", line);
    assert_eq!(inspected(&folder, "--memory 1GiB a.stl")["parts"].as_array().unwrap().len(), 1);
}
