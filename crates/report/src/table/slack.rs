//! The tables of the room of parts: each way of one part, or a line for each of many parts.

use super::display::{Scale, brackets};
use super::fit::folded;
use super::layout::{Cell, ColumnOf, Table, Treatment};
use super::names::alone;
use super::{as_is, scene_line};
use crate::document::word::Word;
use crate::document::{NamedRow, RoomRow, SlackReport, SlackRow, StateWord};
use crate::json::number;
use closefit::Axes;
use closefit_geometry::text::printable;

/// Returns one line with the scene and the settings.
pub fn header(report: &SlackReport) -> String {
    let (scene, settings) = (&report.scene, &report.settings);
    let scale = Scale::of(scene.unit);
    format!(
        "{}{}{}; clearance {}, tolerance {}, precision {}{}",
        scene_line(scene.unit, scene.up, report.parts.len(), scene.triangles),
        as_is(settings.as_is),
        settings.at.map_or_else(String::new, |time| format!(", at {} s", number(time))),
        scale.length(settings.clearance),
        scale.length(settings.tolerance),
        scale.length(settings.precision),
        if settings.axes == Axes::Part { ", axes of the part" } else { "" },
    )
}

/// A room as a line of a table.
struct Line<'r> {
    way: String,
    room: String,
    stopped_by: Option<&'r NamedRow>,
    remark: String,
}

/// Returns the room of a part, way by way, on lines of `width` characters if that is known and possible.
pub fn of_part(report: &SlackReport, row: &SlackRow, width: Option<usize>) -> String {
    let scale = Scale::of(report.scene.unit);
    let lines = |rooms: &[RoomRow], scale: Scale, [about, unit]: [&str; 2]| -> Vec<(String, String)> {
        let texts = brackets(&rooms.iter().map(bracket).collect::<Vec<_>>(), scale);
        let text = |(room, text): (&RoomRow, String)| match room.at_most {
            Some(_) if room.at_least == 0.0 => format!("0{unit}"),
            Some(_) => format!("{}{unit}", text.trim()),
            None => "free".to_owned(),
        };
        rooms
            .iter()
            .zip(texts)
            .map(|(room, shown)| (format!("{about}{}", room.way), text((room, shown))))
            .collect()
    };
    let shifts = lines(&row.shifts, scale, ["", &scale.suffix()]);
    let turns = lines(&row.turns, Scale::degrees(), ["about ", "°"]);
    let rooms = row.shifts.iter().chain(&row.turns);
    let lines: Vec<Line> = (shifts.into_iter().chain(turns).zip(rooms))
        .map(|((way, room), of)| Line { way, room, stopped_by: of.stopped_by.as_ref(), remark: sliding(of) })
        .collect();
    let columns: [ColumnOf<Line>; 4] = [
        ("way", Treatment::LEFT, &|line| line.way.clone().into()),
        ("travel", Treatment::LEFT, &|line| line.room.clone().into()),
        ("stopped by", Treatment::PART, &|line| part_cell(line.stopped_by)),
        ("", Treatment::REMARK, &|line| line.remark.clone().into()),
    ];
    let table = Table::of(&columns, &lines, |_| None).render(&report.parts, width);
    let summary = folded(&summary(report, row, scale), width.unwrap_or(usize::MAX));
    format!("{summary}\n\n{table}")
}

/// The widest name in a line of text.
const WIDEST_NAME: usize = 60;

/// Returns a line on the part: its margin, and the neighbours that are too near already.
fn summary(report: &SlackReport, row: &SlackRow, scale: Scale) -> String {
    let named = |part: &NamedRow| alone(part.id as usize, &report.parts)(WIDEST_NAME);
    let margin = match &row.margin {
        Some(margin) => {
            let (shift, nearest) = (scale.length(margin.shift), named(&margin.part));
            format!("margin {shift}, nearest is {nearest} at {}", scale.length(margin.distance))
        }
        None => "no other part is checked".to_owned(),
    };
    let near: String =
        (row.at_start.iter()).map(|near| format!("; {} {}", told(near.state), named(&near.part))).collect();
    let unsure: String =
        row.undecided.iter().map(|part| format!("; may be inside {}", named(part))).collect();
    format!("{}: {margin}{near}{unsure}", named(&row.part))
}

