"""Questions about two meshes, against known values and against each other."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import at, cube, random_poses, torus


def test_cubes_touch_at_a_corner(box: cf.CollisionMesh) -> None:
    assert cf.intersects(box, np.eye(4), box, at(1, 1, 1))
    assert not cf.intersects(box, np.eye(4), box, at(np.nextafter(1, 2), 0, 0))
    found = cf.contact_triangles(box, np.eye(4), box, at(1, 1, 1))
    assert found.dtype == np.uint32
    assert found.shape[1] == 2
    assert len(found) > 0
    assert np.array_equal(found, np.unique(found, axis=0))
    assert cf.contact_triangles(box, np.eye(4), box, at(2, 0, 0)).shape == (0, 2)


def test_the_distance_of_cubes_is_that_of_their_corners(box: cf.CollisionMesh) -> None:
    found = cf.distance(box, np.eye(4), box, at(4, 5, 1))
    assert found.distance == 5
    assert found.points is not None
    assert np.array_equal(found.points[1] - found.points[0], [3, 4, 0])
    assert found.triangles is not None
    touching = cf.distance(box, np.eye(4), box, at(1, 0, 0))
    assert (touching.distance, touching.triangles, touching.points) == (0, None, None)


def test_a_distance_beyond_the_limit_is_none(box: cf.CollisionMesh) -> None:
    there, touching = at(1.25, 0, 0), at(1, 0, 0)
    for limit, value in [(0.25, 0.25), (1, 0.25), (np.inf, 0.25), (0.2, None), (-1, None)]:
        found = cf.distance(box, np.eye(4), box, there, limit=limit)
        assert (None if found is None else found.distance) == value
        assert cf.intersects_within(box, np.eye(4), box, there, limit) is (value is not None)
    assert cf.distance(box, np.eye(4), box, there, limit=None).distance == 0.25
    contact = cf.distance(box, np.eye(4), box, touching, limit=0)
    assert contact is not None and contact.distance == 0
    assert cf.intersects_within(box, np.eye(4), box, touching, 0)
    ask: Any = cf.distance
    with pytest.raises(TypeError):
        ask(box, np.eye(4), box, there, 1.0)
    with pytest.raises(cf.ClosefitError, match="limit: nan is no distance"):
        cf.distance(box, np.eye(4), box, there, limit=np.nan)
    with pytest.raises(cf.ClosefitError, match="limit: nan is no distance"):
        cf.intersects_within(box, np.eye(4), box, there, np.nan)


def test_limits_of_random_poses_are_those_of_distances(ring: cf.CollisionMesh) -> None:
    for pose in random_poses(100, 3.0):
        known = cf.distance(ring, np.eye(4), ring, pose)
        for limit in [0.0, 0.5, known.distance, np.nextafter(known.distance, -1)]:
            is_within = bool(known.distance <= limit)
            assert cf.intersects_within(ring, np.eye(4), ring, pose, limit) is is_within
            found = cf.distance(ring, np.eye(4), ring, pose, limit=limit)
            assert (found is not None) is is_within
            assert found is None or repr(found) == repr(known)


def test_a_collision_mesh_is_made_of_whatever_has_triangles(tmp_path: Path) -> None:
    vertices, faces = cube()
    (tmp_path / "one.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = cf.Mesh(vertices, faces)
    like_trimesh = SimpleNamespace(vertices=vertices, faces=faces)
    made = [
        cf.CollisionMesh(vertices, faces),
        cf.CollisionMesh(vertices=vertices.tolist(), faces=faces.tolist()),
        cf.CollisionMesh(mesh),
        cf.CollisionMesh.from_trimesh(like_trimesh),
    ]
    for one in made:
        assert (one.triangles, one.is_closed, one.nbytes > 0) == (12, True, True)
        assert np.array_equal(one.mesh.vertices, mesh.vertices)
        assert np.array_equal(one.mesh.faces, mesh.faces)
    assert not cf.CollisionMesh(vertices, faces[1:]).is_closed
    assert cf.CollisionMesh.load(tmp_path / "one.obj").triangles == 1


def test_a_collision_mesh_of_something_else_is_refused(tmp_path: Path) -> None:
    vertices, faces = cube()
    make: Any = cf.CollisionMesh
    with pytest.raises(TypeError, match=r"a trimesh\.Trimesh is taken by from_trimesh"):
        make(SimpleNamespace(vertices=vertices, faces=faces))
    with pytest.raises(TypeError, match="a Mesh has faces of its own"):
        make(cf.Mesh(vertices, faces), faces)
    with pytest.raises(cf.ClosefitError, match="faces: ") as refused:
        cf.CollisionMesh(vertices, [[0, 1, 8]])
    assert refused.value.key == "faces"
    with pytest.raises(cf.ClosefitError, match=r"none\.stl"):
        cf.CollisionMesh.load(tmp_path / "none.stl")


def test_a_mesh_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "one.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = cf.Mesh.load(tmp_path / "one.obj")
    assert sorted(mesh.vertices.tolist()) == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]
    for text, why in [("v 0 0 x\n", "'x'"), ("", "empty")]:
        (tmp_path / "wrong.obj").write_text(text)
        with pytest.raises(cf.ClosefitError, match=why) as refused:
            cf.Mesh.load(tmp_path / "wrong.obj")
        assert refused.value.file is not None
    gearbox = Path(__file__).parents[3] / "examples/gearbox.glb"
    with pytest.raises(cf.ClosefitError, match="42 parts instead of one"):
        cf.Mesh.load(gearbox)


def brute_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return the distance of two sets of points."""
    return float(np.min(np.linalg.norm(a[:, None] - b[None], axis=-1)))


