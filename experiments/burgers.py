"""Burgers' equation, u0 -> u(x, t):

python -m experiments.burgers --config=configs/burgers.py --workdir=runs/burgers
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("burgers", "configs/burgers.py")
