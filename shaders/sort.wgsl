// Last step of a pass of the radix sort: moves each record to its place. Records with the same digit keep their order.
// One workgroup per tile.

@group(0) @binding(0) var<uniform> digit: Digit;
@group(0) @binding(1) var<storage, read> records: array<vec4<u32>>;
// The place of the first record of each digit and tile.
@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> sorted: array<vec4<u32>>;

const WORDS = TILE / 32u;

// The threads of a tile by their digit: a bit for each.
var<workgroup> threads_of: array<atomic<u32>, DIGITS * WORDS>;

@compute @workgroup_size(256)
fn sort(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var tile = workgroup.x; tile < digit.tiles; tile += workgroups.x) {
        let i = tile * TILE + thread;
        var record: vec4<u32>;
        var mine = 0u;
        if i < digit.count {
            record = records[i];
            mine = digit_of(record);
            atomicOr(&threads_of[mine * WORDS + thread / 32u], 1u << (thread % 32u));
        }
        workgroupBarrier();
        if i < digit.count {
            var before = countOneBits(atomicLoad(&threads_of[mine * WORDS + thread / 32u]) & ((1u << (thread % 32u)) - 1u));
            for (var k = 0u; k < thread / 32u; k++) {
                before += countOneBits(atomicLoad(&threads_of[mine * WORDS + k]));
            }
            sorted[places[mine * digit.tiles + tile] + before] = record;
        }
        workgroupBarrier();
        for (var k = 0u; k < WORDS; k++) {
            atomicStore(&threads_of[thread * WORDS + k], 0u);
        }
        workgroupBarrier();
    }
}
