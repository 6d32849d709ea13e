//! Table `lin-torpedo`: a torpedo that rests among rollers (section 5 and Figure 6).

use std::f64::consts::TAU;
use std::time::Instant;

use closefit::{CollisionMesh, DVec3, Mesh, Pose, contact_triangles, intersects};

use crate::kinds::{OTHERS, PRINTED};
use crate::meshes::joined;
use crate::papers::{LIN_TORPEDO, TORPEDO};
use crate::table::{Seconds, ours, paper};
use crate::verdict::{Claim, Rule, TimedClaim};
use crate::{Experiment, Motion, Row, Run, Table};

pub const EXPERIMENT: Experiment = Experiment {
    name: "lin-torpedo",
    about: "a torpedo that rests among rollers: contacts along its length",
    steps: |_| 2 + OTHERS.len() as u64,
    run,
};

/// Corners around the torpedo, and around a roller.
const AROUND: u32 = 60;

/// Pairs of rollers along the torpedo.
const ROLLERS: u32 = 8;

/// The radius of the torpedo and of rollers, and the length of the torpedo between its ends.
const RADIUS: f64 = 0.5;
const ROLLER: f64 = 0.2;
const LENGTH: f64 = 8.0;

/// Half the angle between the two rows of rollers, as seen from the torpedo's axis, downwards.
const SPREAD: f64 = TAU / 10.0;

/// A surface under construction.
#[derive(Default)]
struct Surface {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Surface {
    fn add(&mut self, points: impl IntoIterator<Item = DVec3>) -> u32 {
        let first = self.vertices.len() as u32;
        self.vertices.extend(points);
        first
    }

    /// Adds a surface of revolution about a line along x: rings of `AROUND` corners with these distances
    /// along the line and from it, closed by a point at either end.
    fn turned(&mut self, axis: DVec3, ends: [f64; 2], rings: &[[f64; 2]]) {
        let tips = ends.map(|x| self.add([axis + DVec3::X * x]));
        let corner = |i: u32, radius: f64| {
            let angle = TAU * f64::from(i) / f64::from(AROUND);
            DVec3::new(0.0, libm::sin(angle), libm::cos(angle)) * radius
        };
        let all: Vec<u32> = rings
            .iter()
            .map(|&[x, radius]| self.add((0..AROUND).map(|i| axis + DVec3::X * x + corner(i, radius))))
            .collect();
        let next = |i: u32| (i + 1) % AROUND;
        for i in 0..AROUND {
            self.triangles.push([tips[0], all[0] + i, all[0] + next(i)]);
            let last = all[all.len() - 1];
            self.triangles.push([tips[1], last + next(i), last + i]);
            for pair in all.windows(2) {
                let [low, high] = [pair[0], pair[1]];
                self.triangles.push([low + i, high + i, high + next(i)]);
                self.triangles.push([low + i, high + next(i), low + next(i)]);
            }
        }
    }

