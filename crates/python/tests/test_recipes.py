"""The scripts for schedulers in docs/farm.md, run as they are printed, with a small scene."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SHARDS = 3

# The program, of which the first run of the second shard is killed.
PROGRAM = """#!/bin/bash
case "$* $SLURM_ARRAY_TASK_ID" in
check*" 2/{shards} "* | check*" 2") mkdir {lost} 2>/dev/null && kill -KILL $$ ;;
esac
exec {python} -m closefit "$@"
"""


def recipe(name: str, folder: Path) -> list[str]:
    """Return the scripts of a scheduler, with another directory and number of shards."""
    text = (ROOT / "docs" / "farm.md").read_text()
    start = text.index(f"\n**{name}")
    end = re.compile(r"\n(\*\*|##)").search(text, start + 1)
    section = text[start : end.start() if end else None]
    section = section.replace("/scratch/run7", f"{folder}/run7")
    section = re.sub(r"\b64\b", str(SHARDS), section)
    return re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def run(script: str, folder: Path) -> str:
    """Run a script in a folder where `closefit` is the program of the module."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    command = ["bash", "-c", script]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the scene, the rules and the program of the recipes."""
    shutil.copy(ROOT / "examples" / "gearbox.glb", tmp_path / "plant.glb")
    (tmp_path / "clash.toml").write_text("closefit-rules = 1\n")
    program = tmp_path / "bin" / "closefit"
    program.parent.mkdir()
    lost = tmp_path / "lost"
    program.write_text(PROGRAM.format(shards=SHARDS, lost=lost, python=sys.executable))
    program.chmod(0o755)
    return tmp_path


def assert_merged(folder: Path, asked: str, said: str) -> None:
    """Assert that a shard was killed, and that the report is that of one run nevertheless."""
    result = folder / "result" / "report.json"
    assert (folder / "lost").exists() and result.exists(), said
    said = run(f"closefit {asked} --out one --quiet", folder)
    assert result.read_bytes() == (folder / "one" / "report.json").read_bytes(), said


def test_gnu_parallel(folder: Path) -> None:
    if "GNU parallel" not in run("parallel --version", folder):
        pytest.skip("GNU parallel is not installed")
    (script,) = recipe("GNU parallel", folder)
    assert_merged(folder, "check plant.glb", run(script, folder))


def test_slurm(folder: Path) -> None:
    if "PARTITION" not in run("timeout 5 sinfo", folder):
        pytest.skip("no Slurm answers to sinfo")
    job, merge, submit = recipe("Slurm", folder)
    (folder / "job.sh").write_text(job)
    (folder / "merge.sh").write_text(merge)
    said = run(submit, folder)
    until = time.monotonic() + 300
    # The job that merges submits the next ones before it ends.
    while time.monotonic() < until and run("squeue --noheader --me", folder).strip():
        time.sleep(0.5)
    logs = [log.read_text() for log in sorted(folder.glob("slurm-*.out"))]
    asked = "check plant.glb --rules clash.toml"
    assert_merged(folder, asked, "\n".join([said, *logs]))
    assert sum("Submitted batch job" in log for log in logs) == 1
    assert not (folder / "run7" / "missing.txt").exists()
