"""Exact clash and clearance checking of triangle-mesh assemblies.

For two meshes at rest there are `Mesh`, `Tree` and questions such as `intersects` and
`distance`; for many bodies `World`; for motions `time_of_contact`; for whole scenes `check`,
`sweep` and `slack`; for robots `check_many` and `joint_box`.
"""

from closefit._closefit import (
    Clearance,
    Contact,
    Depth,
    Distance,
    Joint,
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
from closefit._documents import JointBox, Slack
from closefit._error import ClosefitError
from closefit._jobs import check, check_many, joint_box, slack, sweep
from closefit._report import Diff, Report
from closefit._rows import Rows

__all__ = [
    "Clearance",
    "ClosefitError",
    "Contact",
    "Depth",
    "Diff",
    "Distance",
    "Joint",
    "JointBox",
    "Mesh",
    "Motion",
    "Pairs",
    "Part",
    "Report",
    "Rows",
    "Scene",
    "Slack",
    "Tree",
    "Undecidable",
    "World",
    "check",
    "check_many",
    "closest_approach",
    "contacts",
    "contains",
    "depth",
    "distance",
    "distance_many",
    "intersects",
    "intersects_many",
    "joint_box",
    "slack",
    "sweep",
    "time_of_contact",
]
