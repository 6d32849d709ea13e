// The test of the triangles of two leaves: in contact, apart, or undecided. Matches the first three steps of
// `narrow/triangle_triangle`, but in f32 on differences of integers; `posed_triangles` continues.

const APART = 0u;
const MEETS = 1u;
const UNSURE = 2u;

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
