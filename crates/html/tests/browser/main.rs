//! Tests of pages in a real browser: Chromium, found as `CLOSEFIT_CHROMIUM` or on the path. Without it they
//! show as ignored, with the reason.
//!
//! Each page is opened at `#selftest`, where it walks through what a person would do, and says what went
//! wrong.

#[path = "../made/mod.rs"]
#[allow(dead_code)]
mod made;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

/// Sizes of windows.
const DESK: &str = "1600,900";
const PHONE: &str = "500,844";

/// A walk through a page: its name, the size of the window, and what makes the page.
type Walk = (&'static str, &'static str, fn() -> Vec<u8>);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let browser = chromium();
    let tests: [Walk; 8] = [
        ("a_check_walks_through_its_page", DESK, made::gearbox),
        ("a_check_walks_through_its_page_on_a_phone", PHONE, made::gearbox),
        ("a_sweep_walks_through_its_page", DESK, made::robot),
        ("a_sweep_of_a_joint_walks_through_its_page", DESK, made::joint),
        ("a_page_without_findings_walks_through", DESK, made::apart),
        ("a_page_without_pictures_draws_them_for_paper", DESK, made::unpictured),
        ("hostile_names_run_nothing", DESK, made::hostile),
        ("parts_without_findings_may_be_left_out", DESK, made::boxes),
    ];
    let trials = tests.map(|(name, size, page)| match browser.clone() {
        Some(browser) => Trial::test(name, move || walk(&browser, (name, size), &page())),
        None => Trial::test(format!("{name} (no Chromium)"), || Ok(())).with_ignored_flag(true),
    });
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}

/// Finds the browser: what the environment says is not searched for elsewhere.
fn chromium() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CLOSEFIT_CHROMIUM") {
        return Some(path.into());
    }
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// Opens a page at its test, and reads what it found.
fn walk(browser: &Path, (name, size): (&str, &str), page: &[u8]) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(format!("{name}.html"));
    std::fs::write(&file, page)?;
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader"])
        .args(["--enable-unsafe-swiftshader", "--enable-logging=stderr", "--v=0"])
        .arg(format!("--window-size={size}"))
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .args(["--dump-dom", "--virtual-time-budget=60000"])
        .arg(format!("file://{}#selftest", file.display()))
        .output()?;
    let dom = String::from_utf8_lossy(&output.stdout);
    let log = String::from_utf8_lossy(&output.stderr);
    // How fast the software driver is says nothing about the page.
    let is_of_driver = |line: &str| line.contains("GL Driver Message (OpenGL, Performance");
    if let Some(line) = log.lines().find(|line| line.contains("CONSOLE") && !is_of_driver(line)) {
        return Err(format!("the console says: {line}").into());
    }
    if dom.contains("data-ran") {
        return Err("a name has run as script".into());
    }
    let begin = dom.find("data-selftest=\"").ok_or_else(|| format!("the page says nothing: {log}"))?;
    let said = &dom[begin..];
    let said = &said[..said.find('>').unwrap_or(said.len())];
    match said.contains("&quot;failed&quot;:[]") && !said.contains("&quot;passed&quot;:0") {
        true => Ok(()),
        false => Err(said.to_owned().into()),
    }
}
