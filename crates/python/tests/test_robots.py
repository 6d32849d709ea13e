"""Robots: many configurations, whole ranges, and room, against the program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import ARM, arm
from test_jobs import EXAMPLES, run


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a robot."""
    return arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def robot(path: Path) -> cf.Scene:
    """Return the scene of a robot."""
    return cf.Scene.load(path)


def lines(path: Path, header: str, values: Any, *more: str) -> list[dict[str, Any]]:
    """Return the lines that the program writes for rows of values."""
    rows = path.with_name("q.csv")
    np.savetxt(rows, values, fmt="%.17g", delimiter=",", header=header, comments="")
    found = run("check", str(path), "--configurations", str(rows), *more, cwd=path.parent)
    return [json.loads(line) for line in found.splitlines()]


@pytest.mark.parametrize("depth", ["full", "none"])
def test_rows_are_those_of_the_program(path: Path, robot: cf.Scene, depth: Any) -> None:
    q = np.random.default_rng(3).uniform(-3, 3, (500, 2))
    flags = ["--clearance", "0.2", "--depth", depth, "--fail-on", "never"]
    expected = lines(path, "shoulder,elbow", q, *flags)
    found = cf.check_configurations(robot, q, clearance=0.2, depth=depth)
    assert len(found) == len(expected) == 500
    assert found.verdicts.tolist() == [row["verdict"] for row in expected]
    assert len(set(found.verdicts)) > 2
    listed = [(row["row"], pair) for row in expected for pair in row["pairs"]]
    assert len(found.pairs) == len(listed) > 0
    for pair, (row, known) in zip(found.pairs, listed, strict=True):
        assert (pair["row"], [pair["a"], pair["b"]]) == (row, known["ids"])
        assert (pair["verdict"], pair["distance"]) == (known["verdict"], known["distance"])
        bracket = known.get("depth", {"at_least": np.nan, "at_most": np.nan})
        np.testing.assert_equal(pair["depth_at_least"], bracket["at_least"])
        np.testing.assert_equal(pair["depth_at_most"], bracket["at_most"])
    smallest = [np.nan if row["distance"] is None else row["distance"] for row in expected]
    np.testing.assert_array_equal(found.distances, smallest)
    again = cf.check_configurations(
        robot, np.asfortranarray(q), clearance=0.2, depth=depth, threads=1
    )
    assert again.pairs.tobytes() == found.pairs.tobytes()


@pytest.mark.parametrize("depth", ["full", "none"])
def test_rows_of_a_device_are_those_of_the_cpu(robot: cf.Scene, depth: Any) -> None:
    q = np.random.default_rng(4).uniform(-3, 3, (300, 2))
    expected = cf.check_configurations(robot, q, depth=depth)
    try:
        found = cf.check_configurations(robot, q, depth=depth, backend="gpu")
    except cf.ClosefitError as error:
        if error.key != "backend":
            raise
        pytest.skip(str(error))
    assert found.verdicts.tolist() == expected.verdicts.tolist()
    assert found.pairs.tobytes() == expected.pairs.tobytes()
    assert len(expected.pairs) > 0


def test_columns_have_the_names_of_joints(path: Path, robot: cf.Scene) -> None:
    q = np.linspace(-3, 3, 100)
    expected = lines(path, "elbow", q, "--at-joints", "shoulder=0.25", "--fail-on", "never")
    found = cf.check_configurations(robot, {"elbow": q}, at_joints={"shoulder": 0.25})
    assert found.verdicts.tolist() == [row["verdict"] for row in expected]
    both = cf.check_configurations(robot, {"elbow": q, "shoulder": np.full(100, 0.25)})
    assert both.pairs.tobytes() == found.pairs.tobytes()
    first = cf.check_configurations(robot, {"elbow": q}, at_joints={"shoulder": 0.25}, first=True)
    assert first.verdicts.tolist() == found.verdicts.tolist()
    assert len(cf.check_configurations(robot, np.empty((0, 2)))) == 0
    of_scene = robot.check_configurations({"elbow": q}, at_joints={"shoulder": 0.25})
    assert of_scene.pairs.tobytes() == found.pairs.tobytes()


def test_wrong_rows_say_why_and_the_others_are_answered(robot: cf.Scene) -> None:
    q = np.array([[0.5, 0], [0.5, np.nan], [np.inf, 0], [0.5, 0]])
    found = cf.check_configurations(robot, q)
    assert found.verdicts.tolist() == ["clear", "error", "error", "clear"]
    assert found.errors == {
        1: "elbow: NaN is not a finite number",
        2: "shoulder: inf is not a finite number",
    }
    assert repr(found) == "Rows(4 rows, 0 pairs listed, 2 errors)"


