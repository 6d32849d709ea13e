// Tests the triangle pairs of two leaves over a stretch of time. Those that stay farther apart than the limit are dropped.
// A pair is done if some of them may be within the limit in the middle of the stretch. Of all others nothing is known yet:
// they are recorded for `vertex_face_time` and `edge_edge_time`. Matches `continuous/moving_triangles`, but in f32 on
// differences of integers. One thread per leaf pair.

@group(0) @binding(0) var<storage, read> home: array<u32>;
@group(0) @binding(1) var<storage, read> guest: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read_write> leaves: array<LeafItem>;
@group(0) @binding(5) var<storage, read_write> records: array<Record>;
@group(0) @binding(6) var<storage, read_write> queue: Queue;
@group(0) @binding(7) var<storage, read_write> done: array<atomic<u32>>;

// If a corner moves farther than this share of the triangles' reach, the closest points are only computed to tell whether
// the triangles are apart in the middle: their directions prove little over so long a time.
const LONG = 0.05;

@compute @workgroup_size(64)
fn moving_triangles(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = atomicLoad(&queue.drain);
    var tests = 0u;
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let item = leaves[i];
        if is_given_up(atomicLoad(&done[item.pair])) {
            keep_leaves(item);
            continue;
        }
        tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
        test(item);
    }
    if tests > 0u {
        atomicAdd(&queue.triangle_tests, tests);
    }
}

// Tests all triangle pairs of two leaves.
fn test(item: LeafItem) {
    let of_home = 1u + (item.two & 1u);
    let of_guest = 1u + (item.two >> 1u);
    let leaf = corners(item, of_home, of_guest);
    let passing = passing_of(item.pair, leaf);
    var open = 0u;
    for (var i = 0u; i < of_home; i++) {
        for (var j = 0u; j < of_guest; j++) {
            let a = array<vec3<i32>, 3>(leaf.home[3u * i], leaf.home[3u * i + 1u], leaf.home[3u * i + 2u]);
            let b = array<vec3<i32>, 3>(leaf.guest[3u * j], leaf.guest[3u * j + 1u], leaf.guest[3u * j + 2u]);
            let found = beyond(a, b, passing);
            if found == NOTHING {
                keep_leaves(item);
                return;
            }
            open |= select(0u, 4096u << (2u * i + j), found == NOW);
        }
    }
    if open != 0u {
        records[atomicAdd(&queue.records, 1u)] = Record(item.pair, item.first, item.two | open);
    }
}

// Returns whether two triangles stay farther apart than the limit.
fn beyond(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, passing: Passing) -> u32 {
    var triangles = array<array<vec3<i32>, 3>, 2>(a, b);
    let mover = select(0u, 1u, passing.guest_moves);
    let m = triangles[mover];
    let s = triangles[1u - mover];
    let paths = array<vec3<f32>, 3>(path_of(passing, m[0]), path_of(passing, m[1]), path_of(passing, m[2]));
    let reach = reach_of(a, b);
    let zero = passing.zero;
    let moving = Moving(
        array<vec3<f32>, 2>(from_to(s[0], s[1]), from_to(s[0], s[2])),
        array<vec3<f32>, 3>(from_to(s[0], m[0]), from_to(s[0], m[1]), from_to(s[0], m[2])),
        paths,
        with_errors(passing, LENGTH * reach),
    );
    let middles = from_to(s[0], m[0]) + from_to(s[1], m[1]) + from_to(s[2], m[2]);
    var found = max(told(moving, fence(middles, zero)), max(told(moving, fence(normal_of(s), zero)), told(moving, fence(normal_of(m), zero))));
    if found == THROUGHOUT || (found == NOW && longest(paths) > LONG * reach) {
        return found;
    }
    let nearest = closest(a, b, zero);
    return max(found, max(told(moving, nearest.apart), told(moving, fence(nearest.perpendicular, zero))));
}

fn normal_of(t: array<vec3<i32>, 3>) -> vec3<f32> {
    return outer(from_to(t[0], t[1]), from_to(t[0], t[2]));
}
