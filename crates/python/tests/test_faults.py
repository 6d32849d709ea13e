"""Wrong arguments of every kind: an exception that says so, and never a panic."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import arm, cube, torus

HUGE, TINY = 2.0**1000, 2.0**-1074
NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.1, TINY, 2.0**200, HUGE, -HUGE, np.nan, np.inf]
FINITE = NUMBERS[:7]


def matrix(choose: random.Random) -> Any:
    """Return something that may be a pose."""
    shape = choose.choice(
        [(4, 4), (3, 4), (3, 4), (0, 3, 4), (2, 3, 4), (5, 4, 4), (3, 3), (), (7,)]
    )
    pose = np.zeros(shape)
    if shape[-2:] in {(4, 4), (3, 4)}:
        pose[...] = np.eye(4)[: shape[-2]]
    for _ in range(choose.randrange(4)):
        if pose.size:
            pose.flat[choose.randrange(pose.size)] = choose.choice(NUMBERS)
    return choose.choice(
        [pose, pose.astype("f4"), pose.tolist(), np.asfortranarray(pose), None, "x"]
    )


def test_wrong_arguments_never_panic() -> None:
    choose = random.Random(0)
    meshes: list[Any] = [cf.CollisionMesh(*cube()), cf.CollisionMesh(*torus(6, 5)), None, 3]
    functions: list[Any] = [
        cf.intersects,
        lambda a, p, b, q: cf.intersects_within(a, p, b, q, choose.choice(NUMBERS)),
        cf.contact_triangles,
        cf.distance,
        lambda a, p, b, q: cf.distance(a, p, b, q, limit=choose.choice([None, *NUMBERS])),
        cf.verdict,
        cf.depth,
        cf.contains,
        cf.intersects_many,
        cf.distance_many,
        cf.verdict_many,
    ]
    answers = 0
    with np.errstate(all="ignore"):
        for _ in range(3000):
            weights = [10, 10, 1, 1]
            a, b = choose.choices(meshes, weights, k=2)
            try:
                choose.choice(functions)(a, matrix(choose), b, matrix(choose))
                answers += 1
            except (cf.ClosefitError, TypeError):
                pass
    assert answers > 30


def test_meshes_of_extremes_never_panic() -> None:
    choose = random.Random(1)
    answers = 0
    for _ in range(500):
        numbers = choose.choice([NUMBERS, FINITE, FINITE[:5]])
        vertices = [[choose.choice(numbers) for _ in range(3)] for _ in range(5)]
        faces = [[choose.randrange(5) for _ in range(3)] for _ in range(4)]
        try:
            shape = cf.CollisionMesh(vertices, faces)
            cf.distance(shape, np.eye(4), shape, np.eye(4))
            cf.depth(shape, np.eye(4), shape, np.diag([1.0, 1, 2, 1]))
            answers += 1
        except cf.ClosefitError:
            pass
    assert answers > 0


WRONG = [-1, 2**64, 2**80, "two", None, 1.5, float("nan")]


def refused(key: str, value: Any, call: Any) -> None:
    """Expect one line that names the argument and the value."""
    with pytest.raises(cf.ClosefitError) as found:
        call()
    line = str(found.value)
    assert line.startswith(f"{key}: {value!r} is not a whole number"), line
    assert found.value.key == key
    assert "\n" not in line


def test_sizes_that_are_none_are_refused(tmp_path: Path) -> None:
    mesh, at = cf.CollisionMesh(*cube()), np.eye(4)
    robot = cf.Scene.load(arm(tmp_path))
    report = cf.check(robot)
    world = cf.World()
    body = world.add(mesh, at)
    worlds = cf.Worlds(world, 1)
    for wrong in WRONG:
        several: list[Any] = [
            lambda n: cf.check(robot, threads=n),
            lambda n: cf.audit(robot, threads=n),
            lambda n: cf.intersects_many(mesh, at, mesh, at, threads=n),
            lambda n: cf.distance_many(mesh, at, mesh, at, threads=n),
            lambda n: cf.verdict_many(mesh, at, mesh, at, threads=n),
            lambda n: worlds.contacts(at[None, None], threads=n),
            lambda n: worlds.distances(at[None, None], 1.0, threads=n),
            lambda n: worlds.advance(at[None, None], 0.1, threads=n),
        ]
        for ask in several:
            refused("threads", wrong, lambda ask=ask, wrong=wrong: ask(wrong))
        refused("count", wrong, lambda wrong=wrong: cf.Worlds(world, wrong))
        refused(
            "points",
            wrong,
            lambda wrong=wrong: cf.contact_geometry(mesh, at, mesh, at, points=wrong),
        )
        refused("filter", wrong, lambda wrong=wrong: world.set_groups(body, 1, wrong))
        refused("memberships", wrong, lambda wrong=wrong: world.set_groups(body, wrong, 1))
        refused("size", wrong, lambda wrong=wrong: report.picture(size=(100, wrong)))
        if wrong is not None:
            refused("group", wrong, lambda wrong=wrong: world.add(mesh, at, group=(1, wrong)))
            refused("budget", wrong, lambda wrong=wrong: world.advance(at[None], 0.1, budget=wrong))
            refused("ifc_limit", wrong, lambda wrong=wrong: cf.Scene.load("a.stl", ifc_limit=wrong))
    # Without a bound of their own, these take any size.
    for wrong in [-1, "two", None, 1.5]:
        refused("configurations", wrong, lambda n=wrong: cf.joint_box(robot, configurations=n))
        refused("configurations", wrong, lambda n=wrong: cf.audit(robot, configurations=n))
        refused("limit", wrong, lambda n=wrong: report.html(tmp_path / "page.html", limit=n))
        refused("height", wrong, lambda n=wrong: report.show(height=n))
    assert cf.joint_box(robot, configurations=2**80).json()
    one: Any = np.int64(1)
    assert cf.check(robot, threads=one).json() == report.json()


def test_the_module_says_its_version_and_the_names_that_it_has() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", cf.__version__)
    with pytest.raises(AttributeError, match=r"no attribute 'Tree': use closefit\.CollisionMesh$"):
        _ = getattr(cf, "Tree")  # noqa: B009
    with pytest.raises(AttributeError, match=r"^module 'closefit' has no attribute 'nothing'$"):
        _ = getattr(cf, "nothing")  # noqa: B009
