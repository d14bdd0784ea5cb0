"""Answers that somebody else judged: the score agrees as far as the documentation says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.verdicts import Reading, read_line, table, unseen_half

from mabench.scoring import Catalogue

_DOCS = Path(__file__).parents[2] / "docs" / "explanation" / "two-scores.md"
_FILES = ("verdicts.jsonl", "verdicts_fresh.jsonl", "verdicts_run.jsonl")


@pytest.fixture(scope="module")
def films(real_data: Path) -> Catalogue:
    return Catalogue(json.loads((real_data / "entity2id.json").read_text(encoding="utf-8")))


def _readings(file: Path, films: Catalogue, *, unseen: bool = False) -> list[Reading]:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [read_line(line, films) for line in (unseen_half(lines) if unseen else lines)]


@pytest.mark.parametrize("name", _FILES)
def test_what_is_decided_is_right_and_little_is_unclear(
    name: str, parity: Path, films: Catalogue
) -> None:
    kinds = [reading.kind for reading in _readings(parity / name, films)]
    assert kinds.count("agrees") >= 0.97 * (len(kinds) - kinds.count("unclear"))
    assert kinds.count("unclear") <= 0.08 * len(kinds)


@pytest.mark.parametrize("name", _FILES[1:])
def test_the_documented_agreement_is_true(name: str, parity: Path, films: Catalogue) -> None:
    assert table(_readings(parity / name, films, unseen=True)) in _DOCS.read_text("utf-8")
