//! Texts of numbers. In the rows of a crowd they repeat: a part has few corners and many pairs.

/// Number of texts that are kept, a power of two, and the most bytes of one: 17 digits, a sign, a point and
/// an exponent.
const KEPT: usize = 256;
const LONGEST: usize = 24;

/// The numbers that were written last, with their texts.
pub struct Numbers {
    /// The bits of each; in the beginning, of a number that has no text.
    bits: [u64; KEPT],
    texts: [Text; KEPT],
}

#[derive(Clone, Copy)]
struct Text {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Default for Numbers {
    fn default() -> Self {
        let none = Text { bytes: [0; LONGEST], length: 0 };
        Self { bits: [f64::NAN.to_bits(); KEPT], texts: [none; KEPT] }
    }
}

impl Numbers {
    /// Adds the text of a number, as [`crate::json::number`] returns it.
    pub fn add(&mut self, x: f64, out: &mut Vec<u8>) {
        if !x.is_finite() {
            with_number(x, |text| out.extend_from_slice(text));
            return;
        }
        if x.is_sign_negative() {
            out.push(b'-');
        }
        let bits = x.abs().to_bits();
        // Numbers differ in their last bits or, if they are short, in their first ones.
        let place = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - KEPT.ilog2())) as usize;
        let text = &mut self.texts[place];
        if self.bits[place] != bits {
            self.bits[place] = bits;
            with_number(x.abs(), |new| {
                text.bytes[..new.len()].copy_from_slice(new);
                text.length = new.len();
            });
        }
        // A copy of known length takes no call.
        let end = out.len() + text.length;
        out.extend_from_slice(&text.bytes);
        out.truncate(end);
    }
}

/// Calls a function with the text of a number, as [`crate::json::number`] returns it.
pub fn with_number<R>(x: f64, then: impl FnOnce(&[u8]) -> R) -> R {
    if !x.is_finite() {
        return then(b"null");
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(x).as_bytes();
    let text = text.strip_suffix(b".0").unwrap_or(text);
    // An exponent has at most three digits.
    let sign = text.len().saturating_sub(4);
    let Some(plus) = text[sign..].iter().position(|&byte| byte == b'+') else { return then(text) };
    let (before, after) = (&text[..sign + plus], &text[sign + plus + 1..]);
    then(&[before, after].concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::number;

    proptest! {
        /// Each number has its own text, however often it comes.
        #[test]
        fn numbers_that_come_again_keep_their_texts(
            bits in prop::collection::vec(any::<u64>(), 1..400),
            places in prop::collection::vec(any::<prop::sample::Index>(), 0..800),
        ) {
            let ends = [0.0, -0.0, 1.0, -1.0, f64::MIN, f64::MIN_POSITIVE, 5e-324, f64::NAN, f64::INFINITY];
            let all: Vec<f64> = bits.into_iter().map(f64::from_bits).chain(ends).collect();
            let (mut numbers, mut out, mut expected) = (Numbers::default(), Vec::new(), String::new());
            for x in places.iter().map(|place| *place.get(&all)) {
                numbers.add(x, &mut out);
                expected += &number(x);
            }
            prop_assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
