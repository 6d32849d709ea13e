//! Runs of equal samples in rows, found a chunk at a time.

use wide::{u8x16, u32x4};

use crate::colours::Rgb;

/// The number of samples that are compared at a time, in lanes.
pub const CHUNK: usize = 16;

/// A number of samples.
pub trait Number: Copy + PartialEq {
    /// Returns the places at which some numbers and others are equal, a bit each.
    fn equal(some: &[Self; CHUNK], others: &[Self; CHUNK]) -> u32;
}

impl Number for u8 {
    fn equal(some: &[Self; CHUNK], others: &[Self; CHUNK]) -> u32 {
        u8x16::new(*some).simd_eq(u8x16::new(*others)).to_bitmask()
    }
}

impl Number for u32 {
    fn equal(some: &[Self; CHUNK], others: &[Self; CHUNK]) -> u32 {
        let [some, others] = [some, others].map(|values| values.as_chunks::<4>().0);
        let quarter = |k: usize| u32x4::new(some[k]).simd_eq(u32x4::new(others[k])).to_bitmask() << (4 * k);
        quarter(0) | quarter(1) | quarter(2) | quarter(3)
    }
}

/// The bits of all numbers of a chunk.
const ALL: u32 = (1 << CHUNK) - 1;

/// Returns where the run ends that begins at a column.
pub fn end<T: Number>(row: &[T], from: usize) -> usize {
    let (value, mut end) = (row[from], from);
    for chunk in row[from..].as_chunks::<CHUNK>().0 {
        let equal = T::equal(chunk, &[value; CHUNK]);
        if equal != ALL {
            return end + equal.trailing_ones() as usize;
        }
        end += CHUNK;
    }
    end + row[end..].iter().take_while(|&&sample| sample == value).count()
}

/// Returns where the run of a colour ends that begins at a column.
pub fn end_of_colour(row: &[Rgb], from: usize) -> usize {
    let channels = row[from..].as_flattened();
    let mut equal = 0;
    // Each channel has the value of the next colour's one.
    for (some, others) in channels.as_chunks().0.iter().zip(channels[3..].as_chunks().0) {
        let bits = u8::equal(some, others);
        equal += bits.trailing_ones() as usize;
        if bits != ALL {
            return from + equal / 3 + 1;
        }
    }
    equal += (equal..channels.len() - 3).take_while(|&k| channels[k] == channels[k + 3]).count();
    from + equal / 3 + 1
}

/// True if all samples in a few columns of two rows have one colour.
pub fn is_plain([upper, lower]: [&[Rgb; CHUNK]; 2]) -> bool {
    let [upper, lower] = [upper, lower].map(|row| row.as_flattened());
    let is_equal = |some: &[u8], others: &[u8]| {
        let chunks = some.as_chunks().0.iter().zip(others.as_chunks().0);
        chunks.fold(ALL, |all, (some, others)| all & u8::equal(some, others)) == ALL
    };
    let last = CHUNK * 3 - 3;
    is_equal(upper, lower)
        && is_equal(&upper[..last], &upper[3..])
        && upper[last - CHUNK..last] == upper[last - CHUNK + 3..]
}

/// Colours a run, a chunk at a time.
pub fn fill(run: &mut [Rgb], colour: Rgb) {
    let (chunks, rest) = run.as_chunks_mut::<CHUNK>();
    chunks.fill([colour; CHUNK]);
    rest.fill(colour);
}

/// Calls `found` with the columns at which a row differs from what is on the left or above.
pub fn changes<T: Number>([above, row]: [&[T]; 2], mut found: impl FnMut(usize)) {
    let Some((_, row_after)) = row.split_first() else { return };
    let whole = row_after.as_chunks::<CHUNK>().0.len() * CHUNK;
    let chunks = [&above[1..], row, row_after].map(|samples| samples[..whole].as_chunks::<CHUNK>().0);
    for (number, ((up, left), here)) in chunks[0].iter().zip(chunks[1]).zip(chunks[2]).enumerate() {
        let mut differing = ALL & !(T::equal(here, left) & T::equal(here, up));
        while differing != 0 {
            found(1 + number * CHUNK + differing.trailing_zeros() as usize);
            differing &= differing - 1;
        }
    }
    (whole + 1..row.len()).filter(|&x| row[x] != row[x - 1] || row[x] != above[x]).for_each(found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_changes_are_those_of_samples_one_by_one() {
        for width in [1, 2, 15, 16, 17, 33, 64, 100] {
            let row = |seed: usize| -> Vec<u8> {
                (0..width).map(|x| u8::from(x * seed % 23 > 18) + u8::from(x > 40)).collect()
            };
            for seed in 1..30 {
                let (above, row) = (row(seed + 1), row(seed));
                for from in 0..width {
                    let expected = (from..width).find(|&x| row[x] != row[from]).unwrap_or(width);
                    assert_eq!(end(&row, from), expected);
                    let colours: Vec<Rgb> = row.iter().map(|&sample| [sample % 2, 7, sample / 2]).collect();
                    assert_eq!(end_of_colour(&colours, from), expected);
                    let mut filled = colours.clone();
                    fill(&mut filled[from..], [9; 3]);
                    assert!((0..width).all(|x| filled[x] == if x < from { colours[x] } else { [9; 3] }));
                }
                let mut found = Vec::new();
                changes([&above, &row], |x| found.push(x));
                let differs = |&x: &usize| row[x] != row[x - 1] || row[x] != above[x];
                assert_eq!(found, (1..width).filter(differs).collect::<Vec<usize>>());
            }
        }
    }

    #[test]
    fn a_few_columns_are_plain_unless_one_channel_of_one_sample_differs() {
        let plain = [[3, 250, 0]; CHUNK];
        assert!(is_plain([&plain, &plain]));
        for (x, channel) in (0..CHUNK).flat_map(|x| [(x, 0), (x, 1), (x, 2)]) {
            let mut other = plain;
            other[x][channel] ^= 1;
            assert!(![[&plain, &other], [&other, &plain], [&other, &other]].into_iter().any(is_plain), "{x}");
        }
    }
}
