//! SRDF: the pairs of a robot's links that never meet, for planners, which then need not look at them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::document::{EncounterWord, JointBoxReport};
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::scene::Scene;
use closefit_geometry::scene::excluded::ADJACENT;
use closefit_geometry::text::printable;

/// Writes the pairs of links that are always near, or never, and those that a joint connects.
///
/// # Errors
/// Those of writing.
pub fn write_srdf(report: &JointBoxReport, scene: &Scene, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer::new_with_indent(out, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let robot = writer.create_element("robot").with_attribute(("name", name));
    robot.write_inner_content(|writer| {
        let joints = report.settings.joints.iter();
        let joints = joints.map(|(name, [lower, upper])| format!("{} {lower} to {upper}", printable(name)));
        let joints = joints.collect::<Vec<_>>().join(", ").replace("--", "- -");
        let apart = match report.settings.clearance {
            0.0 => "never touch".to_owned(),
            clearance => format!("are never nearer than {clearance}"),
        };
        let text =
            format!(" Parts of links with the reason Never {apart}: proven for all values of {joints}. ");
        writer.write_event(Event::Comment(BytesText::from_escaped(text)))?;
        for ([a, b], reason) in disabled(report, scene) {
            let element = writer.create_element("disable_collisions");
            let element = element.with_attributes([("link1", &*a), ("link2", &*b), ("reason", reason)]);
            element.write_empty()?;
        }
        Ok(())
    })?;
    writeln!(writer.into_inner())
}

/// Returns the pairs of links that need not be looked at, with the reason.
fn disabled(report: &JointBoxReport, scene: &Scene) -> BTreeMap<[String; 2], &'static str> {
    let link = |id: u32| {
        let name = &scene.parts[id as usize].name;
        name.rsplit_once('/').map_or(&**name, |(link, _)| link).to_owned()
    };
    let of_links = |ids: [u32; 2]| {
        let mut links = ids.map(link);
        links.sort_unstable();
        links
    };
    // A pair of links is as its worst pair of parts.
    let mut found: BTreeMap<[String; 2], Option<&'static str>> = BTreeMap::new();
    for pair in &report.pairs {
        let reason = match pair.encounter {
            EncounterWord::Never => Some("Never"),
            EncounterWord::Always => Some("Always"),
            EncounterWord::Sometimes | EncounterWord::Unknown => None,
        };
        let known = found.entry(of_links(pair.ids)).or_insert(reason);
        *known = match (*known, reason) {
            (Some("Always"), _) | (_, Some("Always")) => Some("Always"),
            (Some(known), Some(_)) => Some(known),
            _ => None,
        };
    }
    let parts = to_u32(scene.parts.len());
    for ids in (0..parts).flat_map(|a| (a + 1..parts).map(move |b| [a, b])) {
        let [a, b] = ids.map(PartId);
        if scene.excluded.reason(a, b) == Some(ADJACENT) {
            found.insert(of_links(ids), Some("Adjacent"));
        }
    }
    found.into_iter().filter_map(|(links, reason)| Some((links, reason?))).collect()
}
