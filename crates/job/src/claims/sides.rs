//! The pairs of one claim, checked by themselves: no rule has a say, and only what the scene itself
//! excludes is left out.

use crate::part_scene::of_parts;
use closefit::internals::engine::CrossChecked;
use closefit::{
    Assembly, CheckError, CheckRequest, Containment, MovingPairRecord, PairRecord, SharedVolume, SweepError,
    SweepRequest, TreeKind, Unobserved, Verdict,
};
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::scene::pair_rules::{Decision, Entry, Lengths, NO_RULE};
use closefit_geometry::scene::{PairRules, Scene};
use closefit_report::document::pair_key;
use closefit_scene::keys::PartKeys;

/// The finding about a pair.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// The ids of its parts in the scene, the lower first.
    pub ids: [u32; 2],
    /// The key of the pair.
    pub key: String,
    pub verdict: Verdict,
    /// True if the true surfaces are proven to overlap. Parts in motion that come within the precision of
    /// each other clash without that proof.
    pub overlaps: bool,
    /// The bracket of the smallest distance of the true surfaces, which may be nearer to each other than the
    /// meshes, or farther.
    pub distance: [f64; 2],
    /// The length by which the surfaces may be nearer.
    pub chords: f64,
    /// The length by which they may be farther apart.
    pub deflections: f64,
    /// The bracket of the depth, as far as it is known.
    pub depth: Option<[f64; 2]>,
    /// A time of that distance or depth, if parts move.
    pub time: Option<f64>,
    /// The closest points, or one at which they meet.
    pub points: Vec<[f64; 3]>,
    /// The reason why it is undecided, or why a clash has no depth.
    pub why: Option<String>,
}

/// The parts of both sides.
pub(super) struct ClaimedSides<'a> {
    keys: &'a PartKeys,
    ids: Vec<u32>,
    pairs: u64,
    assembly: Assembly,
}

impl<'a> ClaimedSides<'a> {
    pub fn new(scene: &Scene, keys: &'a PartKeys, sides: [&[bool]; 2]) -> Self {
        let meant = (0..scene.parts.len()).filter(|&part| sides[0][part] || sides[1][part]);
        let ids: Vec<u32> = meant.map(to_u32).collect();
        let sets = sides.map(|side| ids.iter().map(|&id| side[id as usize]).collect::<Vec<bool>>());
        let count = |set: &mut dyn Iterator<Item = bool>| set.filter(|is_in| *is_in).count() as u64;
        let [a, b] = sides.map(|side| count(&mut side.iter().copied()));
        let both = count(&mut sides[0].iter().zip(sides[1]).map(|(a, b)| *a && *b));
        // Pairs of parts that are on both sides are met twice, and each of these parts is also met with
        // itself.
        let pairs = a * b - both * (both + 1) / 2;
        let asked = Entry { sides: [0, 1], same: None, decision: Decision::Asked(Lengths::default()) };
        let otherwise = Decision::Excluded(NO_RULE.into());
        let rules = PairRules::new(ids.len(), &sets, Vec::new(), vec![asked], otherwise);
        let excluded = scene.excluded.of_some(&ids);
        let scene = Scene { rules: Some(rules), excluded, ..of_parts(scene, ids.iter().copied()) };
        Self { keys, ids, pairs, assembly: Assembly::from(scene) }
    }

    /// Returns the scene of these parts.
    pub fn scene(&self) -> &Scene {
        self.assembly.scene()
    }

    /// Returns the number of pairs of a part of each side.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Returns the pairs that come within a limit where they stand, and all that clash or are undecided.
    pub fn at_rest(&self, request: &CheckRequest, limit: f64) -> Result<Vec<Finding>, CheckError> {
        let found = self.assembly.check(&request.clearance(limit))?;
        Ok(found.pairs.into_iter().map(|record| self.standing(record)).collect())
    }

    /// Returns the pairs that meet where they stand, with the volumes that they share or the reasons why
    /// these are not known.
    pub fn volumes(&self, request: &CheckRequest) -> Result<Vec<(Finding, SharedVolume)>, CheckError> {
        let request = &request.clearance(0.0);
        let found = self.assembly.check(request)?.pairs;
        let volumes = self.assembly.overlap_volumes(request, &found, &Unobserved)?;
        Ok(found.into_iter().map(|record| self.standing(record)).zip(volumes).collect())
    }

    /// Returns the names of the parts of a pair.
    pub fn names(&self, ids: [u32; 2]) -> [&str; 2] {
        ids.map(|id| {
            let place = self.ids.binary_search(&id).expect("it is a part of a side");
            &*self.scene().parts[place].name
        })
    }

    /// Returns the pairs [at rest](Self::at_rest) within a limit that is at least `least`, and no less than
    /// the smallest distance of all.
    pub fn nearest(&self, request: &CheckRequest, least: f64) -> Result<Vec<Finding>, CheckError> {
        let diagonal = self.assembly.diagonal(None)?;
        let mut limit = least.max(diagonal / 1024.0);
        loop {
            let found = self.at_rest(request, limit)?;
            let is_near = |finding: &Finding| finding.distance[1] <= limit;
            if limit >= 2.0 * diagonal || found.iter().any(is_near) {
                return Ok(found);
            }
            limit *= 4.0;
        }
    }

