// Tests the edges of triangle pairs that `moving_triangles` left open over a stretch of time, which it halves: a pair is
// done if some of them may come within the limit. Matches `continuous/edge_edge_time`, but with the gap along the edges'
// common normal in the middle instead of their volume over time. One thread per pair of edges.

const PER_PAIR = 9u;

@compute @workgroup_size(64)
fn edge_edge_time(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    test_features(thread, workgroups);
}

// Returns an edge of each triangle.
fn chosen(standing: array<vec3<i32>, 3>, moving: array<vec3<i32>, 3>, number: u32) -> Features {
    return Features(edge(standing, number / 3u), edge(moving, number % 3u));
}

fn edge(triangle: array<vec3<i32>, 3>, i: u32) -> array<vec3<i32>, 3> {
    var t = triangle;
    let end = t[(i + 1u) % 3u];
    return array<vec3<i32>, 3>(t[i], end, end);
}

// Returns true only if two edges stay farther apart than the limit.
fn separated(moving: Moving, zero: u32) -> bool {
    let v = fence(moving.middle[1] - moving.middle[0], zero);
    let nearest = closest_of_edges(moving.standing[0], v, -moving.middle[0], zero);
    return told(moving, nearest.apart) == THROUGHOUT || told(moving, fence(nearest.perpendicular, zero)) == THROUGHOUT;
}
