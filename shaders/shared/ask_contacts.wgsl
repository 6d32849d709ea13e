// Searches for contacts, all of a pair or any, by groups of lanes (`groups.wgsl`): the kernels `ask_group` and `ask_octets`.

@group(0) @binding(0) var<uniform> settings: GroupSettings;
@group(0) @binding(1) var<storage, read> home: array<u32>;
@group(0) @binding(2) var<storage, read> guest: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<Pair>;
@group(0) @binding(4) var<storage, read> roots: array<Root>;
@group(0) @binding(5) var<storage, read_write> records: array<Record>;
@group(0) @binding(6) var<storage, read_write> queue: Queue;
@group(0) @binding(7) var<storage, read_write> done: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> left: array<u32>;

const WORDS = 2u;

// An item of a step, with its other box placed.
struct Item {
    single: Single,
    volume: f32,
    block: u32,
    // Place of the block in its arena.
    at: u32,
    other: u32,
    other_child: u32,
}

var<workgroup> opened: array<array<Item, ITEMS>, TEAMS>;
// 1 if one contact is enough, and 1 if one is known.
var<workgroup> one_is_enough: array<u32, TEAMS>;
var<workgroup> is_known: array<atomic<u32>, TEAMS>;

fn begin(pair: u32) {
    one_is_enough[team] = pairs[pair].any;
    // The CPU may have enough contacts of the pair.
    atomicStore(&is_known[team], atomicLoad(&done[pair]));
}

fn end_question() {
    if question[team] != NO_PAIR && (is_empty() || atomicLoad(&is_known[team]) != 0u) {
        finish();
    }
}

// Returns what the team wants to do next. Takes a question if it has none.
fn next_plan() -> Plan {
    end_question();
    if question[team] == NO_PAIR {
        take_question();
    }
    return search_plan(select(LANES, 1u, one_is_enough[team] != 0u));
}

// Opens the newest items: tests the boxes of each block against the item's other box.
fn open_boxes(lane: u32, now: Step) {
    if lane < now.count {
        opened[team][lane] = placed_item(now.pair, items[team][now.begin + lane], items[team][STACK + now.begin + lane]);
    }
    workgroupBarrier();
    let k = lane >> 3u;
    if k >= now.count {
        return;
    }
    let block = opened[team][k].block;
    let side = block >> 31u;
    let one = box_of(side, opened[team][k].at + (lane & 7u));
    if one.child == NO_CHILD {
        return;
    }
    box_tests += 1u;
    if apart(opened[team][k].single, one) {
        return;
    }
    push(block, lane & 7u, one.child, opened[team][k].other, opened[team][k].other_child, opened[team][k].volume > volume(one.half));
}

fn placed_item(pair: u32, block: u32, other: u32) -> Item {
    let other_box = placed_box(pair, block, other);
    return Item(other_box.single, volume(other_box.single.half), block, other_box.at, other, other_box.box.child);
}

// Tests leaf pairs and records those in contact or undecided. Ends the launch if the records have no room; the leaf pairs then
// wait for the next one.
fn test_leaves(lane: u32, now: Step) -> u32 {
    var item: LeafItem;
    var found = 0u;
    if lane < now.count {
        item = leaf_item(now.pair, leaf_pairs[team][now.begin + lane], leaf_pairs[team][LEAVES + now.begin + lane]);
        found = test(item);
    }
    let number = numbered(found != 0u);
    let to = reserved(lane, now);
    if to.is_full != 0u {
        return ENDS_LAUNCH;
    }
    if lane < now.count {
        triangle_tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
    }
    if found != 0u {
        records[place_of(number, to)] = Record(now.pair, item.first, item.two | found);
        if (found & 0xf00u) != 0u && one_is_enough[team] != 0u {
            atomicStore(&is_known[team], 1u);
            atomicStore(&done[now.pair], 1u);
        }
    }
    return 1u;
}
