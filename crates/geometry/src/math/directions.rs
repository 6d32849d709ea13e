//! The directions of k-DOPs, and how any direction is a sum of three of them.

use glam::DVec3;

/// Three axes, six diagonals of faces and four of the cube.
const ALL: [[i8; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
];

/// Returns the directions of the k-DOP with `2 N` planes: the axes (6); with the cube's diagonals (14), with
/// the diagonals of its faces (18), or with both (26).
pub const fn directions<const N: usize>() -> [[i8; 3]; N] {
    let mut chosen = [[0; 3]; N];
    let mut i = 0;
    while i < N {
        chosen[i] = if N == 7 && i >= 3 { ALL[i + 6] } else { ALL[i] };
        i += 1;
    }
    chosen
}

/// Returns a direction as a vector; it is not of unit length.
#[inline]
pub fn vector(direction: [i8; 3]) -> DVec3 {
    DVec3::from_array(direction.map(f64::from))
}

/// One term of a sum: the index of a direction, and its factor. A negative factor stands for the opposite
/// normal.
pub type Term = (usize, f64);

/// Writes a vector as a sum of three normals of the k-DOP with factors of at least 0: the corners of the
/// facet that the vector passes in the hull of all normals. By symmetry there is one kind of facet, or two
/// for `N` = 9, once coordinates are sorted by size. Each factor takes at most two roundings.
pub fn terms<const N: usize>(v: DVec3) -> [Term; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| v[j].abs().total_cmp(&v[i].abs()));
    let [x, y, z] = order.map(|k| v[k].abs());
    // Normals in sorted coordinates, with their factors.
    let sum: [([i8; 3], f64); 3] = match N {
        3 => [([1, 0, 0], x), ([0, 1, 0], y), ([0, 0, 1], z)],
        7 => [([1, 0, 0], x - z), ([0, 1, 0], y - z), ([1, 1, 1], z)],
        9 if x >= y + z => [([1, 0, 0], x - y - z), ([1, 1, 0], y), ([1, 0, 1], z)],
        9 => [([1, 1, 0], 0.5 * (x + y - z)), ([1, 0, 1], 0.5 * (x - y + z)), ([0, 1, 1], 0.5 * (y - x + z))],
        _ => [([1, 0, 0], x - y), ([1, 1, 0], y - z), ([1, 1, 1], z)],
    };
    sum.map(|(normal, factor)| {
        let mut turned = [0; 3];
        for (k, entry) in order.into_iter().zip(normal) {
            turned[k] = if v[k] < 0.0 { -entry } else { entry };
        }
        let directions = const { directions::<N>() };
        let (index, &direction) = directions
            .iter()
            .enumerate()
            .find(|(_, direction)| **direction == turned || direction.map(|entry| -entry) == turned)
            .expect("the directions are symmetric");
        (index, if direction == turned { factor } else { -factor })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;

    fn check<const N: usize>(stream: &mut Stream) {
        for i in 0..2_000 {
            let v = if i % 3 == 0 { stream.point().round() } else { stream.point() };
            let terms = terms::<N>(v);
            let sum: DVec3 = terms.iter().map(|&(i, factor)| vector(directions::<N>()[i]) * factor).sum();
            assert!((sum - v).abs().max_element() <= 4.0 * f64::EPSILON, "{N} {v} {terms:?}");
            // A sum of factors of mixed effect would cancel. The factors of a cone cannot exceed the
            // vector.
            let size: f64 = terms.iter().map(|(_, factor)| factor.abs()).sum();
            assert!(size <= v.abs().element_sum() + 1e-12);
        }
    }

    #[test]
    fn every_vector_is_a_sum_of_three_normals() {
        let mut stream = Stream(3);
        check::<3>(&mut stream);
        check::<7>(&mut stream);
        check::<9>(&mut stream);
        check::<13>(&mut stream);
    }

    #[test]
    fn directions_are_those_of_the_paper() {
        let lengths = |all: &[[i8; 3]]| {
            let nonzero = |direction: &[i8; 3]| direction.iter().filter(|entry| **entry != 0).count();
            [1, 2, 3].map(|length| all.iter().filter(|direction| nonzero(direction) == length).count())
        };
        assert_eq!(lengths(&directions::<3>()), [3, 0, 0]);
        assert_eq!(lengths(&directions::<7>()), [3, 0, 4]);
        assert_eq!(lengths(&directions::<9>()), [3, 6, 0]);
        assert_eq!(lengths(&directions::<13>()), [3, 6, 4]);
    }
}
