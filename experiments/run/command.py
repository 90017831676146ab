"""How every command but the trainer starts and ends, by the trainer's own rules.

A slip of the user is one line and exit code 2, trouble with files one line and exit
code 1, Ctrl-C is quiet. Any other error is a bug, and keeps its traceback.
"""

import re
import sys
from collections.abc import Callable

from absl import flags

from experiments.run import exit_codes
from experiments.run.compiled_programs import keep_programs
from pilno_jax.checks import ArgumentError

HELP = {"--help", "-help", "-h", "--helpshort", "--helpfull"}


def run_command(
    main: Callable[[list[str]], int | None], takes_words: bool = False
) -> None:
    """Do what the command line asks for, and exit.

    Args:
        main: given the words of the command line that are no flags; it returns an exit
            code, or None for success.
        takes_words: whether there may be such words. Default: flags alone are taken.
    """
    sys.exit(answer(main, sys.argv, takes_words))


def answer(
    main: Callable[[list[str]], int | None], argv: list[str], takes_words: bool = False
) -> int:
    """The exit code of a command line, `argv`, whose first entry is the program."""
    if HELP & set(argv):
        print(f"{sys.modules['__main__'].__doc__}\n{flags.FLAGS.main_module_help()}")
        return exit_codes.DONE
    try:
        words = flags.FLAGS(argv)[1:]
        if words and not takes_words:
            text = f"unexpected argument {words[0]!r}: flags start with --"
            raise ArgumentError(text)
        keep_programs()
        return main(words) or exit_codes.DONE
    except (ArgumentError, flags.Error) as error:
        missing = re.findall(r"Flag (--\w+) must have a value", str(error))
        return complain(f"missing: {', '.join(missing)}" if missing else str(error))
    except (OSError, ImportError) as error:
        return fail(f"{type(error).__name__}: {error}")
    except KeyboardInterrupt:
        return exit_codes.STOPPED


def complain(text: str) -> int:
    """A user's slip: one line, and the exit code for it."""
    print(f"error: {' '.join(text.split())}", file=sys.stderr)
    return exit_codes.WRONG_CONFIG


def fail(text: str) -> int:
    """What the user could not know, such as a full disk: one line, and its code."""
    print(f"error: {' '.join(text.split())}", file=sys.stderr)
    return exit_codes.FAILED
