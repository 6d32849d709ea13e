//! A child that was forked after its parent had used threads answers too: it has none of them, and starts its
//! own. A program of its own, because a fork of the test harness would have its threads' locks.

#![cfg_attr(unix, allow(unsafe_code, reason = "fork is an unsafe call"))]

#[cfg(not(unix))]
fn main() {
    println!("there is no fork on this system: ignored");
}

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(unix)]
mod unix {
    use std::process::exit;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use closefit::{
        Assembly, CollisionMesh, DVec3, Mesh, PairBatch, Pool, Pose, PoseBatch, Unobserved, World,
        contact_triangles,
    };
    use closefit_testing::meshes::{ball, mesh};

    /// Asks every door that uses threads, and returns what it found as a text.
    fn ask(shape: &Arc<Mesh>) -> String {
        let tree = CollisionMesh::build(shape);
        let poses: Vec<Pose> =
            (0..500).map(|i| Pose::translation([0.005 * f64::from(i), 0.0, 0.0])).collect();
        let fixed = tree.at(&Pose::IDENTITY).expect("small");
        // So many contacts that threads share the search.
        let many = contact_triangles(&fixed, &tree.at(&Pose::translation([1e-9, 0.0, 0.0])).expect("small"));
        let rows = PoseBatch::new((&tree, &poses[..1]), (&tree, &poses)).expect("small");
        let touching = rows.intersects(&Unobserved).expect("not stopped");
        let in_two = Pool::of(2).install(|| rows.intersects(&Unobserved)).expect("threads");
        assert_eq!(in_two.expect("not stopped"), touching);
        let mut batch = PairBatch::default();
        poses.iter().for_each(|pose| batch.intersects(&fixed, &tree.at(pose).expect("small")));
        let (mut world, mut assembly) = (World::default(), Assembly::default());
        for pose in &poses[..50] {
            world.add(&tree, pose).expect("small");
            assembly.add("part", shape, *pose);
        }
        let request = assembly.check_request().expect("small").depth(closefit::DepthDetail::None);
        let checked = assembly.check(&request).expect("small");
        format!(
            "{} {touching:?} {:?} {:?} {:?}",
            many.len(),
            batch.ask(),
            world.intersecting(),
            checked.ledger
        )
    }

    /// Returns the exit status of a child that was forked now and does some work; `None` if it hangs.
    fn in_child(work: impl FnOnce() -> bool) -> Option<i32> {
        // SAFETY: no other thread of the parent holds a lock that the child needs: the threads of pools wait
        // for work, and the child starts its own.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "no child");
        if child == 0 {
            exit(if work() { 0 } else { 1 });
        }
        let start = Instant::now();
        loop {
            let mut status = 0;
            // SAFETY: `child` is a child of this process that has not been waited for, and `status` is ours.
            let ended = unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) };
            if ended == child {
                return libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            }
            if start.elapsed() > Duration::from_secs(120) {
                // SAFETY: as above.
                unsafe { libc::kill(child, libc::SIGKILL) };
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn main() {
        let shape = Arc::new(mesh(&ball(DVec3::ZERO, 0.6, 4)));
        let found = ask(&shape);
        for generation in 1..=2 {
            // A child of a child, too.
            let asked = || match generation {
                1 => ask(&shape) == found,
                _ => ask(&shape) == found && in_child(|| ask(&shape) == found) == Some(0),
            };
            assert_eq!(in_child(asked), Some(0), "generation {generation} hangs or finds something else");
        }
        assert_eq!(ask(&shape), found, "the parent goes on");
        println!("children of two generations answer as their parent");
    }
}
