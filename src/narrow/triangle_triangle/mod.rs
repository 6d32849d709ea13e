//! Decides whether two triangles meet, as far as f64 can tell, with one error bound for every determinant.
//!
//! *In*: corners as [`Pose::apply`](closefit_geometry::math::pose::Pose::apply) computes them: finite, and 0
//! or 2^-200 to 2^200 in magnitude, so that the only error comes from the arithmetic here. *Out*:
//! [`Contact`], or masks of lanes. *Meets* and *apart* prove the answer of
//! [`triangles_meet`](closefit_geometry::exact::contact::triangles_meet), which also settles *unsure* pairs:
//! hardly anything but degenerate triangles and pairs that touch.
//!
//! Every determinant is of differences between corners, so each of its products is at most the volume of the
//! box around both triangles, and its error at most
//! [`DETERMINANT`](closefit_geometry::math::error_bounds::DETERMINANT) times that.
//!
//! 1. Pairs whose boxes do not meet are apart; comparing is exact.
//! 2. Pairs where all corners of one are on one side of the other's plane are apart.
//! 3. Where all six sides are certain, both cut the line that the planes share in an interval, whose ends are
//!    ordered by two determinants (Guigue, Devillers 2003, "Fast and robust triangle-triangle overlap test
//!    using orientation predicates"), instead of comparing all nine pairs of edges.
//! 4. The remaining pairs touch or nearly so. They meet if a corner of both is at the same place. They are
//!    apart if an axis separates them that is perpendicular to an edge of each, or perpendicular to an edge
//!    and in its triangle's plane.

pub mod scalar;
pub mod simd;

/// The relation of two triangles, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    /// They share a point.
    Meets,
    /// They share no point.
    Apart,
    /// Left to exact arithmetic.
    Unsure,
}

/// The relations of the pairs of two leaves: bit `l` for lane `l`. No lane is in two masks, and spare lanes
/// are in none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Contacts {
    /// Lanes whose triangles share a point.
    pub meets: u32,
    /// Lanes whose triangles share no point.
    pub apart: u32,
    /// Lanes left to exact arithmetic.
    pub unsure: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::testing::{Pairs, block};
    use closefit_geometry::exact::contact::triangles_meet;
    use closefit_geometry::lanes::{Level, Simd, dispatch, level};
    use closefit_geometry::math::Triangle;
    use closefit_geometry::math::testing::cases;

    #[inline(always)]
    fn in_lanes<S: Simd>(simd: S, pairs: &[[Triangle; 2]; 4]) -> Contacts {
        let [a, b] = block(simd, pairs);
        simd::contacts(simd, &a, &b)
    }

    fn one_by_one(pairs: &[[Triangle; 2]; 4]) -> Contacts {
        let mut contacts = Contacts::default();
        for (lane, [a, b]) in pairs.iter().enumerate() {
            let mask = match scalar::contact(a, b) {
                Contact::Meets => &mut contacts.meets,
                Contact::Apart => &mut contacts.apart,
                Contact::Unsure => &mut contacts.unsure,
            };
            *mask |= 1 << lane;
        }
        contacts
    }

    #[test]
    fn lanes_say_what_the_reading_copy_says() {
        let mut stream = Pairs::new(1);
        for _ in 0..cases(75_000) {
            let pairs = [0; 4].map(|_| stream.pair());
            let expected = one_by_one(&pairs);
            let found = dispatch!(level(), simd => in_lanes(simd, &pairs));
            assert_eq!(found, expected, "{pairs:?}");
            let baseline = dispatch!(Level::baseline(), simd => in_lanes(simd, &pairs));
            assert_eq!(baseline, expected, "{pairs:?}");
        }
    }

    #[test]
    fn what_is_proven_is_so() {
        let (mut stream, mut seen) = (Pairs::new(2), [0u32; 4]);
        for _ in 0..400_000 {
            let [a, b] = stream.pair();
            let exact = triangles_meet(&a, &b);
            match scalar::contact(&a, &b) {
                Contact::Meets => assert!(exact, "{a:?} {b:?} do not meet"),
                Contact::Apart => assert!(!exact, "{a:?} {b:?} meet"),
                Contact::Unsure => seen[2 + usize::from(exact)] += 1,
            }
            seen[usize::from(exact)] += 1;
        }
        let [apart, meeting, unsure_apart, unsure_meeting] = seen;
        assert!(apart > 50_000 && meeting > 50_000, "{seen:?}");
        // Only pairs that touch without crossing remain unsure, and pairs closer than their coordinates
        // resolve.
        assert!(unsure_apart * 5 < apart && unsure_meeting * 5 < meeting, "{seen:?}");
    }

    #[test]
    fn spare_lanes_are_in_no_mask() {
        let pairs = [0; 4].map(|_| Pairs::new(3).pair());
        dispatch!(level(), simd => {
            let [mut a, mut b] = block(simd, &pairs);
            (a.lanes, b.lanes) = (0b0011, 0b0101);
            let found = simd::contacts(simd, &a, &b);
            assert_eq!(found.meets | found.apart | found.unsure, 1);
        });
    }
}
