// Opens a block of one tree over a stretch of time: tests its eight boxes against a box of the other tree, the single box.
// Shaders that use this declare the struct `Passing`, and the functions `passing_of`, which adds the motion to the single box,
// and `told`, which tests it against a box of the block.
//
// A pair is one pair of trees over one stretch. It is done as soon as something may come within the limit: boxes that are
// not to be opened before time is halved, or triangles (`moving_triangles`). What was not opened by then is its front.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> home: array<u32>;
@group(0) @binding(2) var<storage, read> guest: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<Pair>;
@group(0) @binding(4) var<storage, read> motions: array<Motion>;
@group(0) @binding(5) var<storage, read_write> stack: array<BoxItem>;
@group(0) @binding(6) var<storage, read_write> leaves: array<LeafItem>;
@group(0) @binding(7) var<storage, read_write> queue: Queue;
@group(0) @binding(8) var<storage, read_write> done: array<atomic<u32>>;

// Boxes that move by more than SUBDIVISION of their extents are not opened. FLAT is the smallest extent that counts, as a
// fraction of the boxes' sizes. No proof depends on these two.
const SUBDIVISION = 0.2;
const FLAT = 0.05;

const APART = 0u;
const NEAR = 1u;
const LONG = 2u;

fn open(item: BoxItem) -> Opened {
    var opened: Opened;
    let p = item.pair;
    if is_given_up(atomicLoad(&done[p])) {
        keep(item, 0u);
        return opened;
    }
    let side = select(0u, 1u, (item.block & GUEST_BIT) != 0u);
    let block = pairs[p].blocks[side] + (item.block & ~GUEST_BIT) * BLOCK;
    let other_block = pairs[p].blocks[1u - side] + (item.other >> 3u) * BLOCK;
    let other = box_of(1u - side, other_block + (item.other & 7u));
    if (item.around & AGAIN_BIT) != 0u {
        let around = pairs[p].blocks[side] + ((item.around & ~AGAIN_BIT) >> 3u) * BLOCK;
        opened.tests = 1u;
        let found = told(seen_from(p, side, around, other_block, other), box_of(side, around + (item.around & 7u)), false);
        if found == LONG {
            keep(item, ENDED_BIT);
        }
        if found != NEAR {
            return opened;
        }
    }
    let passing = seen_from(p, side, block, other_block, other);
    let other_leaf = passing.is_leaf;
    let other_volume = volume(passing.single.half);
    for (var i = 0u; i < 8u; i++) {
        let one = box_of(side, block + i);
        if one.child == NO_CHILD {
            continue;
        }
        opened.tests += 1u;
        let leaf = (one.child & LEAF_BIT) != 0u;
        let found = told(passing, one, leaf);
        if found == APART {
            continue;
        }
        if found == LONG {
            keep(item, ENDED_BIT);
            opened.survivors = 0u;
            opened.leaf_pairs = 0u;
            return opened;
        }
        let other_larger = other_volume > volume(one.half);
        opened.survivors |= 1u << i;
        opened.leaf_pairs |= select(0u, 1u << i, leaf && other_leaf);
        opened.other_next |= select(0u, 1u << i, !other_leaf && (leaf || other_larger));
    }
    return opened;
}

// Returns a box of a block of the other tree, as seen from a block of `side`.
fn seen_from(p: u32, side: u32, block: u32, other_block: u32, other: Box) -> Passing {
    let between = between_origins(p, select(other_block, block, side == 0u), select(block, other_block, side == 0u));
    return passing_of(p, side, placed(p, side, other, between), origin_of(side, block), other);
}

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

// Returns true only if one of the products of the single box's axes and an axis of the other one separates the two.
fn edges_apart(ta: vec3<f32>, c: vec3<f32>, ha: vec3<f32>, r: vec3<f32>, of_block: vec3<f32>, moved: vec3<f32>, added: f32) -> bool {
    let radius = fence(ha.yzx * r.zxy + ha.zxy * r.yzx + of_block);
    return any(abs(outer(ta, c)) > radius + (moved + vec3<f32>(added)));
}
