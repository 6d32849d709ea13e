//! Results of the readers on valid files: known answers for every format.

use closefit::scene::Scene;
use closefit::{PartId, Pose, Unit};
use closefit_scene::read::{Format, MeshFormat, ReadOptions, read, read_bytes};
use closefit_testing::fixtures::*;
use glam::DVec3;
use serde_json::{Value, json};

/// Returns the corners of every triangle of a part, unposed.
fn triangles(scene: &Scene, part: u32) -> Vec<[DVec3; 3]> {
    let mesh = scene.mesh(PartId(part));
    (0..mesh.triangles().len()).map(|t| mesh.corners(u32::try_from(t).unwrap())).collect()
}

fn tetrahedron() -> Vec<[DVec3; 3]> {
    FACES.iter().map(|f| f.map(|v| DVec3::from(CORNERS[usize::from(v)].map(f64::from)))).collect()
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.parts.iter().map(|part| &*part.name).collect()
}

fn gltf(change: impl FnOnce(&mut Value)) -> Scene {
    let mut json = tetrahedron_json();
    change(&mut json);
    read_bytes(Format::Gltf, "a.glb", &glb(&json.to_string(), &tetrahedron_bytes())).unwrap()
}

fn mesh(format: MeshFormat, bytes: impl AsRef<[u8]>) -> Scene {
    read_bytes(Format::Mesh(format), "dir.with.dots.x", bytes.as_ref()).unwrap()
}

#[test]
fn statements_of_an_obj_that_nobody_knows_are_noted() {
    let folder = Folder::new();
    let unknown = "region 1\nregion 2\n# region\ntessellate\nregion \\\n3\n";
    let scene = read_one(folder.put("a.obj", format!("{unknown}{}", tetrahedron_obj()))).unwrap();
    assert_eq!(
        scene.notes,
        [
            "a.obj: 3 unknown 'region' statements left out, first on line 1",
            "a.obj: 1 unknown 'tessellate' statement left out, first on line 4",
        ]
    );
    let plain = read_one(folder.put("b.obj", tetrahedron_obj())).unwrap();
    assert!(plain.notes.is_empty() && scene.meshes == plain.meshes);
    // The number of notes is limited, however many unknown statements there are.
    let crowd: String = (0..1000).map(|i| format!("k{i}\nk{i}\n")).collect();
    let scene = read_one(folder.put("c.obj", format!("{}{crowd}", tetrahedron_obj()))).unwrap();
    assert_eq!(scene.notes.len(), 11);
    assert_eq!(scene.notes[10], "c.obj: statements of 990 more unknown keywords left out: 1980");
}

#[test]
fn every_format_reads_the_tetrahedron() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("t.glb", tetrahedron_glb()),
        ("t.stl", tetrahedron_stl()),
        ("T.STL", tetrahedron_text_stl().into_bytes()),
        ("upper.stl", tetrahedron_text_stl().to_uppercase().into_bytes()),
        ("crlf.stl", tetrahedron_text_stl().replace('\n', "\r\n").into_bytes()),
        ("t.obj", tetrahedron_obj().into_bytes()),
        ("crlf.obj", tetrahedron_obj().replace('\n', "\r\n").into_bytes()),
        ("t.ply", tetrahedron_text_ply().into_bytes()),
        ("crlf.ply", tetrahedron_text_ply().replace('\n', "\r\n").into_bytes()),
        ("le.ply", tetrahedron_binary_ply(false)),
        ("be.ply", tetrahedron_binary_ply(true)),
    ] {
        let scene = read_one(folder.put(name, bytes)).unwrap();
        assert_eq!(triangles(&scene, 0), tetrahedron(), "{name}");
        assert_eq!(scene.mesh(PartId(0)).vertices().len(), 4);
        assert_eq!(*scene.parts[0].file, *name);
        assert_eq!(scene.parts[0].pose, Pose::IDENTITY);
        assert!(scene.notes.is_empty());
        let stem = name.split('.').next().unwrap();
        let expected = if name == "t.glb" { "bolt" } else { stem };
        assert_eq!(*scene.parts[0].name, *expected);
        assert_eq!(*scene.parts[0].path, format!("/{expected}"));
    }
}

