//! Data flows one way: no module names one that comes later in the flow. And the code keeps the measures that
//! CONTRIBUTING.md promises.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates of more than one layer, by the folders of their sources, and their modules in the order of the
/// flow; those on one line come before all on the next. A nested module in another layer than its parent has
/// its own entry; macros stand at the root of their crate. Between crates the compiler keeps the order.
const CRATES: [(&str, &[&[&str]]); 4] = [
    (
        "crates/geometry/src",
        &[
            &[
                "clock", "executor", "ids", "units", "text", "memory", "pool", "parallel", "math", "lanes",
                "dispatch", "execute", "in_lanes",
            ],
            &["bounds"],
            &["mesh", "motion"],
            &["scene"],
            &["hull"],
            &["exact"],
            &["lib"],
        ],
    ),
    (
        "src",
        &[
            &["gpu"],
            &["narrow"],
            &["continuous"],
            &["bvh"],
            &["broad"],
            &["collision_mesh", "posed_mesh", "collide", "pair_memory"],
            &["world", "pair_batch"],
            &["query"],
            &[
                "motion_queries",
                "engine",
                "verdict",
                "contact_geometry",
                "overlap_volume",
                "self_contacts",
                "world::advance",
            ],
            &["assembly", "pose_batch", "protrusion", "vertex_distances", "worlds"],
            &["lib"],
        ],
    ),
    (
        "crates/methods/src",
        &[
            &["counted", "leaf_pairs", "moving_boxes", "with_mesh"],
            &["closest"],
            &["binary_obb", "volumes", "box_tree"],
            &["octree"],
            &["anytime", "kind"],
            &["recipe"],
            &["lib"],
        ],
    ),
    // Commands see settings, and no flag: `command` alone names both.
    (
        "crates/cli/src",
        &[
            &["machine", "outcome", "bars", "errors", "files", "terminal"],
            &["progress"],
            &["settings"],
            &["certificate", "joints", "row_lines", "pair_commands"],
            &["pair_results"],
            &["check_results", "cross_check", "merge_rows", "diff"],
            &["check", "check_rows", "sweep", "batch"],
            &[
                "slack",
                "joint_box",
                "audit",
                "inspect",
                "verify",
                "waive",
                "generate",
                "report",
                "bench",
                "reproduce",
                "devices",
            ],
            &["flags"],
            &["command"],
            &["lib", "main"],
        ],
    ),
];

/// Returns the layer of a path such as `mesh::topology::Topology`. The longest entry that is a prefix of it
/// decides.
fn layer(layers: &[&[&str]], path: &str) -> usize {
    let starts = |entry: &str| path == entry || path.starts_with(&format!("{entry}::"));
    let entries = layers.iter().enumerate().flat_map(|(i, names)| names.iter().map(move |name| (i, *name)));
    let found = entries.filter(|(_, name)| starts(name)).max_by_key(|(_, name)| name.len());
    found.unwrap_or_else(|| panic!("{path} has no layer: add it to CRATES")).0
}

/// Returns the module of a file: `mesh::topology` for `mesh/topology/mod.rs` below a folder of sources.
fn module_of(file: &Path, folder: &str) -> String {
    let relative = file.strip_prefix(folder).expect("below the folder").with_extension("");
    let names: Vec<_> = relative.iter().map(|name| name.to_str().expect("UTF-8")).collect();
    names.join("::").trim_end_matches("::mod").to_owned()
}

/// Returns every path after `crate::` in code (not comments), with the names of `crate::{a, b::c}`
/// separately.
fn named(source: &str) -> Vec<String> {
    let code: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or(line)).collect();
    let code = code.join(" ");
    let is_name = |c: char| c.is_alphanumeric() || "_:".contains(c);
    let path = |text: &str| text.split(|c| !is_name(c)).next().unwrap_or("").trim_matches(':').to_owned();
    let uses = code.split("crate::").skip(1);
    uses.flat_map(|rest| match rest.strip_prefix('{') {
        Some(group) => group.split('}').next().unwrap_or("").split(',').map(|p| path(p.trim())).collect(),
        None => vec![path(rest)],
    })
    .filter(|path| !path.is_empty())
    .collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let rust = files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "rs"));
    rust.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

