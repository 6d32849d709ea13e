// Tests the triangle pairs of two leaves: in contact, apart, or undecided. Matches the first three steps of
// `narrow/triangle_triangle`, but in f32 on differences of integers; `posed_triangles` continues. One thread per leaf
// pair.

@group(0) @binding(0) var<storage, read> home: array<u32>;
@group(0) @binding(1) var<storage, read> guest: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read> leaves: array<LeafItem>;
@group(0) @binding(4) var<storage, read_write> records: array<Record>;
@group(0) @binding(5) var<storage, read_write> queue: Queue;
@group(0) @binding(6) var<storage, read_write> done: array<atomic<u32>>;

const APART = 0u;
const MEETS = 1u;
const UNSURE = 2u;

// Step of the grid as a length, if corners are at most 1 from the first corner of the home leaf.
const STEP = 1.862645149230957e-9;

// The corners of two leaves on a common grid, and the bound of their position error, in steps and as a length.
struct Leaves {
    home: array<vec3<i32>, 6>,
    guest: array<vec3<i32>, 6>,
    steps: i32,
    blur: f32,
}

@compute @workgroup_size(64)
fn triangle_triangle(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = atomicLoad(&queue.drain);
    var tests = 0u;
    for (var i = thread.x; i < count; i += workgroups.x * 64u) {
        let item = leaves[i];
        if atomicLoad(&done[item.pair]) != 0u {
            continue;
        }
        tests += (1u + (item.two & 1u)) * (1u + (item.two >> 1u));
        let found = test(item);
        if found != 0u {
            let at = atomicAdd(&queue.records, 1u);
            records[at] = Record(item.pair, item.first, item.two | found);
            if (found & 0xf00u) != 0u && pairs[item.pair].any != 0u {
                atomicStore(&done[item.pair], 1u);
            }
        }
    }
    if tests > 0u {
        atomicAdd(&queue.triangle_tests, tests);
    }
}

// Tests the triangle pairs of two leaves. Returns bits as in a record.
fn test(item: LeafItem) -> u32 {
    let of_home = 1u + (item.two & 1u);
    let of_guest = 1u + (item.two >> 1u);
    let leaf = corners(item, of_home, of_guest);
    var found = 0u;
    for (var i = 0u; i < of_home; i++) {
        for (var j = 0u; j < of_guest; j++) {
            let a = array<vec3<i32>, 3>(leaf.home[3u * i], leaf.home[3u * i + 1u], leaf.home[3u * i + 2u]);
            let b = array<vec3<i32>, 3>(leaf.guest[3u * j], leaf.guest[3u * j + 1u], leaf.guest[3u * j + 2u]);
            let known = contact(a, b, leaf.steps, leaf.blur);
            found |= select(0u, 0x100u << (2u * i + j), known == MEETS);
            found |= select(0u, 0x1000u << (2u * i + j), known == UNSURE);
        }
    }
    return found;
}

// Returns the normal coordinates of a vertex of one side, given by its words.
fn normal(p: u32, side: u32, lo: vec3<u32>, hi: vec3<u32>) -> Fixed3 {
    let x = pairs[p].centers[3u * side];
    let y = pairs[p].centers[3u * side + 1u];
    let z = pairs[p].centers[3u * side + 2u];
    let center = Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y)));
    return minus(of_doubles(lo, hi, pairs[p].scalings[side]), center);
}

fn home_vertex(p: u32, at: u32) -> Fixed3 {
    let v = pairs[p].vertices[0] + 6u * home[at];
    let lo = vec3<u32>(home[v], home[v + 2u], home[v + 4u]);
    return normal(p, 0u, lo, vec3<u32>(home[v + 1u], home[v + 3u], home[v + 5u]));
}

fn guest_vertex(p: u32, at: u32) -> Fixed3 {
    let v = pairs[p].vertices[1] + 6u * guest[at];
    let lo = vec3<u32>(guest[v], guest[v + 2u], guest[v + 4u]);
    return normal(p, 1u, lo, vec3<u32>(guest[v + 1u], guest[v + 3u], guest[v + 5u]));
}

