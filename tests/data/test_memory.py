import json
import random
import re
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mabench.data.export import _hub_schema
from mabench.loading import validate
from tests.command_line import run_python
from tests.data.samples import make_row

READ = """
import sys
from mabench.data import open_dataset
dataset = open_dataset(sys.argv[1])
longest = max(len(row.context) for row in dataset.rows())
if sys.argv[2:]:
    print(dataset, len(dataset), file=sys.stderr)
# VmHWM is the peak of this program alone: ru_maxrss begins at that of the process it was forked
# from. Pages of shared libraries are taken off: how many of them count depends on how the kernel
# cached the files (40 MB more for a library that was just installed), not on what is read.
status = dict(line.split(":") for line in open("/proc/self/status"))
peak, libraries = (int(status[name].split()[0]) * 1024 for name in ("VmHWM", "RssFile"))
print(longest, peak - libraries)
"""

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="no /proc to read the peak memory from"
)


def write(path: Path, rows: int, length: int, text: str = "") -> Path:
    """Write rows whose contexts are ``text``, or ``length`` characters that compress badly."""
    source = random.Random(0)
    made = (make_row("eventqa_full", [("Q?", "a")] * 100, tag=f"_{i}") for i in range(rows))
    contents = [
        {**row, "context": f"{i} {text}" if text else source.randbytes(length // 2).hex()}
        for i, row in enumerate(made)
    ]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(contents, _hub_schema()), path)
        assert pq.ParquetFile(path).num_row_groups == 1
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(content) for content in contents))
    else:
        path.write_text(json.dumps(contents))
    return path


def peak(path: Path, *printed: str) -> tuple[int, int]:
    longest, most = run_python(READ, str(path), *printed, check=True).stdout.split()
    return int(longest), int(most)


@needs_proc
@pytest.mark.slow
@pytest.mark.parametrize("end", [".parquet", ".json", ".jsonl"])
@pytest.mark.parametrize(("rows", "length"), [(22, 4_500_000), (100, 1_000_000), (2000, 50_000)])
def test_a_split_of_100_mb_takes_three_rows_and_300_mb(
    tmp_path: Path, end: str, rows: int, length: int
) -> None:
    longest, most = peak(write(tmp_path / f"rows{end}", rows, length))
    assert most <= 3 * longest + 300_000_000


@needs_proc
@pytest.mark.slow
def test_25_million_tokens_are_read_and_shown_within_600_mb(tmp_path: Path) -> None:
    words = " ".join(f"word{n}" for n in range(90_000))[:750_000]
    _, most = peak(write(tmp_path / "rows.parquet", 146, 750_000, words), "shown")
    assert most <= 600_000_000


@needs_proc
@pytest.mark.parametrize(
    "end", [".parquet", pytest.param(".json", marks=pytest.mark.slow), ".jsonl"]
)
def test_reading_keeps_no_row(tmp_path: Path, end: str) -> None:
    _, few = peak(write(tmp_path / f"few{end}", 2, 1_000_000))
    _, many = peak(write(tmp_path / f"many{end}", 30, 1_000_000))
    # A Parquet file of one row group holds its texts twice while it is read, whatever is done.
    allowed = 2.5 * 28_000_000 if end == ".parquet" else 12_000_000
    assert many - few <= allowed


_SECONDS = 2.0  # Of processor time.
_ROW = b'{"questions": ["q"], "answers": [["a"]], "metadata": {"source": "longmemeval_s*"}, '


_PIECES = [b'{"a":', b'[{"a":[', b'{"context":"', b"\\u", b"9", b"- ", b"\n"]
_STARTS = [b"", b'[{"context": ', _ROW + b'"context": ', b'{"context": {"a":']


@pytest.mark.parametrize(
    ("start", "piece"), [*((start, b"[") for start in _STARTS), *((b"", one) for one in _PIECES)]
)
@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
def test_megabytes_of_anything(tmp_path: Path, name: str, start: bytes, piece: bytes) -> None:
    file = tmp_path / name
    size = 100_000_000 if piece == b"[" else 2_000_000
    file.write_bytes(start + piece * (size // len(piece)))
    before = time.process_time()
    found = [problem.found for problem in validate(str(file)) if problem.severity == "error"]
    assert time.process_time() - before < _SECONDS
    assert found
    assert piece != b"[" or re.search("recursion|deep", found[0])
    file.unlink()
