// The motion of one part of a pair past the other over a stretch of time. `bvh/wide_obb/on_device/motions.rs` has the same
// struct; a test compares them.

// Vectors and lengths are in the normal coordinates of home and of guest, in this order.
struct Motion {
    // Half the path of the moving part's point at the normal origin, and half its turn: a point p moves by way + turn x p.
    way: array<f32, 6>,
    turn: array<f32, 6>,
    // The limit plus the largest deviation from that motion, and the part of the deviation that shorter stretches lack.
    added: array<f32, 2>,
    by_acceleration: array<f32, 2>,
    // As `added`, for the other part's motion as seen from the moving part.
    added_back: array<f32, 2>,
    // Bound of the turn's length.
    turned: f32,
    // The side that moves.
    mover: u32,
}

// Returns half the path of the point at the origin of a side's normal coordinates.
fn way_of(p: u32, side: u32) -> vec3<f32> {
    return vec3<f32>(motions[p].way[3u * side], motions[p].way[3u * side + 1u], motions[p].way[3u * side + 2u]);
}

fn turn_of(p: u32, side: u32) -> vec3<f32> {
    return vec3<f32>(motions[p].turn[3u * side], motions[p].turn[3u * side + 1u], motions[p].turn[3u * side + 2u]);
}

// Returns the sum of the coordinates' sizes.
fn size(v: vec3<f32>) -> f32 {
    return abs(v.x) + abs(v.y) + abs(v.z);
}
