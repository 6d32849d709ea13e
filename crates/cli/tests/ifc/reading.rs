//! The names, types, places and units that are read of a building.

use closefit_testing::command::run_in;
use closefit_testing::fixtures::{Folder, tetrahedron_glb};
use serde_json::Value;

use super::models::{block, file, file_of, house};

/// Returns what `inspect` says about a file, and the notes.
fn inspected(name: &str, file: impl AsRef<[u8]>, more: &[&str]) -> (Value, String) {
    let folder = Folder::new();
    folder.put(name, file);
    let (status, out, err) = run_in(&folder.path(""), &[&["inspect", name, "--json"][..], more].concat());
    assert_eq!(status, 0, "{err}");
    (serde_json::from_str(&out).expect("JSON"), err)
}

/// Returns the mesh of a part.
fn mesh<'a>(document: &'a Value, name: &str) -> &'a Value {
    &document["meshes"][part(document, name)["mesh"].as_u64().expect("a number") as usize]
}

/// Returns the volume of a part that is closed.
fn volume(document: &Value, name: &str) -> f64 {
    let mesh = mesh(document, name);
    assert_eq!(mesh["closed"], true, "{mesh}");
    mesh["volume"].as_f64().expect("a number")
}

/// Returns the lowest and the highest corner of a part.
fn bounds(document: &Value, name: &str) -> [[f64; 3]; 2] {
    serde_json::from_value(part(document, name)["box"].clone()).expect("corners")
}

fn part<'a>(document: &'a Value, name: &str) -> &'a Value {
    let parts = document["parts"].as_array().expect("parts");
    parts.iter().find(|part| part["name"] == name).unwrap_or_else(|| panic!("{name}: {document}"))
}

/// Names, types, storeys, paths and tags come from the file, and the wall is cut.
#[test]
fn a_house_has_its_products() {
    let (document, notes) = inspected("house.ifc", house(), &[]);
    assert_eq!((&document["scene"]["unit"], &document["scene"]["up"]), (&"m".into(), &"z".into()));
    let [wall, chimney] = ["North wall", "Chiméney"].map(|name| part(&document, name));
    assert_eq!(document["parts"].as_array().map(Vec::len), Some(2));
    for (part, kind, guid, tags) in [
        (wall, "IfcWall", "1Guid00000000000000100", &["layer:A-WALL", "material:Brick"][..]),
        (chimney, "IfcColumn", "1Guid00000000000000400", &["system:Heating"]),
    ] {
        assert_eq!((&part["type"], &part["key"]), (&kind.into(), &guid.into()));
        assert_eq!(part["storey"], "Ground");
        assert_eq!(part["tags"], serde_json::json!(tags));
    }
    assert_eq!(wall["path"], "/Tower/Site/House/Ground/North wall");
    assert!(
        notes.contains("products left out, which are no bodies: 1 IfcOpeningElement, 1 IfcSpace"),
        "{notes}"
    );
}

/// The box and the volume of a wall with an opening follow from its lengths, in mm and in feet.
#[test]
fn lengths_are_in_metres() {
    let feet = house().replace(
        "IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)",
        "IFCCONVERSIONBASEDUNIT(#20,.LENGTHUNIT.,'FOOT',#21)",
    );
    let feet = feet.replace(
        "#11=",
        "#20=IFCDIMENSIONALEXPONENTS(1,0,0,0,0,0,0);\n#21=IFCMEASUREWITHUNIT(IFCLENGTHMEASURE(0.3048),#22);\n\
         #22=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);\n#11=",
    );
    for (file, scale) in [(house(), 1e-3), (feet, 0.3048)] {
        let (document, _) = inspected("a.ifc", file, &[]);
        let expected = [-2000.0, -100.0, 0.0, 2000.0, 100.0, 2500.0];
        for (found, expected) in bounds(&document, "North wall").as_flattened().iter().zip(expected) {
            // Half of a step of f32.
            assert!(
                (found - scale * expected).abs() < 1e-7 * scale * 4000.0,
                "{found} instead of {expected}"
            );
        }
        let volume = volume(&document, "North wall");
        let expected = scale * scale * scale * (4000.0 * 200.0 * 2500.0 - 1000.0 * 200.0 * 1000.0);
        // Booleans are on a grid of 2^-16 m.
        assert!((volume - expected).abs() < 1e-4 * expected, "{volume} instead of {expected}");
    }
}

