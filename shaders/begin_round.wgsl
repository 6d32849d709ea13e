// Begins a round of the search for distances.
//
// Nothing overflows. A round that opens k of n waiting items leaves at most n + 7 k, so k is at most a seventh of the room
// beyond a reserve. If half of the room is taken, the deepest items are opened first, and if only the reserve is left, one
// at a time: its survivors are deeper, so the reserve has room for all blocks on the way to two leaves.

@group(0) @binding(0) var<uniform> settings: NearSettings;
@group(0) @binding(1) var<storage, read_write> progress: Progress;

@compute @workgroup_size(1)
fn begin_round() {
    let waiting = atomicExchange(&progress.next, 0u);
    atomicStore(&progress.waiting, waiting);
    atomicXor(&progress.half, 1u);
    atomicStore(&progress.opened, 0u);
    var leaves = 0u;
    if atomicExchange(&progress.begun, 1u) == 0u {
        // The leaf pairs with which searches begin.
        leaves = atomicLoad(&progress.leaves);
    }
    atomicStore(&progress.leaves, leaves);

    let room = settings.capacity - waiting;
    var allowance = 1u;
    if room > settings.reserve {
        allowance = max((room - settings.reserve) / 7u, 1u);
    }
    // Each leaf pair may give a record.
    let records = settings.records - atomicLoad(&progress.records);
    let leaf_room = min(settings.leaves, records) - min(leaves, records);
    allowance = min(min(allowance, settings.round), leaf_room / 8u);
    atomicStore(&progress.allowance, allowance);
    var busy = atomicLoad(&progress.busy);
    if atomicLoad(&progress.crowded) == 0u {
        // A crowded round does not count the queries.
        busy = atomicExchange(&progress.still_busy, 0u);
        atomicStore(&progress.busy, busy);
    }
    let crowded = 2u * waiting > settings.capacity || allowance < busy;
    atomicStore(&progress.crowded, select(0u, 1u, crowded));
    if waiting + leaves > 0u {
        atomicAdd(&progress.rounds, 1u);
    }
}
