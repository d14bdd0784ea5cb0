"""Every entry of the word lists, and every decision, earns its place by an answer.

``earned.jsonl`` has one answer for each entry of ``words.toml`` and ``stated/signs.toml``, and for
each decision, and a reader's verdict; a closed class, such as months or negations, is one entry.
That answer alone is scored, with the entry and without it, and must be read worse without it.
``from`` says where it is from: ``data/judged``, ``readings.toml``, ``conflicts.toml``, or written
for the entry. Recommendations are answered by the films of ``readings.toml``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.earning import GOOD, Entry, all_entries, without
from benchmarks.verdicts import Reading, read_line

from mabench.scoring import Catalogue
from tests.scoring.readings import FILMS

_LINES = Path(__file__).with_name("earned.jsonl").read_text(encoding="utf-8").splitlines()
_CASES: list[dict[str, Any]] = [json.loads(line) for line in _LINES]
_FILMS = {name.rpartition("/")[2][:-1]: number for name, number in FILMS.items()}


def _entry(case: dict[str, Any]) -> Entry:
    return Entry(case["section"], case["key"], case.get("entry"))


def _read(case: dict[str, Any]) -> Reading:
    if not case.get("source", "").startswith("recsys"):
        return read_line(case, None)
    golds = [str(_FILMS[answer]) for answer in case["answers"]]
    return read_line({**case, "answers": golds}, Catalogue(FILMS))


@pytest.fixture(scope="module")
def with_all() -> dict[Entry, Reading]:
    """How each answer is read with all entries."""
    return {_entry(case): _read(case) for case in _CASES}


def test_every_entry_has_one_answer() -> None:
    earned = [_entry(case) for case in _CASES]
    listed = [*all_entries()]
    assert [entry for entry in listed if entry not in earned] == []
    assert [entry for entry in earned if entry not in listed] == []
    assert len({*earned}) == len(earned)
    assert len({*listed}) == len(listed)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: _entry(case).name[:40])
def test_an_answer_is_read_worse_without_the_entry(
    case: dict[str, Any], with_all: dict[Entry, Reading]
) -> None:
    entry = _entry(case)
    with without(entry):
        left = _read(case)
    assert GOOD[with_all[entry].kind] > GOOD[left.kind], (left.kind, left.score.rule)
