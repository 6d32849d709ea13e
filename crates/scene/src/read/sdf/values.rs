//! Flags and poses, as files write them.

use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::text::number;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::turn::product;

/// Returns the value of a flag: `true` or `1`, `false` or `0`, in letters of either case. `None` for one that
/// is missing or empty.
pub(super) fn flag(text: Option<&str>, what: &'static str) -> Result<Option<bool>, Fault> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let is = |words: [&str; 2]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (is(["true", "1"]), is(["false", "0"])) {
        (true, _) => Ok(Some(true)),
        (_, true) => Ok(Some(false)),
        _ => Err(Fault::at(what, format!("'{}' is neither true nor false", clip(text)))),
    }
}

/// Reads a pose: a point, and roll, pitch and yaw, or a quaternion.
pub(super) fn pose_of(node: Node) -> Result<Pose, Fault> {
    let wrong = |why: String| Fault::at("pose", why);
    let text = node.text().unwrap_or("");
    let numbers: Vec<f64> =
        text.split_whitespace().take(8).map(number).collect::<Result<_, _>>().map_err(wrong)?;
    let is_quaternion = node.attribute("rotation_format") == Some("quat_xyzw");
    let is_in_degrees = flag(node.attribute("degrees"), "degrees")? == Some(true);
    let unit = if is_in_degrees { f64::to_radians(1.0) } else { 1.0 };
    let (at, turn) = match numbers[..] {
        [] => return Ok(Pose::IDENTITY),
        [x, y, z, qx, qy, qz, qw] if is_quaternion => ([x, y, z], [qx, qy, qz, qw]),
        [x, y, z, roll, pitch, yaw] if !is_quaternion => {
            let half = |angle: f64| libm::sincos(0.5 * (unit * angle));
            let ((sx, cx), (sy, cy), (sz, cz)) = (half(roll), half(pitch), half(yaw));
            let (about_x, about_y, about_z) = ([sx, 0.0, 0.0, cx], [0.0, sy, 0.0, cy], [0.0, 0.0, sz, cz]);
            ([x, y, z], product(about_z, product(about_y, about_x)))
        }
        _ => return Err(wrong(format!("'{}' is not a point and three angles", clip(text.trim())))),
    };
    let pose = Pose::from_trs(turn, [1.0; 3], at);
    pose.ok_or_else(|| wrong(format!("the quaternion {turn:?} has no direction")))
}
