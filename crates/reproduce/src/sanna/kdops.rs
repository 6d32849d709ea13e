//! Table `sanna-k`: k-DOPs with 6, 14, 18 and 26 planes (section 2), and the formula of their cost:
//! T = N_v C_v + N_p C_p + N_u C_u, with all three costs counted in operations.

use closefit::internals::bvh::Hierarchy;
use closefit::{DVec3, Mesh, Pose, Work};
use closefit_geometry::executor::Executor;
use closefit_geometry::parallel;
use closefit_methods::internals::counted::{Counted, counted};
use closefit_methods::internals::volumes::{Kdop, LaneWork, Volume, VolumeTree, count_contacts};

use super::scenes::{bodies, scenes};
use crate::fit::exponent;
use crate::papers::{QUICKCD, SANNA_K};
use crate::reference::{dot, mean_triangle_test};
use crate::simulate::add_poses;
use crate::simulate::walk::walk;
use crate::table::{ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Motion, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "sanna-k",
    about: "k-DOPs with 6, 14, 18 and 26 planes: tests, updates and costs",
    steps: |_| 24,
    run,
};

/// The paper's own tables neither pass nor fail any rule about the best k.
const NO_TABLE: Rule = Rule::NotComparable(
    "the paper's tables have k = 18 alone: it takes the sentence from QuickCD's authors, whose scenes and triangle tests it does not describe",
);

const PLANES: [u32; 4] = [6, 14, 18, 26];

fn steps(effort: Effort) -> usize {
    either(effort, 100, 10_000)
}

/// The work of a body on its way through a scene, by k.
struct Found {
    name: String,
    /// The work for each of [`PLANES`].
    work: [Done; 4],
}

/// The work over all steps of a walk.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    pub lanes: LaneWork,
    pub work: Work,
    /// Number of pairs of triangles in contact.
    pub contacts: u64,
}

impl Done {
    pub fn plus(self, other: Self) -> Self {
        let mut work = self.work;
        work += other.work;
        let lanes = LaneWork {
            tests: self.lanes.tests + other.lanes.tests,
            updates: self.lanes.updates + other.lanes.updates,
        };
        Self { lanes, work, contacts: self.contacts + other.contacts }
    }
}

/// Finds all contacts of a body in a scene at all poses, with k-DOPs of `2 N` planes.
pub(super) fn done<const N: usize>(scene: &Mesh, body: &Mesh, poses: &[Pose]) -> Done {
    let [scene_tree, body_tree] = [scene, body].map(<VolumeTree<Kdop<N>> as Hierarchy>::build);
    let still = scene_tree.place(scene, &Pose::IDENTITY, Executor::Scalar);
    let asked = |pose: usize| {
        let moved = body_tree.place(body, &poses[pose], Executor::Scalar);
        let mut done = Done::default();
        done.contacts = count_contacts(&still, &moved, &mut done.work, &mut done.lanes);
        done
    };
    parallel::reduce(poses.len(), 1, asked, Done::plus).unwrap_or_default()
}

/// The operations of single tests and updates, for one k.
pub(super) struct Costs {
    /// A test of two k-DOPs.
    test: f64,
    /// An update by all corners, as published.
    by_corners: f64,
    /// An update by three planes for each direction, as here.
    by_planes: f64,
}

