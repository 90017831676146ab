"""Reaction-diffusion, f -> u(x, t) (Task B) or, with rd_ic.py, u0 -> u (Task A):

python -m experiments.reaction_diffusion --config=configs/rd_forcing.py
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("reaction_diffusion", "configs/rd_forcing.py")
