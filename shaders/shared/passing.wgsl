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
    // Number of times that the stretch is halved.
    levels: u32,
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

// The parts of a stretch are numbered: 1 is all of it, and 2 k and 2 k + 1 are the halves of part k. Times go from -1 to 1.

fn level_of(part: u32) -> u32 {
    return firstLeadingBit(part);
}

// Returns half the length of a part.
fn half_of(part: u32) -> f32 {
    return bitcast<f32>((127u - level_of(part)) << 23u);
}

// Returns the middle of a part.
fn middle_of(part: u32) -> f32 {
    let index = part - (1u << level_of(part));
    return f32(2u * index + 1u) * half_of(part) - 1.0;
}

// Returns a bit for each of the shortest parts within a part.
fn bits_of(part: u32, levels: u32) -> u32 {
    let level = level_of(part);
    let width = levels - level;
    return ((1u << (1u << width)) - 1u) << ((part - (1u << level)) << width);
}
