"""Checks and sweeps that many workers share, by any executor.

`run` deals a run to an executor in shards, each a run of the program, and merges what they have
decided: the report has the bytes of one machine. `run_rows` does so for the lines of many rows.
Any object with a method ``submit(function, *arguments)`` serves that returns something with a
method ``result()``: an executor of ``concurrent.futures``, a ``distributed.Client`` of Dask, and
`Ray`. Workers need closefit, and the directory of the driver under the same path.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from closefit._error import ClosefitError, whole_number
from closefit._report import Report

__all__ = ["Executor", "Ray", "WorkerError", "run", "run_rows"]

# Seconds after which a directory or a shard that another process holds is requested again.
_AGAIN_S = 1.0


class WorkerError(RuntimeError):
    """A run of the program that ended without a result, such as one that was killed."""


class Task(Protocol):
    """A call that was submitted."""

    def result(self) -> Any:
        """Wait for the call, and return its result or raise its exception."""


class Executor(Protocol):
    """An engine that makes calls elsewhere."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Task:
        """Submit a call."""


class Ray:
    """An executor that makes each call a task of Ray, which ``ray.init`` has to be called for."""

    def __init__(self, **options: Any) -> None:
        import ray

        self._ray, self._options = ray, options

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Task:
        """Submit a call."""
        call = self._ray.remote(function)
        reference = (call.options(**self._options) if self._options else call).remote(*arguments)
        return _Reference(self._ray, reference)


class _Reference:
    def __init__(self, ray: Any, reference: Any) -> None:
        self._ray, self._reference = ray, reference

    def result(self) -> Any:
        try:
            return self._ray.get(self._reference)
        except self._ray.exceptions.RayTaskError as error:
            # The engine's own text is a traceback's, not the one line.
            if isinstance(error.cause, ClosefitError):
                raise error.cause from None
            raise


def run(
    arguments: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    shards: int,
    executor: Executor | None = None,
    threads: int = 1,
    retries: int = 2,
) -> Report:
    """Run a check or a sweep in shards, and merge them.

    What the shards have decided is kept in ``out/shards`` until all are merged. If the driver is
    killed, the same call continues from there. It waits for what is still running.

    Parameters
    ----------
    arguments : sequence of str
        The command, as it is typed after ``closefit``: ``["check", "plant.glb", "--clearance",
        "10mm"]``. ``--html`` and the like are written once, when the shards are merged.
    out : path-like
        The directory of the report, as ``--out`` of the program.
    shards : int
        How many there are: some for each worker, and each worth more than a second.
    executor : Executor, optional
        What runs them; by default a shard on every core of this machine.
    threads : int
        Threads of each shard.
    retries : int
        How often a shard is run again that was killed, or whose worker was lost. What is wrong in
        the input is not tried again.

    Returns
    -------
    Report
        The report, which is in ``out/report.json`` as well.

    Raises
    ------
    ClosefitError
        What the program refuses, in its words.
    WorkerError
        A shard that ended without a result more often than `retries`.
    """
    shared = _run_shards(arguments, out, shards, executor, (threads, retries))
    if _is_of_rows(shared):
        raise ClosefitError("a run of rows has no report: call run_rows")
    _call(["merge", str(shared), "--out", os.fspath(out), "--quiet", "--fail-on", "never"])
    shutil.rmtree(shared)
    return Report.read(Path(out) / "report.json")


def run_rows(
    arguments: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    shards: int,
    executor: Executor | None = None,
    threads: int = 1,
    retries: int = 2,
) -> Path:
    """Run a check at many rows, or of a list of scenes, in shards, and merge their lines.

    Parameters
    ----------
    arguments : sequence of str
        The command, as it is typed after ``closefit``: ``["check", "robot.urdf",
        "--configurations", "q.csv"]``, with ``--poses`` or ``--at FROM:TO:STEP``, or ``["batch",
        "scenes.jsonl"]``.
    out, shards, executor, threads, retries
        As for `run`.

    Returns
    -------
    Path
        The lines of all rows, a line of JSON for each: ``out/rows.jsonl``.

    Raises
    ------
    ClosefitError
        What the program refuses, in its words, such as a row that is wrong: the lines are there
        nevertheless.
    WorkerError
        A shard that ended without a result more often than `retries`.
    """
    shared = _run_shards(arguments, out, shards, executor, (threads, retries))
    if not _is_of_rows(shared):
        raise ClosefitError("a run of pairs has no rows: call run")
    _call(["merge", str(shared), "--out", os.fspath(out), "--quiet"])
    shutil.rmtree(shared)
    return Path(out) / "rows.jsonl"


def _run_shards(
    arguments: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    shards: int,
    executor: Executor | None,
    settings: tuple[int, int],
) -> Path:
    """Run all shards, and return the directory of what they have decided."""
    threads, retries = settings
    shards, retries = whole_number("shards", shards, least=1), whole_number("retries", retries)
    threads = whole_number("threads", threads, least=1)
    command = [os.fspath(argument) for argument in arguments]
    shared, home = Path(out) / "shards", str(Path.cwd())

    pool = ThreadPoolExecutor(os.cpu_count())
    engine = pool if executor is None else executor

    def start(number: int, attempt: int) -> Task:
        shard = [*command, "--shard", f"{number}/{shards}", "--out", str(shared), "--resume"]
        shard += ["--quiet", "--threads", str(threads)]
        return engine.submit(_call, shard, home, attempt)

    try:
        _all_shards(start, shards, retries)
    finally:
        # After an error, shards that have not begun need not run.
        pool.shutdown(cancel_futures=True)
    return shared


def _is_of_rows(shared: Path) -> bool:
    """Tell from the plan of a run what its shards share."""
    return bool(json.loads((shared / "plan.json").read_text())["items"] == "rows")


def _all_shards(start: Callable[[int, int], Task], shards: int, retries: int) -> None:
    """Start all shards, wait for them, and start those again that were lost."""
    waiting = deque((number, 0, start(number, 0)) for number in range(1, shards + 1))
    while waiting:
        number, attempt, task = waiting.popleft()
        try:
            task.result()
        except ClosefitError:
            raise
        except Exception:
            if attempt == retries:
                raise
            waiting.append((number, attempt + 1, start(number, attempt + 1)))


def _call(arguments: list[str], home: str | None = None, attempt: int = 0) -> None:
    """Run the program in a directory. Engines that know equal calls again see another attempt."""
    del attempt
    command = [sys.executable, "-m", "closefit", *arguments]
    while True:
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=home, errors="replace"
        )
        # A worker or a driver that was killed may leave the program running.
        if ended.returncode != 2 or not _is_in_use(arguments, ended.stderr):
            break
        time.sleep(_AGAIN_S)
    if ended.returncode == 2:
        raise ClosefitError(ended.stderr.strip().removeprefix("error: "))
    if ended.returncode not in (0, 1):
        raise WorkerError(
            f"{' '.join(arguments)}: {_ending(ended.returncode)} {ended.stderr[-500:]}"
        )


def _is_in_use(arguments: list[str], said: str) -> bool:
    """Tell if the program was refused because another process has its shard or its directory."""
    out = re.escape(arguments[arguments.index("--out") + 1])
    shard = r"([/\\]shard-\d+-of-\d+\.cfr)?"
    return re.match(f"error: {out}{shard}: another run is writing there", said) is not None


def _ending(status: int) -> str:
    """Name the way in which a program has ended."""
    if status >= 0:
        return f"exit status {status}"
    return f"ended by {signal.Signals(-status).name}"
