//! Robots: links, joints and trajectories of URDF. The poses of links are computed here independently, from
//! the joints' values.

use std::f64::consts::{PI, TAU};
use std::path::PathBuf;
use std::process::Command;

use closefit::internals::engine::check;
use closefit::scene::{LeftOut, Scene};
use closefit::{Assembly, CheckRequest, Unobserved};
use closefit_scene::read::{ReadOptions, read};
use closefit_testing::command::program_path;
use closefit_testing::fixtures::*;
use glam::{DMat4, DVec3};
use serde_json::{Value, json};

/// A robot: a mast that turns, a slide on it, a finger that mimics the slide, and a tool fixed to that.
const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="crane">
  <link name="base"><visual><geometry><mesh filename="package://crane/bolt.stl"/></geometry></visual></link>
  <link name="mast">
    <visual><origin xyz="0 0 1" rpy="0.3 -0.2 0.1"/><geometry><mesh filename="bolt.stl" scale="0.5 0.5 2"/></geometry></visual>
    <visual><geometry><heightmap size="1 1 1"/></geometry></visual>
    <collision><geometry><octree/></geometry></collision>
  </link>
  <link name="slide">
    <visual><geometry><mesh filename="bolt.stl"/></geometry></visual>
    <visual><geometry><mesh filename="file:nut.stl"/></geometry></visual>
    <collision><geometry><mesh filename="bolt.stl"/></geometry></collision>
  </link>
  <link name="tool"><visual><geometry><mesh filename="bolt.stl"/></geometry></visual></link>
  <joint name="turn" type="revolute">
    <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="mast"/><axis xyz="0 3 4"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="lift" type="prismatic">
    <origin xyz="0 0 5"/><parent link="mast"/><child link="slide"/><axis xyz="0 0 -2"/>
  </joint>
  <joint name="grip" type="continuous">
    <parent link="slide"/><child link="tool"/><mimic joint="lift" multiplier="2" offset="0.5"/>
  </joint>
  <transmission name="t"/>
</robot>"#;

fn robot_folder() -> Folder {
    let folder = Folder::new();
    folder.put("crane.urdf", ROBOT.replace("file:nut.stl", "nut.stl"));
    folder.put("bolt.stl", tetrahedron_stl());
    folder.put("nut.stl", tetrahedron_stl());
    folder
}

fn with_trajectory(folder: &Folder, csv: &str) -> Result<Scene, String> {
    let options = ReadOptions { trajectory: Some(folder.put("go.csv", csv)), ..ReadOptions::default() };
    read(&[folder.path("crane.urdf")], &options).map_err(|error| error.to_string())
}

/// Returns the poses of the links, from the joints' values.
fn crane(turn: f64, lift: f64) -> [DMat4; 3] {
    let rpy = |r: f64, p: f64, y: f64| {
        DMat4::from_rotation_z(y) * DMat4::from_rotation_y(p) * DMat4::from_rotation_x(r)
    };
    let mast = DMat4::from_translation(DVec3::new(1.0, 2.0, 3.0))
        * rpy(0.1, 0.2, 0.3)
        * DMat4::from_axis_angle(DVec3::new(0.0, 0.6, 0.8), turn);
    let slide = mast * DMat4::from_translation(DVec3::Z * (5.0 - lift));
    let tool = slide * DMat4::from_rotation_x(2.0 * lift + 0.5);
    let on_mast = DMat4::from_translation(DVec3::Z)
        * rpy(0.3, -0.2, 0.1)
        * DMat4::from_scale(DVec3::new(0.5, 0.5, 2.0));
    [mast * on_mast, slide, tool]
}

