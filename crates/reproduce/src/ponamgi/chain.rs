//! Table `ponamgi-table-1`: a chain of tori (section 5 and Table 1).

use std::collections::HashMap;

use closefit::internals::broad::sorted_lists::SortedLists;
use closefit::internals::bvh::Hierarchy;
use closefit::{Aabb, CollisionMesh, Mesh, Pose, Work};
use closefit_generate::{Request, generate};
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::features::Features;
use closefit_methods::internals::octree::{Cells, KeptLists, Median, Octree, Recipe, Shared, Uniform};

use crate::papers::{PONAMGI_TABLE_1, TORI};
use crate::simulate::add_poses;
use crate::simulate::chain::{Frame, flight};
use crate::table::{ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Motion, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "ponamgi-table-1",
    about: "chains of tori: octrees with hierarchical sweep and prune, and none",
    steps: |_| 2,
    run,
};

fn frames(effort: Effort) -> usize {
    either(effort, 30, 1_000)
}

/// The work of a method over all frames.
#[derive(Default)]
struct Done {
    box_tests: u64,
    exchanges: u64,
    triangle_tests: u64,
    contacts: u64,
    /// The contacts of two triangles on the hulls, of one on a hull with one in a concavity, and of two in
    /// concavities.
    cases: [u64; 3],
    /// Overlapping boxes and all tests, by frame.
    by_frame: Vec<(f64, f64)>,
}

/// Returns the exchanges that count for sorting the ends of so many boxes from the start along all three
/// axes: n log n for n ends along each, as for new lists of octrees.
fn exchanges_anew(boxes: usize) -> u64 {
    let ends = 2 * boxes as u64;
    3 * ends * u64::from(ends.max(1).ilog2())
}

impl Done {
    /// Returns the number of all tests and exchanges.
    fn tests(&self) -> u64 {
        self.box_tests + self.exchanges + self.triangle_tests
    }

    fn row(&self, name: &str) -> Row {
        Row::new(name)
            .with("box_tests", self.box_tests)
            .with("exchanges", self.exchanges)
            .with("triangle_tests", self.triangle_tests)
            .with("tests", self.tests())
            .with("contacts", self.contacts)
    }

    /// Returns the row with the contacts of each case.
    fn row_of_cases(&self, name: &str) -> Row {
        let [hulls, mixed, concavities] = self.cases;
        self.row(name).with("hulls", hulls).with("mixed", mixed).with("concavities", concavities)
    }
}

/// Sorts the boxes of all faces of all tori; overlapping boxes of two tori are tested. Returns the work with
/// lists that are kept from frame to frame, and with lists sorted from the start.
fn without_hierarchy(mesh: &Mesh, path: &[Frame]) -> [Done; 2] {
    let faces = mesh.triangles().len();
    let boxes = |frame: &Frame| -> Vec<Aabb> {
        let of = |pose: &Pose| {
            let posed: Vec<_> = mesh.vertices().iter().map(|&v| pose.apply(v)).collect();
            mesh.triangles().iter().map(|t| Aabb::of(t.map(|v| posed[v as usize]))).collect::<Vec<_>>()
        };
        frame.iter().flat_map(of).collect()
    };
    let mut lists = SortedLists::new(&boxes(&path[0]), 0, 0.0, usize::MAX).expect("no limit");
    let (mut done, mut anew) = (Done::default(), 0);
    // The first frame sorts from scratch, whatever the method.
    let first = lists.work();
    for frame in path {
        let boxes = boxes(frame);
        anew += exchanges_anew(boxes.len());
        lists.update(&boxes).expect("no limit");
        let of_two_tori = |(a, b): (usize, usize)| a / faces != b / faces;
        let pairs = lists.near().iter().map(|(a, b)| (a.index(), b.index()));
        done.triangle_tests += pairs.filter(|&pair| of_two_tori(pair)).count() as u64;
    }
    let work = lists.work();
    done.box_tests = work.box_tests - first.box_tests;
    done.exchanges = work.exchanges.iter().sum::<u64>() - first.exchanges.iter().sum::<u64>();
    // Pairs that begin to overlap are tested in either case; when lists are sorted from scratch, all pairs
    // of a frame begin.
    let anew = Done {
        exchanges: anew,
        box_tests: done.box_tests,
        triangle_tests: done.triangle_tests,
        ..Done::default()
    };
    [done, anew]
}

