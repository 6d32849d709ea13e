// Tests the vertices and faces of triangle pairs that `moving_triangles` left open over a stretch of time, which it halves:
// a pair is done if some of them may come within the limit. Matches `continuous/vertex_face_time`, but a face that moves is
// seen from the vertex. One thread per vertex and face.

const PER_PAIR = 6u;

@compute @workgroup_size(64)
fn vertex_face_time(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    test_features(thread, workgroups);
}

// Returns one triangle and a vertex of the other.
fn chosen(standing: array<vec3<i32>, 3>, moving: array<vec3<i32>, 3>, number: u32) -> Features {
    var triangles = array<array<vec3<i32>, 3>, 2>(standing, moving);
    let corner = triangles[number / 3u][number % 3u];
    let vertex = array<vec3<i32>, 3>(corner, corner, corner);
    if number < 3u {
        return Features(vertex, moving);
    }
    return Features(standing, vertex);
}

// Returns true only if a vertex and a face stay farther apart than the limit.
fn separated(moving: Moving, zero: u32) -> bool {
    // One of the two is a face; the vertex' own offsets are 0.
    let p = fence(moving.standing[0] + (moving.middle[0] - moving.middle[1]), zero);
    let q = fence(moving.standing[1] + (moving.middle[0] - moving.middle[2]), zero);
    let at = moving.middle[0];
    return told(moving, fence(outer(p, q), zero)) == THROUGHOUT || told(moving, from_edges(p, q, at, zero)) == THROUGHOUT;
}

// Returns the vector to a vertex from the closest point on the edges of the triangle of 0, p and q.
fn from_edges(p: vec3<f32>, q: vec3<f32>, at: vec3<f32>, zero: u32) -> vec3<f32> {
    var best = from_edge(p, at, zero);
    let others = array<vec3<f32>, 2>(from_edge(q, at, zero), from_edge(q - p, at - p, zero));
    if inner(others[0], others[0]) < inner(best, best) {
        best = others[0];
    }
    if inner(others[1], others[1]) < inner(best, best) {
        best = others[1];
    }
    return best;
}

fn from_edge(along: vec3<f32>, at: vec3<f32>, zero: u32) -> vec3<f32> {
    return fence(at - along * fraction(inner(along, at) / max(inner(along, along), TINY)), zero);
}