fn row_of(p: u32, i: u32) -> Limbs {
    let x = pairs[p].turn[3u * i];
    let y = pairs[p].turn[3u * i + 1u];
    let z = pairs[p].turn[3u * i + 2u];
    return limbs(Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y))));
}

// Places the corners on a grid around the first corner of the home leaf, as fine as 30 bits allow.
fn corners(item: LeafItem, of_home: u32, of_guest: u32) -> Leaves {
    let p = item.pair;
    let rows = array<Limbs, 3>(row_of(p, 0u), row_of(p, 1u), row_of(p, 2u));
    let exponent = pairs[p].exponent;
    let home_at = pairs[p].corners[0] + 3u * item.first[0];
    let guest_at = pairs[p].corners[1] + 3u * item.first[1];

    // Edges from the first corners; these are exact.
    let home_first = home_vertex(p, home_at);
    var home_edges: array<Fixed3, 6>;
    var size = vec2<u32>(0u);
    for (var i = 1u; i < 3u * of_home; i++) {
        home_edges[i] = minus(home_vertex(p, home_at + i), home_first);
        size |= size_bits(home_edges[i]);
    }
    let guest_first = guest_vertex(p, guest_at);
    var guest_edges: array<Fixed3, 6>;
    var guest_size = vec2<u32>(0u);
    for (var i = 1u; i < 3u * of_guest; i++) {
        guest_edges[i] = minus(guest_vertex(p, guest_at + i), guest_first);
        guest_size |= size_bits(guest_edges[i]);
    }

    // Vector from the home leaf's first corner to the guest leaf's, in home units.
    let x = pairs[p].shift[0];
    let y = pairs[p].shift[1];
    let z = pairs[p].shift[2];
    let shift = Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y)));
    let across = minus(plus(shifted_down(product(rows, guest_first), exponent), shift), home_first);
    size |= size_bits(across);

    // The grid's step is 2^(bits - 29) steps of the fixed point. A turned edge may be sqrt(3) times as long as its
    // coordinates.
    let guest_bits = length_of(guest_size);
    let bits = max(length_of(size), max(guest_bits + 1u, exponent) - exponent);
    let down = max(bits, 29u) - 29u;
    let up = 29u - min(bits, 29u);

    var leaf: Leaves;
    let between = on_grid(across, down, up);
    leaf.guest[0] = between;
    for (var i = 1u; i < 3u * of_home; i++) {
        leaf.home[i] = on_grid(home_edges[i], down, up);
    }
    // Edges are scaled to fill 48 bits before they are turned; the result is then scaled by 2^(guest_bits - 48 -
    // exponent).
    for (var i = 1u; i < 3u * of_guest; i++) {
        let full = shifted_down(shifted_up(guest_edges[i], 48u - min(guest_bits, 48u)), max(guest_bits, 48u) - 48u);
        let turned = shifted_down(product(rows, full), 48u + exponent + down - guest_bits - up);
        leaf.guest[i] = between + vec3<i32>(turned.lo);
    }

    let scale = bitcast<f32>((127u + up - down) << 23u);
    let blur = GRID + pairs[p].blur * scale;
    leaf.steps = i32(min(blur, 1e9)) + 1i;
    leaf.blur = blur * STEP;
    return leaf;
}

fn on_grid(x: Fixed3, down: u32, up: u32) -> vec3<i32> {
    return vec3<i32>(shifted_up(shifted_down(x, down), up).lo);
}

// Returns the vector from a to b, as a length.
fn from_to(a: vec3<i32>, b: vec3<i32>) -> vec3<f32> {
    return vec3<f32>(b - a) * STEP;
}