def test_distances_of_tori_are_near_those_of_their_vertices(ring: cf.CollisionMesh) -> None:
    points = ring.mesh.vertices
    for pose in random_poses(20, 4.0):
        moved = points @ pose[:, :3].T + pose[:, 3]
        found = cf.distance(ring, np.eye(4), ring, pose)
        # Vertices are no closer than surfaces, and an edge is no longer than 0.36.
        assert found.distance <= brute_distance(points, moved) + 1e-12
        assert found.distance >= brute_distance(points, moved) - 0.36
        if found.points is not None:
            apart = np.linalg.norm(found.points[1] - found.points[0])
            assert apart == pytest.approx(found.distance, rel=1e-12)


def test_many_answers_are_those_of_one_by_one(
    ring: cf.CollisionMesh, box: cf.CollisionMesh
) -> None:
    poses_a, poses_b = random_poses(300, 1.5, seed=1), random_poses(300, 1.5, seed=2)
    pairs = list(zip(poses_a, poses_b, strict=True))
    for threads in [0, 1, 3]:
        found = cf.intersects_many(ring, poses_a, box, poses_b, threads=threads)
        assert found.dtype == np.bool_
        assert found.tolist() == [cf.intersects(ring, p, box, q) for p, q in pairs]
    assert 0 < found.sum() < 300
    distances, triangles, points = cf.distance_many(ring, poses_a, box, poses_b)
    for i, (p, q) in enumerate(pairs):
        one = cf.distance(ring, p, box, q)
        assert one.distance == distances[i]
        if one.triangles is None:
            assert (triangles[i] == 2**32 - 1).all()
            assert np.isnan(points[i]).all()
        else:
            assert one.triangles == tuple(triangles[i])
            assert one.points is not None
            assert np.array_equal(one.points, points[i])


def test_one_pose_holds_for_all_questions(ring: cf.CollisionMesh) -> None:
    poses = random_poses(100, 2.0)
    four = np.concatenate([poses, np.tile([[[0, 0, 0, 1.0]]], (100, 1, 1))], axis=1)
    there = cf.intersects_many(ring, np.eye(4), ring, poses)
    assert there.tolist() == cf.intersects_many(ring, four, ring, np.eye(4)).tolist()
    assert cf.intersects_many(ring, np.eye(4), ring, np.eye(4)).tolist() == [True]


def test_depth_of_cubes(box: cf.CollisionMesh) -> None:
    large = cf.CollisionMesh(*cube(4.0))
    found = cf.depth(box, np.eye(4), box, at(0.75, 0, 0))
    assert found.at_least is not None and found.at_most is not None
    assert found.at_least <= 0.25 <= found.at_most <= 1.01 * found.at_least
    inside = cf.depth(box, np.eye(4), large, np.eye(4))
    assert inside.at_least is not None and inside.at_most is not None
    assert inside.at_least <= 1.5 <= inside.at_most <= 1.01 * inside.at_least
    for shift in [1.0, 3.0]:
        found = cf.depth(box, np.eye(4), box, at(shift, 0, 0))
        assert (found.at_least, found.at_most, found.unknown) == (0, 0, None)
    with pytest.raises(cf.ClosefitError, match="tolerance"):
        cf.depth(box, np.eye(4), box, np.eye(4), tolerance=-1)


def test_a_sheet_has_no_known_depth(box: cf.CollisionMesh) -> None:
    sheet = cf.CollisionMesh([[-3, -3, 0], [3, -3, 0], [0, 3, 0]], [[0, 1, 2]])
    found = cf.depth(sheet, np.eye(4), sheet, at(1, 0, 0))
    assert found.at_least is None
    assert found.unknown == "neither part has a closed component"


def test_containment(box: cf.CollisionMesh) -> None:
    vertices, faces = cube(4.0)
    large = cf.CollisionMesh(vertices, faces)
    lidless = cf.CollisionMesh(vertices, faces[:-1])
    assert cf.contains(large, np.eye(4), box, np.eye(4)) is True
    assert cf.contains(box, np.eye(4), large, np.eye(4)) is False
    assert cf.contains(large, np.eye(4), box, at(9, 0, 0)) is False
    found = cf.contains(lidless, np.eye(4), box, np.eye(4))
    assert isinstance(found, cf.Undecidable)
    assert "open" in found.reason
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(found)


