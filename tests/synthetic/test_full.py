import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from mabench.data import open_dataset
from mabench.data.inventory import SOURCES
from mabench_synthetic import make_rows, row_specs
from tests.synthetic.test_prose import check_paragraph, prose

# Fields that the public data set fills, by family.
_FILLED = {
    "eventqa": {"previous_events"},
    "longmemeval": {"question_dates", "question_ids", "question_types", "haystack_sessions"},
    "infbench": {"keypoints", "demo"},
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full") / "out"
    command = [sys.executable, "-m", "mabench", "data", "export", "synthetic:full", str(folder)]
    subprocess.run(command, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert used.ru_utime + used.ru_stime < 300
    assert used.ru_maxrss < 1.5 * 1024**2
    return folder


@pytest.mark.slow
def test_it_is_complete_and_nothing_is_wrong_with_it(out: Path) -> None:
    command = [sys.executable, "-m", "mabench", "data", "validate", str(out), "--complete"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.slow
def test_rows_questions_and_filled_fields_are_those_of_the_hub(out: Path) -> None:
    rows: Counter[str] = Counter()
    questions: Counter[str] = Counter()
    for row in open_dataset(out).rows():
        rows[row.source] += 1
        questions[row.source] += len(row.questions)
        family = next(source.family for source in SOURCES if source.name == row.source)
        filled = {*row.metadata}
        assert filled == {"source", "qa_pair_ids"} | _FILLED.get(family, set())
    assert rows == {source.name: source.rows for source in SOURCES}
    assert questions == {source.name: source.questions for source in SOURCES}


@pytest.mark.slow
@pytest.mark.parametrize("source", [source.name for source in SOURCES])
def test_a_thousand_rows_have_no_malformed_sentence(source: str) -> None:
    questions = {"infbench_sum_eng_shots2": 1, "detective_qa": 10}.get(source, 20)
    tokens = 20_000 if source == "longmemeval_s*" else 6_000
    for seed in range(46):
        specs = row_specs(source, seed, tokens=tokens, rows=1, questions=questions)
        for row in make_rows(specs):
            for paragraph in prose(row):
                check_paragraph(paragraph)
