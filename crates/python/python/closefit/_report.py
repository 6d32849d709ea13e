"""Reports of checks and sweeps."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from closefit._closefit import Findings
from closefit._error import whole_number

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray


class Report:
    """What a check or a sweep has found.

    A report is a pure function of the scene and the settings: `json` returns the bytes that the
    program writes into ``report.json``.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    @classmethod
    def read(cls, report: bytes | str | os.PathLike[str]) -> Report:
        """Read a report.

        Parameters
        ----------
        report : bytes or path-like
            The document, or the file that it is in.

        Returns
        -------
        Report
        """
        if isinstance(report, bytes):
            return cls(Findings.read(report))
        with open(report, "rb") as file:
            return cls(Findings.read(file.read()))

    def json(self) -> bytes:
        """Return the document, byte for byte as the program writes it."""
        return self._findings.json()

    @property
    def rows(self) -> NDArray[np.void]:
        """The listed pairs as a structured array, with the columns of ``pairs.csv``.

        A missing number is NaN, a missing count -1, a missing text None.
        """
        import numpy as np

        columns = self._findings.columns()
        kinds = {
            name: values.dtype if isinstance(values, np.ndarray) else np.dtype(object)
            for name, values in columns.items()
        }
        rows = np.empty(len(self), dtype=list(kinds.items()))
        for name, values in columns.items():
            rows[name] = values
        return rows

    @property
    def intervals(self) -> NDArray[np.void]:
        """The intervals of a sweep that was to find them, as ``intervals.csv`` has them.

        Fields are ``key``, ``a``, ``b``, ``of`` ('contact', 'undecided' or 'clearance'), and the
        brackets of both ends: apart until ``enter_after``, near from ``enter_before`` to
        ``leave_after``, and apart from ``leave_before`` on. In an undecided one, an open part may
        hold the other. A contact also has a bracket of the largest depth in it,
        ``pressed_at_least``, which the parts have at ``pressed_at``, and ``pressed_at_most``.
        These are NaN where it is unknown, and ``depth_unknown`` says why.
        """
        import numpy as np

        unknown = {"at_least": np.nan, "at_most": np.nan, "at": np.nan}
        found = [
            (
                *(pair["key"], pair["a"], pair["b"], of, *interval["enter"], *interval["leave"]),
                *(interval.get("pressed") or unknown).values(),
                interval.get("depth_unknown"),
            )
            for pair in json.loads(self.json())["pairs"]
            for of in ("contact", "undecided", "clearance")
            for interval in map(_bracketed, pair.get("intervals", {}).get(of, []))
        ]
        texts = [(name, object) for name in ("key", "a", "b", "of")]
        ends = ("enter_after", "enter_before", "leave_after", "leave_before")
        pressed = ("pressed_at_least", "pressed_at_most", "pressed_at")
        numbers = [(name, np.float64) for name in (*ends, *pressed)]
        return np.array(found, dtype=[*texts, *numbers, ("depth_unknown", object)])

    def to_pandas(self) -> pd.DataFrame:
        """Return the listed pairs as a ``pandas.DataFrame``, with the columns of ``pairs.csv``."""
        import pandas as pd

        return pd.DataFrame(self._findings.columns())

    def to_arrow(self) -> pa.Table:
        """Return the listed pairs as a ``pyarrow.Table``, with the columns of ``pairs.csv``."""
        import pyarrow as pa

        return pa.table(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the listed pairs as a stream of Arrow's C interface.

        So ``polars.DataFrame(report)`` and ``pyarrow.table(report)`` take a report as it is.
        """
        return self._findings.__arrow_c_stream__(requested_schema)

    def picture(self, key: str | None = None, *, size: tuple[int, int] = (800, 600)) -> bytes:
        """Draw a finding, or the whole scene with a dot per finding.

        A report that was read has no scene to draw.

        Parameters
        ----------
        key : str, optional
            The key of a pair, or of a group, whose worst pair is drawn. By default the whole scene.
        size : tuple of int
            Width and height in pixels.

        Returns
        -------
        bytes
            A PNG file.
        """
        width, height = (whole_number("size", side, least=16, most=8192) for side in size)
        return self._findings.picture(key, (width, height))

    def html(self, path: str | os.PathLike[str], *, limit: int = 40_000_000) -> None:
        """Write the page, as ``closefit check --html`` does.

        A report that was read has no scene to draw.

        Parameters
        ----------
        path : path-like
            The file.
        limit : int
            The size in bytes above which parts without findings are drawn as boxes, or not at all.
        """
        page = self._findings.page(min(whole_number("limit", limit), sys.maxsize))
        with open(path, "wb") as file:
            file.write(page)

    def show(self, *, height: int = 720) -> Shown:
        """Return the page for a notebook, where it appears if it is the last value of a cell.

        Parameters
        ----------
        height : int
            The height in pixels.

        Returns
        -------
        Shown
        """
        return Shown(self._findings.page(40_000_000), whole_number("height", height))

    def diff(self, old: Report | bytes | str | os.PathLike[str]) -> Diff:
        """Compare with an older report.

        Parameters
        ----------
        old : Report, bytes or path-like
            The older report.

        Returns
        -------
        Diff
        """
        before = old if isinstance(old, Report) else Report.read(old)
        return Diff(self._findings.diff(before._findings))

    @property
    def command(self) -> str:
        """The command that it comes from: 'check' or 'sweep'."""
        return self._findings.command

    @property
    def scene(self) -> dict[str, Any]:
        """The scene: unit, number of triangles, digest."""
        scene: dict[str, Any] = self._value("scene")
        return scene

    @property
    def parts(self) -> list[dict[str, Any]]:
        """All parts, in the order of their ids."""
        parts: list[dict[str, Any]] = self._value("parts")
        return parts

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the run."""
        settings: dict[str, Any] = self._value("settings")
        return settings

    @property
    def ledger(self) -> dict[str, Any]:
        """The account of all pairs: excluded, apart, decided, undecided."""
        ledger: dict[str, Any] = self._value("ledger")
        return ledger

    @property
    def rules(self) -> dict[str, Any] | None:
        """The rules and what each decided; None if there were none."""
        rules: dict[str, Any] | None = self._value("rules")
        return rules

    @property
    def groups(self) -> list[dict[str, Any]]:
        """The groups of pairs that a person can treat as one issue."""
        groups: list[dict[str, Any]] = self._value("groups")
        return groups

    @property
    def certificate(self) -> bytes | None:
        """The certificate of the claims, if there were any, as the program writes it."""
        return self._findings.certificate()

    @property
    def notes(self) -> list[str]:
        """Notes on meshes that were repaired, and on rules that decide nothing."""
        return self._findings.notes

    def _value(self, key: str) -> Any:
        return json.loads(self._findings.value(key))

    def __len__(self) -> int:
        """Return the number of listed pairs."""
        return len(self._findings)

    def __repr__(self) -> str:
        return f"Report({self.command}, {len(self)} pairs listed)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Report.read, (self.json(),)


class Shown:
    """The page of a report in a notebook."""

    def __init__(self, page: bytes, height: int) -> None:
        self._page = page
        self._height = height

    def _repr_html_(self) -> str:
        """Return a frame with the page, whose script can see nothing of the notebook."""
        from html import escape  # with its table of entities, it is slow to import

        page = escape(self._page.decode(), quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {self._height}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Shown({len(self._page)} bytes)"


class Diff:
    """What has changed from one report to another."""

    def __init__(self, document: bytes) -> None:
        self._document = document
        self._values: Mapping[str, Any] = json.loads(document)

    def json(self) -> bytes:
        """Return the document, byte for byte as the program writes it into ``diff.json``."""
        return self._document

    @property
    def counts(self) -> dict[str, int]:
        """The number of pairs of each status, and of active ones by their change."""
        counts: dict[str, int] = self._values["counts"]
        return counts

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """All pairs, those that need a look first."""
        pairs: list[dict[str, Any]] = self._values["pairs"]
        return pairs

    def __repr__(self) -> str:
        return f"Diff({self.counts})"


def _bracketed(interval: Any) -> dict[str, Any]:
    """Return an interval with a bracket of either end; an undecided stretch has two times."""
    if isinstance(interval, dict):
        return interval
    start, end = interval
    return {"enter": [start] * 2, "leave": [end] * 2}
