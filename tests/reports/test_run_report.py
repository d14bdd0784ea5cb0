"""The report of a run, what it says of a memory, and the leaderboard of published figures."""

import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

import mabench
from mabench.audit import audit
from mabench.comparison import compare
from mabench.data.inventory import CATEGORIES, SOURCES
from mabench.errors import DataError, UsageError
from mabench.reports.comparison import show_comparison
from mabench.reports.diagnosis import diagnose
from mabench.reports.leaderboard import published_figures, put_beside
from mabench.results import PARTS, MemorySummary, RetrievalSummary, Run, SourceSummary
from mabench.uncertainty.score_intervals import Intervals
from tests.comparison.made import (
    QA,
    add_judgment,
    made_run,
    parted_run,
    share,
    unjudged_run,
)
from tests.printing import markdown, print_on, print_run
from tests.rows import dataset, row
from tests.runs.test_what_agents_see import chat_row


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return mabench.run("bm25", dataset(), out=tmp_path / "run")


def test_the_table_names_every_source_with_both_scores(run: Run) -> None:
    printed = print_run(run)
    titles = ("Official", "Corrected", "factconsolidation_sh_6k", "ruler_qa1_197K", "SH-QA")
    for text in (*titles, "partial", "Overall"):
        assert text in printed
    printed, stored = print_run(run, "json"), json.dumps(run.summary.as_dict())
    first, second = (
        json.loads(text, parse_float=lambda digits: f"{float(digits):.12g}")
        for text in (printed, stored)
    )
    assert first == second
    text = markdown(run)
    (source,) = re.findall(r"^\| ruler_qa1_197K \| (SH-QA .*) \|$", text, re.M)
    assert source.split(" | ")[1:4] == ["substring_exact_match", "2", "0"]
    hits = "Mentioned at 1 | Mentioned at 5 | Mentioned at 10 | Right when mentioned"
    assert f"| Retrieval | Passages | {hits} |" in text  # Nothing states evidence.
    (cells,) = re.findall(r"^\| factconsolidation_sh_6k \| (1\.0 .*) \|$", text, re.M)
    assert cells.split(" | ")[3] == "100.0"


@pytest.mark.parametrize(
    ("protocol", "leaks"), [("structured", False), ("paper", True), ("paper-unmarked", False)]
)
def test_a_leak_of_the_benchmark_is_named(protocol: str, leaks: bool, tmp_path: Path) -> None:
    if protocol != "structured":
        pytest.importorskip("tiktoken", reason="the extra `paper` is not installed")
    chats = mabench.run("no-memory", dataset([chat_row()]), protocol=protocol, out=tmp_path / "run")
    printed = " ".join(print_run(chats).split())
    assert ("The benchmark leaks answers: in the histories of longmemeval_s*" in printed) == leaks
    assert ("has_answer" in printed) == leaks
    assert [*(chats.summary.leaks or {})] == ["longmemeval_s*"] * leaks


def test_an_unfinished_run_and_an_unknown_format_are_named(run: Run) -> None:
    unknown = "unknown format 'html'; known: table, markdown, latex, csv"
    with pytest.raises(UsageError, match=unknown):
        print_run(run, "html")
    samples = run.folder / "samples.jsonl"
    samples.write_text("".join(samples.read_text().splitlines(keepends=True)[:2]))
    printed = print_run(Run(run.folder))
    assert "Unfinished: 2 of 5 questions so far." in printed
    assert "2 of 3" in printed


def test_scores_that_take_a_judge_are_explained(tmp_path: Path) -> None:
    rows = [row("longmemeval_s*", "['Chat Time: now', []]", [("What?", ["43"])])]
    done = mabench.run("no-memory", dataset(rows), out=tmp_path / "run")
    unjudged = "No score yet for longmemeval_s*: they need a language model as judge"
    assert unjudged in print_run(done)
    assert "Retrieval" not in markdown(done)  # Nothing was retrieved.


def test_where_the_oracle_falls_short_is_said_as_text_and_never_markup(tmp_path: Path) -> None:
    rows = [row("icl_nlu_8296shot_balance", "a\nlabel: 1\n\n", [("a", ["Answer: [bold]|x"])])]
    done = mabench.run("oracle", dataset(rows), out=tmp_path / "run")
    printed = print_run(done).replace("\n", "")
    assert "Oracle short of 100: icl_nlu_8296shot_balance, row 0, question 0" in printed
    assert "[bold]|x" in printed
    assert r"\[bold\]\|x" in markdown(done)


