//! The pose of an element: `pos`, and one of five ways to say how it is turned.

use glam::DVec3;

use super::super::error::{Fault, clip, in_brackets};
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
    // The element's own way takes the place of another way of its class.
    match element.nearest_of(&["quat", "axisangle", "xyaxes", "zaxis", "euler"]) {
        Some(way) => turned(element, way, compiler),
        None => Ok(Pose::IDENTITY),
    }
}

/// Returns the rotation that an element, or its class, says in one of the five ways.
fn turned(element: &Resolved, way: &'static str, compiler: &Compiler) -> Result<Pose, Fault> {
    match way {
        "quat" => quaternion(element.given(way)?, way),
        "axisangle" => {
            let [x, y, z, angle] = element.given(way)?;
            let (sine, cosine) = libm::sincos(0.5 * angle * compiler.angle);
            let axis = direction(DVec3::new(x, y, z), way)?;
            let [x, y, z] = (axis * sine).to_array();
            quaternion([cosine, x, y, z], way)
        }
        "xyaxes" => {
            let xyaxes: [f64; 6] = element.given(way)?;
            let x = direction(DVec3::from_slice(&xyaxes[..3]), way)?;
            let y = DVec3::from_slice(&xyaxes[3..]);
            let y = direction(y - x.dot(y) * x, way)?;
            let axes = [x, y, x.cross(y)].map(|axis| axis.to_array());
            let row = |row: usize| [axes[0][row], axes[1][row], axes[2][row], 0.0];
            Ok(Pose { rows: std::array::from_fn(row) })
        }
        "zaxis" => from_z(direction(DVec3::from_array(element.given(way)?), way)?),
        _ => {
            let angles: [f64; 3] = element.given(way)?;
            let mut turned = [0.0, 0.0, 0.0, 1.0];
            for (angle, axis) in angles.into_iter().zip(compiler.euler) {
                let (sine, cosine) = libm::sincos(0.5 * angle * compiler.angle);
                let mut turn = [0.0, 0.0, 0.0, cosine];
                turn[usize::from(axis.to_ascii_lowercase() - b'x')] = sine;
                let is_intrinsic = axis.is_ascii_lowercase();
                turned = if is_intrinsic { product(turned, turn) } else { product(turn, turned) };
            }
            let [x, y, z, w] = turned;
            quaternion([w, x, y, z], way)
        }
    }
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
        false => Err(Fault::at(name, format!("{} has no direction", in_brackets(v)))),
    }
}