    /// Returns the pairs that come within `least` over a motion, or else the closest of all; `standing` asks
    /// those that do not move relative to each other.
    pub fn in_motion(
        &self,
        standing: &CheckRequest,
        request: &SweepRequest,
        least: f64,
    ) -> Result<Vec<Finding>, SweepError> {
        let start = Self {
            keys: self.keys,
            ids: self.ids.clone(),
            pairs: self.pairs,
            assembly: Assembly::from(self.scene().at(request.from)),
        };
        let at_start = start.nearest(standing, least)?;
        let smallest = at_start.iter().map(|found| found.distance[1]).fold(f64::INFINITY, f64::min);
        let limit = if smallest.is_finite() { smallest.max(least) } else { least };
        let swept = self.assembly.sweep(&request.clearance(limit))?;
        let mut found: Vec<Finding> =
            swept.pairs.into_iter().filter_map(|record| self.moving(record, request.tolerance)).collect();
        let moving: Vec<[u32; 2]> = found.iter().map(|finding| finding.ids).collect();
        let stands = |finding: &Finding| moving.binary_search(&finding.ids).is_err();
        let at_from = |finding: Finding| Finding { time: Some(request.from), ..finding };
        found.extend(at_start.into_iter().filter(stands).map(at_from));
        Ok(found)
    }

    /// Compares what kinds of trees find of the pairs within a limit, and what a check finds.
    pub fn cross_check(
        &self,
        request: &CheckRequest,
        limit: f64,
        kinds: &[TreeKind],
    ) -> Result<CrossChecked, CheckError> {
        let request = &request.clearance(limit);
        let checked = self.assembly.check(request)?;
        self.assembly.cross_check((request, &checked.pairs), kinds, &Unobserved)
    }

    fn place(&self, ids: [PartId; 2]) -> ([u32; 2], String) {
        let ids = ids.map(|id| self.ids[id.index()]);
        let [a, b] = ids.map(|id| &self.keys.of_part[id as usize]);
        (ids, pair_key(a, b).to_string())
    }

    fn standing(&self, record: PairRecord) -> Finding {
        let [chords, deflections] = [self.scene().chords(record.ids), self.scene().deflections(record.ids)];
        let (ids, key) = self.place(record.ids);
        let met = record.location.map(|found| vec![found.point.to_array()]);
        let closest = record.points.map(|points| points.map(|point| point.to_array()).to_vec());
        let inside = matches!(record.contained, Containment::AInB | Containment::BInA);
        let depth = record.depth.map(|depth| [depth.at_least, depth.at_most]);
        Finding {
            ids,
            key,
            verdict: record.verdict,
            overlaps: matches!(record.verdict, Verdict::Clash | Verdict::Meets)
                && is_deeper(depth, deflections),
            distance: [nearer(record.distance, chords), farther(record.distance, deflections)],
            chords,
            deflections,
            depth,
            time: None,
            points: met.or(closest).unwrap_or_default(),
            why: undecidable(record.contained)
                .or(record.depth_unknown)
                .or_else(|| inside.then(|| "one lies inside the other".to_owned()))
                .or_else(|| record.crossing.then(|| "open surfaces pass through each other".to_owned())),
        }
    }

    fn moving(&self, record: MovingPairRecord, tolerance: f64) -> Option<Finding> {
        let [chords, deflections] = [self.scene().chords(record.ids), self.scene().deflections(record.ids)];
        let (ids, key) = self.place(record.ids);
        let clearance = record.clearance?;
        let meets_later = record.again.is_some() || record.time_of_impact.is_some() && !record.start_contact;
        // Parts that touch at the start and meet again are worst then.
        let pressed = record.pressed.filter(|found| record.again.is_none() || found.at_least > 0.0);
        let is_deep = pressed.is_some_and(|found| found.at_least > tolerance);
        let depth = pressed.map(|found| [found.at_least, found.at_most]);
        Some(Finding {
            ids,
            key,
            verdict: record.verdict,
            overlaps: record.verdict == Verdict::Clash
                && (!meets_later || is_deep)
                && is_deeper(depth, deflections),
            distance: [nearer(clearance.at_least, chords), farther(clearance.at_most, deflections)],
            chords,
            deflections,
            depth,
            time: Some(pressed.map_or(clearance.at, |found| found.at)),
            points: record.place().map(|point| point.to_array()).into_iter().collect(),
            why: undecidable(record.contained).or(record.depth_unknown),
        })
    }
}

/// Returns a lower bound of the distance of two surfaces that may be so much nearer to each other than meshes
/// at a distance.
fn nearer(distance: f64, chords: f64) -> f64 {
    if chords == 0.0 { distance } else { (distance - chords).next_down().max(0.0) }
}

/// Returns an upper bound of the distance of two surfaces that may be so much farther apart than meshes at a
/// distance.
fn farther(distance: f64, deflections: f64) -> f64 {
    if deflections == 0.0 { distance } else { (distance + deflections).next_up() }
}

/// True if meshes are proven to overlap more than they may lie outside their true surfaces.
fn is_deeper(depth: Option<[f64; 2]>, deflections: f64) -> bool {
    deflections == 0.0 || depth.is_some_and(|[at_least, _]| at_least > deflections)
}

fn undecidable(contained: Containment) -> Option<String> {
    match contained {
        Containment::Undecidable(why) => Some(why),
        _ => None,
    }
}
