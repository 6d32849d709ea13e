//! The table of a check.

use std::cmp::Ordering;

use glam::DVec3;

use super::display::{Scale, aligned};
use super::pairs::{Numbers, Printed};
use super::parameter::at_joints;
use super::view::Ordered;
use super::way_out;
use super::{as_is, scene_line};
use crate::certificate::Outcome;
use crate::document::word::Word;
use crate::document::{CheckReport, CheckSettings, ContainedRow, DepthRow, Inside, Kind, PairRow, RuleRow};
use crate::json::number;
use closefit::{DepthDetail, Verdict};
use closefit_geometry::text::printable;

impl Printed for PairRow {
    type Settings = CheckSettings;

    fn header(report: &CheckReport) -> String {
        let (scene, settings) = (&report.scene, &report.settings);
        let scale = Scale::of(scene.unit);
        format!(
            "{}{}{}{}; clearance {}, tolerance {}{}",
            scene_line(scene.unit, scene.up, report.parts.len(), scene.triangles),
            as_is(settings.as_is),
            settings.joints.as_ref().map_or_else(String::new, |joints| format!("; {}", at_joints(joints))),
            settings.at.map_or_else(String::new, |time| format!(", at {} s", number(time))),
            scale.length(settings.clearance),
            scale.length(settings.tolerance),
            match settings.depth {
                DepthDetail::Full => "",
                DepthDetail::Verdict => ", depths for the verdict only",
                DepthDetail::None => ", no depths",
            },
        )
    }

    fn numbers(report: &CheckReport, rows: &[&Self]) -> Numbers {
        let unit = report.scene.unit;
        let scale = Scale::of(unit);
        let (firsts, rests): (Vec<String>, Vec<String>) =
            rows.iter().map(|pair| pair.measure(pair.scale(report)).unwrap_or_default()).unzip();
        let measures = aligned(&firsts).into_iter().zip(rests);
        let texts = measures.zip(rows).map(|((first, rest), pair)| {
            [format!("{}{rest}", first.trim_end()), way_out::in_words(pair, unit)]
        });
        let titles = [scale.title("measure"), "way out".to_owned()];
        Numbers { titles, texts: texts.collect(), ends_in_words: true }
    }

    fn told(&self, report: &CheckReport, [a, b]: [String; 2]) -> String {
        let depth = shown_depth(self).filter(|_| self.verdict == Verdict::Clash);
        let [inner, outer] = match self.contained.as_deref() {
            Some(ContainedRow::Known(Inside::BInA)) => [b, a],
            Some(ContainedRow::Known(Inside::AInB)) => [a, b],
            _ if depth.is_some() && self.is_second_nearer(report) => [b, a],
            _ => [a, b],
        };
        let is_inside = depth.is_some() || matches!(self.contained.as_deref(), Some(ContainedRow::Known(_)));
        let pair = format!("{inner} {} {outer}", if is_inside { "in" } else { "and" });
        match (depth, shown_distance(self), self.verdict) {
            (Some(depth), ..) => format!("Worst: {pair}, {}", self.scale(report).measured(depth)),
            (None, Some(apart), Verdict::Clearance) => {
                format!("Closest: {pair}, {} apart", self.scale(report).length(apart))
            }
            _ => format!("First: {pair}"),
        }
    }

