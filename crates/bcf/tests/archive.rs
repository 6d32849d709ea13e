//! Archives, read back: every document is XML, refers to what is there, and shows both parts of its finding.

#![allow(clippy::disallowed_methods)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use closefit_bcf::{Options, Per, Version, archive};
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::{Part, Scene, Up};
use closefit_geometry::units::Unit;
use closefit_report::CheckReport;
use closefit_report::diff::Review;
use closefit_report::document::StatusOfPair;
use closefit_report::groups::Grouping;
use closefit_views::Views;
use glam::DVec3;
use roxmltree::{Document, Node};

const VERSIONS: [Version; 2] = [Version::V2_1, Version::V3_0];

/// Names as no program should write them.
const HOSTILE: [&str; 8] = [
    "<img src=x onerror=alert(1)>",
    "]]></Title><Title>",
    "\u{202e}gnp.exe \u{5d0}\u{5d1}",
    "nul \0, bell \u{7}, \u{fffe} and \u{ffff}",
    "a\nb\r\n\tc",
    "&amp; \" ' &#0; %s",
    "",
    " \u{a0} ",
];

/// The triangles of a box from 0 to 1, outwards.
const CUBE: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// Blocks of 1 m along the x axis, each of which reaches 10 cm into the next; every second one has a
/// GlobalId.
fn scene(names: &[String]) -> Scene {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
    let mesh = Mesh::new(&(0..8).map(corner).collect::<Vec<_>>(), &CUBE).expect("a cube");
    let part = |(index, name): (usize, &String)| Part {
        guid: (index % 2 == 0).then(|| format!("{index:0>22}").into()),
        kind: Some(if index < 4 { "IfcWall".into() } else { name.as_str().into() }),
        model: "model".into(),
        file: "model.glb".into(),
        ..Part::new(name.as_str(), MeshId(0), Pose::translation([0.9 * index as f64, 0.0, 0.0]))
    };
    Scene {
        unit: Some(Unit::M),
        up: Some(Up::Y),
        meshes: vec![mesh.into()],
        parts: names.iter().enumerate().map(part).collect(),
        ..Scene::default()
    }
}

fn hostile() -> Scene {
    let long = ["x".repeat(65_536), "\u{1f600}".repeat(9_000)];
    scene(&HOSTILE.map(str::to_owned).into_iter().chain(long).collect::<Vec<_>>())
}

fn report(scene: &Scene) -> CheckReport {
    let result = closefit::Assembly::from(scene.clone()).check(&Default::default()).expect("a check");
    CheckReport::new(scene, result).with_groups(&Grouping::default())
}

fn options(version: Version) -> Options {
    Options {
        version,
        per: Per::Pair,
        limit: 1000,
        author: "me@example.com".to_owned(),
        date: "2026-11-25T18:00:00Z".parse().expect("a date"),
        review: Review::default(),
        origin: [100.0, 200.0, 300.0],
    }
}

/// Returns the files of an archive by their names.
fn files(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip file");
    let count = zip.len();
    let read = |index: usize| {
        let mut file = zip.by_index(index).expect("a file");
        let mut contents = Vec::new();
        file.read_to_end(&mut contents).expect("its contents");
        (file.name().expect("UTF-8").into_owned(), contents)
    };
    (0..count).map(read).collect()
}

fn written(scene: &Scene, report: &CheckReport, options: &Options) -> BTreeMap<String, Vec<u8>> {
    files(&archive(&Views::of(scene, report), options).expect("an archive").bytes)
}

