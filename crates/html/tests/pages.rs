//! Pages, read back.

#![allow(clippy::disallowed_methods)]

#[allow(dead_code)]
mod made;

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::joint::Motion;
use closefit_html::{Page, html, model};
use closefit_report::diff::Review;
use closefit_views::Views;
use flate2::read::GzDecoder;
use made::{checked, cubes, gearbox, gearbox_scene, hostile, hostile_names, swept, with_a_limit};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Returns the text of an element of a page.
fn element<'p>(page: &'p str, id: &str) -> &'p str {
    let begin = format!("id=\"{id}\">");
    let rest = &page[page.find(&begin).unwrap_or_else(|| panic!("no element {id}")) + begin.len()..];
    &rest[..rest.find("</script>").expect("an end")]
}

fn unpacked(page: &str, id: &str) -> Vec<u8> {
    let bytes = STANDARD.decode(element(page, id)).expect("base64");
    let mut unpacked = Vec::new();
    GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).expect("gzip");
    unpacked
}

fn body(page: &str) -> Value {
    serde_json::from_slice(&unpacked(page, "body")).expect("JSON")
}

/// The rows are those of the report, and the shapes are the meshes to the precision of `f32`.
#[test]
fn a_page_has_all_rows_and_shapes() {
    let scene = gearbox_scene();
    let (job, report) = checked(scene.clone(), 0.0001);
    let made = html(&Views::of(job.scene(), &report), &Page::new(&Review::default(), usize::MAX));
    let page = String::from_utf8(made.bytes).expect("UTF-8");
    let head: Value = serde_json::from_str(element(&page, "head")).expect("JSON");
    let counted: u64 = head["counts"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(counted, report.pairs.len() as u64);
    let body = body(&page);
    for (i, pair) in report.pairs.iter().enumerate() {
        assert_eq!(body["pairs"]["key"][i], *pair.sides.key);
        let at: Option<[f64; 3]> = serde_json::from_value(body["pairs"]["at"][i].clone()).unwrap();
        assert!(at == pair.at || at.is_none() && !body["pairs"]["measure"][i].is_null());
    }
    let in_groups: usize =
        body["groups"].as_array().unwrap().iter().map(|group| group["pairs"].as_array().unwrap().len()).sum();
    assert_eq!(in_groups, report.pairs.len());
    let bytes = unpacked(&page, "geometry");
    let first = &scene.meshes[scene.parts[0].mesh.index()];
    let pose: [f64; 12] = serde_json::from_value(body["parts"]["pose"][0].clone()).unwrap();
    for (i, &vertex) in first.vertices().iter().enumerate() {
        let coordinate = |k: usize| {
            let at = 12 * i + 4 * k;
            f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()))
        };
        let shown = Pose::from(pose).apply([0, 1, 2].map(coordinate).into());
        let exact = scene.parts[0].pose.apply(vertex);
        assert!(shown.distance(exact) < 1e-6 * exact.length().max(1.0), "{shown} is not {exact}");
    }
}

/// Threads and repetition change no byte.
#[test]
fn the_bytes_are_the_same_every_time() {
    let once = gearbox();
    let alone = closefit::Pool::of(1).install(gearbox).expect("a thread");
    assert!(once == gearbox() && once == alone);
}

/// The policy names the script and the style that are there, and lets nothing else run or load.
#[test]
fn the_policy_is_about_what_is_there() {
    let page = String::from_utf8(gearbox()).expect("UTF-8");
    let between = |begin: &str, end: &str| {
        let rest = &page[page.rfind(begin).expect("a beginning") + begin.len()..];
        &rest[..rest.find(end).expect("an end")]
    };
    for (kind, text) in
        [("script", between("<script>", "</script>")), ("style", between("<style>", "</style>"))]
    {
        let digest = STANDARD.encode(Sha256::digest(text));
        assert!(page.contains(&format!("{kind}-src 'sha256-{digest}'")), "{kind}");
    }
    assert!(page.contains("default-src 'none'"));
    let markup = page.replace(between("<script>", "</script>"), "");
    assert!(!markup.contains("src=\"") && !markup.contains("href=\"") && !markup.contains("http:"));
}

/// A page without pictures has all else, views too.
#[test]
fn pictures_may_be_left_out() {
    let (job, report) = checked(gearbox_scene(), 0.0001);
    let review = Review::default();
    let [with, without] = [true, false].map(|has_pictures| {
        let page = Page { has_pictures, ..Page::new(&review, usize::MAX) };
        String::from_utf8(html(&Views::of(job.scene(), &report), &page).bytes).expect("UTF-8")
    });
    assert!(element(&with, "pictures").len() > 10_000);
    assert_eq!(element(&without, "pictures"), "{}");
    for id in ["head", "body", "geometry"] {
        assert_eq!(element(&with, id), element(&without, id));
    }
}

/// The page of a model has the shapes of the page of its report, and says nothing about pairs.
#[test]
fn a_model_can_be_seen_before_its_report() {
    let early = String::from_utf8(model(&gearbox_scene())).expect("UTF-8");
    let late = String::from_utf8(gearbox()).expect("UTF-8");
    assert!(unpacked(&early, "geometry") == unpacked(&late, "geometry"));
    assert_eq!(body(&early)["parts"], body(&late)["parts"]);
    assert_eq!(body(&early)["pairs"]["key"], serde_json::json!([]));
    let head: Value = serde_json::from_str(element(&early, "head")).expect("JSON");
    assert_eq!((&head["command"], &head["counts"]), (&"model".into(), &serde_json::json!({})));
}

