// Limits of groups of lanes, whose teams answer a question each.
struct GroupSettings {
    questions: u32,
    // Steps of a group in a launch.
    steps: u32,
    // Room of a team for items and for leaf pairs, at most STACK and LEAVES.
    stack: u32,
    leaves: u32,
    // Items kept free for a depth-first search of the deepest pair.
    reserve: u32,
    // Room for records.
    records: u32,
    // 0 at run time, unknown to the compiler.
    zero: u32,
}
