// Operations on floats with other results that WGSL permits. `mod.rs` makes a copy for scalars and for each length of
// vectors, in place of the words in capitals. Adapters of the test suite round to the nearest number. Other devices may
// return the number on the other side of the exact result; which operations do so here is the choice of TAKEN.

// Returns the float as it is, or 0 for a subnormal number if these vanish.
fn kept_SUFFIX(x: FLOATS) -> FLOATS {
    return KEPT;
}

// Ends an expression: compilers do not know that the array is shorter than 2^29 words.
fn fenced_SUFFIX(x: FLOATS) -> FLOATS {
    return bitcast<FLOATS>(bitcast<UINTS>(x) ^ UINTS(arrayLength(&home) >> 29u));
}

// Returns r, or the next number: away from 0 if r is shorter than the exact result, towards 0 if it is longer.
fn rounded_SUFFIX(r: FLOATS, is_short: BOOLS, is_long: BOOLS) -> FLOATS {
    let bits = bitcast<UINTS>(r);
    let is_positive = bits < UINTS(0x80000000u);
    let next = select(select(bits, bits - UINTS(1u), is_long), bits + UINTS(1u), is_short);
    let is_next_larger = is_positive == is_short;
    let is_odd = ((bits * UINTS(2654435761u)) >> UINTS(31u)) == UINTS(1u);
    let is_taken = TAKEN;
    return kept_SUFFIX(bitcast<FLOATS>(select(bits, next, is_taken)));
}

// The sum's error is exact in floats (Dekker 1971, Fast2Sum).
fn plus_SUFFIX(a: FLOATS, b: FLOATS) -> FLOATS {
    let x = kept_SUFFIX(a);
    let y = kept_SUFFIX(b);
    let r = fenced_SUFFIX(x + y);
    let is_first = (bitcast<UINTS>(x) & UINTS(0x7fffffffu)) >= (bitcast<UINTS>(y) & UINTS(0x7fffffffu));
    let large = select(y, x, is_first);
    let small = select(x, y, is_first);
    let error = bitcast<UINTS>(small - fenced_SUFFIX(r - large));
    let is_exact = (error << UINTS(1u)) == UINTS(0u);
    let is_short = ((error ^ bitcast<UINTS>(r)) >> UINTS(31u)) == UINTS(0u);
    return rounded_SUFFIX(r, is_short & !is_exact, !is_short & !is_exact);
}

fn minus_SUFFIX(a: FLOATS, b: FLOATS) -> FLOATS {
    return plus_SUFFIX(a, -b);
}

// The lower bits of the product of two fractions of 24 bits tell how it was rounded.
fn times_SUFFIX(a: FLOATS, b: FLOATS) -> FLOATS {
    let x = bitcast<UINTS>(kept_SUFFIX(a));
    let y = bitcast<UINTS>(kept_SUFFIX(b));
    let r = fenced_SUFFIX(bitcast<FLOATS>(x) * bitcast<FLOATS>(y));
    let mask = UINTS(255u);
    let of_x = (x >> UINTS(23u)) & mask;
    let of_y = (y >> UINTS(23u)) & mask;
    let of_r = (bitcast<UINTS>(r) >> UINTS(23u)) & mask;
    let is_normal = (of_x > UINTS(0u)) & (of_y > UINTS(0u)) & (of_r > UINTS(0u)) & (of_r < mask);
    let top = UINTS(0x800000u);
    let low = ((x & (top - UINTS(1u))) | top) * ((y & (top - UINTS(1u))) | top);
    let lost = select(UINTS(23u), UINTS(150u) + of_r - of_x - of_y, is_normal);
    let rest = low & ((UINTS(1u) << lost) - UINTS(1u));
    let half = UINTS(1u) << (lost - UINTS(1u));
    let is_even = ((low >> lost) & UINTS(1u)) == UINTS(0u);
    let is_exact = (rest == UINTS(0u)) | !is_normal;
    let is_short = (rest < half) | ((rest == half) & is_even);
    return rounded_SUFFIX(r, is_short & !is_exact, !is_short & !is_exact);
}

// Moves a normal number by units of its last place.
fn moved_SUFFIX(r: FLOATS, by: u32) -> FLOATS {
    let bits = bitcast<UINTS>(r);
    let size = bits & UINTS(0x7f800000u);
    let is_positive = bits < UINTS(0x80000000u);
    let is_odd = ((bits * UINTS(2654435761u)) >> UINTS(31u)) == UINTS(1u);
    let is_longer = LONGER;
    let moved = select(bits - UINTS(by), bits + UINTS(by), is_longer);
    let is_moved = (size > UINTS(0x00800000u)) & (size < UINTS(0x7f000000u));
    return kept_SUFFIX(bitcast<FLOATS>(select(bits, moved, is_moved)));
}

// 2.5 units are allowed.
fn over_SUFFIX(a: FLOATS, b: FLOATS) -> FLOATS {
    return moved_SUFFIX(fenced_SUFFIX(kept_SUFFIX(a) / kept_SUFFIX(b)), 2u);
}

// As accurate as 1 / inverseSqrt(x): 4.5 units.
fn root_SUFFIX(x: FLOATS) -> FLOATS {
    return moved_SUFFIX(fenced_SUFFIX(sqrt(kept_SUFFIX(x))), 4u);
}

// Two units are allowed; the adapters take one of them.
fn inverse_root_SUFFIX(x: FLOATS) -> FLOATS {
    return moved_SUFFIX(fenced_SUFFIX(inverseSqrt(kept_SUFFIX(x))), 1u);
}

fn of_signed_SUFFIX(x: INTS) -> FLOATS {
    let r = fenced_SUFFIX(FLOATS(x));
    // The largest numbers have no way back.
    let is_top = r >= FLOATS(2147483648.0);
    let error = x - INTS(select(r, FLOATS(0.0), is_top));
    let is_short = ((error > INTS(0)) == (x > INTS(0))) & !is_top;
    let is_exact = error == INTS(0);
    return rounded_SUFFIX(r, is_short & !is_exact, !is_short & !is_exact);
}

fn of_unsigned_SUFFIX(x: UINTS) -> FLOATS {
    let r = fenced_SUFFIX(FLOATS(x));
    let is_top = r >= FLOATS(4294967296.0);
    let error = x - UINTS(select(r, FLOATS(0.0), is_top));
    let is_short = (error < UINTS(0x80000000u)) & !is_top;
    let is_exact = error == UINTS(0u);
    return rounded_SUFFIX(r, is_short & !is_exact, !is_short & !is_exact);
}
