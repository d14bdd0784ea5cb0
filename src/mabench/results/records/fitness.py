"""Whether a line that can be read may count: whether it is of its run, and its scores can be.

A line that was edited, or copied from another run, would else change figures in silence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from mabench.data import Source
from mabench.json_text import JsonRecord
from mabench.results.records.lines import Judgment, Key, Sample, StageRecord
from mabench.results.records.marks import Mark
from mabench.results.records.record import RunRecord

_ROUNDING = 1e-9  # Of a mean of shares.
_VERDICTS = ("right", "wrong", "partial", "unclear")


class FitnessRules:
    """What the lines of a run's files must be like: of its questions, with possible scores.

    ``sources`` are those that the run knows, by name; ``metrics`` names the reported metric of
    each, as far as that is known. ``mark`` is the mark of the run, which its samples have.
    """

    def __init__(
        self, record: RunRecord, sources: Mapping[str, Source], metrics: Mapping[str, str]
    ) -> None:
        self.record = record
        self.sources = sources
        self.metrics = metrics
        self.mark = record.mark()


class FitnessCheck:
    """Checks the lines of one file of a run, from the first to the last."""

    def __init__(self, rules: FitnessRules) -> None:
        self._record = rules.record
        self._metrics = rules.metrics
        self._sources = rules.sources
        self._mark = rules.mark
        self._asked: dict[str, set[Key]] = defaultdict(set)

    def accepts(self, line: JsonRecord) -> bool:
        """Return whether a line may count."""
        try:
            self.check(line)
        except ValueError:
            return False
        return True

    def check(self, line: JsonRecord) -> None:
        """Raise ``ValueError`` for a line that may not count."""
        source = getattr(line, "source", None)
        if source is not None and source not in self._record.questions:
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
        if sample.run is not None and sample.run != self._mark:
            raise ValueError(
                f"an answer of another run: its run is {sample.run[:40]!r}, and here it is "
                f"{self._mark!r}"
            )

    def _check_question(self, line: Sample | Judgment | StageRecord | Mark) -> None:
        """Refuse a question that the run does not ask."""
        record = self._record
        declared = self._sources.get(line.source)
        if declared is not None and line.split != declared.split:
            found = f"{line.source} is in {declared.split}, not in {line.split[:40]!r}"
            raise ValueError(f"no question of the run: {found}")
        if line.row < 0 or (record.rows is not None and line.row not in record.rows):
            raise ValueError(f"no question of the run: it has no row {line.row}")
        most = record.limit_questions
        if line.question_index < 0 or (most is not None and line.question_index >= most):
            raise ValueError(f"no question of the run: it has no question {line.question_index}")

    def _check_number_of_questions(self, sample: Sample) -> None:
        """Refuse a question beyond the number that the run asks of a source."""
        asked, most = self._asked[sample.source], self._record.questions[sample.source]
        if sample.key not in asked and len(asked) >= most:
            raise ValueError(f"no question of the run: it asks {most} of {sample.source}")
        asked.add(sample.key)

    def _check_scores(self, sample: Sample) -> None:
        for kind in ("official", "corrected"):
            for name, value in getattr(sample, kind).items():
                _check_share(f"{kind}.{name}", value)
        _check_share("evidence_recall", sample.evidence_recall)
        verdict = sample.verdict
        if verdict is None:
            return
        if verdict not in _VERDICTS:
            raise ValueError(f"verdict: {verdict[:40]!r} is none of {', '.join(_VERDICTS)}")
        metric = self._metrics.get(sample.source, "")
        score = sample.corrected.get(metric)
        official = float(sample.official.get(metric) or 0)
        if score is not None and not _fits_verdict(verdict, score, official):
            raise ValueError(f"the verdict {verdict} contradicts corrected.{metric}, {score}")


def _fits_verdict(verdict: str, score: float, official: float) -> bool:
    """Return whether a corrected score can have a verdict, beside the official score."""
    if verdict == "right":
        return 1 - _ROUNDING <= score <= 1
    if verdict == "wrong":
        return 0 <= score <= _ROUNDING
    if verdict == "partial":
        return 0 < score < 1
    return abs(score - official) <= _ROUNDING  # Unclear: the official score counts.


def _check_share(name: str, value: float | None) -> None:
    if value is not None and not -_ROUNDING <= value <= 1 + _ROUNDING:
        raise ValueError(f"{name}: {value} is no score, which is from 0 to 1")
