//! The header is what the sources give, and the examples of C and C++ are compiled, linked and run as a user
//! does it, with the shared library and with the static one, by pkg-config and by CMake. What needs a program
//! that is not installed shows as ignored.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};

type Outcome<T> = Result<T, Failed>;

fn main() -> ExitCode {
    let mut trials = vec![
        Trial::test("the_header_is_what_the_sources_give", header),
        Trial::test("the_files_for_other_builds_have_the_version", versions),
    ];
    let libraries = ["so", "a"].map(|suffix| (suffix, installed(suffix).expect("the library of this build")));
    let shared = libraries[0].1.join("lib/libclosefit.so");
    trials.push(needing(&["readelf"], "the_shared_library_has_a_versioned_name", move || {
        let said = run(Command::new("readelf").arg("-d").arg(&shared))?;
        let has_name = said.lines().any(|line| line.contains("SONAME") && line.contains(SONAME));
        if has_name { Ok(()) } else { Err(said.into()) }
    }));
    for (suffix, prefix) in &libraries {
        let prefix = prefix.clone();
        trials.push(needing(&["cmake", "gcc"], &format!("cmake::{suffix}"), move || with_cmake(&prefix)));
    }
    let examples = [("hello.c", "gcc", HELLO), ("contacts.c", "gcc", CONTACTS), ("world.cpp", "g++", WORLD)];
    for (example, compiler, expected) in examples {
        for (suffix, prefix) in &libraries {
            let compile =
                Compile { example, compiler, prefix: prefix.clone(), program: format!("{example}-run") };
            trials.push(needing(&[compiler, "pkg-config"], &format!("{example}::{suffix}"), move || {
                let said = run(&mut Command::new(compile.program()?))?;
                same(&said, expected)
            }));
        }
        let (prefix, program) = (libraries[0].1.clone(), format!("{example}-leak"));
        let compile = Compile { example, compiler, prefix, program };
        trials.push(needing(
            &[compiler, "pkg-config", "valgrind"],
            &format!("{example}::no_leak"),
            move || {
                let kinds = ["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect"];
                let program = compile.program()?;
                run(Command::new("valgrind").args(kinds).arg("--error-exitcode=9").arg(program)).map(drop)
            },
        ));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Output of the examples.
const HELLO: &str = "touch: no, distance: 0.25, from 1 0 0
verdict: clearance
on itself: 16 pairs of triangles, first 0 and 0
meet: yes, after 2.00000 s
";
const CONTACTS: &str = "curve 0: 4 long, closed: yes
curve 1: 4 long, closed: yes
they share 0.5
the bar touches itself in 0 places
world 0: 4 points, 0.125 deep, normal 0 0 1
world 1: 4 points, 0 deep, normal 0 0 1
world 2: 0 points
";
const WORLD: &str = "frame 10: bodies 0 and 1 are 0.5 apart
frame 11: bodies 0 and 1 are 0.25 apart
frame 12: bodies 0 and 1 are 0 apart
at the end, pairs in contact: 1
a contact ended, at 0.00000 of the step
a contact was brief, at 0.37500 of the step
refused: there is no body 7 in the world
";

/// A project that finds the library as users do.
const CMAKE: &str = "cmake_minimum_required(VERSION 3.16)
project(hello C)
find_package(closefit 0.1 CONFIG REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE closefit::closefit)
";

/// The name of the shared library for the loader, for which a program asks.
const SONAME: &str = "libclosefit.so.0.1";

/// A test that shows as ignored if one of the programs is not installed.
fn needing(programs: &[&str], name: &str, test: impl FnOnce() -> Outcome<()> + Send + 'static) -> Trial {
    let is_there = |program: &&&str| Command::new(program).arg("--version").output().is_ok();
    match programs.iter().find(|program| !is_there(program)) {
        None => Trial::test(name, test),
        Some(missing) => {
            Trial::test(format!("{name} ({missing} is not installed)"), || Ok(())).with_ignored_flag(true)
        }
    }
}

/// Compares the header with that which cbindgen makes from the sources.
fn header() -> Outcome<()> {
    let mut text = Vec::new();
    cbindgen::generate(package())?.write(&mut text);
    let kept = package().join("include/closefit.h");
    if fs::read(&kept).unwrap_or_default() == text {
        return Ok(());
    }
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("closefit.h");
    fs::write(&made, text)?;
    Err(format!("the sources give another header: cp {} {}", made.display(), kept.display()).into())
}

/// Compares the versions that pkg-config and CMake find with the package's.
fn versions() -> Outcome<()> {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("closefit.pc", format!("Version: {version}\n")),
        ("closefit-config-version.cmake", format!("set(PACKAGE_VERSION {version})\n")),
    ] {
        if !fs::read_to_string(package().join(file))?.contains(&line) {
            return Err(format!("{file} has no line {line}").into());
        }
    }
    Ok(())
}

/// Installs the library of this build as users do, in one of its forms, and returns the folder.
fn installed(suffix: &str) -> Outcome<PathBuf> {
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("capi-{suffix}"));
    let _ = fs::remove_dir_all(&prefix);
    let built = env::current_exe()?.with_file_name("");
    run(Command::new(package().join("install")).args([&prefix, &built]))?;
    let other = if suffix == "so" { "libclosefit.a" } else { "libclosefit.so" };
    fs::remove_file(prefix.join("lib").join(other))?;
    Ok(prefix)
}

