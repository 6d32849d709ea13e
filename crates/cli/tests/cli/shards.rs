//! Runs in shards: what is merged has the bytes of one machine's run, and nothing that is missing, doubtful
//! or of another run gets into it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use closefit_testing::command::*;
use closefit_testing::rng::Rng;
use tempfile::TempDir;

/// A scene of some hundred near pairs, and the arguments of a run.
struct Run {
    dir: TempDir,
    arguments: Vec<String>,
}

/// The files of a run whose bytes do not depend on time.
const FILES: [&str; 3] = ["report.json", "pairs.csv", "issues.csv"];

impl Run {
    fn new(scene: [&str; 2], arguments: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let [name, size] = scene;
        run(&["generate", name, "--size", size, "--seed", "5", "--out", shown(dir.path())]);
        let file = if arguments[0] == "check" { format!("{name}.glb") } else { format!("{name}/scene.json") };
        let all = [&arguments[..1], &[&file], &arguments[1..]].concat();
        let arguments = all.into_iter().map(str::to_owned).collect();
        Self { dir, arguments }
    }

    fn check() -> Self {
        Self::new(["boxes", "150"], &["check", "--clearance", "0.2m"])
    }

    fn sweep() -> Self {
        Self::new(["fast-plates", "60"], &["sweep", "--clearance", "0.05m", "--intervals"])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Runs it with more arguments.
    fn with(&self, more: &[&str]) -> Output {
        let arguments: Vec<&str> =
            self.arguments.iter().map(String::as_str).chain(more.iter().copied()).collect();
        closefit(&arguments).current_dir(self.dir.path()).output().unwrap()
    }

    fn shard(&self, shard: &str, out: &str, more: &[&str]) -> Output {
        self.with(&[&["--shard", shard, "--out", out], more].concat())
    }

    fn merge(&self, arguments: &[&str]) -> Output {
        closefit(&[&["merge"], arguments].concat()).current_dir(self.dir.path()).output().unwrap()
    }

    /// Returns the bytes of the files of a run.
    fn found(&self, out: &str) -> Vec<u8> {
        FILES.map(|file| fs::read(self.path(out).join(file)).unwrap()).concat()
    }

    /// Runs on one machine, and returns what it prints and writes.
    fn whole(&self) -> (Output, Vec<u8>) {
        let output = self.with(&["--out", "whole"]);
        (output, self.found("whole"))
    }

    /// Runs all shards, in a random order, by several means.
    fn in_shards(&self, of: u32, out: &str) {
        let means =
            [&[][..], &["--threads", "1"], &["--backend", "scalar"], &["--tree", "kdop14", "--resume"]];
        let mut rng = Rng::new("order", of.into());
        let mut left: Vec<u32> = (1..=of).collect();
        while !left.is_empty() {
            let number = left.swap_remove(rng.index(left.len()));
            let more = [&["--quiet"], means[rng.index(means.len())]].concat();
            let output = self.shard(&format!("{number}/{of}"), out, &more);
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{number}/{of}");
            assert!(output.stdout.is_empty());
        }
    }
}

/// Returns the only line of stderr of a run that was refused.
fn refused(output: &Output) -> String {
    let line = text(&output.stderr);
    assert_eq!((output.status.code(), line.matches('\n').count()), (Some(2), 1), "{line}");
    assert!(output.stdout.is_empty());
    line.trim_end().to_owned()
}

/// Returns a text without its last lines, which have the time and the next command.
fn without_time(output: &Output) -> &str {
    let text = text(&output.stdout).trim_end();
    let text = text.rsplit_once("\nNext: ").map_or(text, |(text, _)| text);
    text.rsplit_once('\n').expect("a summary").0
}

#[test]
fn shards_merge_to_the_bytes_of_one_machine() {
    // Each shard is a process: only full runs start a thousand of them.
    let numbers: &[u32] = if closefit_testing::is_full_run() { &[1, 2, 7, 64, 500] } else { &[1, 2, 7, 64] };
    for one in [Run::check(), Run::sweep()] {
        let (whole, bytes) = one.whole();
        for &of in numbers {
            let out = format!("run{of}");
            one.in_shards(of, &out);
            let merged = one.merge(&[&out, "--out", "merged"]);
            assert_eq!(merged.status.code(), whole.status.code());
            assert_eq!(text(&merged.stderr), text(&whole.stderr), "the same notes");
            assert_eq!(without_time(&merged), without_time(&whole));
            assert!(one.found("merged") == bytes, "{of} shards");
            assert!(!one.path(&out).join("missing.txt").exists());
            assert!(!one.path("merged").join("rows.cfr").exists());
        }
    }
}

/// The plan has what the whole run was asked for beside its report.
#[test]
fn a_merge_does_all_that_the_run_was_asked_for() {
    let one = Run::check();
    let rules = "closefit-rules = 1\nunit = \"mm\"\n[groups]\nfew = { name = \"box_1*\" }\n\
        [[rule]]\nid = \"r\"\na = \"few\"\nb = { name = \"*\" }\nclearance = 100\n\
        [[require]]\nid = \"apart\"\na = \"few\"\nclearance = 1\n";
    fs::write(one.path("rules.toml"), rules).unwrap();
    let asked = ["--rules", "rules.toml", "--way-out", "--group", "type", "--cross-check", "obb"];
    let whole = one.with(&[&asked[..], &["--out", "whole", "--markdown", "whole.md", "--json"]].concat());
    for number in 1..=3 {
        let more = [&asked[..], &["--markdown=merged.md", "--threads", "1", "--fail-on", "never"]].concat();
        let output = one.shard(&format!("{number}/3"), "run", &more);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(!one.path("merged.md").exists());
    }
    let merged = one.merge(&["run", "--out", "merged", "--json"]);
    assert_eq!((merged.status.code(), text(&merged.stderr)), (whole.status.code(), text(&whole.stderr)));
    assert!(merged.stdout == whole.stdout);
    assert!(one.found("merged") == one.found("whole"));
    let read = |name: &str| fs::read(one.path(name)).unwrap();
    // Its pictures lie in a folder of its name.
    let markdown = String::from_utf8(read("merged.md")).unwrap().replace("merged-", "whole-");
    assert!(markdown.into_bytes() == read("whole.md"));
    assert!(read("merged/certificate.json") == read("whole/certificate.json"));
}

#[test]
fn missing_shards_are_named() {
    let one = Run::check();
    let (_, bytes) = one.whole();
    for number in [1, 2, 4, 7] {
        one.shard(&format!("{number}/7"), "run", &[]);
    }
    // A shard that has not come to its end.
    let output = one.shard("5/7", "run", &["--budget", "3pairs"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let line = refused(&one.merge(&["run", "--out", "merged"]));
    assert_eq!(line, "error: missing 3 of 7 shards: 3, 5-6 (run/missing.txt has them)");
    assert_eq!(fs::read_to_string(one.path("run/missing.txt")).unwrap(), "3,5-6\n");
    assert!(!one.path("merged").exists());

    let partial = one.merge(&["run", "--out", "merged", "--partial"]);
    assert_eq!(partial.status.code(), Some(1));
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(one.path("merged/report.json")).unwrap()).unwrap();
    let pairs = report["pairs"].as_array().unwrap();
    let missing = pairs.iter().filter(|pair| pair["contained"]["undecidable"] == "shard missing");
    assert_eq!(missing.count() as u64, report["ledger"]["undecided"].as_u64().unwrap());
    assert!(text(&partial.stderr).contains("merge again once the missing shards are there"));

    for number in [3, 5, 6] {
        let output = one.shard(&format!("{number}/7"), "run", &["--resume"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    one.merge(&["run", "--out", "merged"]);
    assert!(one.found("merged") == bytes);
    assert!(!one.path("run/missing.txt").exists());
}

/// Shards of different numbers, in several directories, are merged if they have all pairs together.
#[test]
fn any_cover_of_the_pairs_is_merged() {
    let one = Run::check();
    let (_, bytes) = one.whole();
    one.shard("1/2", "a", &[]);
    for number in [2, 4, 6] {
        one.shard(&format!("{number}/6"), "b", &[]);
    }
    refused(&one.merge(&["a", "--out", "merged"]));
    // Chunks of a sixth are thirds of those of a half.
    one.in_shards(6, "c");
    one.merge(&["a", "c", "--out", "merged"]);
    assert!(one.found("merged") == bytes);
}

#[test]
fn another_run_is_refused() {
    let one = Run::check();
    one.shard("1/2", "run", &[]);
    let line = refused(&one.shard("2/2", "run", &["--tolerance", "5mm"]));
    assert!(line.starts_with("error: run/plan.json: it is of another run: tolerance was 0.0"), "{line}");
    assert!(line.ends_with(", is 0.005 m"), "{line}");
    assert_eq!(
        refused(&one.shard("2/3", "run", &[])),
        "error: run/plan.json: it is of 2 shards, not 3: use another directory"
    );
    let lies = refused(&one.shard("1/2", "run", &[]));
    assert_eq!(
        lies,
        "error: run/shard-1-of-2.cfr: contains an unfinished run (100 %): use --resume or --restart"
    );
    // The rows of another run under the name of a shard.
    one.shard("2/2", "other", &["--tolerance", "5mm"]);
    fs::copy(one.path("other/shard-2-of-2.cfr"), one.path("run/shard-2-of-2.cfr")).unwrap();
    let line = refused(&one.merge(&["run", "--out", "merged"]));
    assert!(
        line.starts_with("error: run/shard-2-of-2.cfr: it is of another run: tolerance was 0.005 m"),
        "{line}"
    );
    let line = refused(&one.merge(&["run", "other", "--out", "merged"]));
    assert!(line.starts_with("error: run/shard-2") || line.starts_with("error: other/plan.json: "), "{line}");
    let line = refused(&one.merge(&["none", "--out", "merged"]));
    assert!(line.starts_with("error: none: it has no plan.json"), "{line}");
    // A scene that has changed since.
    one.shard("2/2", "run", &["--restart"]);
    run(&["generate", "boxes", "--size", "149", "--seed", "5", "--out", shown(one.dir.path())]);
    let line = refused(&one.merge(&["run", "--out", "merged"]));
    assert!(line.contains("it is of another run: scene was "), "{line}");
    assert!(!one.path("merged").exists());
}

#[test]
fn a_damaged_byte_of_a_shard_is_never_merged() {
    let one = Run::check();
    let (_, bytes) = one.whole();
    one.in_shards(3, "run");
    let file = one.path("run/shard-2-of-3.cfr");
    let rows = fs::read(&file).unwrap();
    let mut rng = Rng::new("damage", 1);
    for round in 0..closefit_testing::cases(16) {
        let mut damaged = rows.clone();
        match round % 2 {
            0 => damaged[rng.index(rows.len())] ^= 1 << (round / 2 % 8),
            _ => damaged.truncate(rng.index(rows.len())),
        }
        fs::write(&file, &damaged).unwrap();
        let line = refused(&one.merge(&["run", "--out", "merged"]));
        let is_told = line.contains("missing 1 of 3 shards: 2") || line.contains("shard-2-of-3.cfr: it is");
        assert!(is_told, "{line}");
        assert!(!one.path("merged").exists());
    }
    let output = one.shard("2/3", "run", &["--restart"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    one.merge(&["run", "--out", "merged"]);
    assert!(one.found("merged") == bytes);
}

#[test]
fn a_scheduler_gives_the_number() {
    let one = Run::check();
    let auto = |shard: &str, variables: &[(&str, &str)]| {
        let arguments: Vec<&str> = one.arguments.iter().map(String::as_str).collect();
        let mut command =
            closefit(&[&arguments[..], &["--shard", shard, "--out", "run", "--resume"]].concat());
        for name in ["SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "JOB_COMPLETION_INDEX"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied()).current_dir(one.dir.path()).output().unwrap()
    };
    let none = refused(&auto("auto", &[("SLURM_ARRAY_TASK_ID", "1")]));
    assert_eq!(none, "error: --shard auto: run has no plan.json that says how many: auto/N");
    let none = refused(&auto("auto/3", &[]));
    assert!(none.starts_with("error: --shard auto: cannot determine the number of the shard"), "{none}");
    for (variable, value, file) in [
        ("SLURM_ARRAY_TASK_ID", "3", "shard-3-of-3.cfr"),
        ("JOB_COMPLETION_INDEX", "0", "shard-1-of-3.cfr"),
        ("PBS_ARRAY_INDEX", "2", "shard-2-of-3.cfr"),
    ] {
        // A resubmitted task has the number of its plan, and not of what was submitted with it.
        let shard = if file.starts_with("shard-3") { "auto/3" } else { "auto" };
        let output = auto(shard, &[(variable, value)]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(one.path("run").join(file).exists());
    }
    let wrong = refused(&auto("auto", &[("SLURM_ARRAY_TASK_ID", "0")]));
    assert!(wrong.contains("SLURM_ARRAY_TASK_ID is 0: 0/3: shards count from 1 to 3"), "{wrong}");
    let wrong = refused(&auto("auto", &[("SLURM_ARRAY_TASK_ID", "x")]));
    assert!(wrong.contains("SLURM_ARRAY_TASK_ID is 'x', which is no number"), "{wrong}");
    assert_eq!(one.merge(&["run", "--out", "merged"]).status.code(), one.whole().0.status.code());
}

#[test]
fn a_shard_and_a_plan_are_small_and_told() {
    let one = Run::check();
    let output = one.shard("1/2", "run", &[]);
    let line = text(&output.stderr);
    assert!(line.starts_with("shard 1/2: ") && line.ends_with(" candidate pairs are decided\n"), "{line}");
    let names = |dir: &Path| {
        let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&one.path("run")), ["plan.json", "shard-1-of-2.cfr"]);
    let plan: serde_json::Value =
        serde_json::from_slice(&fs::read(one.path("run/plan.json")).unwrap()).unwrap();
    let schema = fs::read(root().join("schema/plan.schema.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_slice(&schema).unwrap();
    let found = jsonschema::validator_for(&schema).unwrap();
    found.validate(&plan).unwrap();
    assert_eq!(plan["arguments"], serde_json::json!(["check", "boxes.glb", "--clearance", "0.2m"]));
    assert_eq!(plan["shards"], 2);
    // What a shard cannot have.
    for wrong in ["0/2", "3/2", "auto/", "x"] {
        refused(&one.shard(wrong, "run", &[]));
    }
    refused(&one.with(&["--shard", "1/2"]));
}
