"""The knobs of made-up rows make them harder, step by step.

Each is turned before an agent that can show what it does: the floor, BM25 with a reader, or one
that lacks just what the knob asks for.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

import mabench
from mabench.agents import RetrievalAgent
from mabench.data.schema import Row
from mabench.text import parse_options
from mabench_floor.agent import FloorAgent
from mabench_floor.reader import SkillReader
from mabench_memories.retrieval import BM25Memory
from mabench_synthetic import RowSpec, make_rows, row_specs
from mabench_synthetic.scheme import synthetic_dataset
from tests.synthetic.families.icl_solver import BANKING, linear, most_alike
from tests.synthetic.families.test_recsys import film_ids, films_in
from tests.synthetic.wordings import events_told, summarized

# Yields how right each answer to a row is.
Reader = Callable[[Row, RowSpec], Iterator[float]]


class Turned(NamedTuple):
    """Settings of the knobs of a source, the easiest first, and what can tell them apart.

    That is BM25 at a depth, the floor where there is none, or a reader; each step costs it more
    than ``step`` points.
    """

    source: str
    settings: Sequence[Mapping[str, float]]
    by: Reader | int | None
    tokens: int = 8_000
    questions: int = 40
    step: float = 0
    rows: int = 1


def _score(turned: Turned, setting: Mapping[str, float], seeds: int) -> float:
    """Return the mean score over rows of so many seeds.

    That of an agent is the official one, or without a judge how many of 100 answers hold the gold.
    """
    size: dict[str, Any] = {"tokens": turned.tokens, "questions": turned.questions}
    specs = [
        spec
        for seed in range(seeds)
        for spec in row_specs(turned.source, seed, **size, rows=turned.rows, knobs=setting)
    ]
    if callable(by := turned.by):
        rows = zip(make_rows(specs), specs, strict=True)
        return 100 * fmean(part for row, spec in rows for part in by(row, spec))

    def agent() -> FloorAgent | RetrievalAgent:
        return RetrievalAgent(BM25Memory(), SkillReader(), by) if by else FloorAgent()

    data = synthetic_dataset("turned", [s._replace(row=number) for number, s in enumerate(specs)])
    with TemporaryDirectory() as folder:
        run = mabench.run(agent, data, out=Path(folder) / "run")
        found = run.summary.sources[turned.source]
    return found.metrics["substring_exact_match"] if found.official is None else found.official


def _without_order(row: Row, _: RowSpec) -> Iterator[float]:
    """Guess among the options that the story tells, at whatever place."""
    told = set(events_told(row.context))
    for question, (gold,) in zip(row.questions, row.answers, strict=True):
        options = [o.text for o in parse_options(question) if summarized(o.text) in told]
        yield (gold in options) / len(options)


_TRACES = (
    "dealt the cards or signed with the left hand",
    "boots studded with nails, nailed boots",
    "nobody was with me, seen by none",
)


def _by_traces(row: Row, _: RowSpec) -> Iterator[float]:
    """Search for each trace of the murderer at depth 3; the one whom most passages name did it."""
    memory = BM25Memory()
    for paragraph in row.context.split("\n\n"):
        memory.add(paragraph)
    found = ["\n".join(passage.text for passage in memory.search(t, 3)) for t in _TRACES]
    for question, (gold,) in zip(row.questions, row.answers, strict=True):
        if "Who killed" in question.rpartition("Now Answer the Question:")[2]:
            names = [option.text for option in parse_options(question)]
            named = {name: sum(name in passages for passages in found) for name in names}
            suspects = [name for name in names if named[name] == max(named.values())]
            yield (gold[3:] in suspects) / len(suspects)


def _within_the_length(row: Row, _: RowSpec) -> Iterator[float]:
    """Write the reference as far as the length asked for goes."""
    asked = re.search(r"to (\d+) words", row.questions[0])
    assert asked
    written = " ".join(row.answers[0][0].split()[: int(asked[1])])
    yield from (float(point in written) for point in row.metadata.get("keypoints") or [])


_BLOCK = 8  # Sessions.


def _within_a_block(row: Row, _: RowSpec) -> Iterator[float]:
    """Find what the user said that fits best, and take the last of its kind in its block."""
    sessions = ast.literal_eval(row.context)[1::2]
    said = [
        (at // _BLOCK, turn["content"])
        for at, turns in enumerate(sessions)
        for turn in turns
        if turn["role"] == "user"
    ]
    memory = BM25Memory()
    for turn in said:
        memory.add(turn[1])
    kinds = row.metadata.get("question_types") or []
    for kind, question, (gold,) in zip(kinds, row.questions, row.answers, strict=True):
        if kind == "knowledge-update":
            (found,) = memory.search(question.rpartition("Now Answer the Question:")[2], 1)
            (block,) = (block for block, text in said if text == found.text)
            words = set(found.text.split())
            of_block = [text for place, text in said if place == block]
            like = [t for t in of_block if len(words & {*t.split()}) > len(words) / 3]
            yield float(re.findall(r"\d+", like[-1])[:1] == re.findall(r"\d+", gold))


def _liked_together(spoken: list[set[str]], named: set[str]) -> list[str]:
    """Return films by how often they share dialogues with those named, for their popularity."""
    heard = Counter(film for films in spoken for film in films)
    votes: Counter[str] = Counter()
    for films in spoken:
        for film in films - named:
            votes[film] += len(films & named)
    return sorted(votes, key=lambda film: (-votes[film] / heard[film] ** 0.5, film))


def _named_most(spoken: list[set[str]], named: set[str]) -> list[str]:
    heard = Counter(film for films in spoken for film in films - named)
    return [film for film, _ in heard.most_common(5)]


Recommend = Callable[[list[set[str]], set[str]], list[str]]


def _by(recommend: Recommend) -> Reader:
    """Recommend five films by the dialogues of a row."""

    def read(row: Row, spec: RowSpec) -> Iterator[float]:
        ids = film_ids(spec)
        spoken = [films_in(text, ids) for text in row.context.split("\n\n")]
        for question, golds in zip(row.questions, row.answers, strict=True):
            best = recommend(spoken, films_in(question, ids))[:5]
            yield len({ids[film] for film in best} & {*golds}) / len(golds)

    return read


def _steps(knob: str, *values: float, **others: float) -> list[Mapping[str, float]]:
    return [{**others, knob: value} for value in values]


_EVENTS, _CHATS, _BOOKS = "eventqa_full", "longmemeval_s*", "infbench_sum_eng_shots2"
_SINGLE, _MULTI = "factconsolidation_sh_6k", "factconsolidation_mh_6k"
_QA1, _QA2 = "ruler_qa1_197K", "ruler_qa2_421K"
_CRIMES, _FILMS = "detective_qa", "recsys_redial_full"
# A step back of so many points is chance, over ten rows of 40 or 100 questions.
_CHANCE = -3.0
_KNOBS = {
    "things": Turned(_EVENTS, _steps("things", 6, 3, 1), None, 12_000, 30),
    "things by other words": Turned(_EVENTS, _steps("renamed", 0, 0.5, 1), None, 12_000, 30),
    "events listed": Turned(_EVENTS, _steps("shown", 20, 4, 1), None, 12_000, 30),
    "lookalikes": Turned(_CHATS, _steps("lookalikes", 0, 0.5, 1), 3, 20_000, 24),
    "abstention": Turned(_CHATS, _steps("abstention", 0, 0.15, 0.3), 3, 12_000, 24),
    "conflicts": Turned(_SINGLE, _steps("conflicts", 0, 0.26, 0.6), 2, step=_CHANCE),
    "distance of facts": Turned(_SINGLE, _steps("distance", 0.01, 0.1, 1), 2, step=_CHANCE),
    "contradicted": Turned(_SINGLE, _steps("contradicted", 0, 0.5, 1), 2, step=_CHANCE),
    "facts in other words": Turned(_SINGLE, _steps("paraphrase", 0, 0.5, 1), 3, step=_CHANCE),
    "most hops": Turned(_MULTI, _steps("most_hops", 2, 3, 4), 5, step=_CHANCE),
    "fewest hops": Turned(_MULTI, _steps("fewest_hops", 2, 3, 4), 5, step=_CHANCE),
    # Who is meant matters most where the first passage alone is read, and is understood.
    "likeness": Turned(_QA1, _steps("likeness", 0, 0.45, 0.9, paraphrase=0), 1, step=_CHANCE),
    "surface forms": Turned(_QA1, _steps("forms", 3, 2, 1), 3, step=_CHANCE),
    "questions in other words": Turned(_QA1, _steps("paraphrase", 0, 0.5, 1), 3, step=_CHANCE),
    "second hops in other words": Turned(_QA2, _steps("paraphrase", 0, 0.5, 1), 3, step=_CHANCE),
    "comparisons": Turned(_QA2, _steps("compared", 0.8, 0.3, 0), 3, step=_CHANCE),
    "elsewhere": Turned(_EVENTS, _steps("elsewhere", 0, 1, 3), _without_order, 12_000, 30, 5),
    "bystanders": Turned(_CRIMES, _steps("bystanders", 0, 6, 12), _by_traces, 6_000, 10, 5, 3),
    "points": Turned(_BOOKS, _steps("points", 12, 7, 4), _within_the_length, 12_000, 1, 5),
    "distance": Turned(_CHATS, _steps("distance", 0.01, 0.06, 1), _within_a_block, 20_000, 60, 5),
    "classes": Turned(BANKING, _steps("classes", 10, 30, 77), linear, 12_000, 100),
    "shots": Turned(BANKING, _steps("shots", 690, 300, 120), linear, 12_000, 100),
    # A step is two points, as much as ten rows differ by chance.
    "rare": Turned(BANKING, _steps("rare", 0, 0.4, 1), linear, 12_000, 100, rows=4),
    "overlap": Turned(BANKING, _steps("overlap", 0, 0.3, 0.6), most_alike, 12_000, 100),
    "arguable": Turned(BANKING, _steps("arguable", 0, 0.2, 0.5), linear, 12_000, 100),
    # With half the noise of the defaults rows this short can tell the settings apart.
    "noise": Turned(_FILMS, _steps("noise", 0.3, 0.8, 0.97), _by(_liked_together), 15_000),
    "dialogues": Turned(
        _FILMS, _steps("dialogues", 10, 2, 0.5, noise=0.5), _by(_liked_together), 15_000
    ),
    "circle": Turned(_FILMS, _steps("circle", 4, 8, 20, noise=0.5), _by(_liked_together), 15_000),
    "tail": Turned(_FILMS, _steps("tail", 2, 1, 0, noise=0.5), _by(_named_most), 15_000),
}
_FAST = {
    **dict.fromkeys(("elsewhere", "bystanders", "points", "distance", "noise", "dialogues"), 3),
    "circle": 3,
    "tail": 3,
    "classes": 2,
    "arguable": 2,
    "conflicts": 1,
    "comparisons": 1,
}


@pytest.mark.slow
@pytest.mark.parametrize("knob", _KNOBS)
def test_every_knob_makes_rows_harder_for_whom_it_asks_too_much(knob: str) -> None:
    turned = _KNOBS[knob]
    scores = [_score(turned, setting, 10) for setting in turned.settings]
    assert all(harder < easier - turned.step for easier, harder in pairwise(scores)), scores
    assert scores[-1] < scores[0], scores


@pytest.mark.parametrize("knob", _FAST)
def test_the_hardest_setting_is_harder_than_the_easiest(knob: str) -> None:
    turned = _KNOBS[knob]
    easiest, hardest = (_score(turned, turned.settings[end], _FAST[knob]) for end in (0, -1))
    assert hardest < easiest - (4 if knob in ("classes", "arguable") else max(turned.step, 0))


@pytest.mark.slow
def test_chains_are_lost_to_a_search_as_histories_grow() -> None:
    """Ten passages hold all facts of most chains in 8,000 tokens, and of few in 32,000."""
    turned = Turned("factconsolidation_mh_32k", [{}], 10)
    assert _score(turned, {}, 3) > 60
    assert _score(turned._replace(tokens=32_000), {}, 3) < 25
