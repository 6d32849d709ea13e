//! Checks at many rows: each has the numbers of a check of the scene that is read at that configuration.

use std::fs;
use std::path::{Path, PathBuf};

use closefit::{CheckRequest, DepthDetail, Pool, Unobserved, Verdict};
use closefit_job::{
    CheckOptions, Job, Project, RowOptions, RowSource, RowSummary, joint_values, read, robot_of,
};
use closefit_report::json;
use closefit_scene::read::ReadOptions;
use proptest::prelude::*;
use serde_json::Value;

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/// A crane: a mast that turns on a base, an arm that tilts, a slide on it, and a claw that mimics the slide.
/// The base has two meshes, the second open; the arm is stretched.
fn crane(folder: &Path) -> PathBuf {
    let open: String = CUBE.lines().take(12).map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("cube.obj"), CUBE).unwrap();
    fs::write(folder.join("open.obj"), open).unwrap();
    let link = |name: &str, meshes: &[(&str, &str, &str)]| {
        let visual = |(file, scale, xyz): &(&str, &str, &str)| {
            format!(
                "<visual><origin xyz=\"{xyz}\"/><geometry><mesh filename=\"{file}\" scale=\"{scale}\"/></geometry></visual>"
            )
        };
        format!("<link name=\"{name}\">{}</link>", meshes.iter().map(visual).collect::<String>())
    };
    let joint = |name: &str, kind: &str, ends: [&str; 2], xyz: &str, axis: &str, more: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{}\"/><child link=\"{}\"/>\
             <origin xyz=\"{xyz}\" rpy=\"0.1 -0.2 0.3\"/><axis xyz=\"{axis}\"/>{more}</joint>",
            ends[0], ends[1]
        )
    };
    let text = [
        "<robot name=\"crane\">".to_owned(),
        link("base", &[("cube.obj", "3 3 0.5", "-1.5 -1.5 0"), ("open.obj", "1 1 1", "1 1 0.25")]),
        link("mast", &[("cube.obj", "0.5 0.5 2", "0 0 0")]),
        link("arm", &[("cube.obj", "2 0.25 0.25", "0 0 0")]),
        link("slide", &[("cube.obj", "0.4 0.6 0.3", "0 0 0"), ("open.obj", "0.2 0.2 0.9", "0 0 0")]),
        link("claw", &[("cube.obj", "0.2 0.2 1.1", "0 0 -1")]),
        link("lamp", &[("cube.obj", "0.1 0.1 0.1", "0 0 0")]),
        joint("turn", "continuous", ["base", "mast"], "0 0 0.75", "0 0 1", ""),
        joint("tilt", "revolute", ["mast", "arm"], "0 0 1.5", "0 2 1", "<limit lower=\"0.5\" upper=\"3\"/>"),
        joint("reach", "prismatic", ["arm", "slide"], "0.5 0 0", "1 0 0", "<limit upper=\"1.5\"/>"),
        joint(
            "grip",
            "revolute",
            ["slide", "claw"],
            "0 0 0",
            "0 1 0",
            "<mimic joint=\"reach\" multiplier=\"2\" offset=\"0.5\"/>",
        ),
        joint("bolt", "fixed", ["arm", "lamp"], "2.2 0 0", "1 0 0", ""),
        "</robot>".to_owned(),
    ];
    let path = folder.join("crane.urdf");
    fs::write(&path, text.concat()).unwrap();
    path
}

fn job(paths: &[PathBuf], trajectory: Option<PathBuf>) -> Job {
    let options = ReadOptions { trajectory, unit: Some(closefit::Unit::M), ..ReadOptions::default() };
    Job::new(read(paths, &options, &Unobserved).unwrap(), Project::default()).unwrap()
}

fn rows_of(job: &Job, csv: &Path, request: &CheckRequest, first: bool) -> (Vec<Value>, RowSummary, Vec<u8>) {
    let values = robot_of(job.scene()).unwrap().rest();
    let mut source = RowSource::configurations(csv, job.scene(), values).unwrap();
    let options = RowOptions { ends_at_clash: first, ..RowOptions::default() };
    let fails = |_: [u32; 2], verdict: Verdict| verdict <= Verdict::Undecided;
    let mut out = Vec::new();
    let summary = job.check_rows(&mut source, (request, &options), &fails, &Unobserved, &mut out).unwrap();
    let lines = out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    (lines.map(|line| serde_json::from_slice(line).unwrap()).collect(), summary, out)
}

