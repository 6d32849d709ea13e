//! The meaning of rules for the pairs of a scene, compared with a reading pair by pair.

use proptest::prelude::*;

use super::*;
use closefit_geometry::ids::{MeshId, PartId};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::pair_rules::Lengths;
use closefit_geometry::scene::{Part, Scene};
use closefit_geometry::units::Unit;
use closefit_project::{Compiled, Fail, SceneFile, Severity, Sides, compile};

/// Makes a scene in metres of the parts of two files, given by name and type.
fn scene(a: &[(&str, &str)], e: &[(&str, &str)]) -> (Scene, Vec<SceneFile>) {
    let part = |model: &'static str| {
        move |(index, &(name, kind)): (usize, &(&str, &str))| Part {
            kind: Some(kind.into()),
            model: model.into(),
            file: format!("{model}.glb").into(),
            path: format!("/site/{model}{}/{name}", index % 2).into(),
            ..Part::new(name, MeshId(u32::try_from(index % 3).unwrap()), Pose::IDENTITY)
        }
    };
    let parts =
        a.iter().enumerate().map(part("Duplex_A_7")).chain(e.iter().enumerate().map(part("Duplex_E_2")));
    let scene = Scene { unit: Some(Unit::M), parts: parts.collect(), ..Scene::default() };
    let file = |name: &str, end: usize| SceneFile { name: name.to_owned(), end };
    let files = vec![file("Duplex_A_7.glb", a.len()), file("Duplex_E_2.glb", a.len() + e.len())];
    (scene, files)
}

const A: [(&str, &str); 4] =
    [("wall 1", "IfcWall"), ("wall 2", "IfcWallStandardCase"), ("beam", "IfcBeam"), ("slab", "IfcSlab")];
const E: [(&str, &str); 3] = [("Duplex Receptacle", "IfcFlow"), ("Lamp", "IfcFlow"), ("Panel", "IfcBoard")];

fn compiled(text: &str) -> Compiled {
    let (scene, files) = scene(&A, &E);
    compile(&scene, &files, None, Some(&rules(text).expect(text))).expect(text)
}

/// Returns the lengths of a pair of parts, or why it is excluded.
fn asked(compiled: &Compiled, a: u32, b: u32) -> Result<[Option<f64>; 2], &str> {
    let lengths = compiled.pair_rules.asked(PartId(a), PartId(b));
    lengths.map(|Lengths { clearance, tolerance }| [clearance, tolerance])
}

const GROUPS: &str = "unit = \"mm\"\n[models]\nA = \"Duplex_A*\"\nE = \"Duplex_E*\"\n[groups]\nelectrical = { model = \"E\" }\n\
     walls = { model = \"A\", type = \"IfcWall*\" }\noutlets = { name = [\"*Receptacle*\", \"*Switch*\"] }\n";

#[test]
fn exclusions_come_before_rules_and_other_pairs_have_no_rule() {
    let text = format!(
        "{GROUPS}[[rule]]\nid = \"E-A\"\na = \"electrical\"\nb = {{ model = \"A\" }}\ntolerance = 2\nclearance = \"2.5cm\"\n\
         fail = \"contact\"\nseverity = \"minor\"\n[[exclude]]\na = \"outlets\"\nb = \"walls\"\nreason = \"set in\"\n"
    );
    let made = compiled(&text);
    assert_eq!(asked(&made, 0, 4), Err("set in"), "an outlet and a wall");
    assert_eq!(asked(&made, 4, 2), Ok([Some(0.025), Some(0.002)]), "an outlet and the beam");
    assert_eq!(asked(&made, 0, 5), Ok([Some(0.025), Some(0.002)]), "a lamp and a wall");
    assert_eq!([asked(&made, 0, 1), asked(&made, 4, 5)], [Err("no rule"); 2]);
    let rule = &made.rules[0];
    assert_eq!((rule.parts, rule.fail, rule.severity), ([3, 4], Some(Fail::Contact), Some(Severity::Minor)));
    assert!(made.notes.is_empty(), "{:?}", made.notes);
}

