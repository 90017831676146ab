"""Pages of the site that are not files of docs/, for mkdocs (see mkdocs.yml).

The README is the front page, CONTRIBUTING and CHANGELOG are pages, every package of the
library has a page of its API, and the files that pages link to come along. Links are
written for readers of the repository; here they are turned to where the site has them.
"""

import ast
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "pilno_jax"
MOVED = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}


def on_config(config: Any) -> Any:
    """Append the reference to the navigation: the library itself, then its packages."""
    pages = [{name: f"api/{name}.md"} for name in ("pilno_jax", *packages())]
    config.nav.append({"API": pages})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that do not lie in docs/, the citation and the results."""
    for page, source in MOVED.items():
        text = site_links((ROOT / source).read_text())
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "api/pilno_jax.md", content=library_page()))
    for name in packages():
        files.append(
            File.generated(config, f"api/{name}.md", content=package_page(name))
        )
    for path in (ROOT / "CITATION.cff", *sorted((ROOT / "results").glob("*.json"))):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text()
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    return site_links(markdown)


def packages() -> list[str]:
    """The packages of the library, by name."""
    return sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def library_page() -> str:
    """The library's own sentences, and the modules that belong to no package."""
    modules = [path.stem for path in sorted(PACKAGE.glob("[!_]*.py"))]
    return reference(PACKAGE, [f"pilno_jax.{name}" for name in modules])


def package_page(name: str) -> str:
    """A package: what its own file has, then its public modules, folders included."""
    names = []
    for path in sorted((PACKAGE / name).rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") for part in parts):
            names.append(".".join(parts))
    return reference(PACKAGE / name, sorted(names)[1:])


def reference(package: Path, modules: list[str]) -> str:
    """A page of mkdocstrings' directives: the package, then modules one by one.

    Of the package itself only what its own file defines: what it re-exports has its
    place in a module.
    """
    name = ".".join(package.relative_to(PACKAGE.parent).parts)
    definitions = ast.parse((package / "__init__.py").read_text()).body
    kinds = (ast.FunctionDef, ast.ClassDef)
    public = [
        node.name
        for node in definitions
        if isinstance(node, kinds) and not node.name.startswith("_")
    ]
    members = f"[{', '.join(public)}]" if public else "false"
    options = f"{{show_root_heading: false, members: {members}}}"
    page = f"# {name}\n\n::: {name}\n    options: {options}\n"
    return page + "".join(f"\n::: {module}\n" for module in modules)


def site_links(markdown: str) -> str:
    """Links between files of the repository, as links between pages of the site."""
    for page, source in MOVED.items():
        markdown = re.sub(rf"\]\((\.\./)?{re.escape(source)}", f"]({page}", markdown)
    markdown = re.sub(r"\]\(\.\./results/", "](results/", markdown)
    return re.sub(r"\]\(docs/", "](", markdown)
