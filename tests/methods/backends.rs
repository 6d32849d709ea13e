//! All strategies and broad phases give the same answers: their reports have the same bytes, on any number of
//! threads. Failing scenes shrink themselves.
//!
//! `CLOSEFIT_CASES` sets the number of random assemblies, and runs everything on one thread and on three, and
//! every method on every generated scene in all its places.

use std::sync::Arc;

use closefit::Strategy as Trees;
use closefit::internals::engine::{check, default_tolerance};
use closefit::scene::{Part, Scene};
use closefit::{
    BroadPhase, CheckError, CheckRequest, HullFilter, Mesh, Pool, Pose, SweepRequest, Unobserved, Verdict,
    Winding,
};
use closefit_generate::names;
use closefit_geometry::ids::MeshId;
use closefit_report::{CheckReport, SweepReport, csv, json};
use closefit_testing::meshes::{Soup, ball, cuboid, mesh, prism, reversed, square_ring};
use closefit_testing::rng::Rng;
use closefit_testing::small_scenes::small_scene;
use glam::DVec3;
use proptest::prelude::*;

/// The output of a run: the two files with answers, and its verdicts.
#[derive(Debug, PartialEq)]
struct Said {
    report: String,
    pairs: String,
    verdicts: Vec<Verdict>,
}

fn said(scene: &Scene, request: &CheckRequest) -> Result<Said, CheckError> {
    let result = check(scene, request, &Unobserved)?;
    let report = CheckReport::new(scene, result);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ok(Said {
        report: text(json::document(&report)),
        pairs: text(csv::pairs(&report)),
        verdicts: report.pairs.iter().map(|pair| pair.verdict).collect(),
    })
}

/// Methods that take turns: each sees every scene, at one of its places.
const IN_TURN: usize = 3;

/// Returns the output that every kind of tree, every executor, every broad phase, all filters by hulls, and
/// one and three threads agree on. With a `turn`, every third of these methods runs.
///
/// # Panics
/// If outputs differ, with the first line that does.
fn agreed(
    what: &str,
    scene: &Scene,
    clearance: f64,
    tolerance: f64,
    winding: Winding,
    turn: Option<usize>,
) -> Result<Said, CheckError> {
    let run = |strategy, broad, hull, threads| {
        let request = CheckRequest::default()
            .clearance(clearance)
            .tolerance(tolerance)
            .list_contacts()
            .strategy(strategy)
            .broad(broad)
            .hull(hull)
            .winding(winding);
        Pool::of(threads).install(|| said(scene, &request)).expect("threads")
    };
    let (trees, broad) = (Trees::default(), BroadPhase::default());
    let reference = run(trees, broad, HullFilter::Off, 1);
    let strategies = closefit_methods::strategies().map(|strategy| (strategy, broad, HullFilter::Off));
    let broad_phases = BroadPhase::ALL.iter().map(|&broad| (trees, broad, HullFilter::Off));
    let rapid = Trees::new(closefit_methods::RAPID, None).expect("it has an executor");
    let walks = [trees, rapid].map(|strategy| (strategy, broad, HullFilter::ClosestFeatures));
    let regions = closefit_methods::strategies().map(|strategy| (strategy, broad, HullFilter::ContactRegion));
    let all = strategies.chain(broad_phases).chain(walks).chain(regions);
    let is_asked = |number: usize| turn.is_none_or(|turn| number % IN_TURN == turn % IN_TURN);
    for (number, (strategy, broad, hull)) in all.enumerate().filter(|&(number, _)| is_asked(number)) {
        // Both numbers of threads double the time; in turn, every stage still meets both.
        let threads: &[usize] = if closefit_testing::is_full_run() { &[1, 3] } else { &[[1, 3][number % 2]] };
        for &threads in threads {
            let other = run(strategy, broad, hull, threads);
            if let (Ok(a), Ok(b)) = (&reference, &other) {
                for (line, (a, b)) in (1..).zip(a.report.lines().zip(b.report.lines())) {
                    assert_eq!(
                        a, b,
                        "{what}: {strategy}, {broad}, hulls {hull}, {threads} threads, line {line}"
                    );
                }
            }
            assert_eq!(reference, other, "{what}: {strategy}, {broad}, hulls {hull}, {threads} threads");
        }
    }
    reference
}

