//! Checks that every margin is needed: without one of them, some case is answered wrongly.

use closefit::internals::gpu::Device;
use closefit::internals::hierarchy::obb8::on_device::kernels::{
    BOX_BOX, BOX_DISTANCE, MOVING_TRIANGLES, POSED_TRIANGLES, TRIANGLE_DISTANCE, TRIANGLE_TRIANGLE,
};
use closefit::internals::math::error_bounds::device::PLACED;

use crate::perturbed::{Rounding, with_rounding};
use crate::{
    boxes, doubles, moving_boxes, moving_features, moving_triangles, near_boxes, near_triangles, triangles,
};

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
    for (constant, rounding) in [
        ("GRID", Rounding::Nearest),
        ("DETERMINANT", Rounding::Farther),
        ("MOVED_DETERMINANT", Rounding::Nearest),
        ("PLACED", Rounding::Nearest),
    ] {
        let (source, blur) = match constant {
            "PLACED" => (TRIANGLE_TRIANGLE, 0.0),
            _ => (without(TRIANGLE_TRIANGLE, constant), PLACED),
        };
        let [apart, met, _] =
            with_rounding(device, rounding, || triangles::wrong(device, source, blur, 60_000, 0));
        println!("without {constant}: {apart} wrongly apart, {met} wrongly met");
        assert!(apart + met > 10, "{constant}");
    }
}

pub fn without_a_margin_doubles_go_wrong(device: Device) {
    for constant in ["F64_DETERMINANT", "F64_IN_PLANE"] {
        let wrong = doubles::wrong(device, without(POSED_TRIANGLES, constant), 0..600);
        println!("without {constant}: {wrong} answers are not those of the CPU");
        assert!(wrong > 0, "{constant}");
    }
}

pub fn without_a_margin_distances_go_wrong(device: Device) {
    let wrong = near_boxes::wrong(device, without(BOX_DISTANCE, "FAR"), 8_000, 0);
    println!("without FAR: {wrong:?} wrong bounds of boxes");
    assert!(wrong[0] > 0 && wrong[1] > 0);
    for (constant, source, blur, rounding) in [
        ("LENGTH", without(TRIANGLE_DISTANCE, "LENGTH"), PLACED, Rounding::Farther),
        ("PLACED", TRIANGLE_DISTANCE, 0.0, Rounding::Nearest),
    ] {
        let wrong =
            with_rounding(device, rounding, || near_triangles::wrong(device, source, blur, 60_000, 0));
        println!("without {constant}: {wrong:?} wrong bounds of triangles");
        assert!(wrong[0] > 0 && wrong[1] > 0, "{constant}");
    }
}

pub fn without_a_margin_boxes_go_wrong(device: Device) {
    for (source, widened) in [(BOX_BOX, false), (without(BOX_BOX, "PARALLEL"), true)] {
        let wrong = boxes::wrong(device, source, widened, 8_000, 0);
        println!(
            "without {}: {wrong} wrongly excluded",
            if widened { "PARALLEL" } else { "EXTENT and CENTER" }
        );
        assert!(wrong > 0);
    }
}

pub fn without_a_margin_moving_boxes_go_wrong(device: Device) {
    for kind in moving_boxes::KINDS {
        let kind = moving_boxes::Kind { source: without(kind.source, "WIDER"), ..kind };
        let wrong = with_rounding(device, Rounding::Farther, || moving_boxes::wrong(device, kind, 20_000, 0));
        println!("without WIDER, {}: {wrong} wrongly excluded", kind.name);
        assert!(wrong > 0, "{}", kind.name);
    }
}

pub fn without_a_margin_moving_triangles_go_wrong(device: Device) {
    for constant in ["WIDER", "LENGTH"] {
        let source = without(MOVING_TRIANGLES, constant);
        let wrong =
            with_rounding(device, Rounding::Farther, || moving_triangles::wrong(device, source, 60_000, 0));
        println!("without {constant}: {wrong} wrongly excluded");
        assert!(wrong > 0, "{constant}");
    }
}

pub fn without_a_margin_moving_features_go_wrong(device: Device) {
    for kind in moving_features::KINDS {
        for constant in ["WIDER", "GAP_OVER_TIME"] {
            let kind = moving_features::Kind { source: without(kind.source, constant), ..kind };
            let wrong =
                with_rounding(device, Rounding::Farther, || moving_features::wrong(device, kind, 120_000, 0));
            println!("without {constant}, {}: {wrong} wrongly excluded", kind.name);
            assert!(wrong > 0, "{constant} {}", kind.name);
        }
    }
}
