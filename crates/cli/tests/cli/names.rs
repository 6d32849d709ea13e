//! Names of parts and pairs: names, types, storeys and keys, in scenes, files and tables.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use closefit::scene::Scene;
use closefit_scene::read::{Format, ReadOptions, read, read_bytes};
use closefit_testing::command::*;
use closefit_testing::fixtures::*;
use serde_json::{Value, json};

const WALL: &str = "2O2Fr$t4X7Zf8NOew3FNtn";
const LAMP: &str = "10k69mF8j4eeUjUpzCXCG7";

/// Writes a glTF file of tetrahedra with these nodes, of which the first is the only root.
fn building(nodes: Value) -> Vec<u8> {
    let mut json = tetrahedron_json();
    json["nodes"] = nodes;
    glb(&json.to_string(), &tetrahedron_bytes())
}

fn parts(nodes: Value) -> Scene {
    read_bytes(Format::Gltf, "house.glb", &building(nodes)).unwrap()
}

/// Returns nodes below a root, one for each pair of name and extras.
fn below_root(extras: &[(&str, Value)]) -> Value {
    let children: Vec<usize> = (1..=extras.len()).collect();
    let mut nodes = vec![json!({ "name": "root", "children": children })];
    nodes.extend(extras.iter().map(|(name, extras)| json!({ "name": name, "mesh": 0, "extras": extras })));
    json!(nodes)
}

#[test]
fn extras_say_what_a_part_is() {
    let scene = parts(below_root(&[
        (WALL, json!({ "type": "IfcWall", "name": "Wall 1" })),
        ("n", json!({ "GlobalId": WALL, "IfcType": "IfcWall", "Name": "Wall 1", "type": "other" })),
        ("n", json!({ "CLASS": "IfcWall", "GLOBALID": WALL, "NAME": "Wall 1", "guid": "other" })),
        ("n", json!({ "ifcType": "IfcWall", "guid": WALL, "Name": 7, "name": "Wall 1", "x": { "name": 1 } })),
    ]));
    for part in &scene.parts {
        assert_eq!(
            (&part.name[..], part.kind.as_deref(), part.guid.as_deref()),
            ("Wall 1", Some("IfcWall"), Some(WALL))
        );
        assert_eq!((&part.path[..], &part.model[..], part.tags.len()), ("/root/Wall 1", "house", 0));
    }
    let product = "product-40b86270-3c8b-44a2-87ad-7b3f4c84c407-body";
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (name, extras, guid) in [
        (product, json!(null), Some(LAMP)),
        ("10k69mF8j4eeUjUpzCXCG7:3", json!([{ "name": "x" }]), Some(LAMP)),
        ("lamp", json!("name"), None),
        ("lamp", json!({ "name": "", "type": " \n", "guid": [LAMP], "class": null }), None),
        ("lamp", json!({ "name": { "name": "x" }, "deep": "DEEP" }), None),
    ] {
        let text = below_root(&[(name, extras)]).to_string().replace("\"DEEP\"", &deep);
        let mut json = tetrahedron_json();
        json["nodes"] = json!("NODES");
        let file = glb(&json.to_string().replace("\"NODES\"", &text), &tetrahedron_bytes());
        let part = &read_bytes(Format::Gltf, "a.glb", &file).unwrap().parts[0];
        let shown = if name == product { LAMP } else { name };
        assert_eq!((&part.name[..], part.kind.as_deref(), part.guid.as_deref()), (shown, None, guid));
    }
}

