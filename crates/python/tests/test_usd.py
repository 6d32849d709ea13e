"""Stages of USD, against the counts and boxes of its own library."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import broken_reader, refusal
from test_program import PROGRAM
from test_step import damaged


def library() -> Any:
    """Return the modules of USD, or skip the test."""
    return pytest.importorskip("pxr", reason="USD needs usd-core: closefit[usd]")


def house(mesh: Any) -> None:
    """Give a mesh a square floor, four walls with a concave one, and a roof of triangles."""
    points = [
        (0, 0, 0),
        (2, 0, 0),
        (2, 2, 0),
        (0, 2, 0),
        (0, 0, 1),
        (2, 0, 1),
        (2, 2, 1),
        (0, 2, 1),
    ]
    mesh.CreatePointsAttr([*points, (1, 1, 2), (1, 0, 0.5)])
    faces = [[3, 2, 1, 0], [0, 1, 5, 9, 4], [4, 9, 5], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
    faces += [[4, 5, 8], [5, 6, 8], [6, 7, 8], [7, 4, 8]]
    mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
    mesh.CreateFaceVertexIndicesAttr([corner for face in faces for corner in face])
    mesh.CreateSubdivisionSchemeAttr("none")


def village(folder: Path, *, up: str = "Z", metres: float = 0.01) -> Path:
    """Write a stage with instances of another file, and with moved and scaled primitives."""
    library()
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.CreateNew(str(folder / "house.usdc"))
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/House").GetPrim())
    house(UsdGeom.Mesh.Define(stage, "/House/walls"))
    stage.Save()
    path = folder / "village.usda"
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    UsdGeom.Xform.Define(stage, "/Street").AddRotateXYZOp().Set((10, 20, 30))
    for number in range(3):
        place = UsdGeom.Xform.Define(stage, f"/Street/house_{number}")
        place.AddTranslateOp().Set((5 * number, 0, 0))
        place.GetPrim().GetReferences().AddReference("house.usdc")
        place.GetPrim().SetInstanceable(True)
    for number, kind in enumerate(["Cube", "Sphere", "Cylinder", "Capsule", "Cone"]):
        for axis in "XYZ" if number > 1 else "Z":
            prim = stage.DefinePrim(f"/Street/{kind}_{axis}", kind)
            if number > 1:
                prim.GetAttribute("axis").Set(axis)
                prim.GetAttribute("height").Set(3.0)
            shape = UsdGeom.Xformable(prim)
            shape.AddTranslateOp().Set((3 * number, 7, 1))
            shape.AddScaleOp().Set((1, 1.5, 0.5))
    stage.Save()
    return path


@pytest.mark.parametrize(("up", "metres"), [("Z", 0.01), ("Y", 1.0)])
def test_a_stage_has_its_prims_where_its_library_has_them(
    tmp_path: Path, up: str, metres: float
) -> None:
    path = village(tmp_path, up=up, metres=metres)
    from pxr import Usd, UsdGeom

    scene = cf.Scene.load(path, chord=1e-4 * metres)
    stage = Usd.Stage.Open(str(path))
    prims = [p for p in stage.Traverse(Usd.TraverseInstanceProxies()) if p.IsA(UsdGeom.Gprim)]
    assert [part.path for part in scene.parts] == [str(prim.GetPath()) for prim in prims]
    poses = UsdGeom.XformCache()
    for part, prim in zip(scene.parts, prims, strict=True):
        # The box of a shape, in its own frame, and all its corners where the shape is.
        extent = np.array(
            UsdGeom.Boundable(prim).ComputeExtentFromPlugins(
                UsdGeom.Boundable(prim), Usd.TimeCode.Default()
            )
        )
        corners = np.array([[extent[i >> k & 1][k] for k in range(3)] for i in range(8)])
        matrix = np.array(poses.GetLocalToWorldTransform(prim))
        expected = (corners @ matrix[:3, :3] + matrix[3, :3]) * metres
        own = part.mesh.vertices
        lowest, highest = own.min(axis=0), own.max(axis=0)
        corners = np.array([[(lowest, highest)[i >> k & 1][k] for k in range(3)] for i in range(8)])
        found = corners @ part.pose[:, :3].T + part.pose[:, 3]
        order = [np.lexsort(np.round(points, 9).T) for points in (found, expected)]
        assert np.allclose(found[order[0]], expected[order[1]], atol=1e-6 * metres), part.path
        assert part.chord == (0 if prim.GetTypeName() in ("Mesh", "Cube") else 1e-4 * metres)
        assert cf.CollisionMesh(part.mesh).is_closed
    houses = [part for part in scene.parts if part.name == "walls"]
    counts = UsdGeom.Mesh(prims[0]).GetFaceVertexCountsAttr().Get()
    assert len(houses[0].mesh.faces) == sum(count - 2 for count in counts)
    report = cf.check(scene, depth="none")
    assert len({part["mesh_digest"] for part in report.parts if part["name"] == "walls"}) == 1
    assert report.ledger["pairs"] == len(prims) * (len(prims) - 1) // 2


def test_what_is_left_out_is_counted_and_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    library()
    from pxr import Usd, UsdGeom

    path = tmp_path / "a.usda"
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.Cube.Define(stage, "/kept")
    UsdGeom.Cube.Define(stage, "/guide").CreatePurposeAttr("guide")
    UsdGeom.Cube.Define(stage, "/hidden").CreateVisibilityAttr("invisible")
    UsdGeom.PointInstancer.Define(stage, "/marks").CreatePurposeAttr("guide")
    UsdGeom.Cube.Define(stage, "/marks/mark").CreatePurposeAttr("render")
    UsdGeom.PointInstancer.Define(stage, "/gone").CreateVisibilityAttr("invisible")
    UsdGeom.Cube.Define(stage, "/gone/tree")
    UsdGeom.BasisCurves.Define(stage, "/curve")
    mesh = UsdGeom.Mesh.Define(stage, "/mirrored")
    house(mesh)
    mesh.CreateOrientationAttr("leftHanded")
    mesh.CreateSubdivisionSchemeAttr("catmullClark")
    moving = UsdGeom.Cube.Define(stage, "/moving").AddTranslateOp()
    moving.Set((1, 0, 0), 1)
    moving.Set((2, 0, 0), 2)
    stage.SetStartTimeCode(1)
    stage.SetEndTimeCode(2)
    stage.Save()
    scene = cf.Scene.load(path)
    assert [part.name for part in scene.parts] == ["kept", "mirrored", "moving"]
    assert scene.parts[2].pose[0, 3] == 0.01, "centimetres are the default"
    a, b, c = np.moveaxis(scene.parts[1].mesh.vertices[scene.parts[1].mesh.faces], 1, 0)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) < 0, "its faces are the other way round"
    assert sorted(scene.notes) == [
        "a.usda: meshes read as their faces, and not as what subdivision makes of them: 1",
        "a.usda: moving parts read at their start: 1",
        "a.usda: prims left out (a BasisCurves is not read): 1",
        "a.usda: prims left out (their purpose is guide): 2",
        "a.usda: prims left out (they are invisible): 2",
    ]
    assert cf.check(scene).json().count(b'"shapes": 5') == 1
    mesh.GetFaceVertexIndicesAttr().Set([0, 1, 99] * 12)
    mesh.GetFaceVertexCountsAttr().Set([3] * 12)
    stage.Save()
    with pytest.raises(cf.ClosefitError, match=r"part 'mirrored' \(/mirrored\): .*99"):
        cf.Scene.load(path)
    UsdGeom.PointInstancer.Define(stage, "/forest")
    stage.Save()
    with pytest.raises(cf.ClosefitError, match="/forest: a PointInstancer is not read"):
        cf.Scene.load(path)


def stage_of(path: Path, prims: str, metadata: str = "") -> Path:
    """Write a stage in metres, as text."""
    path.write_text(f'#usda 1.0\n(\nmetersPerUnit = 1\nupAxis = "Z"\n{metadata}\n)\n{prims}\n')
    return path


CHANGES = """
def Cube "box" {
    double size.timeSamples = { 5: 4, 6: 8 }
    double3 xformOp:translate.timeSamples = { 5: (7, 0, 0), 6: (9, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Mesh "sheet" {
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    uniform token subdivisionScheme = "none"
    point3f[] points.timeSamples = {
        5: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
        6: [(0, 0, 0), (1, 0, 0), (0, 5, 0)],
    }
}
"""


@pytest.mark.parametrize(
    ("metadata", "late"),
    [
        ("", False),
        ("startTimeCode = 1", False),
        ("startTimeCode = 6", True),
        ("startTimeCode = 6\nendTimeCode = 7", True),
        ("endTimeCode = 6", False),
    ],
)
def test_values_that_change_are_those_at_the_start(
    tmp_path: Path, metadata: str, late: bool
) -> None:
    library()
    scene = cf.Scene.load(stage_of(tmp_path / "a.usda", CHANGES, metadata))
    box, sheet = scene.parts
    assert box.pose[0, 3] == (9 if late else 7)
    assert box.mesh.vertices[:, 0].max() == (4 if late else 2)
    assert sheet.mesh.vertices[:, 1].max() == (5 if late else 1)
    assert sorted(scene.notes) == [
        "a.usda: changing meshes read at their start: 1",
        "a.usda: changing sizes read at their start: 1",
        "a.usda: moving parts read at their start: 1",
    ]


def test_meshes_with_skins_are_noted(tmp_path: Path) -> None:
    library()
    prims = CHANGES.replace("point3f[]", "int[] primvars:skel:jointIndices = [0]\npoint3f[]")
    scene = cf.Scene.load(stage_of(tmp_path / "a.usda", prims))
    assert "a.usda: meshes read without their skins and blend shapes: 1" in scene.notes


def test_prims_inherit_from_all_above_them(tmp_path: Path) -> None:
    library()
    mesh = """
        uniform token subdivisionScheme = "none"
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    """
    moved = """
        double3 xformOp:translate.timeSamples = { 5: (7, 0, 0), 6: (9, 0, 0) }
        uniform token[] xformOpOrder = ["xformOp:translate"]
    """
    joints = "int[] primvars:skel:jointIndices = [0] ( interpolation = "
    above = {
        "seen": "",
        "render": 'uniform token purpose = "render"',
        "guide": 'uniform token purpose = "guide"',
        "hidden": 'token visibility = "invisible"',
        "moved": moved,
        "skin": f'{joints} "constant" )',
        # Values for each vertex are the prim's own.
        "own": f'{joints} "vertex" )',
    }
    meshes = "".join(f'def Mesh "{name}" {{ {mesh} }}\n' for name in ("one", "two"))
    nested = f'def "a" {{\ndef Xform "b" {{\n{meshes}}}\n}}'
    prims = [f'def Xform "{name}" {{\n{what}\n{nested}\n}}' for name, what in above.items()]
    scene = cf.Scene.load(stage_of(tmp_path / "a.usda", "\n".join(prims)))
    assert len(scene.parts) == 2 * 5
    assert sorted(scene.notes) == [
        "a.usda: meshes read without their skins and blend shapes: 2",
        "a.usda: moving parts read at their start: 2",
        "a.usda: prims left out (their purpose is guide): 2",
        "a.usda: prims left out (they are invisible): 2",
    ]


SHIFTED = """
def Cube "box" {
    double3 xformOp:translate = (AT, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""


@pytest.mark.parametrize(
    ("prims", "metadata", "why"),
    [
        (SHIFTED.replace("AT", "nan"), "", "/box: its matrix has entries that are not finite"),
        (SHIFTED.replace("AT", "-inf"), "", "/box: its matrix has entries that are not finite"),
        ('def Cube "c" {\ndouble size = inf\n}', "", "/c: its size is inf"),
        ('def Cone "c" {\nuniform token axis = "W"\n}', "", "/c: its axis is 'W' instead of X, Y"),
        ('def Cube "c" {\nstring size = "big"\n}', "", "/c: its size is big, which is no finite"),
        (
            'def Mesh "m" {\nint[] faceVertexCounts = [3]\nstring points = "x"\n}',
            "",
            "/m: its points are not of the type that they should be",
        ),
        ('def Cube "c" {\n}', 'upAxis = "X"', "upAxis: 'x' is neither Y nor Z"),
        ('def Cube "c" (references = </c>) {\n}', "", "USD cannot compose it: Cycle detected: @"),
    ],
)
def test_what_has_no_place_or_size_is_named(
    tmp_path: Path, prims: str, metadata: str, why: str
) -> None:
    library()
    path = stage_of(tmp_path / "a.usda", prims)
    path.write_text(path.read_text().replace('upAxis = "Z"', metadata or 'upAxis = "Z"'))
    assert refusal(path).startswith(f"{path}: {why}")


def test_folders_may_have_brackets_in_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "old[1]"
    folder.mkdir()
    path = village(folder)
    from pxr import UsdUtils

    assert len(cf.Scene.load(path)) == 14
    assert UsdUtils.CreateNewUsdzPackage(str(path), str(folder / "village.usdz"))
    assert len(cf.Scene.load(folder / "village.usdz")) == 14


def test_other_files_are_read_as_those_of_any_scene(tmp_path: Path) -> None:
    path = village(tmp_path)
    scene = cf.Scene.load(path)
    with pytest.raises(cf.ClosefitError, match=r"USD cannot compose it: .*house\.usdc"):
        pickle.dumps(scene)
    inner = tmp_path / "inner"
    inner.mkdir()
    text = path.read_text().replace("@house.usdc@", "@../house.usdc@")
    (inner / "village.usda").write_text(text)
    with pytest.raises(
        cf.ClosefitError, match=r"house\.usdc: it lies outside the folder of the scene"
    ):
        cf.Scene.load(inner / "village.usda")
    assert len(cf.Scene.load(inner / "village.usda", allow_outside=True)) == 14
    (tmp_path / "house.usdc").unlink()
    with pytest.raises(cf.ClosefitError, match="USD cannot compose it: Could not open asset"):
        cf.Scene.load(path)


def test_a_package_is_one_file(tmp_path: Path) -> None:
    path = village(tmp_path)
    from pxr import UsdUtils

    package = tmp_path / "village.usdz"
    assert UsdUtils.CreateNewUsdzPackage(str(path), str(package))
    scene = cf.Scene.load(package)
    assert len(scene) == 14
    assert cf.check(pickle.loads(pickle.dumps(scene))).json() == cf.check(scene).json()


@pytest.mark.parametrize("extension", ["usda", "usdc"])
def test_damaged_stages_are_read_or_refused_in_one_line(tmp_path: Path, extension: str) -> None:
    path = village(tmp_path)
    from pxr import Usd

    whole = tmp_path / f"whole.{extension}"
    Usd.Stage.Open(str(path)).Export(str(whole))
    damaged_file = tmp_path / f"damaged.{extension}"
    for data in damaged(whole.read_bytes(), int(os.environ.get("CLOSEFIT_CASES", "2"))):
        damaged_file.write_bytes(data)
        why = refusal(damaged_file)
        assert why.startswith(f"{damaged_file}: ") and "\n" not in why


def test_without_its_package_the_program_says_which(tmp_path: Path) -> None:
    path = tmp_path / "a.usda"
    path.write_text("#usda 1.0\n")
    code = "raise ModuleNotFoundError"
    found = broken_reader(tmp_path, "pxr", code, str(PROGRAM), "inspect", str(path))
    why = 'USD needs a package: pip install "closefit[usd]"'
    assert (found.returncode, found.stderr) == (2, f"error: {path}: {why}\n")
