// Sets how many items of each query a round opens, and finds the bin up to which these are. One workgroup per query, and one
// for the items of all queries together, if there is little room.

@group(0) @binding(0) var<uniform> settings: NearSettings;
@group(0) @binding(1) var<storage, read_write> searches: array<Search>;
@group(0) @binding(2) var<storage, read_write> histogram: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> progress: Progress;

// Number of items that a round opens at first, and again after the limit has fallen by a 64th part or more. The number
// doubles in every round that does not lower the limit: so few items are opened in vain, and few rounds are needed.
const FIRST_SHARE = 256u;
const FALL = 0x20000u;

const GROUP = 64u;
const BINS_EACH = BINS / GROUP;

var<workgroup> sums: array<u32, GROUP>;

@compute @workgroup_size(64)
fn threshold(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var row = workgroup.x; row <= settings.queries; row += workgroups.x) {
        var counts: array<u32, BINS_EACH>;
        var sum = 0u;
        for (var i = 0u; i < BINS_EACH; i++) {
            counts[i] = atomicExchange(&histogram[row * BINS + thread * BINS_EACH + i], 0u);
            sum += counts[i];
        }
        sums[thread] = sum;
        let most = allowed(row);
        workgroupBarrier();
        var before = 0u;
        var total = 0u;
        for (var i = 0u; i < GROUP; i++) {
            before += select(0u, sums[i], i < thread);
            total += sums[i];
        }
        if thread == 0u {
            next_share(row, total > 0u);
            if total <= most {
                // All are opened.
                searches[row].bin = BINS;
            }
        }
        for (var i = 0u; i < BINS_EACH; i++) {
            if total > most && before <= most && most < before + counts[i] {
                searches[row].bin = thread * BINS_EACH + i;
                searches[row].partial = most - before;
            }
            before += counts[i];
        }
        workgroupBarrier();
    }
}

// Returns the number of items of a row that this round opens.
fn allowed(row: u32) -> u32 {
    let allowance = atomicLoad(&progress.allowance);
    if row == settings.queries {
        return allowance;
    }
    return min(share_of(row), allowance / max(atomicLoad(&progress.busy), 1u));
}

// Returns the share of a query in this round.
fn share_of(row: u32) -> u32 {
    let fallen = searches[row].last - atomicLoad(&searches[row].limit);
    let share = select(searches[row].share, 2u * searches[row].share, fallen == 0u);
    return select(share, FIRST_SHARE, fallen >= FALL);
}

// Updates the share of a query, once per round.
fn next_share(row: u32, is_active: bool) {
    atomicStore(&searches[row].taken, 0u);
    if row < settings.queries {
        searches[row].share = min(share_of(row), 1u << 30u);
        searches[row].last = atomicLoad(&searches[row].limit);
        if is_active {
            atomicAdd(&progress.still_busy, 1u);
        }
    }
}
