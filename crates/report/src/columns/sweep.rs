//! The columns of a sweep.

use super::{Cell, Column, Kind, Tabled};
use crate::document::word::Word;
use crate::document::{ClearanceRow, MovingPairRow, PressedRow, TimeOfContactRow};

impl Tabled for MovingPairRow {
    const COLUMNS: &'static [Column<Self>] = &[
        Column("verdict", Kind::Text, |p| Cell::word(p.verdict.word())),
        Column("contact_after", Kind::Number, |p| contact(p, |c| c.after)),
        Column("contact_before", Kind::Number, |p| contact(p, |c| c.before)),
        Column("start_contact", Kind::Truth, |p| Cell::Truth(p.start_contact)),
        Column("again_after", Kind::Number, |p| Cell::optional(p.again.as_ref().map(|c| c.after))),
        Column("again_before", Kind::Number, |p| Cell::optional(p.again.as_ref().map(|c| c.before))),
        Column("clearance_at_least", Kind::Number, |p| clearance(p, |c| c.at_least)),
        Column("clearance_at_most", Kind::Number, |p| clearance(p, |c| c.at_most)),
        Column("clearance_at", Kind::Number, |p| clearance(p, |c| c.at)),
        Column("signed_distance", Kind::Number, signed_distance),
        Column("contained", Kind::Text, |p| Cell::contained(p.contained.as_ref())),
        Column("depth_unknown", Kind::Text, |p| Cell::known(p.depth_unknown.as_deref())),
        Column("feature", Kind::Text, |p| feature(&p.time_of_contact)),
        Column("triangle_a", Kind::Count, |p| triangle(p, 0)),
        Column("triangle_b", Kind::Count, |p| triangle(p, 1)),
        Column("normal_x", Kind::Number, |p| contact(p, |c| c.normal[0])),
        Column("normal_y", Kind::Number, |p| contact(p, |c| c.normal[1])),
        Column("normal_z", Kind::Number, |p| contact(p, |c| c.normal[2])),
        Column("again_feature", Kind::Text, |p| feature(&p.again)),
        Column("pressed_at_least", Kind::Number, |p| pressed(p, |found| found.at_least)),
        Column("pressed_at_most", Kind::Number, |p| pressed(p, |found| found.at_most)),
        Column("pressed_at", Kind::Number, |p| pressed(p, |found| found.at)),
        Column("precision", Kind::Number, |p| Cell::optional(p.precision)),
    ];
}

fn contact(pair: &MovingPairRow, value: impl Fn(&TimeOfContactRow) -> f64) -> Cell<'static> {
    Cell::optional(pair.time_of_contact.as_ref().map(value))
}

fn clearance(pair: &MovingPairRow, value: impl Fn(&ClearanceRow) -> f64) -> Cell<'static> {
    Cell::optional(pair.clearance.as_ref().map(value))
}

fn pressed(pair: &MovingPairRow, value: impl Fn(PressedRow) -> f64) -> Cell<'static> {
    Cell::optional(pair.pressed.flatten().map(value))
}

/// Returns a distance to which the parts certainly come; nothing if one may be inside the other.
fn signed_distance(pair: &MovingPairRow) -> Cell<'static> {
    if pair.contained.is_some() { Cell::Empty } else { clearance(pair, |c| c.at_most) }
}

fn triangle(pair: &MovingPairRow, side: usize) -> Cell<'static> {
    pair.time_of_contact.as_ref().map_or(Cell::Empty, |c| Cell::Count(c.triangles[side].into()))
}

fn feature(contact: &Option<TimeOfContactRow>) -> Cell<'static> {
    contact.as_ref().map_or(Cell::Empty, |c| Cell::word(c.feature.word()))
}
