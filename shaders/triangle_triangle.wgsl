// Tests the triangles of the leaf pairs that a round takes. One thread per leaf pair.

@group(0) @binding(0) var<storage, read> home: array<u32>;
@group(0) @binding(1) var<storage, read> guest: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> leaves: array<LeafItem>;
@group(0) @binding(4) var<storage, read_write> records: array<Record>;
@group(0) @binding(5) var<storage, read_write> queue: Queue;
@group(0) @binding(6) var<storage, read_write> done: array<atomic<u32>>;

@compute @workgroup_size(64)
fn triangle_triangle(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = atomicLoad(&queue.drain);
    var tests = 0u;
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let item = leaves[i];
        if atomicLoad(&done[item.pair]) != 0u {
            continue;
        }
        tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
        let found = test(item);
        if found != 0u {
            let at = atomicAdd(&queue.records, 1u);
            records[at] = Record(item.pair, item.first, item.two | found);
            if (found & 0xf00u) != 0u && pairs[item.pair].any != 0u {
                atomicStore(&done[item.pair], 1u);
            }
        }
    }
    if tests > 0u {
        atomicAdd(&queue.triangle_tests, tests);
    }
}
