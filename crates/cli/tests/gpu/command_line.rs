//! `closefit check` and `sweep` with `--backend gpu`, as a user sees it: the report of any other backend, one
//! line when something is missing, and nothing left behind by Ctrl-C.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use closefit::internals::engine::settled;
use closefit::internals::gpu::{Asked, Workload};
use closefit::{Device, Observer, Strategy};
use closefit_testing::command::{CUBE, program_path};
use closefit_testing::fixtures::Folder;
use serde_json::Value;

pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(program_path());
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("it runs")
}

pub fn shown(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Creates a scene and returns its directory and path.
pub fn scene(name: &str, size: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(&["generate", name, "--size", size, "--out", shown(dir.path())]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = shown(&dir.path().join(format!("{name}.glb"))).to_owned();
    (dir, path)
}

/// Creates a scene that moves and returns its directory and path.
pub fn motion(name: &str, size: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(&["generate", name, "--size", size, "--out", shown(dir.path())]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = shown(&dir.path().join(name).join("scene.json")).to_owned();
    (dir, path)
}

/// Returns all scenes in a full run, and the first `ordinary` in others: `tests/gpu` compares the reports of
/// all generated scenes.
fn of_a_run<T>(scenes: &[T], ordinary: usize) -> &[T] {
    if closefit_testing::on_device::is_full_run() { scenes } else { &scenes[..ordinary] }
}

/// Returns the report and the record of a check.
fn checked(scene: &str, out: &Path, options: &[&str]) -> (Vec<u8>, Value) {
    decided("check", scene, out, options)
}

/// Returns the report and the record of a run.
fn decided(command: &str, scene: &str, out: &Path, options: &[&str]) -> (Vec<u8>, Value) {
    let arguments =
        [&[command, scene, "--out", shown(out), "--quiet", "--fail-on", "never"], options].concat();
    let output = run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let record = fs::read(out.join("run.json")).expect("a record");
    (fs::read(out.join("report.json")).expect("a report"), serde_json::from_slice(&record).expect("JSON"))
}

/// Checks that contacts and clearances found on the device give the same bytes, and that the record counts
/// them.
pub fn the_report_is_that_of_the_cpu(device: Device) {
    let scenes = [("gearbox", "12", "2"), ("boxes", "60", "0.3"), ("pipes", "1000", "1")];
    for &(name, size, clearance) in of_a_run(&scenes, 1) {
        let (dir, path) = scene(name, size);
        let options = ["--clearance", clearance, "--contacts"];
        let (expected, _) =
            checked(&path, &dir.path().join("simd"), &[&["--backend", "simd"], &options[..]].concat());
        let on_device = ["--backend", "gpu", "--adapter", device.name()];
        let (report, record) = checked(&path, &dir.path().join("gpu"), &[&on_device, &options[..]].concat());
        assert!(report == expected, "{name}");
        assert_eq!(record["adapter"], device.name());
        let counts = &record["device"];
        println!(
            "{name}: pairs {}, distances {} in {} rounds, survivors {}",
            counts["pairs"], counts["distances"], counts["distance_rounds"], counts["survivors"]
        );
        assert!(counts["failure"].is_null() && counts["pairs"].as_u64() > Some(0));
        assert!(counts["distances"].as_u64() > Some(0), "{name}");
        let shares = ["share_proven_apart", "share_proven_to_meet", "share_unsure"]
            .map(|share| counts[share].as_f64().expect("a share"));
        // The boxes of the pipes are apart, so none of their triangles are tested for contact.
        let all = if name == "pipes" { 0.0 } else { 1.0 };
        assert!((shares.iter().sum::<f64>() - all).abs() < 1e-12, "{name}: {shares:?}");
        assert_eq!(shares[0] > 0.0, all > 0.0, "{name}: {shares:?}");
        assert!(counts["share_extra_unsure"].as_f64() <= Some(shares[2]), "{name}: {shares:?}");
    }
}

/// Checks a scene of so many parts that the device finds the candidate pairs, unless another broad phase is
/// asked for.
pub fn candidate_pairs_are_found_on_the_device(device: Device) {
    let (dir, path) = scene("boxes", "20000");
    let (expected, _) = checked(&path, &dir.path().join("simd"), &["--backend", "simd"]);
    let on_device = ["--backend", "gpu", "--adapter", device.name()];
    // They are counted first, then listed.
    for &(broad, boxes) in of_a_run(&[("sweep-and-prune", 40_000), ("grid", 0)], 1) {
        let options = [&on_device[..], &["--broad", broad]].concat();
        let (report, record) = checked(&path, &dir.path().join(broad), &options);
        assert!(report == expected, "{broad}");
        let counts = &record["device"];
        assert!(counts["failure"].is_null());
        assert_eq!(counts["broad_boxes"].as_u64(), Some(boxes), "{broad}");
        assert_eq!(counts["broad_tests"].as_u64() > Some(0), boxes > 0);
        assert!(record["broad"]["method"] == broad && record["broad"]["box_tests"].as_u64() > Some(0));
        println!(
            "{broad}: {} tests and {} pairs on the device",
            counts["broad_tests"], counts["broad_pairs"]
        );
    }
}

/// A cube that turns about a foot, and meets a block on the way.
fn arm() -> Folder {
    let folder = Folder::new();
    folder.put("cube.obj", CUBE);
    let link = |name: &str, xyz: &str| {
        format!(
            "<link name=\"{name}\"><visual><origin xyz=\"{xyz}\" rpy=\"0.1 0.2 0.3\"/>\
             <geometry><mesh filename=\"cube.obj\"/></geometry></visual></link>"
        )
    };
    let joint = |kind: &str, child: &str| {
        format!(
            "<joint name=\"{child}\" type=\"{kind}\"><parent link=\"foot\"/><child link=\"of {child}\"/><axis xyz=\"0 0 1\"/></joint>"
        )
    };
    let links = [link("of block", "-0.5 2 -0.5"), link("of turn", "2 -0.5 -0.5")].concat();
    let joints = [joint("fixed", "block"), joint("continuous", "turn")].concat();
    folder.put("arm.urdf", format!("<robot name=\"arm\"><link name=\"foot\"/>{links}{joints}</robot>"));
    folder
}

/// Checks that rows of times, poses and configurations have the same lines with a device, and that a note
/// says what it did.
pub fn rows_are_those_of_the_cpu(device: Device) {
    let (_dir, robot) = motion("robot", "8");
    let (tori, two) = scene("tori", "500");
    let poses = tori.path().join("poses.csv");
    let row = |i: i32| format!("0,0,{},1,{},0,0\n", 0.01 * f64::from(i), 0.02 * f64::from(i - 100));
    let rows: String = (0..200).map(row).collect();
    fs::write(&poses, format!("qx,qy,qz,qw,tx,ty,tz\n{rows}")).expect("written");
    let arm = arm();
    let values: String = (0..500).map(|i| format!("{}\n", 0.005 * f64::from(i))).collect();
    let (urdf, configurations) = (arm.path("arm.urdf"), arm.put("q.csv", format!("turn\n{values}")));
    for (at, more) in [
        ([&robot, "--at", "0:0.4:0.1"], &["--clearance", "0.01"][..]),
        ([&two, "--poses", shown(&poses)], &["--depth", "none"]),
        ([&two, "--poses", shown(&poses)], &["--first"]),
        ([shown(&urdf), "--configurations", shown(&configurations)], &[]),
    ] {
        let check = [&["check"], &at[..], more, &["--fail-on", "never"]].concat();
        let expected = run(&check);
        let found = run(&[&check[..], &["--backend", "gpu", "--adapter", device.name()]].concat());
        let [before, after] = [&expected, &found].map(|output| String::from_utf8_lossy(&output.stderr));
        assert!(expected.status.success() && found.status.success(), "{before} {after}");
        assert!(!expected.stdout.is_empty() && found.stdout == expected.stdout, "{at:?}");
        let note = format!("--backend gpu: {} searched ", device.name());
        let told = after.split_once(&note).expect("a note").1;
        let pairs: u64 = told.split(' ').next().expect("a number").parse().expect("a number");
        assert!(pairs > 0 && told.contains(" pairs for contacts, in ") && !before.contains("gpu"), "{after}");
    }
}

/// Checks that a sweep gives the same bytes for every generated motion, and that the device proves stretches
/// free.
pub fn the_report_of_a_sweep_is_that_of_the_cpu(device: Device) {
    let scenes = [
        ("bouncing-tori", "1000", "0.1"),
        ("fast-plates", "10", "0"),
        ("robot", "8", "0.002"),
        ("torus-path", "2000", "0"),
        ("pipes-path", "3000", "0"),
        ("screw", "5000", "0"),
        ("car-door", "5000", "0.01"),
    ];
    for &(name, size, clearance) in of_a_run(&scenes, 3) {
        let (dir, path) = motion(name, size);
        let of = |backend: &[&str], out: &str| {
            decided("sweep", &path, &dir.path().join(out), &[&["--clearance", clearance], backend].concat())
        };
        let (expected, _) = of(&["--backend", "simd"], "simd");
        let (report, record) = of(&["--backend", "gpu", "--adapter", device.name()], "gpu");
        assert!(report == expected, "{name}");
        let counts = &record["device"];
        println!("{name}: {} of {} stretches proven", counts["stretches_apart"], counts["stretches"]);
        assert!(counts["failure"].is_null() && counts["stretches"].as_u64() > Some(0), "{name}");
        assert!(counts["stretches_apart"].as_u64() > Some(0), "{name}");
    }
}

/// Checks that a sweep of 16 384 moving parts, whose candidate pairs the device finds, gives the same bytes.
pub fn a_sweep_of_many_parts_is_that_of_the_cpu(device: Device) {
    let (dir, path) = motion("fast-plates", "16384");
    let of = |backend: &[&str], out: &str| decided("sweep", &path, &dir.path().join(out), backend);
    let (expected, _) = of(&["--backend", "simd"], "simd");
    let (report, record) = of(&["--backend", "gpu", "--adapter", device.name()], "gpu");
    assert!(report == expected);
    let counts = &record["device"];
    println!("{} tests and {} pairs of boxes", counts["broad_tests"], counts["broad_pairs"]);
    assert!(counts["failure"].is_null() && counts["broad_boxes"].as_u64() >= Some(64 * 32_768));
    assert!(counts["broad_pairs"].as_u64() > Some(0) && counts["stretches"].as_u64() > Some(0));
}

/// Checks that a sweep by interval tests gives the same bytes, and that the device tests other boxes for it
/// than for the default.
pub fn a_sweep_by_intervals_is_that_of_the_cpu(device: Device) {
    let scenes = [("torus-path", "2000"), ("robot", "8"), ("screw", "5000"), ("bouncing-tori", "1000")];
    let mut box_tests = [0; 3];
    for &(name, size) in of_a_run(&scenes, 2) {
        let (dir, path) = motion(name, size);
        let of = |method: &str, backend: &[&str]| {
            let out = dir.path().join(format!("{method}-{}", backend[1]));
            decided("sweep", &path, &out, &[&["--clearance", "0.002", "--method", method], backend].concat())
        };
        let on_device = ["--backend", "gpu", "--adapter", device.name()];
        let (expected, _) = of("interval", &["--backend", "simd"]);
        let [swept, interval, redon] = ["swept", "interval", "redon"].map(|method| {
            let (report, record) = of(method, &on_device);
            assert!(report == expected, "{name}, {method}");
            record["device"].clone()
        });
        for (counts, box_tests) in [&swept, &interval, &redon].into_iter().zip(&mut box_tests) {
            println!(
                "{name}: {} of {} stretches proven, {} box tests",
                counts["stretches_apart"], counts["stretches"], counts["box_tests"]
            );
            assert!(counts["failure"].is_null() && counts["stretches_apart"].as_u64() > Some(0), "{name}");
            *box_tests += counts["box_tests"].as_u64().expect("a count");
        }
    }
    assert!(box_tests[0] != box_tests[1] && box_tests[0] != box_tests[2], "{box_tests:?}");
}

/// Checks that `auto` leaves a software adapter alone, also where a hardware GPU would be worth it, and that
/// a check of few pairs takes no device at all.
pub fn auto_takes_no_software_adapter(device: Device) {
    let auto = Strategy::default().on_device_if_worthwhile();
    let work = |pairs| Workload { asked: Asked::Check, pairs, triangles: 20_000.0, threads: 1 };
    assert!(work(10_000_000).is_worth_a_device() && !work(10).is_worth_a_device());
    let opened = Opened::default();
    assert_eq!(settled(auto, &work(10), &opened), Strategy::default());
    assert_eq!(opened.0.load(Relaxed), 0);
    let chosen = settled(auto, &work(10_000_000), &opened);
    assert_eq!(opened.0.load(Relaxed), 1);
    if device.is_software() {
        assert_eq!(chosen, Strategy::default());
        assert_eq!(chosen.backend(), "simd");
    }
    // A strategy that has a device keeps it.
    let on_device = Strategy::default().on(device).expect("it has kernels");
    assert_eq!(settled(on_device, &work(10), &opened), on_device);

    for (command, (dir, path)) in [("check", scene("boxes", "60")), ("sweep", motion("robot", "8"))] {
        let (_, record) = decided(command, &path, &dir.path().join("out"), &[]);
        assert_eq!(record["backend"], "simd");
        assert!(record.get("adapter").is_none() && record.get("device").is_none());
    }
}

/// Counts the devices that are opened.
#[derive(Default)]
struct Opened(AtomicUsize);

impl Observer for Opened {
    fn opens_device(&self, open: &mut dyn FnMut()) {
        self.0.fetch_add(1, Relaxed);
        open();
    }
}

/// Checks that Ctrl-C ends a run with one line. It leaves nothing behind, or, where a fast device has decided
/// pairs by then, their rows alone.
#[cfg(unix)]
pub fn an_interrupted_run_leaves_nothing_behind(device: Device) {
    let (dir, path) = scene("boxes", "30000");
    let out = dir.path().join("out");
    let on_device = ["--backend", "gpu", "--adapter", device.name(), "--clearance", "0.2", "--quiet"];
    let arguments = [&["check", &path, "--out", shown(&out)], &on_device[..]].concat();
    let child = program(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let started = Instant::now();
    while !out.exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "the directory is claimed");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(output.stdout.is_empty());
    let told = String::from_utf8_lossy(&output.stderr);
    if told == "interrupted\n" {
        assert!(!out.exists());
    } else {
        assert!(told.starts_with("stopped after ") && told.lines().count() == 1, "{told}");
        let left: Vec<_> = std::fs::read_dir(&out)
            .expect("it is kept")
            .map(|file| file.expect("a file").file_name())
            .collect();
        assert_eq!(left, ["rows.cfr"]);
    }
}

#[cfg(not(unix))]
pub fn an_interrupted_run_leaves_nothing_behind(_: Device) {}

/// Checks the refusal without an adapter. Needs none, but a Vulkan loader that can be told to find none.
pub fn without_an_adapter_the_backend_is_refused() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let dir = tempfile::tempdir().expect("a directory");
    let (_scene, path) = scene("boxes", "24");
    let out = dir.path().join("out");
    let output = program(&["check", &path, "--backend", "gpu", "--out", shown(&out)])
        .env("VK_ICD_FILENAMES", "/nonexistent")
        .env("VK_DRIVER_FILES", "/nonexistent")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert_eq!((output.status.code(), said.matches('\n').count()), (Some(2), 1), "{said}");
    assert!(said.contains("no compute adapter was found") && output.stdout.is_empty() && !out.exists());
}

/// Checks that all adapters are listed, the one that is tested among them.
pub fn devices_are_listed(device: Device) {
    let output = run(&["devices", "--json", "--threads", "1"]);
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let adapters = listed["adapters"].as_array().expect("a list");
    let names: Vec<&str> = adapters.iter().map(|adapter| adapter["name"].as_str().expect("a name")).collect();
    assert!(names.contains(&device.name()), "{} of {names:?}", device.name());
    assert!(adapters.iter().zip(0..).all(|(adapter, number)| adapter["number"] == number));
    let pays: Vec<_> = (listed["auto"]["check"].as_array().expect("sizes").iter())
        .map(|pays| pays["from_pairs"].as_u64().expect("a device pays beside one thread"))
        .collect();
    assert!(pays.len() > 1 && pays.is_sorted_by(|few, many| few > many), "{pays:?}");
    let output = run(&["devices"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(names.iter().all(|name| text.contains(name)) && text.contains("--backend auto"), "{text}");
}

/// Checks what is said without an adapter.
pub fn without_an_adapter_none_is_listed() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let mut devices = program(&["devices"]);
    let devices = devices.env("VK_ICD_FILENAMES", "/nonexistent").env("VK_DRIVER_FILES", "/nonexistent");
    let output = devices.output().expect("it runs");
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(output.stdout, b"No compute adapter was found: all runs use the CPU.\n");
}