/// Returns the scene with every part moved in its own direction by about a share of the largest mesh's
/// extent.
fn jostled(scene: &Scene, share: f64) -> Scene {
    let extent = |mesh: &Arc<Mesh>| mesh.vertices().iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let step = share * scene.meshes.iter().map(extent).fold(0.0, f64::max);
    let mut rng = Rng::new("jostled", 0);
    let mut moved = scene.clone();
    for part in &mut moved.parts {
        let by = rng.point() * step;
        for (row, by) in part.pose.rows.iter_mut().zip(by.to_array()) {
            row[3] += by;
        }
    }
    moved
}

#[test]
fn on_every_generated_scene() {
    let mut seen = Vec::new();
    for (index, (name, _)) in names().iter().enumerate() {
        // Otherwise scenes are meshes and soups in turn.
        let soups: &[bool] = if closefit_testing::is_full_run() { &[false, true] } else { &[index % 2 == 1] };
        for &soup in soups {
            let scene = small_scene(name, 1, soup);
            // Wide clearances list pairs with their distance; all pairs, where that is quick.
            for (place, (share, wide)) in [(0.0, true), (0.03, false), (0.3, true)].into_iter().enumerate() {
                let scene = jostled(&scene, share);
                let tolerance = default_tolerance(&scene).expect("of ordinary size");
                let clearance = match (wide, scene.parts.len() <= 5) {
                    (false, _) => 0.0,
                    (true, false) => 1e4 * tolerance,
                    (true, true) => f64::MAX,
                };
                // The triangles of a soup are turned at random, so as found they enclose nothing.
                let winding = if soup && wide { Winding::AsFound } else { Winding::Repaired };
                let what = format!("{name}, soup {soup}, moved by {share}, clearance {clearance:e}");
                let turn = (!closefit_testing::is_full_run()).then_some(place);
                let said = agreed(&what, &scene, clearance, tolerance, winding, turn).expect("admissible");
                seen.extend(said.verdicts);
            }
        }
    }
    seen.sort_unstable();
    seen.dedup();
    use Verdict::{Clash, Clearance, Contact, Undecided};
    assert_eq!(seen, [Clash, Undecided, Contact, Clearance], "what the scenes are there to show");
}

/// Returns the scene with no more than about `most` triangles of each mesh, spread over it.
fn thinned(scene: &Scene, most: usize) -> Scene {
    let thin = |mesh: &Arc<Mesh>| {
        let step = mesh.triangles().len().div_ceil(most);
        let kept: Vec<[u32; 3]> = mesh.triangles().iter().copied().step_by(step).collect();
        Arc::new(Mesh::new(mesh.vertices(), &kept).expect("valid"))
    };
    Scene { meshes: scene.meshes.iter().map(thin).collect(), ..scene.clone() }
}

/// The same report of a motion by every kind of tree and every executor, alone and behind a filter by hulls.
#[test]
fn on_every_generated_motion_by_every_tree() {
    let mut moving = 0;
    for (name, _) in names() {
        let scene = small_scene(name, 1, false);
        // Kinds without a tree or with round volumes take long over a motion.
        let assembly = closefit::Assembly::from(thinned(&scene, 100));
        let Some([from, to]) = assembly.time_range() else { continue };
        moving += 1;
        let request = assembly.sweep_request(from, to).expect("of ordinary size");
        let request = request.precision(1e3 * request.precision).clearance(1e4 * request.precision);
        let run = |request: &SweepRequest| {
            let result = assembly.sweep(request).expect("admissible");
            json::document(&SweepReport::new(assembly.scene(), result))
        };
        let reference = run(&request);
        for strategy in closefit_methods::strategies() {
            for hull in [HullFilter::Off, HullFilter::ClosestFeatures] {
                let start = std::time::Instant::now();
                let report = run(&request.strategy(strategy).hull(hull));
                println!("{name} {strategy} {hull}: {:.2} s", start.elapsed().as_secs_f64());
                assert!(report == reference, "{name}, {strategy}, hulls {hull}");
            }
        }
    }
    assert!(moving > 3, "{moving} scenes");
}

