"""Damped waves, f(x, t) -> u(x, t): a beam, the telegraph equation:

python -m experiments.waves --config=configs/beam.py --workdir=runs/beam
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("waves", "configs/beam.py")
