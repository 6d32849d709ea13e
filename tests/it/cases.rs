//! The contract as cases: scenes with expected answers as data, in `tests/cases/*.json`, independent of the
//! engine. Every case also runs with its parts in reverse order.
//!
//! Expected numbers follow from the contract, as each case's `why` states. A number is compared exactly,
//! except a depth: its certified bracket must contain it and be as narrow as the contract requires.

use std::path::Path;

use closefit::internals::engine::check;
use closefit::{CheckRequest, CheckResult, Containment, Depth, PairRecord, Pose, Unobserved, Verdict};
use closefit_testing::meshes::{Piece, Soup, cuboid, moved, reversed, scene, square_ring};
use glam::DVec3;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The derivation of the answers from the contract.
    #[serde(rename = "why")]
    _why: String,
    #[serde(default)]
    clearance: f64,
    #[serde(default)]
    tolerance: f64,
    parts: Vec<PartData>,
    expect: Vec<Expected>,
    ledger: Option<LedgerCounts>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartData {
    name: String,
    /// True for a part that is declared a surface.
    #[serde(default)]
    surface: bool,
    solids: Vec<Primitive>,
    pose: Option<PoseData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Primitive {
    /// A box from its lowest to its highest corner, normals outwards.
    Box([[f64; 3]; 2]),
    /// A box with its normals inwards: a cavity.
    Cavity([[f64; 3]; 2]),
    /// A box without its top (highest z).
    Open([[f64; 3]; 2]),
    /// A ring: half-widths of a square hole and of the outside, and its lowest and highest z.
    Ring([f64; 4]),
    /// Triangles with these corners.
    Triangles(Vec<[[f64; 3]; 3]>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseData {
    #[serde(default = "unturned")]
    rotation: [f64; 4],
    #[serde(default)]
    translation: [f64; 3],
    matrix: Option<[f64; 12]>,
}

fn unturned() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    pair: [String; 2],
    verdict: VerdictData,
    distance: Option<f64>,
    contacts: Option<u64>,
    #[serde(default)]
    contained: ContainedData,
    #[serde(default)]
    duplicate: bool,
    #[serde(default)]
    crossing: bool,
    depth: Option<DepthData>,
    /// The unknown about the depth, if an open part is the reason.
    unknown: Option<String>,
    /// Relative tolerance of distance and depth if the pose itself rounds.
    #[serde(default)]
    within: f64,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum VerdictData {
    Clash,
    Undecided,
    Contact,
    Clearance,
    Clear,
}

/// The part of the pair, in the order given, that lies inside the other.
#[derive(Deserialize, Clone, Copy, PartialEq, Debug, Default)]
#[serde(rename_all = "kebab-case")]
enum ContainedData {
    #[default]
    None,
    FirstInSecond,
    SecondInFirst,
    Undecidable,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum DepthData {
    Known(f64),
    Word(DepthWord),
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum DepthWord {
    /// The parts neither touch nor contain each other.
    Apart,
    /// Neither part has a solid.
    Unknown,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerCounts {
    apart: u64,
    decided: u64,
    undecided: u64,
}

fn soup(primitive: &Primitive) -> Soup {
    match primitive {
        Primitive::Box([lo, hi]) => cuboid(*lo, *hi),
        Primitive::Cavity([lo, hi]) => reversed(&cuboid(*lo, *hi)),
        Primitive::Open([lo, hi]) => {
            cuboid(*lo, *hi).into_iter().filter(|t| t.iter().any(|p| p.z < hi[2])).collect()
        }
        Primitive::Ring([inner, outer, bottom, top]) => square_ring(*inner, *outer, *bottom, *top),
        Primitive::Triangles(corners) => corners.iter().map(|t| t.map(DVec3::from_array)).collect(),
    }
}

fn piece(part: &PartData) -> Piece {
    let mut piece = Piece::new(&part.name, part.solids.iter().flat_map(soup).collect());
    piece.is_surface = part.surface;
    if let Some(pose) = &part.pose {
        piece.pose = match pose.matrix {
            Some(m) => Pose { rows: std::array::from_fn(|i| std::array::from_fn(|j| m[4 * i + j])) },
            None => Pose::from_trs(pose.rotation, [1.0; 3], pose.translation).expect("a rotation"),
        };
    }
    piece
}

/// Returns the faults in the answers to a case.
fn failures(case: &Case, pieces: &[Piece]) -> Vec<String> {
    let request = CheckRequest::default().clearance(case.clearance).tolerance(case.tolerance);
    let result = match check(&scene(pieces), &request, &Unobserved) {
        Ok(result) => result,
        Err(error) => return vec![error.to_string()],
    };
    let mut wrong = Vec::new();
    for expected in &case.expect {
        let at = |name: &String| pieces.iter().position(|p| p.name == *name).expect("a part of the case");
        let ids = [at(&expected.pair[0]), at(&expected.pair[1])];
        let swapped = ids[0] > ids[1];
        let found = record(&result, [ids[0].min(ids[1]), ids[0].max(ids[1])]);
        for problem in mismatches(case, expected, found, swapped) {
            wrong.push(format!("{} and {}: {problem}", expected.pair[0], expected.pair[1]));
        }
    }
    let ledger = &result.ledger;
    let n = pieces.len() as u64;
    if ledger.pairs != n * (n - 1) / 2 || ledger.pairs != ledger.apart + ledger.decided + ledger.undecided {
        wrong.push(format!("the ledger does not add up: {ledger:?}"));
    }
    if let Some(b) = &case.ledger
        && [b.apart, b.decided, b.undecided] != [ledger.apart, ledger.decided, ledger.undecided]
    {
        wrong.push(format!("ledger: {ledger:?}"));
    }
    wrong
}

fn record(result: &CheckResult, ids: [usize; 2]) -> Option<&PairRecord> {
    result.pairs.iter().find(|r| r.ids.map(|id| id.index()) == ids)
}

fn mismatches(case: &Case, expected: &Expected, found: Option<&PairRecord>, swapped: bool) -> Vec<String> {
    let Some(found) = found else {
        let listed = expected.verdict != VerdictData::Clear;
        return if listed { vec!["not listed".to_owned()] } else { Vec::new() };
    };
    let mut wrong = Vec::new();
    let mut require = |holds: bool, what: String| {
        if !holds {
            wrong.push(what);
        }
    };
    let verdict = match found.verdict {
        Verdict::Clash => VerdictData::Clash,
        Verdict::Undecided => VerdictData::Undecided,
        Verdict::Contact => VerdictData::Contact,
        Verdict::Clearance => VerdictData::Clearance,
        Verdict::Clear => VerdictData::Clear,
        Verdict::Meets => unreachable!("depths are asked for"),
    };
    require(verdict == expected.verdict, format!("verdict {:?}", found.verdict));
    if let Some(d) = expected.distance {
        require((found.distance - d).abs() <= expected.within * d, format!("distance {}", found.distance));
    }
    if let Some(n) = expected.contacts {
        require(found.contacts == n, format!("{} contacts", found.contacts));
    }
    let contained = match (&found.contained, swapped) {
        (Containment::None, _) => ContainedData::None,
        (Containment::AInB, false) | (Containment::BInA, true) => ContainedData::FirstInSecond,
        (Containment::BInA, false) | (Containment::AInB, true) => ContainedData::SecondInFirst,
        (Containment::Undecidable(_), _) => ContainedData::Undecidable,
    };
    require(contained == expected.contained, format!("contained {:?}", found.contained));
    require(found.duplicate == expected.duplicate, format!("duplicate {}", found.duplicate));
    require(found.crossing == expected.crossing, format!("crossing {}", found.crossing));
    match (expected.depth, found.depth, &found.depth_unknown) {
        (None, ..)
        | (Some(DepthData::Word(DepthWord::Apart)), None, None)
        | (Some(DepthData::Word(DepthWord::Unknown)), None, Some(_)) => {}
        (Some(DepthData::Known(d)), Some(Depth { at_least, at_most }), _) => {
            let slack = d * (expected.within + f64::EPSILON);
            require(
                at_least <= d + slack && d - slack <= at_most,
                format!("depth {:?} without {d}", found.depth),
            );
            let ended = at_most <= case.tolerance
                || (at_most <= 1.01 * at_least && !(at_least..=at_most).contains(&case.tolerance))
                || at_most - at_least <= case.tolerance / f64::from(1 << 30);
            require(ended, format!("depth {:?} is not narrow enough", found.depth));
        }
        (Some(_), depth, unknown) => require(false, format!("depth {depth:?}, {unknown:?}")),
    }
    if !swapped && (expected.unknown.is_some() || found.verdict == Verdict::Undecided) {
        require(found.depth_unknown == expected.unknown, format!("unknown {:?}", found.depth_unknown));
    }
    let has_points = found.contacts == 0;
    require(found.points.is_some() == has_points, format!("points {:?}", found.points));
    wrong
}

#[test]
fn cases_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("cases").map(|f| f.expect("a file").path()).collect();
    files.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "json")) {
        let text = std::fs::read_to_string(file).expect("readable");
        let cases: Vec<Case> =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for case in &cases {
            count += 1;
            let mut pieces: Vec<Piece> = case.parts.iter().map(piece).collect();
            wrong.extend(failures(case, &pieces).into_iter().map(|f| format!("{}: {f}", case.name)));
            pieces.reverse();
            wrong.extend(
                failures(case, &pieces).into_iter().map(|f| format!("{} (reversed): {f}", case.name)),
            );
        }
    }
    println!("{count} cases");
    assert!(wrong.is_empty(), "{} wrong of {count} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// An integer shift of every part changes no answer of a case with integer coordinates. Tested for the cases
/// about open surfaces, where the combinatorics is most delicate.
#[test]
fn surfaces_hold_far_from_the_origin() {
    let text = include_str!("../cases/surfaces.json");
    let cases: Vec<Case> = serde_json::from_str(text).expect("cases");
    for case in &cases {
        let pieces: Vec<Piece> = case
            .parts
            .iter()
            .map(|p| {
                let mut piece = piece(p);
                piece.triangles = moved(&piece.triangles, DVec3::new(1048576.0, -2097152.0, 524288.0));
                piece
            })
            .collect();
        let wrong = failures(case, &pieces);
        assert!(wrong.is_empty(), "{} far away: {}", case.name, wrong.join("\n"));
    }
}
