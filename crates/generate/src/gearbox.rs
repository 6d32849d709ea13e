//! A planetary gearbox: 42 parts with one clash and one gap under 0.1 mm.
//!
//! The axis is z, with the input in front (low z). Parts mounted on each other share a face exactly, because
//! heights are whole multiples of 2^-24 m. Everything else is at least 0.2 mm apart, except:
//!
//! - `bolt_front_4` is an M5x56 among M5x54: its tip digs 1 mm into `cover_back`;
//! - `washer_back_3` is 2.94 mm thick instead of 2.75 and leaves 0.06 mm to `planet_3`.

use std::f64::consts::TAU;

use glam::DVec2;

use super::assembly::{Assembly, moved};
use super::gear::Train;
use super::outline::{Outline, Region, bore, polar, shaft};
use super::random::Random;
use super::solids::{Facing, Solid};
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::Scene;

const SUN_TEETH: u32 = 24;
const PLANET_TEETH: u32 = 18;
/// Teeth of the ring. Sun, planet and ring are coaxial, so ring = sun + 2 planets. (Sun + ring) / 3 is an
/// integer, so that three planets fit at equal angles. With these numbers and one planet at the top, each
/// planet has a tooth along +x, as do sun and ring.
const RING_TEETH: u32 = SUN_TEETH + 2 * PLANET_TEETH;
/// Distance of the planets' axes from the main axis, in millimetres.
const PLANETS_AT: f64 = (SUN_TEETH + PLANET_TEETH) as f64;
const CASE_RADIUS: f64 = 80.0;
const BOLTS_AT: f64 = 72.0;

/// Heights in millimetres, front to back.
const COVER_FRONT: [f64; 2] = [0.0, 8.0];
const CASE_FRONT: [f64; 2] = [8.0, 20.0];
const RING: [f64; 2] = [20.0, 40.0];
const CASE_BACK: [f64; 2] = [40.0, 54.0];
const COVER_BACK: [f64; 2] = [54.0, 62.0];
const CARRIER_FRONT: [f64; 2] = [12.0, 18.0];
const CARRIER_BACK: [f64; 2] = [42.0, 50.0];
const GEARS: [f64; 2] = [21.0, 39.0];
const BEARING_FRONT: [f64; 2] = [0.5, 7.5];
const BEARING_BACK: [f64; 2] = [54.5, 61.5];

/// Converts millimetres to metres, on the grid of 2^-24 m on which sums and differences are exact, in f32
/// too.
fn mm(length: f64) -> f64 {
    const GRID: f64 = 16_777_216.0;
    (length / 1000.0 * GRID).round() / GRID
}

/// Returns a point at a distance (in mm) and an angle (in turns) around the axis, on the same grid.
fn around(radius: f64, turns: f64) -> DVec2 {
    let p = polar(radius, TAU * turns);
    DVec2::new(mm(p.x), mm(p.y))
}

/// Builds round shapes with a number of facets that suits their size. Radii in mm.
#[derive(Clone, Copy)]
struct RoundShapes {
    facets: u32,
}

impl RoundShapes {
    fn facets(self, radius: f64) -> u32 {
        self.facets
            * if radius < 9.5 {
                1
            } else if radius < 35.0 {
                2
            } else {
                4
            }
    }

    fn shaft(self, centre: DVec2, radius: f64) -> Outline {
        shaft(centre, mm(radius), self.facets(radius))
    }

    fn bore(self, centre: DVec2, radius: f64) -> Outline {
        bore(centre, mm(radius), self.facets(radius))
    }

    /// Builds a disc with holes, between two heights.
    fn disc(self, radius: f64, holes: Vec<Outline>, [lo, hi]: [f64; 2]) -> Solid {
        plate(self.shaft(DVec2::ZERO, radius), holes, [lo, hi])
    }

    /// Builds a washer or bearing.
    fn sleeve(self, inner: f64, outer: f64, heights: [f64; 2]) -> Solid {
        self.disc(outer, vec![self.bore(DVec2::ZERO, inner)], heights)
    }

