//! URDF: the origins of shapes and joints.

use std::path::Path;

use closefit_geometry::math::pose::Pose;
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use glam::DVec3;

fn pose(robot: &str, origin: &str) -> Result<Pose, String> {
    let text = format!(
        "<robot name='r' {robot}><link name='l'><visual><origin xyz='1 2 3' {origin}/>\n\
         <geometry><box size='1 1 1'/></geometry></visual></link></robot>"
    );
    let mut files = InMemory::default();
    files.insert("r.urdf", &*text).unwrap();
    let scene = read_from(&files, &[Path::new("r.urdf")], &ReadOptions::default());
    scene.map(|scene| scene.parts[0].pose).map_err(|error| error.to_string())
}

/// Quaternions are x, y, z and w, of any length, from URDF 1.1 on.
#[test]
fn origins_may_have_quaternions() {
    // A quarter turn about z, and a third of a turn about the diagonal, which takes x to y and y to z.
    for (quaternion, x, y) in [
        ("0 0 0.5 0.5", DVec3::Y, DVec3::NEG_X),
        ("1 1 1 1", DVec3::Y, DVec3::Z),
        ("0 0 0 2", DVec3::X, DVec3::Y),
    ] {
        let found = pose("version='1.1'", &format!("quat_xyzw='{quaternion}'")).unwrap();
        let at = DVec3::new(1.0, 2.0, 3.0);
        for (from, to) in [(DVec3::ZERO, DVec3::ZERO), (DVec3::X, x), (DVec3::Y, y)] {
            assert!(found.apply(from).distance(at + to) < 1e-15, "{quaternion}: {}", found.apply(from));
        }
    }
    for (robot, origin, says) in [
        ("", "quat_xyzw='0 0 0 1'", "quat_xyzw: it needs URDF 1.1: say version=\"1.1\" in <robot>"),
        ("version='1.0'", "quat_xyzw='0 0 0 1'", "it needs URDF 1.1"),
        ("version='1.2'", "quat_xyzw='0 0 0 1' rpy='0 0 0'", "quat_xyzw: the origin has rpy, too"),
        ("version='1.2'", "quat_xyzw='0 0 0 0'", "quat_xyzw: '0 0 0 0' has no direction"),
        ("version='1.2'", "quat_xyzw='0 0 1'", "quat_xyzw: '0 0 1' is not four numbers"),
        ("version='1.2'", "quat_xyzw='0 0 1 x'", "quat_xyzw: 'x' is not a number"),
    ] {
        let told = pose(robot, origin).unwrap_err();
        assert!(told.contains("part 'l' (link, line 1): ") && told.contains(says), "{told}");
        assert_eq!(told.lines().count(), 1);
    }
}

#[test]
fn an_axis_without_direction_is_refused_in_few_digits() {
    let text = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>\
                <parent link='a'/><child link='b'/><axis xyz='0 0 1e-200'/></joint></robot>";
    let mut files = InMemory::default();
    files.insert("r.urdf", text).unwrap();
    let told = read_from(&files, &[Path::new("r.urdf")], &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(told, "r.urdf: part 'j' (joint, line 1): axis: [0, 0, 1e-200] has no direction");
}
