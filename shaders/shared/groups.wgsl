// A group of 32 lanes that answers one question at a time, depth first, with a stack of its own in workgroup memory, and takes
// the next question from a counter. In a step that opens boxes, each of up to four lanes places the box of an item, and then
// each lane tests one of the eight boxes that the item opens. In another step each lane tests a leaf pair.
//
// A launch ends after a number of steps. The state of each group is then saved in `left`, and the next launch resumes it. Few
// steps bound the time of a launch, and its iterations: llvmpipe silently ends all loops of a thread after 65 535, which
// would leave triangles untested. Nothing overflows, as in `plan.wgsl`: a step opens as many items as leave room for seven
// more each and for a reserve, or else one.
//
// Shaders that use this declare `settings`, `roots`, `queue`, `left` and the constant `WORDS`, which is the number of words of
// an item and of a leaf pair, and these functions: `begin` prepares a question that is taken or resumed, `end_question` finishes
// the group's question if its answer is known, `next_step` returns what the group does next, `open_boxes` opens items, and
// `test_leaves` tests leaf pairs and returns as how many steps that counts.

const LANES = 32u;
// Items that a step opens: each has eight boxes.
const ITEMS = 4u;
// Room of a group for items and for leaf pairs.
const STACK = 256u;
const LEAVES = 64u;
// Words of `left` for each group: at the front its question, its items and its leaf pairs, by number; behind, their words.
const HEAD = 3u;
const BODY = WORDS * (STACK + LEAVES);
// Marks an empty record, and a group without a question.
const NO_PAIR = 0xffffffffu;

// Where a search begins: at an item, or at a leaf pair if `are_leaves` is 1. The words are the first of those on a group's
// stack, or in its leaf pairs.
struct Root {
    words: array<u32, 2>,
    are_leaves: u32,
}

// What a group does in a step.
const STOPS = 0u;
const OPENS_BOXES = 1u;
const TESTS_LEAVES = 2u;
const TAKES_QUESTION = 3u;

// What `test_leaves` returns to end the launch.
const ENDS_LAUNCH = 0u;

struct Step {
    work: u32,
    pair: u32,
    // The items or leaf pairs.
    begin: u32,
    count: u32,
}

// Items, a column for each of their words: the block, with GUEST_BIT if it is the guest's, and the other box.
var<workgroup> items: array<u32, WORDS * STACK>;
// Leaf pairs, in the same way: the words of both leaves, home first.
var<workgroup> leaf_pairs: array<u32, WORDS * LEAVES>;
var<workgroup> box_count: atomic<u32>;
var<workgroup> leaf_count: atomic<u32>;
// The pair of the question.
var<workgroup> question: u32;
var<workgroup> box_tests_here: atomic<u32>;
var<workgroup> triangle_tests_here: atomic<u32>;
// A copy for uniform control flow.
var<workgroup> planned: Step;

// Tests of this lane.
var<private> box_tests: u32;
var<private> triangle_tests: u32;

// Steps of a group, by their work, and the items that it opened.
struct Work {
    box_steps: u32,
    leaf_steps: u32,
    items: u32,
}

// Answers questions until none is left, or for the steps of a launch.
fn ask(lane: u32, group: u32, groups: u32) {
    let head = HEAD * group;
    let body = HEAD * groups + BODY * group;
    resume(lane, head, body);
    var work = Work(0u, 0u, 0u);
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
            work.box_steps += 1u;
            work.items += now.count;
        }
        if now.work == TESTS_LEAVES {
            work.leaf_steps += 1u;
            let counts_as = test_leaves(lane, now);
            if counts_as == ENDS_LAUNCH {
                break;
            }
            i += counts_as - 1u;
        }
        workgroupBarrier();
    }
    leave(lane, head, body, work);
}

// Restores the state that the last launch saved.
fn resume(lane: u32, head: u32, body: u32) {
    let boxes = left[head + 1u];
    let leaves = left[head + 2u];
    for (var word = 0u; word < WORDS; word++) {
        for (var i = lane; i < boxes; i += LANES) {
            items[word * STACK + i] = left[body + word * STACK + i];
        }
        for (var i = lane; i < leaves; i += LANES) {
            leaf_pairs[word * LEAVES + i] = left[body + WORDS * STACK + word * LEAVES + i];
        }
    }
    if lane == 0u {
        question = left[head];
        if question != NO_PAIR {
            begin(question);
            atomicStore(&box_count, boxes);
            atomicStore(&leaf_count, leaves);
        }
    }
    workgroupBarrier();
}

