//! Table `lin-obb-test`: the operations of the test of two oriented boxes (Lin et al. 1997, section 4.2.2).
//!
//! The reference form tests fifteen axes one after the other and stops at the first that separates, on
//! numbers that count.

use std::ops::Div;

use closefit_generate::random::Random;
use closefit_methods::internals::counted::{Counted, Operations, counted};
use glam::{DMat3, DQuat, DVec3};

use super::convex_tests::{are_closest_features_apart, have_common_point};
use crate::papers::{BOX_TEST_OPERATIONS, EDGE_FACE_TESTS, LIN_BOX_TEST};
use crate::reference::{Number, dot};
use crate::table::{ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Experiment, Row, Run, Table};

pub const EXPERIMENT: Experiment = Experiment {
    name: "lin-obb-test",
    about: "operations of the test of two oriented boxes",
    steps: |_| Near::ALL.len() as u64,
    run,
};

/// A box seen from another, whose middle is the origin and whose axes are the coordinate axes.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<N> {
    /// Half extents of both.
    pub half: [[N; 3]; 2],
    /// The axes of the second, as columns.
    pub turn: [[N; 3]; 3],
    /// The middle of the second.
    pub middle: [N; 3],
}

impl Boxes<f64> {
    pub fn to_counted(self) -> Boxes<Counted<f64>> {
        let counted = |p: [f64; 3]| p.map(Counted);
        Boxes { half: self.half.map(counted), turn: self.turn.map(counted), middle: counted(self.middle) }
    }
}

/// True if an axis separates two boxes: the test of RAPID.
pub fn are_separated<N: Number>(boxes: &Boxes<N>) -> bool {
    let Boxes { half: [a, b], turn, middle } = boxes;
    // `turn[j][i]` is the i-th coordinate of the second's axis j; magnitudes are widened against rounding.
    let least = N::from(1e-12);
    let wide: [[N; 3]; 3] = std::array::from_fn(|j| std::array::from_fn(|i| turn[j][i].magnitude() + least));
    for i in 0..3 {
        let radius = a[i] + (b[0] * wide[0][i] + b[1] * wide[1][i] + b[2] * wide[2][i]);
        if middle[i].magnitude() > radius {
            return true;
        }
    }
    for j in 0..3 {
        let along = middle[0] * turn[j][0] + middle[1] * turn[j][1] + middle[2] * turn[j][2];
        let radius = b[j] + (a[0] * wide[j][0] + a[1] * wide[j][1] + a[2] * wide[j][2]);
        if along.magnitude() > radius {
            return true;
        }
    }
    for i in 0..3 {
        let [u, v] = [(i + 1) % 3, (i + 2) % 3];
        for j in 0..3 {
            let [p, q] = [(j + 1) % 3, (j + 2) % 3];
            let along = middle[v] * turn[j][u] - middle[u] * turn[j][v];
            let radius = (a[u] * wide[j][v] + a[v] * wide[j][u]) + (b[p] * wide[q][i] + b[q] * wide[p][i]);
            if along.magnitude() > radius {
                return true;
            }
        }
    }
    false
}

/// True if an edge of one box meets a face of the other: the simple test, of up to 144 edges with faces. It
/// does not see a box inside the other.
fn do_edges_meet_faces<N: Number + Div<Output = N>>(boxes: &Boxes<N>) -> bool {
    let Boxes { half: [a, b], turn, middle } = boxes;
    let sign = |corner: usize, k: usize, x: N| if corner >> k & 1 == 1 { x } else { -x };
    let in_first = |corner: usize| {
        let along: [N; 3] = std::array::from_fn(|k| sign(corner, k, b[k]));
        let row = |i: usize| [turn[0][i], turn[1][i], turn[2][i]];
        std::array::from_fn(|i| middle[i] + dot(row(i), along))
    };
    let in_second = |corner: usize| {
        let from: [N; 3] = std::array::from_fn(|k| sign(corner, k, a[k]) - middle[k]);
        std::array::from_fn(|j| dot(turn[j], from))
    };
    do_edges_meet(&std::array::from_fn(in_first), a) || do_edges_meet(&std::array::from_fn(in_second), b)
}

/// True if an edge between corners meets a face of the box of these half extents about the origin.
fn do_edges_meet<N: Number + Div<Output = N>>(corners: &[[N; 3]; 8], half: &[N; 3]) -> bool {
    (0..12).any(|edge| {
        // Four edges along each axis.
        let (k, at) = (edge / 4, edge % 4);
        let low = ((at % 2) << ((k + 1) % 3)) | ((at / 2) << ((k + 2) % 3));
        let [p, q] = [corners[low], corners[low | 1 << k]];
        (0..3).any(|i| [half[i], -half[i]].into_iter().any(|plane| meets_face(p, q, i, plane, half)))
    })
}

