//! Rows of a check whose contacts a device searches: they equal the rows of a check on the CPU.

use closefit::internals::bvh::pairs_on_device::{PairAsked, PairsOnDevice, Touching};
use closefit::internals::bvh::wide_obb::on_device::Residence;
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::contacts;
use closefit::scene::Scene;
use closefit::{
    CheckRequest, DepthDetail, Device, FourPoses, NearRow, Pose, PosedPair, PreparedScene, RowScratch,
    Strategy, Unobserved, Work,
};
use closefit_testing::cases;
use closefit_testing::meshes::{Piece, Soup, ball, cuboid, moved, octahedron, scene, square_ring};
use closefit_testing::rng::Rng;
use glam::DVec3;

use crate::groups::all_questions;
use crate::scenes::trees;

/// A closed part, or one with a hole, away from the origin of its own frame or not.
fn soup(rng: &mut Rng) -> Soup {
    let mut soup = match rng.index(4) {
        0 => ball(DVec3::ZERO, 0.5, 1),
        1 => cuboid([-0.6, -0.1, -0.2], [0.6, 0.1, 0.2]),
        2 => octahedron(DVec3::ZERO, 0.5),
        _ => square_ring(0.3, 0.6, -0.1, 0.1),
    };
    if rng.index(3) == 0 {
        soup.pop();
    }
    if rng.coin() { moved(&soup, rng.point()) } else { soup }
}

fn pose(rng: &mut Rng, spread: f64) -> Pose {
    let scale = [[1.0; 3], [1.0; 3], [1.0; 3], [0.5; 3], [-1.0; 3], [1.0, 0.3, 1.0]][rng.index(6)];
    Pose::from_trs(rng.quaternion(), scale, (rng.point() * spread).to_array()).expect("a rotation")
}

/// The rows of a test: their pieces, which of them move, and the poses of each row.
struct Rows {
    pieces: Vec<Piece>,
    moves: Vec<bool>,
    poses: Vec<Vec<Pose>>,
}

impl Rows {
    fn random(rng: &mut Rng, parts: usize, rows: usize, spread: f64) -> Self {
        let piece = |part: usize| {
            let is_surface = rng.index(4) == 0;
            let piece = Piece::new(&format!("part {part}"), soup(rng));
            Piece { is_surface, pose: pose(rng, spread), ..piece }
        };
        let pieces: Vec<Piece> = (0..parts).map(piece).collect();
        let mut moves: Vec<bool> = pieces.iter().map(|_| rng.index(4) > 0).collect();
        moves[0] |= moves.iter().all(|moves| !moves);
        let mut row = || {
            let pose = |(piece, moves): (&Piece, &bool)| if *moves { pose(rng, spread) } else { piece.pose };
            pieces.iter().zip(&moves).map(pose).collect()
        };
        let poses = (0..rows).map(|_| row()).collect();
        Self { pieces, moves, poses }
    }

    /// Checks the rows on a device and without it. Returns the number of listed pairs.
    fn compare(&self, device: Device, request: &CheckRequest, ends_at_clash: bool) -> usize {
        compare(device, (&scene(&self.pieces), &self.moves, &self.poses), request, ends_at_clash)
    }
}

/// Checks rows of a scene, of which some parts move, on a device and without it. Returns the number of listed
/// pairs.
pub fn compare(
    device: Device,
    (scene, moves, rows): (&Scene, &[bool], &[Vec<Pose>]),
    request: &CheckRequest,
    ends_at_clash: bool,
) -> usize {
    let prepare = |strategy| {
        PreparedScene::new(scene, moves, &request.strategy(strategy), &Unobserved).expect("in range")
    };
    let on_device = Strategy::default().on(device).expect("it has kernels");
    let [expected, prepared] = [Strategy::default(), on_device].map(prepare);
    let (expected, check) = (expected.checks(), prepared.checks());
    let scratch = &mut RowScratch::default();
    let splat = |poses: &Vec<Pose>| poses.iter().map(FourPoses::splat).collect::<Vec<_>>();
    let near = |poses: &Vec<Pose>| {
        let poses = splat(poses);
        check.place(&poses, 1, scratch);
        check.near((0, &poses), scratch).expect("in range")
    };
    let mut near: Vec<NearRow> = rows.iter().map(near).collect();
    let mut search = check.on_device().expect("it has one");
    search.search(&mut near.iter_mut().collect::<Vec<_>>());
    let (mut listed, scratch) = (0, &mut RowScratch::default());
    for (number, (poses, row)) in rows.iter().zip(near).enumerate() {
        let found: Vec<PosedPair> = check.decide(row, ends_at_clash);
        let four = splat(poses);
        expected.place(&four, 1, scratch);
        let expected = expected.at((0, &four), ends_at_clash, scratch).expect("in range");
        assert_eq!(found, expected, "row {number}: {poses:?} of {:?}", scene.meshes);
        listed += found.len();
    }
    listed
}

