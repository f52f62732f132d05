"""The command line, in this process."""

import signal
import sys

from kiln import _kiln


def main() -> int:
    # Python's handler would run only after the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _kiln.command(["kiln", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
