"""Runs and scorings that cannot be what was meant are refused, by the name of what is wrong."""

from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.cli.commands import again
from mabench.errors import DataError, UsageError
from mabench.redact import redact
from mabench.results import rescore
from tests import parts
from tests.rows import dataset


def test_a_source_that_the_data_lack_is_named_beside_others(tmp_path: Path) -> None:
    given: Any = {"sources": ["ruler_qa1_197K", "eventqa_65536"], "out": tmp_path / "run"}
    with pytest.raises(DataError, match="no rows of eventqa_65536; leave it out of `sources`"):
        mabench.run("no-memory", "synthetic:small", **given)


def test_a_program_that_is_not_there_is_named_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no program nosuchprogram here; install it"):
        mabench.run("stdio:nosuchprogram x", tmp_path / "no-data", out=tmp_path / "run")


def test_a_run_is_not_scored_with_another_data_set(tmp_path: Path) -> None:
    small = "synthetic:small"
    out = tmp_path / "run"
    mabench.run("no-memory", small, sources="ruler_qa1_197K", limit_questions=1, out=out)
    with pytest.raises(UsageError, match="synthetic:medium holds other rows"):
        rescore(out, data="synthetic:medium")
    with pytest.raises(DataError, match="no such file or folder"):
        rescore(out, data=str(tmp_path / "nowhere"))
    sources = rescore(out, data=small).summary.sources
    assert {name: source.n for name, source in sources.items()} == {"ruler_qa1_197K": 1}


def test_the_folders_of_a_repeated_run_are_named(tmp_path: Path) -> None:
    mabench.run("no-memory", dataset(), out=tmp_path / "repeat-1")
    with pytest.raises(DataError, match="give one of repeat-1 in it"):
        rescore(tmp_path)


def test_files_that_are_not_there_are_named_in_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.toml: .*: No such file or directory; give one"):
        parts.run("no-memory", dataset(), out=tmp_path / "run", prompts=tmp_path / "no.toml")


def test_names_of_variables_are_no_keys() -> None:
    assert redact("without HF_HUB_OFFLINE to fill it") == "without HF_HUB_OFFLINE to fill it"
    assert redact("hf_abcdefghijklmnop") == "[secret]"


def test_a_command_without_its_secrets_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["mabench", "run", "m:A", "--set", "apikey=Abcdefgh12"])
    assert again().endswith("(put your own in the place of [secret])")
    monkeypatch.setattr("sys.argv", ["mabench", "run", "m:A"])
    assert again("--retry-errors") == "mabench run m:A --retry-errors"
