// Finds how many boxes enter before each box leaves, as a number of chunks. One thread per box.

@group(0) @binding(0) var<uniform> settings: SweepSettings;
@group(0) @binding(1) var<storage, read> boxes: array<Ends>;
@group(0) @binding(2) var<storage, read> others: array<Ends>;
// The number of chunks of each row, then zeros up to whole tiles, at least one.
@group(0) @binding(3) var<storage, read_write> chunks: array<u32>;

const TILE = 256u;

@compute @workgroup_size(64)
fn sweep_lengths(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let padded = (settings.rows / TILE + 1u) * TILE;
    for (var row = thread.x; row < padded; row += workgroups.x * 64u) {
        var length = 0u;
        if row < settings.rows {
            let leaves = boxes[settings.first + row];
            let begin = first_other(settings, row);
            var low = begin;
            var high = settings.others;
            while low < high {
                let middle = low + (high - low) / 2u;
                if enters_before(others[middle], leaves) {
                    low = middle + 1u;
                } else {
                    high = middle;
                }
            }
            length = low - begin;
        }
        chunks[row] = (length + CHUNK - 1u) / CHUNK;
    }
}
