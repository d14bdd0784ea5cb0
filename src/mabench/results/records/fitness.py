"""Checks whether a line that can be read may count: it must be of its run, with possible scores.

Otherwise, a line that was edited or copied from another run would change figures in silence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from mabench.data import Source
from mabench.json_text import JsonRecord
from mabench.results.records.lines import Judgment, Key, Sample, StageRecord
from mabench.results.records.marks import Mark
from mabench.results.records.record import RunRecord

_ROUNDING = 1e-9  # By so much may rounding change the mean of shares.
_LONGEST_SHOWN = 40  # Characters of a wrong value in a message.
_VERDICTS = ("right", "wrong", "partial", "unclear")


class FitnessRules(NamedTuple):
    """What the lines of a run's files must be like: of its questions, with possible scores."""

    record: RunRecord
    mark: str  # The mark of the run, which its samples have.
    sources: Mapping[str, Source]  # Those that the run knows, by name.
    metrics: Mapping[str, str]  # The reported metric of each source, as far as it is known.


class FitnessCheck:
    """Checks the lines of one file of a run, from the first to the last."""

    def __init__(self, rules: FitnessRules) -> None:
        self._rules = rules
        self._asked: dict[str, set[Key]] = defaultdict(set)  # The questions so far, by source.

    def accepts(self, line: JsonRecord) -> bool:
        """Return whether a line may count."""
        try:
            self.check(line)
        except ValueError:
            return False
        return True

    def check(self, line: JsonRecord) -> None:
        """Raise a ``ValueError`` that says why, if a line may not count."""
        source = getattr(line, "source", None)
        if source is not None and source not in self._rules.record.questions:
            raise ValueError(f"the run has no source {source!r}")
        if isinstance(line, Sample):
            self._check_origin(line)
            self._check_question(line)
            self._check_number_of_questions(line)
            self._check_scores(line)
        elif isinstance(line, StageRecord | Mark):
            self._check_question(line)
        elif isinstance(line, Judgment):
            self._check_question(line)
            for name in ("value", "official"):
                _check_share(name, getattr(line, name))

    def _check_origin(self, sample: Sample) -> None:
        """Refuse an answer that says it is of another run."""
        mark = self._rules.mark
        if sample.run is not None and sample.run != mark:
            its_run = sample.run[:_LONGEST_SHOWN]
            raise ValueError(
                f"an answer of another run: its run is {its_run!r}, and here it is {mark!r}"
            )

    def _check_question(self, line: Sample | Judgment | StageRecord | Mark) -> None:
        """Refuse a question that the run does not ask."""
        record = self._rules.record
        declared = self._rules.sources.get(line.source)
        if declared is not None and line.split != declared.split:
            split = line.split[:_LONGEST_SHOWN]
            found = f"{line.source} is in {declared.split}, not in {split!r}"
            raise ValueError(f"no question of the run: {found}")
        is_other_row = record.rows is not None and line.row not in record.rows
        if line.row < 0 or is_other_row:
            raise ValueError(f"no question of the run: it has no row {line.row}")
        limit = record.limit_questions
        is_beyond_limit = limit is not None and line.question_index >= limit
        if line.question_index < 0 or is_beyond_limit:
            raise ValueError(f"no question of the run: it has no question {line.question_index}")

    def _check_number_of_questions(self, sample: Sample) -> None:
        """Refuse a question beyond the number that the run asks of a source."""
        asked, most = self._asked[sample.source], self._rules.record.questions[sample.source]
        if sample.key not in asked and len(asked) >= most:
            raise ValueError(f"no question of the run: it asks {most} of {sample.source}")
        asked.add(sample.key)

    def _check_scores(self, sample: Sample) -> None:
        """Refuse scores beyond 0 and 1, and a verdict that contradicts the corrected score."""
        for name, score in sample.official.items():
            _check_share(f"official.{name}", score)
        for name, score in sample.corrected.items():
            _check_share(f"corrected.{name}", score)
        _check_share("evidence_recall", sample.evidence_recall)
        verdict = sample.verdict
        if verdict is None:
            return
        if verdict not in _VERDICTS:
            shown = verdict[:_LONGEST_SHOWN]
            raise ValueError(f"verdict: {shown!r} is none of {', '.join(_VERDICTS)}")
        metric = self._rules.metrics.get(sample.source, "")
        corrected = sample.corrected.get(metric)
        official = float(sample.official.get(metric) or 0)
        if corrected is not None and not _fits_verdict(verdict, corrected, official):
            raise ValueError(f"the verdict {verdict} contradicts corrected.{metric}, {corrected}")


def _fits_verdict(verdict: str, corrected: float, official: float) -> bool:
    """Return whether an answer with this corrected and official score can have a verdict.

    In place of an unclear one, the official score is the corrected score.
    """
    if verdict == "right":
        return 1 - _ROUNDING <= corrected <= 1
    if verdict == "wrong":
        return 0 <= corrected <= _ROUNDING
    if verdict == "partial":
        return 0 < corrected < 1
    return abs(corrected - official) <= _ROUNDING


def _check_share(name: str, value: float | None) -> None:
    """Raise a ``ValueError`` for a value below 0 or above 1; None is allowed."""
    if value is not None and not -_ROUNDING <= value <= 1 + _ROUNDING:
        raise ValueError(f"{name}: {value} is no score, which is from 0 to 1")
