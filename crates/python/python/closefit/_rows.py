"""What was found at many configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Rows:
    """What a check at many configurations has found, in the order of rows.

    Attributes
    ----------
    verdicts : ndarray of str, shape (n,)
        The worst verdict of each row: 'clash', 'meets', 'undecided', 'contact', 'clearance',
        'clear', or 'error' for a row that is wrong.
    distances : ndarray of float64, shape (n,)
        The smallest distance of the listed pairs of each row; NaN if none is listed.
    pairs : structured ndarray
        The pairs that are not clear, row by row, with the fields ``row``, ``a`` and ``b``, the ids
        of the parts, ``verdict``, ``distance``, and ``depth_at_least`` and ``depth_at_most``,
        which are NaN where there is no depth.
    errors : dict of int to str
        Why rows are wrong, by their numbers.
    """

    verdicts: NDArray[np.str_]
    distances: NDArray[np.float64]
    pairs: NDArray[np.void]
    errors: dict[int, str]

    def __init__(self, columns: Mapping[str, Any]) -> None:
        import numpy as np

        words = np.array(columns["words"])
        self.verdicts = words[columns["verdict"]]
        self.distances = columns["distance"]
        self.errors = dict(columns["errors"])
        fields = {
            "row": columns["pair_row"],
            "a": columns["pair_a"],
            "b": columns["pair_b"],
            "verdict": words[columns["pair_verdict"]],
            "distance": columns["pair_distance"],
            "depth_at_least": columns["pair_at_least"],
            "depth_at_most": columns["pair_at_most"],
        }
        kinds = [(name, values.dtype) for name, values in fields.items()]
        self.pairs = np.empty(len(columns["pair_row"]), dtype=kinds)
        for name, values in fields.items():
            self.pairs[name] = values

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.verdicts)

    def __repr__(self) -> str:
        return f"Rows({len(self)} rows, {len(self.pairs)} pairs listed, {len(self.errors)} errors)"
