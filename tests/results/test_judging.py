"""Judging runs through a real server on loopback that misbehaves."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import Metadata, Row, Turn
from mabench.errors import DataError, UsageError
from mabench.export import export
from mabench.models import ModelSpec, RetryPolicy
from mabench.page.run_pages import run_page
from mabench.reports.costs.estimates import estimate_report
from mabench.results import (
    JudgeName,
    JudgingStoppedError,
    Run,
    compare_judges,
    estimate_judging,
    judge,
)
from mabench.specs import JudgeSpec
from tests.command_line import mabench as command
from tests.models.server import KEY, Fault, Served, serving
from tests.page.made import unpacked
from tests.progress import RecordedProgress
from tests.rows import row, write_rows
from tests.runs.agents import Oslo

_QUICK = RetryPolicy(attempts=5, first=0.01, longest=0.05, timeout=2.0)
LME, INF = "longmemeval_s*", "infbench_sum_eng_shots2"

pytestmark = pytest.mark.usefixtures("key_and_cache")


def rows() -> list[Row]:
    """Twelve questions about chats, and two books to summarize."""
    pairs = [(f"Question {i}?", [f"gold {i}"]) for i in range(12)]
    turn = Turn(role="user", content="I have a cat.", has_answer=True)
    known = Metadata(
        source=LME,
        question_ids=[f"q{i}" + "_abs" * (i == 11) for i in range(12)],
        question_types=["single-session-user"] * 6 + ["temporal-reasoning"] * 6,
        haystack_sessions=[[[turn]]] * 12,
    )
    listed = [(row(LME, "['Chat Time: 2023/01/01 (Sun) 10:00', []]", pairs), known)]
    for i in range(2):
        book = row(INF, f"The story of book {i}.", [("Summarize.", [f"reference {i}"])], i)
        points = [f"point {i}{j}" for j in range(4)]
        listed.append((book, Metadata(source=INF, keypoints=points)))
    return [one.model_copy(update={"metadata": metadata}) for one, metadata in listed]


class Agent(Oslo):
    """Answers each question with itself, and fails on the one with the number 3."""

    def answer(self, query: Any) -> str:
        if query.question == "Question 3?":
            raise RuntimeError("no answer to this one")
        return f"answer to {query.question}"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    data = write_rows(tmp_path / "rows.jsonl", rows())
    return mabench.run(Agent, str(data), out=tmp_path / "run")


def verdict(prompt: str) -> str:
    """Pass what is asked about an even question; find half of everything in a summary."""
    if '{"fluent"' in prompt:
        return '{"fluent": 1}'
    if '{"found"' in prompt:
        return "I count them.\n" + '{"found": 2}'
    if '"sentences"' in prompt:
        return '{"supported": 2, "sentences": 4}'
    return "yes" if any(f"answer to Question {i}?" in prompt for i in range(0, 12, 2)) else "no"


# Has a run judged by the test's server, which answers as it is told, and returns both.
Judge = Callable[..., tuple[Run, Served]]


@pytest.fixture
def server() -> Iterator[Served]:
    """One server for the whole test, since replies are cached by server."""
    with serving(verdict) as served:
        yield served


@pytest.fixture
def judged(server: Served, monkeypatch: pytest.MonkeyPatch) -> Judge:
    monkeypatch.setattr("mabench.specs.ModelSpec.retry", _QUICK)

    def call(
        run: Run, answer: Callable[[str], str | Fault], model: str = "m", **options: Any
    ) -> tuple[Run, Served]:
        server.answer = answer
        server.asked.clear()
        server.paid.clear()
        how = {"requests_in_flight": 4} | options.pop("model_spec", {})
        spec = ModelSpec(model, base_url=server.url, **how)
        return judge(run.folder, JudgeSpec(model=spec, **options)).run, server

    return call


def test_verdicts_become_the_official_score_and_are_asked_for_once(run: Run, judged: Judge) -> None:
    before = run.summary["sources"][LME]
    assert (before["official"], before["needs"]) == (None, "judge")
    done, served = judged(run, verdict)
    chats, books = done.summary["sources"][LME], done.summary["sources"][INF]
    # Six even questions of twelve; the failed answer is wrong and is not asked about.
    assert chats["official"] == chats["corrected"] == chats["metrics"]["judge_accuracy"] == 50
    # Recall 2/4, precision 2/4, fluent.
    assert (books["official"], chats["needs"]) == (50, None)
    # The books' fluency is asked in the same words, since their summaries are the same.
    assert sum(served.paid.values()) == len(served.paid) == 11 + 3 * 2 - 1
    assert not any("Question 3?" in prompt for prompt in served.asked)
    lines = (run.folder / "calls.jsonl").read_text(encoding="utf-8").splitlines()
    calls = [call for call in map(json.loads, lines) if "seconds" in call]
    assert {(one["by"], one["phase"], one["model"]) for one in calls} == {("judge", "judging", "m")}
    assert sum("kept" not in one for one in calls) == sum(served.asked.values())
    asked = {one["question_index"] for one in calls if one["source"] == LME}
    assert asked == {*range(12)} - {3}
    assert (next(done.store.calls(), None), done.summary["calls"]) == (None, None)
    (mine,) = chats["judges"]
    assert chats["judge"] == JudgeName("m", mine["prompts"])
    assert (mine["judged"], mine["failed"], mine["of"]) == (11, 0, 11)
    for model in ("m", "openai/m"):  # A provider in front of the name is the same judge.
        done, served = judged(run, verdict, model=model)
        assert not served.asked
        assert done.summary["sources"][LME]["official"] == 50
    assert {one.model for one in run.judgments()} == {"m"}
    (run.folder / "judgments.jsonl").unlink()
    spec = JudgeSpec(model=ModelSpec("m", base_url=served.url))
    estimates = estimate_judging(run.folder, spec)
    assert [(one.answers, one.calls, one.kept) for one in estimates] == [(11, 0, 11), (2, 0, 6)]
    uncached = JudgeSpec(model=replace(spec.model, cache=False))
    assert [one.kept for one in estimate_judging(run.folder, uncached)] == [0, 0]
    assert any("17 cached replies" in one for one in estimate_report(estimates, spec).remarks)
    done, served = judged(run, verdict)
    assert not served.asked, "replies are kept across runs"
    assert done.summary["sources"][INF]["official"] == 50
    samples = run.folder / "samples.jsonl"
    text = samples.read_text(encoding="utf-8")
    samples.write_text(text.replace("answer to Question 2?", "changed"), encoding="utf-8")
    assert Run(run.folder).summary["sources"][LME]["official"] is None, "of another answer"
    _, served = judged(run, verdict)
    assert len(served.asked) == 1


def test_the_official_score_reads_replies_as_the_published_code_does(
    run: Run, judged: Judge
) -> None:
    """Three replies hold the letters of a yes and are none by a careful reading."""
    odd = {
        "answer to Question 1?": "No: yesterday is wrong.",
        "answer to Question 5?": "It could be yes or no.",
        "answer to Question 7?": "no (eyes closed)",
    }

    def answer(prompt: str) -> str:
        return next((reply for part, reply in odd.items() if part in prompt), verdict(prompt))

    done, served = judged(run, answer)
    chats, books = done.summary["sources"][LME], done.summary["sources"][INF]
    assert chats["official"] == pytest.approx(100 * 9 / 12)
    assert chats["corrected"] == pytest.approx(100 * 6 / 12)
    (mine,) = chats["judges"]
    assert (mine["judged"], mine["failed"]) == (10, 1)
    unread = [prompt for prompt in served.paid if "answer to Question 5?" in prompt]
    assert served.paid[unread[0]] == 3, "the careful reading asks again, the published one never"
    assert books["official"] == books["corrected"] == 50
    assert books["judges"][0]["corrected"] is None
    # Judgments of earlier versions are read one way.
    file = run.folder / "judgments.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert any("official" in line for line in lines)
    old = [{name: value for name, value in line.items() if name != "official"} for line in lines]
    file.write_text("\n".join(map(json.dumps, old)) + "\n", encoding="utf-8")
    chats = Run(run.folder).summary["sources"][LME]
    assert chats["official"] == chats["corrected"] == 50
    assert "corrected" not in chats["judges"][0].as_dict()


def test_a_file_of_prompts_sets_length_and_temperature_of_the_replies(
    run: Run, judged: Judge, tmp_path: Path
) -> None:
    file = tmp_path / "prompts.toml"
    changes = "[infbench]\njudge_tokens = 4096\njudge_temperature = 0.1\n"
    file.write_text(changes, encoding="utf-8")
    done, served = judged(run, verdict, prompts=file)
    assert done.summary["sources"][INF]["official"] == 50
    asked = {(one["max_tokens"], one["temperature"]) for one in served.requests}
    assert asked == {(1024, 0), (4096, 0.1)}
    (_, books) = estimate_judging(run.folder, JudgeSpec(model=ModelSpec("other"), prompts=file))
    assert books.output_tokens == 6 * 4096
    changes += '[longmemeval]\njudge = "Well? {prediction}"\n'
    file.write_text(changes, encoding="utf-8")
    done, served = judged(run, lambda _: "yes", prompts=file)
    assert len(served.paid) == 6 - 1, "only the prompts that changed are paid for"
    assert len(done.summary["sources"][LME]["judges"]) == 2, "other prompts are another judge"


def test_every_fault_ends_in_a_verdict_or_a_stated_failure(run: Run, judged: Judge) -> None:
    """Each request meets two faults first; two questions never get a verdict."""
    seen: Counter[str] = Counter()
    lock = threading.Lock()
    kinds = ["429", "500", "drop", "garbage", "cut", "shape", "empty", "503"]

    def answer(prompt: str) -> str | Fault:
        with lock:
            seen[prompt] += 1
            times, number = seen[prompt], list(seen).index(prompt)
        if "answer to Question 5?" in prompt:
            return "I would rather not say."
        if "answer to Question 7?" in prompt:
            return Fault("500", body=json.dumps({"error": {"message": f"quota of {KEY} used up"}}))
        if times <= 2:
            return Fault(kinds[(number + times) % len(kinds)], headers={"Retry-After": "0.05"})
        return verdict(prompt)

    done, served = judged(run, answer)
    chats = done.summary["sources"][LME]
    (mine,) = chats["judges"]
    assert (mine["judged"], mine["failed"], mine["of"], mine["official"]) == (9, 2, 11, 50)
    assert chats["official"] == 50, "failures stay in the denominator"
    failures = {one.key[2]: one.error or "" for one in done.judgments() if one.value is None}
    assert "no verdict in 3 replies" in failures[5]
    assert "'I would rather not say.'" in failures[5]
    assert "HTTP 500" in failures[7]
    assert "[secret]" in failures[7]
    files = [file for file in run.folder.parent.rglob("*") if file.is_file()]
    assert len(files) > 5
    assert all(KEY.encode() not in file.read_bytes() for file in files)
    unread = [prompt for prompt in served.paid if "answer to Question 5?" in prompt]
    assert [served.paid[prompt] for prompt in unread] == [3]
    assert all(served.paid[prompt] == 1 for prompt in served.paid if prompt not in unread)

    again, served = judged(run, verdict)
    assert [prompt for prompt in served.asked if "answer to Question 7?" not in prompt] == []
    assert again.summary["sources"][LME]["judges"][0]["failed"] == 1, "paid for, unreadable still"


def test_a_judge_that_will_never_reply_stops_it_and_changes_no_score(
    run: Run, judged: Judge
) -> None:
    with pytest.raises(JudgingStoppedError, match="HTTP 401"):
        judged(run, lambda _: Fault("401"))
    assert not list(run.judgments())
    assert Run(run.folder).summary["sources"][LME]["official"] is None
    judged(run, verdict)

    def answer(prompt: str) -> str | Fault:
        return "no" if "answer to Question 0?" in prompt else Fault("403")

    with pytest.raises(JudgingStoppedError):
        judged(run, answer, model="other")
    chats = Run(run.folder).summary["sources"][LME]
    assert (chats["official"], chats["judge"].model) == (50, "m")


def test_two_judges_are_compared_by_kappa(run: Run, judged: Judge) -> None:
    judged(run, verdict)
    with pytest.raises(UsageError, match="no two judges"):
        compare_judges(run.folder)
    done, _ = judged(run, lambda p: "yes" if "gold" in p else '{"fluent": 0}', model="lenient")
    chats = done.summary["sources"][LME]
    assert chats["official"] == pytest.approx(100 * 11 / 12)
    assert chats["judge"].model == "lenient", "the last to have judged all counts"
    assert [one["model"] for one in chats["judges"]] == ["m", "lenient"]
    (agreement,) = [one for one in compare_judges(run.folder) if one.source == LME]
    assert agreement.n == 11
    assert (agreement.agreed, agreement.kappa) == pytest.approx((6 / 11, 0))


def test_what_cannot_be_judged_is_refused(run: Run, judged: Judge, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not the data of"):
        judged(run, verdict, data="synthetic:small")
    with pytest.raises(UsageError, match="the price of nobodys is unknown") as raised:
        judged(run, verdict, model="nobodys", max_cost=1.0)
    assert raised.value.parameter == "max_cost"
    plain = mabench.run("no-memory", sources=["detective_qa"], out=tmp_path / "plain")
    with pytest.raises(UsageError, match="no source of this run needs a judge"):
        judged(plain, verdict)


def test_judging_stops_at_its_cost_an_estimate_says_what_is_left_and_it_resumes(
    run: Run, judged: Judge, dollars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = {"prices": dollars, "requests_in_flight": 1}
    with pytest.raises(
        JudgingStoppedError, match=r"\$6\.0000 spent of \$5\.5000; still without a verdict: 8 of 13"
    ):
        judged(run, verdict, max_cost=5.5, model_spec=how)
    assert len(list(run.judgments())) == 5
    assert Run(run.folder).summary["sources"][LME]["official"] is None
    with monkeypatch.context() as patch:
        patch.delenv("OPENAI_API_KEY")
        spec = JudgeSpec(model=ModelSpec("m", requests_in_flight=2, prices=dollars))
        chats, books = estimate_judging(run.folder, spec)
        other = estimate_judging(run.folder, JudgeSpec(model=ModelSpec("other")))
    assert (chats.source, chats.answers, chats.calls) == (LME, 6, 6)
    assert (books.source, books.answers, books.calls) == (INF, 2, 6)
    assert books.output_tokens == 6 * 1024
    assert books.cost == pytest.approx(6 * 1024 / 3)
    assert books.hours == pytest.approx(6 * 2.0 / 2 / 3600)
    assert [(one.answers, one.cost) for one in other] == [(11, None), (2, None)]
    assert other[0].input_tokens > chats.input_tokens > 0
    with pytest.raises(JudgingStoppedError, match=r"\$6\.0000 spent .* 3 of 13"):
        judged(run, verdict, max_cost=5.5, model_spec=how)
    done, served = judged(run, verdict, max_cost=100, model_spec=how)
    assert sum(served.paid.values()) == 11 + 3 * 2 - 1 - 5 - 5
    assert done.summary["sources"][LME]["official"] == 50


def test_the_cost_is_overshot_by_what_is_in_flight_at_most(
    run: Run, judged: Judge, server: Served, dollars: Path
) -> None:
    with pytest.raises(JudgingStoppedError):
        judged(run, verdict, max_cost=2, model_spec={"prices": dollars})
    paid = sum(server.paid.values())
    assert 2 <= paid <= 2 + 3
    (run.folder / "judgments.jsonl").unlink(missing_ok=True)
    # A cached reply costs nothing: what was paid for before does not stop it again.
    rest = 11 + 3 * 2 - 1 - paid
    judged(run, verdict, max_cost=rest + 0.5, model_spec={"prices": dollars})
    assert sum(server.paid.values()) == rest


def test_progress_is_told_of_verdicts_and_failures(run: Run, judged: Judge, dollars: Path) -> None:
    _, served = judged(run, verdict)
    lines = (run.folder / "judgments.jsonl").read_text().splitlines(keepends=True)
    (run.folder / "judgments.jsonl").write_text("".join(one for one in lines if LME in one))
    served.answer = lambda _: "no verdict"
    progress = RecordedProgress()
    spec = ModelSpec("m", base_url=served.url, requests_in_flight=1, prices=dollars, cache=False)
    judging = judge(run.folder, JudgeSpec(model=spec), progress)
    assert judging.failures == 2
    assert judging.spent == pytest.approx(7), "with the preflight"
    told = progress.events
    assert told[:3] == [
        "start answers 11/13 answers judged",
        "note answers 13 answers to judge; 11 judged already.",
        "advance answers $4.00",
    ]
    assert told[3].startswith(f"say {INF}, row 0, question 0: judge_fluency: no verdict in 3")


_QA = "ruler_qa1_197K"


class Places(Oslo):
    """Answers with two names, of which one may be the place of the other."""

    def answer(self, query: Any) -> str:
        return "Rome" if "capital" in query.question else "Rome, Bavu"


@pytest.fixture
def unclear(tmp_path: Path) -> Run:
    """A run with two unclear answers and a right one, over rows in a file."""
    questions = ["Where did Ann live?", "Where did Bob live?", "What is the capital?"]
    pairs = [(question, ["Rome"]) for question in questions]
    data = write_rows(tmp_path / "rows.jsonl", [row(_QA, "Rome is a city.", pairs)])
    return mabench.run(Places, str(data), out=tmp_path / "run")


def test_unclear_answers_take_the_official_verdict_until_a_judge_settles_just_these(
    unclear: Run, judged: Judge, server: Served, tmp_path: Path
) -> None:
    def printed(*words: str, code: int = 0) -> str:
        done = command(*words, cwd=tmp_path)
        assert done.returncode == code
        return " ".join((done.stdout + done.stderr).split())

    samples = {sample.question: sample for sample in unclear.samples()}
    one, right = samples["Where did Ann live?"], samples["What is the capital?"]
    assert (one.verdict, one.rule, right.verdict) == ("unclear", "answer-taken-back", "right")
    assert right.rule
    source = unclear.summary.sources[_QA]
    assert (source.unclear, source.settled) == (2, None)
    assert source.corrected == source.official == 100
    assert source.extremes == pytest.approx((100 / 3, 100))
    other = mabench.run("oracle", str(tmp_path / "rows.jsonl"), out=tmp_path / "oracle")
    pairs = [mabench.compare([unclear, other], score="corrected").pairs[0]]
    report = printed("report", "run")
    assert "Unclear: 2 of 3 answers (66.7 %)" in report
    assert "33.3 if all 2 unclear answers are wrong, 100.0 if all are right" in report
    server.answer = lambda prompt: "no" if "Bob" in prompt else "yes"
    words = ("judge", "run", "--model", "judge", "--base-url", server.url)
    settled = printed(*words, "--unclear")
    assert "judge settled 2 unclear answers" in settled
    assert "Unclear" not in settled
    assert "no source of this run needs a judge" in printed(*words, code=2)
    assert len(server.asked) == 2
    assert all("Rome, Bavu" in prompt for prompt in server.asked)
    source = Run(unclear.folder).summary.sources[_QA]
    assert (source.unclear, source.settled) == (None, 2)
    assert source.judge is not None
    assert source.judge.model == "judge"
    assert (source.official, source.corrected) == pytest.approx((100, 200 / 3))
    pairs.append(mabench.compare([unclear, other], score="corrected").pairs[0])
    pairs.append(mabench.compare([unclear, other]).pairs[0])
    assert [pair.mean.difference for pair in pairs] == pytest.approx([0, 100 / 3, 0])
    assert pairs[1].a == str(other.folder), "the better one is first"
    with pytest.raises(UsageError, match="no answer of this run is unclear"):
        judged(other, verdict, unclear=True)


def test_the_judges_own_words_are_on_the_page_and_in_exports(
    run: Run, judged: Judge, tmp_path: Path
) -> None:
    done, _ = judged(run, lambda prompt: "Yes. <b>It</b> names the gold." if "?" in prompt else "?")
    row = next(row for row in done.rows() if row["question"] == "Question 2?")
    (given,) = json.loads(row["judgments"])
    assert (given["model"], given["value"]) == ("m", 1)
    assert given["words"] == "Yes. <b>It</b> names the gold."
    failed = next(row for row in done.rows() if row["question"] == "Question 3?")
    assert failed["judgments"] is None
    export(done, "csv", tmp_path / "run.csv")
    assert "names the gold." in (tmp_path / "run.csv").read_text(encoding="utf-8")
    packed = re.findall(r"H4sI[\w+/=]+", run_page(done))
    assert any(
        "m: correct 1\\nYes. <b>It</b> names the gold." in json.dumps(unpacked(part))
        for part in packed
    )
