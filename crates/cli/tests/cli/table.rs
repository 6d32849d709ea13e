//! The table on stdout: which pairs it lists, in which order, and how it fits the terminal.

use std::fs;

use closefit_testing::command::*;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::scenes::{cubes, row_of_cubes};

/// Returns what `check` prints of the row of cubes, all pairs within 1.5 mm.
fn table(more: &[&str]) -> String {
    let (_dir, scene) = row_of_cubes();
    let output = run(&[&["check", shown(&scene), "--clearance", "1.5"], more].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Returns the verdict and the parts of each row.
fn rows(table: &str) -> Vec<[String; 3]> {
    let rows = table.lines().skip_while(|line| !line.starts_with(" verdict")).skip(1);
    let rows = rows.take_while(|line| line.starts_with(' '));
    rows.map(|row| {
        let mut words = row.split_whitespace().map(str::to_owned);
        [(); 3].map(|()| words.next().unwrap())
    })
    .collect()
}

const CLASH: [&str; 3] = ["clash", "bolt", "nut"];
const CONTACT: [&str; 3] = ["contact", "pin", "plate"];
const CLEARANCE: [&str; 3] = ["clearance", "nut", "pin"];

#[test]
fn contacts_are_counted_and_listed_on_request() {
    for (flags, listed, below) in [
        (&[][..], &[CLASH, CLEARANCE][..], "and 1 contact: --list all shows them\n"),
        (&["--list", "all"], &[CLASH, CONTACT, CLEARANCE], ""),
        (&["--list", "clearance"], &[CLASH, CONTACT, CLEARANCE], ""),
        (&["--list", "contact"], &[CLASH, CONTACT], "and 1 clearance: --list clearance shows them\n"),
        (&["--list", "clash"], &[CLASH], "and 1 contact, 1 clearance: --list clearance shows them\n"),
        (&["--rows", "1"], &[CLASH], "and 1 more: --rows all shows them\nand 1 contact: --list all shows"),
        (&["--rows", "all", "--sort", "name", "--list", "clearance"], &[CLASH, CLEARANCE, CONTACT], ""),
        (&["--sort", "distance"], &[CLASH, CLEARANCE], ""),
        (&["--sort", "depth"], &[CLASH, CLEARANCE], ""),
        (&["--sort", "type"], &[CLASH, CLEARANCE], ""),
    ] {
        let table = table(flags);
        assert_eq!(rows(&table), listed, "{flags:?}: {table}");
        assert!(table.contains(below), "{flags:?}: {table}");
        assert!(
            table.contains("\n6 pairs: 1 clash, 0 undecided, 1 contact, 1 clearance, 0 clear, 3 apart\n")
        );
    }
}

#[test]
fn a_table_of_some_parts_shows_their_pairs() {
    for (only, listed) in [
        ("nut", &[CLASH, CLEARANCE][..]),
        ("#1", &[CLASH, CLEARANCE]),
        ("scene/nut", &[CLASH, CLEARANCE]),
        ("pin,nut", &[CLEARANCE]),
        ("bolt,nut,pin", &[CLASH, CLEARANCE]),
        ("bolt,pin", &[]),
    ] {
        let table = table(&["--only", only]);
        assert_eq!(rows(&table), listed, "{only}: {table}");
        let told = format!("--only {only}: {} of 3 pairs that are not clear\n", listed.len());
        assert!(table.contains(&told), "{only}: {table}");
    }
    let (_dir, scene) = row_of_cubes();
    let line = refusal(&["check", shown(&scene), "--only", "bolt,nutt"]);
    assert!(line.ends_with("--only 'bolt,nutt': there is no part 'nutt': did you mean 'nut'?\n"), "{line}");
    for (flag, value) in [("--rows", "-1"), ("--rows", "some"), ("--list", "clear"), ("--sort", "size")] {
        assert!(refusal(&["check", shown(&scene), flag, value]).contains(value));
    }
    let line = refusal(&["sweep", shown(&scene), "--sort", "depth"]);
    assert!(
        line.ends_with("--sort depth: few pairs of a sweep have a depth: use distance, name or type\n"),
        "{line}"
    );
}

#[test]
fn the_worst_comes_first_and_the_next_command_last() {
    let (dir, scene) = row_of_cubes();
    let printed = |more: &[&str]| text(&run(&[&["check", shown(&scene)], more].concat()).stdout).to_owned();
    let first = printed(&[]);
    assert!(first.contains("\n\n1 clash. Worst: nut in bolt, 0.125 mm\n"), "{first}");
    let next = format!("\nNext: closefit check {} --html report.html\n", shown(&scene));
    assert!(first.ends_with(&next), "{first}");
    let out = dir.path().join("out");
    let kept = printed(&["--out", shown(&out)]);
    let next = format!("\nNext: closefit report {} --html report.html\n", shown(&out));
    assert!(kept.ends_with(&next), "{kept}");
    let shown_already = printed(&["--html", shown(&dir.path().join("a.html"))]);
    assert!(!shown_already.contains("Next:"), "{shown_already}");
    let (_apart, apart) = cubes("mm", &[("one", [0.0; 3]), ("two", [9.0, 0.0, 0.0])]);
    let nothing = text(&run(&["check", shown(&apart)]).stdout).to_owned();
    assert!(!nothing.contains("Next:") && !nothing.contains("Worst"), "{nothing}");
}

#[test]
fn verdicts_have_colours_where_they_are_wanted() {
    let (_dir, scene) = row_of_cubes();
    let printed = |more: &[&str]| text(&run(&[&["check", shown(&scene)], more].concat()).stdout).to_owned();
    let always = printed(&["--color", "always"]);
    assert!(always.contains("\n \u{1b}[1;31mclash\u{1b}[0m  "), "{always}");
    for flags in [&["--color", "never"][..], &["--color", "auto"], &[]] {
        assert!(!printed(flags).contains('\u{1b}'), "a pipe has none: {flags:?}");
    }
    assert!(refusal(&["check", shown(&scene), "--color", "red"]).contains("auto, always, never"));
}

#[test]
fn a_narrow_table_has_two_lines_a_row_and_whole_names() {
    let names = ["the_first_of_two_brackets_with_a_long_name", "the_second_of_two_brackets_with_a_long_name"];
    let (_dir, scene) = cubes("mm", &[(names[0], [0.0; 3]), (names[1], [0.75, 0.0, 0.0])]);
    for (width, is_narrow) in [("80", true), ("119", true), ("120", false), ("200", false)] {
        let output = closefit(&["check", shown(&scene)]).env("COLUMNS", width).output().unwrap();
        let table = text(&output.stdout);
        let row = table.lines().skip_while(|line| !line.starts_with(" clash")).collect::<Vec<_>>();
        let below = row[1].trim_start().starts_with(names[1]);
        assert_eq!((row[0].contains(names[0]), below), (is_narrow || width == "200", is_narrow), "{table}");
        let headline: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("1 clash. ")).collect();
        let headline = headline.split(|line| line.is_empty()).next().unwrap();
        assert!(names.iter().all(|name| headline.concat().contains(name)), "{table}");
        assert!(headline.iter().all(|line| line.len() <= width.parse().unwrap()), "{table}");
    }
}

#[test]
fn a_table_without_rows_says_so() {
    let (dir, scene) = row_of_cubes();
    let (_apart, apart) = cubes("mm", &[("one", [0.0; 3]), ("two", [9.0, 0.0, 0.0])]);
    for (arguments, told) in [
        (&["check", shown(&apart)][..], "\n\nno findings\n\n1 pair: 0 clash"),
        (
            &["check", shown(&scene), "--list", "clash", "--only", "plate"],
            "\n\n--only plate: 1 of 2 pairs that are not clear\nand 1 contact: ",
        ),
        (&["check", shown(&scene), "--rows", "0"], "\n\nand 1 more: --rows all shows them\n"),
    ] {
        let table = text(&run(arguments).stdout).to_owned();
        assert!(table.contains(told) && !table.contains("verdict"), "{table}");
    }
    drop(dir);
}

#[test]
fn files_have_all_pairs_whatever_the_table_shows() {
    let (dir, scene) = row_of_cubes();
    let files = |name: &str, more: &[&str]| {
        let out = dir.path().join(name);
        let check = ["check", shown(&scene), "--clearance", "1.5", "--out", shown(&out)];
        assert_eq!(run(&[&check[..], more].concat()).status.code(), Some(1));
        ["report.json", "pairs.csv"].map(|name| fs::read(out.join(name)).unwrap())
    };
    let few = ["--list", "clash", "--rows", "0", "--only", "plate", "--sort", "name"];
    assert!(files("all", &[]) == files("few", &few));
}

#[test]
fn spreadsheets_have_one_signed_distance() {
    let (dir, scene) = row_of_cubes();
    let out = dir.path().join("out");
    run(&["check", shown(&scene), "--clearance", "1.5", "--out", shown(&out)]);
    let mut reader = csv::Reader::from_path(out.join("pairs.csv")).unwrap();
    let columns = reader.headers().unwrap().clone();
    let column = |name: &str| columns.iter().position(|column| column == name).expect(name);
    let signed: Vec<f64> =
        reader.records().map(|row| row.unwrap()[column("signed_distance")].parse().unwrap()).collect();
    let report: Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let depth = report["pairs"][0]["depth"]["at_least"].as_f64().unwrap();
    assert!(depth > 0.12);
    assert_eq!(signed, [-depth, 1.125, 0.0]);
}

#[test]
fn every_row_is_one_line_that_fits() {
    let wall = |id: u32| format!("Basic Wall:Interior - Partition (92mm Stud):{id}");
    let hostile = ["軸".repeat(90), "\u{202e}\n\t".repeat(20), "עברית ".repeat(20), "n".repeat(1000)];
    let names: Vec<String> = (1384..1388).map(wall).chain(hostile).collect();
    let parts: Vec<(&str, [f64; 3])> = names.iter().map(|name| (&**name, [0.0, 0.0, 0.5])).collect();
    let (_dir, scene) = cubes("mm", &parts);
    for width in ["60", "80", "100", "120", "200"] {
        let output = closefit(&["check", shown(&scene)]).env("COLUMNS", width).output().unwrap();
        let table = text(&output.stdout);
        let rows = table.lines().filter(|line| line.starts_with(" clash")).collect::<Vec<_>>();
        assert_eq!(rows.len(), 8 * 7 / 2, "{table}");
        let width: usize = width.parse().unwrap();
        assert!(rows.iter().all(|row| row.width() <= width), "{table}");
    }
}

#[test]
fn sweeps_take_the_same_flags() {
    let keyframes =
        json!([{ "time": 0, "translation": [1.5, 0, 0] }, { "time": 1, "translation": [3.5, 0, 0] }]);
    let (_dir, scene) = cubes("mm", &[("left", [0.0; 3]), ("right", [4.0, 0.0, 0.0])]);
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&scene).unwrap()).unwrap();
    let shuttle = json!({ "name": "shuttle", "mesh": "cube.obj", "motion": { "keyframes": keyframes } });
    manifest["parts"].as_array_mut().unwrap().push(shuttle);
    fs::write(&scene, manifest.to_string()).unwrap();
    let table = |more: &[&str]| {
        let output = run(&[&["sweep", shown(&scene), "--clearance", "1mm"], more].concat());
        text(&output.stdout).to_owned()
    };
    let (clash, near) = (["clash", "right", "shuttle"], ["clearance", "left", "shuttle"]);
    assert_eq!(rows(&table(&[])), [clash, near]);
    assert_eq!(rows(&table(&["--sort", "name"])), [near, clash]);
    assert_eq!(rows(&table(&["--only", "left"])), [near]);
    assert_eq!(rows(&table(&["--list", "contact"])), [clash]);
}

