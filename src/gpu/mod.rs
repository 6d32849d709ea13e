//! Compute devices: adapter selection, one open device per process, kernels, buffers, and waits with a time
//! limit.
//!
//! This module is independent of trees and triangles. A device may fail at any time. Every function that
//! waits then returns an error, and the caller does the work on the CPU. Without the feature `gpu` no value
//! of [`Device`] exists.

/// Joins files of the folder `shaders` to the source of a kernel.
#[cfg(feature = "gpu")]
macro_rules! shader {
    ($($part:literal),+ $(,)?) => {
        concat!($(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $part))),+)
    };
}

#[cfg(feature = "gpu")]
mod adapter;
#[cfg(feature = "gpu")]
mod buffers;
#[cfg(feature = "gpu")]
mod device;
mod error;
#[cfg(feature = "gpu")]
pub mod error_bounds;
#[cfg(feature = "gpu")]
mod kernel;
#[cfg(feature = "gpu")]
pub mod sort;
#[cfg(feature = "gpu")]
mod submission;
mod tally;
#[cfg(feature = "gpu")]
mod timer;
mod worth;

#[cfg(feature = "gpu")]
pub use adapter::{AdapterKind, AdapterRecord, Choice, adapters};
#[cfg(feature = "gpu")]
pub use buffers::{Lent, Use, WORKING_MEMORY};
#[cfg(feature = "gpu")]
pub use device::Device;
pub use error::DeviceError;
#[cfg(feature = "gpu")]
pub use kernel::{Kernel, Launch};
#[cfg(feature = "gpu")]
pub(crate) use shader;
#[cfg(feature = "gpu")]
pub use submission::{Mapped, Pending, Values};
pub use tally::{Refused, Tally};
pub use worth::{Asked, Workload};

/// The device type without the feature `gpu`: it has no values.
#[cfg(not(feature = "gpu"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {}

#[cfg(not(feature = "gpu"))]
impl Device {
    /// Returns the adapter's name.
    pub fn name(&self) -> &'static str {
        match *self {}
    }

    /// Returns the work done so far.
    pub fn tally(&self) -> Tally {
        match *self {}
    }

    /// Returns the first failure, if any.
    pub fn failure(&self) -> Option<DeviceError> {
        match *self {}
    }
}
