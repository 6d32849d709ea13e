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

/// Writes the pairs of links that are always near, or never, and those that a joint connects. Links with
/// shapes that were not read are left out: see [`unwritten_links`].
///
/// # Errors
/// Whatever the writer returns.
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
            let element = element.with_attributes([("link1", a), ("link2", b), ("reason", reason)]);
            element.write_empty()?;
        }
        Ok(())
    })?;
    writeln!(writer.into_inner())
}

/// Number of links without lines that a note names.
const MOST_NAMED: usize = 10;

/// Returns a note on the links that no line is written about, if there are any.
pub fn unwritten_links(scene: &Scene) -> Option<String> {
    let links: Vec<&str> =
        scene.robots.iter().flat_map(|robot| &robot.partly_read).map(String::as_str).collect();
    let named: Vec<String> =
        links.iter().take(MOST_NAMED).map(|link| format!("'{}'", printable(link))).collect();
    let more = match links.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    (!links.is_empty()).then(|| format!("no lines of links with shapes that were not read: {named}{more}"))
}

/// Two links, in alphabetical order.
type Links<'a> = [&'a str; 2];

/// Returns the pairs of links that need not be looked at, with the reason. All shapes of these have been
/// read.
fn disabled<'a>(report: &JointBoxReport, scene: &'a Scene) -> BTreeMap<Links<'a>, &'static str> {
    // The links of parts that are a robot's.
    let mut link_of: BTreeMap<u32, &str> = BTreeMap::new();
    let mut parts_of: BTreeMap<&str, u64> = BTreeMap::new();
    for robot in &scene.robots {
        for part in robot.parts.iter().map(|part| part.part) {
            let name = &*scene.parts[part.index()].name;
            let link = name.rsplit_once('/').map_or(name, |(link, _)| link);
            if !robot.partly_read.iter().any(|partly| partly == link) {
                link_of.insert(part.0, link);
                *parts_of.entry(link).or_default() += 1;
            }
        }
    }
    let of_links = |[a, b]: [u32; 2]| {
        let mut links = [*link_of.get(&a)?, *link_of.get(&b)?];
        links.sort_unstable();
        Some(links)
    };
    // How many pairs of parts never meet, and whether some always do.
    let mut found: BTreeMap<Links, (u64, bool)> = BTreeMap::new();
    for pair in &report.pairs {
        let Some(links) = of_links(pair.ids) else { continue };
        let (never, always) = found.entry(links).or_default();
        *never += u64::from(pair.encounter == EncounterWord::Never);
        *always |= pair.encounter == EncounterWord::Always;
    }
    // A pair of links never meets if none of their parts do. All pairs of these parts must have been
    // checked.
    let reason = |([a, b], (never, always)): (Links<'a>, (u64, bool))| match always {
        true => Some(([a, b], "Always")),
        false => (never == parts_of[a] * parts_of[b]).then_some(([a, b], "Never")),
    };
    let mut reasons: BTreeMap<Links, &str> = found.into_iter().filter_map(reason).collect();
    let parts = to_u32(scene.parts.len());
    for ids in (0..parts).flat_map(|a| (a + 1..parts).map(move |b| [a, b])) {
        let [a, b] = ids.map(PartId);
        if scene.excluded.reason(a, b) == Some(ADJACENT) {
            reasons.extend(of_links(ids).map(|links| (links, "Adjacent")));
        }
    }
    reasons
}
