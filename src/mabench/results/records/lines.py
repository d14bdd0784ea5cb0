"""What the lines of a run's files hold: questions, verdicts of judges, and what was measured."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.models import Call, Caller

Key = tuple[str, int, int]
Place = tuple[str, int]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing(QuestionPlace):
    """How long one answer took, and what was paid for it: a line of ``timings.jsonl``.

    A question that is asked again has a line for each time; one that was given up when the run
    stopped may have a line, too.

    Attributes:
        seconds: from the call to the answer, or to the failure.
        paid: US dollars that the model's replies really cost: kept ones nothing, those of no use
            what they cost; unknown where no model with a price was asked.
        wasted: the part of it for replies of no use.
        search_seconds: how long the search took, apart from reading; unknown where the agent is no
            memory with a reader, and where it failed.
    """

    seconds: Number
    paid: IfKnown[Number | None] = None
    wasted: IfKnown[Number | None] = None
    search_seconds: IfKnown[Number | None] = None


@dataclass(frozen=True, kw_only=True)
class RowPlace(JsonRecord):
    """What is known of one row begins with its place.

    Attributes:
        split, row: the place of the row.
        source: the source of the row.
    """

    split: str
    row: int
    source: str

    @property
    def place(self) -> Place:
        """What names the row within its data set."""
        return (self.split, self.row)


@dataclass(frozen=True, kw_only=True)
class MemoryRecord(RowPlace):
    """What is known of the memory of one row: a line of ``memories.jsonl``.

    Attributes:
        loaded: true where a saved memory was loaded; it may have been told more since.
        chunks: how many chunks the agent was given.
        characters: their length.
        tokens: their length in tokens, estimated.
        memories: how many memories are stored in the end, by the memory's own count.
        bytes: their size, by the memory's own count.
        chunks_without_memory: after how many chunks there were no more memories than before.
        seconds: how long memorizing or loading took, waiting until it was ready included.
        adds: how many calls that add a text took so many seconds; the seconds, which are the names,
            have two significant digits.
        add_seconds: how long these calls took together.
        ready_seconds: how long after the last of them everything could be found; unknown where the
            memory does not say.
        metered: true where the memory was told of an address at which its model calls are counted.
        error: why the row could not be memorized; null when it was.
        load_error: why a saved memory could not be loaded, so that the row was memorized again.
        save_error: why the memory could not be saved.
    """

    loaded: IfKnown[bool] = False
    chunks: IfKnown[int | None] = None
    characters: IfKnown[int | None] = None
    tokens: IfKnown[int | None] = None
    memories: IfKnown[int | None] = None
    bytes: IfKnown[int | None] = None
    chunks_without_memory: IfKnown[int | None] = None
    metered: IfKnown[bool] = False
    seconds: Number
    adds: IfKnown[Mapping[float, int] | None] = None
    add_seconds: IfKnown[Number | None] = None
    ready_seconds: IfKnown[Number | None] = None
    error: str | None = None
    load_error: IfKnown[str | None] = None
    save_error: IfKnown[str | None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord(RowPlace):
    """One call of a model: a line of ``calls.jsonl``.

    A call has a line when it begins and a second one, with the same ``call``, when it has ended. A
    call without the second was under way when the run was killed. A call that is sent again is
    another call.

    Attributes:
        call: names the call.
        by: who called: the memory, the reader of this package, or a judge of answers.
        phase: what the row was doing when it was made; late once the row was done, judging when
            its answers are judged. A preflight looks before a run whether the server is there; it
            has the place of the first row.
        question_index: the question that was under way, or judged, where there was one.
        path: what was called, such as ``chat/completions``.
        model: the model that was named.
        again: whether the same call had failed before.
        kept: whether a reply that was kept answered it, so that nothing was sent; it costs
            nothing, and its tokens are those that the reply once took.
        reply: the name under which its reply is kept, in a folder of kept replies.
        seconds: from the call to the end of the reply; unknown until it has ended.
        status: the HTTP status of the reply, where there was one.
        error: why there was no whole reply.
        input_tokens, output_tokens: what it took.
        cached_tokens: how many of the input the server had kept.
        estimated: whether the tokens are our estimate, since the server did not count.
        cost: in US dollars; unknown where the price of the model is.
    """

    call: str
    by: Caller
    phase: Literal["preflight", "memorizing", "answering", "late", "judging"]
    question_index: IfKnown[int | None] = None
    path: str
    model: IfKnown[str | None] = None
    again: IfKnown[bool] = False
    kept: IfKnown[bool] = False
    reply: IfKnown[str | None] = None
    seconds: IfKnown[Number | None] = None
    status: IfKnown[int | None] = None
    error: IfKnown[str | None] = None
    input_tokens: IfKnown[int | None] = None
    output_tokens: IfKnown[int | None] = None
    cached_tokens: IfKnown[int | None] = None
    estimated: IfKnown[bool] = False
    cost: IfKnown[Number | None] = None

    @classmethod
    def of(cls, call: Call, **place: Any) -> Self:
        """Return what a call becomes; ``place`` has the fields of a ``RowPlace``."""
        same = ("path", "model", "by", "again", "kept", "reply", "status", "error", "cost")
        return cls(
            **place,
            **(call.usage._asdict() if call.usage else {}),
            **{name: getattr(call, name) for name in same},
            call=call.name,
            phase=call.phase.name,
            question_index=call.phase.question,
            seconds=round(call.seconds, 6) if call.ended else None,
        )

    @property
    def ended(self) -> bool:
        """Whether this is the line of the end of a call."""
        return self.seconds is not None

    @property
    def failed(self) -> bool:
        """Whether the call brought no usable reply."""
        return not self.ended or self.error is not None or (self.status or 200) >= 400