/// Calls `see` with every document, by its name.
fn documents(files: &BTreeMap<String, Vec<u8>>, mut see: impl FnMut(&str, &Document)) {
    for (name, contents) in files.iter().filter(|(name, _)| !name.ends_with(".png")) {
        let text = std::str::from_utf8(contents).expect("UTF-8");
        see(name, &Document::parse(text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}")));
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, path: &str) -> Node<'a, 'i> {
    path.split('/').fold(node, |node, name| {
        let found = node.children().find(|child| child.has_tag_name(name));
        found.unwrap_or_else(|| panic!("{path} in {}", node.tag_name().name()))
    })
}

fn text<'a>(node: Node<'a, '_>, path: &str) -> &'a str {
    child(node, path).text().unwrap_or_default()
}

fn point(node: Node, path: &str) -> DVec3 {
    let [x, y, z] = ["X", "Y", "Z"].map(|axis| text(child(node, path), axis).parse().expect("a number"));
    DVec3::new(x, y, z)
}

#[test]
fn hostile_names_break_no_document() {
    let (scene, report) = {
        let scene = hostile();
        (scene.clone(), report(&scene))
    };
    assert_eq!(report.pairs.len(), HOSTILE.len() + 1);
    for version in VERSIONS {
        let files = written(&scene, &report, &options(version));
        let mut titles = 0;
        documents(&files, |name, document| {
            assert!(!document.descendants().any(|node| node.has_tag_name("img")), "{name}");
            for node in document.descendants().filter(|node| node.is_element() && !node.has_children()) {
                // Version 3.0 allows no empty text.
                let is_empty = node.text().is_none_or(|text| text.trim().is_empty());
                let has_content = node.attributes().len() > 0 || node.has_tag_name("ExtensionSchema");
                assert!(!is_empty || has_content, "{name}: {}", node.tag_name().name());
            }
            titles += document.descendants().filter(|node| node.has_tag_name("Title")).count();
        });
        assert_eq!(titles, report.pairs.len());
        let largest =
            files.iter().filter(|(name, _)| name.ends_with(".bcf")).map(|(_, file)| file.len()).max();
        assert!(largest < Some(4_000), "{largest:?}");
    }
}

/// Each topic has its three files, which name each other.
#[test]
fn every_topic_has_a_markup_a_viewpoint_and_a_snapshot() {
    let scene = hostile();
    let report = report(&scene);
    for version in VERSIONS {
        let files = written(&scene, &report, &options(version));
        assert!(files.contains_key("bcf.version") && files.contains_key("project.bcfp"));
        assert_eq!(files.contains_key("extensions.xml"), version == Version::V3_0);
        let folders: Vec<&str> = files.keys().filter_map(|name| name.strip_suffix("/markup.bcf")).collect();
        assert_eq!(folders.len(), report.pairs.len());
        for folder in folders {
            let file = |name: &str| &files[&format!("{folder}/{name}")];
            let [markup, viewpoint] =
                ["markup.bcf", "viewpoint.bcfv"].map(|name| std::str::from_utf8(file(name)).unwrap());
            let (markup, viewpoint) = (Document::parse(markup).unwrap(), Document::parse(viewpoint).unwrap());
            let topic = child(markup.root_element(), "Topic");
            assert_eq!(topic.attribute("Guid"), Some(folder));
            assert_eq!(topic.attribute("TopicStatus"), Some("Open"));
            let described = match version {
                Version::V2_1 => child(markup.root_element(), "Viewpoints"),
                Version::V3_0 => child(topic, "Viewpoints/ViewPoint"),
            };
            assert_eq!(described.attribute("Guid"), viewpoint.root_element().attribute("Guid"));
            assert_eq!(text(described, "Snapshot"), "snapshot.png");
            assert_eq!(text(described, "Viewpoint"), "viewpoint.bcfv");
            assert_eq!(&file("snapshot.png")[1..4], b"PNG");
            assert_eq!(text(topic, "CreationDate"), "2026-11-25T18:00:00Z");
            assert_eq!(text(topic, "CreationAuthor"), "me@example.com");
        }
    }
}

/// Returns a text of each topic by the keys of its pairs.
fn of_topics(files: &BTreeMap<String, Vec<u8>>, of: impl Fn(Node) -> String) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    documents(files, |name, document| {
        if name.ends_with("markup.bcf") {
            let topic = child(document.root_element(), "Topic");
            let keys =
                text(topic, "Description").lines().find_map(|line| line.strip_prefix("closefit-pairs: "));
            found.insert(keys.expect("keys").to_owned(), of(topic));
        }
    });
    found
}

/// Walls of one kind are told apart by their numbers, and parts with one name by keys.
#[test]
fn no_two_topics_have_the_same_title() {
    let numbered: Vec<String> = (0..9).map(|i| format!("wall:{i}")).collect();
    for (names, per, added) in [
        (numbered.clone(), Per::Pair, 0),
        (numbered, Per::Group, 0),
        (vec!["wall".to_owned(); 9], Per::Pair, 2),
        (hostile().parts.iter().map(|part| part.name.to_string()).collect(), Per::Pair, 0),
    ] {
        let scene = scene(&names);
        let report = report(&scene);
        let files = written(&scene, &report, &Options { per, ..options(Version::V2_1) });
        let titles = of_topics(&files, |topic| text(topic, "Title").to_owned());
        let distinct: BTreeSet<&String> = titles.values().collect();
        assert_eq!(distinct.len(), titles.len(), "{titles:?}");
        let brackets = titles.values().map(|title| title.matches('(').count()).max();
        assert!(brackets >= Some(added), "{titles:?}");
    }
}

/// Topics that people have approved or resolved are closed, with what they said.
#[test]
fn a_review_closes_topics() {
    let names: Vec<String> = (0..4).map(|i| format!("block {i}")).collect();
    let scene = scene(&names);
    let report = report(&scene);
    let [first, second, third] = [0, 1, 2].map(|i| &report.pairs[i].sides.key[..]);
    let group =
        report.groups.iter().find(|group| group.pairs.iter().any(|key| **key == *third)).expect("its group");
    let said = |key: &str, status: &str| {
        format!(r#""{key}": {{ "status": "{status}", "comment": "RFI <{status}>" }}"#)
    };
    let statuses = [said(first, "approved"), said(second, "open"), said(&group.key, "resolved")].join(",");
    let review = format!(r#"{{ "closefit-review": 1, "statuses": {{ {statuses} }} }}"#);
    let review = Review::read(review.as_bytes()).expect("a review");
    for version in VERSIONS {
        let files = written(&scene, &report, &Options { review: review.clone(), ..options(version) });
        let found = of_topics(&files, |topic| {
            format!("{} {}", topic.attribute("TopicStatus").unwrap(), text(topic, "Description"))
        });
        let [first, second, third] = [first, second, third].map(|key| &found[key][..]);
        assert!(first.starts_with("Closed") && first.contains("; approved, RFI <approved>"), "{first}");
        assert!(second.starts_with("Open") && second.contains("; open, RFI <open>"), "{second}");
        assert!(third.starts_with("Closed") && third.contains("; resolved"), "{third}");
    }
}

/// The keys in a description are those of the report, so that a status finds its way back.
#[test]
fn every_pair_is_in_one_topic() {
    let scene = hostile();
    let report = report(&scene);
    for per in [Per::Group, Per::Pair] {
        let files = written(&scene, &report, &Options { per, ..options(Version::V2_1) });
        let mut keys = Vec::new();
        documents(&files, |name, document| {
            if name.ends_with("markup.bcf") {
                let description = text(document.root_element(), "Topic/Description");
                let listed = description.lines().find_map(|line| line.strip_prefix("closefit-pairs: "));
                keys.extend(listed.expect("keys").split(',').map(str::to_owned));
            }
        });
        keys.sort();
        let mut expected: Vec<String> = report.pairs.iter().map(|pair| pair.sides.key.to_string()).collect();
        expected.sort();
        assert_eq!(keys, expected);
    }
}

/// The camera of each topic looks at both of its parts: the box of each meets the cone of what it sees.
#[test]
fn cameras_see_both_parts() {
    let names: Vec<String> = (0..6).map(|i| format!("block {i}")).collect();
    let scene = scene(&names);
    let report = report(&scene);
    let files = written(&scene, &report, &options(Version::V3_0));
    let mut seen = 0;
    documents(&files, |name, document| {
        let Some(folder) = name.strip_suffix("/viewpoint.bcfv") else { return };
        let markup = std::str::from_utf8(&files[&format!("{folder}/markup.bcf")]).unwrap().to_owned();
        let camera = child(document.root_element(), "PerspectiveCamera");
        let [place, direction, up] =
            ["CameraViewPoint", "CameraDirection", "CameraUpVector"].map(|name| point(camera, name));
        assert!((direction.length() - 1.0).abs() < 1e-9 && (up.length() - 1.0).abs() < 1e-9);
        assert!(direction.dot(up).abs() < 1e-9);
        let half = (text(camera, "FieldOfView").parse::<f64>().unwrap() / 2.0).to_radians().tan();
        let pair = report.pairs.iter().find(|pair| markup.contains(&*pair.sides.key)).expect("its pair");
        for part in pair.sides.ids {
            // x east, y up and z south in the scene; metres with z up, and an origin, in the file.
            let lo = DVec3::new(100.0 + 0.9 * f64::from(part), 199.0, 300.0);
            let is_seen = (0..1000).any(|i| {
                let [x, y, z] = [i % 10, i / 10 % 10, i / 100].map(|k| (f64::from(k) + 0.5) / 10.0);
                let p = lo + DVec3::new(x, y, z) - place;
                let depth = p.dot(direction);
                let [across, along] = [direction.cross(up), up].map(|axis| p.dot(axis).abs());
                depth > 0.0 && along < half * depth && across < half * depth * 4.0 / 3.0
            });
            assert!(is_seen, "part {part} from {place} along {direction}");
            seen += 1;
        }
    });
    assert_eq!(seen, 10);
}

#[test]
fn parts_are_selected_by_global_id_or_key_in_two_colours() {
    let names: Vec<String> = (0..2).map(|i| format!("block {i}")).collect();
    let scene = scene(&names);
    let report = report(&scene);
    for version in VERSIONS {
        let archive = archive(&Views::of(&scene, &report), &options(version)).expect("an archive");
        assert_eq!(
            archive.notes,
            ["1 of 2 parts in BCF topics have no GlobalId, so viewers may not find them"]
        );
        documents(&files(&archive.bytes), |name, document| {
            if !name.ends_with(".bcfv") {
                return;
            }
            let colour = |colour: &str| {
                let colour = document
                    .descendants()
                    .find(|node| node.attribute("Color") == Some(colour))
                    .expect(colour);
                colour.descendants().filter(|node| node.has_tag_name("Component")).collect::<Vec<_>>()
            };
            let (first, second) = (colour("D55E00"), colour("0072B2"));
            assert_eq!(first[0].attribute("IfcGuid"), Some("0000000000000000000000"));
            assert_eq!(text(second[0], "AuthoringToolId"), "model/block 1");
            let visibility = child(document.root_element(), "Components/Visibility");
            assert_eq!(visibility.attribute("DefaultVisibility"), Some("true"));
        });
    }
}

#[test]
fn all_words_of_version_3_are_in_its_extensions() {
    let scene = hostile();
    let mut report = report(&scene);
    report.pairs[0].rule.rule = Some("E-A".into());
    report.pairs[0].rule.severity = Some("major".into());
    report.pairs[0].status = StatusOfPair::accepted().into();
    let files = written(&scene, &report, &options(Version::V3_0));
    let extensions = std::str::from_utf8(&files["extensions.xml"]).unwrap();
    let extensions = Document::parse(extensions).unwrap();
    let words = |name: &str| -> Vec<&str> {
        extensions
            .descendants()
            .filter(|node| node.has_tag_name(name))
            .filter_map(|node| node.text())
            .collect()
    };
    let mut closed = 0;
    documents(&files, |name, document| {
        if !name.ends_with("markup.bcf") {
            return;
        }
        let topic = child(document.root_element(), "Topic");
        assert!(words("TopicType").contains(&topic.attribute("TopicType").unwrap()));
        assert!(words("TopicStatus").contains(&topic.attribute("TopicStatus").unwrap()));
        closed += usize::from(topic.attribute("TopicStatus") == Some("Closed"));
        assert!(words("User").contains(&text(topic, "CreationAuthor")));
        for (word, list) in [("Label", "TopicLabel"), ("Priority", "Priority")] {
            for node in topic.descendants().filter(|node| node.has_tag_name(word)) {
                assert!(words(list).contains(&node.text().unwrap()), "{word}");
            }
        }
    });
    assert_eq!((closed, words("Priority")), (1, vec!["major"]));
}

/// The same input gives the same bytes, and a topic keeps its identifier when others come and go.
#[test]
fn topics_last() {
    let names: Vec<String> = (0..5).map(|i| format!("block {i}")).collect();
    let folders = |names: &[String]| -> Vec<String> {
        let scene = scene(names);
        let report = report(&scene);
        let bytes =
            || archive(&Views::of(&scene, &report), &options(Version::V2_1)).expect("an archive").bytes;
        assert!(bytes() == bytes());
        let files = files(&bytes());
        files.keys().filter_map(|name| name.strip_suffix("/markup.bcf")).map(str::to_owned).collect()
    };
    let (few, many) = (folders(&names[..3]), folders(&names));
    assert_eq!((few.len(), many.len()), (2, 4));
    assert!(few.iter().all(|folder| many.contains(folder)));
}

#[test]
fn issues_beyond_the_limit_are_counted() {
    let scene = hostile();
    let report = report(&scene);
    for version in VERSIONS {
        let files = written(&scene, &report, &Options { limit: 3, ..options(version) });
        let mut titles = Vec::new();
        documents(&files, |name, document| {
            if name.ends_with("markup.bcf") {
                titles.push(text(document.root_element(), "Topic/Title").to_owned());
            }
        });
        let more = format!("{} more issues", report.pairs.len() - 3);
        assert_eq!(
            (titles.len(), titles.iter().filter(|title| **title == more).count()),
            (4, 1),
            "{titles:?}"
        );
    }
}

#[test]
fn a_scene_without_a_unit_is_refused() {
    let mut scene = hostile();
    scene.unit = None;
    let report = report(&scene);
    let refused = archive(&Views::of(&scene, &report), &options(Version::V2_1)).expect_err("no unit");
    assert!(refused.to_string().contains("--unit"), "{refused}");
}
