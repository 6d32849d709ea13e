//! Bytes of a file: a scene or one typed error.
#![no_main]

use closefit_scene::read::{Format, MeshFormat, read_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&which, bytes)) = data.split_first() else { return };
    let (format, name) = match which % 11 {
        0 => (Format::Gltf, "fuzz.glb"),
        1 => (Format::Manifest, "fuzz.json"),
        2 => (Format::Mesh(MeshFormat::Stl), "fuzz.stl"),
        3 => (Format::Mesh(MeshFormat::Obj), "fuzz.obj"),
        4 => (Format::Mesh(MeshFormat::Ply), "fuzz.ply"),
        5 => (Format::Urdf, "fuzz.urdf"),
        6 => (Format::Collada, "fuzz.dae"),
        7 => (Format::Mjcf, "fuzz.xml"),
        8 => (Format::Mesh(MeshFormat::Off), "fuzz.off"),
        9 => (Format::ThreeMf, "fuzz.3mf"),
        _ => (Format::Sdf, "fuzz.sdf"),
    };
    match read_bytes(format, name, bytes) {
        Ok(scene) => {
            assert!(scene.parts.iter().all(|p| p.mesh.index() < scene.meshes.len()));
            let frames = scene.frames.all().len();
            assert!(scene.parts.iter().filter_map(|p| p.frame).all(|frame| (frame.0 as usize) < frames));
            if let Some(times) = scene.time_range() {
                assert!(times.iter().all(|&time| scene.at(time).parts.len() == scene.parts.len()));
            }
            assert!(scene.meshes.iter().flat_map(|m| m.vertices()).all(|v| v.is_finite()));
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "one line: {error}"),
    }
});
