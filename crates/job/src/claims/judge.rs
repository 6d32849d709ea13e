//! Judges a claim by the findings about its pairs.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::sides::Finding;
use closefit::{SharedVolume, Verdict};
use closefit_report::certificate::{Measure, Outcome};

/// The judgement on a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judgement {
    pub outcome: Outcome,
    pub why: Option<String>,
    pub measure: Measure,
    pub found: [f64; 2],
    /// The findings that decide, the first with the time and the points.
    pub deciding: Vec<Finding>,
}

impl Judgement {
    /// Returns the judgement on parts that touch nothing. `nearest` is the finding about one of them and
    /// the part nearest to it.
    pub fn alone(outcome: Outcome, why: String, nearest: Option<Finding>) -> Self {
        let found = nearest.as_ref().map_or([0.0; 2], |nearest| nearest.distance);
        let deciding = nearest.into_iter().collect();
        Self { outcome, why: Some(why), measure: Measure::Distance, found, deciding }
    }
}

/// Judges the claim that no distance is less than `least`. Pairs that are not among the findings are farther
/// apart than `least` and than the closest finding.
pub(super) fn clearance(found: &[Finding], least: f64) -> Judgement {
    let outcome = |finding: &Finding| match finding.verdict {
        _ if finding.overlaps || finding.distance[1] < least => Outcome::Violated,
        Verdict::Undecided | Verdict::Clash | Verdict::Meets => Outcome::Undecided,
        _ if finding.distance[0] >= least => Outcome::Holds,
        _ => Outcome::Undecided,
    };
    let worst = found.iter().map(outcome).max().unwrap_or(Outcome::Undecided);
    let deciding = found.iter().filter(|finding| outcome(finding) == worst);
    let Some(first) = deciding.min_by(|p, q| worse(p, q)) else {
        let why = Some("no pair was decided".to_owned());
        let (measure, deciding) = (Measure::Distance, Vec::new());
        return Judgement { outcome: worst, why, measure, found: [0.0; 2], deciding };
    };
    match (worst, first.depth) {
        (Outcome::Holds, _) => closest(found, first),
        (Outcome::Violated, Some(depth)) if first.overlaps => {
            judgement(worst, first.why.clone(), Measure::Depth, depth, first)
        }
        (Outcome::Violated, _) => {
            judgement(worst, first.why.clone(), Measure::Distance, first.distance, first)
        }
        (Outcome::Undecided, _) => {
            judgement(worst, Some(why_open(first, least)), Measure::Distance, first.distance, first)
        }
    }
}

/// Returns the reason why a finding neither proves nor refutes that its distance is at least `least`.
fn why_open(finding: &Finding, least: f64) -> String {
    let own = finding.why.clone().filter(|_| finding.verdict == Verdict::Undecided);
    own.unwrap_or_else(|| match finding.distance[0] < least {
        true if finding.chords > 0.0 => "a smaller --chord or --precision may decide".to_owned(),
        true => "a smaller --precision decides".to_owned(),
        false => "they come within the precision of each other, and may overlap".to_owned(),
    })
}

/// Returns the judgement on a clearance that holds: the bracket of the smallest distance of all pairs.
fn closest(found: &[Finding], first: &Finding) -> Judgement {
    let order =
        |p: &&Finding, q: &&Finding| p.distance[0].total_cmp(&q.distance[0]).then_with(|| p.key.cmp(&q.key));
    let lowest = found.iter().min_by(order).filter(|lowest| lowest.distance[0] < first.distance[0]);
    let at_least = lowest.map_or(first.distance[0], |lowest| lowest.distance[0]);
    let bracket = [at_least, first.distance[1]];
    let mut judged = judgement(Outcome::Holds, None, Measure::Distance, bracket, first);
    judged.deciding.extend(lowest.cloned());
    judged
}