fn inner(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn outer(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return a.yzx * b.zxy - a.zxy * b.yzx;
}

fn least(v: vec3<f32>) -> f32 {
    return min(v.x, min(v.y, v.z));
}

fn greatest(v: vec3<f32>) -> f32 {
    return max(v.x, max(v.y, v.z));
}

// Returns APART or MEETS if that is proven of two triangles, otherwise UNSURE.
fn contact(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, steps: i32, blur: f32) -> u32 {
    let lo_a = min(a[0], min(a[1], a[2]));
    let hi_a = max(a[0], max(a[1], a[2]));
    let lo_b = min(b[0], min(b[1], b[2]));
    let hi_b = max(b[0], max(b[1], b[2]));
    if any(lo_a - hi_b > vec3<i32>(steps)) || any(lo_b - hi_a > vec3<i32>(steps)) {
        return APART;
    }
    if blur > 0.125 {
        return UNSURE;
    }
    let size = from_to(min(lo_a, lo_b), max(hi_a, hi_b)) + vec3<f32>(2.0 * blur);
    let faces = size.yzx * size.zxy;
    let error = DETERMINANT * (size.x * size.y * size.z) + MOVED_DETERMINANT * blur * (faces.x + faces.y + faces.z);
    let sides_a = sides(a, b);
    let sides_b = sides(b, a);
    if least(sides_a) > error || greatest(sides_a) < -error || least(sides_b) > error || greatest(sides_b) < -error {
        return APART;
    }
    if least(abs(sides_a)) > error && least(abs(sides_b)) > error {
        return intervals(a, sides_a, b, sides_b, error);
    }
    return UNSURE;
}

// Returns a value per corner of a triangle that is positive on the side to which the plane's normal points.
fn sides(corners: array<vec3<i32>, 3>, plane: array<vec3<i32>, 3>) -> vec3<f32> {
    let normal = outer(from_to(plane[0], plane[1]), from_to(plane[0], plane[2]));
    return vec3<f32>(
        inner(normal, from_to(plane[0], corners[0])),
        inner(normal, from_to(plane[0], corners[1])),
        inner(normal, from_to(plane[0], corners[2])),
    );
}

// A triangle with its corners reordered: first the one that is alone on its side of the other triangle's plane.
struct Alone {
    corner: array<vec3<i32>, 3>,
    // True if the first corner is on the positive side.
    above: bool,
    // True if two corners were swapped, which reverses the normal.
    odd: bool,
}

fn alone(t: array<vec3<i32>, 3>, sides: vec3<f32>) -> Alone {
    let s = sides > vec3<f32>(0.0);
    let second = (s.y != s.x) && (s.y != s.z);
    let third = (s.z != s.x) && (s.z != s.y);
    let corner = array<vec3<i32>, 3>(
        select(select(t[0], t[2], third), t[1], second),
        select(t[1], t[0], second),
        select(t[2], t[0], third),
    );
    // One or two of the three corners are above, so this parity is the side of the single one.
    return Alone(corner, (s.x != s.y) != s.z, second || third);
}

// Compares the intervals in which two triangles cut the common line of their planes: APART, MEETS or UNSURE.
fn intervals(a: array<vec3<i32>, 3>, sides_a: vec3<f32>, b: array<vec3<i32>, 3>, sides_b: vec3<f32>, error: f32) -> u32 {
    let from_a = alone(a, sides_a);
    let from_b = alone(b, sides_b);
    let a_above = from_a.above != from_b.odd;
    let b_above = from_b.above != from_a.odd;
    // Swap two corners if needed so that both intervals run the same way.
    let turned = a_above != b_above;
    let bq = select(from_b.corner[1], from_b.corner[2], turned);
    let br = select(from_b.corner[2], from_b.corner[1], turned);
    let ap = from_a.corner[0];
    let bp = from_b.corner[0];
    let across = from_to(ap, bp);
    let first = inner(across, outer(from_to(bp, bq), from_to(ap, from_a.corner[1])));
    let second = inner(across, outer(from_to(bp, br), from_to(ap, from_a.corner[2])));
    let low = select(second, first, b_above);
    let high = select(first, second, b_above);
    if low > error || high < -error {
        return APART;
    }
    if low < -error && high > error {
        return MEETS;
    }
    return UNSURE;
}
