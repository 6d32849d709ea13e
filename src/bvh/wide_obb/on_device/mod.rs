//! Search for the contacts and the distances of many pairs of trees at once on a compute device.
//!
//! The boxes of all pairs lie on one stack that cannot overflow (`queue`, and the kernel `plan`), and
//! `box_box` opens them in rounds. Leaf pairs go to a buffer that `triangle_triangle` empties before it
//! fills. The trees lie in a few large buffers (`arena`). Each pair is placed once, in fixed point, by the
//! CPU (`placing`, `fixed_point`) or by the device (`frames`), because only integer arithmetic is exact on
//! every device. Triangle pairs that remain undecided are tested again by `posed_triangles`, at the corners
//! and with the arithmetic of the CPU's kernel. Pairs that the device proves apart or in contact are final;
//! the CPU decides the others.
//!
//! Many questions about contacts are searched by groups of lanes (`groups`, `contact_groups`), depth first:
//! by the kernel `ask_octets`, four at a time, where one contact is enough or triangles are few, and else by
//! `ask_group`.
//!
//! Results of rounds leave the device sorted by pair and leaves (`results`, [`gpu::sort`](crate::gpu::sort)).
//!
//! Many distances are searched by groups (`near_groups`), depth first with a limit each. Few are searched in
//! rounds, nearest first (`distances`, `near_queue`). In each round, `rank`, `threshold` and
//! `select_near` find the items of each pair with the least lower bounds, `box_distance` opens them, and
//! `triangle_distance` bounds the distances of leaf pairs. Upper bounds lower the limit of the pair, beyond
//! which items are dropped. The CPU compares the triangles that remain exactly. The answers are therefore
//! those of any other search.
//!
//! A stretch of time is a pair with a motion (`motions`, `stretches`). Groups of lanes (`stretch_groups`)
//! search it, each for one pair, and halve time by themselves: the kernels `swept_boxes` and
//! `interval_boxes`, one for each test of boxes that move past each other, which also test triangles. A part
//! of a stretch in which nothing comes near needs no search on the CPU.

pub mod arena;
pub mod columns;
mod contact_groups;
mod contacts;
mod distances;
pub mod fixed_point;
pub mod frames;
pub mod groups;
pub mod kernels;
pub mod motions;
pub mod near_columns;
mod near_groups;
mod near_queue;
mod parts;
pub mod placing;
pub mod queue;
mod residence;
pub mod results;
mod stretch_groups;
mod stretches;

use std::sync::OnceLock;

use super::WideObb;
use super::posed::PosedWideObb;
use super::search::question::{Answer, Question};
use crate::bvh::Hierarchy;
use crate::bvh::moving::StretchQuestion;
use crate::bvh::pairs_on_device::{PairAsked, PairsOnDevice, Touching};
use crate::continuous::method::Boxes;
use crate::gpu::{Device, DeviceError, Refused, Tally};
use crate::narrow::{Nearest, Work};
use closefit_geometry::parallel;
use columns::Pair;
use frames::Unplaced;
use placing::{Refusal, Relation};
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
    /// The device sorts more results than this; the CPU sorts fewer.
    pub sort_from: u32,
    /// Least number of questions about contacts, or about distances, that groups of lanes answer. The default
    /// is 256 on a GPU. On a software adapter, which has few lanes, groups answer none.
    pub groups_from: Option<u32>,
    /// Largest number of groups.
    pub groups: u32,
    /// Largest number of steps of a group in one launch.
    pub steps: u32,
}

impl Default for Limits {
    /// Returns limits that take 2 GiB for trees and 48 MiB besides: 16 for the stack, 16 for leaf pairs and
    /// 16 for records; while it sorts, up to 20 more. With all other questions of a process, and buffers that
    /// wait for reuse, that stays below [`WORKING_MEMORY`](crate::gpu::WORKING_MEMORY).
    fn default() -> Self {
        Self {
            trees: 2 << 30,
            arena: u64::MAX,
            stack: 1 << 20,
            leaves: 1 << 20,
            round: 1 << 17,
            sort_from: 1 << 16,
            groups_from: None,
            groups: 1 << 12,
            steps: u32::MAX,
        }
    }
}

