"""The knobs of made-up rows make them harder, step by step.

Each is turned before an agent that can show what it does: the floor, BM25 with a reader, or one
that lacks just what the knob asks for.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from mabench.agents.memories import BM25Memory
from mabench.data.schema import Row
from mabench.text import options_in
from mabench_synthetic import make_rows, row_specs
from tests.synthetic.families.knob_scores import Turned, score
from tests.synthetic.wordings import events_told, summarized

_EVENTS, _CHATS, _BOOKS = "eventqa_full", "longmemeval_s*", "infbench_sum_eng_shots2"
_SEEDS = 10


def _steps(knob: str, *values: float) -> list[Mapping[str, float]]:
    return [{knob: value} for value in values]


# Settings from the easiest to the hardest; a row is read by the floor, or by BM25 at a depth.
_RUNS = {
    "things": Turned(_EVENTS, _steps("things", 6, 3, 1), None, 12_000, 30),
    "things by other words": Turned(_EVENTS, _steps("renamed", 0, 0.5, 1), None, 12_000, 30),
    "events listed": Turned(_EVENTS, _steps("shown", 20, 4, 1), None, 12_000, 30),
    "lookalikes": Turned(_CHATS, _steps("lookalikes", 0, 0.5, 1), 3, 20_000, 24),
    "abstention": Turned(_CHATS, _steps("abstention", 0, 0.15, 0.3), 3, 12_000, 24),
}


class Read(NamedTuple):
    """Settings of a knob, the easiest first, and the score of a row that a reader gets."""

    source: str
    settings: Sequence[Mapping[str, float]]
    reader: Callable[[Row], Iterator[float]]
    tokens: int
    questions: int
    rows: int = 1


def _without_order(row: Row) -> Iterator[float]:
    """Guess among the options that the story tells, at whatever place."""
    told = set(events_told(row.context))
    for question, (gold,) in zip(row.questions, row.answers, strict=True):
        options = [o.text for o in options_in(question) if summarized(o.text) in told]
        yield (gold in options) / len(options)


_TRACES = (
    "dealt the cards or signed with the left hand",
    "boots studded with nails, nailed boots",
    "nobody was with me, seen by none",
)


def _by_traces(row: Row) -> Iterator[float]:
    """Search for each trace of the murderer at depth 3; the one whom most passages name did it."""
    memory = BM25Memory()
    for paragraph in row.context.split("\n\n"):
        memory.add(paragraph)
    found = ["\n".join(passage.text for passage in memory.search(t, 3)) for t in _TRACES]
    for question, (gold,) in zip(row.questions, row.answers, strict=True):
        if "Who killed" in question.rpartition("Now Answer the Question:")[2]:
            names = [option.text for option in options_in(question)]
            named = {name: sum(name in passages for passages in found) for name in names}
            suspects = [name for name in names if named[name] == max(named.values())]
            yield (gold[3:] in suspects) / len(suspects)


def _within_the_length(row: Row) -> Iterator[float]:
    """Write the reference as far as the length asked for goes."""
    asked = re.search(r"to (\d+) words", row.questions[0])
    assert asked
    written = " ".join(row.answers[0][0].split()[: int(asked[1])])
    yield from (float(point in written) for point in row.metadata.get("keypoints") or [])


_BLOCK = 8  # Sessions.


def _within_a_block(row: Row) -> Iterator[float]:
    """Find what the user said that fits best, and take the last of its kind in its block."""
    sessions = ast.literal_eval(row.context)[1::2]
    said = [
        (at // _BLOCK, turn["content"])
        for at, turns in enumerate(sessions)
        for turn in turns
        if turn["role"] == "user"
    ]
    memory = BM25Memory()
    for _, text in said:
        memory.add(text)
    kinds = row.metadata.get("question_types") or []
    for kind, question, (gold,) in zip(kinds, row.questions, row.answers, strict=True):
        if kind == "knowledge-update":
            (found,) = memory.search(question.rpartition("Now Answer the Question:")[2], 1)
            (block,) = (block for block, text in said if text == found.text)
            words = set(found.text.split())
            of_block = [text for place, text in said if place == block]
            *_, last = (t for t in of_block if len(words & {*t.split()}) > len(words) / 3)
            yield float(re.findall(r"\d+", last)[:1] == re.findall(r"\d+", gold))


_READS = {
    "elsewhere": Read(_EVENTS, _steps("elsewhere", 0, 1, 3), _without_order, 12_000, 30),
    "bystanders": Read("detective_qa", _steps("bystanders", 0, 6, 12), _by_traces, 6_000, 10, 3),
    "points": Read(_BOOKS, _steps("points", 12, 7, 4), _within_the_length, 12_000, 1),
    "distance": Read(_CHATS, _steps("distance", 0.01, 0.06, 1), _within_a_block, 20_000, 60),
}


def _read(knob: str, seeds: int) -> list[float]:
    read = _READS[knob]
    size: dict[str, Any] = {"tokens": read.tokens, "questions": read.questions, "rows": read.rows}
    found: list[float] = []
    for setting in read.settings:
        each = (row_specs(read.source, seed, **size, knobs=setting) for seed in range(seeds))
        rows = (row for specs in each for row in make_rows(specs))
        found.append(100 * fmean(part for row in rows for part in read.reader(row)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("knob", sorted(_READS))
def test_every_knob_makes_rows_harder_for_whom_it_asks_too_much(knob: str) -> None:
    scores = _read(knob, _SEEDS)
    assert all(harder < easier - 5 for easier, harder in pairwise(scores)), scores


@pytest.mark.parametrize("knob", sorted(_READS))
def test_the_hardest_setting_is_harder_than_the_easiest(knob: str) -> None:
    easiest, *_, hardest = _read(knob, 3)
    assert hardest < easiest - 5


_SINGLE, _MULTI = "factconsolidation_sh_6k", "factconsolidation_mh_6k"
_QA1, _QA2 = "ruler_qa1_197K", "ruler_qa2_421K"
# A step back of so many points is chance, over ten rows of 40 questions.
_CHANCE = 3.0


# Settings from the easiest to the hardest.
_FACTS = {
    "conflicts": Turned(_SINGLE, _steps("conflicts", 0, 0.26, 0.6), 2),
    "distance": Turned(_SINGLE, _steps("distance", 0.01, 0.1, 1), 2),
    "contradicted": Turned(_SINGLE, _steps("contradicted", 0, 0.5, 1), 2),
    "facts in other words": Turned(_SINGLE, _steps("paraphrase", 0, 0.5, 1), 3),
    "most hops": Turned(_MULTI, _steps("most_hops", 2, 3, 4), 5),
    "fewest hops": Turned(_MULTI, _steps("fewest_hops", 2, 3, 4), 5),
    # Who is meant matters most where the first passage alone is read, and is understood.
    "likeness": Turned(_QA1, [{"likeness": v, "paraphrase": 0} for v in (0, 0.45, 0.9)], 1),
    "surface forms": Turned(_QA1, _steps("forms", 3, 2, 1), 3),
    "questions in other words": Turned(_QA1, _steps("paraphrase", 0, 0.5, 1), 3),
    "second hops in other words": Turned(_QA2, _steps("paraphrase", 0, 0.5, 1), 3),
    "comparisons": Turned(_QA2, _steps("compared", 0.8, 0.3, 0), 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("knob", sorted(_RUNS | _FACTS))
def test_every_knob_makes_rows_harder_for_the_floor_or_a_search(knob: str) -> None:
    turned = (_RUNS | _FACTS)[knob]
    scores = [score(turned, setting, range(_SEEDS)) for setting in turned.settings]
    chance = _CHANCE if knob in _FACTS else 0
    assert all(harder < easier + chance for easier, harder in pairwise(scores)), scores
    assert scores[-1] < scores[0], scores


@pytest.mark.parametrize("knob", ["conflicts", "comparisons"])
def test_the_hardest_setting_of_facts_is_harder_than_the_easiest(knob: str) -> None:
    turned = _FACTS[knob]._replace(tokens=5_000, questions=20)
    easiest, hardest = (score(turned, turned.settings[end], range(1)) for end in (0, -1))
    assert hardest < easiest
