// Brings the boxes of a page into the order of their sorted keys. One thread per box.

@group(0) @binding(0) var<uniform> settings: SweepSettings;
// Keys; the last word is the place of the box.
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> unsorted: array<Ends>;
@group(0) @binding(3) var<storage, read_write> boxes: array<Ends>;

@compute @workgroup_size(64)
fn order_boxes(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    for (var i = thread.x; i < settings.rows; i += workgroups.x * 64u) {
        boxes[i] = unsorted[keys[i].w];
    }
}