def test_the_score_on_unflagged_questions_stands_beside_the_full_one(tmp_path: Path) -> None:
    # A right answer and a wrong one, whose gold the audit of the data flags.
    pairs = [("Who came?", ["Ann"]), ("Who left?", ["Bob"])]
    data, file = dataset([row("ruler_qa1_197K", "Ann came.", pairs)]), tmp_path / "audit.json"
    file.write_text(json.dumps(audit(data).as_dict()))
    done = mabench.run("bm25", data, out=tmp_path / "audited")
    report = json.loads(print_run(done, "json", file))
    assert report["sources"]["ruler_qa1_197K"]["official"] == 50
    assert report["verified"]["ruler_qa1_197K"]["official"] == 100
    assert report["verified"]["ruler_qa1_197K"]["n"] == 1
    printed = print_run(done, audit=file)
    assert "n verified" in printed
    line = next(line for line in printed.splitlines() if "ruler_qa1" in line)
    assert [cell.strip() for cell in line.split("│")][-3:-1] == ["1", "100.0"]
    assert "Verified" in print_run(done, "markdown", file)
    file.write_text(json.dumps(audit(dataset()).as_dict()))
    with pytest.raises(UsageError, match="an audit of a different data set"):
        print_run(done, audit=file)
    for text in ("{", "[]", '{"schema": 1}'):
        file.write_text(text)
        with pytest.raises(DataError, match=r"audit\.json: no"):
            print_run(done, audit=file)


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ("r", None),
        ("ru", None),
        ("rxm", ["33", "33", "34"]),  # Which one is rounded up depends on their order alone.
        ("r" * 197 + "xmf", ["99", "1", "0", "0"]),
        ("rrlxmfu" * 3, ["29", "14", "14", "14", "15", "14"]),
    ],
)
def test_what_becomes_of_100_questions_adds_up(
    tmp_path: Path, parts: str, shown: list[str] | None
) -> None:
    run = Run(parted_run(tmp_path / "run", "ruler_qa1_197K", [parts]))
    counts = run.summary.sources["ruler_qa1_197K"].parts
    assert sum(counts.values()) == len(parts)
    found = re.search(r"^\| Of 100.*\n.*\n\| ruler_qa1_197K \| (.*) \|$", markdown(run), re.M)
    cells = found[1].split(" | ") if found else []
    assert sum(map(int, cells)) == (100 if shown else 0)
    assert sorted(cells) == sorted(shown or [])


_UNKNOWN = dict.fromkeys(("memories", "bytes", "chunks_without_memory", "dropped_share"))
MEMORY = MemorySummary(rows=2, failed=0, chunks=13, tokens=None, **_UNKNOWN)
RETRIEVAL = RetrievalSummary(
    questions=100,
    nothing=0,
    depth=10.0,
    shown_tokens=900.0,
    sought=100,
    by="evidence",
    hit=91.0,
    hit_at={"1": 50.0, "5": 80.0, "10": 91.0},
    answered=85.0,
    answered_when_hit=93.0,
)


Say = Callable[..., list[str]]


@pytest.fixture(scope="module")
def say(tmp_path_factory: pytest.TempPathFactory) -> Say:
    """Returns what is said of mem0 on sources of 100 questions, by the fields in which they differ.

    Those of a memory or a retrieval are by its own names.
    """
    folder = tmp_path_factory.mktemp("made") / "run"
    summary = Run(made_run(folder, {QA: [share(50)]}, agent="mem0")).summary

    def source(memory: Any = None, retrieval: Any = None, **more: Any) -> SourceSummary:
        more["parts"] = dict.fromkeys(PARTS, 0) | more.get("parts", {})
        more["memory"] = None if memory is None else replace(MEMORY, **memory)
        more["retrieval"] = None if retrieval is None else replace(RETRIEVAL, **retrieval)
        return replace(summary.sources[QA], **more)

    def said(**sources: dict[str, Any]) -> list[str]:
        made = {name: source(**fields) for name, fields in sources.items()}
        return diagnose(replace(summary, sources=made))

    return said


_WELL = {"memories": 13, "chunks_without_memory": 0, "dropped_share": 0.0}
_NOTHING = {"nothing": 100, "questions": 0, "depth": None, "hit": 0.0, "answered": 0.0}


