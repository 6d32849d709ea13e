"""Whole checks and sweeps, against the program."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import at

PROGRAM = str(Path(sys.executable).with_name("closefit"))
EXAMPLES = Path(__file__).parents[3] / "examples"

# Each small enough to be checked in a moment.
SCENES = {
    "gearbox": 12,
    "tori": 1000,
    "pipes": 1500,
    "wrinkled-torus": 2000,
    "tori-chain": 5,
    "bolt-nut": 5000,
    "nested": 500,
    "boxes": 60,
}
MOVING = {
    "torus-path": 2000,
    "pipes-path": 1500,
    "screw": 5000,
    "bouncing-tori": 100,
    "car-door": 1000,
    "fast-plates": 3,
    "robot": 8,
}


def run(*arguments: str, cwd: Path) -> bytes:
    """Run the program and return what it prints."""
    command = [PROGRAM, *arguments]
    found = subprocess.run(command, capture_output=True, check=False, cwd=cwd)
    assert found.returncode < 2, found.stderr
    return found.stdout


def generated(name: str, size: int, folder: Path) -> str:
    """Write a benchmark scene and return its file."""
    run("generate", name, "--size", str(size), "--format", "manifest", cwd=folder)
    return str(folder / name / "scene.json")


def test_a_report_shows_what_the_program_shows(tmp_path: Path) -> None:
    gearbox = str(EXAMPLES / "gearbox.glb")
    report = cf.check(cf.Scene.load(gearbox), clearance="0.1 mm")
    rows = report.rows
    key = str(rows["key"][rows["verdict"] == "clash"][0])
    names = [tmp_path / name for name in ("whole.png", "clash.png", "page.html", "own.html")]
    whole, clash, page, own = (str(name) for name in names)
    checked = (
        "check",
        gearbox,
        "--clearance",
        "0.1mm",
        "--quiet",
        "--fail-on",
        "never",
        "--picture",
    )
    run(*checked, whole, "--html", page, cwd=tmp_path)
    run(*checked, clash, "--picture-of", key, cwd=tmp_path)
    assert report.picture() == Path(whole).read_bytes()
    assert report.picture(key) == Path(clash).read_bytes()
    report.html(own)
    assert Path(own).read_bytes() == Path(page).read_bytes()
    shown = report.show(height=500)._repr_html_()
    assert shown.startswith('<iframe srcdoc="') and "500px" in shown and "<script" not in shown
    with pytest.raises(cf.ClosefitError, match="no listed pair"):
        report.picture("none")
    with pytest.raises(cf.ClosefitError, match="size: 0 is not a whole number from 16"):
        report.picture(size=(400, 0))
    again = cf.Report.read(report.json())
    with pytest.raises(cf.ClosefitError, match="no scene to draw"):
        again.picture()


@pytest.mark.parametrize("name", [*SCENES, *MOVING])
def test_a_check_writes_the_bytes_of_the_program(name: str, tmp_path: Path) -> None:
    scene = generated(name, (SCENES | MOVING)[name], tmp_path)
    loaded = cf.Scene.load(scene)
    flags = ["--json", "--allow-empty", "--contacts", "--clearance", "0.01"]
    found = cf.check(loaded, clearance=0.01, contacts=True, allow_empty=True)
    assert found.json() == run("check", scene, *flags, cwd=tmp_path)
    again = cf.check(loaded, clearance=0.01, contacts=True, allow_empty=True, threads=1)
    assert again.json() == found.json()
    of_scene = loaded.check(clearance=0.01, contacts=True, allow_empty=True)
    assert of_scene.json() == found.json()


@pytest.mark.parametrize("name", MOVING)
def test_a_sweep_writes_the_bytes_of_the_program(name: str, tmp_path: Path) -> None:
    scene = generated(name, MOVING[name], tmp_path)
    found = cf.sweep(cf.Scene.load(scene), clearance=0.01)
    assert found.json() == run("sweep", scene, "--json", "--clearance", "0.01", cwd=tmp_path)


@pytest.mark.parametrize("precision", [0, "0 mm", "1e-400"])
def test_a_precision_is_more_than_0(precision: float | str, tmp_path: Path) -> None:
    moving = cf.Scene.load(generated("fast-plates", 3, tmp_path))
    with pytest.raises(cf.ClosefitError, match="is not more than 0") as refused:
        cf.sweep(moving, precision=precision)
    assert refused.value.key == "precision"
    with pytest.raises(cf.ClosefitError, match=r"precision: .* is not more than 0"):
        cf.slack(moving, precision=precision)


def test_rules_give_groups_and_a_certificate(tmp_path: Path) -> None:
    scene, rules = EXAMPLES / "gearbox.glb", EXAMPLES / "gearbox.toml"
    found = cf.check(cf.Scene.load(scene), rules=rules)
    out = tmp_path / "out"
    run("check", str(scene), "--rules", str(rules), "--out", str(out), cwd=tmp_path)
    assert found.json() == (out / "report.json").read_bytes()
    assert found.certificate == (out / "certificate.json").read_bytes()
    assert found.groups
    assert found.rules is not None
    assert {key for group in found.groups for key in group["pairs"]} == set(found.rows["key"])
    assert cf.check(cf.Scene.load(scene)).certificate is None


@pytest.fixture(scope="module")
def gearbox() -> cf.Report:
    """Return the check of a gearbox."""
    return cf.check(cf.Scene.load(EXAMPLES / "gearbox.glb"), clearance="0.5 mm")


def test_rows_are_those_of_the_document(gearbox: cf.Report) -> None:
    document = json.loads(gearbox.json())
    rows = gearbox.rows
    assert len(rows) == len(gearbox) == len(document["pairs"]) > 10
    for row, pair in zip(rows, document["pairs"], strict=True):
        assert (row["key"], row["verdict"], row["a"], row["b"]) == tuple(
            pair[key] for key in ["key", "verdict", "a", "b"]
        )
        assert (row["id_a"], row["id_b"]) == tuple(pair["ids"])
        assert row["distance"] == pair["distance"]
        assert row["duplicate"] == pair["duplicate"]
        depth = pair["depth"]
        assert (
            np.isnan(row["depth_at_most"])
            if depth is None
            else (row["depth_at_most"] == depth["at_most"])
        )
    assert document["ledger"] == gearbox.ledger
    assert document["settings"] == gearbox.settings
    assert document["parts"] == gearbox.parts
    assert document["scene"] == gearbox.scene
    assert gearbox.command == "check"


def test_tables_hold_the_rows(gearbox: cf.Report) -> None:
    rows = gearbox.rows
    names = list(rows.dtype.names or ())
    arrow = pytest.importorskip("pyarrow").table(gearbox)
    assert arrow.column_names == names
    assert gearbox.to_arrow().equals(arrow)
    polars = pytest.importorskip("polars").DataFrame(gearbox)
    pytest.importorskip("pandas")
    pandas = gearbox.to_pandas()
    assert list(pandas.columns) == polars.columns == names
    for name in ["key", "id_a", "duplicate", "verdict", "distance"]:
        expected = rows[name].tolist()
        assert (
            arrow[name].to_pylist() == pandas[name].tolist() == polars[name].to_list() == expected
        )
    missing = np.isnan(rows["depth_at_least"])
    assert missing.any()
    assert (
        arrow["depth_at_least"].null_count == missing.sum() == polars["depth_at_least"].null_count()
    )


def test_reports_are_compared(gearbox: cf.Report, tmp_path: Path) -> None:
    scene = str(EXAMPLES / "gearbox.glb")
    same = gearbox.diff(gearbox.json())
    assert same.counts["new"] == same.counts["resolved"] == 0
    wider = cf.check(cf.Scene.load(scene), clearance="1 mm")
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_bytes(gearbox.json())
    new.write_bytes(wider.json())
    found = wider.diff(old)
    run("diff", str(old), str(new), "--out", str(tmp_path / "out"), cwd=tmp_path)
    assert found.json() == (tmp_path / "out" / "diff.json").read_bytes()
    assert found.pairs
    assert cf.Report.read(new).json() == wider.json()
    assert pickle.loads(pickle.dumps(wider)).json() == wider.json()
    with pytest.raises(cf.ClosefitError, match="report: "):
        cf.Report.read(b"{}")


def test_a_scene_has_parts(tmp_path: Path) -> None:
    scene = cf.Scene.load(EXAMPLES / "gearbox.glb")
    assert len(scene) == len(scene.parts) > 10
    part = scene.parts[3]
    assert part.id == 3
    assert part.name in repr(part)
    assert part.pose.shape == (3, 4)
    assert len(part.mesh.faces) > 0
    assert scene.unit == "m"
    assert scene.time_range is None
    with pytest.raises(cf.ClosefitError, match="nothing in the scene moves"):
        scene.at(0)


def test_a_scene_stands_where_it_is_at_a_time(tmp_path: Path) -> None:
    scene = generated("car-door", 1000, tmp_path)
    moment = cf.Scene.load(scene).at(1.5)
    assert moment.time_range is not None
    found = cf.check(moment, clearance="100 mm")
    flags = ["--at", "1.5", "--json", "--clearance", "100 mm"]
    assert found.json() == run("check", scene, *flags, cwd=tmp_path)


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"clearance": -1}, "clearance", "-1"),
    ({"clearance": float("nan")}, "clearance", "nan"),
    ({"clearance": "5 furlongs"}, "clearance", "furlongs"),
    ({"tolerance": "x"}, "tolerance", "x"),
    ({"depth": "deep"}, "depth", "'deep' is neither"),
    ({"groups": "age"}, "groups", "'age' is neither"),
    ({"threads": 10**6}, "threads", "1000000"),
]


@pytest.mark.parametrize(("settings", "key", "text"), REFUSED)
def test_wrong_settings_are_refused(settings: dict[str, Any], key: str, text: str) -> None:
    scene = cf.Scene.load(EXAMPLES / "gearbox.glb")
    with pytest.raises(cf.ClosefitError) as caught:
        cf.check(scene, **settings)
    assert caught.value.key == key
    assert text in str(caught.value)


def test_wrong_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(cf.ClosefitError) as caught:
        cf.Scene.load(tmp_path / "none.glb")
    assert caught.value.file == str(tmp_path / "none.glb")
    manifest = tmp_path / "scene.json"
    manifest.write_text('{"unit": "mm", "parts": [{"name": "bolt", "mesh": "bolt.stl"}]}')
    with pytest.raises(cf.ClosefitError) as caught:
        cf.Scene.load(manifest)
    assert caught.value.file == str(manifest)
    assert "bolt.stl" in str(caught.value)
    rules = tmp_path / "rules.toml"
    rules.write_text("closefit-rules = 1\n[[rule]]\nclearence = 1\n")
    with pytest.raises(cf.ClosefitError) as caught:
        cf.check(cf.Scene.load(EXAMPLES / "gearbox.glb"), rules=rules)
    assert caught.value.file == str(rules)
    assert caught.value.key is not None
    with pytest.raises(cf.ClosefitError, match="nothing would be checked"):
        cf.check(cf.Scene.load(EXAMPLES / "gearbox.glb"), rules=empty_rules(tmp_path))
    with pytest.raises(cf.ClosefitError, match="paths"):
        cf.Scene.load()


def empty_rules(folder: Path) -> Path:
    """Write rules that leave out all pairs."""
    rules = folder / "empty.toml"
    rules.write_text('closefit-rules = 1\n[[exclude]]\na = {}\nb = {}\nreason = "all"\n')
    return rules


def test_progress_is_told_and_may_end_a_check(tmp_path: Path) -> None:
    scene = cf.Scene.load(generated("boxes", 3000, tmp_path))
    told: list[tuple[str, int, int]] = []
    cf.check(scene, progress=lambda stage, done, total: told.append((stage, done, total)))
    assert told
    assert {stage for stage, _, _ in told} <= {"pairing", "building", "deciding"}
    assert all(0 <= done <= total or total == 0 for _, done, total in told)

    class EnoughError(Exception):
        """What the callback raises."""

    def stop(stage: str, done: int, total: int) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        cf.check(scene, progress=stop)


def test_a_scene_of_trimesh_has_its_transforms() -> None:
    trimesh = pytest.importorskip("trimesh")
    scene, box = trimesh.Scene(), trimesh.creation.box()
    scene.add_geometry(box, node_name="large", transform=np.diag([4.0, 4, 4, 1]))
    scene.add_geometry(box, node_name="small", transform=at(3, 0, 0))
    taken = cf.Scene.from_trimesh(scene, unit="mm")
    assert [part.name for part in taken.parts] == ["large", "small"]
    found = cf.check(taken, clearance=1)
    assert found.rows["distance"].tolist() == [0.5]
    assert found.scene["unit"] == "mm"
    assert found.scene["triangles"] == 24


def test_pickled_scenes_give_the_same_reports(tmp_path: Path) -> None:
    manifest = generated("car-door", 1000, tmp_path)
    scene = cf.Scene.load(manifest)
    state = pickle.dumps(scene)
    expected = cf.sweep(scene).json()
    assert scene.sweep().json() == expected
    assert cf.sweep(pickle.loads(state)).json() == expected
    moment = scene.at(1.5)
    assert cf.check(pickle.loads(pickle.dumps(moment))).json() == cf.check(moment).json()
    text = Path(manifest).read_text()
    Path(manifest).write_text(text.replace('"time":2.0', '"time":3.0'))
    with pytest.raises(cf.ClosefitError, match="its files have changed"):
        pickle.dumps(scene)
    for file in (tmp_path / "car-door").iterdir():
        file.unlink()
    assert cf.sweep(pickle.loads(state)).json() == expected


def test_pickled_meshes_at_poses_give_the_same_reports() -> None:
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box()
    scene = trimesh.Scene()
    for name, x in [("a", 0), ("b", 0.75), ("c", 3)]:
        scene.add_geometry(box, node_name=name, transform=at(x, 0, 0))
    taken = cf.Scene.from_trimesh(scene, unit="mm")
    copy = pickle.loads(pickle.dumps(taken))
    assert cf.check(copy, clearance=9).json() == cf.check(taken, clearance=9).json()


def test_one_or_two_sets_choose_the_pairs() -> None:
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box()
    scene = trimesh.Scene()
    for name, x in [("pipe_1", 0), ("pipe_2", 0.5), ("wall", 1.25)]:
        scene.add_geometry(box, node_name=name, transform=at(x, 0, 0))
    taken = cf.Scene.from_trimesh(scene)
    every, pipes, against = (
        cf.check(taken, sets=sets) for sets in [(), "name=pipe_*", ("name=pipe_*", "name=wall")]
    )
    ids = [
        [(row["id_a"], row["id_b"]) for row in report.rows] for report in (every, pipes, against)
    ]
    assert ids == [[(0, 1), (1, 2)], [(0, 1)], [(1, 2)]]
    with pytest.raises(cf.ClosefitError, match="sets: 3 instead of one or two"):
        cf.check(taken, sets=["name=a"] * 3)
    with pytest.raises(cf.ClosefitError, match="did you mean 'name'"):
        cf.check(taken, sets="nam=a")
