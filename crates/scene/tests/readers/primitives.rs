//! Boxes, cylinders, spheres, capsules and ellipsoids of a robot; and what is left of macros, and the world.

use std::f64::consts::PI;
use std::path::Path;

use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::health::Health;
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::scene::{LeftOut, Scene};
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use glam::DVec3;

fn read(text: &str, options: &ReadOptions) -> Result<Scene, String> {
    let mut files = InMemory::default();
    files.insert("r.urdf", text).unwrap();
    read_from(&files, &[Path::new("r.urdf")], options).map_err(|error| error.to_string())
}

fn robot(shapes: &[&str]) -> String {
    let shape = |shape: &&str| {
        format!("<visual><origin xyz='1 0 0' rpy='0 1.5 0'/><geometry><{shape}/></geometry></visual>")
    };
    let shapes: String = shapes.iter().map(shape).collect();
    format!("<robot name='r'><link name='a'>{shapes}</link></robot>")
}

#[test]
fn primitives_are_parts_with_a_chord() {
    let text = robot(&[
        "box size='1 2 3'",
        "cylinder radius='0.5' length='2'",
        "sphere radius='0.5'",
        "capsule radius='0.5' length='2'",
        "ellipsoid radii='0.5 1 0.25'",
        "sphere radius='0.5'",
    ]);
    let scene = read(&text, &ReadOptions::default()).unwrap();
    let names: Vec<&str> = scene.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["a/box", "a/cylinder", "a/sphere", "a/capsule", "a/ellipsoid", "a/sphere"]);
    assert_eq!(
        (scene.meshes.len(), scene.parts[2].mesh),
        (5, scene.parts[5].mesh),
        "equal ones share a mesh"
    );
    let chords: Vec<f64> = scene.parts.iter().map(|part| part.chord).collect();
    assert_eq!(chords, [0.0, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4]);
    assert_eq!(scene.chords([PartId(1), PartId(2)]), 2e-4);
    let note = "r.urdf: 5 curved primitives are approximated by meshes: their true surfaces lie up to 0.0001 m \
                outside (--chord)";
    assert_eq!((&scene.notes[0][..], scene.left_out), (note, LeftOut::default()));
    let half = |part: usize| scene.meshes[scene.parts[part].mesh.index()].posed_bounds(&Pose::IDENTITY).hi;
    let halves = [[0.5, 1.0, 1.5], [0.5, 0.5, 1.0], [0.5; 3], [0.5, 0.5, 1.5], [0.5, 1.0, 0.25]];
    for (part, expected) in halves.into_iter().enumerate() {
        assert_eq!(half(part), DVec3::from_array(expected));
        assert_eq!(scene.parts[part].pose, scene.parts[0].pose);
    }
    let coarse = ReadOptions { chord: Some(0.01), ..ReadOptions::default() };
    let [fine, coarse] = [ReadOptions::default(), coarse].map(|options| {
        let scene = read(&text, &options).unwrap();
        let mesh = scene.mesh(PartId(2));
        (mesh.triangles().len(), Health::of(mesh, Winding::AsFound).volume / (PI / 6.0))
    });
    assert!(
        fine.0 > 50 * coarse.0 && 1.0 > fine.1 && fine.1 > 0.999 && coarse.1 > 0.94,
        "{fine:?} {coarse:?}"
    );
}

#[test]
fn primitives_that_are_wrong_are_refused_in_one_line() {
    let options = ReadOptions::default();
    for (shape, says) in [
        ("box", "<box> has no size"),
        ("box size='1 2'", "'1 2' is not three numbers"),
        ("box size='1 0 1'", "box: the size 0e0 is not positive"),
        ("sphere radius='-1'", "sphere: the size -1e0 is not positive"),
        ("sphere radius='1e999'", "'1e999' is not a finite number"),
        ("cylinder radius='1'", "<cylinder> has no length"),
        ("capsule radius='1' length='-2'", "capsule: the size -1e0 is not positive"),
        ("sphere radius='1e12'", "a larger --chord needs less"),
        ("sphere radius='1e300'", "a larger --chord needs less"),
        ("ellipsoid radii='1 1e9 1'", "a larger --chord needs less"),
    ] {
        let told = read(&robot(&[shape]), &options).unwrap_err();
        assert!(told.contains(says) && told.contains("part 'a' (link, line 1)"), "{told}");
        assert_eq!(told.lines().count(), 1);
    }
    let little = ReadOptions { memory: Some(1 << 20), ..options };
    assert!(read(&robot(&["sphere radius='10'"]), &little).unwrap_err().contains("memory"));
}

#[test]
fn macros_beside_links_and_joints_are_noted() {
    let options = ReadOptions::default();
    let with = |more: &str| {
        format!(
            "<robot name='r'><link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual></link>\n{more}</robot>"
        )
    };
    let scene = read(&with("<gazebo><xacro:sensor/><sensor:camera/></gazebo>"), &options).unwrap();
    let notes = [
        "r.urdf: XML prefixes that are not declared: xacro, sensor",
        "r.urdf: elements of xacro left out, since they are on no link or joint: 1",
    ];
    assert_eq!(scene.notes, notes);
    for inside in ["<xacro:arm/>", "<link name='b'><visual><xacro:a/></visual></link>"] {
        let told = read(&with(inside), &options).unwrap_err();
        let advice = "line 2: xacro is not expanded; expand it: pip install xacrodoc && xacrodoc";
        assert!(told.contains(advice), "{told}");
    }
    // As many prefixes as there may be, and more.
    let prefixes = |count: usize| (0..count).map(|i| format!("<p{i}:a/>")).collect::<String>();
    assert!(read(&with(&prefixes(16)), &options).is_ok());
    assert!(read(&with(&prefixes(17)), &options).unwrap_err().contains("unknown namespace prefix"));
}

#[test]
fn a_floating_joint_to_the_world_is_fixed() {
    let text = |parent: &str, world: &str| {
        format!(
            "<robot name='r'><link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual></link>{world}\
             <joint name='j' type='floating'><origin xyz='1 2 3'/><parent link='{parent}'/><child link='a'/></joint></robot>"
        )
    };
    for world in ["", "<link name='world'/>"] {
        let scene = read(&text("world", world), &ReadOptions::default()).unwrap();
        assert_eq!(scene.notes, ["r.urdf: the floating joint 'j' to the world is read as fixed"]);
        assert_eq!(scene.parts[0].pose, Pose::translation([1.0, 2.0, 3.0]));
        assert!(scene.robots[0].free_joints.is_empty());
    }
    let scene = read(&text("map", "<link name='map'/>"), &ReadOptions::default()).unwrap();
    assert_eq!(scene.robots[0].free_joints, [0]);
}
