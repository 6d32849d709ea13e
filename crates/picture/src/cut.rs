//! The parts of a section that lie inside the two parts of a finding.

use glam::DVec3;

use crate::camera::Camera;
use crate::finding::Finding;
use crate::raster::cover;
use crate::stage::Stage;
use crate::view::Plane;

/// A section through the first and the second part: per sample of the plane, in which of them it lies.
pub struct Cut {
    size: [usize; 2],
    /// Bit 0 for the first part, bit 1 for the second.
    inside: Vec<u8>,
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
    /// Cuts both parts of a finding by a plane that faces the camera.
    ///
    /// A point of the plane lies inside a closed part if the line of sight from it crosses the part's surface
    /// an odd number of times, in front of it as well as behind it. Where the two differ, the surface has a
    /// slit: such a sample takes the answer of the one to its left.
    pub fn of(stage: &Stage, finding: &Finding, plane: &Plane, camera: &Camera) -> Self {
        let size = camera.size();
        let depth = camera.depth_of(plane);
        let mut samples = vec![0; size[0] * size[1]];
        for (side, part) in finding.parts.into_iter().enumerate() {
            stage.triangles(part, camera, |corners, _: [DVec3; 3]| {
                cover(corners, size, |span| {
                    let plane = depth.along(span.row, span.column, span.samples.len());
                    let samples = samples[span.samples.clone()].iter_mut();
                    for (sample, (z, plane)) in samples.zip(span.depths().zip(plane)) {
                        let crossing = if z < plane { bit::BEHIND } else { bit::IN_FRONT };
                        *sample = (*sample ^ crossing << side) | bit::SEEN << side;
                    }
                });
            });
        }
        let leaks = [0, 1].map(|side| settle(&mut samples, size[0], side));
        Self { size, inside: samples, leaks }
    }

    /// Returns the parts in which a sample lies: bit 0 for the first, bit 1 for the second.
    pub fn at(&self, [x, y]: [usize; 2]) -> u8 {
        self.inside[x + self.size[0] * y] & 3
    }

    /// Returns the numbers of samples in the first part alone, in the second alone, and in both.
    pub fn areas(&self) -> [usize; 3] {
        let count = |parts: u8| self.inside.iter().filter(|&&sample| sample & 3 == parts).count();
        [count(1), count(2), count(3)]
    }

    /// True if a part's surface has so many gaps that its inside cannot be told.
    pub fn is_open(&self) -> bool {
        self.leaks.iter().any(|&share| share > MOST_LEAKS)
    }
}

/// The share of samples from which a part counts as open, rather than as one with slits.
const MOST_LEAKS: f64 = 0.02;

/// Leaves, of the bits of a part, the one that says whether a sample lies inside. Returns the share of its
/// samples at which the surface cannot be closed.
fn settle(samples: &mut [u8], width: usize, side: u8) -> f64 {
    let (mut seen, mut leaking) = (0, 0);
    for row in samples.chunks_mut(width) {
        let mut inside = 0;
        for sample in row {
            let has = |bit: u8| u8::from(*sample & bit << side != 0);
            let leaks = has(bit::BEHIND) != has(bit::IN_FRONT);
            seen += usize::from(has(bit::SEEN) != 0);
            leaking += usize::from(leaks);
            if !leaks {
                inside = has(bit::BEHIND);
            }
            *sample = *sample & !(1 << side) | inside << side;
        }
    }
    leaking as f64 / seen.max(1) as f64
}
