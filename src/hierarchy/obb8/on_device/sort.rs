//! Sorts records on the device: a radix sort by digits of eight bits, the lowest digit first. Each pass keeps the order of
//! records with the same digit.

use bytemuck::{Pod, Zeroable, bytes_of, pod_collect_to_vec};

use super::columns::Record;
use super::kernels::SortKernels;
use crate::gpu::{Device, DeviceError, Use};
use crate::ids::to_u32;

/// Number of records per workgroup, and of digits.
pub const TILE: usize = 256;

/// The digit by which one pass orders the records.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Digit {
    /// Number of records.
    pub count: u32,
    /// Number of tiles of [`TILE`] records.
    pub tiles: u32,
    /// Index of the word of a record that holds the digit.
    pub word: u32,
    /// Place of the digit's lowest bit.
    pub shift: u32,
}

/// Returns the first `count` records of a buffer, sorted by pair and leaves. `largest` bounds the pairs and the leaves of
/// home and guest.
///
/// # Errors
/// [`DeviceError`] if the device fails or runs out of memory.
pub fn sorted(
    device: Device,
    records: &wgpu::Buffer,
    count: usize,
    largest: [u32; 3],
) -> Result<Vec<Record>, DeviceError> {
    let kernels = SortKernels::of(&device)?;
    let bytes = (count * size_of::<Record>()) as u64;
    let tiles = count.div_ceil(TILE);
    let counts = device.lend(Use::Storage, (4 * TILE * tiles) as u64)?;
    let other = device.lend(Use::Storage, bytes)?;
    let mut buffers = [records, &*other];
    let workgroups = to_u32(tiles).min(device.workgroups());
    let (mut launches, mut passes) = (Vec::new(), Vec::new());
    for word in [2, 1, 0] {
        for shift in (0..32 - largest[word].leading_zeros()).step_by(8) {
            let digit = Digit { count: to_u32(count), tiles: to_u32(tiles), word: to_u32(word), shift };
            let settings = device.lend(Use::Settings, size_of::<Digit>() as u64)?;
            device.write(&settings, 0, bytes_of(&digit));
            let [from, to] = buffers;
            launches.push(kernels.count_digits.launch(&device, &[&settings, from, &counts], workgroups));
            launches.push(kernels.scan.launch(&device, &[&settings, &counts], 1));
            launches.push(kernels.sort.launch(&device, &[&settings, from, &counts, to], workgroups));
            buffers.reverse();
            passes.push(settings);
        }
    }
    let pending = device.submit(&launches, &[(buffers[0], bytes)])?;
    Ok(pod_collect_to_vec(&device.wait(pending)?))
}