    /// Builds a turned part. The profile, in mm, goes from its first point on the axis to its last.
    fn turned(self, profile: &[(f64, f64)]) -> Solid {
        let profile: Vec<DVec2> = profile.iter().map(|&(r, z)| DVec2::new(mm(r), mm(z))).collect();
        Solid::turned(&profile, 2 * self.facets)
    }

    /// Builds an M5 hexagon bolt, with the head below z = 0 and the shank above.
    fn bolt(self, length: f64) -> Solid {
        let hexagon = shaft(DVec2::ZERO, mm(4.6), 6);
        let shank = self.shaft(DVec2::ZERO, 2.5);
        let mut bolt = Solid::default();
        bolt.face(&Region::full(hexagon.clone()), mm(-3.5), Facing::Down);
        bolt.wall(&hexagon, mm(-3.5), 0.0);
        bolt.face(&Region { outer: hexagon, holes: vec![shank.clone()] }, 0.0, Facing::Up);
        bolt.wall(&shank, 0.0, mm(length));
        bolt.face(&Region::full(shank), mm(length), Facing::Up);
        bolt
    }
}

fn plate(outer: Outline, holes: Vec<Outline>, [lo, hi]: [f64; 2]) -> Solid {
    Solid::prism(&Region { outer, holes }, mm(lo), mm(hi))
}

/// Returns the angles of the planets (one at the top), in turns. The functions below give the angles of the
/// posts between them and of the bolts.
fn planet_turns() -> [f64; 3] {
    [0.25, 0.25 + 1.0 / 3.0, 0.25 + 2.0 / 3.0]
}
fn post_turns() -> [f64; 3] {
    planet_turns().map(|turns| turns + 1.0 / 6.0)
}
fn front_bolt_turns() -> [f64; 6] {
    [1.0, 3.0, 5.0, 7.0, 9.0, 11.0].map(|twelfths| twelfths / 12.0)
}
fn back_bolt_turns() -> [f64; 3] {
    [0.0, 1.0, 2.0].map(|thirds| thirds / 3.0)
}

pub(super) fn build(facets: u32, _: &mut Random) -> Scene {
    let round = RoundShapes { facets };
    let train = Train { module: mm(2.0), thinning: mm(0.25), flank_points: 3 + facets / 8 };
    let mut assembly = Assembly::default();
    housing(&mut assembly, round, train);
    input(&mut assembly, round, train);
    carrier(&mut assembly, round, train);
    output(&mut assembly, round);
    assembly.finish()
}

/// Adds covers, case and ring gear, bolted together from both ends.
fn housing(assembly: &mut Assembly, round: RoundShapes, train: Train) {
    let holes = |turns: &[f64]| -> Vec<Outline> {
        turns.iter().map(|&t| round.bore(around(BOLTS_AT, t), 2.9)).collect()
    };
    let (front, back) = (holes(&front_bolt_turns()), holes(&back_bolt_turns()));
    let centre = |radius: f64| vec![round.bore(DVec2::ZERO, radius)];
    let solids = [
        ("cover_front", round.disc(CASE_RADIUS, [centre(20.25), front.clone()].concat(), COVER_FRONT)),
        ("case_front", round.disc(CASE_RADIUS, [centre(64.0), front.clone()].concat(), CASE_FRONT)),
        ("ring", round.disc(CASE_RADIUS, [vec![train.internal(RING_TEETH)], front.clone()].concat(), RING)),
        ("case_back", round.disc(CASE_RADIUS, [centre(64.0), front, back.clone()].concat(), CASE_BACK)),
        ("cover_back", round.disc(CASE_RADIUS, [centre(24.25), back].concat(), COVER_BACK)),
    ];
    for (name, solid) in solids {
        let tag = if name == "ring" { "gear" } else { "housing" };
        fixed(assembly, &format!("/gearbox/housing/{name}"), tag, solid);
    }

    let washer = assembly.mesh("bolt_washer", round.sleeve(2.75, 5.0, [0.0, 1.0]));
    let right = assembly.mesh("bolt_m5x54", round.bolt(54.0));
    let wrong = assembly.mesh("bolt_m5x56", round.bolt(56.0));
    for (k, turns) in (1..).zip(front_bolt_turns()) {
        let at = around(BOLTS_AT, turns).extend(mm(COVER_FRONT[0] - 1.0));
        let bolt = if k == 4 { wrong } else { right };
        assembly.part(&format!("/gearbox/housing/bolt_front_{k}"), &["fastener"], bolt, moved(at));
        let path = format!("/gearbox/housing/bolt_washer_{k}");
        assembly.part(&path, &["fastener"], washer, moved(at));
    }
    let short = assembly.mesh("bolt_m5x21", round.bolt(21.0));
    for (k, turns) in (1..).zip(back_bolt_turns()) {
        let at = around(BOLTS_AT, turns);
        // Exactly half a turn about x, so that the head faces backwards.
        let z = mm(COVER_BACK[1]);
        let pose = Pose { rows: [[1.0, 0.0, 0.0, at.x], [0.0, -1.0, 0.0, at.y], [0.0, 0.0, -1.0, z]] };
        assembly.part(&format!("/gearbox/housing/bolt_back_{k}"), &["fastener"], short, pose);
    }
}

