use glam::DVec3;
use proptest::prelude::*;

use super::super::{apart, brute, cases, pair};
use super::*;
use crate::bvh::sphere_levels::{SphereCounts, SphereLevels};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::cases;
use closefit_geometry::mesh::Mesh;

impl RecursiveGrid {
    /// Checks that every box is exactly in the lists in which it belongs, and that kinds are right.
    fn validate(&self) {
        let mut expected: Vec<(usize, u32)> = Vec::new();
        for (id, b) in (0..).zip(&self.boxes).filter(|(_, b)| is_there(b)) {
            match self.region.filter(|region| contains(b, region)) {
                Some(region) => expected.extend(self.holders(b, region).iter().map(|&(cell, _)| (cell, id))),
                None => assert!(self.outside.contains(&id)),
            }
        }
        let mut listed: Vec<(usize, u32)> = Vec::new();
        let mut open: Vec<(usize, Aabb)> = self.region.map(|region| (0, region)).into_iter().collect();
        while let Some((index, region)) = open.pop() {
            let cell = &self.cells[index];
            let ids = self.lists.ids(cell.list);
            listed.extend(ids.iter().map(|&id| (index, id)));
            let is_full = ids.iter().any(|&id| contains(&region, &self.boxes[id as usize]));
            let kind = if is_full { CellKind::Full } else { CellKind::Partial };
            assert_eq!(cell.kind, if ids.is_empty() { CellKind::Empty } else { kind });
            if let Some(cut) = self.cuts.get(cell.cut as usize) {
                open.extend((0..cut.children()).map(|k| (cut.first + k, cut.region(k, &region))));
            }
        }
        expected.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, expected);
        assert_eq!(self.boxes.iter().filter(|b| is_there(b)).count(), self.len);
    }
}

/// Returns all pairs of boxes, with one query for each box, by a grid of a rule.
fn pairs(rule: GridRule, boxes: &[Aabb], reach: f64) -> super::super::Pairs {
    let grid = RecursiveGrid::by(rule, boxes);
    grid.validate();
    let (mut pairs, mut found) = (Vec::new(), Vec::new());
    for (i, b) in boxes.iter().enumerate() {
        grid.near(b, reach, &mut found);
        pairs.extend(found.iter().map(|&j| j as usize).filter(|&j| j > i).map(|j| pair(i, j)));
    }
    pairs
}

fn cube(at: DVec3, size: f64) -> Aabb {
    Aabb { lo: at, hi: at + size }
}

/// Returns the ids of the boxes near `b`, by testing all.
fn near_by_brute_force(boxes: &[Aabb], b: &Aabb, reach: f64) -> Vec<u32> {
    (0..)
        .zip(boxes)
        .filter(|(_, other)| is_there(other) && !apart(b, other, reach))
        .map(|(id, _)| id)
        .collect()
}

/// Asks for boxes near many movers, inside, outside and around everything, and compares with all boxes.
fn check_movers(grid: &mut RecursiveGrid, boxes: &[Aabb]) -> Visits {
    grid.settle();
    grid.validate();
    let all = boxes.iter().copied().filter(is_there).fold(Aabb::EMPTY, Aabb::union);
    let (size, mut work, mut found) = (all.hi - all.lo, Visits::default(), Vec::new());
    for i in 0..40 {
        let share = |k: f64| (f64::from(i) * k).fract() * 1.5 - 0.25;
        let at = all.lo + size * DVec3::new(share(2f64.sqrt()), share(3f64.sqrt()), share(5f64.sqrt()));
        let extent = [0.0, 1e-3, 0.1, 3.0][i as usize % 4];
        let b = Aabb { lo: at - size * extent, hi: at + size * extent };
        for reach in [0.0, 1e-2 * size.max_element()] {
            work += grid.near(&b, reach, &mut found);
            assert_eq!(found, near_by_brute_force(boxes, &b, reach));
        }
    }
    work
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn finds_what_brute_force_finds(
        boxes in prop_oneof![cases::boxes(200).boxed(), cases::sizes(800).boxed()],
        reach in cases::reaches(),
        threshold in 1_usize..20,
        cells in 2_u32..=8,
    ) {
        let all = brute::near_pairs(&boxes, reach);
        for rule in [GridRule::default(), GridRule::new(threshold, cells).expect("in range")] {
            prop_assert_eq!(&pairs(rule, &boxes, reach), &all);
        }
    }
}