    fn remark(&self, report: &CheckReport) -> String {
        let words = [volume_limit(self, report), remark(self)];
        words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

impl Ordered for PairRow {
    fn worse(&self, other: &Self) -> Ordering {
        other.depth().total_cmp(&self.depth()).then(self.distance.total_cmp(&other.distance))
    }

    fn depth(&self) -> f64 {
        self.depth.map_or(-1.0, |depth| depth.at_least)
    }

    fn distance(&self) -> f64 {
        self.distance
    }
}

impl PairRow {
    /// Returns the depth or the distance, whichever is known: its number, or the lower end of its bracket,
    /// and what follows.
    fn measure(&self, scale: Scale) -> Option<(String, String)> {
        if let Some(depth) = shown_depth(self) {
            let (low, high) = scale.bracket(depth);
            let high = high.map_or_else(String::new, |high| format!(" to {high}"));
            return Some((low, format!("{high} deep")));
        }
        shown_distance(self).map(|distance| (scale.digits(distance), " apart".to_owned()))
    }

    /// Returns the scale of the measure, with which a depth that clashes reads larger than the tolerance.
    fn scale(&self, report: &CheckReport) -> Scale {
        let scale = Scale::of(report.scene.unit);
        let tolerance = rule_of(self, report).map_or(report.settings.tolerance, |rule| rule.tolerance);
        let depth = shown_depth(self).filter(|_| self.verdict == Verdict::Clash);
        depth.map_or(scale, |depth| scale.above(depth, tolerance))
    }

    /// True if the middle of the second part is nearer to the deepest point than the middle of the first: a
    /// small part is in a large one, and not the other way round.
    fn is_second_nearer(&self, report: &CheckReport) -> bool {
        let Some(at) = self.at else { return false };
        let at = DVec3::from_array(at);
        let [a, b] =
            self.sides.parts(&report.parts).map(|part| DVec3::from_array(part.at).distance_squared(at));
        b < a
    }
}

/// Returns the depth, if it decides the verdict: the depth of a duplicate is within the tolerance and says
/// nothing.
fn shown_depth(pair: &PairRow) -> Option<[f64; 2]> {
    let decides = matches!(pair.verdict, Verdict::Clash | Verdict::Undecided) && !pair.duplicate;
    pair.depth.filter(|_| decides).map(|DepthRow { at_least, at_most }| [at_least, at_most])
}

/// Returns the distance of parts that do not overlap, if it is not 0.
fn shown_distance(pair: &PairRow) -> Option<f64> {
    let apart = pair.contacts == 0 && pair.depth.is_none() && pair.verdict != Verdict::Clash;
    pair.known_distance().filter(|_| apart)
}

/// Returns the rule that decides a pair, if there is one.
fn rule_of<'r>(pair: &PairRow, report: &'r CheckReport) -> Option<&'r RuleRow> {
    let mut rules = report.rules.iter().flat_map(|rules| &rules.rules);
    rules.find(|rule| Some(&rule.id) == pair.rule.rule.as_ref())
}

/// Returns what is wrong with the volume that a pair shares, if its rule has a limit and it is not proven to
/// be within it.
fn volume_limit(pair: &PairRow, report: &CheckReport) -> String {
    let scale = Scale::of(report.scene.unit).cubed();
    let most = rule_of(pair, report).and_then(|rule| rule.volume_at_most).unwrap_or_default();
    match (pair.more.volume_limit, pair.more.volume.as_deref()) {
        (Some(Outcome::Violated), Some(volume)) => {
            let scale = scale.telling_apart([volume.at_least, most]);
            format!("shares {}, more than {}", scale.length(volume.at_least), scale.length(most))
        }
        (Some(Outcome::Undecided), Some(_)) => {
            format!("shares about {}: on which side is not known", scale.length(most))
        }
        (Some(Outcome::Undecided), None) => {
            let why = pair.more.volume_unknown.as_deref().unwrap_or("they may not meet");
            printable(&format!("shared volume not known: {why}"))
        }
        _ => String::new(),
    }
}

