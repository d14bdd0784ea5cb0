"""Printed commands work as pasted, whatever the folders are called."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.data import export_hub_layout
from mabench.pasteable import quote_word, write_command
from tests.command_line import mabench, succeed
from tests.comparison.made import made_run
from tests.rows import dataset

_NAMES = ["-rf", "--help", "a b", "it's", 'say "so"', "two\nlines", "a\ttab", "$HOME", "~root", "~"]
_NAMES += ["`id`", "a;b", "*", "hub", "synthetic:small", "\x1b[31m", "\u202e", "#1", "!!", "\\n"]
_NAMES += [os.fsdecode(b"\xff\xfe")]
_PASTED = re.compile(r"mabench (?:show|page|judge|compare|run) .*")
_SOURCE = "ruler_qa1_197K"


def _words(*commands: str) -> list[list[str]]:
    """Return the words of commands as bash reads them."""
    script = "mabench() { printf '%s\\0' \"$@\"; printf '\\n\\0'; }\n" + "\n".join(commands)
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    done = subprocess.run([bash, "-c", script], capture_output=True, check=True)
    *words, _ = map(os.fsdecode, done.stdout.split(b"\0"))
    listed: list[list[str]] = [[]]
    for word in words:
        if word == "\n":
            listed.append([])
        else:
            listed[-1].append(word)
    return listed[:-1]


def test_a_shell_reads_what_was_meant_and_a_screen_shows_it_in_a_line() -> None:
    commands = [write_command("show", name, Path(name)) for name in _NAMES]
    for command in commands:
        assert "\n" not in command
        assert command.isprintable()
    for name, words in zip(_NAMES, _words(*commands), strict=True):
        assert words[:2] == ["show", name]
        assert Path(words[2]) == Path(name)
        assert not words[2].startswith(("-", "~"))


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9))
def test_quoted_words_are_one_line_without_what_a_terminal_obeys(word: str) -> None:
    quoted = quote_word(word)
    assert quoted
    assert not any(character in quoted for character in "\n\t\r\x1b\x9b\u202e\u2028")


@pytest.mark.parametrize("name", _NAMES)
def test_what_is_printed_of_a_run_finds_it(name: str, tmp_path: Path) -> None:
    made_run(tmp_path / name, {_SOURCE: [[1.0, 0.0]]})
    made_run(tmp_path / "other", {_SOURCE: [[1.0, 0.0]]})
    shown = mabench("show", f"./{name}", cwd=tmp_path)
    refused = mabench("report", f"./{name}", "other", cwd=tmp_path)
    printed = _PASTED.findall(shown.stderr + refused.stderr)
    assert len(printed) == 2
    for words in _words(*printed):
        assert not mabench(*words, cwd=tmp_path).returncode, words


@pytest.mark.parametrize("name", ["-rf", "~root", "hub", "two\nlines"])
def test_what_is_printed_after_a_run_and_of_data_works(name: str, tmp_path: Path) -> None:
    if name == "-rf":
        limited = ("--source", _SOURCE, "--limit-questions", "1", f"--out={name}")
        run = succeed("run", "bm25", "--data", "synthetic:small", *limited, cwd=tmp_path)
        printed = re.findall("mabench (?:show|page) .*", run.stderr)
        assert printed == ["mabench show ./-rf", "mabench page ./-rf"]
    else:
        made = succeed("data", "init", f"./{name}", cwd=tmp_path)
        printed = [f"{line} --estimate" for line in _PASTED.findall(made.stderr)]
        assert len(printed) == 1
    for words in _words(*printed):
        succeed(*words, cwd=tmp_path)


def test_a_data_sets_name_in_an_error_is_a_path(tmp_path: Path) -> None:
    export_hub_layout(dataset(), tmp_path / "-d")
    done = mabench("run", "bm25", "--data", "./-d", "--source", "ruler_qa2_421K", cwd=tmp_path)
    (command,) = re.findall("`(mabench data show .*)`", done.stderr)
    for words in _words(command):
        succeed(*words, cwd=tmp_path)
