//! Stretches of time that the device proves free, compared with searches on the CPU.

use closefit::internals::bvh::moving::{MovingPair, Scratch, Shape, StretchQuestion};
use closefit::internals::bvh::pairs_on_device::PairsOnDevice;
use closefit::internals::bvh::posed_model::Model;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::method::Boxes;
use closefit::{Between, Device, Executor, Keyframe, Mesh, Method, Motion, Pose, Work};
use closefit_generate::{Request, generate};
use closefit_geometry::motion::cells::Stretch;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::{Frames, Joint};
use closefit_testing::rng::Rng;

use crate::failures::{Fault, are_found, inject};

/// Level of the stretches asked about.
const LEVEL: u32 = 5;

/// Level down to which stretches are halved.
const DEEPEST: u32 = 8;

/// Returns the meshes of a scene's first two parts.
fn meshes(name: &str, size: u32) -> [Mesh; 2] {
    let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene");
    [0, 1].map(|i| (*scene.meshes[scene.parts[i].mesh.index()]).clone())
}

/// Returns a screw motion past the origin, over one second.
fn motion(rng: &mut Rng, scale: f64) -> Motion {
    let keys =
        [0.0, 1.0].map(|time| Keyframe { time, rotation: rng.quaternion(), translation: rng.point() * 3.0 });
    Motion::through(&keys, Between::Screw, [scale; 3]).expect("a motion")
}

/// Questions to a device about random motions, counted with their answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    asked: usize,
    proven: usize,
    /// Stretches that were proven although something comes near.
    pub wrong: usize,
    /// Work of the device: searches that began at fronts, box tests, and stretches proven by features.
    at_fronts: u64,
    box_tests: u64,
    by_features: u64,
}

/// A question about one of two trees as seen from the other.
#[derive(Clone, Copy)]
struct Asked {
    stretch: Stretch,
    seen_from: usize,
    limit: f64,
    parent: Option<u32>,
}

/// Calls `ask` with random motions of the trees of a scene, searched by a test of boxes, and with the trees
/// in a residence.
fn on_motions(
    device: Device,
    limits: Limits,
    boxes: Boxes,
    (name, size, motions): (&str, u32, u32),
    mut ask: impl FnMut(u32, &mut Residence, [&WideObb; 2], &MovingPair),
) {
    let mut rng = Rng::new(name, 0);
    let meshes = meshes(name, size);
    let models = [0, 1].map(|i| Model::<WideObb>::of(&meshes[i], Executor::Simd, Default::default()));
    let mut residence = Residence::new(device, limits);
    for number in 0..motions {
        // Some motions are those of a part past its equal, so that either may be the home tree.
        let [first, second] = if number % 4 == 3 { [0, 0] } else { [0, 1] };
        let shapes = [first, second].map(|i| Shape { mesh: &meshes[i], model: &models[i] });
        let mut frames = Frames::default();
        let placed = [0, 1].map(|i| {
            let scale = if number % 3 == 2 && i == 1 { -0.3 } else { 1.0 };
            let frame = frames.add(None, Joint::Moving(motion(&mut rng, scale)));
            PlacedPart::of(Pose::IDENTITY, Some(frame), shapes[i].mesh.vertices())
        });
        let pair = PairMotion::new(&frames, placed);
        let span = pair.span(0.0, 1.0);
        let cells = span.cells(0.01).expect("not too fine");
        let moving = MovingPair {
            shapes: &shapes,
            motion: &span,
            cells: &cells,
            method: Method { boxes, ..Method::default() },
            hulls: None,
            known: None,
        };
        ask(number, &mut residence, [first, second].map(|i| &models[i].tree), &moving);
    }
}

