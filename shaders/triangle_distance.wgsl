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
            let bounds = bounds_of(a, b, leaf, limit / leaf.unit) * leaf.unit;
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
        records[at] = NearRecord(item.pair | ((item.two | lanes) << 16u), item.first, bitcast<u32>(at_least));
    }
}

// Returns a lower and an upper bound of the distance of two triangles. The lower bound is less tight beyond `enough`.
fn bounds_of(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, leaf: Leaves, enough: f32) -> vec2<f32> {
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
