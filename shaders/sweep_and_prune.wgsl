// Tests boxes against those that enter before they leave, along the two other axes. One thread per chunk of tests.

@group(0) @binding(0) var<uniform> settings: SweepSettings;
@group(0) @binding(1) var<storage, read> boxes: array<Ends>;
@group(0) @binding(2) var<storage, read> others: array<Ends>;
// The number of chunks before each row, and of all behind the last.
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> sweep: Sweep;
@group(0) @binding(5) var<storage, read_write> pairs: array<vec2<u32>>;

// Returns the row that a chunk belongs to: the last one that does not start behind it.
fn row_of(chunk: u32) -> u32 {
    var low = 0u;
    var high = settings.rows;
    while high - low > 1u {
        let middle = low + (high - low) / 2u;
        if starts[middle] <= chunk {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Returns true if the boxes overlap along the two other axes.
fn overlap(a: Ends, b: Ends) -> bool {
    return a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z && b.lo.z <= a.hi.z;
}

// Returns true if the pair is wanted here. A pair that shares several strips is reported in the first, in which one of the
// boxes begins.
fn is_wanted(a: Ends, b: Ends) -> bool {
    let lower = min(a.id, b.id);
    return ((a.strip | b.strip) & 1u) == 1u && settings.lower_begin <= lower && lower < settings.lower_end;
}

@compute @workgroup_size(64)
fn sweep_and_prune(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let begin = atomicLoad(&sweep.begin);
    let slice = atomicLoad(&sweep.slice);
    for (var i = thread.x; i < slice; i += workgroups.x * 64u) {
        let chunk = begin + i;
        let row = row_of(chunk);
        let leaves = boxes[settings.first + row];
        let first = first_other(settings, row) + (chunk - starts[row]) * CHUNK;
        var tests = 0u;
        for (var k = 0u; k < CHUNK; k++) {
            if first + k >= settings.others {
                break;
            }
            let enters = others[first + k];
            if !enters_before(enters, leaves) {
                break;
            }
            tests++;
            if overlap(enters, leaves) && is_wanted(enters, leaves) {
                pairs[atomicAdd(&sweep.found, 1u)] = vec2(leaves.id, enters.id);
            }
        }
        atomicAdd(&sweep.tests, tests);
    }
}
