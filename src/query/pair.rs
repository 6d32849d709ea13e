//! The decision of one pair of standing parts, in the order of the contract's verdicts.

use glam::DVec3;

use super::depth::exact::spot::{Rounded, Spot};
use super::location::{self, Place};
use super::open_shells::{doubts, open_edges};
use super::stage_work::StageWork;
use super::unknown::open_where_they_overlap;
use super::{CheckRequest, Containment, Depth, DepthDetail, Location, PairRecord, Verdict, WayOut};
use super::{containment, crossing, depth, duplicate};
use crate::bvh::posed_model::PosedModel;
use crate::bvh::static_pair::{StaticPair, witness};
use crate::narrow::Nearest;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;

/// Decides a pair. A record with [`Verdict::Clear`] is not listed, and its distance is infinity: it is not
/// computed.
pub fn decide(
    ids: [PartId; 2],
    pair: &dyn StaticPair,
    request: &CheckRequest,
    work: &mut StageWork,
) -> PairRecord {
    let contacts = work.contacts.on(|work| pair.contacts(work));
    decide_by(ids, pair, Known::of(contacts), request, work)
}

/// The facts about a pair that are known before it is decided.
#[derive(Clone, Debug)]
pub struct Known {
    /// All pairs of triangles in contact, sorted.
    pub contacts: Vec<[u32; 2]>,
    /// The closest triangles of a pair without contact, or `Some(None)` if they are farther apart than the
    /// clearance and the tolerance; `None` if they have not been searched.
    pub nearest: Option<Option<Nearest>>,
    /// Some two triangles are no farther apart than this; infinity if nothing is known.
    pub at_most: f64,
}

impl Known {
    /// The contacts alone.
    pub fn of(contacts: Vec<[u32; 2]>) -> Self {
        Self { contacts, nearest: None, at_most: f64::INFINITY }
    }
}

/// Decides a pair about which something is known.
pub fn decide_by(
    ids: [PartId; 2],
    pair: &dyn StaticPair,
    known: Known,
    request: &CheckRequest,
    work: &mut StageWork,
) -> PairRecord {
    let (record, source) = facts(ids, pair, known, request, work);
    source.add_to(record, pair.bodies(), request, work)
}

/// Decides a pair, starting from what is known, but leaves out its places: the location, the closest points
/// and the list of contacts.
pub fn decide_without_places(
    ids: [PartId; 2],
    pair: &dyn StaticPair,
    known: Known,
    request: &CheckRequest,
    work: &mut StageWork,
) -> PairRecord {
    facts(ids, pair, known, request, work).0
}

fn facts<'a>(
    ids: [PartId; 2],
    pair: &'a dyn StaticPair,
    known: Known,
    request: &CheckRequest,
    work: &mut StageWork,
) -> (PairRecord, Places<'a>) {
    if known.contacts.is_empty() {
        apart(ids, pair, known, request, work)
    } else {
        touching(ids, pair, request, known.contacts, work)
    }
}

/// The facts from which the places of a pair are found.
struct Places<'a> {
    contacts: Vec<[u32; 2]>,
    nearest: Option<Nearest>,
    found: Option<depth::Found>,
    /// The part that lies inside the other, without contact.
    inner: Option<&'a PosedModel<'a>>,
}

impl Places<'_> {
    /// Finds the places.
    fn add_to(
        self,
        record: PairRecord,
        [a, b]: [&PosedModel; 2],
        request: &CheckRequest,
        work: &mut StageWork,
    ) -> PairRecord {
        let Self { contacts, nearest, found, inner } = self;
        let is_deep = found.as_ref().is_some_and(|found| found.deepest.is_some());
        let place = match (&contacts[..], inner) {
            ([], inner) => inner.map(|inner| Place { bounds: *inner.bounds(), point: inner.triangle(0)[0] }),
            (contacts, _) => Some(work.location.ask(|| location::place(a, b, contacts, !is_deep))),
        };
        let location = place.map(|Place { bounds: Aabb { lo, hi }, point }| {
            let (point, way_out) = deepest([a, b], found, work).unwrap_or((point, None));
            Location { point, bounds: [lo, hi], way_out }
        });
        let points = nearest.map(|nearest| work.witness.ask(|| witness([a, b], &nearest)));
        let triangles = request.list_contacts.then_some(contacts);
        PairRecord { location, points, triangles, ..record }
    }
}

fn touching<'a>(
    ids: [PartId; 2],
    pair: &'a dyn StaticPair,
    request: &CheckRequest,
    contacts: Vec<[u32; 2]>,
    work: &mut StageWork,
) -> (PairRecord, Places<'a>) {
    let [a, b] = pair.bodies();
    let tolerance = request.tolerance;
    let solid = a.has_solid() || b.has_solid();
    let is_asked = request.depth != DepthDetail::None;
    let ((found, doubt), open) = work.depth.ask(|| {
        let found = if solid && is_asked {
            known_depth(pair, &contacts, question(request), tolerance)
        } else {
            (None, None)
        };
        let open = if is_asked { open_where_they_overlap(a, b, tolerance) } else { None };
        (found, open)
    });
    let deep = found.is_some_and(|found| found.at_least > tolerance);
    let undecided = open.is_some() || doubt.is_some() || found.is_some_and(|found| !found.decided);
    let may_repeat = is_asked && !deep && solid;
    let duplicate = may_repeat && work.duplicate.ask(|| duplicate::duplicate(a, b, tolerance));
    let may_cross = a.has_open() && b.has_open();
    let crossing = may_cross && work.crossing.ask(|| crossing::crossing(a, b, &contacts, tolerance));
    let verdict = if deep || duplicate || crossing {
        Verdict::Clash
    } else if !is_asked {
        Verdict::Meets
    } else if undecided {
        Verdict::Undecided
    } else {
        Verdict::Contact
    };
    let record = PairRecord {
        ids,
        verdict,
        distance: 0.0,
        contacts: contacts.len() as u64,
        contained: Containment::None,
        duplicate,
        crossing,
        depth: found.map(bracket),
        depth_unknown: if is_asked { depth_unknown(open, doubt, found) } else { None },
        location: None,
        points: None,
        triangles: None,
    };
    (record, Places { contacts, nearest: None, found, inner: None })
}

