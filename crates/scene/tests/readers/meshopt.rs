//! glTF whose views are compressed by meshopt: streams of the reference encoder, which `meshopt/streams.mjs`
//! wrote, against the same document with what the reference decoder makes of them.

use std::path::Path;
use std::sync::LazyLock;

use closefit_geometry::scene::Scene;
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::with_bytes;

/// A stream, and what it unpacks to.
struct Case {
    mode: &'static str,
    filter: &'static str,
    stride: usize,
    count: usize,
    plain: Vec<u8>,
    stream: Vec<u8>,
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let bytes = |hex: &str| -> Vec<u8> {
        hex.as_bytes()
            .as_chunks()
            .0
            .iter()
            .map(|&digits: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap())
            .collect()
    };
    let of_line = |line: &'static str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [mode, filter, stride, count, plain] = words[..5] else { panic!("{line}") };
        let [stride, count] = [stride, count].map(|number| number.parse().unwrap());
        let case = move |stream: &str| Case {
            mode,
            filter,
            stride,
            count,
            plain: bytes(plain),
            stream: bytes(stream),
        };
        words[5..].iter().map(|stream| case(stream)).collect::<Vec<_>>()
    };
    include_str!("meshopt/streams.txt").lines().flat_map(of_line).collect()
});

/// Reads a document beside `plain.bin` and `packed.bin`, in little memory.
fn read(document: &Value, plain: &[u8], packed: &[u8]) -> Result<Scene, String> {
    let mut files = InMemory::default();
    files.insert("a.gltf", document.to_string()).unwrap();
    files.insert("plain.bin", plain).unwrap();
    files.insert("packed.bin", packed).unwrap();
    let options = ReadOptions { memory: Some(1 << 26), ..ReadOptions::default() };
    read_from(&files, &[Path::new("a.gltf")], &options).map_err(|error| error.to_string())
}

impl Case {
    /// Returns a document that uses all that the stream unpacks to: each three bytes of an element as a
    /// corner, or the indices of corners that lie at different points.
    fn document(&self) -> Value {
        let (of_indices, length) = (self.mode != "ATTRIBUTES", self.plain.len());
        let corners = self.corners().len();
        let offsets = if of_indices { 0..1 } else { 0..self.stride - 2 };
        let mode = if of_indices && self.count.is_multiple_of(3) { 4 } else { 6 };
        let primitive = |offset: usize| match of_indices {
            true => json!({ "attributes": { "POSITION": 1 }, "indices": 0, "mode": mode }),
            false => json!({ "attributes": { "POSITION": offset }, "mode": mode }),
        };
        let accessor = |view: usize, offset: usize, component: u32, count: usize, kind: &str| {
            json!({
                "bufferView": view, "byteOffset": offset, "componentType": component, "count": count, "type": kind
            })
        };
        let index_type = if self.stride == 2 { 5123 } else { 5125 };
        let accessors: Vec<Value> = match of_indices {
            true => vec![
                accessor(0, 0, index_type, self.count, "SCALAR"),
                accessor(1, 0, 5123, corners / 8, "VEC3"),
            ],
            false => offsets.clone().map(|offset| accessor(0, offset, 5121, self.count, "VEC3")).collect(),
        };
        let mut view = json!({ "buffer": 0, "byteLength": length });
        if !of_indices {
            view["byteStride"] = json!(self.stride);
        }
        json!({
            "asset": { "version": "2.0" },
            "nodes": offsets.clone().map(|offset| json!({ "mesh": offset })).collect::<Vec<_>>(),
            "meshes": offsets.map(|offset| json!({ "primitives": [primitive(offset)] })).collect::<Vec<_>>(),
            "accessors": accessors,
            "bufferViews": [view, { "buffer": 1, "byteLength": corners, "byteStride": 8 }],
            "buffers": [
                { "uri": "plain.bin", "byteLength": length },
                { "uri": "packed.bin", "byteLength": corners },
            ],
        })
    }

    /// Returns corners for the indices: the numbers of their elements as their x.
    fn corners(&self) -> Vec<u8> {
        let indices = self.plain.chunks(self.stride).map(|index| u16::from_le_bytes([index[0], index[1]]));
        let most = if self.mode == "ATTRIBUTES" { 0 } else { indices.max().unwrap() };
        (0..=most).flat_map(|x| [x, x % 251, 0, 0]).flat_map(u16::to_le_bytes).collect()
    }

