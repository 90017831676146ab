"""Entry points: short scripts over the library, which never imports them."""

import sys
from typing import Any


def quiet_interrupt(kind: type[BaseException], *about: Any) -> None:
    """Ctrl-C has no traceback, at no moment: not while modules are imported either."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, *about)


if sys.argv[0] == "-m":  # while Python looks for the module of `python -m`
    sys.excepthook = quiet_interrupt
