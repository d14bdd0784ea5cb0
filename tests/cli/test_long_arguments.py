"""No argument of any command ends in a traceback, or is repeated where it fills screens."""

import sys
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import MabenchError, UsageError
from mabench.lookup import resolve
from mabench.printable import shorten
from mabench.specs import AgentSpec
from tests.cli.commands import COMMANDS
from tests.command_line import mabench as run_command

_LONG = 100_000
_ARGUMENTS = ["x" * _LONG, "x y" * (_LONG // 3), "/".join(["d" * 50] * (_LONG // 51))]
_MOST_SAID = 2_100  # With the option that is wrong and the program before it.
# What other arguments that a command needs may be; the rest name what is not there.
_NEEDED = {"knob": "tokens=6k,8k", "to": "csv"}


def _options() -> dict[str, list[Any]]:
    """Return what each command is tried with: an option of several is tried in one of them."""
    tried: set[str] = set()
    options: dict[str, list[Any]] = {}
    for name, command in reversed(COMMANDS.items()):
        options[name] = [
            each
            for each in command.params
            if not getattr(each, "is_flag", False)
            and (each.param_type_name == "argument" or each.name not in tried)
        ]
        tried |= {each.name for each in options[name]}
    return options


_OPTIONS = _options()


def _words_for(name: str, command: Any, option: Any, argument: str) -> list[str]:
    words = name.split()
    given = {each.name: _NEEDED.get(each.name, "nosuch") for each in command.params}
    for each in command.params:
        if each is option or each.required:
            value = argument if each is option else given[each.name]
            words += [value] if each.param_type_name == "argument" else [each.opts[0], value]
    if name == "run" and option.name != "data":
        words += ["--data", "nosuch"]
    return words


@pytest.mark.parametrize("name", COMMANDS)
def test_a_long_argument_is_one_short_error(name: str, tmp_path: Path) -> None:
    command = COMMANDS[name]
    for place, option in enumerate(_OPTIONS[name]):
        argument = _ARGUMENTS[place % len(_ARGUMENTS)]
        done = run_command(*_words_for(name, command, option, argument), cwd=tmp_path)
        said = f"{option.name}: {done.stderr[-300:]}"
        assert "Traceback" not in done.stderr, said
        assert len(done.stderr) < _MOST_SAID, said
        assert done.returncode in (0, 1, 2), said
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("argument", _ARGUMENTS)
@pytest.mark.parametrize("parameter", ["agent", "data", "sources", "settings", "executor", "model"])
def test_a_long_value_in_python_is_one_short_error(parameter: str, argument: str) -> None:
    values: dict[str, Any] = {"agent": "bm25", "data": "synthetic:small", parameter: argument}
    if parameter == "settings":
        values["settings"] = {argument: argument}
    with pytest.raises(MabenchError) as raised:
        mabench.run(**values)
    assert len(str(raised.value)) <= 2_000


@pytest.mark.parametrize(
    "name",
    [
        *("..:x", ":x", "x:", ":", "a..b:c", ".a:b", "a.:b", "a:b..c", "a:.b", "os.:x"),
        *("a\0b:c", "a\0.py:b", "a b:c", "a:b\nc", f"json:{'.' * 5}"),
    ],
)
def test_what_can_be_no_name_is_said_to_be_none(name: str) -> None:
    for python in (None, sys.executable):
        with pytest.raises(UsageError, match="names no factory; write it as package"):
            resolve(AgentSpec(agent=name, python=python))


@pytest.mark.parametrize("name", ["..", "\0", "stdio:\0", "http://[::1", "http://\0", "~:x", "é:x"])
def test_odd_names_of_agents_are_errors_of_ours(name: str) -> None:
    with pytest.raises(UsageError):
        mabench.run(name, "synthetic:small")


def test_of_a_long_message_the_beginning_and_the_end_are_said() -> None:
    error = MabenchError(f"no file {'x' * 5_000}; name another")
    assert str(error).startswith("no file xxx")
    assert str(error).endswith("xxx; name another")
    assert "characters left out) ... xxx" in str(error)
    message = str(MabenchError(f"first {'word ' * 5_000}last"))
    assert message.startswith("first word")
    assert message.endswith("word last")
    assert len(message) <= 2_000
    assert shorten("short", 10) == "short"
