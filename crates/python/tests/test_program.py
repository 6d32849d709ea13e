"""The program of the wheel."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("closefit")


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program."""
    command = [str(PROGRAM), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_the_program_says_its_version() -> None:
    found = run("--version")
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("closefit ")


def test_the_program_has_its_exit_statuses(tmp_path: Path) -> None:
    scene = str(Path(__file__).parents[3] / "examples" / "gearbox.glb")
    assert run("check", scene).returncode == 1
    assert run("check", scene, "--fail-on", "never").returncode == 0
    wrong = run("check", str(tmp_path / "none.glb"))
    assert wrong.returncode == 2
    assert wrong.stderr.count("\n") == 1
    assert "none.glb" in wrong.stderr
    usage = run("check", scene, "--clearnce", "1")
    assert (usage.returncode, usage.stderr.count("\n")) == (2, 1)


def test_the_program_does_not_wait_for_numpy() -> None:
    script = "import sys, closefit._program, closefit; print('numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert found.stdout == b"False\n"


@pytest.mark.parametrize(
    ("sent", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_signals_end_the_program(tmp_path: Path, sent: signal.Signals, status: int) -> None:
    if signal.getsignal(sent) is signal.SIG_IGN:
        pytest.skip(f"{sent.name} is ignored here")
    run("generate", "boxes", "--size", "60000", cwd=tmp_path)
    scene = str(tmp_path / "boxes.glb")
    command = [str(PROGRAM), "check", scene, "--contacts", "--out", str(tmp_path / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        time.sleep(0.7)
        program.send_signal(sent)
        _, said = program.communicate(timeout=60)
    assert program.returncode == status
    # A fast machine has decided pairs by then, and keeps their rows.
    if said.startswith(b"stopped after "):
        assert said.count(b"\n") == 1
        assert [file.name for file in (tmp_path / "out").iterdir()] == ["rows.cfr"]
    else:
        assert said == b"interrupted\n"
        assert not (tmp_path / "out").exists()
