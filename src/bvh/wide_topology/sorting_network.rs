//! Batcher's odd-even merge sort (1968): a fixed sequence of exchanges, so lanes can sort side by side.

/// The exchanges that sort some values, in order.
#[derive(Clone, Copy)]
pub(super) struct Network {
    pairs: [[u8; 2]; 63],
    count: u8,
}

impl Network {
    #[inline(always)]
    pub(super) fn exchanges(&self) -> &[[u8; 2]] {
        &self.pairs[..self.count as usize]
    }
}

/// Returns the exchanges that sort up to 16 values. They are those for the next power of two, without any
/// that has a place beyond the last value: if larger values were there, no exchange would move them.
pub(super) const fn network(values: usize) -> Network {
    let mut pairs = [[0; 2]; 63];
    let mut count = 0;
    let mut merged = 1;
    while merged < values {
        let mut step = merged;
        while step > 0 {
            let mut start = step % merged;
            while start + step < values {
                let mut i = start;
                while i < start + step && i + step < values {
                    // Exchanges only within the part that is being merged.
                    if i / (2 * merged) == (i + step) / (2 * merged) {
                        pairs[count] = [i as u8, (i + step) as u8];
                        count += 1;
                    }
                    i += 1;
                }
                start += 2 * step;
            }
            step /= 2;
        }
        merged *= 2;
    }
    Network { pairs, count: count as u8 }
}

#[cfg(test)]
mod tests {
    use super::network;

    /// A network that sorts all sequences of zeros and ones sorts all sequences.
    #[test]
    fn networks_sort() {
        for count in 0..=16 {
            for mut bits in 0..1_u32 << count {
                for &[i, j] in network(count).exchanges() {
                    if bits >> i & 1 > bits >> j & 1 {
                        bits ^= 1 << i | 1 << j;
                    }
                }
                assert!(
                    (bits + (1 << bits.trailing_zeros().min(count as u32))).trailing_zeros() >= count as u32
                );
            }
        }
        assert_eq!([8, 16].map(|count| network(count).exchanges().len()), [19, 63]);
    }
}
