//! Table `sanna-tables`: CDFast compared with QuickCD (sections 4 and 5, Tables 1 and 2): a recursive grid of
//! what is static, and one sphere or several around what moves.
//!
//! CDFast finds pairs of bounding volumes, QuickCD pairs of triangles. Here CDFast is also followed by k-DOPs
//! of the pairs that it finds, so that both do the same job.

use closefit::internals::broad::recursive_grid::{GridRule, RecursiveGrid};
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::sphere_levels::{SphereCounts, SphereLevels};
use closefit::{Aabb, Mesh, Pose, Visits};
use closefit_geometry::executor::Executor;
use closefit_geometry::parallel;
use closefit_methods::internals::counted::{Counted, counted};
use closefit_methods::internals::volumes::{Kdop, VolumeTree, count_contacts};

use super::kdops::{self, Costs, Done};
use super::scaling::{self, Scaling};
use super::scenes::{Scene, bodies, scenes};
use crate::papers::{SANNA_TABLES, WALK_COLLISIONS, WALK_TIMES, WALKS};
use crate::reference::{Number, mean_triangle_test};
use crate::simulate::add_poses;
use crate::simulate::walk::walk;
use crate::table::{ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Motion, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "sanna-tables",
    about: "CDFast, a grid and spheres, beside k-DOPs in three scenes",
    steps: |_| WALKS.len() as u64 + 1,
    run,
};

/// Spheres of the tree around each body, as in the paper.
const SPHERES: [usize; 2] = [9, 5];

/// A second rule of grids, to see if results depend on the one that closefit takes.
const FINE: (usize, u32) = (2, 8);

fn steps(effort: Effort) -> usize {
    either(effort, 100, 10_000)
}

/// Static things, as CDFast keeps them, and as a narrow phase asks them.
struct Standing {
    grids: [RecursiveGrid; 2],
    trees: Vec<VolumeTree<Kdop<9>>>,
}

impl Standing {
    fn new(scene: &Scene) -> Self {
        let boxes: Vec<Aabb> =
            scene.things.iter().map(|mesh| Aabb::of(mesh.vertices().iter().copied())).collect();
        let fine = GridRule::new(FINE.0, FINE.1).expect("in range");
        let grids = [GridRule::default(), fine].map(|rule| RecursiveGrid::by(rule, &boxes));
        Self { grids, trees: scene.things.iter().map(Hierarchy::build).collect() }
    }
}

/// The spheres around a mesh: one, or one and a level of several.
pub(super) fn spheres(mesh: &Mesh, count: usize) -> SphereLevels {
    let counts: &[usize] = if count == 1 { &[1] } else { &[1, count] };
    let counts = SphereCounts::new(counts).expect("they rise from 1");
    SphereLevels::of(mesh.vertices(), mesh.triangles(), &counts)
}

/// Finds the boxes of a grid that the spheres of a body meet: the box around the first sphere is looked up.
pub(super) fn met(grid: &RecursiveGrid, levels: &SphereLevels, pose: &Pose, found: &mut Vec<u32>) -> Visits {
    let posed = levels.at(pose);
    let whole = posed.sphere(0);
    let around = Aabb { lo: whole.center - whole.radius, hi: whole.center + whole.radius };
    grid.near_spheres(&around, &posed, 0.0, found)
}

/// Returns the number of cells looked at, and of tests of boxes and spheres.
pub(super) fn work(visits: &Visits) -> u64 {
    visits.cells + visits.box_tests + visits.sphere_tests
}

/// The outcome of CDFast over a walk.
#[derive(Clone, Copy, Default)]
struct Found {
    visits: Visits,
    /// Number of boxes that the body's spheres meet, over all steps.
    collisions: u64,
}

impl Found {
    fn plus(mut self, other: Self) -> Self {
        self.visits += other.visits;
        Self { collisions: self.collisions + other.collisions, ..self }
    }
}

/// Walks through a grid, and calls `ask` with the boxes met at each pose.
fn walked(
    grid: &RecursiveGrid,
    levels: &SphereLevels,
    poses: &[Pose],
    ask: impl Fn(&Pose, &[u32]) -> Done + Sync,
) -> (Found, Done) {
    let at = |pose: usize| {
        let pose = &poses[pose];
        let mut ids = Vec::new();
        let visits = met(grid, levels, pose, &mut ids);
        (Found { visits, collisions: ids.len() as u64 }, ask(pose, &ids))
    };
    parallel::reduce(poses.len(), 1, at, |(a, b), (c, d)| (a.plus(c), b.plus(d))).unwrap_or_default()
}

