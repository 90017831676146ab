"""The command `experiments.burgers` without figures, which cost more than a tiny run.

A process that runs it does everything else that the command does.
"""

import sys
import types

from experiments.run.entry import launch

no_figures = types.ModuleType("experiments.run.figures")
no_figures.draw_all = lambda *_: ([], [])  # type: ignore[attr-defined]

if __name__ == "__main__":
    sys.modules[no_figures.__name__] = no_figures
    launch("burgers", "configs/burgers.py")
