//! The closest points of two segments.

use glam::DVec3;

/// Returns the closest points of two segments, either of which may be a point. Of parallel segments, any pair
/// of closest points is returned.
pub fn closest_points([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2]) -> [DVec3; 2] {
    let (along_p, along_q, between) = (p_end - p, q_end - q, q - p);
    let project = |from: DVec3, along: DVec3| {
        let squared = along.length_squared();
        if squared > 0.0 { (from.dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 }
    };
    // Cross products, because differences of scalar products would lose nearly parallel segments.
    let normal = along_p.cross(along_q);
    let squared = normal.length_squared();
    let s = if squared > 0.0 {
        (between.cross(along_q).dot(normal) / squared).clamp(0.0, 1.0)
    } else {
        project(between, along_p)
    };
    let t = project(p + along_p * s - q, along_q);
    let on_q = q + along_q * t;
    let s = project(on_q - p, along_p);
    [p + along_p * s, on_q]
}
