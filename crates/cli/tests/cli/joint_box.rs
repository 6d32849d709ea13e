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
fn an_undecided_pair_has_the_distance_that_was_found() {
    // At the middle of all ranges the bar's tip is 2 from the far post: within the clearance, not in contact.
    let folder = bar();
    let arguments = ["joint-box", "bar.urdf", "--clearance", "2.4", "--configurations", "1", "--json"];
    let (code, found, errors) = run_in(&folder.path(""), &arguments);
    assert_eq!(code, 1, "{errors}");
    let found: Value = serde_json::from_str(&found).unwrap();
    let pairs = found["pairs"].as_array().unwrap();
    let far = pairs.iter().find(|pair| pair["a"] == "far/cube" && pair["b"] == "bar/cube").unwrap();
    assert_eq!(far["encounter"], "unknown");
    assert_eq!(far["distance"]["at_most"], 2.0, "{far}");
}

/// A frame on which a turning link `b` and a turning link `c` stand; `b` has more shapes than its cube.
fn two_arms(shapes_of_b: &str) -> Folder {
    let folder = Folder::new();
    folder.put("cube.obj", CUBE);
    let cube = "<visual><geometry><mesh filename=\"cube.obj\"/></geometry></visual>";
    let joint = |name: &str, child: &str, xyz: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"frame\"/><child link=\"{child}\"/>\
             <origin xyz=\"{xyz}\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\"/></joint>"
        )
    };
    let text = [
        format!("<robot name=\"r\"><link name=\"a\">{cube}</link><link name=\"frame\"/>"),
        format!("<link name=\"b\">{cube}{shapes_of_b}</link><link name=\"c\">{cube}</link>"),
        "<joint name=\"foot\" type=\"fixed\"><parent link=\"a\"/><child link=\"frame\"/></joint>".to_owned(),
        joint("j", "b", "0 3 0"),
        joint("k", "c", "3 0 0"),
        "</robot>".to_owned(),
    ];
    folder.put("r.urdf", text.concat());
    folder
}

/// Writes the SRDF. Returns the exit status, the pairs of links in it, if it is there, and what is told on
/// stderr.
fn written(folder: &Folder, arguments: &[&str]) -> (i32, Option<Vec<[String; 3]>>, String) {
    let given = [&["joint-box", "r.urdf", "--write-srdf", "r.srdf"][..], arguments].concat();
    let (code, _, told) = run_in(&folder.path(""), &given);
    let text = fs::read_to_string(folder.path("r.srdf")).ok();
    let lines = text.map(|text| {
        let lines = text.lines().filter(|line| line.contains("<disable_collisions"));
        let value = |line: &str, name: &str| {
            let start = line.find(&format!("{name}=\"")).expect("it has one") + name.len() + 2;
            line[start..].split('"').next().expect("a value").to_owned()
        };
        lines.map(|line| ["link1", "link2", "reason"].map(|name| value(line, name))).collect()
    });
    (code, lines, told)
}

fn row([a, b, reason]: [&str; 3]) -> [String; 3] {
    [a, b, reason].map(str::to_owned)
}

#[test]
fn links_with_shapes_that_are_not_read_have_no_line() {
    let whole = two_arms("");
    let (_, lines, told) = written(&whole, &[]);
    let never = |a: &str, b: &str| row([a, b, "Never"]);
    assert_eq!(lines, Some(vec![never("a", "b"), never("a", "c"), never("b", "c")]));
    assert_eq!(told, "");
    let partly =
        two_arms("<visual><origin xyz=\"2 0 0\"/><geometry><heightmap size=\"3 3 3\"/></geometry></visual>");
    let (_, lines, told) = written(&partly, &[]);
    assert_eq!(lines, Some(vec![never("a", "c")]));
    assert!(told.contains("r.srdf: no lines of links with shapes that were not read: 'b'"), "{told}");
}

