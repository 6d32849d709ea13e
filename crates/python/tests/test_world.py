"""Worlds of bodies, against all pairs one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import at, random_poses


def test_a_world_finds_the_pairs_that_all_questions_find(
    ring: cf.CollisionMesh, box: cf.CollisionMesh
) -> None:
    meshes, world = [ring, box] * 15, cf.World()
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
