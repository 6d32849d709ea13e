//! MJCF: bodies, classes, includes, geoms, joints, equalities, masks and exclusions.

use std::f64::consts::PI;
use std::path::Path;

use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::Scene;
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use glam::{DMat4, DQuat, DVec3};
use proptest::prelude::*;

const ARM: &str = r#"<mujoco model="arm">
 <compiler angle="degree" meshdir="meshes" eulerseq="zyx"/>
 <include file="classes.xml"/>
 <asset><mesh name="tri" file="tri.stl" scale="2 2 2" refpos="1 0 0"/><mesh name="other" file="tri.stl"/></asset>
 <worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <geom name="post" type="box" size="0.1 0.2 0.3" pos="5 0 0"/>
  <body name="base" pos="0 0 1" childclass="part">
   <geom name="hull" size="0.3"/>
   <geom name="seen" class="visual" mesh="other" type="mesh"/>
   <body name="shelf" pos="1 0 0" euler="90 0 0"><geom name="plate" type="box" size="1 1 0.1"/></body>
   <body name="upper" pos="0 0 0.5" quat="1 0 0 1">
    <joint name="yaw" axis="0 0 2" range="-90 90"/><joint name="pitch" axis="0 1 0" pos="0 0 0.1" ref="30"/>
    <geom name="rod" type="capsule" fromto="0 0 0 0 3 4" size="0.05"/>
    <geom name="part" type="mesh" mesh="tri" pos="1 2 3"/>
    <frame pos="0 1 0"><body name="tip" axisangle="1 0 0 90"><joint name="slide" type="slide" axis="1 0 0" range="0 2" limited="true"/>
     <geom name="end" type="ellipsoid" size="0.1 0.2 0.3"/></body></frame>
    <body name="twin"><joint name="follow" type="slide" class="main"/><geom name="pin" type="cylinder" size="0.1 0.4"/></body>
   </body>
  </body>
  <body name="ball" pos="9 0 0"><freejoint/><geom name="ball" size="0.5" contype="2" conaffinity="4"/></body>
 </worldbody>
 <contact><exclude body1="base" body2="tip"/></contact>
 <equality><joint joint1="follow" joint2="slide" polycoef="0.5 2 0 0 0"/><connect body1="tip" body2="base" anchor="0 0 0"/></equality>
</mujoco>"#;

const CLASSES: &str = r#"<mujocoinclude><default><geom friction="1"/><default class="part"><geom type="sphere" group="3"/>
 <joint damping="1"/><default class="visual"><geom contype="0" conaffinity="0" group="2"/></default></default></default></mujocoinclude>"#;

fn read_with(text: &str, more: &[(&str, &str)], options: &ReadOptions) -> Result<Scene, String> {
    let mut files = InMemory::default();
    files.insert("arm.xml", text).unwrap();
    files.insert("meshes/tri.stl", crate::STL).unwrap();
    for (name, text) in more {
        files.insert(*name, *text).unwrap();
    }
    read_from(&files, &[Path::new("arm.xml")], options).map_err(|error| error.to_string())
}

fn read(text: &str, collision_geometry: bool) -> Result<Scene, String> {
    let options = ReadOptions { collision_geometry, memory: Some(1 << 28), ..ReadOptions::default() };
    read_with(text, &[("classes.xml", CLASSES)], &options)
}

fn near(pose: &Pose, expected: DMat4, name: &str) {
    for p in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
        let (found, expected) = (pose.apply(p), expected.transform_point3(p));
        assert!(found.distance(expected) < 1e-12, "{name}: {found} instead of {expected}");
    }
}

