//! The parts of a section that lie inside the two parts of a finding.

use crate::buffer::Buffer;
use crate::camera::Camera;
use crate::nearest::FEW;
use crate::posed::Posed;
use crate::raster::cover;
use crate::view::Plane;

/// A section through the first and the second part: per sample of the plane, in which of them it lies.
pub struct Cut {
    size: [usize; 2],
    /// Bit 0 for the first part, bit 1 for the second; no others.
    inside: Buffer<u8>,
    /// The share of each part's samples at which its surface cannot be closed.
    leaks: [f64; 2],
}

/// Bits of a sample for the first part; the bits of the second are one higher.
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
            part.triangles(camera, |corners| {
                cover(corners, size, |span| {
                    let (surface, plane) = (span.depths_from(0), depth.depths_from(span.row, span.column));
                    let samples = &mut samples[span.samples.clone()];
                    match side_of(span.range, [plane(0), plane(samples.len() as i32 - 1)]) {
                        Some(crossing) => note(samples, crossing, side),
                        None => cross(samples, 0, (&surface, &plane), side),
                    }
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

    /// Returns the parts in which each sample lies, row by row, as [`at`](Self::at) does.
    pub fn samples(&self) -> &[u8] {
        &self.inside
    }

    /// Returns the numbers of samples in the first part alone, in the second alone, and in both.
    pub fn areas(&self) -> [usize; 3] {
        let count = |parts: u8| self.inside.iter().filter(|&&sample| sample == parts).count();
        [count(1), count(2), count(3)]
    }

    /// True if a part's surface has so many gaps that its inside cannot be determined.
    pub fn is_open(&self) -> bool {
        self.leaks.iter().any(|&share| share > MOST_LEAKS)
    }
}

/// Notes in some samples of a span, from one on, that a part's surface crosses the line of sight, behind the
/// plane or in front of it.
///
/// Both depths are monotonic along the samples even after rounding, so the depths at the ends bound the
/// others.
fn cross(
    samples: &mut [u8],
    from: i32,
    (surface, plane): (&impl Fn(i32) -> f64, &impl Fn(i32) -> f64),
    side: usize,
) {
    let last = from + samples.len() as i32 - 1;
    let ends = [surface(from), surface(last)];
    let range = if ends[0] < ends[1] { ends } else { [ends[1], ends[0]] };
    let is_finite = ends.iter().all(|depth| depth.is_finite());
    match side_of(range, [plane(from), plane(last)]).filter(|_| is_finite) {
        Some(crossing) => note(samples, crossing, side),
        None if samples.len() > FEW => {
            let middle = samples.len() / 2;
            let (first, second) = samples.split_at_mut(middle);
            cross(first, from, (surface, plane), side);
            cross(second, from + middle as i32, (surface, plane), side);
        }
        None => {
            for (k, sample) in (from..).zip(samples.chunks_mut(1)) {
                note(sample, if surface(k) < plane(k) { bit::BEHIND } else { bit::IN_FRONT }, side);
            }
        }
    }
}

/// Returns where surfaces between two depths cross the line of sight, if that is the same for all depths that
/// the plane has between those at two ends.
fn side_of([least, most]: [f64; 2], plane: [f64; 2]) -> Option<u8> {
    if most < plane[0].min(plane[1]) {
        Some(bit::BEHIND)
    } else {
        (least >= plane[0].max(plane[1])).then_some(bit::IN_FRONT)
    }
}

/// Notes a crossing in samples.
fn note(samples: &mut [u8], crossing: u8, side: usize) {
    for sample in samples {
        *sample = (*sample ^ crossing << side) | bit::SEEN << side;
    }
}

/// The share of samples from which a part counts as open, rather than as one with slits.
const MOST_LEAKS: f64 = 0.02;

/// Leaves, of the bits of each sample, those that say in which parts it lies. Returns the share of each
/// part's samples at which its surface cannot be closed.
fn settle(samples: &mut [u8], width: usize) -> [f64; 2] {
    let (mut seen, mut leaking) = ([0; 2], [0; 2]);
    for row in samples.chunks_mut(width) {
        let all = row.iter().fold(0, |all, &sample| all | sample);
        for side in [0, 1].into_iter().filter(|side| all >> side & bit::SEEN != 0) {
            seen[side] += count(row, |sample| sample >> side & bit::SEEN != 0);
            let leaks =
                count(row, |sample| ((sample / bit::BEHIND) ^ (sample / bit::IN_FRONT)) >> side & 1 != 0);
            if leaks > 0 {
                close(row, side);
            }
            leaking[side] += leaks;
        }
        if all == 0 {
            continue;
        }
        row.iter_mut().for_each(|sample| *sample &= 3);
    }
    [0, 1].map(|side| f64::from(leaking[side]) / f64::from(seen[side].max(1)))
}

/// Returns the number of samples that fulfil a condition. Counts of a few fit into a byte, and so into lanes.
fn count(row: &[u8], is: impl Fn(u8) -> bool) -> u32 {
    let few = |samples: &[u8]| samples.iter().fold(0_u8, |count, &sample| count + u8::from(is(sample)));
    row.chunks(128).map(|samples| u32::from(few(samples))).sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each sample has the crossing that a comparison of its two depths gives, however many are noted at a
    /// time.
    #[test]
    fn each_sample_is_crossed_behind_the_plane_or_in_front_of_it() {
        for seed in 0..400 {
            let number = |k: i32| f64::from((seed * 7_919 + k * 104_729) % 1_000) / 100.0 - 5.0;
            let [slope, plane] =
                [0, 1].map(|k| move |sample: i32| number(k) + f64::from(sample) * number(k + 2) / 40.0);
            // As far as the depths of a triangle's corners.
            let surface = |sample: i32| slope(sample).clamp(number(5) - 2.0, number(5) + 2.0);
            let (length, side) = ((seed % 97 + 1) as usize, (seed % 2) as usize);
            let mut samples: Vec<u8> = (0..length).map(|k| (k % 16) as u8).collect();
            let expected: Vec<u8> = (0..)
                .zip(&samples)
                .map(|(k, &sample)| {
                    let crossing = if surface(k) < plane(k) { bit::BEHIND } else { bit::IN_FRONT };
                    (sample ^ crossing << side) | bit::SEEN << side
                })
                .collect();
            cross(&mut samples, 0, (&surface, &plane), side);
            assert_eq!(samples, expected, "{seed}");
        }
    }
}
