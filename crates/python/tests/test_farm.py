"""Runs that are dealt to an executor, against those of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, TimeoutError
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import closefit as cf
import pytest
from closefit import farm
from conftest import arm

GEARBOX = str(Path(__file__).parents[3] / "examples" / "gearbox.glb")
ASKED = ["check", GEARBOX, "--clearance", "0.1mm"]


@pytest.fixture(scope="module")
def expected() -> bytes:
    return cf.check(cf.Scene.load(GEARBOX), clearance="0.1mm").json()


def test_sizes_that_are_none_are_refused(tmp_path: Path) -> None:
    wrong: list[tuple[str, Any]] = [
        ("shards", 0),
        ("shards", None),
        ("threads", 0),
        ("retries", -1),
    ]
    for key, value in wrong:
        with pytest.raises(
            cf.ClosefitError, match=f"^{key}: {value} is not a whole number"
        ) as refused:
            farm.run(ASKED, tmp_path, **{"shards": 1, key: value})
        assert refused.value.key == key


def test_shards_give_the_report_of_one_run(tmp_path: Path, expected: bytes) -> None:
    for shards in (1, 3):
        out = tmp_path / str(shards)
        report = farm.run([*ASKED, "--html", str(out / "page.html")], out, shards=shards)
        assert report.json() == expected == (out / "report.json").read_bytes()
        assert (out / "page.html").stat().st_size > 100_000
        assert not (out / "shards").exists()


def test_shards_of_rows_give_the_lines_of_one_run(tmp_path: Path) -> None:
    table = tmp_path / "q.csv"
    table.write_text("elbow\n" + "".join(f"{0.01 * i}\n" for i in range(200)))
    asked = ["check", str(arm(tmp_path)), "--configurations", str(table), "--depth", "none"]
    program = [sys.executable, "-m", "closefit"]
    expected = subprocess.run([*program, *asked], capture_output=True, check=False).stdout
    lines = farm.run_rows(asked, tmp_path / "rows", shards=3)
    assert lines.read_bytes() == expected
    assert expected.count(b"\n") == 200
    with pytest.raises(cf.ClosefitError, match="call run_rows"):
        farm.run(asked, tmp_path / "report", shards=2)
    with pytest.raises(cf.ClosefitError, match=r"call run$"):
        farm.run_rows(ASKED, tmp_path / "pairs", shards=2)


def test_processes_serve_as_workers(tmp_path: Path, expected: bytes) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        report = farm.run(ASKED, tmp_path / "out", shards=2, executor=pool)
    assert report.json() == expected


class Unlucky(ThreadPoolExecutor):
    """An executor of which the first calls lose their worker."""

    lost = 2

    def submit(self, fn: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Submit a call, or one that is killed."""
        if self.lost > 0:
            self.lost -= 1
            return super().submit(killed)
        return super().submit(fn, *args, **named)


def killed() -> None:
    """End as a shard does whose program is killed."""
    script = f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_lost_workers_are_replaced(tmp_path: Path, expected: bytes) -> None:
    with Unlucky(2) as pool:
        assert farm.run(ASKED, tmp_path / "out", shards=3, executor=pool).json() == expected
    with Unlucky(2) as pool, pytest.raises(subprocess.CalledProcessError):
        farm.run(ASKED, tmp_path / "other", shards=3, executor=pool, retries=0)
    # The shards that were done lie there, and the same call goes on.
    assert (tmp_path / "other" / "shards" / "plan.json").exists()
    assert farm.run(ASKED, tmp_path / "other", shards=3).json() == expected


def test_what_is_refused_is_not_tried_again(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        tried: list[Any] = []

        class Counting:
            def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
                tried.append(arguments)
                return pool.submit(function, *arguments)

        wrong = ["check", str(tmp_path / "none.glb")]
        with pytest.raises(cf.ClosefitError, match=r"none\.glb"):
            farm.run(wrong, tmp_path / "out", shards=2, executor=Counting())
    assert len(tried) == 2


def test_a_program_that_was_killed_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Ended:
        returncode, stderr = -signal.SIGKILL, ""

    monkeypatch.setattr(subprocess, "run", lambda *_, **__: Ended)
    with pytest.raises(farm.WorkerError, match=r"--shard 1/1 .*ended by SIGKILL"):
        farm.run(ASKED, tmp_path / "out", shards=1)


def test_what_a_killed_driver_has_left_running_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, expected: bytes
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(farm, "_AGAIN_S", 0.05)
    out = tmp_path / "out"
    shared = out / "shards"
    with Unlucky(2) as pool, pytest.raises(subprocess.CalledProcessError):
        farm.run(ASKED, out, shards=3, executor=pool, retries=0)
    # A process that is there still holds the file of its shard, or the directory while it merges.
    for left in [next(shared.glob("*.cfr")), out]:
        handle = os.open(left, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        with ThreadPoolExecutor(1) as other:
            again = other.submit(farm.run, ASKED, out, shards=3)
            try:
                with pytest.raises(TimeoutError):
                    again.result(1)
            finally:
                os.close(handle)
            assert again.result().json() == expected


def test_only_the_own_directory_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = f"error: list.jsonl: 1 of 2 rows is wrong, row 0: {tmp_path}: another run is"
    refused = subprocess.CompletedProcess([], 2, "", f"{said} writing there: wait for it")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: refused)
    with pytest.raises(cf.ClosefitError, match=r"is wrong, row 0"):
        farm.run(ASKED, tmp_path, shards=1)


def test_dask_serves_as_an_executor(tmp_path: Path, expected: bytes) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as few,
        distributed.Client(few) as client,
    ):
        assert farm.run(ASKED, tmp_path / "out", shards=3, executor=client).json() == expected


def test_ray_serves_as_an_executor(tmp_path: Path, expected: bytes) -> None:
    ray = pytest.importorskip("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        report = farm.run(ASKED, tmp_path / "out", shards=3, executor=farm.Ray(num_cpus=1))
        with pytest.raises(cf.ClosefitError, match=r"^none\.glb: cannot be read: .*$"):
            farm.run(["check", "none.glb"], tmp_path / "no", shards=1, executor=farm.Ray())
    finally:
        ray.shutdown()
    assert report.json() == expected


def test_shards_that_wait_are_not_run_after_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun: list[Any] = []

    def refused(*_: Any, **__: Any) -> subprocess.CompletedProcess[str]:
        begun.append(_)
        time.sleep(0.05)
        return subprocess.CompletedProcess([], 2, "", "error: refused")

    monkeypatch.setattr(subprocess, "run", refused)
    with pytest.raises(cf.ClosefitError, match=r"^refused$"):
        farm.run(ASKED, tmp_path / "out", shards=500)
    assert len(begun) < 100
