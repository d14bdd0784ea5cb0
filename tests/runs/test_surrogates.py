"""Lone surrogates, such as half of an emoji that was cut, wherever an agent may put them."""

import json
import sys
from pathlib import Path
from typing import Any

import mabench
from mabench.models import ModelSpec
from mabench.results import Run, judge, rescore, score_files
from mabench.specs import JudgeSpec
from tests.command_line import succeed
from tests.models.server import serving as serving_a_model
from tests.printing import markdown
from tests.remote.http_serving import serving
from tests.rows import dataset, row, write_rows

HALF = "\ud83d"
_PAIRS = [("One?", ["one"]), ("Two?", ["two"]), ("Three?", ["three"])]
_CHAT = "['Chat Time: 2023/05/27 (Sat) 22:54', [{'role': 'user', 'content': 'Oslo.'}]]"


class Halves:
    def memorize(self, chunk: str) -> None:
        self.chunk = chunk

    def answer(self, query: Any) -> dict[str, Any]:
        if query.question == "Three?":
            raise ValueError(f"no answer {HALF}")
        passages = [{"text": f"passage {HALF}{self.chunk}", "score": 1e300}]
        return {"text": f"answer {HALF} {query.question}", "retrieved": passages}


def _check(run: Run) -> None:
    """Every file is UTF-8 that any parser reads, and the run is whole by every way to it."""
    for file in run.folder.glob("*.json*"):
        for line in file.read_text("utf-8").splitlines() if file.suffix == ".jsonl" else ():
            json.loads(line)
    assert run.summary.damaged is None
    samples = list(run.samples())
    said = [sample.prediction for sample in samples[:2]]
    assert said == [f"answer {HALF} One?", f"answer {HALF} Two?"]
    assert samples[0].retrieved[0].text is not None
    assert HALF in str(samples[2].error)
    before = (run.folder / "samples.jsonl").read_bytes()
    rescore(run.folder)
    assert (run.folder / "samples.jsonl").read_bytes() == before
    markdown(run).encode()


def over_http(path: str, body: Any) -> tuple[int, Any]:
    if path == "/reset":
        return 200, {"session": "s", "kind": "agent"}
    if path != "/answer":
        return 200, {}
    if body["question"] == "Three?":
        return 500, {"error": f"no answer {HALF}"}
    return 200, {"text": f"answer {HALF} {body['question']}", "retrieved": [{"text": HALF}]}


def test_answers_passages_and_errors_are_kept_as_they_are_also_from_elsewhere(
    tmp_path: Path,
) -> None:
    data = dataset([row("ruler_qa1_197K", "One, two, three.", _PAIRS)])
    with serving(over_http) as served:
        ways: list[Any] = [Halves, served.url]
        ways.append(mabench.AgentSpec(agent=f"{__file__}:Halves", python=sys.executable))
        for number, agent in enumerate(ways):
            _check(mabench.run(agent, data, out=tmp_path / f"{number}"))


def test_an_answer_with_a_half_is_judged_and_reported(tmp_path: Path, key_and_cache: Path) -> None:
    chat = row("longmemeval_s*", _CHAT, _PAIRS[:2])
    known = {"question_ids": ["q1", "q2"], "question_types": ["multi-session"] * 2}
    chat = chat.model_copy(update={"metadata": {**chat.metadata, **known}})
    rows = write_rows(tmp_path / "rows.jsonl", [chat])
    run = mabench.run(Halves, str(rows), out=tmp_path / "run")

    def verdict(prompt: str) -> str:
        return "yes" if "\ufffd One?" in prompt else f"{HALF} hm"

    with serving_a_model(verdict) as served:
        spec = JudgeSpec(model=ModelSpec("m", base_url=served.url))
        assert judge(run.folder, spec).failures == 1
        assert judge(run.folder, spec).failures == 1
    failed = (run.folder / "judgments.jsonl").read_text("utf-8").splitlines()[1]
    assert json.loads(failed)["verdict"] is None
    for layout in ("table", "markdown", "json"):
        succeed("report", "run", "--format", layout, cwd=tmp_path)


def test_predictions_of_other_tools_may_hold_halves(tmp_path: Path) -> None:
    source, file = "ruler_qa1_197K", tmp_path / "answers.jsonl"
    data = dataset([row(source, "One, two, three.", _PAIRS[:1])])
    line = {"source": source, "row": 0, "question_index": 0, "prediction": f"one {HALF}"}
    for is_ascii in (True, False):
        text = json.dumps(line, ensure_ascii=is_ascii) + "\n"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        assert score_files([file], data).sources[source].answered == 1