@pytest.mark.parametrize(
    ("memory", "retrieval", "sentence"),
    [
        (None, None, None),
        (_WELL, {"hit": 91}, None),
        # What it did not keep.
        ({"chunks_without_memory": 7}, None, "mem0 stored 0 memories for 7 of 13 chunks of books."),
        ({"failed": 1}, None, "mem0 failed to memorize 1 of 2 rows of books."),
        ({"dropped_share": 31.2}, None, "31 % of the history of books was dropped on average."),
        ({"dropped_share": 0.2}, None, "less than 1 % of the history of books was dropped"),
        ({"dropped_share": 99.9}, None, "more than 99 % of the history of books was dropped"),
        ({"memories": 5}, None, "its answers do not say what was retrieved: books."),
        (None, _NOTHING, "mem0 retrieved nothing for all 100 questions of books."),
        (None, {"nothing": 4}, "mem0 retrieved nothing for 4 of 104 questions of books."),
        (None, {"every_chunk": 60}, "books: every chunk was retrieved for 60 of 100 questions, so"),
    ],
)
def test_what_ails_a_memory_is_said(
    say: Say, memory: Any, retrieval: Any, sentence: str | None
) -> None:
    sentences = say(books={"memory": memory, "retrieval": retrieval})
    assert len(sentences) == (sentence is not None)
    assert (sentence or "") in "".join(sentences)


def lead(low: float, high: float, *, new: bool = False) -> Intervals:
    these = (1.0, 2.0) if new else (low, high)
    return Intervals(these_histories=these, new_histories=(low, high) if new else None)


_READER = (
    "books: of 100 questions, 31 are misread and 12 missed{}, so the reader loses more points."
)
_MEMORY = "books: of 100 questions, 12 are missed and 31 misread, so the memory loses more points."
_MENTIONS = _READER.format(", judged by mentions of the gold")


@pytest.mark.parametrize(
    ("interval", "retrieval", "n", "sentences"),
    [
        (lead(2, 20), {}, 100, [_READER.format("")]),
        (lead(-20, -2), {}, 100, [_MEMORY]),
        (lead(2, 20), {"by": "mention"}, 100, [_MENTIONS]),
        # Not shown: by the interval, for new histories where there is one, or by few questions.
        (lead(-2, 20), {}, 100, []),
        (lead(-2, 20, new=True), {}, 100, []),
        (lead(2, 20), {}, 19, []),
        (None, {}, 100, []),
    ],
)
def test_the_larger_part_is_blamed_where_it_is_shown(
    say: Say, interval: Intervals | None, retrieval: Any, n: int, sentences: list[str]
) -> None:
    parts = {"right": 57, "misread": 31, "missed": 12}
    fields = {"retrieval": retrieval, "n": n, "parts": parts, "misread_less_missed": interval}
    assert say(books=fields) == sentences
    # The smaller part may be the larger one where as many are unclear.
    fields["parts"] = {**parts, "unclear": 19}
    assert say(books=fields) == []


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        (0, None),
        (1, "1 of 3 answers failed, and count as wrong. Most often: OSError: no way to 0."),
        (3, "All 3 answers failed, so the scores say nothing about made. Most often: OSError: no"),
    ],
)
def test_failed_answers_come_before_all_scores(
    tmp_path: Path, failed: int, said: str | None
) -> None:
    run = Run(parted_run(tmp_path / "run", QA, ["f" * failed + "r" * (3 - failed)]))
    errors = [
        replace(one, error=f"OSError: no way to {place}.") if one.prediction is None else one
        for place, one in enumerate(run.store.samples())
    ]
    run.store.replace_samples(errors)
    run = Run(run.folder)
    for layout in ("table", "markdown"):
        text = " ".join(print_run(run, layout).replace("\\", "").split())
        assert ("failed" in text.partition("Metric")[0]) == (said is not None)
        assert (said or "") in text.partition("Metric")[0]
    assert ("--retry-errors" in text) == bool(failed)
    well = made_run(tmp_path / "well", {QA: [[1.0] * 3]})
    text = print_on(200, lambda console: show_comparison(compare([well, run]), "table", console))
    assert (f"{run.folder}: {said}" in text) == (said is not None)


def test_the_only_answer_that_failed_is_no_plural(tmp_path: Path) -> None:
    run = Run(parted_run(tmp_path / "run", QA, ["f"]))
    run.store.replace_samples([replace(one, error="X: y") for one in run.store.samples()])
    assert "The only answer failed, so the scores say nothing" in markdown(Run(run.folder))


def test_a_judge_that_failed_comes_before_all_scores(tmp_path: Path) -> None:
    store = unjudged_run(tmp_path / "run", 2)
    for sample in store.samples():
        add_judgment(store, sample, None)
    text = markdown(Run(store.path)).replace("\\", "")
    said = "longmemeval_s*: judge gave no verdict on 2 of 2 answers, which count as wrong. Most"
    assert said in text.partition("| Source")[0]


