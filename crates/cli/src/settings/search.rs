//! The way in which pairs are decided, without effect on answers.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::errors::of_flag;
#[cfg(feature = "gpu")]
use crate::terminal;
#[cfg(feature = "gpu")]
use closefit::internals::gpu::Choice;
use closefit::{BroadPhase, Strategy, TreeKind};
#[cfg(feature = "gpu")]
use closefit::{Device, DeviceError};
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::filter::HullFilter;
use closefit_job::model_cache;

/// The selected backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The tree's best executor, with a compute device if that is predicted to pay.
    Auto,
    /// This executor.
    On(Executor),
    /// The tree's best executor with a compute device.
    Gpu,
}

/// The trees, kernels and filters of a run.
#[derive(Clone, Debug)]
pub struct Search {
    pub backend: Backend,
    /// The compute adapter: a part of its name, or its number.
    pub adapter: Option<String>,
    pub tree: TreeKind,
    pub broad: BroadPhase,
    pub hull: HullFilter,
    /// The directory in which trees of large meshes are kept.
    pub cache: Option<PathBuf>,
}

impl Search {
    /// Returns the kind of tree, the executor of its kernels and the cache of trees, without a device.
    pub fn strategy(&self) -> anyhow::Result<Strategy> {
        if let (Some(adapter), true) = (&self.adapter, self.backend != Backend::Gpu) {
            return Err(of_flag(anyhow!("it needs --backend gpu"), format!("--adapter {adapter}")));
        }
        let executor = if let Backend::On(executor) = self.backend { Some(executor) } else { None };
        let strategy = Strategy::new(self.tree, executor);
        let strategy = strategy.map_err(|error| of_flag(error, format!("--tree {}", self.tree)))?;
        let cache = self.cache.as_deref().map(model_cache).transpose()?;
        Ok(cache.map_or(strategy, |cache| strategy.cached(cache)))
    }

    /// Opens the device for `--backend gpu`. For `auto`, the run opens one if that pays.
    #[cfg(feature = "gpu")]
    pub fn on_device(&self, strategy: Strategy) -> anyhow::Result<Strategy> {
        match self.backend {
            Backend::Auto => return Ok(strategy.on_device_if_worthwhile()),
            Backend::On(_) => return Ok(strategy),
            Backend::Gpu => {}
        }
        let refused = |error: DeviceError| of_flag(anyhow!(error.in_one_line()), "--backend gpu");
        let Ok(choice) = self.adapter.as_deref().map_or(Ok(Choice::Best), str::parse);
        let device = terminal::without_stderr(|| Device::open(&choice)).map_err(refused)?;
        strategy.on(device).map_err(|error| of_flag(error, format!("--tree {}", self.tree)))
    }

    /// Returns the strategy unchanged: this build has no devices.
    #[cfg(not(feature = "gpu"))]
    pub fn on_device(&self, strategy: Strategy) -> anyhow::Result<Strategy> {
        Ok(strategy)
    }
}