#[test]
fn decimal_text_is_the_nearest_f64() {
    // None of these is an f32, and 1 + 2^-53 + a little must round up.
    let texts = ["0.1", "1.00000000000000011102230246251565404236316680908203126", "123456789.123456789"];
    let point = texts.map(|t| t.parse::<f64>().unwrap());
    assert_eq!(point[1], 1.0 + f64::EPSILON);
    let [x, y, z] = texts;
    let stl = format!(
        "solid\nfacet normal 0 0 1\nouter loop\nvertex {x} {y} {z}\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid"
    );
    let obj = format!("v {x} {y} {z}\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
         element face 1\nproperty list uchar int vertex_index\nend_header\n{x} {y} {z}\n1 0 0\n0 1 0\n3 0 1 2\n"
    );
    for (format, text) in [(MeshFormat::Stl, stl), (MeshFormat::Obj, obj), (MeshFormat::Ply, ply)] {
        assert_eq!(triangles(&mesh(format, text), 0)[0][0], DVec3::from(point), "{format:?}");
    }
    let text = tetrahedron_json()
        .to_string()
        .replace(r#""mesh":0"#, &format!(r#""mesh":0,"translation":[{x},{y},{z}]"#));
    let scene = read_bytes(Format::Gltf, "a.glb", &glb(&text, &tetrahedron_bytes())).unwrap();
    assert_eq!(scene.parts[0].pose.rows.map(|row| row[3]), point);
}

#[test]
fn a_binary_stl_may_begin_with_solid_and_a_text_one_with_a_blank_line() {
    assert!(tetrahedron_stl().starts_with(b"solid"));
    let text = format!("\n  {}\n\n{}", tetrahedron_text_stl(), tetrahedron_text_stl());
    let twice = [tetrahedron(), tetrahedron()].concat();
    assert_eq!(triangles(&mesh(MeshFormat::Stl, text), 0), twice, "two solids, one part");
}

#[test]
fn obj_polygons_groups_and_references() {
    let text = "\u{feff}mtllib a.mtl\nv 0 0 0 0.5 0.5 0.5\nv 1 0 0\nv 1 1 0\nv 0 1 0 # C:\\path\\\n\
        g one\nusemtl red\nf -4/1/1 -3//2 -2/3 -1\ng two\nf 1 2 \\\n 3\nf 5 1 2\nv 0 0 5\nl 1 2\np 1\ng one\nf 2 3 5\n";
    let scene = mesh(MeshFormat::Obj, text);
    let v = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [0., 0., 5.]].map(DVec3::from);
    let expected = [[0, 1, 2], [0, 2, 3], [0, 1, 2], [4, 0, 1], [1, 2, 4]].map(|f| f.map(|i: usize| v[i]));
    assert_eq!(triangles(&scene, 0), expected);
    assert_eq!(scene.parts.len(), 1);
    assert_eq!(scene.notes, ["points and lines left out (no surface): 2"]);
}

#[test]
fn obj_in_another_encoding_is_read() {
    let text = b"# gr\xfcn\no gr\xfcn\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_eq!(triangles(&mesh(MeshFormat::Obj, text), 0).len(), 1);
}

