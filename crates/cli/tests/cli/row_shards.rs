//! Checks of many rows in shards, and stopped: the lines and the exit status are those of one run, and every
//! row that is missing is named.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use closefit_testing::rng::Rng;
use serde_json::{Value, json};

/// Two cubes, of which the second passes the first over time, and rows of each kind.
struct Rows {
    folder: Folder,
    arguments: Vec<&'static str>,
}

impl Rows {
    fn new(arguments: &[&'static str]) -> Self {
        let folder = Folder::new();
        folder.put("cube.obj", CUBE);
        let key = |time: u32, x: i32| json!({"time": time, "translation": [x, 0, 0]});
        let parts = json!([
            {"name": "a", "mesh": "cube.obj"},
            {"name": "b", "mesh": "cube.obj", "motion": {"keyframes": [key(0, -5), key(10, 5)]}},
        ]);
        folder.put("scene.json", json!({"unit": "mm", "parts": parts}).to_string());
        let pose = |row: u32| format!("p{row},0,0,0,1,{},0,0\n", 0.02 * f64::from(row) - 3.0);
        let poses: String = (0..301).map(pose).collect();
        folder.put("poses.csv", format!("id,qx,qy,qz,qw,tx,ty,tz\n{poses}"));
        folder.put(
            "some.csv",
            "id,qx,qy,qz,qw,tx,ty,tz\nfar,0,0,0,1,9,0,0\nbad,0,0,0,0,0,0,0\n\"a\nb\",0,0,0,1,0,0,0\n",
        );
        for (name, x) in [("near", 1.5), ("far", 30.0), ("deep", 0.5)] {
            let part = |x: f64| json!({"name": "a", "mesh": "cube.obj", "pose": {"translation": [x, 0, 0]}});
            folder.put(
                format!("{name}.json"),
                json!({"unit": "mm", "parts": [part(0.0), part(x)]}).to_string(),
            );
        }
        let row = |row: usize| {
            let name = ["near", "far", "deep", "none", "far"][row % 5];
            let out = if row < 4 { format!(", \"out\": \"out/{}\"", row % 3) } else { String::new() };
            format!("{{\"id\": {row}, \"scene\": [\"{name}.json\"]{out}}}\n\n")
        };
        folder.put("list.jsonl", (0..23).map(row).collect::<String>());
        Self { folder, arguments: arguments.to_vec() }
    }

    /// Runs of all kinds, with the number of rows of each.
    fn all() -> [(Self, u64); 4] {
        let poses = |file| ["check", "cube.obj", "cube.obj", "--unit", "mm", "--poses", file];
        [
            (Self::new(&poses("poses.csv")), 301),
            (Self::new(&poses("some.csv")), 3),
            (Self::new(&["check", "scene.json", "--at", "0:10:0.1", "--clearance", "1mm"]), 101),
            (Self::new(&["batch", "list.jsonl", "--clearance", "1mm"]), 23),
        ]
    }

    fn with(&self, more: &[&str]) -> Output {
        let all = [&self.arguments[..], more].concat();
        closefit(&all).current_dir(self.folder.path("")).output().unwrap()
    }

    fn shard(&self, shard: &str, out: &str, more: &[&str]) -> Output {
        self.with(&[&["--shard", shard, "--out", out], more].concat())
    }

    fn merge(&self, arguments: &[&str]) -> Output {
        closefit(&[&["merge"], arguments].concat()).current_dir(self.folder.path("")).output().unwrap()
    }

    /// Runs all shards in a random order.
    fn in_shards(&self, of: u32, out: &str) {
        let mut rng = Rng::new("order", of.into());
        let mut left: Vec<u32> = (1..=of).collect();
        while !left.is_empty() {
            let number = left.swap_remove(rng.index(left.len()));
            let means = [&[][..], &["--threads", "1"], &["--backend", "scalar", "--resume"]];
            let output = self.shard(&format!("{number}/{of}"), out, means[rng.index(3)]);
            let told = text(&output.stderr);
            assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), ""), "{told}");
            assert!(
                told.starts_with(&format!("shard {number}/{of}: ")) && told.ends_with(" rows are decided\n")
            );
        }
    }
}

/// Returns the only line of stderr of a run that was refused.
fn refused(output: &Output) -> &str {
    let line = text(&output.stderr);
    assert_eq!((output.status.code(), line.matches('\n').count()), (Some(2), 1), "{line}");
    line.trim_end()
}

