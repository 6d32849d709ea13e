//! Table `zachmann-depth`: the best depth of a BoxTree (Figure 9, and the table that follows it).

use closefit_generate::shapes::Shape;
use closefit_methods::internals::box_tree::BoxRule;

use super::{Bodies, Frames};
use crate::papers::{DEPTHS, ZACHMANN_DEPTH};
use crate::picture::Picture;
use crate::table::{ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Row, Run, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "zachmann-depth",
    about: "the best depth of a BoxTree, by size and shape",
    steps: |effort| (SHAPES.len() * sizes(effort).len()) as u64,
    run,
};

const SHAPES: [Shape; 4] = [Shape::Sphere, Shape::Torus, Shape::Cylinder, Shape::TetraFlake];

/// The deepest tree that is tried.
const DEEPEST: u32 = 14;

/// The numbers of polygons for which boxes are not cut, which are tried at the best depth.
const MINS: [usize; 4] = [1, 2, 4, 8];

/// The sizes and best depths of the paper, all or some.
fn sizes(effort: Effort) -> Vec<(u32, u32)> {
    let all = DEPTHS.iter().map(|printed| (printed.row.parse().expect("a number"), printed.value as u32));
    all.step_by(either(effort, 3, 1)).collect()
}

fn frames(effort: Effort) -> Frames {
    either(effort, Frames { runs: 2, frames: 100, every: 20 }, Frames { runs: 10, frames: 500, every: 50 })
}

/// The operations of one pair of bodies by depth, and what follows.
struct Found {
    bodies: Bodies,
    of_paper: u32,
    /// Mean operations at depths 1, 2 and so on.
    costs: Vec<f64>,
    best: u32,
    best_min: usize,
}

impl Found {
    fn new(bodies: Bodies, of_paper: u32) -> Self {
        let rule = |depth: u32, min: usize| BoxRule { depth: Some(depth), min, ..BoxRule::PRINTED };
        let costs: Vec<f64> = (1..=DEEPEST).map(|depth| bodies.mean_operations(&rule(depth, 1))).collect();
        let best = 1 + least(&costs) as u32;
        let by_min = MINS.map(|min| bodies.mean_operations(&rule(best, min)));
        Self { bodies, of_paper, costs, best, best_min: MINS[least(&by_min)] }
    }

    fn at(&self, depth: u32) -> f64 {
        self.costs[depth as usize - 1]
    }

    /// Returns the cost one below and one above the best depth, next to the cost of the best.
    fn beside(&self) -> [f64; 2] {
        [self.best - 1, self.best + 1].map(|depth| self.at(depth.clamp(1, DEEPEST)) / self.at(self.best))
    }
}

/// Returns the place of the least number, the first among equals.
pub fn least(costs: &[f64]) -> usize {
    (0..costs.len()).min_by(|&i, &j| costs[i].total_cmp(&costs[j])).expect("there are some")
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, ZACHMANN_DEPTH);
    let mut digest = blake3::Hasher::new();
    let mut all = Vec::new();
    for (size, of_paper) in sizes(run.effort) {
        table.rows.push(Row::of_paper(format!("{size} polygons")).with("depth", of_paper));
        for shape in SHAPES {
            let bodies = Bodies::new(shape, size, frames(run.effort), &mut digest);
            table.keep(run, || bodies.motion());
            let found = Found::new(bodies, of_paper);
            let [below, above] = found.beside();
            table.rows.push(
                Row::new(found.bodies.name.clone())
                    .with("depth", found.best)
                    .with("operations", found.at(found.best))
                    .with("at_depth_of_paper", found.at(found.of_paper) / found.at(found.best))
                    .with("one_less", below)
                    .with("one_more", above)
                    .with("min", found.best_min as u64)
                    .with("contact_share", found.bodies.contact_share),
            );
            all.push(found);
            run.observer.advance();
        }
    }
    table.columns = vec![
        ("depth", "best depth"),
        ("operations", "operations"),
        ("at_depth_of_paper", "paper's depth"),
        ("one_less", "one less"),
        ("one_more", "one more"),
        ("min", "best Min"),
        ("contact_share", "in contact"),
    ];
    table.settings = settings(run.effort);
    table.claims = claims(&all);
    table.picture = Some(picture(&all));
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

fn settings(effort: Effort) -> Vec<crate::Setting> {
    vec![
        paper(
            "two equal bodies in a cage 1.5 to 2 times their radius, that exchange velocities when they collide; 10 times 500 frames; the figure is of spheres",
        ),
        paper("Min, the number of polygons for which a box is not cut, is 1"),
        ours(
            "polygons are triangles; flakes have up to 4 more or fewer. Every cut is a level, also one at an empty part; the penalty is the paper's, and among equal planes the one that cuts fewest polygons is taken: --tree box:as-printed",
        ),
        ours(frames(effort).text()),
        ours(
            "a search ends at the first contact; cost is the mean number of operations at a frame (multiplications, additions, comparisons), not time",
        ),
        ours("depths 1 to 14; Min 1, 2, 4, 8 at the best depth; other columns are costs beside the best"),
    ]
}

/// The reason why our trees may be others than the paper's.
const PLANES: &str = "our planes: at exact medians, as many polygons are on one side as on the other along every axis, so that the paper's penalty chooses an axis by chance. The paper finds planes by bisection and does not say how finely";

fn claims(all: &[Found]) -> Vec<Claim> {
    let name = |found: &Found| found.bodies.name.clone();
    vec![
        Claim::judged(
            "Z1",
            "the best depth is that of the table, which \"varies by about ± 1 across different object types\"",
            "within 1",
            Rule::AtMost(1.0),
            all.iter().map(|found| (name(found), f64::from(found.best.abs_diff(found.of_paper)))),
        )
        .though(PLANES),
        Claim::judged(
            "Z2",
            "\"1 being the minimum number of polygons per box, is actually the best choice\"",
            "Min 1",
            Rule::AtMost(1.0),
            all.iter().map(|found| (name(found), found.best_min as f64)),
        )
        .though(PLANES),
    ]
}

fn picture(all: &[Found]) -> Picture {
    let spheres = all.iter().filter(|found| found.bodies.shape == Shape::Sphere);
    let curve = |found: &Found| {
        let points = (1..=DEEPEST).map(|depth| (f64::from(depth), found.at(depth))).collect();
        (format!("two spheres of {}", found.bodies.size), points)
    };
    let curves = spheres.map(curve).collect();
    Picture {
        title: "the best depth of a BoxTree, for spheres of some sizes",
        x: "largest depth",
        is_logarithmic: false,
        y: "operations at a frame",
        curves,
    }
}
