r"""The little of LaTeX that a PDE is written in, as MathML for pages and as text.

    mathml(r"u_t + u\,u_x = \nu u_{xx}")
    text(r"u_t + u\,u_x = \nu u_{xx}")          # "u_t + u u_x = ν u_xx"

Known are letters, numbers, operators, _ and ^ with a letter or {group}, \text{...}, the
commands of `SYMBOLS` and the spaces "\,", "\ " and "\quad". Anything else is an error,
so that no page shows a backslash.
"""

import dataclasses
import html
import re
from collections.abc import Callable

from pilno_jax.checks import ArgumentError

SYMBOLS = {
    **{"alpha": "α", "beta": "β", "nu": "ν", "rho": "ρ", "sigma": "σ"},
    **{"ell": "ℓ", "pi": "π"},
    **{"Delta": "Δ", "nabla": "∇", "cdot": "·", "times": "×", "pm": "±"},
    **{"mapsto": "↦", "in": "∈", "to": "→", "le": "≤", "infty": "∞"},
}
IDENTIFIERS = frozenset("αβνρσℓπΔ")
# What a minus behind it is the sign of a number.
OPENING = frozenset(("operator", mark) for mark in "([,=")
SPACES = {",": 0.17, " ": 0.33, "quad": 1.0}  # in the width of an m
_TOKEN = re.compile(
    r"\\text\{(?P<words>[^}]*)\}|\\(?P<command>[a-zA-Z]+|[, ])"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<letter>[a-zA-Z])|(?P<mark>[{}_^])"
    r"|(?P<operator>[-+=()\[\],|/<>.'])|(?P<blank>\s+)"
)


@dataclasses.dataclass(frozen=True)
class Script:
    """A base with what stands below or above it."""

    base: "Part"
    mark: str
    script: "Part"


Token = tuple[str, str]  # a kind and its characters
Part = Token | Script | list["Part"]


def mathml(latex: str, *, block: bool = False) -> str:
    """A formula as a <math> element.

    Args:
        latex: the formula.
        block: whether it stands on a line of its own. Default: among words.
    """
    display = ' display="block"' if block else ""
    return f"<math{display}><mrow>{_each(_parsed(latex), _element)}</mrow></math>"


def text(latex: str) -> str:
    """A formula in one line of plain characters, as a table or a terminal has it."""
    line = _each(_parsed(latex), _characters)
    line = re.sub(r"\s*([=+→↦∈])\s*", r" \1 ", line.replace(",", ", "))
    line = re.sub(r"(?<=[\w²)])−", " − ", line)
    return re.sub(r"\s+", " ", line).strip()


def with_formulas(sentence: str, write: Callable[[str], str] = mathml) -> str:
    """A sentence whose formulas stand between dollars, as HTML or as plain text.

    Args:
        sentence: the sentence.
        write: `mathml`, the default, which escapes the words too, or `text`.
    """
    words, formulas = sentence.split("$")[::2], sentence.split("$")[1::2]
    escaped = [html.escape(part) for part in words] if write is mathml else words
    written = [*map(write, formulas), ""]
    return "".join(
        word + formula for word, formula in zip(escaped, written, strict=True)
    )


def _parsed(latex: str) -> list[Part]:
    parts, rest = _group(_tokens(latex))
    if rest:
        raise ArgumentError(f"formula {latex!r} has a closing brace too many")
    return parts


def _tokens(latex: str) -> list[Token]:
    tokens, place = [], 0
    while place < len(latex):
        match = _TOKEN.match(latex, place)
        known = match and (
            match.lastgroup != "command"
            or match["command"] in SYMBOLS
            or match["command"] in SPACES
        )
        if not (match and match.lastgroup and known):
            raise ArgumentError(f"formula {latex!r} is not understood at {place}")
        if match.lastgroup != "blank":
            kind, characters = match.lastgroup, match[match.lastgroup]
            signs = not tokens or tokens[-1] in OPENING
            kind = "sign" if characters == "-" and signs else kind
            tokens.append((kind, characters))
        place = match.end()
    return tokens


def _group(tokens: list[Token]) -> tuple[list[Part], list[Token]]:
    """Parts up to a closing brace or the end, and the tokens from there on."""
    parts: list[Part] = []
    while tokens and tokens[0] != ("mark", "}"):
        part, tokens = _part(tokens)
        if isinstance(part, tuple) and part[0] == "mark":
            script, tokens = _part(tokens)
            part = Script(parts.pop(), part[1], script)
        parts.append(part)
    return parts, tokens


def _part(tokens: list[Token]) -> tuple[Part, list[Token]]:
    first, rest = tokens[0], tokens[1:]
    if first != ("mark", "{"):
        return first, rest
    parts, rest = _group(rest)
    return parts, rest[1:]


def _each(parts: list[Part], write: Callable[[Part], str]) -> str:
    return "".join(map(write, parts))


def _element(part: Part) -> str:
    if isinstance(part, list):
        return f"<mrow>{_each(part, _element)}</mrow>"
    if isinstance(part, Script):
        tag = "msub" if part.mark == "_" else "msup"
        return f"<{tag}>{_element(part.base)}{_element(part.script)}</{tag}>"
    kind, characters = part
    if kind == "command" and characters in SPACES:
        return f'<mspace width="{SPACES[characters]}em"></mspace>'
    if kind == "words":
        # Spaces at its ends would be dropped.
        return f"<mtext>{html.escape(characters.replace(' ', chr(160)))}</mtext>"
    if kind == "number":
        return f"<mn>{characters}</mn>"
    symbol = SYMBOLS.get(characters, characters) if kind == "command" else characters
    symbol = "−" if symbol == "-" else symbol
    tag = "mi" if kind == "letter" or symbol in IDENTIFIERS else "mo"
    form = ' form="prefix"' if kind == "sign" else ""
    return f"<{tag}{form}>{html.escape(symbol)}</{tag}>"


def _characters(part: Part) -> str:
    if isinstance(part, list):
        return _each(part, _characters)
    if isinstance(part, Script):
        return _characters(part.base) + _scripted(part.mark, _characters(part.script))
    kind, characters = part
    if kind == "command":
        return " " if characters in SPACES else SYMBOLS[characters]
    return "−" if characters == "-" else characters


def _scripted(mark: str, script: str) -> str:
    """Digits have small forms of their own; letters keep the mark."""
    digits = {"_": "₀₁₂₃₄₅₆₇₈₉", "^": "⁰¹²³⁴⁵⁶⁷⁸⁹"}[mark]
    small = len(script) == 1 and script.isdigit()
    return digits[int(script)] if small else mark + script
