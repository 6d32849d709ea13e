//! The command line as scripts see it: exit status, one line on stderr, nothing unrequested on stdout. Tests
//! that need a scene are in `scenes.rs`.

use std::fs;

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;

#[test]
fn help_and_version_are_no_errors() {
    for arguments in [
        &["--help"][..],
        &["check", "--help"],
        &["batch", "--help"],
        &["sweep", "--help"],
        &["inspect", "--help"],
        &["generate", "-h"],
    ] {
        let output = closefit(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty());
        assert!(String::from_utf8(output.stdout).unwrap().contains("Usage: closefit"));
    }
    let output = closefit(&["--version"]).output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("closefit {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn the_short_help_fits_a_screen_and_the_whole_one_has_all() {
    let help = |arguments: &[&str]| {
        let output = closefit(arguments).env("COLUMNS", "80").output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{arguments:?}");
        text(&output.stdout).to_owned()
    };
    for command in ["check", "sweep", "batch", "slack", "joint-box", "report", "inspect", "bench", "verify"] {
        let (short, whole) = (help(&[command, "-h"]), help(&[command, "--help"]));
        assert!(short.lines().count() <= 30, "{} lines: {short}", short.lines().count());
        assert!(short.lines().all(|line| line.chars().count() <= 80), "{short}");
        assert!(short.contains("Usage: closefit") && short.contains("Examples:"), "{short}");
        assert!(short.contains("--help explains all options") || short.contains("'--help' all"), "{short}");
        assert!(whole.lines().count() > short.lines().count(), "{whole}");
        let groups = whole.lines().filter(|line| line.ends_with("answers):")).collect::<Vec<_>>();
        let last = whole
            .lines()
            .rfind(|line| line.ends_with(':') && !line.starts_with(' ') && line.contains("Meth"));
        assert!(groups.is_empty() || groups == last.into_iter().collect::<Vec<_>>(), "{whole}");
    }
    assert!(help(&["-h"]).lines().count() <= 30);
    let whole = help(&["--help"]);
    let place = |command: &str| whole.find(&format!("\n  {command} ")).expect(command);
    assert!(
        ["inspect", "check", "sweep", "diff", "report"].map(place).is_sorted()
            || place("diff") > place("sweep")
    );
    assert!(place("check") < place("bench") && place("bench") < place("reproduce"));
}

#[test]
fn without_a_command_the_program_prints_its_short_help() {
    let output = closefit(&[]).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), "error: no command is given\n"));
    assert_eq!(text(&output.stdout), text(&run(&["-h"]).stdout));
}

#[test]
fn shells_and_manuals_get_every_command() {
    for (shell, word) in
        [("bash", "complete -F"), ("zsh", "#compdef closefit"), ("fish", "complete -c closefit")]
    {
        let script = text(&run(&["completions", shell]).stdout).to_owned();
        assert!(
            script.contains(word) && script.contains("joint-box") && script.contains("clearance"),
            "{shell}"
        );
    }
    assert!(refusal(&["completions", "tcsh"]).contains("'tcsh'"));
    let dir = tempfile::tempdir().unwrap();
    let output = run(&["man", shown(dir.path())]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), ""), "{}", text(&output.stderr));
    let page = fs::read_to_string(dir.path().join("closefit-check.1")).unwrap();
    assert!(
        page.starts_with(".ie") && page.contains(".TH closefit-check 1") && page.contains("clearance"),
        "{page}"
    );
    assert_eq!(fs::read(dir.path().join("closefit.1")).unwrap(), run(&["man"]).stdout);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 20);
}

#[test]
fn the_help_tells_the_statuses_of_its_command() {
    let help = |command: &str| text(&run(&[command, "--help"]).stdout).to_owned();
    let lines = |command| help(command).lines().filter(|line| line.contains("trees disagree")).count();
    assert_eq!([lines("check"), lines("sweep")], [1, 0]);
}

