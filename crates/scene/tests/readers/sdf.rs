//! SDF: models, worlds, included models, frames, joints and shapes.

use std::collections::BTreeSet;
use std::path::Path;

use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::Scene;
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use glam::{DMat4, DVec3};
use proptest::prelude::*;

const ARM: &str = r#"<?xml version="1.0"?>
<sdf version="1.7"><model name="arm"><pose>0 0 1 0 0 0</pose>
 <link name="base"><visual name="v"><geometry><box><size>1 1 2</size></box></geometry></visual>
  <collision name="c"><geometry><cylinder><radius>0.5</radius><length>2</length></cylinder></geometry></collision></link>
 <link name="upper"><pose>0 0 2 0 0 1.5</pose>
  <visual name="rod"><pose>0.5 0 0 0 1.5 0</pose><geometry><capsule><radius>0.1</radius><length>1</length></capsule></geometry></visual>
  <visual name="skin"><geometry><mesh><uri>model://arm/meshes/tri.stl</uri><scale>2 2 2</scale></mesh></geometry></visual></link>
 <link name="hand"><pose relative_to="elbow">1 0 0 0 0 0</pose>
  <visual name="palm"><geometry><mesh><uri>meshes/tri.stl</uri></mesh></geometry></visual>
  <visual name="ground"><geometry><plane/></geometry></visual></link>
 <link name="spare"><pose>9 0 0 0 0 0</pose><visual name="ball"><geometry><sphere><radius>1</radius></sphere></geometry></visual></link>
 <frame name="elbow" attached_to="upper"><pose>1 0 0 0 0 0.5</pose></frame>
 <joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child><axis><xyz>0 0 2</xyz>
  <limit><lower>-1</lower><upper>1.5</upper></limit></axis></joint>
 <joint name="wrist" type="prismatic"><pose>0 1 0 0 0 0</pose><parent>upper</parent><child>hand</child>
  <axis><xyz expressed_in="__model__">1 0 0</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis></joint>
 <joint name="loop" type="fixed"><parent>hand</parent><child>upper</child></joint>
</model></sdf>"#;

const WORLD: &str = r#"<sdf version="1.4"><world name="w">
 <include><uri>model://arm</uri><name>left</name><pose>5 0 0 0 0 0</pose><static>true</static></include>
 <include><uri>model://arm</uri><name>right</name></include>
 <model name="table"><link name="top"><visual name="v"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></visual></link></model>
</world></sdf>"#;

fn read_at(path: &str, text: &str, collision_geometry: bool) -> Result<Scene, String> {
    let mut files = InMemory::default();
    if path != "models/arm/model.sdf" {
        files.insert("models/arm/model.sdf", ARM).unwrap();
    }
    files.insert(path, text).unwrap();
    files.insert("models/arm/meshes/tri.stl", crate::STL).unwrap();
    let options = ReadOptions { collision_geometry, memory: Some(1 << 28), ..ReadOptions::default() };
    read_from(&files, &[Path::new(path)], &options).map_err(|error| error.to_string())
}

fn read(text: &str) -> Result<Scene, String> {
    read_at("models/arm/model.sdf", text, false)
}

fn near(pose: &Pose, expected: DMat4, name: &str) {
    for p in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
        let (found, expected) = (pose.apply(p), expected.transform_point3(p));
        assert!(found.distance(expected) < 1e-12, "{name}: {found} instead of {expected}");
    }
}

