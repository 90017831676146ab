"""Write the executable documents as notebooks, into notebooks/:

python -m experiments.notebooks

The documents are the source: change them, and run this again.
"""

from pathlib import Path

from experiments.pages.notebook import notebook
from experiments.run.command import run_command

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
DOCUMENTS = (
    *("first_steps", "your_own_pde", "reusing_losses"),
    *("inverse_problem", "parameters", "systems"),
)


def main(words: list[str]) -> None:
    del words
    FOLDER.mkdir(exist_ok=True)
    for name in DOCUMENTS:
        path = FOLDER / f"{name}.ipynb"
        path.write_text(content(name))
        print(path.relative_to(ROOT))


def content(name: str) -> str:
    """Of a document in docs/."""
    source = f"docs/{name}.md"
    return notebook((ROOT / source).read_text(), source)


if __name__ == "__main__":
    run_command(main)
