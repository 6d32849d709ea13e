//! Files as people have them: concave polygons, packages, points as probes, and parts that cannot be read.

use std::fs;

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use serde_json::{Value, json};

/// Runs the program in a folder. Returns its status, its report, and what it says.
fn report(folder: &Folder, arguments: &[&str]) -> (i32, Value, String) {
    let (code, stdout, stderr) = run_in(&folder.path(""), &[arguments, &["--json"]].concat());
    (code, serde_json::from_str(&stdout).unwrap_or_default(), stderr)
}

/// A U-shaped channel, and a pin between its arms with 0.3 mm of room to every wall.
#[test]
fn a_pin_has_room_in_a_concave_profile() {
    let folder = Folder::new();
    let profile = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [3, 2], [3, 3], [0, 3]];
    let mut channel = String::new();
    for z in [0, 1] {
        channel.extend(profile.iter().map(|[x, y]| format!("v {x} {y} {z}\n")));
    }
    channel += "f 8 7 6 5 4 3 2 1\nf 9 10 11 12 13 14 15 16\n";
    channel.extend((1..=8).map(|i| format!("f {i} {0} {1} {2}\n", i % 8 + 1, i % 8 + 9, i + 8)));
    folder.put("channel.obj", channel);
    let pin = CUBE.lines().map(|line| match line.strip_prefix("v ") {
        None => format!("{line}\n"),
        Some(corner) => {
            let at: Vec<f64> = corner.split(' ').map(|x| x.parse().unwrap()).collect();
            format!("v {} {} {}\n", 1.8 + at[0], 1.3 + 0.4 * at[1], 3.0 * at[2] - 1.0)
        }
    });
    folder.put("pin.obj", pin.collect::<String>());
    let (code, found, told) =
        report(&folder, &["check", "channel.obj", "pin.obj", "--unit", "mm", "--clearance", "1"]);
    assert_eq!((code, told.as_str()), (0, ""));
    assert_eq!(found["pairs"][0]["verdict"], json!("clearance"));
    let distance = found["pairs"][0]["distance"].as_f64().unwrap();
    assert!((distance - 0.3).abs() < 1e-12, "{distance}");
    let (_, inspected, _) = report(&folder, &["inspect", "channel.obj"]);
    assert_eq!(inspected["meshes"][0]["open_edges"], json!(0), "{inspected}");
}

/// The arm's base and the gripper's have the same name, each in its own package.
#[test]
fn a_mesh_of_another_package_never_stands_for_one() {
    let folder = Folder::new();
    let link = |name: &str, at: &str| {
        let mesh = format!("<mesh filename=\"package://{name}_description/meshes/base.obj\"/>");
        format!(
            "<link name=\"{name}\"><visual><origin xyz=\"{at}\"/><geometry>{mesh}</geometry></visual></link>"
        )
    };
    let joint = |name: &str| {
        format!(
            "<joint name=\"to_{name}\" type=\"fixed\"><parent link=\"world\"/><child link=\"{name}\"/></joint>"
        )
    };
    let [arm, gripper] = [link("arm", "0 0 0"), link("gripper", "-0.5 0 0")];
    let joints = ["arm", "gripper"].map(joint).concat();
    let robot = format!("<robot name=\"cell\"><link name=\"world\"/>{arm}{gripper}{joints}</robot>");
    folder.put("ws/arm_description/urdf/cell.urdf", robot);
    folder.put("ws/arm_description/package.xml", "<package><name>arm_description</name></package>");
    folder.put("ws/arm_description/meshes/base.obj", CUBE);
    let cell = "ws/arm_description/urdf/cell.urdf";
    let far = CUBE.replace("v 0", "v 5").replace("v 1", "v 6");
    let outside = "package://gripper_description/meshes/base.obj: it lies outside the folder of the scene: \
                   add --allow-outside to read it (--allow-missing leaves it out)";
    let refused = |arguments: &[&str]| {
        let (code, stdout, stderr) = run_in(&folder.path(""), &[&["check", cell], arguments].concat());
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{stderr}");
        stderr
    };
    let held = refused(&[]);
    assert!(held.ends_with(&format!("{outside}\n")), "{held}");
    assert!(refused(&["--allow-outside"]).contains("say where it is with --package gripper_description=DIR"));
    let verdict = |arguments: &[&str]| {
        let (code, found, told) = report(&folder, &[&["check", cell], arguments].concat());
        assert_eq!(code, 0, "{told}");
        found["ledger"].clone()
    };
    let apart = json!({ "pairs": 1, "excluded": {}, "apart": 1, "decided": 0, "undecided": 0 });
    folder.put("lib/gripper/meshes/base.obj", &far);
    assert_eq!(verdict(&["--package", "gripper_description=lib/gripper"]), apart);
    folder.put("opt/gripper_description/meshes/base.obj", &far);
    let mut on_path = closefit(&["check", cell, "--allow-outside", "--json"]);
    let on_path = on_path.current_dir(folder.path("")).env("ROS_PACKAGE_PATH", "none:opt").output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&on_path.stdout).unwrap()["ledger"], apart);
    folder.put("ws/gripper_description/meshes/base.obj", &far);
    assert_eq!(verdict(&["--allow-outside"]), apart);
    assert_eq!(refused(&[]), held, "whether there is a file or not");
    folder.put("ws/gripper_description/package.xml", "<package><name>other</name></package>");
    assert!(refused(&["--allow-outside"]).contains("there is no package 'gripper_description'"));
    assert!(refused(&["--package", "gripper"]).contains("a package is NAME=DIR"));
}

