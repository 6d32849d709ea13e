"""Exact clash and clearance checking of triangle-mesh assemblies.

For two meshes at rest there are `CollisionMesh` and questions such as `intersects`, `distance`
and `verdict`; for many bodies `World`; for motions `time_of_impact`; for whole scenes `check`,
`sweep` and `slack`; for robots `check_configurations`, `joint_box` and `audit`.
"""

from importlib.metadata import version as _version_of

from closefit._closefit import (
    Clearance,
    CollisionMesh,
    ContactEvent,
    ContactGeometry,
    ContactPatch,
    Depth,
    Distance,
    Joint,
    Mesh,
    Motion,
    OverlapVolume,
    Pairs,
    PairVerdict,
    Part,
    Scene,
    Step,
    TimeOfImpact,
    Undecidable,
    World,
    Worlds,
    WorldsContacts,
    WorldsDistances,
    WorldsStep,
    WorldWork,
    closest_approach,
    contact_geometry,
    contact_triangles,
    contains,
    depth,
    distance,
    distance_many,
    intersects,
    intersects_many,
    intersects_within,
    overlap_volume,
    self_contacts,
    time_of_impact,
    verdict,
    verdict_many,
)
from closefit._documents import Audit, JointBox, Slack
from closefit._error import ClosefitError
from closefit._jobs import audit, check, check_configurations, joint_box, slack, sweep
from closefit._report import Diff, Report
from closefit._rows import Rows

__all__ = [
    "Audit",
    "Clearance",
    "ClosefitError",
    "CollisionMesh",
    "ContactEvent",
    "ContactGeometry",
    "ContactPatch",
    "Depth",
    "Diff",
    "Distance",
    "Joint",
    "JointBox",
    "Mesh",
    "Motion",
    "OverlapVolume",
    "PairVerdict",
    "Pairs",
    "Part",
    "Report",
    "Rows",
    "Scene",
    "Slack",
    "Step",
    "TimeOfImpact",
    "Undecidable",
    "World",
    "WorldWork",
    "Worlds",
    "WorldsContacts",
    "WorldsDistances",
    "WorldsStep",
    "audit",
    "check",
    "check_configurations",
    "closest_approach",
    "contact_geometry",
    "contact_triangles",
    "contains",
    "depth",
    "distance",
    "distance_many",
    "intersects",
    "intersects_many",
    "intersects_within",
    "joint_box",
    "overlap_volume",
    "self_contacts",
    "slack",
    "sweep",
    "time_of_impact",
    "verdict",
    "verdict_many",
]

__version__: str

# Names that people look for, and what they find.
_OTHER_NAMES = {
    "BVHModel": "CollisionMesh",
    "CollisionManager": "trimesh.CollisionManager",
    "Tree": "CollisionMesh",
}


def __getattr__(name: str) -> str:
    if name == "__version__":
        return _version_of("closefit")
    hint = f": use closefit.{_OTHER_NAMES[name]}" if name in _OTHER_NAMES else ""
    message = f"module 'closefit' has no attribute '{name}'{hint}"
    raise AttributeError(message)
