// Tests pairs of features, each of one of two triangles, over parts of a stretch of time: a part is excluded or halved.
// Shaders that use this declare the constant `PER_PAIR`, which is the number of such pairs of two triangles, and the functions
// `chosen`, which picks one of them, and `separated`, which tests it over a part of the stretch.

@group(0) @binding(0) var<storage, read> home: array<u32>;
@group(0) @binding(1) var<storage, read> guest: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read> records: array<Record>;
@group(0) @binding(5) var<storage, read_write> queue: Queue;
@group(0) @binding(6) var<storage, read_write> done: array<atomic<u32>>;

// The number of parts into which a stretch is cut at most, a power of two.
const PARTS = 8u;

// Longest path of a corner. Over longer paths no part would be excluded, and products of such numbers stay finite.
const LONGEST = 64.0;

// Two features, with the corners of triangles: an edge has its second end twice, and a vertex is there three times.
struct Features {
    standing: array<vec3<i32>, 3>,
    moving: array<vec3<i32>, 3>,
}

// Tests all features of the recorded triangle pairs. The arguments are those of the entry point. One thread per pair of
// features.
fn test_features(thread: vec3<u32>, workgroups: vec3<u32>) {
    let count = atomicLoad(&queue.records) * 4u * PER_PAIR;
    var tests = 0u;
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let record = records[i / (4u * PER_PAIR)];
        let lane = i / PER_PAIR % 4u;
        if ((record.found >> 12u) & (1u << lane)) == 0u || is_given_up(atomicLoad(&done[record.pair])) {
            continue;
        }
        tests += 1u;
        let triangles = array<u32, 2>(record.first[0] + (lane >> 1u), record.first[1] + (lane & 1u));
        if !stay_beyond(LeafItem(record.pair, triangles, 0u), i % PER_PAIR) {
            atomicOr(&done[record.pair], GIVEN_UP);
        }
    }
    if tests > 0u {
        atomicAdd(&queue.feature_tests, tests);
    }
}

// Returns true only if two features of two triangles stay farther apart than the limit. Visits the parts of the stretch in
// order, the longest that are left first.
fn stay_beyond(item: LeafItem, number: u32) -> bool {
    let leaf = corners(item, 1u, 1u);
    let passing = passing_of(item.pair, leaf);
    let a = array<vec3<i32>, 3>(leaf.home[0], leaf.home[1], leaf.home[2]);
    let b = array<vec3<i32>, 3>(leaf.guest[0], leaf.guest[1], leaf.guest[2]);
    var features: Features;
    if passing.guest_moves {
        features = chosen(a, b, number);
    } else {
        features = chosen(b, a, number);
    }
    let m = features.moving;
    let paths = array<vec3<f32>, 3>(
        fence(path_of(passing, m[0]), leaf.zero),
        fence(path_of(passing, m[1]), leaf.zero),
        fence(path_of(passing, m[2]), leaf.zero),
    );
    let farthest = longest(paths);
    if farthest > LONGEST {
        return false;
    }
    let added = with_errors(passing, GAP_OVER_TIME * (reach_of(features.standing, m) + farthest));
    var level = 0u;
    for (var begin = 0u; begin < PARTS; ) {
        let half = bitcast<f32>((127u - level) << 23u);
        let middle = f32(begin) * (2.0 / f32(PARTS)) + (half - 1.0);
        if separated(over(features, paths, middle, half, added, leaf.zero), leaf.zero) {
            begin += PARTS >> level;
            level = firstLeadingBit(PARTS) - min(firstTrailingBit(begin), firstLeadingBit(PARTS));
        } else {
            level += 1u;
            if PARTS >> level == 0u {
                return false;
            }
        }
    }
    return true;
}

// Returns the features over a part of the stretch.
fn over(features: Features, paths: array<vec3<f32>, 3>, middle: f32, half: f32, added: f32, zero: u32) -> Moving {
    let s = features.standing;
    let m = features.moving;
    return Moving(
        array<vec3<f32>, 2>(from_to(s[0], s[1]), from_to(s[0], s[2])),
        array<vec3<f32>, 3>(
            fence(from_to(s[0], m[0]) + paths[0] * middle, zero),
            fence(from_to(s[0], m[1]) + paths[1] * middle, zero),
            fence(from_to(s[0], m[2]) + paths[2] * middle, zero),
        ),
        array<vec3<f32>, 3>(paths[0] * half, paths[1] * half, paths[2] * half),
        added,
    );
}
