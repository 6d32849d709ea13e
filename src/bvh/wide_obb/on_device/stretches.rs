//! The search over stretches of time: proves for many pairs and stretches at once that nothing comes near.

use bytemuck::cast_slice;

use super::columns::BY_FEATURES;
use super::fronts::{Front, Fronts};
use super::motions::{Motion, ROUNDED_UP, distances_by_spheres, motion};
use super::parts::depth;
use super::placing::Refusal;
use super::residence::Residence;
use super::{Limits, Placed};
use crate::bvh::moving::StretchQuestion;
use crate::bvh::wide_obb::WideObb;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::continuous::method::Boxes;
use crate::gpu::{DeviceError, Refused, Tally, Use};
use crate::narrow::Work;
use closefit_geometry::ids::to_u32;
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
    /// Returns, for each question, true only if the trees are proven to stay farther apart than the limit, by
    /// a test of boxes, and the work done.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails.
    pub(super) fn stay_beyond(
        &mut self,
        boxes: Boxes,
        questions: &[StretchQuestion<&WideObb>],
    ) -> Result<(Vec<bool>, Work), DeviceError> {
        let (mut proven, mut work) = (Vec::with_capacity(questions.len()), Work::default());
        let mut last = self.fronts.take();
        while proven.len() < questions.len() {
            let later = &questions[proven.len()..];
            let count = self.settle_in(later.iter().map(|question| question.trees))?;
            // Questions are numbered within a portion, so only a call that is not cut into several has
            // fronts.
            last = last.filter(|_| count == questions.len());
            let (found, fronts) = self.search_stretches(boxes, &later[..count], last.take(), &mut work)?;
            self.fronts = fronts.filter(|_| count == questions.len());
            proven.extend(found);
        }
        Ok((proven, work))
    }

    /// Answers questions whose trees the device holds. Takes the fronts of the last call, and returns those
    /// of this one.
    fn search_stretches(
        &self,
        boxes: Boxes,
        questions: &[StretchQuestion<&WideObb>],
        last: Option<Fronts>,
        work: &mut Work,
    ) -> Result<(Vec<bool>, Option<Fronts>), DeviceError> {
        let posed: Vec<[PosedWideObb; 2]> = parallel::map_items(questions, parallel::SMALL, |question| {
            [0, 1].map(|i| PosedWideObb::new(question.trees[i], &question.moment.poses[i]))
        });
        let asked: Vec<Result<(Placed, Motion), Left>> =
            parallel::map(questions.len(), parallel::SMALL, |number| {
                self.asked(number, &questions[number], posed[number].each_ref())
            });
        let mut proven = vec![false; questions.len()];
        let (mut placed, mut motions, mut refused) = (Vec::new(), Vec::new(), Refused::default());
        for (number, asked) in asked.into_iter().enumerate() {
            match asked {
                Ok((mut one, motion)) => {
                    one.query = to_u32(placed.len());
                    placed.push(one);
                    motions.push(motion);
                }
                Err(Left::StayApart) => proven[number] = true,
                Err(Left::WithinLimit | Left::TooFast) => {}
                Err(Left::Refused(reason)) => refused += reason.counted(),
            }
        }
        self.device.add_to_tally(Tally { refused, ..Tally::default() });
        if placed.is_empty() {
            return Ok((proven, None));
        }
        let depth = depth(&placed);
        let stack = self.limits.stack.max(64 + 8 * depth);
        let limits = Limits { stack, ..self.limits };
        let mut fronts = Fronts::after(last, self.device, &limits, [questions.len(), placed.len()])?;
        let begins: Vec<Option<Front>> =
            placed.iter().map(|one| fronts.of_parent(questions[one.number].parent, one)).collect();
        let stay_apart = self.search_moving(boxes, (&placed, &motions, &begins), depth, &mut fronts, work)?;
        for (one, stay_apart) in placed.iter().zip(stay_apart) {
            proven[one.number] = stay_apart;
        }
        Ok((proven, fronts.for_next()))
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
        let &StretchQuestion { ref moment, limit, .. } = question;
        let [nearest, farthest] = distances_by_spheres(trees);
        if nearest > (limit + moment.speed * moment.half + moment.slack) * ROUNDED_UP {
            return Err(Left::StayApart);
        }
        if farthest <= limit {
            return Err(Left::WithinLimit);
        }
        let placed = self.place(number, trees, 1).map_err(Left::Refused)?;
        let motion = motion(trees, moment, limit, placed.relation.home).ok_or(Left::TooFast)?;
        Ok((placed, motion))
    }

    /// Returns, for each placed pair, true only if its parts stay farther apart than the limit over its
    /// stretch. `begins` has the fronts at which searches begin.
    fn search_moving(
        &self,
        boxes: Boxes,
        (placed, motions, begins): (&[Placed], &[Motion], &[Option<Front>]),
        depth: u32,
        fronts: &mut Fronts,
        work: &mut Work,
    ) -> Result<Vec<bool>, DeviceError> {
        let (mut stay_apart, mut by_features) = (vec![true; placed.len()], vec![false; placed.len()]);
        let room = fronts.workspace.items(depth).ok_or(DeviceError::OutOfMemory)?;
        let motion_bytes = fronts.workspace.most_pairs() * size_of::<Motion>();
        let buffer = self.device.lend(Use::Storage, motion_bytes as u64)?;
        let (before, mut at_fronts) = (self.device.tally(), 0);
        for ([home, guest], all) in self.parts(placed) {
            let arenas = [self.arenas.buffer(home), self.arenas.buffer(guest)];
            let submission = fronts.workspace.stretch_launches(arenas, &buffer, boxes)?;
            let mut begin = 0;
            while begin < all.len() {
                let (batch, count) =
                    fronts.batch((self.device, boxes), &all[begin..], placed, begins, room)?;
                let parts = &all[begin..begin + count];
                let of_parts: Vec<Motion> = parts.iter().map(|part| motions[part.placed]).collect();
                self.device.write(&buffer, 0, cast_slice(&of_parts));
                let counts = fronts.workspace.run(&batch, &submission, depth, None)?;
                fronts.keep(&counts);
                for (part, word) in parts.iter().zip(fronts.workspace.done(count)?) {
                    stay_apart[part.placed] &= word & !BY_FEATURES == 0;
                    by_features[part.placed] |= word & BY_FEATURES != 0;
                    let one = &placed[part.placed];
                    if one.trees.iter().all(|tree| self.pieces(tree.tree).len() == 1) {
                        fronts.note(part.placed, one, word);
                    }
                }
                at_fronts += (count - batch.items.len() - batch.leaves.len()) as u64;
                begin += count;
            }
        }
        let after = self.device.tally();
        let stretch_triangle_tests = after.triangle_tests - before.triangle_tests;
        work.box_tests += after.box_tests - before.box_tests;
        work.triangle_tests += stretch_triangle_tests;
        self.device.add_to_tally(Tally {
            stretches: placed.len() as u64,
            stretches_at_fronts: at_fronts,
            stretches_apart: stay_apart.iter().filter(|&&apart| apart).count() as u64,
            stretches_by_features: stay_apart
                .iter()
                .zip(by_features)
                .filter(|&(&apart, by)| apart && by)
                .count() as u64,
            stretch_triangle_tests,
            ..Tally::default()
        });
        Ok(stay_apart)
    }
}
