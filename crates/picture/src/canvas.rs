//! A picture in the making, with four samples per pixel.

use crate::buffer::Buffer;
use crate::colours::{PAPER, Rgb};
use crate::runs::{self, CHUNK};

/// The number of samples of a pixel along x and along y.
pub const FINE: usize = 2;

/// Samples that are averaged into pixels.
pub struct Canvas {
    size: [usize; 2],
    samples: Buffer<Rgb>,
}

impl Canvas {
    /// Creates a canvas in one colour. The size is in samples.
    pub fn new(size: [usize; 2], colour: Rgb) -> Self {
        Self { size, samples: Buffer::of(size[0] * size[1], colour) }
    }

    /// Creates a canvas with undefined colours. The caller must colour every sample.
    pub fn uncoloured(size: [usize; 2]) -> Self {
        Self { size, samples: Buffer::of_any(size[0] * size[1], PAPER) }
    }

    /// Returns the size in samples.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Returns the samples of a row.
    pub fn row(&mut self, y: usize) -> &mut [Rgb] {
        &mut self.samples[y * self.size[0]..(y + 1) * self.size[0]]
    }

    /// Returns the colour of a sample.
    pub fn at(&self, [x, y]: [usize; 2]) -> Rgb {
        self.samples[x + self.size[0] * y]
    }

    /// Sets the colour of a sample.
    pub fn put(&mut self, [x, y]: [usize; 2], colour: Rgb) {
        self.samples[x + self.size[0] * y] = colour;
    }

    /// Colours all samples within half a width of a segment. Lengths are in samples.
    pub fn line(&mut self, [p, q]: [[f64; 2]; 2], width: f64, colour: Rgb) {
        let along = [q[0] - p[0], q[1] - p[1]];
        let squared = along[0] * along[0] + along[1] * along[1];
        self.within([p, q], 0.5 * width, colour, |[x, y]| {
            let from = [x - p[0], y - p[1]];
            let share = (from[0] * along[0] + from[1] * along[1]) / squared.max(1e-12);
            let share = share.clamp(0.0, 1.0);
            let off = [from[0] - share * along[0], from[1] - share * along[1]];
            off[0] * off[0] + off[1] * off[1] <= 0.25 * width * width
        });
    }

    /// Colours a ring around a point. Lengths are in samples.
    pub fn ring(&mut self, centre: [f64; 2], radius: f64, width: f64, colour: Rgb) {
        let [inner, outer] = [(radius - 0.5 * width).max(0.0), radius + 0.5 * width];
        self.within([centre; 2], outer, colour, |[x, y]| {
            let squared = (x - centre[0]) * (x - centre[0]) + (y - centre[1]) * (y - centre[1]);
            (inner * inner..=outer * outer).contains(&squared)
        });
    }

    /// Colours a disc. Lengths are in samples.
    pub fn disc(&mut self, centre: [f64; 2], radius: f64, colour: Rgb) {
        self.line([centre; 2], 2.0 * radius, colour);
    }

    /// Colours the samples that fulfil a condition, of those in the box of two points and a margin.
    fn within(&mut self, points: [[f64; 2]; 2], margin: f64, colour: Rgb, is_in: impl Fn([f64; 2]) -> bool) {
        let size = self.size;
        let range = |k: usize| {
            let [lo, hi] = [points[0][k].min(points[1][k]) - margin, points[0][k].max(points[1][k]) + margin];
            let most = size[k] as f64;
            lo.clamp(0.0, most) as usize..(hi + 1.0).clamp(0.0, most) as usize
        };
        for y in range(1) {
            for x in range(0) {
                if is_in([x as f64 + 0.5, y as f64 + 0.5]) {
                    self.put([x, y], colour);
                }
            }
        }
    }

    /// Returns the size in pixels, and the colours of the pixels.
    pub fn pixels(&self) -> ([usize; 2], Vec<Rgb>) {
        let size = self.size.map(|samples| samples / FINE);
        let mut pixels = Vec::with_capacity(size[0] * size[1]);
        for rows in self.samples.chunks_exact(FINE * self.size[0]) {
            let (upper, lower) = rows.split_at(self.size[0]);
            // Most samples next to each other have one colour.
            for (upper, lower) in upper.chunks(CHUNK).zip(lower.chunks(CHUNK)) {
                if let ([upper], [lower]) = (upper.as_chunks().0, lower.as_chunks().0)
                    && runs::is_plain([upper, lower])
                {
                    pixels.extend_from_slice(&[upper[0]; CHUNK / FINE]);
                    continue;
                }
                let columns = upper.chunks_exact(FINE).zip(lower.chunks_exact(FINE));
                pixels
                    .extend(columns.map(|(upper, lower)| average([upper[0], upper[1], lower[0], lower[1]])));
            }
        }
        (size, pixels)
    }
}

/// Returns the colour of a pixel from the colours of its samples.
fn average(samples: [Rgb; 4]) -> Rgb {
    let mut pixel = samples[0];
    if samples.iter().all(|&sample| sample == pixel) {
        return pixel;
    }
    for (k, channel) in pixel.iter_mut().enumerate() {
        let sum = samples.iter().map(|sample| u32::from(sample[k])).sum::<u32>();
        *channel = ((sum + 2) / 4) as u8;
    }
    pixel
}