/// The same report of a motion by every broad phase, and with a filter by hulls, on one and three threads.
#[test]
fn on_every_generated_motion_by_every_broad_phase() {
    let (mut moving, mut proven) = (0, 0);
    for (name, _) in names() {
        let scene = small_scene(name, 1, false);
        let assembly = closefit::Assembly::from(scene);
        let Some([from, to]) = assembly.time_range() else { continue };
        moving += 1;
        let request = assembly.sweep_request(from, to).expect("of ordinary size");
        let request = request.precision(1e3 * request.precision).clearance(1e4 * request.precision);
        let run = |broad, threads| {
            let result =
                Pool::of(threads).install(|| assembly.sweep(&request.broad(broad))).expect("threads");
            let result = result.expect("admissible");
            let work = result.counters.broad;
            (json::document(&SweepReport::new(assembly.scene(), result)), work)
        };
        let reference = run(BroadPhase::default(), 1).0;
        for &broad in BroadPhase::ALL {
            let (report, work) = run(broad, 1);
            assert!(report == reference, "{name}, {broad}");
            assert_eq!((work.method, work.frames), (broad, 65));
            assert_eq!(run(broad, 3), (report, work), "{name}, {broad} on 3 threads");
        }
        let rapid = Trees::new(closefit_methods::RAPID, None).expect("it has an executor");
        for strategy in [Trees::default(), rapid] {
            let request = request.strategy(strategy).hull(HullFilter::ClosestFeatures);
            let result = assembly.sweep(&request).expect("admissible");
            proven += result.counters.work.walks.proven;
            let report = json::document(&SweepReport::new(assembly.scene(), result));
            assert!(report == reference, "{name}, {strategy} with hulls");
        }
    }
    assert!(moving > 3 && proven > 100, "{moving} scenes, {proven} proofs by hulls");
}

fn scene(meshes: &[Soup], parts: &[(usize, Pose)]) -> Scene {
    let part = |(i, &(mesh, pose)): (usize, &(usize, Pose))| {
        Part::new(format!("part {i}"), MeshId(u32::try_from(mesh).expect("small")), pose)
    };
    Scene {
        meshes: meshes.iter().map(|soup| Arc::new(mesh(soup))).collect(),
        parts: parts.iter().enumerate().map(part).collect(),
        ..Scene::default()
    }
}

/// Nodes and leaves of every fill, whatever their width: soups of 1, 2, 3 ... triangles.
#[test]
fn on_every_number_of_triangles() {
    let mut rng = Rng::new("fill", 0);
    let mut met = 0;
    let step = if closefit_testing::is_full_run() { 1 } else { 3 };
    for count in (1..=72).step_by(step) {
        let mut soup = |count: usize| -> Soup {
            let mut triangle = || {
                let at = rng.point() * 2.0;
                [(); 3].map(|()| at + 0.25 * rng.point())
            };
            (0..count).map(|_| triangle()).collect()
        };
        let meshes = [soup(count), soup(count * 5 % 72 + 1)];
        let scene = scene(&meshes, &[(0, Pose::IDENTITY), (1, Pose::IDENTITY)]);
        let said = agreed(&format!("{count} triangles"), &scene, f64::MAX, 0.0, Winding::Repaired, None)
            .expect("admissible");
        met += usize::from(said.verdicts != [Verdict::Clearance]);
    }
    let counts = 72 / step;
    assert!(6 * met > counts && 6 * met < 5 * counts, "{met} of {counts} meet: both kinds are wanted");
}

