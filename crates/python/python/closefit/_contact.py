"""Points and normals of triangles in contact, for display."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def shared_points(a: Array, b: Array) -> Array:
    """Return a point that the triangles of each pair share, up to rounding.

    That is the middle of the common segment or, of triangles in one plane, of the common box.

    Parameters
    ----------
    a, b : ndarray of shape (k, 3, 3)
        Corners of triangles that meet, pair by pair.

    Returns
    -------
    ndarray of shape (k, 3)
    """
    lowest = np.maximum(a.min(axis=1), b.min(axis=1))
    highest = np.minimum(a.max(axis=1), b.max(axis=1))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        points = _middles(a, b)
    is_inside = ((lowest <= points) & (points <= highest)).all(axis=1)
    return np.where(is_inside[:, None], points, (lowest + highest) / 2)


def _middles(a: Array, b: Array) -> Array:
    """Return the middle of where a meets the plane of b, clipped to b; NaN if there is none."""
    plane = unit_normals(b)
    heights = _dot(a - b[:, :1], plane[:, None])
    ends, ahead = np.roll(a, -1, axis=1), np.roll(heights, -1, axis=1)
    crosses = (heights > 0) != (ahead > 0)
    crossings = a + (ends - a) * (heights / (heights - ahead))[..., None]
    # Either no edge crosses the plane, or two do.
    rows = np.arange(len(a))
    first, last = crosses.argmax(axis=1), 2 - crosses[:, ::-1].argmax(axis=1)
    start, way = crossings[rows, first], crossings[rows, last] - crossings[rows, first]
    inward = np.cross(plane[:, None], np.roll(b, -1, axis=1) - b)
    begin, change = _dot(start[:, None] - b, inward), _dot(way[:, None], inward)
    cuts = -begin / change
    enter = np.where(change > 0, cuts, 0).max(axis=1, initial=0)
    leave = np.where(change < 0, cuts, 1).min(axis=1, initial=1)
    middles: Array = start + way * ((enter + leave) / 2)[:, None]
    middles[~crosses.any(axis=1)] = np.nan
    return middles


def unit_normals(triangles: Array) -> Array:
    """Return the unit normals of triangles of shape (k, 3, 3); NaN where there is none."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        unit: Array = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return unit


def _dot(a: Array, b: Array) -> Array:
    product: Array = (a * b).sum(axis=-1)
    return product
