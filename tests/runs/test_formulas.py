"""The LaTeX of problems, as pages and tables show it."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from pilno_jax import problems
from pilno_jax.runs import formulas

STATED = [
    *({"name": name} for name in problems.FACTORIES),
    {"name": "reaction_diffusion", "task": "ic"},
    {"name": "duffing", "law": "random"},
    {"name": "darcy", "boundary_sigma": 0.01},
    {"name": "darcy", "boundary_sigma": 0.2, "boundary": "neumann"},
    {"name": "reaction_diffusion", "boundary_sigma": 0.2},
]


def test_a_formula_has_its_elements():
    math = ElementTree.fromstring(formulas.mathml(r"u_t = \nu\,u_{xx} - 2.5u^2"))
    (row,) = math
    assert [part.tag for part in row][:3] == ["msub", "mo", "mi"]
    words = ["".join(part.itertext()) for part in row]
    assert words == ["ut", "=", "ν", "", "uxx", "−", "2.5", "u2"]


def test_a_minus_knows_whether_it_is_a_sign():
    row = ElementTree.fromstring(formulas.mathml("[-5, a - 5]"))[0]
    forms = [part.get("form") for part in row if part.text == "−"]
    assert forms == ["prefix", None]


def test_a_formula_has_a_line_of_text():
    latex = r"-\nabla \cdot (a\,\nabla u) = k\,u^2 - u_{xx}\text{, say}"
    assert formulas.text(latex) == "−∇·(a ∇u) = k u² − u_xx, say"
    assert formulas.with_formulas("less than $u_0$ & more", formulas.text) == (
        "less than u₀ & more"
    )
    assert "&amp; more" in formulas.with_formulas("less than $u_0$ & more")


@pytest.mark.parametrize("latex", [r"\frac{a}{b}", "a}", "ü"])
def test_what_is_not_known_is_said(latex):
    with pytest.raises(ValueError, match="formula"):
        formulas.mathml(latex)


@pytest.mark.parametrize("options", STATED)
def test_what_problems_state_can_be_shown(options):
    statement = problems.make(**options).statement
    for latex in (statement.equation, statement.conditions, statement.learned):
        assert latex
        ElementTree.fromstring(formulas.mathml(latex))
        assert not re.search(r"[\\{}$]", formulas.text(latex))
    law = formulas.with_formulas(statement.law)
    assert statement.title and law and "$" not in law
