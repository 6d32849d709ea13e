//! Kinds of trees with executors, and scenes about which all of them agree.

use closefit::internals::engine::{Disagreement, PosedBoxes, check, cross_check};
use closefit::{CheckRequest, Executor, PairRecord, Strategy, TreeKind, Unobserved};
use closefit_generate::Request;

#[test]
fn only_what_exists_is_made() {
    for strategy in closefit_methods::strategies() {
        assert_eq!(Strategy::new(strategy.tree(), Some(strategy.executor())), Ok(strategy));
    }
    let rapid = Strategy::new(closefit_methods::RAPID, None).unwrap();
    assert_eq!(rapid.executor(), Executor::Scalar);
    assert_eq!(Strategy::new(TreeKind::OBB, None), Ok(Strategy::default()));
    let refused = Strategy::new(closefit_methods::RAPID, Some(Executor::Simd)).unwrap_err();
    assert_eq!(refused.to_string(), "tree rapid has no simd form: use scalar");
    let sphere = Strategy::new(closefit_methods::SPHERE, None).unwrap();
    let refused = |strategy: Strategy, method: &str| {
        strategy.check_moving(&method.parse().unwrap()).unwrap_err().to_string()
    };
    let natural = refused(sphere, "redon");
    assert_eq!(natural, "tree sphere has no natural test of moving boxes: use swept");
    let interval = refused(rapid, "interval");
    assert_eq!(interval, "tree rapid has no interval test of moving boxes: use swept or natural");
    let directional = refused(sphere, "near-first=on,order=space-first");
    assert_eq!(directional, "near-first=on does not apply to tree sphere: use obb");
    assert_eq!(sphere.check_moving(&"triangles=elementary,fronts=off".parse().unwrap()), Ok(()));
    assert_eq!(rapid.check_moving(&"redon,axes=faces".parse().unwrap()), Ok(()));
}

#[test]
fn a_device_that_might_pay_is_settled() {
    let rapid = Strategy::new(closefit_methods::RAPID, None).unwrap();
    assert_eq!(rapid.on_device_if_worthwhile(), rapid);
    assert_eq!(rapid.settled(|| unreachable!("it has no kernels for a device")), rapid);
    let open = Strategy::default().on_device_if_worthwhile();
    assert_ne!(open, Strategy::default());
    assert_eq!((open.device(), open.backend()), (None, "simd"));
    assert_eq!(open.settled(|| None), Strategy::default());
}

#[test]
fn all_strategies_agree_on_generated_scenes() {
    // The tests of the program cross-check the gearbox.
    let scenes: &[(&str, u32)] = if closefit_testing::is_full_run() {
        &[("gearbox", 12), ("boxes", 40), ("nested", 600), ("bolt-nut", 5_000)]
    } else {
        &[("boxes", 40), ("nested", 200)]
    };
    for &(name, size) in scenes {
        let request = Request { name: name.to_owned(), size: Some(size), seed: 1, soup: false };
        let scene = closefit_generate::generate(&request).expect("a scene");
        let posed = PosedBoxes::new(&scene, None).expect("in range");
        for clearance in [0.0, 0.05 * posed.diagonal()] {
            let request = CheckRequest::default().clearance(clearance);
            let records = check(&scene, &request, &Unobserved).expect("no limit").pairs;
            let asked = (&request, &records[..]);
            let checked =
                cross_check(&scene, &posed, asked, closefit_methods::ALL, &Unobserved).expect("no limit");
            assert_eq!(checked.disagreement, None, "{name}");
            assert_eq!(checked.agreed.len(), closefit_methods::strategies().count());
            assert_eq!(checked.agreed[0].0, request.strategy);
            assert!(checked.agreed.iter().all(|&(_, pairs)| pairs == checked.agreed[0].1 && pairs > 0));
        }
    }
}

/// Trees agree about every pair, and yet a record of any pair that is not theirs is found, and so is one that
/// is missing.
#[test]
fn a_record_that_trees_do_not_find_is_found() {
    let request = Request { name: "gearbox".to_owned(), size: Some(12), seed: 1, soup: false };
    let scene = closefit_generate::generate(&request).expect("a scene");
    let posed = PosedBoxes::new(&scene, None).expect("in range");
    let request = CheckRequest::default().clearance(0.05 * posed.diagonal()).list_contacts();
    let records = check(&scene, &request, &Unobserved).expect("no limit").pairs;
    let found = |pairs: &[PairRecord]| -> Option<Disagreement> {
        let kinds = [closefit_methods::RAPID];
        cross_check(&scene, &posed, (&request, pairs), &kinds, &Unobserved).expect("no limit").disagreement
    };
    assert_eq!(found(&records), None);
    let (mut touching, mut apart) = (0, 0);
    // Each question asks all pairs again, so only the first of each kind are changed.
    let changed = if closefit_testing::is_full_run() { 6 } else { 2 };
    for at in 0..records.len() {
        if (if records[at].contacts > 0 { touching } else { apart }) >= changed {
            continue;
        }
        let wrong = |change: &dyn Fn(&mut PairRecord)| {
            let mut pairs = records.clone();
            change(&mut pairs[at]);
            let found = found(&pairs).expect("it is not theirs");
            assert_eq!((found.parts, found.strategies), (records[at].ids, (None, request.strategy)));
        };
        if records[at].contacts > 0 {
            touching += 1;
            wrong(&|record| record.contacts += 1);
            wrong(&|record| record.distance = f64::MIN_POSITIVE);
            wrong(&|record| record.triangles.as_mut().expect("listed")[0][0] ^= 1);
        } else {
            apart += 1;
            wrong(&|record| record.distance = record.distance.next_up());
            wrong(&|record| record.contacts = 1);
        }
        let mut pairs = records.clone();
        let missing = pairs.remove(at);
        assert_eq!(found(&pairs).expect("one is missing").parts, missing.ids);
    }
    assert_eq!([touching, apart], [changed; 2]);
}