#[test]
fn the_help_of_a_command_names_only_its_own_flags() {
    let help = |command: &str| text(&run(&[command, "--help"]).stdout).to_owned();
    for command in ["sweep", "batch", "merge"] {
        let help = help(command);
        assert!(!help.contains("--baseline") && !help.contains("never, new"), "{help}");
    }
    let check = help("check");
    assert!(check.contains("with --baseline, new: if any pair is new"), "{check}");
}

#[test]
fn threads_of_the_environment_have_the_same_limit() {
    for command in ["check", "sweep", "inspect"] {
        for (said, status) in [("99999", true), ("1025", true), ("2", false), ("0", false), ("many", false)] {
            let output =
                closefit(&[command, "no-such-file.stl"]).env("RAYON_NUM_THREADS", said).output().unwrap();
            let told = text(&output.stderr);
            let line = format!(
                "error: invalid value '{said}' for RAYON_NUM_THREADS: a number of threads is from 1 to 1024\n"
            );
            assert_eq!((output.status.code(), told == line), (Some(2), status), "{told}");
        }
    }
}

#[test]
fn wrong_usage_is_one_line_that_names_the_culprit() {
    for (arguments, culprit) in [
        (&["chek", "a.stl"][..], "'chek'"),
        (&["check"], "<SCENE>"),
        (&["inspect"], "<SCENE>"),
        (&["sweep"], "<SCENE>"),
        (&["sweep", "a.glb", "--from", "soon"], "'soon'"),
        (&["sweep", "a.glb", "--to", "inf"], "'inf'"),
        (&["sweep", "a.glb", "--precision", "-1"], "'-1'"),
        (&["sweep", "a.glb", "--contacts"], "'--contacts'"),
        (&["sweep", "a.glb", "--method", "guess"], "swept, interval, redon"),
        (&["sweep", "a.glb", "--method", "redon,k=0"], "use a number above 0, at most 1"),
        (&["generate"], "NAME"),
        (&["generate", "gearbox", "--list"], "--list"),
        (&["check", "a.stl", "--clearnce", "1"], "'--clearance'"),
        (&["check", "a.stl", "--clearance"], "--clearance"),
        (&["check", "a.stl", "--clearance", "-1"], "'-1'"),
        (&["check", "a.stl", "--clearance", "-1mm"], "'-1mm'"),
        (&["check", "a.stl", "--clearance", "nan"], "'nan'"),
        (&["check", "a.stl", "--clearance", "inf"], "'inf'"),
        (&["check", "a.stl", "--tolerance", "thin"], "'thin'"),
        (&["check", "a.stl", "--clearance", "5parsec"], "'5parsec'"),
        (&["check", "a.stl", "--clearance", "1", "--clearance", "2"], "--clearance"),
        (&["check", "a.stl", "--unit", "yard"], "'yard'"),
        (&["check", "a.stl", "--threads", "0"], "'0'"),
        (
            &["check", "a.stl", "--threads", "-1"],
            "'-1' for '--threads <N>': a number of threads is from 1 to 1024",
        ),
        (&["check", "a.stl", "--threads", "1025"], "from 1 to 1024"),
        (&["inspect", "a.stl", "--memory", "-1"], "'-1' for '--memory <LIMIT>': a size is like 2GB"),
        (&["check", "a.stl", "--precision", "0"], "found; a similar argument exists: '--origin'\n"),
        (&["check", "a.stl", "--threads", "two"], "'two'"),
        (&["check", "a.stl", "--fail-on", "sometimes"], "clash, undecided, contact, clearance, never"),
        (&["check", "a.stl", "--adapter", "0"], "needs --backend gpu"),
        (&["sweep", "a.glb", "--adapter", "0"], "needs --backend gpu"),
        (&["check", "a.stl", "--backend", "Simd"], "unknown backend"),
        (&["check", "a.stl", "--backend", "abacus"], "'abacus'"),
        (
            &["check", "a.stl", "--tree", "oak"],
            "use obb, rapid, sphere, kdop6, kdop14, kdop18, kdop26, box, octree, octree-median or simple",
        ),
        (
            &["check", "a.stl", "--broad", "narrow"],
            "'narrow': use sweep-and-prune, grid, recursive-grid, lists or brute",
        ),
        (&["sweep", "a.glb", "--hull", "on"], "'on': use off, closest-features or contact-region"),
        (
            &["check", "a.stl", "--tree", "rapid", "--backend", "simd"],
            "tree rapid has no simd form: use scalar",
        ),
        (&["sweep", "a.glb", "--tree", "rapid", "--method", "interval"], "use swept"),
        (&["generate", "gearbox", "--seed", "-1"], "-1"),
        (&["generate", "gearbox", "--format", "step"], "glb, manifest"),
        (&["check", "two\nlines", "--no\nsuch"], "'--no"),
    ] {
        let line = refusal(arguments);
        assert!(line.contains(culprit), "{arguments:?}: {line}");
        assert!(!line.contains("Usage") && !line.contains("--help"), "{line}");
    }
}