/// Returns what a row and a report have in common, as text.
fn common(pair: &Value) -> String {
    let keys = ["ids", "a", "b", "verdict", "distance", "depth", "contained", "depth_unknown"];
    keys.iter().map(|key| format!("{key}: {}; ", pair.get(key).unwrap_or(&Value::Null))).collect()
}

fn configurations() -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec([-4.0..4.0_f64, -1.0..4.0_f64, -1.0..2.0_f64], 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn rows_have_the_numbers_of_checks(
        rows in configurations(),
        clearance in prop_oneof![Just(0.0), Just(0.3)],
        depth in prop_oneof![Just(DepthDetail::Full), Just(DepthDetail::Verdict), Just(DepthDetail::None)],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = crane(folder.path());
        fs::write(folder.path().join("floor.obj"), CUBE).unwrap();
        let paths = [path, folder.path().join("floor.obj")];
        let csv = folder.path().join("q.csv");
        let text: String = rows.iter().map(|[turn, tilt, reach]| format!("{reach},{turn},{tilt}\n")).collect();
        fs::write(&csv, format!("reach,turn,tilt\n{text}")).unwrap();
        let request = CheckRequest::default().tolerance(1e-5).clearance(clearance).depth(depth);
        let job_of_all = job(&paths, None);
        let (found, summary, bytes) = rows_of(&job_of_all, &csv, &request, false);
        prop_assert_eq!((found.len(), summary.rows, summary.refused), (rows.len(), rows.len() as u64, 0));
        for (line, [turn, tilt, reach]) in found.iter().zip(rows) {
            let at = folder.path().join("t.csv");
            fs::write(&at, format!("t_s,turn,tilt,reach\n0,{turn},{tilt},{reach}\n")).unwrap();
            let checked = job(&paths, Some(at)).check(&request, &CheckOptions::default(), &Unobserved).unwrap();
            let report: Value = serde_json::from_slice(&json::document(&checked.report)).unwrap();
            let pairs = |of: &Value| of["pairs"].as_array().unwrap().iter().map(common).collect::<Vec<_>>();
            prop_assert_eq!(pairs(line), pairs(&report), "{} {} {}", turn, tilt, reach);
            let worst = checked.report.pairs.iter().map(|pair| pair.verdict).min();
            prop_assert_eq!(line["verdict"] == "clear", worst.is_none());
            let nearest = checked.report.pairs.iter().map(|pair| pair.distance).reduce(f64::min);
            prop_assert_eq!(line["distance"].as_f64(), nearest);
        }
        for threads in [1, 2, 7] {
            let again = Pool::of(threads).install(|| rows_of(&job_of_all, &csv, &request, false).2).unwrap();
            prop_assert_eq!(&again, &bytes);
        }
        // A row that ends at its first clash is the beginning of the whole one.
        let (ended, ..) = rows_of(&job_of_all, &csv, &request, true);
        for (all, ended) in found.iter().zip(&ended) {
            let [all, ended] = [all, ended].map(|row| row["pairs"].as_array().unwrap());
            let clash = all.iter().position(|pair| pair["verdict"] == "clash" || pair["verdict"] == "meets");
            prop_assert_eq!(ended[..].to_vec(), all[..clash.map_or(all.len(), |at| at + 1)].to_vec());
        }
    }
}

#[test]
fn every_tree_gives_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(&[crane(folder.path())], None);
    let csv = folder.path().join("q.csv");
    let rows: String =
        (0..40).map(|i| format!("r{i},{},{}\n", 0.3 * f64::from(i), 0.05 * f64::from(i))).collect();
    fs::write(&csv, format!("id,turn,reach\n{rows}")).unwrap();
    for depth in [DepthDetail::Full, DepthDetail::None] {
        let request = CheckRequest::default().tolerance(1e-5).clearance(0.1).depth(depth);
        let (lines, summary, expected) = rows_of(&job, &csv, &request, false);
        assert_eq!((&lines[7]["row"], &lines[7]["id"]), (&7.into(), &"r7".into()));
        assert!(summary.fails && summary.by_verdict.len() > 1, "{summary:?}");
        for strategy in closefit_methods::strategies() {
            assert_eq!(rows_of(&job, &csv, &request.strategy(strategy), false).2, expected, "{strategy:?}");
        }
    }
}

