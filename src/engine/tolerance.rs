//! The default tolerance of a scene.

use closefit_geometry::scene::Scene;

/// Decimal digits between the diagonal of a scene and the least tolerance for it: a millionth.
const DIGITS: i32 = 6;

/// Returns the default tolerance of a scene with this diagonal: the smallest power of ten that is at least a
/// millionth of it, so that a part more does not move the threshold of all the others. It is 0 for a scene
/// without extent.
///
/// Powers of ten are the f64 that their decimal text is read as, and the diagonal is compared with one of
/// them instead of being divided, so no rounding moves the step from one power to the next.
fn tolerance_for(diagonal: f64) -> f64 {
    // The shortest text that reads back: a power of ten is the only number with the digits "1".
    let text = format!("{diagonal:e}");
    let (digits, exponent) = text.split_once('e').expect("it is written with an exponent");
    if digits == "0" {
        return 0.0;
    }
    let at_least: i32 = exponent.parse().expect("an exponent is a number");
    let exponent = at_least + i32::from(digits != "1");
    format!("1e{}", exponent - DIGITS).parse().expect("a power of ten is a number")
}

/// Returns the default tolerance of a scene: what its diagonal gives, but at least the overlap of two meshes
/// whose true surfaces only touch.
pub fn tolerance_of(scene: &Scene, diagonal: f64) -> f64 {
    let most = scene.parts.iter().map(|part| part.deflection).fold(0.0, f64::max);
    tolerance_for(diagonal).max(2.0 * most)
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational;
    use num_traits::{One, Zero};
    use proptest::prelude::*;

    use super::*;
    use closefit_geometry::ids::MeshId;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::scene::Part;

    #[test]
    fn tolerances_are_powers_of_ten() {
        for (diagonal, tolerance) in [
            (0.256, 1e-6),
            (21.4, 1e-4),
            (1.0, 1e-6),
            (1.0_f64.next_up(), 1e-5),
            (1.0_f64.next_down(), 1e-6),
            (0.1, 1e-7),
            (0.1_f64.next_up(), 1e-6),
            (1e23, 1e17),
            (5_000.0, 1e-2),
            (1e-300, 1e-306),
            (0.0, 0.0),
        ] {
            assert_eq!(tolerance_for(diagonal), tolerance, "{diagonal:e}");
        }
    }

    #[test]
    fn meshes_that_lie_outside_their_surfaces_may_overlap_by_that_twice() {
        let part = |deflection: f64| Part { deflection, ..Part::new("", MeshId(0), Pose::IDENTITY) };
        let scene = Scene { parts: [0.0, 0.25, 0.125].map(part).into(), ..Scene::default() };
        assert_eq!(tolerance_of(&scene, 1e3), 0.5);
        assert_eq!(tolerance_of(&scene, 1e7), 10.0);
    }

    proptest! {
        /// Checks in rational arithmetic: a millionth of the diagonal lies above the next lower power and not
        /// above this one. The power closest to the diagonal may be off by the rounding of its text.
        #[test]
        fn it_is_the_smallest(digits in 1.0..10.0f64, exponent in -60..60i32) {
            let diagonal = digits * 10f64.powi(exponent);
            let found = tolerance_for(diagonal);
            let power = (-80..80).find(|n| format!("1e{n}").parse() == Ok(found)).expect("a power of ten");
            let ten = |n: i32| {
                let power = num_traits::pow(BigRational::from_integer(10.into()), n.unsigned_abs() as usize);
                if n < 0 { BigRational::one() / power } else { power }
            };
            let least = BigRational::from_float(diagonal).expect("finite") * ten(-6);
            let rounding = BigRational::from_float(f64::EPSILON).expect("finite");
            prop_assert!(least > BigRational::zero());
            prop_assert!(least <= ten(power) * (BigRational::one() + &rounding));
            prop_assert!(least > ten(power - 1) * (BigRational::one() - rounding));
        }
    }
}