/// Converters from STEP name a node by its occurrence, `NAUO5`, and a mesh by its product.
#[test]
fn an_occurrence_id_gives_way_to_the_name_of_the_mesh_but_stays_in_the_key() {
    let named = |mesh: &str, nodes: &[&str]| {
        let mut json = tetrahedron_json();
        json["meshes"][0]["name"] = json!(mesh);
        json["nodes"] = nodes.iter().map(|name| json!({ "name": name, "mesh": 0 })).collect();
        json["scenes"] = json!([{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }]);
        let scene =
            read_bytes(Format::Gltf, "box.glb", &glb(&json.to_string(), &tetrahedron_bytes())).unwrap();
        let parts = scene.parts.iter().map(|part| (part.name.to_string(), part.path.to_string()));
        parts.collect::<Vec<_>>()
    };
    let pairs = |parts: &[(&str, &str)]| {
        parts.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(
        named("box_base", &["NAUO1", "=>[0:1:1:2]", "lid", "NAUO_x", ""]),
        pairs(&[
            ("box_base", "/NAUO1"),
            ("box_base", "/=>[0:1:1:2]"),
            ("lid", "/lid"),
            ("NAUO_x", "/NAUO_x"),
            ("box_base", "/box_base"),
        ])
    );
    for mesh in ["", "NAUO7"] {
        assert_eq!(named(mesh, &["NAUO1"]), pairs(&[("NAUO1", "/NAUO1")]));
    }
}

#[test]
fn the_nearest_storey_above_is_a_parts_storey() {
    let storey = |name: &str| json!({ "type": "IfcBuildingStorey", "name": name });
    let scene = parts(json!([
        { "name": "site", "children": [1, 6], "extras": { "type": "IfcSite" } },
        { "name": "g1", "children": [2, 3], "mesh": 0, "extras": storey("Level 1") },
        { "name": "in 1", "mesh": 0 },
        { "name": "g2", "children": [4, 5], "extras": storey("Mezzanine") },
        { "name": "in 2", "mesh": 0 },
        { "name": "also in 2", "mesh": 0, "extras": storey("ignored of itself") },
        { "name": "outside", "mesh": 0 },
    ]));
    let storeys: Vec<_> = scene.parts.iter().map(|part| part.storey.as_deref()).collect();
    let (one, two) = (Some("Level 1"), Some("Mezzanine"));
    assert_eq!(storeys, [None, one, two, two, None]);
    assert_eq!(&*scene.parts[2].path, "/site/Level 1/Mezzanine/in 2");
}

#[test]
fn a_text_that_is_too_long_is_refused_with_its_part_and_key() {
    let long = "x".repeat(65_536);
    for key in ["Name", "ifcType", "GlobalId"] {
        let nodes = below_root(&[("lamp", json!({ key: long }))]);
        let error = read_bytes(Format::Gltf, "a.glb", &building(nodes)).unwrap_err().to_string();
        let expected = format!("a.glb: part 'lamp' (nodes[1]): extras.{key}: 'xxx");
        assert!(
            error.starts_with(&expected) && error.contains("65536 bytes") && error.len() < 300,
            "{error}"
        );
    }
}

#[test]
fn instances_share_their_texts() {
    let mut json = tetrahedron_json();
    json["nodes"][0]["extras"] = json!({ "type": "Bolt", "guid": WALL });
    json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    json["nodes"][0]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 2 } } });
    json["accessors"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "componentType": 5126, "count": 3, "type": "VEC3" }));
    let folder = Folder::new();
    let scene = read_one(folder.put("a.glb", glb(&json.to_string(), &tetrahedron_bytes()))).unwrap();
    let [a, b, _] = &scene.parts[..] else { panic!("three parts") };
    assert_eq!((&a.name[..], &b.name[..]), ("bolt[0]", "bolt[1]"));
    let same = |x: &Option<std::sync::Arc<str>>, y: &Option<std::sync::Arc<str>>| {
        std::ptr::eq(x.as_deref().unwrap(), y.as_deref().unwrap())
    };
    assert!(same(&a.kind, &b.kind) && same(&a.guid, &b.guid) && std::ptr::eq(&*a.file, &*b.file));
    let note = format!("several parts have the key '{WALL}': all but the first get ~2, ~3 ...");
    assert_eq!(scene.notes, [note]);
}

fn report(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json", "--fail-on", "never", "--clearance", "9"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn keys(list: &Value) -> BTreeSet<String> {
    let rows = list.as_array().unwrap();
    let keys: BTreeSet<String> = rows.iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect();
    assert_eq!(keys.len(), rows.len(), "keys are different");
    keys
}

/// Writes two files with parts whose keys are shared by both files, shared within one, and unique.
fn two_models(folder: &Folder) -> [String; 2] {
    let wall = json!({ "GlobalId": WALL, "Name": "Wall 1", "type": "IfcWall" });
    let a =
        below_root(&[("a", wall.clone()), ("b", json!({})), ("b", json!({})), ("a\n\u{202e}", json!({}))]);
    let e = below_root(&[(LAMP, json!({ "type": "IfcLamp" })), ("b", json!({})), ("w", wall)]);
    [("A.glb", a), ("E.glb", e)].map(|(name, nodes)| shown(&folder.put(name, building(nodes))).to_owned())
}

