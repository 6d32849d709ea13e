// Data structures of the search for distances. `bvh/wide_obb/on_device/columns.rs` has the same structs; a test compares
// them. Lengths are in home units.

// A block and a box of the other tree, as in `BoxItem`, with a lower bound of their distance.
struct NearItem {
    // Index of the pair, plus 2^16 times the number of boxes opened on the way here.
    pair: u32,
    block: u32,
    other: u32,
    // Bits of the lower bound. Numbers of 0 or more are in the order of their bits.
    at_least: u32,
}

// A leaf pair with triangles that may be the closest. Bits of `pair`: 0 to 15 its index, 16 to 17 as `LeafItem::two`, 24 to
// 27 the lanes.
struct NearRecord {
    pair: u32,
    first: array<u32, 2>,
    at_least: u32,
}

// The progress of one query: the smallest distance of two trees.
struct Search {
    // Bits of an upper bound of the distance.
    limit: atomic<u32>,
    // The limit one round before.
    last: u32,
    // Number of items that a round may open.
    share: u32,
    // The items of lower bins are opened in this round, and `partial` items of this bin; `taken` counts them.
    bin: u32,
    partial: u32,
    taken: atomic<u32>,
}

struct NearSettings {
    // Capacity of each half of the items, and places kept free for a depth-first search of the deepest pair.
    capacity: u32,
    reserve: u32,
    leaves: u32,
    records: u32,
    // Largest number of items that one round opens. They are copied to the end of the items.
    round: u32,
    queries: u32,
    // 0 at run time, unknown to the compiler.
    zero: u32,
}

// State and counters of a batch, read as atomics as those of `Queue`.
struct Progress {
    // Number of waiting items, the half of the items that holds them, and the number of items for the next round.
    waiting: atomic<u32>,
    half: atomic<u32>,
    next: atomic<u32>,
    // Number of items opened in this round, and how many it may open.
    opened: atomic<u32>,
    allowance: atomic<u32>,
    // 1 if the deepest items of all queries are opened, for lack of room; otherwise 0.
    crowded: atomic<u32>,
    // Number of queries with items, for this round and counted for the next.
    busy: atomic<u32>,
    still_busy: atomic<u32>,
    // Leaf pairs of this round, records, and 1 once the first round has begun.
    leaves: atomic<u32>,
    records: atomic<u32>,
    begun: atomic<u32>,
    // Counts of the work done.
    rounds: atomic<u32>,
    items: atomic<u32>,
    box_tests: atomic<u32>,
    triangle_tests: atomic<u32>,
}

const BINS = 256u;

// Returns the bin of an item: the nearest items have the lowest bins, and of those with a lower bound of 0 the deepest.
// If there is little room, the deepest items have the lowest bins.
fn bin_of(item: NearItem, limit: u32, crowded: bool) -> u32 {
    let level = item.pair >> 16u;
    if crowded {
        return BINS - 1u - min(level, BINS - 1u);
    }
    if item.at_least < 0x00800000u {
        return 63u - min(level, 63u);
    }
    // Eight bins for each factor of two.
    return BINS - 1u - min((limit - item.at_least) >> 20u, 191u);
}
