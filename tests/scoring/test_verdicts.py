"""Answers that somebody else judged: what the score decides is right, and it decides nearly all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.verdicts import Reading, read_line

from mabench.scoring import Catalogue

_FILES = ("verdicts.jsonl", "verdicts_fresh.jsonl", "verdicts_run.jsonl")


@pytest.fixture(scope="module")
def films(real_data: Path) -> Catalogue:
    return Catalogue(json.loads((real_data / "entity2id.json").read_text(encoding="utf-8")))


def _readings(file: Path, films: Catalogue) -> list[Reading]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [read_line(json.loads(line), films) for line in lines]


@pytest.mark.parametrize("name", _FILES)
def test_what_is_decided_is_right_and_little_is_unclear(
    name: str, parity: Path, films: Catalogue
) -> None:
    kinds = [reading.kind for reading in _readings(parity / name, films)]
    assert kinds.count("agrees") >= 0.97 * (len(kinds) - kinds.count("unclear"))
    assert kinds.count("unclear") <= 0.08 * len(kinds)