/// Random numbers without a generator: Knuth's MMIX. Its upper bits are random enough here.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / f64::from(1 << 24)
    }

    fn index(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    /// Returns a box: anywhere in a cube, or in one of ten small clusters in it.
    fn placed(&mut self, is_clustered: bool) -> Aabb {
        let (size, at) = (0.5 + self.unit(), self.point());
        if !is_clustered {
            return cube(at * 8.0, size);
        }
        let cluster = (self.unit() * 10.0).floor();
        let middle = DVec3::new(cluster, (cluster * 7.0) % 10.0, (cluster * 3.0) % 10.0);
        cube(middle * 1e3 + at * 4.0, size * 0.5)
    }
}

/// 1 000 frames in which boxes that stand still are added, moved and removed, a few at a time or many at
/// once, and others move among them.
#[test]
fn follows_brute_force_over_a_thousand_frames() {
    for is_clustered in [false, true] {
        let mut random = Random(u64::from(is_clustered));
        let (mut grid, mut boxes) = (RecursiveGrid::default(), Vec::new());
        let mut movers: Vec<Aabb> = (0..5).map(|_| random.placed(is_clustered)).collect();
        let mut met = 0;
        for frame in 0..1000 {
            let changes = if frame % 97 == 0 { 300 } else { random.index(4) };
            // The world grows in one direction.
            let along = DVec3::X * f64::from(frame) * 0.01;
            let placed = |random: &mut Random| {
                let b = random.placed(is_clustered);
                Aabb { lo: b.lo + along, hi: b.hi + along }
            };
            for _ in 0..changes {
                let b = placed(&mut random);
                let id = random.index(boxes.len() + 1);
                if id == boxes.len() {
                    boxes.push(b);
                } else {
                    boxes[id] = if random.index(3) == 0 { Aabb::EMPTY } else { b };
                }
                grid.set(to_u32(id), Some(boxes[id]).filter(is_there));
            }
            grid.settle();
            if frame % 10 == 0 {
                grid.validate();
            }
            for b in &mut movers {
                let by = random.point() - 0.5;
                *b = if random.index(50) == 0 { placed(&mut random) } else { cube(b.lo + by, 1.0) };
            }
            for reach in [0.0, 0.5] {
                let (found, _) =
                    grid.ask_each(movers.len(), |grid, i, found| grid.near(&movers[i], reach, found));
                let expected = (0..movers.len()).flat_map(|i| {
                    near_by_brute_force(&boxes, &movers[i], reach).into_iter().map(move |id| (i, id))
                });
                assert!(found.iter().copied().eq(expected), "frame {frame}");
                met += found.len();
            }
        }
        assert!(met > 1000, "{met}");
    }
}

#[test]
fn a_million_equal_boxes_stop() {
    let boxes = vec![cube(DVec3::ONE, 1.0); 1_000_000];
    let mut grid = RecursiveGrid::of(&boxes);
    assert_eq!((grid.shape().references, grid.shape().levels), (1_000_000, 1));
    let mut found = Vec::new();
    assert_eq!(grid.near(&boxes[0], 0.0, &mut found).box_tests, 1_000_000);
    assert_eq!(found.len(), 1_000_000);
    // One box elsewhere: the others are found in few cells, and not looked for where they are not.
    grid.set(1_000_000, Some(cube(DVec3::splat(900.0), 1.0)));
    grid.build();
    let shape = grid.shape();
    assert!(shape.references <= 8_000_001 && shape.levels <= 3, "{shape:?}");
    assert!(grid.near(&cube(DVec3::splat(500.0), 1.0), 0.0, &mut found).box_tests == 0);
    assert!(grid.near(&cube(DVec3::splat(1.5), 1.0), 0.0, &mut found).box_tests <= 8_000_000);
    assert_eq!(found.len(), 1_000_000);
}

