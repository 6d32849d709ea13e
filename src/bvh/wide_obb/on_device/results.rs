//! Results of a search as they leave the device: records of leaf pairs, sorted by pair and leaves.

use bytemuck::Pod;

use super::columns::Record;
use super::near_columns::NearRecord;
use crate::gpu::sort::Sort;
use crate::gpu::{Device, DeviceError, Values};
use closefit_geometry::parallel;

/// A record that the device can sort: 16 bytes with the key in the first three words.
pub trait Sortable: Pod + Send {
    /// Returns the pair and the first triangle of each leaf, by which records are sorted.
    fn key(&self) -> [u32; 3];
}

impl Sortable for Record {
    fn key(&self) -> [u32; 3] {
        [self.pair, self.first[0], self.first[1]]
    }
}

impl Sortable for NearRecord {
    fn key(&self) -> [u32; 3] {
        [self.pair(), self.first[0], self.first[1]]
    }
}

/// Returns the first `count` records of a buffer, sorted. They come from `along`, the bytes that were read
/// along with the counts, or from a second read if those are too few. The device sorts them if they are more
/// than `sort_from`, and then they are read in place. `largest` bounds their keys.
pub(super) fn records<T: Sortable>(
    device: Device,
    buffer: &wgpu::Buffer,
    count: usize,
    along: &[u8],
    sort_from: usize,
    largest: [u32; 3],
) -> Result<Values<T>, DeviceError> {
    if count > sort_from {
        return sorted(device, buffer, count, largest);
    }
    let mut found = device.values::<T>(buffer, count, along)?.into_vec();
    parallel::sort_unstable_by_key(&mut found, T::key);
    Ok(Values::Copied(found))
}

/// Returns the first `count` records of a buffer, sorted by the device. `largest` bounds their keys.
///
/// # Errors
/// [`DeviceError`] if the device fails or runs out of memory.
pub fn sorted<T: Sortable>(
    device: Device,
    buffer: &wgpu::Buffer,
    count: usize,
    largest: [u32; 3],
) -> Result<Values<T>, DeviceError> {
    let sort = Sort::new(device, buffer, count, largest)?;
    let bytes = (count * size_of::<T>()) as u64;
    let pending = device.submit(sort.launches(), &[(sort.sorted(buffer), bytes)])?;
    Ok(Values::InPlace(device.wait(pending)?))
}
