# Sourced by the SLURM scripts: run a command and, where it asks for more time, requeue.
#
# Exit code 75 means: interrupted, everything is saved, the same command goes on. Any
# other code is the job's own. DRY_RUN=1 prints the command in place of running it.
# shellcheck shell=bash

readonly INTERRUPTED=75

run_or_requeue() {
    if [[ -n "${DRY_RUN:-}" ]]; then
        printf '%s\n' "$*"
        return 0
    fi
    local code=0
    "$@" || code=$?
    if [[ $code -eq $INTERRUPTED ]]; then
        # The same job, or the same task of an array, goes back into the queue.
        scontrol requeue "$SLURM_JOB_ID"
        return 0
    fi
    return "$code"
}
