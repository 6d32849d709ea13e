// Divides the waiting items: those to be opened in this round, those that wait on, and those beyond the limit of their
// query, which are dropped. One thread per item.

@group(0) @binding(0) var<uniform> settings: NearSettings;
@group(0) @binding(1) var<storage, read_write> items: array<NearItem>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read_write> searches: array<Search>;
@group(0) @binding(4) var<storage, read_write> progress: Progress;

const GROUP = 64u;

const DROPPED = 0u;
const WAITING = 1u;
const OPENED = 2u;

var<workgroup> all: u32;
var<workgroup> waiting_here: atomic<u32>;
var<workgroup> opened_here: atomic<u32>;
var<workgroup> waiting_at: u32;
var<workgroup> opened_at: u32;

@compute @workgroup_size(64)
fn select_near(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    if thread == 0u {
        all = atomicLoad(&progress.waiting);
    }
    let count = workgroupUniformLoad(&all);
    let half = atomicLoad(&progress.half);
    for (var first = workgroup.x * GROUP; first < count; first += workgroups.x * GROUP) {
        var item: NearItem;
        var fate = DROPPED;
        if first + thread < count {
            item = items[half * settings.capacity + first + thread];
            fate = fate_of(item);
        }
        var at = 0u;
        if fate == WAITING {
            at = atomicAdd(&waiting_here, 1u);
        } else if fate == OPENED {
            at = atomicAdd(&opened_here, 1u);
        }
        workgroupBarrier();
        if thread == 0u {
            waiting_at = atomicAdd(&progress.next, atomicExchange(&waiting_here, 0u));
            opened_at = atomicAdd(&progress.opened, atomicExchange(&opened_here, 0u));
        }
        workgroupBarrier();
        if fate == WAITING {
            items[(1u - half) * settings.capacity + waiting_at + at] = item;
        } else if fate == OPENED {
            items[2u * settings.capacity + opened_at + at] = item;
        }
        workgroupBarrier();
    }
}

fn fate_of(item: NearItem) -> u32 {
    let query = pairs[item.pair & 0xffffu].query;
    let limit = atomicLoad(&searches[query].limit);
    if item.at_least > limit {
        return DROPPED;
    }
    let crowded = atomicLoad(&progress.crowded) != 0u;
    let row = select(query, settings.queries, crowded);
    let bin = bin_of(item, limit, crowded);
    let last = searches[row].bin;
    if bin < last {
        return OPENED;
    }
    if bin == last && atomicAdd(&searches[row].taken, 1u) < searches[row].partial {
        return OPENED;
    }
    return WAITING;
}
