//! Seconds per kernel, from timestamps of the device. Timed launches run in passes of their own, which takes
//! longer.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::device::locked;
use super::kernel::Launch;

/// Largest number of timestamps in a query set.
const TIMESTAMPS: u32 = wgpu::QUERY_SET_MAX_QUERIES;

/// The timestamps of a device. Submissions share them: each copies its own before the next begins.
pub(super) struct Timer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Seconds per unit of a timestamp.
    unit: f64,
    is_on: AtomicBool,
    seconds: Mutex<BTreeMap<&'static str, f64>>,
}

impl Timer {
    /// Returns a timer if the device was opened with timestamps.
    pub fn new(gpu: &wgpu::Device, queue: &wgpu::Queue) -> Option<Self> {
        gpu.features().contains(wgpu::Features::TIMESTAMP_QUERY).then(|| Self {
            queries: gpu.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: TIMESTAMPS,
            }),
            resolved: gpu.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 8 * u64::from(TIMESTAMPS),
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            unit: f64::from(queue.get_timestamp_period()) * 1e-9,
            is_on: AtomicBool::new(false),
            seconds: Mutex::default(),
        })
    }

    /// Begins or ends the timing of launches.
    pub fn turn(&self, on: bool) {
        self.is_on.store(on, Relaxed);
    }

    /// Returns true if launches are timed.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Relaxed)
    }

    /// Returns the kernels of a submission that are timed: all that have a place.
    pub fn timed(launches: &[Launch]) -> Vec<&'static str> {
        launches.iter().take(TIMESTAMPS as usize / 2).map(Launch::name).collect()
    }

    /// Records a launch in a pass of its own, between two timestamps.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, index: u32, launch: &Launch) {
        let timestamp_writes = (2 * index + 1 < TIMESTAMPS).then(|| wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * index),
            end_of_pass_write_index: Some(2 * index + 1),
        });
        launch.record(
            &mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes }),
        );
    }

    /// Copies the timestamps of so many launches into a buffer.
    pub fn copy(&self, encoder: &mut wgpu::CommandEncoder, launches: usize, to: &wgpu::Buffer, at: u64) {
        encoder.resolve_query_set(&self.queries, 0..2 * launches as u32, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, to, at, 16 * launches as u64);
    }

    /// Adds the times of a submission's kernels, given by pairs of timestamps.
    pub fn add(&self, kernels: &[&'static str], timestamps: &[[u64; 2]]) {
        let mut seconds = locked(&self.seconds);
        for (kernel, [begin, end]) in kernels.iter().zip(timestamps) {
            *seconds.entry(kernel).or_default() += end.saturating_sub(*begin) as f64 * self.unit;
        }
    }

    pub fn seconds(&self) -> BTreeMap<&'static str, f64> {
        locked(&self.seconds).clone()
    }
}
