//! The exact sign of the volume that a component encloses.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use super::is_turned;
use crate::math::error_bounds::UNIT;
use crate::math::grid::{Grid, cross, dot, sign};
use crate::mesh::Mesh;

/// Returns the exact sign of each wanted component's volume; [`Ordering::Equal`] for the others. `turned` is
/// true for each triangle taken the other way round; it may be empty.
pub(super) fn volume_signs(
    mesh: &Mesh,
    component_of: &[u32],
    turned: &[bool],
    wanted: &[bool],
) -> Vec<Ordering> {
    let triangles = || (0u32..).zip(component_of).take(mesh.triangles().len());
    let mut sums = vec![Volume::default(); wanted.len()];
    for (triangle, &component) in triangles().filter(|(_, c)| wanted[**c as usize]) {
        sums[component as usize].add(mesh.corners(triangle), is_turned(turned, triangle));
    }
    let in_f64: Vec<Option<Ordering>> = sums.iter().map(Volume::sign).collect();
    let mut signs: Vec<Ordering> = in_f64.iter().map(|sign| sign.unwrap_or(Ordering::Equal)).collect();
    let is_unsure = |component: u32| wanted[component as usize] && in_f64[component as usize].is_none();
    let mut unsure: Vec<(u32, u32)> =
        triangles().filter(|(_, c)| is_unsure(**c)).map(|(triangle, &c)| (c, triangle)).collect();
    unsure.sort_unstable();
    for members in unsure.chunk_by(|x, y| x.0 == y.0) {
        signs[members[0].0 as usize] = exact_volume_sign(mesh, members, turned);
    }
    signs
}

/// Six times a volume in f64, with the magnitudes that bound its error.
#[derive(Clone, Default)]
struct Volume {
    /// A corner of the first triangle; determinants are of differences from it.
    origin: Option<DVec3>,
    triangles: f64,
    sum: f64,
    magnitude: f64,
}

impl Volume {
    fn add(&mut self, corners: [DVec3; 3], turned: bool) {
        let origin = *self.origin.get_or_insert(corners[0]);
        let [a, b, c] = corners.map(|p| p - origin);
        let volume = a.dot(b.cross(c));
        let [p, q, r] = [a, b, c].map(DVec3::abs);
        let terms = DVec3::new(q.y * r.z + q.z * r.y, q.z * r.x + q.x * r.z, q.x * r.y + q.y * r.x);
        self.triangles += 1.0;
        self.sum += if turned { -volume } else { volume };
        self.magnitude += p.dot(terms);
    }

    /// Returns the sign of the volume; `None` where rounding may change it.
    ///
    /// A product of three differences takes 3 roundings for the differences, 2 as a product and 3 in the sums
    /// of the determinant. The sum over triangles adds up to one rounding per triangle, and the magnitude
    /// takes as many: in units of `u`, 8 + 2 n + 8 of the magnitude. A product that underflows is off by less
    /// than the smallest normal number times a difference, and there are six per triangle.
    fn sign(&self) -> Option<Ordering> {
        let error = self.magnitude * UNIT * (2.0 * self.triangles + 16.0);
        let may_underflow = self.magnitude < 1e-200;
        (!may_underflow && self.sum.abs() > error).then(|| self.sum.total_cmp(&0.0))
    }
}

/// Returns the exact sign of the volume of triangles, given as (component, triangle).
fn exact_volume_sign(mesh: &Mesh, members: &[(u32, u32)], turned: &[bool]) -> Ordering {
    let corners: Vec<DVec3> = members.iter().flat_map(|&(_, t)| mesh.corners(t)).collect();
    let grid = Grid::of(&corners);
    let volume = members.iter().map(|&(_, t)| {
        let [a, b, c] = mesh.corners(t).map(|p| grid.vector(p));
        let volume = dot(&a, &cross(&b, &c));
        if is_turned(turned, t) { -volume } else { volume }
    });
    sign(&volume.sum::<BigInt>())
}
