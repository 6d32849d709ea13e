//! Octrees by several recipes: the tests and exchanges that each takes. Counts do not depend on the machine.

use closefit::internals::bvh::Hierarchy;
use closefit::{Executor, Mesh, Pose, Work};
use closefit_methods::internals::octree::{
    Cells, DEEPEST, Faces, KeptLists, Median, Octree, Recipe, Shared, Trimmed, Uniform,
};

use super::cases::Case;

/// The scenes of the table.
const SCENES: [&str; 3] = ["tori 10k, turned", "tori 10k, shifted", "wrinkled, turned"];

/// Number of frames of the motion in which lists are kept.
const FRAMES: u32 = 200;

/// The default, those of the paper's table, and other thresholds.
fn recipes() -> [(&'static str, Recipe); 5] {
    let of = |parts: &[[u32; 3]], threshold, levels| Recipe {
        parts: parts.to_vec(),
        threshold,
        levels,
        ..Recipe::default()
    };
    [
        ("2-2-2", Recipe::default()),
        ("2-2-2, 1 level", of(&[[2; 3]], 8, 1)),
        ("3-2-2/2-2-2, 2 levels", of(&[[3, 2, 2], [2; 3]], 8, 2)),
        ("3-2-2/2-2-2", of(&[[3, 2, 2], [2; 3]], 8, DEEPEST)),
        ("2-2-2, threshold 50", of(&[[2; 3]], 50, DEEPEST)),
    ]
}

/// Prints a row for each recipe with what lists that are kept save over a motion of two tori of 400
/// triangles, and a row for each scene and recipe with the work of all contacts of all pairs.
pub fn print(cases: &[Case]) {
    println!(
        "\n| tree | recipe | exchanges in {FRAMES} frames | with lists kept | lists made | given back | alive | kB |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let torus = Case::torus(400);
    for (name, recipe) in recipes() {
        motion::<Uniform>(&torus, name, &recipe);
        motion::<Median>(&torus, name, &recipe);
    }
    println!(
        "\n| scene | tree | faces | recipe | pieces a triangle | box tests | triangle tests | overlaps | exchanges in x, y, z |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for case in cases.iter().filter(|case| SCENES.contains(&case.name)) {
        for (name, recipe) in recipes() {
            row::<Uniform, Shared>(case, "shared", name, &recipe);
            row::<Uniform, Trimmed>(case, "trimmed", name, &recipe);
            row::<Median, Shared>(case, "shared", name, &recipe);
            row::<Median, Trimmed>(case, "trimmed", name, &recipe);
        }
    }
}

fn built<C: Cells, F: Faces>(mesh: &Mesh, recipe: &Recipe) -> Octree<C, F> {
    Octree::build_as(mesh, recipe).expect("a recipe of the list")
}

fn row<C: Cells, F: Faces>(case: &Case, faces: &str, name: &str, recipe: &Recipe) {
    let Case { name: scene_name, scene, pairs } = case;
    let trees: Vec<Octree<C, F>> = scene.meshes.iter().map(|mesh| built(mesh, recipe)).collect();
    let mut work = Work::NONE;
    for pair in pairs {
        let [a, b] = pair
            .each_ref()
            .map(|(mesh, pose)| trees[*mesh].place(&scene.meshes[*mesh], pose, Executor::Simd));
        Octree::<C, F>::contacts(&a, &b, usize::MAX, &mut work);
    }
    let pieces: usize = trees.iter().map(Octree::pieces).sum();
    let triangles: usize = scene.meshes.iter().map(|mesh| mesh.triangles().len()).sum();
    let Work { box_tests, triangle_tests, overlaps, exchanges: [x, y, z], .. } = work;
    println!(
        "| {scene_name} | {} | {faces} | {name} | {:.2} | {box_tests} | {triangle_tests} | {overlaps} | {x}, {y}, {z} |",
        C::NAME,
        pieces as f64 / triangles as f64,
    );
}

fn motion<C: Cells>(torus: &Mesh, name: &str, recipe: &Recipe) {
    let tree = built::<C, Shared>(torus, recipe);
    let still = tree.place(torus, &Pose::IDENTITY, Executor::Simd);
    let (mut lists, mut fresh, mut kept) = (KeptLists::default(), Work::NONE, Work::NONE);
    for frame in 0..FRAMES {
        let turn = 2e-3 * f64::from(frame);
        let pose = Pose::from_trs([turn.sin(), 0.0, 0.0, turn.cos()], [1.0; 3], [0.3 + 0.2 * turn, 0.1, 0.0]);
        let moving = tree.place(torus, &pose.expect("a rotation"), Executor::Simd);
        Octree::<C>::contacts(&still, &moving, usize::MAX, &mut fresh);
        Octree::<C>::contacts_again(&mut lists, &still, &moving, usize::MAX, &mut kept);
    }
    let sum = |work: Work| work.exchanges.iter().sum::<u64>();
    let counts = lists.counts();
    println!(
        "| {} | {name} | {} | {} | {} | {} | {} | {:.1} |",
        C::NAME,
        sum(fresh),
        sum(kept),
        counts.made,
        counts.given_back,
        counts.alive,
        counts.bytes as f64 / 1e3,
    );
}
