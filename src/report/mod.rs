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

/// The parts' names for people: names that repeat are told apart by index, as in `bolt #3`.
pub fn labels(scene: &Scene) -> Vec<String> {
    let mut uses: HashMap<&str, u32> = HashMap::new();
    for part in &scene.parts {
        *uses.entry(&part.name).or_default() += 1;
    }
    let label = |(id, part): (usize, &crate::scene::Part)| match uses[part.name.as_str()] {
        1 => part.name.clone(),
        _ => format!("{} #{id}", part.name),
    };
    scene.parts.iter().enumerate().map(label).collect()
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
