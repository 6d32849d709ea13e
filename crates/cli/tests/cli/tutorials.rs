//! The tutorials, done as a reader does them: every command runs, and prints what the page shows.

use std::fs;
use std::path::Path;
use std::process::Command;

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;

/// Does a tutorial in a folder with the examples and the program. Commands that build or install are left
/// out.
fn does(page: &str) {
    let folder = Folder::new();
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let file = entry.unwrap().path();
        folder.put(Path::new("examples").join(file.file_name().unwrap()), fs::read(&file).unwrap());
    }
    let program = program_path();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let text = fs::read_to_string(root().join("docs/tutorials").join(page)).unwrap();
    let mut printed = String::new();
    let mut commands = 0;
    for block in text.split("\n```").skip(1).step_by(2) {
        let (kind, body) = block.split_once('\n').unwrap();
        match kind {
            "sh" if !body.starts_with("cargo ") => {
                let mut shell = Command::new("bash");
                shell
                    .args(["-c", body])
                    .env("PATH", &path)
                    .env_remove("COLUMNS")
                    .current_dir(folder.path(""));
                let output = shell.output().unwrap();
                let told = String::from_utf8(output.stderr).unwrap();
                let is_wrong = |line: &str| !line.starts_with("note: ") && !line.starts_with("progress: ");
                let wrong: Vec<&str> = told.lines().filter(|line| is_wrong(line)).collect();
                assert!(matches!(output.status.code(), Some(0 | 1)) && wrong.is_empty(), "{body}{told}");
                printed = String::from_utf8(output.stdout).unwrap();
                commands += 1;
            }
            "text" => {
                let lines: Vec<&str> = printed.lines().collect();
                for line in body.lines().filter(|line| *line != " ...") {
                    assert!(lines.contains(&line), "{page}: not printed: {line}\n{printed}");
                }
            }
            _ => {}
        }
    }
    assert!(commands >= 3, "{page}");
}

#[test]
fn a_building_is_checked() {
    does("building.md");
}

#[test]
fn a_machine_is_checked() {
    does("machine.md");
}

#[test]
fn a_robot_is_checked() {
    does("robot.md");
}

#[test]
fn many_scenes_are_checked() {
    does("farm.md");
}

#[test]
fn methods_are_studied() {
    does("research.md");
}
