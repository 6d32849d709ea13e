// Tests the triangle pairs of two leaves over a stretch of time: a pair is done if some of them may come within the limit.
// Matches `continuous/moving_triangles`, but in f32 on differences of integers. One thread per leaf pair.

@group(0) @binding(0) var<storage, read> home: array<u32>;
@group(0) @binding(1) var<storage, read> guest: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read> leaves: array<LeafItem>;
@group(0) @binding(5) var<storage, read_write> queue: Queue;
@group(0) @binding(6) var<storage, read_write> done: array<atomic<u32>>;

// If a corner moves farther than this share of the triangles' reach, the closest points are not computed: their directions
// prove little over so long a time.
const LONG = 0.05;

@compute @workgroup_size(64)
fn moving_triangles(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = atomicLoad(&queue.drain);
    var tests = 0u;
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let item = leaves[i];
        if atomicLoad(&done[item.pair]) != 0u {
            continue;
        }
        tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
        if !stay_beyond(item) {
            atomicStore(&done[item.pair], 1u);
        }
    }
    if tests > 0u {
        atomicAdd(&queue.triangle_tests, tests);
    }
}

// The motion of one leaf past the other: a point at p from the first corner of the home leaf moves by way + turn x p, and
// by no more than `added` besides. Lengths are those of the grid.
struct Passing {
    way: vec3<f32>,
    turn: vec3<f32>,
    added: f32,
    guest_moves: bool,
    zero: u32,
}

// Returns true only if all triangle pairs of two leaves stay farther apart than the limit.
fn stay_beyond(item: LeafItem) -> bool {
    let of_home = 1u + (item.two & 1u);
    let of_guest = 1u + (item.two >> 1u);
    let leaf = corners(item, of_home, of_guest);
    let turn = turn_of(item.pair, 0u);
    let way = way_of(item.pair, 0u) + outer(turn, leaf.first);
    let added = motions[item.pair].added[0];
    let moved = added + size(way) + size(turn) * size(leaf.first);
    let passing = Passing(way / leaf.unit, turn, (added + WIDER * moved) / leaf.unit + leaf.blur, motions[item.pair].mover == 1u, leaf.zero);
    for (var i = 0u; i < of_home; i++) {
        for (var j = 0u; j < of_guest; j++) {
            let a = array<vec3<i32>, 3>(leaf.home[3u * i], leaf.home[3u * i + 1u], leaf.home[3u * i + 2u]);
            let b = array<vec3<i32>, 3>(leaf.guest[3u * j], leaf.guest[3u * j + 1u], leaf.guest[3u * j + 2u]);
            if !beyond(a, b, passing) {
                return false;
            }
        }
    }
    return true;
}

// Returns true only if two triangles stay farther apart than the limit.
fn beyond(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, passing: Passing) -> bool {
    var triangles = array<array<vec3<i32>, 3>, 2>(a, b);
    let mover = select(0u, 1u, passing.guest_moves);
    let m = triangles[mover];
    let s = triangles[1u - mover];
    let origin = vec3<i32>(0);
    let paths = array<vec3<f32>, 3>(
        passing.way + outer(passing.turn, from_to(origin, m[0])),
        passing.way + outer(passing.turn, from_to(origin, m[1])),
        passing.way + outer(passing.turn, from_to(origin, m[2])),
    );
    let lo = min(min(a[0], min(a[1], a[2])), min(b[0], min(b[1], b[2])));
    let hi = max(max(a[0], max(a[1], a[2])), max(b[0], max(b[1], b[2])));
    let reach = greatest(from_to(lo, hi));
    // The mover's corners are at most 2 along each axis from the first corner of the home leaf.
    let added = (passing.added + LENGTH * reach + WIDER * (6.0 * size(passing.turn))) * (1.0 + WIDER);
    let zero = passing.zero;
    let middles = from_to(s[0], m[0]) + from_to(s[1], m[1]) + from_to(s[2], m[2]);
    if passes(s, m, paths, fence(middles, zero), added) || passes(s, m, paths, fence(normal_of(s), zero), added) || passes(s, m, paths, fence(normal_of(m), zero), added) {
        return true;
    }
    if greatest(max(abs(paths[0]), max(abs(paths[1]), abs(paths[2])))) > LONG * reach {
        return false;
    }
    let nearest = closest(a, b, zero);
    return passes(s, m, paths, nearest.apart, added) || passes(s, m, paths, fence(nearest.perpendicular, zero), added);
}

fn normal_of(t: array<vec3<i32>, 3>) -> vec3<f32> {
    return outer(from_to(t[0], t[1]), from_to(t[0], t[2]));
}

// Returns true only if a moving triangle stays beyond a standing one along a direction of any length, which must be fenced, by
// more than `added`.
fn passes(s: array<vec3<i32>, 3>, m: array<vec3<i32>, 3>, paths: array<vec3<f32>, 3>, direction: vec3<f32>, added: f32) -> bool {
    let squared = inner(direction, direction);
    let p = vec3<f32>(0.0, inner(direction, from_to(s[0], s[1])), inner(direction, from_to(s[0], s[2])));
    let q = vec3<f32>(
        inner(direction, from_to(s[0], m[0])),
        inner(direction, from_to(s[0], m[1])),
        inner(direction, from_to(s[0], m[2])),
    );
    let way = abs(vec3<f32>(inner(direction, paths[0]), inner(direction, paths[1]), inner(direction, paths[2])));
    let past = max(least(q - way) - greatest(p), least(p) - greatest(q + way));
    return squared >= SHORTEST && past > sqrt(squared) * added;
}
