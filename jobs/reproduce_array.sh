#!/usr/bin/env bash
# Every run behind every table and figure, shared out among the tasks of an array:
#
#     sbatch --array=0-19 jobs/reproduce_array.sh --protocol=paper
#
# Submit it from the repository, with the environment activated. Arguments are handed on
# to experiments.reproduce. Runs that are finished are left alone, so a later submission,
# also with another number of tasks, does only what is missing; the tables themselves are
# written by whoever finds all their runs, at the latest by the command without --shard.
#
#SBATCH --job-name=pilno-reproduce
#SBATCH --array=0-19
#SBATCH --time=04:00:00
#SBATCH --gpus=1
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --output=%x-%A_%a.log
# A requeued task goes on writing where it stopped.
#SBATCH --open-mode=append
#SBATCH --requeue
# Five minutes before the limit, enough for the run at hand to save itself.
#SBATCH --signal=USR1@300

set -euo pipefail
# SLURM runs a copy of this file: what stands beside it is found from the repository.
cd "${SLURM_SUBMIT_DIR:-$(dirname "$0")/..}"
source jobs/requeue.sh

shard="$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
run_or_requeue srun python -m experiments.reproduce \
    --artifact=all --shard="$shard" "$@"
