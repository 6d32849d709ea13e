//! The tables of an audit: the links of a robot, and the lines of its SRDF.

use super::display::{Scale, brackets};
use super::joint_box::{and_more, values};
use super::layout::{ColumnOf, Table, Treatment};
use super::screen::Screen;
use super::{as_is, counted};
use crate::document::word::Word;
use crate::document::{AuditReport, AuditedLink, NeverLine, NeverWord, OutsideRow, PartRow};
use closefit_geometry::text::printable;

/// The tables name links, and no parts.
const NO_PARTS: &[PartRow] = &[];

/// Returns one line with the robot and the settings.
pub fn header(report: &AuditReport) -> String {
    let settings = &report.settings;
    let links = counted(report.links.len() as u64, "link with geometry", "links with geometry");
    let hulls = if settings.hulls { ", convex hulls of collision meshes" } else { "" };
    let precision = Scale::of(report.unit).length(settings.precision);
    let joints = if report.srdf.is_some() { ", joints in rad or m" } else { "" };
    format!("{links}{}{hulls}; precision {precision}{joints}", as_is(settings.as_is))
}

/// Returns a line for each link, those first whose visual geometry reaches farthest out, on lines that fit
/// the screen if its width is known and that is possible.
pub fn links(report: &AuditReport, rows: Option<usize>, screen: Screen) -> String {
    let scale = Scale::of(report.unit);
    let mut links: Vec<&AuditedLink> = report.links.iter().collect();
    let rank = |link: &AuditedLink| (link.visual > 0 && link.collision == 0, at_least(&link.protrusion));
    links.sort_by(|a, b| {
        let ((a_lacks, a_out), (b_lacks, b_out)) = (rank(a), rank(b));
        b_lacks.cmp(&a_lacks).then(b_out.total_cmp(&a_out))
    });
    let shown = &links[..rows.unwrap_or(usize::MAX).min(links.len())];
    let column = |of: &dyn Fn(&AuditedLink) -> &Option<OutsideRow>| {
        let ends = |link: &&AuditedLink| of(link).as_ref().map(|row| [row.at_least, row.at_most]);
        brackets(&shown.iter().map(ends).collect::<Vec<_>>(), scale)
    };
    let (protrusions, gaps) = (column(&|link| &link.protrusion), column(&|link| &link.gap));
    let items: Vec<_> = shown.iter().zip(protrusions.into_iter().zip(gaps)).collect();
    type Item<'r> = (&'r &'r AuditedLink, (String, String));
    let [outside, beyond] = ["protrusion", "gap"].map(|what| scale.title(what));
    let columns: [ColumnOf<Item>; 6] = [
        ("link", Treatment::NAME, &|item| printable(&item.0.link).into()),
        ("visual", Treatment::RIGHT, &|item| item.0.visual.to_string().into()),
        ("collision", Treatment::RIGHT, &|item| item.0.collision.to_string().into()),
        (&outside, Treatment::LEFT, &|item| item.1.0.clone().into()),
        (&beyond, Treatment::LEFT, &|item| item.1.1.clone().into()),
        ("", Treatment::REMARK, &|item| remark(item.0).into()),
    ];
    let table = Table::of(&columns, &items, |_| None).render(NO_PARTS, screen);
    and_more(table, links.len() - shown.len())
}

fn at_least(row: &Option<OutsideRow>) -> f64 {
    row.as_ref().map_or(-1.0, |row| row.at_least)
}

/// Returns what a reader of the numbers has to know.
fn remark(link: &AuditedLink) -> String {
    let gave_up = |row: &Option<OutsideRow>| row.as_ref().is_some_and(|row| row.ended_early);
    let said = [
        (link.collision == 0, "no collision geometry"),
        (link.visual == 0, "no visual geometry"),
        (link.partly_read, "some shapes were not read"),
        (link.open_visual, "open visual mesh"),
        (link.open_collision, "open collision mesh"),
        (gave_up(&link.protrusion) || gave_up(&link.gap), "the search gave up"),
    ];
    said.into_iter().filter_map(|(is_so, text)| is_so.then_some(text)).collect::<Vec<_>>().join(", ")
}

/// Returns a line for each line of the SRDF with the reason `Never`, false ones first; nothing without such
/// lines.
pub fn never_lines(report: &AuditReport, rows: Option<usize>, screen: Screen) -> String {
    let Some(srdf) = &report.srdf else { return String::new() };
    let mut lines: Vec<&NeverLine> = srdf.never.iter().collect();
    lines.sort_by_key(|line| line.found);
    let shown = &lines[..rows.unwrap_or(usize::MAX).min(lines.len())];
    let scale = Scale::of(report.unit);
    let ends = |line: &&NeverLine| line.distance.as_ref().map(|row| [row.at_least, row.at_most]);
    let distances = brackets(&shown.iter().map(ends).collect::<Vec<_>>(), scale);
    let items: Vec<_> = shown.iter().zip(distances).collect();
    type Item<'r> = (&'r &'r NeverLine, String);
    let title = scale.title("least distance");
    let columns: [ColumnOf<Item>; 5] = [
        ("never", Treatment::VERDICT, &|item| item.0.found.word().to_owned().into()),
        ("link 1", Treatment::NAME, &|item| printable(&item.0.links[0]).into()),
        ("link 2", Treatment::NAME, &|item| printable(&item.0.links[1]).into()),
        (&title, Treatment::LEFT, &|item| item.1.clone().into()),
        ("", Treatment::REMARK, &|item| why(item.0).into()),
    ];
    let table = Table::of(&columns, &items, |_| None).render(NO_PARTS, screen);
    and_more(table, lines.len() - shown.len())
}

/// Returns where two links meet, or why it is not known.
fn why(line: &NeverLine) -> String {
    match (&line.at, &line.why) {
        (Some(at), _) if at.is_empty() => "meet always".to_owned(),
        (Some(at), _) => format!("meet at {}", values(at.iter())),
        (None, why) => why.as_deref().map_or_else(String::new, printable),
    }
}

/// Returns lines that count links and lines of the SRDF.
pub fn counts(report: &AuditReport) -> String {
    let links = counted(report.links.len() as u64, "link", "links");
    let without = report.without_collision();
    let of_links = format!("{links}: {without} without collision geometry");
    let Some(srdf) = &report.srdf else { return of_links };
    let count = |word: NeverWord| srdf.never.iter().filter(|line| line.found == word).count();
    let words: Vec<String> =
        NeverWord::WORDS.iter().map(|&(word, text)| format!("{} {text}", count(word))).collect();
    let lines = counted(srdf.never.len() as u64, "line", "lines");
    format!("{of_links}\n{lines} with the reason Never: {}", words.join(", "))
}
