"""A problem as a page states it: its formulas in LaTeX, its inputs in words."""

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Statement:
    """What a reader has to know of a problem.

    Formulas are LaTeX without dollars, as far as `pilno_jax.runs.formulas` reads it.
    Every part may be left empty, which is the default.

    Args:
        title: the equation's name.
        equation: the equation.
        conditions: domain, initial and boundary conditions, values of constants.
        learned: what is mapped to what.
        law: where inputs come from, the end of a sentence that begins with "Inputs
            are"; formulas in it stand between dollars.
    """

    title: str = ""
    equation: str = ""
    conditions: str = ""
    learned: str = ""
    law: str = ""

    def with_constants(
        self, values: Sequence[str], inputs: Sequence[str]
    ) -> "Statement":
        """The statement with the values of constants, some of which are inputs.

        Args:
            values: each a formula.
            inputs: symbols of those that every sample has its own value of.
        """
        if not self.equation:
            return self
        conditions = r",\quad ".join([self.conditions, *values])
        before, arrow, after = self.learned.partition(r" \mapsto")
        joined = f"({', '.join([before, *inputs])})" if inputs else before
        learned = joined + arrow + after
        return dataclasses.replace(self, conditions=conditions, learned=learned)


UNSTATED = Statement()
