// IEEE doubles as pairs of words, three at a time. Sums and products are rounded to the nearest double, ties to even,
// by integer arithmetic, so they have the same bits on every device. A zero is always positive.

struct Doubles {
    lo: vec3<u32>,
    hi: vec3<u32>,
}

// True once a number other than 0 was too small for a normal double, or too large for any.
var<private> out_of_range: bool;

// Returns the doubles with these words. Subnormal numbers are out of range.
fn doubles(lo: vec3<u32>, hi: vec3<u32>) -> Doubles {
    let no_exponent = (hi & vec3<u32>(0x7ff00000u)) == vec3<u32>(0u);
    let fraction = (lo | (hi & vec3<u32>(0xfffffu))) != vec3<u32>(0u);
    out_of_range = out_of_range || any(no_exponent & fraction);
    return Doubles(lo, hi);
}

// Returns three times the double whose lower word is 0.
fn constant(hi: u32) -> Doubles {
    return Doubles(vec3<u32>(0u), vec3<u32>(hi));
}

// Returns one coordinate three times.
fn spread(x: Doubles, k: u32) -> Doubles {
    return Doubles(vec3<u32>(x.lo[k]), vec3<u32>(x.hi[k]));
}

fn negative(x: Doubles) -> Doubles {
    let sign = select(vec3<u32>(0u), vec3<u32>(0x80000000u), (x.lo | x.hi) != vec3<u32>(0u));
    return Doubles(x.lo, x.hi ^ sign);
}

fn magnitude(x: Doubles) -> Doubles {
    return Doubles(x.lo, x.hi & vec3<u32>(0x7fffffffu));
}

fn is_below(a: Doubles, b: Doubles) -> vec3<bool> {
    // Flip the bits of negative numbers and the sign of others, so that the words sort like the numbers.
    let flip_a = vec3<u32>(vec3<i32>(a.hi) >> vec3<u32>(31u));
    let flip_b = vec3<u32>(vec3<i32>(b.hi) >> vec3<u32>(31u));
    let a_hi = a.hi ^ (flip_a | vec3<u32>(0x80000000u));
    let b_hi = b.hi ^ (flip_b | vec3<u32>(0x80000000u));
    return (a_hi < b_hi) | ((a_hi == b_hi) & ((a.lo ^ flip_a) < (b.lo ^ flip_b)));
}

fn lower(a: Doubles, b: Doubles) -> Doubles {
    let first = is_below(a, b);
    return Doubles(select(b.lo, a.lo, first), select(b.hi, a.hi, first));
}

fn upper(a: Doubles, b: Doubles) -> Doubles {
    let first = is_below(a, b);
    return Doubles(select(a.lo, b.lo, first), select(a.hi, b.hi, first));
}

fn exponent_of(hi: vec3<u32>) -> vec3<i32> {
    return vec3<i32>((hi >> vec3<u32>(20u)) & vec3<u32>(2047u));
}

// Returns the upper 21 of the 53 bits of a number without its sign and exponent.
fn top_of(hi: vec3<u32>) -> vec3<u32> {
    let is_zero = exponent_of(hi) == vec3<i32>(0);
    return (hi & vec3<u32>(0xfffffu)) | select(vec3<u32>(0x100000u), vec3<u32>(0u), is_zero);
}

// Returns the doubles nearest to the 64-bit numbers (hi, lo) times 2^(exponent - 1086), with the given signs. The lowest
// bit stands for all lower ones that are not 0; at least two bits of the numbers lie below the result's last one.
fn rounded(sign: vec3<u32>, exponent: vec3<i32>, hi: vec3<u32>, lo: vec3<u32>) -> Doubles {
    let is_short = hi == vec3<u32>(0u);
    let first = select(hi, lo, is_short);
    let second = select(lo, vec3<u32>(0u), is_short);
    let by = countLeadingZeros(first) & vec3<u32>(31u);
    let top = (first << by) | ((second >> vec3<u32>(1u)) >> (vec3<u32>(31u) - by));
    let rest = second << by;
    // Eleven of the 64 bits go.
    let is_odd = (rest >> vec3<u32>(11u)) & vec3<u32>(1u);
    let rest_up = rest + vec3<u32>(0x3ffu) + is_odd;
    let top_up = top + vec3<u32>(rest_up < rest);
    let is_next = top_up < top;
    let is_zero = first == vec3<u32>(0u);
    let shift = vec3<i32>(by) + select(vec3<i32>(0), vec3<i32>(32), is_short);
    let power = exponent - shift + vec3<i32>(is_next);
    out_of_range = out_of_range || any(((power < vec3<i32>(1)) | (power > vec3<i32>(2046))) & !is_zero);
    let fraction = (top_up >> vec3<u32>(11u)) & vec3<u32>(0xfffffu);
    return Doubles(
        select((rest_up >> vec3<u32>(11u)) | (top_up << vec3<u32>(21u)), vec3<u32>(0u), is_zero),
        select(sign | (vec3<u32>(power) << vec3<u32>(20u)) | fraction, vec3<u32>(0u), is_zero),
    );
}

