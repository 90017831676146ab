"""docs/reproduction.md, and the table of docs/hyperparameters.md:

python -m experiments.reproduction_report

from results/reproduction/*.json and the results of the benchmarks.
"""

from experiments.pages import as_printed_section, in_stages_section, reproduction_page
from experiments.paper import ARTIFACTS
from experiments.run.command import run_command
from pilno_jax.runs import files


def main(words: list[str]) -> None:
    del words
    artifacts = reproduction_page.read_artifacts()
    page, guide = reproduction_page.PAGE, reproduction_page.GUIDE
    as_printed = as_printed_section.read()
    in_stages = in_stages_section.read()
    files.write_text(page, reproduction_page.page(artifacts, as_printed, in_stages))
    files.write_text(guide, reproduction_page.in_guide(guide.read_text(), artifacts))
    print(f"{page}: {len(artifacts)} of {len(ARTIFACTS)} artifacts")


if __name__ == "__main__":
    run_command(main)
