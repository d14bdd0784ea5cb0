"""Scoring and reporting a run takes no more memory for more samples: the peak of a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mabench.results import RetrievedPassage, Sample
from mabench.results.records.record import DataRecord, RunRecord
from mabench.results.records.store import RunFolder

_SOURCE = "ruler_qa1_197K"
_SCORE = """
import sys
from pathlib import Path
from mabench.reports import markdown
from mabench.results import rescore
for folder in sys.argv[1:]:
    run = rescore(folder)
    markdown(run)
    print(run.summary.spent.n)
    # As in tests/data/test_memory.py: the peak of this program alone, without shared libraries.
    status = dict(line.split(":") for line in open("/proc/self/status"))
    peak, libraries = (int(status[name].split()[0]) / 1024 for name in ("VmHWM", "RssFile"))
    print(peak - libraries)
"""

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="no /proc to read the peak memory from"
)


def _peaks(folder: Path, few: int, many: int, length: int) -> tuple[float, float]:
    """Score a run of few samples and then one of many, each of so many characters.

    Return the peak of the process in MB after each.
    """
    counts = (few, many)
    for samples in counts:
        _write(folder / str(samples), samples, length)
    folders = (str(folder / str(samples)) for samples in counts)
    done = subprocess.run(
        [sys.executable, "-c", _SCORE, *folders], capture_output=True, text=True, check=True
    )
    words = done.stdout.split()
    assert (int(words[0]), int(words[2])) == counts
    return float(words[1]), float(words[3])


def _write(folder: Path, samples: int, length: int) -> None:
    store = RunFolder(folder)
    store.create(
        RunRecord(
            agent="Agent",
            data=DataRecord(name="rows", fingerprint="f00", benchmark=False),
            questions={_SOURCE: samples},
            protocol="structured",
            prompts="ba5",
        )
    )
    store.replace_samples(_sample(number, length) for number in range(samples))


def _sample(number: int, length: int) -> Sample:
    return Sample(
        split="Accurate_Retrieval",
        row=number // 100,
        question_index=number % 100,
        source=_SOURCE,
        qa_pair_id=None,
        question=f"Where is {number}?",
        answers=["here"],
        prediction="It is here.",
        retrieved=[RetrievedPassage(text=f"{number} ".ljust(length, "x"))],
        shown_tokens=length // 4,
    )


def test_scoring_holds_no_more_than_a_few_samples_at_a_time(tmp_path: Path) -> None:
    few, many = _peaks(tmp_path, 50, 500, 30_000)
    assert many - few < 7, "13 MB of samples"


@pytest.mark.slow
def test_scoring_a_hundred_thousand_samples_takes_little_memory(tmp_path: Path) -> None:
    few, many = _peaks(tmp_path, 1_000, 100_000, 4_000)
    assert many - few < 100, "a few hundred bytes of each, of 430 MB"
