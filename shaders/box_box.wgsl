// Opens a block of one tree: tests its eight boxes against a box of the other tree along fifteen axes. Matches
// `hierarchy/obb8/box_box`, and `open` in `search/staged/stages.rs`. One thread per item.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> home: array<u32>;
@group(0) @binding(2) var<storage, read> guest: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<Pair>;
@group(0) @binding(4) var<storage, read_write> stack: array<BoxItem>;
@group(0) @binding(5) var<storage, read_write> leaves: array<LeafItem>;
@group(0) @binding(6) var<storage, read_write> queue: Queue;
@group(0) @binding(7) var<storage, read_write> done: array<atomic<u32>>;

const GROUP = 64u;

var<workgroup> slice: u32;
var<workgroup> boxes_here: atomic<u32>;
var<workgroup> leaves_here: atomic<u32>;
var<workgroup> tests_here: atomic<u32>;
var<workgroup> boxes_at: u32;
var<workgroup> leaves_at: u32;

// A box in the frame of the opened block.
struct Single {
    center: vec3<f32>,
    axes: array<vec3<f32>, 3>,
    half: vec3<f32>,
}

// Result of opening an item, as masks of lanes: the survivors; those where both boxes are leaves; those where the other
// box is opened next.
struct Opened {
    survivors: u32,
    leaf_pairs: u32,
    other_next: u32,
    tests: u32,
}

@compute @workgroup_size(64)
fn box_box(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    if thread == 0u {
        slice = atomicLoad(&queue.slice);
    }
    let count = workgroupUniformLoad(&slice);
    let begin = atomicLoad(&queue.slice_begin);
    for (var first = workgroup.x * GROUP; first < count; first += workgroups.x * GROUP) {
        var item: BoxItem;
        var opened: Opened;
        if first + thread < count {
            item = stack[begin + first + thread];
            opened = open(item);
        }
        let boxes = countOneBits(opened.survivors & ~opened.leaf_pairs);
        var box_at = atomicAdd(&boxes_here, boxes);
        var leaf_at = atomicAdd(&leaves_here, countOneBits(opened.leaf_pairs));
        atomicAdd(&tests_here, opened.tests);
        workgroupBarrier();
        if thread == 0u {
            boxes_at = atomicAdd(&queue.fresh, atomicExchange(&boxes_here, 0u));
            leaves_at = atomicAdd(&queue.leaves, atomicExchange(&leaves_here, 0u));
            atomicAdd(&queue.box_tests, atomicExchange(&tests_here, 0u));
        }
        workgroupBarrier();
        box_at += boxes_at + atomicLoad(&queue.fresh_begin);
        leaf_at += leaves_at;
        write(item, opened, box_at, leaf_at);
        workgroupBarrier();
    }
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

fn open(item: BoxItem) -> Opened {
    var opened: Opened;
    if atomicLoad(&done[item.pair]) != 0u {
        return opened;
    }
    let side = select(0u, 1u, (item.block & GUEST_BIT) != 0u);
    let block = pairs[item.pair].blocks[side] + (item.block & ~GUEST_BIT) * BLOCK;
    let other_block = pairs[item.pair].blocks[1u - side] + (item.other >> 3u) * BLOCK;
    let other = box_of(1u - side, other_block + (item.other & 7u));
    let between = between_origins(item.pair, select(other_block, block, side == 0u), select(block, other_block, side == 0u));
    let single = placed(item.pair, side, other, between);
    let other_leaf = (other.child & LEAF_BIT) != 0u;
    let other_volume = volume(single.half);
    for (var i = 0u; i < 8u; i++) {
        let one = box_of(side, block + i);
        if one.child == NO_CHILD {
            continue;
        }
        opened.tests += 1u;
        if apart(single, one) {
            continue;
        }
        let leaf = (one.child & LEAF_BIT) != 0u;
        let other_larger = other_volume > volume(one.half);
        opened.survivors |= 1u << i;
        opened.leaf_pairs |= select(0u, 1u << i, leaf && other_leaf);
        opened.other_next |= select(0u, 1u << i, !other_leaf && (leaf || other_larger));
    }
    return opened;
}

// Returns the volume of a box with a little added to its sides, so that the larger of two flat boxes still has more
// volume.
fn volume(half: vec3<f32>) -> f32 {
    let sides = half + vec3<f32>((half.x + half.y + half.z) * 0.015625);
    return sides.x * sides.y * sides.z;
}

fn row_of(p: u32, i: u32) -> Limbs {
    let x = pairs[p].turn[3u * i];
    let y = pairs[p].turn[3u * i + 1u];
    let z = pairs[p].turn[3u * i + 2u];
    return limbs(Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y))));
}

