"""The limit on errors: a run stops at too many, or if its first answers all fail alike."""

from __future__ import annotations

from collections import Counter, defaultdict

from mabench.progress import Progress
from mabench.results import Sample
from mabench.specs import Limits
from mabench.tasks.stopping import Stop

_Place = tuple[str, int, str] | None  # A row, or the whole run.


class ErrorLimit:
    """Counts errors, says each once of a row, and stops the run at one too many."""

    def __init__(self, limits: Limits, stop: Stop, progress: Progress) -> None:
        self.errors = 0  # In this sitting.
        self._limits, self._stop, self._progress = limits, stop, progress
        # How often each kind of failure came, and any answer (None): by row, and of the run (None).
        self._outcomes: defaultdict[_Place, Counter[str | None]] = defaultdict(Counter)
        self._failures: set[tuple[_Place, str]] = set()

    def note_answer(self, sample: Sample) -> None:
        """Note an answer of an earlier sitting that was no failure."""
        self._note_outcome(sample, None)

    def count(self, sample: Sample) -> None:
        """Count a sample of this sitting, if it is an error."""
        if sample.error is not None:
            self.errors += 1

    def check(self, sample: Sample, *, was_asked: bool) -> None:
        """Stop the run if this sample, which was counted, is one failure too many.

        One that was not asked, since its row could not be memorized, says nothing of other rows.
        """
        if sample.error is not None:
            self._say_failure(sample, sample.error)
        if was_asked:
            self._check_first_answers(sample)

    def _say_failure(self, sample: Sample, error: str) -> None:
        """Say, once of a row, how a question failed, and stop the run at one failure too many."""
        failure = (_row_of(sample), error)
        if failure not in self._failures:
            self._failures.add(failure)
            self._progress.say(
                f"{sample.source}, row {sample.row}, question {sample.question_index}: {error}"
            )
        most = self._limits.max_errors
        if most is not None and self.errors >= most:
            self._stop.ask(f"{self.errors} failed, the last: {error}")

    def _note_outcome(self, sample: Sample, kind: str | None) -> None:
        for place in (_row_of(sample), None):
            self._outcomes[place][kind] += 1

    def _check_first_answers(self, sample: Sample) -> None:
        """Stop the run when all answers so far, of a row or of the run, are failures of a kind."""
        kind = sample.error and sample.error.partition(":")[0]
        self._note_outcome(sample, kind)
        most = self._limits.max_same_errors
        if not most or not kind:
            return
        row = f"{sample.source}, row {sample.row},"
        for place, name in ((_row_of(sample), row), (None, "the run")):
            outcomes = self._outcomes[place]
            if len(outcomes) == 1 and outcomes[kind] >= most:
                self._stop.ask(
                    f"the first {most} answers of {name} all failed with the same error (to "
                    f"continue anyway, set `limits.max_same_errors` to 0): {sample.error}"
                )


def _row_of(sample: Sample) -> _Place:
    return sample.split, sample.row, sample.source
