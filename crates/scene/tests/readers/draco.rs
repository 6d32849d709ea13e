//! glTF whose meshes Draco has compressed: streams of the reference encoder, which `draco/streams.mjs` wrote,
//! against the same document with what the reference decoder finds in them.

use std::path::Path;
use std::sync::LazyLock;

use closefit_geometry::scene::Scene;
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::with_bytes;

/// A stream, and what it decodes to.
struct Case {
    component_type: u32,
    stream: Vec<u8>,
    id: u32,
    positions: Vec<u8>,
    corners: Vec<u8>,
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let bytes = |hex: &str| -> Vec<u8> {
        let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        hex.as_bytes().chunks(2).map(digits).collect()
    };
    let of_line = |line: &'static str| {
        let words: Vec<&str> = line.split(' ').collect();
        Case {
            component_type: words[0].parse().unwrap(),
            stream: bytes(words[1]),
            id: words[2].parse().unwrap(),
            positions: bytes(words[3]),
            corners: bytes(words[4]),
        }
    };
    include_str!("draco/streams.txt").lines().map(of_line).collect()
});

/// Reads a document beside `a.bin`, in little memory.
fn read(document: &Value, bytes: &[u8]) -> Result<Scene, String> {
    let mut files = InMemory::default();
    files.insert("a.gltf", document.to_string()).unwrap();
    files.insert("a.bin", bytes).unwrap();
    let options = ReadOptions { memory: Some(1 << 26), ..ReadOptions::default() };
    read_from(&files, &[Path::new("a.gltf")], &options).map_err(|error| error.to_string())
}

impl Case {
    fn counts(&self) -> [usize; 2] {
        let size = if self.component_type == 5126 { 4 } else { 2 };
        [self.positions.len() / (3 * size), self.corners.len() / 4]
    }

    fn plain(&self) -> Scene {
        let [vertices, corners] = self.counts();
        let length = self.positions.len();
        let document = json!({
            "asset": { "version": "2.0" },
            "nodes": [{ "mesh": 0, "name": "torus" }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
            "accessors": [
                { "bufferView": 0, "componentType": self.component_type, "count": vertices, "type": "VEC3" },
                { "bufferView": 1, "componentType": 5125, "count": corners, "type": "SCALAR" }
            ],
            "bufferViews": [
                { "buffer": 0, "byteLength": length },
                { "buffer": 0, "byteOffset": length, "byteLength": self.corners.len() }
            ],
            "buffers": [{ "uri": "a.bin", "byteLength": length + self.corners.len() }]
        });
        read(&document, &[self.positions.as_slice(), &self.corners].concat()).unwrap()
    }

    fn document(&self) -> Value {
        let [vertices, corners] = self.counts();
        json!({
            "asset": { "version": "2.0" },
            "extensionsRequired": ["KHR_draco_mesh_compression"],
            "nodes": [{ "mesh": 0, "name": "torus" }],
            "meshes": [{ "primitives": [{
                "attributes": { "POSITION": 0 }, "indices": 1, "extensions": {
                    "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": { "POSITION": self.id } }
                }
            }] }],
            "accessors": [
                { "componentType": self.component_type, "count": vertices, "type": "VEC3" },
                { "componentType": 5125, "count": corners, "type": "SCALAR" }
            ],
            "bufferViews": [{ "buffer": 0, "byteLength": self.stream.len() }],
            "buffers": [{ "uri": "a.bin", "byteLength": self.stream.len() }]
        })
    }
}

fn assert_same(found: &Scene, expected: &Scene) {
    assert_eq!(found.meshes.len(), 1);
    assert_eq!(found.meshes[0].vertices(), expected.meshes[0].vertices());
    assert_eq!(found.meshes[0].triangles(), expected.meshes[0].triangles());
}

#[test]
fn streams_decode_to_what_the_reference_finds() {
    let cases = &*CASES;
    assert!(cases.len() > 20, "{}", cases.len());
    for case in cases {
        let mut document = case.document();
        assert_same(&read(&document, &case.stream).unwrap(), &case.plain());
        // Its triangles are a list for a strip, too, whose accessor may have corners without a triangle.
        document["meshes"][0]["primitives"][0]["mode"] = json!(5);
        document["accessors"][1]["count"] = json!(case.counts()[1]);
        assert_same(&read(&document, &case.stream).unwrap(), &case.plain());
    }
}

