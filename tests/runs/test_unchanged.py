"""What a run computes stays what it was: hashes of samples by the code before the redesign."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import mabench
from tests.rows import dataset


@pytest.mark.parametrize(
    ("agent", "digest"),
    [
        ("floor", "6bd52adb78d777d4"),
        ("oracle", "c4492d8a5501378a"),
        ("no-memory", "090e99eb442ac349"),
        ("bm25", "8cc1bdaefd27a653"),
    ],
)
def test_samples_are_those_of_the_first_version(agent: str, digest: str, tmp_path: Path) -> None:
    mabench.run(agent, dataset(), out=tmp_path / "run")
    text = (tmp_path / "run" / "samples.jsonl").read_text("utf-8")
    samples = "".join(f"{_as_then(line)}\n" for line in text.splitlines())
    assert hashlib.sha256(samples.encode()).hexdigest()[:16] == digest


def _as_then(line: str) -> str:
    """Return a sample without what the first version did not know or corrected otherwise."""
    sample = json.loads(line)
    for name in ("gold_chunks", "verdict", "rule", "corrected", "difference"):
        sample.pop(name, None)
    return json.dumps(sample, ensure_ascii=False)