/// Builds an example with the files for CMake of an installed library, and runs it.
fn with_cmake(prefix: &Path) -> Outcome<()> {
    let project = prefix.join("project");
    fs::create_dir_all(&project)?;
    fs::write(project.join("CMakeLists.txt"), CMAKE)?;
    fs::copy(package().join("examples/hello.c"), project.join("hello.c"))?;
    let (build, where_it_is) = (project.join("build"), format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    run(Command::new("cmake").arg("-S").arg(&project).arg("-B").arg(&build).arg(where_it_is))?;
    run(Command::new("cmake").arg("--build").arg(&build))?;
    same(&run(&mut Command::new(build.join("hello")))?, HELLO)
}

/// An example, the compiler of its language, the folder of an installed library, and the name of the program.
struct Compile {
    example: &'static str,
    compiler: &'static str,
    prefix: PathBuf,
    program: String,
}

impl Compile {
    /// Compiles the example with what pkg-config says, and returns the program.
    fn program(&self) -> Outcome<PathBuf> {
        let lib = self.prefix.join("lib");
        let is_static = lib.join("libclosefit.a").exists();
        let mut ask = Command::new("pkg-config");
        ask.env("PKG_CONFIG_PATH", lib.join("pkgconfig")).args(["--cflags", "--libs", "closefit"]);
        let flags = run(ask.args(is_static.then_some("--static")))?;
        let program = self.prefix.join(&self.program);
        let standard = if self.compiler == "gcc" { "-std=c11" } else { "-std=c++17" };
        let mut compile = Command::new(self.compiler);
        compile.args([standard, "-Wall", "-Wextra", "-pedantic", "-Werror"]);
        compile.arg(package().join("examples").join(self.example)).arg("-o").arg(&program);
        compile.args(flags.split_whitespace()).arg(format!("-Wl,-rpath,{}", lib.display()));
        run(&mut compile)?;
        Ok(program)
    }
}

/// Runs a program and returns what it prints.
fn run(command: &mut Command) -> Outcome<String> {
    let Output { status, stdout, stderr } = command.output()?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&stdout).into_owned());
    }
    Err(format!("{command:?}: {status}\n{}", String::from_utf8_lossy(&stderr)).into())
}

fn same(said: &str, expected: &str) -> Outcome<()> {
    if said == expected { Ok(()) } else { Err(format!("it says:\n{said}rather than:\n{expected}").into()) }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
