//! A stream of Draco, and the counts of its accessors: a scene or one typed error.
#![no_main]

use std::path::Path;

use closefit_scene::read::{InMemory, ReadOptions, read_from};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&[vertices, triangles, kind, id], stream)) = data.split_first_chunk() else { return };
    let (corners, component) = (3 * u32::from(triangles), 5120 + u32::from(kind % 7));
    let length = stream.len();
    let document = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{{ "mesh": 0 }}],
        "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }}, "indices": 1,
        "extensions": {{ "KHR_draco_mesh_compression": {{ "bufferView": 0, "attributes": {{ "POSITION": {id} }} }} }} }}] }}],
        "accessors": [{{ "componentType": {component}, "count": {vertices}, "type": "VEC3" }},
        {{ "componentType": 5125, "count": {corners}, "type": "SCALAR" }}],
        "bufferViews": [{{ "buffer": 0, "byteLength": {length} }}],
        "buffers": [{{ "uri": "a.bin", "byteLength": {length} }}] }}"#
    );
    let mut files = InMemory::default();
    let _ = files.insert("a.gltf", document.into_bytes());
    let _ = files.insert("a.bin", stream);
    match read_from(&files, &[Path::new("a.gltf")], &ReadOptions::default()) {
        Ok(scene) => {
            assert_eq!(scene.meshes[0].triangles().len(), usize::from(triangles));
            assert!(scene.meshes[0].vertices().iter().all(|vertex| vertex.is_finite()));
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "one line: {error}"),
    }
});