def test_scale_and_mirror_are_taken(box: cf.CollisionMesh) -> None:
    double, mirror = np.diag([2.0, 2, 2, 1]), np.diag([-1.0, 1, 1, 1])
    assert cf.distance(box, double, box, at(3, 0, 0)).distance == 1.5
    assert cf.distance(box, mirror, box, at(3, 0, 0)).distance == 2
    assert cf.distance(box, np.diag([2.0, 1, 1, 1]), box, at(3, 0, 0)).distance == 1.5


def test_pickled_meshes_give_the_same_answers() -> None:
    vertices, faces = torus(30, 20)
    mesh = cf.Mesh(np.concatenate([vertices, vertices]), faces)
    again: cf.Mesh = pickle.loads(pickle.dumps(mesh))
    assert np.array_equal(again.vertices, mesh.vertices)
    assert np.array_equal(again.faces, mesh.faces)
    shape, poses = cf.CollisionMesh(mesh), random_poses(50, 2.0)
    copy: cf.CollisionMesh = pickle.loads(pickle.dumps(shape))
    one: tuple[Any, ...] = cf.distance_many(shape, np.eye(4), shape, poses)
    other: tuple[Any, ...] = cf.distance_many(copy, np.eye(4), copy, poses)
    assert all(np.array_equal(p, q, equal_nan=True) for p, q in zip(one, other, strict=True))
    assert (copy.triangles, copy.nbytes) == (shape.triangles, shape.nbytes)
    assert repr(shape) == "CollisionMesh(1200 triangles)"


def test_a_device_gives_the_answers_of_the_cpu() -> None:
    a, b = cf.CollisionMesh(*torus(24, 16)), cf.CollisionMesh(*torus(20, 10))
    here, poses = np.eye(4), random_poses(200, 3.0)
    try:
        found = cf.intersects_many(a, here, b, poses, backend="gpu")
    except cf.ClosefitError as error:
        if error.key != "backend":
            raise
        pytest.skip(str(error))
    assert 0 < found.sum() < 200
    assert np.array_equal(found, cf.intersects_many(a, here, b, poses))
    on_device = cf.distance_many(a, here, b, poses, backend="gpu", adapter="0")
    expected = cf.distance_many(a, here, b, poses)
    for i in range(3):
        assert np.array_equal(on_device[i], expected[i], equal_nan=True)


def test_backends_and_adapters_are_checked(box: cf.CollisionMesh) -> None:
    ask: Any = cf.intersects_many
    for options, key in [
        ({"backend": "simd"}, "backend"),
        ({"adapter": "0"}, "adapter"),
        ({"backend": "gpu", "adapter": "no such card"}, "backend"),
    ]:
        with pytest.raises(cf.ClosefitError) as caught:
            ask(box, np.eye(4), box, np.eye(4)[None], **options)
        assert caught.value.key == key


def test_what_triangles_share() -> None:
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    mesh = cf.CollisionMesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    here, there = np.eye(4), np.eye(4)
    there[:3, 3] = 0.25
    found = cf.contact_geometry(mesh, here, mesh, there, points=2)
    assert found.triangles.tolist() == cf.contact_triangles(mesh, here, mesh, there).tolist()
    assert (found.offsets.tolist(), found.points.shape) == ([0, 2, 4, 6], (6, 3))
    assert found.patch_of.tolist() == [0, 0, 0]
    [patch] = found.patches
    assert (patch.closed, patch.area, patch.normal) == (True, 0.0, None)
    assert patch.length == pytest.approx(3 * 0.125**0.5)
    assert patch.bounds.tolist() == [[0.25] * 3, [0.5] * 3]
    assert patch.points.shape == (2, 3)

    below = np.diag([1, 1, -1, 1])
    [patch] = cf.contact_geometry(mesh, here, mesh, below).patches
    assert patch.area == 0.5
    assert patch.normal is not None and patch.normal.tolist() == [0, 0, -1]


def test_the_volume_of_an_overlap() -> None:
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    mesh = cf.CollisionMesh(corners, faces)
    here, there = np.eye(4), np.eye(4)
    there[:3, 3] = 0.25
    found = cf.overlap_volume(mesh, here, mesh, there)
    assert found.at_least is not None and found.at_most is not None and found.centroid is not None
    assert found.at_least <= 0.25**3 / 6 <= found.at_most
    assert found.at_most - found.at_least < 1e-15
    assert found.centroid == pytest.approx([0.3125] * 3)
    assert found.unknown is None

    sheet = cf.CollisionMesh(corners, faces[:1])
    found = cf.overlap_volume(mesh, here, sheet, there)
    assert (found.at_least, found.centroid, found.unknown) == (None, None, "b has no solid")


def test_contacts_of_a_mesh_with_itself() -> None:
    corners = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [2, 1, 1], [1, 2, 1]]
    mesh = cf.CollisionMesh(corners, [[0, 1, 2], [3, 4, 5]])
    found = cf.self_contacts(mesh, np.eye(4))
    assert found.dtype == np.uint32
    assert found.tolist() == [[0, 1]]
    with pytest.raises(cf.ClosefitError, match="pose"):
        cf.self_contacts(mesh, np.full((4, 4), np.nan))