// Saves the state for the next launch, and counts the work of this one.
fn leave(lane: u32, head: u32, body: u32, work: Work) {
    atomicAdd(&box_tests_here, box_tests);
    atomicAdd(&triangle_tests_here, triangle_tests);
    workgroupBarrier();
    if lane == 0u {
        atomicAdd(&queue.box_steps, work.box_steps);
        atomicAdd(&queue.leaf_steps, work.leaf_steps);
        atomicAdd(&queue.items, work.items);
        atomicAdd(&queue.box_tests, atomicLoad(&box_tests_here));
        atomicAdd(&queue.triangle_tests, atomicLoad(&triangle_tests_here));
        end_question();
        left[head] = question;
        left[head + 1u] = atomicLoad(&box_count);
        left[head + 2u] = atomicLoad(&leaf_count);
    }
    workgroupBarrier();
    for (var word = 0u; word < WORDS; word++) {
        for (var i = lane; i < atomicLoad(&box_count); i += LANES) {
            left[body + word * STACK + i] = items[word * STACK + i];
        }
        for (var i = lane; i < atomicLoad(&leaf_count); i += LANES) {
            left[body + WORDS * STACK + word * LEAVES + i] = leaf_pairs[word * LEAVES + i];
        }
    }
}

// Returns true if nothing is left to test.
fn is_empty() -> bool {
    return atomicLoad(&box_count) + atomicLoad(&leaf_count) == 0u;
}

// Counts the question as answered, and drops what is left of it.
fn finish() {
    atomicAdd(&queue.finished, 1u);
    question = NO_PAIR;
    atomicStore(&box_count, 0u);
    atomicStore(&leaf_count, 0u);
}

// Returns the next step of a search, which tests leaf pairs if there are enough for a full step.
fn search_step(full_step: u32) -> Step {
    let boxes = atomicLoad(&box_count);
    let leaves = atomicLoad(&leaf_count);
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
    begin(taken);
    let root = roots[taken];
    if root.are_leaves != 0u {
        leaf_pairs[0] = root.words[0];
        leaf_pairs[LEAVES] = root.words[1];
        atomicStore(&leaf_count, 1u);
    } else {
        items[0] = root.words[0];
        items[STACK] = root.words[1];
        atomicStore(&box_count, 1u);
    }
    return Step(TAKES_QUESTION, taken, 0u, 0u);
}

// Appends the survivor of a box test to the leaf pairs or to the items: child `one` of an opened block, in lane `lane` of it,
// against a box of the other tree, in lane `other` of its blocks. Returns its place, with LEAF_BIT among the leaf pairs.
fn push(block: u32, lane: u32, one: u32, other: u32, other_child: u32, other_is_larger: bool) -> u32 {
    if are_leaves(one, other_child) {
        let to = atomicAdd(&leaf_count, 1u);
        put_leaf_pair(to, block, one, other_child);
        return to | LEAF_BIT;
    }
    let to = atomicAdd(&box_count, 1u);
    put_item(to, block, lane, one, other, other_child, other_is_larger);
    return to;
}

fn are_leaves(one: u32, other_child: u32) -> bool {
    return (one & other_child & LEAF_BIT) != 0u;
}

fn put_leaf_pair(to: u32, block: u32, one: u32, other_child: u32) {
    let is_guest = (block & GUEST_BIT) != 0u;
    leaf_pairs[to] = select(one, other_child, is_guest);
    leaf_pairs[LEAVES + to] = select(other_child, one, is_guest);
}

fn put_item(to: u32, block: u32, lane: u32, one: u32, other: u32, other_child: u32, other_is_larger: bool) {
    let is_guest = (block & GUEST_BIT) != 0u;
    if (other_child & LEAF_BIT) == 0u && ((one & LEAF_BIT) != 0u || other_is_larger) {
        items[to] = other_child | select(GUEST_BIT, 0u, is_guest);
        items[STACK + to] = (block & ~GUEST_BIT) * 8u + lane;
    } else {
        items[to] = one | select(0u, GUEST_BIT, is_guest);
        items[STACK + to] = other;
    }
}

// The other box of an item, as it is and as placed for the item's block.
struct PlacedBox {
    // Place of the block in its arena.
    at: u32,
    box: Box,
    single: Single,
}

fn placed_box(pair: u32, block: u32, other: u32) -> PlacedBox {
    let side = block >> 31u;
    let at = pairs[pair].blocks[side] + (block & ~GUEST_BIT) * BLOCK;
    let other_at = pairs[pair].blocks[1u - side] + (other >> 3u) * BLOCK;
    let box = box_of(1u - side, other_at + (other & 7u));
    let between = between_origins(pair, select(other_at, at, side == 0u), select(at, other_at, side == 0u));
    return PlacedBox(at, box, placed(pair, side, box, between));
}

fn leaf_item(pair: u32, home_leaf: u32, guest_leaf: u32) -> LeafItem {
    let two = ((home_leaf & TWO_BIT) >> 30u) | ((guest_leaf & TWO_BIT) >> 29u);
    return LeafItem(pair, array<u32, 2>(home_leaf & (TWO_BIT - 1u), guest_leaf & (TWO_BIT - 1u)), two);
}
