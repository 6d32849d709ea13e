//! SRDF: the pairs of a robot's links that its makers exclude from collision checks.

use std::collections::{BTreeSet, HashMap};

use super::super::robot::MOST_NAMED;
use super::super::xml::{at_element, document, elements, place_of, required};
use crate::read::error::{Fault, clip};
use crate::read::text::decoded;
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::scene::Scene;

/// Bytes of an excluded pair, without its reason.
const PAIR_BYTES: usize = 96;

/// A line of an SRDF: two links whose collisions are disabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledLinks {
    /// The names of the links.
    pub links: [String; 2],
    /// The reason; `disabled in SRDF` if the file gives none.
    pub reason: String,
}

/// Returns the `<disable_collisions>` of a file.
pub(in super::super) fn lines(bytes: &[u8], memory: &MemoryAccount) -> Result<Vec<DisabledLinks>, Fault> {
    let text = decoded(bytes)?;
    let document = document(&text)?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        let found = clip(root.tag_name().name());
        return Err(Fault::at(place_of(root), format!("<{found}> instead of <robot>")));
    }
    let line = |element| -> Result<DisabledLinks, Fault> {
        let links = [required(element, "link1")?, required(element, "link2")?].map(str::to_owned);
        let reason = element.attribute("reason").unwrap_or("disabled in SRDF");
        if reason.trim().is_empty() || reason.chars().any(char::is_control) {
            let why = "its reason is empty or has control characters".to_owned();
            return Err(at_element(Fault::Scene(why), element));
        }
        memory.take(1, PAIR_BYTES + reason.len(), || "the lines of an SRDF".to_owned())?;
        Ok(DisabledLinks { links, reason: reason.to_owned() })
    };
    elements(root, "disable_collisions").map(line).collect()
}

/// Excludes the pairs of parts of all `<disable_collisions>`, with their reasons. A part belongs to the link
/// that its name begins with, as in `link/mesh`; robots of several files are not mixed.
pub(in super::super) fn exclude(
    bytes: &[u8],
    scene: &mut Scene,
    memory: &MemoryAccount,
) -> Result<(), Fault> {
    let parts_of = links(scene);
    let mut unknown = BTreeSet::new();
    for DisabledLinks { links, reason } in lines(bytes, memory)? {
        let none = Vec::new();
        let [of_a, of_b] = [0, 1].map(|k| parts_of.get(&links[k]).unwrap_or(&none));
        let pairs = of_a.len().saturating_mul(of_b.len());
        memory.take(pairs, PAIR_BYTES + reason.len(), || format!("{pairs} excluded pairs of links"))?;
        for (&p, &q) in of_a.iter().flat_map(|p| of_b.iter().map(move |q| (p, q))) {
            if p != q && scene.parts[p.index()].model == scene.parts[q.index()].model {
                scene.excluded.exclude(p, q, reason.clone());
            }
        }
        unknown.extend(links.into_iter().filter(|link| !parts_of.contains_key(link)));
    }
    note(&unknown, scene);
    Ok(())
}

/// Returns the parts of each link.
fn links(scene: &Scene) -> HashMap<String, Vec<PartId>> {
    let mut links: HashMap<String, Vec<PartId>> = HashMap::new();
    for (index, part) in scene.parts.iter().enumerate() {
        if let Some((link, _)) = part.name.rsplit_once('/') {
            links.entry(link.to_owned()).or_default().push(PartId(to_u32(index)));
        }
    }
    links
}

fn note(unknown: &BTreeSet<String>, scene: &mut Scene) {
    if unknown.is_empty() {
        return;
    }
    let named: Vec<String> =
        unknown.iter().take(MOST_NAMED).map(|link| format!("'{}'", clip(link))).collect();
    let more = if unknown.len() > MOST_NAMED { ", ..." } else { "" };
    let named = named.join(", ");
    scene.notes.push(format!("links of the SRDF without a mesh in the scene: {named}{more}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::ids::MeshId;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::scene::Part;

    fn scene() -> Scene {
        let names = ["base/a", "base/b", "arm/a", "hand/a", "arm/a"];
        let models = ["r", "r", "r", "r", "other"];
        let part = |(name, model): (&str, &str)| Part {
            model: model.into(),
            ..Part::new(name, MeshId(0), Pose::IDENTITY)
        };
        Scene { parts: names.into_iter().zip(models).map(part).collect(), ..Scene::default() }
    }

    #[test]
    fn pairs_of_links_are_excluded_with_their_reasons() {
        let mut scene = scene();
        let text = "<robot name='r'><disable_collisions link1='arm' link2='base' reason='Adjacent'/>\
                    <disable_collisions link1='hand' link2='base'/>\
                    <disable_collisions link1='hand' link2='camera' reason='Never'/></robot>";
        exclude(text.as_bytes(), &mut scene, &MemoryAccount::new(None)).unwrap();
        let reason = |a, b| scene.excluded.reason(PartId(a), PartId(b));
        assert_eq!(
            [reason(0, 2), reason(2, 1), reason(3, 1)],
            [Some("Adjacent"), Some("Adjacent"), Some("disabled in SRDF")]
        );
        assert_eq!([reason(2, 3), reason(0, 1), reason(0, 4)], [None; 3], "another pair, link or file");
        assert_eq!(scene.notes, ["links of the SRDF without a mesh in the scene: 'camera'"]);
    }

    #[test]
    fn faults_name_their_lines() {
        let memory = MemoryAccount::new(None);
        let refused = |text: &str| exclude(text.as_bytes(), &mut scene(), &memory).unwrap_err().to_string();
        assert_eq!(refused("<scene/>"), "line 1: <scene> instead of <robot>");
        assert_eq!(
            refused("<robot>\n<disable_collisions link1='arm'/></robot>"),
            "line 2: <disable_collisions> has no link2"
        );
        let empty = "<robot>\n<disable_collisions link1='a' link2='b' reason=' '/></robot>";
        assert!(refused(empty).contains("line 2") && refused(empty).contains("its reason is empty"));
        assert!(refused("<robot>").starts_with("XML: "));
    }
}
