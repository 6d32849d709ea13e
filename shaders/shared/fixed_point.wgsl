// Vectors of 64-bit integers as pairs of words, exact on every device. `bvh/wide_obb/on_device/fixed_point.rs` has a
// reference implementation of the arithmetic that returns the same bits.

struct Fixed3 {
    lo: vec3<u32>,
    hi: vec3<i32>,
}

// Four limbs of 12 bits, the highest one signed, of a number with 48 fractional bits.
struct Limbs {
    first: vec3<i32>,
    second: vec3<i32>,
    third: vec3<i32>,
    fourth: vec3<i32>,
}

fn plus(a: Fixed3, b: Fixed3) -> Fixed3 {
    let lo = a.lo + b.lo;
    return Fixed3(lo, a.hi + b.hi + vec3<i32>(lo < a.lo));
}

fn minus(a: Fixed3, b: Fixed3) -> Fixed3 {
    return Fixed3(a.lo - b.lo, a.hi - b.hi - vec3<i32>(a.lo < b.lo));
}

// Returns x 2^by, for by from 0 to 31.
fn widened(x: vec3<i32>, by: u32) -> Fixed3 {
    if by == 0u {
        return Fixed3(vec3<u32>(x), x >> vec3<u32>(31u));
    }
    return Fixed3(vec3<u32>(x) << vec3<u32>(by), x >> vec3<u32>(32u - by));
}

// Returns x 2^by, for by from 0 to 63.
fn shifted_up(x: Fixed3, by: u32) -> Fixed3 {
    if by == 0u {
        return x;
    }
    if by >= 32u {
        return Fixed3(vec3<u32>(0u), vec3<i32>(x.lo << vec3<u32>(by - 32u)));
    }
    let carried = x.lo >> vec3<u32>(32u - by);
    return Fixed3(x.lo << vec3<u32>(by), (x.hi << vec3<u32>(by)) | vec3<i32>(carried));
}

// Returns x 2^-by rounded to the nearest integer, for any by; 0 from 63 on, where |x| < 2^62.
fn shifted_down(x: Fixed3, by: u32) -> Fixed3 {
    if by == 0u {
        return x;
    }
    if by >= 63u {
        return Fixed3(vec3<u32>(0u), vec3<i32>(0));
    }
    if by > 32u {
        let half = plus(x, Fixed3(vec3<u32>(0u), vec3<i32>(1i << (by - 33u))));
        return Fixed3(vec3<u32>(half.hi >> vec3<u32>(by - 32u)), half.hi >> vec3<u32>(31u));
    }
    let half = plus(x, Fixed3(vec3<u32>(1u << (by - 1u)), vec3<i32>(0)));
    if by == 32u {
        return Fixed3(vec3<u32>(half.hi), half.hi >> vec3<u32>(31u));
    }
    let carried = vec3<u32>(half.hi) << vec3<u32>(32u - by);
    return Fixed3((half.lo >> vec3<u32>(by)) | carried, half.hi >> vec3<u32>(by));
}

