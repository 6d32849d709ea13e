//! Questions about many pairs of trees at once, which a compute device may answer.

use super::Hierarchy;
use super::moving::StretchQuestion;
use crate::continuous::method::Boxes;
use crate::gpu::Device;
use crate::narrow::{Nearest, Work};

/// A question for the contacts of a pair.
#[derive(Clone, Copy, Debug)]
pub struct PairAsked<P> {
    /// The two trees or bodies.
    pub pair: [P; 2],
    /// True if one contact is enough.
    pub any: bool,
}

/// The contacts of a pair, as far as a device has found them.
#[derive(Clone, Debug, PartialEq)]
pub enum Touching {
    /// It has no contact.
    Nowhere,
    /// It has a contact, and perhaps more.
    Somewhere,
    /// All its pairs of triangles in contact, sorted: at least one.
    At(Vec<[u32; 2]>),
}

/// The trees that a device holds from one batch of pairs to the next, and the search of such batches. The
/// work of a batch counts as that of its first pair. Where there is no answer, the caller continues on the
/// CPU.
pub trait PairsOnDevice<T: Hierarchy>: Send + Sized {
    /// Begins without trees; `None` if devices cannot search this kind of tree.
    fn on(_device: Device) -> Option<Self> {
        None
    }

    /// Returns the [`Hierarchy::contacts`] of many pairs, in order, with the work of each; `None` if the
    /// device fails.
    fn contacts_of_all(
        &mut self,
        _pairs: &[[&T::Posed<'_>; 2]],
        _most: usize,
    ) -> Option<Vec<(Vec<[u32; 2]>, Work)>> {
        None
    }

    /// Returns whether and where pairs touch, in order; `None` if the device fails. `any` says of a pair that
    /// one contact is enough. Of a pair with more than `most` contacts, no list is returned.
    fn touching_of_all(
        &mut self,
        _pairs: &[PairAsked<&T::Posed<'_>>],
        _most: usize,
    ) -> Option<Vec<Touching>> {
        None
    }

    /// Returns the [`Hierarchy::nearest`] of many pairs without contact, in order: `None` for a pair that the
    /// device cannot search, and for the rest of them if it fails.
    fn nearest_of_all(
        &mut self,
        _pairs: &[[&T::Posed<'_>; 2]],
        _bound: f64,
    ) -> Option<Vec<(Option<Option<Nearest>>, Work)>> {
        None
    }

    /// Returns, for each question, a bit for every part of its stretch: 0 only if the device proves, by a
    /// test of boxes, that the trees stay farther apart than the limit throughout that part; and the work
    /// done. Returns `None` if the device fails.
    fn open_parts_of_all(
        &mut self,
        _boxes: Boxes,
        _questions: &[StretchQuestion<&T>],
    ) -> Option<(Vec<u32>, Work)> {
        None
    }
}

/// The trees of a kind that devices cannot search.
impl<T: Hierarchy> PairsOnDevice<T> for () {}