/// The methods on a body that goes through a scene.
struct Walk {
    name: &'static str,
    /// CDFast with one sphere, and with several.
    spheres: [Found; 2],
    /// The same by the second rule of grids.
    fine: [Found; 2],
    /// The k-DOPs of what CDFast with several spheres finds.
    narrow: Done,
    /// The k-DOPs of the whole scene: QuickCD.
    quickcd: Done,
}

impl Walk {
    fn new(name: &'static str, scene: &Scene, body: &Mesh, count: usize, poses: &[Pose]) -> Self {
        let standing = Standing::new(scene);
        let levels = [1, count].map(|count| spheres(body, count));
        let tree = <VolumeTree<Kdop<9>>>::build(body);
        let contacts = |pose: &Pose, ids: &[u32]| {
            let moved = tree.place(body, pose, Executor::Scalar);
            let mut done = Done::default();
            for &id in ids {
                let thing = &scene.things[id as usize];
                let still = standing.trees[id as usize].place(thing, &Pose::IDENTITY, Executor::Scalar);
                done.contacts += count_contacts(&still, &moved, &mut done.work, &mut done.lanes);
            }
            done
        };
        let [grid, fine] = &standing.grids;
        let without = |grid, levels| walked(grid, levels, poses, |_, _| Done::default()).0;
        let (several, narrow) = walked(grid, &levels[1], poses, contacts);
        Self {
            name,
            spheres: [without(grid, &levels[0]), several],
            fine: levels.each_ref().map(|levels| without(fine, levels)),
            narrow,
            quickcd: kdops::done::<9>(&scene.mesh(), body, poses),
        }
    }

    /// Returns the operations of all contacts of triangles: by CDFast and k-DOPs, and by k-DOPs alone.
    fn totals(&self, costs: &Prices) -> [f64; 2] {
        let Visits { cells, box_tests, sphere_tests, .. } = self.spheres[1].visits;
        let narrow = |done: &Done| kdops::totals(done, &costs.kdops, costs.triangles)[0];
        let broad =
            cells as f64 * costs.cell + box_tests as f64 * costs.cell + sphere_tests as f64 * costs.sphere;
        [broad + narrow(&self.narrow), narrow(&self.quickcd)]
    }

    fn rows(&self, costs: &Prices) -> Vec<Row> {
        let cdfast = |name: &str, found: &Found| {
            let Visits { cells, decisions, box_tests, sphere_tests, .. } = found.visits;
            Row::new(format!("{}, {name}", self.name))
                .with("collisions", found.collisions)
                .with("cells", cells)
                .with("empty", decisions.empty)
                .with("partial", decisions.partial)
                .with("full", decisions.full)
                .with("box_tests", box_tests)
                .with("sphere_tests", sphere_tests)
                .with("work", work(&found.visits))
        };
        let narrow = |row: Row, done: &Done, total: f64| {
            row.with("volumes", done.lanes.tests)
                .with("updates", done.lanes.updates)
                .with("triangle_tests", done.work.triangle_tests)
                .with("contacts", done.contacts)
                .with("operations", total)
        };
        let [both, alone] = self.totals(costs);
        vec![
            narrow(Row::new(format!("{}, k-DOPs, k = 18", self.name)), &self.quickcd, alone),
            cdfast("CDFast, one sphere", &self.spheres[0]),
            narrow(cdfast("CDFast, spheres, then k-DOPs", &self.spheres[1]), &self.narrow, both),
            cdfast("one sphere, fine grid", &self.fine[0]),
            cdfast("spheres, fine grid", &self.fine[1]),
        ]
    }
}

/// The operations of single tests.
struct Prices {
    kdops: Costs,
    triangles: f64,
    /// A cell looked at, or a test of two boxes: six comparisons.
    cell: f64,
    /// A test of a sphere with a box.
    sphere: f64,
}

impl Prices {
    fn new() -> Self {
        let number = |p: [f64; 3]| p.map(Counted);
        let test = || meets_box(number([2.0, 0.5, -1.0]), Counted(0.1), [number([0.0; 3]), number([1.0; 3])]);
        Self {
            kdops: kdops::costs::<9>(&bodies()),
            triangles: mean_triangle_test(),
            cell: 6.0,
            sphere: counted(test).1.total() as f64,
        }
    }
}

