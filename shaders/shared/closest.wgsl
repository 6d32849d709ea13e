// Nearly closest points of two triangles, and the direction perpendicular to the features on which they lie.

// Smallest squared length of a direction, and smallest divisor: their errors by subnormal numbers are negligible.
const SHORTEST = 1e-27;
const TINY = 1e-35;

// The offset from a point of the second triangle to one of the first, and a direction perpendicular to their features.
struct Points {
    apart: vec3<f32>,
    squared: f32,
    perpendicular: vec3<f32>,
}

// Returns nearly closest points: of two edges, or of a corner and a face.
fn closest(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>, zero: u32) -> Points {
    var corners = array<array<vec3<i32>, 3>, 2>(a, b);
    var best = Points(vec3<f32>(0.0), 1e30, vec3<f32>(0.0));
    for (var k = 0u; k < 9u; k++) {
        let i = k / 3u;
        let j = k % 3u;
        let found = closest_of_edges(
            from_to(corners[0][i], corners[0][(i + 1u) % 3u]),
            from_to(corners[1][j], corners[1][(j + 1u) % 3u]),
            from_to(corners[1][j], corners[0][i]),
            zero,
        );
        if found.squared < best.squared {
            best = found;
        }
    }
    for (var side = 0u; side < 2u; side++) {
        let found = closest_corner(corners[side], corners[1u - side], zero);
        if found.squared < best.squared {
            best = found;
        }
    }
    return best;
}

fn fraction(x: f32) -> f32 {
    return clamp(x, 0.0, 1.0);
}

// Returns nearly closest points of two edges u and v, whose first points are r apart.
fn closest_of_edges(u: vec3<f32>, v: vec3<f32>, r: vec3<f32>, zero: u32) -> Points {
    let uu = inner(u, u);
    let vv = inner(v, v);
    let uv = inner(u, v);
    let ur = inner(u, r);
    let vr = inner(v, r);
    let first = fraction((uv * vr - ur * vv) / max(uu * vv - uv * uv, TINY));
    let t = fraction((uv * first + vr) / max(vv, TINY));
    let s = fraction((uv * t - ur) / max(uu, TINY));
    let apart = fenced(r + u * s - v * t, zero);
    return Points(apart, inner(apart, apart), outer(u, v));
}

// Returns the corner nearest to a triangle's plane and its foot, if that is inside the triangle.
fn closest_corner(corners: array<vec3<i32>, 3>, face: array<vec3<i32>, 3>, zero: u32) -> Points {
    let u = from_to(face[0], face[1]);
    let v = from_to(face[0], face[2]);
    let normal = outer(u, v);
    var nearest = from_to(face[0], corners[0]);
    for (var i = 1u; i < 3u; i++) {
        var among = corners;
        let w = from_to(face[0], among[i]);
        if abs(inner(normal, w)) < abs(inner(normal, nearest)) {
            nearest = w;
        }
    }
    let w = nearest;
    let uu = inner(u, u);
    let vv = inner(v, v);
    let uv = inner(u, v);
    let inverse = 1.0 / max(uu * vv - uv * uv, TINY);
    let along_u = (vv * inner(u, w) - uv * inner(v, w)) * inverse;
    let along_v = (uu * inner(v, w) - uv * inner(u, w)) * inverse;
    // Any numbers make a point of the face if they pass the test. But they must be the same in the test and after it.
    let foot = fenced(vec3<f32>(along_u, along_v, 0.0), zero);
    if foot.x < 0.0 || foot.y < 0.0 || foot.x + foot.y > 1.0 {
        return Points(vec3<f32>(0.0), 1e30, vec3<f32>(0.0));
    }
    let apart = fenced(w - u * foot.x - v * foot.y, zero);
    return Points(apart, inner(apart, apart), normal);
}

// Ends an expression: no compiler moves an operation across the fence. `zero` is the pair's `zero`; `fence` does the same with
// the zero of the settings.
fn fenced(x: vec3<f32>, zero: u32) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(x) ^ vec3<u32>(zero));
}
