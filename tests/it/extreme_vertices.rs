//! Boxes of posed bodies, and their deepest vertices in a box, against all of their posed vertices.

use std::collections::BTreeMap;

use closefit::internals::bvh::posed_model::{Model, PosedBounds, PosedModel, PosedTree};
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::query::open_shells::deepest_vertices;
use closefit::{Aabb, DVec3, Executor, Pose, Winding};
use closefit_geometry::mesh::Mesh;
use closefit_testing::cases;
use closefit_testing::meshes::{ball, cuboid, mesh, moved, octahedron};
use closefit_testing::rng::Rng;

/// A mesh of a few components.
fn components(r: &mut Rng) -> Mesh {
    let soups = (0..1 + r.index(3)).map(|_| {
        let soup = match r.index(4) {
            0 => cuboid([-0.5, -1.0, -0.25], [0.5, 1.0, 0.25]),
            1 => octahedron(DVec3::ZERO, 1.0),
            _ => ball(DVec3::ZERO, 1.0, 2 + r.index(2) as u32),
        };
        moved(&soup, r.lattice(3) * 0.5)
    });
    mesh(&soups.collect::<Vec<_>>().concat())
}

/// A pose that turns, seldom only moves by a few steps of a lattice, so that vertices are equally deep.
fn pose(r: &mut Rng) -> Pose {
    match r.index(3) {
        0 => Pose::translation((r.lattice(4) * 0.25).to_array()),
        _ => Pose::from_trs(r.quaternion(), [1.0; 3], r.point().to_array()).expect("a rotation"),
    }
}

/// A body whose box is known only roughly.
fn roughly<'a>(
    mesh: &'a Mesh,
    model: &'a Model<WideObb>,
    pose: Pose,
) -> PosedModel<'a, PosedTree<'a, WideObb>> {
    let Aabb { lo, hi } = mesh.posed_bounds(&pose);
    PosedModel::bounded(mesh, model, pose, PosedBounds::Around(Aabb { lo: lo - 0.3, hi: hi + 0.3 }))
}

#[test]
fn boxes_overlap_as_those_of_all_vertices() {
    let mut r = Rng::new("boxes of extreme vertices", 1);
    let (mut yes, mut no) = (0, 0);
    let wanted = cases(600);
    for case in 0..wanted {
        let meshes = [components(&mut r), components(&mut r)];
        let models = meshes.each_ref().map(|mesh| Model::of(mesh, Executor::default(), Winding::Repaired));
        let mut poses = [pose(&mut r), pose(&mut r)];
        let boxes = |poses: &[Pose; 2]| [0, 1].map(|side| meshes[side].posed_bounds(&poses[side]));
        if r.coin() {
            // The boxes come to touch along x, or nearly so.
            let [a, b] = boxes(&poses);
            poses[1].rows[0][3] += a.hi.x - b.lo.x + [0.0, 1e-12, -1e-12, -0.1][r.index(4)];
        }
        let a = roughly(&meshes[0], &models[0], poses[0]);
        let exact = boxes(&poses);
        let tolerance = [0.0, 1e-13, 0.05, 0.1][r.index(4)];
        let overlaps = exact[0].overlaps_by_more(&exact[1], tolerance);
        assert_eq!(a.overlaps_by_more(&exact[1], tolerance), overlaps, "case {case}: {exact:?}");
        // Once more, now that the box may be known.
        assert_eq!(a.overlaps_by_more(&exact[1], tolerance), overlaps, "case {case}: {exact:?}");
        let [a, b] = [0, 1].map(|side| roughly(&meshes[side], &models[side], poses[side]));
        let may_overlap = a.may_overlap(&b);
        assert!(may_overlap || !exact[0].overlaps_by_more(&exact[1], 0.0), "case {case}: {exact:?}");
        for component in 0..b.topology.components.len() as u32 {
            let may_surround = a.may_surround_component(&b, component);
            let of_component = (0..b.len()).filter(|&t| b.topology.component_of[t as usize] == component);
            let bounds = Aabb::of(of_component.flat_map(|t| b.triangle(t)));
            let surrounds = exact[0].strictly_contains(&bounds);
            assert!(may_surround || !surrounds, "case {case}, component {component}: {exact:?}");
            assert_eq!(
                a.surrounds(&b, component),
                surrounds,
                "case {case}, component {component}: {exact:?}"
            );
            assert_eq!(a.may_surround_component(&b, component), surrounds, "once more: case {case}");
        }
        for component in 0..a.topology.components.len() as u32 {
            let of_component = (0..a.len()).filter(|&t| a.topology.component_of[t as usize] == component);
            let bounds = Aabb::of(of_component.flat_map(|t| a.triangle(t)));
            let overlaps = bounds.overlaps_by_more(&exact[1], tolerance);
            let found = a.component_overlaps_by_more(component, &exact[1], tolerance);
            assert_eq!(found, overlaps, "case {case}, component {component}: {bounds:?} {exact:?}");
        }
        *if overlaps { &mut yes } else { &mut no } += 1;
    }
    assert!(yes > wanted / 5 && no > wanted / 5, "{yes} {no}");
}

#[test]
fn deepest_vertices_are_deepest_of_all() {
    let mut r = Rng::new("deepest vertices", 1);
    let (mut found, mut tied) = (0, 0);
    let wanted = cases(600);
    for case in 0..wanted {
        let mesh = components(&mut r);
        let model = Model::of(&mesh, Executor::default(), Winding::Repaired);
        let body = roughly(&mesh, &model, pose(&mut r));
        let (middle, half) = (r.lattice(6) * 0.25, (r.lattice(3).abs() + 1.0) * 0.5);
        let bounds = Aabb { lo: middle - half, hi: middle + half };
        let asked: Vec<u32> = (0..body.topology.components.len() as u32).filter(|_| r.index(4) > 0).collect();
        let mut expected: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
        for (triangle, corners) in mesh.triangles().iter().enumerate() {
            let component = body.topology.component_of[triangle];
            for &vertex in corners.iter().filter(|_| asked.contains(&component)) {
                let p = body.pose.apply(mesh.vertices()[vertex as usize]);
                let depth = (p - bounds.lo).min_element().min((bounds.hi - p).min_element());
                if depth < 0.0 {
                    continue;
                }
                match expected.get(&component) {
                    Some(&(known, _)) if known > depth => {}
                    Some(&(known, other)) if known == depth => {
                        tied += u32::from(other != vertex);
                        expected.insert(component, (depth, vertex.min(other)));
                    }
                    _ => {
                        expected.insert(component, (depth, vertex));
                    }
                }
            }
        }
        let expected: BTreeMap<u32, u32> = expected.into_iter().map(|(c, (_, vertex))| (c, vertex)).collect();
        found += expected.len();
        assert_eq!(deepest_vertices(&body, &asked, &bounds), expected, "case {case}: {bounds:?}");
    }
    assert!(found > wanted / 2 && tied > 100, "{found} found, {tied} tied");
}
