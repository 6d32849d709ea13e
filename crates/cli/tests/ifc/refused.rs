//! Files that are refused, each with one line.

use std::time::Instant;

use closefit_testing::command::run_in;
use closefit_testing::fixtures::Folder;

use super::models::{block, file, file_of, house};

/// Returns the one line with which a file is refused.
pub fn refusal(name: &str, file: impl AsRef<[u8]>, more: &[&str]) -> String {
    let folder = Folder::new();
    folder.put(name, file);
    let (status, out, err) = run_in(&folder.path(""), &[&["inspect", name][..], more].concat());
    assert_eq!((status, out.as_str(), err.lines().count()), (2, "", 1), "{name}: {err}");
    err
}

#[test]
fn what_is_no_whole_file_is_refused() {
    for (file, expected) in [
        (String::new(), "the file is empty"),
        ("junk".to_owned(), "not an IFC file: it does not begin with ISO-10303-21"),
        (house().replace("END-ISO-10303-21;\n", ""), "cut short: it has no END-ISO-10303-21"),
        (house()[..2000].to_owned(), "cut short: it has no END-ISO-10303-21"),
        (
            house().replace("'IFC4'", "'IFC2X_FINAL'"),
            "schema IFC2X_FINAL is not read (IFC2X3, IFC4 and IFC4X3 are)",
        ),
        (house().replace("'IFC4'", "'IFC5X'"), "schema IFC5X is not read"),
        (house().replace("('IFC4')", "()"), "FILE_SCHEMA: it names 0 schemas instead of one"),
        (house().replace("#601=", "#602="), "#602: there are two records of this number"),
        (house().replace("#601=", "#99999999999="), "#99999999999 is no number from 0 to 4294967295"),
        (house().replace("#601=", "601="), "';' is missing"),
        (house().replace("'Brick'", "'Brick"), "cut short"),
        (house().replace("('Brick',$,$)", "('Brick',$,$"), "';' inside parentheses"),
        (
            file_of("IFC4", "#1=IFCWALL('0Wall00000000000000000',$,$,$,$,$,$,$);\n"),
            "no product has a body (of 1 records)",
        ),
        (house().replace("LENGTHUNIT", "AREAUNIT"), "it has no unit of length"),
        (house().replace(".MILLI.,.METRE.", "$,.GRAM."), "#3: the unit of length is no length"),
    ] {
        let line = refusal("a.ifc", &file, &[]);
        assert!(
            line.starts_with("error: a.ifc: ") && line.contains(expected),
            "{line} instead of {expected}"
        );
    }
}

/// Solids along curves are named, also in openings; parts that have none can be read alone.
#[test]
fn what_would_be_drawn_wrong_is_refused_by_name() {
    let swept = "IFCSURFACECURVESWEPTAREASOLID(#103,#2,#160,$,$,#161)";
    let roof = block(100, "IFCROOF", "Roof", [0.0; 3], [1.0; 3])
        .replace("IFCEXTRUDEDAREASOLID(#103,#2,#11,1.0)", swept)
        + "#160=IFCPOLYLINE((#1,#1));\n#161=IFCPLANE(#2);\n";
    let wall = block(200, "IFCWALL", "Wall", [0.0; 3], [1000.0; 3]);
    let file_of_roof = file(&(roof + &wall));
    let line = refusal("roof.ifc", &file_of_roof, &[]);
    let expected = "error: roof.ifc: part 'Roof' (#107): IfcSurfaceCurveSweptAreaSolid is not supported: it would be \
                    drawn wrong (--allow-missing leaves it out)\n";
    assert_eq!(line, expected);
    let folder = Folder::new();
    folder.put("roof.ifc", &file_of_roof);
    let (status, out, err) = run_in(&folder.path(""), &["inspect", "roof.ifc", "--allow-missing", "--json"]);
    assert_eq!(status, 0, "{err}");
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["scene"]["left_out"]["parts"], 1, "{out}");
    assert_eq!(document["parts"].as_array().map(Vec::len), Some(1));
    let hole = house().replace(
        "IFCEXTRUDEDAREASOLID(#203,#2,#11,1000.0)",
        "IFCFIXEDREFERENCESWEPTAREASOLID(#203,#2,#1,$,$,#11)",
    );
    let line = refusal("hole.ifc", hole, &[]);
    assert!(
        line.contains("part 'North wall' (#107): IfcFixedReferenceSweptAreaSolid is not supported"),
        "{line}"
    );
}

