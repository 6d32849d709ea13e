"""The exception for input that closefit refuses."""

from __future__ import annotations

from operator import index
from typing import Any


class ClosefitError(ValueError):
    """Refused input: one line that names what is wrong.

    Attributes
    ----------
    file : str or None
        The file that is wrong.
    part : str or None
        The part that is wrong.
    key : str or None
        The argument, or the key in a file, that is wrong, such as ``poses_b[17]``.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        part: str | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.part = part
        self.key = key


def whole_number(key: str, value: Any, *, least: int = 0, most: int | None = None) -> int:
    """Return a whole number that is an argument, or refuse it."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        wanted = f"of {least} or more" if most is None else f"from {least} to {most}"
        raise ClosefitError(f"{key}: {value!r} is not a whole number {wanted}", key=key)
    return number