/// A question about a pair of trees that the device can search.
#[derive(Clone)]
struct Placed<'a, 'q> {
    /// Index of the question.
    number: usize,
    trees: [&'q PosedWideObb<'a>; 2],
    relation: Relation,
    /// 1 if one contact is enough.
    any: u32,
    /// The pair as the device gets it to place it, if it can.
    unplaced: Option<Box<Unplaced>>,
    /// The pair as the CPU places it, when first needed.
    pair: OnceLock<Box<Pair>>,
}

impl<'a, 'q> Placed<'a, 'q> {
    /// Returns the trees, home first.
    fn home_first(&self) -> [&'q PosedWideObb<'a>; 2] {
        let home = self.relation.home;
        [self.trees[home], self.trees[1 - home]]
    }

    /// Places the pair.
    ///
    /// # Errors
    /// The reason why the pair stays on the CPU.
    fn placed(self) -> Result<Self, Refusal> {
        let pair = placing::place(self.home_first(), &self.relation)?;
        Ok(Self { pair: OnceLock::from(Box::new(pair)), ..self })
    }

    /// Returns the pair without the offsets of its pieces.
    fn pair(&self) -> &Pair {
        self.pair.get_or_init(|| {
            let pair = placing::place(self.home_first(), &self.relation);
            Box::new(pair.expect("trees that a device can place are near enough, and known as precisely"))
        })
    }
}

impl PairsOnDevice<WideObb> for Residence {
    fn on(device: Device) -> Option<Self> {
        Some(Self::new(device, device.limits()))
    }

    fn contacts_of_all(
        &mut self,
        pairs: &[[&PosedWideObb; 2]],
        most: usize,
    ) -> Option<Vec<(Vec<[u32; 2]>, Work)>> {
        let questions: Vec<_> = pairs.iter().map(|&[a, b]| (a, b, Question::Contacts)).collect();
        let (answers, mut work) = self.ask_for(&questions, most).ok()?;
        let contacts = answers.into_iter().map(|answer| match answer {
            Answer::Contacts(contacts) => (contacts, std::mem::take(&mut work)),
            _ => unreachable!("contacts were asked for"),
        });
        Some(contacts.collect())
    }

    fn touching_of_all(&mut self, pairs: &[PairAsked<&PosedWideObb>], most: usize) -> Option<Vec<Touching>> {
        let question = |any: bool| if any { Question::Touches } else { Question::Contacts };
        let questions: Vec<_> =
            pairs.iter().map(|&PairAsked { pair: [a, b], any }| (a, b, question(any))).collect();
        let (answers, _) = self.ask_for(&questions, most).ok()?;
        let touching = |answer| match answer {
            Answer::Touches(false) => Touching::Nowhere,
            Answer::Touches(true) => Touching::Somewhere,
            Answer::Contacts(contacts) if contacts.is_empty() => Touching::Nowhere,
            Answer::Contacts(contacts) if contacts.len() > most => Touching::Somewhere,
            Answer::Contacts(contacts) => Touching::At(contacts),
            Answer::Within(_) => unreachable!("no distance is asked for"),
        };
        Some(answers.into_iter().map(touching).collect())
    }

    fn nearest_of_all(
        &mut self,
        pairs: &[[&PosedWideObb; 2]],
        bound: f64,
    ) -> Option<Vec<(Option<Option<Nearest>>, Work)>> {
        let mut found = vec![(None, Work::default()); pairs.len()];
        let mut begin = 0;
        while begin < pairs.len() {
            let later = &pairs[begin..];
            let Ok(count) = self.settle_in(later.iter().map(|[a, b]| [a.tree, b.tree])) else { break };
            let place = |number: usize| self.place(number, later[number], 0).ok();
            let placed: Vec<Placed> = parallel::gather(count, parallel::SMALL, |numbers, placed| {
                placed.extend(numbers.filter_map(place))
            });
            let Ok(answers) = self.find_nearest(&placed, |_| bound) else { break };
            if let Some((answers, work)) = answers {
                found[0].1 += work;
                for (p, answer) in placed.iter().zip(answers) {
                    found[begin + p.number].0 = Some(answer.map(|(nearest, _)| nearest));
                }
            }
            begin += count;
        }
        Some(found)
    }

