//! The kernels of the sweep. Each source is the concatenation of its shader with the shared part.

use std::sync::OnceLock;

use crate::gpu::{Device, DeviceError, Kernel, shader};

/// Source of the kernel that brings the boxes of a page into their order.
pub const ORDER_BOXES: &str = shader!("shared/sweep.wgsl", "order_boxes.wgsl");

/// Source of the kernel that finds how many boxes each box has to be tested against.
pub const SWEEP_LENGTHS: &str = shader!("shared/sweep.wgsl", "sweep_lengths.wgsl");

/// Source of the kernel that plans the next round.
pub const PLAN_SWEEP: &str = shader!("shared/sweep.wgsl", "plan_sweep.wgsl");

/// Source of the kernel that tests boxes.
pub const SWEEP_AND_PRUNE: &str = shader!("shared/sweep.wgsl", "sweep_and_prune.wgsl");

/// Name and source of every kernel of the sweep.
pub const ALL: [(&str, &str); 4] = [
    ("order_boxes", ORDER_BOXES),
    ("sweep_lengths", SWEEP_LENGTHS),
    ("plan_sweep", PLAN_SWEEP),
    ("sweep_and_prune", SWEEP_AND_PRUNE),
];

/// The compiled kernels.
#[derive(Debug)]
pub struct SweepKernels {
    pub(super) order_boxes: Kernel,
    pub(super) sweep_lengths: Kernel,
    pub(super) plan_sweep: Kernel,
    pub(super) sweep_and_prune: Kernel,
}

impl SweepKernels {
    /// Returns the kernels, compiled at the first call.
    pub fn of(device: &Device) -> Result<&'static Self, DeviceError> {
        static COMPILED: OnceLock<Result<SweepKernels, DeviceError>> = OnceLock::new();
        let compiled = COMPILED.get_or_init(|| {
            Ok(Self {
                order_boxes: Kernel::new(device, "order_boxes", ORDER_BOXES)?,
                sweep_lengths: Kernel::new(device, "sweep_lengths", SWEEP_LENGTHS)?,
                plan_sweep: Kernel::new(device, "plan_sweep", PLAN_SWEEP)?,
                sweep_and_prune: Kernel::new(device, "sweep_and_prune", SWEEP_AND_PRUNE)?,
            })
        });
        compiled.as_ref().map_err(Clone::clone)
    }
}