def test_answers_without_the_form_asked_for_are_counted(say: Say) -> None:
    formless = "10 of 100 answers of books are not in the requested form."
    for number, said in ((9, []), (10, [formless])):
        assert say(books={"parts": {"no_form": number}}) == said


def test_where_every_chunk_was_retrieved_nothing_is_said_of_the_search(say: Say) -> None:
    # Its rows have no more chunks than are searched for.
    whole = {"retrieval": {"every_chunk": 100}, "misread_less_missed": lead(50, 70)}
    well: dict[str, Any] = {"retrieval": {}}
    no_test = "Every chunk was retrieved{}, so this does not test search."
    assert say(books=whole, films=whole) == [no_test.format("")]
    assert say(books=whole, films=well) == [no_test.format(" on books")]
    assert say(books=whole, films=well, plays=whole) == [no_test.format(" on books, plays")]


# Figures are printed with one decimal, those by data set without.
_ROUNDING = 0.1001
_ROUNDING_OF_WHOLES = 0.5001


def test_every_line_follows_the_schema() -> None:
    kind = type(published_figures()[0])
    schema = TypeAdapter(kind).json_schema()
    schema["additionalProperties"] = False
    schema["required"] = [*kind.__dataclass_fields__.keys() - {"interval"}]  # Our own have it.
    validator = Draft202012Validator(schema)
    lines = files("mabench.reports").joinpath("figures.jsonl").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        content = json.loads(line)
        assert not list(validator.iter_errors(content)), f"line {number}"
        assert [*content, "interval"] == [*kind.__dataclass_fields__], f"line {number}: order"


def test_every_figure_can_be_and_stands_once() -> None:
    names = set()
    for figure in published_figures():
        assert 0 <= figure.score <= 100, figure
        assert figure.date is None or re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", figure.date), figure
        assert figure.published, figure
        counted = [
            source.questions
            for source in SOURCES
            if figure.on in (source.name, source.column, *_wholes(source.column))
        ]
        assert counted, figure
        if not figure.unlike:
            assert figure.asked == sum(counted), figure
            assert figure.answered in (None, figure.asked), figure
        assert (figure.answered or 0) <= (figure.asked or 0), figure
        of = (figure.system, figure.version, figure.reader, figure.embedder)
        name = (*of, figure.on, figure.metric, figure.published)
        assert name not in names, name
        names.add(name)


def _wholes(column: str | None) -> list[str]:
    return [whole for one in CATEGORIES if column in one.columns for whole in (one.name, "Overall")]


def test_means_are_those_of_what_they_are_made_of() -> None:
    tables: dict[tuple[str, str | None, str], dict[str, float]] = defaultdict(dict)
    for figure in published_figures():
        table = tables[figure.system, figure.reader, figure.published.split(",")[0]]
        table[figure.on] = figure.score
    checked = 0
    for name, scores in tables.items():
        parts = {one.name: one.columns for one in CATEGORIES}
        parts["Overall"] = tuple(parts)
        members = tuple(source.name for source in SOURCES if source.column == "MCC")
        for whole, of in {**parts, "MCC": members}.items():
            if whole in scores and all(part in scores for part in of):
                rounding = _ROUNDING_OF_WHOLES if whole == "MCC" else _ROUNDING
                mean = fmean(scores[part] for part in of)
                assert scores[whole] == pytest.approx(mean, abs=rounding), (name, whole)
                checked += 1
    assert checked > 100


def test_the_best_of_a_column_is_the_highest_figure_that_compares(tmp_path: Path) -> None:
    counts = {"ruler_qa1_197K": 100, "detective_qa": 71}
    scores = {name: [[1.0] * count] for name, count in counts.items()}
    best = put_beside(Run(made_run(tmp_path / "run", scores)), "best")[1]
    assert {one.on: one.score for one in best} == {"SH-QA": 93, "DetQA": 77.5}
    assert max(one.score for one in published_figures() if one.on == "DetQA") > 77.5, (
        "of another kind"
    )


@pytest.mark.parametrize(
    ("system", "on", "why"),
    [
        ("grepmem", "EventQA", "answers left out"),
        ("grepmem", "DetQA", "by substring_exact_match"),
        ("nous", "FC-SH", "some questions"),
        ("Infini Memory", "Overall", "metric or questions not stated"),
        ("grepmem", "SH-QA", ""),
    ],
)
def test_a_claim_of_another_kind_says_why(system: str, on: str, why: str) -> None:
    (claim,) = [one for one in published_figures() if (one.system, one.on) == (system, on)]
    assert claim.unlike == why
