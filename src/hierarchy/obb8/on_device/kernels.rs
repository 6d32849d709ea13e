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

/// Name and source of every kernel.
pub const ALL: [(&str, &str); 3] =
    [("plan", PLAN), ("box_box", BOX_BOX), ("triangle_triangle", TRIANGLE_TRIANGLE)];

/// The compiled kernels of the process's device.
#[derive(Debug)]
pub struct Kernels {
    pub(super) plan: Kernel,
    pub(super) box_box: Kernel,
    pub(super) triangle_triangle: Kernel,
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
            })
        });
        compiled.as_ref().map_err(Clone::clone)
    }
}
