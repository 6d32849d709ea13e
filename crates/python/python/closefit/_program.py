"""The program ``closefit``, as a console script."""

import signal
import sys


def main() -> int:
    """Run the program with the arguments of the process, and return its exit status."""
    # Until the program heeds signals itself, Ctrl-C ends the process without a traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from closefit._closefit import run_program

    return run_program(sys.argv)
