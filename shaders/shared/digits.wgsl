// Records to be sorted, and the digit by which one pass of the radix sort orders them. A tile is as many records as a
// workgroup has threads. `gpu/sort.rs` has the same struct; a test compares them.

const TILE = 256u;
const DIGITS = 256u;

struct Digit {
    // Number of records.
    count: u32,
    // Number of tiles.
    tiles: u32,
    // The word of a record that holds the digit, and the place of its lowest bit.
    word: u32,
    shift: u32,
}

fn digit_of(record: vec4<u32>) -> u32 {
    return (record[digit.word] >> digit.shift) & (DIGITS - 1u);
}
