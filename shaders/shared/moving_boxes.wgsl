// Boxes of two trees that move past each other over a part of a stretch of time. Shaders that use this declare the struct
// `Passing`, which is a box of one tree, the single box, with its motion past the boxes of a block of the other tree.

// Boxes that move by more than SUBDIVISION of their extents are not opened. FLAT is the smallest extent that counts, as a
// fraction of the boxes' sizes. No proof depends on these two.
const SUBDIVISION = 0.2;
const FLAT = 0.05;

// What a test of two boxes tells: that they stay apart; that they are to be opened; that time is to be halved, since they move
// far for their extents; or that this does not help, because of turns and accelerations over the whole stretch.
const APART = 0u;
const NEAR = 1u;
const LONG = 2u;
const ENDS = 3u;

// Returns the origin of a block.
fn origin_of(side: u32, block: u32) -> vec3<f32> {
    let at = block + ORIGIN_AT;
    let lo = vec3<u32>(word(side, at), word(side, at + 2u), word(side, at + 4u));
    let hi = vec3<u32>(word(side, at + 1u), word(side, at + 3u), word(side, at + 5u));
    return as_floats(Fixed3(lo, vec3<i32>(hi))) * 3.552713678800501e-15;
}

// Returns half the path of a moving point at the single box's centre, in the frame of a block of `side` at `origin`.
fn way_past(p: u32, side: u32, single: Single, origin: vec3<f32>) -> vec3<f32> {
    return fence(way_of(p, side) + outer(turn_of(p, side), single.center + origin));
}

// Returns the lengths with which errors of a turn go: those of the single box and of the places of `other`, from which it
// was made.
fn reach_of(p: u32, side: u32, single: Single, origin: vec3<f32>, other: Box) -> f32 {
    let ratio = select(pairs[p].ratio, pairs[p].inverse_ratio, side == 1u);
    return size(single.half) + size(single.center) + size(origin) + size(other.center) * ratio;
}

// Returns true only if one of the products of the single box's axes and an axis of the other one separates the two. `between`
// has the differences of their centres along these products.
fn edges_apart(between: vec3<f32>, ha: vec3<f32>, r: vec3<f32>, of_block: vec3<f32>, moved: vec3<f32>, added: f32) -> bool {
    let radius = fence(ha.yzx * r.zxy + ha.zxy * r.yzx + of_block);
    return any(abs(between) > radius + (moved + vec3<f32>(added)));
}
