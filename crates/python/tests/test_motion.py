"""Motions, against known times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import at, cube

STRAIGHT = [0, 0, 0, 1]


def shift(times: list[float], xs: list[float]) -> cf.Motion:
    """Return a motion along x."""
    return cf.Motion.through(times, [STRAIGHT] * len(xs), [[x, 0, 0] for x in xs])


def test_cubes_meet_when_their_faces_do(box: cf.CollisionMesh) -> None:
    still, coming = shift([0], [0]), shift([0, 4], [3, -1])
    found = cf.time_of_impact(box, still, box, coming, precision=1e-6)
    assert found is not None
    assert found.after < 2 < found.before + 1e-6
    assert (found.start_contact, found.again) == (False, None)
    assert found.normal == pytest.approx([1, 0, 0])
    assert found.feature in {"vertex/face", "face/vertex", "edge/edge"}
    assert cf.time_of_impact(box, still, box, shift([0, 1], [3, 2]), precision=1e-6) is None


def test_the_precision_is_named(box: cf.CollisionMesh) -> None:
    still, coming = shift([0], [0]), shift([0, 4], [3, -1])
    asked: list[Any] = [cf.time_of_impact, cf.closest_approach]
    for ask in asked:
        with pytest.raises(TypeError):
            ask(box, still, box, coming, 1e-6)
        with pytest.raises(TypeError, match="precision"):
            ask(box, still, box, coming)
    found = cf.time_of_impact(box, still, box, coming, precision=1e-6)
    assert isinstance(found, cf.TimeOfImpact)
    assert repr(found).startswith(f"TimeOfImpact(after={found.after}, ")


def test_cubes_meet_again(box: cf.CollisionMesh) -> None:
    away_and_back = shift([0, 1, 2], [0.9, 3, 0.9])
    found = cf.time_of_impact(box, shift([0], [0]), box, away_and_back, precision=1e-6)
    assert found is not None
    assert found.start_contact
    assert found.again is not None
    assert found.again.after < 1 + 2 / 2.1 < found.again.before + 1e-6


def test_the_closest_approach_is_a_bracket(box: cf.CollisionMesh) -> None:
    passing = cf.Motion.through([0, 2], [STRAIGHT] * 2, [[-5, 1.5, 0], [5, 1.5, 0]])
    found = cf.closest_approach(box, shift([0], [0]), box, passing, precision=1e-3)
    assert found.at_least <= 0.5 <= found.at_most <= found.at_least + 1e-3
    assert 0.8 <= found.at <= 1.2


def test_a_motion_has_poses(box: cf.CollisionMesh) -> None:
    half = 0.5**0.5
    turn = cf.Motion.through([0, 2], [STRAIGHT, [0, 0, half, half]], np.zeros((2, 3)))
    assert np.array_equal(turn.pose(-1), at(0, 0, 0)[:3])
    assert turn.pose(1)[0, 0] == pytest.approx(half)
    assert turn.times.tolist() == [0, 2]
    for time in [np.nan, np.inf, -np.inf]:
        with pytest.raises(cf.ClosefitError, match=r"time: .* is no time") as found:
            turn.pose(time)
        assert found.value.key == "time"


def test_wrong_motions_are_refused(box: cf.CollisionMesh) -> None:
    wrong: list[tuple[Any, Any, Any, str]] = [
        ([0, 0], [STRAIGHT] * 2, np.zeros((2, 3)), "times"),
        ([], np.zeros((0, 4)), np.zeros((0, 3)), "times"),
        ([0], [[0, 0, 0, 0]], np.zeros((1, 3)), "rotations: keyframe 0"),
        ([0], [STRAIGHT], [[0, np.nan, 0]], "translations: keyframe 0"),
        ([0, np.nan], [STRAIGHT] * 2, np.zeros((2, 3)), "times"),
        ([0, 1], [STRAIGHT], np.zeros((2, 3)), "rotations: 1 rows for 2 times"),
        ([0, 1], [STRAIGHT] * 2, np.zeros((1, 3)), "translations: 1 rows for 2 times"),
        ([0], [[0, 0, 1]], np.zeros((1, 3)), "rotations"),
    ]
    for times, rotations, shifts, text in wrong:
        with pytest.raises(cf.ClosefitError, match=text):
            cf.Motion.through(times, rotations, shifts)
    with pytest.raises(cf.ClosefitError, match="'spline' is neither"):
        cf.Motion.through([0], [STRAIGHT], [[0, 0, 0]], between="spline")  # type: ignore[arg-type]
    still = shift([0], [0])
    for precision in [0.0, -1.0, float("nan"), float("inf")]:
        with pytest.raises(cf.ClosefitError, match="precision"):
            cf.time_of_impact(box, still, box, shift([0, 1], [2, 3]), precision=precision)
    with pytest.raises(cf.ClosefitError, match="no duration"):
        cf.closest_approach(box, still, box, still, precision=1e-6)


def test_intervals_have_what_is_undecided(tmp_path: Path) -> None:
    corners, faces = cube(4)
    without_top = [face for face in faces if not (corners[face, 2] == 2).all()]
    made: list[tuple[str, float, Any]] = [("cup", 1, without_top), ("seed", 0.25, faces)]
    for name, size, kept in made:
        lines = ["v " + " ".join(map(str, corner)) for corner in corners * size]
        lines += ["f " + " ".join(str(v + 1) for v in face) for face in kept]
        (tmp_path / f"{name}.obj").write_text("\n".join(lines) + "\n")
    keyframes = [{"time": t, "translation": [0, 0, z]} for t, z in [(0, 6), (1, 0), (2, 6)]]
    parts = [
        {"name": "cup", "mesh": "cup.obj"},
        {"name": "seed", "mesh": "seed.obj", "motion": {"keyframes": keyframes}},
    ]
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"unit": "m", "parts": parts}))
    found = cf.sweep(cf.Scene.load(path), intervals=True).intervals
    undecided = found[found["of"] == "undecided"]
    assert len(undecided) > 0
    assert (undecided["enter_after"] <= 1).any()
    assert (undecided["leave_before"] >= 1).any()
    assert np.isnan(undecided["pressed_at"]).all()
