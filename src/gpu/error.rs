//! The reasons why a device does not compute.

use crate::text::printable;

/// A device that cannot be had, or that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The machine has none.
    #[error("no compute adapter was found")]
    NoAdapter,
    /// None has the name or number that was asked for.
    #[error("no adapter is called '{wanted}': use {}", .names.join(", "))]
    NoSuchAdapter {
        /// The name or number.
        wanted: String,
        /// All there are, as numbers and names.
        names: Vec<String>,
    },
    /// A process opens one device only.
    #[error("the process has already opened adapter '{opened}'")]
    AnotherIsOpen {
        /// Its name.
        opened: String,
    },
    /// The driver did not open it.
    #[error("adapter '{adapter}' could not be opened: {reason}")]
    Refused {
        /// Its name.
        adapter: String,
        /// What the driver says.
        reason: String,
    },
    /// It took too long.
    #[error("the device did not answer within {seconds} s")]
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// It was reset, removed or destroyed.
    #[error("the device was lost: {0}")]
    Lost(String),
    /// An allocation failed.
    #[error("the device is out of memory")]
    OutOfMemory,
    /// The driver refused a command.
    #[error("the device failed: {0}")]
    Failed(String),
}

impl DeviceError {
    /// The same in one printable line.
    pub fn in_one_line(&self) -> String {
        let text = self.to_string();
        printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
