//! `run.json` names the trees that a run built: those of its own kind, and of the kinds that it compares.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use closefit_testing::rng::Rng;
use serde_json::{Value, json};

/// Runs a command on a scene of two parts of different meshes. Returns the memory that it records.
fn memory(scene: &Path, command: &str, more: &[&str]) -> Value {
    let out = tempfile::tempdir().unwrap();
    let given = [command, shown(scene), "--clearance", "1", "--quiet", "--fail-on", "never"];
    let output = run(&[&given, more, &["--out", shown(out.path())]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let record: Value = serde_json::from_slice(&fs::read(out.path().join("run.json")).unwrap()).unwrap();
    record["memory"].clone()
}

/// Returns the number of trees of each kind.
fn counts(memory: &Value) -> BTreeMap<&str, u64> {
    let entry = |built: &'_ Value| {
        assert!(built["bytes"].as_u64().unwrap() > 0, "{built}");
        built["count"].as_u64().unwrap()
    };
    let trees = memory["trees"].as_array().unwrap();
    let counts: BTreeMap<&str, u64> =
        trees.iter().map(|built| (built["tree"].as_str().unwrap(), entry(built))).collect();
    assert_eq!(counts.len(), trees.len(), "a kind is named once");
    counts
}

#[test]
fn only_the_trees_that_were_asked_for_are_built() {
    let dir = tempfile::tempdir().unwrap();
    run(&["generate", "car-door", "--size", "1000", "--out", shown(dir.path())]);
    let scene = dir.path().join("car-door").join("scene.json");
    for command in ["check", "sweep"] {
        let by_default = memory(&scene, command, &[]);
        assert_eq!(counts(&by_default), BTreeMap::from([("obb", 2)]), "{command}");
        assert_eq!(by_default["trees"][0]["bytes"], by_default["tree_bytes"]);
        assert_eq!(by_default["hull_bytes"], 0);
        for &kind in closefit_methods::ALL {
            let memory = memory(&scene, command, &["--tree", kind.name()]);
            assert_eq!(counts(&memory), BTreeMap::from([(kind.name(), 2)]), "{command} {kind}");
        }
        let with_hulls = memory(&scene, command, &["--hull", "closest-features"]);
        assert_eq!(with_hulls["trees"], by_default["trees"]);
        assert!(with_hulls["hull_bytes"].as_u64().unwrap() > 0);
    }
    // A cross-check builds trees of its own, also of the run's kind.
    for &kind in closefit_methods::ALL {
        let compared = memory(&scene, "check", &["--cross-check", "rapid,octree", "--tree", kind.name()]);
        let mut expected = BTreeMap::from([("rapid", 2), ("octree", 2)]);
        *expected.entry(kind.name()).or_insert(2) += 2;
        assert_eq!(counts(&compared), expected, "{kind}");
    }
    let all = memory(&scene, "check", &["--cross-check", "all"]);
    let compared = closefit_methods::ALL.iter().filter(|kind| !kind.is_quadratic());
    let expected = compared.map(|kind| (kind.name(), if kind.name() == "obb" { 4 } else { 2 }));
    assert_eq!(counts(&all), expected.collect());
}

#[test]
fn no_tree_is_built_for_parts_that_are_apart() {
    let dir = tempfile::tempdir().unwrap();
    let scene = dir.path().join("scene.json");
    fs::write(dir.path().join("t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let part = |name: &str, x: f64| serde_json::json!({ "name": name, "mesh": "t.obj", "pose": { "translation": [x, 0, 0] } });
    let parts = [part("a", 0.0), part("b", 9.0)];
    fs::write(&scene, serde_json::json!({ "parts": parts }).to_string()).unwrap();
    assert_eq!(memory(&scene, "check", &[])["trees"], serde_json::json!([]));
}

/// Writes files and a scene of parts `a` and `b`, each from one of them, the second shifted. Returns what the
/// program prints about the scene, the pairs of the report, and the number of trees.
fn checked(dir: &Path, files: [(&str, &str); 2]) -> (String, Value, u64) {
    files.iter().for_each(|(name, content)| fs::write(dir.join(name), content).unwrap());
    let part = |name: &str, mesh: &str, x: f64| serde_json::json!({ "name": name, "mesh": mesh, "pose": { "translation": [x, 0, 0] } });
    let parts = [part("a", files[0].0, 0.0), part("b", files[1].0, 0.75)];
    let (scene, out) = (dir.join("scene.json"), dir.join("out"));
    fs::write(&scene, serde_json::json!({ "parts": parts }).to_string()).unwrap();
    let output = run(&["check", shown(&scene), "--fail-on", "never", "--out", shown(&out)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read = |name: &str| -> Value { serde_json::from_slice(&fs::read(out.join(name)).unwrap()).unwrap() };
    let trees = counts(&read("run.json")["memory"])["obb"];
    (text(&output.stderr).to_owned(), read("report.json")["pairs"].clone(), trees)
}

/// Files of equal content are one mesh to the trees, and two to the notes on repairs. A mesh is another one
/// even if it differs in the order of its triangles alone.
#[test]
fn equal_meshes_share_a_tree() {
    let dir = tempfile::tempdir().unwrap();
    let flipped = CUBE.replace("f 2 4 8 6", "f 6 8 4 2");
    let reordered = CUBE.replace("f 1 3 4 2\nf 5 6 8 7\n", "f 5 6 8 7\nf 1 3 4 2\n");
    assert!(flipped != CUBE && reordered != CUBE);
    let (notes, pairs, trees) = checked(dir.path(), [("one.obj", &flipped), ("other.obj", &flipped)]);
    assert_eq!(trees, 1);
    assert!(pairs[0]["depth"]["at_most"].as_f64().unwrap() >= 0.25, "{pairs}");
    for file in ["one.obj", "other.obj"] {
        let tells = |line: &str| line.contains(file) && line.contains("1 shell turned");
        assert!(notes.lines().any(tells), "{file}: {notes}");
    }
    // One file for both parts gives the same answers.
    let (_, of_one, trees) = checked(dir.path(), [("one.obj", &flipped), ("one.obj", &flipped)]);
    assert_eq!((trees, of_one), (1, pairs.clone()));
    let (_, of_two, trees) = checked(dir.path(), [("one.obj", CUBE), ("other.obj", &reordered)]);
    assert_eq!((trees, &of_two[0]["verdict"]), (2, &pairs[0]["verdict"]));
}

/// The scene of a car door, whose two meshes are large enough for a cache.
fn door(dir: &Path) -> PathBuf {
    run(&["generate", "car-door", "--size", "3000", "--out", shown(dir)]);
    dir.join("car-door").join("scene.json")
}

/// Checks or sweeps a scene. Returns the report and the number of trees that were taken from the cache.
fn with_cache(command: &str, scene: &Path, cache: &Path, more: &[&str]) -> (Vec<u8>, u64) {
    let out = tempfile::tempdir().unwrap();
    let given = [command, shown(scene), "--quiet", "--fail-on", "never", "--cache", shown(cache)];
    let output = run(&[&given, more, &["--out", shown(out.path())]].concat());
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let record: Value = serde_json::from_slice(&fs::read(out.path().join("run.json")).unwrap()).unwrap();
    let from_cache = record["memory"]["trees"][0]["from_cache"].as_u64().unwrap_or(0);
    (fs::read(out.path().join("report.json")).unwrap(), from_cache)
}

fn files_in(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn trees_are_taken_from_a_cache_with_the_same_report() {
    let dir = tempfile::tempdir().unwrap();
    let (scene, cache) = (door(dir.path()), dir.path().join("new/cache"));
    let whole = |command: &str| run(&[command, shown(&scene), "--json", "--fail-on", "never"]).stdout;
    for (command, found_before) in [("check", 0), ("sweep", 2)] {
        let (report, from_cache) = with_cache(command, &scene, &cache, &[]);
        assert!(report == whole(command) && from_cache == found_before, "{command} {from_cache}");
        assert!(with_cache(command, &scene, &cache, &["--threads", "1"]) == (report, 2), "{command}");
    }
    let files = files_in(&cache);
    assert_eq!(files.len(), 2);
    // Another winding has other models. Other kinds are not kept.
    assert_eq!(with_cache("check", &scene, &cache, &["--as-is"]).1, 0);
    assert_eq!(files_in(&cache).len(), 4);
    assert_eq!(with_cache("check", &scene, &cache, &["--tree", "kdop14"]).1, 0);
    assert_eq!(files_in(&cache).len(), 4);
}

#[test]
fn what_is_damaged_in_a_cache_is_built_again() {
    let dir = tempfile::tempdir().unwrap();
    let (scene, cache) = (door(dir.path()), dir.path().join("cache"));
    let (report, _) = with_cache("check", &scene, &cache, &[]);
    let whole: Vec<_> = files_in(&cache).iter().map(|file| fs::read(file).unwrap()).collect();
    let mut rng = Rng::new("cache", 0);
    for round in 0..12 {
        let file = &files_in(&cache)[round % 2];
        let mut bytes = whole[round % 2].clone();
        match round / 2 {
            0 => bytes.clear(),
            1 => bytes.truncate(rng.index(bytes.len())),
            _ => {
                let at = rng.index(bytes.len());
                bytes[at] ^= 1 << rng.index(8);
            }
        }
        fs::write(file, bytes).unwrap();
        assert!(with_cache("check", &scene, &cache, &[]) == (report.clone(), 1), "{round}");
        fs::write(file, &whole[round % 2]).unwrap();
        assert!(with_cache("check", &scene, &cache, &[]) == (report.clone(), 2), "{round}");
    }
}

/// Writes a ring of a thousand triangles, as OBJ, about a point.
fn ring(folder: &Folder, name: &str, [x, y, z]: [f64; 3], radius: f64) {
    const AROUND: u32 = 40;
    const ACROSS: u32 = 13;
    let mut text = String::new();
    for i in 0..AROUND {
        for j in 0..ACROSS {
            let turn = |k: u32, of: u32| (f64::from(k) / f64::from(of) * std::f64::consts::TAU).sin_cos();
            let ((sin, cos), (up, out)) = (turn(i, AROUND), turn(j, ACROSS));
            let out = radius + 0.1 * out;
            text += &format!("v {} {} {}\n", x + out * cos, y + out * sin, z + 0.1 * up);
        }
    }
    let at = |i: u32, j: u32| 1 + (i % AROUND) * ACROSS + j % ACROSS;
    for (i, j) in (0..AROUND).flat_map(|i| (0..ACROSS).map(move |j| (i, j))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
    }
    folder.put(name, text);
}

/// Rings of as many triangles each, a hundred apart, with a pin through each that touches it.
fn rings() -> Folder {
    let folder = Folder::new();
    let mut parts = Vec::new();
    for (place, radius) in [1.0, 0.7, 0.85].into_iter().enumerate() {
        let name = format!("ring{place}.obj");
        let x = 100.0 * place as f64;
        ring(&folder, &name, [x, 0.0, 0.0], radius);
        parts.push(json!({ "name": format!("ring{place}"), "mesh": name }));
        let pose = json!({ "translation": [x + 0.6, 0.0, -0.5] });
        parts.push(json!({ "name": format!("pin{place}"), "mesh": "cube.obj", "pose": pose }));
    }
    folder.put("cube.obj", CUBE);
    folder.put("scene.json", json!({ "unit": "mm", "parts": parts }).to_string());
    folder
}

/// A file holds the model that its name says: a tree of another mesh with as many triangles is not taken.
#[test]
fn trees_that_change_places_are_built_again() {
    let folder = rings();
    let (scene, cache) = (folder.path("scene.json"), folder.path("cache"));
    let (report, _) = with_cache("check", &scene, &cache, &[]);
    let files = files_in(&cache);
    assert_eq!(files.len(), 3);
    assert!(text(&report).matches("\"clash\"").count() >= 3);
    fs::rename(&files[0], folder.path("t")).unwrap();
    fs::rename(&files[1], &files[0]).unwrap();
    fs::rename(folder.path("t"), &files[1]).unwrap();
    assert_eq!(with_cache("check", &scene, &cache, &["--cross-check", "rapid"]), (report.clone(), 1));
    assert_eq!(with_cache("check", &scene, &cache, &[]), (report, 3));
}

/// Whatever happens to the files of a cache, the report stays the same.
#[cfg(unix)]
#[test]
fn a_cache_that_anything_has_happened_to_changes_no_report() {
    let folder = rings();
    let (scene, cache) = (folder.path("scene.json"), folder.path("cache"));
    let (report, _) = with_cache("check", &scene, &cache, &[]);
    let whole: Vec<_> = files_in(&cache).iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
    for case in 0..closefit_testing::cases(24) {
        let mut rng = Rng::new("any cache", case);
        let places = [rng.index(3), rng.index(3)];
        let [(file, bytes), (other, _)] = places.map(|place| &whole[place]);
        let mut changed = bytes.clone();
        let mut is_whole = false;
        fs::remove_file(file).unwrap();
        match rng.index(8) {
            0 => changed.truncate(rng.index(bytes.len())),
            1 => changed.extend((0..=rng.index(64)).map(|_| rng.index(256) as u8)),
            2 => changed = fs::read(&whole[(places[0] + 1) % 3].0).unwrap(),
            // The beginning of one file, and the rest of another.
            3 => {
                let at = rng.index(bytes.len());
                let rest = &whole[(places[0] + 1) % 3].1;
                changed.truncate(at);
                changed.extend(&rest[at.min(rest.len())..]);
            }
            4 => (0..=rng.index(9)).for_each(|_| {
                let at = rng.index(bytes.len());
                changed[at] ^= 1 << rng.index(8);
            }),
            // Lengths that nothing has.
            5 => changed[32..40].fill(0xff),
            6 => is_whole = true,
            _ => changed = vec![0; 1 << 22],
        }
        is_whole |= changed == *bytes;
        match if is_whole { 4 } else { rng.index(5) } {
            // A link to what is whole, a directory, and a pipe are no files of a cache.
            0 if file != other => std::os::unix::fs::symlink(other, file).unwrap(),
            1 => fs::create_dir(file).unwrap(),
            2 => assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success()),
            _ => fs::write(file, &changed).unwrap(),
        }
        let (found, from_cache) = with_cache("check", &scene, &cache, &[]);
        assert!(found == report, "case {case}");
        assert_eq!(from_cache, if is_whole { 3 } else { 2 }, "case {case}");
        if file.is_dir() {
            fs::remove_dir(file).unwrap();
        } else if fs::symlink_metadata(file).is_ok() {
            fs::remove_file(file).unwrap();
        }
        fs::write(file, bytes).unwrap();
    }
}

/// Whoever may write to a cache can put a tree there with a digest that fits.
#[cfg(unix)]
#[test]
fn a_cache_to_which_any_user_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = rings();
    let (scene, cache) = (folder.path("scene.json"), folder.path("cache"));
    let (report, _) = with_cache("check", &scene, &cache, &[]);
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for mode in [0o777, 0o1777, 0o703] {
        allow(&cache, mode);
        let line = refusal(&["check", shown(&scene), "--cache", shown(&cache)]);
        let why = "it cannot be a cache: any user may write to it: chmod o-w makes it safe";
        assert_eq!(line, format!("error: {}: {why}\n", shown(&cache)));
    }
    allow(&cache, 0o775);
    allow(&files_in(&cache)[0], 0o666);
    assert_eq!(with_cache("check", &scene, &cache, &[]), (report.clone(), 2));
    assert_eq!(with_cache("check", &scene, &cache, &[]), (report, 3));
}

#[test]
fn a_directory_that_cannot_be_a_cache_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let scene = door(dir.path());
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let line = refusal(&["check", shown(&scene), "--cache", shown(&file)]);
    assert_eq!(line, format!("error: {}: it cannot be a cache: it is not a directory\n", shown(&file)));
    // Nothing is created for a run that is refused.
    let new = dir.path().join("new");
    refusal(&["check", "none.glb", "--cache", shown(&new)]);
    assert!(!new.exists());
    // No file can be made there.
    if cfg!(target_os = "linux") {
        let output = run(&["check", shown(&scene), "--cache", "/proc/self/fdinfo", "--fail-on", "never"]);
        let told = text(&output.stderr);
        assert!(output.status.success() && told.contains(": trees cannot be kept: "), "{told}");
    }
}