#[test]
fn copies_of_a_point_stop() {
    for copies in [2, 9, 1000] {
        let mut boxes = vec![cube(DVec3::splat(3.0), 0.0); copies];
        let mut grid = RecursiveGrid::of(&boxes);
        check_movers(&mut grid, &boxes);
        assert_eq!(grid.shape().levels, 1);
        // Two clusters of points, and one far away.
        boxes.extend(vec![cube(DVec3::splat(3.0 + 1e-9), 0.0); copies]);
        boxes.push(cube(DVec3::splat(-1e9), 0.0));
        let mut grid = RecursiveGrid::of(&boxes);
        check_movers(&mut grid, &boxes);
        assert!(grid.shape().levels <= 4, "{:?}", grid.shape());
    }
}

#[test]
fn nested_boxes_do_not_multiply() {
    // Their sides cross the same small cells, which no cut can part.
    let nested: Vec<Aabb> = (0..1000)
        .map(|i| 1.0 - f64::from(i) * 1e-9)
        .map(|r| Aabb { lo: DVec3::splat(-r), hi: DVec3::splat(r) })
        .collect();
    let mut grid = RecursiveGrid::of(&nested);
    assert!(grid.shape().references <= 16_000, "{:?}", grid.shape());
    check_movers(&mut grid, &nested);
    // A bundle of long cables, and a stack of sheets.
    // Cuts along them would part nothing, and cuts across them part all.
    let cable = |i: u32| Aabb {
        lo: DVec3::new(0.0, f64::from(i % 30), f64::from(i / 30)) * 0.01,
        hi: DVec3::new(1e3, f64::from(i % 30) + 0.9, f64::from(i / 30) + 0.9) * 0.01,
    };
    let sheet = |i: u32| Aabb { lo: DVec3::Z * f64::from(i), hi: DVec3::new(1e4, 1e4, f64::from(i) + 0.1) };
    for boxes in [(0..900).map(cable).collect::<Vec<_>>(), (0..900).map(sheet).collect()] {
        let mut grid = RecursiveGrid::of(&boxes);
        let Shape { references, largest_leaf, .. } = grid.shape();
        assert!(references <= 8 * 900 && largest_leaf <= 16, "{:?}", grid.shape());
        check_movers(&mut grid, &boxes);
    }
}

#[test]
fn a_box_as_large_as_the_world_is_asked_once() {
    let mut boxes = cases::even(5000);
    boxes.push(cube(DVec3::splat(-1.0), 120.0));
    let mut grid = RecursiveGrid::of(&boxes);
    check_movers(&mut grid, &boxes);
    let without = RecursiveGrid::of(&boxes[..5000]);
    let (with, without) = (grid.shape(), without.shape());
    assert!(with.references <= without.references + without.references / 4, "{with:?} {without:?}");
    // The first cell lies inside it: a full cell.
    let visits = grid.near(&cube(DVec3::splat(50.0), 1.0), 0.0, &mut Vec::new());
    assert_eq!((with.cells.full, visits.decisions.full), (1, 1));
}

#[test]
fn all_in_a_plane() {
    for flat in [DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.0, 1.0, 1.0), DVec3::X] {
        let boxes: Vec<Aabb> =
            cases::even(3000).iter().map(|b| Aabb { lo: b.lo * flat, hi: b.hi * flat }).collect();
        let mut grid = RecursiveGrid::of(&boxes);
        check_movers(&mut grid, &boxes);
        let visits = grid.near(&boxes[0], 0.0, &mut Vec::new());
        assert!(grid.shape().levels > 1 && visits.box_tests < 1000, "{:?} {visits:?}", grid.shape());
        assert_eq!(pairs(GridRule::default(), &boxes, 0.25), brute::near_pairs(&boxes, 0.25));
    }
}

#[test]
fn movers_and_newcomers_outside_of_the_first_cell() {
    let mut boxes = cases::even(1000);
    let mut grid = RecursiveGrid::of(&boxes);
    let mut found = Vec::new();
    for far in [1e3, -1e3, 1e60, -1e60] {
        let visits = grid.near(&cube(DVec3::splat(far), 1.0), 0.0, &mut found);
        assert_eq!((&found[..], visits.cells), (&[][..], 0));
    }
    for i in 0..200 {
        let b = cube(DVec3::new(200.0 + f64::from(i), 0.0, 0.0), 1.5);
        grid.set(to_u32(boxes.len()), Some(b));
        boxes.push(b);
        let (found, _) = grid.ask_each(1, |grid, _, found| grid.near(&b, 0.0, found));
        assert!(found.into_iter().map(|(_, id)| id).eq(near_by_brute_force(&boxes, &b, 0.0)));
    }
    assert_eq!(grid.outside.len(), 200);
    check_movers(&mut grid, &boxes);
    // Once the tests with those outside have cost as much as building, they are outside no longer.
    (0..BUILD * 1200 / 200)
        .for_each(|_| _ = grid.ask_each(1, |grid, _, found| grid.near(&boxes[0], 0.0, found)));
    assert_eq!(grid.outside.len(), 0);
    check_movers(&mut grid, &boxes);
}

