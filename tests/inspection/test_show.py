"""Looking into a run: from Python, and by `mabench show`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.contract import Answer, Query
from mabench.data import Dataset, Row
from mabench.inspection import Selection, look_up
from mabench.results import Run
from mabench.text.spans import cut_excerpt, find_spans
from tests import parts
from tests.command_line import mabench as shell
from tests.comparison.made import add_judgment, unjudged_run
from tests.page import made
from tests.rows import dataset, write_rows

Show = Callable[..., str]


class Library:
    """Retrieves all that it was told, and shows it to a model that knows nothing."""

    def __init__(self) -> None:
        self._chunks: list[str] = []

    def memorize(self, chunk: str) -> None:
        self._chunks.append(chunk)

    def answer(self, query: Query) -> Answer:
        if "What is old" in query:
            raise OSError("the model is away")
        text = "Bern" if "Where does Ann" in query else "I cannot say."
        return Answer(text, self._chunks[::-1], 12, 3, prompt=f"All is here.\n{query}")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with right, wrong and failed answers, beside its data."""
    folder = tmp_path_factory.mktemp("shown")
    data = mabench.load(str(write_rows(folder / "rows.jsonl")))
    return parts.run(Library, data, out=folder / "run", chunk_tokens=8)


@pytest.fixture
def show(tmp_path: Path) -> Show:
    def command(*arguments: str, code: int = 0) -> str:
        done = shell("show", *arguments, cwd=tmp_path)
        assert done.returncode == code, done
        return done.stdout + done.stderr

    return command


def _look_up(run: Run, source: str = "factconsolidation_sh_6k", data: object = None) -> Any:
    """Return the first question of a source's first row with its background."""
    (question,) = look_up(run, [*Selection((source,), None, 0).select(run)], data)
    return question


def test_a_view_has_all_that_is_known(run: Run, show: Show) -> None:
    question = _look_up(run)
    view = question.background
    assert (question.official, question.corrected, view.without) == (1, 1, None)
    gold = view.golds[-1]
    assert [gold.text[start:end] for start, end in gold.marks] == ["Bern"]
    assert min(view.chunks - 1, gold.depth) > 0
    assert [passage.rank for passage in view.passages] == [*range(1, view.chunks + 1)]
    assert all(passage.text for passage in view.passages)
    assert view.prompt.startswith("All is here.")
    assert question.seconds is not None
    place = ("--source", "factconsolidation_sh_6k", "--row", "0", "--question", "0")
    brief, printed = show(str(run.folder), *place), show(str(run.folder), *place, "--full")
    for said in (
        "\nGold: Bern",
        "[Bern]",
        "% of the history",
        "What the model saw",
        "12 tokens in",
    ):
        assert said in printed
        assert (said in brief) == (said != "What the model saw")
    order = [
        "The gold is mentioned (retrieved, rank ",
        "Retrieved, best first",
        "\nAnswer: ",
        "\nGold: ",
    ]
    assert sorted(order, key=brief.index) == order
    (failed,) = json.loads(show(str(run.folder), "--format", "json", "--why", "failed"))
    assert (failed["sample"]["question"], failed["official"]) == ("What is old?", 0)


def test_data_that_cannot_be_read_again_are_named_and_the_rest_is_shown(
    run: Run, tmp_path: Path
) -> None:
    rows = (run.folder.parent / "rows.jsonl").read_text("utf-8")
    (tmp_path / "rows.jsonl").write_text(rows.replace("Oslo", "Lima"), encoding="utf-8")
    view = _look_up(run, data=tmp_path / "rows.jsonl").background
    assert "has changed since" in view.without
    assert view.golds[0].text is None
    assert view.prompt is not None
    from_memory = mabench.run("oracle", dataset(), out=tmp_path / "run")
    assert "came from memory" in _look_up(from_memory, "ruler_qa1_197K").background.without


def test_without_a_question_the_wrong_ones_are_listed(run: Run, show: Show) -> None:
    printed = show(str(run.folder))
    assert [f"Where does {name} live?" in printed for name in ("Bob", "Ann")] == [True, False]
    failed = show(str(run.folder), "--why", "failed")
    assert "Failed: there is no answer (1)" in failed
    assert "OSError" in failed
    opened = re.search(r"To open one: mabench show (.*)", failed)
    assert opened
    assert "Error: OSError" in show(*shlex.split(opened[1]))
    for words, answers in ([], "the run's answers"), (["--row", "0"], "these answers"):
        said = f"Nothing to show: none of {answers} lacked the form asked for."
        assert said in show(str(run.folder), *words, "--why", "form")