/// True if a sphere meets a box, by the distance of its middle (Arvo 1990).
fn meets_box<N: Number>(center: [N; 3], radius: N, [lo, hi]: [[N; 3]; 2]) -> bool {
    let larger = |x: N, y: N| if x < y { y } else { x };
    let zero = N::from(0.0);
    let beyond = |i: usize| larger(larger(lo[i] - center[i], center[i] - hi[i]), zero);
    let [x, y, z] = [beyond(0), beyond(1), beyond(2)];
    x * x + y * y + z * z <= radius * radius
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, SANNA_TABLES);
    let (poses, costs) = (walk(0, steps(run.effort)), Prices::new());
    let mut walks = Vec::new();
    for ((_, body), count) in bodies().iter().zip(SPHERES) {
        for scene in &scenes() {
            table.keep(run, || {
                let frames = poses.iter().map(|pose| [Pose::IDENTITY, *pose]);
                Motion::pair(WALKS[walks.len()], [&scene.mesh(), body], frames)
            });
            walks.push(Walk::new(WALKS[walks.len()], scene, body, count, &poses));
            run.observer.advance();
        }
    }
    for (i, walk) in walks.iter().enumerate() {
        for (name, (times, collisions)) in
            ["QuickCD", "one sphere", "sphere tree"].into_iter().zip(WALK_TIMES.iter().zip(&WALK_COLLISIONS))
        {
            table.rows.push(
                Row::of_paper(format!("{}, {name}", walk.name))
                    .with("milliseconds", times[i].value)
                    .with("collisions", collisions[i].value as u64),
            );
        }
        table.rows.extend(walk.rows(&costs));
    }
    let scaling = scaling::scaling(run.effort);
    table.rows.extend(scaling.rows());
    run.observer.advance();
    table.columns = vec![
        ("milliseconds", "ms"),
        ("collisions", "collisions"),
        ("cells", "cells"),
        ("empty", "empty"),
        ("partial", "partial"),
        ("full", "full"),
        ("box_tests", "box tests"),
        ("sphere_tests", "sphere tests"),
        ("work", "cells and tests"),
        ("volumes", "N_v"),
        ("updates", "N_u"),
        ("triangle_tests", "N_p"),
        ("contacts", "contacts"),
        ("operations", "operations"),
    ];
    table.settings = settings(run.effort);
    table.claims = claims(&walks, &costs, &scaling);
    let mut digest = blake3::Hasher::new();
    add_poses(&mut digest, &poses);
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

fn settings(effort: Effort) -> Vec<Setting> {
    vec![
        paper(
            "three scenes, a torus and a complex object on a random path of 10 000 steps, as in sanna-k; nine spheres around the torus, five around the complex object, or one",
        ),
        ours(format!("{} steps; scenes, bodies and steps are those of sanna-k", steps(effort))),
        ours(
            "each wall, plate, leg, sphere or object has its own box in the grid. A cell with more than 8 boxes is cut into 4 x 4 x 4; in the fine grid, one with more than 2 into 8 x 8 x 8",
        ),
        ours(
            "a collision is a box that a sphere of the last level meets, once a step. Every level has to meet it; the paper chooses one level",
        ),
        ours(
            "cells are all that are looked at; empty, partial and full are those that decide something. The paper takes a full cell as a collision, which closefit may not: its boxes are tested",
        ),
        ours(
            "operations are those of all contacts of triangles: a cell or a box is six comparisons, k-DOPs as published, in sanna-k",
        ),
    ]
}

/// Returns how much more the largest is than the least, as a share of the least.
fn spread(values: &[f64]) -> f64 {
    let [least, most] =
        [f64::min, f64::max].map(|of| values.iter().copied().reduce(of).expect("there are some"));
    most / least - 1.0
}