/// Walls that meet a chimney clash; the wall's opening lets a pipe through.
#[test]
fn openings_are_cut() {
    let folder = Folder::new();
    folder.put("house.ifc", house());
    let pipe = block(700, "IFCPIPESEGMENT", "Pipe", [0.0, 0.0, 1200.0], [200.0, 1000.0, 200.0]);
    let beam = block(800, "IFCBEAM", "Beam", [1200.0, 0.0, 1200.0], [200.0, 1000.0, 200.0]);
    folder.put("pipes.ifc", file(&(pipe + &beam)));
    let arguments = ["check", "house.ifc", "--against", "pipes.ifc", "--json", "--list", "all"];
    let (status, out, err) = run_in(&folder.path(""), &arguments);
    assert_eq!(status, 1, "{err}");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let clashes: Vec<&Value> =
        report["pairs"].as_array().expect("pairs").iter().filter(|pair| pair["verdict"] == "clash").collect();
    let [clash] = &clashes[..] else { panic!("{out}") };
    assert_eq!((&clash["a"], &clash["b"]), (&"North wall".into(), &"Beam".into()));
}

/// The place of a site far away, and turned, moves every part with it.
/// The kernel computes the ridge once for each slope, and rounds it to neighbouring numbers.
#[test]
fn a_gable_wall_is_closed() {
    let wall = block(100, "IFCWALL", "Gable", [0.0; 3], [2000.0, 1000.0, 3000.0])
        .replace("'SweptSolid',(#104)", "'Clipping',(#211)");
    let slope = |first: u32, solid: u32, tilt: f64| {
        let [point, normal, along, axes, plane, half] = [0, 1, 2, 3, 4, 5].map(|k| first + k);
        format!(
            "#{point}=IFCCARTESIANPOINT((0.,0.,2500.));\n\
             #{normal}=IFCDIRECTION(({tilt:?},0.,1.));\n\
             #{along}=IFCDIRECTION((1.,0.,{:?}));\n\
             #{axes}=IFCAXIS2PLACEMENT3D(#{point},#{normal},#{along});\n\
             #{plane}=IFCPLANE(#{axes});\n\
             #{half}=IFCHALFSPACESOLID(#{plane},.F.);\n\
             #{}=IFCBOOLEANCLIPPINGRESULT(.DIFFERENCE.,#{solid},#{half});\n",
            -tilt,
            first + 11,
        )
    };
    let slopes = [slope(180, 104, 0.5), slope(200, 191, -0.5)].concat();
    let (document, _) = inspected("gable.ifc", file(&(wall + &slopes)), &[]);
    assert_eq!(mesh(&document, "Gable")["open_edges"], 0);
    assert!((volume(&document, "Gable") - 4.5).abs() < 1e-6);
}

#[test]
fn a_building_far_away_keeps_its_shape() {
    let site = "#6=IFCLOCALPLACEMENT($,#30);\n#30=IFCAXIS2PLACEMENT3D(#31,#11,#32);\n\
        #31=IFCCARTESIANPOINT((2600000250.,1200000500.,400000.));\n#32=IFCDIRECTION((0.8,0.6,0.));\n";
    let far = house().replace("#6=IFCLOCALPLACEMENT($,#2);\n", site);
    let (document, _) = inspected("far.ifc", far, &[]);
    let [min, _] = bounds(&document, "Chiméney");
    // The middle of the chimney is at (1.8, 0), and its box is turned by 36.87 degrees.
    let reach = 0.15 * (0.8 + 0.6);
    let expected = [2_600_000.25 + 0.8 * 1.8 - reach, 1_200_000.5 + 0.6 * 1.8 - reach, 400.0];
    for (found, expected) in min.iter().zip(expected) {
        assert!((found - expected).abs() < 2e-6, "{found} instead of {expected}");
    }
}

/// A building that is read with a glTF file, in which y is up, is turned.
#[test]
fn a_building_beside_gltf_is_turned() {
    let folder = Folder::new();
    folder.put("house.ifc", house());
    folder.put("a.glb", tetrahedron_glb());
    let (status, out, err) = run_in(&folder.path(""), &["inspect", "house.ifc", "a.glb", "--json"]);
    assert_eq!(status, 0, "{err}");
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["scene"]["up"], "y");
    assert!(err.contains("house.ifc: turned so that y is up, as in glTF"), "{err}");
    let [_, max] = bounds(&document, "Chiméney");
    for (found, expected) in max.iter().zip([1.95, 4.0, 0.15]) {
        assert!((found - expected).abs() < 1e-5, "{max:?}");
    }
}

/// The space that a door needs is not the door.
#[test]
fn representations_beside_the_body_are_left_out() {
    let door = block(100, "IFCDOOR", "Door", [0.0; 3], [1000.0, 50.0, 2000.0])
        .replace("(#105));", "(#105,#150));")
        + "#148=IFCRECTANGLEPROFILEDEF(.AREA.,$,$,1000.,3000.);\n#149=IFCEXTRUDEDAREASOLID(#148,#2,#11,2000.);\n\
           #150=IFCSHAPEREPRESENTATION(#5,'Clearance','SweptSolid',(#149));\n";
    let (document, notes) = inspected("door.ifc", file(&door), &[]);
    let volume = volume(&document, "Door");
    assert!((volume - 0.1).abs() < 1e-6, "{volume}");
    assert!(notes.contains("representations beside the body left out: 1"), "{notes}");
}

