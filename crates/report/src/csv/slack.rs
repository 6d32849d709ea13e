//! The `slack.csv` of the room of parts: one row for each part and way.

use std::io::{self, Write};

use super::{in_memory, write_rows};
use crate::columns::Cell;
use crate::document::{RoomRow, SlackReport, SlackRow};

const HEADER: [&str; 17] = [
    "id",
    "name",
    "key",
    "margin",
    "nearest_id",
    "nearest",
    "distance",
    "motion",
    "way",
    "at_least",
    "at_most",
    "unit",
    "stopped_by_id",
    "stopped_by",
    "stopped_by_key",
    "touches",
    "still_touches",
];

/// Returns the room of parts as CSV, with a header.
pub fn slack(report: &SlackReport) -> Vec<u8> {
    in_memory(|writer| write_slack(report, writer))
}

/// Writes the room of parts as CSV, with a header. Angles are in radians.
///
/// # Errors
/// Whatever the writer returns.
pub fn write_slack(report: &SlackReport, writer: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<(&SlackRow, &str, &RoomRow)> = (report.slack.iter())
        .flat_map(|part| {
            let shifts = part.shifts.iter().map(move |room| (part, "shift", room));
            shifts.chain(part.turns.iter().map(move |room| (part, "turn", room)))
        })
        .collect();
    write_rows(writer, HEADER.into_iter(), &rows, |&(part, motion, room)| {
        cells(report, part, motion, room).into_iter()
    })
}

fn cells<'r>(
    report: &'r SlackReport,
    part: &'r SlackRow,
    motion: &'r str,
    room: &'r RoomRow,
) -> [Cell<'r>; 17] {
    let (margin, stop) = (part.margin.as_ref(), room.stopped_by.as_ref());
    let unit = if motion == "turn" { Some("rad") } else { report.scene.unit.map(|unit| unit.suffix()) };
    let touches = part.at_start.iter().filter(|neighbour| neighbour.step.is_some()).count();
    [
        Cell::Count(part.part.id.into()),
        Cell::Text((&*part.part.name).into()),
        Cell::Text((&*part.key).into()),
        Cell::optional(margin.map(|margin| margin.shift)),
        margin.map_or(Cell::Empty, |margin| Cell::Count(margin.part.id.into())),
        Cell::known(margin.map(|margin| &*margin.part.name)),
        Cell::optional(margin.map(|margin| margin.distance)),
        Cell::Text(motion.into()),
        Cell::Text((&*room.way).into()),
        Cell::Number(room.at_least),
        Cell::optional(room.at_most),
        Cell::known(unit),
        stop.map_or(Cell::Empty, |stop| Cell::Count(stop.id.into())),
        Cell::known(stop.map(|stop| &*stop.name)),
        Cell::known(stop.map(|stop| &*report.parts[stop.id as usize].key)),
        Cell::Count(touches as u64),
        Cell::Count(room.still_touching.len() as u64),
    ]
}