#[test]
fn rows_that_are_wrong_say_why_and_the_others_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(&[crane(folder.path())], None);
    let csv = folder.path().join("q.csv");
    fs::write(&csv, b"turn,reach\n0,0\n0,x\n1\n1e300,1e300\n0,\xff\n\n0,0\n").unwrap();
    let request = CheckRequest::default().tolerance(1e-5);
    let (lines, summary, _) = rows_of(&job, &csv, &request, false);
    let errors: Vec<&str> = lines.iter().map(|line| line["error"].as_str().unwrap_or("")).collect();
    assert_eq!(errors[..3], ["", "reach: 'x' is not a number", "1 values for 2 columns"]);
    assert!(errors[3].contains("is beyond 2^200"), "{errors:?}");
    assert!(errors[4].starts_with("reach: '") && errors[5..] == [""], "{errors:?}");
    assert_eq!((summary.rows, summary.refused), (6, 4));
    assert_eq!(summary.first_refused, Some((1, "reach: 'x' is not a number".to_owned())));
    assert_eq!(lines[0]["pairs"], lines[5]["pairs"]);
}

#[test]
fn long_cells_are_not_quoted_whole() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(&[crane(folder.path())], None);
    let csv = folder.path().join("q.csv");
    let (long, cut) = ("x".repeat(100_000), format!("'{}…'", "x".repeat(80)));
    fs::write(&csv, format!("turn,reach\n0,{long}\n0,1e{}\n", "9".repeat(100_000))).unwrap();
    let (lines, ..) = rows_of(&job, &csv, &CheckRequest::default().tolerance(1e-5), false);
    assert_eq!(lines[0]["error"], format!("reach: {cut} is not a number"));
    let huge = format!("reach: '1e{}…' is not a finite number", "9".repeat(78));
    assert_eq!(lines[1]["error"], huge);
    fs::write(&csv, format!("turn,{long}\n0,0\n")).unwrap();
    let refused = RowSource::configurations(&csv, job.scene(), Vec::new()).err().unwrap().to_string();
    assert!(refused.ends_with(&format!("q.csv: the header: {cut} is not the name of a joint")), "{refused}");
}

#[test]
fn configurations_that_are_given_have_the_rows_of_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(&[crane(folder.path())], None);
    let csv = folder.path().join("q.csv");
    let rows: Vec<[f64; 2]> = (0..5000).map(|i| [0.003 * f64::from(i), 0.0003 * f64::from(i)]).collect();
    let text: String = rows.iter().map(|[turn, reach]| format!("{turn},{reach}\n")).collect();
    fs::write(&csv, format!("turn,reach\n{text}")).unwrap();
    let request = CheckRequest::default().tolerance(1e-5).depth(DepthDetail::None);
    let (expected, ..) = rows_of(&job, &csv, &request, false);
    let names = ["turn", "reach"].map(str::to_owned);
    let rest = robot_of(job.scene()).unwrap().rest();
    let given = |rows: Vec<f64>| {
        let mut source = RowSource::given_configurations(&names, rows, job.scene(), rest.clone()).unwrap();
        let mut found = Vec::new();
        let options = RowOptions::default();
        let asked = (&request, &options);
        job.for_each_row(
            &mut source,
            asked,
            &Unobserved,
            |row| row,
            |row| {
                found.push(row);
                Ok(())
            },
        )
        .unwrap();
        found
    };
    let found = given(rows.concat());
    assert_eq!(found.len(), rows.len());
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found.row, number as u64);
        let pairs = found.pairs.as_ref().unwrap();
        let listed = expected["pairs"].as_array().unwrap();
        assert_eq!(pairs.len(), listed.len());
        for (pair, row) in pairs.iter().zip(listed) {
            assert_eq!(Some(pair.distance), row["distance"].as_f64());
            assert_eq!(serde_json::json!(pair.ids.map(|id| id.0)), row["ids"]);
        }
    }
    let found = given(vec![0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0]);
    assert!(found[0].pairs.is_ok());
    assert_eq!(found[1].pairs.as_ref().unwrap_err(), "reach: NaN is not a finite number");
    assert_eq!(found[2].pairs, found[0].pairs);
    let refused = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        RowSource::given_configurations(&names, Vec::new(), job.scene(), rest.clone())
            .map(|_| ())
            .unwrap_err()
    };
    assert_eq!(refused(&["turn", "turn"]), "there are two columns 'turn'");
    assert_eq!(refused(&["tern"]), "'tern' is not the name of a joint: did you mean 'turn'?");
    assert_eq!(refused(&[]), "no column is a joint");
}