    fn mesh(self) -> Mesh {
        Mesh::new(&self.vertices, &self.triangles).expect("finite, with its own vertices")
    }
}

/// Builds the torpedo along x, with its middle at the origin: a capsule with four fins at its rear.
fn torpedo() -> Mesh {
    let mut surface = Surface::default();
    let half = 0.5 * LENGTH;
    let round = |i: u32, count: u32| TAU / 4.0 * f64::from(i) / f64::from(count);
    let mut rings: Vec<[f64; 2]> =
        (1..=8).map(|i| [-half - RADIUS * libm::cos(round(i, 8)), RADIUS * libm::sin(round(i, 8))]).collect();
    rings.extend((1..=22).map(|i| [LENGTH * f64::from(i) / 23.0 - half, RADIUS]));
    rings.extend((0..9).map(|i| [half + RADIUS * libm::sin(round(i, 9)), RADIUS * libm::cos(round(i, 9))]));
    surface.turned(DVec3::ZERO, [-half - RADIUS, half + RADIUS], &rings);
    // 39 rings: 2 x 60 triangles at the ends and 38 x 120 between are 4680. Each fin has 25.
    for k in 0..4 {
        let angle = TAU / 8.0 + TAU / 4.0 * f64::from(k);
        let out = DVec3::new(0.0, libm::sin(angle), libm::cos(angle));
        let corner = |i: u32| {
            let (along, high) = (f64::from(i / 2) / 13.0, f64::from(i % 2));
            DVec3::X * (-half - 0.2 + 0.9 * along) + out * (0.9 * RADIUS + high * 0.4 * (1.0 - 0.5 * along))
        };
        let first = surface.add((0..27).map(corner));
        surface.triangles.extend((0..25).map(|i| [first + i, first + i + 1, first + i + 2]));
    }
    surface.mesh()
}

/// Builds the rollers, each by itself, and the bed below them, which has the triangles that they leave over.
fn structure() -> (Vec<Mesh>, Mesh) {
    let mut rollers = Vec::new();
    for k in 0..2 * ROLLERS {
        let side = if k % 2 == 0 { SPREAD } else { -SPREAD };
        let away = RADIUS + ROLLER;
        let x = (f64::from(k / 2) + 0.5) / f64::from(ROLLERS) - 0.5;
        let axis = DVec3::new(0.8 * LENGTH * x, away * libm::sin(side), -away * libm::cos(side));
        let mut roller = Surface::default();
        let rings: Vec<[f64; 2]> = (0..=20).map(|i| [0.015 * (f64::from(i) - 10.0), ROLLER]).collect();
        roller.turned(axis, [-0.2, 0.2], &rings);
        rollers.push(roller.mesh());
    }
    let rest = TORPEDO[1].value as usize - rollers.iter().map(|mesh| mesh.triangles().len()).sum::<usize>();
    (rollers, bed(rest))
}

/// Builds a bed of a number of triangles, as an open sheet.
fn bed(triangles: usize) -> Mesh {
    let across = 40;
    let along = (triangles as u32).div_ceil(2 * across);
    let mut sheet = Surface::default();
    let place = |i: u32| {
        let (x, y) =
            (f64::from(i / (across + 1)) / f64::from(along), f64::from(i % (across + 1)) / f64::from(across));
        DVec3::new((x - 0.5) * 1.2 * LENGTH, (y - 0.5) * 2.4, -1.2)
    };
    sheet.add((0..(along + 1) * (across + 1)).map(place));
    for i in 0..along {
        for j in 0..across {
            let at = i * (across + 1) + j;
            let [here, next] = [at, at + across + 1];
            sheet.triangles.extend([[here, next, next + 1], [here, next + 1, here + 1]]);
        }
    }
    sheet.triangles.truncate(triangles);
    sheet.mesh()
}

/// Returns the highest of the poses, a 2^-16 of its length apart, at which the torpedo touches every roller;
/// it is lowered onto them.
fn resting(torpedo: &CollisionMesh, rollers: &[CollisionMesh]) -> Pose {
    let touches_all = |height: f64| {
        let pose = Pose::translation([0.0, 0.0, height]);
        let moved = torpedo.at(&pose).expect("ordinary poses");
        rollers.iter().all(|roller| intersects(&roller.at(&Pose::IDENTITY).expect("ordinary poses"), &moved))
    };
    let (mut low, mut high) = (-0.02, 0.05);
    assert!(touches_all(low) && !touches_all(high), "rollers are touched on the way down");
    while high - low > LENGTH / f64::from(1 << 16) {
        let middle = 0.5 * (low + high);
        if touches_all(middle) { low = middle } else { high = middle }
    }
    Pose::translation([0.0, 0.0, low])
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, LIN_TORPEDO);
    let (torpedo, (rollers, bed)) = (torpedo(), structure());
    let trees: Vec<CollisionMesh> = rollers.iter().map(CollisionMesh::build).collect();
    let moving = CollisionMesh::build(&torpedo);
    let pose = resting(&moving, &trees);
    run.observer.advance();
    let structure = joined(&rollers.iter().chain([&bed]).cloned().collect::<Vec<_>>());
    let moved = moving.at(&pose).expect("ordinary poses");
    let of_roller = |roller: &CollisionMesh| {
        contact_triangles(&roller.at(&Pose::IDENTITY).expect("ordinary poses"), &moved).len()
    };
    let touched: Vec<usize> = trees.iter().map(of_roller).collect();
    let rolled = touched.iter().filter(|&&contacts| contacts > 0).count() as u64;
    table.rows.push(
        Row::of_paper("torpedo on a pivot")
            .with("moving", TORPEDO[0].value as u64)
            .with("still", TORPEDO[1].value as u64)
            .with("seconds", TORPEDO[2].value),
    );
    let meshes = [structure, torpedo];
    table.keep(run, || Motion::pair("torpedo", meshes.each_ref(), [[Pose::IDENTITY, pose]]));
    let mut seconds = Vec::new();
    for (name, build) in std::iter::once(PRINTED).chain(OTHERS) {
        let trees = build(&meshes);
        let start = Instant::now();
        let found = trees.ask([&Pose::IDENTITY, &pose]);
        seconds.push((name, start.elapsed().as_secs_f64()));
        assert_eq!(found.contacts, touched.iter().sum::<usize>() as u64, "{name} finds all contacts");
        table.rows.push(
            Row::new(name)
                .with("moving", meshes[1].triangles().len() as u64)
                .with("still", meshes[0].triangles().len() as u64)
                .with("contacts", found.contacts)
                .with("rollers", rolled)
                .with("box_tests", found.boxes)
                .with("box_lanes", found.work.box_tests)
                .with("triangle_tests", found.work.triangle_tests),
        );
        run.observer.advance();
    }
    table.columns = vec![
        ("moving", "torpedo"),
        ("still", "structure"),
        ("contacts", "contacts"),
        ("rollers", "rollers"),
        ("box_tests", "box tests"),
        ("box_lanes", "lanes"),
        ("triangle_tests", "triangle tests"),
        ("seconds", "s"),
    ];
    table.settings = vec![
        paper("a torpedo of 4 780 triangles on a pivot structure of 44 921, at rest among rollers"),
        ours(
            "the torpedo is a capsule with four fins; the structure, 16 rollers in two rows and a bed, an open sheet, since the number is odd. A quick run is a full one",
        ),
        ours("the torpedo is lowered in equal steps of 2^-16 of its length until it touches every roller"),
    ];
    table.claims = vec![Claim::judged(
        "L10",
        "\"There are multiple contacts along the length of the torpedo as it rests among the rollers\": rollers touched",
        "no number",
        Rule::AtLeast(4.0),
        [("rollers".to_owned(), rolled as f64)],
    )
        .that_cannot_fail("the torpedo is lowered until it touches every roller")];
    table.this_machine.claims = vec![TimedClaim::new(
        "L11",
        "\"A typical collision query time for the scenario … is 100 ms\": seconds of a query for all contacts",
        "0.1",
        seconds.iter().map(|(name, seconds)| ((*name).to_owned(), *seconds)),
    )];
    let row = |(name, seconds): &(&str, f64)| Seconds { of: format!("a query, {name}"), seconds: *seconds };
    table.this_machine.rows = seconds.iter().map(row).collect();
    let mut digest = blake3::Hasher::new();
    crate::simulate::add_poses(&mut digest, [&pose]);
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_the_sizes_of_the_paper() {
        let (rollers, bed) = structure();
        let all: usize = rollers.iter().chain([&bed]).map(|mesh| mesh.triangles().len()).sum();
        assert_eq!([torpedo().triangles().len(), all], [4_780, 44_921]);
    }

    /// A little higher it touches none of some rollers.
    #[test]
    fn the_torpedo_rests_on_rollers() {
        let (rollers, _) = structure();
        let trees: Vec<CollisionMesh> = rollers.iter().map(CollisionMesh::build).collect();
        let torpedo = CollisionMesh::build(&torpedo());
        let pose = resting(&torpedo, &trees);
        let touched = |height: f64| {
            let pose = Pose::translation([0.0, 0.0, height]);
            let moved = torpedo.at(&pose).expect("ordinary poses");
            trees
                .iter()
                .filter(|t| intersects(&t.at(&Pose::IDENTITY).expect("ordinary poses"), &moved))
                .count()
        };
        let height = pose.shift().z;
        assert_eq!(touched(height), 16);
        assert!(touched(height + 1e-4 * LENGTH) < 16);
    }
}
