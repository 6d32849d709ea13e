//! Table `zachmann-build`: building a BoxTree over size (Figure 6).

use std::time::Instant;

use closefit_generate::shapes::Shape;
use closefit_methods::internals::box_tree::{BoxRule, BoxTree};

use crate::fit::exponent;
use crate::papers::ZACHMANN_BUILD;
use crate::picture::Picture;
use crate::table::{Seconds, ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Row, Run, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "zachmann-build",
    about: "building BoxTrees: work over size",
    steps: |effort| (SHAPES.len() * sizes(effort).len()) as u64,
    run,
};

const SHAPES: [Shape; 2] = [Shape::Sphere, Shape::Hyperboloid];

fn sizes(effort: Effort) -> &'static [u32] {
    either(effort, &[100, 300, 1_000, 3_000], &[100, 300, 1_000, 3_000, 10_000, 30_000, 100_000])
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, ZACHMANN_BUILD);
    table.settings = vec![
        paper("spheres and hyperboloids; the figure has curves, without numbers in the text"),
        ours(
            "100 to 100 000 triangles; the paper's rule with the depth of its table, and one more for each doubling beyond 3 000",
        ),
        ours(
            "work is counted as tests of a polygon or an edge against a plane: six planes for an empty part, three medians, and the cut",
        ),
    ];
    table.columns = vec![
        ("triangles", "triangles"),
        ("edges_and_triangles", "edges, triangles"),
        ("depth", "depth"),
        ("nodes", "nodes"),
        ("plane_evaluations", "plane tests"),
        ("per_item", "per item"),
    ];
    let mut readings = Vec::new();
    let mut curves = Vec::new();
    for shape in SHAPES {
        let mut points = Vec::new();
        for &size in sizes(run.effort) {
            let mesh = shape.mesh(size);
            let start = Instant::now();
            let tree = BoxTree::build_as(&mesh, &BoxRule::DEFAULT);
            let name = format!("{} {size}", shape.name());
            table
                .this_machine
                .rows
                .push(Seconds { of: name.clone(), seconds: start.elapsed().as_secs_f64() });
            let shapes = tree.shapes(&mesh);
            let sum = |of: fn(&closefit_methods::internals::box_tree::Shape) -> u64| {
                shapes.iter().map(of).sum::<u64>()
            };
            let (tests, nodes) = (sum(|shape| shape.plane_tests), sum(|shape| shape.nodes as u64));
            let items = sum(|shape| shape.items as u64);
            points.push((items as f64, tests as f64));
            table.rows.push(
                Row::new(name)
                    .with("triangles", mesh.triangles().len() as u64)
                    .with("edges_and_triangles", items)
                    .with("depth", shapes[1].depth)
                    .with("nodes", nodes)
                    .with("plane_evaluations", tests)
                    .with("per_item", tests as f64 / items as f64),
            );
            run.observer.advance();
        }
        readings.push((format!("exponent for {}s", shape.name()), exponent(&points)));
        curves.push((shape.name().to_owned(), points));
    }
    table.claims = vec![Claim::judged(
        "Z0",
        "\"building BoxTrees is in O(n) average running time\", with O(n log n) proven",
        "an exponent of 1, by eye from a figure",
        Rule::AtMost(1.15),
        readings,
    )];
    table.picture = Some(Picture {
        title: EXPERIMENT.about,
        x: "edges and triangles",
        is_logarithmic: true,
        y: "tests of an item against a plane",
        curves,
    });
    table
}
