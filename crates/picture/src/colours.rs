//! The colours of pictures.

use glam::DVec3;

/// A colour, as red, green and blue.
pub type Rgb = [u8; 3];

/// The paper.
pub const PAPER: Rgb = [0xf8, 0xf9, 0xfb];
/// The first part: vermillion of the Okabe-Ito palette, which colour-blind people tell from the second.
pub const FIRST: Rgb = [0xd5, 0x5e, 0x00];
/// The second part: blue of the same palette.
pub const SECOND: Rgb = [0x00, 0x72, 0xb2];
/// The space that both parts share, and nothing else.
pub const SHARED: Rgb = [0xff, 0xdd, 0x28];
/// All other parts.
pub const CONTEXT: Rgb = [0xec, 0xed, 0xf0];
/// The edges of other parts.
pub const CONTEXT_EDGE: Rgb = [0xa8, 0xab, 0xb1];
/// Lines and texts.
pub const INK: Rgb = [0x15, 0x18, 0x1e];
/// The halo of lines, and the background of texts.
pub const WHITE: Rgb = [0xff, 0xff, 0xff];
/// A gap.
pub const GAP: Rgb = [0x59, 0x60, 0x6d];
/// A pair that is not decided.
pub const UNDECIDED: Rgb = [0x7b, 0x3f, 0xc4];

/// Returns a mixture: all of the first colour at 0, all of the second at 1.
pub fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    [0, 1, 2].map(|k| (f64::from(from[k]) + share * (f64::from(to[k]) - f64::from(from[k])) + 0.5) as u8)
}

/// The number of tones between the darkest and the brightest surface. A few keep files small, and suffice.
const TONES: f64 = 10.0;

/// Returns the colour of a surface in the light. Both of its sides are lit alike: the triangles of some
/// files face inwards.
pub fn lit(colour: Rgb, normal: DVec3, light: DVec3) -> Rgb {
    let tone = (normal.dot(light).abs() * TONES).round() / TONES;
    mix([0; 3], colour, 0.70 + 0.30 * tone.min(1.0))
}

/// Returns the pale colour of a cut through a part.
pub fn cut(colour: Rgb) -> Rgb {
    mix(colour, WHITE, 0.72)
}

/// Returns the colour of the hatching of a cut.
pub fn hatching(colour: Rgb) -> Rgb {
    mix(colour, WHITE, 0.15)
}