#[test]
fn links_stand_where_the_model_has_them() {
    let scene = read(ARM).unwrap();
    let names: Vec<&str> = scene.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["base/v", "upper/rod", "upper/tri", "hand/tri", "spare/ball"]);
    assert_eq!((&*scene.parts[3].path, scene.meshes.len()), ("/arm/hand/tri", 4));
    let at = |x, y, z| DMat4::from_translation(DVec3::new(x, y, z));
    let turn = DMat4::from_rotation_z;
    let upper = at(0.0, 0.0, 3.0) * turn(1.5);
    let hand = upper * at(1.0, 0.0, 0.0) * turn(0.5) * at(1.0, 0.0, 0.0);
    let poses = [
        at(0.0, 0.0, 1.0),
        upper * at(0.5, 0.0, 0.0) * DMat4::from_rotation_y(1.5),
        upper * DMat4::from_scale(DVec3::splat(2.0)),
        hand,
        at(9.0, 0.0, 1.0),
    ];
    for (part, expected) in scene.parts.iter().zip(poses) {
        near(&part.pose, expected, &part.name);
    }
    let robot = &scene.robots[0];
    let joints: Vec<&str> = robot.joints.iter().map(|joint| &*joint.name).collect();
    assert_eq!(joints, ["world_base", "shoulder", "wrist", "world_spare"]);
    assert_eq!((robot.joints[1].limits, robot.joints[2].limits), (Some([-1.0, 1.5]), None));
    assert_eq!(robot.joints[1].axis, Some(JointAxis::Turning(DVec3::Z)));
    assert_eq!(robot.free_joints, [0, 3]);
    // The wrist slides along the x axis of the model, whatever turns it.
    let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
    robot.pose_parts(&robot.values(&[0.0, 0.0, 0.25, 0.0]), &mut Vec::new(), &mut poses);
    near(&poses[3], at(0.25, 0.0, 0.0) * hand, "slid");
    robot.pose_parts(&robot.values(&[0.0, 1.0, 0.0, 0.0]), &mut Vec::new(), &mut poses);
    near(&poses[3], upper * turn(1.0) * at(1.0, 0.0, 0.0) * turn(0.5) * at(1.0, 0.0, 0.0), "turned");
    let reason = |a, b| scene.excluded.reason(PartId(a), PartId(b));
    assert_eq!(
        [reason(0, 1), reason(2, 3), reason(1, 2)],
        ["adjacent links", "adjacent links", "same link"].map(Some)
    );
    assert_eq!([reason(0, 3), reason(0, 4)], [None; 2]);
    let told = |note: &str| assert!(scene.notes.contains(&format!("model.sdf: {note}")), "{:?}", scene.notes);
    told("joints that close loops left out: loop");
    told("visual planes and empty shapes left out: 1");
    let scene = read_at("models/arm/model.sdf", ARM, true).unwrap();
    assert_eq!(scene.parts.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["base/c"]);
}

#[test]
fn worlds_include_models() {
    let scene = read_at("models/w/world.sdf", WORLD, false).unwrap_err();
    assert!(scene.contains("--allow-outside"), "{scene}");
    let scene = read_at("models/world.sdf", WORLD, false).unwrap();
    let names: Vec<&str> = scene.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(
        (names[0], names[5], names[10], names.len()),
        ("left::base/v", "right::base/v", "table::top/v", 11)
    );
    assert_eq!((scene.meshes.len(), &*scene.parts[3].path), (5, "/left/hand/tri"));
    near(&scene.parts[0].pose, DMat4::from_translation(DVec3::X * 5.0), "the pose of the include");
    near(&scene.parts[5].pose, DMat4::from_translation(DVec3::Z), "the pose of the model");
    let kinds = scene.robots[0].free_joints.len();
    assert_eq!(kinds, 2 + 1, "those of a static model are fixed");
    // Before version 1.5, axes are along the model.
    let old = ARM.replace("version=\"1.7\"", "version=\"1.4\"").replace(" expressed_in=\"__model__\"", "");
    let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
    let scene = read(&old).unwrap();
    poses.truncate(scene.parts.len());
    let before = scene.parts[3].pose.apply(DVec3::ZERO);
    scene.robots[0].pose_parts(&scene.robots[0].values(&[0.0, 0.0, 0.25, 0.0]), &mut Vec::new(), &mut poses);
    assert!(poses[3].apply(DVec3::ZERO).distance(before + 0.25 * DVec3::X) < 1e-12);
}

