"""Meshes that the tests share."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import closefit as cf
import numpy as np
import pytest
from numpy.typing import NDArray

ARM = ["base", "upper", "fore"]
Arrays = tuple[NDArray[np.float64], NDArray[np.uint32]]


def cube(size: float = 1.0) -> Arrays:
    """Return a closed cube around the origin."""
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], float) - 0.5
    quads = [
        (0, 2, 3, 1),
        (4, 5, 7, 6),
        (0, 1, 5, 4),
        (2, 6, 7, 3),
        (0, 4, 6, 2),
        (1, 3, 7, 5),
    ]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return corners * size, np.array(faces, np.uint32)


def torus(around: int, across: int) -> Arrays:
    """Return a torus of ``2 * around * across`` triangles."""
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = u * 2 * np.pi / around, v * 2 * np.pi / across
    radius = 1 + 0.4 * np.cos(b)
    points = np.stack([radius * np.cos(a), radius * np.sin(a), 0.4 * np.sin(b)], -1)

    def index(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int64]:
        return (i % around) * across + j % across

    p, q, r, s = index(u, v), index(u + 1, v), index(u + 1, v + 1), index(u, v + 1)
    faces = np.concatenate([np.stack([p, q, r], -1), np.stack([p, r, s], -1)])
    return points.reshape(-1, 3), faces.reshape(-1, 3).astype(np.uint32)


def arm(folder: Path) -> Path:
    """Write a robot whose two bars turn above a third one, which the second meets."""
    corners, faces = cube()
    lines = [f"v {x + 0.5} {y} {z}" for x, y, z in corners]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (folder / "bar.obj").write_text("\n".join(lines) + "\n")
    bar = '<geometry><mesh filename="bar.obj" scale="2 0.1 0.1"/></geometry>'
    links = [f'<link name="{name}"><visual>{bar}</visual></link>' for name in ARM]
    limits = '<limit lower="-3" upper="3"/>'
    joints = [
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/>{limits}</joint>'
        for name, parent, child, x in [("shoulder", *ARM[:2], 0), ("elbow", *ARM[1:], 2)]
    ]
    path = folder / "arm.urdf"
    path.write_text('<robot name="arm">' + "".join(links + joints) + "</robot>")
    return path


def at(*shift: float) -> NDArray[np.float64]:
    """Return a translation."""
    pose = np.eye(4)
    pose[:3, 3] = shift
    return pose


def random_poses(n: int, reach: float, seed: int = 0) -> NDArray[np.float64]:
    """Return random rotations with random shifts, of shape (n, 3, 4)."""
    random = np.random.default_rng(seed)
    x, y, z, w = (q := random.normal(size=(n, 4))).T / np.linalg.norm(q, axis=1)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    turns = np.moveaxis(np.array(rows), -1, 0)
    shifts = random.uniform(-reach, reach, (n, 3, 1))
    return np.concatenate([turns, shifts], axis=2)


def refusal(path: Path) -> str:
    """Return why a file is refused; of one that is read, the path and a colon as well."""
    try:
        cf.Scene.load(path)
    except cf.ClosefitError as error:
        return str(error)
    return f"{path}: "


def broken_reader(
    folder: Path, package: str, code: str, *command: str
) -> subprocess.CompletedProcess[str]:
    """Run a command for which a package is a module of this code."""
    (folder / f"{package}.py").write_text(code)
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.fixture(scope="session")
def box() -> cf.CollisionMesh:
    """Return a unit cube."""
    return cf.CollisionMesh(*cube())


@pytest.fixture(scope="session")
def ring() -> cf.CollisionMesh:
    """Return a torus of 1000 triangles."""
    return cf.CollisionMesh(*torus(25, 20))