#[test]
fn lines_of_shards_are_those_of_one_run() {
    for (one, rows) in Rows::all() {
        let whole = one.with(&[]);
        assert_eq!(text(&whole.stdout).lines().count() as u64, rows, "{}", text(&whole.stderr));
        for of in [1, 3, 40] {
            let out = format!("run{of}");
            one.in_shards(of, &out);
            let merged = one.merge(&[&out]);
            assert_eq!(merged.status.code(), whole.status.code(), "{}", text(&merged.stderr));
            assert!(merged.stdout == whole.stdout, "{of} shards of {:?}", one.arguments);
            match whole.status.code() {
                Some(2) => assert_eq!(text(&merged.stderr), text(&whole.stderr)),
                _ => {
                    // A merge does not read the scene, so it has no notes on it.
                    let counted = text(&whole.stderr).lines().find(|line| line.contains(" rows: ")).unwrap();
                    assert_eq!(text(&merged.stderr).trim_end(), counted.split(';').next().unwrap());
                }
            }
            one.merge(&[&out, "--out", "merged"]);
            assert!(fs::read(one.folder.path("merged/rows.jsonl")).unwrap() == whole.stdout);
            assert_eq!(fs::read_dir(one.folder.path("merged")).unwrap().count(), 1);
        }
        // Half from here, and half from there.
        one.shard("2/2", "half", &[]);
        one.merge(&["half", "--partial"]);
        assert!(one.merge(&["half", "run3"]).stdout == whole.stdout);
    }
}

#[test]
fn missing_rows_are_named() {
    let (one, _) = &Rows::all()[2];
    let whole = one.with(&[]);
    let lines: Vec<&str> = text(&whole.stdout).lines().collect();
    for number in [1, 3] {
        one.shard(&format!("{number}/3"), "run", &[]);
    }
    let line = refused(&one.merge(&["run", "--out", "merged"])).to_owned();
    assert_eq!(line, "error: missing 1 of 3 shards: 2 (run/missing.txt has them)");
    assert!(!one.folder.path("merged").exists());
    let partial = one.merge(&["run", "--partial"]);
    assert_eq!(partial.status.code(), Some(1));
    let found: Vec<&str> = text(&partial.stdout).lines().collect();
    assert_eq!(found.len(), lines.len());
    let missing: Vec<usize> = (0..found.len()).filter(|&row| found[row] != lines[row]).collect();
    for &row in &missing {
        assert_eq!(found[row], format!("{{\"row\":{row},\"error\":\"shard missing\"}}"));
    }
    assert!((30..38).contains(&missing.len()), "{missing:?}");
    let last = text(&partial.stderr).lines().last().unwrap();
    assert_eq!(
        last,
        format!(
            "note: {} rows are missing: 5-8, 17-21, 30-33, 43-46, 55-58, 68-71, 80-84, 93-96: merge again once \
             shard 2 is there",
            missing.len()
        )
    );
    for (flag, why) in [
        ("--json", "--json: each row has a line of JSON anyway"),
        ("--fail-on=clash", "--fail-on: that of rows is what the shards were told"),
    ] {
        assert_eq!(refused(&one.merge(&["run", "--partial", flag])), format!("error: {why}"));
    }
    one.shard("2/3", "run", &[]);
    let merged = one.merge(&["run"]);
    assert!(merged.stdout == whole.stdout && !one.folder.path("run/missing.txt").exists());
}

#[test]
fn rows_of_another_run_are_refused() {
    for (index, change, told) in [
        (0, &["--clearance", "2mm"][..], "clearance was 0 mm, is 2 mm"),
        (0, &["--first"], "rows end at was their last pair, is their first clash"),
        (2, &["--fail-on", "never"], "fail on was undecided, is never"),
        (3, &["--depth", "none"], "depth was Full, is None"),
    ] {
        let (one, _) = &Rows::all()[index];
        one.shard("1/2", "run", &[]);
        let line = refused(&one.shard("2/2", "run", change)).to_owned();
        assert_eq!(line, format!("error: run/plan.json: it is of another run: {told}"));
    }
    let (one, _) = &Rows::all()[0];
    one.shard("1/2", "run", &[]);
    let rows = fs::read_to_string(one.folder.path("poses.csv")).unwrap();
    one.folder.put("poses.csv", rows.replace("p7,", "q7,"));
    let line = refused(&one.shard("2/2", "run", &[])).to_owned();
    assert!(line.starts_with("error: run/plan.json: it is of another run: values of rows was "), "{line}");
    assert!(refused(&one.with(&["--shard", "1/2"])).contains("--out"));
    assert!(refused(&one.shard("1/2", "run", &["--budget", "1s"])).contains("--budget"));
}

