#!/usr/bin/env bash
# The numbers of a machine that we have not measured, in one archive to send back:
#
#     sbatch jobs/first_gpu_run.sh            # or, without SLURM, jobs/first_gpu_run.sh
#
# An hour or less on one GPU. docs/scaling.md says what is in the archive. The first
# argument names another folder than measured/. DRY_RUN=1 prints the commands alone.
#
#SBATCH --job-name=pilno-measure
#SBATCH --time=02:00:00
#SBATCH --gpus=1
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --output=%x-%j.log

set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-$(dirname "$0")/..}"
folder=${1:-measured}

run() {
    printf '%s\n' "$*"
    [[ -n "${DRY_RUN:-}" ]] || "$@"
}

run mkdir -p "$folder"
for benchmark in train_step scaling inference; do
    run python -m "benchmarks.$benchmark" --output="$folder/$benchmark.json"
done
for experiment in burgers darcy; do
    run python -m "experiments.$experiment" --workdir="$folder/$experiment"
done
run tar --exclude=checkpoints -czf "$folder.tar.gz" "$folder"
