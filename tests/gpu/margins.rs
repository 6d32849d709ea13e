//! Checks that every margin is needed: without one of them, some case is answered wrongly.

use closefit::internals::gpu::Device;
use closefit::internals::hierarchy::obb8::on_device::kernels::{
    BOX_BOX, BOX_DISTANCE, MOVING_TRIANGLES, SWEPT_BOXES, TRIANGLE_DISTANCE, TRIANGLE_TRIANGLE,
};
use closefit::internals::math::error_bounds::device::PLACED;

use crate::{boxes, moving_boxes, moving_triangles, near_boxes, near_triangles, triangles};

/// Returns a shader's source with a constant set to 0.
fn without(source: &str, constant: &str) -> &'static str {
    let begin = source.find(&format!("const {constant} = ")).expect("it is there");
    let end = begin + source[begin..].find(';').expect("its end");
    let mut source = source.to_owned();
    source.replace_range(begin..end, &format!("const {constant} = 0.0f"));
    source.leak()
}

pub fn without_a_margin_triangles_go_wrong(device: Device) {
    for constant in ["GRID", "DETERMINANT", "MOVED_DETERMINANT", "PLACED"] {
        let (source, blur) = match constant {
            "PLACED" => (TRIANGLE_TRIANGLE, 0.0),
            "DETERMINANT" => (triangles::perturbed(without(TRIANGLE_TRIANGLE, constant)), PLACED),
            _ => (without(TRIANGLE_TRIANGLE, constant), PLACED),
        };
        let [apart, met, _] = triangles::wrong(device, source, blur, 60_000, 0);
        println!("without {constant}: {apart} wrongly apart, {met} wrongly met");
        assert!(apart + met > 0, "{constant}");
    }
}

pub fn without_a_margin_distances_go_wrong(device: Device) {
    let wrong = near_boxes::wrong(device, without(BOX_DISTANCE, "FAR"), 8_000, 0);
    println!("without FAR: {wrong:?} wrong bounds of boxes");
    assert!(wrong[0] > 0 && wrong[1] > 0);
    let length = triangles::perturbed(without(TRIANGLE_DISTANCE, "LENGTH"));
    for (constant, source, blur) in [("LENGTH", length, PLACED), ("PLACED", TRIANGLE_DISTANCE, 0.0)] {
        let wrong = near_triangles::wrong(device, source, blur, 60_000, 0);
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
    let source = triangles::perturbed(without(SWEPT_BOXES, "WIDER"));
    let wrong = moving_boxes::wrong(device, source, 20_000, 0);
    println!("without WIDER: {wrong} wrongly excluded");
    assert!(wrong > 0);
}

pub fn without_a_margin_moving_triangles_go_wrong(device: Device) {
    for constant in ["WIDER", "LENGTH"] {
        let source = triangles::perturbed(without(MOVING_TRIANGLES, constant));
        let wrong = moving_triangles::wrong(device, source, 60_000, 0);
        println!("without {constant}: {wrong} wrongly excluded");
        assert!(wrong > 0, "{constant}");
    }
}
