//! Stretches of time that the device proves free, compared with searches on the CPU.

use closefit::internals::bvh::moving::{LEVELS, MovingPair, Scratch, Shape, StretchQuestion};
use closefit::internals::bvh::pairs_on_device::PairsOnDevice;
use closefit::internals::bvh::posed_model::Model;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::method::Boxes;
use closefit::{Between, Device, Executor, Keyframe, Mesh, Method, Motion, Pose, Work};
use closefit_generate::{Request, generate};
use closefit_geometry::ids::to_u32;
use closefit_geometry::motion::cells::Stretch;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::{Frames, Joint};
use closefit_testing::rng::Rng;

use crate::failures::{Fault, are_found, play_fault};

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
    /// Stretches, and the parts of them.
    asked: usize,
    parts: usize,
    proven: usize,
    /// Parts that were proven although something comes near.
    pub wrong: usize,
    /// Work of the device.
    launches: u64,
    box_tests: u64,
}

impl std::ops::AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.asked += other.asked;
        self.parts += other.parts;
        self.proven += other.proven;
        self.wrong += other.wrong;
        self.launches += other.launches;
        self.box_tests += other.box_tests;
    }
}

/// A question about one of two trees as seen from the other.
#[derive(Clone, Copy)]
struct Asked {
    stretch: Stretch,
    levels: u32,
    seen_from: usize,
    limit: f64,
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

/// Asks a device, and compares what is proven with searches on the CPU. Returns the open parts.
fn answered(
    residence: &mut Residence,
    trees: [&WideObb; 2],
    moving: &MovingPair,
    asked: &[Asked],
    found: &mut Found,
) -> Vec<Asked> {
    let question = |&Asked { stretch, levels, seen_from, limit }: &Asked| {
        let moment = moving.motion.over(moving.cells, stretch);
        StretchQuestion {
            trees: [seen_from, 1 - seen_from].map(|i| trees[i]),
            moment: if seen_from == 0 { moment } else { moment.flipped() },
            limit,
            levels,
        }
    };
    let questions: Vec<StretchQuestion<&WideObb>> = asked.iter().map(question).collect();
    let before = residence.device().tally();
    let (answers, _) = residence.open_parts_of_all(moving.method.boxes, &questions).expect("it computes");
    let after = residence.device().tally();
    found.launches += after.launches - before.launches;
    found.box_tests += after.box_tests - before.box_tests;
    found.asked += asked.len();
    let mut open = Vec::new();
    for (one, bits) in asked.iter().zip(answers) {
        assert!(bits >> (1 << one.levels) == 0, "{bits:b}");
        for index in 0..1u64 << one.levels {
            let level = one.stretch.level + one.levels;
            let part = Stretch { level, index: (one.stretch.index << one.levels) + index };
            found.parts += 1;
            if bits >> index & 1 == 1 {
                open.push(Asked { stretch: part, ..*one });
                continue;
            }
            let (cells, mut scratch) = (moving.cells.range(part), Scratch::of(moving.shapes));
            let within = moving.first_within(cells, one.limit, &mut scratch, &mut Work::default());
            found.proven += 1;
            found.wrong += usize::from(within.is_some());
        }
    }
    open
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

/// Asks about all stretches of one level of random motions, which the device halves up to three times.
fn of_one_level(device: Device, limits: Limits, boxes: Boxes, scene: (&str, u32, u32)) -> Found {
    let mut found = Found::default();
    on_motions(device, limits, boxes, scene, |number, residence, trees, moving| {
        let limit = [0.005, 0.2][number as usize % 2];
        let seen_from = (number as usize / 2) % 2;
        let levels = (number % (LEVELS + 1)).min(moving.cells.level - LEVEL);
        let of = |index| Asked { stretch: Stretch { level: LEVEL, index }, levels, seen_from, limit };
        let asked: Vec<Asked> = (0..1 << LEVEL).map(of).collect();
        answered(residence, trees, moving, &asked, &mut found);
    });
    println!("{scene:?}, {boxes}: {found:?}");
    found
}

/// Asks about random motions as a sweep does: about whole spans, and then about the parts that are not
/// proven.
fn part_by_part(device: Device, limits: Limits, boxes: Boxes, scene: (&str, u32, u32)) -> Found {
    let mut found = Found::default();
    on_motions(device, limits, boxes, scene, |_, residence, trees, moving| {
        let deepest = DEEPEST.min(moving.cells.level);
        let barely = barely_within(moving);
        let of = |(seen_from, limit)| Asked { stretch: Stretch::WHOLE, levels: 0, seen_from, limit };
        let mut open: Vec<Asked> = [(0, 0.005), (1, 0.2), (0, barely), (1, barely)].map(of).to_vec();
        while open.first().is_some_and(|one| one.stretch.level < deepest) {
            open.iter_mut().for_each(|one| one.levels = LEVELS.min(deepest - one.stretch.level));
            open = answered(residence, trees, moving, &open, &mut found);
        }
    });
    println!("{scene:?}, {boxes}, part by part: {found:?}");
    found
}

/// Asks about stretches with the limits of the library.
pub fn by_default_limits(device: Device) {
    assert_eq!(part_by_part(device, Limits::default(), Boxes::Swept, USUAL[0]).wrong, 0);
}

pub fn what_is_proven_of_stretches_is_so(device: Device) {
    let usual = [("tori", 2_000, 12), ("bolt-nut", 5_000, 12), ("nested", 500, 12)];
    for scene in crate::scenes(&usual, &[("tori", 500, 4), ("nested", 150, 4)]) {
        for boxes in [Boxes::Swept, Boxes::Interval] {
            let found = of_one_level(device, closefit_testing::on_device::limits(), boxes, scene);
            assert!(found.wrong == 0 && 8 * found.proven > found.parts, "{scene:?}, {boxes}");
        }
    }
}

/// Checks that a minimal stack and trees in many pieces prove nothing that is not so.
pub fn little_room_changes_nothing(device: Device) {
    for (arena, stack, leaves) in [(u64::MAX, 0, 8), (20_000, 4096, 512)] {
        let limits = Limits { arena, stack, leaves, ..closefit_testing::on_device::limits() };
        let found = of_one_level(device, limits, Boxes::Swept, ("tori", 800, 4));
        assert!(found.wrong == 0 && found.proven > 0);
        assert_eq!(part_by_part(device, limits, Boxes::Swept, ("tori", 200, 1)).wrong, 0);
    }
}

/// Scenes of boxes that are opened and halved, and of twelve triangles each, of which mostly triangles are
/// tested.
const USUAL: [(&str, u32, u32); 3] = [("tori", 500, 4), ("nested", 150, 4), ("boxes", 24, 8)];

/// Checks that what is proven of halves is so, and that the device halves stretches as often as it is asked.
/// Each motion is searched with four limits, and `CLOSEFIT_INPUTS` is the number of searches.
pub fn halves_are_proven_as_they_are(device: Device) {
    let limits = closefit_testing::on_device::limits();
    let scenes = crate::scenes(&USUAL, &[("tori", 200, 1), ("nested", 60, 1)]);
    let each = crate::inputs().map(|searches| to_u32(searches.div_ceil(2 * 4 * scenes.len())));
    for (name, size, motions) in scenes {
        for boxes in [Boxes::Swept, Boxes::Interval] {
            let found = part_by_part(device, limits, boxes, (name, size, each.unwrap_or(motions)));
            assert!(found.wrong == 0 && found.proven > 0 && found.parts > 4 * found.asked, "{name}");
        }
    }
}

/// Checks launches that resume others: few groups with few steps, or with little room. What is proven is the
/// same, since no group gives a question up.
pub fn what_is_left_goes_on(device: Device) {
    let all = closefit_testing::on_device::limits();
    for scene in [("tori", 200, 2), ("boxes", 24, 4)] {
        for boxes in [Boxes::Swept, Boxes::Interval] {
            let expected = part_by_part(device, all, boxes, scene);
            for (groups, steps, leaves, stack) in
                [(1, 7, 1 << 20, 1 << 20), (64, 1, 1 << 20, 1 << 20), (3, 40, 8, 0)]
            {
                let found =
                    part_by_part(device, Limits { groups, steps, leaves, stack, ..all }, boxes, scene);
                assert!(found.wrong == 0 && found.launches > 2 * expected.launches, "{scene:?}, {boxes}");
                assert_eq!(
                    (found.proven, found.parts),
                    (expected.proven, expected.parts),
                    "{scene:?}, {boxes}"
                );
            }
        }
    }
}

/// Faults of the kernels.
const FAULTS: [Fault; 10] = [
    ("proven with boxes to open", "return atomicLoad(&box_count[team]) +", "return "),
    ("proven with leaf pairs to test", "+ atomicLoad(&leaf_count[team]) == 0u;", "== 0u;"),
    ("the later half left out", "2u * part + 1u - i;", "2u * part;"),
    ("parts not opened", "atomicOr(&open, bits_of(part, levels));\n        return;", "return;"),
    ("open parts forgotten", "atomicStore(&open, answers[pair] & ~UNFINISHED);", "atomicStore(&open, 0u);"),
    // A part that is none would be halved until the steps of all groups are spent.
    (
        "left with later parts",
        "= items[team][word * STACK + i];",
        "= items[team][word * STACK + i] | select(0u, 1u, word == 2u);",
    ),
    ("moved the opposite way", "(1.0 - 2.0 * passing.moves)", "(2.0 * passing.moves - 1.0)"),
    ("halves too short", "return bitcast<f32>((127u -", "return bitcast<f32>((126u -"),
    (
        "triangles proven in later parts",
        "(at >> countTrailingZeros(~at)) + 1u;",
        "0u; found |= bits_of(part, levels);",
    ),
    (
        "the middle of the stretch for all",
        "return f32(2u * index + 1u) * half_of(part) - 1.0;",
        "return 0.0;",
    ),
];

/// Injects one of the faults if `failure` names it, and checks that it is found. Returns true if it does.
pub fn play(failure: &str, device: Device) -> bool {
    play_fault(&FAULTS, failure, device, || {
        halves_are_proven_as_they_are(device);
        what_is_left_goes_on(device);
    })
}

/// Checks that faults of the kernels are found. Each has a process, and so kernels, of its own.
pub fn faults_are_found(_: Device) {
    are_found(&FAULTS);
}
