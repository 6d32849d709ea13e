//! The one device that a process opens.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::adapter::{Choice, find, is_software};
use super::buffers::{Lent, Pool, Use};
use super::{DeviceError, Tally};

/// How long a device may take for one submission. Those of this crate take a fraction of a second on slow ones.
const PATIENCE: Duration = Duration::from_secs(60);

/// An opened device. Copies are the same device; it stays open until the process ends.
#[derive(Clone, Copy)]
pub struct Device(&'static Opened);

struct Opened {
    name: String,
    software: bool,
    gpu: wgpu::Device,
    queue: wgpu::Queue,
    pool: Pool,
    /// The first failure; nothing is asked of the device after it.
    failure: Arc<Mutex<Option<DeviceError>>>,
    patience: Mutex<Duration>,
    tally: Mutex<Tally>,
}

static OPENED: Mutex<Option<&'static Opened>> = Mutex::new(None);

/// Locks what no panic can leave half done.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the device has been asked to compute, and the bytes that will be read.
#[derive(Debug)]
pub struct Pending {
    submission: wgpu::SubmissionIndex,
    buffer: Lent,
    bytes: u64,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Device {
    /// Opens an adapter, with the limits that it has. The second call returns the device of the first.
    ///
    /// # Errors
    /// [`DeviceError`]; [`DeviceError::AnotherIsOpen`] where the second call wants another one.
    pub fn open(choice: &Choice) -> Result<Self, DeviceError> {
        let mut opened = locked(&OPENED);
        let adapter = find(choice)?;
        let info = adapter.get_info();
        if let Some(device) = *opened {
            return match device.name == info.name {
                true => Ok(Self(device)),
                false => Err(DeviceError::AnotherIsOpen { opened: device.name.clone() }),
            };
        }
        let device: &'static Opened = Box::leak(Box::new(Opened::new(&adapter, &info)?));
        *opened = Some(device);
        Ok(Self(device))
    }

    /// The adapter's name.
    pub fn name(&self) -> &'static str {
        &self.0.name
    }

    /// True for a program on the CPU.
    pub fn is_software(&self) -> bool {
        self.0.software
    }

    /// The largest buffer that a kernel can see, in bytes.
    pub fn largest_binding(&self) -> u64 {
        let limits = self.0.gpu.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Workgroups that keep it busy. Kernels stride over their items, so any number will do.
    pub fn workgroups(&self) -> u32 {
        if self.0.software { 64 } else { 2048 }
    }

    /// What it has done so far.
    pub fn tally(&self) -> Tally {
        Tally { peak_bytes: self.0.pool.peak_bytes(), ..*locked(&self.0.tally) }
    }

    /// Adds to what it has done.
    pub fn add_to_tally(&self, tally: Tally) {
        *locked(&self.0.tally) += tally;
    }

    /// The first failure, if it has failed: nothing is asked of it any more.
    pub fn failure(&self) -> Option<DeviceError> {
        locked(&self.0.failure).clone()
    }

    /// Sets how long one submission may take.
    pub fn set_patience(&self, patience: Duration) {
        *locked(&self.0.patience) = patience;
    }

    /// Destroys the device, as a driver's reset would: all that is asked of it fails from here on.
    pub fn destroy(&self) {
        self.0.gpu.destroy();
    }

    pub(super) fn gpu(&self) -> &wgpu::Device {
        &self.0.gpu
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// Fails if the device has.
    fn check(&self) -> Result<(), DeviceError> {
        self.failure().map_or(Ok(()), Err)
    }

    fn fail<T>(&self, failure: DeviceError) -> Result<T, DeviceError> {
        Err(locked(&self.0.failure).get_or_insert(failure).clone())
    }

    /// Creates something and returns the driver's refusal as an error.
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

    /// Writes to a buffer before the next submission.
    pub fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.0.queue.write_buffer(buffer, offset, bytes);
        locked(&self.0.tally).bytes_up += bytes.len() as u64;
    }

    /// Submits what `record` records, followed by a copy of the first `bytes` bytes of each buffer in `read`, one after
    /// the other.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn submit(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder),
        read: &[(&wgpu::Buffer, u64)],
    ) -> Result<Pending, DeviceError> {
        let bytes = read.iter().map(|(_, bytes)| bytes).sum::<u64>();
        let buffer = self.lend(Use::Readback, bytes)?;
        let submission = self.watched(|gpu| {
            let mut encoder = gpu.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            record(&mut encoder);
            let mut at = 0;
            for &(from, bytes) in read {
                encoder.copy_buffer_to_buffer(from, 0, &buffer, at, bytes);
                at += bytes;
            }
            self.0.queue.submit([encoder.finish()])
        })?;
        let (done, mapped) = channel();
        // The receiver may have given up.
        buffer.map_async(wgpu::MapMode::Read, ..bytes, move |result| drop(done.send(result)));
        Ok(Pending { submission, buffer, bytes, mapped })
    }

    /// Waits for a submission and hands over the bytes that it copied.
    ///
    /// # Errors
    /// [`DeviceError::TimedOut`] after the device's patience, and other failures.
    pub fn wait(&self, pending: Pending) -> Result<Vec<u8>, DeviceError> {
        let clock = Instant::now();
        let patience = *locked(&self.0.patience);
        let wait =
            wgpu::PollType::Wait { submission_index: Some(pending.submission), timeout: Some(patience) };
        let timed_out = || DeviceError::TimedOut { seconds: patience.as_secs() };
        match self.0.gpu.poll(wait) {
            Ok(_) => {}
            Err(wgpu::PollError::Timeout) => return self.fail(timed_out()),
            Err(error) => return self.fail(DeviceError::Lost(error.to_string())),
        }
        self.check()?;
        let rest = patience.saturating_sub(clock.elapsed());
        match pending.mapped.recv_timeout(rest) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return self.fail(DeviceError::Lost(error.to_string())),
            Err(_) => return self.fail(timed_out()),
        }
        let bytes = match pending.buffer.get_mapped_range(..pending.bytes) {
            Ok(view) => view.to_vec(),
            Err(error) => return self.fail(DeviceError::Failed(error.to_string())),
        };
        pending.buffer.unmap();
        let mut tally = locked(&self.0.tally);
        tally.bytes_down += pending.bytes;
        tally.waited_s += clock.elapsed().as_secs_f64();
        drop(tally);
        self.check().map(|()| bytes)
    }
}

impl Opened {
    fn new(adapter: &wgpu::Adapter, info: &wgpu::AdapterInfo) -> Result<Self, DeviceError> {
        let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let refused = |error: wgpu::RequestDeviceError| DeviceError::Refused {
            adapter: info.name.clone(),
            reason: error.to_string(),
        };
        let (gpu, queue) = pollster::block_on(adapter.request_device(&descriptor)).map_err(refused)?;
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
        Ok(Self {
            name: info.name.clone(),
            software: is_software(info),
            gpu,
            queue,
            pool: Pool::default(),
            failure,
            patience: Mutex::new(PATIENCE),
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
        write!(f, "Device({})", self.0.name)
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