/// Rows of a pipe are read once, so that no shard knows their number.
#[cfg(unix)]
#[test]
fn rows_of_a_pipe_have_no_shards() {
    let (one, _) = &Rows::all()[0];
    let piped = |more: &[&str]| {
        let check =
            ["check", "cube.obj", "cube.obj", "--unit", "mm", "--poses", "/dev/stdin", "--out", "run"];
        let mut child = Command::new(program_path())
            .args([&check[..], more].concat())
            .current_dir(one.folder.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let rows = fs::read(one.folder.path("poses.csv")).unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), &rows).unwrap();
        child.wait_with_output().unwrap()
    };
    for more in [&["--shard", "1/2"][..], &["--resume"], &["--restart"]] {
        let line = refused(&piped(more)).to_owned();
        assert_eq!(line, "error: run: rows come through a pipe, which cannot be read again");
    }
    assert_eq!(piped(&[]).status.code(), one.with(&[]).status.code());
    assert!(fs::read(one.folder.path("run/rows.jsonl")).unwrap() == one.with(&[]).stdout);
}

/// Rows, stopped and killed at random moments, whole and in shards.
#[test]
fn rows_survive_kills_at_any_moment() {
    let one =
        Rows::new(&["check", "cube.obj", "cube.obj", "--unit", "mm", "--poses", "poses.csv", "--quiet"]);
    let pose = |row: u32| format!("0,0,0,1,{},0,0\n", 1e-4 * f64::from(row) - 3.0);
    let poses: String = (0..40_000).map(pose).collect();
    one.folder.put("poses.csv", format!("qx,qy,qz,qw,tx,ty,tz\n{poses}"));
    let started = Instant::now();
    let whole = one.with(&[]).stdout;
    let time = started.elapsed();
    let mut rng = Rng::new("kills", 5);
    for (more, names) in [
        (&["--out", "out"][..], &["out/rows.cfr"][..]),
        (&["--out", "run", "--shard", "1/2"], &["run/shard-1-of-2.cfr", "run/plan.json"]),
        (&["--out", "run", "--shard", "2/2"], &["run/shard-2-of-2.cfr"]),
    ] {
        let arguments = [&one.arguments[..], more, &["--resume"]].concat();
        // A run that ended before it was killed begins again: how fast a machine is decides nothing.
        let mut kills = 0;
        while kills < closefit_testing::slow_cases(1, 3) {
            for name in names {
                let _ = fs::remove_file(one.folder.path(name));
            }
            kills += kills_until_complete(&one, &arguments, names, time * rng.int(0, 1000) as u32 / 1000);
        }
    }
    assert!(fs::read(one.folder.path("out/rows.jsonl")).unwrap() == whole);
    assert!(!one.folder.path("out/rows.cfr").exists());
    assert!(one.merge(&["run", "--quiet"]).stdout == whole);
}

/// Runs the program until it ends by itself, and returns how often it was killed. Each time it is given
/// longer before that.
fn kills_until_complete(one: &Rows, arguments: &[&str], names: &[&str], mut wait: Duration) -> usize {
    for kills in 0.. {
        let_children_be_interrupted();
        let mut child = Command::new(program_path())
            .args(arguments)
            .current_dir(one.folder.path(""))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(wait);
        let signal = ["-KILL", "-TERM"][kills % 2];
        if child.try_wait().unwrap().is_none() {
            let _ = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0 | 1) => return kills,
            None => {}
            Some(143) => {
                let told = text(&output.stderr);
                assert!(told == "interrupted\n" || told.starts_with("stopped after "), "{told}");
                let exist = || names.iter().all(|name| one.folder.path(name).exists());
                assert!(told == "interrupted\n" || told.contains(" rows") && exist(), "{told}");
            }
            code => panic!("{code:?}: {}", text(&output.stderr)),
        }
        wait = wait.mul_f64(1.3) + Duration::from_millis(1);
    }
    unreachable!("it ends")
}

/// Lists in shards write the files of their scenes where one run does, each once.
#[test]
fn each_scene_of_a_list_writes_its_own_files() {
    let (one, _) = &Rows::all()[3];
    one.in_shards(3, "run");
    let lines: Vec<Value> = text(&one.merge(&["run", "--out", "merged", "--quiet"]).stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines, Vec::<Value>::new());
    let lines = fs::read_to_string(one.folder.path("merged/rows.jsonl")).unwrap();
    let third: Value = serde_json::from_str(lines.lines().nth(3).unwrap()).unwrap();
    assert_eq!(third, json!({"row": 3, "id": 3, "error": "out: row 0 has the same"}));
    for row in 0..3 {
        assert!(one.folder.path(format!("out/{row}/report.json")).exists());
    }
}