#[test]
fn planners_get_the_collision_geometry() {
    // The collision mesh of `b` reaches as far as `a`.
    let big = "<collision><origin xyz=\"-1 -3 0\"/><geometry><mesh filename=\"cube.obj\" scale=\"3 3 3\"/></geometry>\
        </collision>";
    let folder = two_arms(big);
    let text = fs::read_to_string(folder.path("r.urdf")).unwrap();
    let cube = "<collision><geometry><mesh filename=\"cube.obj\"/></geometry></collision>";
    folder.put("r.urdf", text.replace("<link name=\"a\">", &format!("<link name=\"a\">{cube}")));
    let (code, lines, told) = written(&folder, &[]);
    assert_eq!(
        (code, lines, &told[..]),
        (1, Some(vec![]), "note: r.urdf: links without a collision shape left out: c\n")
    );
    let (_, lines, _) = written(&folder, &["--collision-geometry"]);
    assert_eq!(lines, Some(vec![]));
    let (_, lines, _) = written(&folder, &["--visual-geometry"]);
    assert_eq!(lines.map(|lines| lines.len()), Some(3));
    let (code, _, told) = written(&folder, &["--visual-geometry", "--collision-geometry"]);
    assert_eq!((code, told.lines().count()), (2, 1), "{told}");
}

#[test]
fn an_srdf_is_for_the_whole_range_of_every_joint() {
    let folder = two_arms("");
    for (range, says) in [
        ("j=0", "joint 'j', -1 to 1, and not for 0 to 0 alone"),
        ("j=-1:0.999", "joint 'j', -1 to 1, and not for -1 to 0.999 alone"),
        ("k=-0.5:1", "joint 'k', -1 to 1, and not for -0.5 to 1 alone"),
    ] {
        let (code, lines, told) = written(&folder, &["--joint", range]);
        assert_eq!((code, lines, told.lines().count()), (2, None, 1), "{range}: {told}");
        assert!(told.contains(says), "{told}");
    }
    let (code, lines, told) = written(&folder, &["--joint", "j=-1:1", "--joint", "k=-2:2"]);
    assert_eq!((code, lines.map(|lines| lines.len())), (0, Some(3)), "{told}");
    // A joint without limits turns all the way.
    let text = fs::read_to_string(folder.path("r.urdf")).unwrap();
    let endless = text.replace("revolute", "continuous").replace("<limit lower=\"-1\" upper=\"1\"/>", "");
    folder.put("r.urdf", endless);
    let (code, _, told) = written(&folder, &["--joint", "j=0:6"]);
    assert!(code == 2 && told.contains("and not for 0 to 6 alone"), "{told}");
    let (code, lines, _) = written(&folder, &["--joint", "j=0:6.3"]);
    assert_eq!((code, lines.map(|lines| lines.len())), (0, Some(3)));
}

/// Nothing is known of the values of a floating joint, so nothing is proven of what is beyond it.
#[test]
fn beyond_a_floating_joint_nothing_is_never() {
    let folder = two_arms("");
    let text = fs::read_to_string(folder.path("r.urdf")).unwrap();
    let floating =
        text.replace("<joint name=\"k\" type=\"revolute\">", "<joint name=\"k\" type=\"floating\">");
    assert_ne!(floating, text);
    folder.put("r.urdf", floating);
    let (code, lines, told) = written(&folder, &[]);
    assert_eq!(lines, Some(vec![row(["a", "b", "Never"])]), "{told}");
    assert_eq!(code, 1, "{told}");
}

/// Two blocks `a` and `c` that are fixed to each other so far apart, and a turning block far away.
fn blocks(apart: f64, above: &str) -> String {
    let block = |name: &str, size: f64| {
        format!(
            "<link name=\"{name}\"><visual><geometry><box size=\"{size} {size} {size}\"/></geometry></visual></link>"
        )
    };
    let joint = |name: &str, kind: &str, [parent, child]: [&str; 2], xyz: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/><origin xyz=\"{xyz}\"/>\
             <axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\"/></joint>"
        )
    };
    let links = [block("a", 1.0), block("b", 0.25), block("c", 1.0), block("d", 0.25)].concat();
    let rod =
        joint("f", "fixed", ["a", "b"], "0 0 3") + &joint("g", "fixed", ["b", "c"], &format!("{apart} 0 -3"));
    format!("<robot name=\"r\">{links}{rod}{}{above}</robot>", joint("j", "revolute", ["a", "d"], "5 5 5"))
}

