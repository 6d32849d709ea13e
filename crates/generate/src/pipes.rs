//! Interweaving pipelines (Lin et al. 1997, Fig. 7): 140 000 triangles, long and thin along the straight
//! runs, and a copy 15 times smaller in their midst.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use glam::{DVec3, IVec3};

use super::assembly::{Assembly, keyframe, turned_and_moved};
use super::outline::polar;
use super::random::Random;
use super::solids::{Ring, Solid};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::{Between, Keyframe};
use closefit_geometry::scene::Scene;

/// Number of facets of a pipe, and its radius: pipes through neighbouring cells stay 0.64 apart.
const SIDES: u32 = 16;
const RADIUS: f64 = 0.18;
/// Distance from a corner at which the bend begins.
const BEND: f64 = 0.3;
/// Largest number of corners of a pipeline, and of cells of a straight run.
const CORNERS: usize = 40;
const RUN: usize = 7;

const DIRECTIONS: [IVec3; 6] = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::Z, IVec3::NEG_Z];

/// A cube of cells, each used by at most one pipeline.
struct Lattice {
    edge: i32,
    used: Vec<bool>,
}

impl Lattice {
    fn new(edge: i32) -> Self {
        Self { edge, used: vec![false; (edge as usize).pow(3)] }
    }

    /// Takes a cell. Returns false if it is outside or already taken.
    fn take(&mut self, cell: IVec3) -> bool {
        if cell.min_element() < 0 || cell.max_element() >= self.edge {
            return false;
        }
        let [x, y, z] = cell.to_array().map(|c| c as usize);
        let edge = self.edge as usize;
        !std::mem::replace(&mut self.used[(x * edge + y) * edge + z], true)
    }

    /// Returns the start, corners and end of a random pipeline through free cells; fewer than two points if
    /// the start is taken or walled in.
    fn pipeline(&mut self, corners: usize, random: &mut Random) -> Vec<IVec3> {
        let start = IVec3::from_array(std::array::from_fn(|_| random.below(self.edge as usize) as i32));
        if !self.take(start) {
            return Vec::new();
        }
        let mut points = vec![start];
        let mut direction = DIRECTIONS[random.below(6)];
        while points.len() < corners + 2 {
            let mut cell = points[points.len() - 1];
            for _ in 0..=random.below(RUN) {
                if !self.take(cell + direction) {
                    break;
                }
                cell += direction;
            }
            if cell == points[points.len() - 1] {
                break;
            }
            points.push(cell);
            // One of the four perpendicular directions.
            let turns: Vec<IVec3> = DIRECTIONS.into_iter().filter(|d| d.dot(direction) == 0).collect();
            direction = turns[random.below(4)];
        }
        points
    }
}

/// Returns centre and direction of the rings along a pipeline: one at each end, three around each corner.
fn stations(points: &[DVec3]) -> Vec<(DVec3, DVec3)> {
    let toward = |p: &[DVec3]| (p[1] - p[0]).normalize();
    let mut stations = vec![(points[0], toward(points))];
    for corner in points.windows(3) {
        let (a, b) = (toward(corner), toward(&corner[1..]));
        // The middle of the quarter circle that touches both runs.
        let middle = corner[1] + (b - a) * (BEND * (1.0 - FRAC_1_SQRT_2));
        stations.push((corner[1] - a * BEND, a));
        stations.push((middle, (a + b).normalize()));
        stations.push((corner[1] + b * BEND, b));
    }
    stations.push((points[points.len() - 1], toward(&points[points.len() - 2..])));
    stations
}

/// Adds a closed tube through the points.
fn tube(solid: &mut Solid, points: &[DVec3]) {
    let stations = stations(points);
    let mut side = stations[0].1.any_orthonormal_vector();
    let mut rings: Vec<Ring> = vec![vec![solid.point(points[0])]];
    for (centre, direction) in stations {
        // The frame is carried along without twist.
        side = (side - direction * side.dot(direction)).normalize();
        let other = direction.cross(side);
        let ring = solid.ring((0..SIDES).map(|i| {
            let p = polar(RADIUS, TAU * f64::from(i) / f64::from(SIDES));
            centre + side * p.x + other * p.y
        }));
        rings.push(ring);
    }
    rings.push(vec![solid.point(points[points.len() - 1])]);
    solid.skin(&rings);
}

