// Columns that the CPU and the kernels share. `hierarchy/obb8/on_device/columns.rs` has the same structs; a test compares
// them. All trees lie in arenas, which are words:
//
// block, 112 words: center x y z of eight boxes, first axis x y z, second axis x y z, half extents x y z, children; then
// the origin in fixed point, x y z of two words each, and two words of padding. Corners: three words per triangle.
// Vertices: x y z in fixed point, two words each, the low one first.

const BLOCK = 112u;
const CENTER_AT = 0u;
const AXES_AT = 24u;
const HALF_AT = 72u;
const CHILD_AT = 96u;
const ORIGIN_AT = 104u;

const NO_CHILD = 0xffffffffu;
const LEAF_BIT = 0x80000000u;
const TWO_BIT = 0x40000000u;
// Of an item's block: it is the guest's.
const GUEST_BIT = 0x80000000u;

// Two trees. The home tree is the larger one; its normal coordinates are those of the pair. The guest is placed in them.
struct Pair {
    // Rows of the guest's linear part, in fixed point of 48 bits, times 2^-exponent.
    turn: array<vec2<u32>, 9>,
    // Where the guest's origin is, in fixed point.
    shift: array<vec2<u32>, 3>,
    // The rotation, by columns.
    rotation: array<f32, 9>,
    // A guest's length of 1 in home units, and the reverse.
    ratio: f32,
    inverse_ratio: f32,
    // How far vertices may be from their places, in home units and in the guest's.
    margin: array<f32, 2>,
    // The same for corners of triangles, in steps of 2^-48.
    blur: f32,
    exponent: u32,
    // Where in the arenas the home tree and the guest have their parts, in words.
    blocks: array<u32, 2>,
    corners: array<u32, 2>,
    vertices: array<u32, 2>,
    // One contact is enough.
    any: u32,
    padding: array<u32, 2>,
}

// The eight boxes of a block (with GUEST_BIT, of the guest), to be tested against a box of the other tree.
struct BoxItem {
    pair: u32,
    block: u32,
    // Eight times its block, plus its lane.
    other: u32,
    unused: u32,
}

// A leaf of each tree. Bit 0 of `two` is set where the home tree's has two triangles, bit 1 where the guest's has.
struct LeafItem {
    pair: u32,
    first: array<u32, 2>,
    two: u32,
}

// A leaf pair with triangles that meet, or may. Bits of `found`: 0 to 1 as `two`, 8 to 11 meets, 12 to 15 unsure; lane 2 i
// + j is triangle i of the home leaf and j of the guest's.
struct Record {
    pair: u32,
    first: array<u32, 2>,
    found: u32,
}

struct Settings {
    // Items that the stack holds, and those that are kept free for a depth-first search of the deepest pair.
    stack: u32,
    reserve: u32,
    leaves: u32,
    records: u32,
    // Most items of a round.
    round: u32,
    // 0, which no compiler knows.
    zero: u32,
}

const SEGMENTS = 512u;

// The queue. Counts are read as atomics: plain loads of what another dispatch wrote were seen to be stale.
struct Queue {
    // The items that this round opens, and where their survivors go.
    slice_begin: atomic<u32>,
    slice: atomic<u32>,
    fresh_begin: atomic<u32>,
    fresh: atomic<u32>,
    // Leaf pairs that wait, those that this round tests, and records.
    leaves: atomic<u32>,
    drain: atomic<u32>,
    records: atomic<u32>,
    // Segments of the stack.
    segments: atomic<u32>,
    // What was done.
    rounds: atomic<u32>,
    items: atomic<u32>,
    box_tests: atomic<u32>,
    triangle_tests: atomic<u32>,
    begins: array<u32, SEGMENTS>,
    ends: array<u32, SEGMENTS>,
}