#[test]
fn the_order_of_overlapping_rules_decides() {
    let rule = |id: &str, a: &str, tolerance: u32| {
        format!("[[rule]]\nid = \"{id}\"\na = \"{a}\"\nb = \"electrical\"\ntolerance = \"{tolerance}m\"\n")
    };
    let (walls, all) = (rule("walls", "walls", 1), rule("all", "everything", 2));
    let groups = format!("{GROUPS}everything = {{}}\n");
    let narrow_first = compiled(&format!("{groups}{walls}{all}"));
    let wide_first = compiled(&format!("{groups}{all}{walls}"));
    let tolerances = |made: &Compiled| [asked(made, 0, 4), asked(made, 2, 4)].map(|found| found.unwrap()[1]);
    assert_eq!(tolerances(&narrow_first), [Some(1.0), Some(2.0)]);
    assert_eq!(tolerances(&wide_first), [Some(2.0), Some(2.0)]);
    let idle = wide_first.idle(&[18, 0]);
    assert_eq!(idle, ["rule 'walls' decides no pair of 2 x 3 parts: what is before it has all of them"]);
}

#[test]
fn what_parts_have_in_common_excludes_them() {
    let pairs = |same: &str| {
        let made = compiled(&format!("[[exclude]]\nsame = \"{same}\"\nreason = \"alike\"\n"));
        let all = (0..7).flat_map(|a| (a + 1..7).map(move |b| (a, b)));
        all.filter(|&(a, b)| asked(&made, a, b) == Err("alike")).collect::<Vec<(u32, u32)>>()
    };
    assert_eq!(pairs("mesh"), [(0, 3), (0, 4), (1, 5), (2, 6), (3, 4)]);
    assert_eq!(pairs("parent"), [(0, 2), (1, 3), (4, 6)]);
    assert_eq!(pairs("file").len(), 6 + 3);
    assert!(pairs("link").is_empty(), "no name has a link");
    let (scene, files) = scene(&[("bolt M4/12", "Bolt"), ("slab", "Slab"), ("washer", "Washer")], &E);
    let parents = rules("[[exclude]]\nsame = \"parent\"\nreason = \"alike\"\n").unwrap();
    let made = compile(&scene, &files, None, Some(&parents)).unwrap();
    assert_eq!([asked(&made, 0, 1), asked(&made, 0, 2)], [Ok([None; 2]), Err("alike")], "a slash in a name");
    let made = compiled("[[exclude]]\na = { type = \"IfcW*\" }\nsame = \"file\"\nreason = \"walls\"\n");
    assert_eq!([asked(&made, 0, 1), asked(&made, 0, 2)], [Err("walls"), Ok([None; 2])]);
}

/// Two files of one name in two folders have nothing in common but meshes.
#[test]
fn files_of_one_name_are_two_files() {
    let parts = [("base/a", "Base"), ("base/b", "Base")];
    let (mut scene, mut files) = scene(&parts, &parts);
    for part in &mut scene.parts {
        part.model = "model".into();
        part.file = "model.glb".into();
        part.path = format!("/site/{}", part.name).into();
    }
    files.iter_mut().for_each(|file| file.name = "model.glb".to_owned());
    for same in ["file", "parent", "link"] {
        let text = format!("[[exclude]]\nsame = \"{same}\"\nreason = \"alike\"\n");
        let made = compile(&scene, &files, None, Some(&rules(&text).unwrap())).unwrap();
        let all = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
        let alike: Vec<_> = all.filter(|&(a, b)| asked(&made, a, b) == Err("alike")).collect();
        assert_eq!(alike, [(0, 1), (2, 3)], "{same}");
    }
}

