// Searches for contacts, all of a pair or any, by groups of 32 lanes. A group answers one question at a time, with a stack of
// its own in workgroup memory, and takes the next from a counter. In a step that opens boxes, each of up to four lanes places
// the box of an item, and then each lane tests one of the eight boxes that the item opens. In another step each lane tests a
// leaf pair.
//
// A launch ends after a number of steps. The state of each group is then saved in `left`, and the next launch resumes it. Few
// steps bound the time of a launch, and its iterations: llvmpipe silently ends all loops of a thread after 65 535, which
// would leave triangles untested. Nothing overflows, as in `plan.wgsl`: a step opens as many items as leave room for seven
// more each and for a reserve, or else one.

@group(0) @binding(0) var<uniform> settings: GroupSettings;
@group(0) @binding(1) var<storage, read> home: array<u32>;
@group(0) @binding(2) var<storage, read> guest: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<Pair>;
@group(0) @binding(4) var<storage, read> roots: array<Root>;
@group(0) @binding(5) var<storage, read_write> records: array<Record>;
@group(0) @binding(6) var<storage, read_write> queue: Queue;
@group(0) @binding(7) var<storage, read_write> done: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> left: array<u32>;

const LANES = 32u;
// Items that a step opens: each has eight boxes.
const ITEMS = 4u;
// Room of a group for items and for leaf pairs.
const STACK = 256u;
const LEAVES = 64u;
// Records that a group reserves at a time, so that the records of a pair are contiguous.
const RUN = 64u;
// Words of `left` for each group: at the front its question, its items and its leaf pairs, by number; behind, their words.
const HEAD = 3u;
const BODY = 640u;
// Marks an empty record, and a group without a question.
const NO_PAIR = 0xffffffffu;

// Where a search begins: at an item, or at a leaf pair if `are_leaves` is 1. The words are those on a group's stack, or in its
// leaf pairs.
struct Root {
    words: array<u32, 2>,
    are_leaves: u32,
}

// What a group does in a step.
const STOPS = 0u;
const OPENS_BOXES = 1u;
const TESTS_LEAVES = 2u;
const TAKES_QUESTION = 3u;

struct Step {
    work: u32,
    pair: u32,
    // The items or leaf pairs.
    begin: u32,
    count: u32,
}

// Places for the records of a step: the first at the end of a run, as many as are `vacant`, the others in the next.
struct Places {
    at: u32,
    vacant: u32,
    next: u32,
    is_full: u32,
}

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

// Items: the block, with GUEST_BIT if it is the guest's, and the other box.
var<workgroup> blocks: array<u32, STACK>;
var<workgroup> others: array<u32, STACK>;
// Leaf pairs: the words of both leaves.
var<workgroup> home_leaves: array<u32, LEAVES>;
var<workgroup> guest_leaves: array<u32, LEAVES>;
var<workgroup> box_count: atomic<u32>;
var<workgroup> leaf_count: atomic<u32>;
var<workgroup> opened: array<Item, ITEMS>;
// The pair of the question, 1 if one contact is enough, and 1 if one is known.
var<workgroup> question: u32;
var<workgroup> one_is_enough: u32;
var<workgroup> is_known: atomic<u32>;
// The rest of the group's run of records, and the records of a step.
var<workgroup> run_at: u32;
var<workgroup> run_vacant: u32;
var<workgroup> found_here: atomic<u32>;
var<workgroup> box_tests_here: atomic<u32>;
var<workgroup> triangle_tests_here: atomic<u32>;
// Copies for uniform control flow.
var<workgroup> planned: Step;
var<workgroup> places: Places;

// Tests of this lane.
var<private> box_tests: u32;
var<private> triangle_tests: u32;

