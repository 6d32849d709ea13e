//! A stream of meshopt, of any layout: a scene or one typed error.
#![no_main]

use std::path::Path;

use closefit_scene::read::{InMemory, ReadOptions, read_from};
use libfuzzer_sys::fuzz_target;

const MODES: [&str; 3] = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
const FILTERS: [&str; 3] = ["NONE", "EXPONENTIAL", "QUATERNION"];

fuzz_target!(|data: &[u8]| {
    let Some((&[kind, stride, low, high], stream)) = data.split_first_chunk() else { return };
    let (mode, filter) = (MODES[usize::from(kind) % 3], FILTERS[usize::from(kind) / 3 % 3]);
    let of_indices = mode != "ATTRIBUTES";
    let stride = if of_indices { 2 + 2 * usize::from(stride % 2) } else { 4 + 4 * usize::from(stride % 63) };
    let (count, length) = (usize::from(u16::from_le_bytes([low, high])), stream.len());
    // The corners of indices are the bytes of the stream, and the elements of attributes are corners.
    let accessors = match of_indices {
        true => format!(
            r#"{{ "bufferView": 1, "componentType": 5121, "count": {}, "type": "VEC3" }},
            {{ "bufferView": 0, "componentType": {}, "count": {count}, "type": "SCALAR" }}"#,
            length / 3,
            if stride == 2 { 5123 } else { 5125 },
        ),
        false => format!(
            r#"{{ "bufferView": 0, "componentType": {}, "count": {count}, "type": "VEC3" }}"#,
            if stride < 12 { 5121 } else { 5126 },
        ),
    };
    let (indices, step) = match of_indices {
        true => (r#", "indices": 1"#.to_owned(), String::new()),
        false => (String::new(), format!(r#""byteStride": {stride},"#)),
    };
    let document = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "mesh": 0 }}],
        "meshes": [{{ "primitives": [{{ "mode": 5, "attributes": {{ "POSITION": 0 }} {indices} }}] }}],
        "accessors": [{accessors}],
        "bufferViews": [{{ "buffer": 1, {step} "byteLength": {}, "extensions": {{ "KHR_meshopt_compression": {{ "buffer": 0,
        "byteLength": {length}, "byteStride": {stride}, "count": {count}, "mode": "{mode}", "filter": "{filter}" }} }} }},
        {{ "buffer": 0, "byteLength": {length} }}],
        "buffers": [{{ "uri": "a.bin", "byteLength": {length} }}, {{ "byteLength": 0 }}] }}"#,
        count * stride,
    );
    let mut files = InMemory::default();
    let _ = files.insert("a.gltf", document.into_bytes());
    let _ = files.insert("a.bin", stream);
    match read_from(&files, &[Path::new("a.gltf")], &ReadOptions::default()) {
        Ok(scene) => assert!(scene.meshes.iter().flat_map(|m| m.vertices()).all(|v| v.is_finite())),
        Err(error) => assert!(!error.to_string().contains('\n'), "one line: {error}"),
    }
});
