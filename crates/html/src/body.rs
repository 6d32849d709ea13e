//! The body of a page: parts, pairs, issues and views. Columns have one value per part or pair.

use std::borrow::Cow;
use std::collections::HashMap;

use closefit_geometry::scene::Scene;
use closefit_picture::{Finding, Kind};
use closefit_report::diff::Review;
use closefit_report::document::{Command, Report, Word};
use closefit_views::Views;
use serde::Serialize;

use crate::document::Page;
use crate::frames::{self, FrameRow};
use crate::geometry::Geometry;
use crate::parts::PartColumns;
use crate::places::Places;
use crate::row::Row;
use crate::seen::ViewRow;
use closefit_geometry::parallel;
use closefit_geometry::text::shown;

/// The body, as the script of the page reads it.
#[derive(Serialize)]
pub struct Body<'r> {
    middle: [f64; 3],
    parts: PartColumns<'r>,
    pairs: PairColumns<'r>,
    groups: Vec<GroupRow<'r>>,
    views: &'r [ViewRow],
    /// Points, triangles and edges of each shape.
    meshes: &'r [[usize; 3]],
    frames: Vec<FrameRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<&'r Review>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heat: Option<HeatRow>,
}

/// A part whose vertices have distances, which follow the shapes.
#[derive(Serialize)]
struct HeatRow {
    part: u32,
    /// The part from which they are; none if it is all others.
    other: Option<u32>,
    clearance: f64,
}

#[derive(Default, Serialize)]
struct PairColumns<'r> {
    a: Vec<u32>,
    b: Vec<u32>,
    key: Vec<&'r str>,
    verdict: Vec<&'static str>,
    kind: Vec<&'static str>,
    label: Vec<String>,
    size: Vec<Option<[f64; 2]>>,
    contacts: Vec<u64>,
    how: Vec<Option<&'static str>>,
    why: Vec<Option<&'r str>>,
    rule: Vec<Option<&'r str>>,
    status: Vec<Option<&'static str>>,
    /// The place, unless the dimension gives it.
    at: Vec<Option<[f64; 3]>>,
    /// A box around the place, unless it is the box of the ends of the dimension.
    bounds: Vec<Option<[[f64; 3]; 2]>>,
    measure: Vec<Option<[[f64; 3]; 2]>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    time: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contact: Vec<Option<[f64; 2]>>,
    /// Left out if no pair has them.
    #[serde(skip_serializing_if = "no_intervals")]
    intervals: Vec<Option<[Vec<[f64; 2]>; 2]>>,
    /// Left out if no pair is in contact from the start.
    #[serde(skip_serializing_if = "no_pressed")]
    pressed: Vec<Option<[f64; 3]>>,
}

fn no_intervals(all: &[Option<[Vec<[f64; 2]>; 2]>]) -> bool {
    all.iter().all(Option::is_none)
}

fn no_pressed(all: &[Option<[f64; 3]>]) -> bool {
    all.iter().all(Option::is_none)
}

#[derive(Serialize)]
struct GroupRow<'r> {
    key: &'r str,
    title: Cow<'r, str>,
    pairs: Vec<usize>,
}

impl<'r> Body<'r> {
    /// Returns the body of a report whose shapes a geometry holds, and after them the distances of a heat
    /// map.
    pub fn new<'v: 'r, S: Sync, P: Row>(
        views: &Views<'v, S, P>,
        places: &Places,
        geometry: &'r Geometry,
        (seen, page): (&'r [ViewRow], &'r Page),
    ) -> Self {
        let (report, scene) = (views.report(), views.scene());
        let moves = report.command == Command::Sweep;
        Self {
            middle: places.middle.into(),
            parts: PartColumns::new(&scene.parts[..report.parts.len()], geometry, moves),
            pairs: PairColumns::new(views, places, moves),
            groups: groups(report),
            views: seen,
            meshes: &geometry.counts,
            frames: if moves { frames::rows(&scene.frames) } else { Vec::new() },
            review: Some(page.review).filter(|review| !review.is_empty()),
            heat: page.heat_map.map(|map| HeatRow {
                part: map.part.0,
                other: map.other.map(|other| other.0),
                clearance: map.clearance,
            }),
        }
    }

    /// Returns the body of a scene without a report, at rest, whose shapes a geometry holds.
    pub fn of_model(scene: &'r Scene, places: &Places, geometry: &'r Geometry) -> Self {
        Self {
            middle: places.middle.into(),
            parts: PartColumns::new(&scene.parts, geometry, false),
            pairs: PairColumns::default(),
            groups: Vec::new(),
            views: &[],
            meshes: &geometry.counts,
            frames: Vec::new(),
            review: None,
            heat: None,
        }
    }
}

impl<'r> PairColumns<'r> {
    fn new<'v: 'r, S: Sync, P: Row>(views: &Views<'v, S, P>, places: &Places, moves: bool) -> Self {
        let pairs = &views.report().pairs;
        let mut columns = Self::default();
        let findings = parallel::map_items(pairs, parallel::SMALL, |pair| views.finding(pair));
        for (pair, finding) in pairs.iter().zip(findings) {
            let sides = pair.sides();
            columns.a.push(sides.ids[0]);
            columns.b.push(sides.ids[1]);
            columns.key.push(&sides.key);
            columns.verdict.push(pair.verdict().word());
            columns.kind.push(kind(finding.kind));
            columns.size.push(pair.size());
            columns.contacts.push(pair.contacts());
            columns.how.push(pair.how());
            columns.why.push(pair.unknown());
            columns.rule.push(pair.rule().rule.as_deref());
            columns.status.push(pair.status());
            let is_of_ends = finding.measure.is_some_and(|[p, q]| finding.bounds == [p.min(q), p.max(q)]);
            columns.bounds.push((!is_of_ends).then(|| places.both(finding.bounds)));
            columns.at.push(pair.at().filter(|at| told(&finding) != Some(*at)));
            columns.measure.push(finding.measure.map(|ends| places.both(ends)));
            columns.label.push(finding.label);
            if moves {
                columns.time.push(pair.time());
                columns.contact.push(pair.contact_times());
                columns.intervals.push(pair.intervals());
                columns.pressed.push(pair.pressed());
            }
        }
        columns
    }
}

/// Returns the place that the dimension of a finding gives: the deepest point, or the middle of a gap.
fn told(finding: &Finding) -> Option<[f64; 3]> {
    let [p, q] = finding.measure?;
    match finding.kind {
        Kind::Overlap => Some(p.into()),
        Kind::Gap => Some((0.5 * p + 0.5 * q).into()),
        Kind::Meeting => None,
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Overlap => "overlap",
        Kind::Gap => "gap",
        Kind::Meeting => "meeting",
    }
}

/// Returns the issues, with their pairs by place.
fn groups<S, P: Row>(report: &Report<S, P>) -> Vec<GroupRow<'_>> {
    let pairs = report.pairs.iter().enumerate();
    let place: HashMap<&str, usize> = pairs.map(|(i, pair)| (&pair.sides().key[..], i)).collect();
    let rows = report.groups.iter().map(|group| GroupRow {
        key: &group.key,
        title: shown(&group.title),
        pairs: group.pairs.iter().map(|key| place[&key[..]]).collect(),
    });
    rows.collect()
}
