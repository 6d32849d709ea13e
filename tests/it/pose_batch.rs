//! Batches of poses against the doors that ask one pair: the same answers, on any number of threads; refusals
//! that name the row; and an observer that stops them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use closefit::{
    CheckRequest, CollisionMesh, Observer, Pool, Pose, PoseBatch, PoseBatchError, PoseError, Stage,
    Unobserved, verdict,
};
use closefit_testing::all_pairs::{pose, shapes};
use closefit_testing::rng::Rng;

fn poses(rng: &mut Rng, count: usize) -> Vec<Pose> {
    (0..count).map(|_| pose(rng)).collect()
}

/// One pose against many on either side, many against many, one against one, and none at all.
#[test]
fn rows_are_answered_as_one_by_one() {
    let trees: Vec<CollisionMesh> = shapes().iter().map(CollisionMesh::build).collect();
    let mut rng = Rng::new("rows", 0);
    let request = CheckRequest::default().tolerance(1e-6).clearance(0.25);
    let [mut met, mut rows_asked] = [0; 2];
    for case in 0..closefit_testing::cases(6) {
        for [of_a, of_b] in [[1, 90], [90, 1], [70, 70], [1, 1], [1, 0], [0, 0]] {
            let [a, b] = [0; 2].map(|_| &trees[rng.index(trees.len())]);
            let (poses_a, poses_b) = (poses(&mut rng, of_a), poses(&mut rng, of_b));
            let rows = PoseBatch::new((a, &poses_a), (b, &poses_b)).expect("admissible");
            assert_eq!(rows.len(), if of_a == 1 { of_b } else { of_a });
            assert_eq!(rows.is_empty(), of_b == 0);
            let row_of = |poses: &[Pose], row: usize| if poses.len() == 1 { poses[0] } else { poses[row] };
            let pairs: Vec<[Pose; 2]> =
                (0..rows.len()).map(|row| [row_of(&poses_a, row), row_of(&poses_b, row)]).collect();
            let placed = |[at_a, at_b]: &[Pose; 2]| (a.at(at_a).unwrap(), b.at(at_b).unwrap());
            let touching: Vec<bool> =
                pairs.iter().map(placed).map(|(a, b)| closefit::intersects(&a, &b)).collect();
            let contacts: Vec<_> =
                pairs.iter().map(placed).map(|(a, b)| closefit::contact_triangles(&a, &b)).collect();
            let distances: Vec<_> =
                pairs.iter().map(placed).map(|(a, b)| closefit::distance(&a, &b)).collect();
            let near: Vec<bool> = distances.iter().map(|found| found.distance <= 0.3).collect();
            let verdicts: Vec<_> = (pairs.iter())
                .map(|[at_a, at_b]| verdict(&a.at(at_a).unwrap(), &b.at(at_b).unwrap(), &request))
                .collect();
            let ask = || {
                assert_eq!(rows.intersects(&Unobserved), Ok(touching.clone()));
                assert_eq!(rows.contact_triangles(&Unobserved), Ok(contacts.clone()));
                assert_eq!(rows.distance(&Unobserved), Ok(distances.clone()));
                assert_eq!(rows.intersects_within(0.3, &Unobserved), Ok(near.clone()));
                assert_eq!(rows.verdict(&request, &Unobserved), Ok(verdicts.clone()));
            };
            Pool::of(1 + case as usize % 3).install(ask).expect("threads");
            met += touching.iter().filter(|&&touching| touching).count();
            rows_asked += rows.len();
        }
    }
    assert!(met > rows_asked / 20 && met < rows_asked, "{met} of {rows_asked}");
}

#[test]
fn a_wrong_pose_is_refused_by_its_row() {
    let tree = CollisionMesh::build(&shapes()[0]);
    let mut rng = Rng::new("wrong rows", 0);
    let refused =
        |a: &[Pose], b: &[Pose]| PoseBatch::new((&tree, a), (&tree, b)).map(|_| ()).expect_err("refused");
    let good = poses(&mut rng, 30);
    let mut wrong = good.clone();
    wrong[17].rows[1][2] = f64::INFINITY;
    wrong[23] = Pose::translation([2e60, 0.0, 0.0]);
    let not_finite = PoseError::NotFinite { value: f64::INFINITY };
    assert_eq!(refused(&good, &wrong), PoseBatchError::Pose { row: 17, side: 'b', error: not_finite });
    assert_eq!(
        refused(&wrong[18..], &good[..1]),
        PoseBatchError::Pose { row: 5, side: 'a', error: PoseError::OutOfRange }
    );
    // The first of a comes before all of b.
    let [later, earlier] = [&wrong[10..], &wrong[..20]];
    assert_eq!(refused(later, earlier), PoseBatchError::Pose { row: 7, side: 'a', error: not_finite });
    assert_eq!(
        refused(&good, &wrong).to_string(),
        "row 17 of b: the pose has the entry inf, which is not a finite number"
    );
    for lengths in [[30, 29], [0, 30], [30, 0], [2, 3]] {
        let [a, b] = lengths.map(|length| &good[..length]);
        assert_eq!(refused(a, b), PoseBatchError::Lengths { a: a.len(), b: b.len() });
    }
}

/// Stops after some rows.
struct Stopping {
    begun: AtomicU64,
    done: AtomicU64,
    most: u64,
}

impl Observer for Stopping {
    fn begin(&self, stage: Stage, total: u64) {
        assert_eq!(stage, Stage::Deciding);
        self.begun.store(total, Relaxed);
    }

    fn advance_by(&self, rows: u64) {
        self.done.fetch_add(rows, Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.done.load(Relaxed) >= self.most
    }
}

#[test]
fn an_observer_follows_rows_and_stops_them() {
    let tree = CollisionMesh::build(&shapes()[0]);
    let poses = poses(&mut Rng::new("observed rows", 0), 2000);
    let rows = PoseBatch::new((&tree, &poses[..1]), (&tree, &poses)).expect("admissible");
    for threads in [1, 2] {
        let observed = |most| {
            let observer = Stopping { begun: AtomicU64::new(0), done: AtomicU64::new(0), most };
            let found = Pool::of(threads).install(|| rows.intersects(&observer)).expect("threads");
            (found, observer.begun.into_inner(), observer.done.into_inner())
        };
        let (found, begun, done) = observed(u64::MAX);
        assert_eq!(found.map(|rows| rows.len()), Ok(2000));
        assert_eq!((begun, done), (2000, 2000));
        let (found, _, done) = observed(500);
        assert_eq!(found, Err(PoseBatchError::Interrupted));
        assert!((500..1000).contains(&done), "{done}");
    }
}
