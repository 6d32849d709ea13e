//! Damaged rules files: none panics, and each fault is one line.

use proptest::prelude::*;

use super::*;
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::{Part, Scene};
use closefit_project::{SceneFile, compile};

const PIECES: [&str; 24] = [
    "\"",
    "'",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ",",
    "\n",
    "#",
    "*",
    "\\",
    "-1",
    "1e999",
    "nan",
    "true",
    "a",
    "\u{1b}",
    "\u{202e}",
    "walls",
    "[[rule]]\n",
    "not = ",
];

#[derive(Clone, Debug)]
enum Damage {
    Delete(usize, usize),
    Insert(usize, usize),
    Copy(usize, usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (any::<usize>(), 1..30_usize).prop_map(|(at, length)| Damage::Delete(at, length)),
        (any::<usize>(), 0..PIECES.len()).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        (any::<usize>(), any::<usize>(), 1..60_usize)
            .prop_map(|(at, from, length)| Damage::Copy(at, from, length)),
    ]
}

fn damaged(text: &str, all: &[Damage]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for one in all {
        let place = |at: usize, chars: &[char]| at % (chars.len() + 1);
        let piece = |from: usize, length: usize, chars: &[char]| {
            let from = place(from, chars);
            from..(from + length).min(chars.len())
        };
        match *one {
            Damage::Delete(at, length) => {
                let range = piece(at, length, &chars);
                chars.drain(range);
            }
            Damage::Insert(at, which) => {
                let at = place(at, &chars);
                chars.splice(at..at, PIECES[which].chars());
            }
            Damage::Copy(at, from, length) => {
                let copied = chars[piece(from, length, &chars)].to_vec();
                let at = place(at, &chars);
                chars.splice(at..at, copied);
            }
        }
    }
    chars.into_iter().collect()
}

fn scene() -> Scene {
    let part = |name: &str| Part {
        tags: vec!["layer:M1".to_owned()].into(),
        ..Part::new(name, MeshId(0), Pose::IDENTITY)
    };
    Scene { parts: ["bolt/a", "wall", ""].map(part).to_vec(), ..Scene::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn damaged_files_are_read_or_refused_on_one_line(
        all in prop::collection::vec(damage(), 1..5),
        as_json in prop::bool::weighted(0.2),
        duplex in any::<bool>(),
    ) {
        let text = damaged(if duplex { DUPLEX } else { ALL }, &all);
        let files = [SceneFile { name: "plant.glb".to_owned(), end: 3 }];
        let file = Path::new(if as_json { "r.json" } else { "r.toml" });
        let refused = match RulesFile::read(file, &text) {
            Ok(rules) => compile(&scene(), &files, None, Some(&rules)).err(),
            Err(error) => Some(error),
        };
        if let Some(error) = refused {
            let told = error.to_string();
            prop_assert!(told.lines().count() == 1 && !told.chars().any(char::is_control), "{told}");
            prop_assert!(error.line <= text.matches('\n').count() + 1, "{told}");
        }
    }
}
