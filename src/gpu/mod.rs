//! Compute devices: which adapter, one opened device per process, kernels, buffers, and waits that end.
//!
//! Nothing here knows of trees or triangles. A device computes what a caller asks for and may fail at any time: every
//! function that waits returns an error then, and the caller does the work on the CPU. Without the feature `gpu` there
//! is no device, and no value of [`Device`].

#[cfg(feature = "gpu")]
mod adapter;
#[cfg(feature = "gpu")]
mod buffers;
#[cfg(feature = "gpu")]
mod device;
mod error;
#[cfg(feature = "gpu")]
mod kernel;
mod tally;

#[cfg(feature = "gpu")]
pub use adapter::Choice;
#[cfg(feature = "gpu")]
pub use buffers::{Lent, Use};
#[cfg(feature = "gpu")]
pub use device::{Device, Pending};
pub use error::DeviceError;
#[cfg(feature = "gpu")]
pub use kernel::Kernel;
pub use tally::Tally;

/// No device: the feature `gpu` is off.
#[cfg(not(feature = "gpu"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {}

#[cfg(not(feature = "gpu"))]
impl Device {
    /// The adapter's name.
    pub fn name(&self) -> &'static str {
        match *self {}
    }

    /// What it has done so far.
    pub fn tally(&self) -> Tally {
        match *self {}
    }

    /// The first failure.
    pub fn failure(&self) -> Option<DeviceError> {
        match *self {}
    }
}
