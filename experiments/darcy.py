"""Darcy flow, a -> u(x, y):

python -m experiments.darcy --config=configs/darcy.py --workdir=runs/darcy
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("darcy", "configs/darcy.py")
