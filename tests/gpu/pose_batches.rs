//! The library's interface for two meshes at many poses, asked of a device.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use closefit::{CollisionMesh, Device, Observer, Pose, PoseBatch, PoseBatchError, Session, Unobserved};
use closefit_testing::all_pairs::{pose, shapes};
use closefit_testing::rng::Rng;

/// Checks that rows have the answers of the CPU, whichever mesh is fixed, with poses that a device refuses.
pub fn rows_are_those_of_the_cpu(device: Device) {
    let count = crate::scenes(&[300], &[40])[0];
    let trees: Vec<CollisionMesh> = shapes().iter().map(CollisionMesh::build).collect();
    let (mut rng, mut session) = (Rng::new("rows on a device", 0), Session::new(device));
    let (mut met, mut near, mut all) = (0, 0, 0);
    for (of_a, of_b) in [(1, count), (count, 1), (count, count), (1, 1), (1, 0)] {
        for a in &trees {
            let b = &trees[rng.index(trees.len())];
            let [poses_a, poses_b] =
                [of_a, of_b].map(|count| (0..count).map(|_| pose(&mut rng)).collect::<Vec<Pose>>());
            let rows = PoseBatch::new((a, &poses_a), (b, &poses_b)).expect("admissible");
            let touching = rows.intersects(&Unobserved);
            met += touching.iter().flatten().filter(|&&touching| touching).count();
            all += rows.len();
            assert_eq!(rows.intersects_on(&mut session, &Unobserved), touching);
            let contacts = rows.contact_triangles(&Unobserved);
            assert_eq!(rows.contact_triangles_on(&mut session, &Unobserved), contacts);
            assert_eq!(rows.distance_on(&mut session, &Unobserved), rows.distance(&Unobserved));
            for limit in [0.0, 0.3, -1.0, f64::NAN, f64::INFINITY] {
                let within = rows.intersects_within(limit, &Unobserved);
                near += within.iter().flatten().filter(|&&within| within).count();
                assert_eq!(rows.intersects_within_on(limit, &mut session, &Unobserved), within, "{limit}");
            }
        }
    }
    assert!(met > all / 20 && met < all && near > met, "{met} and {near} of {all}");
}

/// An observer that stops after so many rows.
struct Stopping {
    done: AtomicU64,
    most: u64,
}

impl Observer for Stopping {
    fn advance_by(&self, rows: u64) {
        self.done.fetch_add(rows, Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.done.load(Relaxed) >= self.most
    }
}

/// Checks that an observer is told of rows and stops them.
pub fn an_observer_stops_rows(device: Device) {
    let tree = CollisionMesh::build(&shapes()[2]);
    let mut rng = Rng::new("stopped rows on a device", 0);
    let far = Pose::translation([9.0, 0.0, 0.0]);
    let poses: Vec<Pose> = (0..20_000).map(|row| if row % 500 == 0 { pose(&mut rng) } else { far }).collect();
    let rows = PoseBatch::new((&tree, &poses[..1]), (&tree, &poses)).expect("admissible");
    let mut session = Session::new(device);
    let mut observed = |most| {
        let observer = Stopping { done: AtomicU64::new(0), most };
        (rows.intersects_on(&mut session, &observer), observer.done.into_inner())
    };
    assert_eq!(observed(u64::MAX), (rows.intersects(&Unobserved), 20_000));
    let (found, done) = observed(1);
    assert_eq!(found, Err(PoseBatchError::Interrupted));
    assert!(done < 20_000, "{done}");
}