#[test]
fn keys_do_not_depend_on_the_order_of_files_nor_on_their_folder() {
    let (here, there) = (Folder::new(), Folder::new());
    let [a, e] = two_models(&here);
    let [moved_a, moved_e] = two_models(&there);
    let first = report(&["check", &a, &e]);
    let parts =
        [WALL, "A/root/b", "A/root/b~2", "A/root/a\\n\u{202e}", LAMP, "E/root/b", "2O2Fr$t4X7Zf8NOew3FNtn~2"];
    let of_part: Vec<&str> =
        first["parts"].as_array().unwrap().iter().map(|p| p["key"].as_str().unwrap()).collect();
    assert_eq!(of_part, parts);
    assert_eq!(keys(&first["pairs"]).len(), 21);
    for other in [report(&["check", &e, &a]), report(&["check", &moved_e, &moved_a])] {
        assert_eq!(keys(&other["pairs"]), keys(&first["pairs"]));
        assert_eq!(keys(&other["parts"]), keys(&first["parts"]));
    }
    assert!(
        keys(&first["pairs"]).iter().all(|key| key.len() == 20 && key.bytes().all(|b| b.is_ascii_hexdigit()))
    );
}

#[test]
fn a_model_may_be_named() {
    let folder = Folder::new();
    let [a, e] = two_models(&folder);
    let a_rev9 = folder.path("A_rev9.glb");
    fs::copy(&a, &a_rev9).unwrap();
    let named = report(&["check", shown(&a_rev9), &e, "--model", "A=A_rev9.glb"]);
    let plain = report(&["check", &a, &e]);
    assert_eq!(keys(&named["pairs"]), keys(&plain["pairs"]));
    assert_eq!(
        (&named["parts"][0]["model"], &named["parts"][0]["file"]),
        (&json!("A"), &json!("A_rev9.glb"))
    );
    for (model, culprit) in
        [("A=B.glb", "B.glb: it is no file of the scene"), ("=A.glb", "NAME=FILE"), ("A", "NAME=FILE")]
    {
        let line = refusal(&["check", &a, "--model", model]);
        assert!(line.contains(culprit), "{line}");
    }
}

