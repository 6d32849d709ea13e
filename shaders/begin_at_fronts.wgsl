// Takes up the fronts of stretches that were given up: gives each item to both halves. Items at which a search ended form
// the newest segment of the stack and are opened first, so a half whose search ends there as well keeps the others unopened.
// Before a block is opened, the box around it is tested over the half. One thread per item.

// The room that holds the fronts: boxes in the stack's buffer, and leaf pairs in theirs.
struct KeptFronts {
    boxes: u32,
    boxes_end: u32,
    leaves: u32,
    leaves_end: u32,
}

@group(0) @binding(0) var<uniform> fronts: KeptFronts;
// For each stretch that was searched, the pairs that are its halves, with SWAPPED if home and guest have changed places, or
// NO_HALF.
@group(0) @binding(1) var<storage, read> halves: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> stack: array<BoxItem>;
@group(0) @binding(3) var<storage, read_write> leaves: array<LeafItem>;
@group(0) @binding(4) var<storage, read_write> queue: Queue;

const NO_HALF = 0xffffffffu;
const SWAPPED = 0x80000000u;

@compute @workgroup_size(64)
fn begin_at_fronts(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let threads = workgroups.x * 64u;
    for (var i = fronts.boxes + thread.x; i < fronts.boxes_end; i += threads) {
        let item = stack[i];
        let segment = select(0u, 1u, (item.block & ENDED_BIT) != 0u);
        for (var k = 0u; k < 2u; k++) {
            let half = halves[item.pair][k];
            if half != NO_HALF {
                let at = atomicAdd(&queue.ends[segment], 1u);
                let block = (item.block & ~ENDED_BIT) ^ select(0u, GUEST_BIT, (half & SWAPPED) != 0u);
                stack[at] = BoxItem(half & ~SWAPPED, block, item.other, item.around | AGAIN_BIT);
            }
        }
    }
    for (var i = fronts.leaves + thread.x; i < fronts.leaves_end; i += threads) {
        let item = leaves[i];
        for (var k = 0u; k < 2u; k++) {
            let half = halves[item.pair][k];
            if half != NO_HALF {
                var mine = LeafItem(half & ~SWAPPED, item.first, item.two);
                if (half & SWAPPED) != 0u {
                    mine.first = array<u32, 2>(item.first[1], item.first[0]);
                    mine.two = item.two >> 1u | (item.two & 1u) << 1u;
                }
                leaves[atomicAdd(&queue.leaves, 1u)] = mine;
            }
        }
    }
}
