"""USD, as its own library composes it."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Tf, Usd, UsdGeom

from closefit._readers import Read, RefusedError

_PURPOSES = (UsdGeom.Tokens.default_, UsdGeom.Tokens.render)

# Turns of the z axis of a primitive to the axis that it names.
_TURNS = {
    "X": [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
    "Y": [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
    "Z": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}


def read(data: bytes, path: str) -> Read:
    """Return the parts of a stage, and the numbers of its meshes.

    Parameters
    ----------
    data : bytes
        The file; none to read it from its path.
    path : str
        The path or, of a file in memory, its name.

    Raises
    ------
    RefusedError
        For a file that USD cannot read or compose, or with prims that closefit does not read.
    """
    if not data:
        return _composed(path)
    with tempfile.TemporaryDirectory() as folder:
        copy = str(Path(folder, f"scene{Path(path).suffix}"))
        Path(copy).write_bytes(data)
        return _composed(copy)


def _composed(path: str) -> Read:
    try:
        stage = Usd.Stage.Open(path, Usd.Stage.LoadAll)
        errors = stage.GetCompositionErrors()
        if errors:
            raise RefusedError(f"USD cannot compose it: {_first_line(errors[0])}")
        return _Reader(stage, path).read()
    except Tf.ErrorException as error:
        raise RefusedError(f"USD cannot read it: {_first_line(error)}") from None
    except UnicodeDecodeError:
        # The text of an error, which quotes the file.
        raise RefusedError("USD cannot read it: it is not UTF-8") from None


def _first_line(error: object) -> str:
    """Return the first reason of an error, without the places in the library that it names."""
    lines = [line.strip() for line in str(error).splitlines()]
    line = next((line for line in lines if line), "it gives no reason")
    return line.rpartition(" : '")[2].removesuffix("'")[:300]


class _Reader:
    """What a stage has: parts, and each mesh once for all instances of its prototype."""

    def __init__(self, stage: Usd.Stage, path: str) -> None:
        self.stage = stage
        self.path = path
        start = stage.GetStartTimeCode() if stage.HasAuthoredTimeCodeRange() else None
        self.time = Usd.TimeCode.Default() if start is None else Usd.TimeCode(start)
        self.poses = UsdGeom.XformCache(self.time)
        self.metres = UsdGeom.GetStageMetersPerUnit(stage)
        self.parts: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.numbers: list[bytes] = []
        self.known: dict[str, int] = {}
        # Why prims are not parts, with the number of each.
        self.others = Counter[str]()
        self.notes = Counter[str]()

    def read(self) -> Read:
        """Return what the stage has."""
        if not 0 < self.metres < float("inf"):
            raise RefusedError(f"metersPerUnit: {self.metres} is not more than 0")
        prims = Usd.PrimRange.Stage(self.stage, Usd.TraverseInstanceProxies())
        for prim in prims:
            if prim.IsA(UsdGeom.PointInstancer):
                raise RefusedError(f"{prim.GetPath()}: a PointInstancer is not read")
            if prim.IsA(UsdGeom.Gprim):
                self._add(prim)
        up = str(UsdGeom.GetStageUpAxis(self.stage)).lower()
        found = {
            "up": up,
            "layers": self._layers(),
            "notes": [f"{what}: {count}" for what, count in (self.others + self.notes).items()],
            "left_out": self.others.total(),
            "meshes": self.meshes,
            "parts": self.parts,
        }
        return found, b"".join(self.numbers)

    def _layers(self) -> list[str]:
        """Return the files of the other layers, relative to the folder of the stage."""
        own = os.path.realpath(self.path)
        # The files in a package have its path before theirs, in brackets.
        paths = [layer.realPath.split("[")[0] for layer in self.stage.GetUsedLayers()]
        others = {os.path.realpath(path) for path in paths if path} - {own}
        return sorted(os.path.relpath(path, os.path.dirname(own)) for path in others)

    def _add(self, prim: Usd.Prim) -> None:
        shape = UsdGeom.Imageable(prim)
        purpose = shape.ComputePurpose()
        if purpose not in _PURPOSES:
            self.others[f"prims left out (their purpose is {purpose})"] += 1
        elif shape.ComputeVisibility(self.time) == UsdGeom.Tokens.invisible:
            self.others["prims left out (they are invisible)"] += 1
        else:
            form = self._form(prim)
            if form is not None:
                self._add_part(prim, *form)

    def _add_part(
        self, prim: Usd.Prim, form: dict[str, Any], turn: list[list[int]] = _TURNS["Z"]
    ) -> None:
        if self._moves(prim):
            self.notes["moving parts read at their start"] += 1
        matrix = np.array(self.poses.GetLocalToWorldTransform(prim), float).T[:3] * self.metres
        pose = np.column_stack([matrix[:, :3] @ np.array(turn, float), matrix[:, 3]])
        self.parts.append(
            {
                "name": prim.GetName(),
                "path": str(prim.GetPath()),
                "form": form,
                "pose": pose.tolist(),
            }
        )

    def _moves(self, prim: Usd.Prim) -> bool:
        while prim and not prim.IsPseudoRoot():
            if (
                prim.IsA(UsdGeom.Xformable)
                and UsdGeom.Xformable(prim).TransformMightBeTimeVarying()
            ):
                return True
            prim = prim.GetParent()
        return False

    def _form(self, prim: Usd.Prim) -> tuple[Any, ...] | None:
        """Return the form of a prim and, of a primitive with an axis, its turn; of others none."""

        def value(name: str) -> Any:
            return prim.GetAttribute(name).Get(self.time)

        kind = prim.GetTypeName()
        if kind == "Mesh":
            number = self._mesh(prim)
            return None if number is None else ({"mesh": number},)
        if kind == "Cube":
            return ({"box": [value("size") / 2] * 3},)
        if kind == "Sphere":
            return ({"sphere": value("radius")},)
        if kind in ("Cylinder", "Capsule", "Cone"):
            return {kind.lower(): [value("radius"), value("height") / 2]}, _TURNS[value("axis")]
        self.others[f"prims left out (a {kind} is not read)"] += 1
        return None

    def _mesh(self, prim: Usd.Prim) -> int | None:
        """Return the number of a mesh, which the instances of a prototype share."""
        shared = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        path = str(shared.GetPath())
        if path in self.known:
            return self.known[path]
        mesh = UsdGeom.Mesh(prim)

        def array(attribute: Usd.Attribute, kind: str) -> NDArray[Any]:
            found = attribute.Get(self.time)
            return np.array([] if found is None else found, kind)

        points = array(mesh.GetPointsAttr(), "<f8").reshape(-1, 3)
        counts = array(mesh.GetFaceVertexCountsAttr(), "<i4")
        corners = array(mesh.GetFaceVertexIndicesAttr(), "<i4")
        if not len(counts):
            self.others["prims left out (a Mesh without faces)"] += 1
            return None
        if mesh.GetHoleIndicesAttr().Get(self.time):
            self.notes["meshes read without their holes"] += 1
        if mesh.GetSubdivisionSchemeAttr().Get(self.time) != UsdGeom.Tokens.none:
            self.notes["meshes read as their faces, and not as what subdivision makes of them"] += 1
        self.known[path] = len(self.meshes)
        left_handed = mesh.GetOrientationAttr().Get(self.time) == UsdGeom.Tokens.leftHanded
        sizes = {"points": len(points), "faces": len(counts), "corners": len(corners)}
        self.meshes.append({"path": str(prim.GetPath()), "left_handed": left_handed} | sizes)
        self.numbers += [numbers.tobytes() for numbers in (points, counts, corners)]
        return self.known[path]
