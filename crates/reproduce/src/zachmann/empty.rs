//! Table `zachmann-empty`: empty boxes (Figure 5, and section Results).

use closefit_generate::shapes::Shape;
use closefit_methods::internals::box_tree::{BoxRule, BoxTree, depth_of_paper};

use super::depth::least;
use super::{Bodies, Frames};
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

/// The shares of a box above which an empty part is cut off; the last cuts off none.
const THRESHOLDS: [f32; 9] = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 1.0];

/// The place of the default in [`THRESHOLDS`].
const DEFAULT: usize = 2;

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

impl Found {
    fn new(bodies: &Bodies, depth: u32) -> Self {
        let rules = THRESHOLDS.map(|empty| BoxRule { empty, depth: Some(depth), ..BoxRule::PAPER });
        let share = |rule: &BoxRule| BoxTree::build_as(&bodies.mesh, rule).shapes(&bodies.mesh)[1].empty;
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
    table.rows.push(Row::of_paper(EMPTY_SHARE.row).with("share", EMPTY_SHARE.value));
    for &size in sizes(run.effort) {
        let bodies = Bodies::new(Shape::Torus, size, frames(run.effort), &mut digest);
        table.keep(run, || bodies.motion());
        let depth = depth_of_paper(size as usize);
        let found = [depth - 1, depth, depth + 1].map(|depth| Found::new(&bodies, depth));
        table.rows.extend(found.iter().map(Found::row));
        all.push(found);
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
    table.claims = claims(&all);
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
        ours("thresholds 0.02 to 0.5, and none; 0.1 is closefit's own. Shares are of the tree of triangles"),
        ours(
            "at the depth of the paper's table, and one level less and more; a cut at an empty part is no level",
        ),
        ours(frames(effort).text()),
        ours("cost is the mean number of operations at a frame, until the first contact"),
    ]
}

fn claims(all: &[[Found; 3]]) -> Vec<Claim> {
    let middle = || all.iter().map(|[_, found, _]| found);
    let share = |found: &Found| (found.name.clone(), found.shares[DEFAULT]);
    let spread = |of_size: &[Found; 3]| {
        let best = of_size.each_ref().map(Found::best);
        let (least, most) = best.iter().fold((f64::INFINITY, 0.0), |(lo, hi), &x| (x.min(lo), x.max(hi)));
        (of_size[1].name.clone(), most / least)
    };
    vec![
        Claim::judged(
            "Z4a",
            "of a torus of \"400 polygons … only 23% of its bounding box is covered by empty boxes\"",
            "23 %",
            Rule::Within(0.15, 0.31),
            middle().filter(|found| found.size == 400).map(share),
        )
        .though("our ring: a radius of 0.7 and a tube of 0.3. The paper gives none"),
        Claim::judged(
            "Z4b",
            "\"With larger complexities 40%–60% are covered, typically\"",
            "40 % to 60 %",
            Rule::Within(0.4, 0.6),
            middle().filter(|found| found.size >= 2_000).map(share),
        )
        .though("our ring: a radius of 0.7 and a tube of 0.3. The paper gives none"),
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
            "\"an optimal threshold which is independent of the other parameters\": the largest beside the least over three depths",
            "no number",
            Rule::AtMost(2.0),
            all.iter().map(spread),
        )
        .though("our thresholds: 0.02 is next to 0.05, and that step is wider than the rule"),
    ]
}
