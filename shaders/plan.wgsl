// Plans the next round. The stack consists of segments, each holding the survivors of one round, which lie deeper in the
// trees than the items that were opened. So there are never more segments than blocks on the way from both roots to two
// leaves. A round opens items at the end of the newest segment and writes their survivors behind it. This leaves a hole
// where the items were until the new segment is used up.
//
// Nothing overflows. A round opens only as many items as leave room for eight times their number and for a reserve. If
// that allows none, it opens one item, whose survivors take eight places of the reserve. The next round can do the same
// with one of these survivors, and so on down to the leaves.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read_write> queue: Queue;

@compute @workgroup_size(1)
fn plan() {
    var segments = without_empty(atomicLoad(&queue.segments));
    let fresh = atomicExchange(&queue.fresh, 0u);
    if fresh > 0u && segments < SEGMENTS {
        let begin = atomicLoad(&queue.fresh_begin);
        queue.begins[segments] = begin;
        atomicStore(&queue.ends[segments], begin + fresh);
        segments += 1u;
    }

    // Test triangles first if their buffer is half full, has no room for another item, or is all the work left, and those
    // with which searches begin.
    let waiting = atomicLoad(&queue.leaves);
    let records = settings.records - atomicLoad(&queue.records);
    let is_full = 2u * waiting > settings.leaves || waiting + 8u > settings.leaves;
    var drain = 0u;
    let is_first = atomicLoad(&queue.rounds) == 0u;
    if (segments == 0u || is_full || is_first) && waiting <= records {
        drain = waiting;
        atomicStore(&queue.leaves, 0u);
    }
    atomicStore(&queue.drain, drain);
    let leaf_room = (settings.leaves - (waiting - drain)) / 8u;

    var count = 0u;
    if segments > 0u {
        let end = atomicLoad(&queue.ends[segments - 1u]);
        let room = settings.stack - end;
        count = 1u;
        if room > settings.reserve {
            count = max((room - settings.reserve) / 8u, 1u);
        }
        count = min(min(count, settings.round), min(end - queue.begins[segments - 1u], leaf_room));
        atomicStore(&queue.ends[segments - 1u], end - count);
        atomicStore(&queue.slice_begin, end - count);
        atomicStore(&queue.fresh_begin, end);
    }
    atomicStore(&queue.slice, count);
    atomicStore(&queue.segments, segments);
    if count + drain > 0u {
        atomicAdd(&queue.rounds, 1u);
        atomicAdd(&queue.items, count);
    }
}

// Returns the number of segments without the empty ones on top.
fn without_empty(segments: u32) -> u32 {
    var left = segments;
    while left > 0u && queue.begins[left - 1u] == atomicLoad(&queue.ends[left - 1u]) {
        left -= 1u;
    }
    return left;
}
