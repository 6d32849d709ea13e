//! The table of a check.

use super::display::{Scale, brackets};
use super::pairs::{self, PairEntry};
use super::{and_more, as_is, scene_line};
use crate::document::word::Word;
use crate::document::{CheckReport, ContainedRow, DepthRow, PairRow};
use crate::json::number;
use closefit::internals::query::{DepthDetail, Verdict};
use closefit_geometry::text::printable;

/// Returns one line with the scene and the settings of the check.
pub fn header(report: &CheckReport) -> String {
    let (scene, settings) = (&report.scene, &report.settings);
    let scale = Scale::of(scene.unit);
    format!(
        "{}{}{}; clearance {}, tolerance {}{}",
        scene_line(scene.unit, scene.up, report.parts.len(), scene.triangles),
        as_is(settings.as_is),
        settings.at.map_or_else(String::new, |time| format!(" at {} s", number(time))),
        scale.length(settings.clearance),
        scale.length(settings.tolerance),
        match settings.depth {
            DepthDetail::Full => "",
            DepthDetail::Verdict => ", depths for the verdict only",
            DepthDetail::None => ", no depths",
        },
    )
}

/// Returns the listed pairs but those that waivers accept, worst first, at most `limit` of them, on lines of
/// `width` characters if that is known and possible; empty when nothing is listed.
pub fn pairs(report: &CheckReport, limit: usize, width: Option<usize>) -> String {
    let mut worst_first: Vec<_> = report.pairs.iter().filter(|pair| !pair.is_accepted()).collect();
    if worst_first.is_empty() {
        return String::new();
    }
    worst_first.sort_by(|p, q| {
        let order = p.verdict.cmp(&q.verdict).then(at_least(q).total_cmp(&at_least(p)));
        order.then(p.distance.total_cmp(&q.distance)).then(p.sides.ids.cmp(&q.sides.ids))
    });
    let shown = &worst_first[..worst_first.len().min(limit)];

    let scale = Scale::of(report.scene.unit);
    let measures: Vec<Measure> = shown.iter().map(|pair| Measure::of(pair)).collect();
    let sizes = brackets(&measures.iter().map(|m| m.size).collect::<Vec<_>>(), scale);
    let place = |pair: &&PairRow| pair.location.map(|l| l.point).or(pair.points.map(|[on_a, _]| on_a));
    let points: Vec<_> = shown.iter().map(place).collect();
    let widest = measures.iter().map(|measure| measure.words.len()).max().unwrap_or(0);
    let rows = shown.iter().zip(measures).zip(sizes).zip(scale.points(&points));
    let entries: Vec<PairEntry> = rows
        .map(|(((pair, measure), size), place)| PairEntry {
            ids: pair.sides.ids,
            verdict: pair.verdict.word(),
            measures: vec![[format!("{:widest$}  {size}", measure.words).trim_end().to_owned(), place]],
            note: measure.note,
        })
        .collect();
    let titles = [[scale.title("measure"), scale.title("where")]];
    pairs::render(&report.parts, &titles, &entries, width) + &and_more(worst_first.len() - shown.len())
}

/// Returns the certified depth, for sorting: pairs without one come last.
fn at_least(pair: &PairRow) -> f64 {
    pair.depth.map_or(-1.0, |depth| depth.at_least)
}

/// The finding that decided the verdict.
struct Measure {
    words: String,
    /// Lower and upper bound, or one number.
    size: Option<(f64, Option<f64>)>,
    note: Option<String>,
}

impl Measure {
    fn of(pair: &PairRow) -> Self {
        let mut words = Vec::new();
        if let Some(ContainedRow::Known(inside)) = pair.contained {
            words.push(inside.word());
        }
        if pair.duplicate {
            words.push("duplicate");
        }
        if pair.crossing {
            words.push("crossing");
        }
        let size = match (pair.verdict, pair.depth) {
            // The depth of a duplicate is within the tolerance and says nothing.
            (Verdict::Clash, _) if pair.duplicate => None,
            (Verdict::Clash | Verdict::Undecided, Some(DepthRow { at_least, at_most })) => {
                words.push("depth");
                Some((at_least, Some(at_most)))
            }
            (Verdict::Clash, _) => None,
            (_, None) if pair.contacts > 0 && pair.verdict != Verdict::Meets => {
                words.push("touching, no solid");
                None
            }
            _ if pair.contacts > 0 => {
                words.push("touching");
                None
            }
            _ => {
                words.push("distance");
                Some((pair.distance, None))
            }
        };
        let reason = match (&pair.contained, pair.verdict) {
            (Some(ContainedRow::Unknown { undecidable }), _) => Some(undecidable),
            (_, Verdict::Clash | Verdict::Undecided) => pair.depth_unknown.as_ref(),
            _ => None,
        };
        let stale = pair.status.status_cause.as_deref().map(|cause| format!("waiver stale: {cause}"));
        let note: Vec<String> =
            stale.into_iter().chain(reason.cloned()).map(|text| printable(&text)).collect();
        Self { words: words.join(", "), size, note: (!note.is_empty()).then(|| note.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{table, testing};

    #[test]
    fn the_table_shows_the_worst_first_and_tells_names_apart() {
        let (scene, result) = testing::run();
        let report = CheckReport::new(&scene, result);
        let text = pairs(&report, 2, None);
        let line = |word: &str| text.lines().position(|l| l.contains(word)).unwrap_or(usize::MAX);
        assert!(line("clash") < line("undecided"));
        assert!(text.contains("bolt #0") && text.contains("a,\"b\"\\n") && !text.contains("nut #"));
        assert!(text.contains("depth     0.1200 to 0.1212"), "{text}");
        assert!(text.contains("\n   the shell has 4 open edges\n"), "{text}");
        assert!(text.contains("and 1 more: see --out or --json") && !text.contains("0.25"), "{text}");
        let counts = table::counts(report.pairs.iter().map(|p| p.verdict), &report.ledger);
        assert_eq!(
            counts,
            "6 pairs: 1 clash, 1 undecided, 0 contact, 1 clearance, 1 clear, 1 apart, 1 excluded (adjacent)"
        );
    }
}
