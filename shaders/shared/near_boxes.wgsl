// Bounds of the distance of two boxes. Matches `distances` in `bvh/wide_obb/box_box`.

// Smallest squared length of a direction; a shorter one gives a weaker bound.
const SHORT = 1e-30;

// Returns a lower and an upper bound of the distance between any point of the single box and any point of a box of the
// opened block. The lower bound is the gap along the direction of the gaps along the axes of one box.
fn bounds_of_boxes(single: Single, other: Box) -> vec2<f32> {
    let ha = single.half;
    let hb = other.half;
    let ta = along(single, other.center - single.center);
    let c0 = along(single, other.axes[0]);
    let c1 = along(single, other.axes[1]);
    let c2 = along(single, fence(outer(other.axes[0], other.axes[1])));
    let tb = vec3<f32>(inner(ta, c0), inner(ta, c1), inner(ta, c2));
    let first = toward(abs(ta) - (ha + hb.x * abs(c0) + hb.y * abs(c1) + hb.z * abs(c2)), ta);
    let second = toward(abs(tb) - (hb + vec3<f32>(inner(ha, abs(c0)), inner(ha, abs(c1)), inner(ha, abs(c2)))), tb);
    var n = first;
    if inner(second, second) > inner(first, first) {
        n = c0 * second.x + c1 * second.y + c2 * second.z;
    }
    n = fence(n);
    n = fence(n * inverseSqrt(max(inner(n, n), SHORT)));
    let m = fence(vec3<f32>(inner(c0, n), inner(c1, n), inner(c2, n)));
    let seen = fence(vec3<f32>(inner(n, ta), inner(ha, abs(n)) + inner(hb, abs(m)), 0.0));
    let far = FAR * (abs(ta.x) + abs(ta.y) + abs(ta.z));
    let at_most = sqrt(inner(ta, ta)) + sqrt(inner(ha, ha)) + sqrt(inner(hb, hb));
    return vec2<f32>(max(abs(seen.x) - seen.y - far, 0.0), at_most * (1.0 + FAR));
}

// Gives gaps the signs of the offset between the centres; overlaps become 0.
fn toward(gaps: vec3<f32>, t: vec3<f32>) -> vec3<f32> {
    let size = max(gaps, vec3<f32>(0.0));
    return select(size, -size, t < vec3<f32>(0.0));
}
