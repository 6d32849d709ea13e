//! Work on a device: writes to buffers, submissions of launches, and waits for their results.

use std::ops::Deref;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use bytemuck::{Pod, cast_slice, pod_collect_to_vec};

use super::buffers::{Lent, Use};
use super::device::locked;
use super::kernel::Launch;
use super::timer::Timer;
use super::{Device, DeviceError};
use closefit_geometry::parallel;

/// Number of values per task, and number of values that are made before they are copied.
const AT_ONCE: usize = 64;
const WINDOW: usize = 1 << 12;

/// A submission in progress, and the buffer that receives its results.
#[derive(Debug)]
pub struct Pending {
    submission: wgpu::SubmissionIndex,
    buffer: Lent,
    bytes: u64,
    /// The timed kernels; their timestamps follow the bytes.
    timed: Vec<&'static str>,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

/// Bytes that a submission copied, read where the device put them.
#[derive(Debug)]
pub struct Mapped {
    /// Present until dropped.
    view: Option<wgpu::BufferView>,
    bytes: usize,
    buffer: Lent,
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.view.as_ref().expect("it is there until it is dropped")[..self.bytes]
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.view = None;
        self.buffer.unmap();
    }
}

/// Values from a device: read in place, or a copy.
#[derive(Debug)]
pub enum Values<T> {
    /// Everything that a submission copied.
    InPlace(Mapped),
    /// A copy.
    Copied(Vec<T>),
}

impl<T: Pod> Values<T> {
    /// Returns the values as a list, copied unless they are one.
    pub fn into_vec(self) -> Vec<T> {
        match self {
            Self::InPlace(mapped) => pod_collect_to_vec(&mapped),
            Self::Copied(values) => values,
        }
    }
}

impl<T: Pod> Deref for Values<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::InPlace(mapped) => cast_slice(mapped),
            Self::Copied(values) => values,
        }
    }
}

impl Device {
    /// Queues a write to a buffer; it takes effect before the next submission.
    pub fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.0.queue.write_buffer(buffer, offset, bytes);
        locked(&self.0.tally).bytes_up += bytes.len() as u64;
    }

    /// Queues a write of so many values to the front of a buffer. `of` returns each by its number, on all
    /// threads.
    pub fn write_each<T: Pod + Send>(
        &self,
        buffer: &wgpu::Buffer,
        count: usize,
        of: impl Fn(usize) -> T + Sync,
    ) {
        let bytes = (count * size_of::<T>()) as u64;
        let view =
            wgpu::BufferSize::new(bytes).and_then(|size| self.0.queue.write_buffer_with(buffer, 0, size));
        // There is nothing to write, or the device has failed.
        let Some(mut view) = view else { return };
        // Made in portions that reuse memory: the first access to a page takes longer than filling it.
        for first in (0..count).step_by(WINDOW) {
            let runs = parallel::map_runs(WINDOW.min(count - first), AT_ONCE, |numbers| {
                numbers.map(|number| of(first + number)).collect::<Vec<T>>()
            });
            let mut at = first * size_of::<T>();
            for run in &runs {
                let bytes: &[u8] = cast_slice(run);
                view.slice(at..at + bytes.len()).copy_from_slice(bytes);
                at += bytes.len();
            }
        }
        locked(&self.0.tally).bytes_up += bytes;
    }

    /// Submits launches, which run one after the other. Then copies the first `bytes` bytes of each buffer in
    /// `read`, one after the other, into a readback buffer.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails or runs out of memory.
    pub fn submit(&self, launches: &[Launch], read: &[(&wgpu::Buffer, u64)]) -> Result<Pending, DeviceError> {
        let bytes = read.iter().map(|(_, bytes)| bytes).sum::<u64>();
        let timer = self.0.timer.as_ref().filter(|timer| timer.is_on());
        let timed = timer.map_or_else(Vec::new, |_| Timer::timed(launches));
        let all_bytes = bytes + 16 * timed.len() as u64;
        let buffer = self.lend(Use::Readback, all_bytes)?;
        let submission = self.watched(|gpu| {
            let mut encoder = gpu.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            match timer {
                Some(timer) => {
                    (0..).zip(launches).for_each(|(i, launch)| timer.record(&mut encoder, i, launch))
                }
                None => {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    launches.iter().for_each(|launch| launch.record(&mut pass));
                }
            }
            let mut at = 0;
            for &(from, bytes) in read {
                encoder.copy_buffer_to_buffer(from, 0, &buffer, at, bytes);
                at += bytes;
            }
            if let Some(timer) = timer.filter(|_| !timed.is_empty()) {
                timer.copy(&mut encoder, timed.len(), &buffer, at);
            }
            self.0.queue.submit([encoder.finish()])
        })?;
        let (done, mapped) = channel();
        // The receiver is gone if the wait was given up.
        buffer.map_async(wgpu::MapMode::Read, ..all_bytes, move |result| drop(done.send(result)));
        Ok(Pending { submission, buffer, bytes, timed, mapped })
    }

    /// Returns the first `count` values of a buffer: from `along`, the bytes at its front that another
    /// submission read, or from a second read if those are too few.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails or runs out of memory.
    pub fn values<T: Pod>(
        &self,
        buffer: &wgpu::Buffer,
        count: usize,
        along: &[u8],
    ) -> Result<Values<T>, DeviceError> {
        let bytes = count * size_of::<T>();
        if bytes <= along.len() {
            return Ok(Values::Copied(pod_collect_to_vec(&along[..bytes])));
        }
        let pending = self.submit(&[], &[(buffer, bytes as u64)])?;
        Ok(Values::InPlace(self.wait(pending)?))
    }

    /// Waits for a submission and returns the bytes that it copied. Their buffer is in use until they are
    /// dropped.
    ///
    /// # Errors
    /// [`DeviceError::TimedOut`] after the time limit, or any other failure of the device.
    pub fn wait(&self, pending: Pending) -> Result<Mapped, DeviceError> {
        let clock = Instant::now();
        let patience = *locked(&self.0.patience);
        let wait =
            wgpu::PollType::Wait { submission_index: Some(pending.submission), timeout: Some(patience) };
        let timed_out = || DeviceError::TimedOut { seconds: patience.as_secs() };
        match self.0.gpu.poll(wait) {
            Ok(_) => {}
            Err(wgpu::PollError::Timeout) => return self.fail(timed_out()),
            // A lost device accepts no submission, so there is none to wait for.
            Err(wgpu::PollError::WrongSubmissionIndex(..)) => {
                return self.fail(DeviceError::Lost("it takes no more work".to_owned()));
            }
        }
        self.check()?;
        let rest = patience.saturating_sub(clock.elapsed());
        match pending.mapped.recv_timeout(rest) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return self.fail(DeviceError::Lost(error.to_string())),
            Err(_) => return self.fail(timed_out()),
        }
        let all_bytes = pending.bytes + 16 * pending.timed.len() as u64;
        let view = match pending.buffer.get_mapped_range(..all_bytes) {
            Ok(view) => view,
            Err(error) => return self.fail(DeviceError::Failed(error.to_string())),
        };
        let bytes = pending.bytes as usize;
        if let Some(timer) = &self.0.timer {
            timer.add(&pending.timed, &pod_collect_to_vec::<u8, [u64; 2]>(&view[bytes..]));
        }
        let mut tally = locked(&self.0.tally);
        tally.bytes_down += pending.bytes;
        tally.waited_s += clock.elapsed().as_secs_f64();
        drop(tally);
        self.check().map(|()| Mapped { view: Some(view), bytes, buffer: pending.buffer })
    }
}
