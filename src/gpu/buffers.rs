//! A pool of device buffers. Reusing a buffer saves its allocation and the driver's zero fill.

use std::ops::Deref;
use std::sync::Mutex;

use super::device::locked;
use super::{Device, DeviceError};

/// Largest number of bytes of device memory besides trees, idle buffers included. Buffers that are in use at
/// once take up to 204 MiB: the room of a search over stretches of time (72), kept from one call to the next,
/// and candidate pairs (132); 13 of them are larger than `SPARE`, and so may be larger than asked for by that
/// much.
pub const WORKING_MEMORY: u64 = 256 << 20;

/// Largest number of bytes by which a buffer from the pool may exceed what is asked for.
const SPARE: u64 = 2 << 20;

/// The purpose of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Kernels read and write it.
    Storage,
    /// Kernels read and write it; it holds trees, and is not working memory.
    Trees,
    /// Kernels read a few settings from it, as a uniform buffer.
    Settings,
    /// The CPU maps and reads it.
    Readback,
}

impl Use {
    fn usages(self) -> wgpu::BufferUsages {
        match self {
            Self::Storage | Self::Trees => {
                wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST
            }
            Self::Settings => wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            Self::Readback => wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        }
    }
}

/// The unused buffers of a device.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Held>);

/// The buffers of a device.
#[derive(Debug, Default)]
struct Held {
    /// Unused buffers, the longest unused first.
    idle: Vec<(Use, wgpu::Buffer)>,
    /// Bytes of all allocated buffers.
    now: Bytes,
    /// The largest of each of these.
    peak: Bytes,
}

/// Bytes of allocated buffers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bytes {
    /// All of them.
    pub all: u64,
    /// Those besides trees.
    pub working: u64,
}

impl Bytes {
    fn of(what_for: Use, bytes: u64) -> Self {
        Self { all: bytes, working: if what_for == Use::Trees { 0 } else { bytes } }
    }
}

impl Pool {
    /// Returns the largest numbers of bytes that were allocated at once.
    pub fn peak(&self) -> Bytes {
        locked(&self.0).peak
    }
}

impl Held {
    /// Takes an idle buffer that fits.
    fn take(&mut self, what_for: Use, bytes: u64) -> Option<wgpu::Buffer> {
        let most = if what_for == Use::Trees { 2 * bytes } else { bytes + bytes.min(SPARE) };
        let fits = |(of, b): &(Use, wgpu::Buffer)| *of == what_for && (bytes..=most).contains(&b.size());
        let fitting = (0..self.idle.len()).filter(|&i| fits(&self.idle[i]));
        let best = fitting.min_by_key(|&i| self.idle[i].1.size())?;
        Some(self.idle.remove(best).1)
    }

    /// Makes room for a new buffer. Idle buffers go that are too small for this purpose, or hold trees if
    /// this one does, and then the longest unused until the working memory suffices.
    fn make_room(&mut self, what_for: Use, bytes: u64) {
        let is_tree = what_for == Use::Trees;
        self.destroy(|(of, b)| *of == what_for && (is_tree || b.size() < bytes));
        let Bytes { working, .. } = Bytes::of(what_for, bytes);
        let mut excess = (self.now.working + working).saturating_sub(WORKING_MEMORY);
        self.destroy(|(of, b)| {
            let goes = excess > 0 && *of != Use::Trees;
            if goes {
                excess = excess.saturating_sub(b.size());
            }
            goes
        });
    }

    /// Counts a new buffer.
    fn count(&mut self, what_for: Use, bytes: u64) {
        let more = Bytes::of(what_for, bytes);
        self.now = Bytes { all: self.now.all + more.all, working: self.now.working + more.working };
        let Bytes { all, working } = self.now;
        self.peak = Bytes { all: self.peak.all.max(all), working: self.peak.working.max(working) };
    }

    /// Destroys the idle buffers that `which` picks.
    fn destroy(&mut self, which: impl FnMut(&mut (Use, wgpu::Buffer)) -> bool) {
        for (what_for, idle) in self.idle.extract_if(.., which) {
            let Bytes { all, working } = Bytes::of(what_for, idle.size());
            self.now = Bytes { all: self.now.all - all, working: self.now.working - working };
            idle.destroy();
        }
    }
}

/// A buffer that returns to its device's pool when dropped. Its initial contents are undefined.
#[derive(Debug)]
pub struct Lent {
    device: Device,
    what_for: Use,
    buffer: Option<wgpu::Buffer>,
}

impl Device {
    /// Returns a buffer of at least `bytes` bytes, from the pool if one fits.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if the allocation fails, or an earlier failure of the device.
    pub fn lend(&self, what_for: Use, bytes: u64) -> Result<Lent, DeviceError> {
        let (usages, bytes) = (what_for.usages(), bytes.next_multiple_of(256).max(256));
        let mut held = locked(&self.pool().0);
        if let Some(buffer) = held.take(what_for, bytes) {
            return Ok(Lent { device: *self, what_for, buffer: Some(buffer) });
        }
        // No other thread may take the room before the buffer counts.
        held.make_room(what_for, bytes);
        let buffer = self.allocate(usages, bytes)?;
        held.count(what_for, bytes);
        Ok(Lent { device: *self, what_for, buffer: Some(buffer) })
    }

    /// Destroys the idle buffers, and measures the peak of memory anew.
    pub fn release_idle(&self) {
        let mut held = locked(&self.pool().0);
        held.destroy(|_| true);
        held.peak = held.now;
    }
}

impl Deref for Lent {
    type Target = wgpu::Buffer;

    fn deref(&self) -> &wgpu::Buffer {
        self.buffer.as_ref().expect("it is there until it is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            locked(&self.device.pool().0).idle.push((self.what_for, buffer));
        }
    }
}
