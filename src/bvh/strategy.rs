//! A kind of tree together with the executor of its kernels.

use std::fmt;

use super::cache::ModelCache;
use super::kind::TreeKind;
use crate::continuous::method::{Boxes, Method};
use crate::gpu::Device;
use closefit_geometry::executor::Executor;
use closefit_geometry::text::list;

/// A valid combination of a kind of tree, an executor of its kernels and, optionally, a device that searches
/// many pairs at once, and a cache from which trees are taken. The answers do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Strategy {
    tree: TreeKind,
    executor: Executor,
    device_use: DeviceUse,
    cache: Option<ModelCache>,
}

/// The part of a compute device in a strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum DeviceUse {
    #[default]
    Never,
    /// A run opens a device if that is predicted to pay.
    IfWorthwhile,
    On(Device),
}

/// The kind of tree lacks what was requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// It lacks this executor.
    #[error("tree {tree} has no {executor} form: use {}", list(tree.executors()))]
    Executor {
        /// The kind.
        tree: TreeKind,
        /// The missing executor.
        executor: Executor,
    },
    /// It has no kernels for a compute device.
    #[error("tree {tree} has no gpu form: use {}", list(tree.executors()))]
    Device {
        /// The kind.
        tree: TreeKind,
    },
    /// It lacks this test of moving boxes.
    #[error("tree {tree} has no {boxes} test of moving boxes: use {}", list(tree.moving_boxes()))]
    MovingBoxes {
        /// The kind.
        tree: TreeKind,
        /// The missing test.
        boxes: Boxes,
    },
    /// An option of the search over time does not apply to it.
    #[error("{option} does not apply to tree {tree}: use {}", TreeKind::OBB)]
    BoxOption {
        /// The kind.
        tree: TreeKind,
        /// The option, with its value.
        option: String,
    },
}

impl Strategy {
    /// Combines a kind of tree with an executor; without one, with the kind's best.
    ///
    /// # Errors
    /// [`Unavailable::Executor`].
    pub fn new(tree: TreeKind, executor: Option<Executor>) -> Result<Self, Unavailable> {
        let executor = executor.unwrap_or(tree.executors()[0]);
        if tree.executors().contains(&executor) {
            Ok(Self { tree, executor, device_use: DeviceUse::Never, cache: None })
        } else {
            Err(Unavailable::Executor { tree, executor })
        }
    }

    /// Returns all strategies of a kind of tree, the best executor first.
    pub fn all_of(tree: TreeKind) -> impl Iterator<Item = Self> {
        let with =
            move |&executor: &Executor| Self { tree, executor, device_use: DeviceUse::Never, cache: None };
        tree.executors().iter().map(with)
    }

    /// Returns the kind of tree.
    pub fn tree(self) -> TreeKind {
        self.tree
    }

    /// Returns the executor.
    pub fn executor(self) -> Executor {
        self.executor
    }

    /// Adds a device, which searches many pairs at once; the executor does the rest.
    ///
    /// # Errors
    /// [`Unavailable::Device`] if this kind of tree has no kernels for a device.
    pub fn on(self, device: Device) -> Result<Self, Unavailable> {
        let tree = self.tree;
        if tree.is_on_device() {
            Ok(Self { device_use: DeviceUse::On(device), ..self })
        } else {
            Err(Unavailable::Device { tree })
        }
    }

    /// Lets a run open a discrete GPU if that is predicted to save time. A kind of tree without kernels for a
    /// device stays without one.
    pub fn on_device_if_worthwhile(self) -> Self {
        if self.tree.is_on_device() { Self { device_use: DeviceUse::IfWorthwhile, ..self } } else { self }
    }

    /// Returns the device, if there is one.
    pub fn device(self) -> Option<Device> {
        if let DeviceUse::On(device) = self.device_use { Some(device) } else { None }
    }

    /// Takes trees from a cache where it has them, and saves the others there.
    pub fn cached(self, cache: ModelCache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Returns the cache, if there is one.
    pub fn cache(self) -> Option<ModelCache> {
        self.cache
    }

    /// Settles whether a run has a device, if that is open: with the one that `open` returns.
    #[doc(hidden)]
    pub fn settled(self, open: impl FnOnce() -> Option<Device>) -> Self {
        match self.device_use {
            DeviceUse::IfWorthwhile => {
                Self { device_use: open().map_or(DeviceUse::Never, DeviceUse::On), ..self }
            }
            _ => self,
        }
    }

    /// Returns the name of the backend, as typed and printed: `gpu`, or the executor.
    pub fn backend(self) -> &'static str {
        if self.device().is_some() { "gpu" } else { self.executor.name() }
    }

    /// Checks that this kind of tree has what a method of the search over time asks for.
    ///
    /// # Errors
    /// [`Unavailable::MovingBoxes`], [`Unavailable::BoxOption`].
    pub fn check_moving(self, method: &Method) -> Result<(), Unavailable> {
        let (tree, boxes) = (self.tree, method.boxes);
        if !tree.moving_boxes().contains(&boxes) {
            return Err(Unavailable::MovingBoxes { tree, boxes });
        }
        match method.box_option().filter(|_| !tree.has_box_options()) {
            Some(option) => Err(Unavailable::BoxOption { tree, option }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tree, self.backend())
    }
}
