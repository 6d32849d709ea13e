// Bounds of the distances of the triangle pairs of two leaves. Matches `narrow/triangle_distance`, but in f32 on differences of
// integers.

// Lower bounds by lane, and the least of a limit and of all upper bounds.
struct LeafBounds {
    at_least: array<f32, 4>,
    at_most: f32,
}

// The triangle pairs that may be the closest, as in `NearRecord`, and a lower bound of their distances.
struct NearLanes {
    lanes: u32,
    at_least: f32,
}

fn bounds_of_leaves(item: LeafItem, limit: f32) -> LeafBounds {
    let of_home = 1u + (item.two & 1u);
    let of_guest = 1u + (item.two >> 1u);
    let leaf = corners(item, of_home, of_guest);
    var found: LeafBounds;
    found.at_most = limit;
    for (var i = 0u; i < of_home; i++) {
        for (var j = 0u; j < of_guest; j++) {
            let a = array<vec3<i32>, 3>(leaf.home[3u * i], leaf.home[3u * i + 1u], leaf.home[3u * i + 2u]);
            let b = array<vec3<i32>, 3>(leaf.guest[3u * j], leaf.guest[3u * j + 1u], leaf.guest[3u * j + 2u]);
            let bounds = bounds_of_triangles(a, b, leaf, limit / leaf.unit) * leaf.unit;
            found.at_least[2u * i + j] = bounds.x;
            found.at_most = min(found.at_most, bounds.y);
        }
    }
    return found;
}

// Returns the triangle pairs whose distance may be within a limit.
fn within(bounds: LeafBounds, two: u32, limit: f32) -> NearLanes {
    var at_least = bounds.at_least;
    var found = NearLanes(0u, limit);
    for (var i = 0u; i <= (two & 1u); i++) {
        for (var j = 0u; j <= (two >> 1u); j++) {
            let lower = at_least[2u * i + j];
            found.lanes |= select(0u, 0x100u << (2u * i + j), lower <= limit);
            found.at_least = min(found.at_least, lower);
        }
    }
    return found;
}

fn record_of(item: LeafItem, near: NearLanes) -> NearRecord {
    return NearRecord(item.pair | ((item.two | near.lanes) << 16u), item.first, bitcast<u32>(near.at_least));
}

// Returns a lower and an upper bound of the distance of two triangles. The lower bound is less tight beyond `enough`.
fn bounds_of_triangles(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, leaf: Leaves, enough: f32) -> vec2<f32> {
    let lo_a = min(a[0], min(a[1], a[2]));
    let hi_a = max(a[0], max(a[1], a[2]));
    let lo_b = min(b[0], min(b[1], b[2]));
    let hi_b = max(b[0], max(b[1], b[2]));
    let error = LENGTH * greatest(from_to(min(lo_a, lo_b), max(hi_a, hi_b))) + leaf.blur;
    let between = from_to(vec3<i32>(0), max(max(lo_a - hi_b, lo_b - hi_a), vec3<i32>(0)));
    let beyond = sqrt(inner(between, between)) - error;
    if beyond > enough {
        return vec2<f32>(beyond, 4.0 * enough);
    }
    let nearest = closest(a, b, leaf.zero);
    let at_most = sqrt(nearest.squared) + error;
    var at_least = max(gap(a, b, nearest.apart) - error, 0.0);
    if at_most - at_least > 4.0 * error {
        at_least = max(at_least, gap(a, b, fenced(nearest.perpendicular, leaf.zero)) - error);
    }
    return vec2<f32>(at_least, at_most);
}

// Returns how far one triangle is past the other along a direction of any length, which must be fenced, or 0.
fn gap(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, direction: vec3<f32>) -> f32 {
    let squared = inner(direction, direction);
    let p = vec3<f32>(0.0, inner(direction, from_to(a[0], a[1])), inner(direction, from_to(a[0], a[2])));
    let q = vec3<f32>(
        inner(direction, from_to(a[0], b[0])),
        inner(direction, from_to(a[0], b[1])),
        inner(direction, from_to(a[0], b[2])),
    );
    let past = max(least(q) - greatest(p), least(p) - greatest(q));
    return select(0.0, past / sqrt(max(squared, SHORTEST)), squared >= SHORTEST);
}
