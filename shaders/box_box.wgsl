// Opens a block of one tree: tests its eight boxes against a box of the other tree along fifteen axes. Matches
// `bvh/wide_obb/box_box`, and `open` in `search/staged/stages.rs`. One thread per item.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> home: array<u32>;
@group(0) @binding(2) var<storage, read> guest: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<Pair>;
@group(0) @binding(4) var<storage, read_write> stack: array<BoxItem>;
@group(0) @binding(5) var<storage, read_write> leaves: array<LeafItem>;
@group(0) @binding(6) var<storage, read_write> queue: Queue;
@group(0) @binding(7) var<storage, read_write> done: array<atomic<u32>>;

@compute @workgroup_size(64)
fn box_box(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    open_slice(thread, workgroup, workgroups);
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
