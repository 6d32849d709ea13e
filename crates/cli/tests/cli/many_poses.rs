//! Checks at many poses, and sweeps of joints: what the program prints, writes and refuses.

use std::fs;

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use serde_json::Value;

/// A lever on a post, which turns past a block: links that no joint connects are the lever and the block.
fn lever() -> Folder {
    let folder = Folder::new();
    folder.put("cube.obj", CUBE);
    let link = |name: &str, xyz: &str, scale: &str| {
        format!(
            "<link name=\"{name}\"><visual><origin xyz=\"{xyz}\"/><geometry><mesh filename=\"cube.obj\" scale=\"{scale}\"/>\
             </geometry></visual></link>"
        )
    };
    let joint = |name: &str, kind: &str, ends: [&str; 2], more: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{}\"/><child link=\"{}\"/><axis xyz=\"0 0 1\"/>{more}</joint>",
            ends[0], ends[1]
        )
    };
    let limits = "<limit lower=\"-3.141592653589793\" upper=\"3.141592653589793\"/>";
    let text = [
        "<robot name=\"lever\">".to_owned(),
        link("block", "1 1 -0.5", "1 1 1"),
        link("post", "-0.05 -0.05 -3", "0.1 0.1 1"),
        link("lever", "0 -0.0001 -0.1", "2 0.0002 0.2"),
        joint("foot", "fixed", ["block", "post"], ""),
        joint("turn", "revolute", ["post", "lever"], limits),
        joint("free", "continuous", ["lever", "tip"], ""),
        joint("copy", "revolute", ["lever", "bell"], "<mimic joint=\"turn\"/>"),
        link("tip", "0 0 2", "0.05 0.05 0.05"),
        "<link name=\"bell\"/></robot>".to_owned(),
    ];
    folder.put("lever.urdf", text.concat());
    folder
}

#[test]
fn rows_are_printed_in_order_and_fail_as_pairs_do() {
    let folder = lever();
    let rows: String = (0..10_000).map(|i| format!("{i},{}\n", 0.0005 * f64::from(i))).collect();
    folder.put("q.csv", format!("id,turn\n{rows}"));
    let check = ["check", "lever.urdf", "--configurations", "q.csv", "--depth", "none"];
    let (code, lines, notes) = run_in(&folder.path(""), &check);
    assert_eq!((code, lines.lines().count()), (1, 10_000), "{notes}");
    for (row, line) in lines.lines().enumerate() {
        let angle = (0.0005 * row as f64).to_degrees();
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (line["row"].as_u64(), line["id"].as_str()),
            (Some(row as u64), Some(&row.to_string()[..]))
        );
        // The lever's tip reaches the block at 30 degrees and leaves it at 60.
        if (angle - 30.0).abs() > 0.1 && (angle - 60.0).abs() > 0.1 {
            let meets = (30.0..60.0).contains(&angle);
            assert_eq!(line["verdict"], if meets { "meets" } else { "clear" }, "{angle}");
        }
    }
    let beyond = "note: 3716 rows: joint 'turn': 180.023 to 286.45 deg is beyond its limits, -180 to 180 deg";
    let notes: Vec<&str> = notes.lines().collect();
    assert!(notes.len() == 2 && notes[0].starts_with("note: 10000 rows: "), "{notes:?}");
    assert!(notes[1].starts_with(beyond), "{notes:?}");
    // The same lines in a file, with nothing on stdout.
    let (code, nothing, _) =
        run_in(&folder.path(""), &[&check[..], &["--out", "out", "--fail-on", "never", "--quiet"]].concat());
    assert_eq!((code, &nothing[..]), (0, ""));
    assert_eq!(fs::read_to_string(folder.path("out/rows.jsonl")).unwrap(), lines);
    assert_eq!(fs::read_dir(folder.path("out")).unwrap().count(), 1);
}