#[test]
fn every_report_has_names_types_and_keys() {
    let folder = Folder::new();
    let [a, e] = two_models(&folder);
    for command in ["check", "inspect"] {
        let output = run(&[command, &a, &e, "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["closefit"], &report["scene"]["up"]), (&json!(2), &json!("y")));
        let [wall, plain] = [&report["parts"][0], &report["parts"][1]];
        assert_eq!(
            (&wall["name"], &wall["type"], &wall["guid"]),
            (&json!("Wall 1"), &json!("IfcWall"), &json!(WALL))
        );
        assert_eq!(
            (&plain["name"], &plain["type"], &plain["guid"], &plain["storey"]),
            (&json!("b"), &json!(null), &json!(null), &json!(null))
        );
        for digest in ["mesh_digest", "pose_digest"] {
            assert_eq!(wall[digest].as_str().unwrap().len(), 64);
            assert_eq!(wall[digest], plain[digest]); // the same mesh in the same place
        }
    }
    let stl = folder.put("c.stl", tetrahedron_stl());
    assert_eq!(report(&["check", shown(&stl), "--unit", "mm", "--allow-empty"])["scene"]["up"], json!(null));
}

#[test]
fn spreadsheets_get_names_types_models_and_keys() {
    let folder = Folder::new();
    let [a, e] = two_models(&folder);
    let out = folder.path("out");
    run(&["check", &a, &e, "--out", shown(&out)]);
    let report: Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let mut reader = csv::Reader::from_path(out.join("pairs.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), report["pairs"].as_array().unwrap().len());
    for (row, pair) in rows.iter().zip(report["pairs"].as_array().unwrap()) {
        let cell = |name: &str| row[header.iter().position(|column| column == name).expect(name)].to_owned();
        assert_eq!(cell("key"), pair["key"].as_str().unwrap());
        for (side, id) in [("a", &pair["ids"][0]), ("b", &pair["ids"][1])] {
            let part = &report["parts"][usize::try_from(id.as_u64().unwrap()).unwrap()];
            for key in ["key", "type", "model", "storey"] {
                // Characters that turn the direction of writing are escaped in a table and unchanged in JSON.
                let expected = part[key].as_str().unwrap_or("").replace('\u{202e}', r"\u{202e}");
                assert_eq!(cell(&format!("{key}_{side}")), expected, "{key}");
            }
        }
    }
}

#[test]
fn tables_show_names_types_models_and_which_way_is_up() {
    let folder = Folder::new();
    let [a, e] = two_models(&folder);
    let table = |arguments: &[&str]| {
        let output = run(&[arguments, &["--clearance", "9"]].concat());
        text(&output.stdout).to_owned()
    };
    let both = table(&["check", &a, &e]);
    assert!(both.contains("unit m, y up; clearance"), "{both}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let has = |row: &str| both.lines().any(|line| words(line)[..].starts_with(&words(row)));
    assert!(has("clash A:Wall 1 IfcWall E:10k69mF8j4eeUjUpzCXCG7 IfcLamp"), "{both}");
    assert!(has(r"clash A:b #1 A:a\n\u{202e}"), "{both}");
    let one = table(&["check", &e]);
    assert!(one.contains(" Wall 1 ") && !one.contains("E:"), "{one}");
    let inspected = run(&["inspect", &e]);
    let inspected = text(&inspected.stdout);
    assert!(inspected.contains("y up") && inspected.contains("IfcLamp"), "{inspected}");
}

#[test]
fn parts_are_traced_by_their_keys() {
    let folder = Folder::new();
    let mut json = tetrahedron_json();
    json["nodes"] = below_root(&[(WALL, json!({ "name": "same" })), (LAMP, json!({ "name": "same" }))]);
    let mut bytes = tetrahedron_bytes();
    bytes.extend(f32s([0.0, 1.0, 3.0, 0.0, 0.0, 5.0, 0.0, 0.0]));
    json["buffers"][0]["byteLength"] = json!(bytes.len());
    let views = json["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": 0, "byteOffset": 72, "byteLength": 8 }));
    views.push(json!({ "buffer": 0, "byteOffset": 80, "byteLength": 24 }));
    let accessors = json["accessors"].as_array_mut().unwrap();
    accessors.push(json!({ "bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR" }));
    accessors.push(json!({ "bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3" }));
    json["animations"] = json!([{ "channels": [{ "sampler": 0, "target": { "node": 2, "path": "translation" } }],
        "samplers": [{ "input": 2, "output": 3 }] }]);
    let scene = folder.put("a.glb", glb(&json.to_string(), &bytes));
    let output = run(&["sweep", shown(&scene), "--trace", &format!("{WALL},{LAMP}")]);
    assert!(text(&output.stdout).starts_with("time,distance\n0,"), "{}", text(&output.stderr));
    assert!(refusal(&["sweep", shown(&scene), "--trace", "same,same"]).contains("give keys or ids"));
}

#[test]
fn foreign_formats_are_refused_with_the_command_that_converts_them() {
    let folder = Folder::new();
    for (name, expected) in [
        (
            "a.ifc",
            "IFC, without the feature 'ifc' of this program, is not read; convert it: IfcConvert --use-element-guids ",
        ),
        ("a.STEP", "STEP is not read; convert it: pip install cascadio"),
        ("a.stp", "cascadio.step_to_glb("),
        ("a.igs", "'iges'"),
        ("a.3dxml", "3DXML is not read; convert it: pip install trimesh"),
        ("a.fbx", "FBX is not read; convert it: FBX2glTF --binary"),
        ("a.blend", "bpy.ops.export_scene.gltf("),
        ("a.ifc", "IfcConvert --use-element-guids --gltf-extras "),
        ("a.sldprt", "save it as STEP or glTF in SolidWorks"),
        ("a.usd", "USD is not read; save it as glTF in Blender or the program that made it, or use"),
        ("a.usdz", "USD is not read"),
        ("a.x_t", "Parasolid is not read; save it as STEP or glTF in the CAD program"),
        ("a.dwg", "AutoCAD's own format is not read; save it as IGES or STL in AutoCAD"),
        ("a.rvt", "Revit's own format is not read; save it as IFC in Revit"),
        ("a.nwd", "Navisworks' own format is not read; save it as FBX in Navisworks"),
        ("a.vrml", "VRML is not read"),
        ("a.WRL", "VRML is not read"),
    ] {
        let file = folder.put(name, "x");
        for command in ["check", "sweep", "inspect"] {
            let line = refusal(&[command, shown(&file), "--unit", "mm"]);
            assert!(line.contains(&format!("{}: ", shown(&file))) && line.contains(expected), "{line}");
            let converted = file.with_extension("glb");
            assert_eq!(line.contains(shown(&converted)), line.contains("convert it: "), "{line}");
        }
    }
    let manifest = json!({ "unit": "mm", "parts": [{ "name": "p", "mesh": "a.STEP" }] });
    let line = refusal(&["check", shown(&folder.put("m.json", manifest.to_string()))]);
    assert!(line.contains("a.STEP: STEP is not read; convert the mesh to .stl, .obj or .ply"), "{line}");
}

#[test]
fn models_of_a_library_user_are_those_of_the_command_line() {
    let folder = Folder::new();
    let path = folder.put("x.y.stl", tetrahedron_stl());
    let model =
        |options: ReadOptions| read(std::slice::from_ref(&path), &options).unwrap().parts[0].model.clone();
    assert_eq!(*model(ReadOptions::default()), *"x.y");
    let models = vec![("M".to_owned(), Path::new("x.y.stl").to_owned())];
    assert_eq!(*model(ReadOptions { models, ..ReadOptions::default() }), *"M");
}