fn sum(a: Doubles, b: Doubles) -> Doubles {
    let size_a = a.hi & vec3<u32>(0x7fffffffu);
    let size_b = b.hi & vec3<u32>(0x7fffffffu);
    let swapped = (size_b > size_a) | ((size_b == size_a) & (b.lo > a.lo));
    let large = Doubles(select(a.lo, b.lo, swapped), select(a.hi, b.hi, swapped));
    let small = Doubles(select(b.lo, a.lo, swapped), select(b.hi, a.hi, swapped));
    let large_hi = (top_of(large.hi) << vec3<u32>(10u)) | (large.lo >> vec3<u32>(22u));
    let large_lo = large.lo << vec3<u32>(10u);
    let small_hi = (top_of(small.hi) << vec3<u32>(10u)) | (small.lo >> vec3<u32>(22u));
    let small_lo = small.lo << vec3<u32>(10u);

    // Shift the small number down; the lowest bit stands for what is lost.
    let apart = vec3<u32>(min(exponent_of(large.hi) - exponent_of(small.hi), vec3<i32>(63)));
    let is_far = apart > vec3<u32>(31u);
    let by = apart & vec3<u32>(31u);
    let first = select(small_hi, vec3<u32>(0u), is_far);
    let second = select(small_lo, small_hi, is_far);
    let lost = select(vec3<u32>(0u), small_lo, is_far) | (second & ((vec3<u32>(1u) << by) - vec3<u32>(1u)));
    let carried = (first << vec3<u32>(1u)) << (vec3<u32>(31u) - by);
    var lo = (second >> by) | carried | vec3<u32>(lost != vec3<u32>(0u));
    var hi = first >> by;

    let opposite = ((a.hi ^ b.hi) >> vec3<u32>(31u)) != vec3<u32>(0u);
    hi = select(hi, ~hi + vec3<u32>(lo == vec3<u32>(0u)), opposite);
    lo = select(lo, ~lo + vec3<u32>(1u), opposite);
    lo += large_lo;
    hi += large_hi + vec3<u32>(lo < large_lo);
    return rounded(large.hi & vec3<u32>(0x80000000u), exponent_of(large.hi) + vec3<i32>(1), hi, lo);
}

fn times(a: Doubles, b: Doubles) -> Doubles {
    // Limbs of 14 bits.
    let mask = vec3<u32>(16383u);
    let a_top = top_of(a.hi);
    let a0 = a.lo & mask;
    let a1 = (a.lo >> vec3<u32>(14u)) & mask;
    let a2 = (a.lo >> vec3<u32>(28u)) | ((a_top << vec3<u32>(4u)) & mask);
    let a3 = a_top >> vec3<u32>(10u);
    let b_top = top_of(b.hi);
    let b0 = b.lo & mask;
    let b1 = (b.lo >> vec3<u32>(14u)) & mask;
    let b2 = (b.lo >> vec3<u32>(28u)) | ((b_top << vec3<u32>(4u)) & mask);
    let b3 = b_top >> vec3<u32>(10u);
    let down = vec3<u32>(14u);
    let c0 = a0 * b0;
    let c1 = a0 * b1 + a1 * b0 + (c0 >> down);
    let c2 = a0 * b2 + a1 * b1 + a2 * b0 + (c1 >> down);
    let c3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + (c2 >> down);
    let c4 = a1 * b3 + a2 * b2 + a3 * b1 + (c3 >> down);
    let c5 = a2 * b3 + a3 * b2 + (c4 >> down);
    let c6 = a3 * b3 + (c5 >> down);
    // The product without its lowest 42 bits.
    let lost = ((c0 | c1 | c2) & mask) != vec3<u32>(0u);
    let middle = c5 & mask;
    let lo = (c3 & mask) | ((c4 & mask) << down) | (middle << vec3<u32>(28u)) | vec3<u32>(lost);
    let hi = (middle >> vec3<u32>(4u)) | (c6 << vec3<u32>(10u));
    let sign = (a.hi ^ b.hi) & vec3<u32>(0x80000000u);
    return rounded(sign, exponent_of(a.hi) + exponent_of(b.hi) - vec3<i32>(1022), hi, lo);
}

// Returns the coordinates y z x.
fn next_axes(x: Doubles) -> Doubles {
    return Doubles(x.lo.yzx, x.hi.yzx);
}

// Loops here and below keep the code short: compilers inline all functions.
fn cross_product(a: Doubles, b: Doubles) -> Doubles {
    var factors = array<Doubles, 2>(next_axes(a), next_axes(b));
    var products: array<Doubles, 2>;
    for (var i = 0u; i < 2u; i++) {
        products[i] = times(factors[i], next_axes(factors[1u - i]));
    }
    return sum(products[0], negative(products[1]));
}

// Returns (v.x c0 + v.y c1) + v.z c2.
fn weighted(v: Doubles, columns: array<Doubles, 3>) -> Doubles {
    var c = columns;
    var total: Doubles;
    for (var k = 0u; k < 3u; k++) {
        total = sum(total, times(spread(v, k), c[k]));
    }
    return total;
}

fn transposed(x: array<Doubles, 3>) -> array<Doubles, 3> {
    return array<Doubles, 3>(
        Doubles(vec3<u32>(x[0].lo.x, x[1].lo.x, x[2].lo.x), vec3<u32>(x[0].hi.x, x[1].hi.x, x[2].hi.x)),
        Doubles(vec3<u32>(x[0].lo.y, x[1].lo.y, x[2].lo.y), vec3<u32>(x[0].hi.y, x[1].hi.y, x[2].hi.y)),
        Doubles(vec3<u32>(x[0].lo.z, x[1].lo.z, x[2].lo.z), vec3<u32>(x[0].hi.z, x[1].hi.z, x[2].hi.z)),
    );
}
