//! Lists of scenes: what each row gets, what the run writes, and what is refused.

use std::fs;
use std::process::Command;

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use serde_json::{Value, json};

/// A folder with cubes: side by side, and into each other.
fn cubes() -> Folder {
    let folder = Folder::new();
    folder.put("in/cube.obj", CUBE);
    let scene = |name: &str, x: f64| {
        let parts = json!([
            {"name": "a", "mesh": "cube.obj"},
            {"name": "b", "mesh": "cube.obj", "pose": {"translation": [x, 0, 0]}},
        ]);
        folder.put(format!("in/{name}.json"), json!({"unit": "mm", "parts": parts}).to_string());
    };
    scene("near", 1.5);
    scene("far", 30.0);
    scene("deep", 0.5);
    folder.put(
        "in/loose.toml",
        "closefit-rules = 1\n[[rule]]\nid = \"all\"\na = { name = \"*\" }\nb = { name = \"*\" }\nfail = \"never\"\n",
    );
    folder
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_scene_gets_a_line_with_the_findings_of_its_check() {
    let folder = cubes();
    let rows = [
        r#"{"id": "n", "scene": ["near.json"], "out": "../out/near"}"#,
        r#"{"id": 7, "scene": ["far.json"]}"#,
        "",
        r#"{"scene": ["deep.json"]}"#,
        r#"{"id": "loose", "scene": ["deep.json"], "rules": "loose.toml"}"#,
        r#"{"id": "both", "scene": ["deep.json", "near.json"]}"#,
    ];
    folder.put("in/list.jsonl", rows.join("\n"));
    let batch = ["batch", "in/list.jsonl", "--clearance", "1mm"];
    let (code, text, told) = run_in(&folder.path(""), &batch);
    assert_eq!(code, 1, "{told}");
    let found = lines(&text);
    let short: Vec<[Value; 4]> =
        found.iter().map(|row| ["row", "id", "verdict", "fails"].map(|key| row[key].clone())).collect();
    let expected = json!([
        [0, "n", "clearance", false],
        [1, 7, "clear", false],
        [2, null, "clash", true],
        [3, "loose", "clash", false],
        [4, "both", "clash", true],
    ]);
    assert_eq!(json!(short), expected);
    assert!(told.starts_with("note: 5 rows: 3 clash, 1 clearance, 1 clear; "), "{told}");
    assert_eq!(told.lines().count(), 1);
    // The numbers and files are those of a check of each scene.
    for (row, arguments) in [
        (0, &["in/near.json"][..]),
        (1, &["in/far.json"]),
        (3, &["in/deep.json", "--rules", "in/loose.toml"]),
        (4, &["in/deep.json", "in/near.json"]),
    ] {
        let check = ["check", "--clearance", "1mm", "--json"];
        let (_, document, notes) = run_in(&folder.path(""), &[&check[..], arguments].concat());
        let report: Value = serde_json::from_str(&document).unwrap();
        let pairs = report["pairs"].as_array().unwrap();
        for (verdict, count) in found[row]["by_verdict"].as_object().unwrap() {
            let listed = pairs.iter().filter(|pair| pair["verdict"] == verdict[..]).count();
            assert_eq!(count, listed, "{row} {verdict}");
        }
        let nearest = pairs.iter().filter_map(|pair| pair["distance"].as_f64()).reduce(f64::min);
        assert_eq!(found[row]["distance"].as_f64(), nearest);
        assert_eq!(found[row]["tolerance"], report["settings"]["tolerance"]);
        let said: Vec<String> = found[row]["notes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|note| format!("note: {}\n", note.as_str().unwrap()))
            .collect();
        assert_eq!(said.concat(), notes);
        if row == 0 {
            assert_eq!(fs::read_to_string(folder.path("out/near/report.json")).unwrap(), document);
        }
    }
    let mut written: Vec<_> =
        fs::read_dir(folder.path("out/near")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    written.sort();
    assert_eq!(written, ["issues.csv", "pairs.csv", "report.json", "run.json"]);
    // What a row has written can be shown later.
    let (code, _, told) = run_in(&folder.path(""), &["report", "out/near", "--glb", "near.glb"]);
    assert_eq!((code, folder.path("near.glb").exists()), (0, true), "{told}");
    // The same lines in a file, whatever the number of threads.
    for threads in ["1", "3"] {
        let more = ["--out", "out/all", "--threads", threads, "--fail-on", "never", "--quiet"];
        let (code, nothing, told) = run_in(&folder.path(""), &[&batch[..], &more].concat());
        assert_eq!((code, &nothing[..], &told[..]), (0, "", ""));
        let again = lines(&fs::read_to_string(folder.path("out/all/rows.jsonl")).unwrap());
        assert!(again.iter().all(|row| row["fails"] == false));
        assert!(again.iter().zip(&found).all(|(again, found)| again["by_verdict"] == found["by_verdict"]));
    }
}

#[test]
fn a_folder_spelled_in_another_way_is_the_same() {
    let folder = cubes();
    let row = |out: &str| format!("{{\"scene\": [\"near.json\"], \"out\": \"{out}\"}}\n");
    folder.put("in/list.jsonl", row("own") + &row("../in/own/"));
    let (code, text, _) = run_in(&folder.path("in"), &["batch", "list.jsonl"]);
    let found = lines(&text);
    assert_eq!((code, &found[1]["error"]), (2, &json!("out: row 0 has the same")), "{text}");
}

#[test]
fn wrong_rows_say_why_and_the_others_are_asked() {
    let folder = cubes();
    folder.put("in/one.json", r#"{"parts": [{"name": "a", "mesh": "cube.obj"}]}"#);
    let long = format!("{{\"id\": \"{}\"}}", "x".repeat(1 << 20));
    let rows = [
        r#"{"id": 1, "scene": ["near.json"], "out": "../out"}"#,
        r#"{"id": 2, "scene": ["near.json"], "out": "./folder/../../out/"}"#,
        r#"{"id": 3, "scene": "#,
        r#"{"id": 4, "scenes": ["near.json"]}"#,
        r#"{"id": 5, "scene": ["nowhere.json"]}"#,
        r#"{"id": 6, "scene": []}"#,
        r#"{"id": 7, "scene": ["near.json"], "rules": "near.json"}"#,
        r#"{"id": [8], "scene": ["near.json"]}"#,
        r#"{"id": 9, "scene": ["one.json"]}"#,
        &long,
        r#"{"id": 11, "scene": ["near.json"], "out": "cube.obj"}"#,
        "\"near.json\"",
        r#"{"id": 13, "id": 14, "scene": ["near.json"]}"#,
        r#"{"id": 15, "scene": ["far.json"]}"#,
    ];
    // Some editors begin a text with a mark.
    folder.put("in/list.jsonl", format!("\u{feff}{}\r\n", rows.join("\r\n")));
    let (code, text, told) = run_in(&folder.path(""), &["batch", "in/list.jsonl", "--out", "lines"]);
    assert_eq!((code, &text[..]), (2, ""));
    let first = "the first row 1: out: row 0 has the same";
    assert_eq!(told, format!("error: in/list.jsonl: 12 of 14 rows are wrong, {first}\n"));
    let found = lines(&fs::read_to_string(folder.path("lines/rows.jsonl")).unwrap());
    assert_eq!(found.len(), rows.len());
    assert_eq!((&found[0]["verdict"], &found[13]["verdict"]), (&json!("clear"), &json!("clear")));
    for (row, (id, why)) in (1..).zip([
        (json!(2), "out: row 0 has the same"),
        (Value::Null, "column 18: EOF while parsing a value"),
        (json!(4), "column 18: unknown field `scenes`, expected one of `id`, `scene`, `rules`, `out`"),
        (json!(5), "in/nowhere.json: "),
        (json!(6), "scene: it names no file"),
        (json!(7), "in/near.json:"),
        (Value::Null, "id: [8] is neither a text nor a number"),
        (json!(9), "in/one.json: nothing would be checked: the scene has one part"),
        (Value::Null, "the line has more than 1048576 bytes"),
        (json!(11), "in/cube.obj: it is a file, and the output needs a directory"),
        (Value::Null, "column 11: invalid type: string \"near.json\", expected an object"),
        (json!(14), "column 15: duplicate field `id`"),
    ]) {
        let (found, row): (&Value, usize) = (&found[row], row);
        assert_eq!((&found["row"], &found["id"]), (&json!(row), &id), "{found}");
        let error = found["error"].as_str().unwrap();
        assert!(error.starts_with(why) && !error.contains('\n'), "{error}");
    }
}

/// The files of a row replace neither its scene, nor its rules, nor the list.
#[test]
fn a_row_replaces_no_file_that_it_reads() {
    for (taken, list, row) in [
        ("report.json", "list", r#"{"scene": ["report.json"], "out": "."}"#),
        ("issues.csv", "list", r#"{"scene": ["near.json"], "rules": "issues.csv", "out": "../in"}"#),
        ("run.json", "run.json", r#"{"scene": ["near.json"], "out": "../in/."}"#),
    ] {
        let folder = cubes();
        fs::copy(folder.path("in/near.json"), folder.path("in/report.json")).unwrap();
        fs::copy(folder.path("in/loose.toml"), folder.path("in/issues.csv")).unwrap();
        folder.put(format!("in/{list}"), row);
        let before = fs::read(folder.path("in").join(taken)).unwrap();
        let (code, text, told) = run_in(&folder.path("in"), &["batch", list]);
        let error = lines(&text)[0]["error"].as_str().unwrap().to_owned();
        let why = format!("{taken}: the run reads this file: choose another");
        assert!(code == 2 && error.contains("out ") && error.ends_with(&why), "{told} {error}");
        assert!(before == fs::read(folder.path("in").join(taken)).unwrap(), "{taken}");
    }
}

#[test]
fn ids_keep_every_digit() {
    let folder = cubes();
    let ids =
        ["18446744073709551617", "-123456789012345678901234567890", "0.1000000000000000000001", "1e400"];
    let rows = ids.map(|id| format!("{{\"id\": {id}, \"scene\": [\"near.json\"]}}"));
    let wrong = "{\"id\": 18446744073709551617, \"scenes\": []}".to_owned();
    let text = r#"{"id": "\u0041\n", "scene": ["near.json"]}"#.to_owned();
    folder.put("in/list.jsonl", [&rows[..], &[text, wrong]].concat().join("\n"));
    let (code, _, told) = run_in(&folder.path(""), &["batch", "in/list.jsonl", "--out", "out"]);
    assert_eq!(code, 2, "{told}");
    let found = fs::read_to_string(folder.path("out/rows.jsonl")).unwrap();
    let own = ["\"A\\n\"", ids[0]];
    for (line, id) in found.lines().zip(ids.iter().chain(&own)) {
        assert!(line.contains(&format!("\"id\":{id},")), "{id}: {line}");
    }
    assert_eq!(found.lines().count(), 6);
}

#[test]
fn lists_that_cannot_be_asked_end_with_one_line_and_no_files() {
    let folder = cubes();
    folder.put("empty.jsonl", "\n  \n");
    folder.put("list.jsonl", r#"{"scene": ["in/near.json"]}"#);
    for (arguments, why) in [
        (&["nowhere.jsonl"][..], "nowhere.jsonl: cannot be read: "),
        (
            &["empty.jsonl"],
            "empty.jsonl: nothing would be checked: it has no row (--allow-empty accepts that)",
        ),
        (&["list.jsonl", "--fail-on", "new"], "--fail-on new and worse need a report to compare with"),
        (&["list.jsonl", "--clearance", "wide"], "list.jsonl: --clearance: 'wide'"),
        (&["list.jsonl", "--rules", "list.jsonl"], "list.jsonl:1:1: "),
        (&["list.jsonl", "--way-out", "--depth", "none"], "list.jsonl: --way-out: it needs depths"),
        (&["list.jsonl", "--json"], "unexpected argument '--json' found"),
        (&[], "the following required arguments were not provided: <LIST>"),
    ] {
        let (code, text, told) =
            run_in(&folder.path(""), &[&["batch"], arguments, &["--out", "out"]].concat());
        assert_eq!((code, &text[..], told.lines().count()), (2, "", 1), "{told}");
        assert!(told.starts_with(&format!("error: {why}")), "{told}");
        assert!(!folder.path("out").exists(), "{told}");
    }
    let (code, text, _) = run_in(&folder.path(""), &["batch", "empty.jsonl", "--allow-empty"]);
    assert_eq!((code, &text[..]), (0, ""));
}

#[test]
fn rows_that_cannot_be_asked_at_all_leave_no_file() {
    let folder = cubes();
    folder.put("poses.csv", "qx,qy,qz,qw,tx,ty,tz\n0,0,0,1,0,0,0\n");
    folder.put(
        "none.toml",
        "closefit-rules = 1\n[[exclude]]\na = { name = \"*\" }\nb = { name = \"*\" }\nreason = \"all\"\n",
    );
    let check = ["check", "in/near.json", "--poses", "poses.csv", "--rules", "none.toml", "--out", "out"];
    let (code, text, told) = run_in(&folder.path(""), &check);
    assert_eq!((code, &text[..], told.lines().count()), (2, "", 1), "{told}");
    assert!(told.contains("nothing would be checked"), "{told}");
    assert!(!folder.path("out").exists());
}

#[test]
fn a_full_disk_ends_the_run_and_is_no_answer() {
    let folder = cubes();
    folder.put("in/list.jsonl", "{\"scene\": [\"near.json\"], \"out\": \"../out\"}\n");
    let_children_be_interrupted();
    let shard = ["--out", "run", "--shard", "1/1", "--resume", "--quiet"];
    let batch = [&["batch", "in/list.jsonl", "--clearance", "1mm"], &shard[..]].concat();
    // The system refuses files beyond two blocks of 512 bytes, as on a full disk. Rows and plan are smaller.
    let output = Command::new("sh")
        .args(["-c", "ulimit -f 2; exec \"$0\" \"$@\"", shown(&program_path())])
        .args(&batch)
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let line = text(&output.stderr);
    assert_eq!((output.status.code(), line.matches('\n').count()), (Some(2), 1), "{line}");
    assert!(line.contains("report.json: cannot be written: File too large"), "{line}");
    assert!(!folder.path("out").exists());
    // With space the row is asked again.
    let (code, _, told) = run_in(&folder.path(""), &batch);
    assert_eq!((code, &told[..], folder.path("out/report.json").exists()), (0, "", true));
}