/// Joints reach into models within their own, name frames of links, and mimic others.
const NESTED: &str = r#"<sdf version="1.11"><model name="m">
 <link name="base"><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>
 <link name="tool"><pose>0 0 3 0 0 0</pose><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>
 <model name="arm"><pose>0 2 1 0 0 0</pose>
  <link name="hand"><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link></model>
 <frame name="grip" attached_to="tool"><pose>1 0 0 0 0 0</pose></frame>
 <joint name="lift" type="prismatic"><parent>base</parent><child>arm::hand</child><axis><xyz>0 0 1</xyz></axis></joint>
 <joint name="turn" type="revolute"><parent>arm::hand</parent><child>grip</child><axis><xyz>0 0 1</xyz>
  <mimic joint="lift"><multiplier>2</multiplier><offset>0.6</offset><reference>0.25</reference></mimic></axis></joint>
</model></sdf>"#;

#[test]
fn joints_reach_into_models_and_mimic_others() {
    let scene = read(NESTED).unwrap();
    let names: Vec<&str> = scene.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["base/v", "tool/v", "arm::hand/v"]);
    let robot = &scene.robots[0];
    let joints: Vec<&str> = robot.joints.iter().map(|joint| &*joint.name).collect();
    assert_eq!(joints, ["world_base", "turn", "lift"]);
    let reason = |a, b| scene.excluded.reason(PartId(a), PartId(b));
    assert_eq!(
        [reason(0, 2), reason(1, 2), reason(0, 1)],
        [Some("adjacent links"), Some("adjacent links"), None]
    );
    // The tool turns about its own frame `grip`, by 2 (lift - 0.25) + 0.6, and the hand lifts it.
    let at = |x, y, z| DMat4::from_translation(DVec3::new(x, y, z));
    let turned = |angle| at(1.0, 0.0, 3.0) * DMat4::from_rotation_z(angle) * at(-1.0, 0.0, 0.0);
    near(&scene.parts[1].pose, turned(0.1), "at rest");
    let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
    robot.pose_parts(&robot.values(&[0.0, 0.0, 0.5]), &mut Vec::new(), &mut poses);
    near(&poses[2], at(0.0, 2.0, 1.5), "lifted");
    near(&poses[1], at(0.0, 0.0, 0.5) * turned(1.1), "lifted and turned");

    for (from, to, says) in [
        ("<child>arm::hand", "<child>hand", "there is no link or frame 'hand'"),
        ("<child>arm::hand", "<child>arm::gone", "no link or frame of a model within its own is 'arm::gone'"),
        ("<child>arm::hand", "<child>__model__", "there is no link or frame '__model__'"),
        (" attached_to=\"tool\"", "", "a joint at 'grip', a frame of a model and no link, is not supported"),
        (" attached_to=\"tool\"", " attached_to=\"grip\"", "the frame 'grip' is attached to itself"),
        ("mimic joint=\"lift\"", "mimic joint=\"gone\"", "'gone' is not the name of a joint"),
        (
            "mimic joint=\"lift\"",
            "mimic joint=\"lift\" axis=\"axis2\"",
            "mimics a second axis is not supported",
        ),
        ("<offset>0.6", "<offset>x", "offset: 'x' is not a"),
    ] {
        assert!(NESTED.contains(from), "{from}");
        let told = read(&NESTED.replacen(from, to, 1)).unwrap_err();
        assert!(told.contains(says) && told.lines().count() == 1, "{to}: {told}");
    }
    // Joints of a world connect its models.
    let link = r#"<link name="l"><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>"#;
    let world = format!(
        r#"<sdf version="1.11"><world name="w"><model name="a">{link}</model><model name="b">{link}</model>
<joint name="j" type="fixed"><parent>a::l</parent><child>b::l</child></joint><actor name="x"/><state world_name="w"/></world></sdf>"#
    );
    let scene = read(&world).unwrap();
    assert_eq!(scene.excluded.reason(PartId(0), PartId(1)), Some("adjacent links"));
    for note in ["actors, left out: 1", "saved states, which move models, left out: 1"] {
        assert!(scene.notes.iter().any(|told| told.ends_with(note)), "{:?}", scene.notes);
    }
}

