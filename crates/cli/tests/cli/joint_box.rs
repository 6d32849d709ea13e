//! `closefit joint-box`: tables, documents, the SRDF, and refusals.

use std::fs;

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use serde_json::Value;

/// A bar that turns by half a turn at the end of a slider, and two posts: it always stays off the far one.
fn bar() -> Folder {
    let folder = Folder::new();
    folder.put("cube.obj", CUBE);
    let link = |name: &str, xyz: &str, scale: &str| {
        format!(
            "<link name=\"{name}\"><visual><origin xyz=\"{xyz}\"/><geometry><mesh filename=\"cube.obj\" scale=\"{scale}\"/>\
             </geometry></visual></link>"
        )
    };
    let joint = |name: &str, kind: &str, [parent, child]: [&str; 2], axis: &str, limits: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"{axis}\"/>\
             {limits}</joint>"
        )
    };
    let text = [
        "<robot name=\"bar\">".to_owned(),
        link("near", "1.5 -0.5 -0.5", "1 1 1"),
        link("far", "4 -0.5 -0.5", "1 1 1"),
        link("sled", "-0.05 -0.05 -9", "0.1 0.1 0.1"),
        link("bar", "0 -0.05 -0.05", "2 0.1 0.1"),
        joint("foot", "fixed", ["near", "far"], "0 0 1", ""),
        joint("slide", "prismatic", ["near", "sled"], "1 0 0", "<limit lower=\"-0.5\" upper=\"0.5\"/>"),
        joint("turn", "revolute", ["sled", "bar"], "0 0 1", "<limit lower=\"-1.6\" upper=\"1.6\"/>"),
        "</robot>".to_owned(),
    ];
    folder.put("bar.urdf", text.concat());
    folder
}

#[test]
fn pairs_are_told_by_what_can_happen() {
    let folder = bar();
    let (code, told, errors) =
        run_in(&folder.path(""), &["joint-box", "bar.urdf", "--out", "out", "--write-srdf", "bar.srdf"]);
    assert_eq!((code, &errors[..]), (1, ""));
    assert!(
        told.contains("sometimes") && told.contains("pairs: 0 always, 1 sometimes, 0 unknown, 2 never"),
        "{told}"
    );
    let found: Value =
        serde_json::from_str(&fs::read_to_string(folder.path("out/joint-box.json")).unwrap()).unwrap();
    let pair = |a: &str, b: &str| {
        let pairs = found["pairs"].as_array().unwrap();
        pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b).unwrap()
    };
    // At the far end of the slider the bar's tip is at 2.5, and the far post begins at 4.
    let far = pair("far/cube", "bar/cube");
    assert_eq!(far["encounter"], "never");
    let [at_least, at_most] = ["at_least", "at_most"].map(|key| far["distance"][key].as_f64().unwrap());
    assert!(at_least <= 1.5 && 1.5 <= at_most + 0.01 && at_most - at_least < 0.1, "{far}");
    assert_eq!(pair("near/cube", "bar/cube")["encounter"], "sometimes");

    let srdf = fs::read_to_string(folder.path("bar.srdf")).unwrap();
    for line in [
        "<disable_collisions link1=\"bar\" link2=\"far\" reason=\"Never\"/>",
        "<disable_collisions link1=\"bar\" link2=\"sled\" reason=\"Adjacent\"/>",
    ] {
        assert!(srdf.contains(line), "{srdf}");
    }
    assert!(!srdf.contains("link1=\"bar\" link2=\"near\""), "{srdf}");
    let (_, report, _) = run_in(
        &folder.path(""),
        &["check", "bar.urdf", "--srdf", "bar.srdf", "--json", "--fail-on", "never"],
    );
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["ledger"]["excluded"]["Never"], 2);
}

#[test]
fn ranges_narrow_what_can_happen() {
    let folder = bar();
    let joint_box =
        |more: &[&str]| run_in(&folder.path(""), &[&["joint-box", "bar.urdf"][..], more].concat());
    let (code, told, _) = joint_box(&["--joint", "slide=-0.5", "--joint", "turn=1.2:1.6"]);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("0 sometimes, 0 unknown, 3 never"), "{told}");
    let (code, told, _) = joint_box(&["--joint", "slide=0.1:0.2", "--joint", "turn=-0.1:0.1"]);
    assert!(code == 1 && told.contains("always"), "{told}");
    let expected = joint_box(&["--json"]).1;
    for (threads, tree) in [("1", "kdop14"), ("7", "rapid"), ("2", "box")] {
        let found = joint_box(&["--json", "--threads", threads, "--tree", tree]).1;
        assert!(found == expected, "{threads} threads, {tree}");
    }
}

#[test]
fn what_is_wrong_is_told_in_one_line() {
    let folder = bar();
    folder.put("cube2.obj", CUBE);
    for (arguments, says) in [
        (
            &["bar.urdf", "--joint", "slid=0:1"][..],
            "'slid' is not the name of a joint: did you mean 'slide'?",
        ),
        (&["bar.urdf", "--joint", "foot=0:1"], "the joint 'foot' is fixed"),
        (&["bar.urdf", "--joint", "slide=1:0"], "the range from 1 to 0 does not ascend"),
        (&["bar.urdf", "--joint", "slide=x"], "'x' is not a number"),
        (&["bar.urdf", "--joint", "turn=0", "--joint", "turn=limits"], "there are two ranges of 'turn'"),
        (&["bar.urdf", "--configurations", "0"], "0"),
        (&["cube.obj", "cube2.obj"], "joints are those of one .urdf"),
    ] {
        let (code, told, errors) = run_in(&folder.path(""), &[&["joint-box"], arguments].concat());
        assert_eq!((code, &told[..], errors.lines().count()), (2, "", 1), "{arguments:?}: {errors}");
        assert!(errors.contains(says), "{arguments:?}: {errors}");
    }
}
