//! The kernels on two moving leaves, for every executor.

use super::{feature_times, moving_triangles};
use crate::narrow::kernels::{LeafKernels, ScalarLeaf};
use crate::narrow::posed_leaf::PosedLeaf;
use closefit_geometry::executor::{Lanes, Scalar};
use closefit_geometry::lanes::{Simd, SimdBase};
use closefit_geometry::motion::moment::Moment;

/// Tests pairs of triangles over a stretch of time.
pub trait MovingKernels: LeafKernels {
    /// A moment and a limit, prepared for the triangle kernels.
    type Prepared;

    /// Prepares a moment, for distances of at most `limit`.
    fn prepare(self, moment: &Moment, limit: f64) -> Self::Prepared;

    /// Sets bit `l` only if the pair in lane `l` stays farther apart than the limit, and for spare lanes; see
    /// [`moving_triangles`].
    fn stays_beyond(self, a: &Self::Leaf, b: &Self::Leaf, prepared: &Self::Prepared) -> u32;

    /// Returns, by lane, for how many seconds after the moment's middle the pairs certainly stay farther
    /// apart than the limit; meaningless for spare lanes.
    fn free_time(self, a: &Self::Leaf, b: &Self::Leaf, prepared: &Self::Prepared) -> [f64; 4];

    /// Sets bit `l` only if all features of the pair in lane `l` stay farther apart than `limit`; see
    /// [`feature_times`]. Meaningless for spare lanes.
    fn features_stay_beyond(self, a: &Self::Leaf, b: &Self::Leaf, moment: &Moment, limit: f64) -> u32;

    /// Sets bit `l` only if the features of one elementary test stay farther apart than `limit` for the pair
    /// in lane `l`. Meaningless for spare lanes.
    fn feature_stays_beyond(
        self,
        a: &Self::Leaf,
        b: &Self::Leaf,
        test: usize,
        moment: &Moment,
        limit: f64,
    ) -> u32;
}

impl<S: Simd> MovingKernels for Lanes<S> {
    type Prepared = moving_triangles::simd::PreparedMoment<S>;

    #[inline(always)]
    fn prepare(self, moment: &Moment, limit: f64) -> Self::Prepared {
        moving_triangles::simd::PreparedMoment::new(self.0, moment, limit)
    }

    #[inline(always)]
    fn stays_beyond(self, a: &PosedLeaf<S>, b: &PosedLeaf<S>, prepared: &Self::Prepared) -> u32 {
        moving_triangles::simd::beyond(a, b, prepared)
    }

    #[inline(always)]
    fn free_time(self, a: &PosedLeaf<S>, b: &PosedLeaf<S>, prepared: &Self::Prepared) -> [f64; 4] {
        moving_triangles::simd::free_time(a, b, prepared).to_array()
    }

    #[inline(always)]
    fn features_stay_beyond(self, a: &PosedLeaf<S>, b: &PosedLeaf<S>, moment: &Moment, limit: f64) -> u32 {
        feature_times::beyond4(&a.corner, &b.corner, moment, limit)
    }

    #[inline(always)]
    fn feature_stays_beyond(
        self,
        a: &PosedLeaf<S>,
        b: &PosedLeaf<S>,
        test: usize,
        moment: &Moment,
        limit: f64,
    ) -> u32 {
        feature_times::test_beyond4(&a.corner, &b.corner, test, moment, limit)
    }
}

impl MovingKernels for Scalar {
    type Prepared = (Moment, f64);

    fn prepare(self, moment: &Moment, limit: f64) -> (Moment, f64) {
        (*moment, limit)
    }

    fn stays_beyond(self, a: &ScalarLeaf, b: &ScalarLeaf, (moment, limit): &(Moment, f64)) -> u32 {
        a.pairs_or_spare(b, |p, q| moving_triangles::scalar::beyond(p, q, *limit, moment))
    }

    fn free_time(self, a: &ScalarLeaf, b: &ScalarLeaf, (moment, limit): &(Moment, f64)) -> [f64; 4] {
        std::array::from_fn(|lane| {
            moving_triangles::scalar::free_time(&a.corner[lane], &b.corner[lane], *limit, moment)
        })
    }

    fn features_stay_beyond(self, a: &ScalarLeaf, b: &ScalarLeaf, moment: &Moment, limit: f64) -> u32 {
        a.pairs(b, |p, q| feature_times::beyond(&[*p, *q], moment, limit))
    }

    fn feature_stays_beyond(
        self,
        a: &ScalarLeaf,
        b: &ScalarLeaf,
        test: usize,
        moment: &Moment,
        limit: f64,
    ) -> u32 {
        a.pairs(b, |p, q| feature_times::test_beyond(&[*p, *q], test, moment, limit))
    }
}
