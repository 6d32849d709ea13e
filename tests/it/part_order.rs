//! Records of pairs do not depend on the order of parts: whole scenes, their parts shuffled.

use std::collections::BTreeMap;

use closefit::internals::engine::{check, default_tolerance};
use closefit::scene::Scene;
use closefit::{CheckRequest, Containment, PairRecord, PartId, Unobserved};
use closefit_generate::names;
use closefit_testing::rng::Rng;
use closefit_testing::small_scenes::small_scene;

/// The record of a pair without what depends on which part comes first, and the name of the part inside. Of
/// equally close points, witnesses are on the lowest triangles of the first part; a location is for
/// display; texts name the parts a and b.
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
        let names = if a > b { [b, a] } else { [a, b] };
        (record.ids, record.contained) = ([PartId(0); 2], Containment::None);
        (record.location, record.points) = (None, None);
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
