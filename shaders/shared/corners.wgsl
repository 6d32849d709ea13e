// The corners of two leaves, on a common grid of integers. Shaders that use this declare `home`, `guest` and `pairs`.

// Step of the grid as a length, if corners are at most 1 from the first corner of the home leaf.
const STEP = 1.862645149230957e-9;

// The corners of two leaves on a common grid, and the bound of their position error, in steps and as a length.
struct Leaves {
    home: array<vec3<i32>, 6>,
    guest: array<vec3<i32>, 6>,
    steps: i32,
    blur: f32,
    // Home units of a length of 1.
    unit: f32,
    // The first corner of the home leaf, in home units.
    first: vec3<f32>,
    // 0 at run time, unknown to the compiler.
    zero: u32,
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
    let across = minus(in_home(p, guest_first), home_first);
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
    leaf.unit = bitcast<f32>((108u + down - up) << 23u);
    leaf.zero = pairs[p].zero;
    leaf.first = as_floats(home_first) * 3.552713678800501e-15;
    return leaf;
}

fn on_grid(x: Fixed3, down: u32, up: u32) -> vec3<i32> {
    return vec3<i32>(shifted_up(shifted_down(x, down), up).lo);
}

// Returns the vector from a to b, as a length.
fn from_to(a: vec3<i32>, b: vec3<i32>) -> vec3<f32> {
    return vec3<f32>(b - a) * STEP;
}

fn least(v: vec3<f32>) -> f32 {
    return min(v.x, min(v.y, v.z));
}

fn greatest(v: vec3<f32>) -> f32 {
    return max(v.x, max(v.y, v.z));
}
