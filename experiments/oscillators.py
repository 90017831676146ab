"""Driven oscillators, f(t) -> x(t): Duffing's, a pendulum, Lorenz' system:

python -m experiments.oscillators --config=configs/duffing.py --workdir=runs/duffing
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("oscillators", "configs/duffing.py")
