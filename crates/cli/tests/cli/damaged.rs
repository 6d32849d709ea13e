//! Damaged meshes: shells with flipped and missing triangles never change a reading, and what is missing is
//! never taken for known.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use closefit::internals::engine::check;
use closefit::{CheckRequest, Containment, PairRecord, Unobserved, Verdict};
use closefit_testing::command::*;
use closefit_testing::meshes::{Piece, Soup, ball, cuboid, moved, octahedron, reversed, scene};
use closefit_testing::rational::{self, Triangle};
use closefit_testing::rng::Rng;
use closefit_testing::solid;
use glam::DVec3;
use serde_json::Value;

/// Returns a part as an OBJ file.
fn obj(soup: &[Triangle]) -> String {
    let mut text = String::new();
    for p in soup.as_flattened() {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for first in (1..).step_by(3).take(soup.len()) {
        writeln!(text, "f {first} {} {}", first + 1, first + 2).unwrap();
    }
    text
}

/// Checks two parts, given as OBJ files; returns the exit status, the row, if there is one, and the notes.
fn checked(a: &[Triangle], b: &[Triangle], more: &[&str]) -> (i32, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, soup: &[Triangle]| {
        let path = folder.path().join(name);
        std::fs::write(&path, obj(soup)).unwrap();
        path
    };
    let [a, b] = [file("a.obj", a), file("b.obj", b)];
    let [a, b]: [&Path; 2] = [&a, &b];
    let arguments = [&["check", shown(a), shown(b), "--unit", "mm", "--json"], more].concat();
    let output = run(&arguments);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = report["pairs"].get(0).cloned().unwrap_or(Value::Null);
    (output.status.code().unwrap(), row, text(&output.stderr).to_owned())
}

fn flipped(soup: &[Triangle], turn: impl Fn(usize) -> bool) -> Soup {
    let turned = |(i, &[a, b, c]): (usize, &Triangle)| if turn(i) { [a, c, b] } else { [a, b, c] };
    soup.iter().enumerate().map(turned).collect()
}

fn without(soup: &[Triangle], missing: usize) -> Soup {
    soup.iter().enumerate().filter(|(i, _)| *i != missing).map(|(_, t)| *t).collect()
}

/// Two boxes that overlap, inside out as a whole, as a mirror baked into the vertices leaves them, and a cube
/// in both.
#[test]
fn a_flipped_triangle_does_not_turn_its_shell() {
    let boxes = reversed(&[cuboid([0.0; 3], [4.0; 3]), cuboid([2.0; 3], [6.0; 3])].concat());
    let cube = cuboid([2.5; 3], [3.5; 3]);
    let mut turns = vec![boxes.clone()];
    turns.extend((0..boxes.len()).map(|i| flipped(&boxes, |t| t == i)));
    for boxes in turns {
        let (status, row, notes) = checked(&boxes, &cube, &[]);
        assert_eq!((status, &row["verdict"], &row["contained"]), (1, &"clash".into(), &"b in a".into()));
        assert!(notes.contains("a: the outermost shell is inside out"), "{notes}");
    }
    // A cavity stays a cavity.
    let hollow = [cuboid([0.0; 3], [6.0; 3]), reversed(&cuboid([1.0; 3], [5.0; 3]))].concat();
    for turned in 0..hollow.len() {
        let (status, row, notes) =
            checked(&flipped(&hollow, |t| t == turned), &cube, &["--clearance", "3mm"]);
        assert_eq!((status, &row["verdict"]), (0, &"clearance".into()), "{turned}");
        assert!(!notes.contains("inside out"), "{notes}");
    }
}

/// A shell that meets another while half of its triangles disagree leaves unknown what is solid there.
#[test]
fn a_shell_without_a_majority_counts_as_open_beside_others() {
    let half = |soup: &Soup| flipped(soup, |t| t % 2 == 0);
    let outer = cuboid([0.0; 3], [6.0; 3]);
    let inner = cuboid([1.0; 3], [5.0; 3]);
    let cube = cuboid([2.5; 3], [3.5; 3]);
    let (status, row, notes) = checked(&[outer, half(&inner)].concat(), &cube, &[]);
    assert_eq!((status, &row["verdict"]), (1, &"undecided".into()));
    assert!(notes.contains("do not tell which side is out"), "{notes}");
    // Alone it bounds a solid.
    let (_, row, notes) = checked(&half(&inner), &cube, &[]);
    assert_eq!(row["verdict"], "clash");
    assert!(!notes.contains("note: a: "), "{notes}");
}

/// A shell that is closed but for an edge of four triangles, or for a degenerate triangle, is repaired too.
#[test]
fn shells_that_touch_along_an_edge_are_repaired() {
    let boxes = [cuboid([0.0; 3], [2.0; 3]), cuboid([2.0, 2.0, 0.0], [4.0, 4.0, 2.0])].concat();
    let segment = [[boxes[0][0], boxes[0][1], boxes[0][0]]];
    let cube = cuboid([0.5; 3], [1.5; 3]);
    for soup in [boxes.clone(), [boxes.as_slice(), &segment].concat()] {
        for turned in 0..boxes.len() {
            let (status, row, _) = checked(&flipped(&soup, |t| t == turned), &cube, &[]);
            assert_eq!((status, &row["verdict"], &row["contained"]), (1, &"clash".into(), &"b in a".into()));
        }
    }
}

/// A Klein bottle has no consistent winding: a note names an edge.
#[test]
fn a_shell_without_a_consistent_winding_is_named() {
    let (n, mut rng) = (4, Rng::new("klein", 0));
    let points: Vec<DVec3> = (0..n * n).map(|_| rng.point()).collect();
    // One pair of sides is joined as in a torus, the other one reversed.
    let corner = |i: usize, j: usize| points[if i == n { (n - j % n) % n } else { i * n + j % n }];
    let quads = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let bottle: Soup = quads
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    let (_, _, notes) = checked(&bottle, &cuboid([0.0; 3], [1.0; 3]), &[]);
    assert!(notes.contains("a: a shell has no consistent winding"), "{notes}");
}

/// A cavity that lacks a triangle: whether a cube in it touches nothing, or the cavity's wall, what the outer
/// shell says may be cancelled.
#[test]
fn an_open_cavity_leaves_its_inside_unknown() {
    let outer = cuboid([0.0; 3], [9.0; 3]);
    let cavity = reversed(&cuboid([1.0; 3], [8.0; 3]));
    let loose = cuboid([4.0; 3], [5.0; 3]);
    let at_wall = cuboid([1.0, 4.0, 4.0], [2.0, 5.0, 5.0]);
    // Triangles 2 and 3 of a cuboid are not those of the wall at the lowest x that the cube touches.
    let missing = (0..12).find(|&t| cavity[t].iter().all(|p| p.x == 8.0)).unwrap();
    let whole = [outer.as_slice(), &cavity].concat();
    let open_cavity = [outer.clone(), without(&cavity, missing)].concat();
    let open_outer = [without(&outer, missing), cavity].concat();
    assert_eq!(checked(&whole, &loose, &[]).0, 0);
    assert_eq!(checked(&whole, &at_wall, &[]).1["verdict"], "contact");
    for open in [&open_cavity, &open_outer] {
        let (status, row, _) = checked(open, &loose, &[]);
        assert_eq!((status, &row["verdict"]), (1, &"undecided".into()));
        let reason = row["contained"]["undecidable"].as_str().unwrap();
        assert!(reason.ends_with("is not closed: 3 open edges"), "{reason}");
        let (status, row, _) = checked(open, &at_wall, &[]);
        assert_eq!((status, &row["verdict"]), (1, &"undecided".into()), "{row}");
        assert!(row["depth"].is_null(), "{row}");
    }
    // An outward hull with a hole around a solid changes nothing.
    let hull = [without(&cuboid([-1.0; 3], [10.0; 3]), missing), outer].concat();
    let (status, row, _) = checked(&hull, &loose, &[]);
    assert_eq!((status, &row["verdict"], &row["contained"]), (1, &"clash".into(), &"b in a".into()));
}

/// A box on a box, with an edge in common and a pair of corners a little too low, each without a far
/// triangle.
#[test]
fn open_parts_that_rest_on_each_other_touch() {
    let lower = cuboid([0.0, 0.0, -1.0], [2.0, 2.0, 0.0]);
    let sink = |p: DVec3| if p.z == 0.0 && p.x == 2.0 { DVec3::new(p.x, p.y, -1e-17) } else { p };
    let upper: Soup = cuboid([0.0; 3], [2.0, 2.0, 1.0]).into_iter().map(|t| t.map(sink)).collect();
    let far =
        |soup: &Soup, z: f64| without(soup, (0..12).find(|&t| soup[t].iter().all(|p| p.z == z)).unwrap());
    let (lower, upper) = (far(&lower, -1.0), far(&upper, 1.0));
    for tolerance in ["0", "1e-9mm", "1e-3mm"] {
        let (status, row, _) = checked(&lower, &upper, &["--tolerance", tolerance]);
        let expected = if tolerance == "0" { "clash" } else { "contact" };
        assert_eq!(row["verdict"], expected, "{tolerance}: {row}");
        assert_eq!((status, &row["crossing"]), (i32::from(tolerance == "0"), &(tolerance == "0").into()));
    }
}

/// An outlet flush in a wall that lacks a triangle just there; a block in a tray without a lid. Terrain,
/// sheets and half shells are no containers.
#[test]
fn open_shells_that_might_hold_a_part_are_undecided() {
    let wall = cuboid([0.0; 3], [100.0, 20.0, 100.0]);
    let front = |t: &Triangle| t.iter().all(|p| p.y == 20.0);
    // The outlet lies in the middle of one of the two triangles of the front.
    let missing = (0..12).find(|&t| front(&wall[t])).unwrap();
    let middle = (wall[missing][0] + wall[missing][1] + wall[missing][2]) / 3.0;
    let outlet = cuboid([middle.x - 2.0, 15.0, middle.z - 2.0], [middle.x + 2.0, 20.0, middle.z + 2.0]);
    let (status, row, _) = checked(&without(&wall, missing), &outlet, &[]);
    assert_eq!((status, &row["verdict"]), (1, &"undecided".into()), "{row}");
    let tray: Soup =
        cuboid([0.0; 3], [10.0, 10.0, 4.0]).into_iter().filter(|t| !t.iter().all(|p| p.z == 4.0)).collect();
    let block = cuboid([1.0, 1.0, 1.0], [9.0, 9.0, 3.0]);
    let (status, row, _) = checked(&tray, &block, &[]);
    assert_eq!((status, &row["verdict"]), (1, &"undecided".into()), "{row}");

    let sheet: Soup =
        cuboid([0.0; 3], [10.0, 10.0, 4.0]).into_iter().filter(|t| t.iter().all(|p| p.z == 0.0)).collect();
    let tilted: Soup = sheet.iter().map(|t| t.map(|p| p + DVec3::Z * (0.5 * p.x))).collect();
    let brick = cuboid([4.0, 4.0, 2.6], [4.5, 4.5, 3.0]);
    assert_eq!(checked(&tilted, &brick, &[]).0, 0);
    let half: Soup = ball(DVec3::ZERO, 4.0, 2).into_iter().filter(|t| t.iter().all(|p| p.z <= 0.0)).collect();
    assert_eq!(checked(&half, &cuboid([-0.5, -0.5, -0.25], [0.5, 0.5, 2.0]), &[]).0, 1);
    assert_eq!(checked(&half, &cuboid([-0.5, -0.5, -0.001], [0.5, 0.5, 2.0]), &[]).0, 1);
}

/// A shell drawn from both sides is one shell: what lies in it may be inside.
#[test]
fn a_double_sided_shell_is_a_shell() {
    let shell = cuboid([0.0; 3], [6.0; 3]);
    let double = [shell.as_slice(), &reversed(&shell)].concat();
    let (status, row, _) = checked(&double, &cuboid([2.0; 3], [3.0; 3]), &[]);
    assert_eq!((status, &row["verdict"]), (1, &"undecided".into()), "{row}");
    assert!(
        row["contained"]["undecidable"].as_str().unwrap().ends_with("its triangles cancel in opposite pairs")
    );
}

/// Witness points do not depend on the order of triangles and corners, where several pairs are equally close.
#[test]
fn witness_points_do_not_depend_on_order() {
    let a = cuboid([0.0; 3], [2.0; 3]);
    let b = cuboid([0.5, 0.5, 2.5], [3.0, 3.0, 4.0]);
    let points = |a: &Soup, b: &Soup| checked(a, b, &["--clearance", "1mm"]).1["points"].clone();
    let expected = points(&a, &b);
    assert!(expected.is_array());
    let mut rng = Rng::new("order", 0);
    for _ in 0..20 {
        let mut shuffled = [a.clone(), b.clone()];
        for soup in &mut shuffled {
            for i in (1..soup.len()).rev() {
                soup.swap(i, rng.index(i + 1));
            }
            for t in soup.iter_mut() {
                t.rotate_left(rng.index(3));
            }
        }
        assert_eq!(points(&shuffled[0], &shuffled[1]), expected);
    }
}

/// One closed shell of a part.
fn shell(rng: &mut Rng, lo: f64, hi: f64) -> Soup {
    let (middle, half) = (DVec3::splat(0.5 * (lo + hi)), 0.5 * (hi - lo));
    match rng.index(3) {
        0 => cuboid([lo; 3], [hi; 3]),
        1 => octahedron(middle, 1.5 * half),
        _ => ball(middle, 1.2 * half, 1),
    }
}

/// A part of several shells, nested, overlapping, reversed or mirrored, and another part near it.
struct Shells {
    shells: Vec<Soup>,
    /// True if the second shell is a cavity in the first.
    has_cavity: bool,
    other: Soup,
}

fn shells(rng: &mut Rng) -> Shells {
    let mut shells = vec![shell(rng, -4.0, 4.0)];
    let has_cavity = rng.coin();
    if has_cavity {
        shells.push(reversed(&shell(rng, -1.5, 1.5)));
        if rng.coin() {
            shells.push(shell(rng, -0.5, 0.5));
        }
    } else if rng.coin() {
        let by = rng.lattice(2);
        shells.push(moved(&shell(rng, -3.0, 3.0), by));
    }
    let is_mirrored = rng.coin();
    let is_reversed = rng.index(4) == 0;
    for shell in &mut shells {
        if is_mirrored {
            shell.iter_mut().flatten().for_each(|p| p.x = -p.x);
        }
        if is_reversed {
            *shell = reversed(shell);
        }
    }
    let size = [0.25, 0.5, 1.0][rng.index(3)];
    let other = moved(&cuboid([-size; 3], [size; 3]), rng.lattice(4) * 0.5 + DVec3::splat(0.125));
    Shells { shells, has_cavity, other }
}

fn area(t: &Triangle) -> f64 {
    (t[1] - t[0]).cross(t[2] - t[0]).length()
}

fn decided(shells: &[Soup], other: &Soup) -> Option<PairRecord> {
    let pieces = [Piece::new("a", shells.concat()), Piece::new("b", other.clone())];
    let request = CheckRequest::default().clearance(0.25).tolerance(1e-6);
    check(&scene(&pieces), &request, &Unobserved).expect("admissible").pairs.into_iter().next()
}

/// Flips of up to a fifth of the area of each shell change neither a verdict nor a depth.
#[test]
fn flips_change_no_reading() {
    let mut verdicts = BTreeSet::new();
    for seed in 0..closefit_testing::cases(400) {
        let mut rng = Rng::new("flips", seed);
        let Shells { shells, other, .. } = shells(&mut rng);
        let whole = decided(&shells, &other);
        let turned: Vec<Soup> = shells
            .iter()
            .map(|shell| {
                let mut left = 0.2 * shell.iter().map(area).sum::<f64>();
                let mut turn = vec![false; shell.len()];
                for _ in 0..shell.len() {
                    let t = rng.index(shell.len());
                    if !turn[t] && area(&shell[t]) <= left {
                        left -= area(&shell[t]);
                        turn[t] = true;
                    }
                }
                flipped(shell, |t| turn[t])
            })
            .collect();
        let found = decided(&turned, &other);
        let of = |row: &Option<PairRecord>| {
            row.as_ref().map(|row| (row.verdict, row.contained.clone(), row.distance, row.contacts))
        };
        assert_eq!(of(&whole), of(&found), "#{seed}");
        let depth = |row: &Option<PairRecord>| row.as_ref().and_then(|row| row.depth);
        assert_eq!(depth(&whole).is_some(), depth(&found).is_some(), "#{seed}");
        if let (Some(p), Some(q)) = (depth(&whole), depth(&found)) {
            assert!(p.at_least <= q.at_most && q.at_least <= p.at_most, "#{seed}: {p:?} {q:?}");
        }
        verdicts.extend(whole.map(|row| row.verdict));
    }
    assert!([Verdict::Clash, Verdict::Contact, Verdict::Clearance].iter().all(|v| verdicts.contains(v)));
}

/// Missing triangles never turn a clash into an all-clear, nor the reverse, and known clashes mostly stay
/// known.
#[test]
fn missing_triangles_hide_and_invent_nothing() {
    let [mut known, mut kept, mut undecided] = [0; 3];
    for seed in 0..closefit_testing::cases(400) {
        let mut rng = Rng::new("missing", seed);
        let Shells { mut shells, has_cavity, other } = shells(&mut rng);
        let whole = decided(&shells, &other);
        let touches = |t: &Triangle| other.iter().any(|u| rational::triangles_meet(t, u));
        let damaged = rng.index(shells.len());
        let mut missing = 0;
        // Two large triangles can be more than half of what a point near them sees.
        for _ in 0..=usize::from(shells[damaged].len() > 12 && rng.coin()) {
            let t = rng.index(shells[damaged].len());
            if !touches(&shells[damaged][t]) {
                shells[damaged].swap_remove(t);
                missing += 1;
            }
        }
        let found = decided(&shells, &other);
        let verdict = |row: &Option<PairRecord>| row.as_ref().map_or(Verdict::Clear, |row| row.verdict);
        let (of_whole, of_found) = (verdict(&whole), verdict(&found));
        if of_whole == Verdict::Clash {
            assert!(of_found <= Verdict::Undecided, "#{seed}: {whole:?} {found:?}");
            // The other shells say so by themselves, and nothing can cancel them.
            let others = shells.iter().enumerate().filter(|(i, _)| *i != damaged);
            let rest: Soup = others.flat_map(|(_, shell)| shell.clone()).collect();
            if !has_cavity && !rest.is_empty() && missing > 0 && solid::contains(&rest, &other) {
                known += 1;
                kept += u64::from(of_found == Verdict::Clash);
            }
        } else {
            assert_ne!(of_found, Verdict::Clash, "#{seed}: {whole:?} {found:?}");
        }
        undecided += u64::from(of_found == Verdict::Undecided);
        if let Some(row) = &whole
            && row.contacts == 0
        {
            let is_in = matches!(row.contained, Containment::BInA);
            let (shells, other) = (shells.concat(), &other);
            if missing == 0 {
                assert_eq!(is_in, solid::contains(&shells, other), "#{seed}");
            }
        }
    }
    println!("{kept} of {known} known clashes kept, {undecided} undecided");
    assert!(10 * kept >= 9 * known, "{kept} of {known}");
}
