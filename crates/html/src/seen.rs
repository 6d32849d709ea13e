//! The views of findings, as the page reads them.

use closefit_picture::{Detail, Mode, Plane, View};
use serde::Serialize;

use crate::places::Places;

/// The view of a pair.
#[derive(Serialize)]
pub struct ViewRow {
    /// The place of the pair in the report.
    pair: usize,
    mode: &'static str,
    direction: [f64; 3],
    up: [f64; 3],
    centre: [f64; 3],
    height: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    plane: Option<PlaneRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<DetailRow>,
}

#[derive(Serialize)]
struct PlaneRow {
    point: [f64; 3],
    normal: [f64; 3],
}

#[derive(Serialize)]
struct DetailRow {
    plane: PlaneRow,
    centre: [f64; 3],
    diameter: f64,
}

impl ViewRow {
    /// Returns the view of a pair.
    pub fn new(pair: usize, view: &View, places: &Places) -> Self {
        let mode = match view.mode {
            Mode::Section => "section",
            Mode::XRay => "xray",
            Mode::Whole => "whole",
        };
        Self {
            pair,
            mode,
            direction: view.direction.into(),
            up: view.up.into(),
            centre: places.point(view.centre),
            height: places.length(view.height),
            plane: view.plane.map(|plane| PlaneRow::new(plane, places)),
            detail: view.detail.map(|Detail { plane, centre, diameter }| DetailRow {
                plane: PlaneRow::new(plane, places),
                centre: places.point(centre),
                diameter: places.length(diameter),
            }),
        }
    }
}

impl PlaneRow {
    fn new(Plane { point, normal }: Plane, places: &Places) -> Self {
        Self { point: places.point(point), normal: normal.into() }
    }
}
