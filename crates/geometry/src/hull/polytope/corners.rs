//! The vertices of a polytope as columns, and how far they reach along a direction.

use glam::DVec3;

use crate::executor::Executor;
use crate::lanes::{LANES, Simd, SimdBase, Vector, f64x4, in_lanes};

/// Vertices by coordinate, filled up with copies of the first to a multiple of eight.
#[derive(Clone, Debug)]
pub struct Corners {
    coordinates: [Vec<f64>; 3],
    count: usize,
}

impl Corners {
    /// Lists vertices; there must be at least one.
    pub fn new(vertices: &[DVec3]) -> Self {
        let filled = vertices.len().next_multiple_of(LANES);
        let column = |k: usize| {
            let coordinates = vertices.iter().map(|v| v[k]);
            coordinates.chain(std::iter::repeat(vertices[0][k])).take(filled).collect()
        };
        Self { coordinates: [column(0), column(1), column(2)], count: vertices.len() }
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns a vertex.
    #[inline]
    pub fn get(&self, vertex: u32) -> DVec3 {
        DVec3::from_array(self.coordinates.each_ref().map(|column| column[vertex as usize]))
    }

    /// Iterates over the vertices.
    pub fn iter(&self) -> impl Iterator<Item = DVec3> {
        let [x, y, z] = &self.coordinates;
        x.iter().zip(y).zip(z).map(|((&x, &y), &z)| DVec3::new(x, y, z)).take(self.count)
    }

    /// Returns the largest `m . v` of all vertices. Both executors return the same bits.
    pub fn farthest(&self, m: DVec3, executor: Executor) -> f64 {
        match executor {
            Executor::Scalar => farthest(&self.coordinates, m),
            Executor::Simd => in_lanes!(simd => farthest_in_lanes(simd, &self.coordinates, m)),
        }
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        3 * size_of::<f64>() * self.coordinates[0].len()
    }
}

/// The reading copy.
fn farthest([x, y, z]: &[Vec<f64>; 3], m: DVec3) -> f64 {
    let along = x.iter().zip(y).zip(z).map(|((x, y), z)| (m.x * x + m.y * y) + m.z * z);
    along.fold(f64::NEG_INFINITY, f64::max)
}

/// Takes eight vertices a step. Nothing is fused, so that the bits are the same as in the reading copy.
#[inline(always)]
fn farthest_in_lanes<S: Simd>(simd: S, [x, y, z]: &[Vec<f64>; 3], m: DVec3) -> f64 {
    let m = Vector::splat(simd, m);
    let mut most = [f64x4::splat(simd, f64::NEG_INFINITY); 2];
    for ((x, y), z) in x.chunks_exact(LANES).zip(y.chunks_exact(LANES)).zip(z.chunks_exact(LANES)) {
        most[0] = most[0].max(m.dot(four(simd, x, y, z, 0)));
        most[1] = most[1].max(m.dot(four(simd, x, y, z, 4)));
    }
    let most = most[0].max(most[1]);
    most[0].max(most[1]).max(most[2].max(most[3]))
}

#[inline(always)]
fn four<S: Simd>(simd: S, x: &[f64], y: &[f64], z: &[f64], at: usize) -> Vector<f64x4<S>> {
    Vector([
        f64x4::from_slice(simd, &x[at..at + 4]),
        f64x4::from_slice(simd, &y[at..at + 4]),
        f64x4::from_slice(simd, &z[at..at + 4]),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;

    #[test]
    fn both_executors_reach_equally_far() {
        let mut stream = Stream(7);
        for count in 1..60 {
            let vertices: Vec<DVec3> = (0..count).map(|_| stream.point()).collect();
            let corners = Corners::new(&vertices);
            assert_eq!(corners.iter().collect::<Vec<_>>(), vertices);
            for _ in 0..20 {
                let m = stream.point();
                let farthest = vertices.iter().map(|v| m.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
                for executor in Executor::ALL {
                    assert_eq!(corners.farthest(m, executor), farthest);
                }
            }
        }
    }
}
