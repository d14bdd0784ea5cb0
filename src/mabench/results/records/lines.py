"""What the lines of a run's files hold: questions, verdicts of judges, and what was measured."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

from mabench.json_text import IfKnown, IfTrue, JsonRecord, Number
from mabench.models import Caller

if TYPE_CHECKING:
    from mabench.models import Call

# What a judgment has for the hash of the judge's prompts if the judge is a person.
BY_HAND = "by hand"

# A question in a data set: its split, its row and its index in the row.
Key = tuple[str, int, int]
# A row in a data set: its split and its number there.
Place = tuple[str, int]
_HASH_DIGITS = 16  # Of the hash that names an answer.

_LOWEST_ERROR_STATUS = 400  # Of HTTP.

# The error of a question to which a file of predictions holds no answer.
MISSING = "missing: no prediction was given"


@dataclass(frozen=True, slots=True)
class QuestionPlace(JsonRecord):
    """What is known of one question begins with its place."""

    # The place of the question, as in its sample.
    split: str
    row: int
    question_index: int

    @property
    def key(self) -> Key:
        """What names the question within its data set."""
        return (self.split, self.row, self.question_index)

    @property
    def place(self) -> Place:
        """What names its row within the data set."""
        return (self.split, self.row)


@dataclass(frozen=True, slots=True)
class RetrievedPassage(JsonRecord):
    """A passage that an agent retrieved: one of the row's chunks, or a text of its own."""

    text: IfKnown[str | None] = None  # The passage; not written for a chunk.
    chunk: IfKnown[int | None] = None  # The chunk that the passage repeats word for word.
    score: IfKnown[int | float | None] = None  # The memory's score of the passage.

    def text_among(self, chunks: Sequence[str]) -> str | None:
        """Return the text of the passage, given the chunks of its row; None if it is not known."""
        if self.text is None and self.chunk is not None and self.chunk < len(chunks):
            return chunks[self.chunk]
        return self.text


@dataclass(frozen=True, slots=True)
class Sample(QuestionPlace):
    """A question, what the agent made of it, and its scores."""

    source: str  # The source of the row.
    qa_pair_id: str | None  # The id that the data set gives the question.
    question: str  # The question as the data set has it.
    answers: list[str]  # The gold answers.
    prediction: str | None  # The agent's answer, None when it failed.
    # The type of the question, such as its category; None without types.
    question_type: IfKnown[str | None] = None
    # The turn or the time after which it was asked, in the middle of the history; None if the whole
    # history came first.
    asked_after: IfKnown[str | None] = None
    error: str | None = None  # Why there is no prediction: kind and message.
    traceback: str | None = None  # Where the agent raised it: the last frames.
    # The passages that the agent reported, the best first.
    retrieved: list[RetrievedPassage] = field(default_factory=list)
    # The share of the supporting statements that the passages hold, from 0 to 1; None if the data
    # set names none.
    evidence_recall: Number | None = None
    # The rank, from 1, of the first passage that holds each of these statements; null for none.
    evidence_ranks: IfKnown[tuple[int | None, ...] | None] = None
    # The same for the sessions of the turns, if they have ids; any turn of a session counts.
    session_ranks: IfKnown[tuple[int | None, ...] | None] = None
    # What a hit is: ``evidence`` if all supporting statements must be retrieved; ``mention`` if a
    # passage must mention a gold, because the data set names no statements or a passage is in the
    # memory's own words; None if neither is known.
    hit_by: IfKnown[str | None] = None
    # The rank, from 1, of the passage that completes the evidence, or of the first one that
    # mentions a gold by the rule of the corrected score; None without a hit.
    hit_rank: int | None = None
    # The indices of the chunks that mention a gold by the same rule; None if the family's golds are
    # not taken from the history.
    gold_chunks: IfKnown[tuple[int, ...] | None] = None
    shown_tokens: int | None = None  # About how many tokens the passages have; None without any.
    # Whether the passages hold every chunk that the agent had been told.
    every_chunk: IfTrue = False
    # What the answer took.
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens_estimated: bool | None = None  # Whether they are estimates, since no server counted.
    dropped_tokens: int | None = None  # How much of the history could not be shown.
    # Whether the answer broke off because it had used all tokens of its budget.
    cut_off: IfKnown[bool | None] = None
    cost: Number | None = None  # Of the answer, in US dollars.
    # The hash of what a language model was shown, which ``prompts.jsonl.gz`` holds.
    prompt: IfKnown[str | None] = None
    # Metric name to value, from 0 to 1.
    official: Mapping[str, Number] = field(default_factory=dict)
    corrected: Mapping[str, Number] = field(default_factory=dict)
    # The rule by which the corrected score differs from the official one.
    difference: str | None = None
    # ``right``, ``wrong``, ``partial`` (a share of the golds) or ``unclear`` by the corrected
    # score; if unclear, the official value counts. None if only a judge can decide.
    verdict: IfKnown[str | None] = None
    # The rule that decided this, by its name in ``docs/reference/scoring.md``.
    rule: IfKnown[str | None] = None
    # Whether a secret was removed from the prediction before it was stored; it was scored as given.
    redacted: IfKnown[bool | None] = None
    # What names the run that gave the answer: its agent, data, protocol, prompts and model. A line
    # with another name was copied from another run and does not count.
    run: IfKnown[str | None] = None

    @property
    def hit(self) -> int | None:
        """The rank of the passage that makes a hit, from 1; 0 without a hit; None if unknown.

        It is unknown for a question that failed, an agent that reports no passages, and where
        nothing says what a hit is.
        """
        has_failed = self.prediction is None
        has_passages = self.shown_tokens is not None
        if has_failed or not has_passages or not self.hit_by:
            return None
        return self.hit_rank or 0

    @property
    def is_unclear(self) -> bool:
        """Whether the corrected score cannot tell if the answer is right."""
        return self.verdict == "unclear"

    @property
    def answer_hash(self) -> str:
        """A short hash of the answer, by which a judgment names it."""
        answer = (self.prediction or "").encode("utf-8", "surrogatepass")
        return hashlib.sha256(answer).hexdigest()[:_HASH_DIGITS]