/// Links are placed relative to a nested model, to a frame in it, and to a model nested more deeply. A model
/// is placed relative to a frame.
const FRAMES: &str = r#"<sdf version="1.9"><model name="m">
 <model name="n"><pose>3 0 0 0 0 1</pose>
  <link name="k"><pose>0 1 0 0 0 0</pose><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>
  <frame name="f" attached_to="k"><pose>0 0 1 0 0 0.5</pose></frame>
  <model name="deep" placement_frame="tip"><pose relative_to="f">1 0 0 0 0 0</pose>
   <link name="k"><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>
   <frame name="tip" attached_to="k"><pose>0 2 0 0 0 0.25</pose></frame></model></model>
 <link name="a"><pose relative_to="AT">0 0 5 0 0 0</pose><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual></link>
 <frame name="grip" attached_to="n::deep::tip"/><frame name="grip2" attached_to="n::f"/>
 <joint name="j" type="revolute"><parent>n::deep::tip</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
 <joint name="j2" type="prismatic"><pose>1 0 0 0 0 0</pose><parent>world</parent><child>n::f</child><axis><xyz>1 0 0</xyz></axis></joint>
</model></sdf>"#;

#[test]
fn frames_are_named_through_the_models_that_have_them() {
    let at = |x, y, z| DMat4::from_translation(DVec3::new(x, y, z));
    let turn = DMat4::from_rotation_z;
    let n = at(3.0, 0.0, 0.0) * turn(1.0);
    let k = n * at(0.0, 1.0, 0.0);
    let f = k * at(0.0, 0.0, 1.0) * turn(0.5);
    let tip = f * at(1.0, 0.0, 0.0);
    let deep = tip * (at(0.0, 2.0, 0.0) * turn(0.25)).inverse();
    for (name, expected) in [
        ("n", n),
        ("n::__model__", n),
        ("n::k", k),
        ("n::f", f),
        ("n::deep", deep),
        ("n::deep::k", deep),
        ("n::deep::tip", tip),
        ("grip", tip),
        ("grip2", f),
        ("j2", f * at(1.0, 0.0, 0.0)),
    ] {
        let scene = read(&FRAMES.replace("AT", name)).unwrap();
        let names: Vec<&str> = scene.parts.iter().map(|part| &*part.name).collect();
        assert_eq!(names, ["a/v", "n::k/v", "n::deep::k/v"]);
        near(&scene.parts[0].pose, expected * at(0.0, 0.0, 5.0), name);
        near(&scene.parts[1].pose, k, "k");
        near(&scene.parts[2].pose, deep, "deep");
        // The link `a` hangs on the link of the inner `tip`, and `n::k` slides along x of its frame `f`.
        let reason = |a, b| scene.excluded.reason(PartId(a), PartId(b));
        assert_eq!([reason(0, 1), reason(1, 2)], [None; 2]);
        let robot = &scene.robots[0];
        let joints: Vec<&str> = robot.joints.iter().map(|joint| &*joint.name).collect();
        assert_eq!(joints, ["j", "j2", "world_n::deep::k"]);
        let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
        robot.pose_parts(&robot.values(&[0.0, 2.0, 0.0]), &mut Vec::new(), &mut poses);
        near(&poses[1], at(2.0 * 1.5f64.cos(), 2.0 * 1.5f64.sin(), 0.0) * k, "slid along x of f");
    }
    for (from, to, says) in [
        ("AT", "n::gone", "there is no frame 'gone'"),
        ("AT", "gone::n", "there is no frame 'gone::n'"),
        ("AT", "j", "the frame 'a' is relative to itself"),
        ("<pose relative_to=\"f\">1", "<pose relative_to=\"deep::k\">1", "is relative to itself"),
        ("<child>n::f", "<child>n::gone", "no link or frame of a model within its own is 'n::gone'"),
        ("<child>n::f", "<child>n", "there is no link or frame 'n'"),
    ] {
        let told = read(&FRAMES.replacen(from, to, 1).replace("AT", "n")).unwrap_err();
        assert!(told.contains(says) && told.lines().count() == 1, "{to}: {told}");
    }
    // A model includes itself, and its placement frame is its own copy.
    let own =
        "<model name=\"arm\" placement_frame=\"x\"><include><name>x</name><uri>model://arm</uri></include>";
    let told = read(&ARM.replace("<model name=\"arm\">", own)).unwrap_err();
    assert!(told.contains("is relative to itself") && told.lines().count() == 1, "{told}");
}

