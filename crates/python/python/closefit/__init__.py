"""Exact clash and clearance checking of triangle-mesh assemblies.

For two meshes at rest there are `Mesh`, `Tree` and questions such as `intersects` and
`distance`; for many bodies `World`; for motions `time_of_contact`; for whole scenes `check` and
`sweep`.
"""

from closefit._closefit import (
    Clearance,
    Contact,
    Depth,
    Distance,
    Mesh,
    Motion,
    Pairs,
    Part,
    Scene,
    Tree,
    Undecidable,
    World,
    closest_approach,
    contacts,
    contains,
    depth,
    distance,
    distance_many,
    intersects,
    intersects_many,
    time_of_contact,
)
from closefit._error import ClosefitError
from closefit._jobs import check, sweep
from closefit._report import Diff, Report

__all__ = [
    "Clearance",
    "ClosefitError",
    "Contact",
    "Depth",
    "Diff",
    "Distance",
    "Mesh",
    "Motion",
    "Pairs",
    "Part",
    "Report",
    "Scene",
    "Tree",
    "Undecidable",
    "World",
    "check",
    "closest_approach",
    "contacts",
    "contains",
    "depth",
    "distance",
    "distance_many",
    "intersects",
    "intersects_many",
    "sweep",
    "time_of_contact",
]