#[test]
fn no_name_is_markup() {
    let page = String::from_utf8(hostile()).expect("UTF-8");
    assert_eq!(page.matches("<script").count(), 5, "four elements of data, and the script");
    assert_eq!((page.matches("<title").count(), page.matches("<img").count()), (1, 0));
    let names = body(&page)["parts"]["name"].clone();
    // A mark of direction would turn the words after it.
    let shown = hostile_names().map(|name| {
        let hidden = ["\u{202e}", "\u{2028}", "\u{2029}", "\u{0}", "\u{7}"];
        let escaped = |name: String, mark: &str| name.replace(mark, &mark.escape_unicode().to_string());
        hidden.into_iter().fold(name, escaped)
    });
    assert_eq!(names, serde_json::to_value(shown).unwrap());
}

/// Beyond the limit, parts without findings become boxes, and then nothing; parts with findings stay.
#[test]
fn a_limit_leaves_out_what_has_no_findings() {
    let all = with_a_limit(usize::MAX);
    assert!(all.notes.is_empty());
    let none = with_a_limit(1);
    assert_eq!(none.notes, ["To keep the page small, 3 parts without findings are not drawn."]);
    let mesh = body(&String::from_utf8(none.bytes).unwrap())["parts"]["mesh"].clone();
    assert_eq!(mesh, serde_json::json!([0, 0, null, null, null]));
}

/// A page without any finding is a page.
#[test]
fn a_page_may_be_empty() {
    let (job, report) = checked(cubes(&[("a", 0.0), ("b", 9.0)]), 0.0);
    let made = html(&Views::of(job.scene(), &report), &Page::new(&Review::default(), usize::MAX));
    let body = body(&String::from_utf8(made.bytes).unwrap());
    assert_eq!(body["pairs"]["key"], serde_json::json!([]));
}

/// The stops and ways of a page give the poses of the motion itself at any time, by the rule of the page.
#[test]
fn stops_and_ways_give_the_poses_of_a_motion() {
    for (name, size) in [("robot", 8), ("screw", 5000), ("car-door", 1000)] {
        let (job, report) = swept(name, size, 0.0);
        let made = html(&Views::of(job.scene(), &report), &Page::new(&Review::default(), usize::MAX));
        let body = body(&String::from_utf8(made.bytes).unwrap());
        for (frame, row) in job.scene().frames.all().iter().zip(body["frames"].as_array().unwrap()) {
            let Some(motion) = frame.joint.motion() else { continue };
            for time in times(motion) {
                let shown = way_at(row, time);
                let exact = motion.pose(time);
                let off = shown.iter().zip(exact.rows).map(|(translation, row)| (translation - row[3]).abs());
                assert!(off.fold(0.0, f64::max) < 1e-9, "{name} at {time}");
            }
        }
    }
}

/// Returns keyframe times and times between them.
fn times(motion: &Motion) -> Vec<f64> {
    let between =
        motion.times().windows(2).flat_map(|t| [0.25, 0.7].map(|share| t[0] + share * (t[1] - t[0])));
    motion.times().iter().copied().chain(between).collect()
}

/// Returns the translation at a time, from stops and ways, as `motion.ts` computes it.
fn way_at(row: &Value, time: f64) -> [f64; 3] {
    let numbers = |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).unwrap() };
    let times = numbers(&row["times"]);
    let key = times.iter().rposition(|&t| t <= time).unwrap();
    let start = numbers(&row["stops"][key])[4..7].to_vec();
    if times[key] == time {
        return start.try_into().unwrap();
    }
    let share = (time - times[key]) / (times[key + 1] - times[key]);
    let span = numbers(&row["spans"][key]);
    let vector = |from: &[f64]| glam::DVec3::new(from[0], from[1], from[2]);
    let (start, by, axis, angle) =
        (vector(&start), vector(&span) - vector(&start), vector(&span[3..]), span[6]);
    if span[7] == 0.0 || angle == 0.0 {
        return (start + share * by).into();
    }
    let along = axis * axis.dot(by);
    let (chord, side) = (by - along, axis.cross(by - along));
    let gain = (0.5 * angle * share).sin() / (0.5 * angle).sin();
    let (sin, cos) = (0.5 * angle * (share - 1.0)).sin_cos();
    (start + along * share + (chord * cos + side * sin) * gain).into()
}

/// A file that is called like many others gives its folder's name to the page; any other gives its own.
#[test]
fn titles_of_common_names_come_from_the_folder() {
    for (model, folder, title) in [
        ("scene", Some("line 4 <b>"), "line 4 &lt;b&gt;"),
        ("model", Some("arm"), "arm"),
        ("scene", None, "scene"),
        ("gearbox", Some("arm"), "gearbox"),
    ] {
        let mut scene = cubes(&[("a", 0.0), ("b", 9.0)]);
        scene.parts.iter_mut().for_each(|part| part.model = model.into());
        let (job, report) = checked(scene, 0.0);
        let review = Review::default();
        let page = Page { folder, ..Page::new(&review, usize::MAX) };
        let made = String::from_utf8(html(&Views::of(job.scene(), &report), &page).bytes).unwrap();
        assert!(made.contains(&format!("<title>{title}</title>")), "{model} in {folder:?}");
    }
}
