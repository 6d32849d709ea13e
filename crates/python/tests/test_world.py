"""Worlds of bodies, against all pairs one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import at, random_poses

OPTIONS: list[dict[str, Any]] = [
    {},
    {"broad": "sweep-and-prune", "bounds": "cube"},
    {"bounds": "tight", "hull": "closest-features", "sphere_levels": (1, 8), "grid": (1, 8)},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_a_world_finds_the_pairs_that_all_questions_find(
    ring: cf.CollisionMesh, box: cf.CollisionMesh, options: dict[str, Any]
) -> None:
    meshes, world = [ring, box] * 15, cf.World(**options)
    fixed = [i % 3 == 0 for i in range(30)]
    for mesh, is_fixed in zip(meshes, fixed, strict=True):
        world.add(mesh, np.eye(4), fixed=is_fixed)
    assert len(world) == 30
    for seed in range(3):
        poses = random_poses(30, 4.0, seed)
        world.set_poses(poses)
        asked = [(i, j) for i, j in combinations(range(30), 2) if not (fixed[i] and fixed[j])]
        found = {(i, j): cf.distance(meshes[i], poses[i], meshes[j], poses[j]) for i, j in asked}
        touching = [[i, j] for (i, j), one in found.items() if one.distance == 0]
        assert world.intersecting().tolist() == touching
        candidates = world.candidate_pairs().tolist()
        assert all(pair in candidates for pair in touching) and len(candidates) < len(asked)
        near = world.pairs_within(0.5)
        expected = {pair: one for pair, one in found.items() if one.distance <= 0.5}
        assert near.bodies.tolist() == [list(pair) for pair in expected]
        assert near.distances.tolist() == [one.distance for one in expected.values()]
        assert len(near) == len(near.triangles) == len(near.points)
        contacts = world.contacts()
        assert [[i, j] for i, j, _ in contacts] == touching
        for i, j, triangles in contacts:
            one = cf.contact_triangles(meshes[i], poses[i], meshes[j], poses[j])
            assert np.array_equal(triangles, one)


def test_options_are_checked() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"broad": "tree"}, "broad: unknown broad phase 'tree'"),
        ({"bounds": "loose"}, "bounds: unknown kind of box 'loose': use oriented, cube or tight"),
        ({"hull": "on"}, "hull: unknown hull filter 'on'"),
        ({"sphere_levels": (2,)}, "sphere_levels: "),
        ({"grid": (0, 4)}, "grid: cannot cut cells of more than 0 boxes"),
    ]
    for options, why in wrong:
        with pytest.raises(cf.ClosefitError, match=f"^{why}"):
            cf.World(**options)


def test_pairs_are_excluded_and_bodies_removed(box: cf.CollisionMesh) -> None:
    world = cf.World()
    a, b, c = (world.add(box, at(0.1 * i, 0, 0)) for i in range(3))
    world.exclude(a, b)
    assert world.intersecting().tolist() == [[a, c], [b, c]]
    world.include(a, b)
    world.remove(c)
    assert world.intersecting().tolist() == [[a, b]]
    world.set_poses([at(0, 0, 0), at(5, 0, 0)])
    assert world.intersecting().shape == (0, 2)
    assert np.array_equal(world.pose(b), at(5, 0, 0)[:3])
    assert world.add(box, np.eye(4)) == 3


def test_groups_say_who_meets_whom(box: cf.CollisionMesh) -> None:
    world = cf.World()
    for group in [(1, 2), (1, 2), (2, 1)]:
        world.add(box, np.eye(4), group=group)
    assert world.intersecting().tolist() == [[0, 2], [1, 2]]


@pytest.mark.parametrize("body", [-1, 1, 7, 2**40])
def test_bodies_that_are_not_there_are_refused(box: cf.CollisionMesh, body: int) -> None:
    world = cf.World()
    world.add(box, np.eye(4))
    world.remove(world.add(box, np.eye(4)))
    asked: list[Any] = [
        lambda: world.set_pose(body, np.eye(4)),
        lambda: world.remove(body),
        lambda: world.exclude(0, body),
        lambda: world.include(0, body),
        lambda: world.pose(body),
    ]
    for ask in asked:
        with pytest.raises(cf.ClosefitError, match=f"there is no body {body} in the world"):
            ask()


def test_wrong_poses_leave_a_body_where_it_was(box: cf.CollisionMesh) -> None:
    world = cf.World()
    world.add(box, at(1, 2, 3))
    with pytest.raises(cf.ClosefitError, match="pose: "):
        world.set_pose(0, np.full((3, 4), np.nan))
    with pytest.raises(cf.ClosefitError, match=r"poses\[0\]: "):
        world.set_poses(np.full((1, 3, 4), np.inf))
    with pytest.raises(cf.ClosefitError, match="2 poses for 1 bodies"):
        world.set_poses(np.zeros((2, 3, 4)))
    assert np.array_equal(world.pose(0), at(1, 2, 3)[:3])
    with pytest.raises(cf.ClosefitError, match="limit"):
        world.pairs_within(float("nan"))


def test_a_step_has_the_times_of_contact_of_each_pair(box: cf.CollisionMesh) -> None:
    world = cf.World()
    count = 8
    for _ in range(count):
        world.add(box, np.eye(4))
    before = random_poses(count, 3.0, 0)
    world.set_poses(before)
    seen = set()
    for seed in range(1, 8):
        after = random_poses(count, 3.0, seed)
        touching = {tuple(pair) for pair in world.intersecting().tolist()}
        step = world.advance(after, precision=1e-5)
        assert step.open.shape == (0, 2)
        motions = [cf.Motion.screw(*poses) for poses in zip(before, after, strict=True)]
        for event in step.events:
            a, b = event.bodies
            one = cf.time_of_impact(box, motions[a], box, motions[b], precision=event.precision)
            assert one is not None and (one.after, one.before) == (
                event.time.after,
                event.time.before,
            )
            seen.add(event.change)
            if event.change == "began":
                touching.add(event.bodies)
            elif event.change == "ended":
                touching.remove(event.bodies)
        assert touching == {tuple(pair) for pair in world.intersecting().tolist()}
        before = after
    assert seen == {"began", "ended", "brief"}

    step = world.advance(random_poses(count, 3.0, 9), precision=1e-5, budget=0)
    assert step.events == [] and len(step.open) > 5 and "0 events" in repr(step)
    with pytest.raises(cf.ClosefitError, match="precision: the precision is 0, and must be"):
        world.advance(before, precision=0)
    before[2] *= 2
    with pytest.raises(cf.ClosefitError, match="poses: body 2: keyframe 1: the pose is sheared"):
        world.advance(before, precision=1e-5)


def test_groups_change_bodies_bend_and_work_is_counted(box: cf.CollisionMesh) -> None:
    world = cf.World()
    a, b = world.add(box, np.eye(4)), world.add(box, at(0.5, 0, 0))
    assert world.groups(a) == (2**32 - 1, 2**32 - 1)
    world.set_groups(a, 1, 2)
    assert world.groups(a) == (1, 2) and len(world.intersecting()) == 1
    world.set_groups(b, 1, 1)
    assert len(world.intersecting()) == 0
    world.set_groups(b, 2, 1)
    far = box.mesh.vertices + np.array([10.0, 0, 0])
    world.refit(b, far)
    assert len(world.intersecting()) == 0
    work = world.work()
    assert work.placed == 2 and work.asked >= 1 and work.body_tests >= 1 and work.box_tests > 0
    assert work.updates >= 2 and work.triangle_tests >= work.exact_tests
    with pytest.raises(cf.ClosefitError, match="vertices: 2 vertices for a mesh that has"):
        world.refit(b, far[:2])


def test_many_worlds_have_the_answers_of_each(
    ring: cf.CollisionMesh, box: cf.CollisionMesh
) -> None:
    scene, count, meshes = cf.World(), 12, [ring, box, box, ring]
    for body, mesh in enumerate(meshes):
        scene.add(mesh, np.eye(4), fixed=body == 0)
    scene.exclude(1, 2)
    worlds = cf.Worlds(scene, count)
    assert (len(worlds), worlds.bodies) == (count, 4)
    poses = random_poses(count * 4, 1.5, 0).reshape(count, 4, *np.eye(4)[:3].shape)
    found, near = worlds.contacts(poses, threads=1), worlds.distances(poses, 0.7)
    step = worlds.advance(poses, precision=1e-4)
    steps = [
        len(step.changes),
        len(step.bodies),
        len(step.times),
        len(step.points),
        len(step.normals),
    ]
    assert steps == [int(step.offsets[-1])] * 5 and len(step.open) == 0
    for world in range(count):
        scene.set_poses(np.tile(np.eye(4), (4, 1, 1)))
        alone = scene.advance(poses[world], precision=1e-4)
        rows = slice(step.offsets[world], step.offsets[world + 1])
        assert step.changes[rows] == [event.change for event in alone.events]
        assert step.bodies[rows].tolist() == [list(event.bodies) for event in alone.events]
        assert step.times[rows].tolist() == [[e.time.after, e.time.before] for e in alone.events]
        rows = slice(found.offsets[world], found.offsets[world + 1])
        touching = sorted({tuple(pair) for pair in found.bodies[rows].tolist()})
        assert [list(pair) for pair in touching] == scene.intersecting().tolist()
        rows = slice(near.offsets[world], near.offsets[world + 1])
        pairs = scene.pairs_within(0.7)
        assert near.bodies[rows].tolist() == pairs.bodies.tolist()
        assert near.distances[rows].tolist() == pairs.distances.tolist()
        assert np.array_equal(near.points[rows], pairs.points, equal_nan=True)
    assert len(found.depths) > count and np.all(found.depths >= 0)
    assert np.allclose(np.linalg.norm(found.normals, axis=1), 1)
    # The next question does not change the arrays of an earlier answer.
    kept = found.points.copy()
    worlds.contacts(random_poses(count * 4, 1.5, 1).reshape(poses.shape))
    assert np.array_equal(found.points, kept)
    with pytest.raises(cf.ClosefitError, match=r"poses: an array of shape \(12, 4, 3, 4\) or"):
        worlds.contacts(poses[:3])
    poses[3, 2, 0, 3] = np.inf
    with pytest.raises(
        cf.ClosefitError, match="poses: world 3, body 2: the pose has the entry inf"
    ):
        worlds.distances(poses, 1.0)
