"""STEP, by OCCT as the package cascadio has it."""

from __future__ import annotations

import json
import math
import re
import struct
from typing import Any

import cascadio
import numpy as np

from closefit._readers import Read, RefusedError

# The largest angle between the normals of neighbouring triangles, in radians.
_ANGLE = 0.5

_FACE = re.compile(rb"=\s*(?:ADVANCED_FACE|FACE_SURFACE)\s*\(")
# A face of triangles alone: its link to a face with a surface, after its normals, is not there.
_FACE_OF_TRIANGLES = re.compile(
    rb"=\s*(?:COMPLEX_)?TRIANGULATED_FACE\s*\(\s*'(?:[^']|'')*'\s*,\s*#\d+\s*,\s*\d+\s*,"
    rb"\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*,\s*\$"
)
# A colour: OCCT would make other meshes of a product whose occurrences or faces have their own, and
# the package would not count their faces.
_STYLE = re.compile(rb"(=\s*)(?:CONTEXT_DEPENDENT_)?(?:OVER_RIDING_)?STYLED_ITEM(?=\s*\()")
_BREP = "TM_brep_faces"
# The largest error of rounding to f32, as a share of a number.
_HALF_STEP = 2.0**-24
_OF_COMPONENT = {5121: "<u1", 5123: "<u2", 5125: "<u4"}


def read(text: bytes, deflection: float) -> Read:
    """Return what is known of the faces of a text and of their points, and a GLB.

    Parameters
    ----------
    text : bytes
        The file.
    deflection : float
        The distance in millimetres that OCCT aims to keep between triangles and surfaces.

    Raises
    ------
    RefusedError
        For a file without shapes, or that OCCT does not take for STEP.
    """
    glb = cascadio.load(
        _STYLE.sub(rb"\1UNUSED_STYLE", text),
        "step",
        deflection,
        _ANGLE,
        tol_relative=False,
        merge_primitives=True,
        include_brep=True,
    )
    if not glb:
        raise RefusedError("OCCT cannot read it")
    (length,) = struct.unpack_from("<I", glb, 12)
    try:
        document = json.loads(glb[20 : 20 + length])
    except ValueError:
        raise RefusedError("OCCT makes no valid glTF of it") from None
    drawn = _share_meshes(document, glb[28 + length :])
    _name_by_products(document)
    for primitive in (one for mesh in document.get("meshes", []) for one in mesh["primitives"]):
        primitive.pop("extensions", None)
    document.pop("extensionsUsed", None)
    faces = len(_FACE.findall(text)) + len(_FACE_OF_TRIANGLES.findall(text))
    found = {"faces": faces, "drawn": drawn, "rounding": _rounding(document)}
    return found, _glb(document, glb[20 + length :])


def _share_meshes(document: dict[str, Any], binary: bytes) -> int:
    """Let nodes of the same product have one mesh, and return the number of faces of all meshes.

    OCCT writes a mesh for each occurrence, of the same accessors.
    """
    meshes, known, drawn = document.get("meshes", []), dict[str, int](), 0
    for node in document.get("nodes", []):
        if "mesh" not in node:
            continue
        primitives = meshes[node["mesh"]]["primitives"]
        own = json.dumps(
            [(primitive["attributes"], primitive.get("indices")) for primitive in primitives]
        )
        if own not in known:
            known[own] = node["mesh"]
            drawn += sum(_faces(document, primitive, binary) for primitive in primitives)
        node["mesh"] = known[own]
    return drawn


def _faces(document: dict[str, Any], primitive: dict[str, Any], binary: bytes) -> int:
    """Return the number of faces that have triangles."""
    brep = primitive.get("extensions", {}).get(_BREP)
    if brep is None:
        return 0
    accessor = document["accessors"][brep["faceIndices"]]
    view = document["bufferViews"][accessor["bufferView"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    kind = _OF_COMPONENT[accessor["componentType"]]
    return len(np.unique(np.frombuffer(binary, kind, accessor["count"], start)))


def _rounding(document: dict[str, Any]) -> float:
    """Return how far rounding to f32 moves points from their places, at most, in metres.

    A vertex, and each entry of a matrix, is off by up to a half step of itself. A rotation keeps
    the error of a point; its own entries add at most sqrt(3) half steps of the distance at which
    the point is, and its shift one of its length. Each matrix therefore adds less than four, and
    the vertices one, of the farthest that a point can get on the way.
    """
    nodes, accessors, farthest = document.get("nodes", []), document.get("accessors", []), 0.0
    scenes = document.get("scenes", [])
    opened = [(root, 0.0, 1) for scene in scenes for root in scene.get("nodes", [])]
    while opened:
        number, reach, parts = opened.pop()
        node = nodes[number]
        if node.keys() & {"matrix", "rotation", "translation"}:
            shift = node.get("translation") or node.get("matrix", [0] * 15)[12:15]
            reach, parts = reach + math.hypot(*shift), parts + 4
        opened += [(child, reach, parts) for child in node.get("children", [])]
        mesh = document["meshes"][node["mesh"]] if "mesh" in node else {"primitives": []}
        for primitive in mesh["primitives"]:
            ends = accessors[primitive["attributes"]["POSITION"]]
            own = np.abs([ends.get("min", [0]), ends.get("max", [0])]).max(axis=0)
            farthest = max(farthest, parts * (reach + math.hypot(*own)))
    return farthest * _HALF_STEP


def _name_by_products(document: dict[str, Any]) -> None:
    """Let a part be named by its product where its occurrence has a number for a name."""
    for node in document.get("nodes", []):
        product = document["meshes"][node["mesh"]].get("name") if "mesh" in node else None
        if product and node.get("name", "").isdigit():
            node["extras"] = {"Name": product}


def _glb(document: dict[str, Any], binary: bytes) -> bytes:
    """Return a GLB of a document and the chunk that follows it."""
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text) + len(binary), len(text), b"JSON")
    return header + text + binary
