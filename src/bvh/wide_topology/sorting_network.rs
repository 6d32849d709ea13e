//! Batcher's odd-even merge sort (1968): a fixed sequence of exchanges, so lanes can sort side by side.

/// Returns the exchanges that sort `N` values, in order. `N` is a power of two, and `PAIRS` must be their
/// number: 19 for 8, 63 for 16.
pub(super) const fn pairs<const N: usize, const PAIRS: usize>() -> [[u8; 2]; PAIRS] {
    let mut pairs = [[0; 2]; PAIRS];
    let mut count = 0;
    let mut merged = 1;
    while merged < N {
        let mut step = merged;
        while step > 0 {
            let mut start = step % merged;
            while start + step < N {
                let mut i = start;
                while i < start + step && i + step < N {
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
    assert!(count == PAIRS, "another number of pairs");
    pairs
}

#[cfg(test)]
mod tests {
    use super::pairs;

    /// Asserts that a network sorts all sequences of zeros and ones, and so all sequences.
    fn sorts_all_bits(network: &[[u8; 2]], count: u32) {
        for mut bits in 0..1_u32 << count {
            for &[i, j] in network {
                if bits >> i & 1 > bits >> j & 1 {
                    bits ^= 1 << i | 1 << j;
                }
            }
            assert!((bits + (1 << bits.trailing_zeros().min(count))).trailing_zeros() >= count);
        }
    }

    #[test]
    fn networks_sort() {
        sorts_all_bits(&pairs::<8, 19>(), 8);
        sorts_all_bits(&pairs::<16, 63>(), 16);
    }
}