#[test]
fn ply_lists_strips_and_what_is_passed_over() {
    let text = "ply\ncomment made by hand\nformat ascii 1.0\nelement vertex 5\nproperty uchar red\nproperty double z\n\
        property double y\nproperty list uchar float weights\nproperty double x\nelement face 2\n\
        property list uint8 uint32 vertex_index\nproperty float quality\nelement edge 1\nproperty int vertex1\n\
        property int vertex2\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n\
        255 0 0 2 nan inf 0\n0 0 0 0 1\n0 0 1 0 1\n\n0 0 1 0 0\n0 5 0 0 0\n\
        4 0 1 2 3 0.5\n3 0 1 4 nan\n0 1\n8 0 1 2 4 -1 0 1 2\n";
    let scene = mesh(MeshFormat::Ply, text);
    let v = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [0., 0., 5.]].map(DVec3::from);
    let expected =
        [[0, 1, 2], [0, 2, 3], [0, 1, 4], [0, 1, 2], [1, 4, 2], [0, 1, 2]].map(|f| f.map(|i: usize| v[i]));
    assert_eq!(triangles(&scene, 0), expected);
    assert_eq!(scene.notes, ["edges left out (no surface): 1"]);
}

#[test]
fn gltf_nodes_compose_depth_first() {
    let scene = gltf(|json| {
        json["scenes"] = json!([{ "nodes": [2] }, { "nodes": [0] }, { "nodes": [5, 4] }]);
        json["scene"] = json!(2);
        json["meshes"].as_array_mut().unwrap().push(json!({ "primitives": [
            { "attributes": { "POSITION": 0 }, "indices": 1, "mode": 1 } ] }));
        json["nodes"] = json!([
            { "name": "outside", "mesh": 0 },
            { "mesh": 0, "rotation": [0, 0, 2, 2], "scale": [2, 3, -4], "translation": [1, 2, 3] },
            { "name": "wires", "mesh": 1 },
            { "name": "", "mesh": 0, "extras": { "type": "IfcWall", "name": "Wall 1", "id": 7 } },
            { "name": "last", "mesh": 0 },
            { "matrix": [0, 0.001, 0, 0, -0.001, 0, 0, 0, 0, 0, 0.001, 0, 0.1, 0.2, 0.3, 1], "children": [1, 3] }
        ]);
    });
    assert_eq!(names(&scene), ["tetra", "Wall 1", "last"]);
    assert_eq!(&*scene.parts[0].path, "/node5/tetra");
    assert_eq!((scene.meshes.len(), scene.unit), (1, Some(Unit::M)));
    assert_eq!(scene.notes, ["nodes left out (not in the scene that is read): 2"]);
    let parent = Pose { rows: [[0.0, -0.001, 0.0, 0.1], [0.001, 0.0, 0.0, 0.2], [0.0, 0.0, 0.001, 0.3]] };
    assert_eq!(scene.parts[1].pose, Pose::compose(&parent, &Pose::IDENTITY));
    // A quarter turn about z; 1 / sqrt(2) is not exact, so neither are the zeros.
    let h = 2.0 / 8.0_f64.sqrt();
    let (one, zero) = (h * (h + h), 1.0 - h * (h + h));
    let local =
        [[zero * 2.0, -one * 3.0, 0.0, 1.0], [one * 2.0, zero * 3.0, 0.0, 2.0], [0.0, 0.0, -4.0, 3.0]];
    assert_eq!(scene.parts[0].pose, Pose::compose(&parent, &Pose { rows: local }));
    assert!(
        (scene.parts[0].pose.apply(DVec3::X) - DVec3::new(0.1 - 0.004, 0.2 + 0.001, 0.303)).length() < 1e-15
    );
}

#[test]
fn gltf_without_scenes_reads_all_roots_and_without_a_default_the_first() {
    let scene = gltf(|json| {
        json.as_object_mut().unwrap().remove("scenes");
        json.as_object_mut().unwrap().remove("scene");
        json["nodes"] =
            json!([{ "name": "child", "mesh": 0 }, { "children": [0] }, { "name": "b", "mesh": 0 }]);
    });
    assert_eq!(names(&scene), ["child", "b"]);
    let scene = gltf(|json| {
        json.as_object_mut().unwrap().remove("scene");
        json["scenes"] = json!([{ "nodes": [1] }, { "nodes": [0] }]);
        json["nodes"] = json!([{ "name": "a", "mesh": 0 }, { "name": "b", "mesh": 0 }]);
    });
    assert_eq!(names(&scene), ["b"]);
}

