//! Sorts records on the device: a radix sort by digits of eight bits, the lowest digit first. Each pass keeps
//! the order of records with the same digit.

use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::{Device, DeviceError, Kernel, Launch, Lent, Use};
use closefit_geometry::ids::to_u32;

/// Number of records per workgroup, and of digits.
pub const TILE: usize = 256;

/// Bytes of a record: three words of its key, the highest first, and one word that is carried along.
const RECORD: u64 = 16;

/// Source of the kernel that counts records by a digit.
pub const COUNT_DIGITS: &str = shader!("shared/digits.wgsl", "count_digits.wgsl");

/// Source of the kernel that adds counts up.
pub const SCAN: &str = shader!("shared/digits.wgsl", "scan.wgsl");

/// Source of the kernel that moves records to their places.
pub const SORT: &str = shader!("shared/digits.wgsl", "sort.wgsl");

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

/// The compiled kernels.
#[derive(Debug)]
struct Kernels {
    count_digits: Kernel,
    scan: Kernel,
    sort: Kernel,
}

impl Kernels {
    /// Returns the kernels, compiled at the first call.
    fn of(device: &Device) -> Result<&'static Self, DeviceError> {
        static COMPILED: OnceLock<Result<Kernels, DeviceError>> = OnceLock::new();
        let compiled = COMPILED.get_or_init(|| {
            Ok(Self {
                count_digits: Kernel::new(device, "count_digits", COUNT_DIGITS)?,
                scan: Kernel::new(device, "scan", SCAN)?,
                sort: Kernel::new(device, "sort", SORT)?,
            })
        });
        compiled.as_ref().map_err(Clone::clone)
    }
}

/// A sort that is ready to be submitted. It holds the buffers of its launches.
#[derive(Debug)]
pub struct Sort {
    launches: Vec<Launch<'static>>,
    other: Lent,
    ends_in_other: bool,
    _lent: Vec<Lent>,
}

impl Sort {
    /// Prepares to sort the first `count` records of a buffer, 16 bytes each, by their first three words.
    /// `largest` bounds these words; what a word holds above the bytes of its bound is carried along.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails or runs out of memory.
    pub fn new(
        device: Device,
        records: &wgpu::Buffer,
        count: usize,
        largest: [u32; 3],
    ) -> Result<Self, DeviceError> {
        let kernels = Kernels::of(&device)?;
        let tiles = count.div_ceil(TILE);
        let counts = device.lend(Use::Storage, (4 * TILE * tiles) as u64)?;
        let other = device.lend(Use::Storage, count as u64 * RECORD)?;
        let mut buffers = [records, &*other];
        let workgroups = to_u32(tiles).min(device.workgroups());
        let (mut launches, mut lent, mut ends_in_other) = (Vec::new(), Vec::new(), false);
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
                ends_in_other = !ends_in_other;
                lent.push(settings);
            }
        }
        lent.push(counts);
        Ok(Self { launches, other, ends_in_other, _lent: lent })
    }

    /// Returns the launches, to be submitted in order.
    pub fn launches(&self) -> &[Launch<'static>] {
        &self.launches
    }

    /// Returns the buffer that holds the sorted records in the end: their own, or one of the sort's
    /// own.
    pub fn sorted<'a>(&'a self, records: &'a wgpu::Buffer) -> &'a wgpu::Buffer {
        if self.ends_in_other { &self.other } else { records }
    }
}

/// Returns the launch that replaces each of so many tiles of words by the sum of all words before it, and its
/// settings, to be kept until it has been submitted.
///
/// # Errors
/// [`DeviceError`] if the device fails or runs out of memory.
pub fn scan(
    device: Device,
    words: &wgpu::Buffer,
    tiles: usize,
) -> Result<(Launch<'static>, Lent), DeviceError> {
    let settings = device.lend(Use::Settings, size_of::<Digit>() as u64)?;
    let digit = Digit { tiles: to_u32(tiles), ..Digit::zeroed() };
    device.write(&settings, 0, bytes_of(&digit));
    let launch = Kernels::of(&device)?.scan.launch(&device, &[&settings, words], 1);
    Ok((launch, settings))
}