fn apart<'a>(
    ids: [PartId; 2],
    pair: &'a dyn StaticPair,
    known: Known,
    request: &CheckRequest,
    work: &mut StageWork,
) -> (PairRecord, Places<'a>) {
    let [a, b] = pair.bodies();
    let contained = work.containment.ask(|| containment::containment(a, b, request.tolerance));
    let is_asked = request.depth != DepthDetail::None;
    // A contained or undecidable pair is listed at any distance.
    let within = request.reach();
    let limit = if contained == Containment::None { within } else { f64::INFINITY };
    let nearest = match known.nearest {
        Some(found) if found.is_some() || limit <= within => found,
        _ => work.distance.on(|work| pair.nearest(limit.min(known.at_most), work)),
    };
    let inner = match contained {
        Containment::AInB => Some(a),
        Containment::BInA => Some(b),
        _ => None,
    };
    let found = inner
        .filter(|_| is_asked)
        .map(|_| work.depth.ask(|| known_depth(pair, &[], question(request), request.tolerance)));
    let (found, doubt) = found.unwrap_or_default();
    let verdict = match (&contained, &nearest) {
        (Containment::AInB | Containment::BInA, _) => Verdict::Clash,
        (Containment::Undecidable(_), _) => Verdict::Undecided,
        (_, None) => Verdict::Clear,
        (_, Some(nearest)) if nearest.distance <= request.tolerance => Verdict::Contact,
        _ => Verdict::Clearance,
    };
    let record = PairRecord {
        ids,
        verdict,
        distance: nearest.map_or(f64::INFINITY, |nearest| nearest.distance),
        contacts: 0,
        contained,
        duplicate: false,
        crossing: false,
        depth: found.map(bracket),
        depth_unknown: if inner.is_some() && is_asked { depth_unknown(None, doubt, found) } else { None },
        location: None,
        points: None,
        triangles: None,
    };
    (record, Places { contacts: Vec::new(), nearest, found, inner })
}

/// Returns the depth of a pair in which a part has a solid; or, in its place, the reason why it is unknown:
/// open shells that might cancel the solid at the deepest point, if they were whole, where the boxes overlap
/// by more than the tolerance.
pub(super) fn known_depth(
    pair: &dyn StaticPair,
    contacts: &[[u32; 2]],
    question: depth::DepthQuestion,
    tolerance: f64,
) -> (Option<depth::Found>, Option<String>) {
    let found = depth::depth(pair, contacts, question);
    let [a, b] = pair.bodies();
    let deep = found.deepest.filter(|_| found.at_least > tolerance);
    let Some(depth::Deepest { point, .. }) = deep else { return (Some(found), None) };
    for (name, solid, other) in [("a", a, b), ("b", b, a)] {
        let shells = doubts(solid, point, other.bounds(), tolerance);
        // The point lies on the surface of one part, deep in the other.
        if !shells.is_empty()
            && depth::nearest_closed(solid, &Rounded::corner(point), None).1 > 0.5 * found.at_least
        {
            let edges = open_edges(solid, shells.iter().map(|shell| shell.component));
            let doubt = format!("a shell of {name} that might be a cavity there is not closed: {edges}");
            return (None, Some(doubt));
        }
    }
    (Some(found), None)
}

fn question(request: &CheckRequest) -> depth::DepthQuestion {
    depth::DepthQuestion {
        tolerance: request.tolerance,
        only_verdict: request.depth == DepthDetail::Verdict,
        measured: [true; 2],
    }
}

fn bracket(found: depth::Found) -> Depth {
    Depth { at_least: found.at_least, at_most: found.at_most }
}

/// Returns the deepest point that was found, and the way out from it.
fn deepest(
    bodies: [&PosedModel; 2],
    found: Option<depth::Found>,
    work: &mut StageWork,
) -> Option<(DVec3, Option<WayOut>)> {
    let deepest = found?.deepest?;
    let triangle = work.depth.ask(|| deepest.nearest_triangle(bodies[1 - deepest.on]));
    let to = work.witness.ask(|| deepest.nearest_in(&triangle));
    Some((deepest.point, Some(WayOut { on: deepest.on, to })))
}

/// Returns the reasons why a depth is unknown or only partly known: open parts, a doubt about the solid, and
/// a search that gave up.
pub(super) fn depth_unknown(
    open: Option<String>,
    doubt: Option<String>,
    found: Option<depth::Found>,
) -> Option<String> {
    let search = match found {
        None if open.is_none() && doubt.is_none() => Some("neither part has a closed component".to_owned()),
        Some(depth::Found { ended_early: true, .. }) => Some("search ended early".to_owned()),
        _ => None,
    };
    let reasons: Vec<String> = open.into_iter().chain(doubt).chain(search).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
