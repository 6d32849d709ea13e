//! The search of many rows of a check for contacts on a compute device, in few launches. It skips work: what
//! the device does not prove, the CPU decides as without it.

use std::fmt;

use super::pair_request::request_of;
use super::repeated::{PreparedCheck, one_contact_says_all};
use crate::bvh::pairs_on_device::{PairAsked, Touching};
use crate::bvh::trees::PairsOfAll;
use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;

/// Number of pairs that a device gets together, except that a row is not divided.
const TOGETHER: usize = 1 << 15;

/// Number of contacts of all rows for which there is room, 64 MiB. Pairs with more than their share are
/// searched by the CPU, one by one.
const ROOM: usize = 1 << 23;

/// A row of poses and its pairs that bounds do not prove clear, in order, each with what a device has found.
#[derive(Clone, Debug)]
pub struct NearRow {
    /// Poses of all parts; none if there is no pair.
    pub(super) poses: Vec<Pose>,
    pub(super) pairs: Vec<([PartId; 2], Option<Touching>)>,
}

/// The search of rows on a device, which keeps the trees from one call to the next.
pub struct RowsOnDevice<'p> {
    check: &'p PreparedCheck<'p>,
    all_pairs: Box<dyn PairsOfAll + 'p>,
}

impl fmt::Debug for RowsOnDevice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowsOnDevice").field("check", self.check).finish_non_exhaustive()
    }
}

impl<'p> RowsOnDevice<'p> {
    pub(super) fn new(check: &'p PreparedCheck<'p>, all_pairs: Box<dyn PairsOfAll + 'p>) -> Self {
        Self { check, all_pairs }
    }

    /// Searches all pairs of rows for contacts. If the device fails, pairs stay as they are.
    pub fn search(&mut self, rows: &mut [&mut NearRow]) {
        let most = ROOM / rows.iter().map(|row| row.pairs.len()).sum::<usize>().max(1);
        let mut rows = rows.iter_mut().filter(|row| !row.pairs.is_empty()).peekable();
        while rows.peek().is_some() {
            let (mut some, mut count) = (Vec::new(), 0);
            while count < TOGETHER
                && let Some(row) = rows.next()
            {
                count += row.pairs.len();
                some.push(&mut **row);
            }
            self.search_together(&mut some, most);
        }
    }

    /// Searches the pairs of some rows. Of a pair with more than `most` contacts, no list is kept.
    fn search_together(&mut self, rows: &mut [&mut NearRow], most: usize) {
        let (posed, pairs) = self.questions(rows);
        let Some(found) = self.all_pairs.touching(&posed, &pairs, most) else { return };
        let all = rows.iter_mut().flat_map(|row| &mut row.pairs);
        all.zip(found).for_each(|((_, touching), found)| *touching = Some(found));
    }

    /// Returns each part at each of its poses, and the pairs by their places among these.
    fn questions(&self, rows: &[&mut NearRow]) -> (Vec<(usize, Pose)>, Vec<PairAsked<usize>>) {
        let prepared = self.check.prepared;
        let (mut posed, mut pairs) = (Vec::new(), Vec::new());
        let mut places: Vec<Option<usize>> = vec![None; prepared.moves.len()];
        for row in rows {
            for (ids, _) in &row.pairs {
                let parts = ids.map(PartId::index);
                let pair = parts.map(|part| {
                    *places[part].get_or_insert_with(|| {
                        let stands = &prepared.scene.parts[part].pose;
                        posed.push((part, if prepared.moves[part] { row.poses[part] } else { *stands }));
                        posed.len() - 1
                    })
                });
                let bodies = parts.map(|part| self.check.bodies.body(part));
                let request = request_of(prepared.scene, &prepared.request, *ids);
                pairs.push(PairAsked { pair, any: one_contact_says_all(bodies, &request) });
            }
            // Parts that stand keep their places.
            let moved = row.pairs.iter().flat_map(|(ids, _)| ids.map(PartId::index));
            moved.filter(|&part| prepared.moves[part]).for_each(|part| places[part] = None);
        }
        (posed, pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{PreparedScene, RowScratch, Unobserved};
    use crate::narrow::Work;
    use crate::query::{CheckRequest, DepthDetail};
    use closefit_generate::{Request, generate};
    use closefit_geometry::lanes::FourPoses;

    /// Checks that rows are decided alike, whatever a device finds of their contacts.
    #[test]
    fn all_that_a_device_may_find_gives_the_same_row() {
        let request = Request { name: "gearbox".to_owned(), size: Some(12), seed: 0, soup: false };
        let scene = generate(&request).expect("a scene");
        let poses: Vec<FourPoses> = scene.parts.iter().map(|part| FourPoses::splat(&part.pose)).collect();
        let moves = vec![true; poses.len()];
        for depth in [DepthDetail::None, DepthDetail::Verdict] {
            let request = CheckRequest::default().tolerance(1e-6).depth(depth);
            let prepared = PreparedScene::new(&scene, &moves, &request, &Unobserved).expect("in range");
            let (check, scratch) = (prepared.checks(), &mut RowScratch::default());
            check.place(&poses, 4, scratch);
            let expected = check.at((3, &poses), false, scratch).expect("in range");
            let near = check.near((0, &poses), scratch).expect("in range");
            assert!(expected.len() > 3 && near.pairs.len() > 3, "{} pairs", near.pairs.len());
            let contacts = |ids: &[PartId; 2]| {
                check.bodies.ask(ids.map(PartId::index), |pair| pair.contacts(&mut Work::default()))
            };
            let lists: Vec<Touching> =
                near.pairs.iter().map(|(ids, _)| Touching::At(contacts(ids))).collect();
            for round in 0..3 {
                let mut row = near.clone();
                for (at, ((_, found), list)) in row.pairs.iter_mut().zip(&lists).enumerate() {
                    let some =
                        if *list == Touching::At(vec![]) { Touching::Nowhere } else { Touching::Somewhere };
                    *found = [None, Some(some), Some(list.clone())][(at + round) % 3].clone();
                }
                assert_eq!(check.decide(row, false), expected, "{depth:?}");
            }
        }
    }
}