fn claims(walks: &[Walk], costs: &Prices, scaling: &Scaling) -> Vec<Claim> {
    let of_bodies = || walks.chunks(3).zip(["torus", "complex object"]);
    let spreads = |of: fn(&Walk) -> &[Found; 2], grid: &'static str| {
        of_bodies().flat_map(move |(walks, body)| {
            [(0, "one sphere"), (1, "spheres")].map(|(i, name)| {
                let work: Vec<f64> = walks.iter().map(|walk| work(&of(walk)[i].visits) as f64).collect();
                (format!("{body}, {name}{grid}"), spread(&work))
            })
        })
    };
    let fewer = |walk: &Walk| walk.spheres[1].collisions as f64 / walk.spheres[0].collisions as f64;
    let quickcd = |walk: &Walk| walk.totals(costs)[1];
    let gain = |walk: &Walk| walk.totals(costs)[1] / walk.totals(costs)[0];
    let mut claims = vec![
        Claim::judged(
            "S1",
            "\"computational times of CDFast do not depend on the environment complexity\": how much more cells and tests the dearest of the three scenes takes than the cheapest",
            "0.049 and 0.055 for the torus, 0.233 and 0.321 for the complex object, by its own tables",
            Rule::AtMost(0.33),
            spreads(|walk| &walk.spheres, "").chain(spreads(|walk| &walk.fine, ", fine grid")),
        ),
        Claim::judged(
            "S2",
            "one sphere \"also reports a larger number of 'false' interferences\" than a sphere tree: collisions of the tree beside those of one sphere",
            "0.05 to 0.18 for the torus, 0.11 to 0.65 for the complex object",
            Rule::Below(1.0),
            walks.iter().map(|walk| (walk.name.to_owned(), fewer(walk))),
        ),
    ];
    claims.extend(scaling.claims());
    claims.extend([
        Claim::judged(
            "S5",
            "\"QuickCD provides the best performance when static and dynamic objects can be well bounded by k-dops (test scene 2 and moving object torus)\": operations there beside the other two scenes",
            "0.65",
            Rule::Below(1.0),
            [0, 2].map(|other| (walks[other].name.to_owned(), quickcd(&walks[1]) / quickcd(&walks[other]))),
        ),
        Claim::judged(
            "S6a",
            "CDFast takes less time than QuickCD",
            "2.3 to 3.7 times less for the torus, 16 to 54 for the complex object",
            Rule::NotComparable("CDFast finds bounding volumes that meet, QuickCD triangles"),
            [],
        ),
        Claim::judged(
            "S6b",
            "the same where both find all contacts of triangles: operations of k-DOPs beside those of CDFast followed by k-DOPs",
            "not in the paper",
            Rule::AtLeast(1.0),
            walks.iter().map(|walk| (walk.name.to_owned(), gain(walk))),
        ),
    ]);
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CDFast followed by a narrow phase finds what a search of the whole scene finds, whatever the rule, and
    /// its collisions are the collisions of all boxes.
    #[test]
    fn cdfast_loses_no_contact() {
        let (poses, [(_, torus), _], scenes) = (walk(3, 60), bodies(), scenes());
        for scene in &scenes {
            let found = Walk::new("", scene, &torus, 9, &poses);
            assert_eq!(found.narrow.contacts, found.quickcd.contacts, "{}", scene.name);
            let boxes: Vec<Aabb> =
                scene.things.iter().map(|mesh| Aabb::of(mesh.vertices().iter().copied())).collect();
            for (i, count) in [1, 9].into_iter().enumerate() {
                let levels = spheres(&torus, count);
                let meet = |pose: &Pose| {
                    let posed = levels.at(pose);
                    boxes.iter().filter(|other| posed.may_reach(other, 0.0, &mut 0)).count() as u64
                };
                let all: u64 = poses.iter().map(meet).sum();
                assert_eq!([found.spheres[i].collisions, found.fine[i].collisions], [all; 2]);
            }
        }
        assert!(spheres(&torus, 9).at(&Pose::IDENTITY).sphere(9).radius < 0.11, "there are nine");
    }

    #[test]
    fn spheres_meet_boxes_that_are_near() {
        let unit = [[0.0; 3], [1.0; 3]];
        assert!(meets_box([0.5, 0.5, 0.5], 0.0, unit));
        assert!(meets_box([2.0, 2.0, 0.5], 1.5, unit) && !meets_box([2.0, 2.0, 0.5], 1.4, unit));
        assert_eq!(Prices::new().sphere, 6.0 + 6.0 + 5.0 + 1.0 + 1.0);
        assert_eq!(spread(&[2.0, 3.0, 2.5]), 0.5);
    }
}