REFUSED: list[tuple[Any, dict[str, Any], str, str]] = [
    (np.zeros((3, 5)), {}, "configurations", "an array of shape (n, 2) is needed, not (3, 5)"),
    (np.zeros(2), {}, "configurations", "an array of shape (n, 2) is needed, not (2)"),
    ({"elbo": [0]}, {}, "configurations", "did you mean 'elbow'?"),
    ({"elbow": [0], "shoulder": [0, 1]}, {}, "configurations", "columns of one length"),
    ({}, {}, "configurations", "columns of one length"),
    ({"elbow": ["x"]}, {}, "configurations", "numbers are needed"),
    ({"elbow": [0]}, {"at_joints": {"wrist": 0}}, "at_joints", "'wrist' is not the name"),
    ({"elbow": [0]}, {"at_joints": {"elbow": 0}}, "at_joints", "elbow has a column"),
    ({"elbow": [0]}, {"at_joints": {"shoulder": np.nan}}, "at_joints", "is not a finite number"),
    ({"elbow": [0]}, {"depth": "deep"}, "depth", "'deep' is neither"),
    ({"elbow": [0]}, {"clearance": "wide"}, "clearance", "wide"),
    ({"elbow": [0]}, {"backend": "simd"}, "backend", "neither 'cpu' nor 'gpu'"),
]


@pytest.mark.parametrize(("configurations", "settings", "key", "text"), REFUSED)
def test_wrong_questions_are_refused(
    robot: cf.Scene, configurations: Any, settings: dict[str, Any], key: str, text: str
) -> None:
    with pytest.raises(cf.ClosefitError) as caught:
        cf.check_configurations(robot, configurations, **settings)
    assert caught.value.key == key
    assert text in str(caught.value)


def test_a_robot_has_joints(robot: cf.Scene) -> None:
    joint = robot.joints[1]
    assert (joint.name, joint.kind, joint.limits, joint.rest) == ("elbow", "turning", (-3, 3), 0)
    assert repr(joint) == "Joint('elbow', turning, -3 to 3)"
    gearbox = cf.Scene.load(EXAMPLES / "gearbox.glb")
    assert gearbox.joints == []
    with pytest.raises(cf.ClosefitError, match=r"the scene has no robot"):
        cf.check_configurations(gearbox, {"elbow": [0]})


def test_a_sweep_of_a_joint_writes_the_bytes_of_the_program(path: Path, robot: cf.Scene) -> None:
    out = path.with_name("out")
    sweep = ("sweep", str(path), "--intervals", "--clearance", "0.1", "--joint")
    at = ("--at-joints", "shoulder=0.5", "--out", str(out))
    ranges: list[tuple[str, Any]] = [
        ("elbow=limits", "limits"),
        ("elbow=-2.5:2.75", (-2.5, 2.75)),
    ]
    for text, own in ranges:
        run(*sweep, text, *at, cwd=path.parent)
        found = cf.sweep(
            robot,
            joint="elbow",
            range=own,
            at_joints={"shoulder": 0.5},
            clearance=0.1,
            intervals=True,
        )
        assert found.json() == (out / "report.json").read_bytes()
        written = (out / "intervals.csv").read_text().splitlines()[1:]
        rows = [
            ",".join([*list(row)[:4], *map(number, list(row)[4:11]), row["depth_unknown"] or ""])
            for row in found.intervals
        ]
        assert rows == written
        assert {"contact", "clearance"} == set(found.intervals["of"])
    with pytest.raises(cf.ClosefitError, match="has a range, no start and end"):
        cf.sweep(robot, joint="elbow", start=0)
    with pytest.raises(cf.ClosefitError, match="are for a sweep of a joint"):
        cf.sweep(robot, range=(0, 1))
    with pytest.raises(cf.ClosefitError, match="does not ascend"):
        cf.sweep(robot, joint="elbow", range=(1, 0))
    with pytest.raises(cf.ClosefitError, match="did you mean 'elbow'"):
        cf.sweep(robot, joint="elbo")
    with pytest.raises(cf.ClosefitError, match="elbow is the joint that is swept"):
        cf.sweep(robot, joint="elbow", at_joints={"elbow": 0.5})


def number(value: float) -> str:
    """Return a number as the program writes it, of those without an exponent; nothing for NaN."""
    return "" if np.isnan(value) else repr(float(value)).removesuffix(".0")