/// Returns the number of triangles of a tube with this many corners: its bands and two ends.
fn triangles(corners: usize) -> usize {
    (2 * (3 * corners + 1) + 2) * SIDES as usize
}

/// Builds about `size` triangles of pipelines around the origin, equally dense at every size.
fn pipelines(size: u32, random: &mut Random) -> Solid {
    let edge = (24.0 * libm::cbrt(f64::from(size) / 140_000.0)).ceil() as i32;
    let mut lattice = Lattice::new(edge.max(4));
    let centre = DVec3::splat(f64::from(lattice.edge - 1) / 2.0);
    let mut solid = Solid::default();
    let mut left = size as usize;
    // Some starts fail; ten attempts per cell are far more than enough to reach the size.
    for _ in 0..lattice.used.len() * 10 {
        let most = (left / triangles(1)).min(CORNERS);
        if most == 0 {
            break;
        }
        let points = lattice.pipeline(1 + random.below(most), random);
        if points.len() > 1 {
            left = left.saturating_sub(triangles(points.len() - 2));
            let points: Vec<DVec3> = points.into_iter().map(|p| p.as_dvec3() - centre).collect();
            tube(&mut solid, &points);
        }
    }
    solid
}

pub(super) fn build(size: u32, random: &mut Random) -> Scene {
    let mut assembly = Assembly::default();
    let mesh = assembly.mesh("pipes", pipelines(size, random));
    assembly.part("/pipes", &[], mesh, Pose::IDENTITY);
    let turn = turned_and_moved(random.direction(), random.between(0.0, PI), DVec3::ZERO);
    let s = 1.0 / 15.0;
    let shrink = Pose { rows: [[s, 0.0, 0.0, 0.0], [0.0, s, 0.0, 0.0], [0.0, 0.0, s, 0.0]] };
    assembly.part("/small_pipes", &[], mesh, Pose::compose(&shrink, &turn));
    assembly.finish()
}

/// Builds the moving scene: the small copy tumbles through the large one, from one point to the next.
pub(super) fn path(size: u32, random: &mut Random) -> Scene {
    let mut assembly = Assembly::default();
    let pipes = pipelines(size, random).into_mesh();
    let small = pipes.moved(|v| (v / 15.0).as_vec3().as_dvec3());
    let reach = pipes.vertices().iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let large = assembly.ready_mesh("pipes", pipes);
    assembly.part("/pipes", &[], large, Pose::IDENTITY);
    let keyframes: Vec<Keyframe> = (0..21)
        .map(|i| {
            let place = DVec3::from_array(std::array::from_fn(|_| random.between(-reach, reach)));
            keyframe(f64::from(i) / 2.0, random.direction(), random.between(0.0, PI), place)
        })
        .collect();
    let small = assembly.ready_mesh("small_pipes", small);
    assembly.moving("/small_pipes", small, None, &keyframes, Between::Linear);
    assembly.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::volume;

    #[test]
    fn a_pipeline_is_as_large_as_it_is_long() {
        let mut lattice = Lattice::new(12);
        let mut random = Random::new(5);
        let points: Vec<DVec3> = std::iter::repeat_with(|| lattice.pipeline(6, &mut random))
            .find(|points| points.len() == 8)
            .unwrap()
            .into_iter()
            .map(|p| p.as_dvec3())
            .collect();
        let mut solid = Solid::default();
        tube(&mut solid, &points);
        let along: f64 = stations(&points).windows(2).map(|s| (s[1].0 - s[0].0).length()).sum();
        let section = f64::from(SIDES) / 2.0 * libm::sin(TAU / f64::from(SIDES)) * RADIUS * RADIUS;
        let tube = solid.into_mesh();
        assert_eq!(tube.triangles().len(), triangles(6));
        // A twisted or folded bend would lose volume.
        assert!((volume(&tube) / (along * section) - 1.0).abs() < 0.02);
    }
}