# Whether a store holds what a question rests on: word for word or in other words (``whole``), with
# another value or without its subject (``changed``), or not (``none``); ``unclear`` if what a
# record says cannot be known by rules.
Holding = Literal["whole", "changed", "none", "unclear"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFacts(JsonRecord):
    """What a store tells beside the questions; counts with examples; none of them is a score."""

    records: int  # How many records it listed.
    examined: int  # How many of them were read for the counts below.
    told_tokens: IfKnown[int | None] = None  # Tokens told so far; null if it listed one user's.
    reworded: int  # How many records quote no sentence of the history.
    unsaid: int  # How many of these have a name or a number that nobody said; dates aside.
    copies: int  # How many records say, word for word, what another one says.
    # How many hold a value that a newer one replaced, which is held as well, without a mark of
    # time; null where the data do not tell older values.
    undated: IfKnown[int | None] = None
    examples: Mapping[str, tuple[str, ...]]  # The first texts of each of these counts.


@dataclass(frozen=True, slots=True)
class StageRecord(QuestionPlace):
    """What a memory did with what supports a question: a line of ``stages.jsonl``.

    It has what was seen, which no score changes.
    """

    source: str  # The source of the row.
    # How the support is known: ``evidence`` if the data say what it is, ``mention`` if it is
    # whatever mentions a gold.
    by: Literal["evidence", "mention"]
    question_type: IfKnown[str | None] = None  # As in the sample.
    # What the store held when the question had been asked; null if it could not be read.
    held: Holding | None = None
    # What it held right after it was told the support; null if it was not read then.
    held_first: IfKnown[Holding | None] = None
    records: IfKnown[int | None] = None  # How many records were read; null for none.
    # Whether the list was visibly cut, so that what is not in it may still be there.
    list_cut: IfTrue = False
    # The rank, from 1, at which a deeper search has the whole support; 0 if it does not have it;
    # null if there was none.
    rank: IfKnown[int | None] = None
    depth: IfKnown[int | None] = None  # How many passages the deeper search asked for.
    # Whether what was returned of the support reached the reader whole; null if unknown.
    shown: IfKnown[bool | None] = None
    seconds: IfKnown[Number | None] = None  # How long looking for it took.
    calls: IfKnown[int | None] = None  # How often the memory was called for that.
    error: IfKnown[str | None] = None  # Why the store or the search could not be read.
    # About how many records a model was asked, because rules could not tell; left out for none.
    judged: IfKnown[int | None] = None
    # What else the store tells; with the first question after each reading.
    store: IfKnown[StoreFacts | None] = None


@dataclass(frozen=True, slots=True)
class JudgeName(JsonRecord):
    """What names a judge."""

    model: str  # The model.
    prompts: str  # The hash of the prompts that it was asked with.

    @property
    def is_person(self) -> bool:
        """Whether a person judges."""
        return self.prompts == BY_HAND


@dataclass(frozen=True, slots=True)
class Judgment(QuestionPlace):
    """One judge's verdict on one answer."""

    source: str  # The source of the row.
    model: str  # The model that judged.
    prompts: str  # The hash of its prompts for the family.
    answer: str  # Hash of the prediction, so that a verdict holds for this answer only.
    verdict: dict[str, int] | None = None  # The verdict, as numbers by name; None without one.
    value: Number | None = None  # The score from the verdict, from 0 to 1; None without a verdict.
    error: str | None = None  # Why there is no verdict.
    # The judge's own words: its last reply to each prompt, one after the other.
    words: IfKnown[str | None] = None
    # How many requests it took, over all prompts; unknown for verdicts of others' files.
    requests: IfKnown[int | None] = None
    # The score by the published reading of the first replies, where that differs from ours.
    official: IfKnown[Number | None] = None
    # Of a person's verdict on answers of two runs: the judge by whose verdicts they were drawn.
    drawn_by: IfKnown[JudgeName | None] = None

    @property
    def is_by_hand(self) -> bool:
        """Whether a person judged."""
        return self.prompts == BY_HAND

    @property
    def judge(self) -> JudgeName:
        """Who judged."""
        return JudgeName(self.model, self.prompts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing(QuestionPlace):
    """How long one answer took, and what was paid for it: a line of ``timings.jsonl``.

    A question that is asked again has a line for each time; one that was given up when the run
    stopped may have a line, too.
    """

    seconds: Number  # From the call to the answer, or to the failure.
    # US dollars actually paid for the model's replies: nothing for cached ones, the price for
    # unusable ones; unknown if no model with a price was asked.
    paid: IfKnown[Number | None] = None
    wasted: IfKnown[Number | None] = None  # The part paid for unusable replies.
    # How long the search took, without reading; unknown if the agent is not a memory with a reader,
    # or failed.
    search_seconds: IfKnown[Number | None] = None


@dataclass(frozen=True, kw_only=True)
class RowPlace(JsonRecord):
    """What is known of one row begins with its place."""

    # The place of the row.
    split: str
    row: int
    source: str  # The source of the row.

    @property
    def place(self) -> Place:
        """What names the row within its data set."""
        return (self.split, self.row)


@dataclass(frozen=True, kw_only=True)
class MemoryRecord(RowPlace):
    """What is known of the memory of one row: a line of ``memories.jsonl``."""

    loaded: IfTrue = False  # Whether a saved memory was loaded; it may hold more since.
    chunks: IfKnown[int | None] = None  # How many chunks the agent was given.
    characters: IfKnown[int | None] = None  # Their length.
    tokens: IfKnown[int | None] = None  # Their length in tokens, estimated.
    # Hashes of some of their sentences, which tell histories that share their text.
    sketch: IfKnown[tuple[int, ...] | None] = None
    # How many memories are stored in the end, by the memory's own count.
    memories: IfKnown[int | None] = None
    bytes: IfKnown[int | None] = None  # Their size, by the memory's own count.
    # After how many chunks the count of memories had not grown.
    chunks_without_memory: IfKnown[int | None] = None
    # Whether the memory received an address at which its model calls are counted.
    metered: IfTrue = False
    seconds: Number  # How long memorizing or loading took, with the wait until it was ready.
    # A histogram of calls that add a text: the names are seconds with two significant digits.
    adds: IfKnown[Mapping[float, int] | None] = None
    add_seconds: IfKnown[Number | None] = None  # How long these calls took together.
    # How long after the last of them everything could be found, if the memory says so.
    ready_seconds: IfKnown[Number | None] = None
    error: str | None = None  # Why the row could not be memorized; null when it was.
    # Why a saved memory could not be loaded; the row was memorized again.
    load_error: IfKnown[str | None] = None
    save_error: IfKnown[str | None] = None  # Why the memory could not be saved.


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord(RowPlace):
    """One call of a model: a line of ``calls.jsonl``.

    A call has a line when it begins and a second one, with the same ``call``, when it has ended. A
    call without the second was under way when the run was killed. A call that is sent again is
    another call.
    """

    call: str  # Names the call.
    # Who called: the memory, mabench's reader, or a judge.
    by: Caller
    # What the row was doing: late means that it was done, judging that its answers were judged. A
    # preflight before the run has the place of the first row.
    phase: Literal["preflight", "memorizing", "answering", "late", "judging"]
    question_index: IfKnown[int | None] = None  # The question being asked, or judged.
    path: str  # What was called, such as ``chat/completions``.
    model: IfKnown[str | None] = None  # The model that was named.
    again: IfTrue = False  # Whether the same call had failed before.
    # Whether it was answered from the cache and cost nothing; its tokens are those of the first
    # time.
    kept: IfTrue = False
    reply: IfKnown[str | None] = None  # The name of its cached reply.
    seconds: IfKnown[Number | None] = None  # To the end of the reply; unknown until then.
    status: IfKnown[int | None] = None  # The HTTP status of the reply, where there was one.
    error: IfKnown[str | None] = None  # Why there was no complete reply.
    # What it took.
    input_tokens: IfKnown[int | None] = None
    output_tokens: IfKnown[int | None] = None
    cached_tokens: IfKnown[int | None] = None  # How many input tokens the server had cached.
    estimated: IfTrue = False  # Whether the tokens are our estimate.
    cost: IfKnown[Number | None] = None  # In US dollars; unknown if the model's price is.

    @classmethod
    def of(cls, call: Call, **place: Any) -> Self:
        """Return the line of a call; ``place`` has the fields of the row's ``RowPlace``."""
        tokens = call.usage._asdict() if call.usage else {}
        return cls(
            **place,
            **tokens,
            call=call.name,
            by=call.by,
            phase=call.phase.name,
            question_index=call.phase.question,
            path=call.path,
            model=call.model,
            again=call.again,
            kept=call.kept,
            reply=call.reply,
            seconds=round(call.seconds, 6) if call.ended else None,
            status=call.status,
            error=call.error,
            cost=call.cost,
        )

    @property
    def ended(self) -> bool:
        """Whether this is the line of the end of a call."""
        return self.seconds is not None

    @property
    def failed(self) -> bool:
        """Whether the call brought no usable reply."""
        has_error_status = self.status is not None and self.status >= _LOWEST_ERROR_STATUS
        return not self.ended or self.error is not None or has_error_status