/// Adds the sun on its shaft, against the collar on which the front bearing rests.
fn input(assembly: &mut Assembly, round: RoundShapes, train: Train) {
    let profile = [
        (0.0, -30.0),
        (9.5, -30.0),
        (10.0, -29.5),
        (10.0, BEARING_FRONT[1]),
        (15.0, BEARING_FRONT[1]),
        (15.0, GEARS[0]),
        (12.0, GEARS[0]),
        (12.0, 39.5),
        (11.5, 40.0),
        (0.0, 40.0),
    ];
    fixed(assembly, "/gearbox/input/input_shaft", "shaft", round.turned(&profile));
    let bearing = round.sleeve(10.3, 20.0, BEARING_FRONT);
    fixed(assembly, "/gearbox/input/bearing_front", "bearing", bearing);
    let sun = plate(train.external(SUN_TEETH), vec![round.bore(DVec2::ZERO, 12.3)], GEARS);
    fixed(assembly, "/gearbox/input/sun", "gear", sun);
}

/// Adds two plates with posts between them, and the planets on their pins between washers.
fn carrier(assembly: &mut Assembly, round: RoundShapes, train: Train) {
    let pin_holes = || planet_turns().map(|turns| round.bore(around(PLANETS_AT, turns), 6.3)).to_vec();
    let passage = vec![round.bore(DVec2::ZERO, 18.0)];
    let front = round.disc(56.0, [passage, pin_holes()].concat(), CARRIER_FRONT);
    fixed(assembly, "/gearbox/carrier/carrier_front", "carrier", front);
    let back = round.disc(56.0, pin_holes(), CARRIER_BACK);
    fixed(assembly, "/gearbox/carrier/carrier_back", "carrier", back);

    let post = assembly.mesh("post", round.disc(6.0, Vec::new(), [CARRIER_FRONT[1], CARRIER_BACK[0]]));
    for (k, turns) in (1..).zip(post_turns()) {
        let pose = moved(around(PLANETS_AT, turns).extend(0.0));
        assembly.part(&format!("/gearbox/carrier/post_{k}"), &["carrier"], post, pose);
    }

    let bored = vec![round.bore(DVec2::ZERO, 6.3)];
    let planet = assembly.mesh("planet", plate(train.external(PLANET_TEETH), bored, GEARS));
    let head = CARRIER_FRONT[0];
    let profile = [
        (0.0, head - 2.0),
        (8.0, head - 2.0),
        (8.0, head),
        (6.0, head),
        (6.0, 48.5),
        (5.5, 49.0),
        (0.0, 49.0),
    ];
    let pin = assembly.mesh("pin", round.turned(&profile));
    let (right, wrong) = (2.75, 2.94);
    let washer = assembly.mesh("washer", round.sleeve(6.3, 9.0, [0.0, right]));
    let thick_washer = assembly.mesh("washer_thick", round.sleeve(6.3, 9.0, [0.0, wrong]));
    for (k, turns) in (1..).zip(planet_turns()) {
        let at = around(PLANETS_AT, turns);
        let mut part = |name: &str, tag: &str, mesh: MeshId, z: f64| {
            assembly.part(&format!("/gearbox/carrier/{name}_{k}"), &[tag], mesh, moved(at.extend(z)));
        };
        part("planet", "gear", planet, 0.0);
        part("pin", "shaft", pin, 0.0);
        part("washer_front", "washer", washer, mm(CARRIER_FRONT[1]));
        let (mesh, thickness) = if k == 3 { (thick_washer, wrong) } else { (washer, right) };
        part("washer_back", "washer", mesh, mm(CARRIER_BACK[0]) - mm(thickness));
    }
}

