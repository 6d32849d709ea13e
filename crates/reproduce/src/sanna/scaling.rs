//! The growth of CDFast's work with the number of static things and of moving things.

use closefit::internals::broad::recursive_grid::RecursiveGrid;
use closefit::{Aabb, DVec3, Pose, Visits};
use closefit_generate::random::Random;

use super::cdfast::{met, spheres, work};
use super::scenes::bodies;
use crate::fit::exponent;
use crate::verdict::{Claim, Rule};
use crate::{Effort, Row, either};
use closefit_geometry::parallel;

/// Things in a volume of 1: as many as the spheres of scene 2, and as large.
const DENSITY: f64 = 50.0;
const RADIUS: f64 = 0.0345;

/// Questions about one moving body.
const QUESTIONS: u32 = 200;

/// The work by the number of things that move, and by the number of static things.
pub(super) struct Scaling {
    moving: Vec<(u32, Visits)>,
    standing: Vec<(u32, Visits)>,
}

/// Measures the growth. The density of static things remains the same.
pub(super) fn scaling(effort: Effort) -> Scaling {
    let most_moving: &[u32] = &[1, 10, 100, 1_000];
    let most_standing: &[u32] =
        either(effort, &[100, 1_000, 10_000], &[100, 1_000, 10_000, 100_000, 1_000_000]);
    Scaling {
        moving: most_moving.iter().map(|&count| (count, asked(1_000, count * QUESTIONS / 20))).collect(),
        standing: most_standing.iter().map(|&count| (count, asked(count, QUESTIONS))).collect(),
    }
}

/// Returns the work of questions about the torus, at random places among so many boxes.
fn asked(count: u32, questions: u32) -> Visits {
    let side = libm::cbrt(f64::from(count) / DENSITY);
    let mut random = Random::new(11);
    let mut place = |margin: f64| DVec3::from_array([(); 3].map(|()| random.between(margin, side - margin)));
    let boxes: Vec<Aabb> = (0..count)
        .map(|_| {
            let middle = place(RADIUS);
            Aabb { lo: middle - RADIUS, hi: middle + RADIUS }
        })
        .collect();
    let grid = RecursiveGrid::of(&boxes);
    let [(_, torus), _] = bodies();
    let levels = spheres(&torus, 9);
    // Away from the border, where there are fewer things.
    let poses: Vec<Pose> = (0..questions).map(|_| Pose::translation(place(0.15).to_array())).collect();
    let ask = |pose: usize| met(&grid, &levels, &poses[pose], &mut Vec::new());
    let plus = |mut sum: Visits, one| {
        sum += one;
        sum
    };
    parallel::reduce(poses.len(), 1, ask, plus).unwrap_or_default()
}

impl Scaling {
    pub fn rows(&self) -> Vec<Row> {
        let row = |name: String, visits: &Visits| {
            Row::new(name)
                .with("cells", visits.cells)
                .with("box_tests", visits.box_tests)
                .with("sphere_tests", visits.sphere_tests)
                .with("work", work(visits))
        };
        let moving = self.moving.iter().map(|(count, visits)| row(format!("{count} moving tori"), visits));
        let standing =
            self.standing.iter().map(|(count, visits)| row(format!("{count} standing boxes"), visits));
        moving.chain(standing).collect()
    }

    pub fn claims(&self) -> [Claim; 2] {
        let growth = |points: &[(u32, Visits)]| {
            let points: Vec<(f64, f64)> =
                points.iter().map(|(count, visits)| (f64::from(*count), work(visits) as f64)).collect();
            exponent(&points)
        };
        [
            Claim::judged(
                "S3",
                "phases 2 and 3 depend linearly on the number of dynamic objects, \"KO(N_d)\": exponent of cells and tests",
                "1",
                Rule::Within(0.9, 1.1),
                [("1 to 1000 tori".to_owned(), growth(&self.moving))],
            ),
            Claim::judged(
                "S4",
                "\"phases 2 and 3 do not depend on N_s\", the number of static objects: exponent of cells and tests, at the same density",
                "0",
                Rule::AtMost(0.1),
                [("boxes of scene 2".to_owned(), growth(&self.standing))],
            ),
        ]
    }
}
