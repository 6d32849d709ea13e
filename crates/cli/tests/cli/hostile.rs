//! Broken, lying and hostile input: each file gets one line that names file, part and value, from the library
//! and from the program, and nothing panics.

use std::process::Command;

use closefit::Unit;
use closefit_scene::read::{Format, MeshFormat, ReadOptions, read, read_bytes};
use closefit_testing::command::program_path;
use closefit_testing::fixtures::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Reads `name` in a folder of its own and checks the message. Checks that the program prints the same, with
/// status 2 and no output.
fn refused(folder: &Folder, name: &str, says: &[&str]) {
    let error = read_one(folder.path(name)).expect_err(name);
    let text = error.to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.len() < 1000 && !text.contains(char::is_control), "{text}");
    for &word in [name].iter().chain(says) {
        assert!(text.contains(word), "{name}: no '{word}' in: {text}");
    }
    let out = folder.path("out");
    let mut program = Command::new(program_path());
    let output = program.arg("check").arg(folder.path(name)).arg("--out").arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("error: {text}\n"));
    assert!(output.stdout.is_empty() && !out.exists(), "{text}");
    println!("refused: {text}");
}

fn refused_bytes(name: &str, bytes: impl AsRef<[u8]>, says: &[&str]) {
    let folder = Folder::new();
    folder.put(name, bytes);
    refused(&folder, name, says);
}

/// Expects the refusal of a GLB that was valid before the change.
fn refused_glb(says: &[&str], change: impl FnOnce(&mut Value)) {
    let mut json = tetrahedron_json();
    change(&mut json);
    refused_bytes("a.glb", glb(&json.to_string(), &tetrahedron_bytes()), says);
}

/// Expects the refusal of a manifest of the given parts beside a valid `bolt.stl`.
fn refused_manifest(manifest: impl AsRef<str>, says: &[&str]) {
    let folder = Folder::new();
    folder.put("bolt.stl", tetrahedron_stl());
    folder.put("broken.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 x\n");
    folder.put("a.glb", tetrahedron_glb());
    folder.put("asm.json", manifest.as_ref());
    refused(&folder, "asm.json", says);
}

#[test]
fn files_that_are_not_there_or_not_files() {
    let folder = Folder::new();
    refused(&folder, "missing.stl", &["cannot be read"]);
    refused(&folder, "missing/deeper.glb", &["cannot be read"]);
    std::fs::create_dir(folder.path("folder.stl")).unwrap();
    refused(&folder, "folder.stl", &["a directory"]);
    for name in ["e.glb", "e.gltf", "e.stl", "e.obj", "e.ply", "e.json"] {
        refused_bytes(name, "", &["empty"]);
    }
    refused_bytes("robot.urdf", "<robot/>", &["none of its links has visual geometry"]);
    refused_bytes("robot.dae", "<COLLADA/>", &["it has no part with a surface"]);
    refused_bytes("robot.xml", "<mujoco/>", &["none of its bodies has a geom"]);
    refused_bytes("robot.xml", "<robot/>", &["it is a URDF: name it .urdf"]);
    refused_bytes("model.step", "ISO-10303-21;", &["STEP is not read; convert it", "model.glb"]);
    refused_bytes("model", "solid", &["unknown extension ''"]);
    refused_bytes("line\\nbreak.xyz", "", &["unknown extension 'xyz'"]);
}

#[cfg(unix)]
#[test]
fn names_with_line_breaks_and_other_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"a\nb\xff.stl");
    let error = read_one(folder.put(name, "x")).unwrap_err().to_string();
    assert!(error.contains(r"a\nb") && error.lines().count() == 1, "{error}");
    let scene = read_one(folder.put(name, tetrahedron_stl())).unwrap();
    assert_eq!(*scene.parts[0].name, *"a\nb\u{fffd}");
    let error = read_one("/dev/null.stl".into()).unwrap_err().to_string();
    assert!(error.contains("cannot be read"));
    std::os::unix::fs::symlink("/dev/zero", folder.path("zero.ply")).unwrap();
    refused(&folder, "zero.ply", &["a device or pipe"]);
}

