//! The summary of a check for people: the worst first, rounded. Exact numbers are in the report.

use std::collections::BTreeMap;

use super::display::{Scale, aligned, counted};
use super::json;
use super::pair_table::{self, PairEntry};
use super::rows::verdict_word;
use super::triangle_count;
use crate::engine::{CheckResult, Ledger};
use crate::mesh::topology::{Repairs, Winding};
use crate::query::{Containment, Depth, DepthDetail, PairRecord, Verdict};
use crate::scene::{Scene, Up};
use crate::text::printable;
use crate::units::Unit;

/// What was checked, and how: one line.
pub fn header(scene: &Scene, result: &CheckResult) -> String {
    let scale = Scale::of(scene.unit);
    format!(
        "{}{}{}; clearance {}, tolerance {}{}",
        scene_line(scene),
        as_is(result.request.winding),
        scene.time.map_or_else(String::new, |time| format!(" at {} s", json::number(time))),
        scale.length(result.request.clearance),
        scale.length(result.request.tolerance),
        match result.request.depth {
            DepthDetail::Full => "",
            DepthDetail::Verdict => ", depths for the verdict only",
            DepthDetail::None => ", no depths",
        },
    )
}

/// Says where meshes are taken as they are.
pub(super) fn as_is(winding: Winding) -> &'static str {
    match winding {
        Winding::Repaired => "",
        Winding::AsFound => ", meshes as they are",
    }
}

/// What was repaired in the meshes of each file, a line for each where anything was.
pub fn repairs(scene: &Scene, of_mesh: &[Repairs]) -> Vec<String> {
    let mut files: BTreeMap<&str, Repairs> = BTreeMap::new();
    let mut is_counted = vec![false; of_mesh.len()];
    for part in &scene.parts {
        let Repairs { shells, seams } = of_mesh[part.mesh.index()];
        if !std::mem::replace(&mut is_counted[part.mesh.index()], true) && shells + seams > 0 {
            let file = files.entry(&part.file).or_default();
            file.shells += shells;
            file.seams += seams;
        }
    }
    files.iter().map(|(file, repairs)| format!("{file}: {}", repaired(*repairs))).collect()
}

fn repaired(Repairs { shells, seams }: Repairs) -> String {
    let shells = (shells > 0)
        .then(|| format!("{} turned to a consistent winding", counted(shells.into(), "shell", "shells")));
    let seams = (seams > 0).then(|| format!("{} closed", counted(seams.into(), "seam", "seams")));
    shells.into_iter().chain(seams).collect::<Vec<_>>().join(", ")
}

/// Parts, triangles, unit, and which way is up.
pub fn scene_line(scene: &Scene) -> String {
    let unit = scene.unit.map_or("none", Unit::suffix);
    let parts = counted(scene.parts.len() as u64, "part", "parts");
    let up = match scene.up {
        Some(Up::Y) => ", y up",
        Some(Up::Z) => ", z up",
        None => "",
    };
    format!("{parts}, {}, unit {unit}{up}", counted(triangle_count(scene), "triangle", "triangles"))
}

/// The listed pairs, worst first, at most `limit` of them, on lines of `width` characters if that is known
/// and can be; empty when nothing is listed.
pub fn pairs(scene: &Scene, result: &CheckResult, limit: usize, width: Option<usize>) -> String {
    if result.pairs.is_empty() {
        return String::new();
    }
    let mut worst_first: Vec<_> = result.pairs.iter().collect();
    worst_first.sort_by(|p, q| {
        let order = p.verdict.cmp(&q.verdict).then(at_least(q).total_cmp(&at_least(p)));
        order.then(p.distance.total_cmp(&q.distance)).then(p.ids.cmp(&q.ids))
    });
    let shown = &worst_first[..worst_first.len().min(limit)];

    let scale = Scale::of(scene.unit);
    let measures: Vec<Measure> = shown.iter().map(|pair| Measure::of(pair)).collect();
    let sizes = brackets(&measures.iter().map(|m| m.size).collect::<Vec<_>>(), scale);
    let place = |pair: &&PairRecord| pair.location.map(|l| l.point).or(pair.points.map(|[on_a, _]| on_a));
    let points: Vec<_> = shown.iter().map(|pair| place(pair).map(|p| p.to_array())).collect();
    let widest = measures.iter().map(|measure| measure.words.len()).max().unwrap_or(0);
    let rows = shown.iter().zip(measures).zip(sizes).zip(scale.points(&points));
    let entries: Vec<PairEntry> = rows
        .map(|(((pair, measure), size), place)| PairEntry {
            ids: pair.ids,
            verdict: verdict_word(pair.verdict),
            measures: vec![[format!("{:widest$}  {size}", measure.words).trim_end().to_owned(), place]],
            note: measure.note,
        })
        .collect();
    let titles = [[scale.title("measure"), scale.title("where")]];
    let mut text = pair_table::render(scene, &titles, &entries, width);
    if worst_first.len() > limit {
        text += &format!("and {} more: see --out or --json\n", worst_first.len() - limit);
    }
    text
}

