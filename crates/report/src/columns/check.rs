//! The columns of a check.

use super::{Asked, Cell, Column, Kind, Tabled};
use crate::document::word::Word;
use crate::document::{PairRow, StatusOfPair, WayOutRow};
use closefit::Verdict;

impl Tabled for PairRow {
    const COLUMNS: &'static [Column<Self>] = &[
        Column("verdict", Kind::Text, |p| Cell::word(p.verdict.word())),
        Column("distance", Kind::Number, |p| Cell::optional(p.known_distance())),
        Column("signed_distance", Kind::Number, |p| Cell::optional(signed_distance(p))),
        Column("contacts", Kind::Count, |p| Cell::Count(p.contacts)),
        Column("contained", Kind::Text, |p| Cell::contained(p.contained.as_deref())),
        Column("duplicate", Kind::Truth, |p| Cell::Truth(p.duplicate)),
        Column("crossing", Kind::Truth, |p| Cell::Truth(p.crossing)),
        Column("depth_at_least", Kind::Number, |p| Cell::optional(p.depth.as_ref().map(|d| d.at_least))),
        Column("depth_at_most", Kind::Number, |p| Cell::optional(p.depth.as_ref().map(|d| d.at_most))),
        Column("depth_unknown", Kind::Text, |p| Cell::known(p.depth_unknown.as_deref())),
        Column("where_x", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.point[0]))),
        Column("where_y", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.point[1]))),
        Column("where_z", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.point[2]))),
        Column("box_min_x", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[0][0]))),
        Column("box_min_y", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[0][1]))),
        Column("box_min_z", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[0][2]))),
        Column("box_max_x", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[1][0]))),
        Column("box_max_y", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[1][1]))),
        Column("box_max_z", Kind::Number, |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[1][2]))),
        Column("a_x", Kind::Number, |p| Cell::optional(p.points.as_ref().map(|points| points[0][0]))),
        Column("a_y", Kind::Number, |p| Cell::optional(p.points.as_ref().map(|points| points[0][1]))),
        Column("a_z", Kind::Number, |p| Cell::optional(p.points.as_ref().map(|points| points[0][2]))),
        Column("b_x", Kind::Number, |p| Cell::optional(p.points.as_ref().map(|points| points[1][0]))),
        Column("b_y", Kind::Number, |p| Cell::optional(p.points.as_ref().map(|points| points[1][1]))),
        Column("b_z", Kind::Number, |p| Cell::optional(p.points.as_ref().map(|points| points[1][2]))),
    ];

    const ASKED: &'static [Asked<Self>] = &[
        Asked { is_found: |p| p.more.volume.is_some() || p.more.volume_unknown.is_some(), columns: VOLUME },
        Asked { is_found: |p| p.more.volume_limit.is_some(), columns: VOLUME_LIMIT },
        Asked { is_found: |p| p.more.way_out.is_some(), columns: WAY_OUT },
    ];

    fn status(&self) -> Option<&StatusOfPair> {
        Some(&self.status)
    }
}

const VOLUME: &[Column<PairRow>] = &[
    Column("volume_at_least", Kind::Number, |p| Cell::optional(p.more.volume.as_deref().map(|v| v.at_least))),
    Column("volume_at_most", Kind::Number, |p| Cell::optional(p.more.volume.as_deref().map(|v| v.at_most))),
    Column("volume_unknown", Kind::Text, |p| Cell::known(p.more.volume_unknown.as_deref())),
    Column("centroid_x", Kind::Number, |p| centroid(p, 0)),
    Column("centroid_y", Kind::Number, |p| centroid(p, 1)),
    Column("centroid_z", Kind::Number, |p| centroid(p, 2)),
];

const VOLUME_LIMIT: &[Column<PairRow>] = &[Column("volume_limit", Kind::Text, |p| {
    p.more.volume_limit.map_or(Cell::Empty, |limit| Cell::word(limit.word()))
})];

const WAY_OUT: &[Column<PairRow>] = &[
    Column("way_out_part", Kind::Text, |p| way_out(p, |way| Cell::word(way.part.word()))),
    Column("way_out_at_least", Kind::Number, |p| way_out(p, |way| Cell::Number(way.at_least))),
    Column("way_out_at_most", Kind::Number, |p| way_out(p, |way| Cell::Number(way.at_most))),
    Column("way_out_x", Kind::Number, |p| way_out(p, |way| Cell::Number(way.by[0]))),
    Column("way_out_y", Kind::Number, |p| way_out(p, |way| Cell::Number(way.by[1]))),
    Column("way_out_z", Kind::Number, |p| way_out(p, |way| Cell::Number(way.by[2]))),
    Column("way_out_leaves", Kind::Text, |p| way_out(p, |way| Cell::word(way.leaves.word()))),
    Column("way_out_meets", Kind::Count, |p| way_out(p, |way| Cell::Count(way.meets.len() as u64))),
];

/// Returns a coordinate of the centroid of what two parts share, empty if there is none.
fn centroid(pair: &PairRow, axis: usize) -> Cell<'_> {
    Cell::optional(
        pair.more.volume.as_deref().and_then(|volume| volume.centroid).map(|centroid| centroid[axis]),
    )
}

/// Returns a cell about the way out of a pair, empty if none is known.
fn way_out<'p>(pair: &'p PairRow, cell: impl FnOnce(&'p WayOutRow) -> Cell<'p>) -> Cell<'p> {
    pair.more.way_out.as_deref().map_or(Cell::Empty, cell)
}

/// Returns the distance of parts that do not overlap; of others, the certified depth below 0. `None` if they
/// may overlap and no depth is known.
fn signed_distance(pair: &PairRow) -> Option<f64> {
    let touch = pair.contacts > 0 || pair.contained.is_some();
    match pair.depth {
        _ if pair.duplicate || pair.crossing => None,
        Some(depth) => Some(0.0 - depth.at_least), // not -0
        None if touch && pair.verdict != Verdict::Contact => None,
        None => Some(pair.distance),
    }
}