#[test]
fn a_matrix_is_a_rule_for_each_pair_of_groups() {
    let text = format!(
        "{GROUPS}[matrix]\ngroups = [\"walls\", \"outlets\"]\nwalls = [\"off\"]\noutlets = [\"25mm\", \"contact\"]\n"
    );
    let made = compiled(&text);
    assert_eq!(asked(&made, 0, 1), Err("off in the matrix"));
    assert_eq!(asked(&made, 1, 4), Ok([Some(0.025), None]));
    let rules: Vec<_> = made.rules.iter().map(|rule| (&rule.id[..], rule.fail)).collect();
    assert_eq!(rules, [("walls-outlets", Some(Fail::Clearance)), ("outlets-outlets", Some(Fail::Contact))]);
}

#[test]
fn what_has_no_part_is_noted() {
    let text =
        format!("{GROUPS}none = {{ type = \"IfcDoor\" }}\n[[exclude]]\na = \"none\"\nreason = \"r\"\n");
    let made = compiled(&text.replace("E = \"Duplex_E*\"", "E = \"Duplex_E*\"\nM = [\"Duplex_M*\"]"));
    let told =
        ["no file of the scene is the model 'M': 'Duplex_M*'", "group 'none' matches no part of the scene"];
    assert_eq!(made.notes, told);
    assert_eq!(made.idle(&[0]), ["exclude 'r' is about no pair"]);
}

#[test]
fn lengths_need_a_unit() {
    let (metric, files) = scene(&A, &E);
    let bare = Scene { unit: None, ..metric.clone() };
    let made = |scene: &Scene, text: &str| {
        let rules = rules(&format!("{text}[[rule]]\nid = \"r\"\na = {{}}\ntolerance = 2.5\n")).unwrap();
        let made = compile(scene, &files, None, Some(&rules));
        made.map(|made| made.rules[0].lengths.tolerance.unwrap()).map_err(|error| error.to_string())
    };
    assert_eq!(made(&metric, ""), Ok(2.5), "in the unit of the scene");
    assert_eq!(made(&metric, "unit = \"mm\"\n"), Ok(0.0025));
    let told = "r.toml:5:13: rule 'r': '2.5' has no unit, and neither has the scene: say unit = \"mm\" at the top, or '2.5mm'";
    assert_eq!(made(&bare, ""), Err(told.to_owned()));
    assert!(
        made(&bare, "unit = \"mm\"\n").unwrap_err().contains("'2.5mm' has a unit but the scene has none")
    );
}

#[test]
fn surfaces_are_declared() {
    let made = compiled("[groups]\nsky = { type = [\"IfcSlab\", \"IfcBoard\"], surface = true }\n");
    assert_eq!(made.surfaces, [false, false, false, true, false, false, true]);
    assert_eq!(asked(&made, 0, 6), Ok([None; 2]), "without a rule all pairs are asked");
}

#[test]
fn sides_are_files_or_sets() {
    let (scene, files) = scene(&A, &E);
    let answers = |sides: &Sides| {
        let made = compile(&scene, &files, Some(sides), None).unwrap();
        let reason = |a, b| asked(&made, a, b).map(|_| "asked").unwrap_or_else(|reason| reason).to_owned();
        ([reason(0, 1), reason(0, 4), reason(4, 5), reason(2, 6)], made.notes)
    };
    let set = |text: &str| text.parse().unwrap();
    assert_eq!(answers(&Sides::Against(4)).0, ["same side", "asked", "same side", "asked"]);
    let within = Sides::Within(set("type=IfcWall*,type=IfcFlow"));
    assert_eq!(answers(&within).0, ["asked", "asked", "asked", "not selected"]);
    let between = Sides::Between([set("type=IfcWall*"), set("model=Duplex_E*")]);
    assert_eq!(answers(&between).0, ["same side", "asked", "same side", "not selected"]);
    let overlapping = Sides::Between([set("name=wall*"), set("name=*1")]);
    assert_eq!(answers(&overlapping).0[0], "asked", "a part of both sets is on either side");
    let (reasons, notes) = answers(&Sides::Between([set("name=wall*"), set("name=door")]));
    assert_eq!(
        (&reasons[1][..], &notes[..]),
        ("not selected", &["--set 'name=door' matches no part of the scene".to_owned()][..])
    );
}

