//! The measurements: the same queries at every size.

use closefit::internals::broad::moving::MovingBoxes;
use closefit::internals::broad::sweep_and_prune;
use closefit::scene::Scene;
use closefit::{Aabb, BodyId, BroadPhase, CollisionMesh, Mesh, PartId, Pose, World};
use closefit_generate::{Request, generate};
use closefit_peers::engine::{Pair, alone, build};
use glam::DVec3;

use super::meter::Meter;

/// The cost of one query at growing sizes.
pub struct Series {
    /// Name of the query.
    pub name: &'static str,
    /// Unit of the sizes.
    pub of: &'static str,
    /// Pairs of size and cost per answer.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    fn new(name: &'static str, of: &'static str) -> Self {
        Self { name, of, points: Vec::new() }
    }

    /// Returns the exponent of the power law that fits best, by least squares of the logarithms.
    pub fn exponent(&self) -> f64 {
        let logs = || self.points.iter().map(|&(count, cost)| (count.ln(), cost.ln()));
        let n = self.points.len() as f64;
        let (x, y) = logs().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x / n, sy + y / n));
        let (xy, xx) =
            logs().fold((0.0, 0.0), |(xy, xx), (u, v)| (xy + (u - x) * (v - y), xx + (u - x) * (u - x)));
        xy / xx
    }
}

/// Fractions of the push that brings two linked tori into contact.
const APART: f64 = 0.9;
const OVERLAPPING: f64 = 1.1;

/// Measures building, and the three queries on a pair.
pub fn narrow(kind: &str, sizes: &[u32], meter: &Meter) -> Vec<Series> {
    let pair = |meshes| build(kind, meshes).expect("an engine of the list");
    let [mut building, mut yes_no, mut contacts, mut distance] =
        ["build", "yes/no", "contacts", "distance"].map(|name| Series::new(name, "triangles"));
    // The coarsest pair gives the length of the push; every size has the same poses.
    let (coarse, linked) = tori(sizes[0]);
    let pushes = pushes(&*pair(coarse), &linked);
    let poses = |share: f64| pushes.iter().map(move |push| moved(&linked, *push * share));
    let (apart, overlapping): (Vec<Pose>, Vec<Pose>) = (poses(APART).collect(), poses(OVERLAPPING).collect());
    let both = [apart.clone(), overlapping.clone()].concat();
    for &size in sizes {
        let (meshes, _) = tori(size);
        let count = meshes[0].triangles().len() as f64;
        building.points.push((count, meter.cost(|| pair(meshes.clone()))));
        let pair = pair(meshes);
        yes_no.points.push((count, mean(meter, &both, |pose| pair.touches(pose))));
        contacts.points.push((count, mean(meter, &overlapping, |pose| pair.contacts(pose))));
        distance.points.push((count, mean(meter, &apart, |pose| pair.distance(pose))));
        eprintln!("tori of {count} triangles");
    }
    vec![building, yes_no, contacts, distance]
}

/// Measures finding all overlapping pairs of boxes among bodies that overlap four others on average: in a
/// single frame, and per frame of moving bodies.
pub fn broad(sizes: &[u32], meter: &Meter) -> Vec<Series> {
    let [mut standing, mut moving] =
        ["sweep and prune, one frame", "grid, each frame"].map(|name| Series::new(name, "bodies"));
    for &size in sizes {
        let scene = scene("boxes", size);
        let bounds =
            (0..size).map(PartId).map(|id| scene.mesh(id).posed_bounds(&scene.parts[id.index()].pose));
        let boxes: Vec<Aabb> = bounds.collect();
        let count = f64::from(size);
        standing.points.push((count, meter.cost(|| alone(|| sweep_and_prune::near_pairs(&boxes, 0.0)))));
        let frames = [boxes.iter().enumerate().map(stirred).collect(), boxes];
        let mut bodies = MovingBoxes::new(BroadPhase::Grid, 0.0);
        let mut frames = frames.iter().cycle();
        let mut frame = || bodies.update(frames.next().expect("a cycle")).len();
        // The first frames lay out the grid.
        (0..3).for_each(|_| _ = alone(&mut frame));
        moving.points.push((count, meter.cost(|| alone(&mut frame))));
        eprintln!("{size} bodies");
    }
    vec![standing, moving]
}

/// Number of bodies that move among fixed ones.
const MOVING: usize = 10;