/// Nobody knows what is in the rows that were not asked.
#[cfg(unix)]
#[test]
fn rows_that_nobody_reads_do_not_pass() {
    let folder = lever();
    let rows: String = (0..100_000).map(|_| "3\n").collect();
    let rows = folder.put("rows.csv", format!("turn\n{rows}"));
    let robot = folder.path("lever.urdf");
    let check = ["check", shown(&robot), "--configurations", shown(&rows), "--depth", "none"];
    let unread = |more: &[&str]| run_unread(&[&check[..], more].concat());
    assert_eq!(run(&[&check[..], &["--quiet"]].concat()).status.code(), Some(0));
    let output = unread(&[]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    assert_eq!(unread(&["--fail-on", "never"]).status.code(), Some(0));
}

/// Rows come from a pipe, as many at a time as are decided together. All but the last two blocks of them are
/// answered while more may come: a run that collected rows would wait for the end.
#[cfg(unix)]
#[test]
fn rows_are_answered_while_more_come() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    use std::sync::mpsc;
    use std::time::Duration;

    const TOGETHER: usize = 4096;
    let folder = lever();
    let check = ["check", "lever.urdf", "--configurations", "/dev/stdin", "--depth", "none", "--quiet"];
    let mut child = Command::new(program_path())
        .args(check)
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut rows, lines) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let (sender, answers) = mpsc::channel();
    let reader = std::thread::spawn(move || lines.lines().for_each(|_| sender.send(()).unwrap()));
    let mut answered = 0;
    let mut await_rows = |wanted: usize| {
        while answered < wanted {
            if answers.recv_timeout(Duration::from_secs(300)).is_err() {
                return false;
            }
            answered += 1;
        }
        true
    };
    writeln!(rows, "turn").unwrap();
    let in_time = (1..=20).all(|block| {
        rows.write_all("-2.5\n".repeat(TOGETHER).as_bytes()).unwrap();
        await_rows(TOGETHER * usize::saturating_sub(block, 2))
    });
    drop(rows);
    let in_time = in_time && await_rows(20 * TOGETHER);
    if !in_time {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    reader.join().unwrap();
    assert!(in_time && status.code() == Some(0), "{status}");
}

