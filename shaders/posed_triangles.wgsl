// Tests the triangle pairs that `triangle_triangle` left undecided again, at the corners that `Pose::apply` computes and
// with the arithmetic of `narrow/triangle_triangle`: in doubles. What remains needs exact arithmetic. One thread per
// record.

@group(0) @binding(0) var<storage, read> home: array<u32>;
@group(0) @binding(1) var<storage, read> guest: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read_write> records: array<Record>;
@group(0) @binding(4) var<storage, read_write> queue: Queue;
@group(0) @binding(5) var<storage, read_write> done: array<atomic<u32>>;

const APART = 0u;
const MEETS = 1u;
const UNSURE = 2u;

// Largest number of records per thread, so that a submission ends in time; the CPU decides the others.
const SHARE = 16u;

@compute @workgroup_size(64)
fn posed_triangles(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let threads = workgroups.x * 64u;
    let count = min(atomicLoad(&queue.records), SHARE * threads);
    var tests = 0u;
    for (var i = thread.x; i < count; i += threads) {
        let record = records[i];
        let undecided = (record.found >> 12u) & 15u;
        if undecided == 0u {
            continue;
        }
        if atomicLoad(&done[record.pair]) != 0u {
            // A contact of the pair is known, and one is enough.
            records[i].found = record.found & ~0xf000u;
            continue;
        }
        tests += countOneBits(undecided);
        let found = tested(record);
        records[i].found = found;
        if (found & 0xf00u) != 0u && pairs[record.pair].any != 0u {
            atomicStore(&done[record.pair], 1u);
        }
    }
    if tests > 0u {
        atomicAdd(&queue.posed_tests, tests);
    }
}

// Tests the undecided triangle pairs of a record. Returns its bits.
fn tested(record: Record) -> u32 {
    out_of_range = false;
    var corners: array<Doubles, 12>;
    for (var i = 0u; i < 12u; i++) {
        let is_two = (record.found >> (i / 6u)) & 1u;
        if i % 6u < 3u + 3u * is_two {
            corners[i] = posed(record, i / 6u, i % 6u);
        }
    }
    var found = record.found;
    if out_of_range {
        return found;
    }
    for (var lane = 0u; lane < 4u; lane++) {
        if ((found >> (12u + lane)) & 1u) == 0u {
            continue;
        }
        let i = 3u * (lane >> 1u);
        let j = 6u + 3u * (lane & 1u);
        let a = array<Doubles, 3>(corners[i], corners[i + 1u], corners[i + 2u]);
        let b = array<Doubles, 3>(corners[j], corners[j + 1u], corners[j + 2u]);
        let known = contact(a, b);
        if known != UNSURE && !out_of_range {
            found ^= 0x1000u << lane;
            found |= select(0u, 0x100u << lane, known == MEETS);
        }
        out_of_range = false;
    }
    return found;
}

// Returns a corner of a leaf of one side as `Pose::apply` does: ((m0 x + m1 y) + m2 z) + m3 per coordinate, and 0 if that
// is less than 2^-200.
fn posed(record: Record, side: u32, corner: u32) -> Doubles {
    let p = record.pair;
    let corners_at = pairs[p].corners[side] + 3u * record.first[side] + corner;
    var v: Doubles;
    if side == 0u {
        let at = pairs[p].vertices[0] + 6u * home[corners_at];
        v = Doubles(vec3<u32>(home[at], home[at + 2u], home[at + 4u]), vec3<u32>(home[at + 1u], home[at + 3u], home[at + 5u]));
    } else {
        let at = pairs[p].vertices[1] + 6u * guest[corners_at];
        v = Doubles(vec3<u32>(guest[at], guest[at + 2u], guest[at + 4u]), vec3<u32>(guest[at + 1u], guest[at + 3u], guest[at + 5u]));
    }
    v = doubles(v.lo, v.hi);
    var columns: array<Doubles, 4>;
    for (var k = 0u; k < 4u; k++) {
        let x = pairs[p].poses[12u * side + k];
        let y = pairs[p].poses[12u * side + 4u + k];
        let z = pairs[p].poses[12u * side + 8u + k];
        columns[k] = doubles(vec3<u32>(x.x, y.x, z.x), vec3<u32>(x.y, y.y, z.y));
    }
    let at = sum(weighted(v, array<Doubles, 3>(columns[0], columns[1], columns[2])), columns[3]);
    let is_tiny = exponent_of(at.hi) < vec3<i32>(1023 - 200);
    return Doubles(select(at.lo, vec3<u32>(0u), is_tiny), select(at.hi, vec3<u32>(0u), is_tiny));
}

