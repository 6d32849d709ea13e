//! Trees stay on the device from one batch to the next, within a limit of memory.

use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::columns::Pair;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::question::Question;
use closefit::{CollisionMesh, Device, Mesh, PairBatch, Pose, Session, Tally, Work};
use glam::DVec3;

use crate::scenes::trees;

/// Returns the work that was added to the device's.
fn work_of(device: Device, run: impl FnOnce()) -> Tally {
    let before = device.tally();
    run();
    device.tally() - before
}

/// Checks that a tree is sent once, and that later batches send the poses of their pairs and little more.
pub fn a_second_batch_sends_only_poses(device: Device) {
    let size = crate::scenes(&[10_000], &[1_000])[0];
    let (trees, _) = trees("tori", size);
    let a = PosedWideObb::new(&trees[0], &Pose::IDENTITY);
    let mut residence = Residence::new(device, closefit_testing::on_device::limits());
    let mut sent = Vec::new();
    for k in 0..3 {
        let poses: Vec<Pose> =
            (0..8).map(|i| Pose::translation([0.1 * f64::from(i), 0.02 * f64::from(k), 0.0])).collect();
        let placed: Vec<PosedWideObb> = poses.iter().map(|pose| PosedWideObb::new(&trees[1], pose)).collect();
        let questions: Vec<_> = placed.iter().map(|b| (&a, b, Question::Contacts)).collect();
        sent.push(work_of(device, || {
            let (found, _) = residence.ask(&questions).expect("it computes");
            for ((one, other, question), found) in questions.iter().zip(found) {
                assert_eq!(found, question.ask(one, other, &mut Work::default()));
            }
        }));
    }
    println!("bytes of trees per triangle: {:.1}", residence.bytes() as f64 / f64::from(2 * size));
    println!("bytes up: {:?}", sent.iter().map(|work| work.bytes_up).collect::<Vec<_>>());
    assert_eq!((sent[0].trees, sent[0].tree_bytes_up), (2, residence.bytes()));
    let of_both = 2 * u64::from(size);
    assert!((50 * of_both..=80 * of_both).contains(&residence.bytes()), "{}", residence.bytes());
    for later in &sent[1..] {
        assert_eq!((later.trees, later.tree_bytes_up), (0, 0));
        // The pairs, and the settings and counts of each batch.
        let few = 8 * (size_of::<Pair>() as u64 + 256) + 8192 * later.batches;
        assert!(later.bytes_up <= few, "{} of {few}", later.bytes_up);
    }
}

/// Checks that trees make room for others at the limit of memory, also within a batch, and that no answer
/// changes.
pub fn trees_make_room_for_others(device: Device) {
    let scenes = [trees("tori", 800), trees("nested", 400), trees("pipes", 1_000)];
    let of_all: Vec<&WideObb> = scenes.iter().flat_map(|(trees, _)| trees).collect();
    let placed: Vec<PosedWideObb> =
        of_all.iter().map(|tree| PosedWideObb::new(tree, &Pose::IDENTITY)).collect();
    let mut questions = Vec::new();
    for a in &placed {
        questions.extend(placed.iter().map(|b| (a, b, Question::Contacts)));
    }
    let expected: Vec<_> =
        questions.iter().map(|(a, b, question)| question.ask(a, b, &mut Work::default())).collect();
    let mut counted = Vec::new();
    // About half of the trees fit.
    let half = 34 * placed.iter().map(|p| p.tree.triangles.len() as u64).sum::<u64>();
    for limit in [0, half, u64::MAX] {
        // Always with the usual queue: with a small one, trees that coincide take minutes.
        let mut residence = Residence::new(device, Limits { trees: limit, ..Limits::default() });
        let work = work_of(device, || {
            let (found, _) = residence.ask(&questions).expect("it computes");
            assert_eq!(found, expected);
        });
        let most = limit.max(placed.iter().map(|p| 80 * p.tree.triangles.len() as u64).max().unwrap() * 2);
        assert!(residence.bytes() <= most, "{} of {most}", residence.bytes());
        counted.push(work.trees);
    }
    println!("trees sent: {counted:?}");
    assert!(counted[0] > counted[1] && counted[1] > counted[2] && counted[2] == 6);
}

/// Checks the library's interface.
pub fn a_session_keeps_its_trees(device: Device) {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("a mesh");
    let tree = CollisionMesh::build(&mesh);
    let fixed = tree.at(&Pose::IDENTITY).expect("a pose");
    let mut session = Session::new(device).memory(1 << 20);
    let mut sent = Vec::new();
    for step in 0..3 {
        let moved = tree.at(&Pose::translation([0.5 * f64::from(step), 0.1, 0.0])).expect("a pose");
        let mut batch = PairBatch::default();
        batch.contact_triangles(&fixed, &moved);
        batch.intersects(&moved, &fixed);
        batch.distance_up_to(&fixed, &moved, 0.5);
        sent.push(work_of(device, || assert_eq!(batch.ask_on(&mut session), Ok(batch.ask()))).trees);
    }
    assert_eq!(sent, [1, 0, 0]);
    assert!(session.device() == device && session.bytes() > 0);
}
