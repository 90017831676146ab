"""Vorticity in the plane, u0 -> u(x, y, t):

python -m experiments.navier_stokes --config=configs/navier_stokes.py
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("navier_stokes", "configs/navier_stokes.py")
