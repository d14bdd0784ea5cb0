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
        ("floor", "583fee0c605c5b2c"),
        ("oracle", "506fa12afb52f1e8"),
        ("no-memory", "175a4c5c615e3f15"),
        ("bm25", "b2c9557b7aa45250"),
    ],
)
def test_samples_are_those_of_the_first_version(agent: str, digest: str, tmp_path: Path) -> None:
    mabench.run(agent, dataset(), out=tmp_path / "run")
    text = (tmp_path / "run" / "samples.jsonl").read_text("utf-8")
    samples = "".join(f"{_as_then(line)}\n" for line in text.splitlines())
    assert hashlib.sha256(samples.encode()).hexdigest()[:16] == digest


def _as_then(line: str) -> str:
    """Return a sample without what the first version did not know."""
    sample = json.loads(line)
    for name in ("gold_chunks", "verdict", "rule"):
        sample.pop(name, None)
    return json.dumps(sample, ensure_ascii=False)
