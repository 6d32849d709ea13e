//! Exact volumes of hulls, and of the pockets between a mesh and its hull.

use num_bigint::BigInt;
use num_traits::Signed;

use super::features::Features;
use super::polygons::fan;
use crate::ids::to_u32;
use crate::math::grid::{Grid, cross, dot, round_quotient};
use crate::mesh::topology::Topology;
use crate::parallel;

/// Volumes, rounded once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volumes {
    /// The volume of the hull.
    pub hull: f64,
    /// The volume of the pockets: hull minus solid; `None` for an open mesh. Where components overlap, what
    /// they have in common counts twice as solid.
    pub pockets: Option<f64>,
}

impl Volumes {
    /// Measures a mesh with its features. The topology must belong to the same mesh.
    pub fn of(features: &Features, topology: &Topology) -> Self {
        let mesh = &features.mesh;
        let grid = Grid::of(mesh.vertices());
        let six = |corners: [u32; 3]| {
            let [a, b, c] = corners.map(|v| grid.vector(mesh.vertices()[v as usize]));
            dot(&a, &cross(&b, &c))
        };
        let rounded = |six_volumes: &BigInt| round_quotient(six_volumes, &BigInt::from(6), 3 * grid.exponent);
        let faces = &features.on_hull.faces;
        // A flat hull has a single face, which is not a closed surface.
        let fans: Vec<[u32; 3]> = faces.iter().filter(|_| faces.len() > 1).flat_map(fan).collect();
        let sum = |count, of: &(dyn Fn(usize) -> BigInt + Sync)| {
            parallel::reduce(count, parallel::SMALL, of, |a, b| a + b).unwrap_or_default()
        };
        let hull = sum(fans.len(), &|fan| six(fans[fan]));
        let solid = || {
            sum(mesh.triangles().len(), &|triangle| {
                let volume = six(mesh.triangles()[triangle]);
                if topology.is_turned(to_u32(triangle)) { -volume } else { volume }
            })
        };
        let is_closed = topology.components.iter().all(|component| component.closed);
        Self { hull: rounded(&hull), pockets: is_closed.then(|| rounded(&(&hull - solid().abs()))) }
    }
}