#[test]
fn headers_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(&[crane(folder.path())], None);
    let refused = |text: &str| {
        let csv = folder.path().join("q.csv");
        fs::write(&csv, text).unwrap();
        let values = robot_of(job.scene()).unwrap().rest();
        let error = RowSource::configurations(&csv, job.scene(), values).map(|_| ()).unwrap_err().to_string();
        error.split_once("q.csv: ").unwrap().1.to_owned()
    };
    assert_eq!(refused(""), "the file is empty");
    assert_eq!(
        refused("turn,title\n"),
        "the header: 'title' is not the name of a joint: did you mean 'tilt'?"
    );
    assert_eq!(refused("id\n"), "the header: no column is a joint");
    assert_eq!(refused("turn,turn\n"), "the header: there are two columns 'turn'");
    assert_eq!(refused("grip\n"), "the header: the joint 'grip' mimics 'reach'");
    assert_eq!(refused("bolt\n"), "the header: the joint 'bolt' is fixed");
    let robot = robot_of(job.scene()).unwrap();
    assert_eq!(robot.rest(), [0.0, 0.5, 0.0, 0.0, 0.0]);
    assert_eq!(joint_values(robot, "tilt=1.5, reach=0.25").unwrap()[1..3], [1.5, 0.25]);
    assert_eq!(joint_values(robot, "tilt=1,tilt=2").unwrap_err(), "there are two values of 'tilt'");
}

#[test]
fn poses_move_the_second_part() {
    let folder = tempfile::tempdir().unwrap();
    let cube = folder.path().join("cube.obj");
    fs::write(&cube, CUBE).unwrap();
    let job = job(&[cube.clone(), cube], None);
    let request = CheckRequest::default().tolerance(1e-6).clearance(1.0);
    let ask = |text: &str| {
        let csv = folder.path().join("p.csv");
        fs::write(&csv, text).unwrap();
        let mut source = RowSource::poses(&csv, job.scene()).map_err(|error| error.to_string())?;
        let (mut out, fails) = (Vec::new(), |_: [u32; 2], _: Verdict| false);
        let options = RowOptions::default();
        let asked = (&request, &options);
        job.check_rows(&mut source, asked, &fails, &Unobserved, &mut out).unwrap();
        Ok::<_, String>(String::from_utf8(out).unwrap())
    };
    let found = ask("id,qx,qy,qz,qw,tx,ty,tz\nfar,0,0,0,1,9,0,0\nnear,0,0,0,2,1.5,0,0\nnone,0,0,0,0,0,0,0\n")
        .unwrap();
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], r#"{"row":0,"id":"far","verdict":"clear","pairs":[],"distance":null}"#);
    let near = r#"{"row":1,"id":"near","verdict":"clearance","pairs":[{"ids":[0,1],"a":"cube","b":"cube","verdict":"clearance","distance":0.5}],"distance":0.5}"#;
    assert_eq!(lines[1], near);
    assert!(lines[2].contains("\"error\":\"qx,qy,qz,qw: the quaternion"), "{}", lines[2]);
    let matrix: Vec<String> = (0..3).flat_map(|i| (0..4).map(move |j| format!("m{i}{j}"))).collect();
    let found = ask(&format!("{}\n1,0,0,1.5,0,1,0,0,0,0,1,0\n", matrix.join(","))).unwrap();
    assert!(found.contains("\"distance\":0.5"), "{found}");
    let refused = ask("x,y\n").unwrap_err();
    assert!(
        refused.contains("the header: the columns 'x,y' are neither qx,qy,qz,qw,tx,ty,tz nor m00,"),
        "{refused}"
    );
}
