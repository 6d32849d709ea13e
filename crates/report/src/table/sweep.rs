//! The table of a sweep.

use std::cmp::Ordering;

use super::display::{self, Scale, brackets, counted};
use super::pairs::{Numbers, Printed};
use super::parameter::Parameter;
use super::view::{Ordered, View};
use super::{as_is, scene_line};
use crate::document::word::Word;
use crate::document::{ClearanceRow, ContainedRow, MovingPairRow, PressedRow, SweepReport, SweepSettings};
use closefit::Verdict;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;

impl Printed for MovingPairRow {
    type Settings = SweepSettings;

    fn header(report: &SweepReport) -> String {
        let (scene, settings) = (&report.scene, &report.settings);
        let (scale, parameter) = (Scale::of(scene.unit), parameter_of(report));
        let joint = settings.joint.as_ref().map(|joint| format!("{} ", printable(&joint.name)));
        format!(
            "{}{}; {}{}; clearance {}, tolerance {}, precision {}",
            scene_line(scene.unit, scene.up, report.parts.len(), scene.triangles),
            as_is(settings.as_is),
            joint.unwrap_or_default(),
            parameter.stretch([settings.from, settings.to]),
            scale.length(settings.clearance),
            scale.length(settings.tolerance),
            scale.length(settings.precision),
        )
    }

    fn numbers(report: &SweepReport, rows: &[&Self]) -> Numbers {
        let (scale, parameter) = (Scale::of(report.scene.unit), parameter_of(report));
        let longest = parameter.shown(report.settings.from.abs().max(report.settings.to.abs()));
        let times = |of: fn(&MovingPairRow) -> Option<f64>| {
            let times = rows.iter().map(|pair| of(pair).map(|time| parameter.shown(time)));
            display::seconds(&times.collect::<Vec<_>>(), longest).into_iter()
        };
        let clearances = rows.iter().map(|pair| shown_clearance(pair).map(|c| [c.at_least, c.at_most]));
        let clearances = brackets(&clearances.collect::<Vec<_>>(), scale);
        let ends = times(|pair| contact(pair).or(shown_clearance(pair).map(|clearance| clearance.at)));
        let texts = clearances.into_iter().zip(ends).map(|(clearance, at)| [clearance, at]);
        let titles = [scale.title("clearance"), parameter.title("at")];
        Numbers { titles, texts: texts.collect(), ends_in_words: false }
    }

    fn told(&self, report: &SweepReport, [a, b]: [String; 2]) -> String {
        let (unit, parameter) = (report.scene.unit, parameter_of(report));
        match (contact(self), shown_clearance(self)) {
            (Some(at), _) => format!("First: {a} and {b} at {}", parameter.text(at)),
            (None, Some(ClearanceRow { at_least, at_most, at })) => {
                let apart = display::measured([at_least, at_most], unit);
                format!("Closest: {a} and {b}, {apart} apart at {}", parameter.text(at))
            }
            (None, None) => format!("First: {a} and {b}"),
        }
    }

    fn remark(&self, report: &SweepReport) -> String {
        remark(self, &parameter_of(report), report.scene.unit)
    }
}

impl Ordered for MovingPairRow {
    fn worse(&self, other: &Self) -> Ordering {
        let time = |pair: &Self| pair.contact().map_or(f64::INFINITY, |contact| contact.before);
        time(self).total_cmp(&time(other)).then(self.distance().total_cmp(&other.distance()))
    }

    /// Few pairs of a sweep have a depth, so no table is sorted by it.
    fn depth(&self) -> f64 {
        -1.0
    }

    fn distance(&self) -> f64 {
        self.clearance.map_or(f64::INFINITY, |clearance| clearance.at_most)
    }
}

/// Returns the first time of contact.
fn contact(pair: &MovingPairRow) -> Option<f64> {
    pair.time_of_contact.as_ref().map(|found| found.before)
}

/// Returns the clearance of parts that never meet.
fn shown_clearance(pair: &MovingPairRow) -> Option<ClearanceRow> {
    pair.clearance.filter(|_| pair.time_of_contact.is_none())
}

/// Returns what the numbers do not say: a contact from the start and how deep, containment, or what is not
/// known.
fn remark(pair: &MovingPairRow, parameter: &Parameter, unit: Option<Unit>) -> String {
    let mut words = Vec::new();
    match &pair.again {
        Some(again) => words.push(format!("from the start, again at {}", parameter.text(again.before))),
        None if pair.start_contact => words.push("from the start".to_owned()),
        None => {}
    }
    if let Some(Some(PressedRow { at_least, at_most, at })) = pair.pressed
        && (at_least > 0.0 || pair.verdict == Verdict::Undecided)
    {
        let depth = display::measured([at_least, at_most], unit);
        words.push(format!("pressed {depth} at {}", parameter.text(at)));
    }
    match &pair.contained {
        None if pair.verdict != Verdict::Undecided => {}
        None => words.extend(pair.depth_unknown.as_deref().map(printable)),
        Some(ContainedRow::Known(inside)) => words.push(format!("{}, without contact", inside.word())),
        Some(ContainedRow::Unknown { undecidable }) => words.push(printable(undecidable)),
    }
    words.join(", ")
}

/// Returns a line for each listed pair with intervals, and one for all checked pairs: where they are
/// clear. Empty if intervals were not requested.
pub fn intervals(report: &SweepReport, view: &View) -> String {
    let Some(clear) = report.clear() else { return String::new() };
    let (parameter, range) = (parameter_of(report), [report.settings.from, report.settings.to]);
    let line = |who: &str, clear: &[[f64; 2]]| format!("{who}: {}\n", parameter.clear(clear, range));
    let of_pair = |pair: &&MovingPairRow| {
        let clear = pair.intervals.as_deref()?.clear(range);
        Some(line(&format!("{}, {}", printable(&pair.sides.a), printable(&pair.sides.b)), &clear))
    };
    let shown = view.of(&report.parts, &report.pairs);
    let pairs: String = shown.rows.iter().filter_map(of_pair).collect();
    let asked = counted(report.ledger.asked(), "checked pair", "checked pairs");
    pairs + &line(&format!("all {asked}"), &clear)
}

/// Returns the meaning of the times of a report.
fn parameter_of(report: &SweepReport) -> Parameter {
    Parameter::of(report.settings.joint.as_ref(), report.scene.unit)
}
