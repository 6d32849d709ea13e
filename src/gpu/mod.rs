//! Compute devices: adapter selection, one open device per process, kernels, buffers, and waits with a time limit.
//!
//! This module is independent of trees and triangles. A device may fail at any time. Every function that waits then
//! returns an error, and the caller does the work on the CPU. Without the feature `gpu` no value of [`Device`] exists.

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
mod timer;

#[cfg(feature = "gpu")]
pub use adapter::Choice;
#[cfg(feature = "gpu")]
pub use buffers::{Lent, Use};
#[cfg(feature = "gpu")]
pub use device::{Device, Pending};
pub use error::DeviceError;
#[cfg(feature = "gpu")]
pub use kernel::{Kernel, Launch};
pub use tally::{Refused, Tally};

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

    /// Returns the seconds that each kernel took.
    pub fn kernel_seconds(&self) -> std::collections::BTreeMap<&'static str, f64> {
        match *self {}
    }

    /// Returns the first failure, if any.
    pub fn failure(&self) -> Option<DeviceError> {
        match *self {}
    }
}
