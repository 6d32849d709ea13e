//! The counters of work: every stage counts what it tests, whatever the number of threads.

use std::time::Duration;

use closefit::internals::engine::check;
use closefit::internals::query::stage_work::StageWork;
use closefit::{Assembly, CheckRequest, Pool, Unobserved, Work};
use closefit_generate::{Request, generate, names};
use closefit_testing::meshes::{Piece, Soup, cuboid, scene};
use closefit_testing::small_scenes::small_scene;
use glam::DVec3;

/// Checks two parts.
fn work(a: Soup, b: Soup) -> StageWork {
    let request = CheckRequest::default().clearance(1.0).tolerance(1e-6);
    let pieces = [Piece::new("a", a), Piece::new("b", b)];
    check(&scene(&pieces), &request, &Unobserved).expect("admissible").counters.work
}

/// Returns the names of the stages that tested something.
fn stages(work: &StageWork) -> Vec<&'static str> {
    work.named().filter(|(_, spent)| spent.tests != Work::NONE).map(|(name, _)| name).collect()
}

/// Returns the tests of each stage, without the times.
fn tests(work: &StageWork) -> Vec<(&'static str, Work)> {
    work.named().map(|(name, spent)| (name, spent.tests)).collect()
}

/// Returns the names of the stages that took time.
fn timed(work: &StageWork) -> Vec<&'static str> {
    work.named().filter(|(_, spent)| !spent.time.is_zero()).map(|(name, _)| name).collect()
}

fn cube(from: f64, to: f64) -> Soup {
    cuboid([from; 3], [to; 3])
}

#[test]
fn every_question_counts_its_tests() {
    let apart = work(cube(0.0, 1.0), cuboid([1.5, 0.0, 0.0], [2.5, 1.0, 1.0]));
    assert_eq!(stages(&apart), ["broad", "contacts", "distance", "witness", "containment"]);
    let overlap = work(cube(0.0, 1.0), cube(0.75, 1.75));
    assert_eq!(stages(&overlap), ["broad", "contacts", "witness", "depth", "location"]);
    let touching = work(cube(0.0, 1.0), cuboid([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]));
    // The planes of a convex solid bound the depth, without a test of boxes or triangles.
    assert_eq!(stages(&touching), ["broad", "contacts", "duplicate", "location"]);
    let inside = work(cube(0.0, 1.0), cube(0.25, 0.5));
    assert_eq!(stages(&inside), ["broad", "contacts", "distance", "witness", "containment", "depth"]);
    for work in [apart, overlap, touching, inside] {
        assert!(work.contacts.box_tests > 0);
        assert_eq!(work.depth.triangle_tests > 0, work.depth.tests != Work::NONE);
    }
    assert!(inside.containment.exact_tests > 0);
}

#[test]
fn only_questions_that_are_asked_take_time() {
    let apart = work(cube(0.0, 1.0), cuboid([1.5, 0.0, 0.0], [2.5, 1.0, 1.0]));
    let overlap = work(cube(0.0, 1.0), cube(0.75, 1.75));
    for (work, asked) in [
        (apart, ["contacts", "distance", "witness", "containment"]),
        (overlap, ["contacts", "witness", "depth", "location"]),
    ] {
        let timed = timed(&work);
        // A coarse clock may miss a short question.
        assert!(timed.iter().all(|stage| asked.contains(stage)), "{timed:?}");
        let sum: Duration = work.named().map(|(_, spent)| spent.time).sum();
        assert_eq!(work.total().time, sum);
    }
}

#[test]
fn a_crossing_of_two_triangles_is_one_exact_test() {
    let upright = vec![[DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 0.0, 4.0)]];
    let level = vec![[DVec3::new(1.0, -1.0, 1.0), DVec3::new(1.0, 1.0, 1.0), DVec3::new(-5.0, 0.0, 1.0)]];
    let crossing = work(upright, level);
    assert_eq!(stages(&crossing), ["broad", "contacts", "crossing", "location"]);
    assert_eq!(crossing.crossing.tests, Work::exact(1));
    assert_eq!(crossing.contacts.triangle_tests, 1);
    assert_eq!(crossing.location.box_tests, 1);
}

#[test]
fn counts_do_not_depend_on_threads() {
    let mut all = StageWork::default();
    for (name, _) in names() {
        let scene = small_scene(name, 7, false);
        let assembly = Assembly::from(scene);
        let run = |threads| {
            let run = || {
                let request = assembly.check_request().unwrap();
                let mut work =
                    assembly.check(&request.clearance(1e4 * request.tolerance)).unwrap().counters.work;
                if let Some([from, to]) = assembly.time_range() {
                    let request = assembly.sweep_request(from, to).unwrap();
                    work += assembly.sweep(&request).unwrap().counters.work;
                }
                work
            };
            Pool::of(threads).install(run).expect("threads")
        };
        let alone = run(1);
        for threads in [2, 3] {
            assert_eq!(tests(&run(threads)), tests(&alone), "{name} on {threads} threads");
        }
        all += alone;
    }
    assert_eq!(all.total().tests, all.named().fold(Work::NONE, |sum, (_, spent)| plus(sum, spent.tests)));
    for stage in
        ["broad", "contacts", "distance", "witness", "containment", "depth", "location", "continuous"]
    {
        assert!(stages(&all).contains(&stage), "{stage}: {all:?}");
    }
}

fn plus(a: Work, b: Work) -> Work {
    Work {
        box_tests: a.box_tests + b.box_tests,
        discrete_tests: a.discrete_tests + b.discrete_tests,
        triangle_tests: a.triangle_tests + b.triangle_tests,
        exact_tests: a.exact_tests + b.exact_tests,
        updates: a.updates + b.updates,
        exchanges: [0, 1, 2].map(|axis| a.exchanges[axis] + b.exchanges[axis]),
        overlaps: a.overlaps + b.overlaps,
        unboxed: a.unboxed + b.unboxed,
    }
}

#[test]
fn a_large_pair_counts_the_same_on_many_threads() {
    let request = Request { name: "tori".to_owned(), size: Some(6000), seed: 1, soup: false };
    let assembly = Assembly::from(generate(&request).expect("two tori"));
    let run = |threads| {
        let run = || assembly.check(&assembly.check_request().unwrap()).unwrap().counters.work;
        Pool::of(threads).install(run).expect("threads")
    };
    assert_eq!(tests(&run(4)), tests(&run(1)));
}