#[test]
fn a_robot_stands_at_zero() {
    let folder = robot_folder();
    let scene = read_one(folder.path("crane.urdf")).unwrap();
    let names: Vec<_> = scene.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["base/bolt", "mast/bolt", "slide/bolt", "slide/nut", "tool/bolt"]);
    assert_eq!(&*scene.parts[3].path, "/base/mast/slide/nut");
    assert_eq!((scene.meshes.len(), scene.time_range()), (2, None));
    assert_eq!(scene.notes, ["crane.urdf: visual shapes of unknown kinds left out: 1"]);
    assert_eq!(scene.left_out, LeftOut { shapes: 1, ..LeftOut::default() });
    let [mast, slide, tool] = crane(0.0, 0.0);
    for (part, expected) in scene.parts.iter().zip([DMat4::IDENTITY, mast, slide, slide, tool]) {
        assert_near(&part.pose, expected, 1e-14, &part.name);
    }
    let options = ReadOptions { collision_geometry: true, ..ReadOptions::default() };
    let scene = read(&[folder.path("crane.urdf")], &options).unwrap();
    assert_eq!(scene.parts.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["slide/bolt"]);
    assert_eq!(scene.left_out, LeftOut { links: 3, shapes: 1, parts: 0 });
    assert_eq!(
        scene.notes,
        [
            "crane.urdf: collision shapes of unknown kinds left out: 1",
            "crane.urdf: links without a collision shape left out: base, mast, tool"
        ]
    );
}

#[test]
fn a_robot_follows_its_trajectory() {
    let folder = robot_folder();
    // A change of twenty turns between two rows stays twenty turns.
    let scene =
        with_trajectory(&folder, &format!("t_s,turn,lift\n1,0.5,0\n2,-0.5,1\n4,{},1\n", 40.0 * PI)).unwrap();
    assert_eq!(scene.time_range(), Some([1.0, 4.0]));
    let [note, _] = &scene.notes[..] else { panic!("{:?}", scene.notes) };
    assert!(note.contains("'turn' is at 125.66") && note.contains("limits -1 and 1"), "{note}");
    for (time, turn, lift) in [
        (0.0, 0.5, 0.0),
        (1.25, 0.25, 0.25),
        (2.0, -0.5, 1.0),
        (2.5, -0.5 + 0.25 * (40.0 * PI + 0.5), 1.0),
        (5.0, 40.0 * PI, 1.0),
    ] {
        let [mast, slide, tool] = crane(turn, lift);
        for (name, expected) in [("mast/bolt", mast), ("slide/nut", slide), ("tool/bolt", tool)] {
            assert_near(&at(&scene, name, time), expected, 1e-12, &format!("{name} at {time}"));
        }
    }
    // Parts are posed at the first row.
    assert_near(&scene.parts[1].pose, crane(0.5, 0.0)[0], 1e-14, "mast");
    // Joints that the trajectory does not name stay at 0.
    let scene = with_trajectory(&folder, "t_s,turn\n0,0\n1,1\n").unwrap();
    assert!(scene.notes[0].contains("does not move, held at 0: 1"), "{:?}", scene.notes);
    assert_near(&at(&scene, "tool/bolt", 1.0), crane(1.0, 0.0)[2], 1e-14, "tool");
}

#[test]
fn a_joint_that_turns_too_often_is_noted() {
    let folder = robot_folder();
    let notes = |turns: f64| {
        with_trajectory(&folder, &format!("t_s,turn,lift\n0,0,0\n1,{},9e9\n", TAU * turns)).unwrap().notes
    };
    let told = "crane.urdf: the joint 'turn' turns 1000000 times: are its values radians?";
    assert!(notes(1e6).iter().any(|note| note == told), "{:?}", notes(1e6));
    // 'grip' mimics the slide, which moves far, and turns with it.
    assert!(notes(1.0).iter().filter(|note| note.contains("radians")).all(|note| note.contains("'grip'")));
}

#[test]
fn adjacent_links_are_excluded_and_counted() {
    let folder = robot_folder();
    let scene = read_one(folder.path("crane.urdf")).unwrap();
    let request = CheckRequest::default().clearance(100.0).tolerance(1e-6);
    let result = check(&scene, &request, &Unobserved).unwrap();
    // Base and mast; mast and both parts of the slide; those and the tool. Both parts of the slide.
    let excluded = [("adjacent links".to_owned(), 5), ("same link".to_owned(), 1)];
    assert_eq!(result.ledger.excluded, excluded.clone().into());
    let ids: Vec<_> = result.pairs.iter().map(|pair| pair.ids.map(|id| id.0)).collect();
    assert_eq!(ids, [[0, 2], [0, 3], [0, 4], [1, 4]]);
    assert_eq!((result.ledger.pairs, result.ledger.asked()), (10, 4));
    // In a sweep only the mast turns, with all that it carries: that pairs do not move is another reason,
    // counted for those that are left.
    let moving = Assembly::from(with_trajectory(&folder, "t_s,turn\n0,0\n1,1\n").unwrap());
    let result = moving.sweep(&moving.sweep_request(0.0, 1.0).unwrap().clearance(100.0)).unwrap();
    let still = ("no relative motion".to_owned(), 1);
    assert_eq!(result.ledger.excluded, excluded.into_iter().chain([still]).collect());
    assert_eq!((result.ledger.pairs, result.ledger.asked()), (10, 3));
}

