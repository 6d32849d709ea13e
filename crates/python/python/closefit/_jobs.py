"""Whole checks and sweeps."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from closefit import _closefit
from closefit._closefit import Part, Scene
from closefit._documents import Audit, JointBox, Slack
from closefit._error import ClosefitError, whole_number
from closefit._report import Report
from closefit._rows import Rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Length: TypeAlias = float | str
"""A length in the scene's unit, or with a unit of its own, such as ``'5 mm'``."""

Range: TypeAlias = Literal["limits"] | tuple[float, float]
"""A range of a joint, in radians or metres: its limits, or from one value to a larger one."""

Progress: TypeAlias = Callable[[str, int, int], object]
"""A callback that gets the stage, the items done and their number, 20 times a second."""


def check(
    scene: Scene,
    *,
    clearance: Length = 0.0,
    tolerance: Length | None = None,
    rules: str | os.PathLike[str] | None = None,
    sets: str | Sequence[str] = (),
    depth: Literal["full", "verdict", "none"] = "full",
    way_out: bool = False,
    contacts: bool | Literal["geometry"] = False,
    volume: bool = False,
    self_contacts: bool = False,
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
        A rules file: which pairs to check, what is accepted, and what must hold.
    sets : str or sequence of str
        Only pairs within one set of parts, or of one part of each of two, such as
        ``('model=A', 'model=E')`` or ``'type=IfcPipe*'``.
    depth : {'full', 'verdict', 'none'}
        How much is found out about depths: brackets of 1 %, the side of the tolerance, or nothing.
    way_out : bool
        Whether to find the way out of every clash: a short shift of one part that parts the two.
    contacts : bool or 'geometry'
        Whether to list the triangles in contact; with ``'geometry'``, also what they share.
    volume : bool
        Whether to find the volume that the parts of each pair share, and its centroid.
    self_contacts : bool
        Whether to find contacts of each part with itself.
    groups : {'host', 'type'} or None
        What makes pairs a group.
    group_extent : float or str, optional
        Groups by host that are longer are cut. By default 5 m, or a tenth of the scene's diagonal.
    allow_empty : bool
        Whether to accept a scene without a pair to check.
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
        For lengths, rules or parts that are not valid.
    """
    if contacts not in (False, True, "geometry"):
        raise ClosefitError("contacts: it is True, False or 'geometry'", key="contacts")
    own = {
        "depth": depth,
        "way_out": way_out,
        "contacts": bool(contacts),
        "contact_geometry": contacts == "geometry",
        "volume": volume,
        "self_contacts": self_contacts,
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
    joint: str | None = None,
    range: Range = "limits",
    at_joints: Mapping[str, float] | None = None,
    intervals: bool = False,
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
        Maximum width of a bracket; distances below half of it count as contact. By default 1e-5 of
        the scene's diagonal.
    clearance : float or str
        Pairs that come this close are listed.
    tolerance : float or str, optional
        Overlap up to this depth is contact.
    start, end : float, optional
        Times in seconds; by default the first and the last keyframe.
    joint : str, optional
        A joint of a robot that is swept in place of time. All times are then values of the joint.
    range : 'limits' or tuple of float
        The values of the joint: its limits, or from one to a larger one, in radians or metres.
    at_joints : mapping of str to float, optional
        Where the other joints stand; by default at 0, or at the limit nearest to it.
    intervals : bool
        Whether to find all intervals of contact, and within the clearance: `Report.intervals`.
    rules : path-like, optional
        A rules file: which pairs to check, and what must hold.
    sets : str or sequence of str
        Only pairs within one set of parts, or of one part of each of two, such as
        ``('model=A', 'model=E')`` or ``'type=IfcPipe*'``.
    allow_empty : bool
        Whether to accept a scene without a pair to check.
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
        For lengths, rules, motions or parts that are not valid.
    """
    if joint is None and (range != "limits" or at_joints):
        raise ClosefitError("joint: range and at_joints are for a sweep of a joint", key="joint")
    if joint is not None and (start is not None or end is not None):
        raise ClosefitError("joint: a sweep of a joint has a range, no start and end", key="joint")
    if joint is not None and at_joints and joint in at_joints:
        raise ClosefitError(
            f"at_joints: {joint} is the joint that is swept: leave out its value", key="at_joints"
        )
    own = {
        "precision": _text(precision),
        "from": start,
        "to": end,
        "joint": None if joint is None else _ranged(joint, range),
        "at_joints": dict(at_joints or {}),
        "intervals": intervals,
    }
    common = _common(clearance, tolerance, rules, sets, allow_empty, threads, progress)
    return Report(_closefit.sweep(scene, common | own))


def check_configurations(
    scene: Scene,
    configurations: ArrayLike | Mapping[str, ArrayLike],
    *,
    at_joints: Mapping[str, float] | None = None,
    first: bool = False,
    clearance: Length = 0.0,
    tolerance: Length | None = None,
    rules: str | os.PathLike[str] | None = None,
    sets: str | Sequence[str] = (),
    depth: Literal["full", "verdict", "none"] = "full",
    allow_empty: bool = False,
    threads: int = 0,
    backend: Literal["cpu", "gpu"] = "cpu",
    adapter: str | None = None,
    progress: Progress | None = None,
) -> Rows:
    """Decide every pair of a robot's parts at many configurations of its joints.

    Meshes are prepared once, and the scene keeps what was prepared for the next call; a row then
    has the verdicts of a `check` there. That is what ``closefit check --configurations`` does.

    Parameters
    ----------
    scene : Scene
        The robot, of one URDF, and what is around it.
    configurations : array_like of shape (n, joints), or mapping of str to array_like of shape (n,)
        Values in radians and metres: a column for each of `Scene.joints`, or columns by the names
        of joints.
    at_joints : mapping of str to float, optional
        Where the joints without a column stand; by default at 0, or at the limit nearest to it.
    first : bool
        Whether each row ends at its first pair that clashes, in the order of ids.
    clearance : float or str
        Pairs that come this close are listed.
    tolerance : float or str, optional
        Overlap up to this depth is contact. By default one for all rows: the scene's.
    rules : path-like, optional
        A rules file: which pairs to check. Waivers and claims are not.
    sets : str or sequence of str
        Only pairs within one set of parts, or of one part of each of two.
    depth : {'full', 'verdict', 'none'}
        How much is found out about depths. With 'none', the fastest, parts in contact 'meet'.
    allow_empty : bool
        Whether to accept a scene without a pair to check.
    threads : int
        Number of threads; 0 for one per core.
    backend : {'cpu', 'gpu'}
        'gpu' lets a compute device find the contacts of thousands of rows together. The answers
        are the same.
    adapter : str, optional
        The compute adapter, by a part of its name or its number. The default is the best.
    progress : callable, optional
        Is called with the stage, the rows done and 0. What it raises ends the check.

    Returns
    -------
    Rows
        What was found, row by row. A row that is wrong has the verdict 'error'.

    Raises
    ------
    ClosefitError
        For joints, lengths, rules or parts that are not valid; if no device answers.
    """
    joints, values = _columns(scene, configurations)
    for joint in at_joints or {}:
        if joint in joints:
            raise ClosefitError(
                f"at_joints: {joint} has a column: leave out its value", key="at_joints"
            )
    own = {
        "joints": joints,
        "at_joints": dict(at_joints or {}),
        "first": first,
        "depth": depth,
        "backend": backend,
        "adapter": adapter,
    }
    common = _common(clearance, tolerance, rules, sets, allow_empty, threads, progress)
    return Rows(_closefit.check_configurations(scene, values, common | own))


def joint_box(
    scene: Scene,
    *,
    ranges: Mapping[str, Range | float] | None = None,
    clearance: Length = 0.0,
    precision: Length | None = None,
    configurations: int = 100_000,
    rules: str | os.PathLike[str] | None = None,
    sets: str | Sequence[str] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> JointBox:
    """Decide which parts of a robot can meet, over all configurations of its joints.

    Parameters
    ----------
    scene : Scene
        The robot, of one URDF, and what is around it.
    ranges : mapping of str to 'limits', tuple of float, or float, optional
        Ranges or values of joints; by default their limits, or a full turn where there are none.
    clearance : float or str
        Pairs that come this close count as near.
    precision : float or str, optional
        Width of the bracket of a smallest distance at which the search ends.
    configurations : int
        Largest number of configurations that are examined for each pair.
    rules : path-like, optional
        A rules file: which pairs to check.
    sets : str or sequence of str
        Only pairs within one set of parts, or of one part of each of two.
    threads : int
        Number of threads; 0 for one per core.
    progress : callable, optional
        Is called with the stage, the items done and their number. What it raises ends the search.

    Returns
    -------
    JointBox

    Raises
    ------
    ClosefitError
        For joints, lengths, rules or parts that are not valid.
    """
    own = {
        "ranges": [_ranged(joint, range) for joint, range in (ranges or {}).items()],
        "precision": _text(precision),
        "configurations": _examined(configurations),
    }
    common = _common(clearance, None, rules, sets, False, threads, progress)
    return JointBox(_closefit.joint_box(scene, common | own))


def audit(
    scene: Scene,
    *,
    precision: Length | None = None,
    srdf: str | os.PathLike[str] | None = None,
    ranges: Mapping[str, Range | float] | None = None,
    configurations: int = 100_000,
    threads: int = 0,
    progress: Progress | None = None,
) -> Audit:
    """Compare the collision geometry of each link of a robot with its visual geometry.

    Parameters
    ----------
    scene : Scene
        The robot, read from one file, which is read again for both geometries. With ``hulls=True``
        its collision meshes are their hulls.
    precision : float or str, optional
        Width at which a bracket of a length is narrow enough, in metres; by default 1e-4 of the
        robot's diagonal.
    srdf : path-like, optional
        An SRDF, whose lines with the reason Never are proven or refuted.
    ranges : mapping of str to 'limits', tuple of float, or float, optional
        For the SRDF: ranges or values of joints, as of `joint_box`.
    configurations : int
        For the SRDF: largest number of configurations that are examined for each pair.
    threads : int
        Number of threads; 0 for one per core.
    progress : callable, optional
        Is called with the stage, the items done and their number. What it raises ends the audit.

    Returns
    -------
    Audit

    Raises
    ------
    ClosefitError
        For a scene that is no single robot, or that lacks one of the two geometries.
    """
    settings = {
        "precision": _text(precision),
        "srdf": srdf,
        "ranges": [_ranged(joint, range) for joint, range in (ranges or {}).items()],
        "configurations": _examined(configurations),
        "threads": _threads(threads),
        "progress": progress,
    }
    return Audit(_closefit.audit(scene, settings))


def slack(
    scene: Scene,
    *parts: str | Part,
    clearance: Length = 0.0,
    precision: Length | None = None,
    tolerance: Length | None = None,
    axes: Literal["scene", "part"] = "scene",
    about: Sequence[float] | None = None,
    rules: str | os.PathLike[str] | None = None,
    sets: str | Sequence[str] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> Slack:
    """Find how far each part can move alone, along three axes and about them.

    Parameters
    ----------
    scene : Scene
        The parts.
    *parts : str or Part
        The parts that are moved, by name, key or id (``'#7'``); by default each of the scene.
    clearance : float or str
        The distance that parts keep.
    precision : float or str, optional
        Width of the brackets; by default a hundred thousandth of the scene's diagonal.
    tolerance : float or str, optional
        Overlap up to this depth at the start is contact.
    axes : {'scene', 'part'}
        The axes along and about which parts move.
    about : sequence of three floats, optional
        A point on the axes of all turns; by default the middle of the part's box.
    rules : path-like, optional
        A rules file: which pairs to check.
    sets : str or sequence of str
        Only pairs within one set of parts, or of one part of each of two.
    threads : int
        Number of threads; 0 for one per core.
    progress : callable, optional
        Is called with the stage, the items done and their number. What it raises ends the search.

    Returns
    -------
    Slack

    Raises
    ------
    ClosefitError
        For parts, lengths or rules that are not valid.
    """
    names = [part.key if isinstance(part, Part) else part for part in parts]
    own = {
        "precision": _text(precision),
        "axes": axes,
        "about": None if about is None else [float(x) for x in about],
    }
    common = _common(clearance, tolerance, rules, sets, False, threads, progress)
    return Slack(_closefit.slack(scene, names, common | own))


def _columns(
    scene: Scene, configurations: ArrayLike | Mapping[str, ArrayLike]
) -> tuple[list[str], ArrayLike]:
    """Return the names of joints, and an array with a column for each."""
    if not isinstance(configurations, Mapping):
        return [joint.name for joint in scene.joints], configurations
    import numpy as np

    columns = [np.asarray(column) for column in configurations.values()]
    shapes = {column.shape for column in columns}
    if len(shapes) != 1 or any(len(shape) != 1 for shape in shapes):
        raise ClosefitError(
            "configurations: columns of one length are needed, each of shape (n,)",
            key="configurations",
        )
    return list(configurations), np.stack(columns, axis=1)


def _ranged(joint: str, range: Range | float) -> str:
    """Return a joint with its range as text, which the library reads without loss."""
    if isinstance(range, str):
        return f"{joint}={range}"
    if isinstance(range, int | float | Real):
        return f"{joint}={float(range)!r}"
    start, end = range
    return f"{joint}={float(start)!r}:{float(end)!r}"


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
        "threads": _threads(threads),
        "progress": progress,
    }


def _threads(threads: int) -> int:
    """Return a number of threads that the library takes."""
    return whole_number("threads", threads, most=1024)


def _examined(configurations: int) -> int:
    """Return a number of configurations; nobody examines more than a size can say."""
    return min(whole_number("configurations", configurations), sys.maxsize)


def _text(length: Length | None) -> str | None:
    """Return a length as text, which the library reads without loss."""
    return length if length is None or isinstance(length, str) else repr(float(length))
