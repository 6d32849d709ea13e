"""USD, as its own library composes it."""

from __future__ import annotations

import math
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pxr import Ar, Tf, Usd, UsdGeom

from closefit._readers import Read, RefusedError

_PURPOSES = (UsdGeom.Tokens.default_, UsdGeom.Tokens.render)

# The largest number of parts of a scene. Instances let a small file ask for any number.
_MOST_PARTS = 1 << 22

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
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = next(iter(lines), "it gives no reason")
    if line.endswith(":"):
        line = " ".join(lines[:2])
    return line.rpartition(" : '")[2].removesuffix("'")[:300]


def _start(stage: Usd.Stage) -> Usd.TimeCode:
    """Return the start of a stage's time or, if it has none, the time of all first samples.

    At no time but these, values that have samples alone would be read as their defaults.
    """
    if stage.HasAuthoredTimeCodeRange() or stage.HasAuthoredMetadata("startTimeCode"):
        return Usd.TimeCode(stage.GetStartTimeCode())
    return Usd.TimeCode.EarliestTime()


class _Inherited(NamedTuple):
    """What a prim has from itself or from a prim above it."""

    moves: bool = False
    is_invisible: bool = False
    purpose: UsdGeom.Imageable.PurposeInfo | None = None
    primvars: tuple[UsdGeom.Primvar, ...] = ()


