// Bounds the distances of the triangle pairs of two leaves, and lowers the limit of the query by the upper bounds. Leaf
// pairs that may hold the closest triangles are recorded. Matches `narrow/triangle_distance`, but in f32 on differences of
// integers. One thread per leaf pair.

@group(0) @binding(0) var<storage, read> home: array<u32>;
@group(0) @binding(1) var<storage, read> guest: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> leaves: array<LeafItem>;
@group(0) @binding(4) var<storage, read_write> records: array<NearRecord>;
@group(0) @binding(5) var<storage, read_write> progress: Progress;
@group(0) @binding(6) var<storage, read_write> searches: array<Search>;

@compute @workgroup_size(64)
fn triangle_distance(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = atomicLoad(&progress.leaves);
    var tests = 0u;
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let item = leaves[i];
        tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
        test(item);
    }
    if tests > 0u {
        atomicAdd(&progress.triangle_tests, tests);
    }
}

// Tests the triangle pairs of two leaves, and records them if they may be the closest.
fn test(item: LeafItem) {
    let query = pairs[item.pair].query;
    let bounds = bounds_of_leaves(item, bitcast<f32>(atomicLoad(&searches[query].limit)));
    let before = bitcast<f32>(atomicMin(&searches[query].limit, bitcast<u32>(bounds.at_most)));
    let near = within(bounds, item.two, min(bounds.at_most, before));
    if near.lanes != 0u {
        records[atomicAdd(&progress.records, 1u)] = record_of(item, near);
    }
}
