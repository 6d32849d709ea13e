//! A pool of device buffers. Reusing a buffer saves its allocation and the driver's zero fill.

use std::ops::Deref;
use std::sync::Mutex;

use super::{Device, DeviceError};

/// The purpose of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Kernels read and write it.
    Storage,
    /// Kernels read a few settings from it, as a uniform buffer.
    Settings,
    /// The CPU maps and reads it.
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

/// The unused buffers of a device.
#[derive(Debug, Default)]
pub(super) struct Pool {
    free: Mutex<Vec<wgpu::Buffer>>,
    /// Bytes of all allocated buffers: now, and at the peak.
    held: Mutex<[u64; 2]>,
}

impl Pool {
    /// Returns the largest number of bytes that were allocated at once.
    pub fn peak_bytes(&self) -> u64 {
        super::device::locked(&self.held)[1]
    }

    fn count(&self, bytes: u64) {
        let mut held = super::device::locked(&self.held);
        held[0] += bytes;
        held[1] = held[1].max(held[0]);
    }
}

/// A buffer that returns to its device's pool when dropped. Its initial contents are undefined.
#[derive(Debug)]
pub struct Lent {
    device: Device,
    buffer: Option<wgpu::Buffer>,
}

impl Device {
    /// Returns a buffer of at least `bytes` bytes, from the pool if one fits.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if the allocation fails, or an earlier failure of the device.
    pub fn lend(&self, what_for: Use, bytes: u64) -> Result<Lent, DeviceError> {
        let (usages, bytes) = (what_for.usages(), bytes.next_multiple_of(256).max(256));
        let mut free = super::device::locked(&self.pool().free);
        let fits = |b: &wgpu::Buffer| b.usage() == usages && (bytes..=2 * bytes).contains(&b.size());
        let found = (0..free.len()).filter(|&i| fits(&free[i])).min_by_key(|&i| free[i].size());
        if let Some(found) = found {
            return Ok(Lent { device: *self, buffer: Some(free.swap_remove(found)) });
        }
        // No pooled buffer fits: destroy the smaller ones to make room.
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