// Returns three doubles, given by their words, times 2^exponent: rounded to the nearest integers, modulo 2^64.
fn of_doubles(lo: vec3<u32>, hi: vec3<u32>, exponent: i32) -> Fixed3 {
    let power = vec3<i32>((hi >> vec3<u32>(20u)) & vec3<u32>(2047u));
    let top = (hi & vec3<u32>(0xfffffu)) | select(vec3<u32>(0x100000u), vec3<u32>(0u), power == vec3<i32>(0));
    let by = power + vec3<i32>(exponent - 1075);
    // Up by 0 to 63.
    let up = vec3<u32>(clamp(by, vec3<i32>(0), vec3<i32>(63)));
    let up_far = up > vec3<u32>(31u);
    let up_near = up & vec3<u32>(31u);
    let from_lo = select(lo, vec3<u32>(0u), up_far);
    let from_hi = select(top, lo, up_far);
    let up_lo = from_lo << up_near;
    let up_hi = (from_hi << up_near) | ((from_lo >> vec3<u32>(1u)) >> (vec3<u32>(31u) - up_near));
    // Down by 0 to 62, and once more with rounding.
    let down = vec3<u32>(clamp(-by - vec3<i32>(1), vec3<i32>(0), vec3<i32>(62)));
    let down_far = down > vec3<u32>(31u);
    let down_near = down & vec3<u32>(31u);
    let below_lo = select(lo, top, down_far);
    let below_hi = select(top, vec3<u32>(0u), down_far);
    let down_lo = (below_lo >> down_near) | ((below_hi << vec3<u32>(1u)) << (vec3<u32>(31u) - down_near));
    let half = plus(Fixed3(down_lo, vec3<i32>(below_hi >> down_near)), Fixed3(vec3<u32>(1u), vec3<i32>(0)));
    let half_lo = (half.lo >> vec3<u32>(1u)) | (vec3<u32>(half.hi) << vec3<u32>(31u));

    let is_up = by >= vec3<i32>(0);
    let is_nothing = by > vec3<i32>(63);
    let size_lo = select(select(half_lo, up_lo, is_up), vec3<u32>(0u), is_nothing);
    let size_hi = select(select(half.hi >> vec3<u32>(1u), vec3<i32>(up_hi), is_up), vec3<i32>(0), is_nothing);
    let opposite = minus(Fixed3(vec3<u32>(0u), vec3<i32>(0)), Fixed3(size_lo, size_hi));
    let is_negative = hi >= vec3<u32>(0x80000000u);
    return Fixed3(select(size_lo, opposite.lo, is_negative), select(size_hi, opposite.hi, is_negative));
}

// Returns the bitwise or of the coordinates' sizes, as two words. No coordinate is longer than the result. A negative x
// counts as -x - 1.
fn size_bits(x: Fixed3) -> vec2<u32> {
    let sign = x.hi >> vec3<u32>(31u);
    let hi = vec3<u32>(x.hi ^ sign);
    let lo = x.lo ^ vec3<u32>(sign);
    return vec2<u32>(lo.x | lo.y | lo.z, hi.x | hi.y | hi.z);
}

// Returns the length of these bits without leading zeros.
fn length_of(bits: vec2<u32>) -> u32 {
    if bits.y != 0u {
        return 64u - countLeadingZeros(bits.y);
    }
    return 32u - countLeadingZeros(bits.x);
}

fn limbs(x: Fixed3) -> Limbs {
    let second = (vec3<u32>(x.hi) << vec3<u32>(8u)) | (x.lo >> vec3<u32>(24u));
    return Limbs(
        x.hi >> vec3<u32>(4u),
        vec3<i32>(second & vec3<u32>(4095u)),
        vec3<i32>((x.lo >> vec3<u32>(12u)) & vec3<u32>(4095u)),
        vec3<i32>(x.lo & vec3<u32>(4095u)),
    );
}

// Returns the product of a matrix, given by rows, and a vector, both with 48 fractional bits. Entries, coordinates and
// the length of a row are at most 1 in size, but for rounding. Limb products of low weight are left out.
fn product(rows: array<Limbs, 3>, x: Fixed3) -> Fixed3 {
    let v = limbs(x);
    var first: vec3<i32>;
    var second: vec3<i32>;
    var third: vec3<i32>;
    var fourth: vec3<i32>;
    for (var i = 0u; i < 3u; i++) {
        let row = rows[i];
        first[i] = dot(row.first, v.first);
        second[i] = dot(row.first, v.second) + dot(row.second, v.first);
        third[i] = dot(row.first, v.third) + dot(row.second, v.second) + dot(row.third, v.first);
        fourth[i] = dot(row.first, v.fourth) + dot(row.second, v.third) + dot(row.third, v.second) + dot(row.fourth, v.first);
    }
    let low = third + (fourth >> vec3<u32>(12u));
    return plus(plus(widened(first, 24u), widened(second, 12u)), widened(low, 0u));
}

// Converts to floats, each within three roundings.
fn as_floats(x: Fixed3) -> vec3<f32> {
    let negative = x.hi < vec3<i32>(0);
    let opposite = minus(Fixed3(vec3<u32>(0u), vec3<i32>(0)), x);
    let lo = select(x.lo, opposite.lo, negative);
    let hi = select(x.hi, opposite.hi, negative);
    let size = vec3<f32>(vec3<u32>(hi)) * 4294967296.0 + vec3<f32>(lo);
    return select(size, -size, negative);
}