#[test]
fn tiny_and_huge_coordinates() {
    let even = cases::even(2000);
    for scale in [2f64.powi(-600), 2f64.powi(-150), 2f64.powi(150), 2f64.powi(300)] {
        let scaled: Vec<Aabb> = even.iter().map(|b| Aabb { lo: b.lo * scale, hi: b.hi * scale }).collect();
        let mut grid = RecursiveGrid::of(&scaled);
        check_movers(&mut grid, &scaled);
        assert_eq!(grid.shape(), RecursiveGrid::of(&even).shape(), "the same at any power of two");
    }
    // Small things in two places far apart, at a distance that swallows most of their digits.
    let mut apart: Vec<Aabb> =
        even.iter().map(|b| Aabb { lo: b.lo * 1e-3 + 1e9, hi: b.hi * 1e-3 + 1e9 }).collect();
    apart.extend(even.iter().map(|b| Aabb { lo: b.lo * 1e-3, hi: b.hi * 1e-3 }));
    let mut grid = RecursiveGrid::of(&apart);
    check_movers(&mut grid, &apart);
    let visits = grid.near(&apart[0], 0.0, &mut Vec::new());
    assert!(visits.box_tests < 200 && grid.shape().levels <= 6, "{visits:?} {:?}", grid.shape());
}

#[test]
fn cost_does_not_depend_on_what_is_elsewhere() {
    let mut visited = Vec::new();
    for count in [1_000, 8_000, 64_000] {
        let side = f64::from(count).cbrt();
        let share = |i: u32, k: f64| (f64::from(i) * k).fract() * side;
        let place = |i| DVec3::new(share(i, 2f64.sqrt()), share(i, 3f64.sqrt()), share(i, 5f64.sqrt()));
        let boxes: Vec<Aabb> = (0..count).map(|i| cube(place(i), 1.0)).collect();
        let grid = RecursiveGrid::of(&boxes);
        let mut work = Visits::default();
        (0..100).for_each(|i| work += grid.near(&boxes[i], 0.0, &mut Vec::new()));
        assert!(grid.bytes() < 400 * boxes.len(), "{} bytes", grid.bytes());
        visited.push(work.cells + work.box_tests);
    }
    let [least, most] = [visited.iter().min(), visited.iter().max()].map(|n| *n.expect("three"));
    assert!(most < 4 * least, "{visited:?}");
}

/// Returns a strip of small triangles along x and one along y, far from full in their box.
fn bent() -> Mesh {
    let strip =
        |along: DVec3| (0..160).map(move |i| along * f64::from(i) * 0.25 + DVec3::Z * f64::from(i % 2));
    let vertices: Vec<DVec3> = [DVec3::X, DVec3::Y].into_iter().flat_map(strip).collect();
    let triangles: Vec<[u32; 3]> =
        (0..318).map(|i| [i, i + 1, i + 2]).filter(|t| t[0] / 160 == t[2] / 160).collect();
    Mesh::new(&vertices, &triangles).expect("valid")
}

