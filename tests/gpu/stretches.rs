//! Stretches of time that the device proves free, compared with searches on the CPU.

use closefit::internals::continuous::method::{Boxes, Method};
use closefit::internals::executor::Executor;
use closefit::internals::gpu::Device;
use closefit::internals::hierarchy::body::Model;
use closefit::internals::hierarchy::moving::{MovingPair, Scratch, Shape, StretchQuestion};
use closefit::internals::hierarchy::obb8::Obb8;
use closefit::internals::hierarchy::obb8::on_device::{Limits, Residence};
use closefit::internals::math::pose::Pose;
use closefit::internals::mesh::Mesh;
use closefit::internals::motion::cells::Stretch;
use closefit::internals::motion::pair::{PairMotion, PlacedPart};
use closefit::internals::motion::{Between, Frames, Joint, Keyframe, Motion};
use closefit::internals::narrow::Work;
use closefit::scene::generate::{Request, generate};

use crate::support::rng::Rng;

/// Level of the stretches asked about.
const LEVEL: u32 = 5;

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

/// Asks about all stretches of one level of random motions, by a test of boxes. Returns how many were asked and proven.
fn compare(
    device: Device,
    limits: Limits,
    boxes: Boxes,
    (name, size, motions): (&str, u32, u32),
) -> [usize; 2] {
    let mut rng = Rng::new(name, 0);
    let meshes = meshes(name, size);
    let models = [0, 1].map(|i| Model::<Obb8>::of(&meshes[i], Executor::Simd, Default::default()));
    let shapes = [0, 1].map(|i| Shape { mesh: &meshes[i], model: &models[i] });
    let mut residence = Residence::new(device, limits);
    let (mut asked, mut proven) = (0, 0);
    for number in 0..motions {
        let mut frames = Frames::default();
        let placed = [0, 1].map(|i| {
            let scale = if number % 3 == 2 && i == 1 { -0.3 } else { 1.0 };
            let frame = frames.add(None, Joint::Moving(motion(&mut rng, scale)));
            PlacedPart::of(Pose::IDENTITY, Some(frame), meshes[i].vertices())
        });
        let pair = PairMotion::new(&frames, placed);
        let span = pair.span(0.0, 1.0);
        let cells = span.cells(0.01).expect("not too fine");
        let limit = [0.005, 0.2][number as usize % 2];
        let seen_from = (number as usize / 2) % 2;
        let stretches: Vec<Stretch> = (0..1 << LEVEL).map(|index| Stretch { level: LEVEL, index }).collect();
        let question = |&stretch: &Stretch| {
            let moment = span.over(&cells, stretch);
            StretchQuestion {
                trees: [seen_from, 1 - seen_from].map(|i| &models[i].tree),
                moment: if seen_from == 0 { moment } else { moment.flipped() },
                limit,
            }
        };
        let questions: Vec<StretchQuestion<Obb8>> = stretches.iter().map(question).collect();
        let (found, _) = residence.stay_beyond_of_all(boxes, &questions).expect("it computes");
        let moving = MovingPair {
            shapes,
            motion: &span,
            cells: &cells,
            method: Method::default(),
            hulls: None,
            known: None,
        };
        for (stretch, is_proven) in stretches.iter().zip(found) {
            let near = moving.first_within(
                cells.range(*stretch),
                limit,
                &mut Scratch::default(),
                &mut Work::default(),
            );
            assert!(!(is_proven && near.is_some()), "{name}, motion {number}, {stretch:?}: {near:?}");
            asked += 1;
            proven += usize::from(is_proven);
        }
    }
    println!("{name} {size}, {boxes}: {proven} of {asked} stretches proven");
    [asked, proven]
}

pub fn what_is_proven_of_stretches_is_so(device: Device) {
    let usual = [("tori", 2_000, 12), ("bolt-nut", 5_000, 12), ("nested", 500, 12)];
    for scene in crate::scenes(&usual, &[("tori", 500, 4), ("nested", 150, 4)]) {
        for boxes in [Boxes::Swept, Boxes::Interval] {
            let [asked, proven] = compare(device, crate::limits(), boxes, scene);
            assert!(8 * proven > asked, "{scene:?}, {boxes}: {proven} of {asked}");
        }
    }
}

/// Checks that a minimal queue, small rounds and trees in many pieces prove nothing that is not so.
pub fn little_room_changes_nothing(device: Device) {
    for (arena, stack, leaves, round) in [(u64::MAX, 0, 8, 8), (20_000, 4096, 512, 64)] {
        let limits = Limits { arena, stack, leaves, round, ..crate::limits() };
        let [_, proven] = compare(device, limits, Boxes::Swept, ("tori", 800, 4));
        assert!(proven > 0);
    }
}