#[test]
fn geoms_stand_where_their_bodies_have_them() {
    let scene = read(ARM, true).unwrap();
    let names: Vec<&str> = scene.parts.iter().map(|part| &*part.name).collect();
    let expected = [
        "world/post",
        "base/hull",
        "shelf/plate",
        "upper/rod",
        "upper/part",
        "tip/end",
        "twin/pin",
        "ball/ball",
    ];
    assert_eq!(names, expected);
    assert_eq!(&*scene.parts[5].path, "/world/base/upper/tip/end");
    let base = DMat4::from_translation(DVec3::Z);
    let turn = |axis: DVec3, degrees: f64| DMat4::from_axis_angle(axis, degrees.to_radians());
    let at = |x, y, z| DMat4::from_translation(DVec3::new(x, y, z));
    // 'pitch' stands at 0, which is 30 degrees back from where the file has it.
    let upper = base
        * at(0.0, 0.0, 0.5)
        * turn(DVec3::Z, 90.0)
        * at(0.0, 0.0, 0.1)
        * turn(DVec3::Y, -30.0)
        * at(0.0, 0.0, -0.1);
    let rod = DMat4::from_rotation_translation(
        DQuat::from_rotation_arc(DVec3::Z, DVec3::new(0.0, -0.6, -0.8)),
        DVec3::new(0.0, 1.5, 2.0),
    );
    let part = at(1.0, 2.0, 3.0) * DMat4::from_scale(DVec3::splat(2.0)) * at(-1.0, 0.0, 0.0);
    let tip = upper * at(0.0, 1.0, 0.0) * turn(DVec3::X, 90.0);
    // 'follow' is at half a metre: 0.5 + 2 * 0.
    let twin = upper * at(0.0, 0.0, 0.5);
    let poses = [
        at(5.0, 0.0, 0.0),
        base,
        base * at(1.0, 0.0, 0.0) * turn(DVec3::Z, 90.0),
        upper * rod,
        upper * part,
        tip,
        twin,
        at(9.0, 0.0, 0.0),
    ];
    for (part, expected) in scene.parts.iter().zip(poses) {
        near(&part.pose, expected, &part.name);
    }
    let robot = &scene.robots[0];
    let joints: Vec<(&str, Option<[f64; 2]>)> =
        robot.joints.iter().map(|joint| (&*joint.name, joint.limits)).collect();
    let half = Some([-0.5 * PI, 0.5 * PI]);
    assert_eq!(
        joints,
        [
            ("yaw", half),
            ("pitch", None),
            ("slide", Some([0.0, 2.0])),
            ("follow", None),
            ("ball_joint5", None)
        ]
    );
    assert_eq!(robot.joints[0].axis, Some(JointAxis::Turning(DVec3::Z)));
    assert_eq!(robot.free_joints, [4]);
    let mimic = robot.joints[3].mimic.unwrap();
    assert_eq!((mimic.joint, mimic.multiplier, mimic.offset), (2, 2.0, 0.5));
    // At other values the parts are where they turn to.
    let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
    robot.pose_parts(&robot.values(&[1.0, 0.25, 0.5, 0.0, 0.0]), &mut Vec::new(), &mut poses);
    let upper = base
        * at(0.0, 0.0, 0.5)
        * turn(DVec3::Z, 90.0)
        * DMat4::from_rotation_z(1.0)
        * at(0.0, 0.0, 0.1)
        * turn(DVec3::Y, -30.0)
        * DMat4::from_rotation_y(0.25)
        * at(0.0, 0.0, -0.1);
    near(&poses[5], upper * at(0.0, 1.0, 0.0) * turn(DVec3::X, 90.0) * at(0.5, 0.0, 0.0), "tip");
    near(&poses[6], upper * at(0.0, 0.0, 1.5), "twin");
    assert!(scene.notes.contains(&"arm.xml: geoms left out: 1 planes".to_owned()), "{:?}", scene.notes);
    assert!(scene.notes.contains(&"arm.xml: equality constraints that are not kept: connect 1".to_owned()));
}

