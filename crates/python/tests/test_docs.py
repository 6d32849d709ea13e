"""The examples of the manual."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MANUAL = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"(<!-- needs (\w+) -->\n)?```python\n(.*?)```", re.DOTALL)


def test_the_examples_of_the_manual_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = BLOCK.findall(MANUAL.read_text())
    names: dict[str, object] = {}
    assert len(blocks) == 9
    for _, needed, code in blocks:
        if not needed or importlib.util.find_spec(needed):
            exec(compile(code, str(MANUAL), "exec"), names)
