//! The lines about claims.

use super::as_is;
use super::display::Scale;
use super::parameter::{Parameter, at_joints};
use crate::certificate::{Certificate, ClaimRow, ExcludedRow, Measure, Outcome};
use crate::document::Command;
use crate::document::word::Word;
use crate::json::number;
use closefit_geometry::text::printable;

/// Returns a line for each claim: what was found, or the command that asks it.
pub fn claims(certificate: &Certificate) -> String {
    let asked = certificate.claims.iter().map(|claim| (&claim.id, claim_in_words(claim, certificate)));
    let not_asked = certificate.not_asked.iter().map(|id| (id, not_asked_in_words(certificate.command)));
    let lines: Vec<(String, String)> =
        asked.chain(not_asked).map(|(id, line)| (printable(id), line)).collect();
    let widest = lines.iter().map(|(id, _)| id.chars().count()).max().unwrap_or(0);
    lines.into_iter().map(|(id, line)| format!("{id:widest$}  {line}\n")).collect()
}

/// Returns the remark on a claim that a command does not ask.
pub(crate) fn not_asked_in_words(command: Command) -> String {
    let other = if command == Command::Sweep { Command::Check } else { Command::Sweep };
    format!("not asked here: 'closefit {}' asks it", other.word())
}

/// Returns one line with the settings of a certificate: tolerance, times or joint, and precision.
pub fn certified(certificate: &Certificate) -> String {
    let settings = &certificate.settings;
    let scale = Scale::of(certificate.unit);
    let parameter = Parameter::of(settings.joint.as_ref(), certificate.unit);
    let tolerance = format!("tolerance {}{}", scale.length(settings.tolerance), as_is(settings.as_is));
    let Some(sweep) = settings.sweep else {
        let at = match (settings.at, &settings.joints) {
            (Some(at), _) => format!("at {}", parameter.text(at)),
            (None, Some(joints)) => at_joints(joints),
            (None, None) => "at rest".to_owned(),
        };
        return format!("asked {at}, with {tolerance}");
    };
    let (joint, others) = settings.joint.as_ref().map_or_else(Default::default, |joint| {
        let others =
            joint.others.iter().map(|(name, value)| format!("{} = {}", printable(name), number(*value)));
        let others: Vec<String> = others.collect();
        let others = if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) };
        (format!("{} ", printable(&joint.name)), others)
    });
    let stretch = parameter.stretch([sweep.from, sweep.to]);
    let precision = scale.length(sweep.precision);
    format!("asked from {joint}{stretch}, with {tolerance}, precision {precision}{others}")
}

/// Returns one line about the motion that a certificate leaves out, between two times or values of its joint.
pub fn not_certified(certificate: &Certificate, beyond: [f64; 2]) -> String {
    let settings = &certificate.settings;
    let all = Parameter::of(settings.joint.as_ref(), certificate.unit).stretch(beyond);
    match (settings.sweep, &settings.joint) {
        (None, _) => format!("nothing is claimed of the motion, which is from {all}"),
        (Some(_), None) => format!("nothing is claimed beyond that: the motion is from {all}"),
        (Some(_), Some(_)) => format!("nothing is claimed beyond that: the limits of the joint are {all}"),
    }
}

/// Returns one line about a claim: the outcome, the bracket, a time, and the reason if there is one.
pub(crate) fn claim_in_words(claim: &ClaimRow, certificate: &Certificate) -> String {
    let lengths = Scale::of(certificate.unit);
    let scale = if claim.measure == Measure::Volume { lengths.cubed() } else { lengths };
    // The end that decides reads differently from the limit, if it differs.
    let limit = match claim.measure {
        Measure::Distance => claim.clearance,
        Measure::Depth => claim.verdict.map(|_| claim.tolerance.unwrap_or(certificate.settings.tolerance)),
        Measure::Volume => claim.volume_at_most,
    };
    let is_upper = (claim.outcome == Outcome::Violated) == (claim.measure == Measure::Distance);
    let decides = if is_upper { claim.found.at_most } else { claim.found.at_least };
    let scale = limit.map_or(scale, |limit| scale.telling_apart([decides, limit]));
    let parameter = Parameter::of(certificate.settings.joint.as_ref(), certificate.unit);
    // Both ends with four digits, however close: a table may round a bracket to one number, a proof may not.
    let [low, high] = [claim.found.at_least, claim.found.at_most].map(|length| scale.digits(length));
    let size = if low == high { low } else { format!("{low} to {high}") };
    let unit = scale.suffix();
    let deep = if claim.measure == Measure::Depth { " deep" } else { "" };
    let time = claim.time.filter(|_| claim.outcome != Outcome::Holds);
    let time = time.map_or_else(String::new, |time| format!(" at {}", parameter.text(time)));
    let why = claim.why.as_ref().map_or_else(String::new, |why| format!(" ({})", printable(why)));
    let found = match claim.outcome {
        Outcome::Undecided => format!("{}{why}", claim.outcome.word()),
        _ => format!("{} {}{unit}{deep}{time}{}{why}", claim.outcome.word(), size, of_surfaces(claim)),
    };
    claim.excluded.iter().fold(found, |found, ExcludedRow { reason, pairs, .. }| {
        let s = if *pairs == 1 { "" } else { "s" };
        format!("{found}; {pairs} pair{s} excluded: {}", printable(reason))
    })
}

