//! Rotations by the same operations on every machine, which products of vectors in lanes do not promise.

use glam::{DQuat, DVec3};

/// Returns the rotation by an angle about an axis, given as the axis times the angle.
pub fn turned(by: DVec3) -> DQuat {
    let angle = by.length();
    let axis = if angle > 0.0 { by / angle } else { DVec3::X };
    let v = axis * libm::sin(angle / 2.0);
    DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(angle / 2.0))
}

/// Returns the rotation by `b`, then by `a`, with length 1.
pub fn product(a: DQuat, b: DQuat) -> DQuat {
    let x = (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y);
    let y = (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z);
    let z = (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x);
    let w = (a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z);
    let length = ((x * x + y * y) + (z * z + w * w)).sqrt();
    DQuat::from_xyzw(x / length, y / length, z / length, w / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_rotations() {
        let (a, b) = (turned(DVec3::new(0.3, -0.2, 0.9)), turned(DVec3::new(-1.0, 0.1, 0.4)));
        let p = DVec3::new(0.3, 0.7, -0.2);
        assert!((product(a, b) * p).distance(a * (b * p)) < 1e-15);
        assert!((turned(DVec3::Z * std::f64::consts::FRAC_PI_2) * DVec3::X).distance(DVec3::Y) < 1e-15);
        assert_eq!(turned(DVec3::ZERO), DQuat::IDENTITY);
    }
}