class _Reader:
    """What a stage has: parts, and each mesh once for all instances of its prototype."""

    def __init__(self, stage: Usd.Stage, path: str) -> None:
        self.stage = stage
        self.path = path
        self.time = _start(stage)
        self.poses = UsdGeom.XformCache(self.time)
        self.metres = UsdGeom.GetStageMetersPerUnit(stage)
        self.parts: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.numbers: list[bytes] = []
        self.known: dict[str, int] = {}
        # What prims have or inherit, as far as it is known.
        self.found: dict[Usd.Prim, _Inherited] = {}
        # Why prims are not parts, with the number of each.
        self.others = Counter[str]()
        self.notes = Counter[str]()

    def read(self) -> Read:
        """Return what the stage has."""
        if not 0 < self.metres < float("inf"):
            raise RefusedError(f"metersPerUnit: {self.metres} is not more than 0")
        prims = iter(Usd.PrimRange.Stage(self.stage, Usd.TraverseInstanceProxies()))
        for prim in prims:
            if prim.IsA(UsdGeom.PointInstancer):
                if self._is_seen(prim):
                    raise RefusedError(f"{prim.GetPath()}: a PointInstancer is not read")
                # What is below it is seen as its instances alone.
                prims.PruneChildren()
            elif prim.IsA(UsdGeom.Gprim) and self._is_seen(prim):
                form = self._form(prim)
                if form is not None:
                    self._add_part(prim, *form)
        up = str(UsdGeom.GetStageUpAxis(self.stage)).lower()
        if up not in ("y", "z"):
            raise RefusedError(f"upAxis: '{up}' is neither Y nor Z")
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
        paths = [layer.realPath for layer in self.stage.GetUsedLayers()]
        # The files in a package have its path before theirs, in brackets.
        is_inner = Ar.IsPackageRelativePath
        paths = [Ar.SplitPackageRelativePathOuter(p)[0] if is_inner(p) else p for p in paths]
        others = {os.path.realpath(path) for path in paths if path} - {own}
        return sorted(os.path.relpath(path, os.path.dirname(own)) for path in others)

    def _is_seen(self, prim: Usd.Prim) -> bool:
        """Return True for a prim that is seen, and count one that is not."""
        inherited = self._inherited(prim)
        purpose = inherited.purpose.purpose if inherited.purpose else UsdGeom.Tokens.default_
        if purpose not in _PURPOSES:
            self.others[f"prims left out (their purpose is {purpose})"] += 1
        elif inherited.is_invisible:
            self.others["prims left out (they are invisible)"] += 1
        else:
            return True
        return False

    def _add_part(
        self, prim: Usd.Prim, form: dict[str, Any], turn: list[list[int]] = _TURNS["Z"]
    ) -> None:
        if self._inherited(prim).moves:
            self.notes["moving parts read at their start"] += 1
        if len(self.parts) == _MOST_PARTS:
            raise RefusedError(f"there are more than {_MOST_PARTS} parts")
        matrix = np.array(self.poses.GetLocalToWorldTransform(prim), float).T[:3] * self.metres
        pose = np.column_stack([matrix[:, :3] @ np.array(turn, float), matrix[:, 3]])
        if not np.isfinite(pose).all():
            raise RefusedError(f"{prim.GetPath()}: its matrix has entries that are not finite")
        self.parts.append(
            {
                "name": prim.GetName(),
                "path": str(prim.GetPath()),
                "form": form,
                "pose": pose.tolist(),
            }
        )

    def _inherited(self, prim: Usd.Prim) -> _Inherited:
        """Return what a prim has or inherits, found once for all that are below it."""
        chain = []
        while prim and not prim.IsPseudoRoot() and prim not in self.found:
            chain.append(prim)
            prim = prim.GetParent()
        found = self.found.get(prim, _Inherited())
        for below in reversed(chain):
            found = self.found[below] = self._inherited_from(found, below)
        return found

    def _inherited_from(self, above: _Inherited, prim: Usd.Prim) -> _Inherited:
        moves, is_invisible = above.moves, above.is_invisible
        if not moves and prim.IsA(UsdGeom.Xformable):
            moves = UsdGeom.Xformable(prim).TransformMightBeTimeVarying()
        shape = UsdGeom.Imageable(prim)
        if not is_invisible and shape:
            visibility = shape.GetVisibilityAttr().Get(self.time)
            is_invisible = visibility == UsdGeom.Tokens.invisible
        purpose = above.purpose
        if shape:
            purpose = shape.ComputePurposeInfo(purpose or UsdGeom.Imageable.PurposeInfo())
        found = UsdGeom.PrimvarsAPI(prim).FindIncrementallyInheritablePrimvars(list(above.primvars))
        return _Inherited(moves, is_invisible, purpose, tuple(found) or above.primvars)

    def _form(self, prim: Usd.Prim) -> tuple[Any, ...] | None:
        """Return the form of a prim and, of a primitive with an axis, its turn; of others none."""
        kind = prim.GetTypeName()
        if kind == "Mesh":
            number = self._mesh(prim)
            return None if number is None else ({"mesh": number},)
        if kind == "Cube":
            return ({"box": [self._size(prim, "size") / 2] * 3},)
        if kind == "Sphere":
            return ({"sphere": self._size(prim, "radius")},)
        if kind in ("Cylinder", "Capsule", "Cone"):
            axis = prim.GetAttribute("axis").Get(self.time)
            if axis not in _TURNS:
                raise RefusedError(f"{prim.GetPath()}: its axis is '{axis}' instead of X, Y or Z")
            sizes = [self._size(prim, "radius"), self._size(prim, "height") / 2]
            return {kind.lower(): sizes}, _TURNS[axis]
        self.others[f"prims left out (a {kind} is not read)"] += 1
        return None

    def _size(self, prim: Usd.Prim, name: str) -> float:
        attribute = prim.GetAttribute(name)
        size = attribute.Get(self.time)
        if not (isinstance(size, (float, int)) and math.isfinite(size)):
            raise RefusedError(f"{prim.GetPath()}: its {name} is {size}, which is no finite number")
        if attribute.ValueMightBeTimeVarying():
            self.notes["changing sizes read at their start"] += 1
        return float(size)

    def _mesh(self, prim: Usd.Prim) -> int | None:
        """Return the number of a mesh, which the instances of a prototype share."""
        shared = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        path = str(shared.GetPath())
        if path in self.known:
            return self.known[path]
        mesh = UsdGeom.Mesh(prim)

        def array(attribute: Usd.Attribute, kind: str, *shape: int) -> NDArray[Any]:
            found = attribute.Get(self.time)
            try:
                return np.array([] if found is None else found, kind).reshape(-1, *shape)
            except (TypeError, ValueError):
                why = f"its {attribute.GetName()} are not of the type that they should be"
                raise RefusedError(f"{prim.GetPath()}: {why}") from None

        points = array(mesh.GetPointsAttr(), "<f8", 3)
        counts = array(mesh.GetFaceVertexCountsAttr(), "<i4")
        corners = array(mesh.GetFaceVertexIndicesAttr(), "<i4")
        if not len(counts):
            self.others["prims left out (a Mesh without faces)"] += 1
            return None
        if mesh.GetPointsAttr().ValueMightBeTimeVarying():
            self.notes["changing meshes read at their start"] += 1
        primvars = UsdGeom.PrimvarsAPI(prim)
        above = list(self._inherited(prim.GetParent()).primvars)
        joints = primvars.FindPrimvarWithInheritance("skel:jointIndices", above)
        if (joints and joints.HasValue()) or prim.GetAttribute("skel:blendShapes").HasValue():
            self.notes["meshes read without their skins and blend shapes"] += 1
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
