"""How well the residual of a prediction tells its error:

python -m experiments.calibrate --workdir=runs/burgers

Calibrates on one half of fresh labelled inputs, judges on the other, and draws
figures/calibration.png in the workdir. The run keeps the error bar of these inputs:
`pilno_jax.load` reads it, also where the run had too few validation inputs for one.
With --change, inputs of another law are judged, and nothing is kept. The figure of a
shipped operator, --workdir=burgers, is drawn where the command is started.
"""

from pathlib import Path

from absl import flags

from experiments.run import calibration, other_law, outputs, trained_run_flags
from experiments.run.command import run_command
from experiments.run.open_run import open_run
from pilno_jax.runs import environment, files
from pilno_jax.runs.run_folder import RunFolder

# Each half needs the three samples that a line and its spread are fitted to.
WORKDIR, OUTPUT = trained_run_flags.define(count=200, at_least=6)
flags.adopt_module_key_flags(trained_run_flags)


def main(words: list[str]) -> None:
    del words
    output = outputs.require_file("output", OUTPUT.value) if OUTPUT.value else None
    folder = RunFolder(Path(WORKDIR.value))
    own = folder.config.is_file()
    run, test = other_law.from_flags(open_run(WORKDIR.value))
    figures = folder.figures if own else Path()
    outputs.require_writable(figures)
    answers = calibration.answered(run, test)
    law = calibration.power_law(answers, figures / "calibration.png")
    print(*(f"{name} {value:.3g}" for name, value in law.items()))
    print(f"drawn: {figures / 'calibration.png'}")
    summary = {**law, "error_bar": None}
    if made := calibration.error_bar(answers):
        bar, summary["error_bar"] = made
        share = f"{made[1]['coverage']:.0%} of the judged inputs stay below its bound"
        if own and not flags.FLAGS.change:
            files.write_json(folder.error_bar, bar.to_dict())
            print(f"kept: {folder.error_bar}; {share}")
    if output:
        about = {"trained": run.config, "change": flags.FLAGS.change}
        content = {**about, **summary, **environment.environment()}
        files.write_json(output, content)


if __name__ == "__main__":
    run_command(main)
