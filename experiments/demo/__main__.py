"""Draw an input, see what a trained operator makes of it:

python -m experiments.demo --workdir=runs/burgers

Then open the address it prints. Prediction, reference and residual are computed as you
draw. Only this machine can reach the page. Ctrl-C ends it.
"""

from absl import flags

from experiments.demo.answers import Answers
from experiments.demo.server import require_free, serve
from experiments.run.command import run_command
from experiments.run.open_run import open_run

WORKDIR = flags.DEFINE_string("workdir", None, "A trained run.", required=True)
PORT = flags.DEFINE_integer(
    "port", 8000, "Of the page; 0 takes a free one.", lower_bound=0, upper_bound=65535
)


def main(words: list[str]) -> None:
    del words
    require_free(PORT.value)
    run = open_run(WORKDIR.value)
    print("compiling ...", flush=True)
    server = serve(Answers(run), PORT.value)
    print(f"open http://127.0.0.1:{server.server_port}  (Ctrl-C ends)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()


if __name__ == "__main__":
    run_command(main)