/// Asks a device, and compares what is proven with searches on the CPU. Returns what is proven.
fn answered(
    residence: &mut Residence,
    trees: [&WideObb; 2],
    moving: &MovingPair,
    asked: &[Asked],
    found: &mut Found,
) -> Vec<bool> {
    let question = |&Asked { stretch, seen_from, limit, parent }: &Asked| {
        let moment = moving.motion.over(moving.cells, stretch);
        StretchQuestion {
            trees: [seen_from, 1 - seen_from].map(|i| trees[i]),
            moment: if seen_from == 0 { moment } else { moment.flipped() },
            limit,
            parent,
        }
    };
    let questions: Vec<StretchQuestion<&WideObb>> = asked.iter().map(question).collect();
    let before = residence.device().tally();
    let (proven, _) = residence.stay_beyond_of_all(moving.method.boxes, &questions).expect("it computes");
    let after = residence.device().tally();
    found.at_fronts += after.stretches_at_fronts - before.stretches_at_fronts;
    found.box_tests += after.box_tests - before.box_tests;
    found.by_features += after.stretches_by_features - before.stretches_by_features;
    for (one, &is_proven) in asked.iter().zip(&proven) {
        let cells = moving.cells.range(one.stretch);
        let search =
            || moving.first_within(cells, one.limit, &mut Scratch::of(moving.shapes), &mut Work::default());
        found.asked += 1;
        found.proven += usize::from(is_proven);
        found.wrong += usize::from(is_proven && search().is_some());
    }
    proven
}

/// Returns a limit that is barely larger than the least distance over a motion: few triangles come within it.
fn barely_within(moving: &MovingPair) -> f64 {
    let cells = moving.cells.range(Stretch::WHOLE);
    let is_within = |limit: f64| {
        moving
            .first_within(cells.clone(), limit, &mut Scratch::of(moving.shapes), &mut Work::default())
            .is_some()
    };
    let mut between = [0.0, 16.0];
    for _ in 0..12 {
        let middle = 0.5 * (between[0] + between[1]);
        between[usize::from(is_within(middle))] = middle;
    }
    between[1]
}

/// Asks about all stretches of one level of random motions.
fn of_one_level(device: Device, limits: Limits, boxes: Boxes, scene: (&str, u32, u32)) -> Found {
    let mut found = Found::default();
    on_motions(device, limits, boxes, scene, |number, residence, trees, moving| {
        let limit = [0.005, 0.2][number as usize % 2];
        let seen_from = (number as usize / 2) % 2;
        let of = |index| Asked { stretch: Stretch { level: LEVEL, index }, seen_from, limit, parent: None };
        let asked: Vec<Asked> = (0..1 << LEVEL).map(of).collect();
        answered(residence, trees, moving, &asked, &mut found);
    });
    println!("{scene:?}, {boxes}: {found:?}");
    found
}

/// Asks about random motions as a sweep does: about whole spans, and then about the halves of what is not
/// proven, which begin at fronts if there is room for those.
fn level_by_level(device: Device, limits: Limits, boxes: Boxes, scene: (&str, u32, u32)) -> Found {
    let mut found = Found::default();
    on_motions(device, limits, boxes, scene, |_, residence, trees, moving| {
        let of = |(seen_from, limit)| Asked { stretch: Stretch::WHOLE, seen_from, limit, parent: None };
        let barely = barely_within(moving);
        let mut asked: Vec<Asked> = [(0, 0.005), (1, 0.2), (0, barely), (1, barely)].map(of).to_vec();
        for _ in 0..=DEEPEST.min(moving.cells.level) {
            let proven = answered(residence, trees, moving, &asked, &mut found);
            let open = (0..).zip(&asked).zip(proven).filter(|(_, is_proven)| !is_proven);
            let halves = |((number, one), _): ((u32, &Asked), bool)| {
                let one = Asked { parent: Some(number), ..*one };
                one.stretch.halves().map(|stretch| Asked { stretch, ..one })
            };
            asked = open.flat_map(halves).collect();
        }
    });
    println!("{scene:?}, {boxes}, room for {} items of fronts: {found:?}", limits.fronts);
    found
}

/// Asks about stretches with the limits of the library.
pub fn by_default_limits(device: Device) {
    let found = level_by_level(device, Limits::default(), Boxes::Swept, USUAL[0]);
    assert!(found.wrong == 0 && found.at_fronts > 0);
}

