"""What each skill of the floor adds to its score, and each part of a skill.

One part at a time is switched off, and so is each skill as a whole: then the floor answers with
what is left to it. What a part adds is the score with everything less the score without the
part, over the same questions, with its 95 % interval (``mabench.uncertainty``): for new histories
where at least five were asked about, else for other questions about the same histories.

    python benchmarks/ablation.py [DATA ...] [--skill NAME]

DATA are data sets of real rows, ``../shared/data/mab-dev`` and ``../shared/data/mab-dev-qa2`` when
none is named. Prints a Markdown table, the real rows beside made-up ones of five seeds.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple
from unittest.mock import patch

import mabench
from mabench.data import Dataset
from mabench.uncertainty import Grouped, compare_paired
from mabench_floor import skill as floor
from mabench_floor.labels.classifier import _CHOICES
from mabench_floor.qa.evidence import weights
from mabench_synthetic import row_specs
from mabench_synthetic.scheme import synthetic_dataset

_REAL = (Path("../shared/data/mab-dev"), Path("../shared/data/mab-dev-qa2"))
_ENTITIES = Path("../shared/data/entity2id.json")
_SEEDS = range(5)
# The score of each question, by its history and its place there.
Scores = dict[tuple[Hashable, int], float]
FLOOR = "mabench_floor."


class Part(NamedTuple):
    """A part of a skill: what it is, and what switches it off (attribute to value)."""

    name: str
    off: Mapping[str, object]


class MadeUp(NamedTuple):
    """The made-up rows of a source and seed: tokens and questions of a row, and rows."""

    tokens: int
    rows: int
    questions: int


class Skill(NamedTuple):
    """A skill, and how it is measured.

    Attributes:
        name: what it is called.
        module: where it is learnt, within the floor.
        sources: the sources whose questions take it.
        metric: the published metric; where the reported one takes a judge, another.
        made_up: the made-up rows.
        parts: what can be switched off.
    """

    name: str
    module: str
    sources: Sequence[str]
    metric: str
    made_up: MadeUp
    parts: Sequence[Part]


def _unweighed(kind: int) -> tuple[tuple[float, ...], ...]:
    """Return the choices of weights without those of one kind of features."""
    return tuple((*weights[:kind], 0.0, *weights[kind + 1 :]) for weights in _CHOICES)


def _without(*signs: str) -> Mapping[str, object]:
    """Return what switches off signs by which spans are weighed, whatever the kind of answer."""
    begins = tuple(f"{sign} " for sign in signs)
    left = {name: weight for name, weight in weights().items() if not f"{name} ".startswith(begins)}
    return {"qa.evidence.weights": lambda: left}


SKILLS = (
    Skill(
        "superseded facts",
        "facts.skill",
        ("factconsolidation_sh_32k", "factconsolidation_mh_6k", "factconsolidation_mh_32k"),
        "substring_exact_match",
        MadeUp(16_000, 2, 20),
        (
            Part("the kind of name asked for", {"facts.skill._ASKED": 0.0}),
            Part("kinds named in the question", {"facts.evidence._KIND": 0.0}),
            Part("who and where as kinds", {"facts.evidence.asked_of": lambda *_: None}),
            Part("hops back", {"facts.skill._BACK": 1e6}),
            Part("the order of the question's words", {"facts.skill._INVERTED": 0.0}),
            Part("words of a relation left unsaid", {"facts.skill._UNSAID": 0.0}),
            Part("phrases that may mean any hop", {"facts.skill._MEANT": 0.0}),
            Part("older facts as a last resort", {"facts.skill._VERSIONS": 1}),
            Part("the newest fact first", {"facts.skill._OLDER": 0.0}),
            Part("several chains at a time", {"facts.skill._WIDTH": 1}),
        ),
    ),
    Skill(
        "a task from demonstrations",
        "labels.skill",
        ("icl_banking77_5900shot_balance", "icl_trec_coarse_6600shot_balance"),
        "exact_match",
        MadeUp(24_000, 1, 40),
        (
            Part("letters, what is asked for, form and pairs", {
                "labels.classifier._CHOICES": ((1.0, 0.0, 0.0, 0.0, 0.0),)}),
            *(Part(part, {"labels.classifier._CHOICES": _unweighed(kind)}) for kind, part in (
                (1, "letters"), (2, "what the text asks for"), (3, "how the text is built"),
                (4, "pairs of words that stand apart"))),
            Part("weights by cross-validation, not all alike", {
                "labels.classifier._CHOICES": ((1.0, 1.0, 1.0, 1.0, 1.0),)}),
            Part("recall of texts shown", {
                "labels.classifier._values_by_words": lambda shown: {}}),
        ),
    ),
    Skill(
        "documents",
        "qa.skill",
        ("ruler_qa1_197K", "ruler_qa2_421K"),
        "substring_exact_match",
        MadeUp(32_000, 1, 40),
        (
            Part("words said earlier in the paragraph", {
                "qa.search._NAME_BEFORE": 0.0, "qa.search._WORD_BEFORE": 0.0}),
            Part("the length of sentences", {"qa.search._LENGTH": 0.0}),
            Part("the second hop", {"qa.search._STARTS": 0}),
            Part("words spelt alike", {"qa.search._ALIKE": 101}),
            Part("inference", {"qa.skill.inferred_answer": lambda *_: None}),
            Part("comparing two", {"qa.inference.compared": lambda *_: None}),
            Part("paragraphs about a name before others", {"qa.search._MENTION": 1.0}),
            Part("the kind of thing asked for", {"qa.questions._KINDS": ()}),
            Part("nearness to the question's words", _without("near")),
            Part("the preposition asked with", _without("governed")),
            Part("what names are, by their company", _without("beside", "placed")),
            Part("what the history says that names are", _without("kind", "other kind")),
            Part("who acts, by the side of the verb", _without("acts", "by")),
            Part("how rare and how long spans are", _without("rare", "long")),
            Part("what a question describes", _without(
                "hop to subject", "named", "held", "link held")),
            Part("the score of the sentence", _without("trust")),
            Part("what ends at a comma or full stop", _without("closed")),
        ),
    ),
    Skill(
        "chats",
        "qa.skill",
        ("longmemeval_s*",),
        "substring_exact_match",
        MadeUp(32_000, 3, 20),
        (
            Part("inference", {"qa.skill.inferred_answer": lambda *_: None}),
            Part("what was said last", {"qa.skill._AS_GOOD": 2.0}),
        ),
    ),
    Skill(
        "what happens next",
        "events",
        ("eventqa_65536",),
        "substring_exact_match",
        MadeUp(64_000, 2, 20),
        (
            Part("the place reached so far", {"events._STEP": 1e6}),
        ),
    ),
    Skill(
        "one of several options",
        "options",
        ("detective_qa",),
        "exact_match",
        MadeUp(32_000, 4, 10),
        (
            Part("words of the question", {"options._CONTEXT": 0.0}),
            Part("late evidence", {"options._LATE": 0.0}),
        ),
    ),
    Skill(
        "recommending",
        "recommendation.skill",
        ("recsys_redial_full",),
        "recsys_recall@5",
        MadeUp(64_000, 2, 50),
        (
            Part("what is liked together", {"recommendation.ranking._PRIOR": 1e12}),
            Part("what keeps the same company", {"recommendation.ranking._FACTORS": 0}),
            Part("words", {"recommendation.ranking._WORD": 0.0}),
            Part("wording", {"recommendation.ranking._WORDING": 0.0}),
        ),
    ),
)  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", type=Path, default=_REAL)
    parser.add_argument("--skill", choices=[skill.name for skill in SKILLS])
    arguments = parser.parse_args()
    real = [mabench.load(path) for path in arguments.data if path.exists()]
    print("| skill, and what is switched off | real rows | made-up rows |\n|---|---:|---:|")
    for skill in SKILLS:
        if arguments.skill in (None, skill.name):
            made_up = [_made_up(skill, seed) for seed in _SEEDS]
            for line in _lines(skill, [_real(skill, real), made_up]):
                print(line, flush=True)


def _real(skill: Skill, data: Sequence[Dataset]) -> list[Dataset]:
    """Return the data sets that hold rows for a skill."""
    return [one for one in data if _known(skill, one)]


def _known(skill: Skill, data: Dataset) -> set[str]:
    """Return the sources of a skill that a data set has rows of."""
    return {row.source for row in data.rows(skill.sources)}


def _made_up(skill: Skill, seed: int) -> Dataset:
    """Make the rows of a seed: a data set of its own, since its entities are those of one seed."""
    tokens, rows, questions = skill.made_up
    specs = [
        spec
        for source in skill.sources
        for spec in row_specs(source, seed, tokens=tokens, rows=rows, questions=questions)
    ]
    return synthetic_dataset(f"made-up {seed}", specs)


def _lines(skill: Skill, columns: Sequence[Sequence[Dataset]]) -> Iterator[str]:
    """Yield the lines of a skill: its score, and what it and each of its parts adds."""
    everything = [_scores(skill, data) for data in columns]
    yield _line(f"**{skill.name}**: score", map(_score, everything))
    for part in (whole(skill), *skill.parts):
        with switched_off(part):
            without = [_scores(skill, data) for data in columns]
        yield _line(part.name, map(added, everything, without))


def _line(name: str, cells: Iterable[str]) -> str:
    return f"| {' | '.join([name, *cells])} |"


def whole(skill: Skill) -> Part:
    """Return the skill itself as a part of the floor."""
    left = tuple(module for module in floor._SKILLS if module != skill.module)
    return Part("the skill as a whole", {"skill._SKILLS": left})


@contextmanager
def switched_off(part: Part) -> Iterator[None]:
    """Switch off a part for a while."""
    with ExitStack() as stack:
        for attribute, value in part.off.items():
            stack.enter_context(patch(FLOOR + attribute, value))
        yield


def _scores(skill: Skill, data: Sequence[Dataset]) -> Scores:
    """Return the score of each question of a skill, by its history and its place there."""
    found: Scores = {}
    for one in data:
        with tempfile.TemporaryDirectory() as folder:
            run = mabench.run(
                "floor",
                mabench.DataSpec(
                    data=one, entities=None if one.entities or not _ENTITIES.exists() else _ENTITIES
                ),
                sources=sorted(_known(skill, one)),
                out=Path(folder) / "run",
            )
            for sample in run.samples():
                split, row, question = sample.key
                value = float(sample.official.get(skill.metric) or 0)
                found[(one.name, split, row), question] = value
    return found


def _score(scores: Scores) -> str:
    if not scores:
        return "-"
    histories = len({history for history, _ in scores})
    word = "history" if histories == 1 else "histories"
    return f"{100 * fmean(scores.values()):.1f} ({len(scores)} questions, {histories} {word})"


def added(everything: Scores, without: Scores) -> str:
    """Return what a part adds, in points with its interval; bold where that leaves out 0."""
    if not everything:
        return "-"
    gains = [value - without[place] for place, value in everything.items()]
    by_history = Grouped.of(gains, [history for history, _ in everything])
    found = compare_paired(replace(by_history, lowest=-1.0))
    estimate = found.new or found.these
    if estimate is None:
        return _points(found.difference)
    limits = estimate.interval(-1.0, 1.0)
    cell = f"{_points(found.difference)} ({_points(limits.low)} to {_points(limits.high)})"
    return cell if limits.low <= 0 <= limits.high else f"**{cell}**"


def _points(share: float) -> str:
    return f"{round(100 * share, 1) + 0.0:+.1f}"  # What rounds to 0 has no minus.


if __name__ == "__main__":
    main()