#[test]
fn stl() {
    let mut lying = tetrahedron_stl();
    lying[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    lying[..5].copy_from_slice(b"other");
    refused_bytes("lying.stl", &lying, &["4294967295 triangles", "214748364834 bytes", "has 284"]);
    let mut cut = tetrahedron_stl();
    cut.truncate(250);
    cut[..5].copy_from_slice(b"other");
    refused_bytes("cut.stl", &cut, &["4 triangles", "284 bytes", "has 250"]);
    let mut longer = tetrahedron_stl();
    longer[..5].copy_from_slice(b"other");
    longer.push(0);
    refused_bytes("longer.stl", &longer, &["284 bytes", "has 285"]);
    refused_bytes("tiny.stl", "abc", &["3 bytes", "'solid'"]);
    refused_bytes("none.stl", binary_stl(&[]), &["no triangles"]);
    let nan = binary_stl(&[[[0.0; 3]; 3], [[0.0; 3], [0.0, f32::NAN, 0.0], [0.0; 3]]]);
    refused_bytes("nan.stl", nan, &["triangle 1", "NaN"]);
    refused_bytes("inf.stl", binary_stl(&[[[f32::NEG_INFINITY; 3]; 3]]), &["triangle 0", "-inf"]);

    let head = "solid a\nfacet normal 0 0 1\nouter loop\n";
    for (text, says) in [
        ("solid a\nendsolid a\n".to_owned(), ["no triangles", ""]),
        (format!("{head}vertex 1 2 3\n"), ["end of file", "'vertex' should follow"]),
        (format!("{head}vertex 1 2 three\n"), ["line 4", "'three' is not a number"]),
        (format!("{head}vertex 1 2 1e999\n"), ["line 4", "'1e999' is not a finite number"]),
        (format!("{head}vertex nan 2 1\n"), ["line 4", "'nan' is not a finite number"]),
        (format!("{head}vertex 1 2\n"), ["line 4", "only 2 of 3 coordinates"]),
        (format!("{head}vertex 1 2 3 4\n"), ["line 4", "'4' after three"]),
        (format!("{head}vertex 1 2 3\nendloop\n"), ["line 5", "a facet of 1 vertices"]),
        (format!("{head}{}", "vertex 1 2 3\n".repeat(4)), ["line 7", "'vertex' where 'endloop' should be"]),
        ("solid a\nfacet normal 0 0 1\nvertex 1 2 3\n".to_owned(), ["line 3", "'vertex' where 'outer loop'"]),
        (format!("{}garbage\n", tetrahedron_text_stl()), ["line 31", "'garbage' where 'solid'"]),
    ] {
        refused_bytes("text.stl", text, &says);
    }
}

#[test]
fn obj() {
    let v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (text, says) in [
        (v.to_owned(), ["it has points only", ""]),
        (format!("{v}f 1 2 4\n"), ["line 4", "vertex index 4, but there are 3"]),
        (format!("{v}f 1 2 0\n"), ["line 4", "vertex index 0"]),
        (format!("{v}f 1 2 -4\n"), ["line 4", "vertex index -4"]),
        (format!("{v}f 1 2 -9223372036854775808\n"), ["line 4", "vertex index -9223372036854775808"]),
        (format!("{v}f 1 2 99999999999\n"), ["line 4", "vertex index 99999999999"]),
        (format!("{v}f 1 2 1.5\n"), ["line 4", "'1.5' is not a vertex index"]),
        (format!("{v}f 1 2 /3\n"), ["line 4", "'/3' is not a vertex index"]),
        (format!("{v}f 1 2\n"), ["line 4", "a face of 2 corners"]),
        (format!("{v}f\n"), ["line 4", "a face of 0 corners"]),
        ("v 0 0\n".to_owned(), ["line 1", "only 2 of 3"]),
        ("v 0 0 1,5\n".to_owned(), ["line 1", "'1,5' is not a number"]),
        ("v 0 0 inf\n".to_owned(), ["line 1", "'inf' is not a finite number"]),
        (format!("{v}surf 0 1 0 1 1 2 3\n"), ["line 4", "'surf'"]),
        (format!("{v}ff 1 2 3\n"), ["line 4", "unknown statement 'ff'"]),
        ("\\\n".repeat(200_000), ["no triangles", ""]),
        (format!("x{}\n", "y".repeat(100_000)), ["line 1", "unknown statement 'xyyy"]),
    ] {
        refused_bytes("a.obj", text, &says);
    }
    refused_bytes("binary.obj", [0, 159, 146, 150, 10, 255], &["line 1", "unknown statement"]);
}

#[test]
fn ply() {
    let sound = tetrahedron_text_ply();
    for (from, to, says) in [
        ("ply\n", "plx\n", ["line 1", "'ply'"]),
        ("format ascii 1.0\n", "", ["header", "no 'format"]),
        ("ascii", "utf16", ["line 2", "unknown format 'utf16'"]),
        ("1.0\n", "9.0\n", ["line 2", "malformed 'format ascii 9.0'"]),
        ("vertex 4", "vertex 5", ["vertex 4", "line 14: '1' is one value too many"]),
        ("vertex 4", "vertex 3", ["face 0", "a face of 0 corners"]),
        ("face 4", "face 18446744073709551615", ["face 4", "the file ends before it"]),
        ("face 4", "face 18446744073709551616", ["line 7", "'18446744073709551616' is not a count"]),
        ("face 4", "face -4", ["line 7", "'-4' is not a count"]),
        ("face 4", "face 3", ["end of file", "'3 1 2 3' after the last element"]),
        ("face 4", "vertex 4", ["line 7", "second element 'vertex'"]),
        ("uchar int", "uchar int128", ["line 8", "unknown type 'int128'"]),
        ("property float z\n", "", ["header", "element vertex has no single x, y and z"]),
        (
            "element face 4\n",
            "element face 4\nelement nothing 4000000000\n",
            ["element face has no", "properties"],
        ),
        ("list uchar int vertex_indices", "int vertex_indices", ["element face", "vertex_indices"]),
        ("end_header", "end_heade", ["line 9", "malformed 'end_heade'"]),
        ("1 0 0\n", "1 0 zero\n", ["vertex 1", "'zero' is not a number"]),
        ("1 0 0\n", "1 0 nan\n", ["vertex 1", "'nan' is not a finite number"]),
        ("1 0 0\n", "1 0\n", ["vertex 1", "line 11 ends too soon"]),
        ("3 0 2 1\n", "4 0 2 1\n", ["face 0", "ends too soon"]),
        ("3 0 2 1\n", "4000000000 0 2 1\n", ["face 0", "ends too soon"]),
        ("3 0 2 1\n", "2 0 2\n", ["face 0", "a face of 2 corners"]),
        ("3 0 2 1\n", "-3 0 2 1\n", ["face 0", "a list of -3 values"]),
        ("3 0 2 1\n", "3 0 2 -1\n", ["face 0", "vertex index -1"]),
        ("3 0 2 1\n", "3 0 2 9\n", ["triangle 0 uses vertex 9", "4 vertices"]),
        ("3 0 2 1\n", "3 0 2 1.5\n", ["face 0", "vertex index 1.5"]),
    ] {
        assert!(sound.contains(from), "{from}");
        refused_bytes("a.ply", sound.replacen(from, to, 1), &says);
    }
    refused_bytes("endless.ply", "ply\nformat ascii 1.0\n", &["no 'end_header'"]);
    let mut cut = tetrahedron_binary_ply(false);
    cut.pop();
    refused_bytes("cut.ply", &cut, &["face 3", "the file ends within it"]);
    cut.extend([0, 0]);
    refused_bytes("longer.ply", &cut, &["1 bytes after the last element"]);
    let mut lying = tetrahedron_binary_ply(true);
    let list = lying.len() - 4 * 13;
    lying[list] = 255;
    refused_bytes("lying.ply", &lying, &["face 0", "the file ends within it"]);
    let points =
        sound.split("element face").next().unwrap().to_owned() + "end_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
    refused_bytes("points.ply", points, &["it has points only"]);
}

#[test]
fn glb_containers() {
    let sound = tetrahedron_glb();
    let with = |at: usize, bytes: &[u8]| {
        let mut file = sound.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    refused_bytes("cut.glb", &sound[..10], &["GLB header", "cut short"]);
    let size = sound.len();
    refused_bytes("cut.glb", &sound[..size - 1], &[&format!("says {size}"), &format!("has {}", size - 1)]);
    refused_bytes("old.glb", with(4, &1_u32.to_le_bytes()), &["glTF 1.0 is not read"]);
    refused_bytes("lying.glb", with(12, &u32::MAX.to_le_bytes()), &["chunk 0", "4294967295 bytes"]);
    refused_bytes("bin.glb", with(16, b"BIN\0"), &["chunk 0", "not JSON"]);
    refused_bytes("text.glb", "hello", &["it is neither GLB, which begins with 'glTF', nor a JSON object"]);
    refused_bytes(
        "nochunk.glb",
        [b"glTF".as_slice(), &2_u32.to_le_bytes(), &12_u32.to_le_bytes()].concat(),
        &["no JSON chunk"],
    );
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let nodes = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"name":"bolt","extras":{deep}}}]}}"#);
    refused_bytes("deep.gltf", nodes, &["no part with a surface"]); // extras may be anything
    refused_bytes("deep.json", deep, &["line 1 column", "invalid type"]);
}

