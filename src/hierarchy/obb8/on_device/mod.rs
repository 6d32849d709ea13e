//! Contact search for many pairs of trees at once on a compute device.
//!
//! The device follows the scheme of `search/staged`. The boxes of all pairs lie on one stack that cannot overflow
//! (`queue`, and the kernel `plan`), and `box_box` opens them in rounds. Leaf pairs go to a buffer that
//! `triangle_triangle` empties before it fills. The trees lie in a few large buffers (`arena`). Each pair is placed
//! once, in fixed point (`placing`, `fixed_point`), because only integer arithmetic is exact on every device. Triangle
//! pairs that remain undecided are tested again by `posed_triangles`, at the corners and with the arithmetic of the
//! CPU's kernel. Pairs that the device proves apart or in contact are final; the CPU decides the others. The answers
//! are therefore those of any other search.

pub mod arena;
pub mod columns;
mod contacts;
pub mod fixed_point;
pub mod kernels;
mod placing;
mod queue;
mod residence;

use rayon::prelude::*;

use super::posed::Posed;
use super::search::staged::{Answer, Question};
use crate::gpu::{DeviceError, Refused, Tally};
use crate::narrow::Work;
use columns::Pair;
use placing::Refusal;
pub use residence::Residence;

/// Limits on device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all trees. A pair of larger trees is sent all the same.
    pub trees: u64,
    /// Largest size of one arena of trees, in bytes.
    pub arena: u64,
    /// Capacity of the stack, in items. Raised if the deepest pair of trees needs more.
    pub stack: u32,
    /// Capacity of the buffer of leaf pairs, and of that of records.
    pub leaves: u32,
    /// Largest number of items that one round opens.
    pub round: u32,
}

impl Default for Limits {
    /// Returns limits that take 2 GiB for trees and 48 MiB besides: 16 for the stack, 16 for leaf pairs and 16 for
    /// records.
    fn default() -> Self {
        Self { trees: 2 << 30, arena: u64::MAX, stack: 1 << 20, leaves: 1 << 20, round: 1 << 17 }
    }
}

/// A question that the device can answer, with its pair of trees placed.
struct Placed<'a, 'q> {
    /// Index of the question.
    number: usize,
    trees: [&'q Posed<'a>; 2],
    /// Index of the home tree, 0 or 1.
    home: usize,
    pair: Pair,
}

impl<'a> Residence<'a> {
    /// Returns the contacts of each pair, in order. All the work counts as that of the first pair. Returns `None` if
    /// the device fails; the caller then continues on the CPU.
    pub fn contacts_of_all(&mut self, pairs: &[[&Posed<'a>; 2]]) -> Option<Vec<(Vec<[u32; 2]>, Work)>> {
        let questions: Vec<_> = pairs.iter().map(|&[a, b]| (a, b, Question::Contacts)).collect();
        let (answers, mut work) = self.ask(&questions).ok()?;
        let contacts = answers.into_iter().map(|answer| match answer {
            Answer::Contacts(contacts) => (contacts, std::mem::take(&mut work)),
            _ => unreachable!("contacts were asked for"),
        });
        Some(contacts.collect())
    }

    /// Returns the answers to questions about pairs of placed trees, in order, and the work done. The device searches
    /// for contacts; the CPU does everything else. If the trees do not fit into the memory for them, the questions are
    /// asked in several portions.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails; no question is answered then.
    pub fn ask(
        &mut self,
        questions: &[(&Posed<'a>, &Posed<'a>, Question)],
    ) -> Result<(Vec<Answer>, Work), DeviceError> {
        let (mut answers, mut work, mut later) =
            (Vec::with_capacity(questions.len()), Work::default(), questions);
        while !later.is_empty() {
            let (now, rest) = later.split_at(self.settle_in(later.iter().map(|(a, b, _)| [a.tree, b.tree]))?);
            let (found, done) = self.ask_together(now)?;
            answers.extend(found);
            work += done;
            later = rest;
        }
        Ok((answers, work))
    }

    /// Answers questions whose trees the device holds.
    fn ask_together(
        &self,
        questions: &[(&Posed<'a>, &Posed<'a>, Question)],
    ) -> Result<(Vec<Answer>, Work), DeviceError> {
        let tried: Vec<Result<Placed<'a, '_>, Option<Refusal>>> = questions
            .par_iter()
            .enumerate()
            .map(|(number, question)| self.placed(number, question))
            .collect();
        let (mut placed, mut left, mut refused) = (Vec::new(), Vec::new(), Refused::default());
        for (i, one) in tried.into_iter().enumerate() {
            match one {
                Ok(one) => placed.push(one),
                Err(reason) => {
                    left.push(i);
                    refused += reason.map(Refusal::counted).unwrap_or_default();
                }
            }
        }
        let own = |&i: &usize| {
            let (a, b, question) = questions[i];
            let mut work = Work::default();
            (question.ask(a, b, &mut work), work)
        };
        let (searched, own): (_, Vec<(Answer, Work)>) =
            rayon::join(|| self.find_contacts(&placed), || left.par_iter().map(own).collect());
        let (found, mut work) = searched?;
        self.device.add_to_tally(Tally { refused, ..Tally::default() });

        let mut answers: Vec<Answer> =
            questions.iter().map(|(.., question)| nothing_found(*question)).collect();
        for (i, (answer, done)) in left.into_iter().zip(own) {
            answers[i] = answer;
            work += done;
        }
        for [index, a, b] in found {
            match &mut answers[placed[index as usize].number] {
                Answer::Contacts(contacts) => contacts.push([a, b]),
                touches => *touches = Answer::Touches(true),
            }
        }
        Ok((answers, work))
    }

    /// Places the trees of a question.
    ///
    /// # Errors
    /// The reason why the CPU has to answer it; `None` for a distance.
    fn placed<'q>(
        &self,
        number: usize,
        &(a, b, question): &(&'q Posed<'a>, &'q Posed<'a>, Question),
    ) -> Result<Placed<'a, 'q>, Option<Refusal>> {
        let any = match question {
            Question::Contacts => 0,
            Question::Touches => 1,
            Question::Within(_) => return Err(None),
        };
        if !(self.holds(a.tree) && self.holds(b.tree)) {
            return Err(Some(Refusal::NotFinite));
        }
        let (home, pair) = placing::place([a, b])?;
        Ok(Placed { number, trees: [a, b], home, pair: Pair { any, ..pair } })
    }
}

fn nothing_found(question: Question) -> Answer {
    match question {
        Question::Contacts => Answer::Contacts(Vec::new()),
        Question::Touches => Answer::Touches(false),
        Question::Within(_) => Answer::Within(None),
    }
}