#[test]
fn gltf_primitives_are_joined_strips_wind_alternately_and_fans_turn() {
    let scene = gltf(|json| {
        let primitive = |mode: u32| json!({ "attributes": { "POSITION": 0 }, "mode": mode });
        let mut list = vec![primitive(5), primitive(0), primitive(6)];
        list.push(json!({ "attributes": { "POSITION": 0 }, "indices": 1, "targets": [{}] }));
        json["meshes"][0]["primitives"] = json!(list);
        json["nodes"][0]["skin"] = json!(0);
        json["animations"] = json!([{ "channels": [], "samplers": [] }]);
        json["extensionsUsed"] = json!(["KHR_materials_unlit", "XYZ_bend"]);
    });
    let v = CORNERS.map(|c| DVec3::from(c.map(f64::from)));
    let mut expected = [[0, 1, 2], [1, 3, 2], [1, 2, 0], [2, 3, 0]].map(|f| f.map(|i: usize| v[i])).to_vec();
    expected.extend(tetrahedron());
    assert_eq!(triangles(&scene, 0), expected);
    assert_eq!(
        scene.notes,
        [
            "the extension XYZ_bend is ignored",
            "nodes taken without their skin: 1",
            "primitives taken without their morph targets: 1",
            "primitives of points or lines left out (no surface): 1",
        ]
    );
}

#[test]
fn gltf_strips_jump_by_repeated_corners() {
    let scene = gltf(|json| json["meshes"][0]["primitives"][0]["mode"] = json!(5));
    let corners = FACES.as_flattened();
    let v = CORNERS.map(|c| DVec3::from(c.map(f64::from)));
    let mut expected = Vec::new();
    for (t, window) in corners.windows(3).enumerate() {
        let [a, b, c] = [0, 1, 2].map(|i| v[usize::from(window[i])]);
        if a != b && b != c && c != a {
            expected.push(if t % 2 == 0 { [a, b, c] } else { [b, a, c] });
        }
    }
    // Where a triangle begins is not part of it.
    let turned = |mut triangle: [DVec3; 3]| {
        let first = (0..3).min_by_key(|&i| v.iter().position(|&p| p == triangle[i])).unwrap();
        triangle.rotate_left(first);
        triangle
    };
    let found: Vec<_> = triangles(&scene, 0).into_iter().map(turned).collect();
    assert_eq!(found, expected.into_iter().map(turned).collect::<Vec<_>>());
    assert!((4..10).contains(&found.len()), "{found:?}");
}

#[test]
fn gltf_instances_become_parts() {
    let mut json = tetrahedron_json();
    let mut bytes = tetrahedron_bytes();
    bytes.extend(f32s([0.0, 0.0, 0.0, 10.0, 0.0, 0.0])); // TRANSLATION at 72
    for byte in [0_i8, 0, 0, 127, 0, 0, -128, 0] {
        bytes.extend(byte.to_le_bytes()); // ROTATION at 96, normalized
    }
    json["buffers"][0]["byteLength"] = json!(bytes.len());
    for (offset, length) in [(72, 24), (96, 8)] {
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
        json["bufferViews"].as_array_mut().unwrap().push(view);
    }
    let accessors = json["accessors"].as_array_mut().unwrap();
    accessors.push(json!({ "bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3" }));
    accessors.push(
        json!({ "bufferView": 3, "componentType": 5120, "normalized": true, "count": 2, "type": "VEC4" }),
    );
    json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing", "KHR_texture_transform"]);
    json["nodes"][0]["translation"] = json!([0, 5, 0]);
    json["nodes"][0]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 2, "ROTATION": 3, "_ID": 9 } } });
    let scene = read_bytes(Format::Gltf, "a.glb", &glb(&json.to_string(), &bytes)).unwrap();
    assert_eq!(names(&scene), ["bolt[0]", "bolt[1]"]);
    assert_eq!(&*scene.parts[1].path, "/bolt[1]");
    assert_eq!(scene.meshes.len(), 1);
    assert_eq!(scene.parts[0].pose.apply(DVec3::X), DVec3::new(1.0, 5.0, 0.0));
    assert_eq!(scene.parts[1].pose.apply(DVec3::X), DVec3::new(9.0, 5.0, 0.0));
}

