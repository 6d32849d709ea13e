//! `closefit audit`: known shapes by formula, an SRDF with a false line, the schema, and refusals.

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use serde_json::Value;

use super::schema::validator_of;

/// Returns an element with a shape, moved along x.
fn shape(geometry: &str, x: f64, shape: &str) -> String {
    format!("<{geometry}><origin xyz=\"{x} 0 0\"/><geometry>{shape}</geometry></{geometry}>")
}

fn cuboid(size: [f64; 3]) -> String {
    let [x, y, z] = size;
    format!("<box size=\"{x} {y} {z}\"/>")
}

/// A robot whose links hang on fixed joints in a row.
fn shapes() -> Folder {
    let folder = Folder::new();
    let sphere = "<sphere radius=\"1\"/>";
    let links = [
        (
            "long",
            shape("visual", 0.0, &cuboid([4.0, 2.0, 2.0])) + &shape("collision", 0.0, &cuboid([2.0; 3])),
        ),
        ("ball", shape("visual", 0.5, sphere) + &shape("collision", 0.5, &cuboid([2.0; 3]))),
        (
            "split",
            shape("visual", 0.0, &cuboid([4.0, 1.0, 1.0]))
                + &shape("collision", -1.5, &cuboid([2.5, 1.0, 1.0]))
                + &shape("collision", 1.5, &cuboid([2.5, 1.0, 1.0])),
        ),
        ("same", shape("visual", 0.0, sphere) + &shape("collision", 0.0, sphere)),
        ("bare", shape("visual", 0.0, sphere)),
        ("hidden", shape("collision", 0.0, sphere)),
        ("frame", String::new()),
    ];
    let mut text = "<robot name=\"r\">".to_owned();
    for (name, shapes) in &links {
        text += &format!("<link name=\"{name}\">{shapes}</link>");
    }
    for pair in links.windows(2) {
        let [parent, child] = [pair[0].0, pair[1].0];
        text += &format!(
            "<joint name=\"to_{child}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"9 0 0\" rpy=\"0.3 0 0\"/></joint>"
        );
    }
    folder.put("r.urdf", text + "</robot>");
    folder
}

fn audited(folder: &Folder, arguments: &[&str]) -> (i32, Value) {
    let quiet = ["audit", "--json", "--quiet", "--chord", "5mm"];
    let (code, told, errors) = run_in(&folder.path(""), &[&quiet[..], arguments].concat());
    assert_eq!(errors, "");
    let found: Value = serde_json::from_str(&told).unwrap();
    let wrong: Vec<String> =
        validator_of("audit").iter_errors(&found).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    (code, found)
}

/// Checks that a bracket has a length, and is as narrow as that and two chords allow.
fn assert_bracket(found: &Value, expected: f64, chords: f64) {
    let [at_least, at_most] = ["at_least", "at_most"].map(|key| found[key].as_f64().unwrap());
    assert!(at_least <= expected && expected <= at_most, "{found} has no {expected}");
    assert!(at_most - at_least <= 0.02 + 0.01 * expected + 2.0 * chords, "{found}");
}

#[test]
fn known_shapes_differ_by_their_formulas() {
    let folder = shapes();
    let (code, found) = audited(&folder, &["r.urdf", "--precision", "0.02"]);
    assert_eq!(code, 1, "a link has no collision geometry");
    let links = found["links"].as_array().unwrap();
    let link = |name: &str| links.iter().find(|link| link["link"] == name).unwrap();
    assert_eq!(links.len(), 6, "the frame has no geometry");
    const CHORD: f64 = 5e-3;
    for (name, protrusion, gap, chords) in [
        // The longer box reaches out by 1 on both sides.
        ("long", 1.0, 0.0, 0.0),
        // The corners of the box around a ball of radius 1 are farthest from it.
        ("ball", 0.0, 3_f64.sqrt() - 1.0, CHORD),
        // A bar has its middle uncovered, where it is 0.25 from both boxes; they are longer by 0.75.
        ("split", 0.25, 0.75, 0.0),
        ("same", 0.0, 0.0, CHORD),
    ] {
        assert_bracket(&link(name)["protrusion"], protrusion, chords);
        assert_bracket(&link(name)["gap"], gap, chords);
    }
    let corner = link("ball")["gap"]["point"].as_array().unwrap();
    let corner: Vec<f64> = corner.iter().map(|x| x.as_f64().unwrap()).collect();
    assert_eq!([(corner[0] - 0.5).abs(), corner[1].abs(), corner[2].abs()], [1.0; 3], "in the link's frame");
    assert_eq!(link("ball")["gap"]["part"], "ball/box");
    assert_eq!((&link("bare")["collision"], &link("hidden")["visual"]), (&Value::from(0), &Value::from(0)));
    assert!(link("bare").get("protrusion").is_none() && link("hidden").get("gap").is_none());
}

