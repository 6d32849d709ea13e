//! RAPID's tree by every recipe: how tight its boxes are, and what that is worth.

use std::time::Instant;

use closefit::internals::bvh::Hierarchy;
use closefit::{Executor, Work};
use closefit_methods::internals::binary_obb::{BinaryObb, Fit, Recipe, Split};

use super::cases::Case;

const FITS: [(&str, Fit); 3] =
    [("triangles", Fit::Triangles), ("hull vertices", Fit::HullVertices), ("hull surface", Fit::HullSurface)];

const SPLITS: [(&str, Split); 3] =
    [("mean", Split::Mean), ("min-max", Split::MinMax), ("larger child", Split::LargerChild)];

fn recipes() -> Vec<(String, Recipe)> {
    let named = |(fit_name, fit), (split_name, split)| {
        (format!("{fit_name}, {split_name}"), Recipe { fit, split, ..Recipe::DEFAULT })
    };
    let varied = FITS.into_iter().flat_map(|fit| SPLITS.map(|split| named(fit, split)));
    varied.chain([("as printed".to_owned(), Recipe::PRINTED)]).collect()
}

/// Prints a row for each scene and recipe: the sums of the boxes' surfaces and volumes, beside the roots',
/// and the tests for all contacts of all pairs.
pub fn print(cases: &[Case]) {
    println!("\n| scene | fit, split | surface | volume | depth | box tests | triangle tests | build, ms |");
    println!("|---|---|---|---|---|---|---|---|");
    for case in cases {
        for (name, recipe) in recipes() {
            row(case, &name, &recipe);
        }
    }
}

fn row(case: &Case, name: &str, recipe: &Recipe) {
    let Case { name: scene_name, scene, pairs } = case;
    let start = Instant::now();
    let trees: Vec<BinaryObb> = scene.meshes.iter().map(|mesh| BinaryObb::build_as(mesh, recipe)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let mut work = Work::NONE;
    for pair in pairs {
        let [a, b] = pair
            .each_ref()
            .map(|(mesh, pose)| trees[*mesh].place(&scene.meshes[*mesh], pose, Executor::Scalar));
        BinaryObb::contacts(&a, &b, usize::MAX, &mut work);
    }
    let sums = |measure: fn(&BinaryObb, usize) -> f64| {
        let over = |tree: &BinaryObb| (0..tree.nodes.len()).map(|node| measure(tree, node)).sum::<f64>();
        let roots: f64 = trees.iter().map(|tree| measure(tree, 0)).sum();
        trees.iter().map(over).sum::<f64>() / roots
    };
    let surface = sums(|tree, node| tree.nodes[node].obb.area());
    let volume = sums(|tree, node| tree.nodes[node].obb.half.element_product());
    let depth = trees.iter().map(|tree| tree.stats().depth).max().unwrap_or(0);
    println!(
        "| {scene_name} | {name} | {surface:.2} | {volume:.3} | {depth} | {} | {} | {:.1} |",
        work.box_tests,
        work.triangle_tests,
        1e3 * seconds,
    );
}
