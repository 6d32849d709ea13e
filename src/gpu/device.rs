//! The compute device: a process opens at most one.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::adapter::{Choice, Identity, find, is_software};
use super::buffers::Pool;
use super::timer::Timer;
use super::{DeviceError, Tally};

/// Time limit of one submission. This crate's submissions take a fraction of a second on slow devices.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same for a software adapter, whose submissions compile shaders and compute on a CPU that may be busy
/// otherwise.
const SOFTWARE_PATIENCE: Duration = Duration::from_secs(900);

/// Turns the source of a shader into the source to compile.
pub type Rewrite = Box<dyn Fn(&str) -> String + Send + Sync>;

/// An open device. Copies refer to the same device, which stays open until the process ends.
#[derive(Clone, Copy)]
pub struct Device(pub(super) &'static Opened);

pub(super) struct Opened {
    adapter: Identity,
    software: bool,
    pub gpu: wgpu::Device,
    pub queue: wgpu::Queue,
    pool: Pool,
    /// Present if the adapter has timestamps.
    pub timer: Option<Timer>,
    /// The first failure. The device receives no work after it.
    failure: Arc<Mutex<Option<DeviceError>>>,
    pub patience: Mutex<Duration>,
    rewrite: Mutex<Option<Rewrite>>,
    /// Limits in place of the default ones, by type.
    limits: Mutex<HashMap<TypeId, Box<dyn Any + Send>>>,
    pub tally: Mutex<Tally>,
}

static OPENED: Mutex<Option<&'static Opened>> = Mutex::new(None);

/// Locks a mutex, ignoring poison: no panic can leave these values inconsistent.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Opens an adapter with all the limits it supports. Later calls return the device that is already open.
    ///
    /// # Errors
    /// [`DeviceError`]; in particular [`DeviceError::AnotherIsOpen`] if a different adapter is already open.
    pub fn open(choice: &Choice) -> Result<Self, DeviceError> {
        Self::open_with_binding(choice, u64::MAX)
    }

    /// Does the same, but limits the size of a buffer that a kernel can bind, as on a small device.
    ///
    /// # Errors
    /// As [`Device::open`].
    pub fn open_with_binding(choice: &Choice, largest: u64) -> Result<Self, DeviceError> {
        let mut opened = locked(&OPENED);
        let (adapter, identity) = find(choice)?;
        if let Some(device) = *opened {
            return match device.adapter == identity {
                true => Ok(Self(device)),
                false => Err(DeviceError::AnotherIsOpen { opened: device.adapter.info.name.clone() }),
            };
        }
        let device: &'static Opened = Box::leak(Box::new(Opened::new(&adapter, identity, largest)?));
        *opened = Some(device);
        Ok(Self(device))
    }

    /// Returns the adapter's name.
    pub fn name(&self) -> &'static str {
        &self.0.adapter.info.name
    }

    /// Returns true if the adapter is a software implementation that runs on the CPU.
    pub fn is_software(&self) -> bool {
        self.0.software
    }

    /// Returns the size in bytes of the largest buffer that a kernel can bind.
    pub fn largest_binding(&self) -> u64 {
        let limits = self.0.gpu.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Returns a number of workgroups that keeps the device busy. Any number is correct: kernels stride over
    /// their items.
    pub fn workgroups(&self) -> u32 {
        if self.0.software { 64 } else { 2048 }
    }

    /// Returns the work done so far.
    pub fn tally(&self) -> Tally {
        let peak = self.0.pool.peak();
        Tally { peak_bytes: peak.all, peak_working_bytes: peak.working, ..*locked(&self.0.tally) }
    }

    /// Adds to the work done so far.
    pub fn add_to_tally(&self, tally: Tally) {
        *locked(&self.0.tally) += tally;
    }

    /// Begins or ends the timing of kernels, for benchmarks. It makes each launch a pass of its own.
    pub fn time_kernels(&self, on: bool) {
        if let Some(timer) = &self.0.timer {
            timer.turn(on);
        }
    }

    /// Returns the seconds that each kernel took while it was timed; none without timestamps.
    pub fn kernel_seconds(&self) -> BTreeMap<&'static str, f64> {
        self.0.timer.as_ref().map_or_else(BTreeMap::new, Timer::seconds)
    }

    /// Returns the first failure, if any. The device receives no work after it.
    pub fn failure(&self) -> Option<DeviceError> {
        locked(&self.0.failure).clone()
    }

    /// Sets the time limit of one submission.
    pub fn set_patience(&self, patience: Duration) {
        *locked(&self.0.patience) = patience;
    }

    /// Sets what rewrites the shaders of the kernels compiled from now on. Tests give their operations other
    /// rounding.
    pub fn rewrite_shaders(&self, rewrite: Option<Rewrite>) {
        *locked(&self.0.rewrite) = rewrite;
    }

    /// Sets the limits of one type that work begun from now on keeps. Tests give the device little room.
    pub fn set_limits<L: Any + Send>(&self, limits: L) {
        locked(&self.0.limits).insert(TypeId::of::<L>(), Box::new(limits));
    }

    /// Returns the limits of one type: those set, or else the default.
    pub fn limits<L: Any + Copy + Default>(&self) -> L {
        let set = locked(&self.0.limits);
        set.get(&TypeId::of::<L>()).and_then(|limits| limits.downcast_ref()).copied().unwrap_or_default()
    }

    /// Returns the source to compile for a shader.
    pub(super) fn rewritten(&self, source: &'static str) -> Cow<'static, str> {
        match &*locked(&self.0.rewrite) {
            Some(rewrite) => Cow::Owned(rewrite(source)),
            None => Cow::Borrowed(source),
        }
    }

    /// Destroys the device, like a driver reset: all later work on it fails.
    pub fn destroy(&self) {
        self.0.gpu.destroy();
    }

    pub(super) fn gpu(&self) -> &wgpu::Device {
        &self.0.gpu
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// Returns the device's failure, if it has failed.
    pub(super) fn check(&self) -> Result<(), DeviceError> {
        self.failure().map_or(Ok(()), Err)
    }

    pub(super) fn fail<T>(&self, failure: DeviceError) -> Result<T, DeviceError> {
        Err(locked(&self.0.failure).get_or_insert(failure).clone())
    }

    /// Runs `create` and returns any error that the driver reports meanwhile.
    pub(super) fn watched<T>(&self, create: impl FnOnce(&wgpu::Device) -> T) -> Result<T, DeviceError> {
        self.check()?;
        let scopes =
            [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
                .map(|filter| self.0.gpu.push_error_scope(filter));
        let created = create(&self.0.gpu);
        let mut refused = None;
        for scope in scopes.into_iter().rev() {
            refused = refused.or(pollster::block_on(scope.pop()));
        }
        match refused {
            Some(error) => self.fail(failure_of(error)),
            None => self.check().map(|()| created),
        }
    }

    pub(super) fn allocate(&self, usage: wgpu::BufferUsages, size: u64) -> Result<wgpu::Buffer, DeviceError> {
        if size > self.0.gpu.limits().max_buffer_size {
            return self.fail(DeviceError::OutOfMemory);
        }
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        self.watched(|gpu| gpu.create_buffer(&descriptor))
    }
}

impl Opened {
    fn new(adapter: &wgpu::Adapter, identity: Identity, binding: u64) -> Result<Self, DeviceError> {
        let mut required_limits = adapter.limits();
        let largest = &mut required_limits.max_storage_buffer_binding_size;
        *largest = binding.min(*largest);
        let required_features = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor { required_features, required_limits, ..Default::default() };
        let refused = |error: wgpu::RequestDeviceError| DeviceError::Refused {
            adapter: identity.info.name.clone(),
            reason: error.to_string(),
        };
        let (gpu, queue) = pollster::block_on(adapter.request_device(&descriptor)).map_err(refused)?;
        let timer = Timer::new(&gpu, &queue);
        let failure = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&failure);
        gpu.on_uncaptured_error(Arc::new(move |error| {
            locked(&slot).get_or_insert(failure_of(error));
        }));
        let slot = Arc::clone(&failure);
        gpu.set_device_lost_callback(move |reason, message| {
            let text = if message.is_empty() { format!("{reason:?}") } else { message };
            locked(&slot).get_or_insert(DeviceError::Lost(text));
        });
        let software = is_software(&identity.info);
        let patience = if software { SOFTWARE_PATIENCE } else { PATIENCE };
        Ok(Self {
            adapter: identity,
            software,
            gpu,
            queue,
            pool: Pool::default(),
            timer,
            failure,
            patience: Mutex::new(patience),
            rewrite: Mutex::default(),
            limits: Mutex::default(),
            tally: Mutex::default(),
        })
    }
}

fn failure_of(error: wgpu::Error) -> DeviceError {
    match error {
        wgpu::Error::OutOfMemory { .. } => DeviceError::OutOfMemory,
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            DeviceError::Failed(description)
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.name())
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}