/// The shape of a mesh; lengths are a few units.
#[derive(Clone, Debug)]
enum Shape {
    /// A box with corners on a coarse lattice: shared corners, touching edges, coplanar faces.
    Box([i8; 3], [i8; 3]),
    /// A sphere of up to 512 triangles, reversed or not, with its last triangles left out.
    Ball { levels: u32, reversed: bool, missing: usize },
    /// A ring of sixteen long walls.
    Ring(i8),
    /// A prism over a star of needles.
    Star(u8),
    /// Lattice triangles, many of them segments and points.
    Lattice(Vec<[[i8; 3]; 3]>),
    /// One triangle repeated, moved by this much each time.
    Stack(u8, f64),
}

fn lattice(p: &[i8; 3]) -> DVec3 {
    DVec3::from_array(p.map(|x| f64::from(x) / 2.0))
}

impl Shape {
    fn soup(&self) -> Soup {
        match self {
            Self::Box(lo, size) => {
                let lo = lattice(lo);
                cuboid(lo.to_array(), (lo + lattice(size)).to_array())
            }
            &Self::Ball { levels, reversed: inside_out, missing } => {
                let mut soup = ball(DVec3::ZERO, 2.0, levels);
                soup.truncate((soup.len() - missing).max(1));
                if inside_out { reversed(&soup) } else { soup }
            }
            Self::Ring(width) => square_ring(f64::from(*width), f64::from(*width) + 0.5, -0.25, 0.25),
            Self::Star(points) => {
                let count = 2 * u32::from(*points);
                let corner = |i: u32| {
                    let (sin, cos) = libm::sincos(f64::from(i) / f64::from(count) * std::f64::consts::TAU);
                    let radius = if i.is_multiple_of(2) { 3.0 } else { 0.01 };
                    [radius * cos, radius * sin]
                };
                prism(&(0..count).map(corner).collect::<Vec<_>>(), -0.5, 0.5)
            }
            Self::Lattice(triangles) => triangles.iter().map(|t| t.each_ref().map(lattice)).collect(),
            Self::Stack(count, step) => {
                let layer = |i: u8| DVec3::Z * (f64::from(i) * step);
                (0..*count).map(|i| [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p + layer(i))).collect()
            }
        }
    }
}

fn corner(reach: i8) -> impl Strategy<Value = [i8; 3]> {
    prop::array::uniform3(-reach..=reach)
}

fn shape() -> impl Strategy<Value = Shape> {
    let step = prop_oneof![Just(0.0), Just(1e-9), Just(0.125), Just(f64::MIN_POSITIVE)];
    prop_oneof![
        3 => (corner(6), prop::array::uniform3(1..6i8)).prop_map(|(lo, size)| Shape::Box(lo, size)),
        3 => (0..4u32, any::<bool>(), 0..9usize)
            .prop_map(|(levels, reversed, missing)| Shape::Ball { levels, reversed, missing }),
        1 => (1..4i8).prop_map(Shape::Ring),
        1 => (3..9u8).prop_map(Shape::Star),
        3 => prop::collection::vec(prop::array::uniform3(corner(3)), 1..40).prop_map(Shape::Lattice),
        1 => (1..40u8, step).prop_map(|(count, step)| Shape::Stack(count, step)),
    ]
}

/// Poses of a part, before the whole assembly is scaled and moved.
fn stance() -> impl Strategy<Value = Pose> {
    let unit = || prop::array::uniform3(-1.0..1.0f64);
    let place = || corner(8).prop_map(|p| lattice(&p).to_array());
    let turn = || prop::array::uniform4(-1.0..1.0f64).prop_map(|q| if q == [0.0; 4] { [1.0; 4] } else { q });
    let factor = prop_oneof![Just(1.0), Just(-1.0), Just(0.5), 0.1..3.0f64, Just(1e-3), Just(0.0)];
    let trs = |rotation, scale, at| Pose::from_trs(rotation, scale, at).expect("not all zero");
    let sheared = |(rows, at): ([[f64; 3]; 3], [f64; 3])| Pose {
        rows: std::array::from_fn(|i| [rows[i][0], rows[i][1], rows[i][2], at[i]]),
    };
    prop_oneof![
        1 => Just(Pose::IDENTITY),
        3 => place().prop_map(move |at| trs([0.0, 0.0, 0.0, 1.0], [1.0; 3], at)),
        3 => (turn(), place()).prop_map(move |(q, at)| trs(q, [1.0; 3], at)),
        2 => (turn(), prop::array::uniform3(factor), place()).prop_map(move |(q, s, at)| trs(q, s, at)),
        1 => (prop::array::uniform3(unit()), place()).prop_map(sheared),
    ]
}