#[test]
fn a_finer_precision_narrows_brackets_and_threads_change_nothing() {
    let folder = shapes();
    let (_, coarse) = audited(&folder, &["r.urdf", "--precision", "0.2"]);
    let (_, fine) = audited(&folder, &["r.urdf", "--precision", "1mm"]);
    let width = |found: &Value| {
        let gap = &found["links"][1]["gap"];
        gap["at_most"].as_f64().unwrap() - gap["at_least"].as_f64().unwrap()
    };
    assert!(width(&fine) < 0.02 && width(&fine) <= width(&coarse));
    for threads in ["1", "3"] {
        assert_eq!(audited(&folder, &["r.urdf", "--precision", "1mm", "--threads", threads]).1, fine);
    }
}

#[test]
fn the_table_says_what_is_missing() {
    let folder = shapes();
    let (code, told, _) = run_in(&folder.path(""), &["audit", "r.urdf", "--chord", "5mm", "--out", "out"]);
    assert_eq!(code, 1);
    assert!(line_with(&told, &["bare", "no collision geometry"]) < line_with(&told, &["long"]), "{told}");
    assert!(told.contains("6 links: 1 without collision geometry"), "{told}");
    assert!(folder.path("out/audit.json").exists());
}

/// A bar that turns by half a turn at the end of a slider, and two posts: it always stays off the far one.
fn bar() -> Folder {
    let folder = Folder::new();
    let link = |name: &str, x: f64, size: [f64; 3]| {
        let cuboid = cuboid(size);
        let shapes = shape("visual", x, &cuboid) + &shape("collision", x, &cuboid);
        format!("<link name=\"{name}\">{shapes}</link>")
    };
    let joint = |name: &str, kind: &str, [parent, child]: [&str; 2], axis: &str, limits: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"{axis}\"/>\
             {limits}</joint>"
        )
    };
    let text = [
        "<robot name=\"bar\">".to_owned(),
        link("near", 2.0, [1.0; 3]),
        link("far", 4.5, [1.0; 3]),
        link("sled", -9.0, [0.1; 3]),
        link("bar", 1.0, [2.0, 0.1, 0.1]),
        joint("foot", "fixed", ["near", "far"], "0 0 1", ""),
        joint("slide", "prismatic", ["near", "sled"], "1 0 0", "<limit lower=\"-0.5\" upper=\"0.5\"/>"),
        joint("turn", "revolute", ["sled", "bar"], "0 0 1", "<limit lower=\"-1.6\" upper=\"1.6\"/>"),
        "</robot>".to_owned(),
    ];
    folder.put("bar.urdf", text.concat());
    folder
}

