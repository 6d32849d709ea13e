"""Answers about robots and about room, as the program's documents."""

from __future__ import annotations

import json
from typing import Any

from closefit._closefit import EncounterFindings


class _Document:
    """A document of the program."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._values: dict[str, Any] = json.loads(text)

    def json(self) -> bytes:
        """Return the document, byte for byte as the program writes it."""
        return self._text

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the question."""
        settings: dict[str, Any] = self._values["settings"]
        return settings

    def _rows(self, key: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._values[key]
        return rows


class JointBox(_Document):
    """Which parts of a robot can meet, over all configurations within ranges."""

    def __init__(self, found: EncounterFindings) -> None:
        super().__init__(found.json())
        self._found = found

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """The pairs, with ``encounter``: 'never', 'always', 'sometimes' or 'unknown'."""
        return self._rows("pairs")

    def srdf(self, name: str = "robot", *, visual_geometry: bool = False) -> bytes:
        """Return an SRDF that disables the pairs of links that never meet, or always, for planners.

        Planners look at collision geometry. If the robot has any, read the scene with
        ``collision_geometry=True``: visual meshes are an error then. Links with shapes that were
        not read have no line. A range that is smaller than the limits of its joint is an error.

        Parameters
        ----------
        name : str
            The name of the robot in it.
        visual_geometry : bool
            Whether to accept visual meshes of a robot that has collision geometry.

        Returns
        -------
        bytes
        """
        return self._found.srdf(name, visual_geometry)

    def __repr__(self) -> str:
        return f"JointBox({len(self.pairs)} pairs)"


class Audit(_Document):
    """The collision geometry of a robot's links against their visual geometry, and its SRDF."""

    @property
    def links(self) -> list[dict[str, Any]]:
        """A link each: brackets of ``protrusion`` and ``gap``, and numbers of its shapes."""
        return self._rows("links")

    @property
    def never(self) -> list[dict[str, Any]]:
        """The lines of the SRDF with the reason Never: 'proven', 'false' or 'open'."""
        lines: list[dict[str, Any]] = (self._values.get("srdf") or {}).get("never", [])
        return lines

    def __repr__(self) -> str:
        return f"Audit({len(self.links)} links)"


class Slack(_Document):
    """The clearance travel of parts: how far each can move alone."""

    @property
    def parts(self) -> list[dict[str, Any]]:
        """A part each: its margin, and its room along and about each axis, both ways."""
        return self._rows("slack")

    def __repr__(self) -> str:
        return f"Slack({len(self.parts)} parts)"