fn judgement(
    outcome: Outcome,
    why: Option<String>,
    measure: Measure,
    found: [f64; 2],
    first: &Finding,
) -> Judgement {
    Judgement { outcome, why, measure, found, deciding: vec![first.clone()] }
}

/// The advice where the true surfaces of parts decide.
const SMALLER_CHORD: &str = "a smaller --chord may decide";

/// Orders findings: clashes first, the deepest in front, and then the closest; equals by key.
fn worse(p: &Finding, q: &Finding) -> Ordering {
    let clash = |finding: &Finding| (!finding.overlaps, finding.verdict != Verdict::Clash);
    let depth = |finding: &Finding| finding.depth.map_or(0.0, |depth| depth[0]);
    clash(p)
        .cmp(&clash(q))
        .then_with(|| depth(q).total_cmp(&depth(p)))
        .then_with(|| p.distance[1].total_cmp(&q.distance[1]))
        .then_with(|| p.key.cmp(&q.key))
}

/// Judges the claim that each of some parts touches a part of the other side and none is deeper than the
/// tolerance. `touches` says which of these a pair has, and `alone` judges those that touch none.
pub(super) fn contact<E>(
    found: &[Finding],
    claimed: &[u32],
    tolerance: f64,
    touches: impl Fn(&Finding) -> Vec<u32>,
    alone: impl FnOnce(&[u32]) -> Result<Judgement, E>,
) -> Result<Judgement, E> {
    let verdict = |finding: &Finding| match finding.verdict {
        Verdict::Clash if !is_deeper_for_sure(finding, tolerance) => Verdict::Undecided,
        verdict => verdict,
    };
    let of = |wanted: Verdict| found.iter().filter(move |finding| verdict(finding) == wanted);
    if let Some(deepest) = of(Verdict::Clash).min_by(|p, q| worse(p, q)) {
        let (measure, size) = match deepest.depth {
            Some(depth) => (Measure::Depth, depth),
            None => (Measure::Distance, deepest.distance),
        };
        return Ok(judgement(Outcome::Violated, deepest.why.clone(), measure, size, deepest));
    }
    let mut met: BTreeMap<u32, &Finding> = BTreeMap::new();
    for finding in of(Verdict::Contact).chain(of(Verdict::Undecided)) {
        for part in touches(finding) {
            let known = met.entry(part).or_insert(finding);
            if finding.key < known.key {
                *known = finding;
            }
        }
    }
    let without: Vec<u32> = claimed.iter().copied().filter(|part| !met.contains_key(part)).collect();
    // Meshes lie inside the true surfaces: these may touch where the meshes are apart.
    let near: Vec<&Finding> = of(Verdict::Clearance).filter(|f| f.distance[0] <= tolerance).collect();
    let alone_for_sure = |part: &u32| !near.iter().any(|finding| touches(finding).contains(part));
    let floating: Vec<u32> = without.iter().copied().filter(alone_for_sure).collect();
    if !floating.is_empty() {
        return alone(&floating);
    }
    if let Some(open) = of(Verdict::Undecided).min_by(|p, q| worse(p, q)) {
        let why = match open.verdict {
            Verdict::Clash => SMALLER_CHORD.to_owned(),
            _ => open.why.clone().unwrap_or_else(|| "the depth is unknown".to_owned()),
        };
        return Ok(judgement(Outcome::Undecided, Some(why), Measure::Distance, open.distance, open));
    }
    let may_touch = |finding: &&&Finding| touches(finding).iter().any(|part| without.contains(part));
    let in_doubt = found.iter().filter(|finding| may_be_deeper(finding, tolerance) || may_be_apart(finding));
    if let Some(open) = in_doubt.chain(near.iter().filter(may_touch).copied()).min_by(|p, q| worse(p, q)) {
        let why = Some(SMALLER_CHORD.to_owned());
        return Ok(judgement(Outcome::Undecided, why, Measure::Distance, open.distance, open));
    }
    let mut deciding: Vec<Finding> = met.into_values().cloned().collect();
    deciding.sort_by(|p, q| p.key.cmp(&q.key));
    deciding.dedup_by(|p, q| p.key == q.key);
    let deepest = of(Verdict::Contact).filter_map(|finding| finding.depth).map(|depth| depth[1]);
    let found = [0.0, deepest.fold(0.0, f64::max)];
    Ok(Judgement { outcome: Outcome::Holds, why: None, measure: Measure::Depth, found, deciding })
}

