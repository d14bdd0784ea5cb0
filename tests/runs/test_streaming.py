"""Scoring and reporting a run takes no more memory for more samples: the peak of a process."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mabench.results import RetrievedPassage
from mabench.results.records.store import RunFolder
from tests.comparison.made import made_run

_SCORE = """
import sys
from pathlib import Path
from tests.printing import markdown
from mabench.results import rescore
for folder in sys.argv[1:]:
    run = rescore(folder)
    markdown(run)
    print(run.summary.spent.n)
    # As in tests/data/test_readers.py: the peak of this program alone, without shared libraries.
    status = dict(line.split(":") for line in open("/proc/self/status"))
    peak, libraries = (int(status[name].split()[0]) / 1024 for name in ("VmHWM", "RssFile"))
    print(peak - libraries)
"""

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="no /proc to read the peak memory from"
)


def _write(folder: Path, samples: int, length: int) -> None:
    store = RunFolder(made_run(folder, {"ruler_qa1_197K": [[1.0] * 50] * (samples // 50)}))
    store.replace_samples(
        replace(
            sample,
            retrieved=[RetrievedPassage(text=f"{number} ".ljust(length, "x"))],
            shown_tokens=length // 4,
        )
        for number, sample in enumerate(store.samples())
    )


@pytest.mark.parametrize(
    ("few", "many", "length", "most"),
    [
        # Of 13 MB of samples.
        pytest.param(50, 500, 30_000, 7, marks=pytest.mark.slow),
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