pub fn what_is_proven_of_stretches_is_so(device: Device) {
    let usual = [("tori", 2_000, 12), ("bolt-nut", 5_000, 12), ("nested", 500, 12)];
    for scene in crate::scenes(&usual, &[("tori", 500, 4), ("nested", 150, 4)]) {
        for boxes in [Boxes::Swept, Boxes::Interval] {
            let found = of_one_level(device, closefit_testing::on_device::limits(), boxes, scene);
            assert!(found.wrong == 0 && 8 * found.proven > found.asked, "{scene:?}, {boxes}");
        }
    }
}

/// Checks that a minimal queue, small rounds and trees in many pieces prove nothing that is not so.
pub fn little_room_changes_nothing(device: Device) {
    for (arena, stack, leaves, round) in [(u64::MAX, 0, 8, 8), (20_000, 4096, 512, 64)] {
        let limits = Limits { arena, stack, leaves, round, ..closefit_testing::on_device::limits() };
        let found = of_one_level(device, limits, Boxes::Swept, ("tori", 800, 4));
        assert!(found.wrong == 0 && found.proven > 0);
        let found = level_by_level(device, limits, Boxes::Swept, ("tori", 200, 1));
        assert_eq!(found.wrong, 0);
    }
}

/// Checks that what is proven from fronts of leaves is so.
pub fn fronts_of_leaves_prove_what_is_so(device: Device) {
    for scene in OF_LEAVES {
        assert_eq!(level_by_level(device, Limits::default(), Boxes::Swept, scene).wrong, 0);
    }
}

/// Checks that what is proven from fronts is so, with enough room for them, with too little, and with none;
/// that they spare box tests; and that about as much is proven.
pub fn fronts_prove_what_is_so(device: Device) {
    let usual = if closefit_testing::on_device::is_full_run() { &USUAL[..] } else { &USUAL[..1] };
    for scene in crate::scenes(usual, &[("tori", 200, 1), ("nested", 60, 1)]) {
        let [of_all, of_some, of_none] = [1 << 16, 200, 0].map(|fronts| {
            level_by_level(
                device,
                Limits { fronts, ..closefit_testing::on_device::limits() },
                Boxes::Swept,
                scene,
            )
        });
        assert_eq!([of_all, of_some, of_none].map(|found| found.wrong), [0; 3], "{scene:?}");
        assert!(of_none.at_fronts == 0 && of_some.at_fronts <= of_all.at_fronts);
        if !closefit_testing::on_device::has_little_room() {
            assert!(0 < of_some.at_fronts && of_some.at_fronts < of_all.at_fronts);
            assert!(2 * of_all.at_fronts > of_all.asked as u64, "{scene:?}");
            assert!(of_all.box_tests < of_none.box_tests, "{scene:?}");
        }
        assert!(of_all.proven.abs_diff(of_none.proven) * 20 <= of_none.proven, "{scene:?}");
        let by_intervals =
            level_by_level(device, closefit_testing::on_device::limits(), Boxes::Interval, scene);
        assert!(by_intervals.wrong == 0 && by_intervals.at_fronts > 0, "{scene:?}");
    }
}

/// Scenes in which searches begin at fronts.
const USUAL: [(&str, u32, u32); 2] = [("tori", 500, 4), ("nested", 150, 4)];

/// Boxes of twelve triangles, whose fronts have few items besides pairs of leaves.
const OF_LEAVES: [(&str, u32, u32); 1] = [("boxes", 24, 16)];

/// Boxes of fronts that are not handed on, not kept when they are left over, or handed on as if home and
/// guest had not changed places.
const OF_BOXES_LOST: [Fault; 3] = [
    (
        "items lost at the start",
        "let at = atomicAdd(&queue.ends",
        "if i % 2u == 0u { continue; } let at = atomicAdd(&queue.ends",
    ),
    ("items lost that were left over", "keep(item, 0u);", ""),
    ("sides not changed", "select(0u, GUEST_BIT, (half & SWAPPED) != 0u)", "0u"),
];

