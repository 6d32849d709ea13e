//! Checks that every margin is needed: without one of them, some case is answered wrongly.

use closefit::internals::gpu::Device;
use closefit::internals::hierarchy::obb8::on_device::kernels::{BOX_BOX, TRIANGLE_TRIANGLE};
use closefit::internals::math::error_bounds::device::PLACED;

use crate::{boxes, triangles};

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
