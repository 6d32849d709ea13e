"""The collision manager, against known values and against trimesh's own."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import at, random_poses

trimesh = pytest.importorskip("trimesh")

from closefit.trimesh import CollisionManager, scene_to_collision  # noqa: E402


def whole(pose: Any) -> Any:
    """Return a pose as a matrix of shape (4, 4)."""
    return np.concatenate([pose, [[0, 0, 0, 1]]])


@pytest.fixture
def cubes() -> CollisionManager:
    """Return a row of three cubes, of which two overlap by a quarter."""
    manager, cube = CollisionManager(), trimesh.creation.box()
    for name, x in [("a", 0), ("b", 0.75), ("c", 5)]:
        manager.add_object(name, cube, at(x, 0, 0))
    return manager


def test_objects_collide(cubes: CollisionManager) -> None:
    assert cubes.in_collision_internal() is True
    is_collision, names, contacts = cubes.in_collision_internal(True, True)
    assert (is_collision, names) == (True, {("a", "b")})
    for contact in contacts:
        assert contact.names == {"a", "b"}
        assert contact.depth == pytest.approx(0.25, rel=0.01)
        assert 0.25 - 1e-12 <= contact.point[0] <= 0.5 + 1e-12
        assert np.linalg.norm(contact.normal) == pytest.approx(1)
        assert 0 <= contact.index("a") < 12
    triangles = [(contact.index("a"), contact.index("b")) for contact in contacts]
    box = cf.CollisionMesh.from_trimesh(trimesh.creation.box())
    expected = cf.contact_triangles(box, np.eye(4), box, at(0.75, 0, 0))
    assert triangles == [tuple(row) for row in expected.tolist()]


def test_pairs_are_ignored_until_an_object_is_removed(cubes: CollisionManager) -> None:
    cubes.ignore("b", "a")
    assert cubes.in_collision_internal() is False
    cubes.set_transform("a", at(0.5, 0, 0))
    assert cubes.in_collision_internal() is False
    assert cubes.min_distance_internal(return_names=True) == (3.25, ("b", "c"))
    cubes.add_object("a", trimesh.creation.box())
    assert cubes.in_collision_internal() is False
    cubes.remove_object("a")
    cubes.add_object("a", trimesh.creation.box())
    assert cubes.in_collision_internal(return_names=True) == (True, {("a", "b")})


def test_distances_of_objects(cubes: CollisionManager) -> None:
    distance, names, data = cubes.min_distance_internal(return_names=True, return_data=True)
    assert distance == pytest.approx(-0.25, rel=0.01)
    assert names == ("a", "b")
    assert data.distance == distance
    assert cubes.min_distance_internal("c", return_names=True) == (3.25, ("b", "c"))
    cube = trimesh.creation.box()
    distance, name, data = cubes.min_distance_single(cube, at(8, 0, 0), True, True)
    assert (distance, name) == (2, "c")
    assert data.point("c")[0] == 5.5
    assert data.point("__external")[0] == 7.5
    other = CollisionManager()
    assert cubes.min_distance_other(other) == np.inf
    other.add_object("d", cube, at(-3, 0, 9))
    assert cubes.min_distance_other(other, return_names=True) == (
        pytest.approx(68**0.5),
        ("a", "d"),
    )
    assert cubes.in_collision_other(other) is False
    other.set_transform("d", at(5.5, 0, 0))
    assert cubes.in_collision_other(other, return_names=True) == (True, {("c", "d")})


def test_a_solid_collides_with_what_it_contains() -> None:
    manager = CollisionManager()
    manager.add_object("shell", trimesh.creation.icosphere(radius=4))
    manager.add_object("seed", trimesh.creation.icosphere(radius=1))
    assert manager.in_collision_internal(return_names=True) == (True, {("seed", "shell")})
    distance, names = manager.min_distance_internal(return_names=True)
    assert names == ("seed", "shell")
    assert -3 <= distance <= -2.9
    speck = trimesh.creation.box(extents=[0.1] * 3)
    assert manager.in_collision_single(speck, return_names=True) == (True, {"shell", "seed"})


def test_a_solid_collides_with_any_shell_that_it_contains() -> None:
    case, far, held = (trimesh.creation.box(extents=[size] * 3) for size in [4, 1, 1])
    far.apply_translation([10, 0, 0])
    for shells in [[far, held], [held, far]]:
        manager = CollisionManager()
        manager.add_object("case", case)
        manager.add_object("shells", trimesh.util.concatenate(shells))
        assert manager.in_collision_internal(return_names=True) == (True, {("case", "shells")})
        assert manager.min_distance_internal() == pytest.approx(-1.5, rel=0.01)


def test_wrong_names_and_transforms_are_refused(cubes: CollisionManager) -> None:
    with pytest.raises(ValueError, match="d not in collision manager!"):
        cubes.remove_object("d")
    with pytest.raises(ValueError, match="d not in collision manager!"):
        cubes.set_transform("d", np.eye(4))
    with pytest.raises(ValueError, match="must be \\(4,4\\)"):
        cubes.set_transform("a", np.eye(3))
    with pytest.raises(ValueError, match="d not in collision manager!"):
        cubes.min_distance_internal("d")


def test_scales_of_nodes_are_taken() -> None:
    scene = trimesh.Scene()
    cube = trimesh.creation.box()
    scene.add_geometry(cube, node_name="large", transform=np.diag([4.0, 4, 4, 1]))
    scene.add_geometry(cube, node_name="small", transform=at(3, 0, 0))
    manager, objects = scene_to_collision(scene)
    assert set(objects) == {"large", "small"}
    assert manager.min_distance_internal() == 0.5


def test_a_changed_mesh_gets_a_new_shape(cubes: CollisionManager) -> None:
    cube = trimesh.creation.box()
    assert cubes.min_distance_single(cube, at(8, 0, 0)) == 2
    cube.apply_scale(2)
    assert cubes.min_distance_single(cube, at(8, 0, 0)) == 1.5


def test_random_objects_collide_as_their_meshes_do() -> None:
    meshes = [trimesh.creation.torus(1, 0.3), trimesh.creation.annulus(0.5, 1, 1)]
    manager, ready = CollisionManager(), [cf.CollisionMesh.from_trimesh(mesh) for mesh in meshes]
    poses = random_poses(40, 4.0)
    for number, pose in enumerate(poses):
        manager.add_object(number, meshes[number % 2], whole(pose))
    expected = {
        (i, j)
        for i, j in combinations(range(40), 2)
        if cf.intersects(ready[i % 2], poses[i], ready[j % 2], poses[j])
    }
    assert manager.in_collision_internal(return_names=True) == (bool(expected), expected)
    for number in range(5):
        asked = manager.min_distance_internal(number)
        others = [
            cf.distance(ready[number % 2], poses[number], ready[j % 2], poses[j]).distance
            for j in range(40)
            if j != number
        ]
        assert asked == min(others) or (asked < 0 and min(others) == 0)


def test_contacts_are_those_of_fcl() -> None:
    pytest.importorskip("fcl", reason="trimesh's own manager needs python-fcl")
    ring, poses = trimesh.creation.torus(1, 0.3), random_poses(30, 3.0)
    ours, theirs = CollisionManager(), trimesh.collision.CollisionManager()
    for number, pose in enumerate(poses):
        ours.add_object(str(number), ring, whole(pose))
        theirs.add_object(str(number), ring, whole(pose))
    assert ours.in_collision_internal(return_names=True) == theirs.in_collision_internal(
        return_names=True
    )
    for x in [4.5, 6.0]:
        found = ours.min_distance_single(ring, at(x, 0, 0))
        assert found == pytest.approx(theirs.min_distance_single(ring, at(x, 0, 0)), rel=1e-5)