#[test]
fn gltf_quantized_strided_and_sparse_positions() {
    let mut json = tetrahedron_json();
    // Four normalized i16 corners, 8 bytes apart; a sparse entry replaces corner 2.
    let mut bytes = Vec::new();
    for corner in [[0_i16, 0, 0], [32767, 0, 0], [9, 9, 9], [-32768, 1, 16384]] {
        bytes.extend(corner.into_iter().chain([0]).flat_map(i16::to_le_bytes));
    }
    bytes.extend(u16s([0, 1, 2, 0, 2, 3]));
    bytes.extend([2, 0]); // the sparse index at 44
    bytes.extend([0_i16, 3, 0].into_iter().flat_map(i16::to_le_bytes)); // its value at 46
    json["buffers"][0]["byteLength"] = json!(bytes.len());
    json["bufferViews"] = json!([
        { "buffer": 0, "byteLength": 30, "byteStride": 8 },
        { "buffer": 0, "byteOffset": 32, "byteLength": 12 },
        { "buffer": 0, "byteOffset": 40, "byteLength": 12 }
    ]);
    json["accessors"] = json!([
        { "bufferView": 0, "componentType": 5122, "normalized": true, "count": 4, "type": "VEC3", "sparse": {
            "count": 1, "indices": { "bufferView": 2, "byteOffset": 4, "componentType": 5121 },
            "values": { "bufferView": 2, "byteOffset": 6 } } },
        { "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" }
    ]);
    json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let scene = read_bytes(Format::Gltf, "a.glb", &glb(&json.to_string(), &bytes)).unwrap();
    let corner = DVec3::new(-1.0, 1.0 / 32767.0, 16384.0 / 32767.0);
    let replaced = DVec3::new(0.0, 3.0 / 32767.0, 0.0);
    assert_eq!(triangles(&scene, 0), [[DVec3::ZERO, DVec3::X, replaced], [DVec3::ZERO, replaced, corner]]);
}

#[test]
fn gltf_buffers_in_files_and_in_the_text() {
    let folder = Folder::new();
    folder.put("sub/my data.bin", tetrahedron_bytes());
    let mut json = tetrahedron_json();
    json["buffers"][0]["uri"] = json!("my%20data.bin");
    let scene = read_one(folder.put("sub/a.gltf", json.to_string())).unwrap();
    assert_eq!(triangles(&scene, 0), tetrahedron());
    json["buffers"] =
        json!([{ "byteLength": 9, "uri": "data:application/octet-stream;base64,AACAPwAAgD8A" }]);
    json["bufferViews"] = json!([{ "buffer": 0, "byteLength": 9 }]);
    json["accessors"] = json!([{ "bufferView": 0, "componentType": 5121, "count": 3, "type": "VEC3" }]);
    json["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices");
    let scene = read_one(folder.put("b.gltf", format!("\u{feff}{json}"))).unwrap();
    let v = [[0., 0., 128.], [63., 0., 0.], [128., 63., 0.]].map(DVec3::from);
    assert_eq!(triangles(&scene, 0), [v]);
}