def test_the_list_groups_wrong_answers_by_cause_and_says_why(tmp_path: Path, show: Show) -> None:
    dated = "Current Date: 2023/07/09,\n\n Now Answer the Question: Who came?"
    samples = [
        made.wrong(0, question=dated, hit_by="evidence", shown_tokens=1, rule="none"),
        made.wrong(1, question="Who won?", hit_by="evidence", hit_rank=3, shown_tokens=1),
        made.wrong(2, question="Who lost?", hit_by="mention", hit_rank=1, shown_tokens=1),
    ]
    folder = str(made.written(tmp_path / "run", samples).folder)
    printed = show(folder)
    assert "Current Date" not in printed
    for said in (
        r"Wrong: its support was not retrieved \(1\)",
        r"0/0 +Who came\? +\S.* nothing retrieved",
        r"Wrong, although its support was retrieved \(1\)",
        r"Wrong, although a passage mentions the gold \(1\)",
        r"0/1 +Who won\? .* support at rank 3",
        r"0/2 +Who lost\? .* gold at rank 1",
    ):
        assert re.search(said, printed)
    assert "Who won?" not in show(folder, "--why", "missed")
    assert "none of the run's answers failed." in show(folder, "--why", "failed")
    other = made.written(tmp_path / "other", [made.sample(1, prediction="Bea")])
    flipped = show(folder, "--flipped-from", str(other.folder))
    assert re.search(r"place +question +here +there +gold +why", flipped)
    assert re.search(r"0/1 +Who won\? +no 1 +Bea", flipped)
    assert "Who came?" not in flipped


def test_a_judge_decides_what_is_wrong(tmp_path: Path, show: Show) -> None:
    store = unjudged_run(tmp_path / "run", 3)
    folder, samples = str(store.path), [*store.samples()]
    printed = show(folder)
    assert "Not judged yet: run `mabench judge` (3)" in printed
    assert printed.startswith(
        "On made-up (3 questions), 3 of made's answers are not right, or have "
    )
    assert "have no score: 3 are not judged yet." in " ".join(printed.split())
    assert "3 answers are not judged yet" in printed
    add_judgment(store, samples[0], 0.0)
    unjudged = "Not judged yet: run `mabench judge` \\(2\\)"
    order = f"Question 0 about.*{unjudged}.*Question 1 about.*2 answers are not judged yet: "
    assert re.search(f"{order}mabench judge {re.escape(folder)}", show(folder), re.DOTALL)
    assert "no score, not judged" in show(folder, "--question", "1")
    for sample in samples[1:]:
        add_judgment(store, sample, 1.0)
    assert "not judged" not in show(folder)
    full = show(folder, "--question", "0")
    assert "Corrected: 0, wrong" in full
    (view,) = json.loads(show(folder, "--format", "json"))
    assert (view["official"], view["verdict"], view["rule"]) == (0, "wrong", "judge")
    other = unjudged_run(tmp_path / "other", 3)
    for sample in (samples[0], samples[2]):
        add_judgment(other, sample, 1.0)
    flipped = show(folder, "--flipped-from", str(other.path))
    assert [f"Question {n} about" in flipped for n in range(3)] == [True, False, False]


def test_mistakes_are_named(run: Run, show: Show) -> None:
    for words, said in {
        "--source ruler_qa1_197": "did you mean ruler_qa1_197K or ruler_qa1?",
        "--row 99": "no row 99: ",
        "--source factconsolidation_sh --row 9": "factconsolidation_sh_6k has row 0",
        "--row 0 --question 99": "no question 99: ",
        "--why missing": "no such cause: 'missing': did you mean missed?",
        "--wrong --flipped-from x": "exclude each other",
    }.items():
        assert said in " ".join(show(str(run.folder), *words.split(), code=2).split())


def test_golds_are_marked_as_words_in_no_time() -> None:
    text = "Romeo went to Rome; in ROME he saw the Roman 300\nmetres."
    marked = [text[start:end] for start, end in find_spans(text, ["Rome", "300 metres"])]
    assert marked == ["Rome", "ROME", "300\nmetres"]
    assert len(find_spans("a " * 500_000, ["a a a", "a" * 50_000, "b"])) <= 40
    book = "a b " * 250_000
    assert find_spans(f"{book} gold", [book, "gold"]) == [(len(book) + 1, len(book) + 5)]


@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=4), st.integers(0, 20))
def test_marks_stay_on_what_they_mark(text: str, answers: list[str], around: int) -> None:
    marks = find_spans(text, answers)
    assert all(a_end <= b for (_, a_end), (b, _) in pairwise(marks))
    shown, inside = cut_excerpt(text, marks, around)
    assert len(inside) >= min(1, len(marks))
    originals = {text[start:end] for start, end in marks}
    assert {shown[start:end] for start, end in inside} <= originals


def test_rows_in_the_order_of_the_data_are_read_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[tuple[str, int]] = []
    whole: Any = Dataset.rows

    def rows(*arguments: object, **more: object) -> Iterator[Row]:
        for row in whole(*arguments, **more):
            read.append((row.split, row.index))
            yield row

    monkeypatch.setattr(Dataset, "rows", rows)
    questions = list(run.questions())
    views = [question.background for question in look_up(run, questions)]
    assert all(view.chunks for view in views)
    assert len(read) <= 2 * len({*read})  # Once for the fingerprint.
    # In another order they are read again, and are the same.
    back = [one.background for one in look_up(run, questions[::-1])][::-1]
    assert [view.passages for view in back] == [view.passages for view in views]
