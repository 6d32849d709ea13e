//! Notes on pairs that took long, and on a clearance that no pair exceeds.

use super::display::Scale;
use crate::document::SlowPairRow;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;

/// A pair that takes more seconds than this gets a note.
const SLOW_SECONDS: f64 = 1.0;

/// Returns the note about a pair that took far longer than the median pair, and more than a second.
pub fn slow_note(slow: &SlowPairRow) -> Option<String> {
    let &SlowPairRow { thread_seconds: seconds, median_seconds, stage_seconds: in_stage, .. } = slow;
    let times = seconds / median_seconds;
    let [a, b] = [&slow.a, &slow.b].map(|name| printable(name));
    let stage = &slow.stage;
    (seconds > SLOW_SECONDS).then(|| {
        format!(
            "'{a}' and '{b}' took {seconds:.1} s, {times:.0} times as long as the median pair, of which the stage {stage} took {in_stage:.1} s"
        )
    })
}

/// Returns the note for a user whose clearance exceeds the scene, so that every pair is listed: a wrong unit?
pub fn clearance_note(clearance: f64, diagonal: f64, unit: Option<Unit>) -> Option<String> {
    let scale = Scale::of(unit).telling_apart([clearance, diagonal]);
    let (asked, all) = (scale.length(clearance), scale.length(diagonal));
    (clearance > diagonal).then(|| {
        format!("--clearance {asked} is more than the scene's diagonal of {all}, so every pair is within it: another unit?")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit::PartId;

    #[test]
    fn a_clearance_reads_larger_than_the_diagonal() {
        let note = clearance_note(10.00001, 10.0, Some(Unit::Mm)).expect("it is larger");
        assert!(
            note.starts_with("--clearance 10.00001 mm is more than the scene's diagonal of 10 mm,"),
            "{note}"
        );
        assert_eq!(clearance_note(10.0, 10.0, Some(Unit::Mm)), None);
    }

    #[test]
    fn a_slow_pair_is_told_after_a_second() {
        let slow = |seconds: f64| SlowPairRow {
            ids: [PartId(2), PartId(3)],
            a: "door".to_owned(),
            b: "body\n".to_owned(),
            thread_seconds: seconds,
            median_seconds: 4e-6,
            stage: "distance".to_owned(),
            stage_seconds: seconds - 0.1,
        };
        assert_eq!(slow_note(&slow(1.0)), None);
        let note = slow_note(&slow(2.5)).expect("more than a second");
        let [a, b] = ["door", "body\n"].map(printable);
        let expected = format!(
            "'{a}' and '{b}' took 2.5 s, 625000 times as long as the median pair, of which the stage distance took 2.4 s"
        );
        assert_eq!(note, expected);
    }
}
