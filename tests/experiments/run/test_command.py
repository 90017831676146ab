"""What a command says when its command line is not complete."""

from absl import flags

from experiments.run import command
from experiments.run.exit_codes import WRONG_CONFIG


def test_missing_flags_are_listed_and_nothing_else(monkeypatch, capsys):
    values = flags.FlagValues()
    for name in ("whence", "whither"):
        flags.DEFINE_string(name, None, "A folder.", flag_values=values, required=True)
    monkeypatch.setattr(command.flags, "FLAGS", values)
    assert command.answer(lambda words: 0, ["program"]) == WRONG_CONFIG
    assert capsys.readouterr().err == "error: missing: --whence, --whither\n"
