//! Checks that every margin is needed: without one of them, some case is answered wrongly.

use std::collections::BTreeSet;

use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::kernels::{
    ASK_GROUP, BOX_BOX, BOX_DISTANCE, POSED_TRIANGLES, SWEPT_BOXES, TRIANGLE_DISTANCE, TRIANGLE_TRIANGLE,
};
use closefit::internals::gpu::error_bounds::{CENTER, EXTENT, PLACED};

use crate::perturbed::{Rounding, with_rounding};
use crate::{boxes, doubles, moving_boxes, moving_triangles, near_boxes, near_triangles, triangles};

/// The margins that a test of this file sets to 0, by test. The CPU applies `EXTENT`, `CENTER` and `PLACED`;
/// all others are constants of shaders.
const OF_BOXES: [&str; 3] = ["PARALLEL", "EXTENT", "CENTER"];
const OF_DISTANCES: [&str; 3] = ["FAR", "LENGTH", "PLACED"];
const OF_TRIANGLES: [(&str, Rounding); 4] = [
    ("GRID", Rounding::Nearest),
    ("DETERMINANT", Rounding::Farther),
    ("MOVED_DETERMINANT", Rounding::Nearest),
    ("PLACED", Rounding::Nearest),
];
const OF_DOUBLES: [&str; 2] = ["F64_DETERMINANT", "F64_IN_PLANE"];
const OF_MOVING_BOXES: [&str; 1] = ["WIDER"];
const OF_MOVING_TRIANGLES: [&str; 2] = ["WIDER", "GAP_OVER_TIME"];
/// The margin of a pair that the device places: `placing` finds points that are off by more than `PLACED`.
const OF_PLACING: [&str; 1] = ["BY_FRAMES"];

/// Checks that some test sets each margin to 0: every constant of `bounds.wgsl`, and every bound that the CPU
/// applies for the device.
pub fn every_margin_has_a_test() {
    let tested: BTreeSet<&str> =
        [&OF_BOXES[..], &OF_DISTANCES, &OF_TRIANGLES.map(|(name, _)| name), &OF_DOUBLES]
            .into_iter()
            .chain([&OF_MOVING_BOXES[..], &OF_MOVING_TRIANGLES, &OF_PLACING])
            .flatten()
            .copied()
            .collect();
    let source = include_str!("../../shaders/shared/bounds.wgsl");
    let module = naga::front::wgsl::parse_str(source).expect("valid WGSL");
    let of_shaders = module.constants.iter().map(|(_, constant)| constant.name.as_deref().expect("a name"));
    let source = include_str!("../../src/gpu/error_bounds.rs");
    let of_rust = source.lines().filter_map(|line| line.strip_prefix("pub const ")?.split(':').next());
    let bounds: BTreeSet<&str> = of_shaders.chain(of_rust.filter(|name| *name != "UNIT")).collect();
    assert_eq!(tested, bounds);
}

/// Returns a shader's source with a constant set to 0.
fn without(source: &str, constant: &str) -> &'static str {
    let begin = source.find(&format!("const {constant} = ")).expect("it is there");
    let end = begin + source[begin..].find(';').expect("its end");
    let zero = if source[begin..end].ends_with('u') { "0u" } else { "0.0f" };
    let mut source = source.to_owned();
    source.replace_range(begin..end, &format!("const {constant} = {zero}"));
    source.leak()
}

pub fn without_a_margin_triangles_go_wrong(device: Device) {
    for source in [TRIANGLE_TRIANGLE, ASK_GROUP] {
        for (constant, rounding) in OF_TRIANGLES {
            let (source, blur) = match constant {
                "PLACED" => (source, 0.0),
                _ => (without(source, constant), PLACED),
            };
            let [apart, met, _] =
                with_rounding(device, rounding, || triangles::wrong(device, source, blur, 60_000, 0));
            println!("without {constant}: {apart} wrongly apart, {met} wrongly met");
            assert!(apart + met > 10, "{constant}");
        }
    }
}

pub fn without_a_margin_doubles_go_wrong(device: Device) {
    for constant in OF_DOUBLES {
        let wrong = doubles::wrong(device, without(POSED_TRIANGLES, constant), 0..600);
        println!("without {constant}: {wrong} answers are not those of the CPU");
        assert!(wrong > 0, "{constant}");
    }
}

pub fn without_a_margin_distances_go_wrong(device: Device) {
    for constant in OF_DISTANCES {
        let of_triangles = |source, blur, rounding| {
            with_rounding(device, rounding, || near_triangles::wrong(device, source, blur, 60_000, 0))
        };
        let wrong = match constant {
            "FAR" => near_boxes::wrong(device, without(BOX_DISTANCE, constant), 8_000, 0),
            "PLACED" => of_triangles(TRIANGLE_DISTANCE, 0.0, Rounding::Nearest),
            _ => of_triangles(without(TRIANGLE_DISTANCE, constant), PLACED, Rounding::Farther),
        };
        println!("without {constant}: {wrong:?} wrong bounds");
        assert!(wrong[0] > 0 && wrong[1] > 0, "{constant}");
    }
}

pub fn without_a_margin_boxes_go_wrong(device: Device) {
    for source in [BOX_BOX, ASK_GROUP] {
        for constant in OF_BOXES {
            let (source, widening) = match constant {
                "EXTENT" => (source, Some([0.0, CENTER])),
                "CENTER" => (source, Some([EXTENT, 0.0])),
                _ => (without(source, constant), None),
            };
            let wrong =
                with_rounding(device, Rounding::Farther, || boxes::wrong(device, source, widening, 8_000, 0));
            println!("without {constant}: {wrong} wrongly excluded");
            assert!(wrong > 0, "{constant}");
        }
    }
}

pub fn without_a_margin_moving_boxes_go_wrong(device: Device) {
    for constant in OF_MOVING_BOXES {
        for kind in moving_boxes::KINDS {
            let kind = moving_boxes::Kind { source: without(kind.source, constant), ..kind };
            let wrong =
                with_rounding(device, Rounding::Farther, || moving_boxes::wrong(device, kind, 20_000, 0));
            println!("without {constant}, {}: {wrong} wrongly excluded", kind.name);
            assert!(wrong > 0, "{constant} {}", kind.name);
        }
    }
}

pub fn without_a_margin_moving_triangles_go_wrong(device: Device) {
    for constant in OF_MOVING_TRIANGLES {
        let source = without(SWEPT_BOXES, constant);
        let wrong = with_rounding(device, Rounding::Farther, || {
            moving_triangles::wrong(device, source, moving_triangles::Limits::Near, 120_000, 0)
        });
        println!("without {constant}: {wrong} wrongly excluded");
        assert!(wrong > 0, "{constant}");
    }
}
