// Counts the waiting items of each query by bin. One thread per item.

@group(0) @binding(0) var<uniform> settings: NearSettings;
@group(0) @binding(1) var<storage, read> items: array<NearItem>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read_write> searches: array<Search>;
@group(0) @binding(4) var<storage, read_write> histogram: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> progress: Progress;

@compute @workgroup_size(64)
fn rank(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = atomicLoad(&progress.waiting);
    let begin = atomicLoad(&progress.half) * settings.capacity;
    let crowded = atomicLoad(&progress.crowded) != 0u;
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let item = items[begin + i];
        let query = pairs[item.pair & 0xffffu].query;
        let limit = atomicLoad(&searches[query].limit);
        if item.at_least <= limit {
            // The last row counts the items of all queries.
            let row = select(query, settings.queries, crowded);
            atomicAdd(&histogram[row * BINS + bin_of(item, limit, crowded)], 1u);
        }
    }
}
