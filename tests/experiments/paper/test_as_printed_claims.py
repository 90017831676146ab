"""Claims are judged by trainings that have a test error, and as the paper means."""

import pytest

from experiments.paper import as_printed_claims, printed
from experiments.paper.artifact import BETTER, NOT_REPRODUCED, REPRODUCED
from experiments.paper.as_printed import EPOCHS, trainings


def rows(**errors):
    each = {"error": None, "finished": False, "epochs": 0.0}
    every = {one.name: {"name": one.name, **each} for one in trainings()}
    for name, error in errors.items():
        every[name] |= {"error": error, "finished": True}
    return list(every.values())


def verdicts(**errors):
    found = as_printed_claims.claims(rows(**errors))
    return {claim.sentence: claim.verdict for claim in found}


def test_every_claim_speaks_of_trainings_that_are_as_long_as_printed():
    long = {one.name for one in trainings() if one.epochs == EPOCHS}
    judged = as_printed_claims.claims(rows(**dict.fromkeys(long, 1.0)))
    assert not as_printed_claims.not_tested(rows(**dict.fromkeys(long, 1.0)))
    assert len(as_printed_claims.not_tested(rows())) == len(judged) > 10


@pytest.mark.parametrize(
    ("share", "verdict"),
    [(0.9, BETTER), (1.29, REPRODUCED), (1.31, NOT_REPRODUCED)],
)
def test_a_printed_error_is_reached_within_30_percent(share, verdict):
    error = share * printed.FEW_LABELS["burgers"].pilno
    assert list(verdicts(Burgers=error).values()) == [verdict]


def test_a_training_that_was_cut_off_late_says_when():
    known = rows(**{"Burgers": 5e-3, "Burgers, no TCW": 1e-2})
    for row in known:
        if row["name"] == "Burgers":
            row |= {"finished": False, "epochs": 740.4}
    found = {claim.sentence: claim.found for claim in as_printed_claims.claims(known)}
    (tcw,) = (text for sentence, text in found.items() if "TCW" in sentence)
    assert tcw.endswith(f"a factor of 2.0, after 740 of {EPOCHS} epochs")


@pytest.mark.parametrize("without", [1e-2, 2e-3])
def test_weights_in_time_help_if_the_error_is_lower_with_them(without):
    found = verdicts(**{"Burgers": 5e-3, "Burgers, no TCW": without})
    sentence = next(one for one in found if "TCW" in one)
    assert found[sentence] == (REPRODUCED if without > 5e-3 else NOT_REPRODUCED)


def test_networks_are_ordered_by_their_means_over_seeds():
    names = as_printed_claims.backbones(20, (0, 1, 2))
    rising = [1e-3, 5e-3, 1e-3, 4e-3, 4e-3, 4e-3, 9e-3, 9e-3, 9e-3]
    (kind,) = verdicts(**dict(zip(names, rising, strict=True))).values()
    assert kind == BETTER  # and below what is printed of ALNO
    swapped = [*rising[3:6], *rising[:3], *rising[6:]]
    (kind,) = verdicts(**dict(zip(names, swapped, strict=True))).values()
    assert kind == NOT_REPRODUCED
