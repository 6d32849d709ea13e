//! What a run leaves behind: the report, which is a pure function of input and settings, its pairs as CSV,
//! the record of the run itself, and the tables for people.

pub mod csv;
pub mod files;
pub mod inspect;
pub mod json;
pub mod rows;
pub mod run;
pub mod table;
#[cfg(test)]
mod testing;

use std::collections::HashMap;

use crate::scene::Scene;

pub use inspect::Inspection;
pub use rows::Report;
pub use run::RunRecord;

/// The parts' names for people: printable, not longer than a table's column should be, and with the index
/// where the name alone does not tell parts apart, as in `bolt #3`.
pub fn labels(scene: &Scene) -> Vec<String> {
    let shown: Vec<_> = scene.parts.iter().map(|part| elide(&printable(&part.name))).collect();
    let mut uses: HashMap<&str, u32> = HashMap::new();
    for name in &shown {
        *uses.entry(name).or_default() += 1;
    }
    let label = |(id, name): (usize, &String)| match uses[name.as_str()] {
        1 => name.clone(),
        _ => format!("{name} #{id}"),
    };
    shown.iter().enumerate().map(label).collect()
}

/// At most 40 characters; of a longer name, both ends.
fn elide(name: &str) -> String {
    let characters: Vec<_> = name.chars().collect();
    match characters.as_slice() {
        [head @ .., _] if head.len() < 40 => name.to_owned(),
        [] => String::new(),
        all => all[..20].iter().chain(&['…']).chain(&all[all.len() - 19..]).collect(),
    }
}

/// Triangles of all parts, shared meshes counted once per part.
pub fn triangle_count(scene: &Scene) -> u64 {
    scene.parts.iter().map(|p| scene.meshes[p.mesh.index()].triangles().len() as u64).sum()
}

/// Control characters and line breaks as escapes, so that no name from a file can break a line or drive a
/// terminal.
pub fn printable(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let escape = |c: char| if breaks(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(elide(""), "");
        let forty = "x".repeat(40);
        assert_eq!(elide(&forty), forty);
        let long = format!("{}é{}", "a".repeat(30), "b".repeat(30));
        assert_eq!(elide(&long), format!("{}…{}", "a".repeat(20), "b".repeat(19)));
    }

    #[test]
    fn labels_tell_parts_apart() {
        let (mut scene, _) = testing::run();
        assert_eq!(labels(&scene), ["bolt #0", "nut", "bolt #2", "a,\"b\"\\n"]);
        for (part, end) in scene.parts.iter_mut().zip(["1", "2", "3", "4"]) {
            part.name = format!("{}{end}{}", "x".repeat(25), "y".repeat(25));
        }
        assert!(labels(&scene)[3].ends_with("y #3"));
    }
}
