//! Parts of a scene as users name them.

use std::collections::BTreeSet;

use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::scene::Scene;
use closefit_report::named::NamedParts;
use closefit_scene::keys::PartKeys;

/// Returns the two parts of `A,B`, each as [`NamedParts::one`] reads it, or the parts in a pair's key: the
/// lower id first.
///
/// # Errors
/// The reason in one line.
pub fn pair_named(scene: &Scene, text: &str) -> Result<[PartId; 2], String> {
    let [a, b] = NamedParts::of_scene(scene, &PartKeys::of(scene)).two(text)?;
    Ok([a.min(b), a.max(b)].map(id))
}

/// Returns the part `A`, or the two of `A,B`, each as [`NamedParts::one`] reads it.
///
/// # Errors
/// The problem with the first way to separate them, or with the only name.
pub fn part_or_two_named(scene: &Scene, text: &str) -> Result<(PartId, Option<PartId>), String> {
    let keys = PartKeys::of(scene);
    let parts = NamedParts::of_scene(scene, &keys);
    match parts.one(text) {
        Ok(part) => Ok((id(part), None)),
        Err(error) => match parts.two(text) {
            Ok([a, b]) => Ok((id(a), Some(id(b)))),
            Err(refused) => Err(if text.contains(',') { refused } else { error }),
        },
    }
}

/// Returns the parts of several names, each as [`NamedParts::one`] reads it, or a pair's key: in that order,
/// each once.
///
/// # Errors
/// The first name that no part has, or several.
pub fn parts_listed(scene: &Scene, names: &[String]) -> Result<Vec<PartId>, String> {
    let keys = PartKeys::of(scene);
    let parts = NamedParts::of_scene(scene, &keys);
    let (mut listed, mut known) = (Vec::new(), BTreeSet::new());
    for name in names {
        let meant = match parts.one(name) {
            Ok(part) => vec![part],
            Err(error) => parts.two(name).map(Vec::from).map_err(|_| error)?,
        };
        listed.extend(meant.into_iter().map(id).filter(|&part| known.insert(part)));
    }
    Ok(listed)
}

fn id(index: usize) -> PartId {
    PartId(to_u32(index))
}

/// Returns the ids of the parts of `A,B,...`, as [`NamedParts::list`] reads it, or of two parts, as
/// [`NamedParts::two`] does, and how many names there are.
///
/// # Errors
/// A name that no part has.
pub fn parts_named(scene: &Scene, text: &str) -> Result<(BTreeSet<u32>, usize), String> {
    let keys = PartKeys::of(scene);
    let parts = NamedParts::of_scene(scene, &keys);
    let two = || parts.two(text).map(|pair| (pair.map(to_u32).into(), 2));
    parts.list(text).or_else(|refused| two().map_err(|_| refused))
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
            ("a,b x nut", &[1, 3], 2),
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
