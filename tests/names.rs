//! What files of other formats are told.

mod command;
mod fixtures;

use command::*;
use fixtures::*;
use serde_json::json;

#[test]
fn foreign_formats_are_refused_with_the_command_that_converts_them() {
    let folder = Folder::new();
    for (name, expected) in [
        ("a.ifc", "IFC is not read; convert it: IfcConvert --use-element-guids "),
        ("a.STEP", "STEP is not read; convert it: pip install cascadio"),
        ("a.stp", "cascadio.step_to_glb("),
        ("a.igs", "'iges'"),
        ("a.3dxml", "3DXML is not read; convert it: pip install trimesh"),
        ("a.fbx", "FBX is not read; convert it: FBX2glTF --binary"),
        ("a.dae", "COLLADA is not read; convert it: assimp export "),
        ("a.blend", "bpy.ops.export_scene.gltf("),
        ("a.sldprt", "save it as STEP or glTF in SolidWorks"),
    ] {
        let file = folder.put(name, "x");
        for command in ["check", "sweep", "inspect"] {
            let line = refusal(&[command, shown(&file), "--unit", "mm"]);
            assert!(line.contains(&format!("{}: ", shown(&file))) && line.contains(expected), "{line}");
            let converted = file.with_extension("glb");
            assert_eq!(line.contains(shown(&converted)), name != "a.sldprt", "{line}");
        }
    }
    let manifest = json!({ "unit": "mm", "parts": [{ "name": "p", "mesh": "a.STEP" }] });
    let line = refusal(&["check", shown(&folder.put("m.json", manifest.to_string()))]);
    assert!(line.contains("a.STEP: STEP is not read; convert the mesh to .stl, .obj or .ply"), "{line}");
}