    fn packed_document(&self, extension: &str) -> Value {
        let mut document = self.document();
        let corners = self.corners().len();
        document["bufferViews"][0]["extensions"][extension] = json!({
            "buffer": 1, "byteOffset": corners, "byteLength": self.stream.len(), "byteStride": self.stride,
            "count": self.count, "mode": self.mode, "filter": self.filter,
        });
        document["buffers"][0] = json!({ "byteLength": self.plain.len() });
        document["buffers"][1]["byteLength"] = json!(corners + self.stream.len());
        document["extensionsRequired"] = json!([extension]);
        document
    }

    fn read_plain(&self) -> Scene {
        read(&self.document(), &self.plain, &self.corners()).unwrap()
    }

    fn read_packed(&self, document: &Value, stream: &[u8]) -> Result<Scene, String> {
        read(document, &[], &[&self.corners(), stream].concat())
    }
}

fn assert_same(found: &Scene, expected: &Scene, case: &Case) {
    let which = (case.mode, case.filter, case.stride, case.count, case.stream[0]);
    assert_eq!(found.meshes.len(), expected.meshes.len(), "{which:?}");
    for (found, expected) in found.meshes.iter().zip(&expected.meshes) {
        assert_eq!(found.vertices(), expected.vertices(), "{which:?}");
        assert_eq!(found.triangles(), expected.triangles(), "{which:?}");
    }
}

#[test]
fn streams_unpack_to_what_the_reference_makes_of_them() {
    let cases = &*CASES;
    assert!(cases.len() > 60, "{}", cases.len());
    for case in cases {
        for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
            let found = case.read_packed(&case.packed_document(extension), &case.stream).unwrap();
            assert_same(&found, &case.read_plain(), case);
        }
    }
}