/// Each link is relative to the next one, or to the one before, by a frame that is attached to it.
#[test]
fn chains_of_frames_may_be_long_in_either_order() {
    let link = |i: usize| {
        let relative = if i == 0 { String::new() } else { format!(" relative_to='f{}'", i - 1) };
        let visual = "<visual name='v'><geometry><box><size>1 1 1</size></box></geometry></visual>";
        let attached = if i.is_multiple_of(100) { format!("l{i}") } else { format!("f{}", i - 1) };
        let frame = format!("<frame name='f{i}' attached_to='{attached}'><pose relative_to='l{i}'/></frame>");
        format!("<link name='l{i}'><pose{relative}>1 0 0 0 0 0</pose>{visual}</link>{frame}")
    };
    let joint = "<joint name='j' type='fixed'><parent>f99</parent><child>l500</child></joint>";
    let mut links: Vec<String> = (0..1000).map(link).collect();
    for _ in 0..2 {
        let scene =
            read(&format!("<sdf version='1.9'><model name='m'>{}{joint}</model></sdf>", links.concat()));
        let scene = scene.unwrap();
        let xs: BTreeSet<(String, i64)> = scene
            .parts
            .iter()
            .map(|part| (part.name.to_string(), part.pose.apply(DVec3::ZERO).x as i64))
            .collect();
        assert_eq!(xs, (0..1000).map(|i| (format!("l{i}/v"), 1 + i)).collect());
        links.reverse();
    }
}

/// The pose of a model may be that of one of its frames.
#[test]
fn a_placement_frame_stands_where_the_model_is_placed() {
    let at = |x, y, z| DMat4::from_translation(DVec3::new(x, y, z));
    let tool = at(0.0, 0.0, 3.0) * at(1.0, 0.0, 0.0);
    let placed = NESTED.replacen(
        "<model name=\"m\">",
        "<model name=\"m\" placement_frame=\"grip\"><pose>5 0 0 0 0 1</pose>",
        1,
    );
    let turned = at(5.0, 0.0, 0.0) * DMat4::from_rotation_z(1.0);
    near(&read(&placed).unwrap().parts[0].pose, turned * tool.inverse(), "a model");
    let include = |more: &str| {
        let include = format!("<include><uri>model://arm</uri><pose>5 0 0 0 0 1</pose>{more}</include>");
        read_at(
            "models/world.sdf",
            &format!("<sdf version='1.9'><world name='w'>{include}</world></sdf>"),
            false,
        )
    };
    let upper = at(0.0, 0.0, 2.0) * DMat4::from_rotation_z(1.5);
    let scene = include("<placement_frame>upper</placement_frame>").unwrap();
    near(&scene.parts[0].pose, turned * upper.inverse(), "an include");
    let told = include("<placement_frame>gone</placement_frame>").unwrap_err();
    assert!(told.contains("there is no frame 'gone'"), "{told}");
    let merged = "<include merge='true'><uri>model://arm</uri></include>";
    let told =
        read_at("models/m.sdf", &format!("<sdf version='1.9'><model name='m'>{merged}</model></sdf>"), false);
    assert!(told.unwrap_err().contains("<include> with merge is not supported"));
}

/// A side without a limit, or with one of 1e16 or infinity, is not limited.
#[test]
fn a_joint_with_one_limit_stands_at_it_if_zero_is_beyond() {
    let inf = f64::INFINITY;
    for (limit, limits, rest) in [
        ("<lower>1</lower>", Some([1.0, inf]), 1.0),
        ("<lower>1</lower><upper>1e16</upper>", Some([1.0, inf]), 1.0),
        ("<lower>1</lower><upper>inf</upper>", Some([1.0, inf]), 1.0),
        ("<lower>-1</lower>", Some([-1.0, inf]), 0.0),
        ("<upper>-2</upper>", Some([-inf, -2.0]), -2.0),
        ("<lower>-1e16</lower><upper>-2</upper>", Some([-inf, -2.0]), -2.0),
        ("<lower>-inf</lower><upper>inf</upper>", None, 0.0),
        ("", None, 0.0),
    ] {
        let text = ARM.replacen("<lower>-1e16</lower><upper>1e16</upper>", limit, 1);
        let scene = read(&text).unwrap();
        let wrist = &scene.robots[0].joints[2];
        assert_eq!((wrist.limits, wrist.range(), wrist.rest()), (limits, None, rest), "{limit}");
        let note = format!("model.sdf: the joint 'wrist' stands at {rest}, its limit nearest to 0");
        assert_eq!(scene.notes.contains(&note), rest != 0.0, "{limit}: {:?}", scene.notes);
        // The wrist slides along x.
        let at_zero = read(ARM).unwrap().parts[3].pose.apply(DVec3::ZERO);
        let found = scene.parts[3].pose.apply(DVec3::ZERO);
        assert!(found.distance(at_zero + rest * DVec3::X) < 1e-12, "{limit}: {found}");
    }
}

