// Data structures shared by the CPU and the kernels. `bvh/wide_obb/on_device/columns.rs` has the same structs; a test
// compares them. All trees lie in arenas, which are arrays of words:
//
// Block, 112 words: centre x y z of eight boxes, first axis x y z, second axis x y z, half extents x y z, children;
// then the origin in fixed point, x y z of two words each, and two words of padding. Corners: three words per triangle.
// Vertices: x y z as doubles in the mesh's own frame, two words each, the low one first.

const BLOCK = 112u;
const CENTER_AT = 0u;
const AXES_AT = 24u;
const HALF_AT = 72u;
const CHILD_AT = 96u;
const ORIGIN_AT = 104u;

const NO_CHILD = 0xffffffffu;
const LEAF_BIT = 0x80000000u;
const TWO_BIT = 0x40000000u;
// Flag in an item's block: the block belongs to the guest.
const GUEST_BIT = 0x80000000u;

// A pair of trees. The home tree is the larger one, and the pair uses its normal coordinates. The guest is placed in
// them.
struct Pair {
    // Rows of the guest's linear part times 2^exponent, in fixed point with 48 fractional bits.
    turn: array<vec2<u32>, 9>,
    // Position of the guest's origin, in fixed point.
    shift: array<vec2<u32>, 3>,
    // Centres of the normal coordinates, home first, in fixed point modulo 2^64.
    centers: array<vec2<u32>, 6>,
    // Poses, home first: rows of four doubles.
    poses: array<vec2<u32>, 24>,
    // Rotation of the guest, by columns.
    rotation: array<f32, 9>,
    // Home units per guest unit, and guest units per home unit.
    ratio: f32,
    inverse_ratio: f32,
    // Bound of the error of a vertex position, in home units and in guest units.
    margin: array<f32, 2>,
    // Bound of the error of a triangle corner, in steps of 2^-48.
    blur: f32,
    exponent: u32,
    // Exponents of two that bring vertices into fixed point, home first.
    scalings: array<i32, 2>,
    // Offsets in the arenas of the home tree's and the guest's parts, in words.
    blocks: array<u32, 2>,
    corners: array<u32, 2>,
    vertices: array<u32, 2>,
    // 1 if the search may stop at the first contact.
    any: u32,
    // Index of the search for a distance that the pair is a part of.
    query: u32,
    // 0 at run time, unknown to the compiler.
    zero: u32,
}

// The eight boxes of a block (with GUEST_BIT, the guest's), to be tested against one box of the other tree.
struct BoxItem {
    pair: u32,
    block: u32,
    // Eight times the other box's block, plus its lane.
    other: u32,
}

// A pair of leaves, one of each tree. `two`: bit 0 is set if the home leaf has two triangles, bit 1 if the guest leaf
// has.
struct LeafItem {
    pair: u32,
    first: array<u32, 2>,
    two: u32,
}

// A leaf pair with at least one triangle pair that is in contact or undecided. Bits of `found`: 0 to 1 as `two`, 8 to 11
// in contact, 12 to 15 undecided. Lane 2 i + j is triangle i of the home leaf and triangle j of the guest leaf.
struct Record {
    pair: u32,
    first: array<u32, 2>,
    found: u32,
}

struct Settings {
    // Capacity of the stack in items, and items kept free for a depth-first search of the deepest pair.
    stack: u32,
    reserve: u32,
    leaves: u32,
    records: u32,
    // Largest number of items that one round opens.
    round: u32,
    // 0 at run time, unknown to the compiler.
    zero: u32,
}

const SEGMENTS = 512u;

// The queue. Counts are read as atomics because plain loads returned stale values after another dispatch had written
// them.
struct Queue {
    // The items that this round opens, and the place for their survivors.
    slice_begin: atomic<u32>,
    slice: atomic<u32>,
    fresh_begin: atomic<u32>,
    fresh: atomic<u32>,
    // Waiting leaf pairs, leaf pairs that this round tests, and records.
    leaves: atomic<u32>,
    drain: atomic<u32>,
    records: atomic<u32>,
    // Number of stack segments.
    segments: atomic<u32>,
    // Counts of the work done.
    rounds: atomic<u32>,
    items: atomic<u32>,
    box_tests: atomic<u32>,
    triangle_tests: atomic<u32>,
    posed_tests: atomic<u32>,
    // The next question that a group takes, the number of questions that groups have answered, and their steps.
    next: atomic<u32>,
    finished: atomic<u32>,
    box_steps: atomic<u32>,
    leaf_steps: atomic<u32>,
    begins: array<u32, SEGMENTS>,
    ends: array<atomic<u32>, SEGMENTS>,
}