    fn open_parts_of_all(
        &mut self,
        boxes: Boxes,
        questions: &[StretchQuestion<&WideObb>],
    ) -> Option<(Vec<u32>, Work)> {
        self.open_parts(boxes, questions).ok()
    }
}

impl Residence {
    /// Returns the answers to questions about pairs of placed trees, in order, and the work done. The CPU
    /// answers what the device cannot. Many questions, and questions whose trees do not fit into the memory
    /// for trees, are answered in several portions, which reuse the same memory.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails; no question is answered then.
    pub fn ask(
        &mut self,
        questions: &[(&PosedWideObb, &PosedWideObb, Question)],
    ) -> Result<(Vec<Answer>, Work), DeviceError> {
        self.ask_for(questions, usize::MAX)
    }

    /// Does [`Residence::ask`]. Of a pair with more than `most` contacts, lists some of them, more than
    /// `most`.
    fn ask_for(
        &mut self,
        questions: &[(&PosedWideObb, &PosedWideObb, Question)],
        most: usize,
    ) -> Result<(Vec<Answer>, Work), DeviceError> {
        let (mut answers, mut work, mut later) =
            (Vec::with_capacity(questions.len()), Work::default(), questions);
        while !later.is_empty() {
            let some = &later[..later.len().min(groups::QUESTIONS)];
            let (now, rest) = later.split_at(self.settle_in(some.iter().map(|(a, b, _)| [a.tree, b.tree]))?);
            let (found, done) = self.ask_together(now, most)?;
            answers.extend(found);
            work += done;
            later = rest;
        }
        Ok((answers, work))
    }

    /// Answers questions whose trees the device holds.
    fn ask_together(
        &self,
        questions: &[(&PosedWideObb, &PosedWideObb, Question)],
        most: usize,
    ) -> Result<(Vec<Answer>, Work), DeviceError> {
        let (mut placed, mut left, mut refused) = (Vec::new(), Vec::new(), Refused::default());
        let place = |number: usize| {
            let (a, b, question) = questions[number];
            // No distance is below 0, and none is compared with NaN.
            let is_open = !matches!(question, Question::Within(limit) if limit.is_nan() || limit < 0.0);
            is_open.then(|| match question {
                Question::Within(_) => self.place(number, [a, b], 1).map(Some),
                _ => self.relate(number, [a, b], u32::from(question != Question::Contacts)),
            })
        };
        let tried = parallel::map(questions.len(), parallel::SMALL, place);
        for (number, one) in tried.into_iter().enumerate() {
            match one {
                Some(Ok(one)) => placed.extend(one),
                Some(Err(reason)) => {
                    left.push(number);
                    refused += reason.counted();
                }
                None => {}
            }
        }
        self.device.add_to_tally(Tally { refused, ..Tally::default() });
        let mut answers: Vec<Answer> =
            questions.iter().map(|(.., question)| nothing_found(*question)).collect();
        let (searched, own) = parallel::both(
            || self.search(questions, placed, most, &mut answers),
            || on_the_cpu(questions, left, most),
        );
        let mut work = searched?;
        for (i, answer, done) in own {
            answers[i] = answer;
            work += done;
        }
        Ok((answers, work))
    }

    /// Answers questions about placed pairs: contacts first, then the distances of trees without contact.
    fn search<'a, 'q>(
        &self,
        questions: &[(&'q PosedWideObb<'a>, &'q PosedWideObb<'a>, Question)],
        mut placed: Vec<Placed<'a, 'q>>,
        most: usize,
        answers: &mut [Answer],
    ) -> Result<Work, DeviceError> {
        let (found, mut work) = self.find_contacts(&placed, most)?;
        let of_pairs: Vec<Answer> = parallel::map_owned(found, parallel::SMALL, |at, places| {
            answer(&placed[at], questions[placed[at].number].2, places)
        });
        for (p, answer) in placed.iter().zip(of_pairs) {
            answers[p.number] = answer;
        }

        let limit =
            |p: &Placed| if let (.., Question::Within(limit)) = questions[p.number] { limit } else { -1.0 };
        placed.retain(|p| answers[p.number] == Answer::Within(None));
        let Some((nearest, done)) = self.find_nearest(&placed, limit)? else {
            let left = placed.iter().map(|p| p.number).collect();
            for (i, answer, done) in on_the_cpu(questions, left, most) {
                answers[i] = answer;
                work += done;
            }
            return Ok(work);
        };
        for (p, nearest) in placed.iter().zip(nearest) {
            answers[p.number] = Answer::Within(nearest);
        }
        work += done;
        Ok(work)
    }

