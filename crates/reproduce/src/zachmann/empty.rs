//! Table `zachmann-empty`: empty boxes (Figure 5, and section Results).

use closefit::Mesh;
use closefit_generate::shapes::Shape;
use closefit_methods::internals::box_tree::{BoxRule, BoxTree, depth_of_paper};

use super::depth::least;
use super::{Bodies, Frames};
use crate::meshes::mapped;
use crate::papers::{EMPTY_SHARE, ZACHMANN_EMPTY};
use crate::picture::Picture;
use crate::table::{ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "zachmann-empty",
    about: "empty boxes of a BoxTree: their share of the whole, and their gain",
    steps: |effort| sizes(effort).len() as u64,
    run,
};

/// The shares of a box above which an empty part is cut off, each at most 1.6 times the one before; the last
/// cuts off none.
const THRESHOLDS: [f32; 13] = [0.02, 0.025, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0];

/// The place of the default in [`THRESHOLDS`].
const DEFAULT: usize = 7;

fn sizes(effort: Effort) -> &'static [u32] {
    either(effort, &[400, 2_000], &[400, 1_000, 2_000, 4_000, 10_000])
}

fn frames(effort: Effort) -> Frames {
    either(effort, Frames { runs: 2, frames: 100, every: 20 }, Frames { runs: 10, frames: 500, every: 50 })
}

/// The costs of one pair of tori at one depth.
struct Found {
    name: String,
    size: u32,
    /// Mean operations for each of [`THRESHOLDS`].
    costs: Vec<f64>,
    /// Empty shares of the whole box for each of them, of the tree of triangles.
    shares: Vec<f64>,
}

/// Returns the rule with a threshold and a depth.
fn rule(empty: f32, depth: u32) -> BoxRule {
    BoxRule { empty, depth: Some(depth), ..BoxRule::DEFAULT }
}

/// Returns the empty share of the whole box of a mesh's tree of triangles.
fn empty_share(mesh: &Mesh, rule: &BoxRule) -> f64 {
    BoxTree::build_as(mesh, rule).shapes(mesh)[1].empty
}

/// Returns a torus with half the tube: a radius of 0.85 and a tube of 0.15.
fn thin_torus(triangles: u32) -> Mesh {
    let [radius, thin] = [0.7, 0.85];
    mapped(&Shape::Torus.mesh(triangles), |v| {
        let around = v.truncate().length();
        (v.truncate() * ((thin + 0.5 * (around - radius)) / around)).extend(0.5 * v.z)
    })
}

impl Found {
    fn new(bodies: &Bodies, depth: u32) -> Self {
        let rules = THRESHOLDS.map(|empty| rule(empty, depth));
        let share = |rule: &BoxRule| empty_share(&bodies.mesh, rule);
        Self {
            name: format!("{}, depth {depth}", bodies.name),
            size: bodies.size,
            costs: rules.iter().map(|rule| bodies.mean_operations(rule)).collect(),
            shares: rules.iter().map(share).collect(),
        }
    }

    /// Returns the best threshold; the last counts as 1.
    fn best(&self) -> f64 {
        f64::from(THRESHOLDS[least(&self.costs)])
    }

