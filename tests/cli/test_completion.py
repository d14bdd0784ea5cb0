import os
from typing import Any

import pytest

from mabench.data import BY_NAME
from mabench.export.exporting import Format
from mabench.injection import PROTOCOLS
from mabench.lookup import available
from mabench.settings import list_options
from mabench.specs import InjectionSpec, SweepSpec
from mabench_synthetic import DATASETS, DIFFICULTIES
from tests.cli.commands import COMMANDS
from tests.command_line import run_python

_SLOW = {"pyarrow", "scipy", "sklearn", "nltk", "mabench.runs", "mabench.reports"}
_SCRIPT = """
import sys
from typing import Any
sys.argv = ["mabench"]
from mabench.cli import main
try:
    main()
finally:
    print(*sorted({slow} & set(sys.modules)), file=sys.stderr)
"""


def _completed(line: str) -> tuple[list[str], str]:
    words = line.split(" ")
    told = {
        "_MABENCH_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = run_python(_SCRIPT.format(slow=_SLOW), env={**os.environ, **told})
    return done.stdout.split(), done.stderr.strip()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("mabench run bm", ["bm25"]),
        ("mabench run --source icl_bank", ["icl_banking77", "icl_banking77_5900shot_balance"]),
    ],
)
def test_a_shell_is_offered_values_quickly(line: str, offered: list[str]) -> None:
    assert _completed(line) == (offered, "")


def _offered(command: str, name: str, beginning: str = "") -> list[str]:
    param = next(param for param in COMMANDS[command].params if param.name == name)
    context = COMMANDS[command].make_context(command, [], resilient_parsing=True)
    return [item.value for item in param.shell_complete(context, beginning)]


def test_the_names_that_are_offered_are_those_that_there_are() -> None:
    assert _offered("run", "agent") == [agent.name for agent in available()]
    assert {*BY_NAME} < {*_offered("compare", "on")}
    assert {*_offered("run", "data")} == {"hub", *(f"synthetic:{name}" for name in DATASETS)}
    assert {*_offered("run", "layout")} == {"table", "markdown", "latex", "csv", "json"}
    settings: Any = {**list_options(InjectionSpec), **list_options(SweepSpec)}
    assert {*settings["protocol"].setting.choices} == {*PROTOCOLS}
    assert {*settings["difficulty"].setting.choices} == {*DIFFICULTIES}
    assert {*_offered("export", "to")} == {*Format}
    assert _offered("run", "layout", "c") == ["csv"]


def test_every_option_of_a_name_offers_names() -> None:
    named = {"--source", "--format", "--protocol", "--executor", "--difficulty", "--to", "--score"}
    for name, command in COMMANDS.items():
        for param in command.params:
            if named & {*param.opts} or param.metavar in ("DATA", "AGENT"):
                assert param._custom_shell_complete is not None, (name, param.opts)
