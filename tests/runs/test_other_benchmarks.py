"""Files of other benchmarks, from the file to the report."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data.writing.importing import import_published
from mabench.models import ModelSpec
from mabench.reports.run_tables import run_tables
from mabench.results import Run, judge, score_files
from mabench.specs import JudgeSpec, Limits
from tests.models.server import serving
from tests.published_files import beam, locomo, longmemeval, written
from tests.runs.agents import Notes

pytestmark = pytest.mark.usefixtures("key_and_cache")


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    return written(tmp_path / "locomo10.json", locomo())


def test_types_have_their_own_scores_and_retrieval_is_diagnosed_by_evidence(
    talks: Path, tmp_path: Path
) -> None:
    run = mabench.run("oracle", talks, out=tmp_path / "oracle")
    source: Any = run.summary.sources["locomo"]
    assert (source.metric, source.official, source.corrected, source.n) == ("f1", 100, 100, 7)
    asked = {"adversarial": 2, "multi-hop": 1, "open-domain": 1, "single-hop": 2, "temporal": 1}
    assert {name: one.n for name, one in source.types.items()} == asked
    assert (run.summary.columns, run.summary.overall) == ({}, None)
    run = mabench.run("bm25", talks, out=tmp_path / "run")
    source = run.summary.sources["locomo"]
    assert source.evidence.n == 5
    assert source.evidence.turns_at["10"] == source.evidence_recall == 100
    tables = run_tables(run.summary)
    assert len(tables["evidence"]) == len(tables["types"]) == 1


def test_an_agent_sees_chunks_and_questions_alone(talks: Path, tmp_path: Path) -> None:
    mabench.run(Notes, talks, out=tmp_path / "run")
    shown = "\n".join([*Notes.told, *Notes.queries])
    for hidden in "D2:2", "adversarial", "single-hop", "talk-1", "Likely yes", "seven pear trees?":
        assert hidden not in shown
    assert "1:56 pm on 8 May, 2023" in shown


def write_said(file: Path, said: dict[tuple[int, int], str]) -> Path:
    lines = [
        {"source": "locomo", "row": row, "question_index": index, "prediction": text}
        for (row, index), text in said.items()
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.parametrize("imported", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_published_values_come_out_of_scored_files(
    real_data: Path, parity: Path, tmp_path: Path, imported: bool
) -> None:
    data, values = real_data / "external" / "locomo-dev.json", parity / "locomo_scores.jsonl"
    if not (data.is_file() and values.is_file()):
        pytest.skip(f"no {data}, or no {values}")
    rows = {one["sample_id"]: i for i, one in enumerate(json.loads(data.read_text("utf-8")))}
    if imported:
        import_published("locomo", data, tmp_path / "rows")
        data = tmp_path / "rows"
    turns: dict[int, dict[tuple[int, int], Any]] = {0: {}, 1: {}}
    for line in map(json.loads, values.read_text("utf-8").splitlines()):
        place = (rows[line["sample_id"]], line["question_index"])
        turns[place in turns[0]][place] = line
    for number, lines in turns.items():
        said = {place: line["prediction"] for place, line in lines.items()}
        file = write_said(tmp_path / f"{number}.jsonl", said)
        score_files([file], data, out=tmp_path / f"run{number}")
        for sample in Run(tmp_path / f"run{number}").samples():
            wanted = lines[sample.row, sample.question_index]["f1"]
            assert sample.official["f1"] == pytest.approx(wanted, abs=1e-12)
    assert sum(map(len, turns.values())) == 1858


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def reply(prompt: str) -> str:
        if '"order"' in prompt:
            return '{"order": [1, 2]}'
        return '{"score": 0.5}' if '"score"' in prompt else "yes"

    with serving(reply) as served:
        model = ModelSpec("judge", base_url=served.url)
        yield lambda run: judge(run.folder, JudgeSpec(model=model)).run


def test_longmemeval_takes_the_judge_of_its_family(tmp_path: Path, judged: Any) -> None:
    data = written(tmp_path / "longmemeval_s.json", longmemeval())
    run = mabench.run("bm25", data, out=tmp_path / "run")
    source: Any = run.summary.sources["longmemeval"]
    assert (source.needs, source.evidence_recall) == ("judge", 100)
    assert source.evidence.sessions_at["10"] == 100
    assert judged(run).summary.sources["longmemeval"].official == 100


def test_beam_is_judged_by_the_lines_of_the_question(tmp_path: Path, judged: Any) -> None:
    run = mabench.run("bm25", beam(tmp_path), out=tmp_path / "run")
    assert run.summary.sources["beam_10m"].needs == "judge"
    source: Any = judged(run).summary.sources["beam_100k"]
    # Half of each line counts nothing in the published score; the order is right in both.
    assert source.official == pytest.approx(100 / 3)
    assert source.corrected == pytest.approx(200 / 3)
    assert source.types["event_ordering"].official == 100


@pytest.mark.slow
def test_five_conversations_take_less_than_a_minute(real_data: Path, tmp_path: Path) -> None:
    data = real_data / "external" / "locomo-dev.json"
    if not data.is_file():
        pytest.skip(f"no {data}")
    start = time.monotonic()
    run = mabench.run("bm25", data, limits=Limits(rows=4), out=tmp_path / "run")
    assert time.monotonic() - start < 60
    assert run.summary.sources["locomo"].n == 929


_PEAK = """
import sys
import mabench
from mabench.data.export import import_published
data, out, imported = sys.argv[1:]
if imported:
    import_published("beam", data, imported)
run = mabench.run("bm25", imported or data, out=out)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(run.summary.sources["beam_10m"].evidence.n, int(status["VmHWM"].split()[0]) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to read memory from")
@pytest.mark.parametrize("rows", ["", "rows"])
def test_a_chat_of_ten_million_tokens_runs_within_two_gibibytes(tmp_path: Path, rows: str) -> None:
    folder = beam(tmp_path / "data")
    path = folder / "chats" / "10M" / "1" / "chat.json"
    source = random.Random(0)
    words = [f"{source.randbytes(3).hex()[:5]}" for _ in range(20_000)]
    # Each emoji makes Python keep the history at four bytes a character, the most there are.
    texts = [" ".join(source.choices(words, k=320)) + " \U0001f600." for _ in range(22_000)]
    messages = [
        {"role": ("user", "assistant")[number % 2], "id": number, "content": text}
        for number, text in enumerate(texts)
    ]
    halves = {"plan-1": messages[:11_000], "plan-2": messages[11_000:]}
    plans = [{name: [{"batch_number": 1, "turns": [half]}]} for name, half in halves.items()]
    path.write_text(json.dumps(plans), encoding="utf-8")
    assert path.stat().st_size > 40_000_000
    data, out = str(folder / "chats" / "10M"), str(tmp_path / "run")
    command = [sys.executable, "-c", _PEAK, data, out, rows and str(tmp_path / rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    asked, peak = map(int, done.stdout.split()[-2:])
    assert asked == 2
    assert peak < 2 * 1024**3