// Returns APART or MEETS if the CPU's kernel proves it of two triangles, otherwise UNSURE.
fn contact(a: array<Doubles, 3>, b: array<Doubles, 3>) -> u32 {
    let lo_a = lower(a[0], lower(a[1], a[2]));
    let hi_a = upper(a[0], upper(a[1], a[2]));
    let lo_b = lower(b[0], lower(b[1], b[2]));
    let hi_b = upper(b[0], upper(b[1], b[2]));
    if any(is_below(hi_a, lo_b)) || any(is_below(hi_b, lo_a)) {
        return APART;
    }
    let size = sum(upper(hi_a, hi_b), negative(lower(lo_a, lo_b)));
    var error = spread(size, 0u);
    for (var k = 1u; k < 4u; k++) {
        var factor = constant(F64_DETERMINANT);
        if k < 3u {
            factor = spread(size, k);
        }
        error = times(error, factor);
    }
    var both = array<array<Doubles, 3>, 2>(a, b);
    var sides_of: array<Doubles, 2>;
    for (var i = 0u; i < 2u; i++) {
        sides_of[i] = sides(both[i], both[1u - i]);
    }
    let below = negative(error);
    let above_all = all(is_below(error, sides_of[0])) || all(is_below(error, sides_of[1]));
    let below_all = all(is_below(sides_of[0], below)) || all(is_below(sides_of[1], below));
    if above_all || below_all {
        return APART;
    }
    if all(is_below(error, magnitude(sides_of[0]))) && all(is_below(error, magnitude(sides_of[1]))) {
        let known = intervals(a, sides_of[0], b, sides_of[1], error);
        if known != UNSURE {
            return known;
        }
    }
    for (var i = 0u; i < 9u; i++) {
        let p = both[0][i / 3u];
        let q = both[1][i % 3u];
        if all(p.lo == q.lo) && all(p.hi == q.hi) {
            return MEETS;
        }
    }
    if separated(a, b, size, error) {
        return APART;
    }
    return UNSURE;
}

// Returns the corners relative to a point, by coordinates.
fn relative(corners: array<Doubles, 3>, origin: Doubles) -> array<Doubles, 3> {
    var found = corners;
    for (var i = 0u; i < 3u; i++) {
        found[i] = sum(found[i], negative(origin));
    }
    return transposed(found);
}

// Returns a value per corner of a triangle that is positive on the side to which the plane's normal points.
fn sides(corners: array<Doubles, 3>, plane: array<Doubles, 3>) -> Doubles {
    let origin = negative(plane[0]);
    let normal = cross_product(sum(plane[1], origin), sum(plane[2], origin));
    return weighted(normal, relative(corners, plane[0]));
}

// A triangle with its corners reordered: first the one that is alone on its side of the other triangle's plane.
struct Alone {
    corner: array<Doubles, 3>,
    // True if the first corner is on the positive side.
    above: bool,
    // True if two corners were swapped, which reverses the normal.
    odd: bool,
}

fn alone(corners: array<Doubles, 3>, sides: Doubles) -> Alone {
    var t = corners;
    let s = is_below(constant(0u), sides);
    let second = (s.y != s.x) && (s.y != s.z);
    let third = (s.z != s.x) && (s.z != s.y);
    let place = select(select(0u, 2u, third), 1u, second);
    let first = t[0];
    t[0] = t[place];
    t[place] = first;
    return Alone(t, (s.x != s.y) != s.z, second || third);
}