#[test]
fn deep_chains_do_not_overflow_the_stack() {
    const DEPTH: usize = 100_000;
    let folder = Folder::new();
    let scene = gltf(|json| {
        let mut nodes: Vec<Value> = (1..DEPTH).map(|i| json!({ "mesh": 0, "children": [i] })).collect();
        nodes.push(json!({ "name": "end", "mesh": 0 }));
        json["nodes"] = json!(nodes);
    });
    assert_eq!(scene.parts.len(), DEPTH);
    assert!(scene.parts[DEPTH - 1].path.starts_with("/.../tetra/"));
    assert!(scene.parts[DEPTH - 1].path.ends_with("/tetra/end"));

    folder.put("t.stl", tetrahedron_stl());
    let mut parts: Vec<Value> = (1..DEPTH)
        .map(|i| json!({ "name": format!("{i}"), "parent": format!("{}", i + 1), "pose": { "translation": [1, 0, 0] } }))
        .collect();
    parts[0]["mesh"] = json!("t.stl");
    parts.push(json!({ "name": DEPTH.to_string() }));
    let scene = read_one(folder.put("deep.json", json!({ "parts": parts }).to_string())).unwrap();
    assert_eq!(scene.parts.len(), 1);
    assert_eq!(scene.parts[0].pose.apply(DVec3::ZERO).x, (DEPTH - 1) as f64);
}

#[test]
fn manifest_parts_frames_and_shared_meshes() {
    let folder = Folder::new();
    folder.put("meshes/bolt.stl", tetrahedron_stl());
    folder.put("arm.obj", tetrahedron_obj() + "l 1 2\n");
    let manifest = json!({ "unit": "mm", "parts": [
        { "name": "bolt", "mesh": "meshes/bolt.stl", "tags": ["fastener"],
          "pose": { "rotation": [0, 0, 0, 2], "translation": [1, 2, 3] } },
        { "name": "arm", "mesh": "arm.obj", "parent": "base" },
        { "name": "bolt", "mesh": "meshes/bolt.stl", "parent": "arm",
          "pose": { "matrix": [0, -1, 0, 5, 1, 0, 0, 0, 0, 0, -1, 0.1] } },
        { "name": "base", "pose": { "matrix": [2, 0, 0, 10, 0, 2, 0, 0, 0, 0, 2, 0] } }
    ] });
    let path = folder.put("asm.json", manifest.to_string());
    let scene = read_one(path.clone()).unwrap();
    assert_eq!(names(&scene), ["bolt", "arm", "bolt"]);
    let paths: Vec<&str> = scene.parts.iter().map(|part| &*part.path).collect();
    assert_eq!(paths, ["/bolt", "/base/arm", "/base/arm/bolt"]);
    let files: Vec<&str> = scene.parts.iter().map(|part| &part.file[..]).collect();
    assert_eq!(files, ["meshes/bolt.stl", "arm.obj", "meshes/bolt.stl"]);
    assert_eq!(&*scene.parts[0].tags, ["fastener"]);
    assert_eq!((scene.meshes.len(), scene.parts[0].mesh), (2, scene.parts[2].mesh));
    assert_eq!(scene.unit, Some(Unit::Mm));
    assert_eq!(scene.parts[0].pose.apply(DVec3::ZERO), DVec3::new(1.0, 2.0, 3.0));
    let expected = [[0.0, -2.0, 0.0, 20.0], [2.0, 0.0, 0.0, 0.0], [0.0, 0.0, -2.0, 0.2]];
    assert_eq!(scene.parts[2].pose.rows, expected);
    assert_eq!(scene.notes, ["asm.json: arm.obj: points and lines left out (no surface): 1"]);
    // The unit may be given again, and the same file twice gives its parts twice.
    let twice =
        read(&[path.clone(), path], &ReadOptions { unit: Some(Unit::Mm), ..ReadOptions::default() }).unwrap();
    assert_eq!((twice.parts.len(), twice.parts[5].mesh), (6, twice.parts[3].mesh));
}

