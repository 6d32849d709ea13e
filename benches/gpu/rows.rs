//! Rows of a check: a robot at many times of its motion.

use std::time::Instant;

use closefit::internals::engine::{NearRow, PreparedCheck, PreparedScene, RowScratch};
use closefit::{
    CheckRequest, DepthDetail, Device, FourPoses, Pool, Pose, PosedPair, Strategy, Unobserved, Work,
};
use closefit_generate::{Request, generate};
use closefit_geometry::lanes::ROWS;
use closefit_geometry::parallel;
use closefit_geometry::pool::on_threads;

use crate::{Asked, Measured, RUN, Twice};

/// Asks one thread of the CPU, all of them, and the device twice: the first time compiles kernels and sends
/// trees. All rows must be the same.
pub fn measure(device: Device, count: u32) -> Measured {
    let request = Request { name: "robot".to_owned(), size: Some(8), seed: 0, soup: false };
    let scene = generate(&request).expect("a known scene");
    let [from, to] = scene.time_range().expect("it moves");
    let row = |k: u32| {
        let frames = scene.frames.poses(from + (to - from) * f64::from(k) / f64::from(count));
        let pose = |frame: u32| frames[frame as usize];
        scene.parts.iter().map(|part| part.frame.map_or(part.pose, |frame| pose(frame.0))).collect()
    };
    let rows: Vec<Vec<Pose>> = (0..count).map(row).collect();
    let moves: Vec<bool> = scene.parts.iter().map(|part| part.frame.is_some()).collect();
    let request = CheckRequest::default().tolerance(1e-6).depth(DepthDetail::None);
    let on_device = Strategy::default().on(device).expect("it has kernels");
    let [of_cpu, prepared] = [Strategy::default(), on_device].map(|strategy| {
        PreparedScene::new(&scene, &moves, &request.strategy(strategy), &Unobserved)
            .expect("of ordinary size")
    });
    let (of_cpu, check) = (of_cpu.checks(), prepared.checks());
    let cpu = || each(&of_cpu, &rows, |row, scratch| of_cpu.at(row, false, scratch).expect("in range"));
    let start = Instant::now();
    let expected = on_threads(cpu);
    let threads_s = Some(start.elapsed().as_secs_f64());
    let start = Instant::now();
    assert!(Pool::of(1).install(cpu).expect("a thread") == expected);
    let cpu_s = start.elapsed().as_secs_f64();

    device.release_idle();
    let mut search = check.on_device().expect("it has one");
    let ask = || {
        let mut near = each(&check, &rows, |row, scratch| check.near(row, scratch).expect("in range"));
        search.search(&mut near.iter_mut().collect::<Vec<_>>());
        decided(&check, near)
    };
    let twice = Twice::of(device, ask, |found| found == expected);
    let (name, asked) = (format!("robot 8 x {count}, {}", Asked::Rows), Asked::Rows);
    Measured { name, asked, pairs: rows.len(), cpu: Work::default(), cpu_s, threads_s, twice, kernels: None }
}

/// Places rows four at a time, and returns what `of` returns for each.
fn each<T: Send>(
    check: &PreparedCheck,
    rows: &[Vec<Pose>],
    of: impl Fn((usize, &[FourPoses]), &mut RowScratch) -> T + Sync,
) -> Vec<T> {
    parallel::gather(rows.len(), RUN, |numbers, found| {
        let mut scratch = RowScratch::default();
        for some in rows[numbers].chunks(ROWS) {
            let mut poses: Vec<FourPoses> = some[0].iter().map(FourPoses::splat).collect();
            for (lane, row) in some.iter().enumerate() {
                poses.iter_mut().zip(row).for_each(|(four, pose)| four.set(lane, pose));
            }
            check.place(&poses, some.len(), &mut scratch);
            found.extend((0..some.len()).map(|lane| of((lane, &poses), &mut scratch)));
        }
    })
}

fn decided(check: &PreparedCheck, near: Vec<NearRow>) -> Vec<Vec<PosedPair>> {
    on_threads(|| parallel::map_owned(near, RUN, |_, row| check.decide(row, false)))
}
