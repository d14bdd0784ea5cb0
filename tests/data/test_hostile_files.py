from __future__ import annotations

import time
from pathlib import Path

import pytest

from mabench.errors import DataError
from mabench.loading import load, validate

_SECONDS = 2.0  # Of processor time.
_ROW = b'{"questions": ["q"], "answers": [["a"]], "metadata": {"source": "longmemeval_s*"}, '


@pytest.mark.parametrize(
    "start", [b"", b'[{"context": ', _ROW + b'"context": ', b'{"context": {"a":']
)
@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
def test_a_hundred_megabytes_of_brackets(tmp_path: Path, name: str, start: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(start + b"[" * 100_000_000)
    before = time.process_time()
    with pytest.raises(DataError, match=rf"{name}.*found .*(recursion|deep)"):
        list(load(str(file)).rows())
    assert time.process_time() - before < _SECONDS
    file.unlink()


@pytest.mark.parametrize(
    "piece", [b'{"a":', b'[{"a":[', b'{"context":"', b"\\u", b"9", b"- ", b"\n"]
)
@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
def test_megabytes_of_anything(tmp_path: Path, name: str, piece: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(piece * (2_000_000 // len(piece)))
    before = time.process_time()
    assert any(problem.severity == "error" for problem in validate(str(file)))
    assert time.process_time() - before < _SECONDS