#[test]
fn pairs_that_do_not_collide_are_excluded_with_their_reasons() {
    let scene = read(ARM, true).unwrap();
    let id = |name: &str| {
        let place = scene.parts.iter().position(|part| &*part.name == name).unwrap();
        closefit_geometry::ids::PartId(u32::try_from(place).unwrap())
    };
    for (a, b, reason) in [
        ("upper/rod", "upper/part", Some("same link")),
        ("world/post", "base/hull", Some("same link")),
        ("base/hull", "shelf/plate", Some("same link")),
        ("upper/rod", "base/hull", None),
        ("upper/rod", "tip/end", Some("adjacent links")),
        ("twin/pin", "upper/part", Some("adjacent links")),
        ("twin/pin", "tip/end", None),
        ("tip/end", "base/hull", Some("excluded by the model")),
        ("tip/end", "shelf/plate", None),
        ("ball/ball", "tip/end", Some("mask")),
    ] {
        assert_eq!(scene.excluded.reason(id(a), id(b)), reason, "{a} {b}");
    }
    let text = ARM.replace("<contact>", "<contact><pair geom1=\"end\" geom2=\"ball\"/>");
    let named = read(&text, true).unwrap();
    assert_eq!(named.excluded.reason(id("ball/ball"), id("tip/end")), None);
    assert_eq!(named.excluded.reason(id("ball/ball"), id("base/hull")), Some("mask"));
    // Named pairs collide though their bodies carry each other or are excluded.
    let pairs = "<contact><pair geom1=\"end\" geom2=\"rod\"/><pair geom1=\"end\" geom2=\"hull\"/>";
    let named = read(&ARM.replace("<contact>", pairs), true).unwrap();
    assert_eq!(named.excluded.reason(id("upper/rod"), id("tip/end")), None);
    assert_eq!(named.excluded.reason(id("tip/end"), id("base/hull")), None);
    assert_eq!(named.excluded.reason(id("tip/end"), id("upper/part")), Some("adjacent links"));
    let text = ARM.replace("<contact>", "<option><flag filterparent=\"disable\"/></option><contact>");
    let all = read(&text, true).unwrap();
    assert_eq!(all.excluded.reason(id("twin/pin"), id("upper/part")), None);
}

/// Excluded bodies take memory by their number, and not by the pairs of their geoms.
#[test]
fn bodies_are_excluded_in_any_number() {
    let geoms = "<geom size='0.1'/>".repeat(30);
    let body = |i: usize| format!("<body name='b{i}' pos='{i} 0 0'><freejoint/>{geoms}</body>");
    let exclude = |(i, j): (usize, usize)| format!("<exclude body1='b{i}' body2='b{j}'/>");
    let bodies: String = (0..60).map(body).collect();
    let pairs: String = (0..60).flat_map(|i| (0..i).map(move |j| (i, j))).map(exclude).collect();
    let text = format!("<mujoco><worldbody>{bodies}</worldbody><contact>{pairs}</contact></mujoco>");
    let options = ReadOptions { collision_geometry: true, memory: Some(1 << 24), ..ReadOptions::default() };
    let scene = read_with(&text, &[], &options).unwrap();
    let expected =
        [("excluded by the model".to_owned(), 60 * 59 / 2 * 900), ("same link".to_owned(), 60 * 435)];
    assert_eq!(scene.excluded.counts(), expected.into());
}

/// Each way to turn a geom takes the place of each other way of its class, as in MuJoCo.
#[test]
fn an_own_orientation_takes_the_place_of_another_kind_of_a_class() {
    let ways = [
        ("quat", "0 0 1 0"),
        ("axisangle", "0 0 1 0.5"),
        ("xyaxes", "0 1 0 0 0 1"),
        ("zaxis", "1 2 3"),
        ("euler", "0.1 0.2 0.3"),
    ];
    let pose = |outer: &str, inner: &str, own: &str| {
        let text = format!(
            r#"<mujoco><compiler angle="radian"/><default><geom {outer}/><default class="c"><geom {inner}/></default>
</default><worldbody><geom class="c" type="box" size="1 2 3" {own}/></worldbody></mujoco>"#
        );
        read(&text, true).unwrap().parts[0].pose
    };
    for (of_class, other) in ways {
        for (own, value) in ways {
            let (of_class, own) = (format!("{of_class}='{other}'"), format!("{own}='{value}'"));
            let expected = pose("", "", &own);
            for found in [pose(&of_class, "", &own), pose("", &of_class, &own), pose(&of_class, &own, "")] {
                assert_eq!(found, expected, "{of_class} and then {own}");
            }
        }
    }
}

