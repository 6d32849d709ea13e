//! Buffers of a device, lent and taken back: a new one costs an allocation, and being filled with zeros.

use std::ops::Deref;
use std::sync::Mutex;

use super::{Device, DeviceError};

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Kernels read and write it.
    Storage,
    /// Kernels read a few settings from it.
    Settings,
    /// The CPU reads it.
    Readback,
}

impl Use {
    fn usages(self) -> wgpu::BufferUsages {
        match self {
            Self::Storage => {
                wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST
            }
            Self::Settings => wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            Self::Readback => wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        }
    }
}

/// The buffers of a device that are not in use.
#[derive(Debug, Default)]
pub(super) struct Pool {
    free: Mutex<Vec<wgpu::Buffer>>,
    /// Bytes of all buffers, and the most there ever were.
    held: Mutex<[u64; 2]>,
}

impl Pool {
    /// The largest number of bytes that were held at once.
    pub fn peak_bytes(&self) -> u64 {
        super::device::locked(&self.held)[1]
    }

    fn count(&self, bytes: u64) {
        let mut held = super::device::locked(&self.held);
        held[0] += bytes;
        held[1] = held[1].max(held[0]);
    }
}

/// A buffer, given back to its device when dropped. What it holds at first is undefined.
#[derive(Debug)]
pub struct Lent {
    device: Device,
    buffer: Option<wgpu::Buffer>,
}

impl Device {
    /// Lends a buffer of at least `bytes` bytes.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], or an earlier failure of the device.
    pub fn lend(&self, what_for: Use, bytes: u64) -> Result<Lent, DeviceError> {
        let (usages, bytes) = (what_for.usages(), bytes.next_multiple_of(256).max(256));
        let mut free = super::device::locked(&self.pool().free);
        let fits = |b: &wgpu::Buffer| b.usage() == usages && (bytes..=2 * bytes).contains(&b.size());
        let found = (0..free.len()).filter(|&i| fits(&free[i])).min_by_key(|&i| free[i].size());
        if let Some(found) = found {
            return Ok(Lent { device: *self, buffer: Some(free.swap_remove(found)) });
        }
        // Nothing that is kept would fit: what lies idle makes room.
        for idle in free.extract_if(.., |b| b.usage() == usages && b.size() < bytes) {
            super::device::locked(&self.pool().held)[0] -= idle.size();
            idle.destroy();
        }
        drop(free);
        let buffer = self.allocate(usages, bytes)?;
        self.pool().count(bytes);
        Ok(Lent { device: *self, buffer: Some(buffer) })
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
            super::device::locked(&self.device.pool().free).push(buffer);
        }
    }
}
