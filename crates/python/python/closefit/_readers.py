"""Readers of STEP and USD: a process of their own, which the library starts.

The arguments are the kind of the file, limits of memory in bytes and of time in seconds, and what
the kind says. The file comes on stdin. The answer goes to stdout: the length of a JSON value as
eight bytes, that value, ``{"read": ...}`` or ``{"refused": "why"}``, and the bytes that follow it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

# Address space that the interpreter, its libraries and their threads take before any file.
_OF_PROGRAM = 8 << 30


class RefusedError(Exception):
    """A file that cannot be read: one line."""


Read = tuple[dict[str, Any], bytes]


def _step(argument: str) -> Read:
    from closefit._step import read

    return read(sys.stdin.buffer.read(), float(argument))


def _usd(argument: str) -> Read:
    from closefit._usd import read

    return read(sys.stdin.buffer.read(), argument)


_READERS: dict[str, Callable[[str], Read]] = {"step": _step, "usd": _usd}


def _answer(kind: str, argument: str) -> tuple[dict[str, Any], bytes]:
    try:
        value, rest = _READERS[kind](argument)
    except ModuleNotFoundError:
        return {"refused": f'{kind.upper()} needs a package: pip install "closefit[{kind}]"'}, b""
    except RefusedError as why:
        return {"refused": " ".join(str(why).split())}, b""
    except MemoryError:
        return {"refused": "it takes too much memory"}, b""
    return {"read": value}, rest


def _limit(memory: int, seconds: int) -> None:
    """End this process if it takes too much, or if the one that asks has gone."""
    if sys.platform == "linux":
        import ctypes

        to_parents_death = 1
        ctypes.CDLL(None).prctl(to_parents_death, signal.SIGKILL)
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds + 10)
        import resource

        most = min(memory, 1 << 60) + _OF_PROGRAM
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def main() -> None:
    """Answer one question."""
    kind, memory, seconds, argument = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What the packages print is not for users.
    answer = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    _limit(int(memory), int(seconds))
    value, rest = _answer(kind, argument)
    text = json.dumps(value).encode()
    for part in (len(text).to_bytes(8, "little"), text, rest):
        answer.write(part)
    answer.close()
    # Nothing of the packages is torn down: that is where some crash.
    os._exit(0)


if __name__ == "__main__":
    # The readers raise the exception of the module of this name.
    from closefit import _readers

    _readers.main()
