//! Errors of compute devices.

use closefit_geometry::text::printable;

/// The reason why a device could not be opened, or failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The machine has no compute adapter.
    #[error("no compute adapter was found")]
    NoAdapter,
    /// The machine has no discrete GPU.
    #[error("no discrete GPU was found")]
    NoDiscreteAdapter,
    /// No adapter has the requested name or number.
    #[error("no adapter is called '{wanted}': use {}", .names.join(", "))]
    NoSuchAdapter {
        /// The requested name or number.
        wanted: String,
        /// The numbers and names of all adapters.
        names: Vec<String>,
    },
    /// A different adapter is already open; a process opens only one.
    #[error("the process has already opened adapter '{opened}'")]
    AnotherIsOpen {
        /// Name of the open adapter.
        opened: String,
    },
    /// The driver refused to open the adapter.
    #[error("adapter '{adapter}' could not be opened: {reason}")]
    Refused {
        /// Name of the adapter.
        adapter: String,
        /// The driver's message.
        reason: String,
    },
    /// A submission exceeded the time limit.
    #[error("the device did not answer within {seconds} s")]
    TimedOut {
        /// The time limit in seconds.
        seconds: u64,
    },
    /// The device was reset, removed or destroyed.
    #[error("the device was lost: {0}")]
    Lost(String),
    /// A memory allocation failed.
    #[error("the device is out of memory")]
    OutOfMemory,
    /// The driver refused a command.
    #[error("the device failed: {0}")]
    Failed(String),
}

impl DeviceError {
    /// Returns the message as one printable line.
    pub fn in_one_line(&self) -> String {
        let text = self.to_string();
        printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
