// A group of 32 lanes in teams: one team of all lanes, or four of eight. A team answers one question at a time, depth first, with
// a stack of its own in workgroup memory, and takes the next question from a counter. In a step that opens boxes, a lane places
// the box of each item, up to four in a group, and then each lane tests one of the eight boxes that the item opens. In another
// step each lane tests a leaf pair. All teams of a group do the same in a step: they test leaf pairs when most of them have
// enough.
//
// A launch ends after a number of steps. The state of each group is then saved in `left`, and the next launch resumes it. Few
// steps bound the time of a launch, and its iterations: llvmpipe silently ends all loops of a thread after 65 535, which
// would leave triangles untested. Nothing overflows, as in `plan.wgsl`: a step opens as many items as leave room for seven
// more each and for a reserve, or else one.
//
// Shaders that use this declare `settings`, `roots`, `queue`, `left` and the constant `WORDS`, which is the number of words of
// an item and of a leaf pair, the constants of `one_team.wgsl`, and these functions: `begin` prepares a question that is taken
// or resumed, `end_question` finishes the team's question if its answer is known, `next_plan` returns what the team wants to do
// next, `open_boxes` opens items, and `test_leaves` tests leaf pairs and returns as how many steps that counts.

// Items that a step of a team opens: each has eight boxes.
const ITEMS = LANES / 8u;
// Teams that wait with leaf pairs before all test theirs, if so many have a question.
const WAITING = min(3u, TEAMS);
// Words of `left` for each team: at the front its question, its items and its leaf pairs, by number; behind, their words.
const HEAD = 3u;
const BODY = WORDS * (STACK + LEAVES);
// Marks an empty record, and a team without a question.
const NO_PAIR = 0xffffffffu;

// Where a search begins: at an item, or at a leaf pair if `are_leaves` is 1. The words are the first of those on a group's
// stack, or in its leaf pairs.
struct Root {
    words: array<u32, 2>,
    are_leaves: u32,
}

// What a team wants to do in a step, and what a group does.
const STOPS = 0u;
const OPENS_BOXES = 1u;
const TESTS_LEAVES = 2u;
const MUST_TEST_LEAVES = 3u;

// What `test_leaves` returns to end the launch.
const ENDS_LAUNCH = 0u;

struct Plan {
    wish: u32,
    pair: u32,
    // The team's items and leaf pairs.
    boxes: u32,
    leaves: u32,
}

// The items or leaf pairs of a step.
struct Step {
    pair: u32,
    begin: u32,
    count: u32,
}

// Items of each team, a column for each of their words: the block, with GUEST_BIT if it is the guest's, and the other box.
var<workgroup> items: array<array<u32, WORDS * STACK>, TEAMS>;
// Leaf pairs, in the same way: the words of both leaves, home first.
var<workgroup> leaf_pairs: array<array<u32, WORDS * LEAVES>, TEAMS>;
var<workgroup> box_count: array<atomic<u32>, TEAMS>;
var<workgroup> leaf_count: array<atomic<u32>, TEAMS>;
// The pair of the question.
var<workgroup> question: array<u32, TEAMS>;
var<workgroup> box_tests_here: atomic<u32>;
var<workgroup> triangle_tests_here: atomic<u32>;
var<workgroup> planned: array<Plan, TEAMS>;

// The team of this lane.
var<private> team: u32;
// Tests of this lane.
var<private> box_tests: u32;
var<private> triangle_tests: u32;

// Steps of a group, by their work, and the items that a team opened.
struct Work {
    box_steps: u32,
    leaf_steps: u32,
    items: u32,
}