@compute @workgroup_size(32)
fn ask_group(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let head = HEAD * group.x;
    let body = HEAD * groups.x + BODY * group.x;
    resume(lane, head, body);
    var box_steps = 0u;
    var leaf_steps = 0u;
    var items = 0u;
    for (var i = 0u; i < settings.steps; i++) {
        if lane == 0u {
            planned = next_step();
        }
        let now = workgroupUniformLoad(&planned);
        if now.work == STOPS {
            break;
        }
        if now.work == OPENS_BOXES {
            open_boxes(lane, now);
            box_steps += 1u;
            items += now.count;
        }
        if now.work == TESTS_LEAVES {
            leaf_steps += 1u;
            if !test_leaves(lane, now) {
                break;
            }
        }
        workgroupBarrier();
    }
    atomicAdd(&box_tests_here, box_tests);
    atomicAdd(&triangle_tests_here, triangle_tests);
    workgroupBarrier();
    if lane == 0u {
        atomicAdd(&queue.box_steps, box_steps);
        atomicAdd(&queue.leaf_steps, leaf_steps);
        atomicAdd(&queue.items, items);
        atomicAdd(&queue.box_tests, atomicLoad(&box_tests_here));
        atomicAdd(&queue.triangle_tests, atomicLoad(&triangle_tests_here));
    }
    leave(lane, head, body);
}

// Restores the state that the last launch saved.
fn resume(lane: u32, head: u32, body: u32) {
    let pair = left[head];
    let boxes = left[head + 1u];
    let leaves = left[head + 2u];
    for (var i = lane; i < boxes; i += LANES) {
        blocks[i] = left[body + i];
        others[i] = left[body + STACK + i];
    }
    for (var i = lane; i < leaves; i += LANES) {
        home_leaves[i] = left[body + 2u * STACK + i];
        guest_leaves[i] = left[body + 2u * STACK + LEAVES + i];
    }
    if lane == 0u {
        question = pair;
        if pair != NO_PAIR {
            one_is_enough = pairs[pair].any;
            // The CPU may have enough contacts of the pair.
            atomicStore(&is_known, atomicLoad(&done[pair]));
            atomicStore(&box_count, boxes);
            atomicStore(&leaf_count, leaves);
        }
    }
    workgroupBarrier();
}

// Saves the state for the next launch, and marks the rest of a run as empty.
fn leave(lane: u32, head: u32, body: u32) {
    if lane == 0u {
        end_question();
        left[head] = question;
        left[head + 1u] = atomicLoad(&box_count);
        left[head + 2u] = atomicLoad(&leaf_count);
    }
    workgroupBarrier();
    for (var i = lane; i < atomicLoad(&box_count); i += LANES) {
        left[body + i] = blocks[i];
        left[body + STACK + i] = others[i];
    }
    for (var i = lane; i < atomicLoad(&leaf_count); i += LANES) {
        left[body + 2u * STACK + i] = home_leaves[i];
        left[body + 2u * STACK + LEAVES + i] = guest_leaves[i];
    }
    for (var i = lane; i < run_vacant; i += LANES) {
        records[run_at + i] = Record(NO_PAIR, array<u32, 2>(0u, 0u), 0u);
    }
}

// Counts the question as answered if it is: nothing is left to test, or no more need be known.
fn end_question() {
    let is_empty = atomicLoad(&box_count) + atomicLoad(&leaf_count) == 0u;
    if question != NO_PAIR && (is_empty || atomicLoad(&is_known) != 0u) {
        atomicAdd(&queue.finished, 1u);
        question = NO_PAIR;
    }
    if question == NO_PAIR {
        atomicStore(&box_count, 0u);
        atomicStore(&leaf_count, 0u);
    }
}

// Returns what the group does next. Takes a question if it has none.
fn next_step() -> Step {
    end_question();
    if question == NO_PAIR {
        return take_question();
    }
    let boxes = atomicLoad(&box_count);
    let leaves = atomicLoad(&leaf_count);
    let full_step = select(LANES, 1u, one_is_enough != 0u);
    if leaves > 0u && (boxes == 0u || leaves >= full_step || leaves + 8u > settings.leaves) {
        let count = min(leaves, LANES);
        return Step(TESTS_LEAVES, question, leaves - count, count);
    }
    let room = settings.stack - min(settings.stack, boxes + settings.reserve);
    let most = min(min(boxes, ITEMS), (settings.leaves - leaves) / 8u);
    let count = max(min(most, room / 7u), 1u);
    atomicStore(&box_count, boxes - count);
    return Step(OPENS_BOXES, question, boxes - count, count);
}

