//! The candidate pairs of a scene of cubes.

use std::time::Instant;

use closefit::internals::broad::on_device::{Frame, Limits};
use closefit::internals::broad::sweep_and_prune;
use closefit::internals::engine::PosedBoxes;
use closefit::{Device, Pool, Work};
use closefit_generate::{Request, generate};

use crate::{Asked, Measured, Twice};

/// Asks one thread of the CPU, and the device twice: the first time compiles the kernels. All pairs must be
/// the same.
pub fn measure(device: Device, count: u32) -> Measured {
    let request = Request { name: "boxes".to_owned(), size: Some(count), seed: 0, soup: false };
    let scene = generate(&request).expect("a known scene");
    let posed = PosedBoxes::new(&scene, None).expect("of ordinary size");
    let boxes = posed.boxes();
    device.release_idle();
    let start = Instant::now();
    let (expected, box_tests) = Pool::of(1)
        .install(|| {
            let frame = sweep_and_prune::Frame::new(boxes, 0.0);
            (frame.near_pairs(0..count, |_| true), frame.box_tests())
        })
        .expect("a thread");
    let cpu_s = start.elapsed().as_secs_f64();
    let ask = || Frame::new(device, Limits::default(), boxes, 0.0).near_pairs(0..count, |_| true);
    let twice = Twice::of(device, ask, |found| found == expected);
    let name = format!("boxes {count}, {}", Asked::Pairs);
    let cpu = Work { box_tests, ..Work::default() };
    Measured {
        name,
        asked: Asked::Pairs,
        pairs: boxes.len(),
        cpu,
        cpu_s,
        threads_s: None,
        twice,
        kernels: None,
    }
}