def test_a_joint_box_is_that_of_the_program(path: Path, robot: cf.Scene) -> None:
    srdf = path.with_name("arm.srdf")
    box = ("joint-box", str(path), "--clearance", "0.1", "--json")
    found = cf.joint_box(robot, clearance=0.1)
    assert found.json() == run(*box, "--write-srdf", str(srdf), cwd=path.parent)
    assert found.srdf("arm") == srdf.read_bytes()
    assert [pair["encounter"] for pair in found.pairs] == ["sometimes"]
    narrow = ("--joint", "elbow=-1:1", "--joint", "shoulder=0.5")
    ranges: dict[str, Any] = {"elbow": (-1, 1), "shoulder": np.float32(0.5)}
    found = cf.joint_box(robot, clearance=0.1, ranges=ranges)
    assert found.json() == run(*box, *narrow, cwd=path.parent)
    assert found.settings["clearance"] == 0.1
    with pytest.raises(cf.ClosefitError, match="did you mean 'elbow'"):
        cf.joint_box(robot, ranges={"elbo": "limits"})


def test_an_srdf_is_about_collision_geometry(tmp_path: Path) -> None:
    path = arm(tmp_path)
    text = path.read_text()
    shapes = text.replace("visual>", "collision>")
    path.write_text(shapes.replace("</link>", text_of_visual(text) + "</link>"))
    found = cf.joint_box(cf.Scene.load(path), clearance=0.1)
    with pytest.raises(cf.ClosefitError, match="not for its visual meshes: visual_geometry=True"):
        found.srdf("arm")
    collision = cf.joint_box(cf.Scene.load(path, collision_geometry=True), clearance=0.1)
    assert found.srdf("arm", visual_geometry=True) == collision.srdf("arm")


def text_of_visual(text: str) -> str:
    """Return the first visual element of a robot."""
    end = "</visual>"
    return text[text.index("<visual>") : text.index(end) + len(end)]


def test_an_audit_is_that_of_the_program(tmp_path: Path) -> None:
    path = arm(tmp_path)
    text = path.read_text()
    small = text_of_visual(text).replace("visual>", "collision>").replace("2 0.1", "1 0.1")
    path.write_text(text.replace("</link>", small + "</link>", 2))
    srdf = tmp_path / "arm.srdf"
    srdf.write_text(
        '<robot name="arm"><disable_collisions link1="base" link2="upper" reason="Never"/></robot>'
    )
    program = ("audit", str(path), "--json", "--srdf", str(srdf), "--precision", "1mm")
    robot = cf.Scene.load(path)
    found = cf.audit(robot, precision="1 mm", srdf=srdf, ranges={"shoulder": (-1, 1)})
    assert found.json() == run(*program, "--joint", "shoulder=-1:1", cwd=tmp_path)
    assert [link["link"] for link in found.links] == ARM
    assert [len(found.never), found.links[2]["collision"]] == [1, 0]
    assert found.links[0]["protrusion"]["at_least"] == pytest.approx(1, abs=0.01)
    with pytest.raises(cf.ClosefitError, match=r"precision: '0 mm' is not more than 0"):
        cf.audit(robot, precision="0 mm")
    with pytest.raises(cf.ClosefitError, match="it has more files than its robot's"):
        cf.audit(cf.Scene.load(path, path.with_name("bar.obj"), unit="m"))


def test_slack_is_that_of_the_program(path: Path, robot: cf.Scene) -> None:
    slack = ("slack", str(path), "--json", "--precision", "0.001")
    fore = next(part for part in robot.parts if part.name.startswith("fore"))
    found = cf.slack(robot, fore, precision=0.001)
    assert found.json() == run(*slack, fore.name, cwd=path.parent)
    assert len(found.parts) == 1
    every = cf.slack(robot, precision=0.001, axes="part", about=(0, 0, 1), clearance=0.01)
    more = ("--all", "--axes", "part", "--about", "0,0,1", "--clearance", "0.01")
    assert every.json() == run(*slack, *more, cwd=path.parent)
    with pytest.raises(cf.ClosefitError, match="parts: "):
        cf.slack(robot, "for")
    with pytest.raises(cf.ClosefitError, match="about: "):
        cf.slack(robot, about=(0, 0, np.nan))
    with pytest.raises(cf.ClosefitError, match="axes: 'world' is neither"):
        cf.slack(robot, axes="world")  # type: ignore[arg-type]


def test_ways_out_are_those_of_the_program(tmp_path: Path) -> None:
    gearbox = str(EXAMPLES / "gearbox.glb")
    found = cf.check(cf.Scene.load(gearbox), way_out=True)
    assert found.json() == run("check", gearbox, "--way-out", "--json", cwd=tmp_path)
    with pytest.raises(cf.ClosefitError, match="way_out: it needs depths"):
        cf.check(cf.Scene.load(gearbox), way_out=True, depth="none")


def test_progress_may_end_a_check_at_many_configurations(robot: cf.Scene) -> None:
    told: list[tuple[str, int, int]] = []
    cf.check_configurations(
        robot, np.zeros((20_000, 2)), progress=lambda *state: told.append(state)
    )
    assert told[-1] == ("deciding", 20_000, 0)
