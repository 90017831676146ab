"""Scripts outside this repository know the numbers: they must not change."""

from experiments.run import exit_codes


def test_the_numbers_scripts_rely_on():
    assert exit_codes.listed() == (
        "0 done, 1 failed, 2 wrong config, 3 diverged, 75 interrupted"
    )
    codes = exit_codes.DONE, exit_codes.FAILED, exit_codes.WRONG_CONFIG
    assert codes == (0, 1, 2)
    assert (exit_codes.DIVERGED, exit_codes.INTERRUPTED) == (3, 75)
