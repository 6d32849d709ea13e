// Bounds the distances of the triangle pairs of two leaves, and lowers the limit of the query by the upper bounds. Leaf
// pairs that may hold the closest triangles are recorded. Matches `narrow/triangle_distance`, but in f32 on differences of
// integers. One thread per leaf pair.

@group(0) @binding(0) var<storage, read> home: array<u32>;
@group(0) @binding(1) var<storage, read> guest: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> leaves: array<LeafItem>;
@group(0) @binding(4) var<storage, read_write> records: array<NearRecord>;
@group(0) @binding(5) var<storage, read_write> progress: Progress;
@group(0) @binding(6) var<storage, read_write> searches: array<Search>;

// Smallest squared length of a direction, and smallest divisor: their errors by subnormal numbers are negligible.
const SHORTEST = 1e-27;
const TINY = 1e-35;

@compute @workgroup_size(64)
fn triangle_distance(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = atomicLoad(&progress.leaves);
    var tests = 0u;
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let item = leaves[i];
        tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
        test(item);
    }
    if tests > 0u {
        atomicAdd(&progress.triangle_tests, tests);
    }
}

// Tests the triangle pairs of two leaves, and records them if they may be the closest.
fn test(item: LeafItem) {
    let of_home = 1u + (item.two & 1u);
    let of_guest = 1u + (item.two >> 1u);
    let leaf = corners(item, of_home, of_guest);
    let query = pairs[item.pair].query;
    let limit = bitcast<f32>(atomicLoad(&searches[query].limit));
    var found = array<vec2<f32>, 4>();
    var nearest = limit;
    for (var i = 0u; i < of_home; i++) {
        for (var j = 0u; j < of_guest; j++) {
            let a = array<vec3<i32>, 3>(leaf.home[3u * i], leaf.home[3u * i + 1u], leaf.home[3u * i + 2u]);
            let b = array<vec3<i32>, 3>(leaf.guest[3u * j], leaf.guest[3u * j + 1u], leaf.guest[3u * j + 2u]);
            let bounds = bounds_of(a, b, leaf.blur, limit / leaf.unit) * leaf.unit;
            found[2u * i + j] = bounds;
            nearest = min(nearest, bounds.y);
        }
    }
    let before = bitcast<f32>(atomicMin(&searches[query].limit, bitcast<u32>(nearest)));
    nearest = min(nearest, before);
    var lanes = 0u;
    var at_least = nearest;
    for (var i = 0u; i < of_home; i++) {
        for (var j = 0u; j < of_guest; j++) {
            let lower = found[2u * i + j].x;
            lanes |= select(0u, 0x100u << (2u * i + j), lower <= nearest);
            at_least = min(at_least, lower);
        }
    }
    if lanes != 0u {
        let at = atomicAdd(&progress.records, 1u);
        records[at] = NearRecord(item.pair, item.first, item.two | lanes, bitcast<u32>(at_least));
    }
}

// The offset from a point of the second triangle to one of the first, and a direction perpendicular to their features.
struct Points {
    apart: vec3<f32>,
    squared: f32,
    perpendicular: vec3<f32>,
}

// Returns a lower and an upper bound of the distance of two triangles. The lower bound is less tight beyond `enough`.
fn bounds_of(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, blur: f32, enough: f32) -> vec2<f32> {
    let lo_a = min(a[0], min(a[1], a[2]));
    let hi_a = max(a[0], max(a[1], a[2]));
    let lo_b = min(b[0], min(b[1], b[2]));
    let hi_b = max(b[0], max(b[1], b[2]));
    let error = LENGTH * greatest(from_to(min(lo_a, lo_b), max(hi_a, hi_b))) + blur;
    let between = from_to(vec3<i32>(0), max(max(lo_a - hi_b, lo_b - hi_a), vec3<i32>(0)));
    let beyond = sqrt(inner(between, between)) - error;
    if beyond > enough {
        return vec2<f32>(beyond, 4.0 * enough);
    }
    let nearest = closest(a, b);
    let at_most = sqrt(nearest.squared) + error;
    var at_least = max(gap(a, b, nearest.apart) - error, 0.0);
    if at_most - at_least > 4.0 * error {
        at_least = max(at_least, gap(a, b, nearest.perpendicular) - error);
    }
    return vec2<f32>(at_least, at_most);
}

// Returns nearly closest points: of two edges, or of a corner and a face.
fn closest(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>) -> Points {
    var corners = array<array<vec3<i32>, 3>, 2>(a, b);
    var best = Points(vec3<f32>(0.0), 1e30, vec3<f32>(0.0));
    for (var k = 0u; k < 9u; k++) {
        let i = k / 3u;
        let j = k % 3u;
        let found = closest_of_edges(
            from_to(corners[0][i], corners[0][(i + 1u) % 3u]),
            from_to(corners[1][j], corners[1][(j + 1u) % 3u]),
            from_to(corners[1][j], corners[0][i]),
        );
        if found.squared < best.squared {
            best = found;
        }
    }
    for (var side = 0u; side < 2u; side++) {
        let found = closest_corner(corners[side], corners[1u - side]);
        if found.squared < best.squared {
            best = found;
        }
    }
    return best;
}

fn fraction(x: f32) -> f32 {
    return clamp(x, 0.0, 1.0);
}

// Returns nearly closest points of two edges u and v, whose first points are r apart.
fn closest_of_edges(u: vec3<f32>, v: vec3<f32>, r: vec3<f32>) -> Points {
    let uu = inner(u, u);
    let vv = inner(v, v);
    let uv = inner(u, v);
    let ur = inner(u, r);
    let vr = inner(v, r);
    let first = fraction((uv * vr - ur * vv) / max(uu * vv - uv * uv, TINY));
    let t = fraction((uv * first + vr) / max(vv, TINY));
    let s = fraction((uv * t - ur) / max(uu, TINY));
    let apart = r + u * s - v * t;
    return Points(apart, inner(apart, apart), outer(u, v));
}

// Returns the corner nearest to a triangle's plane and its foot, if that is inside the triangle.
fn closest_corner(corners: array<vec3<i32>, 3>, face: array<vec3<i32>, 3>) -> Points {
    let u = from_to(face[0], face[1]);
    let v = from_to(face[0], face[2]);
    let normal = outer(u, v);
    var nearest = from_to(face[0], corners[0]);
    for (var i = 1u; i < 3u; i++) {
        var among = corners;
        let w = from_to(face[0], among[i]);
        if abs(inner(normal, w)) < abs(inner(normal, nearest)) {
            nearest = w;
        }
    }
    let w = nearest;
    let uu = inner(u, u);
    let vv = inner(v, v);
    let uv = inner(u, v);
    let inverse = 1.0 / max(uu * vv - uv * uv, TINY);
    let x = (vv * inner(u, w) - uv * inner(v, w)) * inverse;
    let y = (uu * inner(v, w) - uv * inner(u, w)) * inverse;
    if x < 0.0 || y < 0.0 || x + y > 1.0 {
        return Points(vec3<f32>(0.0), 1e30, vec3<f32>(0.0));
    }
    let apart = w - u * x - v * y;
    return Points(apart, inner(apart, apart), normal);
}

// Returns how far one triangle is past the other along a direction of any length, or 0.
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
