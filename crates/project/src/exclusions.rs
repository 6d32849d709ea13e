//! What decides which pairs of a scene are excluded, so that two runs can be compared.

use crate::rules::RulesFile;
use crate::sides::Sides;
use closefit_geometry::scene::Scene;
use closefit_scene::keys::PartKeys;

/// Returns a text that is the same for two runs only if both exclude the same pairs of parts that have the
/// same names, types, tags and files in both. It has the sides, the groups, rules and exclusions of the rules
/// file, and the pairs that the scene excludes itself.
pub fn exclusions(scene: &Scene, sides: Option<&Sides>, rules: Option<&RulesFile>) -> String {
    let mut text = match sides {
        None => String::new(),
        Some(Sides::Against(first)) => {
            let mut models: Vec<&str> = scene.parts[..*first].iter().map(|part| &*part.model).collect();
            models.dedup();
            format!("against {models:?}\n")
        }
        Some(Sides::Within(set)) => format!("within {set}\n"),
        Some(Sides::Between([a, b])) => format!("between {a}\nand {b}\n"),
    };
    text.extend(rules.map(|rules| &rules.selects[..]));
    if !scene.excluded.is_empty() {
        let keys = PartKeys::of(scene).of_part;
        for sides in scene.excluded.pairs() {
            let [a, b] = sides.map(|parts| &keys[parts]);
            text.push_str(&format!("{a:?} {b:?}\n"));
        }
    }
    text
}
