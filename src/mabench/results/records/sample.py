"""One question of a run, as stored, and the verdicts of judges on its answer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from mabench.json_text import IfKnown, JsonRecord, Number

Key = tuple[str, int, int]

# The error of a question to which a file of predictions holds no answer.
MISSING = "missing: no prediction was given"


@dataclass(frozen=True, slots=True)
class QuestionPlace(JsonRecord):
    """What is known of one question begins with its place.

    Attributes:
        split, row, question_index: the place of the question, as in its sample.
    """

    split: str
    row: int
    question_index: int

    @property
    def key(self) -> Key:
        """What names the question within its data set."""
        return (self.split, self.row, self.question_index)


@dataclass(frozen=True, slots=True)
class RetrievedPassage(JsonRecord):
    """A passage that an agent retrieved: one of the row's chunks, or a text of its own.

    Attributes:
        text: the passage; not written for a chunk.
        chunk: the index of the chunk that the passage repeats word for word.
        score: the memory's score of the passage.
    """

    text: IfKnown[str | None] = None
    chunk: IfKnown[int | None] = None
    score: IfKnown[int | float | None] = None


@dataclass(frozen=True, slots=True)
class Sample(QuestionPlace):
    """A question, what the agent made of it, and its scores.

    Attributes:
        split, row, question_index: the place of the question; together they name it.
        source: the source of the row.
        qa_pair_id: the id that the data set gives the question.
        question: the question as the data set has it.
        answers: the gold answers.
        prediction: the agent's answer, None when it failed.
        error: why there is no prediction: kind and message.
        traceback: where the agent raised it: the last frames.
        retrieved: the passages that the agent reported, the best first.
        question_type: the type of the question, such as its category; None without types.
        asked_after: the turn or the time after which it was asked, in the midst of the history;
            None where the whole history was told before.
        evidence_recall: the share of the statements that the question rests on which the passages
            hold, from 0 to 1; None where the data set tells none.
        evidence_ranks: for each of these statements the rank, from 1, of the first passage that
            holds it, null for none.
        session_ranks: where they are turns with ids, the same for their sessions, of which any
            turn is enough.
        hit_by: what a hit is for the question: ``evidence``, that all the statements that it rests
            on were retrieved, or ``mention``, that a passage mentions an answer, where the data
            set tells no statements or a passage is in the memory's own words; None where neither
            can be told.
        hit_rank: the rank, from 1, of the passage with which all the evidence is there, or of the
            first one in which an answer stands by the rule of the corrected score; None where
            nothing was hit.
        gold_chunks: the indices of the chunks in which an answer stands by the same rule; None
            where the answers of the family are not to be looked for in the history.
        shown_tokens: about how many tokens the passages have; None when none were reported.
        input_tokens, output_tokens: what the answer took.
        tokens_estimated: whether these tokens are estimates, since no server counted them.
        dropped_tokens: how much of the history could not be shown.
        cost: of the answer, in US dollars.
        prompt: the hash of what a language model was shown, which ``prompts.jsonl.gz`` holds.
        official, corrected: metric name to value, from 0 to 1.
        difference: the rule by which the corrected score differs from the official one.
        verdict: ``right``, ``wrong``, ``partial`` (a share of the golds) or ``unclear`` by the
            corrected score; where that cannot tell, the official value stands for it. None where
            only a judge could tell.
        rule: the rule that decided so, by its name in ``docs/reference/scoring.md``.
        redacted: whether a secret was taken out of the prediction before it was stored; the scores
            are those of the whole prediction.
    """

    source: str
    qa_pair_id: str | None
    question: str
    answers: list[str]
    prediction: str | None
    question_type: IfKnown[str | None] = None
    asked_after: IfKnown[str | None] = None
    error: str | None = None
    traceback: str | None = None
    retrieved: list[RetrievedPassage] = field(default_factory=list)
    evidence_recall: Number | None = None
    evidence_ranks: IfKnown[tuple[int | None, ...] | None] = None
    session_ranks: IfKnown[tuple[int | None, ...] | None] = None
    hit_by: IfKnown[str | None] = None
    hit_rank: int | None = None
    gold_chunks: IfKnown[tuple[int, ...] | None] = None
    shown_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens_estimated: bool | None = None
    dropped_tokens: int | None = None
    cost: Number | None = None
    prompt: IfKnown[str | None] = None
    official: Mapping[str, bool | Number] = field(default_factory=dict)
    corrected: Mapping[str, bool | Number] = field(default_factory=dict)
    difference: str | None = None
    verdict: IfKnown[str | None] = None
    rule: IfKnown[str | None] = None
    redacted: IfKnown[bool | None] = None

    @property
    def is_unclear(self) -> bool:
        """Whether the corrected score cannot tell if the answer is right."""
        return self.verdict == "unclear"

    @property
    def answer_hash(self) -> str:
        """What names the answer in a judgment."""
        answer = (self.prediction or "").encode("utf-8", "surrogatepass")
        return hashlib.sha256(answer).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class JudgeName(JsonRecord):
    """What names a judge.

    Attributes:
        model: the model.
        prompts: the hash of the prompts that it was asked with.
    """

    model: str
    prompts: str


@dataclass(frozen=True, slots=True)
class Judgment(QuestionPlace):
    """One judge's verdict on one answer.

    Attributes:
        source: the source of the row.
        model: the model that judged.
        prompts: the hash of its prompts for the family.
        answer: hash of the prediction, so that a verdict is never taken for one on another answer.
        verdict: the verdict, as numbers by name; None when there is none.
        value: the score from the verdict, from 0 to 1; None without a verdict.
        error: why there is no verdict.
        official: the score by the published reading of the first replies, where that is another
            reading than ours.
    """

    source: str
    model: str
    prompts: str
    answer: str
    verdict: dict[str, int] | None = None
    value: Number | None = None
    error: str | None = None
    official: IfKnown[Number | None] = None

    @property
    def judge(self) -> JudgeName:
        """Who judged."""
        return JudgeName(self.model, self.prompts)