    /// Prepares a question about contacts of trees that the device holds. The device places the pair, or the
    /// CPU does at once. Returns `None` for trees that are apart.
    ///
    /// # Errors
    /// The reason why the pair stays on the CPU.
    fn relate<'a, 'q>(
        &self,
        number: usize,
        trees: [&'q PosedWideObb<'a>; 2],
        any: u32,
    ) -> Result<Option<Placed<'a, 'q>>, Refusal> {
        if frames::are_apart(trees) {
            return Ok(None);
        }
        let one = self.related(number, trees, any)?;
        match Unplaced::new(one.home_first(), &one.relation, any) {
            Some(unplaced) => Ok(Some(Placed { unplaced: Some(Box::new(unplaced)), ..one })),
            None => one.placed().map(Some),
        }
    }

    /// Places a pair of trees that the device holds. `any` is 1 if one contact is enough.
    ///
    /// # Errors
    /// The reason why the pair stays on the CPU.
    fn place<'a, 'q>(
        &self,
        number: usize,
        trees: [&'q PosedWideObb<'a>; 2],
        any: u32,
    ) -> Result<Placed<'a, 'q>, Refusal> {
        self.related(number, trees, any)?.placed()
    }

    fn related<'a, 'q>(
        &self,
        number: usize,
        trees: [&'q PosedWideObb<'a>; 2],
        any: u32,
    ) -> Result<Placed<'a, 'q>, Refusal> {
        if !trees.iter().all(|posed| self.holds(posed.tree)) {
            return Err(Refusal::NotFinite);
        }
        let relation = placing::relate(trees)?;
        Ok(Placed { number, trees, relation, any, unplaced: None, pair: OnceLock::new() })
    }
}

/// Answers some of the questions by searches of their own.
fn on_the_cpu(
    questions: &[(&PosedWideObb, &PosedWideObb, Question)],
    numbers: Vec<usize>,
    most: usize,
) -> Vec<(usize, Answer, Work)> {
    let ask = |i: usize| {
        let (a, b, question) = questions[i];
        let mut work = Work::default();
        let answer = match question {
            Question::Contacts => Answer::Contacts(WideObb::contacts(a, b, most, &mut work)),
            _ => question.ask(a, b, &mut work),
        };
        (i, answer, work)
    };
    parallel::map_items(&numbers, 1, |&number| ask(number))
}

/// Returns the answer to a question that the places of contacts in two trees give.
fn answer(placed: &Placed, question: Question, mut places: Vec<[u32; 2]>) -> Answer {
    let [a, b] = placed.trees.map(|posed| &posed.tree.triangles);
    let triangles = |&[i, j]: &[u32; 2]| [a[i as usize], b[j as usize]];
    match question {
        Question::Contacts => {
            // In place: the contacts of many pairs take more time to allocate than to sort.
            places.iter_mut().for_each(|places| *places = triangles(places));
            places.sort_unstable();
            Answer::Contacts(places)
        }
        Question::Touches => Answer::Touches(!places.is_empty()),
        Question::Within(_) => Answer::Within(
            places.first().map(|places| (Nearest { distance: 0.0, triangles: triangles(places) }, *places)),
        ),
    }
}

fn nothing_found(question: Question) -> Answer {
    match question {
        Question::Contacts => Answer::Contacts(Vec::new()),
        Question::Touches => Answer::Touches(false),
        Question::Within(_) => Answer::Within(None),
    }
}
