//! Records of pairs do not depend on the order of parts: whole scenes, their parts shuffled.

use std::collections::BTreeMap;

use closefit::internals::engine::{check, default_tolerance};
use closefit::scene::Scene;
use closefit::{CheckRequest, CollisionMesh, Containment, DVec3, PairRecord, PartId, Pose, Unobserved};
use closefit_generate::names;
use closefit_testing::meshes::{Soup, mesh};
use closefit_testing::rng::Rng;
use closefit_testing::small_scenes::small_scene;

/// The record of a pair as if the part with the lower name came first, and the name of the part inside. Texts
/// name the parts a and b.
#[derive(Debug, PartialEq)]
struct Said {
    record: PairRecord,
    inner: Option<String>,
}

fn said_of_pairs(scene: &Scene, tolerance: f64) -> BTreeMap<[String; 2], Said> {
    let request = CheckRequest::default().tolerance(tolerance).clearance(1e3 * tolerance);
    let result = check(scene, &request, &Unobserved).expect("admissible");
    let of = |mut record: PairRecord| {
        let [a, b] = record.ids.map(|id| scene.parts[id.index()].name.to_string());
        let inner = match &record.contained {
            Containment::AInB => Some(a.clone()),
            Containment::BInA => Some(b.clone()),
            Containment::Undecidable(_) => Some("undecidable".to_owned()),
            Containment::None => None,
        };
        let is_swapped = a > b;
        let names = if is_swapped { [b, a] } else { [a, b] };
        (record.ids, record.contained) = ([PartId(0); 2], Containment::None);
        if is_swapped {
            record.points = record.points.map(|[p, q]| [q, p]);
            let way_out = record.location.as_mut().and_then(|location| location.way_out.as_mut());
            way_out.into_iter().for_each(|way_out| way_out.on = 1 - way_out.on);
        }
        record.depth_unknown = record.depth_unknown.map(|_| String::new());
        (names, Said { record, inner })
    };
    result.pairs.into_iter().map(of).collect()
}

/// The scene with its parts in another order.
fn shuffled(scene: &Scene, seed: u64) -> Scene {
    let mut rng = Rng::new("part order", seed);
    let mut scene = scene.clone();
    for last in (1..scene.parts.len()).rev() {
        scene.parts.swap(last, rng.index(last + 1));
    }
    scene
}

/// Open parts that meet have no depth, so a place where they meet is chosen. Contacts are listed by the
/// numbers of their triangles.
#[test]
fn a_place_without_a_depth_depends_on_no_order() {
    let mut rng = Rng::new("places", 1);
    let (mut meet, mut several) = (0, 0);
    for _ in 0..2_000 {
        let soups = [(); 2].map(|()| soup(&mut rng));
        let place = |soups: [&Soup; 2]| {
            let [a, b] = soups.map(|soup| CollisionMesh::build(&mesh(soup)));
            let posed = [&a, &b].map(|tree| tree.at(&Pose::IDENTITY).expect("rigid"));
            let found = closefit::verdict(&posed[0], &posed[1], &CheckRequest::default());
            (found.contacts, found.location)
        };
        let [a, b] = &soups;
        let (contacts, expected) = place([a, b]);
        assert_eq!(place([b, a]), (contacts, expected));
        let reversed = [a, b].map(|soup| soup.iter().rev().copied().collect::<Soup>());
        assert_eq!(place(reversed.each_ref()), (contacts, expected));
        meet += usize::from(expected.is_some());
        several += usize::from(contacts > 1);
    }
    assert!(meet > 500 && several > 300, "{meet} {several}");
}

/// Returns some triangles with corners of a coarse grid.
fn soup(rng: &mut Rng) -> Soup {
    let mut corner = |_| DVec3::from_array([(); 3].map(|()| rng.index(5) as f64 - 2.0));
    (0..3).map(|_| [0, 1, 2].map(&mut corner)).collect()
}

#[test]
fn shuffled_parts_get_the_same_answers() {
    let mut clashes = 0;
    for (name, _) in names() {
        let mut scene = small_scene(name, 1, false);
        for (i, part) in scene.parts.iter_mut().enumerate() {
            part.name = format!("{i}").into();
        }
        let tolerance = default_tolerance(&scene).expect("of ordinary size");
        for tolerance in [tolerance, 0.0] {
            let expected = said_of_pairs(&scene, tolerance);
            clashes +=
                expected.values().filter(|said| said.record.depth.is_some_and(|d| d.at_least > 0.0)).count();
            for seed in 0..3 {
                let found = said_of_pairs(&shuffled(&scene, seed), tolerance);
                assert!(found.keys().eq(expected.keys()), "{name}, order {seed}");
                for (pair, said) in &expected {
                    assert_eq!(&found[pair], said, "{name}, order {seed}, tolerance {tolerance:e}, {pair:?}");
                }
            }
        }
    }
    assert!(clashes > 100, "only {clashes} depths are compared");
}