#[test]
fn robots_that_are_wrong_are_refused_in_one_line() {
    let folder = robot_folder();
    let refused = |from: &str, to: &str, says: &[&str]| {
        assert!(ROBOT.contains(from));
        let path = folder.put("bad.urdf", ROBOT.replacen(from, to, 1).replace("file:nut.stl", "nut.stl"));
        let error = read_one(path).expect_err(to).to_string();
        for word in [&["bad.urdf"], says].concat() {
            assert!(error.contains(word), "no '{word}' in: {error}");
        }
        assert_eq!(error.lines().count(), 1);
    };
    refused("</robot>", "", &["XML"]);
    refused("<robot name=\"crane\">", "<!DOCTYPE x [<!ENTITY a \"b\">]><robot>", &["XML", "DTD"]);
    refused("type=\"revolute\"", "type=\"hinge\"", &["'turn'", "unknown type 'hinge'"]);
    refused("type=\"revolute\"", "", &["'turn'", "no type"]);
    refused("<parent link=\"base\"/>", "", &["'turn'", "parent", "missing"]);
    refused("link=\"base\"", "link=\"gone\"", &["'turn'", "'gone' is not the name of a link"]);
    refused("<parent link=\"base\"/>", "<parent link=\"tool\"/>", &["cycle"]);
    refused(
        "<child link=\"tool\"/>",
        "<child link=\"slide\"/>",
        &["'slide' hangs on the joint 'lift' already"],
    );
    refused("<joint name=\"lift\"", "<joint name=\"turn\"", &["a second joint 'turn'"]);
    refused("<link name=\"tool\">", "<link name=\"base\">", &["a second link 'base'"]);
    refused("</robot>", "<link name=\"x\"/></robot>", &["'base' and 'x' hang on no joint"]);
    refused("xyz=\"0 3 4\"", "xyz=\"0 0 0\"", &["'turn'", "axis"]);
    refused("xyz=\"1 2 3\"", "xyz=\"1 2\"", &["'turn'", "xyz", "'1 2' is not three numbers"]);
    refused("xyz=\"1 2 3\"", "xyz=\"1 2 nan\"", &["'turn'", "xyz", "'nan'"]);
    refused("joint=\"lift\"", "joint=\"gone\"", &["'grip'", "mimic", "'gone'"]);
    refused("joint=\"lift\"", "joint=\"grip\"", &["'grip'", "mimics itself"]);
    refused(
        "filename=\"bolt.stl\" scale",
        "filename=\"gone.stl\" scale",
        &["'mast'", "gone.stl", "cannot be read"],
    );
    refused(
        "filename=\"bolt.stl\" scale",
        "filename=\"a.fbx\" scale",
        &["'mast'", "a.fbx", "FBX is not read", ".stl, .obj or .ply"],
    );
    refused("package://", "https://", &["'base'", "https://", "not supported"]);
    refused(
        "<robot name",
        "<robot xmlns:xacro=\"http://ros.org/wiki/xacro\"><xacro:a/></robot><robot name",
        &["XML"],
    );
    refused(
        "<transmission",
        "<xacro:a xmlns:xacro=\"http://ros.org/wiki/xacro\"/><transmission",
        &["line 25", "xacro"],
    );
    let crowd: String = (0..60_000).map(|i| format!(" a{i}=\"1\"")).collect();
    refused(
        "<link name=\"tool\"",
        &format!("<link name=\"tool\"{crowd}"),
        &["line 14: an element has 60001 attributes; the limit is 1024"],
    );
    let nested: String = (0..300).map(|i| format!("<a xmlns:n{i}=\"u\"/>")).collect();
    refused("</robot>", &format!("{nested}</robot>"), &["more than 256 namespaces"]);
}