#[test]
fn gltf_documents() {
    refused_glb(&["glTF 1.0 is not read"], |j| j["asset"]["version"] = json!("1.0"));
    refused_glb(&["version 2.9 is not supported"], |j| j["asset"]["minVersion"] = json!("2.9"));
    refused_glb(&["missing field `asset`"], |j| drop(j.as_object_mut().unwrap().remove("asset")));
    refused_glb(&["XYZ_unknown", "not supported"], |j| j["extensionsRequired"] = json!(["XYZ_unknown"]));
    refused_glb(&["part 'bolt'", "mesh 0 'tetra', primitive 0", "the Draco stream cannot be read"], |j| {
        let stream = json!({ "bufferView": 0, "attributes": { "POSITION": 0 } });
        j["meshes"][0]["primitives"][0]["extensions"] = json!({ "KHR_draco_mesh_compression": stream });
        j["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    });
    refused_glb(&["no part"], |j| j["nodes"] = json!([{ "name": "nothing" }]));
    refused_glb(&["it has lines only"], |j| j["meshes"][0]["primitives"][0]["mode"] = json!(1));
    refused_glb(&["scene 7", "only 1"], |j| j["scene"] = json!(7));
    refused_glb(&["scene 0", "node 3"], |j| j["scenes"][0]["nodes"] = json!([3]));
    refused_glb(&["scene 0", "'bolt' is listed twice"], |j| j["scenes"][0]["nodes"] = json!([0, 0]));
    refused_glb(&["`-1`"], |j| j["scene"] = json!(-1));
}

#[test]
fn gltf_nodes() {
    let node = |says: &[&str], value: Value| {
        let says = [&["part 'bolt'"], says].concat();
        refused_glb(&says, |j| {
            j["nodes"][0].as_object_mut().unwrap().extend(value.as_object().unwrap().clone())
        });
    };
    node(&["quaternion [0.0, 0.0, 0.0, 0.0]"], json!({ "rotation": [0, 0, 0, 0] }));
    node(&["quaternion", "1e300"], json!({ "rotation": [1e300, 1e300, 0, 0] }));
    node(&["last row", "0.5"], json!({ "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5] }));
    node(
        &["matrix", "beside"],
        json!({ "scale": [1, 1, 1], "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }),
    );
    node(&["invalid length 3"], json!({ "matrix": [1, 0, 0] }));
    node(&["string"], json!({ "translation": ["1", 0, 0] }));
    node(&["mesh 5", "only 1"], json!({ "mesh": 5 }));
    node(&["node 5"], json!({ "children": [5] }));
    node(&["cycle"], json!({ "children": [0] }));
    node(&["no TRANSLATION"], json!({ "extensions": { "EXT_mesh_gpu_instancing": { "attributes": {} } } }));
    node(
        &["EXT_mesh_gpu_instancing", "accessor 1: its type is \"SCALAR\" instead of VEC3"],
        json!({ "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 1 } } } }),
    );
    node(&["1025 bytes", "1024"], json!({ "extras": { "name": "x".repeat(1025) } }));
    refused_glb(&["1000000 bytes"], |j| j["nodes"][0]["name"] = json!("x".repeat(1_000_000)));
    refused_glb(&["part 'a'", "'b'", "already a child"], |j| {
        j["nodes"] =
            json!([{ "mesh": 0 }, { "name": "b", "children": [0] }, { "name": "a", "children": [0] }]);
    });
    refused_glb(&["part 'a'", "cycle"], |j| {
        j["nodes"] =
            json!([{ "mesh": 0 }, { "name": "a", "children": [2] }, { "name": "b", "children": [1] }]);
    });
    refused_glb(&["scene 0", "'bolt' is a child"], |j| {
        j["nodes"].as_array_mut().unwrap().push(json!({ "children": [0] }));
    });
    refused_glb(&["part 'inner'", "world matrix", "inf"], |j| {
        j["nodes"] =
            json!([{ "scale": [1e300, 1, 1], "children": [1] }, { "name": "inner", "scale": [1e300, 1, 1] }]);
    });
    let huge = tetrahedron_json().to_string().replace("\"mesh\":0", "\"mesh\":0,\"scale\":[1,1e999,1]");
    refused_bytes(
        "huge.glb",
        glb(&huge, &tetrahedron_bytes()),
        &["part 'bolt'", "number out of range", "1e999"],
    );
}

#[test]
fn gltf_buffers_and_accessors() {
    let accessor = |says: &[&str], index: usize, value: Value| {
        let says = [&["part 'bolt'", "mesh 0 'tetra', primitive 0"], says].concat();
        let change = value.as_object().unwrap().clone();
        refused_glb(&says, |j| j["accessors"][index].as_object_mut().unwrap().extend(change));
    };
    accessor(&["accessor 0: 4000000000 elements", "48 bytes"], 0, json!({ "count": 4_000_000_000_u64 }));
    accessor(&["accessor 1: 18446744073709551615"], 1, json!({ "count": u64::MAX }));
    accessor(&["accessor 1: its count is 0"], 1, json!({ "count": 0 }));
    accessor(&["accessor 1: 12 elements", "from 4 on"], 1, json!({ "byteOffset": 4 }));
    accessor(&["accessor 1:", "18446744073709551615 on"], 1, json!({ "byteOffset": u64::MAX }));
    accessor(&["accessor 0: its type is \"VEC2\""], 0, json!({ "type": "VEC2" }));
    accessor(&["accessor 0: unknown componentType 5130"], 0, json!({ "componentType": 5130 }));
    accessor(&["accessor 1: indices of type I16"], 1, json!({ "componentType": 5122 }));
    accessor(&["32-bit integers"], 0, json!({ "componentType": 5125 }));
    accessor(&["11 corners do not make triangles"], 1, json!({ "count": 11 }));
    accessor(&["bufferView 9, but there are 2"], 0, json!({ "bufferView": 9 }));
    accessor(&["triangle 0 uses vertex 2, but there are 2"], 0, json!({ "count": 2 }));
    let sparse = |count: u64, view: usize| {
        json!({ "sparse": { "count": count, "indices": { "bufferView": view, "componentType": 5123 },
            "values": { "bufferView": 0 } } })
    };
    accessor(&["sparse index 2 after 0"].map(|_| "sparse index"), 0, sparse(4, 1));
    accessor(&["4000000000 elements"], 0, sparse(4_000_000_000, 1));
    accessor(&["bufferView 5"], 0, sparse(1, 5));
    refused_glb(&["part 'bolt'", "count is 4000000000, but it has no bufferView"], |j| {
        j["accessors"][1] = json!({ "componentType": 5125, "count": 4_000_000_000_u64, "type": "SCALAR" });
    });
    refused_glb(&["part 'bolt'", "3000000000", "no bufferView"], |j| {
        j["accessors"][0] = json!({ "componentType": 5126, "count": 3_000_000_000_u64, "type": "VEC3" });
        j["meshes"][0]["primitives"] = json!([{ "attributes": { "POSITION": 0 } }]);
    });
    refused_glb(&["bufferView 0: 49 bytes from 48"], |j| {
        j["bufferViews"][0] = json!({ "buffer": 0, "byteOffset": 48, "byteLength": 49 });
    });
    refused_glb(&["bufferView 0: buffer 3"], |j| j["bufferViews"][0]["buffer"] = json!(3));
    refused_glb(&["byteStride 4 for elements of 12"], |j| j["bufferViews"][0]["byteStride"] = json!(4));
    refused_glb(&["byteStride 18446744073709551615"], |j| {
        j["bufferViews"][0]["byteStride"] = json!(u64::MAX)
    });
    refused_glb(&["buffer 0", "byteLength is 73", "72 bytes"], |j| j["buffers"][0]["byteLength"] = json!(73));
    refused_glb(&["gone.bin", "cannot be read"], |j| j["buffers"][0]["uri"] = json!("gone.bin"));
    refused_glb(&["buffer 0", "'http://x/y' is not supported"], |j| {
        j["buffers"][0]["uri"] = json!("http://x/y")
    });
    refused_glb(&["buffer 0", "not base64"], |j| j["buffers"][0]["uri"] = json!("data:text/plain,hello"));
    refused_glb(&["buffer 0", "0x21"], |j| j["buffers"][0]["uri"] = json!("data:a/b;base64,AA!A"));
    refused_glb(&["buffer 1", "neither"], |j| {
        j["buffers"] = json!([{ "byteLength": 72 }, { "byteLength": 1 }])
    });
    refused_glb(&["primitive 0: it has no POSITION"], |j| {
        j["meshes"][0]["primitives"][0]["attributes"] = json!({ "NORMAL": 0 });
    });
    refused_glb(&["unknown mode 7"], |j| j["meshes"][0]["primitives"][0]["mode"] = json!(7));
    refused_glb(&["part 'bolt'", "no triangles"], |j| j["meshes"][0]["primitives"] = json!([]));
    let mut bytes = tetrahedron_bytes();
    bytes[16..20].copy_from_slice(&f32::NAN.to_le_bytes());
    let nan = glb(&tetrahedron_json().to_string(), &bytes);
    refused_bytes("nan.glb", nan, &["part 'bolt'", "vertex 1 has the coordinate NaN"]);
    // A small file whose primitives share one accessor and add up to billions of triangles.
    let primitive = json!({ "attributes": { "POSITION": 0 }, "indices": 1 });
    let mut json = tetrahedron_json();
    json["meshes"][0]["primitives"] = json!(vec![primitive; 100]);
    json["accessors"][1] =
        json!({ "bufferView": 1, "componentType": 5121, "count": 3_000_000, "type": "SCALAR" });
    json["bufferViews"][1]["byteLength"] = json!(3_000_000);
    json["buffers"][0]["byteLength"] = json!(3_000_048);
    let mut bytes = tetrahedron_bytes();
    bytes.resize(3_000_048, 0);
    refused_bytes("bomb.glb", glb(&json.to_string(), &bytes), &["part 'bolt'", "triangles, too many"]);
}

#[test]
fn manifests() {
    let part = |value: Value, says: &[&str]| {
        let mut entry = json!({ "name": "arm", "mesh": "bolt.stl" });
        entry.as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
        let says = [&["part 'arm'"], says].concat();
        refused_manifest(
            json!({ "parts": [{ "name": "bolt", "mesh": "bolt.stl" }, entry] }).to_string(),
            &says,
        );
    };
    part(json!({ "colour": "red" }), &["unknown field `colour`"]);
    part(json!({ "mesh": "gone.stl" }), &["gone.stl", "cannot be read"]);
    part(json!({ "mesh": "broken.stl" }), &["broken.stl", "line 4", "'x' is not a number"]);
    part(json!({ "mesh": "." }), &["unknown extension"]);
    part(json!({ "mesh": "a.glb" }), &["a.glb", "not supported"]);
    part(json!({ "mesh": "asm.json" }), &["asm.json: a scene", "not supported"]);
    part(json!({ "mesh": "bolt.step" }), &["bolt.step", "STEP is not read", ".stl, .obj or .ply"]);
    part(json!({ "mesh": 5 }), &["integer `5`"]);
    part(json!({ "mesh": null }), &["mesh", "missing"]);
    part(json!({ "parent": "gone" }), &["parent", "'gone' is not the name of a part"]);
    part(json!({ "parent": "arm" }), &["cycle"]);
    part(json!({ "pose": { "rotation": [0, 0, 0, 0] } }), &["quaternion [0.0, 0.0, 0.0, 0.0]"]);
    part(json!({ "pose": { "rotation": [0, 0, 0] } }), &["invalid length 3"]);
    part(json!({ "pose": { "matrix": [1, 2, 3] } }), &["invalid length 3"]);
    part(json!({ "pose": { "matrix": vec![0; 12], "translation": [0, 0, 0] } }), &["matrix", "beside"]);
    part(json!({ "pose": { "scale": [1, 1, 1] } }), &["unknown field `scale`"]);
    part(json!({ "motion": { "keyframes": [] } }), &["motion", "no keyframes"]);
    part(json!({ "motion": {} }), &["missing field `keyframes`"]);
    part(json!({ "motion": { "between": "step", "keyframes": [] } }), &["unknown variant `step`", "`screw`"]);
    part(json!({ "motion": { "keyframes": [{ "time": 0, "pose": 1 }] } }), &["unknown field `pose`"]);
    part(json!({ "motion": { "keyframes": [{ "time": 0 }] }, "pose": {} }), &["motion", "beside a pose"]);
    part(
        json!({ "motion": { "keyframes": [{ "time": 1 }, { "time": 2 }, { "time": 2 }] } }),
        &["motion", "keyframe 2", "the time 2"],
    );
    part(
        json!({ "motion": { "keyframes": [{ "time": 1, "rotation": [0, 0, 0, 0] }] } }),
        &["keyframe 0", "quaternion [0.0, 0.0, 0.0, 0.0]"],
    );
    part(
        json!({ "motion": { "keyframes": [{ "time": 1, "translation": [0, 1e61, 0] }] } }),
        &["keyframe 0", "not within 2^200"],
    );
    part(json!({ "tags": ["x".repeat(2000)] }), &["2000 bytes"]);
    let parts = |parts: Value, says: &[&str]| refused_manifest(json!({ "parts": parts }).to_string(), says);
    parts(json!([]), &["no part"]);
    parts(json!([{ "mesh": "bolt.stl" }]), &["part parts[0]", "missing field `name`"]);
    parts(json!([{ "name": "a", "parent": "b" }, { "name": "b", "parent": "a" }]), &["cycle"]);
    parts(
        json!([{ "name": "a", "parent": "b", "mesh": "bolt.stl" }, { "name": "b" }, { "name": "b" }]),
        &["part 'a'", "'b' is the name of several parts"],
    );
    let scale = json!({ "matrix": [1e200, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] });
    parts(
        json!([{ "name": "a", "mesh": "bolt.stl", "parent": "b", "pose": scale }, { "name": "b", "pose": scale }]),
        &["part 'a'", "world matrix", "inf"],
    );
    refused_manifest("{}", &["missing field `parts`"]);
    refused_manifest("{1", &["line 1 column 2", "key must be a string near '1'"]);
    refused_manifest(r#"["mm", []]"#, &["sequence, expected an object"]);
    parts(json!([["a", "bolt.stl"]]), &["parts[0]", "sequence, expected an object"]);
    part(json!({ "pose": [[0, 0, 0, 1], [0, 0, 0]] }), &["sequence, expected an object"]);
    refused_manifest(r#"{"parts": [], "colour": 1}"#, &["unknown field `colour`"]);
    refused_manifest(r#"{"unit": "parsec", "parts": []}"#, &["unknown variant `parsec`", "`mm`"]);
    refused_manifest(r#"{"parts": [], "parts": []}"#, &["duplicate field `parts`"]);
    refused_manifest(r#"{"parts": [{"name": "a\nb", "name": "c"}]}"#, &["duplicate field `name`"]);
    let huge = r#"{"parts": [{"name": "arm", "mesh": "bolt.stl", "pose": {"translation": [1, 2, 1e999]}}]}"#;
    refused_manifest(huge, &["part 'arm'", "number out of range", "1e999"]);
    refused_manifest(huge.replace("1e999", "NaN"), &["line 1 column 79"]);
}

#[test]
fn units_that_disagree() {
    let folder = Folder::new();
    let stl = folder.put("plate.stl", tetrahedron_stl());
    let glb = folder.put("bolt.glb", tetrahedron_glb());
    let manifest = |name: &str, unit: Value| {
        let parts = json!([{ "name": "p", "mesh": "plate.stl" }]);
        folder.put(name, json!({ "unit": unit, "parts": parts }).to_string())
    };
    let (mm, none) = (manifest("mm.json", json!("mm")), manifest("none.json", json!(null)));
    for (paths, unit, says) in [
        (vec![&stl, &glb], None, vec!["plate.stl", "bolt.glb", "in m", "add --unit m"]),
        (vec![&glb, &stl], Some(Unit::Mm), vec!["plate.stl", "mm (--unit)", "bolt.glb", "--unit m"]),
        (vec![&glb, &mm], None, vec!["mm.json", "in mm", "bolt.glb", "in m", "convert"]),
        (vec![&mm, &glb], Some(Unit::M), vec!["mm.json", "in mm", "bolt.glb", "in m", "convert"]),
        (vec![&mm, &stl], None, vec!["plate.stl", "mm.json", "add --unit mm"]),
        (vec![&mm, &none], None, vec!["none.json", "mm.json", "add --unit mm"]),
        (vec![&glb], Some(Unit::In), vec!["bolt.glb", "in m", "--unit in"]),
        (vec![&mm], Some(Unit::In), vec!["mm.json", "in mm", "--unit in"]),
    ] {
        let paths: Vec<_> = paths.into_iter().cloned().collect();
        let text = read(&paths, &ReadOptions { unit, ..ReadOptions::default() }).unwrap_err().to_string();
        assert_eq!(text.lines().count(), 1);
        says.iter().for_each(|word| assert!(text.contains(word), "no '{word}' in: {text}"));
    }
}

fn sound_files() -> Vec<(Format, Vec<u8>)> {
    let mut data_uri = tetrahedron_json();
    data_uri["buffers"] = json!([{ "byteLength": 9, "uri": "data:;base64,AACAPwAAgD8A" }]);
    data_uri["bufferViews"] = json!([{ "buffer": 0, "byteLength": 9 }]);
    data_uri["accessors"] = json!([{ "bufferView": 0, "componentType": 5121, "count": 3, "type": "VEC3" }]);
    data_uri["meshes"][0]["primitives"][0] = json!({ "attributes": { "POSITION": 0 }, "mode": 5 });
    let manifest = json!({ "unit": "mm", "parts": [
        { "name": "a", "mesh": "a.stl", "parent": "b", "pose": { "rotation": [0, 0, 0, 1], "translation": [1, 2, 3] } },
        { "name": "b", "tags": ["x"], "pose": { "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] } } ] });
    vec![
        (Format::Gltf, tetrahedron_glb()),
        (Format::Gltf, data_uri.to_string().into_bytes()),
        (Format::Manifest, manifest.to_string().into_bytes()),
        (Format::Mesh(MeshFormat::Stl), tetrahedron_stl()),
        (Format::Mesh(MeshFormat::Stl), tetrahedron_text_stl().into_bytes()),
        (Format::Mesh(MeshFormat::Obj), tetrahedron_obj().into_bytes()),
        (Format::Mesh(MeshFormat::Ply), tetrahedron_text_ply().into_bytes()),
        (Format::Mesh(MeshFormat::Ply), tetrahedron_binary_ply(false)),
        (Format::Mesh(MeshFormat::Ply), tetrahedron_binary_ply(true)),
    ]
}

/// Checks that any bytes give a valid scene or a one-line error.
fn read_any(format: Format, bytes: &[u8]) -> bool {
    match read_bytes(format, "any", bytes) {
        Ok(scene) => {
            assert!(!scene.parts.is_empty() && scene.parts.iter().all(|part| part.pose.is_finite()));
            true
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("any: ") && text.lines().count() == 1, "{text}");
            false
        }
    }
}

#[test]
fn every_truncation_is_noticed() {
    for (format, bytes) in sound_files() {
        assert_eq!(read_any(format, &bytes), format != Format::Manifest, "{format:?}");
        // The name after an OBJ's faces or an STL's last keyword may end anywhere, and so may a last line
        // break.
        let complete = match format {
            Format::Mesh(MeshFormat::Obj) => 0,
            Format::Mesh(MeshFormat::Stl) if bytes.starts_with(b"solid tetra") => {
                bytes.len() - "tetra\n".len() - 1
            }
            Format::Mesh(MeshFormat::Ply) if bytes.is_ascii() => bytes.len() - 1,
            _ => bytes.len(),
        };
        for length in 0..complete {
            assert!(!read_any(format, &bytes[..length]), "{format:?} cut at {length} of {}", bytes.len());
        }
        (complete..bytes.len()).for_each(|length| {
            read_any(format, &bytes[..length]);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_panic(
        file in 0_usize..9,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let (format, mut bytes) = sound_files().swap_remove(file);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            // Half of the changes insert a digit, which keeps text well formed and falsifies its counts.
            bytes[at] = if value < 128 { value } else { b'0' + value % 10 };
        }
        let length = cut.map_or(bytes.len(), |cut| cut.index(bytes.len()));
        read_any(format, &bytes[..length]);
    }

    #[test]
    fn any_bytes_never_panic(format in 0_usize..5, bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let format = [Format::Gltf, Format::Manifest, Format::Mesh(MeshFormat::Stl),
            Format::Mesh(MeshFormat::Obj), Format::Mesh(MeshFormat::Ply)][format];
        read_any(format, &bytes);
    }
}