pub(super) fn costs<const N: usize>(bodies: &[(&'static str, Mesh); 2]) -> Costs {
    let kdops =
        bodies.each_ref().map(|(_, mesh)| Kdop::<N>::around(mesh.vertices().iter().copied().map(scaled)));
    let of = |count: &dyn Fn(&Kdop<N>) -> u64| kdops.iter().map(count).sum::<u64>() as f64 / 2.0;
    Costs {
        test: of(&|kdop| counted(|| overlap(kdop, kdop)).1.total()),
        by_corners: of(&|kdop| counted(|| updated_by_corners::<N>(&corners(kdop))).1.total()),
        by_planes: of(&|kdop| counted(|| updated_by_planes(kdop)).1.total()),
    }
}

/// Returns a point of a body in units in which bodies are of about the size 1.
fn scaled(p: DVec3) -> DVec3 {
    p * 4.0
}

/// True if the extents of two k-DOPs overlap along all directions.
fn overlap<const N: usize>(a: &Kdop<N>, b: &Kdop<N>) -> bool {
    let ([lo_a, hi_a], [lo_b, hi_b]) = (a.ends(), b.ends());
    let less = |x: f32, y: f32| Counted(x) < Counted(y);
    (0..N).all(|i| !less(hi_a[i], lo_b[i]) && !less(hi_b[i], lo_a[i]))
}

/// Returns the corners of a k-DOP: the points in which three of its planes meet, and beyond none.
fn corners<const N: usize>(kdop: &Kdop<N>) -> Vec<DVec3> {
    let [lo, hi] = kdop.ends();
    let normal = |i: usize| DVec3::from_array(Kdop::<N>::DIRECTIONS[i].map(f64::from));
    let planes: Vec<(DVec3, f64)> =
        (0..N).flat_map(|i| [(normal(i), f64::from(hi[i])), (-normal(i), -f64::from(lo[i]))]).collect();
    let mut corners: Vec<DVec3> = Vec::new();
    for (i, (n, d)) in planes.iter().enumerate() {
        for (j, (m, e)) in planes.iter().enumerate().skip(i + 1) {
            for (o, f) in &planes[j + 1..] {
                let volume = n.dot(m.cross(*o));
                if volume.abs() < 0.5 {
                    continue;
                }
                let point = (m.cross(*o) * *d + o.cross(*n) * *e + n.cross(*m) * *f) / volume;
                let is_inside = planes.iter().all(|(n, d)| n.dot(point) <= d + 1e-5);
                if is_inside && !corners.iter().any(|corner| corner.distance(point) < 1e-4) {
                    corners.push(point);
                }
            }
        }
    }
    corners
}

/// Returns the extents of turned corners along all directions, the largest and the least projection of each.
fn updated_by_corners<const N: usize>(corners: &[DVec3]) -> Vec<[Counted<f64>; 2]> {
    // Directions turned into the body are found once for a pair of bodies.
    let turned = Kdop::<N>::DIRECTIONS.map(|direction| direction.map(|x| Counted(f64::from(x))));
    let along = |direction: [Counted<f64>; 3]| {
        let mut projections = corners.iter().map(|corner| dot(direction, corner.to_array().map(Counted)));
        let first = projections.next().expect("a k-DOP has corners");
        projections.fold([first; 2], |[lo, hi], x| [if x < lo { x } else { lo }, if x > hi { x } else { hi }])
    };
    turned.into_iter().map(along).collect()
}

/// Returns the extents of a turned k-DOP along all directions by the extents along three of its own.
fn updated_by_planes<const N: usize>(kdop: &Kdop<N>) -> Vec<[Counted<f32>; 2]> {
    let ends = kdop.ends().map(|ends| ends.map(Counted));
    let factors = [Counted(0.5); 3];
    let along = |i: usize| {
        ends.each_ref().map(|ends| (0..3).fold(Counted(0.0), |sum, k| sum + factors[k] * ends[(i + k) % N]))
    };
    (0..N).map(along).collect()
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, SANNA_K);
    let (poses, bodies) = (walk(0, steps(run.effort)), bodies());
    let costs = [costs::<3>(&bodies), costs::<7>(&bodies), costs::<9>(&bodies), costs::<13>(&bodies)];
    let triangles = mean_triangle_test();
    let mut all = Vec::new();
    for (body_name, body) in &bodies {
        for scene in &scenes() {
            let mesh = scene.mesh();
            table.keep(run, || {
                let frames = poses.iter().map(|pose| [Pose::IDENTITY, *pose]);
                Motion::pair(format!("{body_name}, {}", scene.name), [&mesh, body], frames)
            });
            let kinds = [done::<3>, done::<7>, done::<9>, done::<13>];
            let work = kinds.map(|done| {
                let done = done(&mesh, body, &poses);
                run.observer.advance();
                done
            });
            all.push(Found { name: format!("{body_name}, {}", scene.name), work });
        }
    }
    for (found, printed) in all.iter().zip(QUICKCD) {
        assert_eq!(found.name, printed.row);
        table.rows.push(
            Row::of_paper(format!("{}, QuickCD, k = 18", printed.row)).with("contacts", printed.value as u64),
        );
        for ((done, costs), k) in found.work.iter().zip(&costs).zip(PLANES) {
            let [published, here] = totals(done, costs, triangles);
            table.rows.push(
                Row::new(format!("{}, k = {k}", found.name))
                    .with("box_tests", done.lanes.tests)
                    .with("box_lanes", done.work.box_tests)
                    .with("triangle_tests", done.work.triangle_tests)
                    .with("updates", done.lanes.updates)
                    .with("contacts", done.contacts)
                    .with("test_operations", costs.test)
                    .with("update_by_corners", costs.by_corners)
                    .with("update_by_planes", costs.by_planes)
                    .with("published", published)
                    .with("here", here),
            );
        }
    }
    table.columns = vec![
        ("box_tests", "N_v"),
        ("box_lanes", "lanes"),
        ("triangle_tests", "N_p"),
        ("updates", "N_u"),
        ("contacts", "contacts"),
        ("test_operations", "C_v"),
        ("update_by_corners", "C_u"),
        ("update_by_planes", "C_u here"),
        ("published", "T"),
        ("here", "T here"),
    ];
    table.settings = settings(run.effort, triangles);
    table.claims = claims(&all, &costs, triangles);
    let mut digest = blake3::Hasher::new();
    add_poses(&mut digest, &poses);
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

/// Returns the operations of all steps, with updates by corners and by three planes.
pub(super) fn totals(done: &Done, costs: &Costs, triangles: f64) -> [f64; 2] {
    let [tests, updates, pairs] =
        [done.lanes.tests, done.lanes.updates, done.work.triangle_tests].map(|count| count as f64);
    [costs.by_corners, costs.by_planes]
        .map(|update| tests * costs.test + pairs * triangles + updates * update)
}

fn settings(effort: Effort, triangles: f64) -> Vec<Setting> {
    vec![
        paper(
            "scenes in the unit cube: a room; fifty spheres of radius 0.0345; objects from a sphere of radius 0.00656 to a hyperboloid in 0.27 x 0.31 x 0.23. A torus of radius 0.11 with a ring 0.05 thick, and a complex object in 0.4 x 0.23 x 0.23, move through them on a random path of 10 000 steps",
        ),
        ours(
            "the room has about 5 000 triangles, spheres and objects 200 each (40 objects); the torus 1 000, the complex object 2 000. A step is 0.01 long and turns by up to 3°",
        ),
        ours(format!("{} steps; all pairs of triangles in contact are found at each", steps(effort))),
        ours(
            "trees are eight wide with leaves of two triangles. N_v and N_u count volumes that are there; lanes also count empty places of blocks of eight",
        ),
        ours(format!(
            "C_p is {triangles:.0} operations, the mean of a test of two triangles whose boxes overlap: six edges against a triangle"
        )),
        ours(
            "C_u is the published update by all corners of a k-DOP; 'here' is that by three planes for each direction, which closefit makes. T is N_v C_v + N_p C_p + N_u C_u",
        ),
    ]
}

fn claims(all: &[Found], costs: &[Costs; 4], triangles: f64) -> Vec<Claim> {
    let count = |of: &'static str, get: fn(&Done) -> u64| {
        all.iter().flat_map(move |found| {
            (1..4).map(move |i| {
                let [fewer, more] = [get(&found.work[i - 1]), get(&found.work[i])];
                let name = format!("{of}, {}, k = {} beside {}", found.name, PLANES[i], PLANES[i - 1]);
                (name, more as f64 / fewer as f64)
            })
        })
    };
    let growth: Vec<(f64, f64)> =
        PLANES.iter().zip(costs).map(|(&k, costs)| (f64::from(k), costs.by_corners)).collect();
    let best = |way: usize| {
        all.iter().map(move |found| {
            let total = |i: usize| totals(&found.work[i], &costs[i], triangles)[way];
            let best = (0..4).min_by(|&i, &j| total(i).total_cmp(&total(j))).expect("there are four");
            (found.name.clone(), f64::from(PLANES[best]))
        })
    };
    let numbers = count("N_v", |done| done.lanes.tests)
        .chain(count("N_p", |done| done.work.triangle_tests))
        .chain(count("N_u", |done| done.lanes.updates));
    vec![
        Claim::judged(
            "S7",
            "\"higher values of k (tighter approximations) produce lower N_v, N_p, and N_u values\": more planes beside fewer",
            "below 1",
            Rule::Below(1.0),
            numbers,
        ),
        Claim::judged(
            "S8",
            "the cost of an update grows with its square: \"C_u = O(k²)\", as published, by corners. By definition C_v is k, and the update of closefit takes 6k",
            "an exponent of 2",
            Rule::Within(1.6, 2.4),
            [("C_u".to_owned(), exponent(&growth))],
        )
        .that_cannot_fail("the update by corners is O(k²) by construction"),
        Claim::judged(
            "S9a",
            "\"k=18 provides the best trade-off between precision and computational time\": the k of the least T, with the published update",
            "18",
            NO_TABLE,
            best(0),
        ),
        Claim::judged("S9b", "the same with the update by three planes", "18", NO_TABLE, best(1)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test compares k ends, and an update by three planes takes six operations for each: by definition.
    #[test]
    fn costs_grow_as_they_are_defined() {
        let bodies = bodies();
        let [six, most] = [costs::<3>(&bodies), costs::<13>(&bodies)];
        assert_eq!((six.test, six.by_planes), (6.0, 36.0));
        assert_eq!((most.test, most.by_planes), (26.0, 156.0));
        assert!(most.by_corners > 20.0 * six.by_corners, "{} {}", most.by_corners, six.by_corners);
    }

    /// Edges follow from Euler's formula, and a cube has eight corners.
    #[test]
    fn corners_are_those_of_polytopes() {
        let cube: Vec<DVec3> = (0..8)
            .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)))
            .collect();
        assert_eq!(corners(&Kdop::<3>::around(cube.iter().copied())).len(), 8);
        let ball = closefit_generate::shapes::Shape::Sphere.mesh(3_000);
        let around = |n: usize| match n {
            7 => corners(&Kdop::<7>::around(ball.vertices().iter().copied())).len(),
            9 => corners(&Kdop::<9>::around(ball.vertices().iter().copied())).len(),
            _ => corners(&Kdop::<13>::around(ball.vertices().iter().copied())).len(),
        };
        // A cube with cut corners has a triangle at each; with cut edges, 24 corners at least.
        assert_eq!(around(7), 24);
        assert!(
            (24..=48).contains(&around(9)) && (36..=48).contains(&around(13)),
            "{} {}",
            around(9),
            around(13)
        );
    }
}
