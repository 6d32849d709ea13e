//! The bolt and the nut of Ponamgi, Manocha and Lin (1995, section 5.1): a thread with rounded crest and root
//! after Nicolson and Fearing, with 154 polygons for each pitch.
//!
//! The paper gives four variables: the pitch p, the basic major diameter d, the allowance ratio a, where
//! the bolt is thinner by a d, and the radius r of crest and root. Ours: p = 1, d = 8, a = 0.05, r = 1/8,
//! flanks of 60 degrees, and polygons that are triangles, seven rings of eleven corners for each pitch.

use std::f64::consts::TAU;

use closefit_geometry::mesh::Mesh;

use super::outline::{Region, polar};
use super::solids::{Facing, Ring, Solid};

/// The length of a pitch.
pub const PITCH: f64 = 1.0;
/// Half the major diameter of the nut's thread.
const MAJOR: f64 = 4.0;
/// The distance by which the bolt's thread is inside the nut's.
const ALLOWANCE: f64 = 0.05 * MAJOR;
/// The radius of crest and root.
const ROUND: f64 = PITCH / 8.0;
/// Corners around, and rings along a pitch: 154 triangles.
const AROUND: u32 = 11;
const ALONG: u32 = 7;
/// Corners around the head, which make it and the tip 100 triangles.
const HEAD_AROUND: u32 = 20;
const HEAD: f64 = 2.0;
const HEAD_RADIUS: f64 = 6.0;

/// Returns the distance of the profile from its crest, at a distance along the axis from the crest of up to
/// half a pitch.
fn below_crest(along: f64) -> f64 {
    let (half, slope) = (PITCH / 2.0, libm::sqrt(3.0));
    // The arc ends where it is as steep as the flank.
    let arc = ROUND * slope / 2.0;
    let drop = |x: f64| ROUND - libm::sqrt(ROUND * ROUND - x * x);
    let flank = slope * (half - 2.0 * arc);
    if along <= arc {
        drop(along)
    } else if along <= half - arc {
        drop(arc) + slope * (along - arc)
    } else {
        2.0 * drop(arc) + flank - drop(half - along)
    }
}

/// Adds the rings of a thread over a number of pitches, from z = 0 up; `inside` is how far it is inside the
/// nut's.
fn rings(solid: &mut Solid, pitches: u32, inside: f64) -> Vec<Ring> {
    let radius = |i: u32, j: u32| {
        // Counted in whole steps, so that the seam closes exactly.
        let steps = AROUND * ALONG;
        let phase = f64::from((j * AROUND + steps - i * ALONG) % steps) / f64::from(steps);
        MAJOR - inside - below_crest(PITCH * phase.min(1.0 - phase))
    };
    let angle = |i: u32| TAU * f64::from(i) / f64::from(AROUND);
    let height = |j: u32| PITCH * f64::from(j) / f64::from(ALONG);
    let at = |i: u32, j: u32| polar(radius(i, j), angle(i)).extend(height(j));
    (0..=pitches * ALONG).map(|j| solid.ring((0..AROUND).map(|i| at(i, j)))).collect()
}

/// Builds a bolt of 100 + 154 triangles for each of its threads: the head below z = 0, the thread above.
pub fn bolt(threads: u32) -> Mesh {
    let mut solid = Solid::default();
    let mut rings = rings(&mut solid, threads, ALLOWANCE);
    let foot = solid.corners(&rings[0]).iter().map(|p| p.truncate()).collect();
    rings.push(vec![solid.point(glam::DVec3::Z * (PITCH * f64::from(threads)))]);
    solid.skin(&rings);
    let corner = |i: u32| polar(HEAD_RADIUS, TAU * f64::from(i) / f64::from(HEAD_AROUND));
    let outline: Vec<_> = (0..HEAD_AROUND).map(corner).collect();
    solid.face(&Region { outer: outline.clone(), holes: vec![foot] }, 0.0, Facing::Up);
    solid.wall(&outline, -HEAD, 0.0);
    solid.face(&Region::full(outline), -HEAD, Facing::Down);
    solid.into_mesh()
}

/// Builds the inner thread of a nut from z = 0 up: a surface of 154 triangles for each thread, as the paper
/// counts, which faces the axis.
pub fn nut(threads: u32) -> Mesh {
    let mut solid = Solid::default();
    let rings = rings(&mut solid, threads, 0.0);
    solid.skin(&rings.into_iter().rev().collect::<Vec<_>>());
    solid.into_mesh()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{closed, volume};

    #[test]
    fn sizes_are_those_of_the_paper() {
        for (threads, of_bolt, of_nut) in [(3, 562, 462), (6, 1_024, 924), (9, 1_486, 1_386)] {
            assert_eq!((bolt(threads).triangles().len(), nut(threads).triangles().len()), (of_bolt, of_nut));
            assert!(closed(&bolt(threads)) && volume(&bolt(threads)) > 0.0);
        }
    }

    #[test]
    fn the_profile_is_round_and_symmetric() {
        let depth = below_crest(PITCH / 2.0);
        assert!((0.5..0.7).contains(&depth), "{depth}");
        for i in 0..=50 {
            let along = PITCH / 2.0 * f64::from(i) / 50.0;
            assert!((below_crest(along) + below_crest(PITCH / 2.0 - along) - depth).abs() < 1e-12);
        }
        assert!(below_crest(0.01) < 5e-4 && below_crest(0.0) == 0.0);
    }
}
