//! Finished pictures, and their PNG files.

use hashbrown::HashMap;

use crate::canvas::Canvas;
use crate::colours::Rgb;
use crate::runs;

/// The level of compression. The best one takes three times as long, for files that are 8 to 18 % smaller.
const LEVEL: u8 = 5;

/// A picture.
#[derive(Clone, Debug)]
pub struct Picture {
    size: [usize; 2],
    pixels: Vec<Rgb>,
}

impl Picture {
    pub(crate) fn of(canvas: &Canvas) -> Self {
        let (size, pixels) = canvas.pixels();
        Self { size, pixels }
    }

    /// Returns width and height in pixels.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Returns the colours of all pixels, red, green and blue, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    pub(crate) fn put(&mut self, [x, y]: [usize; 2], colour: Rgb) {
        self.pixels[x + self.size[0] * y] = colour;
    }

    pub(crate) fn at(&self, [x, y]: [usize; 2]) -> Rgb {
        self.pixels[x + self.size[0] * y]
    }

    /// Returns the bytes of a PNG file with at most 256 colours, the same on every machine.
    pub fn png(&self) -> Vec<u8> {
        let (palette, indices) = self.indexed();
        let mut bytes = Vec::new();
        let [width, height] = self.size.map(|pixels| pixels as u32);
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(palette.concat());
        encoder.set_deflate_compression(png::DeflateCompression::Level(LEVEL));
        // Neighbours in a palette say nothing about each other.
        encoder.set_filter(png::Filter::NoFilter);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&indices));
        written.expect("memory takes every byte, and the sizes agree");
        bytes
    }

    /// Returns a palette, and the index of each pixel's colour in it. Of more than 256 colours, the rarest
    /// are replaced by the nearest of the others.
    fn indexed(&self) -> (Vec<Rgb>, Vec<u8>) {
        let (mut numbers, mut counts) = (HashMap::new(), Vec::<(Rgb, usize)>::new());
        // Pictures have long runs of one colour.
        let (mut runs, mut start) = (Vec::new(), 0);
        while start < self.pixels.len() {
            let (colour, end) = (self.pixels[start], runs::end_of_colour(&self.pixels, start));
            let number = *numbers.entry(colour).or_insert_with(|| {
                counts.push((colour, 0));
                counts.len() - 1
            });
            counts[number].1 += end - start;
            runs.push((number, end - start));
            start = end;
        }
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|&number| (std::cmp::Reverse(counts[number].1), counts[number].0));
        let palette: Vec<Rgb> = order.iter().take(256).map(|&number| counts[number].0).collect();
        let mut indices = vec![0; counts.len()];
        for (place, &number) in order.iter().enumerate() {
            indices[number] = u8::try_from(place).unwrap_or_else(|_| nearest(&palette, counts[number].0));
        }
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for (number, count) in runs {
            pixels.resize(pixels.len() + count, indices[number]);
        }
        (palette, pixels)
    }
}

/// Returns the place of the colour of a palette, of at most 256 colours, that is nearest to one.
fn nearest(palette: &[Rgb], colour: Rgb) -> u8 {
    let off =
        |other: &Rgb| -> i32 { (0..3).map(|k| (i32::from(colour[k]) - i32::from(other[k])).pow(2)).sum() };
    (0..palette.len()).min_by_key(|&i| (off(&palette[i]), i)).unwrap_or(0) as u8
}
