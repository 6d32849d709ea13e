// Records of groups of lanes (`groups.wgsl`). A group reserves them in runs, so that most records of a pair are contiguous. Shaders
// that use this declare `settings`, `queue` and `records`.

// Records that a group reserves at a time.
const RUN = 64u;

// Places for the records of a step: the first at the end of a run, as many as are `vacant`, the others in the next.
struct Places {
    at: u32,
    vacant: u32,
    next: u32,
    is_full: u32,
}

// The rest of the group's run of records, and the records of a step.
var<workgroup> run_at: u32;
var<workgroup> run_vacant: u32;
var<workgroup> found_here: atomic<u32>;
// A copy for uniform control flow.
var<workgroup> places: Places;

// Returns the number of a lane's record among those of a step.
fn numbered(is_found: bool) -> u32 {
    if is_found {
        return atomicAdd(&found_here, 1u);
    }
    return 0u;
}

// Reserves places for the records of a step that has tested leaf pairs, and drops these. If the records have no room, the leaf
// pairs wait for the next launch.
fn reserved(lane: u32, now: Step) -> Places {
    workgroupBarrier();
    if is_first(lane) {
        places = places_for(atomicExchange(&found_here, 0u));
    }
    let to = workgroupUniformLoad(&places);
    if lane == 0u && to.is_full == 0u {
        atomicStore(&leaf_count[team], now.begin);
    }
    return to;
}

fn places_for(count: u32) -> Places {
    var found = Places(run_at, run_vacant, 0u, 0u);
    if count <= run_vacant {
        run_at += count;
        run_vacant -= count;
        return found;
    }
    let next = atomicAdd(&queue.records, RUN);
    if next + RUN > settings.records {
        atomicSub(&queue.records, RUN);
        found.is_full = 1u;
        return found;
    }
    found.next = next;
    run_at = next + count - run_vacant;
    run_vacant = RUN + run_vacant - count;
    return found;
}

// Returns the place of the record with a number.
fn place_of(number: u32, to: Places) -> u32 {
    return select(to.next + number - to.vacant, to.at + number, number < to.vacant);
}

// Marks the rest of the run as empty. Gets the number of a lane in its group.
fn end_run(lane: u32) {
    for (var i = lane; i < run_vacant; i += TEAMS * LANES) {
        records[run_at + i].pair = NO_PAIR;
    }
}