#[test]
fn wrong_rows_end_with_one_line_and_wrong_headers_at_once() {
    let folder = lever();
    folder.put("q.csv", "turn\n0\nx\n1\n");
    let check = ["check", "lever.urdf", "--configurations", "q.csv"];
    let (code, lines, told) = run_in(&folder.path(""), &check);
    assert_eq!(code, 2);
    assert_eq!(lines.lines().nth(1), Some(r#"{"row":1,"error":"turn: 'x' is not a number"}"#));
    assert_eq!(lines.lines().count(), 3);
    assert_eq!(told, "error: q.csv: 1 of 3 rows is wrong, row 1: turn: 'x' is not a number\n");
    for (header, why) in [
        ("turm\n0\n", "q.csv: the header: 'turm' is not the name of a joint: did you mean 'turn'?"),
        ("foot\n0\n", "q.csv: the header: the joint 'foot' is fixed"),
        ("copy\n0\n", "q.csv: the header: the joint 'copy' mimics 'turn'"),
        ("", "q.csv: the file is empty"),
    ] {
        folder.put("q.csv", header);
        let refused = run_in(&folder.path(""), &[&check[..], &["--out", "out"]].concat());
        assert_eq!(refused, (2, String::new(), format!("error: {why}\n")));
        assert!(!folder.path("out").exists());
    }
    folder.put("q.csv", "turn\n0\n");
    for (more, why) in [
        (&["--contacts"][..], "the argument '--contacts' does not work with many poses"),
        (&["--at", "1"], "the argument '--configurations <FILE>' cannot be used with '--at <TIME>'"),
        (
            &["--trajectory", "t.csv"],
            "the argument '--configurations <FILE>' cannot be used with '--trajectory <FILE>'",
        ),
        (
            &["--at-joints", "turn"],
            "lever.urdf: --at-joints turn: it is no file, and values of joints are NAME=V,NAME=V,...",
        ),
        (&["--at-joints", "=1"], "lever.urdf: --at-joints =1: '' is not the name of a joint"),
        (
            &["--at-joints", "trun=1"],
            "lever.urdf: --at-joints trun=1: 'trun' is not the name of a joint: did you mean 'turn'?",
        ),
        (
            &["--at-joints", "free=1, turn=1"],
            "lever.urdf: --at-joints free=1, turn=1: 'turn' has a column in q.csv: leave out its value",
        ),
    ] {
        let (code, _, told) = run_in(&folder.path(""), &[&check[..], more].concat());
        assert_eq!((code, told), (2, format!("error: {why}\n")));
    }
    for command in ["check", "sweep"] {
        let line = refusal(&[command, "lever.urdf", "--trajectory", "t.csv", "--at-joints", "turn=1"]);
        assert!(line.contains("cannot be used with") && line.contains("--at-joints <VALUES>"), "{line}");
    }
    let (code, _, told) =
        run_in(&folder.path(""), &["check", "cube.obj", "cube.obj", "--configurations", "q.csv"]);
    assert_eq!((code, told.lines().count()), (2, 1));
    assert!(told.contains("the scene has no robot, and so no joints"), "{told}");
}

#[test]
fn times_are_rows_too() {
    let folder = lever();
    folder.put("go.csv", "t_s,turn\n0,0\n2,2\n");
    let check =
        ["check", "lever.urdf", "--trajectory", "go.csv", "--tolerance", "1e-6", "--fail-on", "never"];
    let (code, lines, told) = run_in(&folder.path(""), &[&check[..], &["--at", "0:2:0.1"]].concat());
    assert_eq!((code, lines.lines().count()), (0, 21), "{told}");
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let at = line["at"].to_string();
        let (_, report, _) = run_in(&folder.path(""), &[&check[..], &["--at", &at, "--json"]].concat());
        let report: Value = serde_json::from_str(&report).unwrap();
        let pairs = |of: &Value| -> Vec<[Value; 4]> {
            let all = of["pairs"].as_array().unwrap().iter();
            all.map(|pair| ["ids", "verdict", "distance", "depth"].map(|key| pair[key].clone())).collect()
        };
        assert_eq!(pairs(&line), pairs(&report), "{at}");
    }
    for (at, why) in [
        ("0:1", "times are FROM:TO:STEP"),
        ("1:0:1", "the times from 1 to 0 by steps of 1 do not ascend"),
        ("0:1:0", "the times from 0 to 1 by steps of 0 do not ascend"),
        ("0:1:1e-300", "1e300 rows are too many: 1000000000 are the most"),
    ] {
        let (code, _, told) = run_in(&folder.path(""), &[&check[..], &["--at", at]].concat());
        assert_eq!((code, told.lines().count()), (2, 1));
        assert!(told.starts_with(&format!("error: lever.urdf: --at {at}: {why}")), "{told}");
    }
}

#[test]
fn a_joint_is_swept_in_degrees_and_says_where_it_is_clear() {
    let folder = lever();
    let sweep = [
        "sweep",
        "lever.urdf",
        "--joint",
        "turn=limits",
        "--intervals",
        "--precision",
        "1e-5",
        "--fail-on",
        "never",
    ];
    let (code, table, told) = run_in(&folder.path(""), &sweep);
    assert_eq!(code, 0, "{told}");
    assert!(table.contains("; turn -180 to 180 deg; clearance"), "{table}");
    let clear = table.lines().find_map(|line| line.strip_prefix("all 3 checked pairs: ")).unwrap();
    let numbers: Vec<f64> =
        clear.split(' ').filter_map(|word| word.trim_end_matches(',').parse().ok()).collect();
    let expected = [-180.0, 30.0, 60.0, 180.0];
    assert_eq!(numbers.len(), 4, "{clear}");
    assert!(numbers.iter().zip(expected).all(|(found, known)| (found - known).abs() < 0.02), "{clear}");

    // The same pairs as those of a trajectory whose time is the value of the joint.
    let report = |more: &[&str]| {
        let (_, report, told) = run_in(
            &folder.path(""),
            &[&["sweep", "lever.urdf", "--precision", "1e-5", "--json"], more].concat(),
        );
        serde_json::from_str::<Value>(&report).unwrap_or_else(|_| panic!("{told}"))
    };
    folder.put("go.csv", "t_s,turn\n-1.5,-1.5\n2.25,2.25\n");
    let joint = report(&["--joint", "turn=-1.5:2.25"]);
    assert_eq!(joint["pairs"], report(&["--trajectory", "go.csv"])["pairs"]);
    assert_eq!(
        joint["settings"]["joint"],
        serde_json::json!({"name": "turn", "kind": "turning", "others": {"free": 0}})
    );
    let text =
        report(&["--joint", "turn=-1.5:2.25", "--at-joints", "free=0.5"])["settings"]["joint"]["others"]
            .to_string();
    assert_eq!(text, r#"{"free":0.5}"#);
}

#[test]
fn joints_stand_where_a_file_puts_them() {
    let folder = lever();
    let sweep = ["sweep", "lever.urdf", "--joint", "turn=0:2", "--json", "--fail-on", "never"];
    let swept = |values: &str| run_in(&folder.path(""), &[&sweep[..], &["--at-joints", values]].concat());
    folder.put("at.csv", "id,free\nlow,-0.25\n");
    let (code, report, told) = swept("at.csv");
    assert_eq!(code, 0, "{told}");
    assert_eq!(report, swept("free=-0.25").1);
    let refused =
        "error: lever.urdf: --at-joints turn=9: 'turn' is the joint that is swept: leave out its value\n";
    assert_eq!(swept("turn=9"), (2, String::new(), refused.to_owned()));
    // A row of all joints may have it, and of several sweeps each has a value for the others.
    folder.put("all.csv", "turn,free\n9,-0.25\n");
    assert_eq!(swept("all.csv").1, report);
    let both = ["--joint", "free=0:1", "--at-joints", "turn=1,free=0.5"];
    assert_eq!(run_in(&folder.path(""), &[&sweep[..], &both].concat()).0, 0);
    // Rows stand where it puts the joints without a column.
    folder.put("q.csv", "turn\n0.8\n");
    let check =
        ["check", "lever.urdf", "--configurations", "q.csv", "--clearance", "3", "--fail-on", "never"];
    let row = |more: &[&str]| run_in(&folder.path(""), &[&check[..], more].concat()).1;
    assert_eq!(row(&["--at-joints", "at.csv"]), row(&["--at-joints", "free=-0.25"]));
    assert_ne!(row(&["--at-joints", "at.csv"]), row(&[]));
    for (file, why) in [
        ("free\nx\n", "the row: free: 'x' is not a number"),
        ("free\n0,1\n", "the row: 2 values for 1 columns"),
        ("fee\n0\n", "the header: 'fee' is not the name of a joint: did you mean 'free'?"),
        ("free\n", "no row follows the header, instead of one"),
        ("free\n0\n1\n", "more than one row follows the header, instead of one"),
    ] {
        folder.put("at.csv", file);
        assert_eq!(swept("at.csv"), (2, String::new(), format!("error: at.csv: {why}\n")));
    }
}

#[test]
fn several_joints_have_a_folder_each() {
    let folder = lever();
    let sweep = ["sweep", "lever.urdf", "--intervals", "--out", "out", "--joint", "turn=0:2", "--joint"];
    let (code, tables, told) = run_in(&folder.path(""), &[&sweep[..], &["free=0:1"]].concat());
    assert_eq!(code, 1, "{told}");
    assert!(tables.contains("; turn 0 to ") && tables.contains("; free 0 to "), "{tables}");
    let csv = fs::read_to_string(folder.path("out/turn/intervals.csv")).unwrap();
    let head = "key,a,b,of,enter_after,enter_before,leave_after,leave_before,pressed_at_least,pressed_at_most,pressed_at,depth_unknown\n";
    assert!(csv.starts_with(head), "{csv}");
    assert_eq!((csv.lines().count(), csv.contains(",contact,")), (2, true), "{csv}");
    let csv = fs::read_to_string(folder.path("out/free/intervals.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1);
    let (code, _, told) = run_in(&folder.path(""), &[&sweep[..], &["turn=0:1"]].concat());
    let why = "error: lever.urdf: --joint turn=0:1: --out has one folder for each joint, and this one comes twice\n";
    assert_eq!((code, &told[..]), (2, why));
}

#[test]
fn joints_that_cannot_be_swept_are_refused_in_one_line() {
    let folder = lever();
    for (joint, why) in [
        ("trun=limits", "'trun' is not the name of a joint: did you mean 'turn'?"),
        ("foot=limits", "the joint 'foot' is fixed"),
        ("copy=limits", "the joint 'copy' mimics 'turn'"),
        ("free=limits", "the joint 'free' has no limits: say free=A:B"),
        ("turn", "a sweep of a joint is NAME=limits or NAME=A:B"),
        ("turn=1", "'1' is neither 'limits' nor A:B"),
        ("turn=1:x", "'x' is not a number"),
        ("turn=1:0", "the range from 1 to 0 does not ascend"),
        ("turn=0:1e300", "keyframe 1: "),
    ] {
        let (code, table, told) =
            run_in(&folder.path(""), &["sweep", "lever.urdf", "--joint", joint, "--out", "out"]);
        assert_eq!((code, &table[..], told.lines().count()), (2, "", 1), "{told}");
        assert!(told.starts_with(&format!("error: lever.urdf: --joint {joint}: {why}")), "{told}");
        assert!(!folder.path("out").exists());
    }
}

#[test]
fn several_sweeps_are_not_shown_in_one_file() {
    let folder = lever();
    let sweep =
        ["sweep", "lever.urdf", "--joint", "turn=limits", "--joint", "free=0:1", "--html", "one.html"];
    let (code, table, told) = run_in(&folder.path(""), &sweep);
    assert_eq!((code, &table[..], told.lines().count()), (2, "", 1), "{told}");
    assert!(told.contains("several sweeps cannot be shown in one file"), "{told}");
    assert!(!folder.path("one.html").exists());
}

#[test]
fn a_table_without_a_row_is_refused() {
    let folder = lever();
    folder.put(
        "two.json",
        r#"{"parts": [{"name": "a", "mesh": "cube.obj"}, {"name": "b", "mesh": "cube.obj"}]}"#,
    );
    for (scene, flag, header) in [
        ("lever.urdf", "--configurations", "turn\n"),
        ("lever.urdf", "--configurations", "id,turn\n\n\n"),
        ("two.json", "--poses", "qx,qy,qz,qw,tx,ty,tz"),
    ] {
        folder.put("empty.csv", header);
        let out = folder.path("out");
        let arguments = ["check", scene, flag, "empty.csv", "--out", "out"];
        let (code, lines, told) = run_in(&folder.path(""), &arguments);
        assert_eq!((code, &lines[..]), (2, ""), "{header:?}: {told}");
        assert!(told.contains("nothing would be checked: empty.csv has no row"), "{told}");
        assert_eq!(told.matches('\n').count(), 1, "{told}");
        assert!(!out.exists(), "{header:?}");
        let accepted = run_in(&folder.path(""), &[&arguments[..4], &["--allow-empty"]].concat());
        assert_eq!((accepted.0, &accepted.1[..]), (0, ""), "{}", accepted.2);
    }
}

#[test]
fn times_by_steps_too_small_are_refused_with_their_number() {
    let folder = lever();
    let key = |time: f64| format!(r#"{{"time": {time}, "translation": [{time}, 0, 0]}}"#);
    let motion = format!(r#"{{"keyframes": [{}, {}]}}"#, key(0.0), key(1.0));
    let scene = format!(
        r#"{{"parts": [{{"name": "a", "mesh": "cube.obj"}}, {{"name": "b", "mesh": "cube.obj", "motion": {motion}}}]}}"#
    );
    folder.put("moves.json", scene);
    let (code, lines, told) = run_in(&folder.path(""), &["check", "moves.json", "--at", "0:1:1e-12"]);
    assert_eq!((code, &lines[..]), (2, ""), "{told}");
    assert!(
        told.contains("--at 0:1:1e-12: 1000000000001 rows are too many: 1000000000 are the most"),
        "{told}"
    );
}

/// Returns what is printed on stderr.
fn told(folder: &Folder, arguments: &[&str]) -> String {
    run_in(&folder.path(""), arguments).2
}

#[test]
fn values_of_joints_take_degrees_and_radians() {
    let folder = lever();
    let report = |arguments: &[&str]| {
        let (_, report, told) = run_in(&folder.path(""), arguments);
        serde_json::from_str::<Value>(&report).unwrap_or_else(|_| panic!("{told}"))
    };
    let sweep =
        |joint: &str| report(&["sweep", "lever.urdf", "--joint", joint, "--json"])["settings"].clone();
    let right_angle = std::f64::consts::FRAC_PI_2;
    assert_eq!(sweep("turn=-90deg:0.5 rad")["from"], -right_angle);
    assert_eq!(sweep("turn=-90deg:0.5 rad")["to"], 0.5);
    assert_eq!(sweep("turn=-90deg:90deg"), sweep(&format!("turn=-{right_angle}:{right_angle}rad")));
    let others =
        report(&["sweep", "lever.urdf", "--joint", "turn=0:1", "--at-joints", "free=90deg", "--json"]);
    assert_eq!(others["settings"]["joint"]["others"]["free"], right_angle);
    let refused = told(&folder, &["sweep", "lever.urdf", "--joint", "turn=0:xdeg"]);
    assert_eq!(refused, "error: lever.urdf: --joint turn=0:xdeg: 'x' is not a number\n");
    // Rows take them too.
    let rows = |cells: &str| {
        folder.put("q.csv", format!("id,turn\na,{cells}\nb,0\n"));
        run_in(
            &folder.path(""),
            &["check", "lever.urdf", "--configurations", "q.csv", "--depth", "none", "--rows", "all"],
        )
    };
    let radians = rows(&45f64.to_radians().to_string());
    assert_eq!(rows("45 deg").1, radians.1);
    assert_eq!(rows(&format!("{}rad", 45f64.to_radians())).1, radians.1);
    assert!(rows("xdeg").2.contains("turn: 'x' is not a number"), "{}", rows("xdeg").2);
}

#[test]
fn values_beyond_limits_are_noted() {
    let folder = lever();
    let note = "joint 'turn': -5156.62 to 0 deg is beyond its limits, -180 to 180 deg (a number without a unit is in radians)";
    let swept = told(&folder, &["sweep", "lever.urdf", "--joint", "turn=-90:0", "--precision", "0.1"]);
    assert!(swept.contains(&format!("note: {note}\n")), "{swept}");
    let swept = told(&folder, &["sweep", "lever.urdf", "--joint", "turn=-90deg:0"]);
    assert!(!swept.contains("beyond"), "{swept}");
    let boxed = told(&folder, &["joint-box", "lever.urdf", "--joint", "turn=0:4", "--configurations", "1"]);
    assert!(boxed.contains("note: joint 'turn': 0 to 229.183 deg is beyond its limits"), "{boxed}");
    folder.put("q.csv", "id,turn\na,0\nb,-99\nc,4\nd,-3\n");
    for threads in ["1", "3"] {
        let rows =
            ["check", "lever.urdf", "--configurations", "q.csv", "--fail-on", "never", "--threads", threads];
        let rows = told(&folder, &rows);
        assert!(rows.contains("note: 2 rows: joint 'turn': -5672.28 to 229.183 deg is beyond"), "{rows}");
    }
    // A joint without limits has none to go beyond.
    let pi = told(&folder, &["check", "lever.urdf", "--at-joints", "turn=3.1415927"]);
    assert!(pi.contains("joint 'turn': 180.000003 deg is beyond its limits, -180 to 180 deg"), "{pi}");
    let free = told(&folder, &["sweep", "lever.urdf", "--joint", "turn=0:1", "--at-joints", "free=99"]);
    assert!(!free.contains("beyond"), "{free}");
}

#[test]
fn a_trajectory_is_a_table_of_configurations() {
    let folder = lever();
    folder.put("go.csv", "t_s,turn\n0,0\n0.5,0.8\n");
    folder.put("q.csv", "id,turn\n0,0\n0.5,0.8\n");
    let rows = |file: &str| {
        let check = ["check", "lever.urdf", "--configurations", file, "--fail-on", "never"];
        let (code, lines, told) = run_in(&folder.path(""), &check);
        assert_eq!(code, 0, "{told}");
        lines
    };
    assert!(rows("go.csv").contains("\"id\":\"0.5\""), "{}", rows("go.csv"));
    assert_eq!(rows("go.csv"), rows("q.csv"));
}

/// A check at one configuration finds what a row of configurations finds, and has all outputs.
#[test]
fn one_configuration_has_every_output() {
    let folder = lever();
    folder.put("q.csv", "turn,free\n0.8,0.25\n");
    let check = ["check", "lever.urdf", "--clearance", "3", "--fail-on", "never"];
    let run = |more: &[&str]| {
        let (code, lines, told) = run_in(&folder.path(""), &[&check[..], more].concat());
        assert_eq!(code, 0, "{told}");
        lines
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let row = json(&run(&["--configurations", "q.csv"]));
    let at = ["--at-joints", "turn=0.8,free=0.25"];
    let report = json(&run(&[&at[..], &["--json"]].concat()));
    assert_eq!(report["settings"]["joints"], serde_json::json!({ "turn": 0.8, "free": 0.25 }));
    let verdicts = |pairs: &Value, distance: &str| -> Vec<(String, Value)> {
        let pairs = pairs.as_array().unwrap().iter();
        pairs.map(|pair| (pair["ids"].to_string(), pair[distance].clone())).collect()
    };
    let (found, expected) = (verdicts(&report["pairs"], "distance"), verdicts(&row["pairs"], "distance"));
    assert!(!found.is_empty());
    assert_eq!(found, expected);
    assert_ne!(report["pairs"], json(&run(&["--json"]))["pairs"]);

    let files = ["--out", "out", "--html", "r.html", "--picture", "p.png", "--bcf", "r.bcf"];
    let table = run(&[&at[..], &files].concat());
    assert!(table.contains("unit m, z up; at free=0.25, turn=0.8; clearance 3000 mm"), "{table}");
    for file in ["r.html", "p.png", "r.bcf"] {
        assert!(folder.path(file).exists(), "{file}");
    }
    // The finished run gives the same page and picture as the check.
    let (code, _, stderr) = run_in(&folder.path(""), &["report", "out", "--picture", "again.png"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(fs::read(folder.path("p.png")).unwrap(), fs::read(folder.path("again.png")).unwrap());
    let beyond = told(&folder, &["check", "lever.urdf", "--at-joints", "turn=200deg"]);
    assert!(beyond.contains("note: joint 'turn': 200 deg is beyond its limits, -180 to 180 deg"), "{beyond}");
}

/// Two links that no joint connects overlap, and the joint moves neither: the sweep does not say that all is
/// clear.
#[test]
fn pairs_that_do_not_move_are_not_called_clear() {
    let folder = Folder::new();
    folder.put("cube.obj", CUBE);
    let link = |name: &str, x: &str| {
        format!(
            "<link name=\"{name}\"><visual><origin xyz=\"{x} 0 0\"/><geometry><mesh filename=\"cube.obj\"/></geometry>\
             </visual></link>"
        )
    };
    let joint = |name: &str, kind: &str, ends: [&str; 2]| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{}\"/><child link=\"{}\"/><axis xyz=\"0 0 1\"/></joint>",
            ends[0], ends[1]
        )
    };
    let links = [link("base", "0"), link("plate", "5"), link("box", "0.5"), link("arm", "9")].concat();
    let joints = [
        joint("i", "fixed", ["base", "plate"]),
        joint("k", "fixed", ["plate", "box"]),
        joint("turn", "continuous", ["box", "arm"]),
    ];
    folder.put("r.urdf", format!("<robot name=\"r\">{links}{}</robot>", joints.concat()));
    let sweep = ["sweep", "r.urdf", "--joint", "turn=0:0.01", "--intervals"];
    let (code, table, told) = run_in(&folder.path(""), &sweep);
    assert_eq!(code, 0, "{told}");
    assert!(table.contains("\nall 2 checked pairs: always clear\n"), "{table}");
    let note =
        "note: 1 excluded pair (no relative motion) clashes, see 'closefit check': base/cube, box/cube\n";
    assert!(told.contains(note), "{told}");
}

#[test]
fn one_row_is_not_rows() {
    let folder = lever();
    folder.put("q.csv", "turn\n0\n");
    let told = told(&folder, &["check", "lever.urdf", "--configurations", "q.csv", "--fail-on", "never"]);
    assert!(told.starts_with("note: 1 row: "), "{told}");
}
