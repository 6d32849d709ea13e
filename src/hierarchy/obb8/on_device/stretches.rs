//! The search over stretches of time: proves for many pairs and stretches at once that nothing comes near.

use bytemuck::cast_slice;
use rayon::prelude::*;

use super::motions::{Motion, ROUNDED_UP, distances_by_spheres, motion};
use super::parts::{batch, depth};
use super::placing::Refusal;
use super::queue::Workspace;
use super::residence::Residence;
use super::{Limits, Placed};
use crate::continuous::method::Boxes;
use crate::gpu::{DeviceError, Refused, Tally, Use};
use crate::hierarchy::moving::StretchQuestion;
use crate::hierarchy::obb8::Obb8;
use crate::hierarchy::obb8::posed::Posed;
use crate::narrow::Work;

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

impl<'a> Residence<'a> {
    /// Returns, for each question, true only if the trees are proven to stay farther apart than the limit, by a test of
    /// boxes, and the work done.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails.
    pub fn stay_beyond_of_all(
        &mut self,
        boxes: Boxes,
        questions: &[StretchQuestion<'a, Obb8>],
    ) -> Result<(Vec<bool>, Work), DeviceError> {
        let (mut proven, mut work) = (Vec::with_capacity(questions.len()), Work::default());
        while proven.len() < questions.len() {
            let later = &questions[proven.len()..];
            let count = self.settle_in(later.iter().map(|question| question.trees))?;
            proven.extend(self.search_stretches(boxes, &later[..count], &mut work)?);
        }
        Ok((proven, work))
    }

    /// Answers questions whose trees the device holds.
    fn search_stretches(
        &self,
        boxes: Boxes,
        questions: &[StretchQuestion<'a, Obb8>],
        work: &mut Work,
    ) -> Result<Vec<bool>, DeviceError> {
        let posed: Vec<[Posed; 2]> = (questions.par_iter())
            .map(|question| [0, 1].map(|i| Posed::new(question.trees[i], &question.moment.poses[i])))
            .collect();
        let asked: Vec<Result<(Placed, Motion), Left>> = (0..questions.len())
            .into_par_iter()
            .map(|number| self.asked(number, &questions[number], posed[number].each_ref()))
            .collect();
        let mut proven = vec![false; questions.len()];
        let (mut placed, mut motions, mut refused) = (Vec::new(), Vec::new(), Refused::default());
        for (number, asked) in asked.into_iter().enumerate() {
            match asked {
                Ok((one, motion)) => {
                    placed.push(one);
                    motions.push(motion);
                }
                Err(Left::StayApart) => proven[number] = true,
                Err(Left::WithinLimit | Left::TooFast) => {}
                Err(Left::Refused(reason)) => refused += reason.counted(),
            }
        }
        self.device.add_to_tally(Tally { refused, ..Tally::default() });
        for (one, stay_apart) in placed.iter().zip(self.search_moving(boxes, (&placed, &motions), work)?) {
            proven[one.number] = stay_apart;
        }
        Ok(proven)
    }

    /// Prepares a question for the device.
    ///
    /// # Errors
    /// The reason why it does not go there.
    fn asked<'q>(
        &self,
        number: usize,
        question: &StretchQuestion<'a, Obb8>,
        trees: [&'q Posed<'a>; 2],
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
        let motion = motion(trees, moment, limit, placed.home).ok_or(Left::TooFast)?;
        Ok((placed, motion))
    }

    /// Returns, for each placed pair, true only if its parts stay farther apart than the limit over its stretch.
    fn search_moving(
        &self,
        boxes: Boxes,
        (placed, motions): (&[Placed], &[Motion]),
        work: &mut Work,
    ) -> Result<Vec<bool>, DeviceError> {
        let mut stay_apart = vec![true; placed.len()];
        if placed.is_empty() {
            return Ok(stay_apart);
        }
        let depth = depth(placed);
        let stack = self.limits.stack.max(64 + 8 * depth);
        let workspace = Workspace::new(self.device, &Limits { stack, ..self.limits })?;
        let motion_bytes = workspace.most_pairs() * size_of::<Motion>();
        let buffer = self.device.lend(Use::Storage, motion_bytes as u64)?;
        let before = self.device.tally();
        for ([home, guest], parts) in self.parts(placed) {
            let arenas = [self.arenas.buffer(home), self.arenas.buffer(guest)];
            let submission = workspace.stretch_launches(arenas, &buffer, boxes)?;
            let roots = workspace.roots(depth).ok_or(DeviceError::OutOfMemory)?;
            for parts in parts.chunks(roots) {
                let batch = batch(parts, placed);
                let of_parts: Vec<Motion> = parts.iter().map(|part| motions[part.placed]).collect();
                self.device.write(&buffer, 0, cast_slice(&of_parts));
                workspace.run(&batch, &submission, depth, None)?;
                for (part, is_done) in parts.iter().zip(workspace.done(parts.len())?) {
                    stay_apart[part.placed] &= !is_done;
                }
            }
        }
        let after = self.device.tally();
        let stretch_triangle_tests = after.triangle_tests - before.triangle_tests;
        work.box_tests += after.box_tests - before.box_tests;
        work.triangle_tests += stretch_triangle_tests;
        self.device.add_to_tally(Tally {
            stretches: placed.len() as u64,
            stretches_apart: stay_apart.iter().filter(|&&apart| apart).count() as u64,
            stretch_triangle_tests,
            ..Tally::default()
        });
        Ok(stay_apart)
    }
}
