//! Formats that are not read, and the commands that convert their files to GLB.
//!
//! The commands were tried. They keep units and, where the format has them, names and instances.

use std::path::Path;

use super::error::Fault;

/// A format that is not read.
struct Foreign {
    extensions: &'static [&'static str],
    name: &'static str,
    conversion: Conversion,
}

enum Conversion {
    /// A POSIX shell command line, with IN and OUT for the files.
    Command(&'static str),
    /// Export from the program that made the file.
    Export(&'static str),
}

use Conversion::{Command, Export};

const FORMATS: [Foreign; 12] = [
    Foreign {
        extensions: &["ifc"],
        name: "IFC",
        conversion: Command("IfcConvert --use-element-guids IN OUT"),
    },
    Foreign {
        extensions: &["step", "stp"],
        name: "STEP",
        conversion: Command(
            "pip install cascadio==0.1.1 && python3 -c \"import sys, cascadio; \
             cascadio.step_to_glb(*sys.argv[1:], 0.01, 0.5)\" IN OUT",
        ),
    },
    Foreign {
        extensions: &["iges", "igs"],
        name: "IGES",
        conversion: Command(
            "pip install cascadio==0.1.1 && python3 -c \"import sys, cascadio; open(sys.argv[2], 'wb')\
             .write(cascadio.load(open(sys.argv[1], 'rb').read(), 'iges', 0.01, 0.5))\" IN OUT",
        ),
    },
    Foreign {
        extensions: &["3dxml"],
        name: "3DXML",
        conversion: Command(
            "pip install trimesh lxml networkx && python3 -c \"import sys, trimesh; \
             trimesh.load_scene(sys.argv[1]).convert_units('m').export(sys.argv[2])\" IN OUT",
        ),
    },
    Foreign {
        extensions: &["fbx"],
        name: "FBX",
        conversion: Command("FBX2glTF --binary --user-properties --input IN --output OUT"),
    },
    Foreign { extensions: &["dae"], name: "COLLADA", conversion: Command("assimp export IN OUT -fglb2") },
    Foreign {
        extensions: &["blend"],
        name: "Blender's own format",
        conversion: Command(
            "blender -b IN --python-expr \"import bpy, sys; bpy.ops.export_scene.gltf(filepath=sys.argv[-1], \
             export_apply=True, export_extras=True)\" -- OUT",
        ),
    },
    Foreign { extensions: &["jt"], name: "JT", conversion: Export("the CAD program") },
    Foreign {
        extensions: &["sldprt", "sldasm"],
        name: "SolidWorks' own format",
        conversion: Export("SolidWorks"),
    },
    Foreign {
        extensions: &["catpart", "catproduct"],
        name: "CATIA's own format",
        conversion: Export("CATIA"),
    },
    Foreign { extensions: &["ipt", "iam"], name: "Inventor's own format", conversion: Export("Inventor") },
    Foreign { extensions: &["x_t", "x_b"], name: "Parasolid", conversion: Export("the CAD program") },
];

fn find(extension: &str) -> Option<&'static Foreign> {
    FORMATS.iter().find(|format| format.extensions.contains(&extension))
}

/// Returns the refusal of a scene whose format is known but not read, by its extension in lower case.
pub(super) fn refusal_of_scene(file: &str, extension: &str) -> Option<Fault> {
    let Foreign { name: format, conversion, .. } = find(extension)?;
    let advice = match conversion {
        Command(command) => {
            let converted = Path::new(file).with_extension("glb");
            let converted = quoted(&converted.to_string_lossy());
            // Substitute word by word, because the name of the input may itself contain OUT.
            let words = command.split(' ').map(|word| match word {
                "IN" => quoted(file),
                "OUT" => converted.clone(),
                _ => word.to_owned(),
            });
            format!("convert it: {}", words.collect::<Vec<_>>().join(" "))
        }
        Export(program) => format!("save it as STEP or glTF in {program}"),
    };
    Some(Fault::Foreign { format, advice })
}

/// Returns the same refusal for a file that a manifest or a robot uses as a mesh.
pub(super) fn refusal_of_mesh(extension: &str) -> Option<Fault> {
    let advice = "convert the mesh to .stl, .obj or .ply".to_owned();
    find(extension).map(|foreign| Fault::Foreign { format: foreign.name, advice })
}

/// Quotes a file name as one word of a POSIX shell that is not taken for an option.
fn quoted(file: &str) -> String {
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if file.chars().all(plain) { file } else { format!("'{}'", file.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(file: &str, extension: &str) -> String {
        refusal_of_scene(file, extension).unwrap().to_string()
    }

    #[test]
    fn the_command_has_both_files() {
        assert_eq!(
            advice("plans/a.ifc", "ifc"),
            "IFC is not read; convert it: IfcConvert --use-element-guids plans/a.ifc plans/a.glb"
        );
        for format in FORMATS.iter().filter(|format| matches!(format.conversion, Command(_))) {
            for extension in format.extensions {
                let told = advice(&format!("a.{extension}"), extension);
                assert!(told.contains(&format!(" a.{extension} ")) && told.contains(" a.glb"), "{told}");
                assert!(!told.contains(" IN") && !told.contains(" OUT"), "{told}");
            }
        }
        assert_eq!(
            advice("a.SLDPRT", "sldprt"),
            "SolidWorks' own format is not read; save it as STEP or glTF in SolidWorks"
        );
    }

    #[test]
    fn names_are_quoted_for_the_shell() {
        let told = advice("it's IN $HOME; rm.stp", "stp");
        assert!(told.ends_with(r"'it'\''s IN $HOME; rm.stp' 'it'\''s IN $HOME; rm.glb'"), "{told}");
        assert!(advice("-rf.ifc", "ifc").ends_with(" ./-rf.ifc ./-rf.glb"));
        assert_eq!(quoted("häuser/a.ifc"), "häuser/a.ifc");
    }
}