/// A geom that gives fewer sizes than its class keeps the remaining ones from the class. A class does the
/// same with the class around it, as in MuJoCo.
#[test]
fn some_sizes_take_the_place_of_as_many_of_a_class() {
    let half = |own: &str| {
        let text = format!(
            r#"<mujoco><default><geom type="box" size="1 2 3"/><default class="c"><geom size="4 5"/></default></default>
<worldbody><geom {own}/></worldbody></mujoco>"#
        );
        let scene = read(&text, true).unwrap();
        scene.meshes[0].posed_bounds(&Pose::IDENTITY).hi.to_array()
    };
    assert_eq!(half(""), [1.0, 2.0, 3.0]);
    assert_eq!(half("size='0.5'"), [0.5, 2.0, 3.0]);
    assert_eq!(half("class='c'"), [4.0, 5.0, 3.0]);
    assert_eq!(half("class='c' size='0.5'"), [0.5, 5.0, 3.0]);
    assert_eq!(half("class='c' size='6 7 8'"), [6.0, 7.0, 8.0]);
    let told = read(
        r#"<mujoco><default><geom size="x 2 3"/></default><worldbody><geom type="box" size="1"/></worldbody></mujoco>"#,
        true,
    );
    assert!(told.unwrap_err().contains("size: 'x' is not a number"));
}

/// Classes say of all equalities together if they are active.
#[test]
fn equalities_of_a_class_may_be_inactive() {
    let follows = |classes: &str, own: &str| {
        let text = format!(
            r#"<mujoco><default>{classes}</default><worldbody>
<body><joint name="x" type="slide" range="1 2"/><geom size=".1"/></body>
<body><joint name="y" type="slide"/><geom size=".1"/></body></worldbody>
<equality><joint {own} joint1="y" joint2="x"/></equality></mujoco>"#
        );
        let scene = read(&text, true).unwrap();
        // The joint x is at its limit, and y where x is, or at 0.
        let at = scene.parts[1].pose.shift().z;
        assert_eq!(at == 1.0, scene.robots[0].joints[1].mimic.is_some());
        at
    };
    let inactive = "<equality active='false'/>";
    let of_class = format!("<default class='q'>{inactive}</default>");
    assert_eq!(follows("", ""), 1.0);
    assert_eq!(follows(inactive, ""), 0.0);
    assert_eq!(follows(inactive, "active='true'"), 1.0);
    assert_eq!(follows(&of_class, ""), 1.0);
    assert_eq!(follows(&of_class, "class='q'"), 0.0);
    assert_eq!(
        follows(&format!("{inactive}<default class='q'><equality active='true'/></default>"), "class='q'"),
        1.0
    );
    assert_eq!(
        follows("<joint damping='1' active='false'/>", ""),
        1.0,
        "a class of joints is of joints alone"
    );
}

#[test]
fn what_is_seen_is_read_unless_collisions_are_asked_for() {
    let scene = read(ARM, false).unwrap();
    assert_eq!(scene.parts.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["base/seen"]);
    assert!(scene.robots[0].lacks_collision);
    let scene = read(&ARM.replace("class=\"visual\"", ""), false).unwrap();
    assert_eq!(scene.parts.len(), 9);
    assert!(
        scene
            .notes
            .contains(&"arm.xml: no geom is visual alone, so the collision geometry is read".to_owned())
    );
}

/// A box that is turned and moved in its file, and that MuJoCo fits with its own sizes.
#[test]
fn primitives_are_fitted_to_meshes() {
    let (place, half) = (
        DMat4::from_rotation_translation(DQuat::from_rotation_y(0.3), DVec3::new(1.0, 2.0, 3.0)),
        DVec3::new(0.5, 1.0, 1.5),
    );
    let corner =
        |i: u32| DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 1 { 1.0 } else { -1.0 })) * half;
    let vertices: String = (0..8)
        .map(|i| place.transform_point3(corner(i)))
        .map(|p| format!("v {} {} {}\n", p.x, p.y, p.z))
        .collect();
    let file = format!("{vertices}f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    let geoms: String = ["box", "ellipsoid", "capsule", "cylinder", "sphere"]
        .map(|kind| format!("<geom type='{kind}' mesh='m'/>"))
        .concat();
    let model = format!(
        "<mujoco><asset><mesh name='m' file='m.obj' scale='2 2 2'/></asset><worldbody><body>{geoms}</body></worldbody></mujoco>"
    );
    let options = ReadOptions { hulls: true, ..ReadOptions::default() };
    let scene = read_with(&model, &[("m.obj", &file)], &options).unwrap();
    let names: Vec<&str> = scene.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["body1/m", "body1/m", "body1/m", "body1/m", "body1/m"]);
    let of = |part: usize| scene.meshes[scene.parts[part].mesh.index()].posed_bounds(&Pose::IDENTITY).hi;
    let radius = 1.5;
    let expected = [
        2.0 * half,
        2.0 * half,
        DVec3::new(radius, radius, 3.0 - 0.5 * radius + radius),
        DVec3::new(radius, radius, 3.0),
        DVec3::splat(2.0),
    ];
    for (part, expected) in expected.into_iter().enumerate() {
        // Vertices are rounded to f32.
        assert!(of(part).distance(expected) < 1e-6, "{part}: {}", of(part));
        let pose = &scene.parts[part].pose;
        assert!(pose.apply(DVec3::ZERO).distance(DVec3::new(2.0, 4.0, 6.0)) < 1e-6);
        let z = place.transform_vector3(DVec3::Z);
        assert!(
            (pose.apply(DVec3::Z) - pose.apply(DVec3::ZERO)).cross(z).length() < 1e-6,
            "the longest axis is z"
        );
    }
    assert_eq!(scene.parts[1].chord, 1e-4);
}

