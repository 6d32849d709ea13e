//! The kernels. Each source is the concatenation of its shader with the shared parts it needs, in the order given here.

use std::sync::OnceLock;

use crate::gpu::{Device, DeviceError, Kernel};

macro_rules! shader {
    ($($part:literal),+ $(,)?) => {
        concat!($(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $part))),+)
    };
}

/// Source of the kernel that plans the next round.
pub const PLAN: &str = shader!("shared/columns.wgsl", "plan.wgsl");

/// Source of the kernel that opens blocks and tests boxes.
pub const BOX_BOX: &str =
    shader!("shared/bounds.wgsl", "shared/fixed_point.wgsl", "shared/columns.wgsl", "box_box.wgsl");

/// Source of the kernel that tests triangles.
pub const TRIANGLE_TRIANGLE: &str =
    shader!("shared/bounds.wgsl", "shared/fixed_point.wgsl", "shared/columns.wgsl", "triangle_triangle.wgsl");

/// Source of the kernel that tests undecided triangles again, in doubles.
pub const POSED_TRIANGLES: &str =
    shader!("shared/bounds.wgsl", "shared/doubles.wgsl", "shared/columns.wgsl", "posed_triangles.wgsl");

/// Name and source of every kernel.
pub const ALL: [(&str, &str); 4] = [
    ("plan", PLAN),
    ("box_box", BOX_BOX),
    ("triangle_triangle", TRIANGLE_TRIANGLE),
    ("posed_triangles", POSED_TRIANGLES),
];

/// The compiled kernels of the process's device.
#[derive(Debug)]
pub struct Kernels {
    pub(super) plan: Kernel,
    pub(super) box_box: Kernel,
    pub(super) triangle_triangle: Kernel,
    pub(super) posed_triangles: Kernel,
}

impl Kernels {
    /// Returns the kernels, compiled at the first call.
    pub fn of(device: &Device) -> Result<&'static Self, DeviceError> {
        static COMPILED: OnceLock<Result<Kernels, DeviceError>> = OnceLock::new();
        let compiled = COMPILED.get_or_init(|| {
            Ok(Self {
                plan: Kernel::new(device, "plan", PLAN)?,
                box_box: Kernel::new(device, "box_box", BOX_BOX)?,
                triangle_triangle: Kernel::new(device, "triangle_triangle", TRIANGLE_TRIANGLE)?,
                posed_triangles: Kernel::new(device, "posed_triangles", POSED_TRIANGLES)?,
            })
        });
        compiled.as_ref().map_err(Clone::clone)
    }
}
