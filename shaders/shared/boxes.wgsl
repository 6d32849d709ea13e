// Boxes: loaded from their tree's arena, and placed in the frame of an opened block of the other tree. Shaders that use
// this declare `settings`, `home`, `guest` and `pairs`.

// A box in the frame of the opened block.
struct Single {
    center: vec3<f32>,
    axes: array<vec3<f32>, 3>,
    half: vec3<f32>,
}

// A box as stored in its tree's arena, relative to its block's origin.
struct Box {
    center: vec3<f32>,
    axes: array<vec3<f32>, 2>,
    half: vec3<f32>,
    child: u32,
}

// Returns a word of the arena of the home tree (0) or the guest (1).
fn word(side: u32, at: u32) -> u32 {
    if side == 0u {
        return home[at];
    }
    return guest[at];
}

fn home_column(at: u32) -> vec3<f32> {
    return bitcast<vec3<f32>>(vec3<u32>(home[at], home[at + 8u], home[at + 16u]));
}

fn guest_column(at: u32) -> vec3<f32> {
    return bitcast<vec3<f32>>(vec3<u32>(guest[at], guest[at + 8u], guest[at + 16u]));
}

// Loads the box of a lane. `at` is the offset of its block plus the lane. One branch per box and none per word:
// SwiftShader compiled a branch per word for more than five minutes.
fn box_of(side: u32, at: u32) -> Box {
    var found: Box;
    if side == 0u {
        found.center = home_column(at + CENTER_AT);
        found.axes[0] = home_column(at + AXES_AT);
        found.axes[1] = home_column(at + AXES_AT + 24u);
        found.half = home_column(at + HALF_AT);
        found.child = home[at + CHILD_AT];
    } else {
        found.center = guest_column(at + CENTER_AT);
        found.axes[0] = guest_column(at + AXES_AT);
        found.axes[1] = guest_column(at + AXES_AT + 24u);
        found.half = guest_column(at + HALF_AT);
        found.child = guest[at + CHILD_AT];
    }
    return found;
}

// Ends an expression: no compiler moves an operation across the fence.
fn fence(x: vec3<f32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(x) ^ vec3<u32>(settings.zero));
}

// Returns the volume of a box with a little added to its sides, so that the larger of two flat boxes still has more
// volume.
fn volume(half: vec3<f32>) -> f32 {
    let sides = half + vec3<f32>((half.x + half.y + half.z) * 0.015625);
    return sides.x * sides.y * sides.z;
}

// Returns the vector from the origin of a home block to that of a guest block, in home units.
fn between_origins(p: u32, home_block: u32, guest_block: u32) -> vec3<f32> {
    let h = home_block + ORIGIN_AT;
    let g = guest_block + ORIGIN_AT;
    let home_origin = Fixed3(vec3<u32>(home[h], home[h + 2u], home[h + 4u]), vec3<i32>(vec3<u32>(home[h + 1u], home[h + 3u], home[h + 5u])));
    let guest_origin = Fixed3(vec3<u32>(guest[g], guest[g + 2u], guest[g + 4u]), vec3<i32>(vec3<u32>(guest[g + 1u], guest[g + 3u], guest[g + 5u])));
    return as_floats(minus(in_home(p, guest_origin), home_origin)) * 3.552713678800501e-15;
}

// Returns a box of the other tree in the frame of a block of `side`. `between` leads from the home block's origin to
// the guest block's.
fn placed(p: u32, side: u32, other: Box, between: vec3<f32>) -> Single {
    let r0 = vec3<f32>(pairs[p].rotation[0], pairs[p].rotation[1], pairs[p].rotation[2]);
    let r1 = vec3<f32>(pairs[p].rotation[3], pairs[p].rotation[4], pairs[p].rotation[5]);
    let r2 = vec3<f32>(pairs[p].rotation[6], pairs[p].rotation[7], pairs[p].rotation[8]);
    var single: Single;
    if side == 0u {
        let ratio = pairs[p].ratio;
        let c = other.center;
        let v = other.axes;
        single.center = between + fence((r0 * c.x + r1 * c.y + r2 * c.z) * ratio);
        single.axes[0] = fence(r0 * v[0].x + r1 * v[0].y + r2 * v[0].z);
        single.axes[1] = fence(r0 * v[1].x + r1 * v[1].y + r2 * v[1].z);
        single.half = other.half * ratio + vec3<f32>(pairs[p].margin[0]);
    } else {
        let ratio = pairs[p].inverse_ratio;
        let c = fence(other.center - between);
        let v = other.axes;
        single.center = vec3<f32>(inner(r0, c), inner(r1, c), inner(r2, c)) * ratio;
        single.axes[0] = fence(vec3<f32>(inner(r0, v[0]), inner(r1, v[0]), inner(r2, v[0])));
        single.axes[1] = fence(vec3<f32>(inner(r0, v[1]), inner(r1, v[1]), inner(r2, v[1])));
        single.half = other.half * ratio + vec3<f32>(pairs[p].margin[1]);
    }
    single.center = fence(single.center);
    single.axes[2] = fence(outer(single.axes[0], single.axes[1]));
    single.half = fence(single.half);
    return single;
}

fn along(single: Single, v: vec3<f32>) -> vec3<f32> {
    return fence(vec3<f32>(inner(single.axes[0], v), inner(single.axes[1], v), inner(single.axes[2], v)));
}

// Returns the item for two leaves: a child of an opened block of `side`, and one of the other tree.
fn leaf_pair(p: u32, side: u32, child: u32, other_child: u32) -> LeafItem {
    let mine = child & (TWO_BIT - 1u);
    let others = other_child & (TWO_BIT - 1u);
    let two = ((child & TWO_BIT) >> 30u) << side | ((other_child & TWO_BIT) >> 30u) << (1u - side);
    return LeafItem(p, array<u32, 2>(select(mine, others, side == 1u), select(others, mine, side == 1u)), two);
}