#[test]
fn several_files_make_one_scene_in_one_unit() {
    let folder = Folder::new();
    let stl = folder.put("plate.stl", tetrahedron_stl());
    let obj = folder.put("rod.obj", tetrahedron_obj());
    let glb = folder.put("bolt.glb", tetrahedron_glb());
    let unit = |unit| ReadOptions { unit, ..ReadOptions::default() };
    let scene = read(&[stl.clone(), obj.clone()], &unit(None)).unwrap();
    assert_eq!((names(&scene), scene.unit), (vec!["plate", "rod"], None));
    let scene = read(&[obj, stl.clone()], &unit(Some(Unit::Ft))).unwrap();
    assert_eq!((names(&scene), scene.unit), (vec!["rod", "plate"], Some(Unit::Ft)));
    let scene = read(&[stl, glb], &unit(Some(Unit::M))).unwrap();
    assert_eq!((names(&scene), scene.unit), (vec!["plate", "bolt"], Some(Unit::M)));
    assert_eq!((scene.meshes.len(), scene.parts[1].mesh.index()), (2, 1));
}

/// Returns a manifest's part with a cube of its own scene, at the corners of its box.
fn corners_of(scene: &Scene, name: &str) -> [DVec3; 2] {
    let part = scene.parts.iter().find(|part| &*part.name == name).expect(name);
    let posed = |corner: DVec3| part.pose.apply(corner);
    [posed(DVec3::ZERO), posed(DVec3::X)]
}