/// Bodies with equal moments of inertia, whose axes only rounding decides. MuJoCo 4.0.0 has given the boxes:
/// the quaternion w, x, y, z, the centre and half the sizes.
#[test]
fn bodies_without_axes_of_their_own_are_fitted_as_by_mujoco() {
    let straight = "v 0.1 0.2 0.3\nv 1.1 0.2 0.3\nv 0.1 1.2 0.3\nv 1.1 1.2 0.3\nv 0.1 0.2 5\nv 1.1 0.2 5\n\
                    v 0.1 1.2 5\nv 1.1 1.2 5\n";
    let cube = "v 0.100000 0.200000 0.300000\nv -0.118391 0.452874 -0.642529\nv -0.612644 -0.501149 0.277011\n\
                v -0.831034 -0.248276 -0.665517\nv -0.566667 0.866667 0.633333\nv -0.785057 1.119540 -0.309195\n\
                v -1.279310 0.165517 0.610345\nv -1.497701 0.418391 -0.332184\n";
    let faces = "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\n\
                 f 2 4 8\nf 2 8 6\n";
    let tetrahedron = "v -1.497701 0.418391 -0.332184\nv 1.260920 0.487356 -0.952874\n\
                       v 0.272414 -1.420690 0.886207\nv 0.364368 1.314943 1.598851\n\
                       f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let (straight, cube) = (format!("{straight}{faces}"), format!("{cube}{faces}"));
    for (file, [w, x, y, z], at, half) in [
        (&straight[..], [1.0, 0.0, 0.0, 0.0], [0.6, 0.7, 2.65], [0.5, 0.5, 2.35]),
        (
            &cube,
            [0.957_300_733_5, 0.0, -0.289_093_939_0, 0.0],
            [-0.698_850_512_8, 0.309_195_497_3, -0.016_091_994_6],
            [0.499_999_905_3, 0.499_999_885_7, 0.500_000_063_5],
        ),
        (
            tetrahedron,
            [0.936_331_972_1, -0.301_617_580_3, -0.171_090_209_3, 0.055_112_734_0],
            [0.100_000_247_4, 0.200_000_003_0, 0.299_999_989_6],
            [0.774_596_737_6, 0.774_596_784_6, 0.774_596_981_5],
        ),
    ] {
        let model = "<mujoco><asset><mesh name='m' file='m.obj'/></asset><worldbody><geom type='box' mesh='m'/></worldbody></mujoco>";
        let scene = read_with(model, &[("m.obj", file)], &ReadOptions::default()).unwrap();
        let expected =
            DMat4::from_rotation_translation(DQuat::from_xyzw(x, y, z, w).normalize(), DVec3::from_array(at));
        let pose = &scene.parts[0].pose;
        for point in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
            let (found, expected) = (pose.apply(point), expected.transform_point3(point));
            assert!(found.distance(expected) < 1e-7, "{point}: {found} {expected}");
        }
        let found = scene.meshes[scene.parts[0].mesh.index()].posed_bounds(&Pose::IDENTITY).hi;
        assert!(found.distance(DVec3::from_array(half)) < 1e-7, "{found} {half:?}");
    }
}

