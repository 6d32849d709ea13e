"""The exception for input that closefit refuses."""

from __future__ import annotations


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