/// Flags are `true` or `1`, `false` or `0`, in letters of either case.
#[test]
fn flags_are_words_or_digits() {
    let corner = |degrees: &str| {
        let text = format!(
            "<sdf version='1.9'><model name='m'><link name='l'><pose {degrees}>0 0 0 90 0 0</pose><visual name='v'>\
             <geometry><box><size>1 1 2</size></box></geometry></visual></link></model></sdf>"
        );
        read(&text).map(|scene| scene.parts[0].pose.apply(DVec3::Y))
    };
    // A quarter turn about x takes y to z; 90 radians do not.
    for flag in ["true", "1", " True ", "TRUE"] {
        let found = corner(&format!("degrees='{flag}'")).unwrap();
        assert!(found.distance(DVec3::Z) < 1e-12, "{flag}: {found}");
    }
    for flag in ["", "degrees='false'", "degrees='0'", "degrees='False'", "degrees=''"] {
        let found = corner(flag).unwrap();
        assert!(found.distance(DVec3::new(0.0, 90f64.cos(), 90f64.sin())) < 1e-12, "{flag}: {found}");
    }
    let told = corner("degrees='yes'").unwrap_err();
    assert!(told.contains("degrees: 'yes' is neither true nor false"), "{told}");

    let free = |flag: &str| {
        let model = ARM.replacen("<pose>", &format!("<static>{flag}</static><pose>"), 1);
        read(&model).map(|scene| scene.robots[0].free_joints.len())
    };
    assert_eq!(["true", "1", "TRUE"].map(|flag| free(flag).unwrap()), [0; 3]);
    assert_eq!(["false", "0", "", "False"].map(|flag| free(flag).unwrap()), [2; 4]);
    assert!(free("2").unwrap_err().contains("static: '2' is neither true nor false"));

    // The hand is turned, and slides along x of its own or of the model.
    let slid = |flag: &str| {
        let flag = format!("<axis><use_parent_model_frame>{flag}</use_parent_model_frame>");
        let text = ARM.replace(" expressed_in=\"__model__\"", "").replace("<axis>", &flag);
        let scene = read(&text)?;
        let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
        let robot = &scene.robots[0];
        robot.pose_parts(&robot.values(&[0.0, 0.0, 1.0, 0.0]), &mut Vec::new(), &mut poses);
        Ok::<_, String>(poses[3].apply(DVec3::ZERO) - scene.parts[3].pose.apply(DVec3::ZERO))
    };
    for (flag, along) in [("1", DVec3::X), ("True", DVec3::X), ("0", DVec3::new(2f64.cos(), 2f64.sin(), 0.0))]
    {
        let found = slid(flag).unwrap();
        assert!(found.distance(along) < 1e-12, "{flag}: {found}");
    }
    assert!(slid("no").unwrap_err().contains("use_parent_model_frame: 'no' is neither true nor false"));
    let merged = "<include merge='TRUE'><uri>model://arm</uri></include>";
    let told =
        read_at("models/m.sdf", &format!("<sdf version='1.9'><model name='m'>{merged}</model></sdf>"), false);
    assert!(told.unwrap_err().contains("<include> with merge is not supported"));
}