/// Accessors without data are only counts, which two streams may share.
#[test]
fn streams_with_the_same_accessors_are_two_meshes() {
    let one = &CASES[0];
    let is_other = |case: &&Case| {
        (case.component_type, case.counts()) == (one.component_type, one.counts())
            && case.positions != one.positions
    };
    let other = CASES.iter().find(is_other).expect("another quantization");
    let mut document = one.document();
    let mut second = document["meshes"][0].clone();
    let stream = &mut second["primitives"][0]["extensions"]["KHR_draco_mesh_compression"];
    *stream = json!({ "bufferView": 1, "attributes": { "POSITION": other.id } });
    document["meshes"].as_array_mut().unwrap().push(second);
    document["nodes"] = json!([{ "mesh": 0 }, { "mesh": 1 }, { "mesh": 0 }]);
    let [from, length] = [one.stream.len(), other.stream.len()];
    let view = json!({ "buffer": 0, "byteOffset": from, "byteLength": length });
    document["bufferViews"].as_array_mut().unwrap().push(view);
    document["buffers"][0]["byteLength"] = json!(from + length);
    let scene = read(&document, &[one.stream.as_slice(), &other.stream].concat()).unwrap();
    assert_eq!(scene.meshes.len(), 2);
    for (mesh, case) in scene.meshes.iter().zip([one, other]) {
        assert_eq!(mesh.vertices(), case.plain().meshes[0].vertices());
    }
    let of_parts: Vec<usize> = scene.parts.iter().map(|part| part.mesh.index()).collect();
    assert_eq!(of_parts, [0, 1, 0]);
}

/// A primitive with plain accessors is read from them: they are what the model had before.
#[test]
fn plain_accessors_come_first() {
    let case = &CASES[0];
    let mut document = case.document();
    let plain = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].map(f32::to_le_bytes);
    let bytes = [case.stream.as_slice(), plain.as_flattened(), &[0, 1, 2]].concat();
    document["buffers"][0]["byteLength"] = json!(bytes.len());
    document["bufferViews"].as_array_mut().unwrap().extend([
        json!({ "buffer": 0, "byteOffset": case.stream.len(), "byteLength": 36 }),
        json!({ "buffer": 0, "byteOffset": case.stream.len() + 36, "byteLength": 3 }),
    ]);
    document["accessors"] = json!([
        { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3" },
        { "bufferView": 2, "componentType": 5121, "count": 3, "type": "SCALAR" }
    ]);
    assert_eq!(read(&document, &bytes).unwrap().meshes[0].triangles(), [[0, 1, 2]]);
    // Indices alone are not enough.
    document["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    assert!(read(&document, &bytes).unwrap_err().contains("has more than 1 triangles"));
}

#[test]
fn what_is_wrong_is_named() {
    let case = &CASES[0];
    let with = |says: &str, change: &dyn Fn(&mut Value)| {
        let mut document = case.document();
        change(&mut document);
        let error = read(&document, &case.stream).unwrap_err();
        assert!(error.contains(says) && error.lines().count() == 1, "{error}");
    };
    let primitive = |document: &mut Value, key: &str, value: Value| {
        document["meshes"][0]["primitives"][0][key] = value;
    };
    let extension = |document: &mut Value, key: &str, value: Value| {
        let extensions = &mut document["meshes"][0]["primitives"][0]["extensions"];
        extensions["KHR_draco_mesh_compression"][key] = value;
    };
    with("part 'torus' (nodes[0]): mesh 0, primitive 0: there is no bufferView 7", &|document| {
        extension(document, "bufferView", json!(7));
    });
    with("the Draco stream has no attribute 9", &|document| {
        extension(document, "attributes", json!({ "POSITION": 9 }));
    });
    with("it has no POSITION", &|document| extension(document, "attributes", json!({ "NORMAL": 0 })));
    with("it has no accessor of indices", &|document| primitive(document, "indices", json!(5)));
    with("KHR_draco_mesh_compression in mode 6", &|document| primitive(document, "mode", json!(6)));
    with("positions of componentType 5125", &|document| {
        document["accessors"][0]["componentType"] = json!(5125);
    });
    with("the Draco stream has 3 Float32 for a position, but its accessor 3 I16", &|document| {
        document["accessors"][0]["componentType"] = json!(5122);
    });
    with("35 vertices and 70 triangles, but its accessors say 36 and 70", &|document| {
        document["accessors"][0]["count"] = json!(36);
    });
    with("35 vertices and 70 triangles, but its accessors say 35 and 71", &|document| {
        document["accessors"][1]["count"] = json!(213);
    });
    with("has more than 69 triangles", &|document| document["accessors"][1]["count"] = json!(207));
    with("211 corners do not make triangles", &|document| {
        document["accessors"][1]["count"] = json!(211);
    });
    with("4294967296 vertices are too many for a file of", &|document| {
        document["accessors"][0]["count"] = json!(1_u64 << 32);
    });
    with("too many for a file of", &|document| document["accessors"][1]["count"] = json!(3_u64 << 40));
    with("memory", &|document| document["accessors"][1]["count"] = json!(3 << 24));
}

#[test]
fn streams_that_are_cut_short_are_refused() {
    for case in &*CASES {
        for tenth in 0..10 {
            let length = case.stream.len() * tenth / 10;
            let mut document = case.document();
            document["bufferViews"][0]["byteLength"] = json!(length);
            let error = read(&document, &case.stream).unwrap_err();
            assert!(error.contains("Draco") && error.lines().count() == 1, "{error}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// A damaged stream is a scene or one line.
    #[test]
    fn damaged_streams_are_read_or_refused(
        which: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let cases = &*CASES;
        let case = &cases[which.index(cases.len())];
        let stream = with_bytes(&case.stream, &changes);
        if let Err(error) = read(&case.document(), &stream) {
            prop_assert!(error.lines().count() == 1, "{error}");
        }
    }
}