/// Checks rows of random scenes, by rounds and by groups, with all depths.
pub fn rows_are_those_of_the_cpu(device: Device) {
    let (before, tally) = (device.limits(), device.tally());
    let (mut rng, mut listed) = (Rng::new("rows on a device", 0), 0);
    let wanted = cases(crate::scenes(&[100], &[20])[0]);
    for case in 0..wanted {
        let parts = 2 + rng.index(4);
        let spread = [0.5, 1.0, 2.0][rng.index(3)];
        let rows = Rows::random(&mut rng, parts, 100, spread);
        let depth = [DepthDetail::Full, DepthDetail::Verdict, DepthDetail::None][case % 3];
        let clearance = [0.0, 0.0, 0.3][rng.index(3)];
        let request = CheckRequest::default().tolerance(1e-6).clearance(clearance).depth(depth);
        device.set_limits(if rng.coin() { all_questions() } else { before });
        listed += rows.compare(device, &request, rng.coin());
    }
    device.set_limits(before);
    let done = device.tally() - tally;
    println!("{listed} listed pairs; {} asked, {} in contact", done.pairs, done.meets);
    assert!(listed > 20 * wanted && done.pairs > 50 * wanted as u64 && done.answered > 0);
}

/// Checks rows with more pairs than a device gets together.
pub fn many_rows_are_those_of_the_cpu(device: Device) {
    let mut rng = Rng::new("many rows on a device", 0);
    let mut rows = Rows::random(&mut rng, 4, crate::scenes(&[10_000], &[200])[0], 0.4);
    rows.pieces.iter_mut().for_each(|piece| piece.triangles = octahedron(DVec3::ZERO, 0.5));
    let before = device.tally();
    let request = CheckRequest::default().tolerance(1e-6).depth(DepthDetail::None);
    let listed = rows.compare(device, &request, false);
    let pairs = (device.tally() - before).pairs;
    println!("{listed} listed pairs of {pairs} that were asked");
    assert!(pairs > 2 * rows.poses.len() as u64 && listed > rows.poses.len());
}

/// Checks what is found of pairs with more contacts than are wanted, and of pairs where one is enough.
pub fn contacts_beyond_a_limit_are_no_list(device: Device) {
    let ([of_a, of_b], [pose_a, pose_b]) = trees("tori", 500);
    let near = Pose { rows: pose_a.rows };
    let [a, b, apart] =
        [(&of_a, pose_a), (&of_b, near), (&of_b, pose_b)].map(|(tree, pose)| PosedWideObb::new(tree, &pose));
    let all = contacts::contacts(&a, &b, &mut contacts::Scratch::default(), &mut Work::default());
    assert!(all.len() > 10);
    let pairs = [(&b, false), (&b, true), (&apart, false), (&apart, true)]
        .map(|(other, any)| PairAsked { pair: [&a, other], any });
    let mut residence = Residence::on(device).expect("the default tree has kernels");
    for most in [0, 1, all.len() - 1, all.len(), usize::MAX] {
        let list = if most < all.len() { Touching::Somewhere } else { Touching::At(all.clone()) };
        let expected = [list, Touching::Somewhere, Touching::Nowhere, Touching::Nowhere];
        assert_eq!(residence.touching_of_all(&pairs, most).expect("it computes"), expected, "{most}");
    }
}

/// Checks rows of a device that may have failed.
pub fn rows_are_decided(device: Device) {
    let rows = Rows::random(&mut Rng::new("rows without a device", 0), 4, 50, 0.7);
    assert!(rows.compare(device, &CheckRequest::default().tolerance(1e-6), false) > 0);
}
