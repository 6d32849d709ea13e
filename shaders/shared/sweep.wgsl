// Boxes sorted for a sweep along one axis. The coordinates are integers in the order of those of the boxes, so all tests are
// exact on every device. `broad/on_device/columns.rs` has the same structs; a test compares them.

// Number of tests by one thread.
const CHUNK = 32u;

// A box in a strip: its ends, that along the axis to sweep first.
struct Ends {
    lo: vec3<u32>,
    // Twice the number of the strip, plus 1 if the box begins in it.
    strip: u32,
    hi: vec3<u32>,
    id: u32,
}

struct SweepSettings {
    // The first box that sweeps, the number of boxes that do, and the number of boxes in the page over which they sweep.
    first: u32,
    rows: u32,
    others: u32,
    // 1 if that is their own page.
    own: u32,
    // Range of the lower ids of the pairs that are wanted.
    lower_begin: u32,
    lower_end: u32,
    // Capacity of the buffer of pairs.
    pairs: u32,
    // Largest number of chunks that one round tests.
    round: u32,
}

// Counts are read as atomics because plain loads returned stale values after another dispatch had written them.
struct Sweep {
    // Number of chunks.
    chunks: atomic<u32>,
    // The chunks of this round.
    begin: atomic<u32>,
    slice: atomic<u32>,
    found: atomic<u32>,
    tests: atomic<u32>,
}

// Returns the first box that comes after the one of a row.
fn first_other(settings: SweepSettings, row: u32) -> u32 {
    return select(0u, settings.first + row + 1u, settings.own == 1u);
}

// Returns true if a box in the same strip enters before the other one leaves. In sorted order, this holds for the first
// boxes after the one that leaves, and for none behind them.
fn enters_before(enters: Ends, leaves: Ends) -> bool {
    return (enters.strip >> 1u) == (leaves.strip >> 1u) && enters.lo.x <= leaves.hi.x;
}
