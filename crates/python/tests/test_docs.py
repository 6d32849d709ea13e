"""The examples of the manual."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MANUAL = ROOT / "docs" / "python.md"
TUTORIAL = ROOT / "docs" / "tutorials" / "python.md"
BLOCK = re.compile(r"(<!-- needs (\w+) -->\n)?```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("page", "examples"), [(MANUAL, 9), (TUTORIAL, 5)])
def test_the_examples_of_a_page_run(
    page: Path, examples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    blocks = BLOCK.findall(page.read_text())
    names: dict[str, object] = {}
    assert len(blocks) == examples
    for _, needed, code in blocks:
        if not needed or importlib.util.find_spec(needed):
            exec(compile(code, str(page), "exec"), names)