// Returns the vector from the origin of a home block to that of a guest block, in home units.
fn between_origins(p: u32, home_block: u32, guest_block: u32) -> vec3<f32> {
    let h = home_block + ORIGIN_AT;
    let g = guest_block + ORIGIN_AT;
    let home_origin = Fixed3(vec3<u32>(home[h], home[h + 2u], home[h + 4u]), vec3<i32>(vec3<u32>(home[h + 1u], home[h + 3u], home[h + 5u])));
    let guest_origin = Fixed3(vec3<u32>(guest[g], guest[g + 2u], guest[g + 4u]), vec3<i32>(vec3<u32>(guest[g + 1u], guest[g + 3u], guest[g + 5u])));
    let rows = array<Limbs, 3>(row_of(p, 0u), row_of(p, 1u), row_of(p, 2u));
    let turned = shifted_down(product(rows, guest_origin), pairs[p].exponent);
    let x = pairs[p].shift[0];
    let y = pairs[p].shift[1];
    let z = pairs[p].shift[2];
    let shift = Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y)));
    return as_floats(minus(plus(turned, shift), home_origin)) * 3.552713678800501e-15;
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

fn inner(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn outer(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return a.yzx * b.zxy - a.zxy * b.yzx;
}

fn along(single: Single, v: vec3<f32>) -> vec3<f32> {
    return fence(vec3<f32>(inner(single.axes[0], v), inner(single.axes[1], v), inner(single.axes[2], v)));
}

// Returns true only if an axis separates the single box from a box of the opened block.
fn apart(single: Single, other: Box) -> bool {
    let ha = single.half;
    let hb = other.half;
    let ta = along(single, other.center - single.center);
    let c0 = along(single, other.axes[0]);
    let c1 = along(single, other.axes[1]);
    let c2 = along(single, fence(outer(other.axes[0], other.axes[1])));
    let r0 = abs(c0) + vec3<f32>(PARALLEL);
    let r1 = abs(c1) + vec3<f32>(PARALLEL);
    let r2 = abs(c2) + vec3<f32>(PARALLEL);
    if any(abs(ta) > ha + hb.x * r0 + hb.y * r1 + hb.z * r2) {
        return true;
    }
    let tb = vec3<f32>(inner(ta, c0), inner(ta, c1), inner(ta, c2));
    if any(abs(tb) > hb + vec3<f32>(inner(ha, r0), inner(ha, r1), inner(ha, r2))) {
        return true;
    }
    if any(abs(outer(ta, c0)) > ha.yzx * r0.zxy + ha.zxy * r0.yzx + hb.y * r2 + hb.z * r1) {
        return true;
    }
    if any(abs(outer(ta, c1)) > ha.yzx * r1.zxy + ha.zxy * r1.yzx + hb.z * r0 + hb.x * r2) {
        return true;
    }
    return any(abs(outer(ta, c2)) > ha.yzx * r2.zxy + ha.zxy * r2.yzx + hb.x * r1 + hb.y * r0);
}

// Writes the survivors: pairs of leaves to the leaf buffer, and all others as new items to the stack.
fn write(item: BoxItem, opened: Opened, first_box: u32, first_leaf: u32) {
    let side = select(0u, 1u, (item.block & GUEST_BIT) != 0u);
    let index = item.block & ~GUEST_BIT;
    var box_at = first_box;
    var leaf_at = first_leaf;
    for (var left = opened.survivors; left != 0u; left &= left - 1u) {
        let lane = countTrailingZeros(left);
        let bit = 1u << lane;
        let child = word(side, pairs[item.pair].blocks[side] + index * BLOCK + CHILD_AT + lane);
        let other_at = pairs[item.pair].blocks[1u - side] + (item.other >> 3u) * BLOCK + CHILD_AT;
        let other_child = word(1u - side, other_at + (item.other & 7u));
        if (opened.leaf_pairs & bit) != 0u {
            let mine = child & (TWO_BIT - 1u);
            let others = other_child & (TWO_BIT - 1u);
            let two = ((child & TWO_BIT) >> 30u) << side | ((other_child & TWO_BIT) >> 30u) << (1u - side);
            leaves[leaf_at] = LeafItem(item.pair, array<u32, 2>(select(mine, others, side == 1u), select(others, mine, side == 1u)), two);
            leaf_at += 1u;
        } else {
            if (opened.other_next & bit) != 0u {
                let next = other_child | select(GUEST_BIT, 0u, side == 1u);
                stack[box_at] = BoxItem(item.pair, next, index * 8u + lane, 0u);
            } else {
                stack[box_at] = BoxItem(item.pair, child | select(0u, GUEST_BIT, side == 1u), item.other, 0u);
            }
            box_at += 1u;
        }
    }
}
