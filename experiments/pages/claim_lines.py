"""How pages tell what became of the paper's claims."""

from collections.abc import Sequence

from experiments.paper.artifact import BETTER, NOT_REPRODUCED, REPRODUCED, Claim


def counted(verdicts: Sequence[str]) -> str:
    """How many claims were tested, and how many of them have each verdict."""
    kinds = (BETTER, REPRODUCED, NOT_REPRODUCED)
    each = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in kinds)
    return f"{len(verdicts)} claims tested: {each}"


def line(claim: Claim) -> str:
    """Verdict, sentence, and what was found."""
    return f"- **{claim.verdict}**: {claim.sentence} Found: {claim.found}."


def as_printed(again: Sequence[Claim]) -> str:
    """What became of a claim that the paper's own recipes were judged by too."""
    verdicts = " and ".join(dict.fromkeys(claim.verdict for claim in again))
    return f" As printed: {verdicts}." if again else ""