// Answers questions until none is left, or for the steps of a launch. Functions get the number of a lane in its team.
fn ask(lane_of_group: u32, group: u32, groups: u32) {
    team = lane_of_group / LANES;
    let lane = lane_of_group % LANES;
    let head = HEAD * (TEAMS * group + team);
    let body = HEAD * TEAMS * groups + BODY * (TEAMS * group + team);
    resume(lane, head, body);
    var work = Work(0u, 0u, 0u);
    for (var i = 0u; i < settings.steps; i++) {
        if lane == 0u {
            planned[team] = next_plan();
        }
        let now = work_of(workgroupUniformLoad(&planned));
        if now == STOPS {
            break;
        }
        let plan = planned[team];
        if now == OPENS_BOXES {
            let count = select(0u, items_to_open(plan), plan.boxes > 0u);
            if lane == 0u {
                atomicStore(&box_count[team], plan.boxes - count);
            }
            open_boxes(lane, Step(plan.pair, plan.boxes - count, count));
            work.box_steps += 1u;
            work.items += count;
        } else {
            work.leaf_steps += 1u;
            let count = min(plan.leaves, LANES);
            let counts_as = test_leaves(lane, Step(plan.pair, plan.leaves - count, count));
            if counts_as == ENDS_LAUNCH {
                break;
            }
            i += counts_as - 1u;
        }
        workgroupBarrier();
    }
    leave(lane, head, body, work);
}

// Returns what a group does in the next step.
fn work_of(plans: array<Plan, TEAMS>) -> u32 {
    var all = plans;
    var busy = 0u;
    var waiting = 0u;
    var is_forced = false;
    for (var i = 0u; i < TEAMS; i++) {
        busy += select(0u, 1u, all[i].wish != STOPS);
        waiting += select(0u, 1u, all[i].wish >= TESTS_LEAVES);
        is_forced |= all[i].wish == MUST_TEST_LEAVES;
    }
    if busy == 0u {
        return STOPS;
    }
    return select(OPENS_BOXES, TESTS_LEAVES, is_forced || waiting >= min(busy, WAITING));
}

// Restores the state that the last launch saved.
fn resume(lane: u32, head: u32, body: u32) {
    let boxes = left[head + 1u];
    let leaves = left[head + 2u];
    for (var word = 0u; word < WORDS; word++) {
        for (var i = lane; i < boxes; i += LANES) {
            items[team][word * STACK + i] = left[body + word * STACK + i];
        }
        for (var i = lane; i < leaves; i += LANES) {
            leaf_pairs[team][word * LEAVES + i] = left[body + WORDS * STACK + word * LEAVES + i];
        }
    }
    if lane == 0u {
        question[team] = left[head];
        if question[team] != NO_PAIR {
            begin(question[team]);
            atomicStore(&box_count[team], boxes);
            atomicStore(&leaf_count[team], leaves);
        }
    }
    workgroupBarrier();
}

// Saves the state for the next launch, and counts the work of this one.
fn leave(lane: u32, head: u32, body: u32, work: Work) {
    atomicAdd(&box_tests_here, box_tests);
    atomicAdd(&triangle_tests_here, triangle_tests);
    workgroupBarrier();
    if is_first(lane) {
        atomicAdd(&queue.box_steps, work.box_steps);
        atomicAdd(&queue.leaf_steps, work.leaf_steps);
        atomicAdd(&queue.box_tests, atomicLoad(&box_tests_here));
        atomicAdd(&queue.triangle_tests, atomicLoad(&triangle_tests_here));
    }
    if lane == 0u {
        atomicAdd(&queue.items, work.items);
        end_question();
        left[head] = question[team];
        left[head + 1u] = atomicLoad(&box_count[team]);
        left[head + 2u] = atomicLoad(&leaf_count[team]);
    }
    workgroupBarrier();
    for (var word = 0u; word < WORDS; word++) {
        for (var i = lane; i < atomicLoad(&box_count[team]); i += LANES) {
            left[body + word * STACK + i] = items[team][word * STACK + i];
        }
        for (var i = lane; i < atomicLoad(&leaf_count[team]); i += LANES) {
            left[body + WORDS * STACK + word * LEAVES + i] = leaf_pairs[team][word * LEAVES + i];
        }
    }
}