    fn row(&self) -> Row {
        let [none, default] = [self.costs[THRESHOLDS.len() - 1], self.costs[DEFAULT]];
        Row::new(self.name.clone())
            .with("share", self.shares[DEFAULT])
            .with("least_share", self.shares[THRESHOLDS.len() - 2])
            .with("most_share", self.shares[0])
            .with("operations", default)
            .with("without", none)
            .with("ratio", default / none)
            .with("threshold", self.best())
    }
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, ZACHMANN_EMPTY);
    let mut digest = blake3::Hasher::new();
    // By size: at one level less than the paper's depth, at that, and at one more.
    let mut all: Vec<[Found; 3]> = Vec::new();
    let mut thin = Vec::new();
    table.rows.push(Row::of_paper(EMPTY_SHARE.row).with("share", EMPTY_SHARE.value));
    for &size in sizes(run.effort) {
        let bodies = Bodies::new(Shape::Torus, size, frames(run.effort), &mut digest);
        table.keep(run, || bodies.motion());
        let depth = depth_of_paper(size as usize);
        let found = [depth - 1, depth, depth + 1].map(|depth| Found::new(&bodies, depth));
        table.rows.extend(found.iter().map(Found::row));
        all.push(found);
        let mesh = thin_torus(size);
        let share = |threshold: usize| empty_share(&mesh, &rule(THRESHOLDS[threshold], depth));
        let row = Row::new(format!("thin torus {}, depth {depth}", mesh.triangles().len()));
        table.rows.push(
            row.with("share", share(DEFAULT))
                .with("least_share", share(THRESHOLDS.len() - 2))
                .with("most_share", share(0)),
        );
        thin.push((size, share(DEFAULT)));
        run.observer.advance();
    }
    table.columns = vec![
        ("share", "empty at 0.1"),
        ("least_share", "at 0.5"),
        ("most_share", "at 0.02"),
        ("operations", "operations"),
        ("without", "no empty boxes"),
        ("ratio", "ratio"),
        ("threshold", "best threshold"),
    ];
    table.settings = settings(run.effort);
    table.claims = claims(&all, &thin);
    let curve = |[_, found, _]: &[Found; 3]| {
        let points = THRESHOLDS.iter().map(|&threshold| f64::from(threshold)).zip(found.costs.clone());
        (found.name.clone(), points.collect())
    };
    table.picture = Some(Picture {
        title: EXPERIMENT.about,
        x: "threshold: share of a box above which an empty part is cut off (1: never)",
        is_logarithmic: true,
        y: "operations at a frame",
        curves: all.iter().map(curve).collect(),
    });
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

fn settings(effort: Effort) -> Vec<Setting> {
    vec![
        paper(
            "tori; a part of a box is cut off if it is empty and larger than a threshold, which is not given",
        ),
        ours(
            "12 thresholds from 0.02 to 0.5, and none; 0.1 is closefit's own. Shares are of the tree of triangles",
        ),
        ours(
            "at the depth of the paper's table, and one level less and more; a cut at an empty part is no level. Tori have a radius of 0.7 and a tube of 0.3; thin ones, of which only shares are told, 0.85 and 0.15",
        ),
        ours(frames(effort).text()),
        ours("cost is the mean number of operations at a frame, until the first contact"),
    ]
}

fn claims(all: &[[Found; 3]], thin: &[(u32, f64)]) -> Vec<Claim> {
    let middle = || all.iter().map(|[_, found, _]| found);
    let shares = |is_asked: fn(u32) -> bool| {
        let of_thin = thin.iter().filter(move |(size, _)| is_asked(*size));
        middle()
            .filter(move |found| is_asked(found.size))
            .map(|found| (found.name.clone(), found.shares[DEFAULT]))
            .chain(of_thin.map(|(size, share)| (format!("thin torus {size}"), *share)))
    };
    // The threshold that is best at the paper's depth, at the depth where it is worst.
    let beside_best = |of_size: &[Found; 3]| {
        let best = least(&of_size[1].costs);
        let costs = of_size.iter().map(|found| found.costs[best] / found.costs[least(&found.costs)]);
        (of_size[1].name.clone(), costs.fold(1.0, f64::max))
    };
    vec![
        Claim::judged(
            "Z4a",
            "of a torus of \"400 polygons … only 23% of its bounding box is covered by empty boxes\"",
            "23 %",
            Rule::Within(0.15, 0.31),
            shares(|size| size == 400),
        )
        .though("our rings: radius and tube 0.7 and 0.3, or 0.85 and 0.15. The paper gives neither the ring nor the threshold"),
        Claim::judged(
            "Z4b",
            "\"With larger complexities 40%–60% are covered, typically\"",
            "40 % to 60 %",
            Rule::Within(0.4, 0.6),
            shares(|size| size >= 2_000),
        )
        .though("our rings: radius and tube 0.7 and 0.3, or 0.85 and 0.15. The paper gives neither the ring nor the threshold"),
        Claim::judged(
            "Z5",
            "\"empty boxes do actually give some speed-up\": cost with them beside that without",
            "below 1, by eye from Figure 10",
            Rule::Below(1.0),
            middle()
                .map(|found| (found.name.clone(), found.costs[DEFAULT] / found.costs[THRESHOLDS.len() - 1])),
        ),
        Claim::judged(
            "Z6",
            "\"there seems to be an optimal threshold which is independent of the other parameters. Furthermore, the 'near-optimal' range seems to be fairly broad\": the cost with the threshold that is best at one depth, at a level less or more, beside the least there",
            "no number",
            Rule::AtMost(1.05),
            all.iter().map(beside_best),
        ),
    ]
}
