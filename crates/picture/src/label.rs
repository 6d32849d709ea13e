//! Texts on pictures.

use std::convert::Infallible;

use embedded_graphics::Drawable;
use embedded_graphics::mono_font::ascii::{FONT_7X13_BOLD, FONT_9X18_BOLD};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, OriginDimensions, Pixel, Point, RgbColor, Size};
use embedded_graphics::text::{Baseline, Text};

use crate::canvas::FINE;
use crate::colours::{INK, Rgb, SHARED, WHITE};
use crate::picture::Picture;

/// Writes a text in a white box next to the middle of a line, where it covers the least of the line and of
/// what is shared. The ends of the line are in samples. An empty text leaves no box.
pub fn write(picture: &mut Picture, text: &str, [p, q]: [[f64; 2]; 2]) {
    if text.is_empty() {
        return;
    }
    let pixels = |p: [f64; 2]| p.map(|samples| (samples / FINE as f64) as i32);
    let middle = pixels([0, 1].map(|k| 0.5 * (p[k] + q[k])));
    let ([x, y], avoid) = (middle, [pixels(p), pixels(q), middle]);
    let font = font(picture);
    let size = [
        text.chars().count() as i32 * font.character_size.width as i32 + 12,
        font.character_size.height as i32 + 6,
    ];
    let [dx, dy] = [size[0] / 2 + 14, size[1] / 2 + 12];
    let around = [[0, -1], [1, 0], [-1, 0], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1]];
    let offsets = (2..=5).flat_map(|times| around.map(|[sx, sy]| [sx * dx * times / 2, sy * dy * times / 2]));
    let corners = offsets.map(|[ox, oy]| picture.keep_in([x + ox - size[0] / 2, y + oy - size[1] / 2], size));
    let best = corners.min_by_key(|&corner| cost(picture, corner, size, &avoid));
    boxed(picture, text, best.unwrap_or_default(), size, font);
}

/// Returns the font for pictures of a size.
fn font(picture: &Picture) -> &'static MonoFont<'static> {
    if picture.size()[1] < 450 { &FONT_7X13_BOLD } else { &FONT_9X18_BOLD }
}

/// Returns how much a box at a corner covers of what should be seen.
fn cost(picture: &Picture, corner: [i32; 2], size: [i32; 2], avoid: &[[i32; 2]]) -> usize {
    let covers = |p: &&[i32; 2]| (0..2).all(|k| p[k] >= corner[k] - 3 && p[k] < corner[k] + size[k] + 3);
    let points = avoid.iter().filter(covers).count();
    let shared = (corner[1]..corner[1] + size[1])
        .flat_map(|y| (corner[0]..corner[0] + size[0]).map(move |x| [x as usize, y as usize]))
        .filter(|&at| picture.at(at) == SHARED)
        .count();
    points * 2_000 + shared
}

fn boxed(picture: &mut Picture, text: &str, [x, y]: [i32; 2], size: [i32; 2], font: &MonoFont) {
    for oy in 0..size[1] {
        for ox in 0..size[0] {
            let is_rim = ox == 0 || oy == 0 || ox == size[0] - 1 || oy == size[1] - 1;
            picture.put([(x + ox) as usize, (y + oy) as usize], if is_rim { INK } else { WHITE });
        }
    }
    let [red, green, blue] = INK;
    let style = MonoTextStyle::new(font, Rgb888::new(red, green, blue));
    let drawn = Text::with_baseline(text, Point::new(x + 6, y + 3), style, Baseline::Top).draw(picture);
    match drawn {
        Ok(_) => {}
        Err(never) => match never {},
    }
}

impl Picture {
    /// Returns the corner nearest to one at which a box lies within the picture.
    fn keep_in(&self, corner: [i32; 2], size: [i32; 2]) -> [i32; 2] {
        [0, 1].map(|k| corner[k].min(self.size()[k] as i32 - size[k] - 4).max(4))
    }
}

impl OriginDimensions for Picture {
    fn size(&self) -> Size {
        let [width, height] = Picture::size(self);
        Size::new(width as u32, height as u32)
    }
}

impl DrawTarget for Picture {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        let [width, height] = Picture::size(self);
        for Pixel(Point { x, y }, colour) in pixels {
            let (x, y) = (x as usize, y as usize);
            if x < width && y < height {
                let colour: Rgb = [colour.r(), colour.g(), colour.b()];
                self.put([x, y], colour);
            }
        }
        Ok(())
    }
}