/// The same faults of leaf pairs, and one that counts those that are recorded without keeping them.
const OF_LEAVES_LOST: [Fault; 4] = [
    (
        "leaf pairs lost at the start",
        "leaves[atomicAdd(&queue.leaves, 1u)] = mine;",
        "if i % 2u == 0u { leaves[atomicAdd(&queue.leaves, 1u)] = mine; }",
    ),
    ("leaf pairs lost that were left over", "keep_leaves(item);\n            continue;", "continue;"),
    (
        "leaf pairs lost that were recorded",
        "keep_leaves(LeafItem(record.pair,",
        "if i < count { atomicAdd(&done[record.pair], 1u); continue; } keep_leaves(LeafItem(record.pair,",
    ),
    ("sides of leaf pairs not changed", "if (half & SWAPPED) != 0u {", "if false {"),
];

/// Injects a fault if `failure` names it, and checks that wrong proofs follow. Returns true if it does.
pub fn play(failure: &str, device: Device) -> bool {
    if failure == NO_FEATURES {
        device.rewrite_shaders(Some(Box::new(|source| source.replace("if !stay_", "if true || !stay_"))));
        let found = for_features(device);
        assert!(found.iter().all(|found| found.by_features == 0));
        println!("{}", without_features(found.map(|found| found.proven)));
        return true;
    }
    let all = [(&OF_BOXES_LOST[..], &USUAL[..]), (&OF_LEAVES_LOST[..], &OF_LEAVES[..])];
    let named =
        |(faults, scenes): (&[Fault], _)| Some((*faults.iter().find(|(name, ..)| *name == failure)?, scenes));
    let Some((fault, scenes)) = all.into_iter().find_map(named) else { return false };
    inject(fault, device);
    let limits = Limits { fronts: 1 << 16, ..Limits::default() };
    let wrong: usize =
        scenes.iter().map(|&scene| level_by_level(device, limits, Boxes::Swept, scene).wrong).sum();
    println!("{failure}: {wrong} stretches are wrongly proven");
    assert!(wrong > 0);
    true
}

/// Checks that fronts without some of their items prove what is not so. Each fault has a process, and so
/// kernels, of its own.
pub fn without_all_items_proofs_go_wrong(_: Device) {
    are_found(&OF_BOXES_LOST);
    are_found(&OF_LEAVES_LOST);
}

/// The fault of tests of features that exclude nothing.
const NO_FEATURES: &str = "nothing excluded by features";

/// Returns what is asked about with and without tests of features: motions with a limit that they barely come
/// within, which matter to features, and motions with other limits, which do not.
fn for_features(device: Device) -> [Found; 3] {
    let [boxes, tori] = [OF_LEAVES[0], USUAL[0]].map(|scene| {
        let mut found = Found::default();
        on_motions(device, Limits::default(), Boxes::Swept, scene, |_, residence, trees, moving| {
            let limit = barely_within(moving);
            let level = (LEVEL + 2).min(moving.cells.level);
            let of = |index| Asked { stretch: Stretch { level, index }, seen_from: 0, limit, parent: None };
            let asked: Vec<Asked> = (0..1 << level).map(of).collect();
            answered(residence, trees, moving, &asked, &mut found);
        });
        found
    });
    let others = of_one_level(device, Limits::default(), Boxes::Swept, ("tori", 1_000, 6));
    [boxes, tori, others]
}

/// Says how many stretches are proven without tests of features.
fn without_features(proven: [usize; 3]) -> String {
    format!("proven without features: {proven:?}")
}

/// Checks that the device counts those stretches as proven by features that are not proven without them: some
/// where features matter, and none where boxes and triangles suffice.
pub fn proofs_by_features_are_counted(device: Device) {
    let said = crate::failures::run_with(NO_FEATURES);
    let found = for_features(device);
    let by_features = found.map(|found| found.by_features as usize);
    println!("proven: {:?}, by features {by_features:?}", found.map(|found| found.proven));
    assert!(by_features[0] > 0 && by_features[1] > 0 && by_features[2] == 0);
    let without = [0, 1, 2].map(|i| found[i].proven - by_features[i]);
    assert!(without[2] > 0 && said.contains(&without_features(without)), "{said}");
}
