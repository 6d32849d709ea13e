"""The examples of the manual."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from pathlib import Path

import closefit as cf
import pytest

ROOT = Path(__file__).parents[3]
MANUAL = ROOT / "docs" / "python.md"
TUTORIAL = ROOT / "docs" / "tutorials" / "python.md"
PACKAGE = ROOT / "crates" / "python" / "PACKAGE.md"
BLOCK = re.compile(r"(<!-- needs (\w+) -->\n)?```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("page", "examples"), [(MANUAL, 11), (TUTORIAL, 5)])
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


def test_the_examples_of_the_package_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house.glb").write_bytes((ROOT / "examples" / "gearbox.glb").read_bytes())
    names: dict[str, object] = {}
    blocks = BLOCK.findall(PACKAGE.read_text())
    assert len(blocks) == 2
    for _, _, code in blocks:
        exec(compile(code, str(PACKAGE), "exec"), names)
    assert b"three.js authors" in (tmp_path / "house.html").read_bytes()[:2000]


def test_the_licences_come_with_the_package() -> None:
    files = importlib.metadata.files("closefit") or []
    texts = {Path(str(file)).name: file.read_text() for file in files if "licenses" in file.parts}
    assert set(texts) == {"LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"}
    assert "three.js" in texts["THIRD-PARTY.txt"] and "pyo3" in texts["THIRD-PARTY.txt"]
    assert importlib.metadata.version("closefit") == cf.__version__