/// Returns what the numbers do not say: how the parts overlap, or why it is not known.
fn remark(pair: &PairRow) -> String {
    let stale = pair.status.status_cause.as_deref().map(|cause| printable(&format!("waiver stale: {cause}")));
    let mut words: Vec<String> = stale.into_iter().collect();
    if let Some(ContainedRow::Known(inside)) = pair.contained.as_deref() {
        words.push(inside.word().to_owned());
    }
    if pair.rule.kind == Some(Kind::Zone) {
        words.push("in a zone".to_owned());
    }
    if pair.duplicate {
        words.push("same space".to_owned());
    }
    if pair.crossing {
        words.push("crossing".to_owned());
    }
    match (pair.contained.as_deref(), pair.verdict) {
        (Some(ContainedRow::Unknown { undecidable }), _) => words.push(printable(undecidable)),
        (_, Verdict::Clash | Verdict::Undecided) => {
            words.extend(pair.depth_unknown.as_deref().map(printable))
        }
        _ => {}
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::table::{View, pairs};
    use crate::{table, testing};

    #[test]
    fn the_table_shows_the_worst_first_and_tells_names_apart() {
        let (scene, result) = testing::run();
        let report = CheckReport::new(&scene, result);
        let table = |view, width| format!("\n{}", pairs(&report, &view, width));
        let whole = r#"
 verdict    a        type         b        measure, mm          remark                      where, mm
 clash      bolt #0  IfcFastener  nut      0.120 to 0.122 deep                              0.0000 0.0000 0.0000
 undecided  nut                   a,"b"\n  1e-7 apart           the shell has 4 open edges
 clearance  bolt #0  IfcFastener  bolt #2  0.2500 apart                                     0.1250 0.0000 0.0000
"#;
        assert_eq!(table(View::default(), None), whole);
        let narrow = r#"
 verdict    a        measure, mm
            b        where, mm
 clash      bolt #0  0.120 to 0.122 deep
            nut      0.0000 0.0000 0.0000
 undecided  nut      1e-7 apart
            a,"b"\n
   the shell has 4 open edges
 clearance  bolt #0  0.2500 apart
            bolt #2  0.1250 0.0000 0.0000
"#;
        assert_eq!(table(View::default(), Some(50)), narrow);
        let one = "\n verdict  a        b    measure, mm          where, mm\n clash    bolt #0  nut  \
                   0.120 to 0.122 deep  0.000 0.000 0.000\nand 2 more: --rows all shows them\n";
        assert_eq!(table(View { rows: Some(1), ..View::default() }, Some(70)), one, "all but the type fits");
        assert_eq!(
            table::headline(&report, 120).unwrap(),
            "1 clash. Worst: bolt #0 in nut, 0.120 to 0.122 mm"
        );
        let counts = table::counts(report.pairs.iter().map(|p| p.verdict), &report.ledger);
        assert_eq!(
            counts,
            "6 pairs: 1 clash, 1 undecided, 0 contact, 1 clearance, 1 clear, 1 apart, 1 excluded (adjacent)"
        );
    }

    #[test]
    fn a_clash_reads_deeper_than_the_tolerance() {
        let (scene, result) = testing::run();
        let mut report = CheckReport::new(&scene, result);
        let shown = |report: &CheckReport| {
            let table = pairs(report, &View::default(), None);
            let row = table.lines().find(|line| line.contains("deep")).unwrap();
            let depth = row.split_whitespace().find(|word| word.starts_with("0.")).unwrap();
            (depth.parse::<f64>().unwrap(), table::headline(report, 120).unwrap())
        };
        assert_eq!(shown(&report), (0.12, "1 clash. Worst: bolt #0 in nut, 0.120 to 0.122 mm".to_owned()));
        report.settings.tolerance = 0.119_999;
        let (depth, headline) = shown(&report);
        assert!(depth > 0.119_999, "{depth}");
        assert!(headline.ends_with("0.120 to 0.122 mm"), "{headline}");
        report.pairs[0].depth = Some(DepthRow { at_least: 0.120_001, at_most: 0.1212 });
        report.settings.tolerance = 0.12;
        let (depth, headline) = shown(&report);
        assert!(depth > 0.12, "{depth}");
        assert!(headline.ends_with("0.120001 to 0.121200 mm"), "{headline}");
    }

    /// Returns names as no exporter should write them, and as Revit does.
    fn hostile() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[a-z\u{0}-\u{1f}\u{300}-\u{36f}\u{200b}-\u{202e}\u{2066}-\u{2069}]{0,40}",
            "[\u{5d0}-\u{5ea}\u{627}-\u{64a} ]{0,90}", // from right to left
            "[\u{4e00}-\u{4e20}\u{1f600}-\u{1f640}\u{1f1e6}-\u{1f1ff}\u{200d}\u{fe0f}]{0,80}",
            "(Basic Wall:){0,9}[A-Za-z ]{0,40}(:[0-9]{1,9}){0,3}",
            (0_usize..5000).prop_map(|length| "n".repeat(length)),
        ]
    }

    proptest! {
        /// No row is wider than the terminal, every row is one line, and the remark is whole.
        #[test]
        fn rows_fit_the_terminal(
            names in prop::array::uniform4(hostile()),
            models in prop::array::uniform4(hostile()),
            types in prop::array::uniform4(prop::option::of(hostile())),
            reason in hostile(),
            width in 60_usize..240,
        ) {
            let (scene, result) = testing::run();
            let mut report = CheckReport::new(&scene, result);
            for (((part, name), model), kind) in report.parts.iter_mut().zip(names).zip(models).zip(types) {
                (part.name, part.model, part.kind) = (name.into(), model.into(), kind.map(Into::into));
            }
            let remark = printable(&reason);
            report.pairs[2].contained = Some(Box::new(ContainedRow::Unknown { undecidable: reason }));
            let text = pairs(&report, &View::default(), Some(width));
            // The second line of a row is indented by the column of verdicts, and a remark by three.
            let is_remark = |line: &&str| line.starts_with("   ") && !line.starts_with("           ");
            let (below, rows): (Vec<&str>, Vec<&str>) = text.lines().partition(is_remark);
            prop_assert!(matches!(rows.len(), 4 | 8) && below.len() <= 1, "{}", text);
            prop_assert!(text.contains(remark.trim_end()), "{}: {}", remark, text);
            prop_assert!(!text.lines().any(|line| line.contains(char::is_control)), "{}", text);
            for line in rows {
                prop_assert!(line.width() <= width, "{}: {}", width, text);
            }
        }
    }
}