/// The grid finds what all boxes and all spheres say, and nothing near the body is missing.
#[test]
fn spheres_find_what_all_boxes_and_spheres_say() {
    let mesh = bent();
    let mut random = Random(5);
    for is_clustered in [false, true] {
        let mut boxes: Vec<Aabb> = cases::even(3000);
        boxes.extend((0..500).map(|_| random.placed(is_clustered)));
        boxes.push(cube(DVec3::splat(-20.0), 150.0));
        let mut grid = RecursiveGrid::of(&boxes);
        // Some are not there, and some are outside of the first cell.
        for id in (0..boxes.len()).step_by(7) {
            boxes[id] = if id % 2 == 0 { Aabb::EMPTY } else { cube(random.point() * 250.0 - 125.0, 5.0) };
            grid.set(to_u32(id), Some(boxes[id]).filter(is_there));
        }
        grid.settle();
        let (mut work, mut found, mut by_box) = (Visits::default(), Vec::new(), Vec::new());
        for (case, counts) in [&[1][..], &[1, 9], &[1, 8, 64]].into_iter().cycle().take(60).enumerate() {
            let counts = SphereCounts::new(counts).expect("they rise from 1");
            let levels = SphereLevels::of(mesh.vertices(), mesh.triangles(), &counts);
            let scale = [[1.0; 3], [-1.0, 2.0, 0.5], [0.0, 1.0, 1.0]][case % 3];
            let turn = [(); 4].map(|()| random.unit() - 0.5);
            let at = random.point() * 120.0 - 20.0;
            let pose = Pose::from_trs(turn, scale, at.to_array()).expect("a direction");
            let (around, spheres) = (mesh.posed_bounds(&pose), levels.at(&pose));
            for reach in [0.0, 0.5, 20.0, f64::INFINITY] {
                work += grid.near_spheres(&around, &spheres, reach, &mut found);
                grid.near(&around, reach, &mut by_box);
                let is_near = |&id: &u32| spheres.may_reach(&boxes[id as usize], reach, &mut 0);
                let expected: Vec<u32> =
                    near_by_brute_force(&boxes, &around, reach).into_iter().filter(is_near).collect();
                assert_eq!(found, expected, "case {case}");
                // A vertex within reach of a box keeps it.
                for &id in by_box.iter().filter(|id| found.binary_search(id).is_err()) {
                    let b = &boxes[id as usize];
                    let nearest = mesh.vertices().iter().map(|&v| pose.apply(v));
                    let distance =
                        nearest.map(|p| p.distance(p.max(b.lo).min(b.hi))).fold(f64::INFINITY, f64::min);
                    assert!(distance > reach, "case {case}, box {id}");
                }
            }
        }
        assert!(work.sphere_tests > 0 && work.decisions != Kinds::default());
    }
}

/// A bent body costs as much as what is near it, not as all in its box.
#[test]
fn cells_far_from_all_spheres_are_not_looked_into() {
    let boxes: Vec<Aabb> = (0..20_000)
        .map(|i| cube(DVec3::new(f64::from(i % 141), f64::from(i / 141), 0.0) * 0.3, 0.1))
        .collect();
    let (grid, mesh) = (RecursiveGrid::of(&boxes), bent());
    let levels = |counts| {
        SphereLevels::of(mesh.vertices(), mesh.triangles(), &SphereCounts::new(counts).expect("they rise"))
    };
    let around = mesh.posed_bounds(&Pose::IDENTITY);
    let mut found = [(); 4].map(|()| Vec::new());
    let by_box = grid.near(&around, 0.0, &mut found[0]);
    let work = [&[1][..], &[1, 8], &[1, 8, 64]].map(levels);
    let mut visits = vec![by_box];
    for (levels, found) in work.iter().zip(&mut found[1..]) {
        visits.push(grid.near_spheres(&around, &levels.at(&Pose::IDENTITY), 0.0, found));
    }
    let counts = found.each_ref().map(Vec::len);
    println!("{counts:?} {visits:?}");
    assert!(counts[0] > 17_000 && counts[1] <= counts[0]);
    assert!(2 * counts[2] < counts[0] && 20 * counts[3] < counts[0], "{counts:?}");
    assert!(5 * visits[3].box_tests < by_box.box_tests, "{visits:?}");
    assert!(5 * visits[3].cells < by_box.cells, "{visits:?}");
    assert!(visits[3].sphere_tests < 2 * by_box.box_tests, "{visits:?}");
}

#[test]
fn nothing_and_one() {
    let mut grid = RecursiveGrid::default();
    grid.settle();
    let mut found = vec![7];
    grid.near(&cube(DVec3::ZERO, 1.0), f64::INFINITY, &mut found);
    assert!(found.is_empty());
    grid.set(3, Some(cube(DVec3::ZERO, 1.0)));
    grid.settle();
    grid.near(&cube(DVec3::ONE, 1.0), 0.0, &mut found);
    assert_eq!((found, grid.len()), (vec![3], 1));
    grid.set(3, None);
    grid.settle();
    grid.validate();
    assert_eq!(grid.len(), 0);
}
