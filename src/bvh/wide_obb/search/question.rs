//! The questions about two trees, many of them answered together, and their answers.

use super::{PosedPair, contacts, nearest};
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::narrow::{Nearest, Work};

/// A question about two trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// All pairs of triangles in contact.
    Contacts,
    /// The question whether there is any contact.
    Touches,
    /// The closest triangles, if their distance is at most this.
    Within(f64),
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// All pairs of triangles in contact, sorted.
    Contacts(Vec<[u32; 2]>),
    /// True if there is any contact.
    Touches(bool),
    /// The closest triangles and their places in the trees; in contact, any that touch. `None` beyond the
    /// limit.
    Within(Option<(Nearest, [u32; 2])>),
}

impl Question {
    /// Answers the question by a search of its own.
    pub fn ask(self, a: &PosedWideObb, b: &PosedWideObb, work: &mut Work) -> Answer {
        match self {
            Self::Contacts => Answer::Contacts(contacts::contacts_in_parallel(
                a,
                b,
                usize::MAX,
                &mut contacts::Scratch::default(),
                work,
            )),
            Self::Touches => {
                Answer::Touches(contacts::touches(a, b, &mut contacts::Scratch::default(), work))
            }
            Self::Within(limit) if limit >= 0.0 => {
                let pair = PosedPair::new(a, b);
                Answer::Within(nearest::search(&pair, limit, None, &mut nearest::Scratch::default(), work))
            }
            Self::Within(_) => Answer::Within(None),
        }
    }
}
