"""The Brusselator, (u0, v0) -> (u, v), in x or, with brusselator_2d.py, in the plane:

python -m experiments.brusselator --config=configs/brusselator.py
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("brusselator", "configs/brusselator.py")
