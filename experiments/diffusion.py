"""The diffusion equation, u0 -> u(x, t):

python -m experiments.diffusion --config=configs/diffusion.py --workdir=runs/diffusion
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("diffusion", "configs/diffusion.py")
