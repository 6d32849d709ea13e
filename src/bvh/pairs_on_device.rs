//! Questions about many pairs of trees at once, which a compute device may answer.

use super::Hierarchy;
use super::moving::StretchQuestion;
use crate::continuous::method::Boxes;
use crate::gpu::Device;
use crate::narrow::{Nearest, Work};

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

    /// Returns the [`Hierarchy::nearest`] of many pairs without contact, in order: `None` for a pair that the
    /// device cannot search, and for the rest of them if it fails.
    fn nearest_of_all(
        &mut self,
        _pairs: &[[&T::Posed<'_>; 2]],
        _bound: f64,
    ) -> Option<Vec<(Option<Option<Nearest>>, Work)>> {
        None
    }

    /// Returns, for each question, true only if the device proves, by a test of boxes, that the trees stay
    /// farther apart than the limit, and the work done; `None` if it fails.
    fn stay_beyond_of_all(
        &mut self,
        _boxes: Boxes,
        _questions: &[StretchQuestion<&T>],
    ) -> Option<(Vec<bool>, Work)> {
        None
    }
}

/// The trees of a kind that devices cannot search.
impl<T: Hierarchy> PairsOnDevice<T> for () {}