/// Measures a frame of a [`World`] of cubes that overlap four others on average, with the pairs in contact:
/// ten bodies move among fixed ones, or all bodies move.
pub fn world(sizes: &[u32], meter: &Meter) -> Vec<Series> {
    let [mut fixed, mut moving] =
        ["World, 10 moving among fixed", "World, all moving"].map(|name| Series::new(name, "bodies"));
    for &size in sizes {
        let scene = scene("boxes", size);
        for (series, movers) in [(&mut fixed, MOVING), (&mut moving, size as usize)] {
            let (mut world, bodies) = among_fixed(&scene, movers);
            let mut step = 0.0;
            let mut frame = || {
                step = 0.05 - step;
                for (id, start) in &bodies {
                    world.set_pose(*id, &moved(start, DVec3::X * step)).expect("admissible");
                }
                world.intersecting().len()
            };
            // The first frames lay out the grids.
            (0..3).for_each(|_| _ = alone(&mut frame));
            series.points.push((f64::from(size), meter.cost(|| alone(&mut frame))));
        }
        eprintln!("a world of {size} bodies");
    }
    vec![fixed, moving]
}

/// Returns a world of a scene's parts, and the bodies that move in it: `movers`, spread evenly over the
/// scene.
fn among_fixed(scene: &Scene, movers: usize) -> (World, Vec<(BodyId, Pose)>) {
    let trees: Vec<CollisionMesh> = scene.meshes.iter().map(|mesh| CollisionMesh::build(mesh)).collect();
    let (mut world, mut moving) = (World::default(), Vec::new());
    let every = scene.parts.len().div_ceil(movers);
    for (index, part) in scene.parts.iter().enumerate() {
        let (tree, moves) = (&trees[part.mesh.index()], index % every == 0);
        let add = if moves { World::add } else { World::add_fixed };
        let id = add(&mut world, tree, &part.pose).expect("admissible");
        moving.extend(moves.then_some((id, part.pose)));
    }
    (world, moving)
}

/// Moves a box by a twentieth of its size, forwards or backwards along each axis.
fn stirred((i, bounds): (usize, &Aabb)) -> Aabb {
    let sign = |axis: usize| if i >> axis & 1 == 0 { 0.05 } else { -0.05 };
    let shift = (bounds.hi - bounds.lo) * DVec3::new(sign(0), sign(1), sign(2));
    Aabb { lo: bounds.lo + shift, hi: bounds.hi + shift }
}

fn scene(name: &str, size: u32) -> Scene {
    let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
    generate(&request).expect("a scene of the list, of a size that it has")
}

/// Two tori, and the position at which the second is linked with the first.
fn tori(size: u32) -> ([Mesh; 2], Pose) {
    let scene = scene("tori", size);
    ([0, 1].map(|part| scene.mesh(PartId(part)).clone()), scene.parts[1].pose)
}

/// Returns, for twelve directions, the push from `linked` that brings the tori into contact.
fn pushes(pair: &dyn Pair, linked: &Pose) -> Vec<DVec3> {
    let touches = |push: DVec3| pair.touches(&moved(linked, push)).expect("admissible");
    let first_contact = |direction: DVec3| {
        let (mut apart, mut meeting) = (0.0, 1.0);
        for _ in 0..30 {
            let middle = 0.5 * (apart + meeting);
            *(if touches(direction * middle) { &mut meeting } else { &mut apart }) = middle;
        }
        direction * meeting
    };
    // Evenly spread directions, near the corners of an icosahedron.
    let corners = [[1.0, 2.0], [1.0, -2.0], [-1.0, 2.0], [-1.0, -2.0]]
        .into_iter()
        .flat_map(|[x, y]| [DVec3::new(0.0, x, y), DVec3::new(x, y, 0.0), DVec3::new(y, 0.0, x)]);
    corners.map(|corner| first_contact(corner.normalize())).collect()
}

fn moved(pose: &Pose, by: DVec3) -> Pose {
    let mut pose = *pose;
    for (row, by) in pose.rows.iter_mut().zip(by.to_array()) {
        row[3] += by;
    }
    pose
}

/// Returns the mean cost of an answer over the poses, with all buffers allocated before.
fn mean<T>(meter: &Meter, poses: &[Pose], ask: impl Fn(&Pose) -> Option<T>) -> f64 {
    let ask = |pose| ask(pose).expect("admissible");
    poses.iter().for_each(|pose| _ = ask(pose));
    poses.iter().map(|pose| meter.cost(|| ask(pose))).sum::<f64>() / poses.len() as f64
}
