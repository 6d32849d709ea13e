//! The views of the worst findings, and pictures for where there is no picture in 3D: on paper, before the
//! model is unpacked, and in browsers that cannot draw it.

use std::collections::{BTreeMap, HashMap};

use closefit_views::Views;

use crate::packed::base64;
use crate::places::Places;
use crate::row::Row;
use crate::seen::ViewRow;
use closefit_geometry::parallel;
use closefit_report::document::PairKey;

/// The largest number of findings whose view comes with the page, which makes up the views of others by a
/// simple rule.
const VIEWS: usize = 1000;
/// The largest number of issues whose worst finding has a picture.
const PICTURES: usize = 60;
/// The largest number of bytes of all pictures.
const PICTURE_BYTES: usize = 500_000;

/// The things that the page shows of its worst findings.
pub struct Seen {
    /// Their views, in the order of the pairs.
    pub views: Vec<ViewRow>,
    /// PNG files in base64, by the place of the pair.
    pub pictures: BTreeMap<usize, String>,
}

/// Returns the views of the worst findings, and pictures of the worst, unless the page has none.
pub fn seen<S: Sync, P: Row>(views: &Views<S, P>, places: &Places, has_pictures: bool) -> Seen {
    let report = views.report();
    // Mere contacts are many, and shown well enough by the page's own rule.
    let mut worst: Vec<usize> =
        (0..report.pairs.len()).filter(|&pair| report.pairs[pair].is_marked()).collect();
    worst.sort_by(|&p, &q| report.pairs[p].worst_first(&report.pairs[q]));
    worst.truncate(VIEWS);
    let pictured = if has_pictures { pictured(views, &worst) } else { Vec::new() };
    let see = |&pair: &usize| {
        let found = &report.pairs[pair];
        let picture = pictured.contains(&pair).then(|| base64(&views.snapshot(found)));
        (pair, ViewRow::new(pair, &views.view(found), places), picture)
    };
    worst.sort_unstable();
    let found = parallel::map_items(&worst, 1, see);
    let mut seen = Seen { views: Vec::new(), pictures: BTreeMap::new() };
    for (pair, view, picture) in found {
        seen.views.push(view);
        seen.pictures.extend(picture.map(|picture| (pair, picture)));
    }
    let mut room = PICTURE_BYTES;
    let kept = |pair: &usize| {
        let size = seen.pictures.get(pair).map_or(0, String::len);
        let fits = size <= room;
        room = if fits { room - size } else { 0 };
        fits
    };
    let kept: Vec<usize> = pictured.iter().copied().filter(kept).collect();
    seen.pictures.retain(|pair, _| kept.contains(pair));
    seen
}

/// Returns the worst pairs of the worst issues, of the pairs given.
fn pictured<S, P: Row>(views: &Views<S, P>, worst: &[usize]) -> Vec<usize> {
    let report = views.report();
    if report.groups.is_empty() {
        return worst.iter().copied().take(PICTURES).collect();
    }
    let place: HashMap<&str, usize> =
        worst.iter().map(|&pair| (&report.pairs[pair].sides().key[..], pair)).collect();
    let first = |pairs: &[PairKey]| pairs.first().and_then(|key| place.get(&key[..]).copied());
    report.groups.iter().filter_map(|group| first(&group.pairs)).take(PICTURES).collect()
}