#[test]
fn hulls_are_of_all_vertices() {
    let file = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\nv 9 0 0\nf 1 2 3\nf 1 2 4\nf 5 2 3\n";
    let model = "<mujoco><asset><mesh name='m' file='m.obj'/></asset><worldbody><body><geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
    let mesh = |hulls: bool| {
        let options = ReadOptions { hulls, ..ReadOptions::default() };
        let scene = read_with(model, &[("m.obj", file)], &options).unwrap();
        (scene.meshes[0].triangles().len(), scene.meshes[0].posed_bounds(&Pose::IDENTITY).hi.x)
    };
    assert_eq!((mesh(false), mesh(true)), ((3, 1.0), (4, 9.0)));
}

// As MuJoCo does, and as its own tests of includes expect.
#[test]
fn files_are_sought_in_the_models_folder_then_next_to_the_file_that_names_them() {
    let body = |name: &str, mesh: &str| {
        format!(
            "<mujoco><asset><mesh name='{mesh}' file='{mesh}.stl'/></asset>\
             <worldbody><geom name='{name}' type='mesh' mesh='{mesh}'/></worldbody></mujoco>"
        )
    };
    let deep = body("deep", "deep");
    let arm = body("arm", "near").replace("<asset>", "<include file='more/parts.xml'/><asset>");
    let other = body("other", "tri").replace("<asset>", "<include file='../common.xml'/><asset>");
    let common = body("common", "only");
    let files = [
        ("robots/arm.xml", &arm[..]),
        ("robots/more/parts.xml", &deep),
        ("robots/more/deep.stl", crate::STL),
        ("robots/near.stl", crate::STL),
        ("other/body.xml", &other),
        ("other/tri.stl", "not read: there is one in the folder of meshes"),
        ("common.xml", &common),
        ("only.stl", crate::STL),
        ("parts.xml", "not read either"),
    ];
    let model = "<mujoco><compiler meshdir='meshes'/><include file='robots/arm.xml'/>\
                 <include file='other/body.xml'/></mujoco>";
    let scene = read_with(model, &files, &ReadOptions::default()).unwrap();
    let names: Vec<&str> = scene.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["world/deep", "world/arm", "world/common", "world/other"]);
    // The model's folder comes first.
    let own = body("own", "tri");
    let scene =
        read_with(model, &[&files[..], &[("more/parts.xml", &own)]].concat(), &ReadOptions::default());
    let told = scene.unwrap_err();
    assert!(told.contains("a second mesh 'tri'"), "{told}");
    // Two files include each other.
    let around = [
        ("a/b.xml", "<mujoco><include file='c.xml'/></mujoco>"),
        ("a/c.xml", "<mujoco><include file='b.xml'/></mujoco>"),
    ];
    let told = read_with("<mujoco><include file='a/b.xml'/></mujoco>", &around, &ReadOptions::default());
    assert!(told.unwrap_err().contains("a/c.xml: include: 'a/b.xml' is included twice"));
    let told = read_with("<mujoco><include file='a/b.xml'/></mujoco>", &around[..1], &ReadOptions::default());
    assert!(told.unwrap_err().contains("c.xml: cannot be read"));
}

