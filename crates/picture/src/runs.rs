//! Runs of equal samples in rows, found a chunk at a time.

/// The number of samples that are compared at a time, in lanes.
const CHUNK: usize = 16;

/// Returns where the run ends that begins at a column.
pub fn end<T: Copy + PartialEq>(row: &[T], from: usize) -> usize {
    let value = row[from];
    let chunks = row[from..].as_chunks::<CHUNK>().0;
    let is_whole = |chunk: &&[T; CHUNK]| chunk.iter().fold(true, |all, &sample| all & (sample == value));
    let whole = from + CHUNK * chunks.iter().take_while(is_whole).count();
    whole + row[whole..].iter().take_while(|&&sample| sample == value).count()
}

/// Calls `found` with the columns at which a row differs from what is on the left or above.
pub fn changes<T: Copy + PartialEq>([above, row]: [&[T]; 2], mut found: impl FnMut(usize)) {
    let Some((_, row_after)) = row.split_first() else { return };
    let whole = row_after.as_chunks::<CHUNK>().0.len() * CHUNK;
    let chunks = [&above[1..], row, row_after].map(|samples| samples[..whole].as_chunks::<CHUNK>().0);
    for (number, ((up, left), here)) in chunks[0].iter().zip(chunks[1]).zip(chunks[2]).enumerate() {
        let differs = |k: usize| (here[k] != left[k]) | (here[k] != up[k]);
        if (0..CHUNK).fold(false, |any, k| any | differs(k)) {
            (0..CHUNK).filter(|&k| differs(k)).for_each(|k| found(1 + number * CHUNK + k));
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
                }
                let mut found = Vec::new();
                changes([&above, &row], |x| found.push(x));
                let differs = |&x: &usize| row[x] != row[x - 1] || row[x] != above[x];
                assert_eq!(found, (1..width).filter(differs).collect::<Vec<usize>>());
            }
        }
    }
}