/// The names that a table prints, without the numbers of exporters or shortened, and the keys of pairs and
/// groups, are those that flags take.
#[test]
fn what_a_table_prints_is_what_flags_take() {
    let names = ["dayton#1:192:190", "Basic Wall:Interior:138584", "case x lid"];
    let (dir, scene) =
        cubes("mm", &[(names[0], [0.0; 3]), (names[1], [0.5, 0.0, 0.0]), (names[2], [0.0, 0.5, 0.25])]);
    let scene = shown(&scene);
    let file = |name: &str| shown(&dir.path().join(name)).to_owned();
    let json = file("report");
    run(&["check", scene, "--quiet", "--out", &json]);
    let report: Value =
        serde_json::from_slice(&fs::read(dir.path().join("report/report.json")).unwrap()).unwrap();
    let (pair, group) = (&report["pairs"][0], &report["groups"][0]);
    let (key, group_key) = (pair["key"].as_str().unwrap(), group["key"].as_str().unwrap());
    let only = |named: &str| {
        let output = run(&["check", scene, "--only", named]);
        text(&output.stdout).lines().filter(|line| line.starts_with(" clash")).count()
    };
    let of_group = group["pairs"].as_array().unwrap().len();
    for (named, rows) in [
        ("dayton", 2),
        ("dayton,Basic Wall:Interior", 1),
        ("Basic…ior", 2),
        ("Bas…or #1", 2),
        (key, 1),
        (group_key, of_group),
    ] {
        assert_eq!(only(named), rows, "{named}");
    }
    let ok = |arguments: &[&str]| {
        let output = run(arguments);
        let told = text(&output.stderr);
        assert!(output.status.code() != Some(2), "{arguments:?}: {told}");
        text(&output.stdout).to_owned()
    };
    let by_name = ok(&["slack", scene, names[0], "--json"]);
    for named in ["dayton", "#0", "day…n", "dayton #0"] {
        assert_eq!(ok(&["slack", scene, named, "--json"]), by_name, "{named}");
    }
    let (drawn, again) = (file("a.png"), file("b.png"));
    ok(&["check", scene, "--picture", &drawn, "--picture-of", key]);
    for named in ["dayton,Basic Wall:Interior", "Basic Wall:Int…8584 x dayton", "dayton, Basic Wall:Interior"]
    {
        ok(&["check", scene, "--picture", &again, "--picture-of", named]);
        assert!(fs::read(&drawn).unwrap() == fs::read(&again).unwrap(), "{named}");
    }
    let map = file("map.glb");
    ok(&["check", scene, "--clearance", "1mm", "--heatmap", "dayton,case x lid", &map]);
    assert!(dir.path().join("map.glb").exists());
}
