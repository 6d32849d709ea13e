// Keeps the recorded leaf pairs of stretches that are given up for their fronts, after the tests of their features. The
// features of all other records were proven apart, which their stretches note. One thread per record.

@group(0) @binding(0) var<storage, read> pairs: array<Pair>;
@group(0) @binding(1) var<storage, read> records: array<Record>;
@group(0) @binding(2) var<storage, read_write> leaves: array<LeafItem>;
@group(0) @binding(3) var<storage, read_write> queue: Queue;
@group(0) @binding(4) var<storage, read_write> done: array<atomic<u32>>;

@compute @workgroup_size(64)
fn keep_records(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = atomicLoad(&queue.records);
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let record = records[i];
        if is_given_up(atomicLoad(&done[record.pair])) {
            keep_leaves(LeafItem(record.pair, record.first, record.found & 3u));
        } else {
            atomicOr(&done[record.pair], BY_FEATURES);
        }
    }
}