// Compares the intervals in which two triangles cut the common line of their planes: APART, MEETS or UNSURE.
fn intervals(a: array<Doubles, 3>, sides_a: Doubles, b: array<Doubles, 3>, sides_b: Doubles, error: Doubles) -> u32 {
    var from_a = alone(a, sides_a);
    var from_b = alone(b, sides_b);
    let a_above = from_a.above != from_b.odd;
    let b_above = from_b.above != from_a.odd;
    // Swap two corners if needed so that both intervals run the same way.
    let turned = select(0u, 3u, a_above != b_above);
    let a_first = negative(from_a.corner[0]);
    let b_first = negative(from_b.corner[0]);
    let across = sum(from_b.corner[0], a_first);
    let columns = array<Doubles, 3>(spread(across, 0u), spread(across, 1u), spread(across, 2u));
    var ends: array<Doubles, 2>;
    for (var i = 1u; i < 3u; i++) {
        let edge_b = sum(from_b.corner[select(i, 3u - i, turned != 0u)], b_first);
        let edge_a = sum(from_a.corner[i], a_first);
        ends[i - 1u] = weighted(cross_product(edge_b, edge_a), columns);
    }
    let low = ends[select(1u, 0u, b_above)];
    let high = ends[select(0u, 1u, b_above)];
    let below = negative(error);
    if any(is_below(error, low)) || any(is_below(high, below)) {
        return APART;
    }
    if any(is_below(low, below)) && any(is_below(error, high)) {
        return MEETS;
    }
    return UNSURE;
}

// Returns true only if an axis separates the triangles. Tests the axes perpendicular to an edge of each, and those in a
// triangle's plane perpendicular to one edge.
fn separated(a: array<Doubles, 3>, b: array<Doubles, 3>, size: Doubles, error: Doubles) -> bool {
    var corners = array<array<Doubles, 3>, 2>(a, b);
    // Edges of both triangles, then their normals.
    var edges: array<Doubles, 8>;
    for (var i = 0u; i < 6u; i++) {
        edges[i] = sum(corners[i / 3u][(i + 1u) % 3u], negative(corners[i / 3u][i % 3u]));
    }
    for (var i = 0u; i < 2u; i++) {
        edges[6u + i] = cross_product(edges[3u * i], edges[3u * i + 1u]);
    }
    var at: array<array<Doubles, 3>, 2>;
    for (var i = 0u; i < 2u; i++) {
        at[i] = relative(corners[i], a[0]);
    }
    let square = times(size, size);
    let faces = times(square, next_axes(square));
    let sum_of_faces = sum(sum(spread(faces, 0u), spread(faces, 1u)), spread(faces, 2u));
    // Twice the bound: its exponent is higher by 1. Nothing is added for underflow, which is out of range here.
    let in_plane = times(sum_of_faces, constant(F64_IN_PLANE + 0x100000u));
    let margin = sum(error, error);
    for (var i = 0u; i < 15u; i++) {
        var first = i / 3u;
        var second = 3u + i % 3u;
        // Corners whose projections are those of the corners before them.
        var same = vec2<u32>((first + 1u) % 3u, (second + 1u) % 3u);
        if i >= 9u {
            let own = (i - 9u) / 3u;
            first = 6u + own;
            second = i - 9u;
            same[own] = (second + 1u) % 3u;
            same[1u - own] = 3u;
        }
        let axis = cross_product(edges[first], edges[second]);
        var low: array<Doubles, 2>;
        var high: array<Doubles, 2>;
        for (var j = 0u; j < 2u; j++) {
            let places = weighted(axis, at[j]);
            var x = spread(places, 0u);
            var y = spread(places, 1u);
            var z = spread(places, 2u);
            if same[j] == 0u {
                x = z;
            } else if same[j] == 1u {
                y = x;
            } else if same[j] == 2u {
                z = y;
            }
            low[j] = lower(x, lower(y, z));
            high[j] = upper(x, upper(y, z));
        }
        var most = margin;
        if i >= 9u {
            most = in_plane;
        }
        // Lane 0 has the gap of b above a, the other lanes that of a above b.
        let begins = Doubles(vec3<u32>(low[1].lo.x, low[0].lo.yz), vec3<u32>(low[1].hi.x, low[0].hi.yz));
        let ends = Doubles(vec3<u32>(high[0].lo.x, high[1].lo.yz), vec3<u32>(high[0].hi.x, high[1].hi.yz));
        if any(is_below(most, sum(begins, negative(ends)))) {
            return true;
        }
    }
    return false;
}
