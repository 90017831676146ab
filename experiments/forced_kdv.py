"""The forced KdV equation, forcing and initial/boundary data -> u(x, t):

python -m experiments.forced_kdv --config=configs/forced_kdv.py
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("forced_kdv", "configs/forced_kdv.py")
