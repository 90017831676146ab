#!/usr/bin/env bash
# One training on the GPUs of several nodes:
#
#     sbatch --nodes=4 jobs/train_nodes.sh darcy --config=configs/darcy.py:paper \
#         --workdir=runs/darcy_4x4
#
# The first argument names the experiment, the others are its own. Workdir and cache must
# be on a file system that all nodes share: every process writes its part of a checkpoint
# and the first one everything else.
#
#SBATCH --job-name=pilno-train
#SBATCH --nodes=2
# One process per GPU, as JAX expects under SLURM, and each sees all GPUs of its node.
# So --config.devices, which counts a process' own devices, stays 1.
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --time=12:00:00
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
# The signal reaches every process; they agree on the step to stop at.
#SBATCH --signal=USR1@300

set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-$(dirname "$0")/..}"
source jobs/requeue.sh

experiment=${1:?which experiment? for example: burgers, darcy, navier_stokes}
shift
# Without --kill-on-bad-exit the others would wait for a process that has failed.
run_or_requeue srun --kill-on-bad-exit=1 python -m "experiments.$experiment" \
    --distributed "$@"