#[test]
fn a_manifest_places_whole_scenes() {
    let folder = Folder::new();
    folder.put("cells/meshes/t.stl", tetrahedron_stl());
    folder.put("cells/bolt.glb", tetrahedron_glb());
    let slide = json!([{ "time": 1, "translation": [0, 0, 0] }, { "time": 3, "translation": [0, 0, 2] }]);
    let cell = json!({ "unit": "in", "parts": [
        { "name": "frame", "mesh": "meshes/t.stl", "tags": ["steel"], "pose": { "translation": [1, 0, 0] } },
        { "name": "slide", "mesh": "meshes/t.stl", "motion": { "keyframes": slide } },
        { "name": "bolts", "scene": "bolt.glb", "parent": "slide" } ] });
    folder.put("cells/cell.json", cell.to_string());
    let line = json!({ "unit": "mm", "parts": [
        { "name": "left", "scene": "cells/cell.json", "tags": ["line"] },
        { "name": "plate", "mesh": "cells/meshes/t.stl" },
        { "name": "right", "scene": "cells/cell.json", "surface": true,
          "pose": { "rotation": [0, 0, 1, 0], "translation": [1000, 0, 0] } } ] });
    let scene = read_one(folder.put("line.json", line.to_string())).unwrap();
    let expected = [
        "left/frame",
        "left/slide",
        "left/bolts/bolt",
        "plate",
        "right/frame",
        "right/slide",
        "right/bolts/bolt",
    ];
    assert_eq!(names(&scene), expected);
    assert_eq!((scene.unit, scene.meshes.len()), (Some(Unit::Mm), 3));
    assert_eq!((&*scene.parts[2].path, &*scene.parts[2].file), ("/left/slide/bolts/bolt", "cells/bolt.glb"));
    assert_eq!(&*scene.parts[0].file, "cells/meshes/t.stl");
    assert_eq!(&*scene.parts[0].tags, ["line", "steel"]);
    assert!(!scene.parts[0].is_surface && scene.parts[4].is_surface && scene.parts[6].is_surface);
    let near = |found: [DVec3; 2], expected: [[f64; 3]; 2]| {
        let off = (0..2).map(|i| (found[i] - DVec3::from(expected[i])).length()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{found:?} instead of {expected:?}");
    };
    // Inches and metres to millimetres; the cell on the right is turned by half a turn.
    near(corners_of(&scene, "left/frame"), [[25.4, 0.0, 0.0], [50.8, 0.0, 0.0]]);
    near(corners_of(&scene, "left/bolts/bolt"), [[0.0; 3], [1000.0, 0.0, 0.0]]);
    near(corners_of(&scene, "right/frame"), [[974.6, 0.0, 0.0], [949.2, 0.0, 0.0]]);
    // Motions come along, with what hangs on them.
    assert_eq!(scene.time_range(), Some([1.0, 3.0]));
    let later = scene.at(2.0);
    near(corners_of(&later, "left/slide"), [[0.0, 0.0, 25.4], [25.4, 0.0, 25.4]]);
    near(corners_of(&later, "left/bolts/bolt"), [[0.0, 0.0, 25.4], [1000.0, 0.0, 25.4]]);
    near(corners_of(&later, "right/bolts/bolt"), [[1000.0, 0.0, 25.4], [0.0, 0.0, 25.4]]);
    near(corners_of(&later, "right/frame"), [[974.6, 0.0, 0.0], [949.2, 0.0, 0.0]]);
}

#[test]
fn a_scene_that_cannot_be_placed_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.put("t.stl", tetrahedron_stl());
    folder.put("t.glb", tetrahedron_glb());
    let refused = |name: &str, manifest: Value, says: &str| {
        let error = read_one(folder.put(name, manifest.to_string())).unwrap_err().to_string();
        assert!(error.contains(says) && error.lines().count() == 1, "{error}");
    };
    let of = |scene: &str| json!({ "unit": "mm", "parts": [{ "name": "p", "scene": scene }] });
    refused(
        "self.json",
        of("self.json"),
        "self.json: part 'p' (parts[0]): self.json: it is a scene that this one is part of",
    );
    folder.put("b.json", of("a.json").to_string());
    refused(
        "a.json",
        of("b.json"),
        "b.json: part 'p' (parts[0]): a.json: it is a scene that this one is part of",
    );
    refused("x.json", of("gone.glb"), "gone.glb: cannot be read");
    refused("x.json", of("../t.glb"), "outside the folder of the scene");
    refused("x.json", of("a.step"), "STEP is not read");
    let unitless = json!({ "parts": [{ "name": "p", "scene": "t.glb" }] });
    refused(
        "x.json",
        unitless,
        "t.glb: it is in m, but the manifest has no unit: add \"unit\": \"m\" or another",
    );
    let both = json!({ "parts": [{ "name": "p", "scene": "t.glb", "mesh": "t.stl" }] });
    refused("x.json", both, "scene: it stands beside a mesh");
    let mesh = json!({ "parts": [{ "name": "p", "mesh": "t.glb" }] });
    refused("x.json", mesh, "in a manifest, \"scene\"");
    let keyframes = json!([{ "time": 0 }, { "time": 1, "translation": [0, 0, 2] }]);
    let moving = json!({ "parts": [{ "name": "m", "mesh": "t.stl", "motion": { "keyframes": keyframes } }] });
    folder.put("moving.json", moving.to_string());
    let stretched = json!({ "parts": [{ "name": "p", "scene": "moving.json",
        "pose": { "matrix": [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0] } }] });
    refused("x.json", stretched, "part 'p' (parts[0]): motion: its parent frame is scaled unevenly");
    for depth in 1..20 {
        let below = if depth == 1 { "t.glb".to_owned() } else { format!("d{}.json", depth - 1) };
        folder.put(format!("d{depth}.json"), of(&below).to_string());
    }
    read_one(folder.path("d15.json")).unwrap();
    refused("d20.json", of("d19.json"), "more than 16 scenes are within each other");
}

/// The name of a mesh is the name of all its nodes; no text of the document repeats it three times for
/// each.
#[test]
fn a_long_name_is_not_in_the_document_three_times() {
    use closefit::Winding;
    use closefit::internals::engine::PosedBoxes;
    use closefit_report::{Inspection, json};
    let name = "n".repeat(1000);
    let scene = gltf(|document| {
        document["nodes"] = (0..50).map(|_| json!({ "mesh": 0 })).collect();
        document["scenes"][0]["nodes"] = (0..50).collect();
        document["meshes"][0]["name"] = json!(name);
    });
    let text =
        json::document(&Inspection::new(&scene, &PosedBoxes::new(&scene, None).unwrap(), Winding::Repaired));
    let times = String::from_utf8(text).unwrap().matches(&name).count();
    assert!(times <= 2 * 50, "{times}");
}