#[test]
fn what_a_flag_says_names_the_scene() {
    for (command, flag, values) in [
        ("check", "--clearance", &["-1", "5parsec"][..]),
        ("check", "--tolerance", &["nan", ""]),
        ("check", "--at", &["soon", "nan", "1e300", "-1e300", ""]),
        ("sweep", "--clearance", &["1,5"]),
        ("sweep", "--tolerance", &["inf"]),
        ("sweep", "--precision", &["-1", "0", "0.0mm", "1e-400"]),
        ("sweep", "--from", &["-1e300", "-inf"]),
        ("sweep", "--to", &["1e300", "NaN", "inf"]),
    ] {
        for value in values {
            let line = refusal(&[command, "a.stl", flag, value]);
            assert!(line.starts_with(&format!("error: a.stl: {flag}: ")), "{line}");
            assert!(line.contains(&format!("'{value}'")), "{line}");
        }
    }
}

#[test]
fn files_of_another_kind_are_refused_in_plain_words() {
    let folder = Folder::new();
    let paths = ["x.json", "x.html", "lines"].map(|name| folder.path(name));
    let [file, page, lines] = paths.each_ref().map(|path| shown(path));
    let scene = "examples/gearbox.glb";
    for text in ["\"x\"", "7", "null", "[]"] {
        folder.put("x.json", text);
        for arguments in [
            &["check", scene, "--baseline", file][..],
            &["check", scene, "--groups", file],
            &["check", scene, "--html", page, "--review", file],
            &["diff", file, file],
            &["waive", "--all", "--report", file, "--rules", "rules.toml", "--reason", "r"],
            &["verify", file, scene, "--rules", "examples/gearbox.toml"],
            &["batch", file, "--out", lines],
        ] {
            let line = refusal(arguments);
            assert!(line.contains("x.json: ") && line.contains("expected an object"), "{text}: {line}");
        }
    }
}

#[test]
fn a_mark_at_the_beginning_of_a_file_is_passed_over() {
    let folder = Folder::new();
    let file = folder.path("x.json");
    let out = folder.path("x.html");
    for (flag, text) in
        [("--groups", "{\"mine\": []}"), ("--review", "{\"closefit-review\": 1, \"statuses\": {}}")]
    {
        folder.put("x.json", format!("\u{feff}{text}"));
        let check = ["check", "examples/gearbox.glb", "--quiet", "--html", shown(&out), flag, shown(&file)];
        assert_eq!(run(&check).status.code(), Some(1), "{flag}");
    }
}

#[test]
fn a_missing_scene_is_named() {
    for command in ["check", "sweep", "inspect"] {
        assert!(refusal(&[command, "no-such-file.stl", "--unit", "mm"]).contains("no-such-file.stl"));
        refusal(&[command, "no\nsuch\u{1b}[2Jfile.stl", "--quiet"]);
        refusal(&[command, "no-such-file.stl", "--json"]);
    }
}

#[test]
fn an_output_that_cannot_be_is_refused_before_anything_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let taken = dir.path().join("taken");
    fs::write(&taken, "mine").unwrap();
    for out in [taken.clone(), taken.join("below")] {
        let line = refusal(&["check", "no-such-file.stl", "--out", out.to_str().unwrap()]);
        assert!(line.contains("taken: it is a file"), "{line}");
    }
    assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
}

