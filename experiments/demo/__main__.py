"""Draw an input, see what a trained operator makes of it:

python -m experiments.demo                            # the operators that are shipped
python -m experiments.demo --workdir=runs/burgers     # one of your own, and them
python -m experiments.demo --problem=darcy            # begins with that one
python -m experiments.demo --static=page              # as files, without a server

Then open the address it prints; --open does it for you. Prediction, reference and the
operator's own idea of its error follow as you draw. Only this machine can reach the
page. Ctrl-C ends it.

With --static the operators run in the browser: any host may serve the folder, also
`python -m http.server --directory=page`. It needs pip install "pilno-jax[onnx]".
"""

import threading
import webbrowser
from pathlib import Path

from absl import flags

import pilno_jax
from experiments.demo import browser_runtime, static_page
from experiments.demo.server import DemoServer, require_free, serve
from experiments.demo.shelf import shelf_of
from experiments.run import outputs
from experiments.run.command import run_command
from experiments.run.open_run import open_run, silence_orbax
from pilno_jax.checks import ArgumentError, require, require_choice

WORKDIR = flags.DEFINE_multi_string(
    "workdir", [], "A trained run to show beside the shipped ones; may be repeated."
)
PROBLEM = flags.DEFINE_string("problem", None, "The operator that is shown first.")
OPEN = flags.DEFINE_boolean("open", False, "Open the page in the browser.")
PORT = flags.DEFINE_integer(
    "port", 8000, "Of the page; 0 takes a free one.", lower_bound=0, upper_bound=65535
)
STATIC = flags.DEFINE_string("static", None, "A folder to write the page to instead.")
RUNTIME = flags.DEFINE_string(
    "runtime", None, f"{browser_runtime.NAME} for --static; else it is downloaded."
)


def main(words: list[str]) -> None:
    del words
    own = {Path(folder).name: folder for folder in WORKDIR.value}
    others = {name: name for name in pilno_jax.shipped() if name not in own}
    names = [*own, *others]
    first = PROBLEM.value or names[0]
    require_choice("problem", first, names)
    workdirs = {first: {**own, **others}[first], **own, **others}
    allowed = "no runtime unless --static is given"
    require(bool(STATIC.value) or not RUNTIME.value, "runtime", RUNTIME.value, allowed)
    if STATIC.value:
        write(outputs.require_folder("static", STATIC.value), workdirs)
        return
    require_free(PORT.value)
    silence_orbax()
    try:
        shelf = shelf_of({**own, **others})
    except FileNotFoundError as error:
        raise ArgumentError(f"workdir: {error}") from error
    # Compiled while the page is being opened.
    threading.Thread(target=shelf.about, args=[first], daemon=True).start()
    show(serve(shelf, PORT.value), first)


def write(folder: Path, workdirs: dict[str, str]) -> None:
    """The page as files; an operator that ONNX has no form of is left out."""
    runtime = browser_runtime.archive_bytes(RUNTIME.value)
    outputs.require_writable(folder)
    static_page.write_page(folder, runtime)
    titles = {}
    for name, workdir in workdirs.items():
        try:
            titles[name] = static_page.write_operator(folder / name, open_run(workdir))
            print(f"written: {folder / name}", flush=True)
        except NotImplementedError as reason:
            print(f"left out: {name}. {reason}", flush=True)
        static_page.write_list(folder, titles)
    print(f"serve it: python -m http.server --directory={folder}")


def show(server: DemoServer, first: str) -> None:
    """Until Ctrl-C."""
    address = f"http://127.0.0.1:{server.server_port}/#{first}"
    print(f"open {address}  (Ctrl-C ends)", flush=True)
    if OPEN.value:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()


if __name__ == "__main__":
    run_command(main)
