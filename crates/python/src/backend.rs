//! The arguments `backend` and `adapter`.

use std::str::FromStr;

use closefit::{Adapter, Device, Strategy};

use crate::error::Refusal;

/// The device or the processor that answers many questions.
pub enum Backend {
    Cpu,
    /// A compute device on this adapter.
    Gpu(Adapter),
}

impl Backend {
    /// Reads the arguments.
    pub fn of(backend: &str, adapter: Option<&str>) -> Result<Self, Refusal> {
        match (backend, adapter) {
            ("cpu", None) => Ok(Self::Cpu),
            ("cpu", Some(_)) => Err(Refusal::of("adapter", "it needs backend='gpu'")),
            ("gpu", adapter) => {
                let Ok(adapter) = adapter.map_or(Ok(Adapter::Best), Adapter::from_str);
                Ok(Self::Gpu(adapter))
            }
            _ => Err(Refusal::of("backend", format!("{backend:?} is neither 'cpu' nor 'gpu'"))),
        }
    }

    /// Opens the device, if there is one, and returns the strategy of a check.
    pub fn strategy(&self) -> Result<Strategy, Refusal> {
        let Self::Gpu(adapter) = self else { return Ok(Strategy::default()) };
        let device = Device::open(adapter).map_err(|error| Refusal::of("backend", error.in_one_line()))?;
        Strategy::default().on(device).map_err(|error| Refusal::of("backend", error))
    }
}