#[test]
fn no_module_names_a_later_one() {
    let mut wrong = Vec::new();
    for (folder, layers) in CRATES {
        let files = sources(Path::new(folder));
        assert!(files.len() > 20, "{folder} is read from the workspace's root");
        for file in &files {
            let module = module_of(file, folder);
            let source = fs::read_to_string(file).expect("UTF-8");
            let own = layer(layers, &module);
            let later = named(&source).into_iter().filter(|path| layer(layers, path) > own);
            wrong.extend(later.map(|path| format!("{folder}: {module} names {path}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The folders of the kinds of trees that the default is compared with, and the folders of other kinds on
/// which they are built by design.
const TREES: [(&str, &[&str]); 4] =
    [("binary_obb", &[]), ("volumes", &[]), ("box_tree", &[]), ("octree", &["volumes"])];

/// Then no kind can build or ask another's tree. The default, `wide_obb`, is of a crate that knows no others.
#[test]
fn no_kind_of_tree_names_another() {
    let kinds = fs::read_to_string("crates/methods/src/kind.rs").expect("UTF-8");
    let used = |folder: &str| kinds.contains(&format!("use crate::{folder}::"));
    let folders = fs::read_dir("crates/methods/src").expect("a folder").map(|entry| entry.expect("readable"));
    let listed: Vec<String> = (folders.map(|entry| entry.file_name().into_string().expect("UTF-8")))
        .filter(|name| used(name))
        .collect();
    assert_eq!(listed.len(), TREES.len(), "{listed:?}: a kind's folder must be in TREES");
    for (folder, allowed) in TREES {
        for file in sources(&Path::new("crates/methods/src").join(folder)) {
            let source = fs::read_to_string(&file).expect("UTF-8");
            let shipped = source.split("#[cfg(test)]").next().unwrap_or_default();
            let others = TREES.iter().map(|(other, _)| *other).chain(["wide_obb"]);
            for other in others.filter(|other| *other != folder && !allowed.contains(other)) {
                let names = ["super::", "crate::", "bvh::"].map(|from| format!("{from}{other}::"));
                let code = shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
                let mut naming = code.filter(|line| names.iter().any(|name| line.contains(name)));
                assert_eq!(naming.next(), None, "{} names {other}", file.display());
            }
        }
    }
}

/// The files that may name rayon: the seams of pools and of loops, and the harness beside other engines,
/// whose pool of the calling thread no question may leave.
const NAMING_RAYON: [&str; 3] =
    ["crates/geometry/src/pool.rs", "crates/geometry/src/parallel.rs", "benches/peers/src/engine.rs"];

/// A loop of rayon costs four times as much code as one of `parallel`, in each place that has it.
#[test]
fn two_files_name_rayon() {
    let files = READ.iter().flat_map(|folder| sources(Path::new(folder)));
    let path = ["rayon", "::"].concat();
    let names = |file: &PathBuf| {
        let source = fs::read_to_string(file).expect("UTF-8");
        source.lines().any(|line| line.split("//").next().is_some_and(|code| code.contains(&path)))
    };
    let mut naming: Vec<String> = files.filter(names).map(|file| file.display().to_string()).collect();
    naming.sort_unstable();
    let mut allowed = NAMING_RAYON;
    allowed.sort_unstable();
    assert_eq!(naming, allowed);
}

/// The folders of all code.
const READ: [&str; 5] = ["src", "crates", "tests", "benches", "examples"];

/// The largest number of lines of a function, and of columns of a comment.
const LINES: usize = 80;
const COLUMNS: usize = 110;

#[test]
fn functions_fit_on_a_screen() {
    let mut long = Vec::new();
    for file in ["src", "crates"].iter().flat_map(|folder| sources(Path::new(folder))) {
        let source = fs::read_to_string(&file).expect("UTF-8");
        for (name, lines) in functions(&source).into_iter().filter(|&(_, lines)| lines > LINES) {
            long.push(format!("{}: {name} has {lines} lines", file.display()));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// Returns the functions of a formatted source with bodies of several lines, and the lines of each.
fn functions(source: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let begins = |line: &str| {
        let code = line.trim_start();
        !code.starts_with("//") && (code.starts_with("fn ") || code.contains(" fn "))
    };
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| begins(line)) {
        let indent = line.len() - line.trim_start().len();
        let is_end = |line: &&&str| line.len() - line.trim_start().len() <= indent && line.trim() == "}";
        // A declaration ends with a semicolon before any body.
        let head =
            lines[at..].iter().take_while(|line| !line.ends_with('{')).any(|line| line.ends_with([';', '}']));
        let end = lines[at..].iter().position(|line| is_end(&line)).filter(|_| !head);
        let name =
            line.split("fn ").nth(1).and_then(|rest| rest.split(['(', '<']).next()).unwrap_or_default();
        found.extend(end.map(|end| (name, end + 1)));
    }
    found
}

#[test]
fn comments_are_as_wide_as_code() {
    let mut wide = Vec::new();
    for file in READ.iter().flat_map(|folder| sources(Path::new(folder))) {
        let source = fs::read_to_string(&file).expect("UTF-8");
        let mut is_example = false;
        for (number, line) in
            source.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"))
        {
            let text = line.trim_start().trim_start_matches(['/', '!']).trim_start();
            is_example ^= text.starts_with("```");
            // Rows of tables have no second line.
            if line.chars().count() > COLUMNS && !is_example && !text.starts_with('|') {
                wide.push(format!("{}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

/// Words with which a sentence puts something else before its subject.
const BEFORE_A_SUBJECT: [&str; 32] = [
    "After", "Although", "Among", "And", "As", "At", "Because", "Before", "Below", "Beside", "Between",
    "But", "By", "For", "From", "How", "If", "In", "Of", "On", "Since", "So", "There,", "To", "Unless",
    "When", "What", "Where", "Whether", "Which", "With", "Without",
];

#[test]
fn documents_begin_with_their_subject() {
    let mut wrong = Vec::new();
    for file in ["src", "crates"].iter().flat_map(|folder| sources(Path::new(folder))) {
        let source = fs::read_to_string(&file).expect("UTF-8");
        let mut is_first = true;
        for (number, line) in source.lines().enumerate() {
            let text = line.trim_start().strip_prefix("/// ");
            let word = text.and_then(|text| text.split(' ').next()).filter(|_| is_first);
            if word.is_some_and(|word| BEFORE_A_SUBJECT.contains(&word)) {
                wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim_start()));
            }
            is_first = !line.trim_start().starts_with("///");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Words that nobody says in plain technical English, and the closefit words for what has a common name.
const REFUSED: [&str; 20] = [
    "that of",
    "those of",
    "is asked",
    "are asked",
    "asked about",
    "asked against",
    "asked for",
    "beside",
    "anew",
    "likewise",
    "stand still",
    "stands still",
    "goes on with",
    "as one likes",
    "is refused",
    "are refused",
    "no fault of",
    "near pair",
    "near pairs",
    "ledger",
];

/// Words that pages do not need either.
const REFUSED_ON_PAGES: [&str; 6] = ["goes on", "go on", "tells", "is told", "are told", "of which"];

/// Returns the prose of a line: without what is code.
fn prose(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("_").to_lowercase()
}

/// Returns what is wrong with the words of a line, if anything is, where some more are refused.
fn refused_word(line: &str, more: &[&'static str]) -> Option<&'static str> {
    let prose = prose(line);
    let is_word = |at: usize, word: &str| {
        let before = prose[..at].chars().next_back();
        let after = prose[at + word.len()..].chars().next();
        !before.into_iter().chain(after).any(char::is_alphanumeric)
    };
    let said = |word: &&'static str| prose.match_indices(*word).any(|(at, _)| is_word(at, word));
    let begins_with_so = line.starts_with("So ") || line.contains(". So ") || line.contains("- So ");
    REFUSED.into_iter().chain(more.iter().copied()).find(said).or(begins_with_so.then_some("So"))
}

/// Returns the pages that users read, below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let pages = files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "md"));
    pages.chain(folders.iter().flat_map(|folder| self::pages(folder))).collect()
}

#[test]
fn documents_and_help_are_in_plain_words() {
    let mut wrong = Vec::new();
    let mut check = |file: &Path, text: &str, more: &[&'static str]| {
        if let Some(word) = refused_word(text, more) {
            wrong.push(format!("{}: '{word}': {}", file.display(), text.trim()));
        }
    };
    for file in pages(Path::new("docs")).into_iter().chain([PathBuf::from("README.md")]) {
        let text = fs::read_to_string(&file).expect("UTF-8");
        // Links name anchors and files.
        for line in outside_of_code(&text) {
            check(&file, &line.replace("](", "`](").replace(')', "`)"), &REFUSED_ON_PAGES);
        }
    }
    // The documents of the public interface of the library, and of every crate.
    for file in ["src", "crates"].iter().flat_map(|folder| sources(Path::new(folder))) {
        let is_inner = file.starts_with("src") && file.components().count() > 2;
        if is_inner || file.iter().any(|name| name == "tests" || name == "benches" || name == "examples") {
            continue;
        }
        let source = fs::read_to_string(&file).expect("UTF-8");
        let text = |line: &str| -> Option<String> {
            let line = line.trim_start();
            let text = line.strip_prefix("//! ").or_else(|| line.strip_prefix("/// "))?;
            Some(text.replace(".ledger", "").replace("](", "`](").replace(')', "`)"))
        };
        source.lines().filter_map(text).for_each(|line| check(&file, &line, &[]));
    }
    // The documents of the Python package.
    let package = fs::read_dir("crates/python/python/closefit").expect("a folder");
    for file in package.map(|entry| entry.expect("readable").path()) {
        let Ok(source) = fs::read_to_string(&file) else { continue };
        let documents = source.split("\"\"\"").skip(1).step_by(2);
        documents.flat_map(str::lines).for_each(|line| check(&file, line, &REFUSED_ON_PAGES));
    }
    // The help of flags is their documentation.
    for file in sources(Path::new("crates/cli/src/flags")) {
        let source = fs::read_to_string(&file).expect("UTF-8");
        let is_help = |line: &&str| {
            line.starts_with("    /// ") || (file.ends_with("help.rs") && !line.starts_with("//"))
        };
        source.lines().filter(is_help).for_each(|line| check(&file, line, &REFUSED_ON_PAGES));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the anchor of a heading, as forges make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the lines of a page that are no code.
fn outside_of_code(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

#[test]
fn links_of_documents_lead_somewhere() {
    let others = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "examples/README.md",
    ];
    let mut wrong = Vec::new();
    for file in pages(Path::new("docs")).into_iter().chain(others.map(PathBuf::from)) {
        let text = fs::read_to_string(&file).expect("UTF-8");
        let folder = file.parent().expect("a folder");
        let links = outside_of_code(&text).flat_map(|line| line.split("](").skip(1));
        let links = links.filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http")) {
            let (path, wanted) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { file.clone() } else { folder.join(path) };
            let headings = fs::read_to_string(&target).unwrap_or_default();
            let has = |wanted: &str| {
                let mut headings = outside_of_code(&headings).filter(|line| line.starts_with('#'));
                headings.any(|line| anchor(line.trim_start_matches('#')) == wanted)
            };
            if !target.exists()
                || (!wanted.is_empty() && target.extension().is_some_and(|e| e == "md") && !has(wanted))
            {
                wrong.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files outside of the code that name the repository.
const NAMING_REPOSITORY: [&str; 6] = [
    "CITATION.cff",
    "SECURITY.md",
    "crates/python/pyproject.toml",
    "crates/python/PACKAGE.md",
    ".github/ISSUE_TEMPLATE/config.yml",
    "docs/release.md",
];

/// `.ci/repository` sets the address everywhere, because it is the same everywhere.
#[test]
fn all_files_name_one_repository() {
    let read =
        |file: &Path| fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let manifest = read(Path::new("Cargo.toml"));
    let repository = manifest.lines().find_map(|line| line.strip_prefix("repository = "));
    let repository = repository.expect("an address").trim_matches('"');
    for file in NAMING_REPOSITORY {
        let text = read(Path::new(file));
        let named: Vec<&str> =
            text.split("https://").skip(1).filter(|rest| rest.contains("/closefit")).collect();
        let own = |rest: &&str| {
            let address = rest.split([' ', ')', '"', '`', '\n']).next().unwrap_or_default();
            address.contains("/closefit") && !format!("https://{address}").starts_with(repository)
        };
        assert!(text.contains(repository), "{file} does not name {repository}");
        assert_eq!(named.into_iter().find(own), None, "{file}");
    }
    for entry in fs::read_dir("schema").expect("a folder") {
        let path = entry.expect("readable").path();
        let id = format!("\"$id\": \"{repository}/raw/main/{}\"", path.display());
        assert!(read(&path).contains(&id), "{} has no {id}", path.display());
    }
}

#[test]
fn words_are_refused_in_prose_alone() {
    assert_eq!(refused_word("The depth is that of the pair.", &[]), Some("that of"));
    assert_eq!(refused_word("- So it ends.", &[]), Some("So"));
    assert_eq!(refused_word("A table tells more.", &REFUSED_ON_PAGES), Some("tells"));
    for line in ["`ledger.pairs` counts", "the besides", "a thing that offers", "Solid parts"] {
        assert_eq!(refused_word(line, &REFUSED_ON_PAGES), None, "{line}");
    }
}

/// To find that a library has no doc tests or unit tests takes another compilation, so its manifest may leave
/// them out.
#[test]
fn libraries_whose_tests_are_left_out_have_none() {
    let mut left_out = 0;
    for entry in fs::read_dir("crates").expect("a folder") {
        let folder = entry.expect("readable").path();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let library = manifest.split("[lib]").nth(1).and_then(|rest| rest.split("\n[").next()).unwrap_or("");
        // The package for Python is built as an extension, in which no test can be run.
        if folder.ends_with("python") || !library.contains(" = false") {
            continue;
        }
        left_out += 1;
        for file in sources(&folder.join("src")) {
            let source = fs::read_to_string(&file).expect("UTF-8");
            let has = |beginning: &str| source.lines().any(|line| line.trim_start().starts_with(beginning));
            let has_examples = has("/// ```") || has("//! ```") || source.contains("doc = include_str!");
            assert!(!library.contains("doctest = false") || !has_examples, "{}", file.display());
            let has_tests = has("#[test]") || source.contains("proptest!");
            assert!(!library.lines().any(|line| line == "test = false") || !has_tests, "{}", file.display());
        }
    }
    assert!(left_out > 5, "{left_out}");
}

#[test]
fn paths_are_found_in_code_only() {
    let source = "use crate::math::{pose, exact}; // crate::cli\nuse crate::{ids::PartId, query};\n\
                  fn f() -> crate::engine::Ledger {} //! [`crate::report`]";
    assert_eq!(named(source), ["math", "ids::PartId", "query", "engine::Ledger"]);
    let of_geometry = |path| layer(CRATES[0].1, path);
    assert!(of_geometry("bounds::obb") < of_geometry("mesh::topology"));
    assert!(of_geometry("mesh::topology") < of_geometry("scene"));
}
