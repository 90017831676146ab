#!/usr/bin/env bash
# One training on a TPU slice, from a machine with gcloud:
#
#     TPU_NAME=mine ZONE=europe-west4-b BUCKET=gs://somewhere \
#         jobs/tpu_vm.sh burgers --config.devices=4
#
# The slice exists and has this repository in ~/pilno_jax, installed with jax[tpu]:
#
#     gcloud compute tpus tpu-vm create "$TPU_NAME" --zone="$ZONE" \
#         --accelerator-type=v5litepod-16 --version=v2-alpha-tpuv5-lite
#
# Every host of the slice runs the same command and JAX finds the others by itself.
# --config.devices counts the chips of one host: 4 on most slices. Hosts share no disk,
# so the bucket is mounted on each of them. A slice that was preempted and made again
# goes on with the same command; exit code 75 says that it should.
# DRY_RUN=1 prints the command in place of running it.

set -euo pipefail
: "${TPU_NAME:?the name of the slice}" "${ZONE:?its zone}" "${BUCKET:?gs://...}"
experiment=${1:?which experiment? for example: burgers, darcy, navier_stokes}
shift

remote="set -e; mkdir -p ~/runs; mountpoint -q ~/runs || gcsfuse ${BUCKET#gs://} ~/runs"
remote+="; cd ~/pilno_jax; python -m experiments.$experiment --distributed"
remote+=" --workdir=\$HOME/runs/$experiment --cache=\$HOME/cache"
(($# == 0)) || remote+=" $(printf '%q ' "$@")"

command=(
    gcloud compute tpus tpu-vm ssh "$TPU_NAME" --zone="$ZONE" --worker=all
    --command="$remote"
)
if [[ -n "${DRY_RUN:-}" ]]; then
    printf '%s\n' "${command[*]}"
else
    "${command[@]}"
fi
