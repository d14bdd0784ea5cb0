"""What a page holds of each question: gathered from a run's folder, in this module alone."""

from __future__ import annotations

from dataclasses import dataclass

from mabench.data.inventory import split_rank
from mabench.families import Family, family_of
from mabench.inspection import PassageView, QuestionView, question_views
from mabench.results import NOT_JUDGED, JsonRecord, Judgment, Run
from mabench.results.records.sample import Key
from mabench.scoring import RULES

VERDICTS = ("right", "partial", "wrong", "unclear", NOT_JUDGED, "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPassage(JsonRecord):
    """A passage that was retrieved for a question.

    Attributes:
        rank: its rank, from 1.
        text: the passage; null where only the number of its chunk is known.
        chunk: the chunk that it repeats, from 0; null for a text of its own.
        score: the memory's score of it.
        marks: where golds stand in the text: start and end, in characters.
        gold: whether a gold stands in it; null where that is not known.
    """

    rank: int
    text: str | None
    chunk: int | None
    score: float | None
    marks: tuple[tuple[int, int], ...]
    gold: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(JsonRecord):
    """What one run made of a question.

    Attributes:
        verdict: one of ``VERDICTS``; ``unclear`` where no rule could tell.
        official, corrected: from 0 to 1; null without a score.
        rule: the rule that decided the corrected score, by its name and in words.
        prediction: the answer; null when there is none.
        error: why there is none.
        hit: the rank of the first passage with a gold, 0 for none; null where it is not sought.
        passages: what was retrieved, the best first.
        judgments: what judges said, a line each.
        seconds: from the question to the answer.
        input_tokens, output_tokens, cost: what the answer took.
    """

    verdict: str
    official: float | None
    corrected: float | None
    rule: str | None
    prediction: str | None
    error: str | None
    hit: int | None
    passages: tuple[ShownPassage, ...]
    judgments: tuple[str, ...]
    seconds: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(JsonRecord):
    """A question of a run, with what the run made of it.

    Attributes:
        source: the source of its row.
        split, row, index: its place.
        question: its text.
        answers: the golds.
        golds: the chunks of the history in which a gold stands, from 0; null if unknown.
        depth: how deep in the history the last of them begins, from 0 to 100; null if unknown.
        chunks: into how many chunks the history is cut; null if unknown.
        history_tokens: the length of the history, about; null if unknown.
        result: what the run made of it.
    """

    source: str
    split: str
    row: int
    index: int
    question: str
    answers: tuple[str, ...]
    golds: tuple[int, ...] | None
    depth: float | None
    chunks: int | None
    history_tokens: int | None
    result: Result

    @property
    def key(self) -> Key:
        """What names the question within its data set."""
        return (self.split, self.row, self.index)


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of a run.

    Attributes:
        asked: the questions, row by row, in the order of the data.
        without: why the history cannot be read; null where it can, or nothing of it is needed.
    """

    asked: tuple[Asked, ...]
    without: str | None


def questions_of(run: Run) -> Questions:
    """Return the questions that a run was asked, row by row, in the order of the data.

    Raises:
        DataError: when the run cannot be read.
    """
    sources = run.record.all_sources
    tokens = {place: one.tokens for place, one in run.store.memories().items()}
    asked: list[Asked] = []
    without = None
    in_order = sorted(
        run.questions(),
        key=lambda one: (split_rank(one.sample.split), one.sample.split, one.sample.row),
    )
    for view in question_views(run, in_order, prompts=False):
        sample = view.sample
        without = view.without
        family = family_of(sample.source, sources)
        asked.append(
            Asked(
                source=sample.source,
                split=sample.split,
                row=sample.row,
                index=sample.question_index,
                question=sample.question,
                answers=tuple(sample.answers),
                golds=None if view.golds is None else tuple(one.chunk for one in view.golds),
                depth=_depth(view),
                chunks=view.chunks,
                history_tokens=tokens.get((sample.split, sample.row)),
                result=_result(view, family),
            )
        )
    return Questions(tuple(asked), without)


def _result(view: QuestionView, family: Family) -> Result:
    sample = view.sample
    sought = sample.prediction is not None and family.gold_in_text(sample.answers)
    known = sought and (sample.shown_tokens is not None)
    hit = (sample.hit_rank or 0) if known else None
    return Result(
        verdict="error" if sample.prediction is None else view.verdict or "unclear",
        official=view.official,
        corrected=view.corrected,
        rule=f"{view.rule} ({RULES[view.rule]})" if view.rule in RULES else view.rule,
        prediction=sample.prediction,
        error=sample.error,
        hit=hit,
        passages=tuple(_passage(one, hit) for one in view.passages),
        judgments=tuple(map(_said, view.judgments)),
        seconds=None if view.seconds is None else float(view.seconds),
        input_tokens=sample.input_tokens,
        output_tokens=sample.output_tokens,
        cost=None if sample.cost is None else float(sample.cost),
    )


def _depth(view: QuestionView) -> float | None:
    depths = [one.depth for one in view.golds or () if one.depth is not None]
    return max(depths) if depths else None


def _passage(passage: PassageView, hit: int | None) -> ShownPassage:
    gold: bool | None = None
    if hit is not None and (hit == 0 or passage.rank <= hit):
        gold = passage.rank == hit
    elif hit is not None and passage.text is not None:
        gold = bool(passage.marks)
    return ShownPassage(
        rank=passage.rank,
        text=passage.text,
        chunk=passage.chunk,
        score=passage.score,
        marks=passage.marks if hit is not None else (),
        gold=gold,
    )


def _said(judgment: Judgment) -> str:
    verdict = ", ".join(f"{name} {number}" for name, number in (judgment.verdict or {}).items())
    return f"{judgment.model}: {judgment.error or verdict}"