#[test]
fn faults_name_the_element_and_the_value() {
    for (from, to, says) in [
        ("<sdf ", "<world ", "XML"),
        ("<size>1 1 2</size>", "", "<box> has no size"),
        ("<size>1 1 2</size>", "<size>1 1</size>", "size: it is not three numbers"),
        ("<size>1 1 2</size>", "<size>1 1 -2</size>", "box: the size -1e0 is not positive"),
        ("<plane/>", "<heightmap/>", "<heightmap> is not supported"),
        ("<plane/>", "<polyline/>", "<polyline> is not supported"),
        ("<scale>2 2 2", "<submesh/><scale>2 2 2", "<submesh> is not supported"),
        ("<pose>0 0 1 0 0 0</pose>", "<pose>0 0 1 0 0</pose>", "'0 0 1 0 0' is not a point and three angles"),
        ("<pose>0 0 1 0 0 0</pose>", "<pose>0 0 nan 0 0 0</pose>", "'nan' is not a finite number"),
        ("relative_to=\"elbow\"", "relative_to=\"gone\"", "there is no frame 'gone'"),
        ("attached_to=\"upper\"", "attached_to=\"hand\"", "is relative to itself"),
        ("<xyz>0 0 2", "<xyz>0 0 0", "axis: [0, 0, 0] has no direction"),
        ("<xyz>0 0 2", "<xyz>0 0 1e-200", "axis: [0, 0, 1e-200] has no direction"),
        ("<lower>-1<", "<lower>low<", "lower: 'low' is not a number"),
        ("type=\"prismatic\"", "type=\"hinge\"", "part 'wrist' (joint, line 15): type: unknown type 'hinge'"),
        ("name=\"wrist\"", "name=\"shoulder\"", "a second joint 'shoulder'"),
        ("name=\"hand\"", "name=\"base\"", "a second link 'base'"),
        ("meshes/tri.stl</uri></mesh>", "meshes/gone.stl</uri></mesh>", "meshes/gone.stl: cannot be read"),
        ("model://arm/meshes", "model://gone/meshes", "--allow-outside"),
        ("model://arm/meshes", "https://arm/meshes", "such an address is not supported"),
        ("<frame ", "<include><uri>model://gone</uri></include><frame ", "model://gone: it lies outside"),
        ("<frame ", "<include><uri>https://x/y</uri></include><frame ", "'https://x/y' is not model://NAME"),
        (
            "<frame ",
            "<include><uri>model://arm</uri></include><frame ",
            "more than 32 models are within each other",
        ),
    ] {
        assert!(ARM.contains(from), "{from}");
        let told = read(&ARM.replacen(from, to, 1)).unwrap_err();
        assert!(told.contains(says) && told.lines().count() == 1, "{to}: {told}");
    }
}

#[test]
fn hostile_files_end_in_one_line() {
    let within = |element: &str, depth: usize| {
        let name = element.split(' ').next().unwrap();
        format!(
            "<sdf version='1.6'>{}{}</sdf>",
            format!("<{element}>").repeat(depth),
            format!("</{name}>").repeat(depth)
        )
    };
    for depth in [30, 1000, 100_000] {
        for element in ["model name='m'", "link name='l'", "world"] {
            assert_eq!(read(&within(element, depth)).unwrap_err().lines().count(), 1);
        }
    }
    // Models that include each other twice.
    let twice = "<include><uri>model://arm</uri></include>".repeat(2);
    let told = read(&format!("<sdf version='1.6'><model name='m'><link name='l'/>{twice}</model></sdf>"))
        .unwrap_err();
    assert!(told.contains("within each other") || told.contains("memory"), "{told}");
    for tenth in 0..10 {
        let told = read(&ARM[..ARM.len() * tenth / 10]).unwrap_err();
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1000), ..ProptestConfig::default() })]
    #[test]
    fn damaged_files_end_in_one_line(at in 0..ARM.len(), byte in 32_u8..127, more in 0..ARM.len(), cut in 0..40_usize) {
        let bytes = crate::damaged(ARM, (at, byte), (more, cut));
        if let Err(told) = read(&String::from_utf8(bytes).unwrap()) {
            prop_assert_eq!(told.lines().count(), 1);
        }
    }
}
