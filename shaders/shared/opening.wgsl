// The work of a round on the queue's slice of items: opens each and appends the survivors. Shaders that use this declare
// `home`, `guest`, `pairs`, `stack`, `leaves` and `queue`, and the function `open`, which tests one item.

const GROUP = 64u;

var<workgroup> slice: u32;
var<workgroup> boxes_here: atomic<u32>;
var<workgroup> leaves_here: atomic<u32>;
var<workgroup> tests_here: atomic<u32>;
var<workgroup> boxes_at: u32;
var<workgroup> leaves_at: u32;

// Result of opening an item, as masks of lanes: the survivors; those where both boxes are leaves; those where the other
// box is opened next.
struct Opened {
    survivors: u32,
    leaf_pairs: u32,
    other_next: u32,
    tests: u32,
}

// Opens the items of a slice. The arguments are those of the entry point.
fn open_slice(thread: u32, workgroup: vec3<u32>, workgroups: vec3<u32>) {
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
            leaves[leaf_at] = leaf_pair(item.pair, side, child, other_child);
            leaf_at += 1u;
        } else {
            if (opened.other_next & bit) != 0u {
                let next = other_child | select(GUEST_BIT, 0u, side == 1u);
                stack[box_at] = BoxItem(item.pair, next, index * 8u + lane);
            } else {
                stack[box_at] = BoxItem(item.pair, child | select(0u, GUEST_BIT, side == 1u), item.other);
            }
            box_at += 1u;
        }
    }
}
