//! Files that a scene refers to: read from its own folder, and from elsewhere only if the user allows it.

use std::path::Path;

use closefit::scene::Scene;
use closefit_scene::read::{ReadError, ReadOptions, read};
use closefit_testing::command::{refusal, run, shown};
use closefit_testing::fixtures::*;
use serde_json::json;

const SECRET: &str = "secret.stl";

/// Creates a folder `scene` with the files that a scene refers to, beside a secret.
fn folders() -> Folder {
    let folder = Folder::new();
    folder.put(SECRET, tetrahedron_stl());
    folder.put("secret.bin", tetrahedron_bytes());
    folder.put("scene/bolt.stl", tetrahedron_stl());
    folder.put("scene/sub/bolt.stl", tetrahedron_stl());
    folder.put("scene/data.bin", tetrahedron_bytes());
    folder
}

fn read_freely(path: &Path) -> Result<Scene, ReadError> {
    read(&[path.to_owned()], &ReadOptions { allow_outside: true, ..ReadOptions::default() })
}

/// Checks that the library and the program refuse the scene, in one line with all these words, and read it if
/// allowed.
fn held_back(path: &Path, says: &[&str]) {
    let line = refusal(&["check", shown(path)]);
    for word in [&[shown(path), "outside the folder of the scene", "--allow-outside"], says].concat() {
        assert!(line.contains(word), "no '{word}' in: {line}");
    }
    assert!(read_one(path.to_owned()).is_err());
    read_freely(path).unwrap();
    let output = run(&["check", shown(path), "--allow-outside", "--allow-empty", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

fn manifest(folder: &Folder, mesh: &str) -> std::path::PathBuf {
    let parts = json!([{ "name": "bolt", "mesh": mesh }]);
    folder.put("scene/asm.json", json!({ "unit": "mm", "parts": parts }).to_string())
}

fn gltf(folder: &Folder, uri: &str) -> std::path::PathBuf {
    let mut json = tetrahedron_json();
    json["buffers"][0]["uri"] = json!(uri);
    folder.put("scene/a.gltf", json.to_string())
}

#[test]
fn meshes_of_a_manifest_stay_in_its_folder() {
    let folder = folders();
    for mesh in ["../secret.stl", "sub/../../secret.stl", shown(&folder.path(SECRET))] {
        held_back(&manifest(&folder, mesh), &["part 'bolt'", mesh]);
    }
    for mesh in ["bolt.stl", "./sub/bolt.stl", "sub/../bolt.stl", "../scene/bolt.stl"] {
        read_one(manifest(&folder, mesh)).unwrap();
    }
    read_one(manifest(&folder, shown(&folder.path("scene/bolt.stl")))).unwrap();
    // The message does not reveal whether the file exists.
    for mesh in ["../none.stl", "/none/none.stl", r"..\secret.stl", r"C:\secret.stl"] {
        let line = refusal(&["check", shown(&manifest(&folder, mesh))]);
        assert!(line.contains(mesh) && line.contains("--allow-outside"), "{line}");
    }
    // Names in a manifest are not percent-encoded addresses.
    let line = refusal(&["check", shown(&manifest(&folder, "..%2fsecret.stl"))]);
    assert!(line.contains("cannot be read"), "{line}");
}

#[test]
fn buffers_of_a_gltf_stay_in_its_folder() {
    let folder = folders();
    let secret = folder.path("secret.bin");
    let address = format!("file://{}", shown(&secret));
    let local = format!("file://localhost{}", shown(&secret));
    for uri in ["../secret.bin", "..%2fsecret.bin", "%2e%2e/secret.bin", shown(&secret), &address, &local] {
        let path = gltf(&folder, uri);
        held_back(&path, &["buffer 0", "secret.bin"]);
    }
    for uri in ["data.bin", "sub/../data.bin", "%64ata.bin"] {
        read_one(gltf(&folder, uri)).unwrap();
    }
    // The content of an outside file never comes back as coordinates.
    folder.put("secret.txt", "x".repeat(72));
    let line = refusal(&["check", shown(&gltf(&folder, "../secret.txt"))]);
    assert!(line.contains("../secret.txt") && line.contains("--allow-outside"), "{line}");
}

#[cfg(unix)]
#[test]
fn links_count_as_what_they_lead_to() {
    use std::os::unix::fs::symlink;
    let folder = folders();
    symlink("../secret.stl", folder.path("scene/link.stl")).unwrap();
    symlink(folder.path(""), folder.path("scene/up")).unwrap();
    symlink("bolt.stl", folder.path("scene/inside.stl")).unwrap();
    symlink("scene", folder.path("alias")).unwrap();
    for mesh in ["link.stl", "up/secret.stl"] {
        held_back(&manifest(&folder, mesh), &["part 'bolt'", mesh]);
    }
    let path = manifest(&folder, "inside.stl");
    read_one(path).unwrap();
    read_one(folder.path("alias/asm.json")).unwrap();
}

/// Whoever keeps a link to the latest version has the meshes beside its target; whoever has all files as
/// links into a store has them beside the link.
#[cfg(unix)]
#[test]
fn meshes_of_a_linked_scene_lie_beside_the_link_or_else_beside_its_target() {
    use std::os::unix::fs::symlink;
    let folder = folders();
    let two = [[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[5.0; 3], [6.0, 5.0, 5.0], [5.0, 6.0, 5.0]]];
    manifest(&folder, "bolt.stl");
    gltf(&folder, "data.bin");
    for (link, file) in [("current.json", "asm.json"), ("current.gltf", "a.gltf")] {
        std::fs::create_dir_all(folder.path("links")).unwrap();
        symlink(format!("../scene/{file}"), folder.path("links").join(link)).unwrap();
        symlink(format!("links/{link}"), folder.path(link)).unwrap();
        for link in [folder.path("links").join(link), folder.path(link)] {
            assert_eq!(read_one(link).unwrap().meshes[0].triangles().len(), 4, "beside the target");
        }
    }
    folder.put("links/bolt.stl", binary_stl(&two));
    let linked = read_one(folder.path("links/current.json")).unwrap();
    assert_eq!(linked.meshes[0].triangles().len(), 2, "beside the link");
    let linked = read_one(folder.path("current.json")).unwrap();
    assert_eq!(linked.meshes[0].triangles().len(), 4, "the links in between do not count");
    // A file beside the link that leads elsewhere is not passed over.
    std::fs::remove_file(folder.path("links/bolt.stl")).unwrap();
    symlink("../secret.stl", folder.path("links/bolt.stl")).unwrap();
    held_back(&folder.path("links/current.json"), &["part 'bolt'", "bolt.stl"]);
    // Beside the target, too, nothing outside is read.
    symlink(folder.path(""), folder.path("scene/up")).unwrap();
    manifest(&folder, "up/secret.stl");
    held_back(&folder.path("links/current.json"), &["part 'bolt'", "up/secret.stl"]);
}

/// Writes a robot of one link.
fn urdf(folder: &Folder, at: &str, mesh: &str) -> std::path::PathBuf {
    let visual = format!("<visual><geometry><mesh filename=\"{mesh}\"/></geometry></visual>");
    folder.put(at, format!("<robot name=\"arm\"><link name=\"base\">{visual}</link></robot>"))
}

#[test]
fn meshes_of_a_robot_stay_in_its_folder_or_package() {
    let folder = Folder::new();
    folder.put(SECRET, tetrahedron_stl());
    for package in ["arm", "hand", "arm-1.0"] {
        folder.put(format!("{package}/meshes/base.stl"), tetrahedron_stl());
    }
    // The package of a robot in it or one level below it, by its name.
    for at in ["arm/arm.urdf", "arm/urdf/arm.urdf"] {
        read_one(urdf(&folder, at, "package://arm/meshes/base.stl")).unwrap();
    }
    read_one(urdf(&folder, "arm.urdf", "package://arm/meshes/base.stl")).unwrap();
    read_one(urdf(&folder, "arm/arm.urdf", "meshes/base.stl")).unwrap();
    let refused = |at: &str, mesh: &str| held_back(&urdf(&folder, at, mesh), &["part 'base'", mesh]);
    let secret = folder.path(SECRET);
    refused("arm/urdf/arm.urdf", "../meshes/base.stl");
    refused("arm/urdf/arm.urdf", "package://hand/meshes/base.stl");
    refused("arm/urdf/arm.urdf", "package://arm/../secret.stl");
    refused("arm/urdf/arm.urdf", &format!("file://{}", shown(&secret)));
    refused("arm/urdf/arm.urdf", shown(&secret));
    refused("arm-1.0/urdf/arm.urdf", "package://arm_description/meshes/base.stl");
    // With a package.xml, whatever the folder's name and however deep the robot is.
    folder.put("arm-1.0/package.xml", "<package><name>arm_description</name></package>");
    for at in ["arm-1.0/urdf/arm.urdf", "arm-1.0/urdf/v2/arm.urdf"] {
        read_one(urdf(&folder, at, "package://arm_description/meshes/base.stl")).unwrap();
        refused(at, "package://arm_description/../secret.stl");
    }
    // Whether there is a file outside makes no difference to what is said.
    let told = |mesh: &str| {
        let line = refusal(&["check", shown(&urdf(&folder, "arm/urdf/arm.urdf", mesh))]);
        line.replace(mesh, "MESH")
    };
    for (there, not) in [
        ("package://arm/../secret.stl", "package://arm/../none.stl"),
        ("package://arm/../hand/meshes/base.stl", "package://arm/../none/meshes/base.stl"),
        ("package://hand/meshes/base.stl", "package://none/meshes/base.stl"),
        ("package://hand/meshes/base.stl", "package://hand/meshes/none.stl"),
        ("package:///../../secret.stl", "package:///../../none.stl"),
    ] {
        assert_eq!(told(there), told(not));
        assert!(told(not).contains("outside the folder"), "{}", told(not));
    }
    let line = refusal(&["check", shown(&urdf(&folder, "arm/arm.urdf", "package://arm/none.stl"))]);
    assert!(line.contains("cannot be read"), "{line}");
}