/// True if a segment crosses a face of a box: the plane across axis `i`, between the extents of the others.
fn meets_face<N: Number + Div<Output = N>>(p: [N; 3], q: [N; 3], i: usize, plane: N, half: &[N; 3]) -> bool {
    if (p[i] < plane) == (q[i] < plane) {
        return false;
    }
    let share = (plane - p[i]) / (q[i] - p[i]);
    [(i + 1) % 3, (i + 2) % 3].into_iter().all(|k| (p[k] + share * (q[k] - p[k])).magnitude() <= half[k])
}

/// The nearness of boxes of a search.
#[derive(Clone, Copy, Debug)]
enum Near {
    /// Overlapping and apart about equally often.
    Both,
    /// Overlapping.
    Overlapping,
    /// Apart.
    Apart,
}

impl Near {
    const ALL: [Self; 3] = [Self::Both, Self::Overlapping, Self::Apart];

    fn name(self) -> &'static str {
        match self {
            Self::Both => "near boxes",
            Self::Overlapping => "overlapping boxes",
            Self::Apart => "boxes apart",
        }
    }

    fn admits(self, separated: bool) -> bool {
        match self {
            Self::Both => true,
            Self::Overlapping => !separated,
            Self::Apart => separated,
        }
    }
}

/// Returns two boxes of different sizes and proportions, turned at random, as near as about half of them
/// overlap.
pub fn boxes(random: &mut Random) -> Boxes<f64> {
    let mut half = || std::array::from_fn(|_| libm::exp(random.between(-2.0, 0.5)));
    let half = [half(), half()];
    let size = |half: [f64; 3]| DVec3::from(half).length();
    let angle = random.between(0.0, std::f64::consts::PI);
    let v = random.direction() * libm::sin(angle / 2.0);
    let turn = DMat3::from_quat(DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(angle / 2.0)));
    let away = random.between(0.0, 1.2) * (size(half[0]) + size(half[1]));
    let middle = (random.direction() * away).to_array();
    Boxes { half, turn: turn.to_cols_array_2d(), middle }
}

/// Returns the mean number of operations of a test of near boxes.
pub fn mean_operations() -> f64 {
    let (mut random, mut cost) = (Random::new(0), Cost::default());
    for _ in 0..10_000 {
        let boxes = boxes(&mut random).to_counted();
        cost.add(counted(|| are_separated(&boxes)).1);
    }
    cost.mean()
}

/// The tests of boxes: fifteen axes, and those that they are compared with.
const TESTS: [&str; 4] = ["fifteen axes", "edge-face tests", "linear programming", "closest features"];

/// The operations of some tests.
#[derive(Default)]
struct Cost {
    tests: u64,
    sum: u64,
    most: Operations,
}

impl Cost {
    fn add(&mut self, made: Operations) {
        self.tests += 1;
        self.sum += made.total();
        if made.total() > self.most.total() {
            self.most = made;
        }
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.tests as f64
    }