/// The bytes for other readers may be missing, unless a view needs them.
#[test]
fn buffers_for_other_readers_are_not_read() {
    let case = &CASES[0];
    let mut document = case.packed_document("KHR_meshopt_compression");
    document["buffers"][0]["uri"] = json!("missing.bin");
    assert_same(&case.read_packed(&document, &case.stream).unwrap(), &case.read_plain(), case);
    document["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 0, "byteLength": 1 }));
    let error = case.read_packed(&document, &case.stream).unwrap_err();
    assert!(error.contains("buffer 0: missing.bin: cannot be read"), "{error}");
    // A buffer of this kind that no view uses has no bytes either.
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let mut document = case.packed_document(extension);
        let unused = json!({ "byteLength": 9, "extensions": { extension: { "fallback": true } } });
        document["buffers"].as_array_mut().unwrap().push(unused);
        assert_same(&case.read_packed(&document, &case.stream).unwrap(), &case.read_plain(), case);
        document["buffers"][2]["extensions"][extension]["fallback"] = json!(false);
        let error = case.read_packed(&document, &case.stream).unwrap_err();
        assert!(error.contains("buffer 2: it has neither a URI nor a binary chunk"), "{error}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let case = &CASES[0];
    let with = |key: &str, value: Value, says: &str| {
        let mut document = case.packed_document("EXT_meshopt_compression");
        document["bufferViews"][0]["extensions"]["EXT_meshopt_compression"][key] = value;
        let error = case.read_packed(&document, &case.stream).unwrap_err();
        assert!(error.contains(says), "{error}");
    };
    with("mode", json!("LINES"), "accessor 0: bufferView 0: unknown meshopt mode \"LINES\"");
    with(
        "filter",
        json!("COLOR"),
        "the meshopt filter \"COLOR\" is read neither for positions nor for motions",
    );
    with(
        "filter",
        json!("QUATERNION"),
        "meshopt elements of 12 bytes in mode Attributes with filter Quaternion",
    );
    with("byteStride", json!(13), "meshopt elements of 13 bytes in mode Attributes");
    with("byteStride", json!(0), "meshopt elements of 0 bytes in mode Attributes");
    with("byteStride", json!(260), "meshopt elements of 260 bytes in mode Attributes");
    with("mode", json!("TRIANGLES"), "meshopt elements of 12 bytes in mode Triangles");
    with("count", json!(26), "26 meshopt elements of 12 bytes, but its byteLength is 324");
    with("buffer", json!(2), "bufferView 0: buffer 2, but there are 2");
    with("byteOffset", json!(100), "341 bytes from 100 on, but the buffer has");
    with("byteLength", json!(340), "the meshopt stream ends early");
    let mut twice = case.packed_document("EXT_meshopt_compression");
    let extensions = &mut twice["bufferViews"][0]["extensions"];
    extensions["KHR_meshopt_compression"] = extensions["EXT_meshopt_compression"].clone();
    let error = case.read_packed(&twice, &case.stream).unwrap_err();
    assert!(error.contains("duplicate field `EXT_meshopt_compression`"), "{error}");
}

#[test]
fn damaged_streams_are_named() {
    let cases = &*CASES;
    let first =
        |mode: &str, version: u8| cases.iter().find(|c| c.mode == mode && c.stream[0] == version).unwrap();
    let with = |mode: &str, version: u8, says: &str, damage: &dyn Fn(&mut Vec<u8>)| {
        let case = first(mode, version);
        let mut stream = case.stream.clone();
        damage(&mut stream);
        let mut document = case.packed_document("EXT_meshopt_compression");
        document["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]["byteLength"] =
            json!(stream.len());
        document["buffers"][1]["byteLength"] = json!(case.corners().len() + stream.len());
        let error = case.read_packed(&document, &stream).unwrap_err();
        assert!(error.contains(says), "{error}");
    };
    for (mode, version, tail) in
        [("ATTRIBUTES", 0xa0, 32), ("ATTRIBUTES", 0xa1, 24), ("TRIANGLES", 0xe1, 16), ("INDICES", 0xd1, 4)]
    {
        with(mode, version, "begins with the byte 0xa2", &|stream| stream[0] = 0xa2);
        with(mode, version, "has 1 bytes too many", &|stream| stream.insert(stream.len() - tail, 0));
        with(mode, version, "ends early", &|stream| _ = stream.remove(stream.len() - tail - 1));
    }
    let last = |by: usize, to: u8| {
        move |stream: &mut Vec<u8>| {
            let at = stream.len() - by;
            stream[at] = to;
        }
    };
    with("ATTRIBUTES", 0xa1, "the meshopt stream has a channel of mode 0x03", &last(1, 3));
    with("ATTRIBUTES", 0xa1, "the meshopt stream has a channel of mode 0x11", &last(1, 0x11));
    with("TRIANGLES", 0xe1, "the table of the meshopt triangles has a value of 15", &last(3, 0xf0));
    with("TRIANGLES", 0xe1, "the meshopt triangles use a vertex before it is set", &|stream| stream[1] = 0);
    with("INDICES", 0xd1, "the meshopt stream has a number of more than five bytes", &|stream| {
        stream[1..6].fill(0xff)
    });
}

/// A count takes no memory that the stream does not have bytes for.
#[test]
fn counts_that_lie_are_refused() {
    for (mode, stride) in [("ATTRIBUTES", 12), ("TRIANGLES", 4), ("INDICES", 2)] {
        let cases = &*CASES;
        let case = cases.iter().find(|case| case.mode == mode && case.stride == stride).unwrap();
        let mut document = case.packed_document("KHR_meshopt_compression");
        for (count, says) in [
            (3_000_000, "too few for 3000000 meshopt elements"),
            (3_000_000_000_u64, "compressed bufferViews"),
        ] {
            let view = &mut document["bufferViews"][0];
            view["byteLength"] = json!(count * stride as u64);
            view["extensions"]["KHR_meshopt_compression"]["count"] = json!(count);
            let error = case.read_packed(&document, &case.stream).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}

#[test]
fn streams_that_are_cut_short_are_refused() {
    for case in &*CASES {
        let document = case.packed_document("EXT_meshopt_compression");
        for tenth in 0..10 {
            let length = case.stream.len() * tenth / 10;
            let mut document = document.clone();
            document["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]["byteLength"] = json!(length);
            let error = case.read_packed(&document, &case.stream).unwrap_err();
            assert!(error.contains("meshopt") && error.lines().count() == 1, "{error}");
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
        if let Err(error) = case.read_packed(&case.packed_document("EXT_meshopt_compression"), &stream) {
            prop_assert!(error.lines().count() == 1, "{error}");
        }
    }
}
