// Searches for distances by groups of lanes (`groups.wgsl`). Items and leaf pairs have a third word: the bits of a lower bound of
// their distance. Upper bounds of boxes and of triangles lower the limit of the query; what lies beyond it is dropped.

@group(0) @binding(0) var<uniform> settings: GroupSettings;
@group(0) @binding(1) var<storage, read> home: array<u32>;
@group(0) @binding(2) var<storage, read> guest: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<Pair>;
@group(0) @binding(4) var<storage, read> roots: array<Root>;
@group(0) @binding(5) var<storage, read_write> records: array<NearRecord>;
@group(0) @binding(6) var<storage, read_write> queue: Queue;
// For each query, the bits of an upper bound of its distance. Numbers of 0 or more are in the order of their bits.
@group(0) @binding(7) var<storage, read_write> limits: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> left: array<u32>;

const WORDS = 3u;
// Items and leaf pairs beyond the limit that are dropped before a step, each at most so many.
const DROPPED = 16u;
// A step that tests leaf pairs counts as so many.
const OF_LEAVES = 2u;
// Leaf pairs that are tested in a step, unless no boxes are left: upper bounds of triangles lower the limit most.
const FULL_STEP = 8u;

// An item of a step, with its other box placed.
struct Item {
    single: Single,
    volume: f32,
    // Home units of a length of 1.
    unit: f32,
    block: u32,
    // Place of the block in its arena.
    at: u32,
    other: u32,
    other_child: u32,
}

var<workgroup> opened: array<Item, ITEMS>;
// By lane, the bits of the lower bound of a box that becomes an item, plus 1, or 0 if there is none.
var<workgroup> waits: array<u32, LANES>;
// The limit of the group's query.
var<workgroup> limit: atomic<u32>;

@compute @workgroup_size(32)
fn ask_nearest(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    ask(lane, group.x, groups.x);
    end_run(lane);
}

fn begin(pair: u32) {
    atomicStore(&limit, atomicLoad(&limits[pairs[pair].query]));
}

fn end_question() {
    if question[team] == NO_PAIR {
        return;
    }
    // Other parts of the same pair of trees lower the same limit.
    let known = atomicMin(&limits[pairs[question[team]].query], atomicLoad(&limit));
    atomicMin(&limit, known);
    drop_far();
    if is_empty() {
        finish();
    }
}

// Drops the newest items and leaf pairs that are beyond the limit.
fn drop_far() {
    let most = atomicLoad(&limit);
    var boxes = atomicLoad(&box_count[team]);
    for (var i = 0u; i < DROPPED; i++) {
        if boxes == 0u || items[team][2u * STACK + boxes - 1u] <= most {
            break;
        }
        boxes -= 1u;
    }
    atomicStore(&box_count[team], boxes);
    var leaves = atomicLoad(&leaf_count[team]);
    for (var i = 0u; i < DROPPED; i++) {
        if leaves == 0u || leaf_pairs[team][2u * LEAVES + leaves - 1u] <= most {
            break;
        }
        leaves -= 1u;
    }
    atomicStore(&leaf_count[team], leaves);
}

// Returns what the group does next. Takes a question if it has none.
fn next_plan() -> Plan {
    end_question();
    if question[team] == NO_PAIR {
        items[team][2u * STACK] = 0u;
        leaf_pairs[team][2u * LEAVES] = 0u;
        take_question();
    }
    return search_plan(FULL_STEP);
}

// Opens the newest items: bounds the distances of the boxes of each block from the item's other box. Of the new items, the
// nearest lies on top.
fn open_boxes(lane: u32, now: Step) {
    if lane < now.count {
        opened[lane] = placed_item(now.pair, items[team][now.begin + lane], items[team][STACK + now.begin + lane]);
    }
    workgroupBarrier();
    let k = lane >> 3u;
    var one: Box;
    var at_least = 0u;
    var is_there = false;
    if k < now.count {
        one = box_of(opened[k].block >> 31u, opened[k].at + (lane & 7u));
        is_there = one.child != NO_CHILD;
    }
    if is_there {
        box_tests += 1u;
        let bounds = bounds_of_boxes(opened[k].single, one) * opened[k].unit;
        at_least = bitcast<u32>(bounds.x);
        atomicMin(&limit, bitcast<u32>(bounds.y));
    }
    workgroupBarrier();
    is_there = is_there && at_least <= atomicLoad(&limit);
    let is_leaf_pair = is_there && are_leaves(one.child, opened[k].other_child);
    if is_leaf_pair {
        let to = atomicAdd(&leaf_count[team], 1u);
        put_leaf_pair(to, opened[k].block, one.child, opened[k].other_child);
        leaf_pairs[team][2u * LEAVES + to] = at_least;
    }
    let is_item = is_there && !is_leaf_pair;
    waits[lane] = select(0u, at_least + 1u, is_item);
    workgroupBarrier();
    if is_item {
        var to = now.begin;
        for (var i = 0u; i < LANES; i++) {
            to += select(0u, 1u, waits[i] > at_least + 1u || (waits[i] == at_least + 1u && i > lane));
        }
        atomicAdd(&box_count[team], 1u);
        let is_larger = opened[k].volume > volume(one.half);
        put_item(to, opened[k].block, lane & 7u, one.child, opened[k].other, opened[k].other_child, is_larger);
        items[team][2u * STACK + to] = at_least;
    }
}

fn placed_item(pair: u32, block: u32, other: u32) -> Item {
    let other_box = placed_box(pair, block, other);
    let single = other_box.single;
    let unit = select(1.0, pairs[pair].ratio, (block & GUEST_BIT) != 0u);
    return Item(single, volume(single.half), unit, block, other_box.at, other, other_box.box.child);
}

// Tests leaf pairs and records those that may hold the closest triangles. Ends the launch if the records have no room.
fn test_leaves(lane: u32, now: Step) -> u32 {
    var item: LeafItem;
    var bounds: LeafBounds;
    let i = now.begin + lane;
    let is_near = lane < now.count && leaf_pairs[team][2u * LEAVES + i] <= atomicLoad(&limit);
    if is_near {
        item = leaf_item(now.pair, leaf_pairs[team][i], leaf_pairs[team][LEAVES + i]);
        bounds = bounds_of_leaves(item, bitcast<f32>(atomicLoad(&limit)));
        atomicMin(&limit, bitcast<u32>(bounds.at_most));
    }
    workgroupBarrier();
    var near = NearLanes(0u, 0.0);
    if is_near {
        near = within(bounds, item.two, bitcast<f32>(atomicLoad(&limit)));
    }
    let number = numbered(near.lanes != 0u);
    let to = reserved(lane, now);
    if to.is_full != 0u {
        return ENDS_LAUNCH;
    }
    if is_near {
        triangle_tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
    }
    if near.lanes != 0u {
        records[place_of(number, to)] = record_of(item, near);
    }
    return OF_LEAVES;
}