/// A group as the oracle knows it: the first letters of names, one type, or another group turned around.
#[derive(Clone, Debug)]
enum Group {
    Names(Vec<char>),
    Type(char),
    Not(usize),
    All,
}

impl Group {
    fn has(groups: &[Self], index: usize, (name, kind): (char, char)) -> bool {
        match &groups[index] {
            Self::Names(names) => names.contains(&name),
            Self::Type(only) => *only == kind,
            Self::Not(other) => !Self::has(groups, *other, (name, kind)),
            Self::All => true,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Names(names) => {
                let patterns: Vec<String> = names.iter().map(|name| format!("\"{name}*\"")).collect();
                format!("{{ name = [{}] }}", patterns.join(", "))
            }
            Self::Type(kind) => format!("{{ type = \"T?{kind}\" }}"),
            Self::Not(other) => format!("{{ not = \"g{other}\" }}"),
            Self::All => "{}".to_owned(),
        }
    }
}

fn groups() -> impl Strategy<Value = Vec<Group>> {
    let group = |index: usize| {
        let letter = prop::sample::select(vec!['a', 'b', 'c']);
        prop_oneof![
            prop::collection::vec(letter.clone(), 1..3).prop_map(Group::Names),
            letter.prop_map(Group::Type),
            (0..index.max(1)).prop_map(move |other| if index == 0 { Group::All } else { Group::Not(other) }),
        ]
    };
    (0..5).map(group).collect::<Vec<_>>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_pair_is_decided_as_read_one_by_one(
        parts in prop::collection::vec((prop::sample::select(vec!['a', 'b', 'c']), prop::sample::select(vec!['a', 'b', 'c'])), 2..9),
        groups in groups(),
        excludes in prop::collection::vec([0..5_usize, 0..5_usize], 0..4),
        entries in prop::collection::vec([0..5_usize, 0..5_usize], 0..80),
    ) {
        let mut text = "[groups]\n".to_owned();
        for (index, group) in groups.iter().enumerate() {
            text += &format!("g{index} = {}\n", group.text());
        }
        for (index, [a, b]) in excludes.iter().enumerate() {
            text += &format!("[[exclude]]\na = \"g{a}\"\nb = \"g{b}\"\nreason = \"{index}\"\n");
        }
        for (index, [a, b]) in entries.iter().enumerate() {
            text += &format!("[[rule]]\nid = \"{index}\"\na = \"g{a}\"\nb = \"g{b}\"\ntolerance = \"{index}m\"\n");
        }
        let names: Vec<(String, String)> =
            parts.iter().enumerate().map(|(i, (name, kind))| (format!("{name}{i}"), format!("T{i}{kind}"))).collect();
        let named: Vec<(&str, &str)> = names.iter().map(|(name, kind)| (&name[..], &kind[..])).collect();
        let (scene, files) = scene(&named, &[]);
        let made = compile(&scene, &files, None, Some(&rules(&text).unwrap())).unwrap();
        for (a, b) in (0..parts.len()).flat_map(|a| (0..parts.len()).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let matches = |[x, y]: &[usize; 2]| {
                let has = |group: usize, part: usize| Group::has(&groups, group, parts[part]);
                has(*x, a) && has(*y, b) || has(*x, b) && has(*y, a)
            };
            let excluded = excludes.iter().position(matches).map(|index| index.to_string());
            let rule = entries.iter().position(matches).map(|index| Ok([None, Some(index as f64)]));
            let without = if entries.is_empty() { Ok([None; 2]) } else { Err("no rule") };
            let expected = excluded.as_deref().map(Err).or(rule).unwrap_or(without);
            let [p, q] = [a, b].map(|part| u32::try_from(part).unwrap());
            prop_assert_eq!(asked(&made, p, q), expected, "{} and {} of\n{}", a, b, text);
        }
    }
}
