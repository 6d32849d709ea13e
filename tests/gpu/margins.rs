//! Checks that every margin is needed: without one of them, the adversarial cases find a wrong answer.

use closefit::internals::gpu::Device;
use closefit::internals::hierarchy::obb8::on_device::kernels::{BOX_BOX, TRIANGLE_TRIANGLE};
use closefit::internals::math::error_bounds::device::PLACED;

use crate::{boxes, triangles};

/// Returns a shader's source with some constants set to 0.
fn without(source: &str, constants: &[&str]) -> &'static str {
    let mut source = source.to_owned();
    for constant in constants {
        let begin = source.find(&format!("const {constant} = ")).expect("it is there");
        let end = begin + source[begin..].find(';').expect("its end");
        source.replace_range(begin..end, &format!("const {constant} = 0.0f"));
    }
    source.leak()
}

pub fn without_a_margin_triangles_go_wrong(device: Device) {
    for constants in
        [&["GRID"][..], &["DETERMINANT"], &["MOVED_DETERMINANT"], &["IN_PLANE", "MOVED_IN_PLANE"], &[]]
    {
        let blur = if constants.is_empty() { 0.0 } else { PLACED };
        let [apart, met, _] =
            triangles::wrong(device, without(TRIANGLE_TRIANGLE, constants), blur, 60_000, 0);
        println!("without {constants:?}, blur {blur}: {apart} wrongly apart, {met} wrongly met");
        let is_shown = [&["GRID"][..], &["MOVED_DETERMINANT"]].contains(&constants);
        assert!(!is_shown || apart + met > 0, "{constants:?}");
    }
}

pub fn without_a_margin_boxes_go_wrong(device: Device) {
    for (constants, widened) in [(&[][..], false), (&["PARALLEL"], true), (&["PARALLEL", "EDGE"], false)] {
        let wrong = boxes::wrong(device, without(BOX_BOX, constants), widened, 8_000, 0);
        println!("without {constants:?}, widened {widened}: {wrong} wrongly excluded");
        assert!(widened || wrong > 0, "{constants:?}");
    }
}
