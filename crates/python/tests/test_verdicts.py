"""Verdicts on two meshes, against known values and against the other questions."""

from __future__ import annotations

from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import at, cube, random_poses

HERE = np.eye(4)


@pytest.fixture(scope="module")
def sheet() -> cf.CollisionMesh:
    """Return a triangle in the plane z = 0."""
    return cf.CollisionMesh([[-3, -3, 0], [3, -3, 0], [0, 3, 0]], [[0, 1, 2]])


def test_cubes_clash_touch_and_come_near(box: cf.CollisionMesh) -> None:
    clash = cf.verdict(box, HERE, box, at(0.75, 0, 0), clearance=0.5)
    assert (clash.verdict, clash.contained, clash.distance) == ("clash", None, 0)
    assert clash.points is None
    assert clash.contacts == len(cf.contact_triangles(box, HERE, box, at(0.75, 0, 0))) > 0
    depth = clash.depth
    assert isinstance(depth, cf.Depth)
    assert depth.at_least is not None and depth.at_most is not None
    assert depth.at_least <= 0.25 <= depth.at_most <= 1.01 * depth.at_least

    touching = cf.verdict(box, HERE, box, at(1, 0, 0), clearance=0.5)
    assert (touching.verdict, touching.distance, touching.depth.at_most) == ("contact", 0, 0)

    near = cf.verdict(box, HERE, box, at(1.25, 0, 0), clearance=0.5)
    assert (near.verdict, near.distance, near.contacts) == ("clearance", 0.25, 0)
    assert near.points is not None
    assert np.array_equal(near.points[1] - near.points[0], [0.25, 0, 0])
    assert (near.depth.at_least, near.depth.at_most, near.depth.point) == (0, 0, None)

    clear = cf.verdict(box, HERE, box, at(1.25, 0, 0))
    assert (clear.verdict, clear.distance, clear.points) == ("clear", None, None)


def test_overlap_up_to_the_tolerance_is_contact(box: cf.CollisionMesh) -> None:
    for tolerance, verdict in [(0.0, "clash"), (0.2, "clash"), (0.3, "contact")]:
        found = cf.verdict(box, HERE, box, at(0.75, 0, 0), tolerance=tolerance)
        assert found.verdict == verdict
    assert cf.verdict(box, HERE, box, at(1.25, 0, 0), tolerance=0.25).verdict == "contact"


def test_a_cube_in_a_cube_is_contained(box: cf.CollisionMesh) -> None:
    vertices, faces = cube(4.0)
    large = cf.CollisionMesh(vertices, faces)
    lidless = cf.CollisionMesh(vertices, faces[:-1])
    inner, outer = cf.verdict(box, HERE, large, HERE), cf.verdict(large, HERE, box, HERE)
    assert [inner.contained, outer.contained] == ["a in b", "b in a"]
    assert inner.verdict == outer.verdict == "clash"
    assert inner.distance == 1.5
    assert inner.depth.at_least is not None and inner.depth.at_most is not None
    assert inner.depth.at_least <= 1.5 <= inner.depth.at_most

    doubtful = cf.verdict(box, HERE, lidless, HERE)
    assert doubtful.verdict == "undecided"
    assert isinstance(doubtful.contained, cf.Undecidable)
    assert doubtful.depth.unknown == doubtful.contained.reason
    assert "Undecidable(" in repr(doubtful)


def test_duplicates_and_crossing_sheets_clash(
    box: cf.CollisionMesh, sheet: cf.CollisionMesh
) -> None:
    twice = cf.verdict(box, HERE, box, HERE)
    assert (twice.verdict, twice.duplicate, twice.crossing) == ("clash", True, False)
    upright = np.array([[1, 0, 0, 0.125], [0, 0, -1, 0], [0, 1, 0, 0.25]])
    crossed = cf.verdict(sheet, HERE, sheet, upright)
    assert (crossed.verdict, crossed.duplicate, crossed.crossing) == ("clash", False, True)
    assert crossed.depth.unknown == "neither part has a closed component"
    assert repr(crossed).endswith("crossing=True)")


