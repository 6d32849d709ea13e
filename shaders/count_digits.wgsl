// First step of a pass of the radix sort: counts the records of each tile by their digit. One workgroup per tile.

@group(0) @binding(0) var<uniform> digit: Digit;
@group(0) @binding(1) var<storage, read> records: array<vec4<u32>>;
// The counts by digit, and for each digit by tile.
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> count_of: array<atomic<u32>, DIGITS>;

@compute @workgroup_size(256)
fn count_digits(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var tile = workgroup.x; tile < digit.tiles; tile += workgroups.x) {
        let i = tile * TILE + thread;
        if i < digit.count {
            atomicAdd(&count_of[digit_of(records[i])], 1u);
        }
        workgroupBarrier();
        counts[thread * digit.tiles + tile] = atomicExchange(&count_of[thread], 0u);
        workgroupBarrier();
    }
}