#[test]
fn a_failed_run_creates_no_directory() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a/b");
    refusal(&["check", "no-such-file.stl", "--unit", "mm", "--out", out.to_str().unwrap()]);
    refusal(&["generate", "no-such-scene", "--out", out.to_str().unwrap()]);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn an_output_never_replaces_a_file_of_the_same_run() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str| {
        fs::write(dir.path().join(name), name).unwrap();
        dir.path().join(name).to_str().unwrap().to_owned()
    };
    let (scene, rules, out) = (put("a.obj"), put("r.toml"), put("x.png"));
    let linked = dir.path().join("..").join(dir.path().file_name().unwrap()).join("a.obj");
    let report = dir.path().join("out/report.json");
    for (arguments, expected) in [
        (vec!["check", &scene, "--glb", &scene], "--glb"),
        (vec!["check", &scene, "--bcf", shown(&linked)], "--bcf"),
        (vec!["check", &scene, "--rules", &rules, "--junit", &rules], "--junit"),
        (vec!["check", &out, "--model", &format!("m={scene}"), "--heatmap", "a", &scene], "--heatmap"),
        (vec!["check", &scene, "--picture", &out, "--html", &out], "--html writes this file"),
        (vec!["diff", &scene, &rules, "--markdown", &rules], "--markdown"),
        (
            vec!["check", &scene, "--out", shown(&report.with_file_name("")), "--html", shown(&report)],
            "--out writes",
        ),
        (vec!["joint-box", &scene, "--write-srdf", &scene], "--write-srdf"),
    ] {
        let line = refusal(&arguments);
        assert!(line.contains(expected) && line.contains("choose another"), "{line}");
    }
    for name in ["a.obj", "r.toml", "x.png"] {
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), name);
    }
}

#[test]
fn another_kind_of_file_is_called_so() {
    let folder = Folder::new();
    folder.put("a.toml", "closefit-rules = 1\n");
    folder.put("b.json", "{\"closefit\": 2}");
    let refused = |arguments: &[&str]| run_in(&folder.path(""), arguments).2;
    let why = "a.toml: it is not JSON: expected value at line 1 column 1\n";
    assert_eq!(refused(&["diff", "a.toml", "a.toml"]), format!("error: {why}"));
    assert!(!refused(&["diff", "b.json", "b.json"]).contains("not JSON"));
    let none = "error: none/report.json: cannot be read: No such file or directory (os error 2)\n";
    assert_eq!(refused(&["report", "none", "--glb", "a.glb"]), none);
}

