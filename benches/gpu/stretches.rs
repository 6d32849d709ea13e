//! Stretches of time in which pairs of tori stay apart.

use std::time::Instant;

use closefit::internals::bvh::moving::{LEVELS, MovingPair, Scratch, Shape, StretchQuestion};
use closefit::internals::bvh::pairs_on_device::PairsOnDevice;
use closefit::internals::bvh::posed_model::Model;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::nearest::nearest;
use closefit::method::Boxes;
use closefit::{Between, Device, Executor, Keyframe, Method, Motion, Pose, Work};
use closefit_generate::{Request, generate};
use closefit_geometry::motion::cells::{Cells, Stretch};
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::span::PairSpan;
use closefit_geometry::motion::{Frames, Joint};

use crate::{Asked, Measured, Twice};

/// Level of the shortest parts of stretches that a sweep asks the device about.
const FINEST: u32 = 10;

/// Number of times at which distances are taken, but one.
const TIMES: u32 = 32;

/// The limit of a search, as a share of the least of these distances.
const SHARE: f64 = 0.8;

/// Returns a screw motion past the origin, over one second.
fn way(number: u32) -> Motion {
    let key = |time: f64| {
        let t = f64::from(number) + 7.0 * time;
        let rotation = [(t * 0.7).sin(), (t * 1.3).sin(), (t * 2.1).sin(), 0.3 + (t * 0.9).cos()];
        let translation = [(t * 1.7).sin(), (t * 2.3).sin(), (t * 3.1).sin()].map(|x| 3.0 * x).into();
        Keyframe { time, rotation, translation }
    };
    Motion::through(&[key(0.0), key(1.0)], Between::Screw, [1.0; 3]).expect("a motion")
}

/// Returns the least of a pair's distances at some times on its way.
fn least_distance(trees: [&WideObb; 2], moving: &MovingPair) -> f64 {
    let times = (0..=TIMES).map(|k| f64::from(k) / f64::from(TIMES));
    let distance = |time: f64| {
        let posed = moving.motion.moment(time, 0.0).poses;
        let [a, b] = [0, 1].map(|i| PosedWideObb::new(trees[i], &posed[i]));
        let found = nearest(&a, &b, f64::INFINITY, &mut Default::default(), &mut Work::default());
        found.expect("no limit").distance
    };
    times.map(distance).fold(f64::INFINITY, f64::min)
}

/// Searches the whole way on the CPU.
fn stays_beyond(moving: &MovingPair, limit: f64, work: &mut Work) -> bool {
    moving
        .first_within(moving.cells.range(Stretch::WHOLE), limit, &mut Scratch::of(moving.shapes), work)
        .is_none()
}

/// Asks whether two tori of `size` triangles stay apart on the ways, `count` at most, on which they do. One
/// thread of the CPU searches whole ways. The device is asked as a sweep asks it: about the spans, and then
/// about all parts that it does not prove; twice, since the first time compiles the kernels and sends the
/// trees. It may prove only what is so.
pub fn measure(device: Device, boxes: Boxes, size: u32, count: u32) -> Measured {
    let request = Request { name: "tori".to_owned(), size: Some(size), seed: 0, soup: false };
    let scene = generate(&request).expect("a known scene");
    let meshes = [0, 1].map(|i| &*scene.meshes[scene.parts[i].mesh.index()]);
    let models = meshes.map(|mesh| Model::<WideObb>::of(mesh, Executor::Simd, Default::default()));
    let shapes = [0, 1].map(|i| Shape { mesh: meshes[i], model: &models[i] });
    let mut frames = Frames::default();
    let added: Vec<_> = (0..count).map(|number| frames.add(None, Joint::Moving(way(number)))).collect();
    let pairs: Vec<PairMotion> = added
        .into_iter()
        .map(|frame| {
            let stands = PlacedPart::of(Pose::IDENTITY, None, meshes[0].vertices());
            let moves = PlacedPart::of(Pose::IDENTITY, Some(frame), meshes[1].vertices());
            PairMotion::new(&frames, [stands, moves])
        })
        .collect();
    let spans: Vec<(PairSpan, Cells)> = pairs
        .iter()
        .map(|pair| pair.span(0.0, 1.0))
        .map(|span| {
            let cells = span.cells(0.001).expect("not too fine");
            (span, cells)
        })
        .collect();
    let trees = models.each_ref().map(|model| &model.tree);
    let moving: Vec<(MovingPair, f64)> = spans
        .iter()
        .map(|(motion, cells)| {
            let method = Method { boxes, ..Method::default() };
            let moving = MovingPair { shapes: &shapes, motion, cells, method, hulls: None, known: None };
            let limit = SHARE * least_distance(trees, &moving);
            (moving, limit)
        })
        .filter(|(moving, limit)| *limit > 0.0 && stays_beyond(moving, *limit, &mut Work::default()))
        .collect();

    let (start, mut cpu) = (Instant::now(), Work::default());
    assert!(moving.iter().all(|(moving, limit)| stays_beyond(moving, *limit, &mut cpu)));
    let cpu_s = start.elapsed().as_secs_f64();
    device.release_idle();
    let mut residence = Residence::new(device, Limits::default());
    let twice = Twice::of(device, || ask(&mut residence, boxes, trees, &moving), |()| true);
    let asked = Asked::Stretches(boxes);
    let name = format!("tori {size} x {}, {asked}", moving.len());
    Measured { name, asked, pairs: moving.len(), cpu, cpu_s, threads_s: None, twice, kernels: None }
}

/// Asks a device about whole spans, and then about the parts that it does not prove.
fn ask(residence: &mut Residence, boxes: Boxes, trees: [&WideObb; 2], moving: &[(MovingPair, f64)]) {
    let mut open: Vec<(usize, Stretch)> = (0..moving.len()).map(|pair| (pair, Stretch::WHOLE)).collect();
    while !open.is_empty() {
        let levels = |(pair, stretch): (usize, Stretch)| {
            LEVELS.min(moving[pair].0.cells.level.min(FINEST) - stretch.level)
        };
        let question = |&(pair, stretch): &(usize, Stretch)| {
            let (moving, limit) = &moving[pair];
            let moment = moving.motion.over(moving.cells, stretch);
            StretchQuestion { trees, moment, limit: *limit, levels: levels((pair, stretch)) }
        };
        let questions: Vec<_> = open.iter().map(question).collect();
        let (answers, _) = residence.open_parts_of_all(boxes, &questions).expect("it computes");
        let parts = open.iter().zip(answers).flat_map(|(&(pair, stretch), bits)| {
            let levels = levels((pair, stretch));
            let open = (0..1u64 << levels).filter(move |i| bits >> i & 1 == 1);
            open.map(move |i| {
                let level = stretch.level + levels;
                (pair, Stretch { level, index: (stretch.index << levels) + i })
            })
        });
        open = parts.filter(|(pair, part)| part.level < moving[*pair].0.cells.level.min(FINEST)).collect();
    }
}
