"""The hand-read verdicts: both scores agree with them as far as the documentation says."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import mabench
from mabench.families import family_of
from mabench.scoring import Catalogue

_DOCS = Path(__file__).parents[2] / "docs" / "explanation" / "two-scores.md"
_ROW = re.compile(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def test_the_documented_agreement_is_true(parity: Path, real_data: Path) -> None:
    films = Catalogue(json.loads((real_data / "entity2id.json").read_text(encoding="utf-8")))
    counts: Counter[tuple[str, str]] = Counter()
    for line in (parity / "verdicts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        score = mabench.score_answer(
            row["source"], row["prediction"], row["answers"], row["question"], films
        )
        for name in (family_of(row["source"]).name, "all"):
            counts[name, "answers"] += 1
            counts[name, "official"] += score.reported == row["verdict"]
            counts[name, "corrected"] += score.reported_corrected == row["verdict"]
            counts[name, "unclear"] += score.verdict == "unclear"
    columns = ("answers", "official", "corrected", "unclear")
    found = {name: tuple(counts[name, column] for column in columns) for name, _ in counts}
    stated = _ROW.findall(_DOCS.read_text(encoding="utf-8"))
    assert found == {name: tuple(map(int, numbers)) for name, *numbers in stated}
    assert counts["all", "corrected"] >= 0.97 * counts["all", "answers"]
    assert counts["all", "unclear"] <= 0.05 * counts["all", "answers"]