#[test]
fn trajectories_that_are_wrong_are_refused_in_one_line() {
    let folder = robot_folder();
    for (csv, says) in [
        ("t_s,turn,x\n0,1,2\n", "go.csv: the header: the joint 'x' is not one of the robot's"),
        ("t_s,grip\n0,1\n", "go.csv: the header: the joint 'grip' mimics 'lift'"),
        ("t_s,turn\n1,1\n0,1\n", "go.csv: row 3, t_s: the time 0 does not come after"),
        (
            "t_s,lift,turn\n1,0,1\n2,0,1e300\n",
            "go.csv: row 3, turn: the joint value 1e300 is not within 2^200",
        ),
        // 'grip' mimics the slide, twice as far.
        (&format!("t_s,lift\n1,0\n2,{:e}\n", 2f64.powi(200)), "go.csv: row 3, lift: the joint value "),
        ("t_s,turn\n1,0\n1e300,1\n", "go.csv: row 3, t_s: the time 1e300 s is not within 2^200"),
        (
            "t_s,tunr\n1,0\n",
            "go.csv: the header: the joint 'tunr' is not one of the robot's: did you mean 'turn'?",
        ),
    ] {
        let error = with_trajectory(&folder, csv).unwrap_err();
        assert!(error.contains(says) && error.lines().count() == 1, "{error}");
    }
    let options = |trajectory: Option<PathBuf>| ReadOptions {
        collision_geometry: trajectory.is_none(),
        trajectory,
        ..ReadOptions::default()
    };
    let error = |options| read(&[folder.path("bolt.stl")], &options).unwrap_err().to_string();
    assert!(error(options(Some(folder.path("go.csv")))).contains("go.csv: a trajectory is for one robot"));
    assert!(error(options(None)).contains("bolt.stl: it is no robot, so --collision-geometry"));
    let hulls = ReadOptions { hulls: true, ..ReadOptions::default() };
    assert!(error(hulls).contains("bolt.stl: it is no robot, so --as hull does not apply"));
    let missing = options(Some(folder.path("gone.csv")));
    let error = read(&[folder.path("crane.urdf")], &missing).unwrap_err().to_string();
    assert!(error.contains("gone.csv: cannot be read"), "{error}");
}

