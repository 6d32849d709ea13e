//! Table `lin-polytopes`: many convex polytopes, whose closest features are kept from frame to frame
//! (sections 4.1 and 5).

use std::time::Instant;

use closefit::kind::Obb;
use closefit::{BodyBounds, BroadPhase, CollisionMesh, HullFilter, HullWork, World};
use closefit_generate::shapes::Shape;

use crate::fit::exponent;
use crate::papers::{LIN_POLYTOPES, POLYTOPE_SECONDS};
use crate::simulate::add_poses;
use crate::simulate::swarm::{Pace, Swarm};
use crate::table::{Seconds, ours, paper};
use crate::verdict::{Claim, Rule, TimedClaim};
use crate::{Effort, Experiment, Motion, Row, Run, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "lin-polytopes",
    about: "hundreds of convex polytopes: walks over closest features, by number and facets",
    steps: |effort| {
        let (numbers, facets) = cases(effort);
        (numbers.len() + facets.len()) as u64
    },
    run,
};

/// The share of space that the boxes of all bodies take up.
const SHARE: f64 = 0.1;

/// The distance up to which pairs are checked, in radii.
const LIMIT: f64 = 0.5;

/// Numbers of polytopes of 50 facets, and facets of 100 polytopes.
fn cases(effort: Effort) -> (&'static [u32], &'static [u32]) {
    let numbers: &[u32] = either(effort, &[50, 100], &[100, 200, 500, 1_000]);
    let facets: &[u32] = either(effort, &[20, 80, 320], &[20, 80, 320, 1_280, 8_192]);
    (numbers, facets)
}

fn frames(effort: Effort) -> u32 {
    either(effort, 20, 100)
}

struct Found {
    walks: HullWork,
    asked: u64,
    listed: u64,
    seconds: f64,
}

fn swarm(bodies: u32) -> Swarm {
    Swarm::new(bodies, SHARE, Pace { step: 0.01, turn: 0.01 }, 8)
}

/// Asks for all distances up to the limit in every frame.
fn found(bodies: u32, facets: u32, frames: u32, digest: &mut blake3::Hasher) -> Found {
    let tree = CollisionMesh::build(&Shape::Sphere.mesh(facets));
    let mut swarm = swarm(bodies);
    let mut world = World::<Obb>::with_broad_phase(BroadPhase::Lists)
        .with_bounds(BodyBounds::Cube)
        .with_hulls(HullFilter::ClosestFeatures);
    let ids = swarm.join(&mut world, &tree);
    world.pairs_within(LIMIT);
    let (before, mut listed, start) = (world.work(), 0, Instant::now());
    for _ in 0..frames {
        swarm.advance_in(&mut world, &ids);
        listed += world.pairs_within(LIMIT).len() as u64;
    }
    let seconds = start.elapsed().as_secs_f64() / f64::from(frames);
    add_poses(digest, &swarm.poses().collect::<Vec<_>>());
    let (work, first) = (world.work(), before.pairs.hulls);
    let all = work.pairs.hulls;
    let walks = HullWork {
        walks: all.walks - first.walks,
        remembered: all.remembered - first.remembered,
        steps: all.steps - first.steps,
        plane_steps: all.plane_steps - first.plane_steps,
        kept: all.kept - first.kept,
        ..HullWork::default()
    };
    Found { walks, asked: work.asked - before.asked, listed, seconds }
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, LIN_POLYTOPES);
    let (numbers, facets) = cases(run.effort);
    let frames = frames(run.effort);
    let mut digest = blake3::Hasher::new();
    table.rows.push(Row::of_paper(POLYTOPE_SECONDS.row).with("seconds", POLYTOPE_SECONDS.value));
    let mut all = Vec::new();
    let by_number = numbers.iter().map(|&number| (number, 50));
    for (bodies, facets) in by_number.chain(facets.iter().map(|&facets| (100, facets))) {
        let found = found(bodies, facets, frames, &mut digest);
        let name = format!("{bodies} polytopes of {facets} facets");
        table.keep(run, || {
            Motion::equal(name.clone(), &Shape::Sphere.mesh(facets), swarm(bodies).flight(frames))
        });
        let HullWork { walks, remembered, steps, plane_steps, kept, .. } = found.walks;
        table.rows.push(
            Row::new(name.clone())
                .with("pairs", found.asked)
                .with("kept", kept)
                .with("walks", walks)
                .with("remembered", remembered)
                .with("steps", steps)
                .with("plane_steps", plane_steps)
                .with("mean", steps as f64 / walks as f64)
                .with("listed", found.listed),
        );
        table.this_machine.rows.push(Seconds { of: format!("a frame of {name}"), seconds: found.seconds });
        all.push((name, bodies, facets, found));
        run.observer.advance();
    }
    table.columns = vec![
        ("pairs", "pairs asked"),
        ("kept", "no walk"),
        ("walks", "walks"),
        ("remembered", "remembered"),
        ("steps", "steps"),
        ("plane_steps", "plane tests"),
        ("mean", "steps a walk"),
        ("listed", "within 0.5"),
        ("seconds", "s a frame"),
    ];
    table.settings = vec![
        paper(
            "hundreds of convex polytopes; closest features are kept for each pair and followed in small steps",
        ),
        ours(format!(
            "balls of radius 1 that fly in a cube of which their boxes fill {SHARE}; in a frame they move by 0.01 and turn by 0.01; {frames} frames"
        )),
        ours(format!(
            "in every frame, all distances up to {LIMIT} are asked for. Steps are pairs of features, the first one included; a step tests eight planes of a cell at once. 'No walk': an earlier distance still proved enough"
        )),
    ];
    table.claims = claims(&all, numbers.len());
    let seconds = |(name, bodies, _, found): &(String, u32, u32, Found)| {
        (*bodies >= 100).then(|| (name.clone(), found.seconds))
    };
    table.this_machine.claims = vec![TimedClaim::new(
        "L16",
        "\"environments composed of hundred of convex polytopes at interactive rates (about 1/20 of a second)\": seconds of a frame",
        "0.05",
        all[..numbers.len()].iter().filter_map(seconds),
    )];
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

fn claims(all: &[(String, u32, u32, Found)], numbers: usize) -> Vec<Claim> {
    let mean = |found: &Found| found.walks.steps as f64 / found.walks.walks as f64;
    let points: Vec<(f64, f64)> =
        all[numbers..].iter().map(|(_, _, facets, found)| (f64::from(*facets), mean(found))).collect();
    vec![
        Claim::judged(
            "L14",
            "closest features \"change infrequently as the polytopes move\": steps of a walk, on average",
            "no number",
            Rule::AtMost(3.0),
            all.iter().map(|(name, _, _, found)| (name.clone(), mean(found))),
        )
        .though("our pace: bodies move by 0.01 radii in a frame however small their facets are, and the paper gives none"),
        Claim::judged(
            "L15",
            "\"the algorithm runs in expected constant time\": exponent of the steps of a walk over facets",
            "0",
            Rule::Below(0.2),
            [("20 facets and more".to_owned(), exponent(&points))],
        ),
    ]
}
