//! Files in memory are read as those of a disk: the same scenes, and the same refusals, word for word.

use std::fs;
use std::path::{Path, PathBuf};

use closefit_scene::read::{InMemory, ReadOptions, read, read_from};

use super::STL;

/// The files of all cases, below one folder.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let manifest = |mesh: &str| {
        format!(r#"{{ "unit": "mm", "parts": [{{ "name": "a", "mesh": {} }}] }}"#, serde_json::json!(mesh))
    };
    let places = |scene: &str| {
        format!(r#"{{ "unit": "mm", "parts": [{{ "name": "a", "scene": {} }}] }}"#, serde_json::json!(scene))
    };
    let gltf = |uri: &str| {
        format!(
            r#"{{ "asset": {{ "version": "2.0" }}, "scene": 0, "scenes": [{{ "nodes": [0] }}],
            "nodes": [{{ "mesh": 0, "name": "a" }}], "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
            "accessors": [{{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }}],
            "bufferViews": [{{ "buffer": 0, "byteLength": 36 }}], "buffers": [{{ "uri": "{uri}", "byteLength": 36 }}] }}"#
        )
    };
    let robot = |mesh: &str| {
        format!(
            r#"<robot name="arm"><link name="base"><visual><geometry><mesh filename="{mesh}"/></geometry></visual></link>
            <link name="hand"><visual><geometry><mesh filename="{mesh}"/></geometry></visual></link>
            <joint name="wrist" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/>
            <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#
        )
    };
    let corners: Vec<u8> =
        [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let texts = [
        ("outside.stl", STL.to_owned()),
        ("scene/a.stl", STL.to_owned()),
        ("scene/empty.stl", String::new()),
        ("scene/below/b.stl", STL.replace("1 0 0", "2 0 0")),
        ("scene/good.json", manifest("below/b.stl")),
        ("scene/steps.json", manifest("below/../././a.stl")),
        ("scene/climbs.json", manifest("../outside.stl")),
        ("scene/climbs_to_nothing.json", manifest("../nothing.stl")),
        ("scene/climbs_back.json", manifest("../scene/a.stl")),
        ("scene/missing.json", manifest("below/none.stl")),
        ("scene/folder.json", manifest("below")),
        ("scene/folder.stl.json", manifest("below/folder.stl")),
        ("scene/empty.json", manifest("empty.stl")),
        ("scene/absolute.json", manifest("/nothing/a.stl")),
        ("scene/places.json", places("below/inner.json")),
        ("scene/below/inner.json", manifest("b.stl")),
        ("scene/places_itself.json", places("below/../places_itself.json")),
        ("scene/below/inner_climbs.json", manifest("../a.stl")),
        ("scene/places_climbing.json", places("below/inner_climbs.json")),
        ("scene/good.gltf", gltf("below/corners%20of%20it.bin")),
        ("scene/climbs.gltf", gltf("..%2Foutside.bin")),
        ("scene/missing.gltf", gltf("none.bin")),
        ("scene/below/folder.stl/x.stl", STL.to_owned()),
        (
            "scene/pairs.srdf",
            r#"<robot name="arm"><disable_collisions link1="base" link2="hand" reason="Adjacent"/></robot>"#
                .to_owned(),
        ),
        ("scene/moves.csv", "t_s,wrist\n0,0\n1,0.5\n".to_owned()),
        ("scene/good.urdf", robot("below/b.stl")),
        ("arm/package.xml", "<package><name>arm_description</name></package>".to_owned()),
        ("arm/meshes/base.stl", STL.to_owned()),
        ("arm/urdf/arm.urdf", robot("package://arm_description/meshes/base.stl")),
        ("arm/urdf/other.urdf", robot("package://other/meshes/base.stl")),
        ("arm/urdf/climbs.urdf", robot("package://arm_description/../outside.stl")),
        ("arm/urdf/missing.urdf", robot("package://arm_description/meshes/none.stl")),
    ];
    let texts = texts.into_iter().map(|(path, text)| (path, text.into_bytes()));
    texts.chain([("scene/below/corners of it.bin", corners.clone()), ("outside.bin", corners)]).collect()
}

#[test]
fn files_in_memory_are_read_as_those_of_a_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    // The memory has the same paths, so messages can be compared.
    let root = fs::canonicalize(folder.path()).expect("it is there");
    let mut memory = InMemory::default();
    let files = files();
    for (path, bytes) in &files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(&path, bytes).expect("writable");
        memory.insert(&path, bytes.clone()).expect("a new path");
    }
    let [mut read_alike, mut refused_alike] = [0; 2];
    let mut compare = |paths: &[PathBuf], options: &ReadOptions| {
        let [on_disk, in_memory] = [read(paths, options), read_from(&memory, paths, options)]
            .map(|scene| scene.map(|scene| format!("{scene:?}")).map_err(|error| error.to_string()));
        assert_eq!(on_disk, in_memory, "{paths:?} {options:?}");
        *(if on_disk.is_ok() { &mut read_alike } else { &mut refused_alike }) += 1;
    };
    let scenes = files.iter().map(|(path, _)| *path).filter(|path| {
        Path::new(path)
            .extension()
            .is_some_and(|extension| ["json", "gltf", "urdf", "stl"].iter().any(|e| extension == *e))
    });
    for scene in scenes.chain(["scene", "scene/none.json", "scene/below/folder.stl", "scene/../scene/a.stl"])
    {
        for allow_outside in [false, true] {
            let options = ReadOptions { allow_outside, ..ReadOptions::default() };
            compare(&[root.join(scene)], &options);
            compare(&[root.join("scene/good.json"), root.join(scene)], &options);
        }
    }
    for (srdf, trajectory) in
        [("pairs.srdf", "moves.csv"), ("none.srdf", "moves.csv"), ("pairs.srdf", "below")]
    {
        let [srdf, trajectory] = [srdf, trajectory].map(|name| Some(root.join("scene").join(name)));
        compare(&[root.join("scene/good.urdf")], &ReadOptions { srdf, trajectory, ..ReadOptions::default() });
    }
    assert!(read_alike > 40 && refused_alike > 30, "{read_alike} {refused_alike}");
}

/// No option lets a scene out of the files in memory.
#[test]
fn nothing_beside_the_files_in_memory_is_read() {
    let mut memory = InMemory::default();
    let outside = tempfile::NamedTempFile::with_suffix(".stl").expect("writable");
    fs::write(outside.path(), STL).expect("writable");
    let mesh = serde_json::json!(outside.path().to_string_lossy());
    memory.insert("all.json", format!(r#"{{ "parts": [{{ "name": "a", "mesh": {mesh} }}] }}"#)).expect("new");
    let refused = |allow_outside| {
        let options = ReadOptions { allow_outside, ..ReadOptions::default() };
        read_from(&memory, &["all.json"], &options).expect_err("not in memory").to_string()
    };
    assert!(refused(false).contains("it lies outside the folder of the scene"), "{}", refused(false));
    assert!(refused(true).contains("No such file"), "{}", refused(true));
}