/// How many pairs got which verdict: one line that adds up.
pub fn counts(listed: impl Iterator<Item = Verdict>, ledger: &Ledger) -> String {
    let listed: Vec<Verdict> = listed.collect();
    let count = |verdict| listed.iter().filter(|v| **v == verdict).count();
    let shown = [Verdict::Clash, Verdict::Meets, Verdict::Undecided, Verdict::Contact, Verdict::Clearance]
        .into_iter();
    // Only what was asked less about merely meets.
    let shown = shown.filter(|v| *v != Verdict::Meets || count(*v) > 0);
    let verdicts: Vec<String> = shown.map(|v| format!("{} {}", count(v), verdict_word(v))).collect();
    let verdicts = verdicts.join(", ");
    let clear = ledger.decided + ledger.undecided - listed.len() as u64;
    let excluded: String =
        ledger.excluded.iter().map(|(reason, n)| format!(", {n} excluded ({})", printable(reason))).collect();
    let pairs = counted(ledger.pairs, "pair", "pairs");
    format!("{pairs}: {verdicts}, {clear} clear, {} apart{excluded}", ledger.apart)
}

/// The certified depth, for sorting: pairs without one come last.
fn at_least(pair: &PairRecord) -> f64 {
    pair.depth.map_or(-1.0, |depth| depth.at_least)
}

/// What decided the verdict.
struct Measure {
    words: String,
    /// Lower and upper bound, or one number.
    size: Option<(f64, Option<f64>)>,
    note: Option<String>,
}

impl Measure {
    fn of(pair: &PairRecord) -> Self {
        let mut words = Vec::new();
        match pair.contained {
            Containment::AInB => words.push("a in b"),
            Containment::BInA => words.push("b in a"),
            Containment::None | Containment::Undecidable(_) => {}
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
            (Verdict::Clash | Verdict::Undecided, Some(Depth { at_least, at_most })) => {
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
            (Containment::Undecidable(reason), _) => Some(reason),
            (_, Verdict::Clash | Verdict::Undecided) => pair.depth_unknown.as_ref(),
            _ => None,
        };
        Self { words: words.join(", "), size, note: reason.map(|reason| printable(reason)) }
    }
}

/// Single numbers, and `low to high` where both differ as shown.
pub(super) fn brackets(sizes: &[Option<(f64, Option<f64>)>], scale: Scale) -> Vec<String> {
    let low = |size: &Option<(f64, _)>| size.map_or_else(String::new, |(low, _)| scale.digits(low));
    let lows = aligned(&sizes.iter().map(low).collect::<Vec<_>>());
    let high = |size: &Option<(f64, Option<f64>)>| match *size {
        Some((low, Some(high))) if scale.digits(low) != scale.digits(high) => scale.digits(high),
        _ => String::new(),
    };
    let highs: Vec<String> = sizes.iter().map(high).collect();
    let columns = lows.into_iter().zip(aligned(&highs)).zip(&highs);
    columns
        .map(|((low, padded), high)| if high.is_empty() { low } else { format!("{low} to {padded}") })
        .collect()
}
