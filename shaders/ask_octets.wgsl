// Questions about contacts that are small, or end at the first contact: four for a group of 32 lanes.

const LANES = 8u;
const TEAMS = 4u;
// Room of a team for items and for leaf pairs.
const STACK = 160u;
const LEAVES = 16u;

@compute @workgroup_size(32)
fn ask_octets(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    ask(lane, group.x, groups.x);
    end_run(lane);
}
