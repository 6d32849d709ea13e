//! The parts of a section that lie inside the two parts of a finding.

use crate::buffer::Buffer;
use crate::camera::Camera;
use crate::posed::Posed;
use crate::raster::{Span, cover};
use crate::view::Plane;

/// A section through the first and the second part: per sample of the plane, in which of them it lies.
pub struct Cut {
    size: [usize; 2],
    /// Bit 0 for the first part, bit 1 for the second; no others.
    inside: Buffer<u8>,
    /// The share of each part's samples at which its surface cannot be closed.
    leaks: [f64; 2],
}

/// Bits of a sample for the first part; those of the second are one higher.
mod bit {
    /// An odd number of surfaces lies behind the plane.
    pub const BEHIND: u8 = 1;
    /// An odd number of surfaces lies in front of the plane.
    pub const IN_FRONT: u8 = 1 << 2;
    /// The part is seen.
    pub const SEEN: u8 = 1 << 4;
}

impl Cut {
    /// Cuts two parts by a plane that faces the camera.
    ///
    /// A point of the plane lies inside a closed part if the line of sight from it crosses the part's surface
    /// an odd number of times, in front of it as well as behind it. Where the two differ, the surface has a
    /// slit: such a sample takes the answer of the one to its left.
    pub fn of(parts: &[Posed; 2], plane: &Plane, camera: &Camera) -> Self {
        let size = camera.size();
        let depth = camera.depth_of(plane);
        let mut samples = Buffer::of(size[0] * size[1], 0);
        for (side, part) in parts.iter().enumerate() {
            part.triangles(camera, |corners, _| {
                cover(corners, size, |span| {
                    let plane = depth.depths_from(span.row, span.column);
                    cross(&mut samples[span.samples.clone()], span, plane, side);
                });
            });
        }
        let leaks = settle(&mut samples, size[0]);
        Self { size, inside: samples, leaks }
    }

    /// Returns the parts in which each sample of a row lies, as [`at`](Self::at) does.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.inside[y * self.size[0]..(y + 1) * self.size[0]]
    }

    /// Returns the parts in which a sample lies: bit 0 for the first, bit 1 for the second.
    pub fn at(&self, [x, y]: [usize; 2]) -> u8 {
        self.inside[x + self.size[0] * y]
    }

    /// True if a sample, by its index, lies in a part.
    pub fn covers(&self, sample: usize) -> bool {
        self.inside[sample] != 0
    }

    /// Returns the numbers of samples in the first part alone, in the second alone, and in both.
    pub fn areas(&self) -> [usize; 3] {
        let count = |parts: u8| self.inside.iter().filter(|&&sample| sample == parts).count();
        [count(1), count(2), count(3)]
    }

    /// True if a part's surface has so many gaps that its inside cannot be told.
    pub fn is_open(&self) -> bool {
        self.leaks.iter().any(|&share| share > MOST_LEAKS)
    }
}

/// Notes in the samples of a span that a part's surface crosses the line of sight, behind the plane or in
/// front of it, whose depth grows or falls along them.
fn cross(samples: &mut [u8], span: &Span, plane: impl Fn(i32) -> f64, side: usize) {
    let cross = |sample: &mut u8, crossing: u8| *sample = (*sample ^ crossing << side) | bit::SEEN << side;
    let [first, last] = [plane(0), plane(samples.len() as i32 - 1)];
    let [least, most] = span.range;
    if most < first.min(last) {
        samples.iter_mut().for_each(|sample| cross(sample, bit::BEHIND));
    } else if least >= first.max(last) {
        samples.iter_mut().for_each(|sample| cross(sample, bit::IN_FRONT));
    } else {
        for (k, (sample, z)) in (0..).zip(samples.iter_mut().zip(span.depths())) {
            cross(sample, if z < plane(k) { bit::BEHIND } else { bit::IN_FRONT });
        }
    }
}

/// The share of samples from which a part counts as open, rather than as one with slits.
const MOST_LEAKS: f64 = 0.02;

/// Leaves, of the bits of each sample, those that say in which parts it lies. Returns the share of each
/// part's samples at which its surface cannot be closed.
fn settle(samples: &mut [u8], width: usize) -> [f64; 2] {
    let (mut seen, mut leaking) = ([0; 2], [0; 2]);
    for row in samples.chunks_mut(width).filter(|row| row.iter().any(|&sample| sample != 0)) {
        for side in [0, 1] {
            let count =
                |of: fn(u8) -> u8| row.iter().map(|&sample| u32::from(of(sample >> side) & 1)).sum::<u32>();
            seen[side] += count(|sample| sample / bit::SEEN);
            let leaks = count(|sample| (sample / bit::BEHIND) ^ (sample / bit::IN_FRONT));
            if leaks > 0 {
                close(row, side);
            }
            leaking[side] += leaks;
        }
        row.iter_mut().for_each(|sample| *sample &= 3);
    }
    [0, 1].map(|side| f64::from(leaking[side]) / f64::from(seen[side].max(1)))
}

/// Gives each sample of a row at which a part's surface cannot be closed the answer of the one to its left.
fn close(row: &mut [u8], side: usize) {
    let mut inside = 0;
    for sample in row {
        let has = |bit: u8| u8::from(*sample & bit << side != 0);
        if has(bit::BEHIND) == has(bit::IN_FRONT) {
            inside = has(bit::BEHIND);
        }
        *sample = *sample & !(1 << side) | inside << side;
    }
}