#[test]
fn faults_name_the_element_and_the_value() {
    for (from, to, says) in [
        ("<worldbody>", "<worldbody><replicate count=\"3\"/>", "line 5: <replicate> is not supported"),
        ("<worldbody>", "<worldbody><attach model=\"a\"/>", "<attach> is not supported"),
        ("<worldbody>", "<worldbody><body><composite/></body>", "<composite> is not supported"),
        ("<worldbody>", "<worldbody><flexcomp/>", "<flexcomp> is not supported"),
        ("file=\"classes.xml\"", "file=\"gone.xml\"", "gone.xml: cannot be read"),
        ("file=\"classes.xml\"", "file=\"../classes.xml\"", "--allow-outside"),
        ("<asset>", "<include file=\"classes.xml\"/><asset>", "'classes.xml' is included twice"),
        ("<asset>", "<include file=\"arm.xml\"/><asset>", "included twice"),
        ("childclass=\"part\"", "childclass=\"gone\"", "there is no class 'gone'"),
        ("angle=\"degree\"", "angle=\"turns\"", "unknown unit 'turns'"),
        ("eulerseq=\"zyx\"", "eulerseq=\"zya\"", "'zya' is not three axes"),
        ("meshdir=\"meshes\"", "meshdir=\"other\"", "other/tri.stl: cannot be read"),
        ("mesh=\"tri\"", "mesh=\"gone\"", "part 'part' (geom, line 15): mesh: there is no mesh 'gone'"),
        ("type=\"capsule\"", "type=\"torus\"", "unknown type 'torus'"),
        ("type=\"slide\"", "type=\"screw\"", "part 'slide' (joint, line 16): type: unknown type 'screw'"),
        ("axis=\"0 0 2\"", "axis=\"0 0 0\"", "axis: [0, 0, 0] has no direction"),
        ("axis=\"0 0 2\"", "axis=\"0 0 1e-200\"", "axis: [0, 0, 1e-200] has no direction"),
        ("axis=\"0 0 2\"", "axis=\"0 0\"", "axis: 2 numbers instead of 3"),
        ("size=\"0.1 0.4\"", "size=\"0.1\"", "size: 1 numbers, which are too few for a cylinder"),
        ("size=\"0.1 0.4\"", "size=\"0.1 -4\"", "cylinder: the size -4e0 is not positive"),
        ("quat=\"1 0 0 1\"", "quat=\"0 0 0 0\"", "has no direction"),
        ("quat=\"1 0 0 1\"", "quat=\"1 0 0 x\"", "quat: 'x' is not a number"),
        ("contype=\"2\"", "contype=\"99999999999\"", "contype: '99999999999' is not a mask of 32 bits"),
        ("joint2=\"slide\"", "joint2=\"gone\"", "joint2: there is no joint 'gone'"),
        ("name=\"twin\"", "name=\"tip\"", "a second body 'tip'"),
        ("name=\"follow\"", "name=\"slide\"", "a second joint 'slide'"),
        ("name=\"tri\"", "name=\"other\"", "a second mesh 'other'"),
        (
            "<frame pos=\"0 1 0\">",
            "<frame pos=\"0 1 0\"><joint/>",
            "a joint of the world or of a <frame> is not supported",
        ),
    ] {
        assert!(ARM.contains(from), "{from}");
        match read(&ARM.replacen(from, to, 1), true) {
            Ok(_) => assert_eq!(says, "", "{to}"),
            Err(told) => {
                assert!(told.contains(says), "{to}: {told}");
                assert_eq!(told.lines().count(), 1);
            }
        }
    }
}

#[test]
fn hostile_files_end_in_one_line() {
    for depth in [100, 1000, 100_000] {
        for element in ["body", "frame", "default class='a'"] {
            let name = element.split(' ').next().unwrap();
            let all =
                format!("{}{}", format!("<{element}>").repeat(depth), format!("</{name}>").repeat(depth));
            let inside = if name == "default" {
                format!("<default>{all}</default>")
            } else {
                format!("<worldbody>{all}</worldbody>")
            };
            let told = read(&format!("<mujoco>{inside}</mujoco>"), true).unwrap_err();
            assert_eq!(told.lines().count(), 1, "{told}");
        }
    }
    // Each geom has masks of its own, or none that match.
    let geoms = |mask: &dyn Fn(usize) -> usize, count: usize| -> String {
        let geom =
            |i: usize| format!("<body><joint/><geom size='1' contype='{}' conaffinity='0'/></body>", mask(i));
        format!("<mujoco><worldbody>{}</worldbody></mujoco>", (0..count).map(geom).collect::<String>())
    };
    assert!(read(&geoms(&|i| i + 1, 2000), true).unwrap_err().contains("more than 1024 different masks"));
    assert!(read(&geoms(&|_| 1, 4000), true).unwrap_err().contains("memory"));
    for tenth in 0..10 {
        let told = read(&ARM[..ARM.len() * tenth / 10], true).unwrap_err();
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1000), ..ProptestConfig::default() })]
    #[test]
    fn damaged_files_end_in_one_line(at in 0..ARM.len(), byte in 32_u8..127, more in 0..ARM.len(), cut in 0..40_usize) {
        let bytes = crate::damaged(ARM, (at, byte), (more, cut));
        if let Err(told) = read(&String::from_utf8(bytes).unwrap(), true) {
            prop_assert_eq!(told.lines().count(), 1);
        }
    }
}
