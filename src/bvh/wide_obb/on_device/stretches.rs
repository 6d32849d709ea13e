//! The search over stretches of time: proves for many pairs and stretches at once that nothing comes near.

use super::Placed;
use super::columns::UNFINISHED;
use super::motions::{Motion, ROUNDED_UP, distances_by_spheres, motion};
use super::parts::depth;
use super::placing::Refusal;
use super::residence::Residence;
use super::stretch_groups::StretchGroups;
use crate::bvh::moving::StretchQuestion;
use crate::bvh::wide_obb::WideObb;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::continuous::method::Boxes;
use crate::gpu::{DeviceError, Refused, Tally};
use crate::narrow::Work;
use closefit_geometry::parallel;

/// The reason why a question does not go to the device.
enum Left {
    /// The parts are so far from each other that they certainly stay apart.
    StayApart,
    /// All their points are within the limit.
    WithinLimit,
    /// They move so far that nothing could be proven.
    TooFast,
    /// The device cannot search the pair.
    Refused(Refusal),
}

impl Residence {
    /// Returns the bits of the open parts of each question, by a test of boxes, and the work done: see
    /// [`PairsOnDevice::open_parts_of_all`](crate::bvh::pairs_on_device::PairsOnDevice::open_parts_of_all).
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails.
    pub(super) fn open_parts(
        &mut self,
        boxes: Boxes,
        questions: &[StretchQuestion<&WideObb>],
    ) -> Result<(Vec<u32>, Work), DeviceError> {
        let (mut open, mut work) = (Vec::with_capacity(questions.len()), Work::default());
        while open.len() < questions.len() {
            let later = &questions[open.len()..];
            let count = self.settle_in(later.iter().map(|question| question.trees))?;
            open.extend(self.search_stretches(boxes, &later[..count], &mut work)?);
        }
        Ok((open, work))
    }

    /// Answers questions whose trees the device holds.
    fn search_stretches(
        &self,
        boxes: Boxes,
        questions: &[StretchQuestion<&WideObb>],
        work: &mut Work,
    ) -> Result<Vec<u32>, DeviceError> {
        let posed: Vec<[PosedWideObb; 2]> = parallel::map_items(questions, parallel::SMALL, |question| {
            [0, 1].map(|i| PosedWideObb::new(question.trees[i], &question.moment.poses[i]))
        });
        let asked: Vec<Result<(Placed, Motion), Left>> =
            parallel::map(questions.len(), parallel::SMALL, |number| {
                self.asked(number, &questions[number], posed[number].each_ref())
            });
        let mut open: Vec<u32> = questions.iter().map(StretchQuestion::all_parts).collect();
        let (mut placed, mut motions, mut refused) = (Vec::new(), Vec::new(), Refused::default());
        for (number, asked) in asked.into_iter().enumerate() {
            match asked {
                Ok((one, motion)) => {
                    placed.push(one);
                    motions.push(motion);
                }
                Err(Left::StayApart) => open[number] = 0,
                Err(Left::WithinLimit | Left::TooFast) => {}
                Err(Left::Refused(reason)) => refused += reason.counted(),
            }
        }
        self.device.add_to_tally(Tally { refused, ..Tally::default() });
        if placed.is_empty() {
            return Ok(open);
        }
        let Some(groups) = StretchGroups::new(self.device, &self.limits, depth(&placed))? else {
            return Ok(open);
        };
        let found = self.search_moving(boxes, (&placed, &motions), &groups, work)?;
        for (one, found) in placed.iter().zip(found) {
            open[one.number] &= found;
        }
        Ok(open)
    }

    /// Prepares a question for the device.
    ///
    /// # Errors
    /// The reason why it does not go there.
    fn asked<'a, 'q>(
        &self,
        number: usize,
        question: &StretchQuestion<&WideObb>,
        trees: [&'q PosedWideObb<'a>; 2],
    ) -> Result<(Placed<'a, 'q>, Motion), Left> {
        let &StretchQuestion { ref moment, limit, levels, .. } = question;
        let [nearest, farthest] = distances_by_spheres(trees);
        if nearest > (limit + moment.speed * moment.half + moment.slack) * ROUNDED_UP {
            return Err(Left::StayApart);
        }
        if farthest <= limit {
            return Err(Left::WithinLimit);
        }
        let placed = self.place(number, trees, 1).map_err(Left::Refused)?;
        let motion = motion(trees, moment, limit, placed.relation.home, levels).ok_or(Left::TooFast)?;
        Ok((placed, motion))
    }

    /// Returns the bits of the open parts of each placed pair; all bits of a pair that groups have given up.
    fn search_moving(
        &self,
        boxes: Boxes,
        (placed, motions): (&[Placed], &[Motion]),
        groups: &StretchGroups,
        work: &mut Work,
    ) -> Result<Vec<u32>, DeviceError> {
        let (mut open, before) = (vec![0; placed.len()], self.device.tally());
        for ([home, guest], parts) in self.parts(placed) {
            let launch = groups.launch([home, guest].map(|arena| self.arenas.buffer(arena)), boxes)?;
            for parts in parts.chunks(groups.most_questions()) {
                for (part, word) in parts.iter().zip(groups.run(parts, placed, motions, &launch)?) {
                    open[part.placed] |= if word & UNFINISHED == 0 { word } else { u32::MAX };
                }
            }
        }
        let after = self.device.tally();
        let stretch_triangle_tests = after.triangle_tests - before.triangle_tests;
        work.box_tests += after.box_tests - before.box_tests;
        work.triangle_tests += stretch_triangle_tests;
        self.device.add_to_tally(Tally {
            stretches: placed.len() as u64,
            stretches_apart: open.iter().filter(|&&open| open == 0).count() as u64,
            stretch_triangle_tests,
            ..Tally::default()
        });
        Ok(open)
    }
}
