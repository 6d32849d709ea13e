//! Table `ponamgi-table-2`: threaded insertion (section 5.1 and Table 2).

use std::f64::consts::TAU;

use closefit::internals::bvh::Hierarchy;
use closefit::{DVec3, Mesh, Pose, Work};
use closefit_generate::thread::{PITCH, bolt, nut};
use closefit_geometry::executor::Executor;
use closefit_methods::internals::octree::{Cells, KeptLists, Median, Octree, Recipe, Uniform};

use crate::fit::exponent;
use crate::papers::{PONAMGI_TABLE_2, of_threads};
use crate::simulate::add_poses;
use crate::simulate::rotation::{product, turned};
use crate::table::{ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Motion, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "ponamgi-table-2",
    about: "threaded insertion: work over the number of threads",
    steps: |_| 2 * SIZES.len() as u64,
    run,
};

/// Numbers of threads of the bolt, and of the nut.
const SIZES: [u32; 3] = [3, 6, 9];

fn frames(effort: Effort) -> u32 {
    either(effort, 10, 500)
}

/// The work of all frames of an insertion.
#[derive(Default)]
struct Done {
    work: Work,
    /// Number of pairs of triangles in contact, over all frames.
    contacts: u64,
    /// Number of frames without one, at which the distance is computed.
    apart: u64,
}

impl Done {
    /// Returns the number of all tests and exchanges.
    fn tests(&self) -> u64 {
        self.work.box_tests + self.work.triangle_tests + self.work.exchanges.iter().sum::<u64>()
    }
}

/// Returns the poses of the bolt: it turns in from above by as many pitches as it has, tip first.
fn insertion(threads: u32, frames: u32) -> Vec<Pose> {
    let length = PITCH * f64::from(threads);
    let pose = |frame: u32| {
        // The depth of the tip in the nut: from a pitch above to all of it.
        let depth = (length + PITCH) * f64::from(frame) / f64::from(frames - 1) - PITCH;
        // Upside down: the tip, at the height of the length, goes down. A right-hand thread turns with it.
        let upside_down = turned(DVec3::X * std::f64::consts::PI);
        let turn = product(turned(DVec3::Z * (-TAU * depth / PITCH)), upside_down);
        let height = 2.0 * length - depth;
        Pose::from_trs([turn.x, turn.y, turn.z, turn.w], [1.0; 3], [0.0, 0.0, height])
            .expect("a rotation of length 1")
    };
    (0..frames).map(pose).collect()
}

/// Returns the insertion of a bolt with so many threads into a nut with as many.
pub fn inserted(threads: u32, frames: u32) -> Motion {
    let poses = insertion(threads, frames);
    let meshes = [bolt(threads), nut(threads)];
    Motion::pair("insertion", meshes.each_ref(), poses.iter().map(|pose| [*pose, Pose::IDENTITY]))
}

/// Asks for all contacts at all poses, with lists kept from frame to frame, and for the distance where
/// there are none.
fn done<C: Cells>(meshes: &[Mesh; 2], poses: &[Pose]) -> Done {
    let recipe = Recipe { sorts_faces: true, ..Recipe::default() };
    let trees = meshes.each_ref().map(|mesh| <Octree<C>>::build_as(mesh, &recipe).expect("a valid recipe"));
    let still = trees[1].place(&meshes[1], &Pose::IDENTITY, Executor::Scalar);
    let (mut done, mut lists) = (Done::default(), KeptLists::default());
    for pose in poses {
        let moved = trees[0].place(&meshes[0], pose, Executor::Scalar);
        let found = Octree::<C>::contacts_again(&mut lists, &moved, &still, usize::MAX, &mut done.work);
        done.contacts += found.len() as u64;
        if found.is_empty() {
            done.apart += 1;
            Octree::<C>::nearest(&moved, &still, f64::INFINITY, &mut done.work);
        }
    }
    done
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, PONAMGI_TABLE_2);
    let frames = frames(run.effort);
    let mut digest = blake3::Hasher::new();
    let mut curves = [Vec::new(), Vec::new()];
    for threads in SIZES {
        let polygons = |column: &str| of_threads(threads, column) as u64;
        table.rows.push(
            Row::of_paper(format!("{threads} threads"))
                .with("bolt", polygons("bolt polygons"))
                .with("nut", polygons("nut polygons"))
                .with("seconds", of_threads(threads, "seconds")),
        );
        let meshes = [bolt(threads), nut(threads)];
        let poses = insertion(threads, frames);
        add_poses(&mut digest, &poses);
        table.keep(run, || {
            let frames = poses.iter().map(|pose| [*pose, Pose::IDENTITY]);
            Motion::pair(format!("{threads} threads"), meshes.each_ref(), frames)
        });
        let sizes = meshes.each_ref().map(|mesh| mesh.triangles().len() as u64);
        let kinds = [("octree", done::<Uniform>(&meshes, &poses)), ("OTV", done::<Median>(&meshes, &poses))];
        for ((name, done), curve) in kinds.into_iter().zip(&mut curves) {
            curve.push(((sizes[0] + sizes[1]) as f64, done.tests() as f64));
            table.rows.push(
                Row::new(format!("{threads} threads, {name}"))
                    .with("bolt", sizes[0])
                    .with("nut", sizes[1])
                    .with("box_tests", done.work.box_tests)
                    .with("overlaps", done.work.overlaps)
                    .with("exchanges", done.work.exchanges.iter().sum::<u64>())
                    .with("triangle_tests", done.work.triangle_tests)
                    .with("contacts", done.contacts)
                    .with("apart", done.apart),
            );
            run.observer.advance();
        }
    }
    table.columns = vec![
        ("bolt", "bolt"),
        ("nut", "nut"),
        ("seconds", "s a frame"),
        ("box_tests", "box tests"),
        ("overlaps", "overlaps"),
        ("exchanges", "exchanges"),
        ("triangle_tests", "triangle tests"),
        ("contacts", "contacts"),
        ("apart", "frames apart"),
    ];
    table.settings = settings(frames);
    let exponents = [("octree", &curves[0]), ("OTV", &curves[1])];
    table.claims = vec![Claim::judged(
        "P5",
        "the time \"increases linearly, despite the fact the number of possible interactions increases quadratically\": exponent of tests over the polygons of both",
        "0.80 from 3 to 6 threads, 1.69 from 6 to 9, by its own table",
        Rule::Within(0.7, 1.3),
        exponents.map(|(name, points)| (name.to_owned(), exponent(points))),
    )
        .though("contacts alone grow with an exponent of 1.23 on our bolt")];
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

fn settings(frames: u32) -> Vec<Setting> {
    vec![
        paper(
            "a bolt of 100 and 154 polygons for each thread, by the table; the text says 200. The nut has 154 for each thread: the surface of its thread alone. The nut stands still; the bolt moves on a cylindrical path",
        ),
        ours(
            "polygons are triangles; p = 1, d = 8, a = 0.05, r = 1/8, and flanks of 60°; the thread has eleven corners around and seven rings a pitch",
        ),
        ours(format!(
            "the bolt is screwed in from a pitch above the nut to its whole length, in {frames} frames; all contacts are found at each, and the distance where there are none"
        )),
        ours(
            "one octree for each mesh, cut 2-2-2 down to eight vertices; boxes of faces are sorted at its leaves. Box tests of cells count lanes of eight; lists are kept from frame to frame",
        ),
    ]
}
