use glam::DVec3;
use proptest::prelude::*;

use super::*;
use crate::hierarchy::obb8::Obb8;
use closefit_generate::{Request, generate};
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::cases;
use closefit_geometry::mesh::Mesh;

/// Reduces an answer to what does not depend on the order of a search: of triangles in contact, only that
/// some exist.
fn told(answer: Answer) -> Answer {
    match answer {
        Answer::Within(Some((Nearest { distance: 0.0, .. }, _))) => {
            Answer::Within(Some((Nearest { distance: 0.0, triangles: [0; 2] }, [0; 2])))
        }
        Answer::Within(Some((nearest, _))) => Answer::Within(Some((nearest, [0; 2]))),
        other => other,
    }
}

/// Asks in stages, with much and with little room, and compares with a search for each question.
fn compare(questions: &[(PosedObb8, PosedObb8, Question)]) -> Result<Vec<Answer>, TestCaseError> {
    let mut alone = Work::default();
    let expected: Vec<Answer> =
        questions.iter().map(|(a, b, question)| told(question.ask(a, b, &mut alone))).collect();
    for (boxes, leaves) in [(1 << 14, 1 << 14), (64, 64), (64, 8), (0, 0), (4096, 8)] {
        let found = ask(questions, Room { boxes, leaves }, &mut Work::default());
        let found: Vec<Answer> = found.into_iter().map(told).collect();
        prop_assert_eq!(&found, &expected, "room for {} and {}", boxes, leaves);
    }
    Ok(expected)
}

fn questions<'a>(
    a: PosedObb8<'a>,
    b: PosedObb8<'a>,
    limit: f64,
) -> Vec<(PosedObb8<'a>, PosedObb8<'a>, Question)> {
    let limits = [f64::INFINITY, limit, 0.0, -1.0, f64::NAN].map(Question::Within);
    let all = [Question::Contacts, Question::Touches].into_iter().chain(limits);
    all.map(|question| (a, b, question)).collect()
}

fn point() -> impl Strategy<Value = DVec3> {
    let coordinate =
        prop_oneof![6 => -1.0..1.0f64, 2 => (-2..3i32).prop_map(|x| f64::from(x) * 0.5), 1 => Just(0.0)];
    prop::array::uniform3(coordinate).prop_map(DVec3::from_array)
}

/// Triangles, segments and points of all sizes, with repetitions.
fn mesh() -> impl Strategy<Value = Mesh> {
    let triangle = (point(), prop::array::uniform3(point()), prop_oneof![Just(1.0), Just(0.2), Just(0.0)]);
    (prop::collection::vec(triangle, 1..30), 1..4usize).prop_map(|(triangles, copies)| {
        let corners = triangles.iter().flat_map(|(at, t, size)| t.map(|p| *at + p * *size));
        let corners: Vec<DVec3> = corners.collect::<Vec<_>>().repeat(copies);
        let count = u32::try_from(corners.len() / 3).unwrap();
        Mesh::new(&corners, &(0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>()).unwrap()
    })
}

/// Rotated, mirrored, sheared, flattened and distant poses.
fn pose() -> impl Strategy<Value = Pose> {
    let turn =
        prop::array::uniform4(-1.0..1.0f64).prop_filter("a direction", |q| q.iter().any(|x| x.abs() > 0.1));
    let scale = prop_oneof![
        4 => Just([1.0; 3]),
        1 => Just([-1.0, 1.0, 1.0]),
        1 => prop::array::uniform3(0.5..2.0f64),
        1 => Just([1.0, 0.0, 1.0]),
    ];
    (turn, scale, point(), prop_oneof![Just(0.5), Just(2.0), Just(1e6)])
        .prop_map(|(q, s, t, far)| Pose::from_trs(q, s, (t * far).to_array()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(20)))]

    #[test]
    fn stages_find_what_single_searches_find(
        meshes in prop::collection::vec(mesh(), 2..4),
        poses in prop::collection::vec((pose(), pose()), 1..6),
        limit in 0.0..2.0f64,
        scalar in any::<bool>(),
    ) {
        let trees: Vec<Obb8> = meshes.iter().map(Obb8::build).collect();
        let executor = if scalar { Executor::Scalar } else { Executor::Simd };
        let all: Vec<_> = poses.iter().enumerate().flat_map(|(i, (of_a, of_b))| {
            let [a, b] = [&trees[i % trees.len()], &trees[(i + 1) % trees.len()]];
            questions(PosedObb8::new(a, of_a).by(executor), PosedObb8::new(b, of_b).by(executor), limit)
        }).collect();
        compare(&all)?;
    }
}

/// Deep searches: nearly coincident tori, and spheres far from contact.
#[test]
fn hard_pairs_need_no_more_room() {
    let (mut crowded, mut met, mut apart) = (0, 0, 0);
    for (name, size) in [("tori", 800), ("nested", 300)] {
        let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
        let scene = generate(&request).unwrap();
        let trees: Vec<Obb8> = scene.meshes.iter().map(|mesh| Obb8::build(mesh)).collect();
        let [a, b] =
            [0, 1].map(|i| PosedObb8::new(&trees[scene.parts[i].mesh.index()], &scene.parts[i].pose));
        let mut all = questions(a, b, 0.01);
        for shift in [1e-3, 0.3] {
            let mut pose = a.pose;
            pose.rows[0][3] += shift;
            all.extend(questions(a, PosedObb8::new(a.tree, &pose), 0.01));
        }
        for answer in compare(&all).expect("equal answers") {
            crowded += u32::from(matches!(&answer, Answer::Contacts(found) if found.len() > 100));
            met += u32::from(answer == Answer::Touches(true));
            apart += u32::from(answer == Answer::Touches(false));
        }
    }
    assert!(crowded > 0 && met > 0 && apart > 0, "{crowded} {met} {apart}");
}

/// Rounds of contact and then distance take hardly more box tests than one question after the other.
#[test]
fn distances_test_few_boxes() {
    let mut worst = 0.0_f64;
    for (name, size) in [("tori", 10_000), ("nested", 3_000), ("bolt-nut", 10_000)] {
        let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
        let scene = generate(&request).unwrap();
        let trees: Vec<Obb8> = scene.meshes.iter().map(|mesh| Obb8::build(mesh)).collect();
        let [a, b] =
            [0, 1].map(|i| PosedObb8::new(&trees[scene.parts[i].mesh.index()], &scene.parts[i].pose));
        let question = [(a, b, Question::Within(f64::INFINITY))];
        let (mut alone, mut staged) = (Work::default(), Work::default());
        assert!(!contacts::touches(&a, &b, &mut contacts::Scratch::default(), &mut alone));
        let scratch = &mut nearest::Scratch::default();
        let nearest = nearest::nearest_apart(&a, &b, f64::INFINITY, scratch, &mut alone);
        let expected = Answer::Within(nearest.map(|nearest| (nearest, [0; 2])));
        assert_eq!(ask(&question, Room::default(), &mut staged).into_iter().map(told).next(), Some(expected));
        let tests = [alone.box_tests, staged.box_tests];
        println!("{name}: box tests {tests:?}");
        worst = worst.max(staged.box_tests as f64 / alone.box_tests as f64);
    }
    assert!(worst <= 1.2, "{worst}");
}
