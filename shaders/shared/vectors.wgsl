// Products of vectors, and the coordinates of a pair of trees.

fn inner(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn outer(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return a.yzx * b.zxy - a.zxy * b.yzx;
}

// Returns a row of the guest's linear part.
fn row_of(p: u32, i: u32) -> Limbs {
    let x = pairs[p].turn[3u * i];
    let y = pairs[p].turn[3u * i + 1u];
    let z = pairs[p].turn[3u * i + 2u];
    return limbs(Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y))));
}

// Returns the guest's image of a point in home coordinates.
fn in_home(p: u32, point: Fixed3) -> Fixed3 {
    let rows = array<Limbs, 3>(row_of(p, 0u), row_of(p, 1u), row_of(p, 2u));
    let turned = shifted_down(product(rows, point), pairs[p].exponent);
    let x = pairs[p].shift[0];
    let y = pairs[p].shift[1];
    let z = pairs[p].shift[2];
    return plus(turned, Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y))));
}