/// Searches octrees of all pairs whose boxes overlap; lists are kept from frame to frame if `keeps`.
fn with_octrees<C: Cells>(mesh: &Mesh, path: &[Frame], recipe: &Recipe, keeps: bool) -> Done {
    let tree = Octree::<C, Shared>::build_as(mesh, recipe).expect("a recipe of the table");
    let features = Features::of(mesh).expect("ordinary coordinates");
    let mut kept: HashMap<(usize, usize), KeptLists> = HashMap::new();
    let mut done = Done::default();
    for frame in path {
        let mut of_frame = Work::default();
        let bounds: Vec<Aabb> = frame.iter().map(|pose| mesh.posed_bounds(pose)).collect();
        for i in 0..frame.len() {
            for j in i + 1..frame.len() {
                of_frame.box_tests += 1;
                if bounds[i].axis_gap(&bounds[j]) > 0.0 {
                    continue;
                }
                let [a, b] = [i, j].map(|ring| tree.place(mesh, &frame[ring], Executor::Scalar));
                let found = if keeps {
                    let lists = kept.entry((i, j)).or_default();
                    Octree::<C, Shared>::contacts_again(lists, &a, &b, usize::MAX, &mut of_frame)
                } else {
                    Octree::<C, Shared>::contacts(&a, &b, usize::MAX, &mut of_frame)
                };
                done.contacts += found.len() as u64;
                for pair in found {
                    let in_concavities = pair.into_iter().filter(|&t| !features.is_on_hull(t));
                    done.cases[in_concavities.count()] += 1;
                }
            }
        }
        let exchanges = of_frame.exchanges.iter().sum::<u64>();
        done.box_tests += of_frame.box_tests;
        done.exchanges += exchanges;
        done.triangle_tests += of_frame.triangle_tests;
        done.by_frame.push((of_frame.overlaps as f64, (of_frame.box_tests + exchanges) as f64));
    }
    done
}

/// Returns the correlation of two numbers over frames.
fn correlation(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let both = sum(&|p| (p.0 - x) * (p.1 - y));
    both / (sum(&|p| (p.0 - x) * (p.0 - x)) * sum(&|p| (p.1 - y) * (p.1 - y))).sqrt()
}

/// The methods on a chain.
struct Chain {
    name: String,
    /// The search without a hierarchy, with lists kept and sorted from the start.
    none: [Done; 2],
    /// Octrees by equal parts, and by medians.
    kept: [Done; 2],
    fresh: [Done; 2],
    /// The same with a tree for each part of the surface on and off the hull, and lists kept.
    subsets: [Done; 2],
    /// The same without the last step: boxes of two faces, and lists kept.
    pairs: [Done; 2],
}

/// Returns the recipe of the table for a chain of so many tori.
fn recipe(tori: u32) -> Recipe {
    let (parts, levels) = if tori == 2 { (vec![[2; 3]], 1) } else { (vec![[3, 2, 2], [2; 3]], 2) };
    Recipe { parts, levels, threshold: 8, subsets: false, sorts_faces: true }
}