/// Meshes that a scene names are its files, too.
#[test]
fn an_output_never_replaces_a_mesh_of_its_scene() {
    let folder = Folder::new();
    folder.put("meshes/cube.obj", CUBE);
    let part = |name: &str| format!(r#"{{"name": "{name}", "mesh": "meshes/cube.obj"}}"#);
    folder.put("scene.json", format!(r#"{{"unit": "mm", "parts": [{}, {}]}}"#, part("a"), part("b")));
    let link =
        r#"<link name="a"><visual><geometry><mesh filename="meshes/cube.obj"/></geometry></visual></link>"#;
    folder.put("robot.urdf", format!(r#"<robot name="r">{link}</robot>"#));
    let (code, ..) = run_in(&folder.path(""), &["check", "scene.json", "--out", "out", "--quiet"]);
    assert_eq!(code, 1);
    let mesh = "meshes/../meshes/cube.obj";
    for (arguments, expected) in [
        (&["check", "scene.json", "--glb", mesh][..], "scene.json: --glb meshes/../meshes/cube.obj"),
        (&["check", "robot.urdf", "--allow-empty", "--html", mesh], "robot.urdf: --html"),
        (&["sweep", "scene.json", "--allow-empty", "--glb", mesh], "scene.json: --glb"),
        (&["joint-box", "robot.urdf", "--visual-geometry", "--write-srdf", mesh], "robot.urdf: --write-srdf"),
        (&["report", "out", "--glb", mesh], "scene.json: --glb"),
    ] {
        let (code, _, line) = run_in(&folder.path(""), arguments);
        assert_eq!((code, line.lines().count()), (2, 1), "{line}");
        let why = "the run reads this file: choose another\n";
        assert!(line.starts_with(&format!("error: {expected}")) && line.ends_with(why), "{line}");
    }
    assert_eq!(fs::read_to_string(folder.path("meshes/cube.obj")).unwrap(), CUBE);
}

/// Files that a run reads are not replaced by what it writes to a directory, and its journal by nothing.
#[test]
fn a_directory_of_outputs_never_replaces_an_input() {
    let folder = Folder::new();
    folder.put("a.obj", CUBE);
    folder.put("b.obj", CUBE);
    for (name, text) in [
        ("d/issues.csv", "closefit-rules = 1\n"),
        ("d/run.json", "{}"),
        ("d/report.json", "{\"unit\": \"mm\", \"parts\": []}"),
        ("d/diff.json", "{}"),
    ] {
        folder.put(name, text);
    }
    let read =
        || ["issues.csv", "run.json", "report.json", "diff.json"].map(|name| folder.path("d").join(name));
    let before = read().map(|path| fs::read(path).unwrap());
    for (arguments, replaced) in [
        (&["check", "a.obj", "b.obj", "--rules", "d/issues.csv"][..], "d/issues.csv"),
        (&["check", "a.obj", "b.obj", "--groups", "d/../d/run.json"], "d/../d/run.json"),
        (&["sweep", "d/report.json"], "d/report.json"),
        (&["diff", "d/diff.json", "d/report.json"], "d/diff.json"),
    ] {
        let (code, told, line) = run_in(&folder.path(""), &[arguments, &["--out", "d"]].concat());
        let expected =
            format!("error: --out d: it would replace {replaced}, which the run reads: choose another\n");
        assert_eq!((code, &told[..], line), (2, "", expected));
    }
    assert_eq!(read().map(|path| fs::read(path).unwrap()), before);
    // The report of the run before may be replaced, and a difference reads two reports from where it goes.
    let (code, _, told) =
        run_in(&folder.path(""), &["check", "a.obj", "b.obj", "--unit", "m", "--out", "o", "--quiet"]);
    assert_eq!(code, 1, "{told}");
    let again =
        ["check", "a.obj", "b.obj", "--unit", "m", "--out", "o", "--baseline", "o/report.json", "--quiet"];
    assert_eq!(run_in(&folder.path(""), &again).0, 0);
    assert_eq!(run_in(&folder.path(""), &["diff", "o/report.json", "o/report.json", "--out", "o"]).0, 0);
    for journal in ["o/rows.cfr", "o/shard-1-of-2.cfr", "o/plan.json"] {
        let (code, _, line) =
            run_in(&folder.path(""), &["check", "a.obj", "b.obj", "--out", "o", "--html", journal]);
        assert_eq!(
            (code, line),
            (2, format!("error: --html {journal}: --out writes this file: choose another\n"))
        );
    }
}

#[test]
fn the_list_names_the_scenes_and_an_unknown_one_is_refused() {
    let output = closefit(&["generate", "--list"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let list = String::from_utf8(output.stdout).unwrap();
    assert!(list.lines().any(|l| l.starts_with("gearbox ")), "{list}");
    assert!(refusal(&["generate", "no-such-scene"]).contains("no-such-scene"));
    assert!(refusal(&["generate", "screw", "--format", "glb"]).contains("use --format manifest"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    use std::process::Command;
    let program = program_path();
    for arguments in [&["generate", "--list"][..], &["--help"], &["sweep", "--help"], &["--version"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(&program).args(arguments).stdout(full).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(told, "error: standard output: No space left on device (os error 28)\n");
    }

    let output = run_unread(&["generate", "--list"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn no_argument_reaches_beyond_the_working_directory() {
    // Names are looked up in the list and never joined to a path unchecked.
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    refusal(&["generate", "../gearbox", "--out", out.to_str().unwrap()]);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
