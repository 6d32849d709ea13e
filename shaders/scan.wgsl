// Second step of a pass of the radix sort: replaces each count by the sum of all counts before it, which is the place of
// the first record of that digit and tile. One workgroup.

@group(0) @binding(0) var<uniform> digit: Digit;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> sums: array<u32, TILE>;

@compute @workgroup_size(256)
fn scan(@builtin(local_invocation_index) thread: u32) {
    // Each thread has as many counts as there are tiles.
    let begin = thread * digit.tiles;
    var sum = 0u;
    for (var i = begin; i < begin + digit.tiles; i++) {
        sum += counts[i];
    }
    sums[thread] = sum;
    workgroupBarrier();
    // Sums of the threads up to this one (Hillis and Steele 1986).
    for (var by = 1u; by < TILE; by *= 2u) {
        var more = 0u;
        if thread >= by {
            more = sums[thread - by];
        }
        workgroupBarrier();
        sums[thread] += more;
        workgroupBarrier();
    }
    var place = sums[thread] - sum;
    for (var i = begin; i < begin + digit.tiles; i++) {
        let count = counts[i];
        counts[i] = place;
        place += count;
    }
}