    fn row(&self, name: String) -> Row {
        Row::new(name)
            .with("tests", self.tests)
            .with("most", self.most.total())
            .with("most_arithmetic", self.most.arithmetic())
            .with("mean", self.mean())
    }
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, LIN_BOX_TEST);
    let count: u32 = run.either(10_000, 1_000_000);
    table.rows.push(
        Row::of_paper("fifteen axes")
            .with("most", BOX_TEST_OPERATIONS.value as u64)
            .with("mean", BOX_TEST_OPERATIONS.value / 2.0),
    );
    let mut costs = Vec::new();
    for near in Near::ALL {
        let mut random = Random::new(0);
        let mut of_tests: [Cost; TESTS.len()] = Default::default();
        for _ in 0..count {
            let boxes = boxes(&mut random).to_counted();
            let (separated, made) = counted(|| are_separated(&boxes));
            if near.admits(separated) {
                let [axes, faces, programming, features] = &mut of_tests;
                axes.add(made);
                faces.add(counted(|| do_edges_meet_faces(&boxes)).1);
                programming.add(counted(|| have_common_point(&boxes)).1);
                features.add(counted(|| are_closest_features_apart(&boxes)).1);
            }
        }
        for (name, cost) in TESTS.into_iter().zip(&of_tests) {
            let name = match name {
                "edge-face tests" => format!("{} {name}", EDGE_FACE_TESTS.value),
                _ => name.to_owned(),
            };
            table.rows.push(cost.row(format!("{name}, {}", near.name())));
        }
        costs.push((near, of_tests));
        run.observer.advance();
    }
    table.columns = vec![
        ("tests", "tests"),
        ("most", "most operations"),
        ("most_arithmetic", "of these no comparisons"),
        ("mean", "mean"),
    ];
    table.settings = vec![
        paper("the first box's frame is that of the test; it ends at the first axis that separates"),
        ours(format!(
            "{count} pairs of boxes with half extents of 0.14 to 1.65, turned at random, up to 1.2 times the sum of their half diagonals apart"
        )),
        ours(
            "an operation is an addition, multiplication, division or comparison, also that of a magnitude; to bring the second box into the frame of the first is not counted, as in RAPID, whose traversal does so",
        ),
        ours(
            "linear programming: Seidel's algorithm looks for a point in both boxes, which are twelve half spaces. Closest features: the algorithm of Gilbert, Johnson and Keerthi, to the end",
        ),
        ours(
            "the edge-face test ends at the first edge that meets a face; it brings the corners of either box into the frame of the other, and overlooks a box inside the other",
        ),
    ];
    table.claims = claims(&costs);
    table
}

fn claims(costs: &[(Near, [Cost; TESTS.len()])]) -> Vec<Claim> {
    let name = |near: &Near| near.name().to_owned();
    vec![
        Claim::judged(
            "L7",
            "\"this corresponds to at most 200 arithmetic operations in the worst case\"",
            "200",
            Rule::AtMost(200.0),
            costs.iter().map(|(near, [axes, ..])| (name(near), axes.most.total() as f64)),
        ),
        Claim::judged(
            "L8",
            "\"Due to early exit … about half the operations in practice\", when boxes do not overlap: the mean beside the most",
            "0.5",
            Rule::Median(0.4, 0.6),
            costs
                .iter()
                .filter(|(near, ..)| matches!(near, Near::Apart))
                .map(|(near, [axes, ..])| (name(near), axes.mean() / axes.most.total() as f64)),
        )
        .though("our boxes: random pairs that are apart, where the paper has the pairs of a traversal"),
        Claim::judged(
            "L9",
            "\"about one order of magnitude faster than previous algorithms\", of which the section names \"linear programming and closest features computation\": operations of these beside those of fifteen axes",
            "10",
            Rule::Median(5.0, f64::INFINITY),
            costs.iter().flat_map(|(near, costs)| {
                let beside = |test: usize| (format!("{}, {}", TESTS[test], near.name()), costs[test].mean() / costs[0].mean());
                [beside(2), beside(3)]
            }),
        )
        .though("our unit: operations, not time; and our linear programming is made for boxes, with three of the six pairs of faces as bounds"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit::Pose;
    use closefit_geometry::bounds::obb::Obb;
    use closefit_geometry::bounds::separating_axes::PosedBoxes;

    fn engine_separates(boxes: &Boxes<f64>) -> bool {
        let pose = |turn: [[f64; 3]; 3], middle: [f64; 3]| Pose {
            rows: std::array::from_fn(|i| [turn[0][i], turn[1][i], turn[2][i], middle[i]]),
        };
        let upright = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let [a, b] = boxes.half.map(|half| Obb {
            center: DVec3::ZERO,
            axes: Obb::COORDINATE_AXES,
            half: DVec3::from(half),
        });
        let posed = PosedBoxes::new(&pose(upright, [0.0; 3]), 4.0, &pose(boxes.turn, boxes.middle), 4.0);
        posed.separated_by_more_than(&a, &b, 0.0)
    }

    #[test]
    fn fifteen_axes_tell_what_the_engine_tells() {
        let mut random = Random::new(9);
        let [mut apart, mut meet] = [0; 2];
        for _ in 0..20_000 {
            let boxes = boxes(&mut random);
            let separated = are_separated(&boxes);
            assert_eq!(separated, engine_separates(&boxes), "{boxes:?}");
            // What edges and faces find is an overlap.
            let found = do_edges_meet_faces(&boxes);
            assert!(!(found && separated), "{boxes:?}");
            apart += u32::from(separated);
            meet += u32::from(found);
        }
        assert!(apart > 4_000 && meet > 4_000, "{apart} {meet}");
    }
}
