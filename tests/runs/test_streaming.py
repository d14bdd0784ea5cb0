"""Scoring and reporting a run takes no more memory for more samples: the peak of a process."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mabench.results import RetrievedPassage, Sample
from mabench.results.records.store import RunFolder
from tests.results.test_records import RECORD

_SOURCE = "ruler_qa1_197K"
_SCORE = """
import sys
from pathlib import Path
from tests.printing import markdown
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


def _write(folder: Path, samples: int, length: int) -> None:
    store = RunFolder(folder)
    store.create(replace(RECORD, questions={_SOURCE: samples}))
    store.replace_samples(
        Sample(
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
        for number in range(samples)
    )


@pytest.mark.parametrize(
    ("few", "many", "length", "most"),
    [
        (50, 500, 30_000, 7),  # Of 13 MB of samples.
        # A few hundred bytes of each, of 430 MB.
        pytest.param(1_000, 100_000, 4_000, 100, marks=pytest.mark.slow),
    ],
)
def test_scoring_holds_no_more_than_a_few_samples_at_a_time(
    few: int, many: int, length: int, most: int, tmp_path: Path
) -> None:
    """The peak of the process in MB grows little, where samples have so many characters."""
    for samples in (few, many):
        _write(tmp_path / str(samples), samples, length)
    command = [sys.executable, "-c", _SCORE, str(tmp_path / str(few)), str(tmp_path / str(many))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    scored, before, again, after = map(float, done.stdout.split())
    assert (scored, again) == (few, many)
    assert after - before < most