/// Pairs that no joint moves relative to each other are decided as well.
#[test]
fn pairs_that_move_together_are_decided() {
    let folder = Folder::new();
    let base = "<link name=\"base\"/><joint name=\"k\" type=\"revolute\"><parent link=\"base\"/><child link=\"a\"/>\
                <axis xyz=\"0.6 0 0.8\"/><limit lower=\"-1\" upper=\"1\"/></joint>";
    let base = base.to_owned();
    // They overlap by a half, touch, or are apart by a half.
    for (apart, above, expected) in [
        (0.5, "", "3 pairs: 1 always, 0 sometimes, 0 unknown, 2 never"),
        (1.0, "", "3 pairs: 1 always, 0 sometimes, 0 unknown, 2 never"),
        (1.5, "", "3 pairs: 0 always, 0 sometimes, 0 unknown, 3 never"),
        (0.5, &base, "3 pairs: 1 always, 0 sometimes, 0 unknown, 2 never"),
        (1.0, &base, "3 pairs: 0 always, 0 sometimes, 1 unknown, 2 never"),
        (1.5, &base, "3 pairs: 0 always, 0 sometimes, 0 unknown, 3 never"),
    ] {
        folder.put("r.urdf", blocks(apart, above));
        let (code, told, errors) = run_in(&folder.path(""), &["joint-box", "r.urdf"]);
        assert!(told.contains(expected), "{apart} {above}: {told}{errors}");
        assert_eq!(code, i32::from(!told.contains("3 never")), "{told}");
        assert_eq!(
            told.contains("they move together, and rounding decides if they are near"),
            told.contains("1 unknown"),
            "{told}"
        );
    }
    let mujoco = "<mujoco><worldbody><geom type=\"box\" size=\"1 1 1\"/>\
                  <body name=\"p\" pos=\"10 0 0\"><freejoint/><geom type=\"box\" size=\"1 1 1\"/></body>\
                  <body name=\"h\" pos=\"0 10 0\"><joint name=\"hh\" axis=\"0 0 1\" range=\"-10 10\"/>\
                  <geom type=\"box\" size=\"1 1 1\"/></body></worldbody></mujoco>";
    folder.put("free.xml", mujoco);
    let (code, told, errors) = run_in(&folder.path(""), &["joint-box", "free.xml"]);
    assert!(told.contains("3 pairs: 0 always, 0 sometimes, 2 unknown, 1 never"), "{told}{errors}");
    assert_eq!((code, told.matches("may have any value").count()), (1, 2), "{told}");
}

/// Objects that stand in the base of a robot are found, and no pair of objects.
#[test]
fn objects_next_to_a_robot_are_compared_with_all_of_it() {
    let folder = Folder::new();
    folder.put("r.urdf", blocks(1.5, ""));
    folder.put("table.obj", CUBE);
    folder.put("wall.obj", CUBE);
    let arguments = ["joint-box", "r.urdf", "table.obj", "wall.obj", "--unit", "m"];
    let (code, told, errors) = run_in(&folder.path(""), &arguments);
    assert_eq!(code, 1, "{told}");
    // The cube from 0 to 1 meets the block around the origin, and touches the one from 1 to 2.
    assert!(told.contains("11 pairs: 4 always, 0 sometimes, 0 unknown, 7 never"), "{told}");
    assert!(errors.contains("2 parts are not on the robot: closefit check decides"), "{errors}");
}

/// No line is written of two links of which a pair of parts is left out: nothing is proven of that.
#[test]
fn pairs_of_parts_that_are_not_asked_leave_no_line() {
    let second = "<visual><origin xyz=\"0 0 9\"/><geometry><mesh filename=\"high.obj\"/></geometry></visual>";
    let folder = two_arms(second);
    folder.put("high.obj", CUBE);
    folder.put("table.obj", CUBE);
    let (_, lines, _) = written(&folder, &[]);
    assert_eq!(lines.map(|lines| lines.len()), Some(3));
    folder.put(
        "rules.toml",
        "closefit-rules = 1\n[[exclude]]\nreason = \"known\"\na = { name = \"a/cube\" }\nb = { name = \"b/high\" }\n",
    );
    let (_, lines, told) = written(&folder, &["--rules", "rules.toml"]);
    assert_eq!(lines, Some(vec![row(["a", "c", "Never"]), row(["b", "c", "Never"])]), "{told}");
    // A part that stands beside the robot is none of its links.
    let (_, lines, told) = written(&folder, &["table.obj", "--unit", "m"]);
    let names: Vec<String> = lines.unwrap().into_iter().flat_map(|[a, b, _]| [a, b]).collect();
    assert!(names.iter().all(|name| ["a", "b", "c"].contains(&&name[..])), "{names:?} {told}");
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
        (&["cube.obj", "cube2.obj"], "the scene has no robot"),
    ] {
        let (code, told, errors) = run_in(&folder.path(""), &[&["joint-box"], arguments].concat());
        assert_eq!((code, &told[..], errors.lines().count()), (2, "", 1), "{arguments:?}: {errors}");
        assert!(errors.contains(says), "{arguments:?}: {errors}");
    }
}