/// A round column is a polygon, and a note says how far its surface may be from it.
#[test]
fn a_note_tells_how_far_arcs_may_be() {
    let column = block(100, "IFCCOLUMN", "Column", [0.0; 3], [1.0, 1.0, 3000.0])
        .replace("IFCRECTANGLEPROFILEDEF(.AREA.,$,$,1.0,1.0)", "IFCCIRCLEPROFILEDEF(.AREA.,$,$,500.)");
    let (document, notes) = inspected("column.ifc", file(&column), &[]);
    assert!(notes.contains("9.61 mm for the largest radius, 500 mm (#103)"), "{notes}");
    let volume = volume(&document, "Column");
    let circle = std::f64::consts::PI * 0.25 * 3.0;
    // The area of a polygon of 16 corners is 2.5 % less.
    assert!((0.974 * circle..circle).contains(&volume), "{volume}");
}

/// Solids along disks are drawn within the polygon of 24 corners that stands for their circle.
#[test]
fn solids_swept_by_disks_are_read() {
    let bar = block(100, "IFCREINFORCINGBAR", "Bar", [0.0; 3], [1.0, 1.0, 1.0])
        .replace("IFCEXTRUDEDAREASOLID(#103,#2,#11,1.0)", "IFCSWEPTDISKSOLID(#160,100.,$,$,$)")
        .replace("'SweptSolid'", "'AdvancedSweptSolid'")
        .replace("#106,$,$);", "#106,$,$,$,$,$,$,$);")
        + "#160=IFCPOLYLINE((#161,#162));\n#161=IFCCARTESIANPOINT((0.,0.,0.));\n#162=IFCCARTESIANPOINT((0.,0.,2000.));\n";
    let (document, _) = inspected("bar.ifc", file(&bar), &[]);
    let volume = volume(&document, "Bar");
    let cylinder = std::f64::consts::PI * 0.01 * 2.0;
    assert!((0.985 * cylinder..cylinder).contains(&volume), "{volume} of {cylinder}");
}

/// Drafts of schemas are read as what they became, with a note. Texts may be in Latin-1, in any case, and
/// between comments.
#[test]
fn files_in_other_words_are_read() {
    let (_, notes) = inspected("draft.ifc", house().replace("'IFC4'", "'IFC4X3_RC2'"), &[]);
    assert!(notes.contains("schema IFC4X3_RC2 read as IFC4X3"), "{notes}");
    let old = house().replace("'IFC4'", "'ifc2x3'").replace("#107=IFCWALL(", "/* a ); ' */ #107 = IfcWall (");
    let mut bytes = old.into_bytes();
    let at = bytes.windows(10).position(|ten| ten == b"North wall").expect("a name");
    bytes[at + 1] = 0xf6;
    let (document, _) = inspected("old.ifc", bytes, &[]);
    assert_eq!(part(&document, "Nörth wall")["type"], "IfcWall");
}

/// Reports are the same for any number of threads, and again.
#[test]
fn reports_do_not_depend_on_threads() {
    let folder = Folder::new();
    folder.put("house.ifc", house());
    let report = |threads: &str| {
        let (status, out, err) =
            run_in(&folder.path(""), &["check", "house.ifc", "--json", "--quiet", "--threads", threads]);
        assert_eq!((status, err.as_str()), (1, ""));
        out
    };
    assert_eq!(report("1"), report("4"));
}

/// A file that a manifest places keeps its coordinates, and what a run reads it reads again for pictures.
#[test]
fn manifests_and_finished_runs_read_buildings() {
    let folder = Folder::new();
    folder.put("house.ifc", house());
    folder.put(
        "all.json",
        r#"{"unit": "mm", "parts": [{"name": "h", "scene": "house.ifc", "pose": {"translation": [0, 0, 500]}}]}"#,
    );
    let (status, _, err) = run_in(&folder.path(""), &["check", "all.json", "--out", "run", "--quiet"]);
    assert_eq!((status, err.as_str()), (1, ""));
    let (status, _, err) = run_in(&folder.path(""), &["report", "run", "--html", "page.html"]);
    assert_eq!(status, 0, "{err}");
    folder.put("empty.ifc", file_of("IFC4", ""));
    let (status, _, err) = run_in(&folder.path(""), &["inspect", "empty.ifc"]);
    assert_eq!((status, err.as_str()), (2, "error: empty.ifc: no product has a body (of 0 records)\n"));
}