/// Shapes that are closed and wrong: a profile, voids, and a pipe around a corner.
#[test]
fn wrong_profiles_voids_and_pipes_are_refused_by_name() {
    let solid = "IFCEXTRUDEDAREASOLID(#103,#2,#11,1.0)";
    let point = |id: u32, at: &str| format!("#{id}=IFCCARTESIANPOINT(({at}));\n");
    let legs = |end: &str| {
        [point(161, "0.,0.,0."), point(162, "0.,0.,5."), point(163, end)].concat()
            + "#160=IFCPOLYLINE((#161,#162,#163));\n"
    };
    let of = |wrong: &str, more: &str| {
        file(&(block(100, "IFCBEAM", "Beam", [0.0; 3], [1.0; 3]).replace(solid, wrong) + more))
    };
    let z = "#160=IFCZSHAPEPROFILEDEF(.AREA.,$,$,3.,2.,.2,.3,$,$);\n";
    for (wrong, more, name) in [
        ("IFCEXTRUDEDAREASOLID(#160,#2,#11,1.0)", z, "IfcZShapeProfileDef"),
        ("IFCFACETEDBREPWITHVOIDS(#160,(#160))", "", "IfcFacetedBrepWithVoids"),
        ("IFCADVANCEDBREPWITHVOIDS(#160,(#160))", "", "IfcAdvancedBrepWithVoids"),
        ("IFCSWEPTDISKSOLID(#160,0.5,$,$,$)", &legs("5.,0.,5."), "IfcSweptDiskSolid around a corner"),
    ] {
        let line = refusal("wrong.ifc", of(wrong, more), &[]);
        assert!(line.contains(&format!("part 'Beam' (#107): {name} is not supported")), "{line}");
    }
    // A pipe that bends by little is drawn, and so is one beside another that is refused.
    let folder = Folder::new();
    folder.put("pipe.ifc", of("IFCSWEPTDISKSOLID(#160,0.5,$,$,$)", &legs("1.,0.,9.")));
    let (status, _, err) = run_in(&folder.path(""), &["inspect", "pipe.ifc"]);
    assert_eq!(status, 0, "{err}");
}

/// Notes count the profiles that the kernel changes.
#[test]
fn changed_profiles_are_noted() {
    let corner = |k: u32| {
        let angle = f64::from(k) / 100.0 * std::f64::consts::TAU;
        format!("#{}=IFCCARTESIANPOINT(({:?},{:?}));\n", 1000 + k, 1000.0 * angle.cos(), 1000.0 * angle.sin())
    };
    let corners: String = (0..100).map(corner).collect();
    let list: Vec<String> = (0..100).chain([0]).map(|k| format!("#{}", 1000 + k)).collect();
    let round = block(100, "IFCWALL", "Round", [0.0; 3], [1000.0; 3]).replace(
        "IFCRECTANGLEPROFILEDEF(.AREA.,$,$,1000.0,1000.0)",
        "IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,#160)",
    );
    let steel = block(200, "IFCBEAM", "Steel", [5000.0, 0.0, 0.0], [300.0; 3]).replace(
        "IFCRECTANGLEPROFILEDEF(.AREA.,$,$,300.0,300.0)",
        "IFCUSHAPEPROFILEDEF(.AREA.,$,$,200.,75.,8.,11.,$,$,0.08)",
    );
    let folder = Folder::new();
    let curve = format!("{corners}#160=IFCPOLYLINE(({}));\n", list.join(","));
    folder.put("a.ifc", file(&(round + &steel + &curve)));
    let (status, _, err) = run_in(&folder.path(""), &["inspect", "a.ifc"]);
    assert_eq!(status, 0, "{err}");
    for note in [
        "profiles of arcs or of many short edges may be drawn with fewer corners, up to 10 mm from the curve in the \
         file: 1 (the first is #103)",
        "profiles of steel drawn without the slopes of their flanges, or a C without its fillets: 1 (the first is #203)",
    ] {
        assert!(err.contains(note), "{note}: {err}");
    }
    // The house has neither.
    folder.put("house.ifc", house());
    let (_, _, err) = run_in(&folder.path(""), &["inspect", "house.ifc"]);
    assert!(!err.contains("profiles of"), "{err}");
}