/// Returns what a part does with a neighbour at the start.
fn told(state: StateWord) -> &'static str {
    match state {
        StateWord::Near => "already near",
        StateWord::Touches => "touches",
        StateWord::Overlaps => "overlaps",
        StateWord::Contained => "inside, or around,",
    }
}

/// Returns which neighbours the part slides along, if it moves.
fn sliding(room: &RoomRow) -> String {
    let [first, rest @ ..] = &room.still_touching[..] else { return String::new() };
    if room.at_least == 0.0 {
        return String::new();
    }
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("slides on {}{more}", printable(&first.name))
}

fn bracket(room: &RoomRow) -> Option<[f64; 2]> {
    room.at_most.map(|at_most| [room.at_least, at_most])
}

fn part_cell(part: Option<&NamedRow>) -> Cell {
    part.map_or_else(Cell::default, |part| Cell::Part(part.id as usize))
}

/// Returns a line for each part, those with the least margin and the least room first: on lines of `width`
/// characters if that is known and possible.
pub fn all(report: &SlackReport, rows: Option<usize>, width: Option<usize>) -> String {
    let scale = Scale::of(report.scene.unit);
    let mut parts: Vec<&SlackRow> = report.slack.iter().collect();
    let rank = |row: &SlackRow| {
        let margin = row.margin.as_ref().map_or(f64::INFINITY, |margin| margin.shift);
        (margin, least(&row.shifts).map_or(f64::INFINITY, |room| room.at_least), row.part.id)
    };
    parts.sort_by(|a, b| rank(a).partial_cmp(&rank(b)).expect("numbers"));
    let shown = &parts[..rows.unwrap_or(usize::MAX).min(parts.len())];
    let margins: Vec<_> =
        shown.iter().map(|row| row.margin.as_ref().map(|margin| [margin.shift; 2])).collect();
    let rooms: Vec<_> = shown.iter().map(|row| least(&row.shifts).and_then(bracket)).collect();
    let turns: Vec<_> = shown.iter().map(|row| least(&row.turns).and_then(bracket)).collect();
    let numbers = brackets(&margins, scale).into_iter().zip(brackets(&rooms, scale));
    let items: Vec<_> = shown.iter().zip(numbers.zip(brackets(&turns, Scale::degrees()))).collect();
    type Item<'r> = (&'r &'r SlackRow, ((String, String), String));
    let way = |rooms: &[RoomRow]| least(rooms).map_or("free", |room| &room.way).to_owned();
    let titles = [scale.title("margin"), scale.title("least travel"), "least turn, °".to_owned()];
    let columns: [ColumnOf<Item>; 8] = [
        ("part", Treatment::PART, &|item| Cell::Part(item.0.part.id as usize)),
        (&titles[0], Treatment::LEFT, &|item| item.1.0.0.clone().into()),
        (&titles[1], Treatment::LEFT, &|item| item.1.0.1.clone().into()),
        ("way", Treatment::LEFT, &|item| way(&item.0.shifts).into()),
        ("stopped by", Treatment::PART, &|item| {
            part_cell(least(&item.0.shifts).and_then(|room| room.stopped_by.as_ref()))
        }),
        (&titles[2], Treatment::OPTIONAL, &|item| item.1.1.clone().into()),
        ("about", Treatment::OPTIONAL, &|item| way(&item.0.turns).into()),
        ("", Treatment::FIRST_TO_GO, &|item| remark(item.0).into()),
    ];
    let left = parts.len() - shown.len();
    let more = if left > 0 { format!("and {left} more: --rows all shows them\n") } else { String::new() };
    Table::of(&columns, &items, |_| None).render(&report.parts, width) + &more
}

/// Returns the numbers of neighbours that are too near already, by state.
fn remark(row: &SlackRow) -> String {
    let count = |state: StateWord| row.at_start.iter().filter(|near| near.state == state).count();
    let states = StateWord::WORDS.iter().map(|&(state, word)| (count(state), word));
    let states = states.filter(|&(n, _)| n > 0).map(|(n, word)| format!("{word} {n}"));
    states.collect::<Vec<_>>().join(", ")
}

/// Returns the way with the least room, if any is stopped; the first of equal ones.
fn least(rooms: &[RoomRow]) -> Option<&RoomRow> {
    let stopped = rooms.iter().filter(|room| room.at_most.is_some());
    stopped.min_by(|a, b| a.at_least.total_cmp(&b.at_least))
}
