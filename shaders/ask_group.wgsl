// A question about contacts for a group of 32 lanes.

@compute @workgroup_size(32)
fn ask_group(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    ask(lane, group.x, groups.x);
    end_run(lane);
}