/// A product without a receipt is an error. With a mesh it may be taken as it is, and without one it may be
/// left out; both are told.
#[test]
fn products_that_are_not_drawn_wholly_are_told() {
    // Its second solid refers to a profile that is not there.
    let half = block(100, "IFCWALL", "Half", [0.0; 3], [1000.0; 3]).replace("(#104));", "(#104,#190));")
        + "#190=IFCEXTRUDEDAREASOLID(#999,#2,#11,1.);\n";
    let line = refusal("half.ifc", file(&half), &[]);
    assert!(
        line.contains("products not drawn wholly: 1: 'Half' (#107): ")
            && line.contains("(--allow-uncut takes them as they are)"),
        "{line}"
    );
    let folder = Folder::new();
    folder.put("half.ifc", file(&half));
    let (status, _, err) = run_in(&folder.path(""), &["inspect", "half.ifc", "--allow-uncut"]);
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("products taken although they are not drawn wholly: 1: 'Half' (#107): "), "{err}");
    let none =
        block(100, "IFCWALL", "None", [0.0; 3], [1000.0; 3]).replace("1000.0,1000.0)", "1.E400,1000.)");
    let line = refusal("none.ifc", file(&none), &["--allow-uncut"]);
    assert!(
        line.contains("part 'None' (#107): its body is not drawn: ") && line.contains("--allow-missing"),
        "{line}"
    );
    let unknown = block(100, "IFCWHATEVER", "Odd", [0.0; 3], [1000.0; 3]);
    assert!(refusal("odd.ifc", file(&unknown), &[]).contains("part 'Odd' (#107): its type is unknown"));
}

/// Coordinates that are no numbers, or are too large, are told with the part.
#[test]
fn huge_coordinates_are_told() {
    let huge = block(100, "IFCWALL", "Huge", [1e300, 0.0, 0.0], [1000.0; 3]);
    let line = refusal("huge.ifc", file(&huge), &[]);
    assert!(line.contains("Huge") || line.contains("#107"), "{line}");
}

/// The kernel ends when its time is over.
#[test]
fn the_kernel_has_a_limit_of_time() {
    // Each of these cuts a wall by many slanted boxes.
    let mut records = block(100, "IFCWALL", "Wall", [0.0; 3], [40000.0, 40000.0, 2500.0]);
    for i in 0..400_u32 {
        let first = 1000 + 20 * i;
        let at = [f64::from(i % 20) * 1900.0 - 19000.0, f64::from(i / 20) * 1900.0 - 19000.0, -10.0];
        let hole = block(first, "IFCOPENINGELEMENT", "Hole", at, [2100.0, 2100.0, 3000.0]);
        records += &hole.replace(&format!("#{first},$,$)"), &format!("#{first},#11,#{})", first + 9));
        let turn = f64::from(i) * 0.37;
        let (x, y) = (libm::cos(turn), libm::sin(turn));
        records += &format!("#{}=IFCDIRECTION(({x:?},{y:?},0.));\n", first + 9);
        records += &format!("#{}=IFCRELVOIDSELEMENT('0Rel{i:018}',$,$,$,#107,#{});\n", first + 8, first + 7);
    }
    let start = Instant::now();
    let line = refusal("slow.ifc", file(&records), &["--ifc-limit", "1"]);
    assert!(line.ends_with("its geometry takes more than 1 s: --ifc-limit allows more\n"), "{line}");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