/// True if the true surfaces of parts whose meshes are no deeper than the tolerance may be deeper.
fn may_be_deeper(finding: &Finding, tolerance: f64) -> bool {
    let depth = match finding.verdict {
        Verdict::Contact => finding.depth.map_or(0.0, |depth| depth[1]),
        _ => -finding.distance[1],
    };
    // The next number is beyond what rounding has done to the sum.
    finding.chords > 0.0 && (depth + finding.chords).next_up() > tolerance
}

/// True if the true surfaces of parts whose meshes clash are deeper than the tolerance, too.
fn is_deeper_for_sure(finding: &Finding, tolerance: f64) -> bool {
    let least = (tolerance + finding.deflections).next_up();
    finding.deflections == 0.0 || finding.depth.is_some_and(|[at_least, _]| at_least > least)
}

/// True if the true surfaces of parts whose meshes touch may be apart.
fn may_be_apart(finding: &Finding) -> bool {
    let overlap = finding.depth.map_or(0.0, |[at_least, _]| at_least);
    finding.verdict == Verdict::Contact && finding.deflections > 0.0 && overlap <= finding.deflections
}

/// Judges the claim that no pair shares more than a volume. Pairs that are not among the findings do not
/// meet; `names` has the names of the parts of a pair.
pub(super) fn volume<'n>(
    found: &[(Finding, SharedVolume)],
    most: f64,
    names: impl Fn(&Finding) -> [&'n str; 2],
) -> Judgement {
    let bracket = |shared: &SharedVolume| match shared {
        None => Some([0.0; 2]),
        Some(Ok(volume)) => Some([volume.at_least, volume.at_most]),
        Some(Err(_)) => None,
    };
    let outcome = |(finding, shared): &(Finding, SharedVolume)| {
        Outcome::of_volume(bracket(shared), [finding.chords, finding.deflections], most)
    };
    let larger = |(p, one): &&(Finding, SharedVolume), (q, other): &&(Finding, SharedVolume)| {
        let [one, other] = [one, other].map(|shared| bracket(shared).unwrap_or_default());
        one[1].total_cmp(&other[1]).then(one[0].total_cmp(&other[0])).then_with(|| q.key.cmp(&p.key))
    };
    let worst = found.iter().map(outcome).max().unwrap_or(Outcome::Holds);
    let deciding = found.iter().filter(|one| outcome(one) == worst).max_by(larger);
    let Some((first, shared)) = deciding else {
        let (measure, deciding) = (Measure::Volume, Vec::new());
        return Judgement { outcome: worst, why: None, measure, found: [0.0; 2], deciding };
    };
    let why = (worst == Outcome::Undecided).then(|| match shared {
        Some(Err(why)) => why.with_names(names(first)),
        _ if first.chords > 0.0 => "the true surfaces of curved primitives may share more".to_owned(),
        _ => "the volume is known no better than that".to_owned(),
    });
    judgement(worst, why, Measure::Volume, bracket(shared).unwrap_or_default(), first)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a finding about meshes whose true surfaces they are.
    pub fn finding(key: &str, verdict: Verdict, distance: [f64; 2]) -> Finding {
        let (depth, time, points, why) = (None, None, Vec::new(), None);
        let (ids, overlaps) = ([0, 1], verdict == Verdict::Clash);
        let key = key.to_owned();
        Finding {
            ids,
            key,
            verdict,
            overlaps,
            distance,
            chords: 0.0,
            deflections: 0.0,
            depth,
            time,
            points,
            why,
        }
    }

    #[test]
    fn a_clearance_holds_only_if_the_whole_bracket_reaches_it() {
        let of = |found: &[Finding]| {
            let judged = clearance(found, 1.0);
            let keys: String = judged.deciding.iter().map(|finding| &finding.key[..]).collect();
            (judged.outcome, judged.found, keys)
        };
        let far = finding("f", Verdict::Clearance, [1.5, 3.0]);
        let near = finding("n", Verdict::Clearance, [2.0, 2.5]);
        let both = [far.clone(), near.clone()];
        assert_eq!(of(&both), (Outcome::Holds, [1.5, 2.5], "nf".to_owned()), "the bracket of the smallest");
        let exact = finding("e", Verdict::Clearance, [1.0, 1.0]);
        assert_eq!(of(&[exact, far.clone()]), (Outcome::Holds, [1.0, 1.0], "e".to_owned()));
        let astride = finding("s", Verdict::Clearance, [0.9, 1.1]);
        assert_eq!(of(&[near.clone(), astride.clone()]).0, Outcome::Undecided);
        let close = finding("c", Verdict::Clearance, [0.5, 0.6]);
        assert_eq!(of(&[astride, close.clone(), near]), (Outcome::Violated, [0.5, 0.6], "c".to_owned()));
        let open = finding("o", Verdict::Undecided, [9.0, 9.0]);
        assert_eq!(of(&[open, far]).0, Outcome::Undecided);
        let deep = Finding { depth: Some([0.2, 0.3]), ..finding("d", Verdict::Clash, [7.0, 7.0]) };
        assert_eq!(
            of(&[close, deep]),
            (Outcome::Violated, [0.2, 0.3], "d".to_owned()),
            "a part inside another"
        );
        assert_eq!(of(&[]).0, Outcome::Undecided);
    }

    #[test]
    fn a_bracket_that_contains_the_limit_decides_nothing() {
        let meets = |distance| Finding { overlaps: false, ..finding("m", Verdict::Clash, distance) };
        let of = |distance: [f64; 2], least: f64| {
            let judged = clearance(&[meets(distance)], least);
            (judged.outcome, judged.why)
        };
        let smaller = Some("a smaller --precision decides".to_owned());
        assert_eq!(of([0.0, 0.0045], 0.001), (Outcome::Undecided, smaller.clone()));
        assert_eq!(of([0.0, 0.0045], 0.0045), (Outcome::Undecided, smaller), "it may be just as far");
        assert_eq!(of([0.0, 0.0045], 0.01), (Outcome::Violated, None));
        let (outcome, why) = of([0.0, 0.0045], 0.0);
        assert_eq!((outcome, why.unwrap().contains("may overlap")), (Outcome::Undecided, true));
        let inside = finding("i", Verdict::Clash, [3.0, 3.0]);
        assert_eq!(clearance(&[meets([0.0, 0.0045]), inside], 0.0).outcome, Outcome::Violated);
    }

    #[test]
    fn each_part_of_the_first_side_must_touch() {
        let pair = |key: &str, ids: [u32; 2], verdict| Finding { ids, ..finding(key, verdict, [0.0; 2]) };
        let of = |found: &[Finding], claimed: &[u32]| {
            let touches = |finding: &Finding| vec![finding.ids[0]];
            let alone =
                |alone: &[u32]| Ok::<_, ()>(Judgement::alone(Outcome::Violated, format!("{alone:?}"), None));
            let judged = contact(found, claimed, 0.1, touches, alone).unwrap();
            (judged.outcome, judged.why, judged.deciding.len())
        };
        let found = [pair("a", [0, 9], Verdict::Contact), pair("b", [1, 9], Verdict::Contact)];
        assert_eq!(of(&found, &[0, 1]), (Outcome::Holds, None, 2));
        assert_eq!(of(&found, &[0, 1, 2, 3]), (Outcome::Violated, Some("[2, 3]".to_owned()), 0));
        let open = [found[0].clone(), pair("b", [1, 9], Verdict::Undecided)];
        assert_eq!(of(&open, &[0, 1]).0, Outcome::Undecided);
        assert_eq!(of(&open, &[0, 1, 2]).0, Outcome::Violated, "the third floats, whatever the second does");
        let deep = [found[0].clone(), pair("b", [0, 8], Verdict::Clash)];
        assert_eq!(of(&deep, &[0]).0, Outcome::Violated);
    }

    #[test]
    fn a_contact_of_meshes_is_none_of_surfaces_that_may_be_deeper_or_apart() {
        let of = |verdict: Verdict, chords: f64, distance: f64, depth: f64| {
            let depth = (verdict == Verdict::Contact).then_some([0.0, depth]);
            let distance = [(distance - chords).max(0.0), distance];
            let found = Finding { chords, depth, ..finding("f", verdict, distance) };
            let alone = |_: &[u32]| Ok::<_, ()>(Judgement::alone(Outcome::Violated, String::new(), None));
            contact(&[found], &[0], 0.25, |finding| vec![finding.ids[0]], alone).unwrap().outcome
        };
        assert_eq!(of(Verdict::Contact, 0.0, 0.0, 0.25), Outcome::Holds, "exact meshes");
        assert_eq!(of(Verdict::Contact, 0.125, 0.0, 0.0625), Outcome::Holds);
        assert_eq!(of(Verdict::Contact, 0.125, 0.0, 0.1875), Outcome::Undecided, "0.3125 deep, perhaps");
        assert_eq!(of(Verdict::Contact, 0.5, 0.125, 0.0), Outcome::Undecided);
        assert_eq!(of(Verdict::Clearance, 0.5, 0.75, 0.0), Outcome::Undecided, "0.25 apart, perhaps");
        assert_eq!(of(Verdict::Clearance, 0.5, 0.875, 0.0), Outcome::Violated, "0.375 apart at least");
    }

    #[test]
    fn meshes_outside_the_surfaces_prove_no_contact_and_no_clash() {
        let of = |verdict: Verdict, depth: f64| {
            let depth = Some([depth; 2]);
            let found = Finding { deflections: 0.125, depth, ..finding("f", verdict, [0.0; 2]) };
            let alone = |_: &[u32]| Ok::<_, ()>(Judgement::alone(Outcome::Violated, String::new(), None));
            contact(&[found], &[0], 0.25, |finding| vec![finding.ids[0]], alone).unwrap().outcome
        };
        assert_eq!(of(Verdict::Contact, 0.125), Outcome::Undecided, "apart, perhaps");
        assert_eq!(of(Verdict::Contact, 0.126), Outcome::Holds);
        assert_eq!(of(Verdict::Clash, 0.375), Outcome::Undecided, "0.25 deep, perhaps");
        assert_eq!(of(Verdict::Clash, 0.376), Outcome::Violated);
        let claim = |least: f64, overlaps: bool| {
            let found =
                Finding { overlaps, deflections: 0.125, ..finding("f", Verdict::Clash, [0.0, 0.125]) };
            clearance(&[found], least).outcome
        };
        assert_eq!(claim(0.125, false), Outcome::Undecided);
        assert_eq!([claim(0.126, false), claim(0.125, true)], [Outcome::Violated; 2]);
        let shared = |deflections: f64| {
            let found = Finding { deflections, ..finding("f", Verdict::Clash, [0.0; 2]) };
            let volume_shared = closefit::OverlapVolume { at_least: 2.0, at_most: 2.5, centroid: None };
            volume(&[(found, Some(Ok(volume_shared)))], 1.0, |_| ["a", "b"]).outcome
        };
        assert_eq!([shared(0.0), shared(0.125)], [Outcome::Violated, Outcome::Undecided]);
    }
}