/// Returns what a decided claim means for the surfaces that its triangles stand for, if it is about them.
fn of_surfaces(claim: &ClaimRow) -> &'static str {
    match claim.surfaces {
        None => "",
        Some(surfaces) if surfaces.outcome == claim.outcome => ", for the surfaces too",
        Some(_) => ", for the triangles only",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{ANSWERS, CertifiedSettings, SurfacesRow, rules_digest};
    use crate::document::DepthRow;
    use closefit_geometry::units::Unit;

    #[test]
    fn a_claim_has_a_line() {
        let claim = |id: &str, outcome: Outcome, found: [f64; 2]| ClaimRow {
            id: id.into(),
            clearance: Some(0.0003),
            verdict: None,
            volume_at_most: None,
            tolerance: None,
            parts_a: 1,
            parts_b: 2,
            excluded: Vec::new(),
            outcome,
            why: None,
            measure: Measure::Distance,
            found: DepthRow { at_least: found[0], at_most: found[1] },
            surfaces: None,
            time: Some(1.25),
            pairs: Vec::new(),
            points: Vec::new(),
        };
        let why = Some("open".to_owned());
        let surfaces = |outcome| Some(SurfacesRow { deflection: 1e-5, outcome });
        let excluded = |reason: &str, pairs| {
            let digest = rules_digest(b"");
            ExcludedRow { reason: reason.into(), pairs, digest }
        };
        let certificate = Certificate {
            closefit_certificate: Certificate::FORMAT,
            answers: ANSWERS,
            command: Command::Sweep,
            unit: Some(Unit::M),
            settings: CertifiedSettings {
                tolerance: 0.0,
                at: None,
                joints: None,
                sweep: None,
                joint: None,
                as_is: false,
            },
            rules: rules_digest(b""),
            claims: vec![
                claim("gap", Outcome::Holds, [0.000_342, 0.000_343]),
                claim("rotor-gap", Outcome::Violated, [0.000_281, 0.000_282]),
                claim("nearly", Outcome::Violated, [0.000_299_96, 0.000_299_98]),
                claim("just", Outcome::Holds, [0.000_300_000_4, 0.0004]),
                claim("exactly", Outcome::Holds, [0.0003, 0.0003]),
                ClaimRow { why: why.clone(), ..claim("c", Outcome::Undecided, [0.0, 0.0]) },
                ClaimRow { measure: Measure::Depth, ..claim("d", Outcome::Violated, [0.001, 0.001]) },
                ClaimRow { measure: Measure::Volume, ..claim("v", Outcome::Holds, [1e-9, 2e-9]) },
                ClaimRow { surfaces: surfaces(Outcome::Holds), ..claim("s", Outcome::Holds, [0.001, 0.001]) },
                ClaimRow {
                    surfaces: surfaces(Outcome::Undecided),
                    excluded: vec![excluded("adjacent links", 12), excluded("same link", 1)],
                    ..claim("t", Outcome::Holds, [0.001, 0.001])
                },
            ],
            not_asked: vec!["e\n".into()],
            parts: Vec::new(),
            cross_check: Vec::new(),
        };
        assert_eq!(
            claims(&certificate),
            "gap        holds 0.3420 to 0.3430 mm\n\
             rotor-gap  violated 0.2810 to 0.2820 mm at 1.25 s\n\
             nearly     violated 0.29996 to 0.29998 mm at 1.25 s\n\
             just       holds 0.3000004 to 0.4000000 mm\n\
             exactly    holds 0.3000 mm\n\
             c          undecided (open)\n\
             d          violated 1.000 mm deep at 1.25 s\n\
             v          holds 1.000 to 2.000 mm³\n\
             s          holds 1.000 mm, for the surfaces too\n\
             t          holds 1.000 mm, for the triangles only; 12 pairs excluded: adjacent links; 1 pair \
             excluded: same link\n\
             e\\n        not asked here: 'closefit check' asks it\n"
        );
    }
}