#[test]
fn parts_that_cannot_be_read_are_left_out_and_counted() {
    let folder = Folder::new();
    let part = |name: &str, mesh: &str, x: i32| json!({ "name": name, "mesh": mesh, "pose": { "translation": [x, 0, 0] } });
    let parts = [
        part("a", "cube.obj", 0),
        part("b", "none.obj", 1),
        part("c", "cube.obj", 3),
        part("d", "gone.stl", 5),
    ];
    folder.put("s.json", json!({ "unit": "mm", "parts": parts }).to_string());
    folder.put("cube.obj", CUBE);
    let line = run_in(&folder.path(""), &["check", "s.json"]);
    assert_eq!((line.0, line.1.as_str(), line.2.lines().count()), (2, "", 1));
    assert!(
        ["'b'", "none.obj", "'d'", "gone.stl", "--allow-missing"].iter().all(|word| line.2.contains(word)),
        "{}",
        line.2
    );
    let (code, found, _) = report(&folder, &["check", "s.json", "--allow-missing", "--out", "out"]);
    assert_eq!((code, &found["scene"]["left_out"]), (0, &json!({ "links": 0, "shapes": 0, "parts": 2 })));
    assert_eq!(found["ledger"]["pairs"], json!(1));
    assert!(crate::schema::validator_of("report").is_valid(&found));
    let (_, _, told) = run_in(&folder.path(""), &["check", "s.json", "--allow-missing"]);
    assert!(told.contains("note: s.json: parts left out, since they cannot be read: 2: part 'b'"), "{told}");
    // The files are read again as the run read them.
    let (code, _, told) = run_in(&folder.path(""), &["report", "out", "--glb", "all.glb"]);
    assert_eq!(code, 0, "{told}");
}

#[test]
fn a_robot_of_unknown_shapes_says_so() {
    let folder = Folder::new();
    let link = |name: &str, shape: &str| {
        format!("<link name='{name}'><collision><geometry><{shape}/></geometry></collision></link>")
    };
    let joint = "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>";
    let robot = format!("<robot name='r'>{}{}{joint}</robot>", link("a", "plane"), link("b", "heightmap"));
    folder.put("r.urdf", robot);
    let (code, _, told) = run_in(&folder.path(""), &["check", "r.urdf", "--collision-geometry"]);
    let expected = "error: r.urdf: its collision geometry is 2 shapes of unknown kinds\n";
    assert_eq!((code, told.as_str()), (2, expected));
}

/// The example of the manual.
#[test]
fn a_point_is_a_probe() {
    let manual = fs::read_to_string(root().join("docs/command-line.md")).unwrap();
    let line = |start: &str| manual.lines().find_map(|line| line.strip_prefix(start)).expect(start);
    let (probe, file) = line("printf '").split_once("' > ").unwrap();
    let folder = Folder::new();
    folder.put(file, probe.replace("\\n", "\n"));
    let arguments: Vec<&str> = line("closefit check bracket.obj ").split(' ').collect();
    let check = |bracket: &str| {
        folder.put("bracket.obj", bracket);
        let (_, found, _) = report(&folder, &[&["check", "bracket.obj"], &arguments[..]].concat());
        found["pairs"][0].clone()
    };
    let moved = |x: f64| CUBE.replace("v 0", &format!("v {x}")).replace("v 1", &format!("v {}", x + 1.0));
    let apart = check(&moved(0.5));
    assert_eq!((&apart["verdict"], &apart["distance"]), (&json!("clearance"), &json!(0.5)));
    assert_eq!(apart["points"], json!([[0.5, 0, 0.25], [0, 0, 0.25]]));
    let inside = moved(-0.5).replace(" 0 0\n", " -0.5 0\n").replace(" 0 1\n", " -0.5 1\n");
    let inside = check(&inside);
    assert_eq!((&inside["verdict"], &inside["contained"]), (&json!("clash"), &json!("b in a")));
}
