//! Consistent winding for shells whose triangles disagree about the outward side.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use super::edges::{Edges, proper};
use crate::math::error_bounds::UNIT;
use crate::math::grid::{Grid, cross, dot, sign};
use crate::mesh::Mesh;

/// Returns the faces to turn so that every component that can be oriented is, and true for each component in
/// which a face is turned.
///
/// A component is considered if each of its edges has exactly two faces and some edge has two that run along
/// it in the same direction. A flood fill keeps the winding of the lowest triangle; then the whole component
/// is turned if its exact volume is negative. A Möbius strip or a Klein bottle stays as it is.
pub(super) fn turned_faces(
    mesh: &Mesh,
    edges: &Edges,
    component_of: &[u32],
    components: usize,
) -> (Vec<bool>, Vec<bool>) {
    let mut is_manifold = vec![true; components];
    let mut is_inconsistent = vec![false; components];
    for uses in edges.irregular() {
        let component = component_of[uses[0].face as usize] as usize;
        let mut proper = proper(uses);
        match (proper.next(), proper.next(), proper.next()) {
            (None, ..) => {}
            (Some(f), Some(g), None) => is_inconsistent[component] |= f.forward == g.forward,
            _ => is_manifold[component] = false,
        }
    }
    let mut is_turned: Vec<bool> = is_manifold.iter().zip(&is_inconsistent).map(|(m, i)| *m && *i).collect();
    if !is_turned.contains(&true) {
        return (Vec::new(), is_turned);
    }
    let neighbours = Neighbours::of(edges, |face| is_turned[component_of[face as usize] as usize]);
    let mut turned = vec![None; component_of.len()];
    for first in 0..component_of.len() {
        let component = component_of[first] as usize;
        if is_turned[component] && turned[first].is_none() && !neighbours.flood(first, &mut turned) {
            is_turned[component] = false;
        }
    }
    let mut turned: Vec<bool> = turned.into_iter().map(|turn| turn == Some(true)).collect();
    let volumes = volume_signs(mesh, component_of, &turned, &is_turned);
    for (turn, &component) in turned.iter_mut().zip(component_of) {
        *turn = is_turned[component as usize] && *turn != (volumes[component as usize] == Ordering::Less);
    }
    (turned, is_turned)
}

/// Pairs of faces at an edge; true when both run along it in the same direction.
struct Neighbours(Vec<(u32, u32, bool)>);

impl Neighbours {
    fn of(edges: &Edges, wanted: impl Fn(u32) -> bool) -> Self {
        let mut pairs = Vec::new();
        for uses in edges.all().filter(|uses| wanted(uses[0].face)) {
            let mut proper = proper(uses);
            if let (Some(f), Some(g)) = (proper.next(), proper.next()) {
                let same_way = f.forward == g.forward;
                pairs.extend([(f.face, g.face, same_way), (g.face, f.face, same_way)]);
            }
        }
        pairs.sort_unstable();
        Self(pairs)
    }

    /// Decides for every face connected to `first` whether it is turned; `first` itself is not. Returns false
    /// when two paths disagree.
    fn flood(&self, first: usize, turned: &mut [Option<bool>]) -> bool {
        turned[first] = Some(false);
        let mut open = vec![first];
        while let Some(face) = open.pop() {
            let start = self.0.partition_point(|pair| (pair.0 as usize) < face);
            let around = self.0[start..].iter().take_while(|pair| pair.0 as usize == face);
            for &(_, other, same_way) in around {
                let wanted = turned[face].map(|turn| turn != same_way);
                let other = other as usize;
                if turned[other].is_none() {
                    turned[other] = wanted;
                    open.push(other);
                } else if turned[other] != wanted {
                    return false;
                }
            }
        }
        true
    }
}

/// Returns the exact sign of each wanted component's volume; [`Ordering::Equal`] for the others.
fn volume_signs(mesh: &Mesh, component_of: &[u32], turned: &[bool], wanted: &[bool]) -> Vec<Ordering> {
    let triangles = || (0u32..).zip(component_of).take(mesh.triangles().len());
    let mut sums = vec![Volume::default(); wanted.len()];
    for (triangle, &component) in triangles().filter(|(_, c)| wanted[**c as usize]) {
        sums[component as usize].add(mesh.corners(triangle), turned[triangle as usize]);
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
        if turned[t as usize] { -volume } else { volume }
    });
    sign(&volume.sum::<BigInt>())
}
