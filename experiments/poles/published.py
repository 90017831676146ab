"""Errors of LNO and FNO on LNO's oscillators, as others measured them again.

With the authors' code and data (arXiv 2511.11762, arXiv 2503.13158): mean relative L2
error on f = A e^{-0.05 t} sin 5t after training on f = A sin 5t. FNO with one layer and
four modes, which do not reach the forcing's frequency.
"""

from typing import NamedTuple

STRONGEST = 9.09  # A of their test forcings; those of training reach 10, as ours do


class Reruns(NamedTuple):
    """lno: of two re-runs; fno: of one."""

    lno: tuple[float, float]
    fno: float


RERUNS = {
    "Duffing, c = 0": Reruns((0.278, 0.177), 0.577),
    "Duffing, c = 0.5": Reruns((0.137, 0.135), 0.155),
    "pendulum, c = 0": Reruns((0.196, 0.187), 0.598),
    "pendulum, c = 0.5": Reruns((0.133, 0.167), 0.195),
    "Lorenz, rho = 5": Reruns((0.0087, 0.027), 0.083),
    "Lorenz, rho = 10": Reruns((0.302, 0.211), 0.368),
}
