"""Models in STEP, against the measures that they were written with."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import broken_reader, refusal
from numpy.typing import NDArray
from step_model import StepModel, machine
from test_program import PROGRAM

# The chord that nobody asks for, in metres.
CHORD = 3e-5


def kernel() -> Any:
    """Return OCCT, or skip the test."""
    return pytest.importorskip("cascadio", reason="STEP needs cascadio: closefit[step]")


def alone(path: Path, solid: str, *size: Any) -> Path:
    """Write a product with one solid, which a method of the model makes."""
    model = StepModel()
    model.product(solid, [getattr(model, solid)(*size)])
    path.write_text(model.text())
    return path


def box(part: cf.Part) -> NDArray[np.float64]:
    """Return the lowest and the highest coordinates of a part in millimetres."""
    points = part.mesh.vertices @ part.pose[:, :3].T + part.pose[:, 3]
    return np.array([points.min(axis=0), points.max(axis=0)]) * 1e3


def volume(mesh: cf.Mesh) -> float:
    """Return the volume of a mesh in cubic millimetres."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6 * 1e9)


def samples(mesh: cf.Mesh, steps: int) -> NDArray[np.float64]:
    """Return points all over the triangles of a mesh, in millimetres."""
    grid = [(i, j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    weights = np.array([(i, j, steps - i - j) for i, j in grid]) / steps
    points: NDArray[np.float64] = np.einsum("bi,tij->tbj", weights, mesh.vertices[mesh.faces])
    return points.reshape(-1, 3) * 1e3


@pytest.mark.parametrize(("unit", "scale"), [("mm", 1.0), ("in", 1 / 25.4), ("m", 1e-3)])
def test_an_assembly_has_its_parts_where_they_are(tmp_path: Path, unit: str, scale: float) -> None:
    kernel()
    path = tmp_path / "machine.step"
    path.write_text(machine(unit, scale))
    scene = cf.Scene.load(path)
    assert scene.unit == "m"
    assert [part.name for part in scene.parts] == ["base plate", "first bolt", "bolt", "spare"]
    paths = ["/base plate", "/bolts/first bolt", "/bolts/bolt", "/spare"]
    assert [part.path for part in scene.parts] == [f"/machine{path}" for path in paths]
    plate, first, second, spare = scene.parts
    # Coordinates are rounded to f32 of metres.
    assert np.allclose(box(plate), [[0, 0, 0], [100, 50, 10]], atol=1e-5)
    assert np.allclose(box(first), [[45, 20, 0], [55, 30, 30]], atol=CHORD * 1e3)
    assert np.allclose(box(second), [[105, 20, 0], [115, 30, 30]], atol=CHORD * 1e3)
    assert np.allclose(box(spare), [[0, -5, 95], [30, 5, 105]], atol=CHORD * 1e3)
    # The meshes of the hole and of the bolt are prisms within the circles.
    circle = np.pi * 25
    assert 0 <= circle * 30 - volume(first.mesh) < 10 * np.pi * 30 * CHORD * 1e3
    assert 0 <= volume(plate.mesh) - (50_000 - circle * 10) < 10 * np.pi * 10 * CHORD * 1e3
    assert all(cf.CollisionMesh(part.mesh).is_closed for part in scene.parts)
    assert all(part.chord == part.deflection == CHORD for part in scene.parts)
    report = cf.check(scene, depth="none")
    assert len({part["mesh_digest"] for part in report.parts}) == 2, "bolts share their mesh"
    assert [part["deflection"] for part in report.parts] == [CHORD] * 4
    assert any("triangulated by OCCT: meshes lie up to 0.00003 m inside" in n for n in scene.notes)


@pytest.mark.parametrize("chord", [1e-3, 1e-4, CHORD])
@pytest.mark.parametrize("size", [2, 50])
def test_no_point_is_farther_from_the_surface_than_the_chord(
    tmp_path: Path, chord: float, size: float
) -> None:
    kernel()
    ball = cf.Scene.load(alone(tmp_path / "ball.stp", "ball", size), chord=chord).parts[0]
    points = samples(ball.mesh, 6)
    assert ball.chord == chord
    assert np.abs(np.linalg.norm(points, axis=1) - size).max() < chord * 1e3
    rod = cf.Scene.load(alone(tmp_path / "rod.stp", "cylinder", size, 3 * size), chord=chord).parts[
        0
    ]
    points = samples(rod.mesh, 6)
    outside = np.hypot(points[:, 0], points[:, 1]) - size
    flat = np.minimum(np.abs(points[:, 2]), np.abs(points[:, 2] - 3 * size))
    assert np.minimum(np.abs(outside), flat).max() < chord * 1e3


def test_surfaces_that_touch_are_no_clash(tmp_path: Path) -> None:
    kernel()
    path = tmp_path / "machine.step"
    path.write_text(machine())
    scene = cf.Scene.load(path)
    report = cf.check(scene)
    assert report.settings["tolerance"] == 2 * CHORD
    assert [row["verdict"] for row in report.rows] == ["contact"]
    again = cf.check(pickle.loads(pickle.dumps(scene)))
    assert again.json() == report.json() == cf.check(cf.Scene.load(path)).json()
    half = cf.Scene.load(path, chord=CHORD / 2)
    assert cf.check(half).settings["tolerance"] == CHORD


@pytest.mark.parametrize(
    ("least", "outcome"),
    [
        (5.0 - 0.07, "holds"),
        (5.0 - 0.05, "undecided"),
        (5.0 + 0.05, "undecided"),
        (5.07, "violated"),
    ],
)
def test_claims_are_about_the_true_surfaces(tmp_path: Path, least: float, outcome: str) -> None:
    kernel()
    model = StepModel()
    whole, block = model.product("whole"), model.product("block", [model.plate((10, 10, 10))])
    model.place(whole, block, "a")
    model.place(whole, block, "b", model.frame((15, 0, 0)))
    path, rules = tmp_path / "two.step", tmp_path / "rules.toml"
    path.write_text(model.text())
    sides = 'closefit-rules = 1\n[groups]\na = { name = "a" }\nb = { name = "b" }\n'
    rules.write_text(f'{sides}[[require]]\nid = "gap"\na = "a"\nb = "b"\nclearance = "{least}mm"\n')
    certificate = cf.check(cf.Scene.load(path), rules=rules).certificate
    assert certificate is not None
    assert f'"outcome":"{outcome}"' in certificate.decode().replace(" ", "")


def test_a_manifest_scales_the_deflection(tmp_path: Path) -> None:
    kernel()
    alone(tmp_path / "block.step", "plate", (10, 10, 10))
    manifest = tmp_path / "all.json"
    manifest.write_text('{"unit":"mm","parts":[{"name":"left","scene":"block.step"}]}')
    part = cf.Scene.load(manifest).parts[0]
    assert part.name == "left/plate"
    assert part.deflection == pytest.approx(CHORD * 1e3, rel=1e-12)


def test_faces_that_are_lost_are_an_error(tmp_path: Path) -> None:
    kernel()
    path = alone(tmp_path / "block.step", "plate", (10, 10, 10))
    text = path.read_text()
    plane = re.findall(r"(#\d+) = PLANE", text)[-1]
    path.write_text(text.replace(f",{plane},.T.)", ",#99999,.T.)"))
    with pytest.raises(cf.ClosefitError, match=r"1 of 6 faces \(--allow-missing leaves it out\)"):
        cf.Scene.load(path)
    assert "1 of 6 faces" in " ".join(cf.Scene.load(path, allow_missing=True).notes)


def test_colours_of_faces_do_not_matter(tmp_path: Path) -> None:
    kernel()
    model = StepModel()
    solid = model.plate((10, 10, 10))
    model.product("block", [solid])
    faces = re.findall(r"(#\d+) = ADVANCED_FACE", model.text())
    model.colour(solid, 0.0)
    for number, face in enumerate(faces[:3]):
        model.colour(face, 0.25 * (number + 1))
    path = tmp_path / "block.step"
    path.write_text(model.text())
    (block,) = cf.Scene.load(path).parts
    assert volume(block.mesh) == pytest.approx(1e3) and len(block.mesh.faces) == 12
    # The face that is lost has no colour.
    plane = re.findall(r"(#\d+) = PLANE", model.text())[-1]
    path.write_text(model.text().replace(f",{plane},.T.)", ",#99999,.T.)"))
    with pytest.raises(cf.ClosefitError, match="1 of 6 faces"):
        cf.Scene.load(path)


def test_faces_of_triangles_alone_do_not_make_up_for_lost_ones(tmp_path: Path) -> None:
    kernel()
    model = StepModel()
    model.product("pyramid", [model.pyramid(10)])
    model.product("block", [model.plate((10, 10, 10))])
    text = model.text()
    path = tmp_path / "two.step"
    path.write_text(text)
    pyramid, block = cf.Scene.load(path).parts
    assert [volume(part.mesh) for part in (pyramid, block)] == pytest.approx([1e3 / 6, 1e3])
    plane = re.findall(r"(#\d+) = PLANE", text)[-1]
    path.write_text(text.replace(f",{plane},.T.)", ",#99999,.T.)"))
    with pytest.raises(cf.ClosefitError, match="1 of 10 faces"):
        cf.Scene.load(path)


@pytest.mark.parametrize("of_assembly", [True, False])
def test_far_from_the_origin_rounding_is_allowed_for(tmp_path: Path, of_assembly: bool) -> None:
    kernel()
    model, path, far = StepModel(), tmp_path / "far.step", 5e8
    whole, block = model.product("whole"), model.product("block", [model.plate((10, 10, 10))])
    if of_assembly:
        model.place(whole, block, "a", model.frame((far, 0, 0)))
        model.place(whole, block, "b", model.frame((far + 11, 0, 0)))
    else:
        site = model.product("site")
        model.place(site, block, "a", model.frame((-far, 0, 0)))
        model.place(site, block, "b", model.frame((11 - far, 0, 0)))
        model.place(whole, site, "site", model.frame((far, 0, 0)))
    path.write_text(model.text())
    scene = cf.Scene.load(path)
    places = [0, 0.011] if not of_assembly else [far / 1e3, far / 1e3 + 0.011]
    for part, place in zip(scene.parts, places, strict=True):
        assert abs(part.pose[0, 3] - place) > CHORD or place in (0, far / 1e3), "rounded"
        assert abs(part.pose[0, 3] - place) < part.chord == part.deflection < 1
    assert any("rounding to f32 moves points by up to" in note for note in scene.notes)
    rules = tmp_path / "rules.toml"
    sides = 'closefit-rules = 1\n[groups]\na = { name = "a" }\nb = { name = "b" }\n'
    rules.write_text(f'{sides}[[require]]\nid = "gap"\na = "a"\nb = "b"\nclearance = "0.5mm"\n')
    certificate = cf.check(scene, rules=rules).certificate
    assert certificate is not None
    assert b'"outcome":"undecided"' in certificate.replace(b" ", b"")


def damaged(text: bytes, cases: int) -> Iterator[bytes]:
    """Return a text that is cut at each tenth, and with so many changes of bytes and numbers."""
    for tenth in range(10):
        yield text[: len(text) * tenth // 10]
    random = np.random.default_rng(53)
    numbers = list(re.finditer(rb"\d+", text))
    for case in range(cases):
        changed = bytearray(text)
        for _ in range(1 + case % 3):
            if case % 2:
                found = numbers[random.integers(len(numbers))]
                other = [b"0", b"-1", b"99999999999999999999", b"1E308"][random.integers(4)]
                changed[found.start() : found.end()] = other
            else:
                changed[random.integers(len(changed))] = random.integers(256)
        yield bytes(changed)


def test_damaged_files_are_read_or_refused_in_one_line(tmp_path: Path) -> None:
    kernel()
    path = tmp_path / "damaged.step"
    for bytes_ in damaged(machine().encode(), int(os.environ.get("CLOSEFIT_CASES", "6"))):
        path.write_bytes(bytes_)
        why = refusal(path)
        assert why.startswith(f"{path}: ") and "\n" not in why


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise ModuleNotFoundError", 'STEP needs a package: pip install "closefit[step]"'),
        ("import os; os.abort()", "OCCT failed: it crashed, or took too much memory (signal: 6"),
        ("def load(*_, **__): print('what OCCT prints'); return b''", "OCCT cannot read it"),
        ("def load(*_, **__): return b'glTF' + bytes(16)", "OCCT makes no valid glTF of it"),
        ("def load(*_, **__): return 1 / 0", "OCCT failed: it crashed"),
    ],
)
def test_the_program_says_in_one_line_what_its_kernel_lacks(
    tmp_path: Path, code: str, why: str
) -> None:
    path = alone(tmp_path / "a.step", "plate", (1, 1, 1))
    found = broken_reader(tmp_path, "cascadio", code, str(PROGRAM), "check", str(path))
    assert (found.returncode, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert found.stderr.startswith(f"error: {path}: {why}")


def test_what_is_no_step_is_refused_before_its_kernel_starts(tmp_path: Path) -> None:
    path = tmp_path / "a.step"
    for text, why in [
        ("", "the file is empty"),
        ("solid a", "not a STEP file: it does not begin with ISO-10303-21"),
        (machine()[:-20], "cut short: it has no END-ISO-10303-21"),
    ]:
        path.write_text(text)
        found = broken_reader(tmp_path, "cascadio", "1 / 0", str(PROGRAM), "check", str(path))
        assert (found.returncode, found.stderr) == (2, f"error: {path}: {why}\n")
