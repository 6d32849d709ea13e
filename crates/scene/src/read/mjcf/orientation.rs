//! The pose of an element: `pos`, and one of five ways to say how it is turned.

use glam::DVec3;

use super::super::error::{Fault, clip};
use super::compiler::Compiler;
use super::defaults::Resolved;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::turn::product;

/// Returns the pose of an element in the frame around it.
pub(super) fn pose(element: &Resolved, compiler: &Compiler) -> Result<Pose, Fault> {
    placed(rotation(element, compiler)?, element.point("pos")?)
}

/// Returns a rotation moved to a place.
pub(super) fn placed(rotation: Pose, at: DVec3) -> Result<Pose, Fault> {
    let mut pose = rotation;
    for (row, shift) in pose.rows.iter_mut().zip(at.to_array()) {
        row[3] = shift;
    }
    Ok(pose)
}

fn rotation(element: &Resolved, compiler: &Compiler) -> Result<Pose, Fault> {
    if let Some(q) = element.array("quat")? {
        return quaternion(q, "quat");
    }
    if let Some([x, y, z, angle]) = element.array("axisangle")? {
        let (sine, cosine) = libm::sincos(0.5 * angle * compiler.angle);
        let axis = direction(DVec3::new(x, y, z), "axisangle")?;
        let [x, y, z] = (axis * sine).to_array();
        return quaternion([cosine, x, y, z], "axisangle");
    }
    if let Some(xyaxes) = element.array::<6>("xyaxes")? {
        let x = direction(DVec3::from_slice(&xyaxes[..3]), "xyaxes")?;
        let y = DVec3::from_slice(&xyaxes[3..]);
        let y = direction(y - x.dot(y) * x, "xyaxes")?;
        let axes = [x, y, x.cross(y)].map(|axis| axis.to_array());
        return Ok(Pose { rows: std::array::from_fn(|row| [axes[0][row], axes[1][row], axes[2][row], 0.0]) });
    }
    if let Some(z) = element.array("zaxis")? {
        return from_z(direction(DVec3::from_array(z), "zaxis")?);
    }
    let Some(angles) = element.array::<3>("euler")? else { return Ok(Pose::IDENTITY) };
    let mut turned = [0.0, 0.0, 0.0, 1.0];
    for (angle, axis) in angles.into_iter().zip(compiler.euler) {
        let (sine, cosine) = libm::sincos(0.5 * angle * compiler.angle);
        let mut turn = [0.0, 0.0, 0.0, cosine];
        turn[usize::from(axis.to_ascii_lowercase() - b'x')] = sine;
        turned = if axis.is_ascii_lowercase() { product(turned, turn) } else { product(turn, turned) };
    }
    let [x, y, z, w] = turned;
    quaternion([w, x, y, z], "euler")
}

/// Returns the rotation of a quaternion, whose real part comes first.
pub(super) fn quaternion([w, x, y, z]: [f64; 4], name: &'static str) -> Result<Pose, Fault> {
    let pose = Pose::from_trs([x, y, z, w], [1.0; 3], [0.0; 3]);
    pose.ok_or_else(|| Fault::at(name, clip(&format!("the quaternion {:?} has no direction", [w, x, y, z]))))
}

/// Returns the shortest turn that takes the z axis to a direction.
pub(super) fn from_z(z: DVec3) -> Result<Pose, Fault> {
    let across = DVec3::Z.cross(z);
    let sine = across.length();
    let axis = if sine < 1e-10 { DVec3::X } else { across / sine };
    let half = 0.5 * libm::atan2(sine, z.z);
    let (sine, cosine) = libm::sincos(half);
    let [x, y, w] = (axis * sine).to_array();
    quaternion([cosine, x, y, w], "zaxis")
}

/// Returns a vector divided by its length.
pub(super) fn direction(v: DVec3, name: &'static str) -> Result<DVec3, Fault> {
    let length = v.length();
    match length > 0.0 && length.is_finite() {
        true => Ok(v / length),
        false => Err(Fault::at(name, format!("{v} has no direction"))),
    }
}
