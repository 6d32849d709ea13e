// Proves that pairs of trees stay farther apart than a limit over parts of stretches of time, by groups of lanes
// (`groups.wgsl`). A pair is one pair of trees over one stretch. A part is *open* if nothing is proven of it. Items and leaf
// pairs have a third word, the part that they are about. Where boxes move far for their extents, an item becomes two, about
// the halves of its part; an item about one of the shortest parts opens it. Leaf pairs halve time by themselves.
//
// Shaders that use this declare the functions `passing_of`, which adds the motion to the single box, and `told`, which tests it
// against a box of the block.

@group(0) @binding(0) var<uniform> settings: GroupSettings;
@group(0) @binding(1) var<storage, read> home: array<u32>;
@group(0) @binding(2) var<storage, read> guest: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<Pair>;
@group(0) @binding(4) var<storage, read> motions: array<Motion>;
@group(0) @binding(5) var<storage, read> roots: array<Root>;
@group(0) @binding(6) var<storage, read_write> queue: Queue;
// For each pair, the bits of its open parts, with UNFINISHED until nothing is left to test.
@group(0) @binding(7) var<storage, read_write> answers: array<u32>;
@group(0) @binding(8) var<storage, read_write> left: array<u32>;

const WORDS = 3u;
const UNFINISHED = 0x80000000u;
// A step that tests leaf pairs counts as so many, since it has up to 1 184 iterations, and one that opens boxes up to 64.
const OF_LEAVES = 20u;

// An item of a step, with its other box placed.
struct Item {
    passing: Passing,
    volume: f32,
    block: u32,
    // Place of the block in its arena.
    at: u32,
    other: u32,
    other_child: u32,
    part: u32,
}

var<workgroup> opened: array<Item, ITEMS>;
// The largest of what the tests of an item's boxes tell.
var<workgroup> largest_told: array<atomic<u32>, ITEMS>;
// The open parts of the pair.
var<workgroup> open: atomic<u32>;

fn begin(pair: u32) {
    atomicStore(&open, answers[pair] & ~UNFINISHED);
}

fn end_question() {
    if question[team] == NO_PAIR {
        return;
    }
    let found = atomicLoad(&open);
    let is_over = is_empty() || found == bits_of(1u, motions[question[team]].levels);
    answers[question[team]] = found | select(UNFINISHED, 0u, is_over);
    if is_over {
        finish();
    }
}

// Returns what the group does next. Takes a question if it has none, about the whole of a stretch.
fn next_plan() -> Plan {
    end_question();
    if question[team] == NO_PAIR {
        items[team][2u * STACK] = 1u;
        leaf_pairs[team][2u * LEAVES] = 1u;
        take_question();
    }
    return search_plan(LANES / 4u);
}

// Opens the newest items: tests the boxes of each block against the item's other box.
fn open_boxes(lane: u32, now: Step) {
    if lane < now.count {
        let i = now.begin + lane;
        opened[lane] = placed_item(now.pair, items[team][i], items[team][STACK + i], items[team][2u * STACK + i]);
        atomicStore(&largest_told[lane], APART);
    }
    workgroupBarrier();
    let k = lane >> 3u;
    var one: Box;
    var found = APART;
    if k < now.count && !is_open(now.pair, opened[k].part) {
        one = box_of(opened[k].block >> 31u, opened[k].at + (lane & 7u));
        if one.child != NO_CHILD {
            box_tests += 1u;
            found = told(opened[k].passing, one, (one.child & LEAF_BIT) != 0u);
            atomicMax(&largest_told[k], found);
        }
    }
    workgroupBarrier();
    if k >= now.count {
        return;
    }
    if atomicLoad(&largest_told[k]) >= LONG {
        if (lane & 7u) == 0u {
            halve(now.pair, k);
        }
        return;
    }
    if found == NEAR {
        let is_larger = opened[k].volume > volume(one.half);
        let to = push(opened[k].block, lane & 7u, one.child, opened[k].other, opened[k].other_child, is_larger);
        if (to & LEAF_BIT) != 0u {
            leaf_pairs[team][2u * LEAVES + (to & ~LEAF_BIT)] = opened[k].part;
        } else {
            items[team][2u * STACK + to] = opened[k].part;
        }
    }
}

fn is_open(pair: u32, part: u32) -> bool {
    return (bits_of(part, motions[pair].levels) & ~atomicLoad(&open)) == 0u;
}

// Replaces an item by two about the halves of its part, the earlier on top. Opens the part if it is one of the shortest, or if
// halves would tell no more.
fn halve(pair: u32, k: u32) {
    let part = opened[k].part;
    let levels = motions[pair].levels;
    if atomicLoad(&largest_told[k]) == ENDS || level_of(part) == levels {
        atomicOr(&open, bits_of(part, levels));
        return;
    }
    let to = atomicAdd(&box_count[team], 2u);
    for (var i = 0u; i < 2u; i++) {
        items[team][to + i] = opened[k].block;
        items[team][STACK + to + i] = opened[k].other;
        items[team][2u * STACK + to + i] = 2u * part + 1u - i;
    }
}

fn placed_item(pair: u32, block: u32, other: u32, part: u32) -> Item {
    let side = block >> 31u;
    let other_box = placed_box(pair, block, other);
    let passing = passing_of(pair, side, other_box.single, origin_of(side, other_box.at), other_box.box, part);
    return Item(passing, volume(other_box.single.half), block, other_box.at, other, other_box.box.child, part);
}

fn test_leaves(lane: u32, now: Step) -> u32 {
    if lane < now.count {
        let i = now.begin + lane;
        let part = leaf_pairs[team][2u * LEAVES + i];
        if !is_open(now.pair, part) {
            let item = leaf_item(now.pair, leaf_pairs[team][i], leaf_pairs[team][LEAVES + i]);
            triangle_tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
            atomicOr(&open, open_parts(item, part, atomicLoad(&open)));
        }
    }
    workgroupBarrier();
    if lane == 0u {
        atomicStore(&leaf_count[team], now.begin);
    }
    return OF_LEAVES;
}