// Returns true for the lane that acts for its group.
fn is_first(lane: u32) -> bool {
    return lane == 0u && team == 0u;
}

// Returns true if nothing is left to test.
fn is_empty() -> bool {
    return atomicLoad(&box_count[team]) + atomicLoad(&leaf_count[team]) == 0u;
}

// Counts the question as answered, and drops what is left of it.
fn finish() {
    atomicAdd(&queue.finished, 1u);
    question[team] = NO_PAIR;
    atomicStore(&box_count[team], 0u);
    atomicStore(&leaf_count[team], 0u);
}

// Returns the next step of a search, which tests leaf pairs if there are enough for a full step.
fn search_plan(full_step: u32) -> Plan {
    let boxes = atomicLoad(&box_count[team]);
    let leaves = atomicLoad(&leaf_count[team]);
    var wish = OPENS_BOXES;
    if question[team] == NO_PAIR {
        wish = STOPS;
    } else if leaves + 8u > settings.leaves {
        wish = MUST_TEST_LEAVES;
    } else if leaves > 0u && (boxes == 0u || leaves >= full_step) {
        wish = TESTS_LEAVES;
    }
    return Plan(wish, question[team], boxes, leaves);
}

// Returns the number of items that leave room for their survivors.
fn items_to_open(plan: Plan) -> u32 {
    let room = settings.stack - min(settings.stack, plan.boxes + settings.reserve);
    let most = min(min(plan.boxes, ITEMS), (settings.leaves - plan.leaves) / 8u);
    return max(min(most, room / 7u), 1u);
}

// Takes the next question, if any is left.
fn take_question() {
    let taken = atomicAdd(&queue.next, 1u);
    if taken >= settings.questions {
        return;
    }
    question[team] = taken;
    begin(taken);
    let root = roots[taken];
    if root.are_leaves != 0u {
        leaf_pairs[team][0] = root.words[0];
        leaf_pairs[team][LEAVES] = root.words[1];
        atomicStore(&leaf_count[team], 1u);
    } else {
        items[team][0] = root.words[0];
        items[team][STACK] = root.words[1];
        atomicStore(&box_count[team], 1u);
    }
}

// Appends the survivor of a box test to the leaf pairs or to the items: child `one` of an opened block, in lane `lane` of it,
// against a box of the other tree, in lane `other` of its blocks. Returns its place, with LEAF_BIT among the leaf pairs.
fn push(block: u32, lane: u32, one: u32, other: u32, other_child: u32, other_is_larger: bool) -> u32 {
    if are_leaves(one, other_child) {
        let to = atomicAdd(&leaf_count[team], 1u);
        put_leaf_pair(to, block, one, other_child);
        return to | LEAF_BIT;
    }
    let to = atomicAdd(&box_count[team], 1u);
    put_item(to, block, lane, one, other, other_child, other_is_larger);
    return to;
}

fn are_leaves(one: u32, other_child: u32) -> bool {
    return (one & other_child & LEAF_BIT) != 0u;
}

fn put_leaf_pair(to: u32, block: u32, one: u32, other_child: u32) {
    let is_guest = (block & GUEST_BIT) != 0u;
    leaf_pairs[team][to] = select(one, other_child, is_guest);
    leaf_pairs[team][LEAVES + to] = select(other_child, one, is_guest);
}

fn put_item(to: u32, block: u32, lane: u32, one: u32, other: u32, other_child: u32, other_is_larger: bool) {
    let is_guest = (block & GUEST_BIT) != 0u;
    if (other_child & LEAF_BIT) == 0u && ((one & LEAF_BIT) != 0u || other_is_larger) {
        items[team][to] = other_child | select(GUEST_BIT, 0u, is_guest);
        items[team][STACK + to] = (block & ~GUEST_BIT) * 8u + lane;
    } else {
        items[team][to] = one | select(0u, GUEST_BIT, is_guest);
        items[team][STACK + to] = other;
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