fn chain(mesh: &Mesh, tori: u32, frames: usize, digest: &mut blake3::Hasher) -> Chain {
    let path = flight(&CollisionMesh::build(mesh), tori, 1, frames);
    add_poses(digest, path.iter().flatten());
    let recipe = recipe(tori);
    let both = |recipe: &Recipe, keeps: bool| {
        [
            with_octrees::<Uniform>(mesh, &path, recipe, keeps),
            with_octrees::<Median>(mesh, &path, recipe, keeps),
        ]
    };
    let (kept, fresh) = (both(&recipe, true), both(&recipe, false));
    let pairs = both(&Recipe { sorts_faces: false, ..recipe.clone() }, true);
    let subsets = both(&Recipe { subsets: true, ..recipe }, true);
    Chain { name: format!("{tori} tori"), none: without_hierarchy(mesh, &path), kept, fresh, subsets, pairs }
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, PONAMGI_TABLE_1);
    let request = Request { name: "tori-chain".to_owned(), size: Some(2), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene of the list");
    let mut digest = blake3::Hasher::new();
    let mut all = Vec::new();
    for tori in [2, 8] {
        let prefix = format!("{tori} tori, ");
        for printed in TORI.iter().filter(|printed| printed.row.starts_with(&prefix)) {
            table.rows.push(Row::of_paper(printed.row).with("seconds", printed.value));
        }
        table.keep(run, || {
            let mesh = &scene.meshes[0];
            let path = flight(&CollisionMesh::build(mesh), tori, 1, frames(run.effort));
            Motion::equal(format!("{tori} tori"), mesh, path)
        });
        let chain = chain(&scene.meshes[0], tori, frames(run.effort), &mut digest);
        for (none, lists) in chain.none.iter().zip(["kept", "sorted anew"]) {
            table.rows.push(none.row(&format!("{prefix}none, lists {lists}")));
        }
        for (i, name) in ["octree", "OTV"].into_iter().enumerate() {
            table.rows.push(chain.kept[i].row(&format!("{prefix}{name}, lists kept")));
            table.rows.push(chain.fresh[i].row(&format!("{prefix}{name}, lists sorted anew")));
            table.rows.push(chain.pairs[i].row(&format!("{prefix}{name}, leaves of two faces, lists kept")));
            table.rows.push(chain.subsets[i].row_of_cases(&format!("{prefix}{name} of subsets, lists kept")));
        }
        all.push(chain);
        run.observer.advance();
    }
    table.columns = vec![
        ("seconds", "s a frame"),
        ("box_tests", "box tests"),
        ("exchanges", "exchanges"),
        ("triangle_tests", "triangle tests"),
        ("tests", "in all"),
        ("contacts", "contacts"),
        ("hulls", "on hulls"),
        ("mixed", "hull and concavity"),
        ("concavities", "in concavities"),
    ];
    table.settings = settings(run.effort);
    table.claims = claims(&all);
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

fn settings(effort: Effort) -> Vec<Setting> {
    vec![
        paper(
            "interlocked tori of 400 polygons each, with random velocities, that bounce elastically. None: the boxes of all faces are sorted, and faces whose boxes overlap are tested",
        ),
        paper("two tori: one level of 2-2-2 parts; eight: a level of 3-2-2 parts, then one of 2-2-2"),
        ours(format!(
            "polygons are triangles; {} frames, in which a torus moves by 1/200 of its radius. The first frame of 'none' is not counted",
            frames(effort)
        )),
        ours(
            "octrees are asked about pairs of tori whose boxes overlap; box tests of cells count lanes of eight. The boxes of the faces of two cells are sorted, and faces whose boxes overlap are tested; without that last step, each face of a leaf of two is tested with each of the other leaf",
        ),
        ours(
            "of subsets: an octree for each connected part of the surface on the hull and off it, and boxes over them; the last columns tell its contacts apart by where both triangles are",
        ),
        ours(
            "a new list of n ends counts as n log n exchanges along each axis; a list that was kept counts exchanges of neighbours",
        ),
        ours(
            "'in all' is the sum of box tests, exchanges and triangle tests; of 'none', contacts are not asked",
        ),
    ]
}

fn claims(all: &[Chain]) -> Vec<Claim> {
    let ratio = |more: u64, less: u64| more as f64 / less as f64;
    let both = |chain: &Chain, of: fn(&Chain, usize) -> f64| {
        ["octree", "OTV"]
            .map(|name| format!("{}, {name}", chain.name))
            .into_iter()
            .zip([of(chain, 0), of(chain, 1)])
            .collect::<Vec<_>>()
    };
    let gain = |chain: &Chain, i: usize| chain.none[0].tests() as f64 / chain.kept[i].tests() as f64;
    let gain_anew = |chain: &Chain, i: usize| chain.none[1].tests() as f64 / chain.fresh[i].tests() as f64;
    let saved = |chain: &Chain, i: usize| chain.fresh[i].exchanges as f64 / chain.kept[i].exchanges as f64;
    let linear = |chain: &Chain, i: usize| correlation(&chain.kept[i].by_frame);
    vec![
        Claim::judged(
            "P1a",
            "\"The time for two tori improved by a factor of three with the hierarchies\": tests and exchanges without them beside those with them, where lists are kept from frame to frame",
            "3.2 and 3.75",
            Rule::Within(2.0, 6.0),
            all.iter().take(1).flat_map(|chain| both(chain, gain)),
        )
        .though("our unit: tests and exchanges, not time; the paper does not say how it sorts a list for the first time"),
        Claim::judged(
            "P1b",
            "the same where all lists are sorted anew at each frame",
            "3.2 and 3.75",
            Rule::Within(2.0, 6.0),
            all.iter().take(1).flat_map(|chain| both(chain, gain_anew)),
        )
        .though("our unit: tests and exchanges, not time; the paper does not say how it sorts a list for the first time"),
        Claim::judged(
            "P2",
            "octrees by medians (OTV) take less time than by equal parts: tests and exchanges of these beside those",
            "1.17 and 1.21",
            Rule::Within(1.0, 1.6),
            all.iter().map(|chain| (chain.name.clone(), ratio(chain.kept[0].tests(), chain.kept[1].tests()))),
        )
        .though("our octrees: the twelve parts of a level are two blocks of eight lanes"),
        Claim::judged(
            "P3",
            "lists that are kept from frame to frame save exchanges: those of lists sorted anew beside those of lists kept",
            "no number",
            Rule::AtLeast(5.0),
            all.iter().flat_map(|chain| both(chain, saved)),
        ),
        Claim::judged(
            "P4",
            "\"Our algorithm is output sensitive\": the correlation over frames of box tests and exchanges with overlapping boxes",
            "no number",
            Rule::AtLeast(0.9),
            all.iter().flat_map(|chain| both(chain, linear)),
        )
        .though("our two tori: nearly all of their cells overlap in every frame, so exchanges, which follow the motion, outweigh what is found"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_step_correlate() {
        assert!((correlation(&[(1.0, 5.0), (2.0, 7.0), (4.0, 11.0)]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[(1.0, -5.0), (2.0, -7.0), (4.0, -11.0)]) + 1.0).abs() < 1e-12);
    }
}