#[test]
fn the_program_puts_parts_at_a_time() {
    let folder = robot_folder();
    folder.put("go.csv", "t_s,turn,lift\n0,0,0\n2,0,8\n");
    let run = |arguments: &[&str]| {
        let mut program = Command::new(program_path());
        let output = program.current_dir(folder.path("")).args(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let robot = ["check", "crane.urdf", "--trajectory", "go.csv", "--json", "--quiet", "--fail-on", "never"];
    let report = |more: &[&str]| {
        let (code, stdout, stderr) = run(&[&robot, more].concat());
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        serde_json::from_str::<Value>(&stdout).unwrap()
    };
    let (first, later) = (report(&[]), report(&["--at", "1.5"]));
    assert_eq!((first["settings"].get("at"), &later["settings"]["at"]), (None, &json!(1.5)));
    assert_ne!(first["scene"]["digest"], later["scene"]["digest"]);
    assert_eq!(first["scene"]["digest"], report(&["--at", "-3"])["scene"]["digest"]);
    assert_eq!(first["ledger"]["excluded"], json!({ "adjacent links": 5, "same link": 1 }));
    // A trajectory that holds still has its values at all times.
    folder.put("go.csv", "t_s,turn,lift\n0,0,8\n2,0,8\n");
    let still = report(&["--at", "1.5"]);
    assert_eq!(still["settings"]["at"], json!(1.5));
    assert_eq!(still["pairs"], report(&[])["pairs"]);
    let (code, stdout, stderr) = run(&[&robot[..4], &["--at", "0:1:0.5", "--fail-on", "never"]].concat());
    assert_eq!((code, stdout.lines().count()), (Some(0), 3), "{stderr}");
    let (code, stdout, stderr) = run(&["check", "bolt.stl", "--at", "1"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert_eq!(stderr, "error: bolt.stl: --at 1: nothing in the scene moves\n");
    let (code, _, stderr) = run(&["check", "bolt.stl", "--at", "nan"]);
    assert!(
        code == Some(2)
            && stderr.contains("bolt.stl: --at: 'nan': a time is a number of seconds")
            && stderr.matches('\n').count() == 1
    );
}

#[test]
fn the_note_on_links_without_a_mesh_is_bounded() {
    let folder = robot_folder();
    let link = |i| {
        format!(
            "<link name=\"l{i}\"><visual><geometry><heightmap size=\"1 1 1\"/></geometry></visual></link>"
        )
    };
    let joint = |i| {
        format!("<joint name=\"j{i}\" type=\"fixed\"><parent link=\"base\"/><child link=\"l{i}\"/></joint>")
    };
    let frame = "<link name=\"frame\"/><joint name=\"to_frame\" type=\"fixed\"><parent link=\"base\"/>\
                 <child link=\"frame\"/></joint>";
    let more: String = (0..12).map(|i| link(i) + &joint(i)).collect();
    let text =
        ROBOT.replace("file:nut.stl", "nut.stl").replace("</robot>", &format!("{more}{frame}</robot>"));
    let scene = read_one(folder.put("many.urdf", text)).unwrap();
    // A link without any geometry is a frame, and nothing is missing.
    assert_eq!(scene.left_out, LeftOut { links: 12, shapes: 13, parts: 0 });
    let told =
        "many.urdf: links without a visual shape left out: l0, l1, l2, l3, l4, l5, l6, l7, l8, l9 and 2 more";
    assert_eq!(scene.notes[1], told);
}

#[test]
fn a_robot_without_its_trajectory_is_not_swept() {
    let folder = robot_folder();
    let program = |arguments: &[&str]| {
        let mut program = Command::new(program_path());
        program.current_dir(folder.path("")).args(arguments).output().unwrap()
    };
    let output = program(&["sweep", "crane.urdf", "--out", "out"]);
    let told = "error: crane.urdf: nothing would be checked: no part moves: add --trajectory or --joint \
                (--allow-empty accepts that)\n";
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(2), told));
    assert!(output.stdout.is_empty() && !folder.path("out").exists());
    let output = program(&["sweep", "crane.urdf", "--allow-empty", "--json", "--quiet"]);
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["scene"]["left_out"], json!({ "links": 0, "shapes": 1 }));
    // Every part of a robot of two links is in one pair of them.
    let two = "<robot name=\"two\"><link name=\"a\"><visual><geometry><mesh filename=\"bolt.stl\"/></geometry></visual>\
               </link><link name=\"b\"><visual><geometry><mesh filename=\"nut.stl\"/></geometry></visual></link>\
               <joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>";
    folder.put("two.urdf", two);
    let output = program(&["check", "two.urdf"]);
    let told = "error: two.urdf: nothing would be checked: every pair is excluded: 1 as 'adjacent links' \
                (--allow-empty accepts that)\n";
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(2), told));
}

#[test]
fn inspect_lists_the_joints_of_a_robot() {
    let folder = robot_folder();
    let inspect = |more: &[&str]| {
        let mut program = Command::new(program_path());
        let arguments = [&["inspect", "crane.urdf"], more].concat();
        let output = program.current_dir(folder.path("")).env("COLUMNS", "100").args(arguments).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let table = inspect(&[]);
    let line = |words: &[&str]| {
        let found = table.lines().any(|line| line.split_whitespace().eq(words.iter().copied()));
        assert!(found, "{words:?}: {table}");
    };
    line(&["joint", "type", "limits", "parent", "child", "remark"]);
    line(&["turn", "revolute", "-57.2958", "to", "57.2958", "deg", "base", "mast"]);
    line(&["lift", "prismatic", "mast", "slide"]);
    line(&["grip", "continuous", "slide", "tool", "mimics", "lift,", "2", "times", "+", "0.5"]);
    assert!(table.ends_with("\n3 joints, 2 to move by name\n"), "{table}");
    let report: Value = serde_json::from_str(&inspect(&["--json"])).unwrap();
    let joints = json!([
        { "name": "turn", "type": "revolute", "limits": [-1, 1], "parent": "base", "child": "mast" },
        { "name": "lift", "type": "prismatic", "parent": "mast", "child": "slide" },
        { "name": "grip", "type": "continuous", "parent": "slide", "child": "tool",
          "mimic": { "joint": "lift", "multiplier": 2, "offset": 0.5 } },
    ]);
    assert_eq!(report["robots"], json!([{ "file": "crane.urdf", "joints": joints }]));
    let output = Command::new(program_path())
        .current_dir(folder.path(""))
        .args(["inspect", "bolt.stl", "--json"])
        .output();
    let plain: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert!(plain.get("robots").is_none());
}
