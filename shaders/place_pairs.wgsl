// Places the guests of pairs in the coordinates of their home trees, from the frames of both, in integers.
// `bvh/wide_obb/on_device/frames.rs` has the same structs, and a reference implementation that returns the same bits.

@group(0) @binding(0) var<uniform> settings: GroupSettings;
@group(0) @binding(1) var<storage, read> frames: array<Frame>;
@group(0) @binding(2) var<storage, read> pieces: array<PlacedPiece>;
@group(0) @binding(3) var<storage, read> unplaced: array<Unplaced>;
@group(0) @binding(4) var<storage, read_write> pairs: array<Pair>;

// A tree at a pose.
struct Frame {
    // Rows of four doubles.
    pose: array<vec2<u32>, 12>,
    // World position of its normal origin, as doubles.
    origin: array<vec2<u32>, 3>,
    // The scale is m 2^n, with m from 1/2 to 1. This is 1 / (4 m^2), in fixed point with 48 fractional bits.
    quarter: vec2<u32>,
    // Exponents of two that bring directions and places into fixed point, over 2^n.
    of_directions: i32,
    of_places: i32,
}

// What a pair has of the piece of a tree.
struct PlacedPiece {
    center: array<vec2<u32>, 3>,
    scaling: i32,
    blocks: u32,
    corners: u32,
    vertices: u32,
}

// A pair before it is placed: home first.
struct Unplaced {
    frames: array<u32, 2>,
    pieces: array<u32, 2>,
    // 1 / (4 m m') for both scales, and the same times the ratio and 2^exponent, in fixed point.
    quarter: vec2<u32>,
    quarter_scaled: vec2<u32>,
    exponent: u32,
    any: u32,
    ratio: f32,
    inverse_ratio: f32,
    margin: array<f32, 2>,
}

@compute @workgroup_size(64)
fn place_pairs(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = id.x;
    if p >= settings.questions {
        return;
    }
    let home = unplaced[p].frames[0];
    let guest = unplaced[p].frames[1];
    let rows = array<Limbs, 3>(limbs(axis(home, 0u)), limbs(axis(home, 1u)), limbs(axis(home, 2u)));
    for (var j = 0u; j < 3u; j++) {
        let both = product(rows, axis(guest, j));
        let turned = shifted_up(times(both, unplaced[p].quarter), 2u);
        let column = shifted_up(times(both, unplaced[p].quarter_scaled), 2u);
        for (var i = 0u; i < 3u; i++) {
            pairs[p].turn[3u * i + j] = vec2<u32>(column.lo[i], u32(column.hi[i]));
            pairs[p].rotation[3u * j + i] = nearest(turned.lo[i], turned.hi[i]);
        }
    }
    let exponent = frames[home].of_places;
    let between = minus(origin(guest, exponent), origin(home, exponent));
    let shift = shifted_up(times(product(rows, between), frames[home].quarter), 2u);
    for (var i = 0u; i < 3u; i++) {
        pairs[p].shift[i] = vec2<u32>(shift.lo[i], u32(shift.hi[i]));
    }
    for (var side = 0u; side < 2u; side++) {
        let frame = unplaced[p].frames[side];
        for (var i = 0u; i < 12u; i++) {
            pairs[p].poses[12u * side + i] = frames[frame].pose[i];
        }
        let piece = unplaced[p].pieces[side];
        for (var i = 0u; i < 3u; i++) {
            pairs[p].centers[3u * side + i] = pieces[piece].center[i];
        }
        pairs[p].scalings[side] = pieces[piece].scaling;
        pairs[p].blocks[side] = pieces[piece].blocks;
        pairs[p].corners[side] = pieces[piece].corners;
        pairs[p].vertices[side] = pieces[piece].vertices;
        pairs[p].margin[side] = unplaced[p].margin[side];
    }
    pairs[p].ratio = unplaced[p].ratio;
    pairs[p].inverse_ratio = unplaced[p].inverse_ratio;
    // 2^48 steps a unit: exact.
    pairs[p].blur = unplaced[p].margin[0] * 281474976710656.0;
    pairs[p].exponent = unplaced[p].exponent;
    pairs[p].any = unplaced[p].any;
    pairs[p].query = 0u;
    pairs[p].zero = 0u;
}

// Returns a column of the linear part, over the power of two of the scale.
fn axis(frame: u32, j: u32) -> Fixed3 {
    let x = frames[frame].pose[j];
    let y = frames[frame].pose[4u + j];
    let z = frames[frame].pose[8u + j];
    return of_doubles(vec3<u32>(x.x, y.x, z.x), vec3<u32>(x.y, y.y, z.y), frames[frame].of_directions);
}

fn fixed3(x: vec2<u32>, y: vec2<u32>, z: vec2<u32>) -> Fixed3 {
    return Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y)));
}

// Returns the origin of a frame times 2^exponent, rounded to integers, modulo 2^64.
fn origin(frame: u32, exponent: i32) -> Fixed3 {
    let x = frames[frame].origin[0];
    let y = frames[frame].origin[1];
    let z = frames[frame].origin[2];
    return of_doubles(vec3<u32>(x.x, y.x, z.x), vec3<u32>(x.y, y.y, z.y), exponent);
}

// Returns the product of a vector and a number of at most 1.
fn times(v: Fixed3, x: vec2<u32>) -> Fixed3 {
    let nothing = vec2<u32>(0u);
    let rows = array<Limbs, 3>(
        limbs(fixed3(x, nothing, nothing)),
        limbs(fixed3(nothing, x, nothing)),
        limbs(fixed3(nothing, nothing, x)),
    );
    return product(rows, v);
}

// Returns a number with 48 fractional bits as the nearest float, and the larger one of two. Its size is below 2^8.
fn nearest(lo: u32, hi: i32) -> f32 {
    let is_negative = hi < 0;
    let size_lo = select(lo, ~lo + 1u, is_negative);
    let size_hi = select(u32(hi), ~u32(hi) + u32(lo == 0u), is_negative);
    let by = max(length_of(vec2<u32>(size_lo, size_hi)), 24u) - 24u;
    var mantissa = size_lo;
    if by > 0u {
        let rounded = size_lo + (1u << (by - 1u));
        let carried = size_hi + u32(rounded < size_lo);
        mantissa = (rounded >> by) | (carried << (32u - by));
    }
    // Both factors are exact, and so is the product.
    let size = f32(mantissa) * bitcast<f32>((79u + by) << 23u);
    return select(size, -size, is_negative);
}