def test_verdicts_agree_with_the_other_questions(
    ring: cf.CollisionMesh, box: cf.CollisionMesh
) -> None:
    poses_a, poses_b = random_poses(100, 1.0, seed=3), random_poses(100, 1.0, seed=4)
    all_found = cf.verdict_many(ring, poses_a, box, poses_b, clearance=0.25)
    assert len(all_found) == 100
    for found, p, q in zip(all_found, poses_a, poses_b, strict=True):
        nearest = cf.distance(ring, p, box, q)
        assert (found.distance == 0) == (nearest.distance == 0)
        assert found.contacts == len(cf.contact_triangles(ring, p, box, q))
        depth = cf.depth(ring, p, box, q)
        assert [found.depth.at_least, found.depth.at_most] == [depth.at_least, depth.at_most]
        assert (found.contained == "b in a") is cf.contains(ring, p, box, q)
        if found.verdict == "clearance":
            assert found.distance == nearest.distance <= 0.25
        if found.verdict == "clear":
            assert nearest.distance > 0.25
    assert {found.verdict for found in all_found} == {"clash", "clearance", "clear"}


def test_many_verdicts_are_those_of_one_by_one(
    ring: cf.CollisionMesh, box: cf.CollisionMesh
) -> None:
    poses, settings = random_poses(60, 2.0), {"clearance": 0.5, "tolerance": 0.125}
    expected = [shown(cf.verdict(ring, HERE, box, pose, **settings)) for pose in poses]
    for threads in [0, 1, 3]:
        found = cf.verdict_many(ring, HERE, box, poses, threads=threads, **settings)
        assert [shown(one) for one in found] == expected
    assert len({verdict for verdict, *_ in expected}) > 2
    assert cf.verdict_many(ring, HERE, box, np.zeros((0, 3, 4))) == []


def shown(found: cf.PairVerdict) -> tuple[Any, ...]:
    """Return all that a verdict says."""
    points = None if found.points is None else found.points.tolist()
    return (found.verdict, repr(found), points, found.depth.point, found.depth.unknown)


def test_a_verdict_shows_what_matters(box: cf.CollisionMesh) -> None:
    clear = cf.verdict(box, HERE, box, at(3, 0, 0))
    assert repr(clear) == "PairVerdict(verdict='clear')"
    near = cf.verdict(box, HERE, box, at(1.5, 0, 0), clearance=1)
    assert repr(near) == "PairVerdict(verdict='clearance', distance=0.5)"
    touching = cf.verdict(box, HERE, box, at(1, 1, 1))
    start = "PairVerdict(verdict='contact', distance=0.0, depth=Depth(at_least=0.0, at_most=0.0), "
    assert repr(touching) == f"{start}contacts={touching.contacts})"
    inside = cf.verdict(box, HERE, cf.CollisionMesh(*cube(4.0)), HERE)
    start = "PairVerdict(verdict='clash', contained='a in b', distance=1.5, depth="
    assert repr(inside).startswith(start)
    with pytest.raises(AttributeError):
        inside.verdict = "clear"  # type: ignore[misc]


@pytest.mark.parametrize("length", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("key", ["clearance", "tolerance"])
def test_wrong_lengths_are_refused(box: cf.CollisionMesh, key: str, length: float) -> None:
    asked: list[Any] = [cf.verdict, cf.verdict_many]
    for ask in asked:
        with pytest.raises(cf.ClosefitError, match=f"{key}: .* is no length") as refused:
            ask(box, HERE, box, HERE, **{key: length})
        assert refused.value.key == key


def test_wrong_poses_are_refused_by_their_names(box: cf.CollisionMesh) -> None:
    poses = np.tile(HERE, (10, 1, 1))
    poses[7, 0, 0] = np.nan
    with pytest.raises(cf.ClosefitError, match=r"poses_b\[7\]: "):
        cf.verdict_many(box, HERE, box, poses)
    with pytest.raises(cf.ClosefitError, match="pose_b: "):
        cf.verdict(box, HERE, box, poses[7])
