"""What memories retrieved for the questions of a source, and how often that was a hit."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from mabench.json_text import IfKnown, JsonRecord
from mabench.results.measures import Measure
from mabench.uncertainty.score_intervals import Intervals

if TYPE_CHECKING:
    from mabench.results.scored import ScoredQuestion

# How many of the first passages are looked at.
_DEPTHS = (1, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSummary(JsonRecord):
    """What was retrieved for the answered questions of a source."""

    questions: int  # How many have passages.
    nothing: int  # How many have none.
    depth: float | None  # Mean number of passages of ``questions``.
    shown_tokens: float | None  # Mean number of their tokens, estimated.
    sought: int  # For how many it is known whether they were hit.
    # What a hit is: ``evidence`` if all that supports the answer must be retrieved; ``mention`` if
    # a passage must mention a gold, because the support of some question is unknown; null if
    # ``sought`` is 0.
    by: str | None
    hit: float | None  # The share of ``sought`` that was hit.
    hit_at: Mapping[str, float] | None  # The same for the first 1, 5 and 10 passages.
    hit_at_intervals: IfKnown[Mapping[str, Intervals] | None] = None  # Their intervals.
    answered: float | None  # The official score of ``sought``.
    answered_when_hit: float | None  # The official score of those that were hit.
    answered_when_hit_interval: IfKnown[Intervals | None] = None  # Its intervals, if any was hit.
    # For how many questions every chunk of the row was retrieved; these do not test the search.
    # Null for none.
    every_chunk: IfKnown[int | None] = None

    def measure_at(self, depth: str) -> Measure | None:
        """Return the share that was hit in the first passages, with its intervals."""
        if self.hit_at is None or depth not in self.hit_at:
            return None
        return Measure.of(self.hit_at[depth], (self.hit_at_intervals or {}).get(depth))

    @property
    def measure_when_hit(self) -> Measure | None:
        """The official score of those that were hit, with its intervals."""
        return Measure.of(self.answered_when_hit, self.answered_when_hit_interval)

    @property
    def is_exhaustive(self) -> bool:
        """Whether every chunk was retrieved for every question."""
        return bool(self.every_chunk) and self.every_chunk == self.questions + self.nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSummary(JsonRecord):
    """What was retrieved of the turns that support answers; all but ``n`` from 0 to 100."""

    n: int  # How many questions name such turns.
    interval: Intervals | None  # The intervals of ``evidence_recall``; null if that is.
    # The mean share of a question's turns in the first 1, 5 and 10 passages, and its intervals.
    turns_at: Mapping[str, float]
    turns_at_intervals: Mapping[str, Intervals]
    # The same for sessions: one of their turns is enough.
    sessions_at: Mapping[str, float]
    sessions_at_intervals: Mapping[str, Intervals]

    def measure_turns(self, depth: str) -> Measure | None:
        """Return the share of turns in the first passages, with its intervals."""
        return Measure.of(self.turns_at.get(depth), self.turns_at_intervals.get(depth))

    def measure_sessions(self, depth: str) -> Measure | None:
        """Return the share of sessions in the first passages, with its intervals."""
        return Measure.of(self.sessions_at.get(depth), self.sessions_at_intervals.get(depth))


class RetrievalTally:
    """What is known so far of the retrieval for a source's questions.

    Once an agent has reported passages, an answer without any counts as one that misses the gold.
    """

    def __init__(self) -> None:
        self._any = False  # Were any passages reported? Without, nothing is known of evidence.
        # The recall of each question with evidence, from 0 to 1: by type, and of all (None).
        self._recalls: defaultdict[str | None, array[float]] = defaultdict(lambda: array("d"))
        self._histories = array("q")
        # By depth, the share of each question's turns, or sessions; and their histories.
        self._turns = {depth: array("d") for depth in _DEPTHS}
        self._of_turns = array("q")
        self._sessions = {depth: array("d") for depth in _DEPTHS}
        self._of_sessions = array("q")
        self._reported = False  # Whether any answer says what was shown to it.
        self._nothing = self._every_chunk = 0
        # Of each answer with passages: how many these are, and how many tokens.
        self._passages, self._tokens = array("q"), array("q")
        self._by: set[str] = set()
        # Of the questions whose hits are known: rank (0 for none), official score, and history.
        self._ranks, self._scores, self._of_ranks = array("q"), array("d"), array("q")

    def add(self, scored: ScoredQuestion, history: int) -> None:
        """Take in a question about the history of a number."""
        sample = scored.sample
        if sample.retrieved:
            self._any = True
        if sample.evidence_recall is not None:
            self._histories.append(history)
            for kind in {None, sample.question_type or None}:
                self._recalls[kind].append(float(sample.evidence_recall))
        if sample.evidence_ranks:
            self._of_turns.append(history)
            _add_shares(self._turns, sample.evidence_ranks)
        if sample.session_ranks:
            self._of_sessions.append(history)
            _add_shares(self._sessions, sample.session_ranks)
        self._add_passages(scored, history)

    def _add_passages(self, scored: ScoredQuestion, history: int) -> None:
        """Take in the passages of an answer, and whether they are a hit."""
        sample = scored.sample
        if sample.prediction is None:
            return
        if sample.retrieved and sample.shown_tokens is None:
            return  # Stored by a version that did not look for the gold.
        if sample.shown_tokens is not None:
            self._reported = True
        if sample.retrieved:
            self._passages.append(len(sample.retrieved))
            self._tokens.append(sample.shown_tokens or 0)
        else:
            self._nothing += 1
        self._every_chunk += sample.every_chunk
        if scored.official is not None and sample.hit_by:
            self._by.add(sample.hit_by)
            self._ranks.append(sample.hit_rank or 0)
            self._of_ranks.append(history)
            self._scores.append(100 * scored.official)

    def recall(self, kind: str | None = None) -> float | None:
        """Return the recall of evidence for questions of a type, or all; None if unknown."""
        recalls = self._recalls[kind] if self._any else ()
        return 100 * fmean(recalls) if recalls else None

    def evidence(self) -> EvidenceSummary | None:
        """Return the recall at each depth; None if turns have no ids."""
        n, recalls = len(self._turns[1]), self._recalls[None]
        if not self._any or not n or not self._sessions[1]:
            return None
        return EvidenceSummary(
            n=n,
            interval=Intervals.of_values(recalls, self._histories),
            turns_at={str(depth): 100 * fmean(self._turns[depth]) for depth in _DEPTHS},
            turns_at_intervals=_intervals(self._turns, self._of_turns),
            sessions_at={str(depth): 100 * fmean(self._sessions[depth]) for depth in _DEPTHS},
            sessions_at_intervals=_intervals(self._sessions, self._of_sessions),
        )

    def summary(self) -> RetrievalSummary | None:
        """Return what was retrieved; None if the agent reported no passages."""
        if not self._reported:
            return None
        ranks = self._ranks
        hits = [score for rank, score in zip(ranks, self._scores, strict=True) if rank]
        histories_of_hits = [of for rank, of in zip(ranks, self._of_ranks, strict=True) if rank]
        # By depth, for each question 1.0 if it was hit in the first passages, or else 0.0.
        hit_within = {depth: [float(0 < rank <= depth) for rank in ranks] for depth in _DEPTHS}
        hit_at = {str(depth): 100 * fmean(own) for depth, own in hit_within.items() if own}
        when_hit = [score / 100 for score in hits]
        return RetrievalSummary(
            questions=len(self._passages),
            nothing=self._nothing,
            depth=_mean(self._passages),
            shown_tokens=_mean(self._tokens),
            sought=len(ranks),
            by=max(self._by, default=None),  # "mention", which says less, is behind "evidence".
            hit=100 * len(hits) / len(ranks) if ranks else None,
            hit_at=hit_at or None,
            hit_at_intervals=_intervals(hit_within, self._of_ranks) if ranks else None,
            answered=_mean(self._scores),
            answered_when_hit=_mean(hits),
            answered_when_hit_interval=Intervals.of_values(when_hit, histories_of_hits),
            every_chunk=self._every_chunk or None,
        )


def _add_shares(shares: Mapping[int, array[float]], ranks: Sequence[int | None]) -> None:
    """Add to each depth the share of a question's ranks that are within it."""
    for depth, own in shares.items():
        own.append(fmean(rank is not None and rank <= depth for rank in ranks))


def _intervals(
    shares: Mapping[int, Sequence[float]], histories: Sequence[int]
) -> dict[str, Intervals]:
    """Return the intervals of the mean share at each depth."""
    found = {depth: Intervals.of_values(of, histories) for depth, of in shares.items()}
    return {str(depth): intervals for depth, intervals in found.items() if intervals}


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
