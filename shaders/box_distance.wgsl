// Opens a block of one tree: bounds the distances of its eight boxes from a box of the other tree. A box survives if its
// lower bound is within the limit of the query, which the upper bounds lower. Matches `distances` in
// `bvh/wide_obb/box_box`. One thread per item.

@group(0) @binding(0) var<uniform> settings: NearSettings;
@group(0) @binding(1) var<storage, read> home: array<u32>;
@group(0) @binding(2) var<storage, read> guest: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<Pair>;
@group(0) @binding(4) var<storage, read_write> items: array<NearItem>;
@group(0) @binding(5) var<storage, read_write> leaves: array<LeafItem>;
@group(0) @binding(6) var<storage, read_write> progress: Progress;
@group(0) @binding(7) var<storage, read_write> searches: array<Search>;

const GROUP = 64u;

var<workgroup> all: u32;
var<workgroup> boxes_here: atomic<u32>;
var<workgroup> leaves_here: atomic<u32>;
var<workgroup> tests_here: atomic<u32>;
var<workgroup> boxes_at: u32;
var<workgroup> leaves_at: u32;

// Result of opening an item: masks of lanes as those of `box_box`, and the bits of the lower bounds.
struct Opened {
    survivors: u32,
    leaf_pairs: u32,
    other_next: u32,
    tests: u32,
    at_least: array<u32, 8>,
}

@compute @workgroup_size(64)
fn box_distance(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    if thread == 0u {
        all = atomicLoad(&progress.opened);
    }
    let count = workgroupUniformLoad(&all);
    if workgroup.x == 0u && thread == 0u {
        atomicAdd(&progress.items, count);
    }
    for (var first = workgroup.x * GROUP; first < count; first += workgroups.x * GROUP) {
        var item: NearItem;
        var opened: Opened;
        if first + thread < count {
            item = items[2u * settings.capacity + first + thread];
            opened = open(item);
        }
        let boxes = countOneBits(opened.survivors & ~opened.leaf_pairs);
        var box_at = atomicAdd(&boxes_here, boxes);
        var leaf_at = atomicAdd(&leaves_here, countOneBits(opened.leaf_pairs));
        atomicAdd(&tests_here, opened.tests);
        workgroupBarrier();
        if thread == 0u {
            boxes_at = atomicAdd(&progress.next, atomicExchange(&boxes_here, 0u));
            leaves_at = atomicAdd(&progress.leaves, atomicExchange(&leaves_here, 0u));
            atomicAdd(&progress.box_tests, atomicExchange(&tests_here, 0u));
        }
        workgroupBarrier();
        box_at += boxes_at + (1u - atomicLoad(&progress.half)) * settings.capacity;
        leaf_at += leaves_at;
        write(item, opened, box_at, leaf_at);
        workgroupBarrier();
    }
}

fn open(item: NearItem) -> Opened {
    var opened: Opened;
    let p = item.pair & 0xffffu;
    let query = pairs[p].query;
    let side = select(0u, 1u, (item.block & GUEST_BIT) != 0u);
    let block = pairs[p].blocks[side] + (item.block & ~GUEST_BIT) * BLOCK;
    let other_block = pairs[p].blocks[1u - side] + (item.other >> 3u) * BLOCK;
    let other = box_of(1u - side, other_block + (item.other & 7u));
    let between = between_origins(p, select(other_block, block, side == 0u), select(block, other_block, side == 0u));
    let single = placed(p, side, other, between);
    let unit = select(1.0, pairs[p].ratio, side == 1u);
    let other_leaf = (other.child & LEAF_BIT) != 0u;
    let other_volume = volume(single.half);
    var at_most = 0xffffffffu;
    for (var i = 0u; i < 8u; i++) {
        let one = box_of(side, block + i);
        if one.child == NO_CHILD {
            continue;
        }
        opened.tests += 1u;
        let bounds = bounds_of_boxes(single, one) * unit;
        at_most = min(at_most, bitcast<u32>(bounds.y));
        let leaf = (one.child & LEAF_BIT) != 0u;
        let other_larger = other_volume > volume(one.half);
        opened.at_least[i] = bitcast<u32>(bounds.x);
        opened.survivors |= 1u << i;
        opened.leaf_pairs |= select(0u, 1u << i, leaf && other_leaf);
        opened.other_next |= select(0u, 1u << i, !other_leaf && (leaf || other_larger));
    }
    let limit = min(atomicMin(&searches[query].limit, at_most), at_most);
    for (var i = 0u; i < 8u; i++) {
        if opened.at_least[i] > limit {
            opened.survivors &= ~(1u << i);
        }
    }
    opened.leaf_pairs &= opened.survivors;
    return opened;
}

// Writes the survivors: pairs of leaves to the leaf buffer, and all others as new items.
fn write(item: NearItem, opened: Opened, first_box: u32, first_leaf: u32) {
    let p = item.pair & 0xffffu;
    let side = select(0u, 1u, (item.block & GUEST_BIT) != 0u);
    let index = item.block & ~GUEST_BIT;
    var box_at = first_box;
    var leaf_at = first_leaf;
    var bounds = opened.at_least;
    for (var left = opened.survivors; left != 0u; left &= left - 1u) {
        let lane = countTrailingZeros(left);
        let bit = 1u << lane;
        let child = word(side, pairs[p].blocks[side] + index * BLOCK + CHILD_AT + lane);
        let other_at = pairs[p].blocks[1u - side] + (item.other >> 3u) * BLOCK + CHILD_AT;
        let other_child = word(1u - side, other_at + (item.other & 7u));
        if (opened.leaf_pairs & bit) != 0u {
            leaves[leaf_at] = leaf_pair(p, side, child, other_child);
            leaf_at += 1u;
        } else {
            var next = child | select(0u, GUEST_BIT, side == 1u);
            var other = item.other;
            if (opened.other_next & bit) != 0u {
                next = other_child | select(GUEST_BIT, 0u, side == 1u);
                other = index * 8u + lane;
            }
            items[box_at] = NearItem(item.pair + 0x10000u, next, other, bounds[lane]);
            box_at += 1u;
        }
    }
}
