"""Any config, of the ones in configs/ or your own:

python -m experiments.train --config=configs/burgers.py --workdir=runs/burgers
"""

from experiments.run.entry import launch

if __name__ == "__main__":
    launch("train")