/// Adds the shaft that is flanged to the back of the carrier.
fn output(assembly: &mut Assembly, round: RoundShapes) {
    let flange = CARRIER_BACK[1];
    let profile = [
        (0.0, flange),
        (22.0, flange),
        (22.0, 52.5),
        (15.0, 52.5),
        (15.0, BEARING_BACK[0]),
        (12.0, BEARING_BACK[0]),
        (12.0, 89.5),
        (11.5, 90.0),
        (0.0, 90.0),
    ];
    fixed(assembly, "/gearbox/output/output_shaft", "shaft", round.turned(&profile));
    let bearing = round.sleeve(12.3, 24.0, BEARING_BACK);
    fixed(assembly, "/gearbox/output/bearing_back", "bearing", bearing);
}

/// Adds a part modelled in its final position.
fn fixed(assembly: &mut Assembly, path: &str, tag: &str, solid: Solid) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mesh = assembly.mesh(name, solid);
    assembly.part(path, &[tag], mesh, Pose::IDENTITY);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::PosedMesh;

    /// Pairs that are mounted face to face, by the beginnings of their names.
    const MOUNTED: [[&str; 2]; 14] = [
        ["case_front", "cover_front"],
        ["case_front", "ring"],
        ["case_back", "ring"],
        ["case_back", "cover_back"],
        ["bolt_washer_", "cover_front"],
        ["bolt_front_", "bolt_washer_"],
        ["bolt_back_", "cover_back"],
        ["bearing_front", "input_shaft"],
        ["input_shaft", "sun"],
        ["bearing_back", "output_shaft"],
        ["carrier_back", "output_shaft"],
        ["carrier_", "post_"],
        ["carrier_", "washer_"],
        ["carrier_front", "pin_"],
    ];

    /// Returns the pairs within 0.15 mm that are not mounted on each other: names, distance in mm, and true
    /// if one pierces the other. Also checks that mounted parts touch and that no others do.
    fn planted(facets: u32) -> Vec<(String, f64, bool)> {
        let scene = build(facets, &mut Random::new(0));
        let parts = PosedMesh::all(&scene);
        let mut found = Vec::new();
        let mut mounted = 0;
        for i in 0..parts.len() {
            for j in i + 1..parts.len() {
                let near = parts[i].nearness(&parts[j], 0.000_15);
                let mut names = [&scene.parts[i].name[..], &scene.parts[j].name];
                names.sort();
                let listed = MOUNTED.iter().any(|m| names[0].starts_with(m[0]) && names[1].starts_with(m[1]));
                if near.distance < 1e-15 && !near.pierced {
                    assert!(listed, "{names:?} touch: {near:?}");
                    mounted += 1;
                } else if near.distance < 0.000_15 {
                    found.push((names.join(" "), near.distance * 1000.0, near.pierced));
                }
            }
        }
        // Case 4, front bolts and their washers 12, back bolts 3, shafts 4, posts 6, washers 6, pins 3.
        assert_eq!(mounted, 38);
        found
    }

    #[test]
    fn one_clash_and_one_gap_are_planted() {
        for facets in [12, 24, 40] {
            let found = planted(facets);
            assert_eq!(found.len(), 2, "{found:?}");
            assert_eq!((&found[0].0[..], found[0].2), ("bolt_front_4 cover_back", true));
            assert_eq!((&found[1].0[..], found[1].2), ("planet_3 washer_back_3", false));
            assert!((found[1].1 - 0.06).abs() < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn it_is_small_enough_to_be_an_example() {
        let scene = build(24, &mut Random::new(0));
        assert_eq!(scene.parts.len(), 42);
        let mut names: Vec<&str> = scene.parts.iter().map(|part| &part.name[..]).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 42);
        assert!(crate::write::glb(&scene).len() < 600_000);
    }
}
