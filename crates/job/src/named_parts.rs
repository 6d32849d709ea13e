//! Parts as users name them: by name, by key, or by id.

use std::collections::{BTreeSet, HashMap};

use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::scene::Scene;
use closefit_report::table::brief;
use closefit_scene::keys::PartKeys;
use closefit_scene::similar_names::did_you_mean;

/// Returns the two parts of `A,B`, each a unique name, a key or an id, the lower id first. If names contain
/// commas, the first comma with a part on both sides separates them.
///
/// # Errors
/// The problem with the first way to separate them.
pub fn pair_named(scene: &Scene, text: &str) -> Result<[PartId; 2], String> {
    let [a, b] = two_named(scene, &PartKeys::of(scene), text)?;
    Ok([a.min(b), a.max(b)])
}

/// Returns the part `A`, or the two of `A,B`, each a unique name, a key or an id.
///
/// # Errors
/// The problem with the first way to separate them, or with the only name.
pub fn part_or_two_named(scene: &Scene, text: &str) -> Result<(PartId, Option<PartId>), String> {
    let keys = PartKeys::of(scene);
    match part_named(scene, &keys, text) {
        Ok(part) => Ok((part, None)),
        Err(_) if text.contains(',') => two_named(scene, &keys, text).map(|[a, b]| (a, Some(b))),
        Err(error) => Err(error),
    }
}

/// Returns the parts of several names, each a unique name, a key or an id: in that order, each once.
///
/// # Errors
/// The first name that no part has, or several.
pub fn parts_listed(scene: &Scene, names: &[String]) -> Result<Vec<PartId>, String> {
    let keys = PartKeys::of(scene);
    let (mut parts, mut known) = (Vec::new(), BTreeSet::new());
    for name in names {
        let part = part_named(scene, &keys, name)?;
        parts.extend(known.insert(part).then_some(part));
    }
    Ok(parts)
}

fn two_named(scene: &Scene, keys: &PartKeys, text: &str) -> Result<[PartId; 2], String> {
    let sides = text.match_indices(',').map(|(comma, _)| [&text[..comma], &text[comma + 1..]]);
    let mut refusal = None;
    for [a, b] in sides {
        match (part_named(scene, keys, a), part_named(scene, keys, b)) {
            (Ok(a), Ok(b)) if a == b => {
                refusal.get_or_insert_with(|| "it needs two different parts".to_owned());
            }
            (Ok(a), Ok(b)) => return Ok([a, b]),
            (Err(error), _) | (_, Err(error)) => {
                refusal.get_or_insert(error);
            }
        }
    }
    Err(refusal.unwrap_or_else(|| "it needs two parts: A,B".to_owned()))
}

fn part_named(scene: &Scene, keys: &PartKeys, name: &str) -> Result<PartId, String> {
    let mut named = (0..scene.parts.len()).filter(|&i| *scene.parts[i].name == *name);
    let keyed = || keys.of_part.iter().position(|key| **key == *name);
    let found = match (named.next(), named.next()) {
        (Some(_), Some(_)) => {
            return Err(format!("several parts are called '{name}': give keys or ids, as the report does"));
        }
        (only, _) => only.or_else(keyed).or_else(|| numbered(scene, name)),
    };
    found.map(|index| PartId(to_u32(index))).ok_or_else(|| unknown(scene, keys, name))
}

/// Returns the part with the id `7` or `#7`.
fn numbered(scene: &Scene, name: &str) -> Option<usize> {
    name.trim_start_matches('#').parse().ok().filter(|&id| id < scene.parts.len())
}

fn unknown(scene: &Scene, keys: &PartKeys, name: &str) -> String {
    let names = scene.parts.iter().map(|part| &*part.name).chain(keys.of_part.iter().map(|key| &**key));
    format!("there is no part '{name}'{}", did_you_mean(name, names))
}

/// Returns the ids of the parts of `A,B,...`, and how many names there are. A name stands for all parts that
/// have it, in full or as tables show it; of names with commas, the longest are taken.
///
/// # Errors
/// A name that no part has.
pub fn parts_named(scene: &Scene, text: &str) -> Result<(BTreeSet<u32>, usize), String> {
    let keys = PartKeys::of(scene);
    let mut called: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, part) in scene.parts.iter().enumerate() {
        let of_part = BTreeSet::from([&*part.name, brief(&part.name), &*keys.of_part[index]]);
        of_part.into_iter().for_each(|name| called.entry(name).or_default().push(index));
    }
    let (mut found, mut names, mut rest) = (BTreeSet::new(), 0, Some(text));
    while let Some(text) = rest {
        let ends = text.rmatch_indices(',').map(|(comma, _)| comma);
        let known =
            |&end: &usize| called.contains_key(&text[..end]) || numbered(scene, &text[..end]).is_some();
        let first = text.find(',').unwrap_or(text.len());
        let end = [text.len()].into_iter().chain(ends).find(known);
        let end = end.ok_or_else(|| unknown(scene, &keys, &text[..first]))?;
        let name = &text[..end];
        match called.get(name) {
            Some(parts) => found.extend(parts.iter().map(|&part| to_u32(part))),
            None => found.extend(numbered(scene, name).map(to_u32)),
        }
        names += 1;
        rest = text.get(end + 1..);
    }
    Ok((found, names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::ids::MeshId;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::scene::Part;

    fn scene(names: &[&str]) -> Scene {
        let part = |name: &&str| Part { model: "m".into(), ..Part::new(*name, MeshId(0), Pose::IDENTITY) };
        Scene { parts: names.iter().map(part).collect(), ..Scene::default() }
    }

    #[test]
    fn a_name_stands_for_all_parts_that_have_it() {
        let scene = scene(&["bolt", "nut", "bolt", "a,b", "a", "Wall:Brick:138062", "Wall:Brick:138063"]);
        for (text, parts, names) in [
            ("bolt", &[0, 2][..], 1),
            ("bolt,nut", &[0, 1, 2], 2),
            ("a,b", &[3], 1),
            ("a,a,b,nut", &[1, 3, 4], 3),
            ("#3,4", &[3, 4], 2),
            ("Wall:Brick", &[5, 6], 1),
            ("Wall:Brick:138063", &[6], 1),
            ("nut,nut", &[1], 2),
        ] {
            assert_eq!(parts_named(&scene, text), Ok((parts.iter().copied().collect(), names)), "{text}");
        }
        let key = PartKeys::of(&scene).of_part[2].to_string();
        assert_eq!(parts_named(&scene, &key), Ok(([2].into(), 1)));
    }

    #[test]
    fn names_of_no_part_are_refused_with_one_that_is_similar() {
        let scene = scene(&["bolt", "washer"]);
        for (text, expected) in [
            ("washr", "there is no part 'washr': did you mean 'washer'?"),
            ("bolt,zzz", "there is no part 'zzz'"),
            ("bolt,", "there is no part ''"),
            ("", "there is no part ''"),
            ("2", "there is no part '2'"),
        ] {
            assert_eq!(parts_named(&scene, text), Err(expected.to_owned()));
        }
    }
}