#[derive(Clone, Debug)]
struct Assembly {
    meshes: Vec<Shape>,
    /// Mesh and pose of each part; instances are common.
    parts: Vec<(prop::sample::Index, Pose)>,
    /// True to remove a triangle from every mesh, so that nothing is solid. Most assemblies are open, because
    /// depths are slow to search and do not depend on a tree.
    open: bool,
    /// Factor of all lengths, then a shift by `far` units along a diagonal.
    unit: f64,
    far: f64,
}

impl Assembly {
    fn scene(&self) -> Scene {
        let mut meshes: Vec<Soup> = self.meshes.iter().map(Shape::soup).collect();
        if self.open {
            meshes.iter_mut().for_each(|soup| soup.truncate((soup.len() - 1).max(1)));
        }
        let placed = |(mesh, pose): &(prop::sample::Index, Pose)| {
            let rows = pose.rows.map(|[x, y, z, at]| {
                [x * self.unit, y * self.unit, z * self.unit, (at + self.far) * self.unit]
            });
            (mesh.index(meshes.len()), Pose { rows })
        };
        let parts = self.parts.iter().take(if self.open { 6 } else { 2 });
        scene(&meshes, &parts.map(placed).collect::<Vec<_>>())
    }
}

fn assembly() -> impl Strategy<Value = Assembly> {
    let meshes = prop::collection::vec(shape(), 1..4);
    let parts = prop::collection::vec((any::<prop::sample::Index>(), stance()), 2..7);
    let unit = prop_oneof![
        3 => Just(1.0),
        1 => Just(0.0254),
        1 => Just(1e-30),
        1 => Just(1e30),
        2 => (-195..140i64).prop_map(closefit_testing::rng::power_of_two),
    ];
    let far = prop_oneof![4 => Just(0.0), 1 => Just(1e4), 1 => Just(1e9 + 0.1), 1 => Just(1e15)];
    (meshes, parts, prop::bool::weighted(0.8), unit, far)
        .prop_map(|(meshes, parts, open, unit, far)| Assembly { meshes, parts, open, unit, far })
}

fn settings() -> ProptestConfig {
    let cases = u32::try_from(closefit_testing::cases(20)).expect("small");
    ProptestConfig { cases, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn on_random_assemblies(
        assembly in assembly(),
        clearance in prop_oneof![Just(0.0), Just(0.5), Just(f64::MAX)],
        tolerance in prop_oneof![Just(0.0), Just(1e-6), Just(0.25)],
    ) {
        let unit = assembly.unit;
        let said = agreed("assembly", &assembly.scene(), (clearance * unit).min(f64::MAX), tolerance * unit, Winding::Repaired, None);
        prop_assert!(said.is_ok(), "{:?}", said);
    }
}

#[test]
fn on_what_is_refused() {
    let meshes = [cuboid([0.0; 3], [1.0; 3])];
    let mut beyond = Pose::IDENTITY;
    beyond.rows[1][3] = 1e61;
    let scene = scene(&meshes, &[(0, Pose::IDENTITY), (0, beyond)]);
    let refused = agreed("beyond 2^200", &scene, 0.0, 0.0, Winding::Repaired, None);
    assert!(matches!(refused, Err(CheckError::OutOfRange { part: 1, .. })), "{refused:?}");
}
