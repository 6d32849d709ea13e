//! A robot with two addresses of meshes, and texts of the files around it: every mesh is read, left out if
//! that is allowed, or named on one line; and none lies outside, unless that is allowed.
#![no_main]

use std::path::Path;

use closefit_geometry::scene::Scene;
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use libfuzzer_sys::fuzz_target;

/// The folders around the robot, in which a package may be; the last one is outside. Each has a mesh that is
/// as large as the folder's number.
const FOLDERS: [&str; 5] = ["w/arm/urdf", "w/arm", "w/arm/hand", "w/hand", "elsewhere/hand"];
const OUTSIDE: f64 = 5.0;

/// The number of meshes.
const MESHES: usize = 2;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&apos;")
}

fn read(files: &InMemory, options: &ReadOptions) -> Option<Scene> {
    match read_from(files, &[Path::new("w/arm/urdf/r.urdf")], options) {
        Ok(scene) => Some(scene),
        Err(error) => {
            let told = error.to_string();
            assert!(told.lines().count() == 1 && !told.chars().any(char::is_control), "one line: {told:?}");
            None
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&flags, rest)) = data.split_first() else { return };
    let mut texts = rest.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    let links: String = (0..MESHES)
        .map(|at| {
            let address = escaped(&texts.next().unwrap_or_default());
            format!(
                "<link name='{at}'><visual><geometry><mesh filename='{address}'/></geometry></visual></link>"
            )
        })
        .collect();
    let joint = "<joint name='j' type='fixed'><parent link='0'/><child link='1'/></joint>";
    let mut files = InMemory::default();
    let mut put = |path: String, text: String| {
        let _ = files.insert(&path, text.into_bytes());
    };
    put("w/arm/urdf/r.urdf".to_owned(), format!("<robot name='r'>{links}{joint}</robot>"));
    for (folder, size) in FOLDERS.into_iter().zip(1..) {
        put(format!("{folder}/m.obj"), format!("v {size} 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n"));
        if let Some(text) = texts.next().filter(|text| !text.is_empty()) {
            put(format!("{folder}/package.xml"), text.into_owned());
        }
    }
    let given = texts.next().map(|name| (name.into_owned(), "w/hand".into()));
    let strict = ReadOptions {
        allow_outside: flags & 1 != 0,
        packages: given.filter(|_| flags & 2 != 0).into_iter().collect(),
        package_path: if flags & 4 != 0 { vec!["elsewhere".into()] } else { Vec::new() },
        ..ReadOptions::default()
    };
    let (whole, some) =
        (read(&files, &strict), read(&files, &ReadOptions { allow_missing: true, ..strict.clone() }));
    if let Some(scene) = &whole {
        assert_eq!(scene.parts.len(), MESHES);
        assert_eq!(some.as_ref().map(|some| some.parts.len()), Some(MESHES), "nothing is missing");
    }
    for scene in whole.iter().chain(&some) {
        assert_eq!(scene.parts.len() as u64 + scene.left_out.parts, MESHES as u64, "all are counted");
        let mut corners = scene.meshes.iter().flat_map(|mesh| mesh.vertices());
        assert!(strict.allow_outside || corners.all(|corner| corner.x != OUTSIDE), "none lies outside");
    }
});
