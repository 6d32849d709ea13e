"""Whole checks and sweeps."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from closefit import _closefit
from closefit._closefit import Scene
from closefit._report import Report

Length: TypeAlias = float | str
"""A length in the scene's unit, or with a unit of its own, such as ``'5 mm'``."""

Progress: TypeAlias = Callable[[str, int, int], object]
"""A callback that is told the stage, the items done and their number, 20 times a second."""


def check(
    scene: Scene,
    *,
    clearance: Length = 0.0,
    tolerance: Length | None = None,
    rules: str | os.PathLike[str] | None = None,
    sets: str | Sequence[str] = (),
    depth: Literal["full", "verdict", "none"] = "full",
    contacts: bool = False,
    groups: Literal["host", "type"] | None = "host",
    group_extent: Length | None = None,
    allow_empty: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Decide every pair of parts where they stand, as ``closefit check`` does.

    Parameters
    ----------
    scene : Scene
        The parts.
    clearance : float or str
        Pairs that come this close are listed.
    tolerance : float or str, optional
        Overlap up to this depth is contact. By default the smallest power of ten that is at least
        a millionth of the scene's diagonal.
    rules : path-like, optional
        A rules file: what is asked, what is accepted, and what must hold.
    sets : str or sequence of str
        Only pairs within one set of parts, or of one part of each of two, such as
        ``('model=A', 'model=E')`` or ``'type=IfcPipe*'``.
    depth : {'full', 'verdict', 'none'}
        How much is found out about depths: brackets of 1 %, the side of the tolerance, or nothing.
    contacts : bool
        Whether to list the triangles in contact.
    groups : {'host', 'type'} or None
        What makes pairs a group.
    group_extent : float or str, optional
        Groups by host that are longer are cut. By default 5 m, or a tenth of the scene's diagonal.
    allow_empty : bool
        Whether a scene of which no pair is asked is accepted.
    threads : int
        Number of threads; 0 for one per core.
    progress : callable, optional
        Is called with the stage, the items done and their number. What it raises ends the check.

    Returns
    -------
    Report

    Raises
    ------
    ClosefitError
        For lengths, rules or parts that are refused.
    """
    own = {
        "depth": depth,
        "contacts": contacts,
        "groups": groups,
        "group_extent": _text(group_extent),
    }
    common = _common(clearance, tolerance, rules, sets, allow_empty, threads, progress)
    return Report(_closefit.check(scene, common | own))


def sweep(
    scene: Scene,
    *,
    precision: Length | None = None,
    clearance: Length = 0.0,
    tolerance: Length | None = None,
    start: float | None = None,
    end: float | None = None,
    rules: str | os.PathLike[str] | None = None,
    sets: str | Sequence[str] = (),
    allow_empty: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Decide every pair of parts over their motion, as ``closefit sweep`` does.

    Parameters
    ----------
    scene : Scene
        The parts.
    precision : float or str, optional
        How wide brackets may be; within half of it counts as contact. By default a hundred
        thousandth of the scene's diagonal.
    clearance : float or str
        Pairs that come this close are listed.
    tolerance : float or str, optional
        Overlap up to this depth is contact.
    start, end : float, optional
        Times in seconds; by default those of the first and the last keyframe.
    rules : path-like, optional
        A rules file: what is asked, and what must hold.
    sets : str or sequence of str
        Only pairs within one set of parts, or of one part of each of two, such as
        ``('model=A', 'model=E')`` or ``'type=IfcPipe*'``.
    allow_empty : bool
        Whether a scene of which no pair is asked is accepted.
    threads : int
        Number of threads; 0 for one per core.
    progress : callable, optional
        Is called with the stage, the items done and their number. What it raises ends the sweep.

    Returns
    -------
    Report

    Raises
    ------
    ClosefitError
        For lengths, rules, motions or parts that are refused.
    """
    own = {"precision": _text(precision), "from": start, "to": end}
    common = _common(clearance, tolerance, rules, sets, allow_empty, threads, progress)
    return Report(_closefit.sweep(scene, common | own))


def _common(
    clearance: Length,
    tolerance: Length | None,
    rules: str | os.PathLike[str] | None,
    sets: str | Sequence[str],
    allow_empty: bool,
    threads: int,
    progress: Progress | None,
) -> dict[str, Any]:
    """Return the settings that a check and a sweep have both."""
    return {
        "clearance": _text(clearance),
        "tolerance": _text(tolerance),
        "rules": rules,
        "sets": [sets] if isinstance(sets, str) else list(sets),
        "allow_empty": allow_empty,
        "threads": threads,
        "progress": progress,
    }


def _text(length: Length | None) -> str | None:
    """Return a length as text, which the library reads without loss."""
    return length if length is None or isinstance(length, str) else repr(float(length))