#[test]
fn lines_of_an_srdf_are_proven_false_or_open() {
    let folder = bar();
    let line = |a: &str, b: &str, reason: &str| {
        format!("<disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>")
    };
    let right =
        line("far", "bar", "Never") + &line("near", "far", "Never") + &line("sled", "bar", "Adjacent");
    let wrong = line("bar", "near", "Never") + &line("bar", "camera", "Never");
    folder.put("right.srdf", format!("<robot name=\"bar\">{right}</robot>"));
    folder.put("wrong.srdf", format!("<robot name=\"bar\">{right}{wrong}</robot>"));
    let (code, found) = audited(&folder, &["bar.urdf", "--srdf", "right.srdf"]);
    assert_eq!(code, 0, "{found}");
    let words = |found: &Value| -> Vec<String> {
        let never = found["srdf"]["never"].as_array().unwrap();
        never.iter().map(|line| line["found"].as_str().unwrap().to_owned()).collect()
    };
    // The posts stand 1.5 apart, without a joint between them.
    assert_eq!((words(&found), &found["srdf"]["lines"]), (vec!["proven".to_owned(); 2], &Value::from(3)));

    let (code, found) = audited(&folder, &["bar.urdf", "--srdf", "wrong.srdf"]);
    assert_eq!((code, words(&found)), (1, ["proven", "proven", "false", "open"].map(str::to_owned).to_vec()));
    let at = &found["srdf"]["never"][2]["at"];
    let (slide, turn) = (at["slide"].as_f64().unwrap(), at["turn"].as_f64().unwrap());
    // The tip of the bar is in the post, whose near face is at 1.5.
    assert!(slide + 2.0 * turn.cos() + 0.05 * turn.sin().abs() >= 1.5, "{at}");
    assert_eq!(found["srdf"]["never"][3]["why"], "the robot has no link 'camera'");
    let (_, told, _) = run_in(&folder.path(""), &["audit", "bar.urdf", "--srdf", "wrong.srdf"]);
    assert!(line_with(&told, &["false", "bar", "near", "meet at"]) < line_with(&told, &["proven"]), "{told}");
    assert!(told.contains("4 lines with the reason Never: 1 false, 1 open, 2 proven"), "{told}");
}

#[test]
fn posts_that_stand_in_each_other_refute_a_line() {
    let folder = Folder::new();
    let shapes = |x: f64| shape("visual", x, &cuboid([1.0; 3])) + &shape("collision", x, &cuboid([1.0; 3]));
    let text = format!(
        "<robot name=\"r\"><link name=\"a\">{}</link><link name=\"b\">{}</link><joint name=\"j\" type=\"fixed\">\
         <parent link=\"a\"/><child link=\"b\"/></joint></robot>",
        shapes(0.0),
        shapes(0.5)
    );
    folder.put("r.urdf", text);
    let line = "<disable_collisions link1=\"a\" link2=\"b\" reason=\"Never\"/>";
    folder.put("r.srdf", format!("<robot name=\"r\">{line}</robot>"));
    let (code, found) = audited(&folder, &["r.urdf", "--srdf", "r.srdf"]);
    assert_eq!((code, &found["srdf"]["never"][0]["found"]), (1, &Value::from("false")));
}

#[test]
fn what_is_no_audit_is_refused_in_one_line() {
    let folder = shapes();
    folder.put("cube.obj", CUBE);
    folder.put("broken.srdf", "<robot><disable_collisions link1='long'/></robot>");
    let bare = "<robot name=\"r\"><link name=\"a\"><visual><geometry><box size=\"1 1 1\"/></geometry></visual></link></robot>";
    folder.put("bare.urdf", bare);
    for (arguments, told) in [
        (&["bare.urdf"][..], "bare.urdf: none of its links has collision geometry"),
        (&["cube.obj", "--unit", "m"], "cube.obj: the scene has no robot"),
        (&["r.urdf", "r.urdf"], "an audit is about one robot"),
        (&["r.urdf", "--collision-geometry"], "--collision-geometry: an audit reads the visual geometry"),
        (&["r.urdf", "--precision", "0"], "--precision: '0' is not more than 0"),
        (&["r.urdf", "--srdf", "broken.srdf"], "broken.srdf: line 1"),
        (&["r.urdf", "--joint", "to_ball=0"], "--srdf"),
    ] {
        let (code, _, errors) = run_in(&folder.path(""), &[&["audit", "--quiet"], arguments].concat());
        assert!(code == 2 && errors.lines().count() == 1 && errors.contains(told), "{arguments:?}: {errors}");
    }
}