fn take_question() -> Step {
    let taken = atomicAdd(&queue.next, 1u);
    if taken >= settings.questions {
        return Step(STOPS, NO_PAIR, 0u, 0u);
    }
    question = taken;
    one_is_enough = pairs[taken].any;
    atomicStore(&is_known, atomicLoad(&done[taken]));
    let root = roots[taken];
    if root.are_leaves != 0u {
        home_leaves[0] = root.words[0];
        guest_leaves[0] = root.words[1];
        atomicStore(&leaf_count, 1u);
    } else {
        blocks[0] = root.words[0];
        others[0] = root.words[1];
        atomicStore(&box_count, 1u);
    }
    return Step(TAKES_QUESTION, taken, 0u, 0u);
}

// Opens the newest items: tests the boxes of each block against the item's other box.
fn open_boxes(lane: u32, now: Step) {
    if lane < now.count {
        opened[lane] = placed_item(now.pair, blocks[now.begin + lane], others[now.begin + lane]);
    }
    workgroupBarrier();
    let k = lane >> 3u;
    if k >= now.count {
        return;
    }
    let block = opened[k].block;
    let side = block >> 31u;
    let one = box_of(side, opened[k].at + (lane & 7u));
    if one.child == NO_CHILD {
        return;
    }
    box_tests += 1u;
    if apart(opened[k].single, one) {
        return;
    }
    let other_child = opened[k].other_child;
    let is_leaf = (one.child & LEAF_BIT) != 0u;
    let other_is_leaf = (other_child & LEAF_BIT) != 0u;
    if is_leaf && other_is_leaf {
        let to = atomicAdd(&leaf_count, 1u);
        home_leaves[to] = select(one.child, other_child, side == 1u);
        guest_leaves[to] = select(other_child, one.child, side == 1u);
        return;
    }
    let to = atomicAdd(&box_count, 1u);
    if !other_is_leaf && (is_leaf || opened[k].volume > volume(one.half)) {
        blocks[to] = other_child | select(GUEST_BIT, 0u, side == 1u);
        others[to] = (block & ~GUEST_BIT) * 8u + (lane & 7u);
    } else {
        blocks[to] = one.child | select(0u, GUEST_BIT, side == 1u);
        others[to] = opened[k].other;
    }
}

fn placed_item(pair: u32, block: u32, other: u32) -> Item {
    let side = block >> 31u;
    let at = pairs[pair].blocks[side] + (block & ~GUEST_BIT) * BLOCK;
    let other_at = pairs[pair].blocks[1u - side] + (other >> 3u) * BLOCK;
    let box = box_of(1u - side, other_at + (other & 7u));
    let between = between_origins(pair, select(other_at, at, side == 0u), select(at, other_at, side == 0u));
    let single = placed(pair, side, box, between);
    return Item(single, volume(single.half), block, at, other, box.child);
}

// Tests leaf pairs and records those in contact or undecided. Returns false if the records have no room; the leaf pairs then
// wait for the next launch.
fn test_leaves(lane: u32, now: Step) -> bool {
    var item: LeafItem;
    var found = 0u;
    if lane < now.count {
        item = leaf_item(now.pair, home_leaves[now.begin + lane], guest_leaves[now.begin + lane]);
        found = test(item);
    }
    var number = 0u;
    if found != 0u {
        number = atomicAdd(&found_here, 1u);
    }
    workgroupBarrier();
    if lane == 0u {
        places = places_for(atomicExchange(&found_here, 0u));
        if places.is_full == 0u {
            atomicStore(&leaf_count, now.begin);
        }
    }
    let to = workgroupUniformLoad(&places);
    if to.is_full != 0u {
        return false;
    }
    if lane < now.count {
        triangle_tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
    }
    if found != 0u {
        let at = select(to.next + number - to.vacant, to.at + number, number < to.vacant);
        records[at] = Record(now.pair, item.first, item.two | found);
        if (found & 0xf00u) != 0u && one_is_enough != 0u {
            atomicStore(&is_known, 1u);
            atomicStore(&done[now.pair], 1u);
        }
    }
    return true;
}

fn leaf_item(pair: u32, home_leaf: u32, guest_leaf: u32) -> LeafItem {
    let two = ((home_leaf & TWO_BIT) >> 30u) | ((guest_leaf & TWO_BIT) >> 29u);
    return LeafItem(pair, array<u32, 2>(home_leaf & (TWO_BIT - 1u), guest_leaf & (TWO_BIT - 1u)), two);
}

// Reserves places for so many records.
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
