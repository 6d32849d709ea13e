//! The pairs that a model does not let collide.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::error::Fault;
use super::super::robot::Placed;
use super::super::xml::{at_element, required};
use super::Model;
use super::bodies::Bodies;
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::scene::Scene;
use closefit_geometry::scene::excluded::{ADJACENT, GroupId};

/// The reason for geoms whose `contype` and `conaffinity` do not match.
const MASK: &str = "mask";

/// The reason for bodies that the model excludes.
const EXCLUDE: &str = "excluded by the model";

/// Bytes of an excluded pair.
const PAIR_BYTES: usize = 96;

/// The largest number of different masks. Models have a handful.
const MOST_MASKS: usize = 1 << 10;

/// Excludes the pairs of bodies that carry each other, those that the model excludes and, of collision
/// geometry, those whose masks do not match. Pairs of geoms that the model names are not excluded.
pub(super) fn exclude(
    model: &Model,
    bodies: &Bodies,
    placed: &Placed,
    takes_collision: bool,
    memory: &MemoryAccount,
    scene: &mut Scene,
) -> Result<(), Fault> {
    if !model.compiler.parents_collide {
        for &[child, parent] in bodies.carried.iter().filter(|[_, parent]| *parent != 0) {
            scene.excluded.exclude_groups(placed.groups[child], placed.groups[parent], ADJACENT);
        }
    }
    let contact = model.files.sections("contact");
    let parts: Vec<(PartId, usize)> =
        placed.parts.iter().map(|part| part.part).zip(placed.shapes.iter().copied()).collect();
    let mut of_bodies: HashMap<&str, Vec<PartId>> = HashMap::new();
    for &(part, shape) in &parts {
        of_bodies.entry(&bodies.chosen[shape].1).or_default().push(part);
    }
    let alone = alone_on_links(bodies, placed);
    let mut single = Vec::new();
    for node in contact.iter().filter(|node| node.has_tag_name("exclude")) {
        let sides = required(*node, "body1").and_then(|a| Ok([a, required(*node, "body2")?]));
        let sides = sides.map_err(|fault| at_element(fault, *node))?;
        match sides.map(|body| alone.get(body)) {
            [Some(&a), Some(&b)] => scene.excluded.exclude_groups(a, b, EXCLUDE),
            _ => single.push(sides),
        }
    }
    for sides in single {
        let [a, b] = sides.map(|body| of_bodies.get(body).map_or(&[][..], |parts| &parts[..]));
        let pairs = a.len().saturating_mul(b.len());
        memory.take(pairs, PAIR_BYTES, || format!("{pairs} excluded pairs"))?;
        for (&p, &q) in a.iter().flat_map(|p| b.iter().map(move |q| (p, q))).filter(|(p, q)| p != q) {
            scene.excluded.exclude(p, q, EXCLUDE);
        }
    }
    if takes_collision {
        exclude_by_masks(bodies, &parts, memory, scene)?;
    }
    // Geoms that the model names as a pair collide whatever else it says.
    let mut of_geoms: HashMap<&str, Vec<PartId>> = HashMap::new();
    for &(part, shape) in &parts {
        if let Some(name) = bodies.chosen[shape].0 {
            of_geoms.entry(name).or_default().push(part);
        }
    }
    for node in contact.iter().filter(|node| node.has_tag_name("pair")) {
        let side = |name| of_geoms.get(node.attribute(name)?);
        let Some((a, b)) = side("geom1").zip(side("geom2")) else { continue };
        for (&p, &q) in a.iter().flat_map(|p| b.iter().map(move |q| (p, q))).filter(|(p, q)| p != q) {
            let pairs = scene.excluded.stored_by_including(p, q);
            memory.take(pairs, PAIR_BYTES, || format!("{pairs} excluded pairs"))?;
            scene.excluded.include(p, q);
        }
    }
    Ok(())
}

/// Returns the groups of the parts of those bodies that are on a link by themselves.
fn alone_on_links<'b>(bodies: &'b Bodies, placed: &Placed) -> HashMap<&'b str, GroupId> {
    // The body of each link's parts; nothing for one with several bodies.
    let mut on_link: HashMap<usize, Option<&str>> = HashMap::new();
    let mut links_of: HashMap<&str, HashSet<usize>> = HashMap::new();
    for (part, &shape) in placed.parts.iter().zip(&placed.shapes) {
        let (Some(link), body) = (part.link, &*bodies.chosen[shape].1) else { continue };
        let other = on_link.entry(link).or_insert(Some(body));
        *other = other.filter(|other| *other == body);
        links_of.entry(body).or_default().insert(link);
    }
    let alone = |(link, body): (usize, Option<&'b str>)| {
        let body = body.filter(|body| links_of[body].len() == 1)?;
        Some((body, placed.groups[link]))
    };
    on_link.into_iter().filter_map(alone).collect()
}

/// Excludes the pairs of parts whose masks do not match.
fn exclude_by_masks(
    bodies: &Bodies,
    parts: &[(PartId, usize)],
    memory: &MemoryAccount,
    scene: &mut Scene,
) -> Result<(), Fault> {
    let mut by_masks: BTreeMap<[u32; 2], Vec<PartId>> = BTreeMap::new();
    for &(part, shape) in parts {
        by_masks.entry(bodies.chosen[shape].2).or_default().push(part);
    }
    if by_masks.len() > MOST_MASKS {
        return Err(Fault::Scene(format!("its geoms have more than {MOST_MASKS} different masks")));
    }
    let all: Vec<_> = by_masks.iter().collect();
    for (index, (masks, a)) in all.iter().enumerate() {
        for (others, b) in &all[index..] {
            if masks[0] & others[1] | others[0] & masks[1] != 0 {
                continue;
            }
            let pairs = a.len().saturating_mul(b.len());
            memory.take(pairs, PAIR_BYTES, || format!("{pairs} pairs of geoms whose masks do not match"))?;
            for (&p, &q) in a.iter().flat_map(|p| b.iter().map(move |q| (p, q))).filter(|(p, q)| p != q) {
                scene.excluded.exclude(p, q, MASK);
            }
        }
    }
    Ok(())
}
