//! Formats that are not read, and the commands that convert their files to GLB.
//!
//! The commands were tried. They keep units and, where the format has them, names and instances.

use std::path::Path;

use super::error::Fault;
use crate::shell::word;

/// A format that is not read.
struct Foreign {
    extensions: &'static [&'static str],
    name: &'static str,
    conversion: Conversion,
}

enum Conversion {
    /// A POSIX shell command line, with IN and OUT for the files.
    Command(&'static str),
    /// A command line in the same form, and another with less in its result, after the words between the two.
    Either([&'static str; 3]),
    /// Advice without a command, such as export from the program that made the file.
    Advice(&'static str),
}

use Conversion::{Advice, Command, Either};

const FORMATS: &[Foreign] = &[
    Foreign {
        extensions: &["ifc"],
        name: "IFC, without the feature 'ifc' of this program,",
        conversion: Either([
            "IfcConvert --use-element-guids --gltf-extras IN OUT",
            "or, without names, if that version has no --gltf-extras:",
            "IfcConvert --use-element-guids IN OUT",
        ]),
    },
    Foreign {
        extensions: &["ifczip"],
        name: "IFC, without the feature 'ifc' of this program,",
        conversion: Advice("unpack it, and convert the .ifc"),
    },
    Foreign {
        extensions: &["ifcxml"],
        name: "IFC as XML",
        conversion: Advice("save it as .ifc in the program that made it"),
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
    Foreign {
        extensions: &["3mf"],
        name: "3MF, without the feature 'threemf' of this program,",
        conversion: Command(
            "pip install trimesh lxml networkx && python3 -c \"import sys, trimesh; \
             trimesh.load_scene(sys.argv[1]).convert_units('m').export(sys.argv[2])\" IN OUT",
        ),
    },
    Foreign {
        extensions: &["usd", "usda", "usdc", "usdz"],
        name: "USD",
        conversion: Advice(
            "save it as glTF in Blender or the program that made it, or use the program of the Python package \
             with its extra: pip install \"closefit[usd]\"",
        ),
    },
    Foreign {
        extensions: &["xml", "mjcf"],
        name: "XML (MuJoCo's MJCF?)",
        conversion: Advice("rename it to .urdf if it is a URDF; of MJCF, place the meshes by a manifest"),
    },
    Foreign {
        extensions: &["xacro"],
        name: "xacro",
        conversion: Command("pip install xacrodoc && xacrodoc IN -o URDF"),
    },
    Foreign {
        extensions: &["sdf"],
        name: "SDF",
        conversion: Advice("convert the robot to .urdf, or place its meshes by a manifest"),
    },
    Foreign {
        extensions: &["vrml", "wrl"],
        name: "VRML",
        conversion: Advice("save it as STEP or glTF in the program that made it"),
    },
    Foreign {
        extensions: &["jt"],
        name: "JT",
        conversion: Advice("save it as STEP or glTF in the CAD program"),
    },
    Foreign {
        extensions: &["x_t", "x_b"],
        name: "Parasolid",
        conversion: Advice("save it as STEP or glTF in the CAD program"),
    },
    Foreign {
        extensions: &["dwg", "dxf"],
        name: "AutoCAD's own format",
        conversion: Advice("save it as IGES or STL in AutoCAD"),
    },
    Foreign {
        extensions: &["rvt"],
        name: "Revit's own format",
        conversion: Advice("save it as IFC in Revit"),
    },
    Foreign {
        extensions: &["nwd", "nwc", "nwf"],
        name: "Navisworks' own format",
        conversion: Advice("save it as FBX in Navisworks, or as IFC in the programs that made its models"),
    },
    Foreign {
        extensions: &["sldprt", "sldasm"],
        name: "SolidWorks' own format",
        conversion: Advice("save it as STEP or glTF in SolidWorks"),
    },
    Foreign {
        extensions: &["catpart", "catproduct"],
        name: "CATIA's own format",
        conversion: Advice("save it as STEP or glTF in CATIA"),
    },
    Foreign {
        extensions: &["ipt", "iam"],
        name: "Inventor's own format",
        conversion: Advice("save it as STEP or glTF in Inventor"),
    },
];

fn find(extension: &str) -> Option<&'static Foreign> {
    FORMATS.iter().find(|format| format.extensions.contains(&extension))
}

/// Returns the refusal of a scene whose format is known but not read, by its extension in lower case.
pub(super) fn refusal_of_scene(file: &str, extension: &str) -> Option<Fault> {
    let Foreign { name: format, conversion, .. } = find(extension)?;
    let advice = match conversion {
        Command(command) => format!("convert it: {}", filled(command, file)),
        Either([first, or, second]) => {
            format!("convert it: {}; {or} {}", filled(first, file), filled(second, file))
        }
        Advice(advice) => (*advice).to_owned(),
    };
    Some(Fault::Foreign { format, advice })
}

/// Returns a command line with the names of the file and of the converted one.
fn filled(command: &str, file: &str) -> String {
    let converted = Path::new(file).with_extension("glb");
    let converted = quoted(&converted.to_string_lossy());
    // Substitute word by word, because the name of the input may itself contain OUT.
    let words = command.split(' ').map(|word| match word {
        "IN" => quoted(file),
        "OUT" => converted.clone(),
        "URDF" => quoted(&expanded(file)),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the name of the URDF of a file of macros: `a.urdf` of `a.xacro` and of `a.urdf.xacro`.
fn expanded(file: &str) -> String {
    let path = Path::new(file).with_extension("");
    let is_urdf = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf"));
    let path = if is_urdf { path } else { path.with_extension("urdf") };
    path.to_string_lossy().into_owned()
}

/// Returns the same refusal for a file that a manifest or a robot uses as a mesh.
pub(super) fn refusal_of_mesh(extension: &str) -> Option<Fault> {
    let advice = "convert the mesh to .stl, .obj or .ply".to_owned();
    find(extension).map(|foreign| Fault::Foreign { format: foreign.name, advice })
}

/// Quotes a file name as one word of a POSIX shell that is not taken for an option.
fn quoted(file: &str) -> String {
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    word(&file).into_owned()
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
            "IFC, without the feature 'ifc' of this program, is not read; convert it: IfcConvert --use-element-guids --gltf-extras plans/a.ifc plans/a.glb; \
             or, without names, if that version has no --gltf-extras: IfcConvert --use-element-guids plans/a.ifc \
             plans/a.glb"
        );
        for format in FORMATS.iter().filter(|format| !matches!(format.conversion, Advice(_))) {
            for extension in format.extensions {
                let told = advice(&format!("a.{extension}"), extension);
                assert!(
                    told.contains(&format!(" a.{extension} "))
                        && (told.contains(" a.glb") || told.contains(" a.urdf")),
                    "{told}"
                );
                assert!(!told.contains(" IN") && !told.contains(" OUT"), "{told}");
            }
        }
        let told =
            "xacro is not read; convert it: pip install xacrodoc && xacrodoc r/a.urdf.xacro -o r/a.urdf";
        assert_eq!(advice("r/a.urdf.xacro", "xacro"), told);
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
