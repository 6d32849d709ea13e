"""The motions of the papers' experiments: FCL finds contacts in the same frames."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import closefit as cf
import numpy as np
import pytest
from numpy.typing import NDArray

fcl = pytest.importorskip("fcl")

PROGRAM = Path(sys.executable).with_name("closefit")


def mesh(path: Path) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Return the vertices and triangles of an OBJ file."""
    rows = [line.split() for line in path.read_text().splitlines()]
    vertices = [row[1:4] for row in rows if row[:1] == ["v"]]
    faces = [[corner.split("/")[0] for corner in row[1:4]] for row in rows if row[:1] == ["f"]]
    return np.array(vertices, float), np.array(faces, np.uint32) - 1


def model(vertices: NDArray[np.float64], triangles: NDArray[np.uint32]) -> Any:
    made = fcl.BVHModel()
    made.beginModel(len(vertices), len(triangles))
    made.addSubModel(vertices, triangles)
    made.endModel()
    return made


@pytest.mark.parametrize(
    ("name", "options"),
    [("cage", ["--size", "1000", "--seed", "6"]), ("insertion", ["--size", "3"])],
)
def test_fcl_finds_contacts_in_the_same_frames(
    tmp_path: Path, name: str, options: list[str]
) -> None:
    command = [str(PROGRAM), "generate", name, *options, "--out", str(tmp_path), "--quiet"]
    subprocess.run(command, check=True)
    folder = tmp_path / name
    motion = json.loads((folder / "motion.json").read_text())
    rows = np.loadtxt(folder / "poses.csv", delimiter=",", skiprows=1)
    frames = rows[:, 2:].reshape(motion["frames"], 2, 3, 4)

    meshes = [mesh(folder / file) for file in motion["bodies"]]
    a, b = (cf.CollisionMesh(*arrays) for arrays in meshes)
    found = [cf.intersects(a, frame[0], b, frame[1]) for frame in frames]
    models = [model(*arrays) for arrays in meshes]

    def theirs(frame: NDArray[np.float64]) -> bool:
        placed = [
            fcl.CollisionObject(shape, fcl.Transform(pose[:, :3], pose[:, 3]))
            for shape, pose in zip(models, frame, strict=True)
        ]
        return bool(fcl.collide(*placed, fcl.CollisionRequest(), fcl.CollisionResult()))

    assert found == [theirs(frame) for frame in frames]
    assert 100 < sum(found) < len(found)
