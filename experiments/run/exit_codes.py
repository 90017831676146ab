"""How a command ends, as a number that scripts read (jobs/requeue.sh, for example)."""

DONE = 0
FAILED = 1  # also Python's own for an exception that nobody caught
WRONG_CONFIG = 2
DIVERGED = 3
INTERRUPTED = 75  # EX_TEMPFAIL: the same command goes on from what is saved
STOPPED = 130  # by Ctrl-C, with nothing to save: what shells say of SIGINT

MEANINGS = {
    DONE: "done",
    FAILED: "failed",
    WRONG_CONFIG: "wrong config",
    DIVERGED: "diverged",
    INTERRUPTED: "interrupted",
}


def listed() -> str:
    """All of them with their meanings, in a line."""
    return ", ".join(f"{code} {meaning}" for code, meaning in MEANINGS.items())
