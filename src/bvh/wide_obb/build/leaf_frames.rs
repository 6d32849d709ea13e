//! Axes for the boxes of leaves and the spread of their surface, eight leaves at a time. One axis is the
//! common normal of the leaf's triangles; the other is the edge that makes the smallest box.

use closefit_geometry::lanes::*;

/// The corners of one or two triangles per lane: three of the first, three of the second.
pub(super) type LeafCorners = [[[f32; LANES]; 3]; 6];

/// Share of the squared edges in a triangle's weight, so that one without area still has a direction.
const EDGES: f32 = 1.0 / (1 << 20) as f32;

/// Axes and spread per lane, relative to the first corner.
pub(super) struct LeafFrames {
    /// Two axes by coordinate; NaN or zero where there is no direction.
    pub axes: [[[f32; LANES]; 3]; 2],
    /// Weight, as in [`crate::bvh::spread::Spread`].
    pub weight: [f32; LANES],
    pub mean: [[f32; LANES]; 3],
    pub second: [[f32; LANES]; 6],
}

type Vec3x8<S> = Vector<f32x8<S>>;

/// Computes the frames of leaves whose corners are relative to the first corner. `seconds` is 1 in lanes with
/// two triangles and 0 in those with one, whose corners are given twice.
#[inline(always)]
pub(super) fn leaf_frames<S: Simd>(simd: S, corners: &LeafCorners, seconds: &[f32; LANES]) -> LeafFrames {
    let one = f32x8::splat(simd, 1.0);
    let mut points = [Vector([one; 3]); 6];
    for (point, corner) in points.iter_mut().zip(corners) {
        for (x, lanes) in point.0.iter_mut().zip(corner) {
            *x = f32x8::load_array_ref(simd, lanes);
        }
    }
    // The first corner is the origin.
    let [_, b, c, d, e, f] = points;
    let edges = [b, c, c - b, e - d, f - d, f - e];
    let normals = [edges[0].cross(edges[1]), edges[3].cross(edges[4])];

    // The spread.
    let first = weight(simd, normals[0], &edges[..2]);
    let second = weight(simd, normals[1], &edges[3..5]) * f32x8::load_array_ref(simd, seconds);
    let both = first + second;
    let third = f32x8::splat(simd, 1.0 / 3.0);
    let centers = [(b + c) * third, (d + e + f) * third];
    let inverse = one / both.max(f32x8::splat(simd, f32::MIN_POSITIVE));
    let mean = centers[0] * (first * inverse) + centers[1] * (second * inverse);
    // The integral over a triangle of weight w: w / 12 (9 m m^T + p p^T + q q^T + r r^T).
    let mut sums = [f32x8::splat(simd, 0.0); 6];
    let origin = Vector([f32x8::splat(simd, 0.0); 3]);
    for (triangle, center, weight) in [([origin, b, c], centers[0], first), ([d, e, f], centers[1], second)] {
        let share = weight * f32x8::splat(simd, 1.0 / 12.0);
        add_square(&mut sums, center - mean, share * f32x8::splat(simd, 9.0));
        for p in triangle {
            add_square(&mut sums, p - mean, share);
        }
    }

    // The frame.
    let same_side = one.copysign(normals[0].dot(normals[1]));
    let normal = normals[0] + normals[1] * same_side;
    let normal = normal * (one / normal.dot(normal).sqrt());
    let others = [b, c, d, e, f];
    let heights = extent(simd, &others, normal);
    let mut best = f32x8::splat(simd, f32::INFINITY);
    let mut axes = [edges[0]; 2];
    for edge in edges {
        let along = edge - normal * edge.dot(normal);
        let along = along * (one / along.dot(along).sqrt());
        let across = normal.cross(along);
        let (length, width) = (extent(simd, &others, along), extent(simd, &others, across));
        let area = length * width + (length + width) * heights;
        let better = area.simd_lt(best); // not a number: no better
        best = better.select(area, best);
        for (axis, new) in axes.iter_mut().zip([along, across]) {
            for (x, new) in axis.0.iter_mut().zip(new.0) {
                *x = better.select(new, *x);
            }
        }
    }
    LeafFrames {
        axes: [store(axes[0].0), store(axes[1].0)],
        weight: both.to_array(),
        mean: store(mean.0),
        second: store(sums),
    }
}

#[inline(always)]
fn store<S: Simd, const N: usize>(vectors: [f32x8<S>; N]) -> [[f32; LANES]; N] {
    let mut arrays = [[0.0; LANES]; N];
    for (array, vector) in arrays.iter_mut().zip(vectors) {
        vector.store_array(array);
    }
    arrays
}

/// Returns twice the area, plus a small share of the edges.
#[inline(always)]
fn weight<S: Simd>(simd: S, normal: Vec3x8<S>, edges: &[Vec3x8<S>]) -> f32x8<S> {
    let squares = edges[0].dot(edges[0]) + edges[1].dot(edges[1]);
    normal.dot(normal).sqrt() + squares * f32x8::splat(simd, EDGES)
}

#[inline(always)]
fn add_square<S: Simd>(sums: &mut [f32x8<S>; 6], p: Vec3x8<S>, share: f32x8<S>) {
    let [x, y, z] = p.0;
    for (sum, square) in sums.iter_mut().zip([x * x, y * y, z * z, x * y, y * z, z * x]) {
        *sum += square * share;
    }
}

/// Returns the extent of points and the origin.
#[inline(always)]
fn extent<S: Simd>(simd: S, points: &[Vec3x8<S>; 5], along: Vec3x8<S>) -> f32x8<S> {
    let (mut lo, mut hi) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 0.0));
    for &p in points {
        let x = along.dot(p);
        (lo, hi) = (lo.min(x), hi.max(x));
    }
    hi - lo
}
